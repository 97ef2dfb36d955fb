// SPDX-License-Identifier: GPL-3.0-or-later
// Real programs through the ptrace source: every record exact
#include <sys/stat.h>

#include <filesystem>

#include "tests/runtime/guard/guard_fixture.h"

namespace sonde::test {
namespace {

class Filtered : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Guard, Filtered, testing::Bool());

TEST_P(Filtered, CountsGetppidOfFourThreads) {
  Consumer consumer;
  consumer.keep = 10;
  consumer.enable(1, Dif().argument(0));
  const uint32_t pid = consumer.spawn({target(), "getppid", "4", "25000"}, {SYS_getppid}, GetParam());
  consumer.tap_call(1, SYS_getppid);
  consumer.run();
  EXPECT_EQ(consumer.count(1), 100000u);
  EXPECT_EQ(consumer.status[pid], 0u);
  EXPECT_EQ(consumer.records.at(0).pid, pid);
  auto numbers = consumer.source->statistics();
  ASSERT_TRUE(numbers);
  EXPECT_EQ(numbers->records, 100000u);
  EXPECT_EQ(numbers->drops, 0u);
  if (GetParam()) {
    EXPECT_LT(numbers->stops, 100100u);  // an entry is one stop
  }
}

TEST_P(Filtered, EntryAndReturn) {
  Consumer consumer;
  consumer.enable(1, Dif().argument(0));
  consumer.enable(2, Dif().argument(0).variable(SONDE_DIF_VAR_ERRNO).variable(SONDE_DIF_VAR_SYSCALL));
  const uint32_t pid = consumer.spawn({target(), "getppid", "2", "1000"}, {SYS_getppid}, GetParam());
  consumer.tap_call(1, SYS_getppid);
  consumer.tap_call(2, SYS_getppid, SONDE_TAP_SYSCALL_RETURN);
  consumer.run();
  EXPECT_EQ(consumer.count(1), 2000u);
  EXPECT_EQ(consumer.count(2), 2000u);
  for (const Record& record : consumer.records) {
    if (record.probe != 2) continue;
    EXPECT_NE(record.words[0], 0u);
    EXPECT_EQ(record.words[1], 0u);
    EXPECT_EQ(record.words[2], static_cast<uint64_t>(SYS_getppid));
    EXPECT_EQ(record.pid, pid);
  }
}

TEST_P(Filtered, ForksAndExec) {
  Consumer consumer;
  consumer.enable(1, Dif().text(SONDE_DIF_TEXT_EXECNAME));
  consumer.spawn({target(), "tree", "8", "100"}, {SYS_getppid}, GetParam());
  consumer.tap_call(1, SYS_getppid);
  consumer.run();
  EXPECT_EQ(consumer.count(1), 900u);
  std::set<uint32_t> pids;
  for (const Record& record : consumer.records) {
    pids.insert(record.pid);
    EXPECT_EQ(record.texts[0], "target");
  }
  EXPECT_EQ(pids.size(), 9u);
}

TEST_P(Filtered, PathAtEntryAndOfAPageNotTouchedYet) {
  Consumer consumer;
  consumer.through_shell = true;
  consumer.enable(1, Dif().text_of_argument(1));
  consumer.spawn({target(), "untouched", "/etc/hostname"}, {SYS_openat}, GetParam());
  consumer.tap_call(1, SYS_openat);
  consumer.run();
  EXPECT_EQ(consumer.output(), "opened\n");
  ASSERT_FALSE(consumer.records.empty());
  EXPECT_EQ(consumer.records.back().texts[0], "/etc/hostname");
  EXPECT_EQ(consumer.records.back().faults, 0u);
}

TEST(Guard, PathKeptFromEntryToReturn) {
  Consumer consumer;
  Dif entry, leave;
  entry.op(SONDE_DIF_ARG, 1, 0, 0, 1).op(SONDE_DIF_STT, 0, 1, 0, 3);
  leave.op(SONDE_DIF_LDT, 1, 0, 0, 3).capture(SONDE_DIF_CAPSTR, SONDE_SLOT_TEXT, 256);
  consumer.enable(1, entry);
  consumer.enable(2, leave);
  consumer.spawn({target(), "open", "/etc/hostname"});
  consumer.tap_call(1, SYS_openat);
  consumer.tap_call(2, SYS_openat, SONDE_TAP_SYSCALL_RETURN);
  consumer.run();
  EXPECT_EQ(consumer.records.back().texts[0], "/etc/hostname");
}

TEST(Guard, FailedCallReturnsErrno) {
  Consumer consumer;
  consumer.enable(1, Dif().argument(0).argument(1).variable(SONDE_DIF_VAR_ERRNO));
  consumer.spawn({target(), "open", "/nowhere"});
  consumer.tap_call(1, SYS_openat, SONDE_TAP_SYSCALL_RETURN);
  consumer.run();
  const Record& last = consumer.records.back();
  EXPECT_EQ(last.words, (std::vector<uint64_t>{UINT64_MAX, UINT64_MAX, ENOENT}));
}

TEST(Guard, SeveralEcbsOfOneProbeAreOneFiring) {
  Consumer consumer;
  consumer.enable(1, Dif().argument(0));
  Dif second;
  second.variable(SONDE_DIF_VAR_TIMESTAMP);
  ASSERT_TRUE(second.load(*consumer.source, 2));
  const Ecb more[] = {{Epid{7}, ProbeId{1}, ProgramId{2}, false}, {Epid{5}, ProbeId{1}, ProgramId{2}, false}};
  ASSERT_TRUE(consumer.source->add_ecbs(more));
  ASSERT_TRUE(consumer.source->settle());
  consumer.spawn({target(), "getppid", "1", "10"});
  consumer.tap_call(1, SYS_getppid);
  consumer.run();
  ASSERT_EQ(consumer.records.size(), 30u);
  for (size_t i = 0; i < 30; i += 3) {
    EXPECT_EQ(consumer.records[i].epid, 1u);
    EXPECT_EQ(consumer.records[i + 1].epid, 5u);
    EXPECT_EQ(consumer.records[i + 2].epid, 7u);
    EXPECT_EQ(consumer.records[i].sequence, consumer.records[i + 2].sequence);
    EXPECT_EQ(consumer.records[i + 1].words[0], consumer.records[i].timestamp);
  }
}

TEST(Guard, NameIsRightAfterPrctl) {
  Consumer consumer;
  consumer.enable(1, Dif().text(SONDE_DIF_TEXT_EXECNAME));
  consumer.spawn({target(), "names"});
  consumer.tap_call(1, SYS_getppid);
  consumer.run();
  ASSERT_EQ(consumer.records.size(), 2u);
  EXPECT_EQ(consumer.records[0].texts[0], "target");
  EXPECT_EQ(consumer.records[1].texts[0], "renamed");
}

TEST(Guard, ProcessEvents) {
  Consumer consumer;
  consumer.through_shell = true;
  const sonde_tap_kind kinds[] = {SONDE_TAP_CREATE,       SONDE_TAP_START, SONDE_TAP_LWP_CREATE,
                                  SONDE_TAP_LWP_START,    SONDE_TAP_EXEC,  SONDE_TAP_EXEC_SUCCESS,
                                  SONDE_TAP_EXEC_FAILURE, SONDE_TAP_EXIT,  SONDE_TAP_LWP_EXIT};
  consumer.spawn({"/bin/sh", "-c", target() + " getppid 2 1; /nowhere/at/all; " + target() + " exit 7; exit 3"});
  for (sonde_tap_kind kind : kinds) {
    Dif dif;
    dif.argument(0).argument(1).text(SONDE_DIF_TEXT_PSARGS).text(SONDE_DIF_TEXT_PROBE_TEXT);
    consumer.enable(kind + 1, dif);
    consumer.tap_kind(kind + 1, kind);
  }
  consumer.run();
  const auto of = [&](sonde_tap_kind kind) { return consumer.count(kind + 1); };
  EXPECT_GE(of(SONDE_TAP_CREATE), 2u);
  EXPECT_EQ(of(SONDE_TAP_START), of(SONDE_TAP_CREATE));
  EXPECT_EQ(of(SONDE_TAP_LWP_CREATE), 2u);
  EXPECT_EQ(of(SONDE_TAP_LWP_START), 2 + of(SONDE_TAP_START));
  EXPECT_EQ(of(SONDE_TAP_EXEC_SUCCESS), 3u);  // the wrapper's exec of sh, and two programs
  EXPECT_EQ(of(SONDE_TAP_EXIT), 1 + of(SONDE_TAP_START));
  EXPECT_EQ(of(SONDE_TAP_LWP_EXIT), 2 + of(SONDE_TAP_EXIT));
  std::multiset<uint64_t> codes, codes_of_threads;
  bool arguments = false;
  for (const Record& record : consumer.records) {
    if (record.probe == SONDE_TAP_EXIT + 1) {
      EXPECT_EQ(record.words[0], static_cast<uint64_t>(CLD_EXITED));
      codes.insert(record.words[1]);
    }
    if (record.probe == SONDE_TAP_LWP_EXIT + 1) codes_of_threads.insert(record.words[1]);
    if (record.probe == SONDE_TAP_EXEC_SUCCESS + 1 && record.texts[2] == target() + " exit 7") arguments = true;
    if (record.probe == SONDE_TAP_EXEC + 1) {
      EXPECT_FALSE(record.texts[3].empty());
    }
  }
  EXPECT_EQ(codes.count(7), 1u);
  EXPECT_EQ(codes.count(3), 1u);
  EXPECT_EQ(codes_of_threads.count(7), 1u);
  EXPECT_EQ(codes_of_threads.count(3), 1u);
  EXPECT_TRUE(arguments);
}

TEST(Guard, RefusesWhatItCannotSee) {
  Consumer consumer;
  const Tap tap{TapId{1}, SONDE_TAP_TICK, ProbeId{1}, 0, 0, "", 0, 0};
  auto armed = consumer.source->arm({&tap, 1});
  ASSERT_FALSE(armed);
  EXPECT_EQ(armed.error().code(), EOPNOTSUPP);
  EXPECT_NE(armed.error().message().find("kmod"), std::string::npos);
}

TEST(Guard, DescriptorTexts) {
  Consumer consumer;
  Dif dif;
  dif.text(SONDE_DIF_TEXT_FDPATH, 0)
      .text(SONDE_DIF_TEXT_FDFS, 0)
      .text(SONDE_DIF_TEXT_FDPATH, 77)
      .text(SONDE_DIF_TEXT_CWD);
  dif.text(SONDE_DIF_TEXT_EXEPATH).text(SONDE_DIF_TEXT_FDMOUNT, 0);
  consumer.enable(1, dif);
  consumer.spawn({"/bin/sh", "-c", "cd / && exec " + target() + " getppid 1 2 </proc/self/status"});
  consumer.tap_call(1, SYS_getppid);
  consumer.run();
  ASSERT_GE(consumer.records.size(), 2u);  // the shell may make this call, too
  const Record& last = consumer.records.back();
  EXPECT_NE(last.texts[0].find("/status"), std::string::npos);
  EXPECT_EQ(last.texts[1], "proc");
  EXPECT_EQ(last.texts[2], "<none>");
  EXPECT_EQ(last.texts[3], "/");
  EXPECT_EQ(last.texts[4], target());
  EXPECT_EQ(last.texts[5], "/proc");
}

TEST(Guard, Variables) {
  Consumer consumer;
  Dif dif;
  dif.variable(SONDE_DIF_VAR_PID)
      .variable(SONDE_DIF_VAR_PPID)
      .variable(SONDE_DIF_VAR_UID)
      .variable(SONDE_DIF_VAR_VTIMESTAMP);
  dif.variable(SONDE_DIF_VAR_CPU).variable(SONDE_DIF_VAR_NLWP).variable(SONDE_DIF_VAR_PGID).variable(SONDE_DIF_VAR_TID);
  consumer.enable(1, dif);
  const uint32_t pid = consumer.spawn({target(), "getppid", "1", "2"});
  consumer.tap_call(1, SYS_getppid);
  consumer.run();
  ASSERT_EQ(consumer.records.size(), 2u);
  const auto& words = consumer.records[0].words;
  EXPECT_EQ(words[0], pid);
  EXPECT_NE(words[1], 0u);
  EXPECT_EQ(words[2], getuid());
  EXPECT_GT(words[3], 0u);
  EXPECT_LT(words[4], 1024u);
  EXPECT_EQ(words[5], 2u);
  EXPECT_EQ(words[6], static_cast<uint64_t>(getpgid(0)));
  EXPECT_EQ(words[7], consumer.records[0].tid);
}

TEST(Guard, MemoryOfATargetAndErrors) {
  Consumer consumer;
  const uint32_t pid = consumer.spawn({target(), "getppid", "1", "1"});
  ASSERT_TRUE(consumer.source->targets()->run_to_entry(pid));
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  uint64_t start = 0;
  maps >> std::hex >> start;
  std::vector<uint8_t> head(4);
  ASSERT_TRUE(consumer.source->threads()->read_memory(pid, start, head));
  EXPECT_EQ(head, (std::vector<uint8_t>{0x7f, 'E', 'L', 'F'}));
  auto bad = consumer.source->threads()->read_memory(pid, 16, head);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code(), EFAULT);
  EXPECT_EQ(consumer.source->targets()->detach(1).error().code(), ESRCH);
  EXPECT_EQ(consumer.source->threads()->release(pid, {}).error().code(), EINVAL);
  EXPECT_FALSE(consumer.source->targets()->spawn({{"/nowhere/at/all"}, {}, false, {}}));
  consumer.run();
}

