// SPDX-License-Identifier: GPL-3.0-or-later
// The contract of runtime/utrace/utrace.h: resume actions, one test per row
#include "tests/runtime/utrace/support.h"

namespace sonde {
namespace {

class UtraceActions : public Utrace {
 protected:
  utrace_task* start(const utrace_spawn& what, uint32_t events) {
    record.only = second.only = what.calls;
    auto spawned = host.spawn(what);
    if (!spawned) return nullptr;
    engine = record.attach(*spawned, events);
    pid = utrace_task_pid(*spawned);
    return task = *spawned;
  }
  bool stop_it() {
    utrace_control(task, engine, UTRACE_STOP);
    return turn_until(host, [&] { return utrace_task_stopped(task); });
  }
  /// The state letter of /proc.
  char state() const {
    std::string path = "/proc/" + std::to_string(pid) + "/stat";
    FILE* file = std::fopen(path.c_str(), "r");
    char letter = '?', text[512];
    if (!file) return letter;
    size_t got = std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
    text[got] = 0;
    if (char* end = std::strrchr(text, ')')) letter = end[2];
    return letter;
  }
  /// A process that still lives would keep the test's output open after the test.
  ~UtraceActions() override {
    if (host.task_count() > 0) kill(pid, SIGKILL);
  }
  Recorder record, second;
  UtraceHost host;
  utrace_task* task = nullptr;
  utrace_engine* engine = nullptr;
  pid_t pid = 0;
};

TEST_F(UtraceActions, MostConstrainedWins) {
  ASSERT_TRUE(start(filtered_program("call_once", {SYS_getppid}), UTRACE_EVENT_SYSCALL_ENTRY | UTRACE_EVENT_EXIT));
  utrace_engine* other = second.attach(task, UTRACE_EVENT_SYSCALL_ENTRY);
  record.answers["entry"] = UTRACE_STOP;
  second.answers["entry"] = UTRACE_STOP;
  host.release_spawned(pid);
  ASSERT_TRUE(turn_until(host, [&] { return second.count("entry") == 1; }));
  utrace_control(task, engine, UTRACE_RESUME);
  turn_for(host, 30ms);
  EXPECT_TRUE(utrace_task_stopped(task)) << "stopped while one still wants STOP";
  EXPECT_EQ(record.count("exit"), 0);
  utrace_control(task, other, UTRACE_RESUME);
  EXPECT_TRUE(turn_to_end(host));
}

TEST_F(UtraceActions, StopByControl) {
  ASSERT_TRUE(start(program("sleeper"), UTRACE_EVENT_QUIESCE));
  host.release_spawned(pid);
  turn_for(host, 30ms);
  EXPECT_EQ(utrace_control(task, engine, UTRACE_STOP), -EINPROGRESS);
  record.answers["quiesce"] = UTRACE_STOP;
  ASSERT_TRUE(turn_until(host, [&] { return utrace_task_stopped(task); }));
  EXPECT_EQ(utrace_control(task, engine, UTRACE_STOP), 0);
  EXPECT_EQ(state(), 't');
  EXPECT_EQ(record.count_of("quiesce", 0), 1);
}

TEST_F(UtraceActions, StopByReturnValueIsSticky) {
  ASSERT_TRUE(start(filtered_program("getppid", {SYS_getppid}, {"1", "3"}), UTRACE_EVENT_CLONE | UTRACE_EVENT_EXIT));
  record.answers["clone"] = UTRACE_STOP;
  host.release_spawned(pid);
  ASSERT_TRUE(turn_until(host, [&] { return record.count("clone") == 1; }));
  turn_for(host, 50ms);
  EXPECT_TRUE(utrace_task_stopped(task));
  kill(pid, SIGWINCH);
  turn_for(host, 30ms);
  EXPECT_TRUE(utrace_task_stopped(task)) << "a signal does not wake it";
  EXPECT_EQ(utrace_control(task, engine, UTRACE_RESUME), 0);
  EXPECT_TRUE(turn_to_end(host));
}

TEST_F(UtraceActions, StopOnAJobStoppedThreadReturnsZero) {
  ASSERT_TRUE(start(program("sleeper"), UTRACE_EVENT_JCTL));
  host.release_spawned(pid);
  turn_for(host, 30ms);
  kill(pid, SIGSTOP);
  ASSERT_TRUE(turn_until(host, [&] { return record.count("stopped") == 1; }));
  turn_for(host, 20ms);
  EXPECT_EQ(utrace_control(task, engine, UTRACE_STOP), 0);
  EXPECT_NE(utrace_registers(task), nullptr);
  kill(pid, SIGCONT);
  turn_for(host, 50ms);
  EXPECT_TRUE(utrace_task_stopped(task)) << "held after SIGCONT";
  EXPECT_EQ(record.count("continued"), 0);
  EXPECT_EQ(utrace_control(task, engine, UTRACE_RESUME), 0);
  ASSERT_TRUE(turn_until(host, [&] { return record.count("continued") == 1; }));
  EXPECT_EQ(record.count("stopped"), 1);
}

TEST_F(UtraceActions, InterruptRestartsTheCall) {
  Stranger target("wait_for_usr1");
  ASSERT_TRUE(target.ready());
  auto tasks = host.seize(target.pid());
  ASSERT_TRUE(tasks);
  engine = record.attach((*tasks)[0], UTRACE_EVENT_QUIESCE);
  for (int i = 1; i <= 5; ++i) {
    utrace_control((*tasks)[0], engine, UTRACE_INTERRUPT);
    ASSERT_TRUE(turn_until(host, [&] { return record.count("quiesce") == i; }));
  }
  kill(target.pid(), SIGUSR1);
  int status = target.next_status(&host);
  EXPECT_EQ(WEXITSTATUS(status), 5);
}

TEST_F(UtraceActions, SingleStepAndBlockStep) {
  for (utrace_resume_action step : {UTRACE_SINGLESTEP, UTRACE_BLOCKSTEP}) {
    SCOPED_TRACE(step);
    ASSERT_TRUE(start(program("nothing"), UTRACE_EVENT_SIGNAL_ALL | UTRACE_EVENT_EXIT));
    int steps = 0;
    uint64_t last = 0;
    record.signal = [&](utrace_engine*, utrace_task* at, siginfo_t* info, uint32_t action,
                        struct sigaction*) -> uint32_t {
      EXPECT_EQ(info->si_signo, SIGTRAP);
      EXPECT_EQ(action & UTRACE_SIGNAL_MASK, uint32_t{UTRACE_SIGNAL_CORE});
      uint64_t now = utrace_registers(at)->rip;
      EXPECT_NE(now, last);
      last = now;
      return uint32_t{++steps < 6 ? step : UTRACE_RESUME} | UTRACE_SIGNAL_IGN;
    };
    EXPECT_EQ(utrace_control(task, engine, step), 0);
    host.release_spawned(pid);
    ASSERT_TRUE(turn_to_end(host));
    EXPECT_EQ(steps, 6) << "and runs free after that";
    EXPECT_EQ(record.count_of("exit", 7 << 8), step == UTRACE_SINGLESTEP ? 1 : 2);
  }
}

TEST_F(UtraceActions, AStepOutlivesASignalThatItsEngineDoesNotWatch) {
  ASSERT_TRUE(start(program("nothing"), UTRACE_EVENT_SIGNAL_CORE | UTRACE_EVENT_EXIT));
  int steps = 0;
  record.signal = [&](utrace_engine*, utrace_task*, siginfo_t*, uint32_t, struct sigaction*) -> uint32_t {
    ++steps;
    return uint32_t{UTRACE_RESUME} | UTRACE_SIGNAL_IGN;
  };
  EXPECT_EQ(utrace_control(task, engine, UTRACE_SINGLESTEP), 0);
  kill(pid, SIGWINCH);
  kill(pid, SIGURG);
  host.release_spawned(pid);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(steps, 1);
  EXPECT_EQ(record.count_of("exit", 7 << 8), 1);
}

TEST_F(UtraceActions, DetachByControlAndByReturnValue) {
  ASSERT_TRUE(start(filtered_program("getppid", {SYS_getppid}, {"1", "10"}), UTRACE_EVENT_EXIT));
  host.on_new_task = [&](utrace_task* born, utrace_task*, uint64_t) {
    second.attach(born, UTRACE_EVENT_SYSCALL_ENTRY);
  };
  second.answers["entry"] = UTRACE_DETACH;
  host.release_spawned(pid);
  EXPECT_EQ(utrace_control(task, engine, UTRACE_DETACH), 0);
  EXPECT_EQ(utrace_control(task, engine, UTRACE_DETACH), -ESRCH);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.count("exit"), 0);
  EXPECT_EQ(second.count("entry"), 1);
}

TEST_F(UtraceActions, DetachOfTheHolderLetsTheThreadGo) {
  ASSERT_TRUE(start(program("nothing"), UTRACE_EVENT_QUIESCE));
  second.attach(task, UTRACE_EVENT_EXIT);
  EXPECT_EQ(utrace_control(task, engine, UTRACE_STOP), 0);
  host.release_spawned(pid);
  turn_for(host, 30ms);
  EXPECT_EQ(second.count("exit"), 0);
  EXPECT_EQ(utrace_control(task, engine, UTRACE_DETACH), 0);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(second.count("exit"), 1);
}

TEST_F(UtraceActions, AbortWithOwnValue) {
  for (bool filter : {false, true}) {
    for (bool exits : {false, true}) {
      SCOPED_TRACE(filter);
      SCOPED_TRACE(exits);
      record.lines.clear();
      std::vector<std::string> arguments = {"ppid", "4242"};
      ASSERT_TRUE(
          start(filter ? filtered_program("call_once", {SYS_getppid}, arguments) : program("call_once", arguments),
                UTRACE_EVENT_SYSCALL_ENTRY | UTRACE_EVENT_EXIT | (exits ? uint32_t{UTRACE_EVENT_SYSCALL_EXIT} : 0)));
      record.entry = [](utrace_engine*, utrace_task*, user_regs_struct* registers, uint32_t) -> uint32_t {
        if (registers->orig_rax != SYS_getppid) return UTRACE_RESUME;
        registers->rax = 4242;
        return uint32_t{UTRACE_RESUME} | UTRACE_SYSCALL_ABORT;
      };
      host.release_spawned(pid);
      ASSERT_TRUE(turn_to_end(host));
      EXPECT_EQ(record.count_of("exit", 0), 1);
      EXPECT_EQ(record.count_of("return", SYS_getppid), exits ? 1 : 0) << "the exit shows the number it was asked for";
    }
  }
}

TEST_F(UtraceActions, AlteredNumber) {
  ASSERT_TRUE(start(filtered_program("call_once", {SYS_getppid}, {"getpid", ""}),
                    UTRACE_EVENT_SYSCALL_ENTRY | UTRACE_EVENT_EXIT));
  record.entry = [](utrace_engine*, utrace_task*, user_regs_struct* registers, uint32_t) -> uint32_t {
    registers->orig_rax = SYS_getpid;
    return UTRACE_RESUME;
  };
  host.release_spawned(pid);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.count_of("exit", 0), 1);
}

