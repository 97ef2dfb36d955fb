// SPDX-License-Identifier: GPL-3.0-or-later
// The traced program behaves as untraced: attach, detach, job control, threads that end in any order, SIGKILL at any
// moment
#include <sys/prctl.h>
#include <sys/ptrace.h>

#include <algorithm>
#include <random>

#include "runtime/utrace/thread_status.h"
#include "tests/cpu_time.h"
#include "tests/runtime/utrace/support.h"

namespace sonde {
namespace {

constexpr uint32_t kEverything = UTRACE_EVENT_QUIESCE | UTRACE_EVENT_REAP | UTRACE_EVENT_CLONE | UTRACE_EVENT_EXEC |
                                 UTRACE_EVENT_EXIT | UTRACE_EVENT_DEATH | UTRACE_EVENT_SYSCALL_ENTRY |
                                 UTRACE_EVENT_SYSCALL_EXIT | UTRACE_EVENT_SIGNAL_ALL | UTRACE_EVENT_JCTL;

class UtraceLives : public Utrace {
 protected:
  Recorder record;
};

TEST_F(UtraceLives, AttachAndDetachLeaveARunningProgramUnharmed) {
  Stranger target("busy_threads", {"4"});
  ASSERT_TRUE(target.ready());
  {
    UtraceHost host;
    record.keep_lines = false;
    host.on_new_task = [&](utrace_task* task, utrace_task*, uint64_t) { record.attach(task, kEverything); };
    auto begin = test::cpu_time();
    auto tasks = host.seize(target.pid());
    ASSERT_TRUE(tasks);
    EXPECT_LT(test::cpu_time() - begin, 100ms);
    EXPECT_EQ(tasks->size(), 5u);
    EXPECT_TRUE(turn_until(host, [&] { return record.count("entry") > 100; }));
    host.detach_process(target.pid());
    EXPECT_EQ(host.task_count(), 0u);
  }
  usleep(20'000);
  kill(target.pid(), SIGUSR1);
  int status = target.next_status(nullptr);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 9) << std::hex << status;
}

/// How often a sleep in epoll_wait is interrupted: the kernel ends it with EINTR at any wake-up.
int times_interrupted(const std::function<void(UtraceHost&, utrace_task*, utrace_engine*)>& befall, uint32_t events) {
  Stranger target("epoll_sleeper");
  EXPECT_TRUE(target.ready());
  for (ThreadStatus status; read_status(target.pid(), &status) && status.state != 'S';) usleep(1000);
  UtraceHost host;
  auto tasks = host.seize(target.pid());
  EXPECT_TRUE(tasks && tasks->size() == 1);
  static const utrace_engine_ops kNothing;
  utrace_engine* engine = nullptr;
  EXPECT_EQ(utrace_attach_task(tasks->front(), UTRACE_ATTACH_CREATE, &kNothing, nullptr, &engine), 0);
  utrace_set_events(tasks->front(), engine, events);
  turn_for(host, 50ms);
  befall(host, tasks->front(), engine);
  turn_for(host, 100ms);
  utrace_engine_put(engine);
  int status = target.next_status(&host);
  while (WIFSTOPPED(status) || WIFCONTINUED(status)) status = target.next_status(&host);
  return WIFEXITED(status) ? WEXITSTATUS(status) - 10 : -1;
}

constexpr uint32_t kCalls = UTRACE_EVENT_SYSCALL_ENTRY | UTRACE_EVENT_SYSCALL_EXIT;

TEST_F(UtraceLives, OurInterruptionsAreNotSeen) {
  auto interrupt = [](UtraceHost& host, utrace_task* task, utrace_engine* engine) {
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(utrace_control(task, engine, UTRACE_INTERRUPT), 0);
      turn_for(host, 20ms);
    }
  };
  for (uint32_t events : {0u, kCalls}) EXPECT_EQ(times_interrupted(interrupt, events), 0) << events;
}

TEST_F(UtraceLives, SignalsThatAreIgnoredAreNotSeen) {
  auto ignored = [](UtraceHost& host, utrace_task* task, utrace_engine*) {
    for (int signal : {SIGWINCH, SIGCHLD, SIGURG, SIGCONT}) {
      kill(utrace_task_pid(task), signal);
      turn_for(host, 20ms);
    }
  };
  for (uint32_t events : {0u, kCalls}) EXPECT_EQ(times_interrupted(ignored, events), 0) << events;
}

TEST_F(UtraceLives, HandlersAndStopsEndCallsAsTheyDoUntraced) {
  auto handled = [](UtraceHost&, utrace_task* task, utrace_engine*) { kill(utrace_task_pid(task), SIGUSR1); };
  auto stopped = [](UtraceHost& host, utrace_task* task, utrace_engine*) {
    pid_t pid = utrace_task_pid(task);
    kill(pid, SIGSTOP);
    turn_for(host, 50ms);
    kill(pid, SIGCONT);
  };
  for (uint32_t events : {0u, kCalls}) {
    EXPECT_EQ(times_interrupted(handled, events), 1) << events;
    EXPECT_EQ(times_interrupted(stopped, events), 1) << events;
  }
}

TEST_F(UtraceLives, ManyAttachesAndTheDestructorLetsGo) {
  Stranger target("busy_threads", {"3"});
  ASSERT_TRUE(target.ready());
  record.keep_lines = false;
  for (int i = 0; i < 25; ++i) {
    UtraceHost host;
    host.on_new_task = [&](utrace_task* task, utrace_task*, uint64_t) {
      record.attach(task, i % 2 ? kEverything : uint32_t{UTRACE_EVENT_QUIESCE});
    };
    ASSERT_TRUE(host.seize(target.pid()));
    turn_for(host, std::chrono::milliseconds(i % 4));
    if (i % 3 == 0)
      for (utrace_task* task : host.tasks()) utrace_control(task, record.engines[utrace_task_tid(task)], UTRACE_STOP);
  }
  record.put_all();
  kill(target.pid(), SIGUSR1);
  int status = target.next_status(nullptr);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 9) << std::hex << status;
}

