// SPDX-License-Identifier: GPL-3.0-or-later
// What event sources can do, and which source can do what
//
//   kSourceRows   name, capabilities --- can this one? ---> guard, framework, providers, compiler
//                                    --- which can? ------> their messages, the choices of -x source=
//
// Plain data in the lowest layer, so that any code that needs something the current source lacks can name the source
// that has it. Only this folder contains a source's name (tests/checks/source_names.py). An opened source may have less
// than its row: see EventSource::capabilities(). registry.h knows how each is opened.
#pragma once

#include <sys/syscall.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "kmod/shared/abi.h"
#include "kmod/shared/fold.h"  // IWYU pragma: export

namespace sonde {

/// A set of values of a C enum that begins at 0 and has at most 64.
template <typename Enum>
class EnumSet {
 public:
  constexpr EnumSet() = default;
  constexpr EnumSet(std::initializer_list<Enum> members) {
    for (Enum member : members) bits_ |= bit(member);
  }
  /// All values below `count`, the end of the enum, except `missing`.
  static constexpr EnumSet all_but(Enum count, std::initializer_list<Enum> missing) {
    EnumSet set;
    set.bits_ = (bit(count) - 1) & ~EnumSet(missing).bits_;
    return set;
  }
  constexpr bool contains(Enum member) const { return (bits_ & bit(member)) != 0; }
  /// Bit n: member n.
  constexpr uint64_t bits() const { return bits_; }
  constexpr void erase(Enum member) { bits_ &= ~bit(member); }

 private:
  static constexpr uint64_t bit(Enum member) { return uint64_t{1} << member; }
  uint64_t bits_ = 0;
};

/// What is traced: named processes, or every task of the machine.
enum class SourceScope : uint8_t { Targets, Machine };

struct SourceCapabilities {
  using Calls = std::span<const uint32_t>;

