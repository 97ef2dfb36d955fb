// SPDX-License-Identifier: GPL-3.0-or-later
// Two hosts at the same time, each in a thread of its own
#include <atomic>
#include <barrier>
#include <thread>

#include "tests/runtime/utrace/support.h"

namespace sonde {
namespace {

/// Blocks SIGCHLD in this thread and in the threads that it creates, as utrace.h requires for threads without a host.
class ChildSignalBlocked {
 public:
  ChildSignalBlocked() {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &child, &before_);
  }
  ~ChildSignalBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

class UtraceHosts : public Utrace {
 protected:
  struct Seen {
    int calls = 0, ends = 0;
    uint64_t stops = 0;
  };
  /// Traces a program that makes `calls` calls, with a `pause` of microseconds before each, after both threads are
  /// ready. Only the stops wake the host.
  Seen trace(int calls, std::barrier<>& both, int pause = 0) {
    UtraceHost host;
    Recorder record;
    record.keep_lines = false;
    record.only = {SYS_getppid};
    auto task =
        host.spawn(filtered_program("getppid", {SYS_getppid}, {"1", std::to_string(calls), std::to_string(pause)}));
    EXPECT_TRUE(task);
    if (task)
      host.on_new_task = [&](utrace_task* child, utrace_task*, uint64_t) {
        record.attach(child, UTRACE_EVENT_SYSCALL_ENTRY | UTRACE_EVENT_DEATH);
      };
    both.arrive_and_wait();
    if (task) host.release_spawned(utrace_task_pid(*task));
    while (task && host.task_count() > 0) host.wait({}, -1);
    both.arrive_and_wait();
    return {record.count("entry"), record.count("death"), host.stops()};
  }
};

TEST_F(UtraceHosts, EachSeesItsOwn) {
  const ChildSignalBlocked blocked;
  std::barrier both(2);
  Seen one, other;
  std::thread first([&] { one = trace(300, both); }), second([&] { other = trace(500, both); });
  first.join();
  second.join();
  EXPECT_EQ(one.calls, 300);
  EXPECT_EQ(other.calls, 500);
  EXPECT_EQ(one.ends, 1);
  EXPECT_EQ(other.ends, 1);
  EXPECT_GT(one.stops, 300u);
}

/// A sleeping host is woken by each stop of the other's program, and often takes the signal that reports it. The pauses
/// let the other host sleep as well: otherwise it would find the next stop without a signal.
TEST_F(UtraceHosts, WhoSleepsPassesTheSignalOn) {
  const ChildSignalBlocked blocked;
  std::barrier ready(2), both(1);
  std::atomic<pid_t> pid = 0;
  std::thread sleeping([&] {
    UtraceHost host;
    auto task = host.spawn(program("sleeper"));
    EXPECT_TRUE(task);
    if (task) host.release_spawned(pid = utrace_task_pid(*task));
    ready.arrive_and_wait();
    while (host.task_count() > 0) host.wait({}, -1);
  });
  ready.arrive_and_wait();
  std::thread tracing([&] { EXPECT_EQ(trace(300, both, 500).calls, 300); });
  tracing.join();
  if (pid > 0) kill(pid, SIGKILL);
  sleeping.join();
}

TEST_F(UtraceHosts, ReapNoChildOfAnotherThread) {
  const ChildSignalBlocked blocked;
  const pid_t child = fork();
  if (child == 0) {
    usleep(20'000);
    _exit(5);
  }
  std::barrier both(1);
  std::thread tracing([&] { EXPECT_EQ(trace(300, both).calls, 300); });
  tracing.join();
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child) << "the host has reaped it";
  EXPECT_EQ(WEXITSTATUS(status), 5);
}

/// The last host restores the action that the first one found.
TEST_F(UtraceHosts, TheLastOnePutsTheActionBack) {
  const ChildSignalBlocked blocked;
  struct sigaction ignore {
  }, before{}, now{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &ignore, &before);
  std::barrier both(2);
  std::thread other([&] {
    UtraceHost host;
    both.arrive_and_wait();  // both hosts exist
    both.arrive_and_wait();  // this host remains
  });
  {
    UtraceHost host;
    both.arrive_and_wait();
  }
  sigaction(SIGCHLD, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL) << "while one is left, children tell";
  both.arrive_and_wait();
  other.join();
  sigaction(SIGCHLD, &before, &now);
  EXPECT_EQ(now.sa_handler, SIG_IGN);
}

}  // namespace
}  // namespace sonde
