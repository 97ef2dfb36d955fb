// SPDX-License-Identifier: GPL-3.0-or-later
// The contract of runtime/utrace/utrace.h: calls, flags, guarantees, error codes, one test per row
#include "tests/runtime/utrace/support.h"

namespace sonde {
namespace {

class UtraceGuarantees : public Utrace {
 protected:
  utrace_task* start(const std::string& name, uint32_t events, std::vector<std::string> arguments = {}) {
    auto spawned = host.spawn(program(name, arguments));
    if (!spawned) return nullptr;
    engine = record.attach(*spawned, events);
    pid = utrace_task_pid(*spawned);
    return task = *spawned;
  }
  /// A zombie that its parent does not reap: returns the parent's task, and the zombie's engine in `engine`.
  utrace_task* start_zombie() {
    host.on_new_task = [&](utrace_task* born, utrace_task* parent, uint64_t) {
      if (!parent) return;
      task = born;
      engine = record.attach(born, UTRACE_EVENT_DEATH | UTRACE_EVENT_REAP);
    };
    auto spawned = host.spawn(program("late_reaper"));
    if (!spawned) return nullptr;
    pid = utrace_task_pid(*spawned);
    host.release_spawned(pid);
    return turn_until(host, [&] { return record.count("death") == 1; }) ? *spawned : nullptr;
  }
  Recorder record, second;
  UtraceHost host;
  utrace_task* task = nullptr;
  utrace_engine* engine = nullptr;
  pid_t pid = 0;
};

TEST_F(UtraceGuarantees, AttachCreateExclusiveAndMatch) {
  ASSERT_TRUE(start("nothing", 0));
  utrace_engine* other = nullptr;
  int data = 0;
  EXPECT_EQ(utrace_attach_task(task, UTRACE_ATTACH_MATCH_OPS, Recorder::ops(), nullptr, &other), 0);
  EXPECT_EQ(other, engine);
  utrace_engine_put(other);
  EXPECT_EQ(utrace_attach_task(task, UTRACE_ATTACH_MATCH_DATA, nullptr, &record, &other), 0);
  EXPECT_EQ(other, engine);
  utrace_engine_put(other);
  EXPECT_EQ(utrace_attach_task(task, UTRACE_ATTACH_MATCH_DATA, nullptr, &data, &other), -ENOENT);
  EXPECT_EQ(utrace_attach_task(task, UTRACE_ATTACH_CREATE | UTRACE_ATTACH_EXCLUSIVE | UTRACE_ATTACH_MATCH_OPS,
                               Recorder::ops(), nullptr, &other),
            -EEXIST);
  EXPECT_EQ(utrace_attach_task(task, UTRACE_ATTACH_CREATE, Recorder::ops(), &second, &other), 0);
  EXPECT_NE(other, engine);
  utrace_engine_put(other);
}

TEST_F(UtraceGuarantees, AttachToAZombieIsAllowedAndSeesNoDeath) {
  ASSERT_TRUE(start_zombie());
  utrace_engine* other = second.attach(task, UTRACE_EVENT_REAP);
  ASSERT_TRUE(other);
  EXPECT_EQ(utrace_set_events(task, other, UTRACE_EVENT_REAP | UTRACE_EVENT_DEATH), -EALREADY);
  kill(pid, SIGUSR1);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(second.order(), "reap");
}

TEST_F(UtraceGuarantees, AttachToAReapedThreadIsEsrch) {
  ASSERT_TRUE(start("nothing", 0));
  host.release_spawned(pid);
  ASSERT_TRUE(turn_to_end(host));
  utrace_engine* other = nullptr;
  EXPECT_EQ(utrace_attach_task(task, UTRACE_ATTACH_CREATE, Recorder::ops(), &second, &other), -ESRCH);
}

TEST_F(UtraceGuarantees, ReferencesKeepAnEngineAndTheLastReleasesIt) {
  ASSERT_TRUE(start("nothing", 0));
  utrace_engine_get(engine);
  utrace_engine_put(engine);
  EXPECT_EQ(utrace_control(task, engine, UTRACE_DETACH), 0);
  EXPECT_EQ(record.released, 0);
  EXPECT_EQ(utrace_set_events(task, engine, 0), -ESRCH);
  EXPECT_EQ(utrace_control(task, engine, UTRACE_RESUME), -ESRCH);
  record.put_all();
  EXPECT_EQ(record.released, 1);
}

TEST_F(UtraceGuarantees, SetEventsOnTheDead) {
  ASSERT_TRUE(start_zombie());
  EXPECT_EQ(utrace_set_events(task, engine, UTRACE_EVENT_REAP), -EALREADY) << "clearing DEATH";
  EXPECT_EQ(utrace_set_events(task, engine, UTRACE_EVENT_DEATH | UTRACE_EVENT_REAP | UTRACE_EVENT_QUIESCE), -EALREADY);
  EXPECT_EQ(utrace_set_events(task, engine, UTRACE_EVENT_DEATH | UTRACE_EVENT_REAP), 0);
  kill(pid, SIGUSR1);
  ASSERT_TRUE(turn_to_end(host));
}

TEST_F(UtraceGuarantees, SetEventsInProgressFromInsideAnothersCallback) {
  ASSERT_TRUE(start("nothing", UTRACE_EVENT_EXIT));
  utrace_engine* other = second.attach(task, UTRACE_EVENT_EXIT);
  int own = 1;
  record.on_exit = [&](utrace_engine* it, utrace_task* at) -> uint32_t {
    own = utrace_set_events(at, it, 0);
    return UTRACE_RESUME;
  };
  host.release_spawned(pid);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(own, 0) << "its own callback knows what it does";
  EXPECT_EQ(second.count("exit"), 1);
  EXPECT_EQ(utrace_set_events(task, other, 0), -ESRCH);
}

TEST_F(UtraceGuarantees, ControlOnTheDeadIsEsrch) {
  ASSERT_TRUE(start_zombie());
  EXPECT_EQ(utrace_control(task, engine, UTRACE_STOP), -ESRCH);
  EXPECT_EQ(utrace_control(task, engine, UTRACE_RESUME), -ESRCH);
  EXPECT_EQ(utrace_control(task, engine, UTRACE_DETACH), 0);
  kill(pid, SIGUSR1);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.count("reap"), 0) << "no reap after detach";
}

TEST_F(UtraceGuarantees, ControlBehindTheExitStopIsEsrch) {
  ASSERT_TRUE(start("leader_leaves", UTRACE_EVENT_EXIT | UTRACE_EVENT_DEATH));
  host.release_spawned(pid);
  ASSERT_TRUE(turn_until(host, [&] { return record.count("exit") == 1; }));
  // The other thread still lives: this one is not dead yet.
  EXPECT_EQ(record.count("death"), 0);
  for (auto action : {UTRACE_STOP, UTRACE_INTERRUPT, UTRACE_REPORT, UTRACE_SINGLESTEP, UTRACE_RESUME})
    EXPECT_EQ(utrace_control(task, engine, action), -ESRCH) << action;
  ASSERT_TRUE(turn_until(host, [&] { return record.count("death") == 1; }));
  ASSERT_TRUE(turn_to_end(host));
}

TEST_F(UtraceGuarantees, ControlOfAnUnknownActionIsEinval) {
  ASSERT_TRUE(start("nothing", 0));
  EXPECT_EQ(utrace_control(task, engine, UTRACE_RESUME_MASK), -EINVAL);
}

TEST_F(UtraceGuarantees, DetachInsideItsOwnCallbackIsInProgress) {
  ASSERT_TRUE(start("nothing", UTRACE_EVENT_EXIT | UTRACE_EVENT_DEATH));
  int first = 0, again = 0, barrier = 1;
  record.on_exit = [&](utrace_engine* it, utrace_task* at) -> uint32_t {
    first = utrace_control(at, it, UTRACE_DETACH);
    again = utrace_control(at, it, UTRACE_DETACH);
    barrier = utrace_barrier(at, it);
    return UTRACE_RESUME;
  };
  host.release_spawned(pid);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(first, -EINPROGRESS);
  EXPECT_EQ(again, -ESRCH);
  EXPECT_EQ(barrier, 0);
  EXPECT_EQ(record.order(), "exit");
  EXPECT_EQ(utrace_barrier(task, engine), -ESRCH) << "fully detached";
}

TEST_F(UtraceGuarantees, DetachDuringDeathIsEalready) {
  ASSERT_TRUE(start("nothing", UTRACE_EVENT_DEATH));
  utrace_engine* other = second.attach(task, UTRACE_EVENT_DEATH);
  int got = 0;
  record.death = [&](utrace_engine*, utrace_task* at) -> uint32_t {
    got = utrace_control(at, other, UTRACE_DETACH);
    return UTRACE_RESUME;
  };
  host.release_spawned(pid);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(got, -EALREADY);
  EXPECT_EQ(second.count("death"), 1);
}

TEST_F(UtraceGuarantees, DetachInReportDeathMeansNoReap) {
  ASSERT_TRUE(start("nothing", UTRACE_EVENT_DEATH | UTRACE_EVENT_REAP));
  record.death = [](utrace_engine*, utrace_task*) -> uint32_t { return UTRACE_DETACH; };
  host.release_spawned(pid);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.order(), "death");
}

