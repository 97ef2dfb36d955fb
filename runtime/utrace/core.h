// SPDX-License-Identifier: GPL-3.0-or-later
// The utrace core over ptrace
//
// One thread makes every ptrace call and every wait for its threads; another thread may have a core of its own. A turn
// of its loop:
//
//   waitpid(-1, __WALL | __WNOTHREAD | WNOHANG) --> event() --> on_*()   which ptrace-stop is it
//                                                  |
//                                              round()     calls the engines, in order of attachment;
//                                                  |       each leaves its choice of resume action
//                                              finish()    STOP by any engine: held, nothing more
//                                                  |
//                                             proceed()    most constrained choice -> one ptrace request
//
// utrace_control() releases a held thread by putting it on the `ready` list, which the next turn handles. So no
// callback is ever made from inside an API call, and a callback may call anything.
//
// Cost: an entry-only call in a filtered process is one stop: waitpid, the registers, CONT. Everything else that a stop
// might need (siginfo, dispositions, event messages) is fetched only if an engine asked for it.
//
// A child's first stop and its parent's clone event come in either order: the stop of an unknown thread is parked until
// a parent claims it. If the parent is killed before that, the child is adopted without a parent after a while. A child
// that ends before its parent's event is remembered until the event comes.
//
// Invariant: SIGCHLD is blocked and read from a signalfd, before the statuses are drained, so no wake-up is lost. The
// signal belongs to the process: with several cores, the one that reads it passes it on (ChildSignal). A turn that
// stops early sets `more_`.
#pragma once

#include <sys/ptrace.h>

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "runtime/base/unique_fd.h"
#include "runtime/utrace/program_child.h"
#include "runtime/utrace/spin.h"
#include "runtime/utrace/task.h"

namespace sonde {

class Core {
 public:
  Core();
  ~Core();

  // host.cpp
  void turn();
  bool turn_some(int most);
  std::vector<int> wait(std::span<const int> fds, int timeout_ms);
  void settle_stops(int patience_ms);
  void event(pid_t tid, int status);
  void queue(utrace_task& task);
  utrace_task* find(pid_t tid);
  bool valid(const utrace_task* task) const { return valid_.contains(task); }

  // start.cpp: how threads are started, seized and let go
  Result<utrace_task*> spawn(const utrace_spawn& what);
  Result<std::vector<utrace_task*>> seize(pid_t pid);
  void release_spawned(pid_t pid);
  std::vector<utrace_task*> tasks_of(pid_t pid);
  void detach_process(pid_t pid);
  void leave_process(pid_t pid);
  size_t hasten(int patience_ms);
  void detach_all();
  bool let_go(utrace_task& task, int status);
  void take_care_of(utrace_task& task);
  bool undo_entry(utrace_task& task);
  void free_engines(utrace_task& task);
  utrace_task& create(pid_t tid, pid_t pid);

  void bury(utrace_task& task);

  // events.cpp: what a wait status means
  void stopped(utrace_task& task, int status);
  void dead(utrace_task& task, int status);
  void on_syscall(utrace_task& task);
  void on_seccomp(utrace_task& task);
  void report_birth(utrace_task& task);
  /// At the entry of a call: notes what it changes in how the thread's later calls are judged.
  void see_entry(utrace_task& task);
  void note_trap_action(utrace_task& task);  ///< tells if the call sets the action of SIGTRAP
  void on_clone(utrace_task& task, int event);
  void on_exec(utrace_task& task);
  void on_exit(utrace_task& task);
  void on_event_stop(utrace_task& task, int signal, bool born);
  void mend_call(utrace_task& task, int status);
  void judge_cut(utrace_task& task, int status);
  bool returns_short(utrace_task& task);
  void see_interrupted_call(utrace_task& task);
  void after_call(utrace_task& task);
  void reap(utrace_task& task);
  utrace_task& after_exec(utrace_task& leader);
  void watch_zombies();
  void adopt_parked(bool now);

