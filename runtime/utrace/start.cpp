// SPDX-License-Identifier: GPL-3.0-or-later
// How threads come and go: spawn, seize, let go
//
// spawn() holds a ProgramChild at EVENT_EXEC.
//
// The filter is installed last, so that no call of the preparation stops; the exec itself stops only if execve is one
// of `calls`. The file is searched for before: each folder of PATH without it would be a failed exec, and cost a stop.
// A filtered call without a tracer fails with ENOSYS. So filtered programs get PTRACE_O_EXITKILL, and are never
// detached: when they are let go, we stay and let their calls pass without a report (caretaken) until they end.
// Processes that were attached to get no filter.
#include <dirent.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/utrace/arch.h"
#include "runtime/utrace/core.h"
#include "runtime/utrace/seccomp.h"
#include "runtime/utrace/thread_status.h"

namespace sonde {
namespace {

constexpr uintptr_t kOptions = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                               PTRACE_O_TRACEVFORKDONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT;
/// Without TRACESECCOMP the kernel itself does with SECCOMP_RET_TRACE what it does untraced.
constexpr uintptr_t kFilterOptions = PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL;
constexpr int kQuickLooks = 200;  // for the end of an exec

}  // namespace

utrace_task& Core::create(pid_t tid, pid_t pid) {
  auto made = std::make_unique<utrace_task>();
  utrace_task& task = *made;
  task.core = this;
  task.tid = tid;
  task.pid = pid;
  valid_.insert(&task);
  tasks[tid] = std::move(made);
  return task;
}

/// Ends our use of a thread: every engine is detached. The object stays until the turn is over.
void Core::bury(utrace_task& task) {
  task.life = Life::Reaped;
  auto engines = task.engines;
  for (Engine* engine : engines)
    if (engine) unlink(task, *engine);
  std::erase(ready_, &task);
  if (task.wanted) std::erase(wanted_, &task);
  std::erase(zombies_, &task);
  auto place = tasks.find(task.tid);
  if (place == tasks.end() || place->second.get() != &task) return;
  graveyard_.push_back(std::move(place->second));
  tasks.erase(place);
}

Result<utrace_task*> Core::spawn(const utrace_spawn& what) {
  const auto last = [&what, this] {
    if (const int code = given_limit_.restore(); code != 0 || !what.filter) return code;
    auto program = make_syscall_filter(what.calls, filter_mark_);
    return -install_syscall_filter(program);
  };
  const auto forked = ProgramChild::fork(
      what.argv, what.environment, {.signals = given_, .last = last, .user = what.user, .terminal = what.terminal});
  if (!forked) return forked.error();
  const pid_t child = forked->pid();
  uintptr_t options = kOptions | (what.filter ? kFilterOptions : 0);
  if (ptrace(PTRACE_SEIZE, child, nullptr, reinterpret_cast<void*>(options)) != 0) {
    int code = errno;
    forked->kill();
    return attach_refused(child, code);
  }
  if (!forked->go()) kill(child, SIGKILL);
  return await_exec(*forked, what);
}

Result<utrace_task*> Core::await_exec(const ProgramChild& forked, const utrace_spawn& what) {
  const pid_t child = forked.pid();
  for (int looks = 0;;) {
    int status = 0;
    const pid_t got = waitpid(child, &status, __WALL | WNOHANG);
    if (got < 0 && errno != EINTR) return Error::from_errno("start " + what.argv[0]);
    if (got <= 0) {
      if (what.give_up && what.give_up()) {
        kill(child, SIGKILL);  // not waited for: it may be in a call that ends when a server answers
        return Error("start " + what.argv[0] + ": its exec did not end", ETIMEDOUT);
      }
      usleep(++looks < kQuickLooks ? 100 : 5000);
      continue;
    }
    if (!WIFSTOPPED(status)) return forked.failure();
    int event = status >> 16, signal = WSTOPSIG(status);
    if (event == PTRACE_EVENT_EXEC) break;
    // Anything else that stops it before its exec is not the program's doing.
    int pass = event == 0 && signal != SIGTRAP ? signal : 0;
    ptrace(PTRACE_CONT, child, nullptr, static_cast<uintptr_t>(pass));
  }
  utrace_task& task = create(child, child);
  task.own_child = true;
  task.host_hold = true;
  task.life = Life::Stopped;
  task.stop = Stop::Exec;
  task.hide_exec_return = !what.shows_exec;
  if (what.shows_exec) {
    task.in_syscall = task.syscall_known = true;
    task.number = SYS_execve;
  }
  task.stops = 1;
  ++stops;
  if (what.filter) {
    auto filter = std::make_shared<utrace_syscall_set>();
    for (uint32_t call : what.calls) filter->add(call);
    task.filter = filter;
    filter_used_ = true;
  }
  on_new_task(task, nullptr, 0);
  return &task;
}

void Core::release_spawned(pid_t pid) {
  for (auto& [tid, task] : tasks) {
    if (task->pid != pid || !task->host_hold) continue;
    task->host_hold = false;
    queue(*task);
  }
}

/// Reads the thread list once. Returns whether it had a new thread.
Result<bool> Core::seize_pass(pid_t pid, std::vector<utrace_task*>& found) {
  std::string path = "/proc/" + std::to_string(pid) + "/task";
  DIR* list = opendir(path.c_str());
  if (!list) return Error::from_errno("attach to pid " + std::to_string(pid), errno == ENOENT ? ESRCH : errno);
  bool news = false;
  int failed = 0;
  while (dirent* entry = readdir(list)) {
    pid_t tid = std::atoi(entry->d_name);
    if (tid <= 0 || parked_.contains(tid)) continue;
    if (utrace_task* known = find(tid)) {
      // It was let go but has not stopped since, so it is still ours.
      if (std::exchange(known->lingering, false)) found.push_back(known);
      continue;
    }
    if (ptrace(PTRACE_SEIZE, tid, nullptr, reinterpret_cast<void*>(kOptions)) != 0) {
      int code = errno;
      ThreadStatus status;
      // It is ours by its parent's clone, which will be reported later; or it is dead already.
      bool ours = read_status(tid, &status) && status.tracer == getpid();
      bool dead = status.state == 0 || status.state == 'Z' || status.state == 'X';
      if (!ours && !dead) failed = code;
      continue;
    }
    utrace_task& task = create(tid, pid);
    task.life = Life::Running;
    found.push_back(&task);
    news = true;
  }
  closedir(list);
  if (failed && found.empty()) return attach_refused(pid, failed);
  return news;
}

Result<std::vector<utrace_task*>> Core::seize(pid_t pid) {
  if (traces_us(pid))
    return Error("attach to pid " + std::to_string(pid) +
                     ": it traces sonde itself, and two that trace each other can never end; stop that tracer first",
                 EDEADLK);
  std::vector<utrace_task*> found;
  for (bool news = true; news;) {
    auto pass = seize_pass(pid, found);
    if (!pass) {
      if (found.empty()) return std::move(pass).error();
      break;
    }
    news = *pass;
  }
  if (found.empty() && tasks_of(pid).empty()) return attach_refused(pid, ESRCH);
  for (utrace_task* task : found) on_new_task(*task, nullptr, 0);
  return found;
}

std::vector<utrace_task*> Core::tasks_of(pid_t pid) {
  std::vector<utrace_task*> result;
  for (auto& [tid, task] : tasks)
    if (pid == 0 || task->pid == pid) result.push_back(task.get());
  return result;
}

namespace {

/// Whether a SIGTRAP that the thread has caused itself is queued behind its current stop.
bool trap_queued(pid_t tid) {
  __ptrace_peeksiginfo_args which{0, 0, 32};
  siginfo_t queued[32];
  long count = ptrace(static_cast<__ptrace_request>(PTRACE_PEEKSIGINFO), tid, &which, queued);
  return std::any_of(queued, queued + std::max(count, 0L), [](auto& info) { return info.si_signo == SIGTRAP; });
}

}  // namespace

/// Which system call stop `status` is. `status` 0: the stop that the thread was in before.
Stop Core::syscall_stop(utrace_task& task, int status) {
  if (!status) return task.stop;
  if (status >> 16 == PTRACE_EVENT_SECCOMP) return Stop::Entry;
  if (WSTOPSIG(status) != (SIGTRAP | 0x80)) return Stop::Other;
  struct __ptrace_syscall_info info {};
  ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), task.tid, sizeof info, &info);
  return info.op == PTRACE_SYSCALL_INFO_ENTRY ? Stop::Entry : Stop::Exit;
}

