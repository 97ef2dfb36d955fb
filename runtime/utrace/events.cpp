// SPDX-License-Identifier: GPL-3.0-or-later
// What a wait status means
//
//   exited, signaled            the thread is gone                             dead()
//   SIGTRAP | 0x80              it enters or leaves a call                     on_syscall()
//   EVENT_SECCOMP               its filter has stopped a call                  on_seccomp()
//   EVENT_STOP                  our INTERRUPT, job control, or it is new       on_event_stop()
//   EVENT_CLONE, FORK, VFORK    it has a child, whose first stop may be there  on_clone()
//   EVENT_EXEC, EVENT_EXIT                                                     on_exec(), on_exit()
//   any signal                  it is about to be delivered                    on_signal()
//
// The program can notice a stop that tracing has caused only if the stop ended a system call. So each stop is first
// checked for that: a call that returned EINTR is repeated (mend_call()); one that returned a short count cannot be,
// and is counted (judge_cut()).
//
// A thread id may have a new owner by the time its status is read. Unknown threads are parked, never guessed: parked_
// has first stops whose parent has not reported the child yet, ended_ the ends that came before that report.
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "runtime/base/procfs.h"
#include "runtime/utrace/arch.h"
#include "runtime/utrace/core.h"
#include "runtime/utrace/thread_status.h"

