// SPDX-License-Identifier: GPL-3.0-or-later
// The layouts are the kernel's ABI, not the C library's: its sigaction, a signal set of 8 bytes, linux_dirent64. If
// both agree, the C library's type is used.
//
// Invariant: the bytes come from the program, and there may be fewer than the structure has. read_as() fills the rest
// with zeros and never reads past the end; for what cannot be shown the text is empty, and decode.cpp prints the
// address instead.
#include "runtime/syscall/structures.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <span>
#include <utility>

#include "kmod/shared/siginfo.h"
#include "runtime/syscall/capture.h"
#include "runtime/syscall/constants.h"
#include "runtime/syscall/text.h"

namespace sonde {
namespace {

template <typename T>
T read_as(std::string_view bytes, size_t at = 0) {
  T value{};
  if (at < bytes.size()) std::memcpy(&value, bytes.data() + at, std::min(sizeof value, bytes.size() - at));
  return value;
}

template <typename T>
std::string number(T value) {
  return std::to_string(value);
}

/// {a=1, b=2}
class Fields {
 public:
  Fields& add(std::string_view name, std::string_view value) {
    if (!text_.empty()) text_ += ", ";
    text_.append(name).append("=").append(value);
    return *this;
  }
  Fields& word(std::string_view text) {
    text_.append(text_.empty() ? "" : ", ").append(text);
    return *this;
  }
  std::string close(bool more = false) const { return "{" + text_ + (more ? ", ...}" : "}"); }

