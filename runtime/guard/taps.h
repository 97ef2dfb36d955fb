// SPDX-License-Identifier: GPL-3.0-or-later
// The armed taps, found by what fires them; and the programs and ECBs that run then
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kmod/shared/abi.h"
#include "runtime/abi/protocol.h"
#include "runtime/base/few.h"
#include "runtime/base/unique_fd.h"
#include "runtime/guard/address_space.h"
#include "runtime/process/proc_maps.h"
#include "runtime/process/rseq.h"
#include "runtime/process/syscall_table.h"
#include "runtime/source/capabilities.h"
#include "runtime/utrace/utrace.h"

namespace sonde::guard {

static_assert(kCompatCalls == kUtraceCompatCalls && kUnnamedCall == SONDE_UNNAMED_CALLS);
static_assert(kUnnamedCall == utrace_syscall_set::kFar);

/// What the guard can do.
inline constexpr const SourceCapabilities& kCan = kPtraceRow.can;

struct ArmedTap;
struct Process;

/// A file with user taps in it. Its path may lead to another file later, whose code is at other offsets: a breakpoint of
/// this one would break an instruction there. So it is known by its numbers, and by its path only where it has none.
struct TappedFile {
  std::string path;
  FileId number = {};  ///< as stat() has it; none: memory that no file backs
  FileId shown = {};   ///< as /proc/PID/maps has it; none: nobody may read the file
  UniqueFd held = {};  ///< the file: while it is open, no other one gets its number; none where descriptors are few
  std::vector<ArmedTap*> taps = {};
  std::map<const ArmedTap*, std::vector<uint64_t>> counters = {};  ///< of the taps that have some: offsets in the file
  bool served = false;                                             ///< to look at it may take for ever
  std::optional<std::vector<CodeRange>> sequences = {};  ///< its restartable sequences, once somebody has asked

  /// Whether a breakpoint at `offset` would be in a restartable sequence.
  bool restarts_at(uint64_t offset);

  bool is(const Mapping& mapping) const {
    const FileId mapped{mapping.major, mapping.minor, mapping.inode};
    if (shown.inode != 0) return shown == mapped;
    return (number.inode != 0 && number == mapped) || path == mapping.path;
  }
};

/// An armed tap. There may be a million: what is common to the taps of a file is in TappedFile.
struct ArmedTap {
  uint32_t id, probe;
  uint32_t pid;       ///< 0: every process; with `forks`, those that have it as their origin
  uint32_t number;    ///< of a system call; in SONDE_PATH_CODE: the number of bytes that `sum` covers
  TappedFile* file;   ///< of a user tap
  uint64_t offset;    ///< in the file; a timer's period; the number that an unnamed call gives, 0: any
  uint64_t function;  ///< the entry's offset in the file
  sonde_leave leave;
  sonde_tap_kind kind;
  uint32_t sum;
  uint32_t forks : 1;                                            ///< SONDE_TAP_FORKS
  uint32_t nop : 1;                                              ///< SONDE_TAP_NOP
  uint32_t place : 30;                                           ///< index in its file's list, or its kind's
  std::shared_ptr<const std::vector<sonde_location>> locations;  ///< of the arguments; null: none

  bool user() const { return is_user_tap(kind); }
  /// Whether it fires in that process.
  bool covers(const Process& process) const;
};

/// The numbers by which targets make a call, as in utrace_syscall_set: that of 64-bit code, that of 32-bit code. Of
/// kUnnamedCall: all numbers without a name.
std::vector<uint32_t> numbers_of_call(uint32_t call);
/// The call with such a number, as in utrace_call; kUnnamedCall: it has no name, or is not known.
inline uint32_t call_of_number(int64_t number) {
  if (number < 0) return kUnnamedCall;
  const uint32_t given = utrace_given_number(number);
  return utrace_is_compat(number) ? syscall_of_compat(given) : syscall_of_native(given);
}
/// Of the taps of kUnnamedCall, those that fire at this number: those that give it, else those that give none.
std::vector<ArmedTap*> taps_of_number(const std::vector<ArmedTap*>& taps, uint32_t number);

class TapTable {
 public:
  /// `before`: a tap that was added just now, whose file this one has if it has its path; or null.
  /// Errors, when it cannot be armed at all: EOPNOTSUPP, EINVAL, EEXIST, those of stat(2) of its file.
  Result<ArmedTap*> add(const Tap& tap, const ArmedTap* before = nullptr);
  ArmedTap* find(uint32_t id);
  void remove(uint32_t id);
  std::vector<uint32_t> ids() const;

  /// Both kinds of code share the taps of a call, though each has its own number for it.
  const std::vector<ArmedTap*>& entries(uint32_t number) const { return entries_[number]; }
  const std::vector<ArmedTap*>& returns(uint32_t number) const { return returns_[number]; }
  const std::vector<ArmedTap*>& of(sonde_tap_kind kind) const { return kinds_[kind]; }
  bool any(sonde_tap_kind kind) const { return !kinds_[kind].empty(); }
  /// Files with user taps in them.
  const auto& files() const { return files_; }
  /// Whether some user tap covers the process.
  bool any_user(const Process& process) const;
  /// Whether some tap has counters.
  bool any_counter() const;

  /// The events that an engine must get for all taps.
  uint32_t events() const;
  utrace_syscall_set entry_set() const;
  utrace_syscall_set return_set() const;

 private:
  Result<void> check(const Tap& tap) const;
  Result<TappedFile*> file_of(const Tap& tap);

  std::unordered_map<uint32_t, ArmedTap> taps_;  // by id
  std::map<std::pair<std::string, FileId>, std::unique_ptr<TappedFile>> files_;
  std::map<std::pair<uint32_t, bool>, size_t> user_taps_;  // how many user taps, by pid and `forks`
  std::array<std::vector<ArmedTap*>, SONDE_TAP_KIND_COUNT> kinds_;
  std::array<std::vector<ArmedTap*>, kUnnamedCall + 1> entries_, returns_;
};

struct LoadedProgram {
  OwnedProgram code;
  sonde_needs needs{};
};

struct ArmedEcb {
  const LoadedProgram* program;
  uint32_t epid;
  bool held;

  const sonde_dif_program& view() const { return program->code.view; }
};

class EcbTable {
 public:
  /// Errors: EINVAL with the verifier's text, EEXIST, EOPNOTSUPP.
  Result<void> load(uint32_t id, OwnedProgram program);
  /// All or none. Errors: EINVAL, ENOENT no such program, EEXIST.
  Result<void> add(const std::vector<sonde_ecb>& ecbs);
  Result<void> remove(const std::vector<uint32_t>& epids);

  using Ecbs = Few<ArmedEcb>;  // by rising epid
  /// Null: the probe has none.
  const Ecbs* of(uint32_t probe) const;
  /// Whether some program that was loaded reads the stack.
  bool walks_stacks() const { return walks_stacks_; }

 private:
  std::unordered_map<uint32_t, LoadedProgram> programs_;
  std::unordered_map<uint32_t, Ecbs> by_probe_;
  std::unordered_map<uint32_t, uint32_t> probe_of_;
  bool walks_stacks_ = false;
};

}  // namespace sonde::guard
