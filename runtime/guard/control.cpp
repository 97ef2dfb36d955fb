// SPDX-License-Identifier: GPL-3.0-or-later
// The Tracer's commands: start, attach, hold, release, let go
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <set>

#include "runtime/guard/tracer.h"

namespace sonde::guard {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kStopPatienceMs = 2000;  // a thread in an uninterruptible wait stops later
constexpr auto kEntryPatience = std::chrono::seconds(60);
constexpr int kTurnMs = 20;
constexpr int kLetGoRounds = 100;

Error no_process(pid_t pid) { return Error("no process " + std::to_string(pid) + " is traced", ESRCH); }

/// A SIGTRAP that the thread has caused and not taken yet.
bool trap_pending(pid_t tid) {
  char path[64], line[256];
  std::snprintf(path, sizeof path, "/proc/%d/status", tid);
  FILE* file = std::fopen(path, "re");
  if (file == nullptr) return false;
  unsigned long long pending = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::sscanf(line, "SigPnd: %llx", &pending) == 1) break;
  }
  std::fclose(file);
  return (pending >> (SIGTRAP - 1) & 1) != 0;
}

}  // namespace

Result<pid_t> Tracer::spawn(const utrace_spawn& what) {
  auto task = host_.spawn(what);
  if (!task) return std::move(task).error();
  const pid_t pid = utrace_task_pid(*task);
  Thread* thread = targets_.thread(pid);
  SONDE_CHECK(thread != nullptr);
  thread->process->requested = true;
  thread->process->waiting = true;
  utrace_control(thread->task, thread->engine, UTRACE_STOP);
  host_.release_spawned(pid);
  return pid;
}

Result<void> Tracer::attach(pid_t pid) {
  if (targets_.process(pid) != nullptr) return Error("process " + std::to_string(pid) + " is traced already", EEXIST);
  auto tasks = host_.seize(pid);
  if (!tasks) return std::move(tasks).error();
  Process* process = targets_.process(pid);
  if (process == nullptr) return no_process(pid);
  process->requested = true;
  process->attached = true;
  process->waiting = true;
  stop_all({pid}, kStopPatienceMs);
  process = targets_.process(pid);
  if (process == nullptr) return no_process(pid);
  for (Thread* thread : targets_.threads_of(pid)) want_events(*thread);
  return {};
}

bool Tracer::all_stopped(const std::vector<pid_t>& pids) {
  for (auto& [tid, thread] : targets_.threads()) {
    const bool concerned = std::find(pids.begin(), pids.end(), thread->process->pid) != pids.end();
    if (concerned && !thread->exited && !utrace_task_stopped(thread->task)) return false;
  }
  return true;
}

/// Every thread gets a STOP; waits until they stand. Threads they make meanwhile must_stop() by themselves.
void Tracer::stop_all(const std::vector<pid_t>& pids, int patience_ms) {
  for (pid_t pid : pids) {
    for (Thread* thread : targets_.threads_of(pid)) utrace_control(thread->task, thread->engine, UTRACE_STOP);
  }
  const auto end = Clock::now() + std::chrono::milliseconds(patience_ms);
  while (!all_stopped(pids) && Clock::now() < end) host_.wait({}, kTurnMs);
}

/// With `constructors` it stops before those of its libraries, if the dynamic linker has a place for that.
Result<void> Tracer::run_to_entry(pid_t pid, bool constructors, const std::function<bool()>& give_up) {
  Process* process = targets_.process(pid);
  if (process == nullptr) return no_process(pid);
  if (process->at_entry || process->attached || process->space->compat()) return {};
  if (!breakpoints_.want_entry(*process))
    return Error("process " + std::to_string(pid) + ": it has no entry point to run to", ENOTSUP);
  if (constructors) breakpoints_.want_constructors(*process);
  for (Thread* thread : targets_.threads_of(pid)) want_events(*thread);
  process->waiting = false;
  for (Thread* thread : targets_.threads_of(pid)) restart(*thread);
  const auto end = Clock::now() + kEntryPatience;
  for (;;) {
    host_.wait({}, kTurnMs);
    process = targets_.process(pid);
    if (process == nullptr) return Error("process " + std::to_string(pid) + " ended before its entry point", ESRCH);
    if (process->at_entry) return {};
    if (Clock::now() < end && !give_up()) continue;
    breakpoints_.drop_entry(*process);
    process->waiting = true;
    stop_all({pid}, kStopPatienceMs);
    return Error("process " + std::to_string(pid) + ": it did not reach its entry point", ETIMEDOUT);
  }
}

void Tracer::go() {
  for (auto& [pid, process] : targets_.processes()) process->waiting = false;
  std::vector<Thread*> threads;
  for (auto& [tid, thread] : targets_.threads()) threads.push_back(thread.get());
  for (Thread* thread : threads) restart(*thread);
}

/// Lets a thread go on if nothing keeps it: past the breakpoint first that it may stand at.
void Tracer::restart(Thread& thread) {
  if (must_stop(thread)) return;
  user_regs_struct* regs = thread.at_site != 0 ? utrace_registers(thread.task) : nullptr;
  if (regs != nullptr) breakpoints_.advance(thread, *regs);
  resume_if_free(thread);
}