 private:
  std::string text_;
};

std::string timespec_text(const timespec& time) { return format_time(time.tv_sec, time.tv_nsec, "tv_nsec"); }
std::string timeval_text(const timeval& time) { return format_time(time.tv_sec, time.tv_usec, "tv_usec"); }

std::string local_time(int64_t seconds, int64_t nanoseconds) {
  char text[64], fraction[16] = "", zone[16];
  const time_t time = seconds;
  struct tm parts;
  if (localtime_r(&time, &parts) == nullptr) return "";
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::strftime(zone, sizeof zone, "%z", &parts);
  if (nanoseconds != 0) std::snprintf(fraction, sizeof fraction, ".%09lld", static_cast<long long>(nanoseconds));
  return std::string(" /* ") + text + fraction + zone + " */";
}

/// One of the two times of utimensat().
std::string file_time(const timespec& time) {
  if (time.tv_nsec == UTIME_NOW) return "UTIME_NOW";
  if (time.tv_nsec == UTIME_OMIT) return "UTIME_OMIT";
  return timespec_text(time) + local_time(time.tv_sec, time.tv_nsec);
}

void add_file_times(Fields& fields, std::string_view name, const timespec& time) {
  const std::string label = "st_" + std::string(name);
  fields.add(label, number(time.tv_sec) + local_time(time.tv_sec, time.tv_nsec))
      .add(label + "_nsec", number(time.tv_nsec));
}

/// All members, in the order in which strace -v shows them.
std::string whole_stat_text(const struct stat& s) {
  Fields fields;
  fields.add("st_dev", format_device(s.st_dev))
      .add("st_ino", number(s.st_ino))
      .add("st_mode", format_mode(s.st_mode))
      .add("st_nlink", number(s.st_nlink))
      .add("st_uid", number(s.st_uid))
      .add("st_gid", number(s.st_gid))
      .add("st_blksize", number(s.st_blksize))
      .add("st_blocks", number(s.st_blocks));
  if (S_ISCHR(s.st_mode) || S_ISBLK(s.st_mode))
    fields.add("st_rdev", format_device(s.st_rdev));
  else
    fields.add("st_size", number(s.st_size));
  add_file_times(fields, "atime", s.st_atim);
  add_file_times(fields, "mtime", s.st_mtim);
  add_file_times(fields, "ctime", s.st_ctim);
  return fields.close();
}

std::string stat_text(const struct stat& s) {
  if (shown_amount().whole) return whole_stat_text(s);
  Fields fields;
  fields.add("st_mode", format_mode(s.st_mode));
  if (S_ISCHR(s.st_mode) || S_ISBLK(s.st_mode))
    fields.add("st_rdev", format_device(s.st_rdev));
  else
    fields.add("st_size", number(s.st_size));
  return fields.close(true);
}

std::string whole_statx_text(const struct statx& s) {
  const auto time = [](const statx_timestamp& at) {
    return format_time(at.tv_sec, at.tv_nsec, "tv_nsec") + local_time(at.tv_sec, at.tv_nsec);
  };
  Fields fields;
  fields.add("stx_mask", format_constant(Set::statx_mask, s.stx_mask))
      .add("stx_blksize", number(s.stx_blksize))
      .add("stx_attributes", format_constant(Set::statx_attributes, s.stx_attributes))
      .add("stx_nlink", number(s.stx_nlink))
      .add("stx_uid", number(s.stx_uid))
      .add("stx_gid", number(s.stx_gid))
      .add("stx_mode", format_mode(s.stx_mode))
      .add("stx_ino", number(s.stx_ino))
      .add("stx_size", number(s.stx_size))
      .add("stx_blocks", number(s.stx_blocks))
      .add("stx_attributes_mask", format_constant(Set::statx_attributes, s.stx_attributes_mask))
      .add("stx_atime", time(s.stx_atime));
  if ((s.stx_mask & STATX_BTIME) != 0) fields.add("stx_btime", time(s.stx_btime));
  fields.add("stx_ctime", time(s.stx_ctime))
      .add("stx_mtime", time(s.stx_mtime))
      .add("stx_rdev_major", number(s.stx_rdev_major))
      .add("stx_rdev_minor", number(s.stx_rdev_minor))
      .add("stx_dev_major", number(s.stx_dev_major))
      .add("stx_dev_minor", number(s.stx_dev_minor));
  if ((s.stx_mask & STATX_MNT_ID) != 0) fields.add("stx_mnt_id", hex_text(s.stx_mnt_id));
  return fields.close();
}

std::string statx_text(const struct statx& s) {
  if (shown_amount().whole) return whole_statx_text(s);
  return Fields()
      .add("stx_mask", format_constant(Set::statx_mask, s.stx_mask))
      .add("stx_attributes", format_constant(Set::statx_attributes, s.stx_attributes))
      .add("stx_mode", format_mode(s.stx_mode))
      .add("stx_size", number(s.stx_size))
      .close(true);
}

std::string rusage_text(const struct rusage& usage) {
  Fields fields;
  fields.add("ru_utime", timeval_text(usage.ru_utime)).add("ru_stime", timeval_text(usage.ru_stime));
  if (!shown_amount().whole) return fields.close(true);
  constexpr std::pair<const char*, long rusage::*> kCounts[] = {
      {"ru_maxrss", &rusage::ru_maxrss}, {"ru_ixrss", &rusage::ru_ixrss},     {"ru_idrss", &rusage::ru_idrss},
      {"ru_isrss", &rusage::ru_isrss},   {"ru_minflt", &rusage::ru_minflt},   {"ru_majflt", &rusage::ru_majflt},
      {"ru_nswap", &rusage::ru_nswap},   {"ru_inblock", &rusage::ru_inblock}, {"ru_oublock", &rusage::ru_oublock},
      {"ru_msgsnd", &rusage::ru_msgsnd}, {"ru_msgrcv", &rusage::ru_msgrcv},   {"ru_nsignals", &rusage::ru_nsignals},
      {"ru_nvcsw", &rusage::ru_nvcsw},   {"ru_nivcsw", &rusage::ru_nivcsw}};
  for (const auto& [name, member] : kCounts) fields.add(name, number(usage.*member));
  return fields.close();
}

std::string utsname_text(const utsname& name) {
  const std::pair<const char*, std::string_view> members[] = {
      {"sysname", {name.sysname, sizeof name.sysname}}, {"nodename", {name.nodename, sizeof name.nodename}},
      {"release", {name.release, sizeof name.release}}, {"version", {name.version, sizeof name.version}},
      {"machine", {name.machine, sizeof name.machine}}, {"domainname", {name.domainname, sizeof name.domainname}}};
  const bool whole = shown_amount().whole;
  Fields fields;
  for (const auto& [label, text] : std::span(members).first(whole ? std::size(members) : 2))
    fields.add(label, quote(text.substr(0, std::min(text.find('\0'), text.size())), false));
  return fields.close(!whole);
}

std::string statfs_text(const struct statfs& s) {
  const auto type = static_cast<uint32_t>(s.f_type);
  int ids[2];
  std::memcpy(ids, &s.f_fsid, sizeof ids);
  return Fields()
      .add("f_type", format_constant(Set::statfs_type, type))
      .add("f_bsize", number(s.f_bsize))
      .add("f_blocks", number(s.f_blocks))
      .add("f_bfree", number(s.f_bfree))
      .add("f_bavail", number(s.f_bavail))
      .add("f_files", number(s.f_files))
      .add("f_ffree", number(s.f_ffree))
      .add("f_fsid",
           "{val=[" + hex_text(static_cast<uint32_t>(ids[0])) + ", " + hex_text(static_cast<uint32_t>(ids[1])) + "]}")
      .add("f_namelen", number(s.f_namelen))
      .add("f_frsize", number(s.f_frsize))
      .add("f_flags", format_constant(Set::statfs_flags, static_cast<uint64_t>(s.f_flags)))
      .close();
}

std::string sysinfo_text(const struct sysinfo& s) {
  return Fields()
      .add("uptime", number(s.uptime))
      .add("loads", "[" + number(s.loads[0]) + ", " + number(s.loads[1]) + ", " + number(s.loads[2]) + "]")
      .add("totalram", number(s.totalram))
      .add("freeram", number(s.freeram))
      .add("sharedram", number(s.sharedram))
      .add("bufferram", number(s.bufferram))
      .add("totalswap", number(s.totalswap))
      .add("freeswap", number(s.freeswap))
      .add("procs", number(s.procs))
      .add("totalhigh", number(s.totalhigh))
      .add("freehigh", number(s.freehigh))
      .add("mem_unit", number(s.mem_unit))
      .close();
}

std::string limit_text(uint64_t limit) {
  if (limit == RLIM_INFINITY) return "RLIM64_INFINITY";
  return limit > 1024 && limit % 1024 == 0 ? number(limit / 1024) + "*1024" : number(limit);
}

/// The kernel's struct sigaction: handler, flags, restorer, mask.
std::string sigaction_text(std::string_view bytes) {
  const auto handler = read_as<uint64_t>(bytes), flags = read_as<uint64_t>(bytes, 8);
  const auto name = name_of(Set::signal_handler, handler);
  Fields fields;
  fields.add("sa_handler", name ? std::string(*name) : hex_text(handler))
      .add("sa_mask", format_signals(bytes.substr(24, 8)))
      .add("sa_flags", format_constant(Set::signal_flags, flags));
  if ((flags & 0x04000000) != 0) fields.add("sa_restorer", pointer_text(read_as<uint64_t>(bytes, 16)));
  return fields.close();
}

/// Codes below 0x80 belong to their signal.
std::string signal_code(int signal, int code) {
  constexpr std::pair<int, Set::Id> kOfSignal[] = {{SIGILL, Set::sigill_code},   {SIGTRAP, Set::sigtrap_code},
                                                   {SIGBUS, Set::sigbus_code},   {SIGFPE, Set::sigfpe_code},
                                                   {SIGSEGV, Set::sigsegv_code}, {SIGCHLD, Set::sigchld_code},
                                                   {SIGPOLL, Set::sigpoll_code}, {SIGSYS, Set::sigsys_code}};
  const auto own = std::ranges::find(kOfSignal, signal, &std::pair<int, Set::Id>::first);
  const bool by_kernel = code > 0 && code < SI_KERNEL && own != std::end(kOfSignal);
  const auto name = name_of(by_kernel ? own->second : Set::signal_code, static_cast<uint32_t>(code));
  return name ? std::string(*name) : number(code);
}

/// 3 /* 0.03 s */
std::string ticks(uint64_t count) {
  char seconds[48];
  std::snprintf(seconds, sizeof seconds, " /* %.2f s */", static_cast<double>(count) / 100);  // USER_HZ
  return number(count) + (count == 0 ? "" : seconds);
}

std::string siginfo_text(std::string_view bytes) {
  uint64_t args[SONDE_DIF_ARGS] = {};
  char fields[32] = {};
  if (bytes.size() > 16) std::memcpy(fields, bytes.data() + 16, std::min(sizeof fields, bytes.size() - 16));
  sonde_siginfo_args(args, read_as<int>(bytes), read_as<int>(bytes, 4), read_as<int>(bytes, 8), fields);
  return format_siginfo(args);
}

std::string wait_status_text(int status) {
  if (WIFEXITED(status)) return "[{WIFEXITED(s) && WEXITSTATUS(s) == " + number(WEXITSTATUS(status)) + "}]";
  if (WIFSTOPPED(status)) return "[{WIFSTOPPED(s) && WSTOPSIG(s) == " + format_signal(WSTOPSIG(status)) + "}]";
  if (WIFCONTINUED(status)) return "[{WIFCONTINUED(s)}]";
  return "[{WIFSIGNALED(s) && WTERMSIG(s) == " + format_signal(WTERMSIG(status)) +
         (WCOREDUMP(status) ? " && WCOREDUMP(s)}]" : "}]");
}

std::string clone_args_text(const clone_args& a) {
  Fields fields;
  fields.add("flags", format_constant(Set::clone3_flags, a.flags));
  if (a.flags & CLONE_PIDFD) fields.add("pidfd", pointer_text(a.pidfd));
  if (a.flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID)) fields.add("child_tid", pointer_text(a.child_tid));
  if (a.flags & CLONE_PARENT_SETTID) fields.add("parent_tid", pointer_text(a.parent_tid));
  fields.add("exit_signal", format_signal(a.exit_signal));
  fields.add("stack", pointer_text(a.stack)).add("stack_size", hex_text(a.stack_size));
  if (a.flags & CLONE_SETTLS) fields.add("tls", pointer_text(a.tls));
  if (a.set_tid_size != 0) fields.add("set_tid", pointer_text(a.set_tid)).add("set_tid_size", number(a.set_tid_size));
  if (a.cgroup != 0) fields.add("cgroup", number(a.cgroup));
  return fields.close();
}

std::string open_how_text(const open_how& how) {
  Fields fields;
  fields.add("flags", format_constant(Set::open_flags, how.flags));
  if (how.flags & 0x40) fields.add("mode", octal_text(how.mode));
  return fields.add("resolve", hex_text(how.resolve)).close();
}

std::string pollfd_text(const pollfd& entry) {
  if (entry.fd < 0) return Fields().add("fd", number(entry.fd)).close();  // it asks nothing
  return Fields()
      .add("fd", number(entry.fd))
      .add("events", format_constant(Set::poll_events, static_cast<uint16_t>(entry.events)))
      .close();
}

std::string epoll_event_text(const epoll_event& event) {
  return Fields()
      .add("events", format_constant(Set::epoll_events, event.events))
      .add("data", "{u32=" + number(event.data.u32) + ", u64=" + number(event.data.u64) + "}")
      .close();
}

/// Formats each whole element; an incomplete last one is left out.
template <typename T, typename Format>
std::string array_text(std::string_view bytes, Format format) {
  std::string text;
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T))
    text += (at == 0 ? "" : ", ") + format(read_as<T>(bytes, at));
  return "[" + text + "]";
}