TEST(Guard, SpawnsAreAnsweredInTheirOrderAndLate) {
  Consumer consumer;
  ASSERT_TRUE(consumer.source->targets()->begin_spawn({{target(), "getppid", "1", "1"}, {}, false, {}}));
  ASSERT_TRUE(consumer.source->targets()->begin_spawn({{"/nowhere/at/all"}, {}, false, {}}));
  ASSERT_TRUE(consumer.source->targets()->begin_spawn({{"/bin/true"}, {}, false, {}}));
  const auto between = consumer.source->targets()->detach(1);  // must not get an answer of theirs
  ASSERT_FALSE(between);
  EXPECT_EQ(between.error().code(), ESRCH);
  const auto program_of = [](uint32_t pid) {
    return std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe").filename();
  };
  const auto first = consumer.source->targets()->spawned();
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_EQ(program_of(*first), std::filesystem::path(target()).filename());
  const auto second = consumer.source->targets()->spawned();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ENOENT);
  ASSERT_TRUE(consumer.source->statistics());
  const auto third = consumer.source->targets()->spawned();
  ASSERT_TRUE(third) << third.error().message();
  EXPECT_EQ(program_of(*third), "true");
  consumer.run();
}

TEST(Guard, AttachesAndDetaches) {
  const pid_t child = start_loop("6000");
  {
    Consumer consumer;
    consumer.enable(1, Dif().argument(0));
    consumer.tap_call(1, SYS_getppid);
    ASSERT_TRUE(consumer.source->targets()->attach(static_cast<uint32_t>(child)));
    ASSERT_TRUE(consumer.source->targets()->go());
    consumer.wait_for_records(21);
    ASSERT_TRUE(consumer.source->targets()->detach(static_cast<uint32_t>(child)));
    consumer.drain(true);
    EXPECT_GT(consumer.count(1), 20u);
  }
  kill(child, SIGUSR2);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

TEST(Guard, HeldThreadWaitsForRelease) {
  Consumer consumer;
  consumer.enable(1, Dif().argument(0), true);
  Dif second;
  second.argument(0);
  ASSERT_TRUE(second.load(*consumer.source, 2));
  const Ecb more{Epid{9}, ProbeId{1}, ProgramId{2}, false};
  ASSERT_TRUE(consumer.source->add_ecbs({&more, 1}));
  ASSERT_TRUE(consumer.source->settle());
  consumer.spawn({target(), "getppid", "2", "4"}, {SYS_getppid}, true);
  consumer.tap_call(1, SYS_getppid);
  ASSERT_TRUE(consumer.source->targets()->go());
  consumer.wait_for_records(2);  // one of each thread
  EXPECT_EQ(consumer.records.size(), 2u);
  consumer.on_record = [&](const sonde_record& record) {
    if (record.flags & SONDE_RECORD_HELD) {
      EXPECT_TRUE(consumer.source->threads()->release(record.tid, {}));
    }
  };
  for (const Record& record : std::vector<Record>(consumer.records)) {
    EXPECT_TRUE(record.flags & SONDE_RECORD_HELD);
    EXPECT_TRUE(consumer.source->threads()->release(record.tid, {}));
  }
  consumer.run();
  EXPECT_EQ(consumer.records.size(), 16u);
}

TEST(Guard, HeldThreadCanBeKilledAndSignalled) {
  Consumer consumer;
  consumer.enable(1, Dif().argument(0), true);
  const uint32_t pid = consumer.spawn({target(), "getppid", "1", "4"});
  consumer.tap_call(1, SYS_getppid);
  ASSERT_TRUE(consumer.source->targets()->go());
  consumer.wait_for_records(1);
  kill(static_cast<pid_t>(pid), SIGKILL);
  consumer.run(5000);
  EXPECT_EQ(consumer.status[pid], 9u);

  Consumer second;
  second.enable(1, Dif().argument(0), true);
  const uint32_t other = second.spawn({target(), "getppid", "1", "4"});
  second.tap_call(1, SYS_getppid);
  second.on_record = [&](const sonde_record& record) {
    (void)second.source->threads()->release(record.tid, {false, SIGTERM});
  };  // the thread may be dying
  second.run(5000);
  EXPECT_EQ(second.status[other], static_cast<uint64_t>(SIGTERM));
}

TEST(Guard, ReleasedThreadStaysStopped) {
  Consumer consumer;
  consumer.enable(1, Dif().argument(0), true);
  const uint32_t pid = consumer.spawn({target(), "getppid", "1", "1"});
  consumer.tap_call(1, SYS_getppid);
  ASSERT_TRUE(consumer.source->targets()->go());
  consumer.wait_for_records(1);
  ASSERT_EQ(consumer.records.size(), 1u);
  ASSERT_TRUE(consumer.source->threads()->release(consumer.records[0].tid, {true, 0}));
  usleep(100000);
  EXPECT_TRUE(consumer.events());
  EXPECT_FALSE(consumer.all_gone);
  kill(static_cast<pid_t>(pid), SIGCONT);
  consumer.on_record = [&](const sonde_record& record) {
    EXPECT_TRUE(consumer.source->threads()->release(record.tid, {}));
  };
  consumer.run(5000);
  EXPECT_EQ(consumer.status[pid], 0u);
}

TEST(Guard, SignalsDeliveredAndDiscarded) {
  Consumer consumer;
  consumer.enable(1, Dif().argument(0).argument(2));
  consumer.enable(2, Dif().argument(0));
  consumer.spawn(
      {"/bin/sh", "-c", "trap : USR1; kill -USR1 $$; trap '' USR2; kill -USR2 $$; /bin/true; kill -TERM $$"});
  consumer.tap_kind(1, SONDE_TAP_SIGNAL_DELIVER);
  consumer.tap_kind(2, SONDE_TAP_SIGNAL_DISCARD);
  consumer.run();
  std::multiset<uint64_t> delivered, discarded;
  for (const Record& record : consumer.records) {
    if (record.words[0] == SIGCHLD) continue;  // some shells handle it, some ignore it
    (record.probe == 1 ? delivered : discarded).insert(record.words[0]);
    if (record.probe == 1) {
      EXPECT_EQ(record.words[1], record.pid);  // the process has sent them itself
    }
  }
  EXPECT_EQ(delivered, (std::multiset<uint64_t>{SIGUSR1, SIGTERM}));
  EXPECT_EQ(discarded.count(SIGUSR2), 1u);
}

TEST(Guard, SignalsSent) {
  Consumer consumer;
  consumer.enable(1, Dif().argument(0).argument(3).argument(4));
  const uint32_t pid = consumer.spawn(
      {"/bin/sh", "-c", "trap : USR1; kill -USR1 $$; kill -0 $$; kill -USR1 2147483000; kill -URG 0; kill -KILL $$"},
      {SYS_kill}, true);
  consumer.tap_kind(1, SONDE_TAP_SIGNAL_SEND);
  consumer.run();
  std::vector<std::vector<uint64_t>> sent;
  for (const Record& record : consumer.records) sent.push_back(record.words);
  const auto group = static_cast<uint64_t>(-static_cast<int64_t>(getpgid(0)));
  EXPECT_EQ(sent, (std::vector<std::vector<uint64_t>>{{SIGUSR1, pid, pid}, {SIGURG, group, 0}, {SIGKILL, pid, pid}}));
}

TEST(Guard, DropsAreCountedWhenNobodyReads) {
  Consumer consumer(4096);
  consumer.enable(1, Dif().argument(0));
  consumer.spawn({target(), "getppid", "1", "2000"}, {SYS_getppid}, true);
  consumer.tap_call(1, SYS_getppid);
  const auto before = Clock::now();
  ASSERT_TRUE(consumer.source->targets()->go());
  while (!consumer.all_gone && consumer.events()) usleep(1000);
  EXPECT_LT(Clock::now() - before, std::chrono::seconds(5));
  consumer.drain(true);
  auto numbers = consumer.source->statistics();
  ASSERT_TRUE(numbers);
  EXPECT_GT(numbers->drops, 0u);
  EXPECT_EQ(numbers->records + numbers->drops, 2000u);
  EXPECT_EQ(consumer.count(1), numbers->records);
}

}  // namespace
}  // namespace sonde::test