/// Whether a thread must not be detached from this stop: a trap of ours is queued behind it, or the kernel has not yet
/// decided how an interrupted call ends. Then the thread continues to a better stop, which comes at once.
bool Core::must_go_round(utrace_task& task, int status, Stop stop) {
  bool interrupt_stop =
      status ? status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) == SIGTRAP : stop == Stop::Interrupt;
  if (interrupt_stop) return trap_queued(task.tid);
  if (stop != Stop::Exit || !load_registers(task)) return false;
  if (!machine::returns_eintr(task.registers) && !machine::waits_for_verdict(task.registers)) return false;
  send_interrupt(task);
  return true;
}

/// At an entry stop. A stale wake-up flag of the thread could end a call that begins now. So the call is not made: the
/// thread is put back on its instruction, and the kernel clears the flag on the way. False: not done, because a seccomp
/// filter would judge the call that is not made.
bool Core::undo_entry(utrace_task& task) {
  ThreadStatus status;
  if (task.aborted || task.anew || !load_registers(task) || (read_status(task.tid, &status) && status.seccomp != 0))
    return false;
  machine::enter_anew(task.registers);
  return true;
}

/// Detaches a thread that is in a ptrace-stop, and delivers the signal it stopped for. `status` 0: it was stopped
/// before. False: it must continue to another stop first, which comes at once.
bool Core::let_go(utrace_task& task, int status) {
  int event = status >> 16, signal = WSTOPSIG(status), pass = 0;
  Stop stop = syscall_stop(task, status);
  if (must_go_round(task, status, stop)) {
    write_registers(task);
    task.life = Life::Running;
    task.registers_valid = false;
    request(PTRACE_CONT, task, nullptr, nullptr);
    return false;
  }
  if (stop == Stop::Entry || stop == Stop::Exit) put_clone_back(task);
  if (stop == Stop::Entry) (void)undo_entry(task);
  if (stop == Stop::Exit && (std::exchange(task.cut, false) || (status && returns_short(task)))) ++cut_short;
  if (status && event == 0 && signal != SIGTRAP && signal != (SIGTRAP | 0x80)) pass = signal;
  if (status && event == 0 && signal == SIGTRAP) {
    // A trap of our own step is dropped; any other is the program's.
    siginfo_t info{};
    if (!task.stepped && request(PTRACE_GETSIGINFO, task, nullptr, &info) == 0 && info.si_code != SIGTRAP)
      pass = SIGTRAP;
    if (pass && info.si_code == SI_KERNEL && load_registers(task)) {
      // It hit a breakpoint that has been taken out since: the instruction there must still be executed.
      machine::Breakpoint there = machine::kBreakpoint;
      uint64_t at = machine::breakpoint_address(task.registers);
      if (utrace_read_memory(&task, at, &there, sizeof there) == 0 && there != machine::kBreakpoint) {
        machine::set_pc(task.registers, at);
        pass = 0;
      }
    }
  }
  if (!status) pass = task.inject;
  utrace_task* child = nullptr;
  if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK) {
    unsigned long message = 0;
    if (request(PTRACE_GETEVENTMSG, task, nullptr, &message) == 0 && message) {
      pid_t tid = static_cast<pid_t>(message);
      child = find(tid);
      if (!child) child = &create(tid, tid);
      child->detaching = true;
    }
  }
  utrace_task& after = event == PTRACE_EVENT_EXEC ? after_exec(task) : task;
  write_registers(after);
  request(PTRACE_DETACH, after, nullptr, reinterpret_cast<void*>(static_cast<intptr_t>(pass)));
  bury(after);
  if (child) detach_one(*child, 1000);
  return true;
}