std::string ids_text(std::string_view bytes) { return array_text<int>(bytes, number<int>); }

std::string vector_text(std::string_view bytes) {
  return array_text<iovec>(bytes, [](const iovec& one) {
    return Fields()
        .add("iov_base", pointer_text(reinterpret_cast<uint64_t>(one.iov_base)))
        .add("iov_len", number(one.iov_len))
        .close();
  });
}

std::string count_entries(std::string_view bytes) {
  size_t at = 0, entries = 0;
  while (at + 19 <= bytes.size()) {
    const auto length = read_as<uint16_t>(bytes, at + 16);
    if (length == 0) break;
    at += length;
    ++entries;
  }
  return at == bytes.size() ? " /* " + number(entries) + " entries */" : "";
}

/// 1<<CAP_CHOWN|1<<CAP_KILL
std::string capabilities(uint64_t bits) {
  std::string text;
  for (uint64_t bit = 0; bit < 64; ++bit) {
    if ((bits >> bit & 1) == 0) continue;
    const auto name = name_of(Set::capability, bit);
    text += (text.empty() ? "" : "|") + (name ? "1<<" + std::string(*name) : hex_text(uint64_t{1} << bit));
  }
  return text.empty() ? "0" : text;
}

/// The upper halves of the sets are in a second structure, if there is one.
std::string capability_text(std::string_view bytes) {
  const auto low = read_as<__user_cap_data_struct>(bytes);
  const auto high =
      bytes.size() < 2 * sizeof low ? __user_cap_data_struct{} : read_as<__user_cap_data_struct>(bytes, sizeof low);
  const auto both = [&](auto member) { return capabilities(low.*member | uint64_t{high.*member} << 32); };
  return Fields()
      .add("effective", both(&__user_cap_data_struct::effective))
      .add("permitted", both(&__user_cap_data_struct::permitted))
      .add("inheritable", both(&__user_cap_data_struct::inheritable))
      .close();
}