TEST_F(UtraceLives, DetachLeavesAJobStoppedProgramStopped) {
  Stranger target("wait_for_usr1");
  ASSERT_TRUE(target.ready());
  {
    UtraceHost host;
    ASSERT_TRUE(host.seize(target.pid()));
    kill(target.pid(), SIGSTOP);
    int status = target.next_status(&host);
    EXPECT_TRUE(WIFSTOPPED(status));
  }
  usleep(30'000);
  EXPECT_EQ(target.next_status(nullptr, 100ms), -1) << "the parent is told nothing new";
  kill(target.pid(), SIGCONT);
  EXPECT_TRUE(WIFCONTINUED(target.next_status(nullptr))) << "it was still stopped";
  kill(target.pid(), SIGUSR1);
  EXPECT_EQ(WEXITSTATUS(target.next_status(nullptr)), 5);
}

TEST_F(UtraceLives, TheParentSeesEveryJobControlChange) {
  Stranger target("busy_threads", {"3"});
  ASSERT_TRUE(target.ready());
  UtraceHost host;
  auto tasks = host.seize(target.pid());
  ASSERT_TRUE(tasks);
  for (utrace_task* task : *tasks) record.attach(task, UTRACE_EVENT_JCTL);
  for (int signal : {SIGTSTP, SIGSTOP, SIGTTIN, SIGTTOU}) {
    SCOPED_TRACE(signal);
    record.lines.clear();
    record.counts.clear();
    kill(target.pid(), signal);
    int status = target.next_status(&host);
    EXPECT_TRUE(WIFSTOPPED(status) && WSTOPSIG(status) == signal) << std::hex << status;
    turn_for(host, 20ms);
    EXPECT_EQ(record.count("stopped"), 4);
    EXPECT_EQ(record.count_of("stopped", CLD_STOPPED), 1) << "one is the last";
    kill(target.pid(), SIGCONT);
    status = target.next_status(&host);
    EXPECT_TRUE(WIFCONTINUED(status)) << std::hex << status;
    turn_for(host, 20ms);
    EXPECT_EQ(record.count("continued"), 4);
  }
  kill(target.pid(), SIGUSR1);
  EXPECT_EQ(WEXITSTATUS(target.next_status(&host)), 9);
}

TEST_F(UtraceLives, AProgramStopsItself) {
  Stranger target("stop_self", {"19"});
  UtraceHost host;
  int status = target.next_status(nullptr);
  ASSERT_TRUE(WIFSTOPPED(status));
  // Attaches while job control has stopped it.
  auto tasks = host.seize(target.pid());
  ASSERT_TRUE(tasks);
  record.attach((*tasks)[0], kEverything);
  turn_for(host, 50ms);
  kill(target.pid(), SIGCONT);
  status = target.next_status(&host);
  // A parent that waits late gets the end instead of the continuation.
  if (WIFCONTINUED(status)) status = target.next_status(&host);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 21) << std::hex << status;
  EXPECT_EQ(record.count_of("entry", SYS_getppid), 1);
}