TEST_F(UtraceGuarantees, BarrierReturnsAtOnceOutsideCallbacks) {
  ASSERT_TRUE(start("nothing", 0));
  EXPECT_EQ(utrace_barrier(task, engine), 0);
}

TEST_F(UtraceGuarantees, SigkillBreaksAStop) {
  ASSERT_TRUE(start("sleeper", UTRACE_EVENT_DEATH));
  EXPECT_EQ(utrace_control(task, engine, UTRACE_STOP), 0);
  host.release_spawned(pid);
  turn_for(host, 20ms);
  kill(pid, SIGKILL);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.count("death"), 1);
}

TEST_F(UtraceGuarantees, ImplicitSigkillOfExecBreaksAStop) {
  ASSERT_TRUE(start("exec_from_thread", UTRACE_EVENT_CLONE | UTRACE_EVENT_EXEC | UTRACE_EVENT_EXIT |
                                            UTRACE_EVENT_DEATH | UTRACE_EVENT_REAP));
  record.follow = true;
  record.clone = [&](utrace_engine* it, utrace_task* parent, uint64_t, utrace_task*) -> uint32_t {
    return UTRACE_STOP;  // the leader stays stopped
  };
  host.release_spawned(pid);
  ASSERT_TRUE(turn_to_end(host)) << record.order();
  EXPECT_EQ(record.count("exec"), 1);
  EXPECT_EQ(record.count("death"), 2);
}