/// The kernel's struct sched_attr, which no header of the C library has.
std::string sched_attr_text(std::string_view bytes) {
  const auto size = read_as<uint32_t>(bytes);
  Fields fields;
  fields.add("size", number(size))
      .add("sched_policy", format_constant(Set::sched_policy, read_as<uint32_t>(bytes, 4)))
      .add("sched_flags", format_constant(Set::sched_flags, read_as<uint64_t>(bytes, 8)))
      .add("sched_nice", number(read_as<int32_t>(bytes, 16)))
      .add("sched_priority", number(read_as<uint32_t>(bytes, 20)))
      .add("sched_runtime", number(read_as<uint64_t>(bytes, 24)))
      .add("sched_deadline", number(read_as<uint64_t>(bytes, 32)))
      .add("sched_period", number(read_as<uint64_t>(bytes, 40)));
  constexpr uint32_t kFirstVersion = 48;
  if (size <= kFirstVersion) return fields.close();
  return fields.add("sched_util_min", number(read_as<uint32_t>(bytes, 48)))
      .add("sched_util_max", number(read_as<uint32_t>(bytes, 52)))
      .close();
}

/// How a timer tells that it has expired.
std::string sigevent_text(const sigevent& event) {
  const auto value = reinterpret_cast<uint64_t>(event.sigev_value.sival_ptr);
  const bool signals =
      event.sigev_notify == SIGEV_SIGNAL || event.sigev_notify == SIGEV_THREAD || event.sigev_notify == SIGEV_THREAD_ID;
  Fields fields;
  if (value != 0)
    fields.add(
        "sigev_value",
        Fields().add("sival_int", number(event.sigev_value.sival_int)).add("sival_ptr", pointer_text(value)).close());
  fields.add("sigev_signo", signals ? format_signal(static_cast<uint32_t>(event.sigev_signo))
                                    : number(static_cast<uint32_t>(event.sigev_signo)));
  fields.add("sigev_notify", format_constant(Set::signal_notify, static_cast<uint32_t>(event.sigev_notify)));
  if (event.sigev_notify == SIGEV_THREAD_ID) fields.add("sigev_notify_thread_id", number(event._sigev_un._tid));
  return fields.close();
}

