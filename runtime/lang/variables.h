// SPDX-License-Identifier: GPL-3.0-or-later
// The built-in variables of D: one row each.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "kmod/shared/dif.h"
#include "runtime/lang/functions.h"

namespace sonde {

/// Where a built-in variable's value comes from.
enum class From : uint8_t {
  Argument,   ///< DIF ARG `which`
  Fire,       ///< DIF VAR `which`: captured into a word slot (and usable in the fire part)
  Text,       ///< DIF CAPTEXT `which`, operand 0: captured into a text slot
  TextOf,     ///< DIF CAPTEXT `which`, operand: the index; a hidden array such as __fdpath[n], __comm[pid]
  Header,     ///< the record's header: offset `which` in bytes; width by the type
  Body,       ///< the runtime's `uint64_t sonde_var_NAME(BodyContext *)`; `which`: 0, or kOfProbe
  Typed,      ///< args[]: the compiler lowers it to a cast of argN
  Derived,    ///< computed before the clause, by the probe's own expressions: DIF LDL; `which`: 0, or 1 + N of argN
  Registers,  ///< uregs[]: DIF REG
  Library,    ///< defined by a D library: an inline or translator (compiler/library/)
  Refused,    ///< known, but not supported: `doc` has the reason
};

inline constexpr bool kYields = true;  ///< names that other programs have used for variables of their own

/// Of a body's variable: it depends on the clause and the probe alone.
inline constexpr uint32_t kOfProbe = 1;

/// A function of ustack(frames) that computes a variable.
struct OfStack {
  std::string_view function;  ///< empty: there is none
  uint32_t frames = 0;
};

struct DVariable {
  std::string_view name;
  std::string_view type;  ///< in D
  From from;
  uint32_t which;
  std::string_view doc;
  bool of_kernel = false;  ///< as in DFunction
  OfStack of_stack = {};   ///< for a source that cannot walk a stack where the probe fires
  bool yields = false;     ///< to a program that declares or assigns the name: it keeps its own variable
};

/// Whether its value is an address that a call returns to.
constexpr bool is_return_address(const DVariable& variable) {
  return variable.from == From::Fire &&
         (variable.which == SONDE_DIF_VAR_UCALLER || variable.which == SONDE_DIF_VAR_CALLER);
}

#define SONDE_HEADER(field) static_cast<uint32_t>(offsetof(sonde_record, field))
inline constexpr std::array kVariables = std::to_array<DVariable>({
    {"__arg0", "int64_t", From::Derived, 1, "arg0 of a probe that its provider describes in D"},
    {"__arg1", "int64_t", From::Derived, 2, "arg1 of such a probe"},
    {"__arg2", "int64_t", From::Derived, 3, "arg2 of such a probe"},
    {"__arg3", "int64_t", From::Derived, 4, "arg3 of such a probe"},
    {"__arg4", "int64_t", From::Derived, 5, "arg4 of such a probe"},
    {"__arg5", "int64_t", From::Derived, 6, "arg5 of such a probe"},
    {"__argstr", "string", From::Text, SONDE_DIF_TEXT_SYSCALL_ARGS, "internal to argstr"},
    {"__bound_cpu", "int", From::Fire, SONDE_DIF_VAR_BOUND_CPU, "the only CPU on which the thread may run"},
    {"__cgroupid", "uint64_t", From::Fire, SONDE_DIF_VAR_CGROUPID, "internal to cgroup and container"},
    {"__comm", "string", From::TextOf, SONDE_DIF_TEXT_COMM, "name of a process"},
    {"__cwd", "string", From::Text, SONDE_DIF_TEXT_CWD, "working directory"},
    {"__derived", "uint64_t", From::Derived, 0, "what the provider says of the probe's arguments", kOfKernel},
    {"__egid", "gid_t", From::Fire, SONDE_DIF_VAR_EGID, "effective group id"},
    {"__euid", "uid_t", From::Fire, SONDE_DIF_VAR_EUID, "effective user id"},
    {"__exepath", "string", From::Text, SONDE_DIF_TEXT_EXEPATH, "path of the executable"},
    {"__fdflags", "string", From::TextOf, SONDE_DIF_TEXT_FDFLAGS, "O_* flags of a descriptor, in decimal"},
    {"__fdfs", "string", From::TextOf, SONDE_DIF_TEXT_FDFS, "file system type of a descriptor"},
    {"__fdmount", "string", From::TextOf, SONDE_DIF_TEXT_FDMOUNT, "mount point of a descriptor"},
    {"__fdpath", "string", From::TextOf, SONDE_DIF_TEXT_FDPATH, "path of a descriptor"},
    {"__fdpos", "string", From::TextOf, SONDE_DIF_TEXT_FDPOS, "offset of a descriptor, in decimal"},
    {"__nlwp", "int", From::Fire, SONDE_DIF_VAR_NLWP, "threads of the process"},
    {"__pgid", "pid_t", From::Fire, SONDE_DIF_VAR_PGID, "process group"},
    {"__policy", "int", From::Fire, SONDE_DIF_VAR_POLICY, "scheduling policy"},
    {"__priority", "int", From::Fire, SONDE_DIF_VAR_PRIORITY, "scheduling priority"},
    {"__probetext", "string", From::TextOf, SONDE_DIF_TEXT_PROBE_TEXT, "text argument of the probe"},
    {"__psargs", "string", From::Text, SONDE_DIF_TEXT_PSARGS, "arguments of the process"},
    {"__root", "string", From::Text, SONDE_DIF_TEXT_ROOT, "root directory"},
    {"__sid", "pid_t", From::Fire, SONDE_DIF_VAR_SID, "session"},
    {"__stack_start", "uintptr_t", From::Fire, SONDE_DIF_VAR_STACK_START, "address of argc"},
    {"__syscall", "int", From::Fire, SONDE_DIF_VAR_SYSCALL, "number of the current system call"},
    {"__tty", "dev_t", From::Fire, SONDE_DIF_VAR_TTY, "device of the controlling terminal"},
    {"arg0", "int64_t", From::Argument, 0, "first argument of the probe"},
    {"arg1", "int64_t", From::Argument, 1, "second argument"},
    {"arg2", "int64_t", From::Argument, 2, "third argument"},
    {"arg3", "int64_t", From::Argument, 3, "fourth argument"},
    {"arg4", "int64_t", From::Argument, 4, "fifth argument"},
    {"arg5", "int64_t", From::Argument, 5, "sixth argument"},
    {"arg6", "int64_t", From::Argument, 6, "seventh argument"},
    {"arg7", "int64_t", From::Argument, 7, "eighth argument"},
    {"arg8", "int64_t", From::Argument, 8, "ninth argument"},
    {"arg9", "int64_t", From::Argument, 9, "tenth argument"},
    {"args", "", From::Typed, 0, "arguments of the probe, with their types"},
    {"argstr", "string", From::Body, 0,
     "arguments of the system call, siginfo of the signal, or how the thread ended, as text"},
    {"caller", "uintptr_t", From::Fire, SONDE_DIF_VAR_CALLER,
     "return address of the current kernel function; 0 if this session cannot see the kernel"},
    {"cgroup", "string", From::Library, 0, "path of the cgroup; empty if it is not known", !kOfKernel, {}, kYields},
    {"cgroupid",
     "uint64_t",
     From::Fire,
     SONDE_DIF_VAR_CGROUPID,
     "id of the cgroup in the v2 hierarchy; 0: none",
     !kOfKernel,
     {},
     kYields},
    {"chip", "chipid_t", From::Library, 0, "processor package of the CPU"},
    {"container",
     "string",
     From::Library,
     0,
     "short name of the container; empty outside of one",
     !kOfKernel,
     {},
     kYields},
    {"cpu", "int", From::Fire, SONDE_DIF_VAR_CPU, "CPU on which the thread runs"},
    {"curcpu", "cpuinfo_t *", From::Library, 0, "information about the CPU"},
    {"curlwpsinfo", "lwpsinfo_t *", From::Library, 0, "information about the thread"},
    {"curpsinfo", "psinfo_t *", From::Library, 0, "information about the process"},
    {"curthread", "struct task_struct *", From::Fire, SONDE_DIF_VAR_CURTHREAD, "the kernel's structure of the thread",
     kOfKernel},
    {"cwd", "string", From::Library, 0, "working directory"},
    {"epid", "uint64_t", From::Body, kOfProbe, "number of the enabled clause"},
    {"errno", "int", From::Fire, SONDE_DIF_VAR_ERRNO, "error of the system call, at its return; 0: none"},
    {"errnoname", "string", From::Library, 0, "the name of errno, as ENOENT; empty if there was no error"},
    {"execname", "string", From::Text, SONDE_DIF_TEXT_EXECNAME, "name of the program"},
    {"fds", "fileinfo_t", From::Library, 0, "file descriptors of the process"},
    {"gid", "gid_t", From::Fire, SONDE_DIF_VAR_GID, "real group id"},
    {"id", "uint_t", From::Header, SONDE_HEADER(probe), "id of the probe"},
    {"ipl", "uint_t", From::Library, 0, "interrupt level: always 0, because no probe fires in an interrupt"},
    {"lgrp", "lgrp_id_t", From::Library, 0, "memory node of the CPU"},
    {"pid", "pid_t", From::Header, SONDE_HEADER(pid), "process id"},
    {"pidns",
     "uint64_t",
     From::Fire,
     SONDE_DIF_VAR_PIDNS,
     "inode of the process's pid namespace",
     !kOfKernel,
     {},
     kYields},
    {"ppid", "pid_t", From::Fire, SONDE_DIF_VAR_PPID, "process id of the parent"},
    {"probefunc", "string", From::Body, kOfProbe, "third field of the probe"},
    {"probemod", "string", From::Body, kOfProbe, "second field of the probe"},
    {"probename", "string", From::Body, kOfProbe, "fourth field of the probe"},
    {"probeprov", "string", From::Body, kOfProbe, "first field of the probe"},
    {"pset", "psetid_t", From::Library, 0, "processor set: always 0, the only one"},
    {"retstr", "string", From::Body, 0, "result of the system call as text"},
    {"root", "string", From::Library, 0, "root directory"},
    {"stackdepth", "uint32_t", From::Fire, SONDE_DIF_VAR_STACKDEPTH,
     "number of frames of the kernel stack; 0 if this session cannot see the kernel"},
    {"tid", "id_t", From::Header, SONDE_HEADER(tid), "thread id"},
    {"timestamp", "uint64_t", From::Header, SONDE_HEADER(timestamp),
     "time in nanoseconds since a fixed point in the past"},
    {"ucaller",
     "uint64_t",
     From::Fire,
     SONDE_DIF_VAR_UCALLER,
     "return address of the current user function",
     false,
     {"__ucaller", 2}},
    {"uid", "uid_t", From::Fire, SONDE_DIF_VAR_UID, "real user id"},
    {"uregs", "uint64_t", From::Registers, 0, "registers of the thread, by number"},
    {"ustackdepth",
     "uint32_t",
     From::Fire,
     SONDE_DIF_VAR_USTACKDEPTH,
     "number of frames of the user stack",
     false,
     {"__ustackdepth", SONDE_DIF_MAX_FRAMES}},
    {"vpid",
     "pid_t",
     From::Fire,
     SONDE_DIF_VAR_VPID,
     "process id in the process's own pid namespace",
     !kOfKernel,
     {},
     kYields},
    {"vtimestamp", "uint64_t", From::Fire, SONDE_DIF_VAR_VTIMESTAMP, "processor time of the thread in nanoseconds"},
    {"walltimestamp", "int64_t", From::Body, 0, "time in nanoseconds since 1970"},
    {"zonename", "string", From::Library, 0, "always \"global\": Linux has no zones"},
});
#undef SONDE_HEADER
static_assert(std::ranges::is_sorted(kVariables, {}, &DVariable::name));

/// A USDT probe has arg0 ... arg11. The last two have no rows: no other probe has them.
inline constexpr uint32_t kMostArguments = 12;

/// The row of a name, or null.
constexpr const DVariable* find_variable(std::string_view name) {
  auto at = std::ranges::lower_bound(kVariables, name, {}, &DVariable::name);
  return at != kVariables.end() && at->name == name ? &*at : nullptr;
}

/// arg0 ... arg9 of a probe that fires in the kernel: pointers among them lead into its memory.
inline constexpr auto kKernelArguments = [] {
  std::array<DVariable, SONDE_DIF_ARGS> rows{};
  const auto first = std::ranges::lower_bound(kVariables, "arg0", {}, &DVariable::name);
  std::ranges::copy_n(first, SONDE_DIF_ARGS, rows.begin());
  for (DVariable& row : rows) row.of_kernel = kOfKernel;
  return rows;
}();

/// The row of argument `n` of a probe; null: there is none.
constexpr const DVariable* find_argument(int n, bool of_kernel) {
  if (n < 0 || n >= static_cast<int>(SONDE_DIF_ARGS)) return nullptr;
  return of_kernel ? &kKernelArguments[static_cast<size_t>(n)]
                   : &*(std::ranges::lower_bound(kVariables, "arg0", {}, &DVariable::name) + n);
}

}  // namespace sonde