namespace sonde {
namespace {

constexpr int kSyscallStop = SIGTRAP | 0x80;

/// State letter and start time from a thread's /proc stat; false: there is no such thread.
bool read_stat(pid_t pid, char* state, uint64_t* start) {
  char path[64], text[1024];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  if (read_proc(path, text, sizeof text) <= 0) return false;
  const char *letter = stat_field(text, 3), *since = stat_field(text, 22);
  if (letter == nullptr || since == nullptr) return false;
  *state = *letter;
  *start = std::strtoull(since, nullptr, 10);
  return true;
}

}  // namespace

void Core::event(pid_t tid, int status) {
  utrace_task* task = find(tid);
  if (WIFEXITED(status) || WIFSIGNALED(status)) {
    parked_.erase(tid);
    if (!task || task->adopted) ended_[tid] = {status, task != nullptr};
    if (task) dead(*task, status);
    return;
  }
  if (!WIFSTOPPED(status)) return;
  if (!task) ended_.erase(tid);  // the id has a new owner
  // A zombie whose id has a new owner must have been reaped.
  if (task && task->life == Life::Dead) {
    reap(*task);
    task = nullptr;
  }
  if (task)
    stopped(*task, status);
  else
    parked_[tid] = {status, std::chrono::steady_clock::now()};
}

void Core::stopped(utrace_task& task, int status) {
  int signal = WSTOPSIG(status), event = status >> 16;
  ++stops;
  ++task.stops;
  // The thread ran without being continued from its last stop: only SIGKILL can do that.
  if (task.life == Life::Stopped) task.killed = true;
  const bool born = task.life == Life::Starting && event == PTRACE_EVENT_STOP;
  task.life = Life::Stopped;
  task.stop = Stop::Other;
  task.registers_valid = false;
  task.inject = 0;
  task.repeat = false;
  task.hurried = std::exchange(task.interrupted, false);
  see_caught(task, status);
  judge_cut(task, status);
  mend_call(task, status);
  if (task.detaching || task.lingering) return void(let_go(task, status));
  if (task.kept) judge_kept(task, status);
  if (signal == kSyscallStop) return on_syscall(task);
  if (event == PTRACE_EVENT_SECCOMP) return on_seccomp(task);
  // After any other stop a call may continue; the next syscall stop is asked which kind it is.
  task.syscall_known = false;
  switch (event) {
    case PTRACE_EVENT_STOP: return on_event_stop(task, signal, born);
    case PTRACE_EVENT_CLONE:
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK: return on_clone(task, event);
    case PTRACE_EVENT_EXEC: return on_exec(task);
    case PTRACE_EVENT_EXIT: return on_exit(task);
    case 0: return on_signal(task, signal);
    default: return finish(task);
  }
}

/// Repairs a call that a wake-up without a handler has ended: our INTERRUPT, or a signal that would not have got here
/// untraced. Tells the kernel to repeat the call, unless a handler runs after all. Job control stops end calls even
/// untraced: those keep EINTR.
/// Context: at any stop, before anything else; it has an effect at stops inside signal delivery.
void Core::mend_call(utrace_task& task, int status) {
  int event = status >> 16, signal = WSTOPSIG(status);
  if ((event != 0 && event != PTRACE_EVENT_STOP) || signal == kSyscallStop) return;
  bool stops = event == PTRACE_EVENT_STOP ? signal != SIGTRAP : stops_process(task, signal);
  bool continues = event == PTRACE_EVENT_STOP ? task.job_stopped : signal == SIGCONT;
  bool keep = stops || (continues && task.keep_eintr);
  task.keep_eintr = keep && !(event == 0 && signal == SIGCONT);
  bool mended = std::exchange(task.mends, false);
  if (!load_registers(task)) return;
  if (stops && mended && machine::restarts_unless_handled(task.registers)) machine::return_eintr(task.registers);
  if (keep) return;
  if (!stops && !continues) avoid_restart_call(task);
  if (!machine::returns_eintr(task.registers)) return;
  machine::restart_unless_handled(task.registers);
  task.mends = true;  // unless a job control stop follows
}

/// Counts a call that returned less than it was asked for because of our INTERRUPT, or of a signal that would not have
/// got here untraced (no handler runs, the process does not stop). Such a call cannot be repaired. For a return that
/// was reported by an exit stop, the next stop decides; if a signal was the cause, it comes before any instruction of
/// the program.
/// Context: at any stop, before anything else.
void Core::judge_cut(utrace_task& task, int status) {
  const int event = status >> 16, signal = WSTOPSIG(status);
  const bool delivery = event == 0 && signal != kSyscallStop;
  bool cut = std::exchange(task.cut, false);
  if (!cut && (delivery || (event == PTRACE_EVENT_STOP && task.hurried))) cut = returns_short(task);
  if (!cut) return;
  const bool untraced_too = (delivery && (runs_handler(task, signal) || stops_process(task, signal))) ||
                            (event == PTRACE_EVENT_STOP && signal != SIGTRAP);
  if (!untraced_too) ++cut_short;
}

/// At a stop behind a call: whether it returned less than it was asked for, on a pipe, socket or terminal that would
/// wait for the rest.
bool Core::returns_short(utrace_task& task) {
  if (!load_registers(task) || !machine::is_short(task.registers)) return false;
  const std::string process = "/proc/" + std::to_string(task.tid);
  const std::string fd = std::to_string(static_cast<int>(machine::call_arguments(task.registers, false)[0]));
  struct stat what {};
  if (stat((process + "/fd/" + fd).c_str(), &what) != 0 || S_ISREG(what.st_mode)) return false;
  char line[128];
  unsigned flags = 0;
  if (FILE* file = std::fopen((process + "/fdinfo/" + fd).c_str(), "re")) {
    while (std::fgets(line, sizeof line, file) && std::sscanf(line, "flags: %o", &flags) != 1) continue;
    std::fclose(file);
  }
  return !(flags & O_NONBLOCK);
}

/// After the exit stop of a call that returns EINTR, a stop in signal delivery may never come: another thread may have
/// taken the signal. So this makes one. A call that returns EINTR for another reason (a seccomp filter's errno) returns
/// it again when it is repeated, and then keeps it.
void Core::see_interrupted_call(utrace_task& task) {
  constexpr uint8_t kMostMended = 8;
  if (!load_registers(task)) return;
  task.cut = returns_short(task);
  if (!machine::returns_eintr(task.registers)) {
    task.mended = 0;
  } else if (task.mended < kMostMended) {
    ++task.mended;
    send_interrupt(task);
  }
}

void Core::on_syscall(utrace_task& task) {
  bool entry = !task.in_syscall;
  if (!task.syscall_known) {
    struct __ptrace_syscall_info info {};
    long got = ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), task.tid, sizeof info, &info);
    if (got > 0) entry = info.op == PTRACE_SYSCALL_INFO_ENTRY;
    task.syscall_known = true;
  }
  if (entry) {
    task.in_syscall = true;
    task.aborted = false;
    task.hide_exec_return = false;
    task.stop = Stop::Entry;
    task.syscall_action = UTRACE_SYSCALL_RUN;
    if (task.hurried && undo_entry(task)) {
      task.anew = true;
      return finish(task);
    }
    if (load_registers(task)) {
      task.number = identify_call(task);
      see_entry(task);
      if (task.wants_entry(task.number)) report_entry(task);
      show_child(task);
    }
    return finish(task);
  }
  bool seen = task.in_syscall;
  task.in_syscall = false;
  task.stop = Stop::Exit;
  if (std::exchange(task.anew, false)) {
    task.report_at_exit = std::exchange(task.report_wanted, false);
    return after_call(task);
  }
  if ((task.aborted || !seen) && load_registers(task)) {
    if (task.aborted) {
      machine::set_call_number(task.registers, task.hidden_number);
      machine::set_call_number(task.registers_read, task.hidden_number);
    } else {
      task.number = identify_call(task);
    }
  }
  task.aborted = false;
  if (std::exchange(task.goes_strict, false)) enter_strict_mode(task);
  put_clone_back(task);
  see_interrupted_call(task);
  if (task.hide_exec_return)
    task.hide_exec_return = false;
  else if (task.wants_exit(task.number) && load_registers(task) && !keep_return(task))
    report_exit_of_call(task);
  after_call(task);
}