std::string ipv6_text(const in6_addr& address) {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(AF_INET6, &address, text, sizeof text);
  return text;
}

std::string unix_address(std::string_view path, Fields& fields) {
  if (path.empty()) return fields.close();
  if (path[0] == '\0') return fields.add("sun_path", "@" + quote(path.substr(1), false)).close();
  return fields.add("sun_path", quote(path.substr(0, path.find('\0')), false)).close();
}

}  // namespace

std::string format_mode(uint32_t mode) {
  const auto type = name_of(Set::file_type, mode & S_IFMT);
  std::string text = type ? std::string(*type) + "|" : "";
  for (auto [bit, name] : {std::pair{S_ISUID, "S_ISUID|"}, {S_ISGID, "S_ISGID|"}, {S_ISVTX, "S_ISVTX|"}})
    if ((mode & bit) != 0) text += name;
  return text + octal_text(mode & (type ? 0777u : 0777u | S_IFMT));
}

std::string format_device(uint64_t device) {
  return "makedev(" + hex_text(major(device)) + ", " + hex_text(minor(device)) + ")";
}

std::string format_io_priority(uint64_t value) {
  constexpr int kClassShift = 13;
  const auto priority = static_cast<uint32_t>(value);
  return "IOPRIO_PRIO_VALUE(" + format_constant(Set::io_priority_class, priority >> kClassShift) + ", " +
         number(priority & ((1u << kClassShift) - 1)) + ")";
}

std::string format_signal(uint64_t signal) {
  if (const auto name = name_of(Set::signal, signal)) return std::string(*name);
  if (signal == 32) return "SIGRTMIN";
  return signal > 32 && signal <= 64 ? "SIGRT_" + number(signal - 32) : number(static_cast<int>(signal));
}