TEST_F(UtraceActions, StopAtEntryRepeatsWithResumedOnlyWhenAsked) {
  for (bool ask : {false, true}) {
    SCOPED_TRACE(ask);
    record.counts.clear();
    ASSERT_TRUE(start(filtered_program("call_once", {SYS_getppid}), UTRACE_EVENT_SYSCALL_ENTRY));
    record.answers["entry"] = UTRACE_STOP;
    host.release_spawned(pid);
    ASSERT_TRUE(turn_until(host, [&] { return record.count("entry") == 1; }));
    turn_for(host, 20ms);
    EXPECT_EQ(utrace_control(task, engine, ask ? UTRACE_REPORT : UTRACE_RESUME), 0);
    ASSERT_TRUE(turn_to_end(host));
    EXPECT_EQ(record.count("entry_resumed"), ask ? 1 : 0);
  }
}

TEST_F(UtraceActions, SigkillAtTheEntryStopMakesNoCall) {
  ASSERT_TRUE(start(filtered_program("call_once", {SYS_getppid}),
                    UTRACE_EVENT_SYSCALL_ENTRY | UTRACE_EVENT_SYSCALL_EXIT | UTRACE_EVENT_DEATH | UTRACE_EVENT_EXIT));
  record.answers["entry"] = UTRACE_STOP;
  host.release_spawned(pid);
  ASSERT_TRUE(turn_until(host, [&] { return record.count("entry") == 1; }));
  kill(pid, SIGKILL);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.count("return"), 0);
  EXPECT_EQ(record.count_of("exit", SIGKILL), 1);
  EXPECT_EQ(record.count("death"), 1);
}