/// Ends an exit stop: makes a report that was waiting for it.
void Core::after_call(utrace_task& task) {
  if (task.report_at_exit) {
    task.report_at_exit = false;
    report_quiesce(task);
    signal_report(task, UTRACE_SIGNAL_REPORT);
  }
  finish(task);
}

void Core::on_seccomp(utrace_task& task) {
  // With PTRACE_SYSCALL the entry stop came first, and was reported.
  if (!std::exchange(task.in_syscall, true)) {
    task.syscall_known = true;
    task.aborted = false;
    task.stop = Stop::Entry;
    task.syscall_action = UTRACE_SYSCALL_RUN;
    if (load_registers(task)) {
      task.number = identify_call(task);
      task.hide_exec_return = false;
      see_entry(task);
      if (task.wants_entry(task.number)) report_entry(task);
      show_child(task);
    }
  }
  if (is_own_verdict(task)) skip_call(task);
  finish(task);
}

void Core::see_entry(utrace_task& task) {
  task.goes_strict = asks_for_strict_mode(task);
  note_own_filter(task);
  note_trap_action(task);
  see_rival(task);
}

void Core::note_trap_action(utrace_task& task) {
  if (task.number != machine::kSigactionCall) return;
  uint64_t handler = 0;
  const utrace_call call = utrace_get_call(&task);
  if (!machine::sets_action(call, SIGTRAP) || !trap_action_hook || !*trap_action_hook) return;
  if (utrace_read_memory(&task, call.arguments[1], &handler, sizeof handler) == 0) (*trap_action_hook)(&task, handler);
}

/// The end of a child whose parent reports it only now.
std::optional<Core::Ended> Core::take_ended(pid_t tid) {
  auto node = ended_.extract(tid);
  char state = 0;
  uint64_t start = 0;
  const bool there = read_stat(tid, &state, &start) && state != 'Z';
  if (node.empty() || there) return std::nullopt;
  return node.mapped();
}

void Core::on_clone(utrace_task& task, int event) {
  task.stop = Stop::Clone;
  unsigned long message = 0;
  if (request(PTRACE_GETEVENTMSG, task, nullptr, &message) != 0) return finish(task);
  pid_t tid = static_cast<pid_t>(message);
  uint64_t flags = event == PTRACE_EVENT_VFORK  ? CLONE_VFORK | CLONE_VM | SIGCHLD
                   : event == PTRACE_EVENT_FORK ? SIGCHLD
                                                : 0;
  if (load_registers(task)) {
    auto read = [&](uint64_t at, void* to, size_t length) { return utrace_read_memory(&task, at, to, length) == 0; };
    if (!machine::clone_flags(utrace_get_call(&task), read, &flags) && event == PTRACE_EVENT_CLONE) {
      char path[64];
      std::snprintf(path, sizeof path, "/proc/%d/task/%d", task.pid, tid);
      if (access(path, F_OK) == 0) flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
    }
  }
  if (task.clone) flags |= CLONE_UNTRACED;
  bool thread = flags & CLONE_THREAD;
  utrace_task* child = find(tid);
  if (child && child->life == Life::Dead) {
    reap(*child);
    child = nullptr;
  }
  const std::optional<Ended> ended = take_ended(tid);
  bool known = child || (ended && ended->adopted);
  if (!child) {
    child = &create(tid, thread ? task.pid : tid);
    child->caretaken = task.caretaken;
  }
  child->filter = task.filter;
  child->own_filter = task.own_filter;
  if (task.clone) {
    child->clone = ChangedClone{task.clone->argument, 0, {}};
    child->hides = true;
  }
  child->adopted = false;
  if (!known) on_new_task(*child, &task, flags);
  report_clone(task, flags, *child);
  if (ended && ended->adopted) {
    reap(*child);
  } else if (ended) {
    dead(*child, ended->status);
  } else if (auto parked = parked_.find(tid); parked != parked_.end()) {
    int status = parked->second.status;
    parked_.erase(parked);
    stopped(*child, status);
  }
  finish(task);
}