std::string format_siginfo(std::span<const uint64_t, SONDE_DIF_ARGS> args) {
  const auto signal = static_cast<int>(args[SONDE_ARG_SIGINFO_NUMBER]),
             code = static_cast<int>(args[SONDE_ARG_SIGINFO_CODE]),
             pid = static_cast<int>(args[SONDE_ARG_SIGINFO_SENDER]);
  const auto uid = static_cast<uint32_t>(args[SONDE_ARG_SIGINFO_UID_ERROR]),
             error = static_cast<uint32_t>(args[SONDE_ARG_SIGINFO_UID_ERROR] >> 32);
  const uint64_t value = args[SONDE_ARG_SIGINFO_VALUE], status_fd = args[SONDE_ARG_SIGINFO_STATUS_FD],
                 times_band = args[SONDE_ARG_SIGINFO_TIMES_BAND];
  const auto layout = sonde_siginfo_layout(signal, code);
  if (signal == 0) return "{}";
  Fields fields;
  fields.add("si_signo", format_signal(args[SONDE_ARG_SIGINFO_NUMBER])).add("si_code", signal_code(signal, code));
  if (error != 0) fields.add("si_errno", number(error));
  const bool has_sender = layout == SONDE_SIGINFO_KILL || layout == SONDE_SIGINFO_QUEUE;
  if (layout == SONDE_SIGINFO_CHILD || (has_sender && (code <= 0 || pid != 0 || uid != 0)))
    fields.add("si_pid", number(pid)).add("si_uid", number(uid));
  const bool has_value = layout == SONDE_SIGINFO_QUEUE && code != SI_TKILL && value != 0;
  if (has_value || layout == SONDE_SIGINFO_TIMER)
    fields.add("si_int", number(static_cast<int>(value))).add("si_ptr", pointer_text(value));
  switch (layout) {
    case SONDE_SIGINFO_CHILD:
      fields.add("si_status", code == CLD_EXITED ? number(static_cast<int>(status_fd)) : format_signal(status_fd));
      fields.add("si_utime", ticks(static_cast<uint32_t>(times_band))).add("si_stime", ticks(times_band >> 32));
      break;
    case SONDE_SIGINFO_FAULT:
      fields.add(signal == SIGSYS ? "si_call_addr" : "si_addr", pointer_text(args[SONDE_ARG_SIGINFO_ADDRESS]));
      break;
    case SONDE_SIGINFO_POLL:
      fields.add("si_band", number(static_cast<int64_t>(times_band))).add("si_fd", number(static_cast<int>(status_fd)));
      break;
    case SONDE_SIGINFO_KILL:
    case SONDE_SIGINFO_QUEUE:
    case SONDE_SIGINFO_TIMER: break;
  }
  return fields.close();
}

std::string format_end(uint64_t how, uint64_t status) {
  if (how == CLD_EXITED) return "exited with " + number(static_cast<int>(status));
  return "killed by " + format_signal(status) + (how == CLD_DUMPED ? " (core dumped)" : "");
}

std::string format_signals(std::string_view bytes) {
  uint64_t bits = 0;
  const size_t size = std::min(bytes.size(), sizeof bits);
  std::memcpy(&bits, bytes.data(), size);
  const auto signals = static_cast<unsigned>(8 * size);
  const bool inverted = std::popcount(bits) >= static_cast<int>(signals * 2 / 3);
  if (inverted) bits = ~bits;
  std::string text;
  for (unsigned signal = 1; signal <= signals; ++signal) {
    if ((bits >> (signal - 1) & 1) == 0) continue;
    text += (text.empty() ? "" : " ") + format_signal(signal).substr(3);
  }
  return (inverted ? "~[" : "[") + text + "]";
}

std::string format_address(std::string_view bytes) {
  if (bytes.size() < 2) return "";
  const auto family = read_as<uint16_t>(bytes);
  Fields fields;
  fields.add("sa_family", format_constant(Set::address_family, family));
  switch (family) {
    case AF_UNIX: return unix_address(bytes.substr(2), fields);
    case AF_INET: {
      const auto address = read_as<sockaddr_in>(bytes);
      char text[INET_ADDRSTRLEN] = "";
      inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
      fields.add("sin_port", "htons(" + number(ntohs(address.sin_port)) + ")");
      return fields.add("sin_addr", std::string("inet_addr(\"") + text + "\")").close();
    }
    case AF_INET6: {
      const auto address = read_as<sockaddr_in6>(bytes);
      fields.add("sin6_port", "htons(" + number(ntohs(address.sin6_port)) + ")");
      fields.add("sin6_flowinfo", "htonl(" + number(ntohl(address.sin6_flowinfo)) + ")");
      fields.word("inet_pton(AF_INET6, \"" + ipv6_text(address.sin6_addr) + "\", &sin6_addr)");
      return fields.add("sin6_scope_id", number(address.sin6_scope_id)).close();
    }
    case AF_NETLINK: {
      const auto address = read_as<sockaddr_nl>(bytes);
      char groups[16];
      std::snprintf(groups, sizeof groups, "%08x", address.nl_groups);
      return fields.add("nl_pid", number(address.nl_pid)).add("nl_groups", groups).close();
    }
    default: return fields.add("sa_data", quote(bytes.substr(2), false)).close();
  }
}

