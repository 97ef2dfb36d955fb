// SPDX-License-Identifier: GPL-3.0-or-later
// The Tracer's commands: start, attach, hold, release, let go
//
//   spawn    stopped behind its exec ---- GO ----> runs
//   attach   seize; seize those that share its memory --> settle --> breakpoints, while it runs --> GO --> fires
//   let go   breakpoints out --> settle --> steps undone --> detach
//
// To settle is to wait until every thread has finished what could still collide with our change of breakpoints: a trap
// on its way to us, a step in a slot, a fork whose child would get a copy of our breakpoints. The kernel does not tell
// us when. A thread that sleeps in a call is settled, and so is one that has run for longer than the longest of these
// takes, which is copying its page tables. We refused to stop every thread instead: a stop ends some calls early, and
// so a program would see that it is traced.
//
// Invariant: a process is let go whole, with every known thread, and no breakpoint remains after its last thread has
// gone.
#include <dirent.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>
#include <utility>

#include "runtime/base/procfs.h"
#include "runtime/guard/tracer.h"
#include "runtime/utrace/arch.h"
#include "runtime/utrace/thread_status.h"

namespace sonde::guard {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kStopPatienceMs = 2000;  // a thread in an uninterruptible wait stops later
constexpr auto kEntryPatience = std::chrono::seconds(60);
constexpr int kAnswerMs = 500;
constexpr int kDetachMs = 2000;
constexpr int kTurnMs = 20;
constexpr int kLetGoRounds = 100;
constexpr uint64_t kSettledAfter = 1'000'000, kCopyOfPageTable = 50'000;  // ns of processor time
constexpr uint64_t kPageBytes = 4096;
constexpr auto kSettlePatience = std::chrono::milliseconds(1500);  // then the thread is interrupted
constexpr auto kSettleLimit =
    std::chrono::seconds(60);  // on an overloaded machine a thread may wait that long for a processor

std::string count_of(size_t count, const char* one, const char* more) {
  return std::to_string(count) + " " + (count == 1 ? one : more);
}

Error no_process(pid_t pid) { return Error("no process " + std::to_string(pid) + " is traced", ESRCH); }
Error no_thread(pid_t tid) { return Error("no thread " + std::to_string(tid) + " is traced", ESRCH); }

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> found;
  const std::string threads = proc_folder(pid) + "/task";
  DIR* list = opendir(threads.c_str());
  while (const dirent* entry = list != nullptr ? readdir(list) : nullptr) {
    std::ifstream file(threads + "/" + entry->d_name + "/children");
    for (pid_t child = 0; file >> child;) found.push_back(child);
  }
  if (list != nullptr) closedir(list);
  return found;
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
  thread->process->shows_exec = what.shows_exec;
  utrace_control(thread->task, thread->engine, UTRACE_STOP);
  notify_withheld_rights(pid);
  host_.release_spawned(pid);
  return pid;
}

/// Stops no thread: breakpoints are written while they run, and what fires before GO is ignored.
Result<void> Tracer::attach(pid_t pid) {
  if (targets_.process(pid) != nullptr) return Error("process " + std::to_string(pid) + " is traced already", EEXIST);
  if (is_frozen(pid))
    return Error("attach to pid " + std::to_string(pid) +
                     ": a cgroup has frozen it, as docker pause does, and it stops for nobody; thaw it first",
                 EBUSY);
  attaching_ = true;
  auto tasks = host_.seize(pid);
  auto sharers = tasks ? take_sharers(pid) : Result<void>();
  if (tasks && sharers) {
    // A clone or fork that began before we attached may end without an event: its child must exist before any
    // breakpoint does.
    const bool quiet = settle({pid});
    (void)host_.seize(pid);
    sharers = take_sharers(pid);
    if (!quiet && sharers)
      sharers = Error("attach to pid " + std::to_string(pid) +
                          ": a thread of it has not come to rest within a minute; is the machine overloaded?",
                      EBUSY);
  }
  attaching_ = false;
  if (!tasks) return std::move(tasks).error();
  Process* process = targets_.process(pid);
  if (process == nullptr) return no_process(pid);
  if (!sharers) {
    let_go({pid});
    return sharers;
  }
  process->requested = true;
  process->attached = true;
  breakpoints_.begin(*process);
  // Before any stop is handled: otherwise a breakpoint that no engine wants to see would be delivered as the program's
  // trap.
  for (auto& [tid, thread] : targets_.threads()) want_events(*thread);
  return {};
}

