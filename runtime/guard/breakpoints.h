// SPDX-License-Identifier: GPL-3.0-or-later
// User taps: where their breakpoints are, and what a thread does that hits one
//
// A tap names a file and an offset. Its breakpoints are in every mapping of that file, in every process it covers:
//
//   when armed          in what is mapped by then
//   program entry       after an exec, once the dynamic linker has mapped the first libraries
//   linker breakpoint   after each dlopen and dlclose; the address is r_debug.r_brk
//   fork                the child has its own copy; where no tap covers it the breakpoint is taken out before it runs
//   vfork               parent and child share the memory: taps of one of them are told apart when hit
//
// In a process that is followed, a thread that comes by the second or third of these with a new file, or makes the exec,
// waits there: the consumer may want taps in the file before anything of it runs.
//
// We refused to stop at every mmap: a program makes thousands, and dlopen is what maps functions.
//
// A hit: [signal-delivery-stop of SIGTRAP, rip behind the int3] -> rip back -> probes fire -> the instruction is
// emulated, or its copy stepped in a slot -> the thread goes on. Most first instructions of functions are emulated: one
// stop. The int3 stays all the time, so no other thread can slip past it.
//
// Returns. At a function's entry the return address and the stack pointer behind it are noted, and a breakpoint is put on the
// return address. Nothing on the stack changes, so unwinders, longjmp and exceptions see what they always saw.
// A hit there is a return when a note has just this stack pointer and address. Notes that a longjmp left
// behind go when the same place of the stack is used again, or when a frame further out returns.
#pragma once

#include <functional>

#include "runtime/guard/dif_env.h"
#include "runtime/guard/taps.h"

namespace sonde::guard {

class Breakpoints {
 public:
  struct Events {
    std::function<void(const std::string& text)> notice;
    std::function<void(const Thread& thread, const Mapping& mapping)> mapped;
  };
  Breakpoints(Targets& targets, TapTable& taps, Events events)
      : targets_(targets), taps_(taps), events_(std::move(events)) {}

  void arm(ArmedTap& tap);
  /// Before the tap goes.
  void disarm(ArmedTap& tap);

  /// A process has a new program, or was attached to.
  void adopt(Process& process);
  /// From now on a thread that maps a file waits until the consumer has seen it: see Thread::unseen.
  void follow(Process& process);
  /// After an exec: what the new program was started with, where it is followed.
  void tell_program(Thread& thread);
  /// Before the child runs.
  void forked(Process& child, const Process& parent, bool shares_memory);
  void inherit_calls(Thread& child, const Thread& parent);
  /// Beside the entry: run_to_entry also ends where the libraries are mapped and their constructors have not run.
  void want_constructors(Process& process);
  /// Wants run_to_entry's breakpoint. False: there is no such place.
  bool want_entry(Process& process);
  void drop_entry(Process& process);

  /// A SIGTRAP by an int3. Ours: rip is put back, thread.at_site set, and `firings` filled.
  enum class Trap { NotOurs, Ours };
  Trap hit(Thread& thread, user_regs_struct& regs, std::vector<Firing>& firings);
  /// Past the breakpoint it stands at.
  void advance(Thread& thread, user_regs_struct& regs);
  /// The step's trap. Whether it was one of ours.
  bool stepped(Thread& thread, user_regs_struct& regs);
  /// Another signal, or a stop, comes first: the thread is put back where the program has it.
  void interrupted(Thread& thread, user_regs_struct& regs);
  void thread_gone(Thread& thread);

  uint64_t steps() const { return steps_; }
  uint64_t emulated() const { return emulated_; }

 private:
  bool covered(const Process& process) const;
  bool prepare(Process& process);
  void arm_in(Process& process, ArmedTap& tap, const std::vector<Mapping>& mappings);
  void look_again(Thread& thread);
  void tell_mapped(Thread& thread, const Mapping& mapping);
  void watch_linker(Process& process);
  void arrive(Process& process);
  void note_call(Thread& thread, const user_regs_struct& regs, uint64_t function);
  void take_returns(Thread& thread, Site& site, const user_regs_struct& regs, std::vector<Firing>& firings);
  void fire_taps(const Thread& thread, const Site& site, const user_regs_struct& regs, std::vector<Firing>& firings);
  void forget_call(Thread& thread, const ShadowCall& call);
  void end_step(Thread& thread);

  Targets& targets_;
  TapTable& taps_;
  Events events_;
  uint64_t steps_ = 0, emulated_ = 0;
};

}  // namespace sonde::guard
