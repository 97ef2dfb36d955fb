// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/library/library.h"

#include <array>
#include <string>

#include "compiler/parse/parser.h"
#include "compiler/passes/checker.h"
#include "compiler/source/prepare.h"

namespace sonde {
namespace {

// Members without a conversion are declared on purpose: naming one is an error that says so.
constexpr std::array kParts = std::to_array<LibraryPart>({
    {"procfs.d", " psinfo_t psinfo struct psinfo curpsinfo struct __process ", R"(
struct __process;
typedef struct psinfo {
  int pr_nlwp; pid_t pr_pid; pid_t pr_ppid; pid_t pr_pgid; pid_t pr_sid; uid_t pr_uid; uid_t pr_euid; gid_t pr_gid;
  gid_t pr_egid; uintptr_t pr_addr; size_t pr_size; size_t pr_rssize; dev_t pr_ttydev; char pr_fname[16]; char pr_psargs[80];
  int pr_wstat; int pr_argc; uintptr_t pr_argv; uintptr_t pr_envp; char pr_dmodel; taskid_t pr_taskid; projid_t pr_projid;
  int pr_nzomb; poolid_t pr_poolid; zoneid_t pr_zoneid; id_t pr_contract;
} psinfo_t;
translator psinfo_t < struct __process *P > {
  pr_nlwp = __nlwp; pr_pid = pid; pr_ppid = ppid; pr_pgid = __pgid; pr_sid = __sid; pr_uid = uid; pr_euid = __euid;
  pr_gid = gid; pr_egid = __egid; pr_fname = execname; pr_psargs = __psargs; pr_dmodel = 2; pr_taskid = 0; pr_projid = 0;
  pr_poolid = 0; pr_zoneid = 0; pr_contract = 0;
};
translator psinfo_t < pid_t P > { pr_pid = P; pr_dmodel = 2; pr_taskid = 0; pr_projid = 0; pr_poolid = 0; pr_zoneid = 0; pr_contract = 0; };
inline psinfo_t *curpsinfo = xlate <psinfo_t *> ((struct __process *)0);
)"},
    {"lwp.d", " lwpsinfo_t lwpsinfo struct lwpsinfo curlwpsinfo struct __thread ", R"(
struct __thread;
typedef struct lwpsinfo {
  int pr_flag; id_t pr_lwpid; uintptr_t pr_addr; uintptr_t pr_wchan; char pr_stype; char pr_state; char pr_sname; char pr_nice;
  int pr_syscall; char pr_oldpri; char pr_cpu; int pr_pri; char pr_clname[8]; char pr_name[16]; processorid_t pr_onpro;
  processorid_t pr_bindpro; psetid_t pr_bindpset; int pr_lgrp;
} lwpsinfo_t;
translator lwpsinfo_t < struct __thread *T > {
  pr_flag = 0; pr_lwpid = tid; pr_state = 6; pr_sname = 'O'; pr_syscall = __syscall; pr_name = execname; pr_onpro = cpu; pr_lgrp = 0;
};
translator lwpsinfo_t < id_t T > { pr_flag = 0; pr_lwpid = T; };
inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> ((struct __thread *)0);
)"},
    {"io.d", " fileinfo_t fileinfo struct fileinfo fds ", R"(
typedef struct fileinfo {
  string fi_name; string fi_dirname; string fi_pathname; loff_t fi_offset; string fi_fs; string fi_mount; int fi_oflags;
} fileinfo_t;
translator fileinfo_t < int F > {
  fi_name = basename(__fdpath[F]); fi_dirname = dirname(__fdpath[F]); fi_pathname = __fdpath[F]; fi_fs = __fdfs[F]; fi_mount = __fdmount[F];
};
inline fileinfo_t fds[int fd] = xlate <fileinfo_t> (fd);
)"},
    {"process.d", " cwd root zonename ", R"(
inline string cwd = __cwd;
inline string root = __root;
inline string zonename = "global";
)"},
    {"types.d", " boolean_t ", "typedef int boolean_t;\n"},
    {"net.d", " in6_addr_t struct in6_addr in6_addr in_addr struct in_addr ", R"(
struct in_addr { uint32_t s_addr; };
struct in6_addr { uint8_t s6_addr[16]; };
typedef struct in6_addr in6_addr_t;
)"},
    {"siginfo.d", " siginfo_t siginfo struct siginfo ", "struct siginfo;\ntypedef struct siginfo siginfo_t;\n"},
});

bool names(const LibraryPart& part, std::string_view name) {
  return !name.empty() && part.names.find(" " + std::string(name) + " ") != std::string_view::npos;
}

}  // namespace

std::span<const LibraryPart> library_parts() { return kParts; }

const LibraryPart* part_that_defines(std::string_view name) {
  for (const LibraryPart& part : kParts)
    if (names(part, name)) return &part;
  return nullptr;
}

bool library_defines_type(std::string_view name) {
  const LibraryPart* part = (name.ends_with("_t") && !name.starts_with("__")) ? part_that_defines(name) : nullptr;
  return part != nullptr;
}

void load_library_text(World& world, const LibraryPart& part) {
  SourceText source{SourceText::Kind::Script, std::string(part.file), std::string(part.text)};
  Diagnostics diagnostics;
  ParserQuestions questions{[&](std::string_view name) { return world.types.find(name) || library_defines_type(name); },
                            [](std::string_view) { return std::optional<std::string>(); }};
  auto tree = std::make_shared<SyntaxTree>(parse(source.text, true, questions, diagnostics));
  Unit unit;
  Checker checker(world, source, diagnostics);
  checker.library_ = true;
  checker.items(*tree, unit);
  for (const Diagnostic& one : diagnostics.list()) std::fprintf(stderr, "%s", render(one, source, true).c_str());
  SONDE_CHECK(!diagnostics.any());
  world.trees.push_back(tree);
}

void load_library_for(World& world, std::string_view name) {
  const LibraryPart* part = part_that_defines(name);
  if (part && world.libraries.insert(part->file).second) load_library_text(world, *part);
}

}  // namespace sonde
