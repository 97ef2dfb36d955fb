// SPDX-License-Identifier: GPL-3.0-or-later
// Rounds of callbacks, and how a thread continues after them
//
// Every engine keeps its last choice. A callback's return value replaces it, and so does utrace_control(). The thread
// does the most constrained of all choices. STOP stays until it is replaced. REPORT and INTERRUPT are used up when the
// thread continues: they become a PTRACE_INTERRUPT, which traps before the thread's next user instruction. A step lasts
// until its trap is reported.
#include <algorithm>
#include <utility>

#include "runtime/utrace/arch.h"
#include "runtime/utrace/core.h"
#include "runtime/utrace/thread_status.h"

namespace sonde {
namespace {

/// Marks a thread as being reported on; cleans up its engine list at the end.
class Reporting {
 public:
  Reporting(Core& core, utrace_task& task) : core_(core), task_(task), before_(core.current) {
    ++task.dispatching;
    core.current = &task;
  }
  ~Reporting() {
    core_.current = before_;
    if (--task_.dispatching == 0) core_.settle(task_);
  }
  Reporting(const Reporting&) = delete;
  Reporting& operator=(const Reporting&) = delete;

 private:
  Core& core_;
  utrace_task& task_;
  utrace_task* before_;
};

utrace_syscall_set every_call() {
  utrace_syscall_set all;
  std::fill(std::begin(all.bits), std::end(all.bits), ~uint64_t{0});
  return all;
}

void begin_callback(Engine& engine) {
  ++engine.reporting;
  engine.controlled = false;
}

void merge(utrace_syscall_set& into, const utrace_syscall_set& from) {
  for (size_t i = 0; i < std::size(into.bits); ++i) into.bits[i] |= from.bits[i];
}

/// Whether the filter does not stop some call of `wanted`.
bool exceeds(const utrace_syscall_set& wanted, const utrace_syscall_set* filter) {
  for (size_t i = 0; i < std::size(wanted.bits); ++i)
    if (wanted.bits[i] & ~(filter ? filter->bits[i] : 0)) return true;
  return false;
}

}  // namespace

/// Calls every engine: report_quiesce first, then `call` if it wants `event`. `call(engine, action)` returns the
/// callback's result; `action` is the most constrained choice of the engines before it.
template <typename Call>
void Core::round(utrace_task& task, uint32_t event, Call call) {
  Reporting reporting(*this, task);
  uint32_t action = UTRACE_RESUME;
  for (size_t i = 0, count = task.engines.size(); i < count; ++i) {
    Engine* engine = task.engines[i];
    if (!engine) continue;
    if ((engine->flags & UTRACE_EVENT_QUIESCE) && event != 0)
      call_back<&utrace_engine_ops::report_quiesce>(task, *engine, action, event);
    if (!task.engines[i]) continue;
    // Read the flags again: report_quiesce may have asked for this very event.
    if (event == 0 || (engine->flags & event)) call(*engine, action);
    if (task.engines[i]) action = std::min(action, engine->choice);
  }
}

/// Calls an engine's callback, if it has it.
template <auto Callback, typename... Arguments>
void Core::call_back(utrace_task& task, Engine& engine, uint32_t action, Arguments... arguments) {
  if (!(engine.ops->*Callback)) return;
  begin_callback(engine);
  accept(task, engine, (engine.ops->*Callback)(action, &engine, &task, arguments...));
}

/// Ends one callback: applies its resume action, unlinks an engine that is leaving.
void Core::accept(utrace_task& task, Engine& engine, uint32_t result) {
  --engine.reporting;
  uint32_t action = result & UTRACE_RESUME_MASK;
  if (action == UTRACE_DETACH) engine.leaving = true;
  // A STOP that control() set meanwhile is newer than what this callback knew.
  else if (!(engine.controlled && engine.choice == UTRACE_STOP))
    engine.choice = std::min<uint32_t>(action, UTRACE_RESUME);
  engine.controlled = false;
  if (engine.leaving && engine.reporting == 0) unlink(task, engine);
}

/// Removes an engine from its thread, and drops the attachment's reference.
void Core::unlink(utrace_task& task, Engine& engine) {
  if (!engine.task) return;
  auto place = std::find(task.engines.begin(), task.engines.end(), &engine);
  if (place != task.engines.end()) *place = nullptr;
  engine.task = nullptr;
  if (task.dispatching == 0) settle(task);
  utrace_engine_put(&engine);
}

void Core::settle(utrace_task& task) {
  std::erase(task.engines, nullptr);
  recompute(task);
}

void Core::recompute(utrace_task& task) {
  task.events = 0;
  task.entries = {};
  task.exits = {};
  for (Engine* engine : task.engines) {
    if (!engine) continue;
    task.events |= engine->flags;
    if (engine->flags & UTRACE_EVENT_SYSCALL_ENTRY)
      merge(task.entries, engine->narrow_entries ? engine->entries : every_call());
    if (engine->flags & UTRACE_EVENT_SYSCALL_EXIT)
      merge(task.exits, engine->narrow_exits ? engine->exits : every_call());
  }
  utrace_syscall_set wanted = task.entries;
  merge(wanted, task.exits);
  task.full = exceeds(wanted, task.own_filter ? nullptr : task.filter.get());
  // A thread that runs without syscall stops would show no calls before its next stop.
  if (task.full && !task.running_full && task.life == Life::Running) interrupt(task, false);
}

void Core::report_entry(utrace_task& task) {
  uint32_t resumed = task.repeat ? uint32_t{UTRACE_SYSCALL_RESUMED} : 0;
  task.repeat = false;
  task.syscall_action = UTRACE_SYSCALL_RUN;
  round(task, UTRACE_EVENT_SYSCALL_ENTRY, [&](Engine& engine, uint32_t action) {
    if (!engine.ops->report_syscall_entry) return;
    if (engine.narrow_entries && !engine.entries.has(task.number)) return;
    begin_callback(engine);
    uint32_t result = engine.ops->report_syscall_entry(action | task.syscall_action | resumed, &engine, &task,
                                                       utrace_registers(&task));
    task.syscall_action = result & UTRACE_SYSCALL_MASK;
    accept(task, engine, result);
  });
  for (Engine* engine : task.engines)
    if (engine && (engine->choice == UTRACE_REPORT || engine->choice == UTRACE_INTERRUPT)) task.repeat = true;
  if (!held(task)) task.repeat = false;
}

void Core::report_exit_of_call(utrace_task& task) {
  round(task, UTRACE_EVENT_SYSCALL_EXIT, [&](Engine& engine, uint32_t action) {
    if (!engine.ops->report_syscall_exit) return;
    if (engine.narrow_exits && !engine.exits.has(task.number)) return;
    begin_callback(engine);
    accept(task, engine, engine.ops->report_syscall_exit(action, &engine, &task, utrace_registers(&task)));
  });
}

void Core::report_clone(utrace_task& task, uint64_t flags, utrace_task& child) {
  round(task, UTRACE_EVENT_CLONE, [&](Engine& engine, uint32_t action) {
    call_back<&utrace_engine_ops::report_clone>(task, engine, action, flags, &child);
  });
}

void Core::report_exec(utrace_task& task, pid_t former) {
  utrace_exec exec{former};
  round(task, UTRACE_EVENT_EXEC, [&](Engine& engine, uint32_t action) {
    if (!engine.ops->report_exec) return;
    begin_callback(engine);
    accept(task, engine, engine.ops->report_exec(action, &engine, &task, &exec, utrace_registers(&task)));
  });
}

void Core::report_exit(utrace_task& task, long code) {
  task.exit_reported = true;
  long shown = code;
  round(task, UTRACE_EVENT_EXIT, [&](Engine& engine, uint32_t action) {
    call_back<&utrace_engine_ops::report_exit>(task, engine, action, code, &shown);
  });
}

void Core::report_jctl(utrace_task& task, int type, int notify) {
  round(task, UTRACE_EVENT_JCTL, [&](Engine& engine, uint32_t action) {
    call_back<&utrace_engine_ops::report_jctl>(task, engine, action, type, notify);
  });
}

void Core::report_death(utrace_task& task, bool group_dead, int signal) {
  task.in_death = true;
  round(task, UTRACE_EVENT_DEATH, [&](Engine& engine, uint32_t) {
    if (!engine.ops->report_death) return;
    begin_callback(engine);
    uint32_t result = engine.ops->report_death(&engine, &task, group_dead, signal);
    // A dead thread has no resume action, except DETACH.
    accept(task, engine, (result & UTRACE_RESUME_MASK) == UTRACE_DETACH ? UTRACE_DETACH : UTRACE_RESUME);
  });
  task.in_death = false;
}

void Core::report_quiesce_to(utrace_task& task, Engine& engine, uint32_t action) {
  if (engine.flags & UTRACE_EVENT_QUIESCE) call_back<&utrace_engine_ops::report_quiesce>(task, engine, action, 0u);
}

/// Calls report_quiesce(0). An engine that has report_signal and no report_quiesce gets UTRACE_SIGNAL_REPORT instead.
void Core::report_quiesce(utrace_task& task) {
  if (!(task.events & UTRACE_EVENT_QUIESCE)) return;
  round(task, 0, [&](Engine& engine, uint32_t action) { report_quiesce_to(task, engine, action); });
}

/// Reports UTRACE_SIGNAL_REPORT or UTRACE_SIGNAL_HANDLER, without a new signal. The latter also counts as a report that
/// was asked for: an engine without report_signal gets report_quiesce(0).
void Core::signal_report(utrace_task& task, uint32_t kind) {
  task.signal_action = kind;
  if (task.stop != Stop::Signal) task.info = {};
  bool handler = kind == UTRACE_SIGNAL_HANDLER;
  round(task, 0, [&](Engine& engine, uint32_t action) {
    if (handler && !engine.ops->report_signal) report_quiesce_to(task, engine, action);
    if (!engine.ops->report_signal) return;
    bool wants = engine.flags & (UTRACE_EVENT_QUIESCE | (handler ? uint32_t{UTRACE_EVENT_SIGNAL_ALL} : 0));
    if (!wants || (!handler && engine.ops->report_quiesce && task.stop != Stop::Signal)) return;
    begin_callback(engine);
    struct sigaction action_after {};
    uint32_t result = engine.ops->report_signal(action | task.signal_action, &engine, &task, utrace_registers(&task),
                                                &task.info, nullptr, &action_after);
    task.signal_action = result & (UTRACE_SIGNAL_MASK | UTRACE_SIGNAL_HOLD);
    accept(task, engine, result);
  });
  if ((task.signal_action & UTRACE_SIGNAL_MASK) != UTRACE_SIGNAL_DELIVER || task.info.si_signo <= 0 ||
      task.info.si_signo > SIGRTMAX)
    return;
  // A signal that an engine made up.
  if (task.stop == Stop::Signal) {
    task.inject = task.info.si_signo;
    request(PTRACE_SETSIGINFO, task, nullptr, &task.info);
  } else {
    send_again(task, task.info, true);
  }
}

void Core::report_signal(utrace_task& task, uint32_t initial, uint32_t event, const struct sigaction* orig) {
  task.signal_action = initial;
  // A step ends with its trap: an engine that wants another asks again. With any other signal it is still wanted.
  bool trap = task.info.si_signo == SIGTRAP && task.info.si_code > 0;
  for (Engine* engine : trap ? task.engines : std::vector<Engine*>())
    if (engine && (engine->choice == UTRACE_SINGLESTEP || engine->choice == UTRACE_BLOCKSTEP))
      engine->choice = UTRACE_RESUME;
  struct sigaction after = *orig;
  round(task, event, [&](Engine& engine, uint32_t action) {
    if (!engine.ops->report_signal) return;
    begin_callback(engine);
    uint32_t result = engine.ops->report_signal(action | task.signal_action, &engine, &task, utrace_registers(&task),
                                                &task.info, orig, &after);
    task.signal_action = result & (UTRACE_SIGNAL_MASK | UTRACE_SIGNAL_HOLD);
    accept(task, engine, result);
  });
  apply_signal(task, initial, *orig, after);
}

bool Core::held(const utrace_task& task) const {
  if (task.killed) return false;
  if (task.host_hold) return true;
  for (const Engine* engine : task.engines)
    if (engine && engine->choice == UTRACE_STOP) return true;
  return false;
}

/// After the callbacks of an event: holds the thread, or lets it continue.
void Core::finish(utrace_task& task) {
  if (task.life != Life::Stopped || task.dispatching) return;
  if (held(task) && task.report_wanted) {
    task.report_wanted = false;
    report_quiesce(task);
    signal_report(task, UTRACE_SIGNAL_REPORT);
  }
  if (!held(task)) proceed(task);
}

namespace {

struct Choice {
  uint32_t action;
  bool report;
};

/// Returns the most constrained choice; this uses up REPORT and INTERRUPT.
Choice take_choice(utrace_task& task) {
  Choice result{UTRACE_RESUME, false};
  for (Engine* engine : task.engines) {
    if (engine->choice == UTRACE_REPORT || engine->choice == UTRACE_INTERRUPT) {
      result.report = true;
      result.action = std::min(result.action, engine->choice);
      engine->choice = UTRACE_RESUME;
    }
  }
  for (Engine* engine : task.engines) result.action = std::min(result.action, engine->choice);
  return result;
}

}  // namespace

/// Continues a thread that no engine holds.
void Core::proceed(utrace_task& task) {
  if (task.repeat) {
    if (task.stop == Stop::Entry) {
      report_entry(task);
      if (held(task)) return;
    } else {
      task.repeat = false;
      bool swallowed = task.stop == Stop::Signal && task.inject == 0;
      if (!swallowed && task.stop != Stop::Signal) report_quiesce(task);
      if (task.stop != Stop::Signal || swallowed)
        signal_report(task, UTRACE_SIGNAL_REPORT);
      else
        task.report_wanted = true;
      if (held(task)) return;
    }
  }
  if (task.life != Life::Stopped) return;
  Choice choice = take_choice(task);
  if (task.stop == Stop::Entry && (task.syscall_action == UTRACE_SYSCALL_ABORT || task.goes_strict)) skip_call(task);
  if (!write_registers(task)) return;
  if (task.stop == Stop::Group) {
    if (request(PTRACE_LISTEN, task, nullptr, nullptr) == 0) task.life = Life::Listening;
    return;
  }
  bool step = choice.action == UTRACE_SINGLESTEP || choice.action == UTRACE_BLOCKSTEP;
  if (choice.report && task.stop == Stop::Entry && choice.action == UTRACE_REPORT) {
    task.report_at_exit = true;
  } else if ((choice.report || task.report_wanted) && task.stop != Stop::Death && !task.anew) {
    task.report_wanted = true;
    send_interrupt(task);
  }
  bool exit_stop =
      task.in_syscall && (task.report_at_exit || task.hurried || task.anew || task.goes_strict || task.clone ||
                          task.wants_exit(task.number) || (task.stop != Stop::Entry && task.running_full));
  bool full = (task.full || exit_stop || task.kept || task.hides || task.watches_clone > 0) && task.stop != Stop::Death;
  int what = step && !exit_stop ? (choice.action == UTRACE_BLOCKSTEP ? PTRACE_SINGLEBLOCK : PTRACE_SINGLESTEP)
             : full             ? PTRACE_SYSCALL
                                : PTRACE_CONT;
  task.running_full = what == PTRACE_SYSCALL;
  if (!task.running_full) task.in_syscall = false;
  task.stepped = step;
  task.life = Life::Running;
  spin_.expect();
  task.registers_valid = false;
  void* signal = reinterpret_cast<void*>(static_cast<intptr_t>(task.inject));
  long error = request(what, task, nullptr, signal);
  // This machine has no block step: single step instead, which stops at least as often.
  if (error == -EIO && what == PTRACE_SINGLEBLOCK) request(PTRACE_SINGLESTEP, task, nullptr, signal);
}

/// Makes a running thread stop; with `report`, report_quiesce(0) is called there. PTRACE_INTERRUPT would end a call
/// with EINTR or a short count. So a sleeping thread is caught behind its call, and a running one gets some time to
/// fall asleep.
void Core::interrupt(utrace_task& task, bool report) {
  constexpr auto kPatience = std::chrono::milliseconds(20);
  if (report) task.report_wanted = true;
  if (task.interrupted || task.caught || task.wanted) return;
  if (task.life == Life::Listening || (task.life == Life::Running && !(catch_hook && *catch_hook)))
    return send_interrupt(task);
  if (task.life != Life::Running || catch_asleep(task)) return;
  task.wanted = true;
  task.wanted_until = std::chrono::steady_clock::now() + kPatience;
  wanted_.push_back(&task);
}

/// If the thread sleeps in a call: catches it behind the call or, if that is impossible, interrupts it. Returns whether
/// it sleeps. A thread that is making a child counts as running, because the child would get a copy of the breakpoint.
bool Core::catch_asleep(utrace_task& task) {
  Sleep sleep, again;
  if (!read_sleep(task.tid, &sleep) || sleep.call < 0 || machine::makes_child(sleep.call)) return false;
  task.wanted = true;  // the hook may change the thread's events, which would call interrupt() again
  bool planted = (*catch_hook)(&task, sleep);
  task.wanted = false;
  if (!planted) {
    send_interrupt(task);
    return true;
  }
  if (!read_sleep(task.tid, &again) || again != sleep) {
    (*forget_hook)(&task);
    return false;
  }
  task.caught = sleep.pc;
  return true;
}

/// Checks the running threads that must stop: catches those that have fallen asleep, interrupts those whose time is
/// over.
void Core::watch_wanted() {
  auto now = std::chrono::steady_clock::now();
  for (utrace_task* task : std::exchange(wanted_, {})) {
    task->wanted = false;
    bool still = held(*task) || task->report_wanted || (task->full && !task->running_full);
    if (task->life != Life::Running || task->lingering || task->interrupted || !still || catch_asleep(*task)) continue;
    if (now >= task->wanted_until) {
      send_interrupt(*task);
    } else {
      task->wanted = true;
      wanted_.push_back(task);
    }
  }
}

/// Handles a stop of a thread with a breakpoint behind its call: it has hit the breakpoint, or does not need it any
/// more.
void Core::see_caught(utrace_task& task, int status) {
  if (!task.caught || !load_registers(task)) return;
  bool trapped = machine::breakpoint_address(task.registers) == task.caught;
  if (trapped && status >> 16 == PTRACE_EVENT_STOP) return;  // its trap comes after this stop
  task.caught = 0;
  if (!trapped && forget_hook && *forget_hook) (*forget_hook)(&task);
}

void Core::send_interrupt(utrace_task& task) {
  if (request(PTRACE_INTERRUPT, task, nullptr, nullptr) == 0) task.interrupted = true;
}

}  // namespace sonde
