// SPDX-License-Identifier: GPL-3.0-or-later
// What DIF sees of a stopped thread
#pragma once

#include "kmod/shared/dif.h"
#include "runtime/guard/targets.h"

namespace sonde::guard {

/// One firing's view of its thread; what costs a look into /proc is looked up once.
struct FireContext {
  Thread& thread;
  Firing& firing;
  machine::Registers* regs;  ///< null: the thread has ended
  struct Status {
    uint64_t uid, euid, gid, egid, ppid, threads;
  };
  bool has_status = false;
  Status status{};
  int64_t cpu = -1;
};

extern const sonde_dif_env kPtraceEnv;

/// All of `length` bytes; pages that were never touched are faulted in.
bool read_target(const Thread& thread, uint64_t address, void* to, size_t length);
bool write_target(const Thread& thread, uint64_t address, const void* from, size_t length);
/// As sonde_dif_env::read_text.
int read_target_text(const Thread& thread, uint64_t address, char* to, uint32_t max);
/// The thread's name as it is now; 16 bytes with the NUL.
void read_execname(Thread& thread, char* to);
uint64_t cpu_of(FireContext& context);
/// How long the thread has run, ns: what the kernel has booked so far, which is up to a few ms less.
uint64_t run_time_of(Thread& thread);
/// The thread runs, or waits for a CPU only.
bool is_running(Thread& thread);

}  // namespace sonde::guard
