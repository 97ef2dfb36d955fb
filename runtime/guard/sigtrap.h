// SPDX-License-Identifier: GPL-3.0-or-later
// SIGTRAP, as the program has it
//
// A breakpoint's trap is forced on a thread: where SIGTRAP is blocked or ignored the kernel unblocks it and sets its action to
// the default one, which kills at the next trap that is the program's own. So both are put back at the hit: the mask by ptrace, the action by
// a call made in the thread.
//
// ptrace does not show what was there before. What can be known:
//   the mask      of a thread that is attached to, or born; at the start of a SIGTRAP handler; and a mask that blocks everything else
//                 blocks SIGTRAP, too
//   the action    at the attach and the exec, at a process's first hit, at its hits 2, 4, 8 ..., and at the start of a handler
// A program that changes them in another way between two of these, and relies on it, is not served.
#pragma once

#include <functional>
#include <string>

#include "runtime/guard/targets.h"

namespace sonde::guard {

class Sigtrap {
 public:
  explicit Sigtrap(std::function<void(const std::string& text)> notice) : notice_(std::move(notice)) {}

  /// A thread that begins to be traced; `parent` null: it ran already.
  void adopt(Thread& thread, const Thread* parent);
  /// Its new program has what is ignored and what is blocked of the old one's, and no handler.
  void exec(Thread& thread);
  /// Past a breakpoint, and past its step, whose trap is forced as well: puts back what the kernel has changed. True: a call was made
  /// in the thread, which ends its signal stop: a signal can only be sent again now.
  bool passed(Thread& thread);
  /// The thread is at the first instruction of a SIGTRAP handler.
  void handler_begins(Thread& thread, const machine::Registers& regs);

 private:
  bool look(Thread& thread);
  bool put_action_back(Thread& thread);

  std::function<void(const std::string& text)> notice_;
};

}  // namespace sonde::guard
