// SPDX-License-Identifier: GPL-3.0-or-later
// What is armed, by what fires it; and the programs and ECBs that then run
#pragma once

#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "kmod/shared/abi.h"
#include "runtime/guard/protocol.h"
#include "runtime/utrace/utrace.h"

namespace sonde::guard {

inline constexpr uint32_t kCallsMax = 512;

/// What ptrace shows: of time, what the targets do with it only.
constexpr bool shows(sonde_tap_kind kind) { return kind != SONDE_TAP_TICK; }

/// The system calls that taps of this kind are seen by; those of SYSCALL_* name their own.
std::span<const uint32_t> calls_behind(sonde_tap_kind kind);

struct ArmedTap {
  Tap tap;
  uint64_t inode = 0;  ///< of the file of a user tap
  uint32_t major = 0, minor = 0;

  bool user() const {
    return tap.kind == SONDE_TAP_USER_ENTRY || tap.kind == SONDE_TAP_USER_RETURN || tap.kind == SONDE_TAP_USER_OFFSET;
  }
  /// Where the breakpoint is: a return is found from its function's entry.
  uint64_t site_offset() const { return tap.kind == SONDE_TAP_USER_RETURN ? tap.function : tap.offset; }
  bool covers(pid_t pid) const { return tap.pid == 0 || tap.pid == static_cast<uint32_t>(pid); }
};

class TapTable {
 public:
  /// Whether it can be armed at all; fills in what the file says. Errors: EOPNOTSUPP, EINVAL, EEXIST, those of stat(2).
  Result<void> check(ArmedTap& tap) const;
  ArmedTap& add(std::unique_ptr<ArmedTap> tap);
  ArmedTap* find(uint32_t id);
  void remove(uint32_t id);
  std::vector<uint32_t> ids() const;

  const std::vector<ArmedTap*>& entries(uint32_t number) const { return entries_[number]; }
  const std::vector<ArmedTap*>& returns(uint32_t number) const { return returns_[number]; }
  const std::vector<ArmedTap*>& of(sonde_tap_kind kind) const { return kinds_[kind]; }
  bool any(sonde_tap_kind kind) const { return !kinds_[kind].empty(); }
  bool any_user() const {
    return any(SONDE_TAP_USER_ENTRY) || any(SONDE_TAP_USER_RETURN) || any(SONDE_TAP_USER_OFFSET);
  }
  std::vector<ArmedTap*> user_taps() const;

  /// What an engine must see for all this.
  uint32_t events() const;
  utrace_syscall_set entry_set() const;
  utrace_syscall_set return_set() const;

 private:
  std::unordered_map<uint32_t, std::unique_ptr<ArmedTap>> taps_;
  std::array<std::vector<ArmedTap*>, SONDE_TAP_KIND_COUNT> kinds_;
  std::array<std::vector<ArmedTap*>, kCallsMax> entries_, returns_;
};

struct LoadedProgram {
  OwnedProgram code;
  bool wants_name = false;             ///< reads execname
  bool wants_stack_arguments = false;  ///< reads arg6 or later
  bool wants_cpu = false;
};

struct ArmedEcb {
  uint32_t probe;
  bool held;
  std::shared_ptr<const LoadedProgram> program;
};

class EcbTable {
 public:
  /// Errors: EINVAL with the verifier's words, EEXIST, EOPNOTSUPP.
  Result<void> load(uint32_t id, OwnedProgram program);
  /// All or none. Errors: EINVAL, ENOENT no such program, EEXIST.
  Result<void> add(const std::vector<sonde_ecb>& ecbs);
  Result<void> remove(const std::vector<uint32_t>& epids);
  void clear();

  using Ecbs = std::map<uint32_t, ArmedEcb>;  // by epid
  /// Null: the probe has none.
  const Ecbs* of(uint32_t probe) const;

 private:
  std::unordered_map<uint32_t, std::shared_ptr<const LoadedProgram>> programs_;
  std::unordered_map<uint32_t, Ecbs> by_probe_;
  std::unordered_map<uint32_t, uint32_t> probe_of_;
};

}  // namespace sonde::guard