std::string format_bits(std::string_view words, uint64_t count) {
  std::string text;
  for (uint64_t bit = 0; bit < count && bit / 8 < words.size(); ++bit) {
    if ((static_cast<unsigned char>(words[bit / 8]) >> bit % 8 & 1) != 0)
      text += (text.empty() ? "" : " ") + number(bit);
  }
  return "[" + text + "]";
}

std::string format_time(int64_t seconds, int64_t rest, const char* rest_name) {
  return Fields().add("tv_sec", number(seconds)).add(rest_name, number(rest)).close();
}

std::string format_lock(std::string_view bytes, bool with_owner) {
  if (bytes.size() < sizeof(struct flock)) return "";
  const auto lock = read_as<struct flock>(bytes);
  Fields fields;
  fields.add("l_type", format_constant(Set::lock_type, static_cast<uint16_t>(lock.l_type)))
      .add("l_whence", format_constant(Set::whence, static_cast<uint16_t>(lock.l_whence)))
      .add("l_start", number(lock.l_start))
      .add("l_len", number(lock.l_len));
  if (with_owner) fields.add("l_pid", number(lock.l_pid));
  return fields.close();
}

std::string format_ready(std::string_view bytes) {
  std::string text;
  for (size_t at = 0; at + sizeof(pollfd) <= bytes.size(); at += sizeof(pollfd)) {
    const auto entry = read_as<pollfd>(bytes, at);
    if (entry.revents == 0) continue;
    text += (text.empty() ? "" : ", ") +
            Fields()
                .add("fd", number(entry.fd))
                .add("revents", format_constant(Set::poll_events, static_cast<uint16_t>(entry.revents)))
                .close();
  }
  return "[" + text + "]";
}

std::string format_control(std::string_view bytes, uint64_t length) {
  std::string text;
  bytes = bytes.substr(0, length);
  for (size_t at = 0; at + sizeof(cmsghdr) <= bytes.size();) {
    const auto header = read_as<cmsghdr>(bytes, at);
    if (header.cmsg_len < sizeof header) break;
    Fields fields;
    fields.add("cmsg_len", number(header.cmsg_len));
    fields.add("cmsg_level", format_constant(Set::socket_level, static_cast<uint32_t>(header.cmsg_level)));
    const bool known = header.cmsg_level == SOL_SOCKET;
    fields.add("cmsg_type", known ? format_constant(Set::control_type, static_cast<uint32_t>(header.cmsg_type))
                                  : hex_text(static_cast<uint32_t>(header.cmsg_type)));
    const std::string_view data = bytes.substr(at + sizeof header, header.cmsg_len - sizeof header);
    fields.add("cmsg_data", known && header.cmsg_type == SCM_RIGHTS ? ids_text(data) : quote(data, false));
    text += (text.empty() ? "" : ", ") + fields.close();
    at += CMSG_ALIGN(std::min<size_t>(header.cmsg_len, bytes.size()));
  }
  return "[" + text + "]";
}