TEST_F(UtraceLives, TheLeaderLeavesBeforeItsThreads) {
  UtraceHost host;
  auto task = host.spawn(program("leader_leaves"));
  ASSERT_TRUE(task);
  record.follow = true;
  record.attach(*task, UTRACE_EVENT_CLONE | UTRACE_EVENT_EXIT | UTRACE_EVENT_DEATH | UTRACE_EVENT_REAP);
  host.release_spawned(utrace_task_pid(*task));
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.count("exit"), 2);
  EXPECT_EQ(record.count("death"), 2);
  EXPECT_EQ(record.count("reap"), 2);
  EXPECT_EQ(record.count_of("death", 1), 1) << "one of them is the last of the group";
}

TEST_F(UtraceLives, ALeaderThatHasLeftCanStillBeAttachedTo) {
  Stranger target("leader_leaves", {"wait"});
  ASSERT_TRUE(target.ready());
  UtraceHost host;
  auto tasks = host.seize(target.pid());
  ASSERT_TRUE(tasks) << tasks.error().message();
  kill(target.pid(), SIGUSR1);
  int status = target.next_status(&host);
  EXPECT_EQ(WEXITSTATUS(status), 33);
}

TEST_F(UtraceLives, SigkillStorm) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // orphans become our children, not those of a slow init
  std::mt19937 random(7);
  std::chrono::steady_clock::duration slowest{};
  for (int i = 0; i < 60; ++i) {
    Recorder mine;
    mine.keep_lines = false;
    UtraceHost host;
    host.on_new_task = [&](utrace_task* task, utrace_task*, uint64_t) {
      mine.attach(task, i % 2 ? kEverything : UTRACE_EVENT_DEATH | UTRACE_EVENT_CLONE);
    };
    auto task = host.spawn(i % 3 ? program("storm") : filtered_program("storm", {SYS_getppid, SYS_clone, SYS_clone3}));
    ASSERT_TRUE(task);
    pid_t pid = utrace_task_pid(*task);
    host.release_spawned(pid);
    turn_for(host, std::chrono::milliseconds(random() % 12));
    for (utrace_task* each : host.tasks())
      if (random() % 4 == 0) utrace_control(each, mine.engines[utrace_task_tid(each)], UTRACE_STOP);
    turn_for(host, std::chrono::milliseconds(random() % 3));
    kill(pid, SIGKILL);
    auto killed = std::chrono::steady_clock::now();
    for (utrace_task* each : host.tasks())
      if (utrace_task_pid(each) != pid) kill(utrace_task_pid(each), SIGKILL);
    bool ended = turn_to_end(host, 10s);
    if (!ended)
      for (utrace_task* each : host.tasks()) {
        kill(utrace_task_pid(each), SIGKILL);
        ADD_FAILURE() << "left: " << utrace_task_tid(each) << " of " << utrace_task_pid(each);
      }
    ASSERT_TRUE(ended) << i;
    slowest = std::max(slowest, std::chrono::steady_clock::now() - killed);
  }
  RecordProperty("slowest_end_ms",
                 static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(slowest).count()));
}

