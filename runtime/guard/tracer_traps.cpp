// SPDX-License-Identifier: GPL-3.0-or-later
// SIGTRAP: whose it is
//
//   from the kernel --> on_trap --.-- a step has ended -----> the kept signal is delivered, if there is one
//                                 |-- a breakpoint of ours -> the firings, then past the breakpoint
//                                 `-- neither --------------> delivered: it is the program's
#include <signal.h>
#include <sys/syscall.h>

#include <algorithm>
#include <utility>

#include "runtime/base/hex.h"
#include "runtime/guard/sends.h"
#include "runtime/guard/tracer.h"
#include "runtime/utrace/thread_status.h"

namespace sonde::guard {

/// Fires the return of the call in which the thread slept when it was asked to stop.
void Tracer::return_of_caught(Thread& thread, const machine::Registers& regs) {
  const int64_t number = thread.caught.call;  // a stop at a breakpoint has no call number
  breakpoints_.forget_return(thread);
  if (thread.process->space->site(machine::pc(regs)) == nullptr) thread.at_site = 0;
  fire_return(thread, number, machine::call_result(regs), 0);
}

/// Refuses if the trap would do more than stop the thread: if SIGTRAP is blocked or ignored, the kernel would unblock
/// it and reset its action; and during a call with a signal mask of its own, the mask after the call cannot be read.
bool Tracer::catch_asleep(utrace_task* task, const Sleep& sleep) {
  constexpr uint64_t kTrap = uint64_t{1} << (SIGTRAP - 1);
  constexpr int64_t kWithMask[] = {SYS_ppoll,         SYS_pselect6,      SYS_epoll_pwait,   SYS_epoll_pwait2,
                                   SYS_rt_sigsuspend, SYS_io_pgetevents, SYS_io_uring_enter};
  Thread* thread = targets_.thread(utrace_task_tid(task));
  if (thread == nullptr || thread->process->leaving || thread->caught.address != 0) return false;
  ThreadStatus status;
  if (!machine::is_native_stack(sleep.sp) || std::ranges::find(kWithMask, sleep.call) != std::end(kWithMask))
    return false;
  if (!read_status(thread->tid, &status) || ((status.blocked | status.ignored) & kTrap) != 0) return false;
  const bool first = !thread->process->space->had_sites();
  if (!breakpoints_.catch_return(*thread, sleep)) return false;
  if (first)
    for (Thread* other : targets_.threads_of(thread->process->pid)) want_events(*other);
  return true;
}

/// The trap of a breakpoint that the thread cannot get past: it kills the process.
siginfo_t Tracer::stuck_at(Thread& thread, machine::Registers& regs, uint64_t site) {
  events_.harm(
      name_of(*thread.process) + " dies of a SIGTRAP at " + hex(site) +
      ", where sonde has a breakpoint: the instruction under it cannot be emulated, and its memory cannot be written");
  machine::set_pc(regs, site + sizeof machine::kBreakpoint);
  siginfo_t info{};
  info.si_signo = SIGTRAP;
  info.si_code = SI_KERNEL;
  return info;
}

/// For an int3 that is not known to be ours: if it kills the process, and the program's file does not have it, it may be
/// ours all the same.
void Tracer::note_fatal_trap(const Thread& thread, const machine::Registers& regs) {
  const uint64_t address = machine::breakpoint_address(regs);
  if (read_disposition(thread.tid, SIGTRAP).caught || !thread.process->space->may_be_ours(address)) return;
  events_.harm(
      name_of(*thread.process) + " dies of a SIGTRAP at " + hex(address) +
      ", in memory that it has made or changed: if it copies its code, this may be a copy of a breakpoint of sonde");
}

/// Gets the thread past the breakpoint that it is at. Returns the trap that the program must get now, if it
/// single-steps itself.
std::optional<siginfo_t> Tracer::pass_site(Thread& thread, machine::Registers& regs) {
  const uint64_t site = thread.at_site;
  const Stepper::Past past = stepper_.advance(thread, regs);
  if (past == Stepper::Past::Stuck) return stuck_at(thread, regs, site);
  if (past == Stepper::Past::Waits) return std::nullopt;
  if (thread.step.active) {
    if (thread.step.slot == 0) notify_in_place(thread);
    want_events(thread);
    return std::nullopt;
  }
  thread.left_as = regs;
  const bool called = sigtrap_.passed(thread);
  if (past != Stepper::Past::OwnTrap) return std::nullopt;
  siginfo_t info{};
  info.si_signo = SIGTRAP;
  info.si_code = TRAP_TRACE;
  info.si_addr = reinterpret_cast<void*>(machine::pc(regs));
  if (!called) return info;
  utrace_queue_signal(thread.task, info);
  return std::nullopt;
}

/// A step in place has lifted the breakpoint. If other threads run there, that may have cost a hit.
void Tracer::notify_in_place(const Thread& thread) {
  const AddressSpace* space = thread.process->space.get();
  const bool shared = std::ranges::any_of(targets_.threads(), [&](const auto& other) {
    return other.second.get() != &thread && other.second->process->space.get() == space;
  });
  if (!shared || !stepped_in_place_.insert(thread.process->pid).second) return;
  events_.notice(name_of(*thread.process) + ": an instruction with a probe, at " + hex(thread.step.site) +
                 ", was stepped in its own place: another thread may have passed it meanwhile without firing");
}

/// Threads that wait for a slot try again, after a step has ended.
void Tracer::serve_waiting() {
  if (!stepper_.take_freed()) return;
  std::vector<Thread*> waiting;
  for (auto& [tid, thread] : targets_.threads())
    if (std::exchange(thread->awaits_slot, false)) waiting.push_back(thread.get());
  for (Thread* thread : waiting) restart(*thread);
}

/// A step has ended. Sets `info` and `handler` to those of the signal to deliver; UTRACE_SIGNAL_IGN: there is none.
uint32_t Tracer::end_step(Thread& thread, bool both, siginfo_t& info, uint64_t& handler) {
  want_events(thread);
  if (const machine::Registers* regs = utrace_registers(thread.task)) thread.left_as = *regs;
  const bool called = sigtrap_.passed(thread);
  const auto kept = stepper_.take_kept(thread);
  if (!both && !kept) return UTRACE_SIGNAL_IGN;
  if (kept) {
    info = kept->info;
    handler = kept->handler;
  }
  if (!called) return UTRACE_SIGNAL_DELIVER;
  utrace_queue_signal(thread.task, info);
  return UTRACE_SIGNAL_IGN;
}

Tracer::OwnTrap Tracer::judge_own_trap(Thread& thread, const machine::Registers& regs) {
  const Step& step = thread.step;
  if (step.active && machine::pc(regs) != (step.slot != 0 ? step.slot : step.site)) return OwnTrap::HidesOurs;
  const bool has_passed = machine::same_state(thread.left_as, regs);
  if (!step.active && !has_passed && breakpoints_.is_at_breakpoint(thread, regs)) return OwnTrap::HidesOurs;
  return (step.active || has_passed) && sigtrap_.was_reset(thread) ? OwnTrap::SetFree : OwnTrap::Alone;
}

/// For a SIGTRAP that the program was sent. True: it is kept, and must not be delivered now. If it hides a trap of ours,
/// `info` is that trap now.
bool Tracer::keep_own_trap(Thread& thread, const machine::Registers& regs, siginfo_t& info) {
  const OwnTrap how = judge_own_trap(thread, regs);
  if (how == OwnTrap::Alone) return false;
  thread.own_trap = info;
  if (how == OwnTrap::HidesOurs) {
    info = {};
    info.si_signo = SIGTRAP;
    info.si_code = thread.step.active ? int{TRAP_TRACE} : int{SI_KERNEL};
    return false;
  }
  if (!thread.step.active) (void)sigtrap_.passed(thread);
  return true;
}

/// Handles a SIGTRAP of the kernel. Sets `info` to what the program gets; UTRACE_SIGNAL_IGN: it gets nothing.
uint32_t Tracer::on_trap(Thread& thread, machine::Registers& regs, siginfo_t& info, uint64_t& handler) {
  const Stepper::Trap trap = stepper_.trapped(thread, regs, info);
  if (trap != Stepper::Trap::NotOurs)
    return thread.step.active ? uint32_t{UTRACE_SIGNAL_IGN}
                              : end_step(thread, trap == Stepper::Trap::Both, info, handler);
  std::vector<Firing> firings;
  if (info.si_code != SI_KERNEL && info.si_code != TRAP_BRKPT) return UTRACE_SIGNAL_CORE;
  const Lent lent(thread);
  if (breakpoints_.hit(thread, regs, firings) == Breakpoints::Trap::NotOurs) {
    note_fatal_trap(thread, regs);
    return UTRACE_SIGNAL_CORE;
  }
  if (thread.caught.address == machine::pc(regs)) return_of_caught(thread, regs);
  fire_all(thread, firings, &regs);
  const auto due = must_stop(thread) ? std::nullopt : pass_site(thread, regs);
  if (!due) return UTRACE_SIGNAL_IGN;
  info = *due;
  return UTRACE_SIGNAL_DELIVER;
}

}  // namespace sonde::guard
