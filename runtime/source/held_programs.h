// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that this process starts and holds until they may go
//
// For a source whose other end starts none. A program is our child; ptrace holds it behind its exec (the return of the
// exec included) until let_go(), and is not used any more after that. Should this process die meanwhile, the kernel lets
// the program go.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>

#include "runtime/source/event_source.h"
#include "runtime/source/registry.h"
#include "runtime/utrace/program_child.h"

namespace sonde {

class HeldPrograms {
 public:
  /// Before this process changes what it does with signals.
  explicit HeldPrograms(const SourceOptions& options) : options_(options) {}
  /// Lets all go.
  ~HeldPrograms();
  HeldPrograms(const HeldPrograms&) = delete;
  HeldPrograms& operator=(const HeldPrograms&) = delete;

  /// Starts a program and holds it. `adopt` says whether it may stay: when not, it is killed.
  Result<uint32_t> spawn(const SpawnRequest& request, const std::function<Result<void>(uint32_t)>& adopt);
  /// Runs a held program until its dynamic linker is done. Errors: ESRCH.
  Result<void> run_to_entry(uint32_t pid);
  /// Runs it until the libraries that it starts with are mapped, before their constructors. Errors: ESRCH.
  Result<void> run_to_constructors(uint32_t pid);
  void let_go(uint32_t pid);
  void let_all_go();
  /// One of ours is about to end, or has: takes its status off the kernel's hands.
  void reap(uint32_t pid);

 private:
  enum class State { Held, Going };

  Result<void> hold_after_exec(const ProgramChild& child, bool before_return);
  Result<pid_t> held(uint32_t pid) const;
  Result<void> run_to(pid_t pid, uint64_t address);
  Result<void> step(pid_t pid);
  bool run_on(int request, pid_t pid, int signal, int& status);

  SourceOptions options_;
  GivenSignals signals_;
  std::map<pid_t, State> children_;
};

}  // namespace sonde
