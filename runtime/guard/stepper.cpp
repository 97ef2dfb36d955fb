// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/stepper.h"

#include <algorithm>

#include "runtime/base/signal_bit.h"

namespace sonde::guard {
namespace {

constexpr size_t kReportedMost = 1024;  // nested handlers; a starved thread may nest a hundred deep

/// Signals that an instruction raises. If one is blocked, the kernel kills the process.
constexpr uint64_t kFaults = signal_bit(SIGSEGV) | signal_bit(SIGBUS) | signal_bit(SIGFPE) | signal_bit(SIGILL);
constexpr uint64_t kNeverKept = kFaults | signal_bit(SIGTRAP) | signal_bit(SIGSYS);

bool is_fault(const siginfo_t& info) {
  return info.si_code > 0 && info.si_signo < 32 && (kFaults & signal_bit(info.si_signo)) != 0;
}

bool in_slot(const Step& step, uint64_t address) { return step.slot != 0 && address - step.slot < kSlotBytes; }

/// Maps an address in the slot to the program's; returns others unchanged.
uint64_t home(const Step& step, uint64_t address) {
  return in_slot(step, address) ? step.site + (address - step.slot) : address;
}

/// Makes a siginfo that names an instruction in the slot name the program's own instead.
void mend_address(const Step& step, siginfo_t& info) {
  if (info.si_code <= 0) return;
  const auto address = reinterpret_cast<uint64_t>(info.si_addr);
  if (in_slot(step, address)) info.si_addr = reinterpret_cast<void*>(home(step, address));
}

}  // namespace

bool take_reported(Thread& thread, const machine::Registers& regs) {
  const auto found =
      std::ranges::find_if(thread.reported, [&](const auto& note) { return machine::same_state(note, regs); });
  if (found == thread.reported.end()) return false;
  thread.reported.erase(found, thread.reported.end());  // handlers of those that were noted later never returned
  return true;
}

Stepper::Past Stepper::advance(Thread& thread, machine::Registers& regs) {
  const uint64_t address = std::exchange(thread.at_site, 0);
  Site* site = address != 0 ? thread.process->space->site(address) : nullptr;
  if (site == nullptr || !thread.process->space->renew(*site))
    return Past::Free;  // the breakpoint is gone, and the instruction in its place
  const auto read = [&](uint64_t at, void* to, size_t length) { return read_present(thread, at, to, length); };
  const auto write = [&](uint64_t at, const void* from, size_t length) {
    return write_present(thread, at, from, length);
  };
  const Instruction instruction = site->instruction();
  if (!instruction.emulate(regs, read, write)) return begin(thread, *site, instruction, regs);
  emulated_++;
  return machine::steps_itself(regs) ? Past::OwnTrap : Past::Free;
}

/// An instruction that is not copied, or for which the process has no slot at all, is stepped in place.
Stepper::Past Stepper::begin(Thread& thread, Site& site, const Instruction& instruction, machine::Registers& regs) {
  AddressSpace& space = *thread.process->space;
  const uint64_t slot = instruction.steps_copied() ? space.take_slot(site) : 0;
  if (slot == 0 && instruction.steps_copied() && space.steps_in_slots()) {
    thread.at_site = site.address;
    thread.awaits_slot = waited_ = true;
    return Past::Waits;
  }
  thread.step = {};
  if (slot == 0 && !space.lift(site)) return Past::Stuck;
  steps_++;
  thread.step.active = true;
  thread.step.own_trap = machine::steps_itself(regs);
  thread.step.site = site.address;
  thread.step.slot = slot;
  if (slot == 0) return Past::Free;
  machine::set_pc(regs, slot);
  thread.step.borrowed = instruction.borrow(slot, regs);
  return Past::Free;
}

/// `regs`: null if the thread is gone.
void Stepper::end(Thread& thread, machine::Registers* regs) {
  AddressSpace& space = *thread.process->space;
  if (thread.step.slot != 0)
    space.give_slot(thread.step.slot);
  else
    space.lower(thread.step.site);
  if (const auto own = std::exchange(thread.step.borrowed, std::nullopt); own && regs != nullptr) own->give_back(*regs);
  if (thread.step.kept) utrace_set_signal_mask(thread.task, thread.step.mask);
  thread.step.active = false;
  freed_ = true;
}

bool Stepper::take_freed() {
  const bool freed = std::exchange(freed_, false) && waited_;
  if (freed) waited_ = false;
  return freed;
}

Stepper::Trap Stepper::trapped(Thread& thread, machine::Registers& regs, siginfo_t& info) {
  if (!machine::may_end_step(info.si_code)) return Trap::NotOurs;
  if (!thread.step.active) return std::exchange(thread.late_trace, false) ? Trap::Ours : Trap::NotOurs;
  info.si_code = TRAP_TRACE;
  Step& step = thread.step;
  const Site* site = thread.process->space->site(step.site);
  const uint64_t from = step.slot != 0 ? step.slot : step.site;
  mend_address(step, info);
  if (machine::pc(regs) == from && site != nullptr &&
      site->instruction().repeats()) {  // one iteration of a string instruction
    step.begun = true;
    if (!step.kept && !step.own_trap) return Trap::Ours;
    put_back(thread, regs);
  } else {
    machine::set_pc(regs, home(step, machine::pc(regs)));
    end(thread, &regs);
  }
  if (!step.own_trap) return Trap::Ours;
  send_kept_again(thread);
  return Trap::Both;
}

bool Stepper::signalled(Thread& thread, machine::Registers& regs, siginfo_t& info, uint32_t verdict, uint64_t handler) {
  Step& step = thread.step;
  if (!step.active || verdict == UTRACE_SIGNAL_IGN || info.si_signo == SIGSTOP) return false;
  const bool before = machine::pc(regs) == (step.slot != 0 ? step.slot : step.site);
  if (before && !is_fault(info) && !step.begun && !step.kept) {
    step.kept = KeptSignal{info, verdict, handler};
    utrace_signal_mask(thread.task, &step.mask);
    utrace_set_signal_mask(thread.task, ~kNeverKept);
    return true;
  }
  mend_address(step, info);
  put_back(thread, regs);
  send_kept_again(thread);
  return false;
}

/// Sends the kept signal again, with its own siginfo: it will arrive after the one that is being delivered.
void Stepper::send_kept_again(Thread& thread) {
  if (const auto kept = take_kept(thread)) utrace_queue_signal(thread.task, kept->info);
}

std::optional<KeptSignal> Stepper::take_kept(Thread& thread) {
  if (thread.step.active) return std::nullopt;
  return std::exchange(thread.step.kept, std::nullopt);
}

void Stepper::let_go(Thread& thread, machine::Registers& regs) {
  put_back(thread, regs);
  send_kept_again(thread);
}

/// Moves the thread to the program's own instruction, which has not been executed.
void Stepper::put_back(Thread& thread, machine::Registers& regs) {
  if (!thread.step.active) return;
  const bool before = machine::pc(regs) == (thread.step.slot != 0 ? thread.step.slot : thread.step.site);
  machine::set_pc(regs, home(thread.step, machine::pc(regs)));
  end(thread, &regs);
  thread.late_trace = !before;
  if (!before) return;
  if (thread.reported.size() >= kReportedMost) thread.reported.pop_front();
  thread.reported.push_back(regs);
}

void Stepper::thread_gone(Thread& thread) {
  if (thread.step.active) end(thread, nullptr);
}

}  // namespace sonde::guard