Result<void> Tracer::hold(pid_t pid) {
  Process* process = targets_.process(pid);
  if (process == nullptr) return no_process(pid);
  process->held = true;
  stop_all({pid}, kStopPatienceMs);
  return {};
}

Result<void> Tracer::resume(pid_t pid) {
  Process* process = targets_.process(pid);
  if (process == nullptr) return no_process(pid);
  process->held = false;
  for (Thread* thread : targets_.threads_of(pid)) restart(*thread);
  return {};
}

Result<void> Tracer::release(pid_t tid, uint64_t how) {
  Thread* thread = targets_.thread(tid);
  if (thread == nullptr) return Error("no thread " + std::to_string(tid) + " is traced", ESRCH);
  if (!thread->held) return Error("thread " + std::to_string(tid) + " is not held", EINVAL);
  const uint64_t signal = how >= 2 ? how - 2 : 0;
  if (signal > static_cast<uint64_t>(SIGRTMAX)) return Error("no such signal", EINVAL);
  const pid_t pid = thread->process->pid;
  if (how == 1) kill(pid, SIGSTOP);
  if (signal != 0) kill(pid, static_cast<int>(signal));
  user_regs_struct* regs = utrace_registers(thread->task);
  run_pending(*thread, regs);
  restart(*thread);
  return {};
}

Result<void> Tracer::follow(pid_t pid) {
  Process* process = targets_.process(pid);
  if (process == nullptr) return no_process(pid);
  breakpoints_.follow(*process);
  for (Thread* thread : targets_.threads_of(pid)) want_events(*thread);
  return {};
}

Result<void> Tracer::seen(pid_t tid) {
  Thread* thread = targets_.thread(tid);
  if (thread == nullptr) return Error("no thread " + std::to_string(tid) + " is traced", ESRCH);
  if (thread->unseen == 0) return Error("thread " + std::to_string(tid) + " does not wait", EINVAL);
  thread->unseen--;
  restart(*thread);
  return {};
}

/// Threads that have run into a breakpoint or are in a step, and have not been reported yet, are let through to
/// their report. Whether there were any.
bool Tracer::settle_traps(const std::vector<pid_t>& pids) {
  bool some = false;
  for (pid_t pid : pids) {
    for (Thread* thread : targets_.threads_of(pid)) {
      user_regs_struct* regs = utrace_task_stopped(thread->task) ? utrace_registers(thread->task) : nullptr;
      if (regs == nullptr) continue;
      if (trap_pending(thread->tid) && (thread->step.active || thread->process->space->was_ours(regs->rip - 1))) {
        utrace_control(thread->task, thread->engine, UTRACE_RESUME);
        some = true;
      } else {
        breakpoints_.interrupted(*thread, *regs);
      }
    }
  }
  // They go on in this turn of the loop; a STOP before it would take the RESUME back.
  if (some) host_.wait({}, kTurnMs);
  return some;
}

void Tracer::let_go(const std::vector<pid_t>& pids) {
  std::vector<pid_t> with_sites;
  for (pid_t pid : pids) {
    Process* process = targets_.process(pid);
    if (process == nullptr) continue;
    process->leaving = true;
    if (process->space->had_sites()) with_sites.push_back(pid);
    process->space->remove_all();
  }
  if (!with_sites.empty()) {
    stop_all(with_sites, kStopPatienceMs);
    for (int rounds = 0; rounds < 10 && settle_traps(with_sites); rounds++) stop_all(with_sites, kStopPatienceMs);
  }
  for (pid_t pid : pids) {
    for (Thread* thread : targets_.threads_of(pid)) {
      utrace_control(thread->task, thread->engine, UTRACE_DETACH);
      utrace_engine_put(thread->engine);
      targets_.erase_thread(thread->tid);
    }
    targets_.erase_process(pid);
    host_.detach_process(pid);
  }
}

void Tracer::abandon() {
  for (uint32_t id : taps_.ids()) {
    breakpoints_.disarm(*taps_.find(id));
    taps_.remove(id);
  }
  taps_changed();
  for (auto& [tid, thread] : targets_.threads()) {
    thread->pending.clear();
    thread->held = false;
    thread->unseen = 0;
  }
  for (int rounds = 0; rounds < kLetGoRounds && !targets_.processes().empty(); rounds++) {
    std::vector<pid_t> pids;  // children may come while their parents go
    for (auto& [pid, process] : targets_.processes()) pids.push_back(pid);
    let_go(pids);
  }
  abandoned_ = true;
  // Threads that were born while their process went. Whoever waits for our end of the socket may attach anew at once.
  for (int rounds = 0; rounds < kLetGoRounds; rounds++) {
    std::set<pid_t> left;
    for (utrace_task* task : host_.tasks()) {
      if (!host_.filtered(utrace_task_pid(task))) left.insert(utrace_task_pid(task));
    }
    if (left.empty()) return;
    for (pid_t pid : left) host_.detach_process(pid);
    host_.wait({}, kTurnMs);
  }
}

}  // namespace sonde::guard