  // dispatch.cpp: rounds of callbacks, and how a thread continues after them
  void report_entry(utrace_task& task);
  void report_exit_of_call(utrace_task& task);
  void report_clone(utrace_task& task, uint64_t flags, utrace_task& child);
  void report_exec(utrace_task& task, pid_t former);
  void report_exit(utrace_task& task, long code);
  void report_jctl(utrace_task& task, int type, int notify);
  void report_death(utrace_task& task, bool group_dead, int signal);
  void report_quiesce(utrace_task& task);
  void report_quiesce_to(utrace_task& task, Engine& engine, uint32_t action);
  void finish(utrace_task& task);
  void proceed(utrace_task& task);
  bool held(const utrace_task& task) const;
  void recompute(utrace_task& task);
  void interrupt(utrace_task& task, bool report);
  void send_interrupt(utrace_task& task);
  bool catch_asleep(utrace_task& task);
  void watch_wanted();
  void see_caught(utrace_task& task, int status);
  void unlink(utrace_task& task, Engine& engine);
  template <typename Call>
  void round(utrace_task& task, uint32_t event, Call call);
  template <auto Callback, typename... Arguments>
  void call_back(utrace_task& task, Engine& engine, uint32_t action, Arguments... arguments);
  void accept(utrace_task& task, Engine& engine, uint32_t result);
  void settle(utrace_task& task);

  // signals.cpp
  void on_signal(utrace_task& task, int signal);
  bool stops_process(const utrace_task& task, int signal) const;
  bool runs_handler(const utrace_task& task, int signal) const;
  void report_signal(utrace_task& task, uint32_t initial, uint32_t event, const struct sigaction* orig);
  void signal_report(utrace_task& task, uint32_t kind);
  void apply_signal(utrace_task& task, uint32_t initial, const struct sigaction& before, const struct sigaction& after);
  int send_again(utrace_task& task, const siginfo_t& info, bool silent);
  void restore_handler(utrace_task& task);
  uint64_t find_restorer(utrace_task& task);

  // interrupted.cpp: calls that a signal interrupts
  /// Returns whether the return is kept, to be reported later.
  bool keep_return(utrace_task& task);
  /// At a stop of a thread whose return is kept: reports the return if this stop shows what the program gets.
  void judge_kept(utrace_task& task, int status);
  void report_kept(utrace_task& task, int64_t result);

  // own_filters.cpp: seccomp filters of the program's own
  /// Once one is in force, the stops of our filter are not reliable.
  void note_own_filter(utrace_task& task);
  /// At a stop of a filter: whether the verdict is that of a filter of the program's own.
  bool is_own_verdict(utrace_task& task);
  bool asks_for_strict_mode(utrace_task& task);
  /// Installs a filter of the same effect in the thread. Returns what the program's call returns.
  long enter_strict_mode(utrace_task& task);
  /// Whether no filter but ours would judge a call that we run in the thread.
  bool may_run_calls(const utrace_task& task) const;
  /// A call that our wake-up has interrupted must not go on as restart_syscall, which such a filter may refuse.
  void avoid_restart_call(utrace_task& task);

  // untraced.cpp: children that no tracer is to know of
  /// At the entry of a call: takes CLONE_UNTRACED out of it.
  void show_child(utrace_task& task);
  /// Puts back what show_child() has changed.
  void put_clone_back(utrace_task& task);
  /// At a SIGCHLD: tells if a child that we do not know has died of a SIGTRAP.
  void see_hidden_child(utrace_task& task);
  /// At the entry of a call: tells, once, if it asks to trace one that we trace.
  void see_rival(utrace_task& task);
  void refuse_circle(utrace_task& task);

  // inject.cpp
  /// The call at whose entry the thread is will not be made.
  void skip_call(utrace_task& task);
  /// Runs a system call in a stopped thread (not at an entry). Returns its result, -ENOSYS when it cannot be run, or
  /// -EPERM when a filter that is not ours might forbid it.
  long run_call(utrace_task& task, long number, const uint64_t (&arguments)[6]);

