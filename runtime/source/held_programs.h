// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that this process starts and holds until they may run
//
// For a source whose other end starts no programs. A program is our child. ptrace holds it behind its exec (after the
// exec has returned) until let_go(), and is not used after that. Should this process die before, the kernel detaches
// the program and it runs.
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
  /// Construct it before this process changes its signal handling.
  explicit HeldPrograms(const SourceOptions& options) : options_(options) {}
  /// Lets all programs go.
  ~HeldPrograms();
  HeldPrograms(const HeldPrograms&) = delete;
  HeldPrograms& operator=(const HeldPrograms&) = delete;

  /// Starts a program and holds it. `adopt` decides whether it may live: on an error it is killed.
  Result<uint32_t> spawn(const SpawnRequest& request, const std::function<Result<void>(uint32_t)>& adopt);
  /// Runs a held program until its dynamic linker has finished. Errors: ESRCH.
  Result<void> run_to_entry(uint32_t pid);
  /// Runs it until the libraries that it starts with are mapped, before any of their constructors. Errors: ESRCH.
  Result<void> run_to_constructors(uint32_t pid);
  void let_go(uint32_t pid);
  void let_all_go();
  /// For a child that is about to end, or has: reaps it.
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