/// A thread that was not the leader has execed and now has the leader's id: its object takes the leader's place.
utrace_task& Core::after_exec(utrace_task& leader) {
  unsigned long message = 0;
  if (request(PTRACE_GETEVENTMSG, leader, nullptr, &message) != 0) return leader;
  pid_t former = static_cast<pid_t>(message), pid = leader.tid;
  utrace_task* runner = find(former);
  if (former == pid || !runner) return leader;
  bool own = leader.own_child;
  leader.life = Life::Dead;
  if (!leader.exit_reported && (leader.events & UTRACE_EVENT_EXIT)) report_exit(leader, 0);
  report_death(leader, false, -1);
  reap(leader);
  auto node = tasks.extract(former);
  node.key() = pid;
  tasks.insert(std::move(node));
  runner->tid = pid;
  runner->pid = pid;
  runner->own_child = own;
  runner->life = Life::Stopped;
  runner->stop = Stop::Exec;
  runner->registers_valid = false;
  runner->inject = 0;
  ++runner->stops;
  return *runner;
}

void Core::on_exec(utrace_task& leader) {
  pid_t former = leader.tid;
  unsigned long message = 0;
  if (request(PTRACE_GETEVENTMSG, leader, nullptr, &message) == 0) former = static_cast<pid_t>(message);
  utrace_task& task = after_exec(leader);
  task.stop = Stop::Exec;
  task.job_stopped = false;
  report_exec(task, former);
  finish(task);
}

void Core::on_exit(utrace_task& task) {
  task.stop = Stop::Death;
  unsigned long code = 0;
  request(PTRACE_GETEVENTMSG, task, nullptr, &code);
  if ((code & 0x7f) == SIGKILL) task.killed = true;
  if (task.events & (UTRACE_EVENT_EXIT | UTRACE_EVENT_QUIESCE)) report_exit(task, static_cast<long>(code));
  task.exit_reported = true;
  finish(task);
}

void Core::on_event_stop(utrace_task& task, int signal, bool born) {
  bool others_stopped = true;
  for (auto& [tid, other] : tasks)
    if (other.get() != &task && other->pid == task.pid && other->life != Life::Dead && !other->job_stopped)
      others_stopped = false;
  task.stop = Stop::Interrupt;
  if (signal != SIGTRAP) {
    task.stop = Stop::Group;
    if (!task.job_stopped) {
      task.job_stopped = true;
      report_jctl(task, CLD_STOPPED, others_stopped ? CLD_STOPPED : 0);
    }
  } else if (task.job_stopped) {
    task.job_stopped = false;
    report_jctl(task, CLD_CONTINUED, others_stopped ? CLD_CONTINUED : 0);
  }
  bool handler = task.handler_due && task.stop == Stop::Interrupt;
  if (handler) {
    task.handler_due = false;
    restore_handler(task);
  }
  if (task.report_wanted) {
    task.report_wanted = false;
    if (handler) {
      signal_report(task, UTRACE_SIGNAL_HANDLER);
    } else {
      report_quiesce(task);
      signal_report(task, UTRACE_SIGNAL_REPORT);
    }
  }
  if (born && load_registers(task)) put_clone_back(task);
  if (born) report_birth(task);
  finish(task);
}

/// The new thread returns from its parent's clone; this return has no exit stop.
void Core::report_birth(utrace_task& task) {
  task.stop = Stop::Birth;
  task.number = identify_call(task);
  if (task.number >= 0 && task.wants_exit(task.number)) report_exit_of_call(task);
}