/// Other processes may use the same memory: a child in vfork, or one made by clone with CLONE_VM. A breakpoint would
/// kill them, so they are traced, too. Those that are born later are traced from birth.
Result<void> Tracer::take_sharers(pid_t pid) {
  DIR* list = opendir("/proc");
  const pid_t self =
      living_thread(pid);  // of a thread that has ended, kcmp() compares no memory: it equals the kernel's
  Result<void> done;
  while (const dirent* entry = list != nullptr ? readdir(list) : nullptr) {
    const pid_t other = atoi(entry->d_name);
    if (other <= 0 || other == pid || targets_.process(other) != nullptr) continue;
    if (self == 0 || syscall(SYS_kcmp, self, living_thread(other), KCMP_VM, 0, 0) != 0) continue;
    sharing_ = targets_.process(pid) != nullptr ? targets_.process(pid)->space : nullptr;
    auto taken = host_.seize(other);
    sharing_.reset();
    if (!taken && taken.error().code() != ESRCH)
      done = std::move(taken).error().context("process " + std::to_string(pid) + " shares its memory");
  }
  if (list != nullptr) closedir(list);
  return done;
}

bool Tracer::all_stopped(const std::vector<pid_t>& pids) {
  for (auto& [tid, thread] : targets_.threads()) {
    const bool concerned = std::find(pids.begin(), pids.end(), thread->process->pid) != pids.end();
    const bool stands = utrace_task_stopped(thread->task) || utrace_task_caught(thread->task);
    if (concerned && !thread->exited && !stands) return false;
  }
  return true;
}

/// Stops every thread, and waits for that. Threads that are born meanwhile stop because must_stop() is true for them.
void Tracer::stop_all(const std::vector<pid_t>& pids, int patience_ms) {
  for (pid_t pid : pids)
    for (Thread* thread : targets_.threads_of(pid)) utrace_control(thread->task, thread->engine, UTRACE_STOP);
  const auto end = Clock::now() + std::chrono::milliseconds(patience_ms);
  while (!all_stopped(pids) && Clock::now() < end) host_.wait({}, kTurnMs);
}

/// Nothing of a program is there before it runs, and its file may come slowly. So where its pages were waited for in vain, the
/// other targets go on for a while, and they are waited for again.
Result<void> Tracer::want_entry(pid_t pid, Clock::time_point end, const std::function<bool()>& give_up) {
  for (;;) {
    Process* process = targets_.process(pid);
    if (process == nullptr) return no_process(pid);
    auto wanted = breakpoints_.want_entry(*process);
    if (wanted || process->space->pages().may_wait() || Clock::now() >= end || give_up()) return wanted;
    host_.wait({}, kTurnMs);
  }
}

/// With `constructors`, stops before the constructors of its libraries if the dynamic linker has a place for that.
Result<void> Tracer::run_to_entry(pid_t pid, bool constructors, const std::function<bool()>& give_up) {
  Process* process = targets_.process(pid);
  if (process == nullptr) return no_process(pid);
  if (process->at_entry || process->attached || process->space->compat()) return {};
  const auto end = Clock::now() + kEntryPatience;
  if (auto wanted = want_entry(pid, end, give_up); !wanted)
    return std::move(wanted).error().context("process " + std::to_string(pid));
  process = targets_.process(pid);
  if (constructors) breakpoints_.want_constructors(*process);
  for (Thread* thread : targets_.threads_of(pid)) want_events(*thread);
  process->waiting = false;
  for (Thread* thread : targets_.threads_of(pid)) restart(*thread);
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
  for (auto& [pid, process] : targets_.processes()) process->waiting = process->silent = false;
  std::vector<Thread*> threads;
  for (auto& [tid, thread] : targets_.threads()) threads.push_back(thread.get());
  for (Thread* thread : threads) {
    if (std::exchange(thread->process->shows_exec, false)) fire_exec(*thread);
    restart(*thread);
  }
  // Once every thread has answered, no call is missed.
  host_.settle(kAnswerMs);
}

