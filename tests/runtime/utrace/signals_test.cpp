// SPDX-License-Identifier: GPL-3.0-or-later
// The contract of runtime/utrace/utrace.h: signal actions, one test per row
#include "tests/runtime/utrace/support.h"

namespace sonde {
namespace {

constexpr uint32_t kAll = UTRACE_EVENT_SIGNAL_ALL;

class UtraceSignals : public Utrace {
 protected:
  /// Runs "raise" with one answer to its signal; returns the final wait status.
  long end_of(const std::string& signal, const std::string& how,
              std::function<uint32_t(siginfo_t*, struct sigaction*)> answer, uint32_t events = kAll) {
    record.lines.clear();
    record.counts.clear();
    auto task = host.spawn(program("raise", {signal, how}));
    if (!task) return -1;
    engine = record.attach(*task, events | UTRACE_EVENT_EXIT);
    record.signal = [answer](utrace_engine*, utrace_task*, siginfo_t* info, uint32_t action,
                             struct sigaction* after) -> uint32_t {
      uint32_t kind = action & UTRACE_SIGNAL_MASK;
      if (kind == UTRACE_SIGNAL_REPORT || kind == UTRACE_SIGNAL_HANDLER) return kind | UTRACE_RESUME;
      return answer ? answer(info, after) : kind | UTRACE_RESUME;
    };
    host.release_spawned(utrace_task_pid(*task));
    if (!turn_to_end(host, 5s)) {
      kill(utrace_task_pid(*task), SIGKILL);
      turn_to_end(host);
      return -2;
    }
    for (auto& line : record.lines)
      if (line.what == "exit") return line.value;
    return -3;
  }
  static auto with(uint32_t action) {
    return [action](siginfo_t*, struct sigaction*) -> uint32_t { return action | UTRACE_RESUME; };
  }
  Recorder record;
  UtraceHost host;
  utrace_engine* engine = nullptr;
};

TEST_F(UtraceSignals, IgnoredSignalsAreSeen) {
  EXPECT_EQ(end_of("17", "d", nullptr, UTRACE_EVENT_SIGNAL_IGN), 10 << 8);
  EXPECT_EQ(record.count_of("signal", SIGCHLD), 1);
  EXPECT_EQ(end_of("15", "i", nullptr, UTRACE_EVENT_SIGNAL_IGN), 10 << 8);
  EXPECT_EQ(record.count_of("signal", SIGTERM), 1);
}

TEST_F(UtraceSignals, EachKindHasItsOwnEvent) {
  EXPECT_EQ(end_of("12", "h", nullptr, UTRACE_EVENT_SIGNAL), 11 << 8);
  EXPECT_EQ(record.count("signal"), 1);
  EXPECT_EQ(end_of("12", "d", nullptr, UTRACE_EVENT_SIGNAL_TERM), SIGUSR2);
  EXPECT_EQ(record.count("signal"), 1);
  EXPECT_EQ(end_of("12", "d", nullptr, UTRACE_EVENT_SIGNAL | UTRACE_EVENT_SIGNAL_CORE), SIGUSR2);
  EXPECT_EQ(record.count("signal"), 0);
  EXPECT_EQ(end_of("11", "d", nullptr, UTRACE_EVENT_SIGNAL_CORE) & 0x7f, SIGSEGV);
  EXPECT_EQ(record.count("signal"), 1);
}

TEST_F(UtraceSignals, FatalSignalIgnoredByTheEngine) {
  EXPECT_EQ(end_of("15", "d", with(UTRACE_SIGNAL_IGN)), 10 << 8);
  EXPECT_EQ(end_of("12", "h", with(UTRACE_SIGNAL_IGN)), 10 << 8) << "the handler did not run";
}

TEST_F(UtraceSignals, DeliverRunsTheHandler) { EXPECT_EQ(end_of("12", "h", with(UTRACE_SIGNAL_DELIVER)), 11 << 8); }

TEST_F(UtraceSignals, DeliverWithAnotherHandler) {
  // SIGUSR1's default action instead of SIGUSR2's handler: the process dies of it.
  EXPECT_EQ(end_of("12", "h1",
                   [](siginfo_t*, struct sigaction* after) -> uint32_t {
                     *after = {};
                     after->sa_handler = SIG_DFL;
                     return uint32_t{UTRACE_RESUME} | UTRACE_SIGNAL_DELIVER;
                   }),
            SIGUSR2);
  // Ignored once; the table of handlers is unchanged.
  EXPECT_EQ(end_of("12", "h1",
                   [](siginfo_t*, struct sigaction* after) -> uint32_t {
                     *after = {};
                     after->sa_handler = SIG_IGN;
                     return uint32_t{UTRACE_RESUME} | UTRACE_SIGNAL_DELIVER;
                   }),
            10 << 8);
}

TEST_F(UtraceSignals, AlteredNumber) {
  // 10 + 0 calls of SIGUSR2's handler + 20 * 1 call of SIGUSR1's.
  EXPECT_EQ(end_of("12", "h1",
                   [](siginfo_t* info, struct sigaction*) -> uint32_t {
                     info->si_signo = SIGUSR1;
                     return uint32_t{UTRACE_RESUME} | UTRACE_SIGNAL_DELIVER;
                   }),
            30 << 8);
}

TEST_F(UtraceSignals, DefaultOfARealTimeSignalKeepsItsNumber) {
  EXPECT_EQ(end_of("34", "d", with(UTRACE_SIGNAL_TERM)), 34);
}

TEST_F(UtraceSignals, TermOnAHandledSignal) {
  EXPECT_EQ(end_of("12", "h",
                   [](siginfo_t* info, struct sigaction*) -> uint32_t {
                     info->si_signo = SIGINT;
                     return uint32_t{UTRACE_RESUME} | UTRACE_SIGNAL_TERM;
                   }),
            SIGINT);
  EXPECT_EQ(end_of("12", "h", with(UTRACE_SIGNAL_TERM)), SIGUSR2);
  EXPECT_EQ(end_of("17", "h", with(UTRACE_SIGNAL_TERM)), SIGKILL) << "SIGCHLD cannot kill: nearest is SIGKILL";
}

TEST_F(UtraceSignals, CoreOnAHandledSignal) { EXPECT_EQ(end_of("11", "h", with(UTRACE_SIGNAL_CORE)) & 0x7f, SIGSEGV); }

TEST_F(UtraceSignals, StopAndTstp) {
  for (uint32_t action : {UTRACE_SIGNAL_STOP, UTRACE_SIGNAL_TSTP}) {
    SCOPED_TRACE(action);
    Stranger target("wait_for_usr1");
    ASSERT_TRUE(target.ready());
    auto tasks = host.seize(target.pid());
    ASSERT_TRUE(tasks);
    Recorder mine;
    mine.attach((*tasks)[0], kAll | UTRACE_EVENT_JCTL);
    mine.signal = [&](utrace_engine*, utrace_task*, siginfo_t* info, uint32_t given, struct sigaction*) -> uint32_t {
      return UTRACE_RESUME | (info->si_signo == SIGUSR2 ? action : given & UTRACE_SIGNAL_MASK);
    };
    kill(target.pid(), SIGUSR2);
    int status = target.next_status(&host);
    EXPECT_TRUE(WIFSTOPPED(status)) << std::hex << status;
    EXPECT_EQ(WSTOPSIG(status), action == UTRACE_SIGNAL_STOP ? SIGSTOP : SIGTSTP);
    kill(target.pid(), SIGCONT);
    EXPECT_TRUE(WIFCONTINUED(target.next_status(&host)));
    kill(target.pid(), SIGUSR1);
    EXPECT_EQ(WEXITSTATUS(target.next_status(&host)), 5);
    ASSERT_TRUE(turn_to_end(host));
  }
}

TEST_F(UtraceSignals, HoldReportsTheSameSignalAgain) {
  int times = 0;
  auto once = [&](siginfo_t* info, struct sigaction*) -> uint32_t {
    EXPECT_EQ(info->si_code, SI_TKILL) << "with its own siginfo";
    EXPECT_NE(info->si_pid, getpid());
    return UTRACE_RESUME |
           (times++ ? uint32_t{UTRACE_SIGNAL_DELIVER} : uint32_t{UTRACE_SIGNAL_HOLD} | UTRACE_SIGNAL_IGN);
  };
  EXPECT_EQ(end_of("12", "h", once), 11 << 8);
  EXPECT_EQ(times, 2);
  EXPECT_EQ(record.count_of("signal", SIGUSR2), 2);
}

TEST_F(UtraceSignals, StopHoldsBeforeTheDefaultActionAndSigkillBreaksIt) {
  auto task = host.spawn(program("raise", {"15", "d"}));
  ASSERT_TRUE(task);
  engine = record.attach(*task, kAll | UTRACE_EVENT_EXIT);
  record.answers["signal"] = UTRACE_STOP;
  host.release_spawned(utrace_task_pid(*task));
  ASSERT_TRUE(turn_until(host, [&] { return record.count("signal") == 1; }));
  turn_for(host, 30ms);
  EXPECT_EQ(record.count("exit"), 0) << "held before the default action";
  kill(utrace_task_pid(*task), SIGKILL);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.count_of("exit", SIGKILL), 1);
}

TEST_F(UtraceSignals, StoppedSignalIsFoundAgainWithInterrupt) {
  auto task = host.spawn(program("raise", {"12", "h"}));
  ASSERT_TRUE(task);
  engine = record.attach(*task, kAll | UTRACE_EVENT_QUIESCE | UTRACE_EVENT_EXIT);
  int seen = 0;
  record.signal = [&](utrace_engine*, utrace_task*, siginfo_t* info, uint32_t action, struct sigaction*) -> uint32_t {
    uint32_t kind = action & UTRACE_SIGNAL_MASK;
    if (kind == UTRACE_SIGNAL_HANDLER) return UTRACE_RESUME | kind;
    if (kind == UTRACE_SIGNAL_REPORT) {
      EXPECT_EQ(info->si_signo, SIGUSR2);
      ++seen;
      return UTRACE_RESUME;
    }
    return uint32_t{UTRACE_STOP} | UTRACE_SIGNAL_IGN;
  };
  host.release_spawned(utrace_task_pid(*task));
  ASSERT_TRUE(turn_until(host, [&] { return record.count("signal") == 1; }));
  turn_for(host, 20ms);
  EXPECT_EQ(utrace_control(*task, engine, UTRACE_INTERRUPT), 0);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(record.count_of("exit", 11 << 8), 1) << "and delivered after all";
}

TEST_F(UtraceSignals, ManyRealTimeSignalsGoThrough) {
  Stranger target("wait_for_usr1");
  ASSERT_TRUE(target.ready());
  auto tasks = host.seize(target.pid());
  ASSERT_TRUE(tasks);
  record.attach((*tasks)[0], kAll);
  record.signal = [](utrace_engine*, utrace_task*, siginfo_t* info, uint32_t action, struct sigaction*) -> uint32_t {
    return UTRACE_RESUME | (info->si_signo > 32 ? uint32_t{UTRACE_SIGNAL_IGN} : action & UTRACE_SIGNAL_MASK);
  };
  for (int i = 0; i < 20; ++i) kill(target.pid(), SIGRTMIN + 2);
  ASSERT_TRUE(turn_until(host, [&] { return record.count("signal") == 20; }));
  kill(target.pid(), SIGUSR1);
  EXPECT_EQ(WEXITSTATUS(target.next_status(&host)), 5);
}

TEST_F(UtraceSignals, SigkillIsNeverReported) {
  auto task = host.spawn(program("sleeper"));
  ASSERT_TRUE(task);
  record.attach(*task, kAll);
  host.release_spawned(utrace_task_pid(*task));
  turn_for(host, 20ms);
  kill(utrace_task_pid(*task), SIGKILL);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.count("signal"), 0);
}

}  // namespace
}  // namespace sonde
