// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the program's SIGTRAP mask and action intact
//
// The kernel forces a breakpoint's trap on a thread: if SIGTRAP is blocked or ignored, the kernel unblocks it and
// resets its action to the default, and the next trap of the program's own kills it. So both are restored at the hit:
// the mask by ptrace, the action by a call made in the thread.
//
// ptrace does not show what they were before. What can be known:
//   the mask      of a thread when it is attached to, or born; at the start of a SIGTRAP handler; a mask that blocks
//                 everything else blocks SIGTRAP, too; and if the action of its only thread was reset, SIGTRAP was blocked
//   the action    when the program sets it, where that call stops: in all programs of -c; else at the attach and the
//                 exec, at a process's hits 1, 2, 4, 8 ..., and at the start of a handler
// A program that we attached to, and that sets its action between two of these moments and then passes a breakpoint with
// SIGTRAP blocked, is not protected. Of several threads, one that blocks nothing but SIGTRAP keeps the action and loses
// the mask.
//
// A SIGTRAP of the program's own that is pending when our trap comes, because it is blocked, takes its place (the kernel
// queues no second one), or is set free by it. It is kept (Thread::own_trap) until SIGTRAP is blocked again, and then sent
// again. Without a handler it is taken for a blocked one; one that came unblocked in that moment would have killed.
//
// Cost: where a process has a SIGTRAP handler, each hit with signals blocked reads /proc/TID/status, which doubles the
// cost of the hit, and each other one /proc/TID/stat, which is half of that. Go's handler is there all the time, but Go
// blocks nothing where its program runs: there nothing is read.
#pragma once

#include <functional>
#include <string>

#include "runtime/guard/targets.h"

namespace sonde::guard {

class Sigtrap {
 public:
  explicit Sigtrap(std::function<void(const std::string& text)> notice) : notice_(std::move(notice)) {}

  /// Whether it has a handler, as far as we know.
  static bool is_caught(const Process& process);
  /// A thread that begins to be traced; `parent` null: we attached to it.
  void adopt(Thread& thread, const Thread* parent);
  /// After an exec: the new program inherits what is ignored and blocked, and no handler.
  void exec(Thread& thread);
  /// Call it behind a breakpoint, and behind its step, whose trap is forced as well: restores what the kernel has
  /// changed. True: a call was made in the thread, which ends its signal stop, so a signal can now only be sent again.
  bool passed(Thread& thread);
  /// Whether a trap of ours has reset the action, so that SIGTRAP was blocked then.
  bool was_reset(const Thread& thread) const;
  /// The thread is at the first instruction of a SIGTRAP handler.
  void handler_begins(Thread& thread, const machine::Registers& regs);

 private:
  bool restore(Thread& thread);
  bool blocked_it_alone(const Thread& thread) const;
  bool look(Thread& thread);
  bool put_action_back(Thread& thread, bool was_blocked);

  std::function<void(const std::string& text)> notice_;
};

}  // namespace sonde::guard