/// Lets a thread go on if nothing holds it; if it is at a breakpoint, it first passes that.
void Tracer::restart(Thread& thread) {
  if (must_stop(thread)) return;
  machine::Registers* regs = thread.at_site != 0 ? utrace_registers(thread.task) : nullptr;
  if (regs != nullptr)
    if (const auto due = pass_site(thread, *regs)) utrace_queue_signal(thread.task, *due);
  resume_if_free(thread);
}

Result<void> Tracer::release(pid_t tid, uint64_t how, int64_t result) {
  Thread* thread = targets_.thread(tid);
  if (thread == nullptr || (thread->exited && !thread->held))
    return no_thread(tid);  // also when it was killed meanwhile
  if (!thread->held || thread->page_wait) return Error("thread " + std::to_string(tid) + " is not held", EINVAL);
  const bool injects = (how & SONDE_RELEASE_RESULT) != 0, to_thread = (how & SONDE_RELEASE_TO_THREAD) != 0;
  how &= ~(SONDE_RELEASE_RESULT | SONDE_RELEASE_TO_THREAD);
  const uint64_t signal = how >= 2 ? how - 2 : 0;
  if (signal > static_cast<uint64_t>(SIGRTMAX)) return Error("no such signal", EINVAL);
  const pid_t pid = thread->process->pid;
  if (how == 1) kill(pid, SIGSTOP);
  if (signal != 0 && !to_thread) kill(pid, static_cast<int>(signal));
  if (signal != 0 && to_thread) {
    siginfo_t info{};
    info.si_signo = static_cast<int>(signal);
    info.si_code = SI_KERNEL;
    utrace_queue_signal(thread->task, info);
  }
  auto injected = injects ? inject(*thread, result) : Result<void>();
  machine::Registers* regs = utrace_registers(thread->task);
  run_pending(*thread, regs);
  restart(*thread);
  return injected;
}

/// Its thread goes on in any case.
Result<void> Tracer::inject(Thread& thread, int64_t result) {
  const int error = utrace_skip_call(thread.task, result);
  if (error == 0) return {};
  const std::string who = "inject(): thread " + std::to_string(thread.tid);
  if (error == -EPERM) return Error(who + " has a seccomp filter of its own, so its calls are made", EPERM);
  return Error(who + " is not at the entry of a system call", EINVAL);
}

/// A stopped thread, and one that is at a breakpoint, are not asked: they do not sleep in a call.
Result<std::vector<uint64_t>> Tracer::stack_of(pid_t tid) {
  Thread* thread = targets_.thread(tid);
  if (thread == nullptr || thread->exited) return no_thread(tid);
  Sleep sleep;
  if (thread->held || thread->step.active || !read_sleep(tid, &sleep))
    return Error("thread " + std::to_string(tid) + " does not sleep in a system call", EAGAIN);
  if (machine::may_fall_short(sleep.call))
    return Error("its call would end early if it were interrupted for its stack", EBUSY);
  thread->stack_asked = true;
  want_events(*thread);
  utrace_control(thread->task, thread->engine, UTRACE_INTERRUPT);
  const auto end = Clock::now() + std::chrono::milliseconds(kAnswerMs);
  for (;;) {
    host_.wait({}, kTurnMs);
    thread = targets_.thread(tid);
    if (thread == nullptr) return no_thread(tid);
    if (!thread->stack_asked) return std::exchange(thread->stack, {});
    if (Clock::now() < end) continue;
    thread->stack_asked = false;
    want_events(*thread);
    return Error("thread " + std::to_string(tid) + " did not stop", ETIMEDOUT);
  }
}

Result<void> Tracer::follow(pid_t pid, bool forks) {
  Process* process = targets_.process(pid);
  if (process == nullptr) return no_process(pid);
  breakpoints_.follow(*process, forks);
  for (auto& [tid, thread] : targets_.threads()) want_events(*thread);
  return {};
}

void Tracer::follow_files(std::string_view wildcard) {
  breakpoints_.follow_files(wildcard);
  for (auto& [tid, thread] : targets_.threads()) want_events(*thread);
}

Result<void> Tracer::acknowledge(pid_t tid) {
  Thread* thread = targets_.thread(tid);
  if (thread == nullptr || thread->exited) return no_thread(tid);
  if (thread->unacknowledged == 0) return Error("thread " + std::to_string(tid) + " does not wait", EINVAL);
  thread->unacknowledged--;
  restart(*thread);
  return {};
}

