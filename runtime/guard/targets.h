// SPDX-License-Identifier: GPL-3.0-or-later
// What the guard knows about its targets
//
//   Thread --> Process --> AddressSpace (shared by a vfork child and its parent)
//
// A Thread exists from on_new_task to report_death, a Process from its first Thread to the death of its last. They are
// the engine's `data`. No other pointer to them is kept across two turns of the loop: tids and pids are looked up.
//
// Five things may keep a thread stopped: its new program still waits for GO, one of its firings is held (by the consumer,
// or until pages come), the consumer has not acknowledged a file that it mapped, each slot is in use, or it is about to
// be let go. It runs when none of them holds.
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
#include "runtime/guard/interpreters.h"
#include "runtime/guard/perf_clock.h"
#include "runtime/utrace/pages.h"
#include "runtime/utrace/utrace.h"

namespace sonde::guard {

/// Where the arguments of a tap are; null: it does not say. Firings that wait keep the list of a tap that has gone.
using Locations = std::shared_ptr<const std::vector<sonde_location>>;

struct MemoryRange {
  uint64_t address = 0;
  size_t length = 0;
  bool operator==(const MemoryRange&) const = default;
};

/// A helper brings pages in for a firing.
struct PageWait {
  Fetch fetch;
  Pages::Clock::time_point end;
};

/// One firing of a probe: how far it has come, and the values that its ECBs can read.
struct Firing : FiringState {
  std::array<uint64_t, SONDE_DIF_ARGS> args{};
  int error = 0;                     ///< errno of the call that is returning
  int64_t call = -1;                 ///< system call the thread is in
  std::string text;                  ///< text 0 of the probe
  bool at_edge = false;              ///< where a function begins or ends: its own frame is not on the stack
  bool stack_arguments = false;      ///< args 6 and up are on the stack, not fetched yet
  const StackCopy* stack = nullptr;  ///< of a thread that runs on: what its stack was; it lives as long as the firing
  Locations locations;               ///< of the tap: what a read of an argument means
  std::array<uint64_t, SONDE_DIF_LOCALS> locals{};
  MemoryRange lacking;            ///< pages that its program needs, and that are not there
  std::vector<MemoryRange> lost;  ///< those that did not come: to read them is a fault
};

/// A signal that came while an instruction was stepped: it is delivered after that instruction.
struct KeptSignal {
  siginfo_t info;
  uint32_t verdict;  ///< utrace_signal_action
  uint64_t handler;
};

/// A system call in which the thread sleeps, with a breakpoint at the instruction behind it.
struct Caught {
  uint64_t address = 0;  ///< of the breakpoint; 0: none
  int64_t call = -1;
};

/// A step of the instruction under a breakpoint.
struct Step {
  bool active = false;
  bool begun = false;     ///< a string instruction: some of its iterations are done
  bool own_trap = false;  ///< the program single-steps itself: it must get the trap, too
  uint64_t site = 0;
  uint64_t slot = 0;                         ///< 0: in place
  std::optional<BorrowedRegister> borrowed;  ///< for the copy in the slot
  std::optional<KeptSignal> kept;
  uint64_t mask = 0;  ///< the program's signal mask, while a signal is kept
};

struct Process;
class Tracer;

struct Thread {
  Tracer* tracer = nullptr;  ///< the owner of `engine`
  utrace_task* task = nullptr;
  utrace_engine* engine = nullptr;
  Process* process = nullptr;
  pid_t tid = 0;
  bool newborn = false;  ///< START and LWP_START have not fired yet
  bool exited = false;
  bool unclean = false;  ///< its memory, a copy of its parent's, has breakpoints that could not be taken out yet
  std::vector<uint32_t> samples;  ///< taps of kind PROFILE to fire at the next stop
  bool stack_asked = false;       ///< its stack is walked at the next stop
  std::vector<uint64_t> stack;    ///< that stack
  std::array<uint64_t, SONDE_DIF_THREAD> variables{};
  UniqueFd comm, schedstat, stat;  ///< files in /proc that are kept open
  std::deque<Firing> pending;      ///< the first one is held, the others wait behind it
  bool held = false;
  std::optional<PageWait> page_wait;  ///< the first pending firing waits for pages, not for the consumer
  uint32_t unacknowledged = 0;        ///< mapped files that the consumer has not acknowledged yet: the thread waits
  uint64_t at_site = 0;               ///< stopped at this breakpoint, not stepped yet
  bool awaits_slot = false;           ///< it waits there until another thread's step has ended
  Step step;
  bool late_trace = false;  ///< the trap of a step is still to come, and must be ignored
  std::deque<machine::Registers>
      reported;  ///< states in which it was put back at a breakpoint: the next hit in one of them is not a new one
  uint64_t reentered = 0,
           reentered_sp = 0;  ///< target and stack pointer of a jump to the first instruction of its own function
  std::optional<uint64_t> trap_mask;  ///< its signal mask blocks SIGTRAP; this is the rest of the mask
  std::optional<siginfo_t> own_trap;  ///< a SIGTRAP of the program's, kept until ours is handled
  machine::Registers left_as{};       ///< its registers behind the last breakpoint that it has passed
  bool trap_delivered = false;        ///< a SIGTRAP of its own: its handler may begin next
  Caught caught;
  bool quiet = false;  ///< breakpoints that were taken out cannot affect it any more
  uint64_t settled_at =
      0;  ///< processor time, ns, at which it must have finished what it was doing when they were taken out
};

struct Process {
  pid_t pid = 0;
  pid_t origin = 0;  ///< the target whose program it runs: itself, or the one it was forked from; 0: another program
  std::shared_ptr<AddressSpace> space;
  bool requested = false;                    ///< the consumer spawned it or attached to it
  bool attached = false;                     ///< it was already running
  bool filtered = false;                     ///< a filter of ours stops the calls that matter to us
  bool waiting = false;                      ///< stopped until GO
  bool shows_exec = false;                   ///< its exec fires at GO
  bool silent = false;                       ///< runs before GO: its firings are ignored
  bool followed = false;                     ///< a thread that maps a file waits until the consumer acknowledges it
  bool forks_followed = false;               ///< so do those of the processes that it forks, until their exec
  bool leaving = false;                      ///< about to be let go
  const Interpreter* interpreter = nullptr;  ///< of machine code, that runs its program; null: the processor does
  bool told_of_uprobes = false;              ///< the user knows that another tracer has uprobes in it
  bool told_of_copies = false;               ///< the user knows that it runs copies of probed code
  bool at_entry = false;                     ///< run_to_entry has succeeded, or has ended before the constructors
  bool run_to_entry = false;
  std::unordered_map<uint64_t, CloneLoad> unresolved_clones;  ///< by address, those whose function is not known yet
  uint64_t trap_handler = 0;                                  ///< of SIGTRAP, if known: SIG_IGN or an address; 0: none
  bool trap_handled = false;                                  ///< it has run since it was set
  std::optional<bool> of_go = {};                             ///< Go has made the program, if that was asked
  uint64_t passed = 0;                                        ///< breakpoints passed so far
  bool run_to_constructors = false;                           ///< run_to_entry also ends there, if it comes first
  bool has_group_code = false;  ///< exit_group() or a signal ends all threads: `status` is final
  long status = 0;              ///< wait status, as far as it is known
};

/// For messages.
inline std::string name_of(const Process& process) { return "process " + std::to_string(process.pid); }

/// Lends a stopped thread to its memory, for what only ptrace can do.
class Lent {
 public:
  explicit Lent(const Thread& thread) : space_(thread.process->space) { space_->lend(thread.tid); }
  ~Lent() { space_->lend(0); }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

 private:
  std::shared_ptr<AddressSpace> space_;
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
  return process.waiting || process.leaving || thread.held || thread.unacknowledged > 0 || thread.awaits_slot;
}

inline uint32_t resume_action(const Thread& thread) {
  if (must_stop(thread)) return UTRACE_STOP;
  return thread.step.active ? UTRACE_SINGLESTEP : UTRACE_RESUME;
}

/// Lets a stopped thread go on, unless something else holds it.
void resume_if_free(Thread& thread);

}  // namespace sonde::guard