void Core::free_engines(utrace_task& task) {
  for (Engine* engine : std::vector<Engine*>(task.engines))
    if (engine) unlink(task, *engine);
}

/// Lets one unfiltered thread go. False: it did not stop in time; it is let go at its next stop.
bool Core::detach_one(utrace_task& task, int patience_ms) {
  task.detaching = true;
  free_engines(task);
  if (task.life == Life::Dead || task.life == Life::Reaped) {
    if (task.life == Life::Dead && !task.in_death) bury(task);
    return true;
  }
  if (task.life == Life::Stopped && let_go(task, 0)) return true;
  int status = 0;
  if (auto parked = parked_.find(task.tid); parked != parked_.end()) {
    status = parked->second.status;
    parked_.erase(parked);
  } else {
    if (task.life != Life::Starting && !task.interrupted) send_interrupt(task);
    if (!wait_for(task, &status, patience_ms)) return false;
  }
  do {
    ++stops;
    task.life = Life::Stopped;
    task.registers_valid = false;
    task.interrupted = false;
    mend_call(task, status);
    if (let_go(task, status)) return true;
  } while (wait_for(task, &status, patience_ms));
  return false;
}

void Core::leave_process(pid_t pid) {
  for (utrace_task* task : tasks_of(pid)) {
    if (!valid(task) || task->life == Life::Reaped) continue;
    if (task->filter) {
      take_care_of(*task);
    } else if (task->life == Life::Dead) {
      detach_one(*task, 0);
    } else {
      task->lingering = true;
      free_engines(*task);
      if (task->life == Life::Stopped) let_go(*task, 0);
    }
  }
}