/// Whether the thread has finished what it was doing when we attached, or when breakpoints were taken out: it has not
/// hit a breakpoint that we have yet to learn of, is not in a step of ours, and is not making a child that we would not
/// know of or that would have a copy of the breakpoints. We can only ask again until it is so.
bool Tracer::quiet(Thread& thread) {
  if (thread.quiet || thread.exited || utrace_task_stopped(thread.task) || utrace_task_job_stopped(thread.task))
    return true;
  if (thread.step.active) return false;
  Sleep sleep;
  if (!read_sleep(thread.tid, &sleep))  // it runs; or it is not dumpable, and an ordinary user may not read its call
    thread.quiet = state_of(thread) == 'S' || run_time_of(thread) >= thread.settled_at;  // no fork sleeps as S
  else
    thread.quiet = sleep.call >= 0 && (!machine::makes_child(sleep.call) || thread.process->space.use_count() > 1);
  return thread.quiet;
}

/// Waits until every thread is quiet; interrupts those that take too long. False: some thread does not become quiet.
bool Tracer::settle(const std::vector<pid_t>& pids) {
  std::vector<pid_t> left;
  for (pid_t pid : pids) {
    // The longest thing that a running thread can be in is a fork, which copies the page tables.
    ThreadStatus status;
    (void)read_status(pid, &status);
    const uint64_t longest = kSettledAfter + status.page_tables / kPageBytes * kCopyOfPageTable;
    for (Thread* thread : targets_.threads_of(pid)) {
      thread->quiet = false;
      thread->settled_at = run_time_of(*thread) + longest;
      left.push_back(thread->tid);
    }
  }
  const auto begin = Clock::now();
  for (bool interrupted = false; !left.empty();) {
    host_.turn();
    std::erase_if(left, [this](pid_t tid) {
      Thread* thread = targets_.thread(tid);
      return thread == nullptr || quiet(*thread);
    });
    const auto waited = Clock::now() - begin;
    if (left.empty() || waited > kSettleLimit) return left.empty();
    if (waited > kSettlePatience && !std::exchange(interrupted, true)) {
      for (pid_t tid : left) {
        Thread& thread = *targets_.thread(tid);
        want_events(thread);
        utrace_control(thread.task, thread.engine, UTRACE_INTERRUPT);
      }
    }
    host_.wait({}, 1);
  }
  return true;
}

void Tracer::begin_leaving(Process& process) {
  process.leaving = true;
  notify_lost(process);
  free_hidden_children(process);
  process.space->remove_all();
}

void Tracer::let_go(const std::vector<pid_t>& pids) {
  std::vector<pid_t> with_sites;
  for (pid_t pid : pids) {
    Process* process = targets_.process(pid);
    if (process == nullptr) continue;
    if (process->space->had_sites()) with_sites.push_back(pid);
    begin_leaving(*process);
  }
  (void)settle(with_sites);  // a thread that is not quiet by then may die of our trap; there is nothing better to do
  for (pid_t pid : pids) {
    undo_rest(pid);
    for (Thread* thread : targets_.threads_of(pid)) {
      if (machine::Registers* regs = utrace_task_stopped(thread->task) ? utrace_registers(thread->task) : nullptr)
        stepper_.let_go(*thread, *regs);
      if (thread->own_trap) (void)sigtrap_.passed(*thread);
      utrace_control(thread->task, thread->engine, UTRACE_DETACH);
      utrace_engine_put(thread->engine);
      sampler_.forget(thread->tid);
      targets_.erase_thread(thread->tid);
    }
    targets_.erase_process(pid);
    host_.leave_process(pid);
  }
  serve_waiting();
  // Effects of our INTERRUPTs are undone, or counted, at the stops that answer them.
  host_.settle(kAnswerMs);
  notify_cut_short();
}

/// What the program has copied or moved while breakpoints were taken out is taken out now, and what could not be undone
/// is told.
void Tracer::undo_rest(pid_t pid) {
  if (targets_.process(pid) == nullptr) return;
  AddressSpace& space = *targets_.process(pid)->space;
  space.recover_copies();
  breakpoints_.notice_uprobes(*targets_.process(pid), space);
  (void)space.settle_debts();
  const std::string process = "process " + std::to_string(pid);
  if (space.owed() > 0)
    events_.harm(process + " keeps " + std::to_string(space.owed()) +
                 " breakpoints of sonde, which cannot be taken out because its memory cannot be written: it dies of a "
                 "SIGTRAP where it meets one");
  if (space.unrestored() > 0)
    events_.notice(process + ": " + std::to_string(space.unrestored()) +
                   " breakpoints could not be put back after a step in place: later calls were not counted");
}

