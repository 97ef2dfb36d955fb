// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of the D library
//
// A translator is chosen by the type of its input. Processes and threads of the event have no struct that the library
// could read, so struct __process, __child, __thread, __new_thread and __siginfo are declared, never defined, and only
// choose the translator: curpsinfo translates a null pointer, and its members are built-in variables (those that begin
// with __ are the library's own) and arguments of the probe. struct task_struct is different: it is the kernel's.
//
// The list of names decides when a text is loaded: scripts do not know a name that a text defines and its list lacks.
#include "compiler/library/library.h"

#include <algorithm>
#include <array>

namespace sonde {
namespace {

// What a process or thread has in common with the one that it makes.
#define OF_PROCESS                                                                                                  \
  " pr_pgid = __pgid; pr_sid = __sid; pr_uid = uid; pr_euid = __euid; pr_gid = gid; pr_egid = __egid; pr_addr = 0;" \
  " pr_ttydev = __tty; pr_fname = execname; pr_psargs = __psargs; pr_wstat = 0; pr_argc = *(int *)__stack_start;"   \
  " pr_argv = __stack_start + 8; pr_envp = __stack_start + 8 * (*(int *)__stack_start + 2);"                        \
  " pr_dmodel = uregs[R_CS] == 0x23 ? 1 : 2;"                                                                       \
  " pr_taskid = 0; pr_projid = 0; pr_nzomb = 0; pr_poolid = 0; pr_zoneid = 0; pr_contract = 0;"
#define OF_THREAD                                                                                                   \
  " pr_flag = 0; pr_addr = 0; pr_wchan = 0; pr_stype = 0; pr_syscall = __syscall; pr_pri = __priority;"             \
  " pr_clname = __policy == 0 ? \"TS\" : __policy == 1 ? \"FF\" : __policy == 2 ? \"RR\" : __policy == 3 ? \"B\" :" \
  " __policy == 5 ? \"IDL\" : __policy == 6 ? \"DLN\" : \"?\";"                                                     \
  " pr_name = execname; pr_onpro = cpu; pr_bindpro = __bound_cpu; pr_bindpset = -1; pr_lgrp = __cpu_node(cpu);"

// Members without a conversion are declared on purpose: naming one is an error that says so.
constexpr std::array kParts = std::to_array<LibraryPart>({
    {"procfs.d", " psinfo_t psinfo struct psinfo curpsinfo struct __process struct __child ", R"(
struct __process;
struct __child;
typedef struct psinfo {
  int pr_nlwp; pid_t pr_pid; pid_t pr_ppid; pid_t pr_pgid; pid_t pr_sid; uid_t pr_uid; uid_t pr_euid; gid_t pr_gid;
  gid_t pr_egid; uintptr_t pr_addr; size_t pr_size; size_t pr_rssize; dev_t pr_ttydev; char pr_fname[16]; char pr_psargs[80];
  int pr_wstat; int pr_argc; uintptr_t pr_argv; uintptr_t pr_envp; char pr_dmodel; taskid_t pr_taskid; projid_t pr_projid;
  int pr_nzomb; poolid_t pr_poolid; zoneid_t pr_zoneid; id_t pr_contract;
} psinfo_t;
translator psinfo_t < struct __process *P > {
  pr_nlwp = __nlwp; pr_pid = pid; pr_ppid = ppid;)" OF_PROCESS R"(
};
translator psinfo_t < pid_t P > {
  pr_pid = P; pr_fname = __comm[P]; pr_addr = 0; pr_dmodel = uregs[R_CS] == 0x23 ? 1 : 2; pr_taskid = 0; pr_projid = 0; pr_poolid = 0; pr_zoneid = 0; pr_contract = 0;
};
translator psinfo_t < struct __child *C > {
  pr_nlwp = 1; pr_pid = (pid_t)arg0; pr_ppid = (arg1 & 0x8000) != 0 ? ppid : pid;)" OF_PROCESS R"(
};
translator psinfo_t < struct task_struct *T > {
  pr_addr = (uintptr_t)T; pr_pid = T->tgid; pr_ppid = T->real_parent->tgid; pr_fname = stringof(T->comm);
};
inline psinfo_t *curpsinfo = xlate <psinfo_t *> ((struct __process *)0);
)"},
    {"lwp.d", " lwpsinfo_t lwpsinfo struct lwpsinfo curlwpsinfo struct __thread struct __new_thread ", R"(
struct __thread;
struct __new_thread;
typedef struct lwpsinfo {
  int pr_flag; id_t pr_lwpid; uintptr_t pr_addr; uintptr_t pr_wchan; char pr_stype; char pr_state; char pr_sname; char pr_nice;
  int pr_syscall; char pr_oldpri; char pr_cpu; int pr_pri; char pr_clname[8]; char pr_name[16]; processorid_t pr_onpro;
  processorid_t pr_bindpro; psetid_t pr_bindpset; int pr_lgrp;
} lwpsinfo_t;
translator lwpsinfo_t < struct __thread *T > {
  pr_lwpid = tid; pr_state = 6; pr_sname = 'O';)" OF_THREAD R"(
};
translator lwpsinfo_t < struct __new_thread *T > {
  pr_lwpid = (id_t)arg0; pr_state = 2; pr_sname = 'R';)" OF_THREAD R"(
};
translator lwpsinfo_t < id_t T > { pr_flag = 0; pr_lwpid = T; pr_addr = 0; };
translator lwpsinfo_t < struct task_struct *T > {
  pr_addr = (uintptr_t)T; pr_lwpid = T->pid; pr_name = stringof(T->comm);
};
inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> ((struct __thread *)0);
)"},
    {"io.d", " fileinfo_t fileinfo struct fileinfo fds ", R"(
typedef struct fileinfo {
  string fi_name; string fi_dirname; string fi_pathname; loff_t fi_offset; string fi_fs; string fi_mount; int fi_oflags;
} fileinfo_t;
translator fileinfo_t < int F > {
  fi_name = basename(__fdpath[F]); fi_dirname = __fdpath[F] == "<none>" ? "<none>" : dirname(__fdpath[F]);
  fi_pathname = __fdpath[F]; fi_offset = __decimal(__fdpos[F]); fi_fs = __fdfs[F] == "" ? "<none>" : __fdfs[F];
  fi_mount = __fdmount[F] == "" ? "<none>" : __fdmount[F]; fi_oflags = (int)__decimal(__fdflags[F]);
};
inline fileinfo_t fds[int fd] = xlate <fileinfo_t> (fd);
)"},
    {"process.d", " cwd root zonename ", R"(
inline string cwd = __cwd;
inline string root = __root;
inline string zonename = "global";
)"},
    {"kernel.d", " ipl ", R"(
inline uint_t ipl = 0;
)"},
    {"cpu.d", " cpuinfo_t cpuinfo struct cpuinfo curcpu chip lgrp pset ", R"(
typedef struct cpuinfo {
  processorid_t cpu_id; psetid_t cpu_pset; chipid_t cpu_chip; lgrp_id_t cpu_lgrp;
} cpuinfo_t;
inline cpuinfo_t *curcpu = (cpuinfo_t *)__cpuinfo(cpu);
inline chipid_t chip = __cpu_package(cpu);
inline lgrp_id_t lgrp = __cpu_node(cpu);
inline psetid_t pset = 0;
)"},
    {"types.d", " boolean_t ", "typedef int boolean_t;\n"},
    {"net.d", " in6_addr_t struct in6_addr in6_addr in_addr struct in_addr ", R"(
struct in_addr { uint32_t s_addr; };
struct in6_addr {
  union { uint8_t s6_addr[16]; union { uint8_t u6_addr8[16]; uint16_t u6_addr16[8]; uint32_t u6_addr32[4]; } in6_u; };
};
typedef struct in6_addr in6_addr_t;
)"},
    {"siginfo.d", " siginfo_t siginfo struct siginfo sigval_t union sigval struct __siginfo ", R"(
struct __siginfo;
typedef union sigval { int sival_int; void *sival_ptr; } sigval_t;
typedef struct siginfo {
  int si_signo; int si_errno; int si_code; pid_t si_pid; uid_t si_uid; int si_status; uintptr_t si_addr; sigval_t si_value;
  long si_band; int si_fd; clock_t si_utime; clock_t si_stime;
} siginfo_t;
translator sigval_t < int64_t V > { sival_int = (int)V; sival_ptr = (void *)V; };
translator siginfo_t < struct __siginfo *S > {
  si_signo = (int)arg0; si_code = (int)arg1; si_pid = (pid_t)arg2; si_uid = (uid_t)arg5; si_errno = (int)(arg5 >> 32);
  si_addr = (uintptr_t)arg6; si_value = xlate <sigval_t> (arg7);
  si_status = arg0 == 17 && arg1 > 0 ? (int)arg8 : 0; si_fd = arg0 == 17 && arg1 > 0 ? 0 : (int)arg8; si_band = arg0 == 17 && arg1 > 0 ? 0 : arg9;
  si_utime = arg0 == 17 && arg1 > 0 ? (uint32_t)arg9 : 0; si_stime = arg0 == 17 && arg1 > 0 ? (uint32_t)(arg9 >> 32) : 0;
};
)"},
    {"bufinfo.d", " bufinfo_t bufinfo struct bufinfo devinfo_t devinfo struct devinfo ", R"(
typedef struct bufinfo {
  int b_flags; size_t b_bcount; caddr_t b_addr; uint64_t b_lblkno; uint64_t b_blkno; size_t b_resid; size_t b_bufsize;
  caddr_t b_iodone; int b_error; dev_t b_edev;
} bufinfo_t;
typedef struct devinfo {
  int dev_major; int dev_minor; int dev_instance; string dev_name; string dev_statname; string dev_pathname;
} devinfo_t;
)"},
    {"net_args.d",
     " pktinfo_t struct pktinfo csinfo_t struct csinfo ipinfo_t struct ipinfo ifinfo_t struct ifinfo ipv4info_t struct"
     " ipv4info ipv6info_t struct ipv6info tcpinfo_t struct tcpinfo tcpsinfo_t struct tcpsinfo tcplsinfo_t struct"
     " tcplsinfo udpinfo_t struct udpinfo udpsinfo_t struct udpsinfo ",
     R"(
typedef struct pktinfo { uintptr_t pkt_addr; } pktinfo_t;
typedef struct csinfo { uintptr_t cs_addr; uint64_t cs_cid; pid_t cs_pid; zoneid_t cs_zoneid; } csinfo_t;
typedef struct ipinfo { uint8_t ip_ver; uint32_t ip_plength; string ip_saddr; string ip_daddr; } ipinfo_t;
typedef struct ifinfo { string if_name; int8_t if_local; int if_ipstack; uintptr_t if_addr; } ifinfo_t;
typedef struct ipv4info {
  uint8_t ipv4_ver; uint8_t ipv4_ihl; uint8_t ipv4_tos; uint16_t ipv4_length; uint16_t ipv4_ident; uint8_t ipv4_flags;
  uint16_t ipv4_offset; uint8_t ipv4_ttl; uint8_t ipv4_protocol; string ipv4_protostr; uint16_t ipv4_checksum; ipaddr_t ipv4_src;
  ipaddr_t ipv4_dst; string ipv4_saddr; string ipv4_daddr; uintptr_t ipv4_hdr;
} ipv4info_t;
typedef struct ipv6info {
  uint8_t ipv6_ver; uint8_t ipv6_tclass; uint32_t ipv6_flow; uint16_t ipv6_plen; uint8_t ipv6_nexthdr; string ipv6_nextstr;
  uint8_t ipv6_hlim; uintptr_t ipv6_src; uintptr_t ipv6_dst; string ipv6_saddr; string ipv6_daddr; uintptr_t ipv6_hdr;
} ipv6info_t;
typedef struct tcpinfo {
  uint16_t tcp_sport; uint16_t tcp_dport; uint32_t tcp_seq; uint32_t tcp_ack; uint8_t tcp_offset; uint8_t tcp_flags;
  uint16_t tcp_window; uint16_t tcp_checksum; uint16_t tcp_urgent; uintptr_t tcp_hdr;
} tcpinfo_t;
typedef struct tcpsinfo {
  uintptr_t tcps_addr; int tcps_local; int tcps_active; uint16_t tcps_lport; uint16_t tcps_rport; string tcps_laddr; string tcps_raddr;
  int32_t tcps_state; uint32_t tcps_iss; uint32_t tcps_irs; uint32_t tcps_suna; uint32_t tcps_smax; uint32_t tcps_snxt;
  uint32_t tcps_rnxt; uint32_t tcps_swnd; int32_t tcps_snd_ws; uint32_t tcps_rwnd; int32_t tcps_rcv_ws; uint32_t tcps_cwnd;
  uint32_t tcps_cwnd_ssthresh; uint32_t tcps_mss; uint32_t tcps_rto; int tcps_retransmit; uint32_t tcps_rtt; uint32_t tcps_rtt_sd;
} tcpsinfo_t;
typedef struct tcplsinfo { int32_t tcps_state; } tcplsinfo_t;
typedef struct udpinfo { uint16_t udp_sport; uint16_t udp_dport; uint16_t udp_length; uint16_t udp_checksum; uintptr_t udp_hdr; } udpinfo_t;
typedef struct udpsinfo { uintptr_t udps_addr; uint16_t udps_lport; uint16_t udps_rport; string udps_laddr; string udps_raddr; } udpsinfo_t;
)"},
});

/// A name of a part's list, and the part.
struct DefinedName {
  std::string_view name;
  size_t part = 0;
};

/// Calls `visit` for each name: a word, and two with "struct" or "union" before the second.
constexpr void each_name(const auto& visit) {
  for (size_t part = 0; part < kParts.size(); part++) {
    const std::string_view list = kParts[part].names;
    for (size_t begin = 1; begin < list.size();) {
      const size_t end = list.find(' ', begin);
      const std::string_view word = list.substr(begin, end - begin);
      visit(DefinedName{word, part});
      if (word == "struct" || word == "union")
        visit(DefinedName{list.substr(begin, list.find(' ', end + 1) - begin), part});
      begin = end + 1;
    }
  }
}

consteval size_t count_names() {
  size_t count = 0;
  each_name([&](const DefinedName&) { count++; });
  return count;
}

/// Sorted when this is compiled: the parser asks of each identifier that it meets.
constexpr auto kNames = [] {
  std::array<DefinedName, count_names()> all{};
  size_t at = 0;
  each_name([&](const DefinedName& one) { all[at++] = one; });
  std::ranges::sort(all,
                    [](const auto& a, const auto& b) { return a.name != b.name ? a.name < b.name : a.part < b.part; });
  return all;
}();

}  // namespace

std::span<const LibraryPart> library_parts() { return kParts; }

const LibraryPart* part_that_defines(std::string_view name) {
  const auto at = std::ranges::lower_bound(kNames, name, {}, &DefinedName::name);
  return at != kNames.end() && at->name == name ? &kParts[at->part] : nullptr;
}

}  // namespace sonde