  SourceScope scope = SourceScope::Targets;
  EnumSet<sonde_tap_kind> taps;
  /// By tap kind, the system calls that show the tap's events, so a seccomp filter must stop them. A tap of kind
  /// SYSCALL_* names its own call.
  std::array<Calls, SONDE_TAP_KIND_COUNT> calls_behind{};
  EnumSet<sonde_dif_text> texts;  ///< that programs may capture
  EnumSet<sonde_dif_variable> variables =
      EnumSet<sonde_dif_variable>::all_but(SONDE_DIF_VAR_COUNT, {});  ///< that they may read
  EnumSet<sonde_policy> policies;
  bool controls = false;  ///< it can start programs and attach to processes: EventSource::targets()
  bool holds = false;     ///< the thread of a held ECB waits until it is released
  /// It sends signals where the probe fires (FireProgram::signals), so that no thread need wait for that.
  bool signals = false;
  bool kernel =
      false;  ///< it can run programs that read the kernel (sonde_needs::kernel), though perhaps not for every user
  bool compat_calls = false;   ///< sees the calls of 32-bit code (kCompatCalls of runtime/process/syscall_table.h)
  bool unnamed_calls = false;  ///< sees system calls whose number has no name (SONDE_UNNAMED_CALLS)
  /// It can put user taps in memory that no file backs: the vdso, as the path "[vdso]", and SONDE_PATH_CODE.
  bool memory_taps = false;
  uint32_t counters = 1;  ///< of a user tap, that it can raise
  bool injects = false;   ///< a held thread's system call may be given a result instead of being made: Release::result
};

struct SourceRow {
  std::string_view name;
  SourceCapabilities can;
};

inline constexpr uint32_t kExecCalls[] = {SYS_execve, SYS_execveat};
inline constexpr uint32_t kSendCalls[] = {
    SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_send_signal};

constexpr std::array<SourceCapabilities::Calls, SONDE_TAP_KIND_COUNT> calls_that_ptrace_stops() {
  std::array<SourceCapabilities::Calls, SONDE_TAP_KIND_COUNT> calls{};
  calls[SONDE_TAP_EXEC] = calls[SONDE_TAP_EXEC_FAILURE] = kExecCalls;
  calls[SONDE_TAP_SIGNAL_SEND] = kSendCalls;
  return calls;
}

inline constexpr SourceRow kKmodRow = {
    "kmod",
    {.scope = SourceScope::Machine,
     .taps = EnumSet<sonde_tap_kind>::all_but(SONDE_TAP_KIND_COUNT, {SONDE_TAP_COUNTER}),
     .texts = EnumSet<sonde_dif_text>::all_but(
         SONDE_DIF_TEXT_COUNT, {SONDE_DIF_TEXT_SYSCALL_ARGS, SONDE_DIF_TEXT_STRINGS, SONDE_DIF_TEXT_POINTERS}),
     .policies = EnumSet<sonde_policy>::all_but(SONDE_POLICY_COUNT, {}),
     .controls = true,
     .holds = true,
     .kernel = true,
     .compat_calls = true}};

/// Its profile taps measure only the time that targets use.
inline constexpr SourceRow kPtraceRow = {
    "ptrace",
    {.scope = SourceScope::Targets,
     .taps = EnumSet<sonde_tap_kind>::all_but(
         SONDE_TAP_KIND_COUNT,
         {SONDE_TAP_TICK, SONDE_TAP_KERNEL_ENTRY, SONDE_TAP_KERNEL_RETURN, SONDE_TAP_TRACEPOINT, SONDE_TAP_COUNTER}),
     .calls_behind = calls_that_ptrace_stops(),
     .texts = EnumSet<sonde_dif_text>::all_but(SONDE_DIF_TEXT_COUNT, {SONDE_DIF_TEXT_SYSCALL_ARGS}),
     .policies = {SONDE_POLICY_SWITCH},
     .controls = true,
     .holds = true,
     .compat_calls = true,
     .unnamed_calls = true,
     .memory_taps = true,
     .counters = SONDE_COUNTERS_MAX,
     .injects = true}};

/// Programs of a stock kernel. Nothing waits for it, so memory that is not present is not read.
inline constexpr SourceRow kBpfRow = {
    "bpf",
    {.scope = SourceScope::Machine,
     .taps = {SONDE_TAP_SYSCALL_ENTRY,  SONDE_TAP_SYSCALL_RETURN, SONDE_TAP_PROFILE,      SONDE_TAP_USER_ENTRY,
              SONDE_TAP_USER_RETURN,    SONDE_TAP_USER_OFFSET,    SONDE_TAP_CREATE,       SONDE_TAP_START,
              SONDE_TAP_LWP_CREATE,     SONDE_TAP_LWP_START,      SONDE_TAP_EXEC,         SONDE_TAP_EXEC_SUCCESS,
              SONDE_TAP_EXEC_FAILURE,   SONDE_TAP_EXIT,           SONDE_TAP_LWP_EXIT,     SONDE_TAP_SIGNAL_SEND,
              SONDE_TAP_SIGNAL_DELIVER, SONDE_TAP_SIGNAL_DISCARD, SONDE_TAP_KERNEL_ENTRY, SONDE_TAP_KERNEL_RETURN,
              SONDE_TAP_TRACEPOINT,     SONDE_TAP_COUNTER},
     .texts = {SONDE_DIF_TEXT_EXECNAME, SONDE_DIF_TEXT_PSARGS, SONDE_DIF_TEXT_CWD, SONDE_DIF_TEXT_ROOT,
               SONDE_DIF_TEXT_EXEPATH, SONDE_DIF_TEXT_FDPATH, SONDE_DIF_TEXT_FDFS, SONDE_DIF_TEXT_FDMOUNT,
               SONDE_DIF_TEXT_FDPOS, SONDE_DIF_TEXT_FDFLAGS, SONDE_DIF_TEXT_PROBE_TEXT, SONDE_DIF_TEXT_COMM},
     .variables = EnumSet<sonde_dif_variable>::all_but(
         SONDE_DIF_VAR_COUNT, {SONDE_DIF_VAR_UCALLER, SONDE_DIF_VAR_USTACKDEPTH}),  // made of ustack()
     .policies = {SONDE_POLICY_SWITCH},
     .controls = true,
     .signals = true,
     .kernel = true}};

/// Best first: the order in which `auto` tries them.
inline constexpr std::array kSourceRows = {kKmodRow, kBpfRow, kPtraceRow};
inline constexpr std::string_view kAutoSource = "auto";

/// Used while there is no source: it refuses nothing but access to the kernel.
inline constexpr SourceCapabilities kNoSource = {.taps = EnumSet<sonde_tap_kind>::all_but(SONDE_TAP_KIND_COUNT, {}),
                                                 .texts = EnumSet<sonde_dif_text>::all_but(SONDE_DIF_TEXT_COUNT, {}),
                                                 .policies = EnumSet<sonde_policy>::all_but(SONDE_POLICY_COUNT, {}),
                                                 .controls = true,
                                                 .holds = true,
                                                 .compat_calls = true,
                                                 .unnamed_calls = true,
                                                 .memory_taps = true,
                                                 .counters = SONDE_COUNTERS_MAX};

/// The names of the sources for which `can(capabilities)` is true, for a message: "kmod", "kmod or ptrace".
template <typename Can>
std::string sources_with(Can can) {
  std::string names, last;
  for (const SourceRow& row : kSourceRows) {
    if (!can(row.can)) continue;
    if (!last.empty()) names += (names.empty() ? "" : ", ") + last;
    last = row.name;
  }
  return names.empty() ? last : names + " or " + last;
}

}  // namespace sonde