void Tracer::notify_lost(const Process& process) {
  if (const size_t lost = process.space->lost(); lost > 0)
    events_.notice(name_of(process) + ": somebody else has taken out " + std::to_string(lost) +
                   (lost == 1 ? " breakpoint" : " breakpoints") + " of sonde: later hits there were not seen");
}

/// A child that hides from tracers is made while nothing stops its parent's call (clone_loads.h). It dies of the first
/// breakpoint that it meets.
void Tracer::notify_trapped_child(pid_t parent, pid_t child) {
  Process* process = targets_.process(parent);
  if (process == nullptr || !process->space->had_sites()) return;
  events_.harm("process " + std::to_string(child) + ", a child of process " + std::to_string(parent) +
               " that sonde does not trace, has died of a SIGTRAP: if it was made with CLONE_UNTRACED, a breakpoint of "
               "sonde has killed it");
}

/// Takes our breakpoints out of those that have not met one yet. Call it while they are in the parent's memory.
void Tracer::free_hidden_children(Process& process) {
  if (!process.space->had_sites()) return;
  for (pid_t child : children_of(process.pid)) {
    if (targets_.process(child) != nullptr) continue;
    const size_t freed = process.space->free_copy(child);
    if (freed == 0) continue;
    events_.notice("process " + std::to_string(child) + ", a child of process " + std::to_string(process.pid) +
                   " that hides from tracers (CLONE_UNTRACED), had " + std::to_string(freed) +
                   (freed == 1 ? " breakpoint" : " breakpoints") + " of sonde: taken out");
  }
}

void Tracer::notify_cut_short() {
  const uint64_t now = host_.cut_short(), cut = now - std::exchange(notified_cut_, now);
  if (cut == 0) return;
  events_.notice(std::to_string(cut) + (cut == 1 ? " system call of a target has" : " system calls of targets have") +
                 " returned a short count because tracing interrupted " + (cut == 1 ? "it" : "them"));
}

void Tracer::notify_lacking(Process& process, const LackingStack& found) {
  const std::string line = lacking_.next(process.pid, program_of(process.pid), found);
  if (!line.empty()) events_.notice(line);
}

Result<size_t> Tracer::let_all_go() {
  std::set<pid_t> all, filtered;
  for (int rounds = 0; rounds < kLetGoRounds && !targets_.processes().empty(); rounds++) {
    std::vector<pid_t> pids;
    for (auto& [pid, process] : targets_.processes()) {
      pids.push_back(pid);
      (process->filtered ? filtered : all).insert(pid);
    }
    let_go(pids);
  }
  if (!targets_.processes().empty()) return Error("the targets fork faster than they can be let go", EAGAIN);
  const size_t left = host_.hasten(kDetachMs);
  notify_cut_short();
  if (!filtered.empty())
    events_.notice(count_of(filtered.size(), "process has", "processes have") +
                   " a system call filter of -c: sonde-guard (pid " + std::to_string(getpid()) +
                   ") stays their tracer until they end; their probes do not fire");
  if (left > 0)
    events_.notice(
        count_of(left, "process is", "processes are") +
        " in a system call that must not be interrupted: sonde-guard stays their tracer until it stops or ends");
  return all.size() + filtered.size();
}

void Tracer::abandon() {
  // First, and a process at a time: to disarm tap by tap costs four system calls for each breakpoint of each process.
  for (auto& [pid, process] : targets_.processes()) begin_leaving(*process);
  for (uint32_t id : taps_.ids()) taps_.remove(id);
  taps_changed();
  for (auto& [tid, thread] : targets_.threads()) {
    thread->pending.clear();
    thread->held = false;
    thread->page_wait.reset();
    thread->unacknowledged = 0;
  }
  for (int rounds = 0; rounds < kLetGoRounds && !targets_.processes().empty(); rounds++) {
    std::vector<pid_t> pids;  // children may be born while their parents are let go
    for (auto& [pid, process] : targets_.processes()) pids.push_back(pid);
    let_go(pids);
  }
  abandoned_ = true;
}

}  // namespace sonde::guard
