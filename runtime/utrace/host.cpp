// SPDX-License-Identifier: GPL-3.0-or-later
// The core's loop (core.h has its theory), and UtraceHost, the interface to the core
//
//   wait(): poll(signalfd, fds) --> read the signal --> turn: statuses, at most 256 --> threads on `ready`
//
// Some conditions come without a SIGCHLD: zombies, running threads that must stop, parked children. While there are
// any, poll() waits no longer than bounded_timeout(), and each turn checks them.
#include <errno.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "runtime/base/check.h"
#include "runtime/base/find.h"
#include "runtime/utrace/core.h"
#include "runtime/utrace/thread_status.h"

namespace sonde {

thread_local Core* core_of_thread = nullptr;

namespace {

/// SIGCHLD with several cores. The signal reports a change of any child or traced thread of the process, and one reader
/// takes it from all. So the reader passes it on to the other cores' threads, as a signal that only they can read.
class ChildSignal {
 public:
  /// The first core sets the signal's action. Returns the action from before.
  struct sigaction join() {
    std::lock_guard guard(lock_);
    // With SIGCHLD ignored, or with SA_NOCLDSTOP, stops would not be reported.
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    if (threads_.empty()) sigaction(SIGCHLD, &standard, &former_);
    threads_.push_back(gettid());
    count_ = threads_.size();
    return former_;
  }
  void leave() {
    std::lock_guard guard(lock_);
    std::erase(threads_, gettid());
    count_ = threads_.size();
    if (threads_.empty()) sigaction(SIGCHLD, &former_, nullptr);
  }
  void pass_on(const signalfd_siginfo& taken) {
    if (count_.load(std::memory_order_relaxed) == 1) return;
    if (taken.ssi_code == SI_TKILL && static_cast<pid_t>(taken.ssi_pid) == getpid()) return;  // it was passed on to us
    std::lock_guard guard(lock_);
    for (pid_t thread : threads_)
      if (thread != gettid()) tgkill(getpid(), thread, SIGCHLD);
  }

 private:
  std::mutex lock_;
  std::vector<pid_t> threads_;
  std::atomic<size_t> count_ = 0;
  struct sigaction former_ {};
};

/// The next status of this thread's children and of the threads it traces.
pid_t any_stop(int& status) { return waitpid(-1, &status, __WALL | __WNOTHREAD | WNOHANG); }

ChildSignal& child_signal() {
  static ChildSignal one;
  return one;
}

}  // namespace

Core::Core() {
  SONDE_CHECK(!core_of_thread);
  core_of_thread = this;
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &child, nullptr);
  if (child_signal().join().sa_handler == SIG_IGN) sigaddset(&given_.ignored, SIGCHLD);
  do SONDE_CHECK(getrandom(&filter_mark_, sizeof filter_mark_, 0) == sizeof filter_mark_);
  while (filter_mark_ == 0);
  ThreadStatus self;
  if (read_status(gettid(), &self)) our_filters_ = self.seccomp_filters;
  signals_.reset(signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC));
  SONDE_CHECK(signals_);
}

Core::~Core() {
  detach_all();
  for (auto& [tid, task] : tasks) {
    task->life = Life::Reaped;
    for (Engine* engine : std::vector<Engine*>(task->engines))
      if (engine) unlink(*task, *engine);
  }
  child_signal().leave();
  pthread_sigmask(SIG_SETMASK, &given_.mask, nullptr);
  core_of_thread = nullptr;
}

utrace_task* Core::find(pid_t tid) {
  const auto* task = find_in(tasks, tid);
  return task == nullptr ? nullptr : task->get();
}

void Core::queue(utrace_task& task) {
  if (task.queued) return;
  task.queued = true;
  ready_.push_back(&task);
}

/// Continues threads that API calls have released.
void Core::take_ready() {
  for (int rounds = 0; !ready_.empty() && rounds < 64; ++rounds) {
    auto now = std::move(ready_);
    ready_.clear();
    for (utrace_task* task : now) {
      // A thread that has died since then is still in the list, but not valid.
      if (!valid(task)) continue;
      task->queued = false;
      if (task->life == Life::Stopped && !held(*task)) proceed(*task);
    }
  }
  if (!ready_.empty()) more_ = true;
}

void Core::empty_graveyard() {
  if (depth_) return;
  for (auto& task : graveyard_) valid_.erase(task.get());
  graveyard_.clear();
}

void Core::turn() { turn_some(256); }

pid_t Core::next_stop(int& status) {
  pid_t tid = any_stop(status);
  if (tid != 0 || !spin_.due()) return tid;
  const auto begin = std::chrono::steady_clock::now();
  auto now = begin;
  for (; tid == 0 && now < begin + Spin::kSpin; now = std::chrono::steady_clock::now()) tid = any_stop(status);
  spin_.ended(tid > 0, now - begin);
  return tid;
}

bool Core::turn_some(int most) {
  ++depth_;
  spin_.begin_turn();
  more_ = false;
  take_ready();
  bool any = false;
  for (; most > 0; --most) {
    if (!deferred_.empty()) {
      auto [tid, status] = deferred_.front();
      deferred_.pop_front();
      event(tid, status);
      any = true;
      continue;
    }
    int status = 0;
    pid_t tid = next_stop(status);
    if (tid <= 0) break;
    event(tid, status);
    any = true;
    if (!ready_.empty()) take_ready();
  }
  if (most == 0) more_ = true;
  take_ready();
  if (!zombies_.empty()) watch_zombies();
  if (!wanted_.empty()) watch_wanted();
  if (!parked_.empty()) adopt_parked(false);
  --depth_;
  empty_graveyard();
  return any;
}