TEST_F(UtraceLives, AnotherTracerIsNamed) {
  Stranger target("sleeper");
  ASSERT_TRUE(target.ready());
  UtraceHost host;
  ASSERT_TRUE(host.seize(target.pid()));
  pid_t other = fork();
  if (other == 0) {
    // A second tracer must be told which process traces it.
    int status = 1;
    if (ptrace(PTRACE_SEIZE, target.pid(), 0, 0) < 0 && errno == EPERM) status = 0;
    _exit(status);
  }
  int status = 0;
  waitpid(other, &status, 0);
  EXPECT_EQ(status, 0);
  auto none = host.seize(999'999);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), ESRCH);
}

TEST_F(UtraceLives, FilteredProgramsAreCaretaken) {
  UtraceHost host;
  record.only = {SYS_getppid};
  host.on_new_task = [&](utrace_task* task, utrace_task*, uint64_t) {
    record.attach(task, UTRACE_EVENT_SYSCALL_ENTRY | UTRACE_EVENT_EXIT);
  };
  auto task = host.spawn(filtered_program("getppid", {SYS_getppid}, {"2", "2000"}));
  ASSERT_TRUE(task);
  pid_t pid = utrace_task_pid(*task);
  EXPECT_TRUE(host.filtered(pid));
  host.release_spawned(pid);
  ASSERT_TRUE(turn_until(host, [&] { return record.count("entry") > 100; }));
  int before = record.count("entry");
  host.detach_process(pid);
  EXPECT_GT(host.task_count(), 0u) << "its calls are passed on";
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.count("entry"), before);
  EXPECT_GT(host.stops(), 4000u);
}

TEST_F(UtraceLives, AnEngineMayWantCallsOutsideTheFilter) {
  UtraceHost host;
  utrace_syscall_set euid;
  euid.add(SYS_geteuid);
  euid.add(SYS_getppid);
  auto task = host.spawn(filtered_program("call_once", {SYS_getppid}));
  ASSERT_TRUE(task);
  utrace_engine* engine = record.attach(*task, UTRACE_EVENT_SYSCALL_ENTRY | UTRACE_EVENT_SYSCALL_EXIT);
  utrace_narrow_syscalls(engine, &euid, &euid);
  host.release_spawned(utrace_task_pid(*task));
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.count_of("entry", SYS_getppid), 1) << "not twice";
  EXPECT_EQ(record.count_of("return", SYS_getppid), 1);
  EXPECT_EQ(record.count_of("entry", SYS_geteuid), 1);
  EXPECT_EQ(record.count_of("return", SYS_geteuid), 1);
}

TEST_F(UtraceLives, EventsAskedForLaterBeginAtOnce) {
  Stranger target("busy_threads", {"1"});
  ASSERT_TRUE(target.ready());
  UtraceHost host;
  record.only = {SYS_getppid};
  auto tasks = host.seize(target.pid());
  ASSERT_TRUE(tasks);
  for (utrace_task* task : *tasks) record.attach(task, 0);
  turn_for(host, 30ms);
  uint64_t before = host.stops();
  turn_for(host, 50ms);
  EXPECT_LE(host.stops(), before + 2) << "nobody wants system calls";
  for (utrace_task* task : *tasks)
    utrace_set_events(task, record.engines[utrace_task_tid(task)], UTRACE_EVENT_SYSCALL_ENTRY);
  EXPECT_TRUE(turn_until(host, [&] { return record.count("entry") > 10; }));
  for (utrace_task* task : *tasks) utrace_set_events(task, record.engines[utrace_task_tid(task)], 0);
  turn_for(host, 30ms);
  before = host.stops();
  turn_for(host, 50ms);
  EXPECT_LE(host.stops(), before + 2);
  kill(target.pid(), SIGUSR1);
  EXPECT_EQ(WEXITSTATUS(target.next_status(&host)), 9);
}

