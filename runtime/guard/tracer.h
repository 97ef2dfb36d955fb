// SPDX-License-Identifier: GPL-3.0-or-later
// The guard's engine on every traced thread: events become firings
//
//   stop --> callback --> the taps it concerns --> firings --> records
//                                                     | one is held
//                                                     v
//                           the others wait in thread.pending, the thread in UTRACE_STOP, until release()
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <set>

#include "runtime/guard/breakpoints.h"
#include "runtime/guard/recorder.h"
#include "runtime/guard/sampler.h"
#include "runtime/guard/sigtrap.h"
#include "runtime/guard/stepper.h"

namespace sonde::guard {

class Tracer {
 public:
  /// What the session reports to its consumer.
  struct Events {
    std::function<void(pid_t pid, long status)> gone;
    std::function<void(pid_t pid)> exec;
    std::function<void(pid_t pid, const Mapping& mapping, pid_t waiting)> mapped;  ///< `waiting`: a thread, or 0
    /// `time`: when it was there. `file`: a descriptor to send; -1: none.
    std::function<void(pid_t pid, const Mapping& mapping, sonde_mapping_when when, Nanoseconds time, int file)> mapping;
    std::function<void(const std::string& text)> notice;
    std::function<void(const std::string& text)> harm;  ///< a target has come to harm, or may
    std::function<void()> data;
  };
  Tracer(UtraceHost& host, TapTable& taps, Recorder& recorder, Events events);

  /// Makes the engines see the events that the taps need now.
  void taps_changed();
  Breakpoints& breakpoints() { return breakpoints_; }
  Targets& targets() { return targets_; }
  const Stepper& stepper() const { return stepper_; }
  Sampler& sampler() { return sampler_; }
  /// Descriptors of helpers that bring in pages for firings: readable when one has answered.
  std::vector<int> page_fds();
  /// Continues the firings whose pages have come, or have not come in time.
  void continue_page_waits();

  Result<pid_t> spawn(const utrace_spawn& what);
  Result<void> attach(pid_t pid);
  Result<void> run_to_entry(pid_t pid, bool constructors, const std::function<bool()>& give_up);
  void go();
  /// `how`: as SONDE_RELEASE's value.
  Result<void> release(pid_t tid, uint64_t how, int64_t result);
  /// The user stack of a thread that sleeps in a call: it is stopped, and its call repeated. Errors: EBUSY.
  Result<std::vector<uint64_t>> stack_of(pid_t tid);
  Result<void> follow(pid_t pid, bool forks);
  void follow_files(std::string_view wildcard);
  Result<void> acknowledge(pid_t tid);
  /// Lets processes go for good, once no trap of ours is under way.
  void let_go(const std::vector<pid_t>& pids);
  /// Lets all go, those too that are born meanwhile, and detaches them although we stay. Returns how many there were, and
  /// reports those that keep us as their tracer. Errors: EAGAIN, they fork faster.
  Result<size_t> let_all_go();
  /// A stack was walked at `time`: before its record, the consumer gets the mappings that it does not know yet.
  /// `whole`: all that the walk read was there; what the stack lacks, it will lack again.
  void notify_walked(Process& process, Nanoseconds time, bool whole);
  /// Some program walks stacks.
  void expect_walks();
  /// The consumer is gone: nothing fires any more, nothing is held.
  void abandon();

 private:
  friend struct Callbacks;

  void on_new_task(utrace_task* task, utrace_task* parent, uint64_t flags);
  void want_events(Thread& thread);
  void restart(Thread& thread);
  Result<void> inject(Thread& thread, int64_t result);
  void stop_all(const std::vector<pid_t>& pids, int patience_ms);
  bool all_stopped(const std::vector<pid_t>& pids);
  Result<void> want_entry(pid_t pid, std::chrono::steady_clock::time_point end, const std::function<bool()>& give_up);
  bool quiet(Thread& thread);
  void notify_cut_short();
  void notify_lacking(Process& process, const LackingStack& found);
  void undo_rest(pid_t pid);
  /// Takes its breakpoints out, and those of children that hide. It gets no more of them.
  void begin_leaving(Process& process);
  void notify_lost(const Process& process);
  void notify_trapped_child(pid_t parent, pid_t child);
  void free_hidden_children(Process& process);
  Result<void> take_sharers(pid_t pid);
  bool settle(const std::vector<pid_t>& pids);