size_t Core::hasten(int patience_ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
  for (;;) {
    std::set<pid_t> left;
    bool coming = false;
    for (auto& [tid, task] : tasks) {
      if (!task->lingering || task->life == Life::Dead || task->life == Life::Reaped) continue;
      left.insert(task->pid);
      if (Sleep sleep; read_sleep(tid, &sleep) && machine::may_fall_short(sleep.call)) continue;
      coming = true;
      if (!task->interrupted && task->life != Life::Stopped) send_interrupt(*task);
    }
    if (!coming || std::chrono::steady_clock::now() >= end) return left.size();
    wait({}, 1);
  }
}

/// Its filter needs a tracer: from now on we only let its calls pass.
void Core::take_care_of(utrace_task& task) {
  task.caretaken = true;
  task.host_hold = false;
  free_engines(task);
  if (task.life == Life::Stopped) queue(task);
}

void Core::detach_process(pid_t pid) {
  auto all = tasks_of(pid);
  // First interrupt all, then wait for each: the waits overlap.
  for (utrace_task* task : all)
    if (!task->filter && (task->life == Life::Running || task->life == Life::Listening)) send_interrupt(*task);
  for (utrace_task* task : all) {
    if (!valid(task) || task->life == Life::Reaped) continue;
    if (task->filter)
      take_care_of(*task);
    else
      detach_one(*task, 1000);
  }
}

void Core::detach_all() {
  new_task_hook = nullptr;
  catch_hook = nullptr;
  forget_hook = nullptr;
  notice_hook = nullptr;
  trap_action_hook = nullptr;
  trapped_hook = nullptr;
  for (int round = 0; round < 100; ++round) {
    bool filtered_left = false, left = false;
    std::vector<pid_t> pids;
    for (auto& [tid, task] : tasks) {
      (task->filter ? filtered_left : left) = true;
      if (!task->filter || !task->caretaken) pids.push_back(task->pid);
    }
    adopt_parked(true);
    for (pid_t pid : pids) detach_process(pid);
    turn_some(256);
    empty_graveyard();
    if (tasks.empty()) return;
    if (filtered_left && !left) break;
  }
  // Filtered programs need a tracer to the end.
  while (!tasks.empty() &&
         std::any_of(tasks.begin(), tasks.end(), [](auto& it) { return it.second->filter != nullptr; }))
    wait({}, 1000);
}

}  // namespace sonde
