// SPDX-License-Identifier: GPL-3.0-or-later
// A thread at a breakpoint: how it gets past it, and what signals do meanwhile
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
// A handler never sees a slot. A signal that comes while an instruction is stepped is kept until the instruction is done: so it arrives
// one instruction later, as it might have by itself, and whatever its handler does to its context (siglongjmp, swapcontext, another
// pc) is done to an address of the program's. We refused to put the thread back before the instruction in every case: the breakpoint is
// then hit again when the handler returns, and no one can tell that hit from a new call where the handler never returned.
//
// A fault of the instruction itself (SIGSEGV, SIGBUS, SIGFPE, SIGILL) must be seen at the instruction, and a string instruction that has
// begun may have far to go (a signal that comes before its first round waits for that one): there the thread is put back, and the state it was put back in is noted. The next hit in exactly that state
// is no new one.
#pragma once

#include "runtime/guard/dif_env.h"

namespace sonde::guard {

class Stepper {
 public:
  /// Past the breakpoint it stands at. True: the program single-steps itself, and its own trap is due.
  bool advance(Thread& thread, machine::Registers& regs);

  enum class Trap { NotOurs, Ours, Both };
  /// A SIGTRAP that is no breakpoint's. Both: `info` is the program's trap, too. thread.step.kept: that signal is due now.
  Trap trapped(Thread& thread, machine::Registers& regs, siginfo_t& info);
  /// Any other signal that stops the thread, before it is delivered. True: it is kept, and must not be delivered now.
  bool signalled(Thread& thread, machine::Registers& regs, siginfo_t& info, uint32_t verdict, uint64_t handler);
  /// The kept signal that is to be delivered now.
  std::optional<KeptSignal> take_kept(Thread& thread);
  /// The thread is about to be let go: it is put where the program has it.
  void let_go(Thread& thread, machine::Registers& regs);
  void thread_gone(Thread& thread);

  uint64_t steps() const { return steps_; }
  uint64_t emulated() const { return emulated_; }

 private:
  void begin(Thread& thread, Site& site, Instruction::How how, machine::Registers& regs);
  void end(Thread& thread);
  void put_back(Thread& thread, machine::Registers& regs);
  void send_kept_again(Thread& thread);

  uint64_t steps_ = 0, emulated_ = 0;
};

/// Whether this hit has been reported already, and the thread was put back since.
bool take_reported(Thread& thread, const machine::Registers& regs);

}  // namespace sonde::guard
