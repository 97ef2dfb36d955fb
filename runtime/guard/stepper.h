// SPDX-License-Identifier: GPL-3.0-or-later
// How a thread at a breakpoint gets past it, and what happens to signals meanwhile
//
//                     int3                 emulated
//        Running ───────────► At the site ──────────────────────────────► Running, behind it
//           ▲                     │  its copy in a slot, or the breakpoint lifted
//           │  fault, or a        ▼
//           │  string insn's   Stepping ──────── its trap ──────────────► Running, behind it
//           │  signal             │                                          ▲
//           ├──── put back ───────┤  any other signal                        │ its trap: the signal is delivered
//           │                     ▼                                          │
//           │                  Stepping, the signal kept, the others blocked ┘
//
// A handler never runs with a pc in a slot. A signal that comes while an instruction is stepped is kept until the
// instruction is done. So it arrives one instruction later, as it might have by itself, and whatever its handler does
// to its context (siglongjmp, swapcontext, another pc) is done to an address of the program. We refused to put the
// thread back before the instruction in every case: then the breakpoint is hit again when the handler returns, and if
// the handler never returned, that hit cannot be distinguished from a new call.
//
// Two cases are put back all the same. A fault of the instruction itself (SIGSEGV, SIGBUS, SIGFPE, SIGILL) must appear
// to happen at the instruction. And a string instruction that has begun may have far to go (a signal that comes before
// its first round waits for that round). The state in which the thread was put back is noted: the next hit in exactly
// that state is not reported again.
#pragma once

#include "runtime/guard/dif_env.h"

namespace sonde::guard {

class Stepper {
 public:
  enum class Past {
    Free,     ///< it is behind the breakpoint, or will be after its step
    OwnTrap,  ///< the same, and the program single-steps itself: its own trap is due
    Waits,    ///< each slot is in use: try again when a step has ended (thread.awaits_slot)
    Stuck,    ///< it cannot get past: neither a slot nor its text can be written
  };
  /// Gets the thread past the breakpoint that it is at.
  Past advance(Thread& thread, machine::Registers& regs);
  /// Whether a step has ended since the last call, and some thread waits for a slot.
  bool take_freed();

  enum class Trap { NotOurs, Ours, Both };
  /// Handles a SIGTRAP that is not a breakpoint's. Both: `info` is also a trap of the program. thread.step.kept: that
  /// signal is due now.
  Trap trapped(Thread& thread, machine::Registers& regs, siginfo_t& info);
  /// Handles any other signal that stops the thread, before it is delivered. True: it is kept, and must not be
  /// delivered now.
  bool signalled(Thread& thread, machine::Registers& regs, siginfo_t& info, uint32_t verdict, uint64_t handler);
  /// The kept signal that is to be delivered now.
  std::optional<KeptSignal> take_kept(Thread& thread);
  /// Before the thread is let go: moves it from a slot back to the program's own instruction.
  void let_go(Thread& thread, machine::Registers& regs);
  void thread_gone(Thread& thread);

  uint64_t steps() const { return steps_; }
  uint64_t emulated() const { return emulated_; }

 private:
  Past begin(Thread& thread, Site& site, const Instruction& instruction, machine::Registers& regs);
  void end(Thread& thread, machine::Registers* regs);
  void put_back(Thread& thread, machine::Registers& regs);
  void send_kept_again(Thread& thread);

  uint64_t steps_ = 0, emulated_ = 0;
  bool waited_ = false, freed_ = false;
};

/// Whether this hit has been reported already, because the thread was put back after it.
bool take_reported(Thread& thread, const machine::Registers& regs);

}  // namespace sonde::guard
