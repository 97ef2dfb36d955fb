// SPDX-License-Identifier: GPL-3.0-or-later
// User taps: where their breakpoints are, and what fires there
//
// A tap names a file and an offset. It has a breakpoint in every mapping of that file, in every process that it covers:
//
//   when armed          in the mappings that exist
//   program entry       after an exec, once the dynamic linker has mapped the first libraries
//   linker breakpoint   after each dlopen and dlclose; the address is r_debug.r_brk
//   fork                the child has its own copy, and the taps of its origin; breakpoints that these do not need are
//                       taken out before it runs
//   vfork               parent and child share the memory: a hit fires only the taps that cover the process that hit
//
// In a followed process, a thread that gets to the second or third of these with a new file, or that execs, waits
// there: the consumer may want taps in the file before any of its code runs.
//
// Code that the process compiles at run time has no file. Its tap names an address, and is armed once, if the text is
// the one that the tap was made for.
//
// We refused to stop at every mmap: a program makes thousands, and dlopen is what maps functions.
//
// Returns. A return tap is on one instruction by which its function can be left, and fires when that instruction is
// about to leave it (kmod/shared/leave.h). Nothing is remembered between entry and return, so recursion, longjmp,
// exceptions, coroutines and stacks that move need no special care.
//
// stepper.h has how a thread gets past a breakpoint.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "runtime/base/glob.h"
#include "runtime/guard/clone_loads.h"
#include "runtime/guard/dif_env.h"
#include "runtime/guard/taps.h"

namespace sonde::guard {

class Breakpoints {
 public:
  struct Events {
    std::function<void(const std::string& text)> notice;
    std::function<void(pid_t pid, const Mapping& mapping, pid_t waiting)> mapped;
  };
  Breakpoints(Targets& targets, TapTable& taps, Events events)
      : targets_(targets), taps_(taps), events_(std::move(events)) {}

  void arm(ArmedTap& tap);
  /// Call it before the tap is removed.
  void disarm(const std::vector<ArmedTap*>& taps);
  /// Raises the counters of the taps that are armed, in each process, and takes back those of others. Call it when taps
  /// have been armed.
  void settle_counters();
  /// Reports where no breakpoint could be set since the last call: a line for each process, file and reason.
  void notify_refused();

  /// Says once that another tracer has uprobes in a process where breakpoints were set, if the mappings that `seen` has
  /// read show that: the kernel gives the hits of a place that has both to the uprobe.
  void notice_uprobes(Process& process, const AddressSpace& seen);

  /// A process runs a new program.
  void adopt(Process& process);
  /// Sets the taps' breakpoints in a process that has none yet.
  void begin(Process& process);
  /// From now on a thread that maps a file waits until the consumer acknowledges it: see Thread::unacknowledged.
  /// `forks`: the same in those that have it as their origin.
  void follow(Process& process, bool forks);
  /// The same for each process, now and later, and files whose path matches: a thread waits for the first mapping of each
  /// file. Reports those that are mapped already.
  void follow_files(std::string_view wildcard);
  /// After an exec, if the process is followed: reports the files that the new program was started with.
  void notify_program(Thread& thread);
  /// A child was forked. Call it before the child runs.
  void forked(Process& child, const Process& parent, bool shares_memory);
  /// In addition to want_entry(): run_to_entry also ends when the libraries are mapped, before their constructors run.
  void want_constructors(Process& process);
  /// Sets the breakpoint that ends run_to_entry. Error: ENOTSUP, the program has no place for it.
  Result<void> want_entry(Process& process);
  void drop_entry(Process& process);

  /// Handles a SIGTRAP. If it is of one of our breakpoints: moves the pc back, sets thread.at_site and fills `firings`.
  enum class Trap { NotOurs, Ours };
  Trap hit(Thread& thread, machine::Registers& regs, std::vector<Firing>& firings);
  /// Whether the thread is behind a breakpoint of ours as if it had just hit it.
  bool is_at_breakpoint(Thread& thread, const machine::Registers& regs);
  /// Makes the thread stop when it comes out of the call that it sleeps in. False: no breakpoint can be set there.
  bool catch_return(Thread& thread, const Sleep& sleep);
  void forget_return(Thread& thread);

 private:
  bool prepare(Process& process);
  void settle_counters(Process& process);
  void arm_in(Process& process, ArmedTap& tap, const Mapping& mapping);
  void arm_all_in(Process& process, const Mapping& mapping);
  void arm_code(Process& process, ArmedTap& tap);
  void look_again(Thread& thread);
  bool belongs_to_us(Thread& thread, uint64_t address);
  void watch_clones(Process& process, const Mapping& text);
  void pass_clone(Thread& thread, Site& site);
  void notify_mapped(Thread& thread, const Mapping& mapping);
  bool is_news(pid_t pid, const Mapping& mapping);
  bool wants(const Process& process) const;
  void watch_linker(Process& process);
  /// False: there is no such place, or no breakpoint can be there.
  // Error: why there is no such breakpoint.
  Result<void> watch_entry(Process& process);
  Result<void> watch_linker_function(Process& process);
  void arrive(Process& process);
  void fire_taps(Thread& thread, const Site& site, const machine::Registers& regs, std::vector<Firing>& firings);

  /// A place where a breakpoint was wanted and cannot be set.
  struct Refused {
    pid_t pid;
    std::string path, why;
    auto operator<=>(const Refused&) const = default;
  };

  Targets& targets_;
  TapTable& taps_;
  Events events_;
  CloneLoads clone_loads_;
  std::vector<Glob> wanted_;                       ///< paths of files that are followed
  std::set<std::pair<FileId, int64_t>> offered_;   ///< those that the consumer knows, and when they were written
  std::map<Refused, std::set<uint64_t>> refused_;  // offsets in the file
};

}  // namespace sonde::guard
