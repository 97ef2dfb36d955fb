// SPDX-License-Identifier: GPL-3.0-or-later
// The taps of the bpf source at instructions of programs, and at functions of the kernel
//
//   taps --> by kind and file --> form of each instruction --tried (runtime/bpf/trials.h)--> a link for all that are left
//                                       |                                                    |
//                                       wrong here: left out, and said                       stub --> program --> columns
//
// A link belongs to a file, so what is armed fires in every process that has the file mapped, now or later; the program
// asks whose thread it is. The kernel looks at an instruction when it puts the probe there, which it does only where the
// file is mapped; so while a link is made the file is mapped here, too: what the kernel refuses is known at once.
//
// Of functions of the kernel there are no files and no forms: all that are left are one link (runtime/bpf/kprobe.h).
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "runtime/abi/requests.h"
#include "runtime/bpf/trials.h"
#include "runtime/bpf/user_program.h"
#include "runtime/source/bpf_plan.h"

namespace sonde {

class UserProbes {
 public:
  /// What the session has, by id.
  struct Session {
    const std::map<uint32_t, LoadedPart>& programs;
    const std::map<uint32_t, Ecb>& ecbs;
  };

  explicit UserProbes(bpf::Trials& trials) : trials_(trials) {}

  /// Which of the processes fire; see UserProgram::origins.
  void set_origins(int map) { origins_ = map; }
  /// Adds these taps, and arms them. Those that cannot be are left out with a notice.
  /// Errors: EOPNOTSUPP none of them can be; those of the kernel.
  Result<void> arm(std::span<const Tap> taps, const Session& session, const bpf::World& world);
  /// None of them fires once the next rebuild() is done, and a program that runs then has ended.
  void disarm(std::span<const TapId> taps);
  /// ECBs have changed, or taps are gone.
  Result<void> rebuild(const Session& session, const bpf::World& world);
  /// Whether rebuild() has nothing to do.
  bool empty() const;
  /// How often the kernel has left a program out since the last call.
  uint64_t take_misses();
  /// A text for the user that waits; empty: none.
  std::string take_notice();

 private:
  /// Entries, returns, offsets, jumps back to a function's first instruction, which have no columns; of the kernel
  /// entries and returns.
  static constexpr size_t kKinds = 6, kJumps = 3, kKernelEntries = 4, kKernelReturns = 5;

  struct Row {
    size_t kind;
    uint32_t number;
    Tap tap;
    uint64_t link = 0;       ///< by number; 0: not armed
    std::string lacks = {};  ///< why what its fire parts read cannot be read there; empty: it can
  };
  struct Link {
    size_t kind = 0;
    std::vector<UniqueFd> fds;
    uint64_t misses = 0;  ///< that have been counted
    size_t taps = 0;
  };
  struct Kind {
    UniqueFd stub;      ///< is attached once; what it leads to changes
    UniqueFd programs;  ///< a map of one program
    UniqueFd table, places, program;
    bpf::UprobeLink how = bpf::UprobeLink::Many;
    uint32_t rows = 0;  ///< numbers that have been given
    uint64_t misses = 0;
  };
  class Lists;
  /// Taps of one kind in one file.
  using Group = std::vector<Row*>;

  static size_t kind_of(const Tap& tap);
  static bool of_kernel(size_t kind) { return kind == kKernelEntries || kind == kKernelReturns; }
  Result<void> begin(std::span<const Tap> taps);
  Result<void> begin_kind(size_t kind);
  Result<UniqueFd> load_program(size_t kind, const char* name, std::span<const bpf_insn> insns);
  Result<UniqueFd> attach(std::span<Row* const> group, const std::string& path);
  Result<UniqueFd> attach_one(const Row& row, const std::string& path);
  uint64_t cookie_of(const Row& row) const;
  void count_link(Link& link);
  Result<std::vector<Group>> add_rows(std::span<const Tap> taps);
  void clear(size_t kind);
  Result<void> rebuild_kind(size_t kind, const Session& session, const bpf::World& world);
  Result<void> load(size_t kind, std::span<const bpf::FirePart> columns, const bpf::World& world, bool judges);
  Result<void> arm_group(Group& group);
  Group without_wrong(const Group& group, const std::vector<bpf::UprobeForm>& forms);
  Result<void> link_all(const Group& group, const std::string& path);
  Result<void> link_each(const Group& group, const std::string& path);
  Result<void> link_half(std::span<Row* const> group, const std::string& path, Link& link);
  static bool is_refusal(size_t kind, int code);
  static const char* refusal_of(size_t kind);
  void leave_out(const Row& row, const std::string& why);
  void notice_left_out(size_t of);
  void drop(const std::vector<uint32_t>& taps);

  bpf::Trials& trials_;
  UniqueFd reentered_;
  int origins_ = -1;
  std::array<Kind, kKinds> kinds_;
  std::map<uint32_t, Row> rows_;    ///< by tap
  std::map<uint64_t, Link> links_;  ///< by number
  uint64_t last_link_ = 0, link_misses_ = 0;
  std::map<std::string, std::vector<std::string>> left_out_;  ///< by reason: places
  std::deque<std::string> notices_;
};

}  // namespace sonde
