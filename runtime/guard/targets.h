// SPDX-License-Identifier: GPL-3.0-or-later
// What the guard knows of its targets
//
//   Thread --> Process --> AddressSpace (shared by a vfork child and its parent)
//
// A Thread lives from on_new_task to report_death, a Process from its first Thread to the death of its last. They are
// the engine's `data`; nothing else keeps pointers to them across two turns of the loop: tids and pids are looked up.
//
// Four things may keep a thread stopped: its new program still waits for GO, one of its records is held, the consumer
// has not acknowledged a file that it mapped, or it is about to be let go. It runs when none of them holds.
#pragma once

#include <signal.h>

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kmod/shared/abi.h"
#include "runtime/base/unique_fd.h"
#include "runtime/firing/firing_loop.h"
#include "runtime/guard/address_space.h"
#include "runtime/utrace/utrace.h"

namespace sonde::guard {

/// One firing of a probe: how far it has come, and what its ECBs may see.
struct Firing : FiringState {
  std::array<uint64_t, SONDE_DIF_ARGS> args{};
  int error = 0;                 ///< errno of the call that returns
  int64_t call = -1;             ///< system call the thread is in
  std::string text;              ///< text 0 of the probe
  bool at_edge = false;          ///< where a function begins or ends: no frame of its own is on the stack
  bool stack_arguments = false;  ///< args 6.. are on the stack, not fetched yet
  std::array<uint64_t, SONDE_DIF_LOCALS> locals{};
};

/// A signal that came while an instruction was stepped: it is delivered behind that instruction.
struct KeptSignal {
  siginfo_t info;
  uint32_t verdict;  ///< utrace_signal_action
  uint64_t handler;
};

/// A system call that the thread sleeps in, with a breakpoint behind it.
struct Caught {
  uint64_t address = 0;  ///< of the breakpoint; 0: none
  int64_t call = -1;
};

/// An instruction being stepped.
struct Step {
  bool active = false;
  bool begun = false;     ///< a string instruction: some of its rounds are done
  bool own_trap = false;  ///< the program single-steps itself: it gets the trap, too
  uint64_t site = 0;
  uint64_t slot = 0;  ///< 0: in place
  std::optional<KeptSignal> kept;
  uint64_t mask = 0;  ///< the program's signal mask, while a signal is kept
};

struct Process;
class Tracer;

struct Thread {
  Tracer* tracer = nullptr;  ///< whose engine it has
  utrace_task* task = nullptr;
  utrace_engine* engine = nullptr;
  Process* process = nullptr;
  pid_t tid = 0;
  bool newborn = false;  ///< START and LWP_START are due
  bool exited = false;
  std::vector<uint32_t> samples;  ///< taps of kind PROFILE that are to fire at the next stop
  std::array<uint64_t, SONDE_DIF_THREAD> variables{};
  UniqueFd comm, schedstat, stat;  ///< in /proc, kept open
  std::deque<Firing> pending;      ///< the first one is held
  bool held = false;
  uint32_t unacknowledged = 0;  ///< mapped files that the consumer has not acknowledged yet: the thread waits
  uint64_t at_site = 0;         ///< stopped at this breakpoint, not stepped yet
  Step step;
  bool late_trace = false;                   ///< a step's trap is still to come, and means nothing
  std::deque<machine::Registers> reported;   ///< put back at a breakpoint in this state: the next hit is no new one
  uint64_t reentered = 0, reentered_sp = 0;  ///< it has jumped to the first instruction of the function it is in
  std::optional<uint64_t> trap_mask;         ///< its signal mask blocks SIGTRAP; this is the rest of it
  bool trap_delivered = false;               ///< a SIGTRAP of its own: a handler may begin next
  Caught caught;
  bool quiet = false;       ///< no breakpoint that was taken out concerns it any more
  uint64_t settled_at = 0;  ///< processor time, ns: what it was about when they were taken out is over by then
};

struct Process {
  pid_t pid = 0;
  std::shared_ptr<AddressSpace> space;
  bool requested = false;   ///< the consumer spawned it or attached to it
  bool attached = false;    ///< it ran already
  bool waiting = false;     ///< for GO, stopped
  bool shows_exec = false;  ///< its exec is to fire at GO
  bool silent = false;      ///< for GO, while it runs: what fires is passed over
  bool followed = false;    ///< a thread that maps a file waits until the consumer has looked at it
  bool leaving = false;     ///< about to be let go
  bool at_entry = false;    ///< run_to_entry has succeeded, or has stopped before the constructors
  bool run_to_entry = false;
  uint64_t trap_handler = 0;         ///< of SIGTRAP, where known: SIG_IGN or an address; 0: none
  uint64_t passed = 0;               ///< breakpoints
  bool run_to_constructors = false;  ///< or that far, if it comes there first
  bool has_leader_code = false;
  long leader_code = 0;
  long status = 0;  ///< wait status, as far as known
};

class Targets {
 public:
  Thread* thread(pid_t tid);
  Process* process(pid_t pid);
  Thread& add_thread(utrace_task* task, Process& process);
  Process& add_process(pid_t pid);
  void erase_thread(pid_t tid) { threads_.erase(tid); }
  void erase_process(pid_t pid) { processes_.erase(pid); }
  /// A thread has taken its leader's id by an exec.
  void rename(Thread& thread, pid_t tid);
  std::vector<Thread*> threads_of(pid_t pid);
  auto& threads() { return threads_; }
  auto& processes() { return processes_; }

 private:
  std::unordered_map<pid_t, std::unique_ptr<Process>> processes_;
  std::unordered_map<pid_t, std::unique_ptr<Thread>> threads_;
};

inline bool must_stop(const Thread& thread) {
  const Process& process = *thread.process;
  return process.waiting || process.leaving || thread.held || thread.unacknowledged > 0;
}

inline uint32_t resume_action(const Thread& thread) {
  if (must_stop(thread)) return UTRACE_STOP;
  return thread.step.active ? UTRACE_SINGLESTEP : UTRACE_RESUME;
}

/// Lets a stopped thread go on, unless something else keeps it.
void resume_if_free(Thread& thread);

}  // namespace sonde::guard
