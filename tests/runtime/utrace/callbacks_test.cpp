// SPDX-License-Identifier: GPL-3.0-or-later
// The contract of runtime/utrace/utrace.h: callbacks, one test per row
#include <fstream>

#include "tests/runtime/utrace/support.h"

namespace sonde {
namespace {

class UtraceCallbacks : public Utrace {
 protected:
  utrace_task* start(const utrace_spawn& what, uint32_t events) {
    auto task = host.spawn(what);
    if (!task) return nullptr;
    engine = record.attach(*task, events);
    pid = utrace_task_pid(*task);
    return *task;
  }
  bool run() {
    host.release_spawned(pid);
    return turn_to_end(host);
  }
  Recorder record;
  UtraceHost host;
  utrace_engine* engine = nullptr;
  pid_t pid = 0;
};

TEST_F(UtraceCallbacks, QuiesceWithEventZeroOnReport) {
  utrace_task* task = start(program("sleeper"), UTRACE_EVENT_QUIESCE);
  ASSERT_TRUE(task);
  host.release_spawned(pid);
  turn_for(host, 50ms);
  int before = record.count_of("quiesce", 0);
  EXPECT_EQ(utrace_control(task, engine, UTRACE_REPORT), 0);
  ASSERT_TRUE(turn_until(host, [&] { return record.count_of("quiesce", 0) > before; }));
  EXPECT_EQ(record.count_of("quiesce", 0), before + 1);
  kill(pid, SIGKILL);
  EXPECT_TRUE(turn_to_end(host));
}

TEST_F(UtraceCallbacks, QuiesceComesBeforeEachEventAndMayAskForIt) {
  ASSERT_TRUE(start(program("nothing"), UTRACE_EVENT_QUIESCE | UTRACE_EVENT_DEATH));
  record.quiesce = [&](utrace_engine* it, utrace_task* task, uint32_t event) -> uint32_t {
    if (event == UTRACE_EVENT_EXIT) {
      EXPECT_EQ(utrace_set_events(task, it, UTRACE_EVENT_EXIT | UTRACE_EVENT_QUIESCE | UTRACE_EVENT_DEATH), 0);
    }
    return UTRACE_RESUME;
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(record.order(), "quiesce exit quiesce death");
}

TEST_F(UtraceCallbacks, SignalToAHandler) {
  ASSERT_TRUE(start(program("raise", {"12", "h"}), UTRACE_EVENT_SIGNAL | UTRACE_EVENT_EXIT));
  ASSERT_TRUE(run());
  EXPECT_EQ(record.count_of("signal", SIGUSR2), 1);
  EXPECT_EQ(record.count_of("exit", 11 << 8), 1);
}

/// Whether the process has a handler for SIGUSR1.
bool handles_usr1(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string word;
  while (status >> word && word != "SigCgt:") continue;
  return (status >> word) && (std::stoull(word, nullptr, 16) >> (SIGUSR1 - 1) & 1) != 0;
}

TEST_F(UtraceCallbacks, SignalReportWhenThereIsNoReportQuiesce) {
  static int reports;
  reports = 0;
  utrace_engine_ops ops{};
  ops.report_signal = [](uint32_t action, utrace_engine*, utrace_task*, user_regs_struct*, siginfo_t* info,
                         const struct sigaction* orig, struct sigaction*) -> uint32_t {
    if ((action & UTRACE_SIGNAL_MASK) != UTRACE_SIGNAL_REPORT) return UTRACE_RESUME | (action & UTRACE_SIGNAL_MASK);
    EXPECT_EQ(orig, nullptr);
    ++reports;
    // A generated signal, before any pending one.
    *info = {};
    info->si_signo = SIGUSR1;
    return uint32_t{UTRACE_RESUME} | UTRACE_SIGNAL_DELIVER;
  };
  auto task = host.spawn(program("wait_for_usr1"));
  ASSERT_TRUE(task);
  utrace_engine* mine = nullptr;
  ASSERT_EQ(utrace_attach_task(*task, UTRACE_ATTACH_CREATE, &ops, nullptr, &mine), 0);
  utrace_set_events(*task, mine, UTRACE_EVENT_QUIESCE);
  record.attach(*task, UTRACE_EVENT_EXIT);
  host.release_spawned(utrace_task_pid(*task));
  for (int i = 0; i < 1000 && !handles_usr1(utrace_task_pid(*task)); i++) turn_for(host, 20ms);
  EXPECT_EQ(utrace_control(*task, mine, UTRACE_INTERRUPT), 0);
  EXPECT_TRUE(turn_to_end(host));
  EXPECT_EQ(reports, 1);
  EXPECT_EQ(record.count_of("exit", 5 << 8), 1) << "the handler ran";
  utrace_engine_put(mine);
}

TEST_F(UtraceCallbacks, SignalHandlerReportBeforeItsFirstInstruction) {
  for (uint32_t action : {UTRACE_REPORT, UTRACE_INTERRUPT, UTRACE_SINGLESTEP}) {
    SCOPED_TRACE(action);
    record.lines.clear();
    ASSERT_TRUE(start(program("raise", {"12", "h"}), UTRACE_EVENT_SIGNAL_ALL | UTRACE_EVENT_EXIT));
    bool asked = false;
    record.signal = [&](utrace_engine*, utrace_task*, siginfo_t*, uint32_t given, struct sigaction*) -> uint32_t {
      uint32_t kind = given & UTRACE_SIGNAL_MASK;
      if (kind == UTRACE_SIGNAL_HANDLER || asked)
        return UTRACE_RESUME | (kind == UTRACE_SIGNAL_CORE ? uint32_t{UTRACE_SIGNAL_IGN} : kind);
      asked = true;
      return action | kind;
    };
    ASSERT_TRUE(run());
    EXPECT_EQ(record.order(), "signal signal_handler exit");
    EXPECT_EQ(record.lines.back().value, 11 << 8);
  }
}

TEST_F(UtraceCallbacks, SignalHandlerIsInLieuOfEveryRequestedReport) {
  static int quiesced, handlers;
  quiesced = handlers = 0;
  utrace_engine_ops without_signals{}, without_quiesce{};
  without_signals.report_quiesce = [](uint32_t, utrace_engine*, utrace_task*, uint32_t event) -> uint32_t {
    quiesced += event == 0;
    return UTRACE_RESUME;
  };
  without_quiesce.report_signal = [](uint32_t action, utrace_engine*, utrace_task*, user_regs_struct*, siginfo_t*,
                                     const struct sigaction*, struct sigaction*) -> uint32_t {
    handlers += (action & UTRACE_SIGNAL_MASK) == UTRACE_SIGNAL_HANDLER;
    return UTRACE_RESUME | (action & UTRACE_SIGNAL_MASK);
  };
  utrace_task* task = start(program("raise", {"12", "h"}), UTRACE_EVENT_SIGNAL_ALL | UTRACE_EVENT_EXIT);
  ASSERT_TRUE(task);
  utrace_engine *one = nullptr, *other = nullptr;
  ASSERT_EQ(utrace_attach_task(task, UTRACE_ATTACH_CREATE, &without_signals, nullptr, &one), 0);
  ASSERT_EQ(utrace_set_events(task, one, UTRACE_EVENT_QUIESCE), 0);
  ASSERT_EQ(utrace_attach_task(task, UTRACE_ATTACH_CREATE, &without_quiesce, nullptr, &other), 0);
  ASSERT_EQ(utrace_set_events(task, other, UTRACE_EVENT_QUIESCE), 0);
  record.signal = [&](utrace_engine*, utrace_task*, siginfo_t*, uint32_t given, struct sigaction*) -> uint32_t {
    uint32_t kind = given & UTRACE_SIGNAL_MASK;
    if (kind == UTRACE_SIGNAL_DELIVER) quiesced = 0;
    return kind | (kind == UTRACE_SIGNAL_DELIVER ? UTRACE_REPORT : UTRACE_RESUME);
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(quiesced, 1);
  EXPECT_EQ(handlers, 1);
  EXPECT_EQ(record.order(), "signal signal_handler exit");
  utrace_engine_put(one);
  utrace_engine_put(other);
}

TEST_F(UtraceCallbacks, CloneAttachesAndHoldsTheChildBeforeItsFirstInstruction) {
  ASSERT_TRUE(
      start(program("many_threads", {"1"}), UTRACE_EVENT_CLONE | UTRACE_EVENT_SYSCALL_ENTRY | UTRACE_EVENT_DEATH));
  utrace_task* child = nullptr;
  uint64_t flags = 0;
  record.clone = [&](utrace_engine*, utrace_task*, uint64_t how, utrace_task* born) -> uint32_t {
    child = born;
    flags = how;
    utrace_engine* its = record.attach(born, UTRACE_EVENT_SYSCALL_ENTRY | UTRACE_EVENT_DEATH);
    EXPECT_EQ(utrace_control(born, its, UTRACE_STOP), -EINPROGRESS);
    return UTRACE_RESUME;
  };
  host.release_spawned(pid);
  ASSERT_TRUE(turn_until(host, [&] { return child && utrace_task_stopped(child); }));
  pid_t tid = utrace_task_tid(child);
  EXPECT_TRUE(flags & 0x10000) << "CLONE_THREAD";
  turn_for(host, 50ms);
  for (auto& line : record.lines) EXPECT_NE(line.tid, tid) << line.what;
  EXPECT_EQ(utrace_control(child, record.engines[tid], UTRACE_STOP), 0);
  EXPECT_EQ(utrace_control(child, record.engines[tid], UTRACE_RESUME), 0);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.count("death"), 2);
}

TEST_F(UtraceCallbacks, CloneFlagsOfForkAndVfork) {
  ASSERT_TRUE(start(program("fork_children", {"2"}), UTRACE_EVENT_CLONE));
  std::vector<uint64_t> flags;
  record.clone = [&](utrace_engine*, utrace_task*, uint64_t how, utrace_task*) -> uint32_t {
    flags.push_back(how);
    return UTRACE_RESUME;
  };
  ASSERT_TRUE(run());
  ASSERT_EQ(flags.size(), 2u);
  EXPECT_EQ(flags[0] & 0xff, static_cast<uint64_t>(SIGCHLD));
  EXPECT_FALSE(flags[0] & 0x4000);
  EXPECT_TRUE(flags[1] & 0x4000) << "CLONE_VFORK";
}

TEST_F(UtraceCallbacks, JctlStoppedAndContinued) {
  Stranger target("wait_for_usr1");
  ASSERT_TRUE(target.ready());
  auto tasks = host.seize(target.pid());
  ASSERT_TRUE(tasks);
  record.attach((*tasks)[0], UTRACE_EVENT_JCTL | UTRACE_EVENT_DEATH);
  kill(target.pid(), SIGTSTP);
  int status = target.next_status(&host);
  EXPECT_TRUE(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTSTP) << std::hex << status;
  kill(target.pid(), SIGCONT);
  status = target.next_status(&host);
  EXPECT_TRUE(WIFCONTINUED(status)) << std::hex << status;
  kill(target.pid(), SIGUSR1);
  status = target.next_status(&host);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 5) << std::hex << status;
  turn_to_end(host);
  EXPECT_EQ(record.order(), "stopped continued death");
  EXPECT_EQ(record.lines[0].value, CLD_STOPPED) << "the last thread to stop notifies";
}

TEST_F(UtraceCallbacks, ExecIsReportedWithTheNewRegisters) {
  ASSERT_TRUE(start(program("exec_plain"), UTRACE_EVENT_EXEC | UTRACE_EVENT_EXIT));
  ASSERT_TRUE(run());
  EXPECT_EQ(record.order(), "exec exit") << "spawn's own exec is not the program's";
  EXPECT_EQ(record.lines[0].value, pid);
  EXPECT_EQ(record.lines[1].value, 7 << 8);
}

TEST_F(UtraceCallbacks, SyscallEntryAndExitComeInPairs) {
  ASSERT_TRUE(start(program("call_once"), UTRACE_EVENT_SYSCALL_ENTRY | UTRACE_EVENT_SYSCALL_EXIT));
  ASSERT_TRUE(run());
  ASSERT_GT(record.lines.size(), 4u);
  for (size_t i = 0; i + 1 < record.lines.size(); i += 2) {
    EXPECT_EQ(record.lines[i].what, "entry") << i;
    EXPECT_EQ(record.lines[i + 1].what, "return") << i;
    EXPECT_EQ(record.lines[i].value, record.lines[i + 1].value) << i;
  }
  EXPECT_EQ(record.lines.back().what, "entry") << "exit_group never returns";
  EXPECT_EQ(record.lines.back().value, SYS_exit_group);
  EXPECT_EQ(record.count_of("entry", SYS_getppid), 1);
}

TEST_F(UtraceCallbacks, SyscallExitChangesTheResult) {
  for (bool filter : {false, true}) {
    SCOPED_TRACE(filter);
    ASSERT_TRUE(start(
        filter ? filtered_program("call_once", {SYS_geteuid}, {"euid", "777"}) : program("call_once", {"euid", "777"}),
        UTRACE_EVENT_SYSCALL_EXIT | UTRACE_EVENT_EXIT));
    record.exit = [](utrace_engine*, utrace_task*, user_regs_struct* registers, uint32_t) -> uint32_t {
      if (registers->orig_rax == SYS_geteuid) registers->rax = 777;
      return UTRACE_RESUME;
    };
    ASSERT_TRUE(run());
    EXPECT_EQ(record.count_of("exit", 0), filter ? 2 : 1);
  }
}

TEST_F(UtraceCallbacks, ExitTellsTheCode) {
  ASSERT_TRUE(start(program("raise", {"15", "d"}), UTRACE_EVENT_EXIT));
  ASSERT_TRUE(run());
  EXPECT_EQ(record.count_of("exit", SIGTERM), 1);
}

TEST_F(UtraceCallbacks, ExitIsReportedOnceEvenAfterSigkill) {
  ASSERT_TRUE(start(program("sleeper"), UTRACE_EVENT_EXIT | UTRACE_EVENT_DEATH));
  host.release_spawned(pid);
  turn_for(host, 30ms);
  kill(pid, SIGKILL);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.order(), "exit death");
  EXPECT_EQ(record.lines[0].value, SIGKILL);
}

TEST_F(UtraceCallbacks, DeathThenReapWhenTheParentWaits) {
  pid_t child = 0;
  host.on_new_task = [&](utrace_task* task, utrace_task* parent, uint64_t) {
    if (!parent) return;
    child = utrace_task_tid(task);
    record.attach(task, UTRACE_EVENT_DEATH | UTRACE_EVENT_REAP);
  };
  auto task = host.spawn(program("late_reaper"));
  ASSERT_TRUE(task);
  host.release_spawned(utrace_task_pid(*task));
  ASSERT_TRUE(turn_until(host, [&] { return record.count("death") == 1; }));
  turn_for(host, 50ms);
  EXPECT_EQ(record.count("reap"), 0) << "a zombie is not reaped yet";
  ASSERT_TRUE(host.find(child));
  kill(utrace_task_pid(*task), SIGUSR1);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.order(), "death reap");
}

TEST_F(UtraceCallbacks, ReleaseComesWithTheLastReference) {
  ASSERT_TRUE(start(program("nothing"), UTRACE_EVENT_REAP));
  ASSERT_TRUE(run());
  EXPECT_EQ(record.released, 0) << "the caller holds a reference";
  record.put_all();
  EXPECT_EQ(record.released, 1);
}

}  // namespace
}  // namespace sonde