TEST_F(UtraceGuarantees, SigkillAtReportExit) {
  ASSERT_TRUE(start("nothing", UTRACE_EVENT_EXIT | UTRACE_EVENT_DEATH));
  record.answers["exit"] = UTRACE_STOP;
  host.release_spawned(pid);
  ASSERT_TRUE(turn_until(host, [&] { return record.count("exit") == 1; }));
  turn_for(host, 30ms);
  EXPECT_EQ(record.count("death"), 0) << "held with its memory alive";
  EXPECT_NE(utrace_registers(task), nullptr);
  kill(pid, SIGKILL);
  turn_for(host, 50ms);
  if (record.count("death") == 0) utrace_control(task, engine, UTRACE_RESUME);
  EXPECT_TRUE(turn_to_end(host));
}

TEST_F(UtraceGuarantees, ExecByAThreadThatIsNotTheLeader) {
  ASSERT_TRUE(start("exec_from_thread", UTRACE_EVENT_CLONE | UTRACE_EVENT_EXEC | UTRACE_EVENT_EXIT |
                                            UTRACE_EVENT_DEATH | UTRACE_EVENT_REAP));
  record.follow = true;
  pid_t thread = 0;
  record.clone = [&](utrace_engine*, utrace_task*, uint64_t, utrace_task* child) -> uint32_t {
    thread = utrace_task_tid(child);
    return UTRACE_RESUME;
  };
  host.release_spawned(pid);
  ASSERT_TRUE(turn_until(host, [&] { return record.count("exec") == 1; }));
  utrace_task* now = host.find(pid);
  ASSERT_TRUE(now);
  EXPECT_NE(now, task) << "the thread goes on with the leader's id";
  EXPECT_EQ(utrace_task_tid(now), pid);
  EXPECT_EQ(host.find(thread), nullptr);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.order(), "clone exit death reap exec exit death reap");
  EXPECT_EQ(record.count_of("exec", thread), 1) << "its former id";
  EXPECT_EQ(record.lines[5].value, 7 << 8);
}

TEST_F(UtraceGuarantees, PointersStayValidDuringACallback) {
  ASSERT_TRUE(start("many_threads", UTRACE_EVENT_CLONE | UTRACE_EVENT_DEATH, {"20"}));
  record.follow = true;
  record.death = [&](utrace_engine* it, utrace_task* at) -> uint32_t {
    EXPECT_EQ(host.find(utrace_task_tid(at)), at);
    EXPECT_EQ(it->data, &record);
    return UTRACE_DETACH;
  };
  host.release_spawned(pid);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.count("death"), 21);
}

}  // namespace
}  // namespace sonde
