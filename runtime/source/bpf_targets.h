// SPDX-License-Identifier: GPL-3.0-or-later
// The targets of the bpf source: programs that it starts, and processes that it is told of
//
// Nobody is stopped but a program of -c, which ptrace holds behind its exec until go(). A target and what it forks are
// members of a family (runtime/bpf/family.h) that programs in the kernel keep; the probes ask it. A target's end is seen
// by its pidfd.
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "runtime/bpf/family.h"
#include "runtime/source/event_source.h"
#include "runtime/source/held_programs.h"

namespace sonde {

class BpfTargets final : public TargetControl {
 public:
  /// Construct it before this process changes its signal handling.
  explicit BpfTargets(const SourceOptions& options) : programs_(options) {}

  Result<void> begin_spawn(const SpawnRequest& request) override;
  Result<uint32_t> spawned() override;
  Result<void> attach(uint32_t pid) override;
  Result<void> run_to_entry(uint32_t pid) override { return programs_.run_to_entry(pid); }
  Result<void> run_to_constructors(uint32_t pid) override { return programs_.run_to_constructors(pid); }
  Result<void> go() override;
  Result<void> detach(uint32_t pid) override;
  Result<uint64_t> detach_all() override;

  /// Where pidfds are waited for: an epoll.
  Result<void> report_to(int epoll);
  /// The map of the family; -1: there is no target.
  int origins() const { return family_ ? family_->map() : -1; }
  std::optional<SourceEvent> next_event();

 private:
  Result<void> begin();
  Result<void> watch(uint32_t pid);
  std::optional<SourceEvent> note_end(uint32_t pid);

  HeldPrograms programs_;
  std::deque<uint32_t> spawned_;
  std::optional<bpf::KernelLayout> layout_;
  std::optional<bpf::Family> family_;
  std::map<uint32_t, UniqueFd> living_;  ///< targets, with their pidfds
  UniqueFd descendants_;                 ///< a timer, while only they live
  bool going_ = false, told_all_gone_ = false;
  int epoll_ = -1;
};

}  // namespace sonde