void Core::dead(utrace_task& task, int status) {
  bool process = task.tid == task.pid;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP) trapped.insert(task.pid);
  task.life = Life::Dead;
  task.stop = Stop::None;
  task.registers_valid = false;
  if (task.kept) report_kept(task, machine::call_result(task.kept->registers));
  // SIGKILL may skip the exit stop; the report is made all the same, without registers.
  if (!task.exit_reported && (task.events & UTRACE_EVENT_EXIT)) report_exit(task, status);
  bool group_dead = true;
  for (auto& [tid, other] : tasks)
    if (other.get() != &task && other->pid == task.pid && other->life != Life::Dead) group_dead = false;
  report_death(task, group_dead, process ? SIGCHLD : -1);
  bool wanted = task.events & UTRACE_EVENT_REAP;
  char state = 0;
  // A child of another process is reaped by its parent; we can only watch it.
  if (process && !task.own_child && wanted && read_stat(task.tid, &state, &task.start_time) && state == 'Z') {
    zombies_.push_back(&task);
    zombies_pause_ms_ = 2;
    return;
  }
  reap(task);
}

void Core::reap(utrace_task& task) {
  auto engines = task.engines;
  task.life = Life::Reaped;
  utrace_task* before = current;
  current = &task;
  ++task.dispatching;
  for (Engine* engine : engines) {
    if (!engine || !(engine->flags & UTRACE_EVENT_REAP) || !engine->ops->report_reap) continue;
    ++engine->reporting;
    engine->ops->report_reap(engine, &task);
    --engine->reporting;
  }
  --task.dispatching;
  current = before;
  bury(task);
}

void Core::watch_zombies() {
  if (zombies_.empty()) return;
  auto now = std::chrono::steady_clock::now();
  if (now < zombies_at_) return;
  auto watched = std::move(zombies_);
  zombies_.clear();
  for (utrace_task* task : watched) {
    if (task->life != Life::Dead) continue;
    char state = 0;
    uint64_t start = 0;
    bool there = read_stat(task->tid, &state, &start) && start == task->start_time && state == 'Z';
    if (there && (task->events & UTRACE_EVENT_REAP))
      zombies_.push_back(task);
    else
      reap(*task);
  }
  zombies_pause_ms_ = std::min(200, zombies_pause_ms_ * 2);
  zombies_at_ = now + std::chrono::milliseconds(zombies_pause_ms_);
}

namespace {

/// The flags of the clone that made `task`, as far as they can be derived from how the two are related.
uint64_t kinship(const utrace_task& relative, const utrace_task& task) {
  if (relative.pid == task.pid) return CLONE_THREAD | CLONE_SIGHAND | CLONE_VM;
  const bool shares = syscall(SYS_kcmp, relative.tid, task.tid, KCMP_VM, 0, 0) == 0;
  return SIGCHLD | (shares ? CLONE_VM : 0);
}

}  // namespace

/// Adopts threads whose parent was killed before it could report them: at once when no possible parent is left, else
/// (or with `now`) after a while. Such a child may still have a relative's memory, or a copy of it with breakpoints.
void Core::adopt_parked(bool now) {
  constexpr auto kPatience = std::chrono::seconds(2);  // on an overloaded machine the parent is only slow
  const auto limit = std::chrono::steady_clock::now() - kPatience;
  for (auto it = parked_.begin(); it != parked_.end();) {
    pid_t tid = it->first;
    ThreadStatus kin{.process = tid};
    (void)read_status(tid, &kin);
    utrace_task* relative = nullptr;
    for (auto& [other_tid, other] : tasks) {
      if (other->life == Life::Dead || (other->pid != kin.process && other->pid != kin.parent)) continue;
      if (!relative || other->pid == kin.process) relative = other.get();
    }
    if (relative && !now && it->second.since > limit) {
      ++it;
      continue;
    }
    int status = it->second.status;
    it = parked_.erase(it);
    utrace_task& task = create(tid, kin.process);
    task.adopted = relative != nullptr;
    if (relative) {
      task.filter = relative->filter;
      task.own_filter = relative->own_filter;
      task.caretaken = relative->caretaken;
    } else if (kin.seccomp == 2 && filter_used_) {
      // It may have our filter, but which one is unknown.
      task.filter = std::make_shared<utrace_syscall_set>();
      task.own_filter = true;
    }
    on_new_task(task, relative, relative ? kinship(*relative, task) : 0);
    stopped(task, status);
  }
}

}  // namespace sonde