std::string format_structure(Struct::Id id, std::string_view bytes, bool array) {
  const StructSize size = size_of(id);
  if (!array && bytes.size() < size.bytes) return "";
  switch (id) {
    case Struct::capability_header: {
      const auto header = read_as<__user_cap_header_struct>(bytes);
      const bool current = header.version == _LINUX_CAPABILITY_VERSION_3;
      return Fields()
          .add("version", current ? "_LINUX_CAPABILITY_VERSION_3" : hex_text(header.version))
          .add("pid", number(header.pid))
          .close();
    }
    case Struct::capability_data: return capability_text(bytes);
    case Struct::clone_args: return clone_args_text(read_as<clone_args>(bytes));
    case Struct::cpu_set: return format_bits(bytes, 8 * bytes.size());
    case Struct::dirents: return count_entries(bytes);
    case Struct::epoll_event:
      return array ? array_text<epoll_event>(bytes, epoll_event_text) : epoll_event_text(read_as<epoll_event>(bytes));
    case Struct::fd_pair:
    case Struct::id_at:
    case Struct::id_list:
    case Struct::int_at:
    case Struct::length_at: return ids_text(bytes);
    case Struct::iovec:
    case Struct::iovec_raw: return vector_text(bytes);
    case Struct::itimerspec: {
      const auto timer = read_as<itimerspec>(bytes);
      return Fields()
          .add("it_interval", timespec_text(timer.it_interval))
          .add("it_value", timespec_text(timer.it_value))
          .close();
    }
    case Struct::itimerval: {
      const auto timer = read_as<itimerval>(bytes);
      return Fields()
          .add("it_interval", timeval_text(timer.it_interval))
          .add("it_value", timeval_text(timer.it_value))
          .close();
    }
    case Struct::long_at: return "[" + number(read_as<int64_t>(bytes)) + "]";
    case Struct::open_how: return open_how_text(read_as<open_how>(bytes));
    case Struct::option_value: return bytes.size() == 4 ? ids_text(bytes) : quote(bytes, false);
    case Struct::pollfd: return array_text<pollfd>(bytes, pollfd_text);
    case Struct::rlimit: {
      const auto limit = read_as<rlimit>(bytes);
      return Fields().add("rlim_cur", limit_text(limit.rlim_cur)).add("rlim_max", limit_text(limit.rlim_max)).close();
    }
    case Struct::rusage: return rusage_text(read_as<struct rusage>(bytes));
    case Struct::sched_attr: return sched_attr_text(bytes);
    case Struct::sigaction: return sigaction_text(bytes);
    case Struct::sigevent: return sigevent_text(read_as<sigevent>(bytes));
    case Struct::siginfo: return siginfo_text(bytes);
    case Struct::sigset: return bytes.empty() ? "" : format_signals(bytes);
    case Struct::sockaddr: return format_address(bytes);
    case Struct::stack_t: {
      const auto stack = read_as<stack_t>(bytes);
      return Fields()
          .add("ss_sp", pointer_text(reinterpret_cast<uint64_t>(stack.ss_sp)))
          .add("ss_flags", format_constant(Set::signal_stack, static_cast<uint32_t>(stack.ss_flags)))
          .add("ss_size", number(stack.ss_size))
          .close();
    }
    case Struct::stat: return stat_text(read_as<struct stat>(bytes));
    case Struct::statfs: return statfs_text(read_as<struct statfs>(bytes));
    case Struct::statx: return statx_text(read_as<struct statx>(bytes));
    case Struct::sysinfo: return sysinfo_text(read_as<struct sysinfo>(bytes));
    case Struct::timespec:
    case Struct::timespec_rest: return timespec_text(read_as<timespec>(bytes));
    case Struct::timespec_pair:
      return "[" + file_time(read_as<timespec>(bytes)) + ", " + file_time(read_as<timespec>(bytes, sizeof(timespec))) +
             "]";
    case Struct::timeval: return timeval_text(read_as<timeval>(bytes));
    case Struct::timeval_pair:
      return "[" + timeval_text(read_as<timeval>(bytes)) + ", " +
             timeval_text(read_as<timeval>(bytes, sizeof(timeval))) + "]";
    case Struct::timezone: {
      const auto zone = read_as<struct timezone>(bytes);
      return Fields()
          .add("tz_minuteswest", number(zone.tz_minuteswest))
          .add("tz_dsttime", number(zone.tz_dsttime))
          .close();
    }
    case Struct::tms: {
      const auto times = read_as<tms>(bytes);
      return Fields()
          .add("tms_utime", number(times.tms_utime))
          .add("tms_stime", number(times.tms_stime))
          .add("tms_cutime", number(times.tms_cutime))
          .add("tms_cstime", number(times.tms_cstime))
          .close();
    }
    case Struct::utimbuf: {
      const auto times = read_as<utimbuf>(bytes);
      return Fields().add("actime", number(times.actime)).add("modtime", number(times.modtime)).close();
    }
    case Struct::utsname: return utsname_text(read_as<utsname>(bytes));
    case Struct::wait_status: return wait_status_text(read_as<int>(bytes));
  }
  return "";
}

}  // namespace sonde
