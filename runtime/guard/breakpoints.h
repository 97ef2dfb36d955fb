// SPDX-License-Identifier: GPL-3.0-or-later
// User taps: where their breakpoints are, and what fires at them
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
// Code that the process compiles at run time has no file: the tap names an address, and is armed once, where the text is the one that
// the tap was made for.
//
// We refused to stop at every mmap: a program makes thousands, and dlopen is what maps functions.
//
// Returns. A return tap sits on one instruction that its function can be left by, and fires when that instruction is about
// to leave it (kmod/shared/leave.h). Nothing is remembered between entry and return: recursion, longjmp, exceptions, coroutines
// and stacks that move need no care.
//
// What a thread does past a breakpoint is stepper.h's.
#pragma once

#include <functional>
#include <map>
#include <set>

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
  /// Where no breakpoint could be since the last call: a line for each process, file and reason.
  void notify_refused();

  /// A process has a new program.
  void adopt(Process& process);
  /// Breakpoints into a process that has none yet, where taps want them.
  void begin(Process& process);
  /// From now on a thread that maps a file waits until the consumer acknowledges it: see Thread::unacknowledged.
  void follow(Process& process);
  /// After an exec: what the new program was started with, where it is followed.
  void notify_program(Thread& thread);
  /// Before the child runs.
  void forked(Process& child, const Process& parent, bool shares_memory);
  /// Beside the entry: run_to_entry also ends where the libraries are mapped and their constructors have not run.
  void want_constructors(Process& process);
  /// Wants run_to_entry's breakpoint. False: there is no such place.
  bool want_entry(Process& process);
  void drop_entry(Process& process);

  /// A SIGTRAP by a breakpoint. Ours: the pc is put back, thread.at_site set, and `firings` filled.
  enum class Trap { NotOurs, Ours };
  Trap hit(Thread& thread, machine::Registers& regs, std::vector<Firing>& firings);
  /// The thread is to stop when it comes out of the call it sleeps in. False: no breakpoint can be there.
  bool catch_return(Thread& thread, const Sleep& sleep);
  void forget_return(Thread& thread);

 private:
  bool prepare(Process& process);
  void arm_in(Process& process, ArmedTap& tap, const Mapping& mapping);
  void arm_all_in(Process& process, const Mapping& mapping);
  void arm_code(Process& process, ArmedTap& tap);
  void look_again(Thread& thread);
  void notify_mapped(Thread& thread, const Mapping& mapping);
  void watch_linker(Process& process);
  void arrive(Process& process);
  void fire_taps(Thread& thread, const Site& site, const machine::Registers& regs, std::vector<Firing>& firings);

  /// Where breakpoints were wanted and cannot be.
  struct Refused {
    pid_t pid;
    std::string path, why;
    auto operator<=>(const Refused&) const = default;
  };

  Targets& targets_;
  TapTable& taps_;
  Events events_;
  std::map<Refused, std::set<uint64_t>> refused_;  // offsets in the file
};

}  // namespace sonde::guard