TEST_F(UtraceLives, EverythingWatchedChangesNothing) {
  for (auto& [name, arguments, end] :
       std::vector<std::tuple<std::string, std::vector<std::string>, int>>{{"many_threads", {"50"}, 3},
                                                                           {"fork_children", {"10"}, 0},
                                                                           {"exec_from_thread", {}, 7},
                                                                           {"leader_leaves", {}, 33},
                                                                           {"straight", {}, 0}}) {
    for (bool filter : {false, true}) {
      SCOPED_TRACE(name);
      Recorder mine;
      UtraceHost host;
      host.on_new_task = [&](utrace_task* task, utrace_task*, uint64_t) { mine.attach(task, kEverything); };
      auto task =
          host.spawn(filter ? filtered_program(name, {SYS_getppid, SYS_clone3, SYS_futex, SYS_execve}, arguments)
                            : program(name, arguments));
      ASSERT_TRUE(task);
      pid_t pid = utrace_task_pid(*task);
      host.release_spawned(pid);
      ASSERT_TRUE(turn_to_end(host));
      long code = -1;
      for (auto& line : mine.lines)
        if (line.what == "exit" && line.tid == pid) code = line.value;
      if (name != "leader_leaves") {
        EXPECT_EQ(code, end << 8);
      }
      EXPECT_EQ(mine.count("death"), mine.count("reap"));
      EXPECT_EQ(mine.count("exit"), mine.count("death"));
    }
  }
}

TEST_F(UtraceLives, SpawnRestoresSignalDispositions) {
  ::signal(SIGUSR2, SIG_IGN);
  UtraceHost host;
  ::signal(SIGTERM, SIG_IGN);  // the host's own disposition
  auto task = host.spawn(program("nothing"));
  ASSERT_TRUE(task);
  unsigned long long ignored = 0, blocked = 0;
  char line[256];
  FILE* file = std::fopen(("/proc/" + std::to_string(utrace_task_pid(*task)) + "/status").c_str(), "r");
  ASSERT_TRUE(file);
  while (std::fgets(line, sizeof line, file)) {
    std::sscanf(line, "SigIgn: %llx", &ignored);
    std::sscanf(line, "SigBlk: %llx", &blocked);
  }
  std::fclose(file);
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGUSR2, SIG_DFL);
  EXPECT_TRUE(ignored & (1ull << (SIGUSR2 - 1)));
  EXPECT_FALSE(ignored & (1ull << (SIGTERM - 1)));
  EXPECT_EQ(blocked & (1ull << (SIGCHLD - 1)), 0u);
}

TEST_F(UtraceLives, WaitWakesForDescriptorsAndTimeouts) {
  UtraceHost host;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  UniqueFd in(ends[0]), out(ends[1]);
  int fds[] = {in.get()};
  // A child of an earlier test may still report its end: one quiet wait out of several is sufficient.
  std::chrono::steady_clock::duration longest{};
  for (int i = 0; i < 5; ++i) {
    auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(host.wait(fds, 20).empty());
    longest = std::max(longest, std::chrono::steady_clock::now() - begin);
  }
  EXPECT_GE(longest, 19ms);
  ASSERT_EQ(write(out.get(), "x", 1), 1);
  auto readable = host.wait(fds, 5000);
  ASSERT_EQ(readable.size(), 1u);
  EXPECT_EQ(readable[0], in.get());
  // A busy program does not keep a descriptor waiting.
  record.keep_lines = false;
  auto task = host.spawn(program("storm"));
  ASSERT_TRUE(task);
  record.attach(*task, kEverything);
  host.release_spawned(utrace_task_pid(*task));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(host.wait(fds, 1000).size(), 1u);
  for (utrace_task* each : host.tasks()) kill(utrace_task_pid(each), SIGKILL);
  EXPECT_TRUE(turn_to_end(host));
}

}  // namespace
}  // namespace sonde