TEST_F(UtraceActions, StopOfAVforkParentAtClone) {
  ASSERT_TRUE(start(program("fork_children", {"2"}), UTRACE_EVENT_CLONE | UTRACE_EVENT_EXIT));
  host.on_new_task = [&](utrace_task* born, utrace_task*, uint64_t) { second.attach(born, UTRACE_EVENT_DEATH); };
  record.clone = [&](utrace_engine*, utrace_task*, uint64_t flags, utrace_task*) -> uint32_t {
    return flags & 0x4000 ? UTRACE_STOP : UTRACE_RESUME;
  };
  host.release_spawned(pid);
  ASSERT_TRUE(turn_until(host, [&] { return second.count("death") == 2; })) << "the vfork child has run to its end";
  EXPECT_TRUE(utrace_task_stopped(task)) << "the parent is held";
  utrace_control(task, engine, UTRACE_RESUME);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.count_of("exit", 0), 1);
}

TEST_F(UtraceActions, ExaminedWhileStopped) {
  ASSERT_TRUE(start(program("sleeper"), UTRACE_EVENT_QUIESCE));
  utrace_examiner examiner{};
  EXPECT_EQ(utrace_prepare_examine(task, engine, &examiner), -EINVAL) << "this engine has not stopped it";
  host.release_spawned(pid);
  turn_for(host, 30ms);
  record.answers["quiesce"] = UTRACE_STOP;
  ASSERT_TRUE(stop_it());
  EXPECT_EQ(utrace_prepare_examine(task, engine, &examiner), 0);
  EXPECT_NE(utrace_registers(task), nullptr);
  EXPECT_EQ(utrace_finish_examine(task, engine, &examiner), 0);
  utrace_control(task, engine, UTRACE_RESUME);
  record.answers.clear();
  turn_for(host, 30ms);
  EXPECT_EQ(utrace_finish_examine(task, engine, &examiner), -EAGAIN);
}

TEST_F(UtraceActions, MemoryAndSystemCallsOfAStoppedThread) {
  ASSERT_TRUE(start(program("nothing"), UTRACE_EVENT_EXIT));
  long result = utrace_run_syscall(task, SYS_getpid, {0, 0, 0, 0, 0, 0});
  EXPECT_EQ(result, pid);
  uint64_t stack = utrace_registers(task)->rsp, value = 0, wanted = 0x1122334455667788;
  EXPECT_EQ(utrace_write_memory(task, stack - 64, &wanted, sizeof wanted), 0);
  EXPECT_EQ(utrace_read_memory(task, stack - 64, &value, sizeof value), 0);
  EXPECT_EQ(value, wanted);
  EXPECT_EQ(utrace_read_memory(task, 8, &value, sizeof value), -EFAULT);
  uint8_t code = 0;
  uint64_t at = utrace_registers(task)->rip;
  EXPECT_EQ(utrace_read_memory(task, at, &code, 1), 0);
  EXPECT_EQ(utrace_write_memory(task, at, &code, 1), 0) << "text is read-only, and can be written all the same";
  host.release_spawned(pid);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.count_of("exit", 7 << 8), 1);
}

}  // namespace
}  // namespace sonde