  /// The number of the call that the registers show, as in utrace_call.
  int64_t identify_call(utrace_task& task);
  bool load_registers(utrace_task& task);
  bool write_registers(utrace_task& task);
  /// ptrace() that allows for a SIGKILL at any time. Returns 0 or -errno.
  long request(int what, utrace_task& task, void* address, void* data);
  /// Takes a job-stopped thread out of LISTEN, without a callback, so that it can be examined. False: it is running or
  /// dying.
  bool end_listen(utrace_task& task);
  /// Waits for the next stop of one thread. False: it has died (its status is kept for the loop), or the time is over.
  bool wait_for(utrace_task& task, int* status, int patience_ms);

  /// Points to the host's member, so that a later assignment takes effect.
  std::function<void(utrace_task*, utrace_task*, uint64_t)>* new_task_hook = nullptr;
  void on_new_task(utrace_task& task, utrace_task* parent, uint64_t flags) {
    if (new_task_hook && *new_task_hook && !task.caretaken && !task.detaching && !task.lingering)
      (*new_task_hook)(&task, parent, flags);
  }
  std::function<bool(utrace_task*, const Sleep&)>* catch_hook = nullptr;
  std::function<void(utrace_task*)>* forget_hook = nullptr;
  std::function<void(const std::string&)>* notice_hook = nullptr;
  std::function<void(utrace_task*, uint64_t handler)>* trap_action_hook = nullptr;
  std::function<void(utrace_task*, pid_t)>* trapped_hook = nullptr;
  std::set<pid_t> trapped;  ///< threads that we knew and that a SIGTRAP has killed, until their parents learn it
  std::unordered_map<pid_t, std::unique_ptr<utrace_task>> tasks;
  uint64_t stops = 0;
  std::chrono::nanoseconds looking() const { return spin_.spent(); }
  uint64_t cut_short = 0;          ///< calls that tracing has ended with a smaller count than they asked for
  utrace_task* current = nullptr;  ///< innermost thread that a callback is running for

 private:
  friend class UtraceHost;
  struct Parked {
    int status;
    std::chrono::steady_clock::time_point since;
  };
  /// A thread that ended before its parent's event came.
  struct Ended {
    int status;
    bool adopted;  ///< everything about it was reported, except the clone
  };
  std::optional<Ended> take_ended(pid_t tid);
  Result<utrace_task*> await_exec(const ProgramChild& forked, const utrace_spawn& what);
  Result<bool> seize_pass(pid_t pid, std::vector<utrace_task*>& found);
  bool detach_one(utrace_task& task, int patience_ms);
  Stop syscall_stop(utrace_task& task, int status);
  bool must_go_round(utrace_task& task, int status, Stop stop);
  void take_ready();
  void empty_graveyard();
  int bounded_timeout(int timeout_ms) const;
  pid_t next_stop(int& status);

  std::unordered_set<const utrace_task*> valid_;
  std::vector<std::unique_ptr<utrace_task>> graveyard_;
  std::vector<utrace_task*> ready_;
  std::vector<utrace_task*> wanted_;
  std::deque<std::pair<pid_t, int>> deferred_;
  std::map<pid_t, Parked> parked_;
  std::map<pid_t, Ended> ended_;
  std::vector<utrace_task*> zombies_;
  std::chrono::steady_clock::time_point zombies_at_{};
  int zombies_pause_ms_ = 5;
  bool filter_used_ = false;
  uint16_t filter_mark_ = 0;
  bool told_of_rival_ = false;
  int our_filters_ = 0;  ///< seccomp filters that we have ourselves: programs that we start inherit them
  bool more_ = false;
  Spin spin_;
  int depth_ = 0;
  UniqueFd signals_;
  GivenSignals given_;
  GivenLimit given_limit_;
};

/// This thread's core; null: none. A traced thread can be used only by the thread that traces it.
extern thread_local Core* core_of_thread;

}  // namespace sonde
