// SPDX-License-Identifier: GPL-3.0-or-later
// What DIF can read of a stopped thread
#pragma once

#include <optional>

#include "kmod/shared/dif.h"
#include "runtime/guard/targets.h"

namespace sonde::guard {

/// What one firing reads of its thread; values that cost a read of /proc are read once.
struct FireContext {
  Thread& thread;
  Firing& firing;
  machine::Registers* regs;  ///< null: the thread has ended
  struct Status {
    uint64_t uid, euid, gid, egid, ppid, threads, vpid;
  };
  bool has_status = false;
  Status status{};
  std::optional<uint64_t> cgroup;
  int64_t cpu = -1;
  bool absent = false;    ///< something that was read is not there, or not yet
  bool may_wait = false;  ///< what is not there is noted in firing.lacking, and the program runs again when it has come
};

extern const sonde_dif_env kPtraceEnv;

/// Reads `length` bytes, or fails. Pages that were never touched are faulted in; the guard waits for them for a moment
/// (kGuardWaitsForPages), so firings and steps do not use it.
bool read_target(const Thread& thread, uint64_t address, void* to, size_t length);
bool write_target(const Thread& thread, uint64_t address, const void* from, size_t length);
/// The same, but fails if a page is not there.
bool read_present(const Thread& thread, uint64_t address, void* to, size_t length);
bool write_present(const Thread& thread, uint64_t address, const void* from, size_t length);
/// What a firing's program reads.
bool read_for(FireContext& context, uint64_t address, void* to, size_t length);
/// Like sonde_dif_env::read_text.
int read_target_text(const Thread& thread, uint64_t address, char* to, uint32_t max);
/// The user stack of a stopped thread, innermost first. The guard waits a moment for pages that are not there.
std::vector<uint64_t> stack_of(Thread& thread, machine::Registers& regs);
/// The thread's current name; 16 bytes with the NUL.
void read_execname(Thread& thread, char* to);
uint64_t cpu_of(FireContext& context);
/// How long the thread has run, ns, as far as the kernel has accounted for it: up to a few ms less than it has run.
uint64_t run_time_of(Thread& thread);
/// As proc_pid_stat(5) has it, which anybody may read: R it runs or waits only for a CPU, S it sleeps until something comes, D it
/// waits and no signal wakes it; 0: there is no such thread.
char state_of(Thread& thread);

}  // namespace sonde::guard