  uint32_t on_entry(Thread& thread);
  uint32_t on_return(Thread& thread);
  uint32_t on_clone(Thread& thread, uint64_t flags, utrace_task* child);
  uint32_t on_exec(Thread& thread);
  void fire_exec(Thread& thread);
  void notify_withheld_rights(pid_t pid);
  uint32_t on_exit(Thread& thread, long code);
  void on_death(Thread& thread, bool group_dead);
  uint32_t on_signal(Thread& thread, uint32_t action, machine::Registers* regs, siginfo_t& info,
                     const struct sigaction* orig);
  /// `returned_at`: time of the return; 0: now.
  void fire_return(Thread& thread, int64_t number, int64_t result, uint64_t returned_at);
  void fire_send(Thread& thread, const std::optional<Firing>& send);
  void fire_discard(Thread& thread, const siginfo_t& info);
  void fire_deliver(Thread& thread, const siginfo_t& info, uint64_t handler);
  uint32_t on_trap(Thread& thread, machine::Registers& regs, siginfo_t& info, uint64_t& handler);
  /// How a SIGTRAP of the program's own and a trap of ours may meet.
  enum class OwnTrap {
    Alone,
    HidesOurs,  ///< it was pending when our trap came: the kernel keeps only one
    SetFree     ///< it was blocked until our trap unblocked it
  };
  OwnTrap judge_own_trap(Thread& thread, const machine::Registers& regs);
  bool keep_own_trap(Thread& thread, const machine::Registers& regs, siginfo_t& info);
  uint32_t end_step(Thread& thread, bool both, siginfo_t& info, uint64_t& handler);
  std::optional<siginfo_t> pass_site(Thread& thread, machine::Registers& regs);
  void serve_waiting();
  void notify_in_place(const Thread& thread);
  void return_of_caught(Thread& thread, const machine::Registers& regs);
  bool catch_asleep(utrace_task* task, const Sleep& sleep);
  uint32_t on_quiesce(Thread& thread, uint32_t event);
  void clean(Thread& thread);
  siginfo_t stuck_at(Thread& thread, machine::Registers& regs, uint64_t site);
  void withdraw(Thread& thread);
  void note_fatal_trap(const Thread& thread, const machine::Registers& regs);
  void ask_sample(Thread& thread, uint32_t tap);
  void take_sample(Thread& thread, uint32_t tap, const Sample& sample);
  void fire_samples(Thread& thread);
  void take_stack(Thread& thread);
  void note_exit(Thread& thread, long code);
  void notify_mappings(Thread& thread);
  UniqueFd file_to_send(pid_t pid, const Mapping& mapping);

  void fire(Thread& thread, const std::vector<ArmedTap*>& taps, const Firing& pattern);
  void fire_call(Thread& thread, const std::vector<ArmedTap*>& taps, const Firing& pattern);
  void fire_all(Thread& thread, std::vector<Firing>& firings, machine::Registers* regs);
  bool must_wait(Thread& thread, Firing& firing, machine::Registers* regs);
  bool begin_page_wait(Thread& thread, Firing& firing);
  void end_page_wait(Thread& thread);
  void run_pending(Thread& thread, machine::Registers* regs);

  UtraceHost& host_;
  TapTable& taps_;
  Recorder& recorder_;
  Events events_;
  Targets targets_;
  Breakpoints breakpoints_;
  Stepper stepper_;
  Sigtrap sigtrap_;
  Sampler sampler_;
  uint32_t wanted_ = 0;
  utrace_syscall_set entries_, returns_;
  std::vector<pid_t> page_waits_;  ///< threads whose firing waits for pages
  bool attaching_ = false;
  std::shared_ptr<AddressSpace> sharing_;  ///< the memory that the process being attached to shares
  uint64_t notified_cut_ = 0;
  LackingLines lacking_;
  std::set<pid_t> stepped_in_place_;      ///< processes, which were reported
  std::set<std::string> without_rights_;  ///< programs, likewise
  bool abandoned_ = false;
  bool sends_explained_ = false;
  std::set<std::array<uint64_t, 3>> sent_files_;  ///< devices and inodes
};

}  // namespace sonde::guard