int Core::bounded_timeout(int timeout_ms) const {
  int limit = -1;
  if (more_ || !deferred_.empty() || !ready_.empty())
    limit = 0;
  else if (!wanted_.empty())
    limit = 1;
  else if (!parked_.empty())
    limit = 20;
  else if (!zombies_.empty())
    limit = std::max(1, zombies_pause_ms_);
  if (limit < 0) return timeout_ms;
  return timeout_ms < 0 ? limit : std::min(limit, timeout_ms);
}

std::vector<int> Core::wait(std::span<const int> fds, int timeout_ms) {
  if (!ready_.empty()) {
    ++depth_;
    take_ready();
    --depth_;
    empty_graveyard();
  }
  std::vector<pollfd> polled;
  polled.reserve(fds.size() + 1);
  polled.push_back({signals_.get(), POLLIN, 0});
  for (int fd : fds) polled.push_back({fd, POLLIN, 0});
  int got = poll(polled.data(), polled.size(), bounded_timeout(timeout_ms));
  // The signal is read before the statuses: one that arrives in between makes the descriptor readable again.
  signalfd_siginfo taken;
  if (got > 0 && (polled[0].revents & POLLIN)) {
    if (read(signals_.get(), &taken, sizeof taken) > 0)
      child_signal().pass_on(taken);
    else
      SONDE_CHECK(errno == EAGAIN);
  }
  turn_some(256);
  std::vector<int> readable;
  for (size_t i = 1; got > 0 && i < polled.size(); ++i)
    if (polled[i].revents) readable.push_back(polled[i].fd);
  return readable;
}

bool Core::wait_for(utrace_task& task, int* status, int patience_ms) {
  auto limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
  for (int tries = 0;; ++tries) {
    pid_t got = waitpid(task.tid, status, __WALL | WNOHANG);
    if (got == task.tid) {
      if (WIFSTOPPED(*status)) return true;
      deferred_.push_back({task.tid, *status});
      return false;
    }
    if (got < 0 && errno != EINTR) return false;
    if (std::chrono::steady_clock::now() > limit) return false;
    if (tries < 50)
      sched_yield();
    else
      usleep(100);
  }
}

void Core::settle_stops(int patience_ms) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
  const auto on_its_way = [](auto& entry) {
    const utrace_task& task = *entry.second;
    return task.life == Life::Running && (task.interrupted || task.wanted);
  };
  while (std::ranges::any_of(tasks, on_its_way) && std::chrono::steady_clock::now() < limit) wait({}, 1);
}

bool Core::end_listen(utrace_task& task) {
  int status = 0;
  if (request(PTRACE_INTERRUPT, task, nullptr, nullptr) != 0 || !wait_for(task, &status, 1000)) return false;
  if (WSTOPSIG(status) == SIGTRAP) {
    // SIGCONT came first: the loop will report this stop.
    deferred_.push_back({task.tid, status});
    return false;
  }
  ++stops;
  ++task.stops;
  task.life = Life::Stopped;
  task.stop = Stop::Group;
  task.registers_valid = false;
  return true;
}

struct UtraceHost::Impl : Core {};

UtraceHost::UtraceHost() : impl_(std::make_unique<Impl>()) {
  impl_->new_task_hook = &on_new_task;
  impl_->catch_hook = &catch_asleep;
  impl_->forget_hook = &forget_asleep;
  impl_->notice_hook = &on_notice;
  impl_->trap_action_hook = &on_trap_action;
  impl_->trapped_hook = &on_trapped_child;
}
UtraceHost::~UtraceHost() = default;

Result<utrace_task*> UtraceHost::spawn(const utrace_spawn& what) { return impl_->spawn(what); }
Result<std::vector<utrace_task*>> UtraceHost::seize(pid_t pid) { return impl_->seize(pid); }
utrace_task* UtraceHost::find(pid_t tid) { return impl_->find(tid); }
std::vector<utrace_task*> UtraceHost::tasks(pid_t pid) { return impl_->tasks_of(pid); }
void UtraceHost::detach_process(pid_t pid) { impl_->detach_process(pid); }
void UtraceHost::leave_process(pid_t pid) { impl_->leave_process(pid); }
size_t UtraceHost::hasten(int patience_ms) { return impl_->hasten(patience_ms); }
bool UtraceHost::needed() const {
  return std::ranges::any_of(impl_->tasks, [](auto& entry) { return !entry.second->lingering; });
}
void UtraceHost::release_spawned(pid_t pid) { impl_->release_spawned(pid); }
bool UtraceHost::filtered(pid_t pid) const {
  for (auto& [tid, task] : impl_->tasks)
    if (task->pid == pid && task->filter) return true;
  return false;
}
void UtraceHost::turn() { impl_->turn(); }
std::vector<int> UtraceHost::wait(std::span<const int> fds, int timeout_ms) { return impl_->wait(fds, timeout_ms); }
void UtraceHost::settle(int patience_ms) { impl_->settle_stops(patience_ms); }
size_t UtraceHost::task_count() const { return impl_->tasks.size(); }
uint64_t UtraceHost::stops() const { return impl_->stops; }
std::chrono::nanoseconds UtraceHost::looking() const { return impl_->looking(); }
uint64_t UtraceHost::cut_short() const { return impl_->cut_short; }

}  // namespace sonde
