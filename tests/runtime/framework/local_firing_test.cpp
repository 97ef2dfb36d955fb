// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/framework/local_firing.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <thread>

#include "tests/runtime/framework/recording_source.h"
#include "tests/runtime/framework/support.h"

namespace sonde {
namespace {

class LocalFiringTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(provider.add("test", TestProvider::pops_with_values()), 0);
    probe = provider.probe("f", "n");
  }
  uint32_t enable(std::shared_ptr<const FireProgram> program) {
    auto id = framework.enable(enabling_of({"test", "", "", "", {}}, std::move(program)));
    EXPECT_TRUE(id);
    return *id;
  }

  TestProvider dtrace;
  TestProvider provider, silent;  // they must outlive the framework, which calls their ops to the end
  Framework framework{nullptr};
  dtrace_id_t probe = 0;
};

TEST_F(LocalFiringTest, WritesARecord) {
  enable(record_argument(1));
  enable(record_argument(2));
  LocalRecords records(framework);
  const Nanoseconds before = monotonic_now();
  dtrace_probe(probe, 10, 11, 12, 13, 14);
  dtrace_probe(probe + 1, 1, 2, 3, 4, 5);
  const auto seen = records.take();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].slot0, 11u);
  EXPECT_EQ(seen[1].slot0, 12u);
  EXPECT_EQ(seen[0].epid, 1u);
  EXPECT_EQ(seen[1].epid, 2u);
  EXPECT_EQ(seen[0].timestamp, seen[1].timestamp);
  EXPECT_GE(seen[0].timestamp, before);
  EXPECT_LE(seen[0].timestamp, monotonic_now());
  EXPECT_EQ(seen[0].pid, static_cast<uint32_t>(getpid()));
  EXPECT_EQ(seen[0].tid, static_cast<uint32_t>(gettid()));
}

/// A firing wakes the reader if it has left an urgent record.
TEST_F(LocalFiringTest, UrgentRecordsWake) {
  const auto woken = [this] {
    pollfd one{framework.wake_fd(), POLLIN, 0};
    return poll(&one, 1, 0) == 1;
  };
  enable(record_argument(1));
  dtrace_probe(probe, 10, 11, 12, 13, 14);
  EXPECT_FALSE(woken());
  auto urgent = std::make_shared<FireProgram>(*make_program({{SONDE_DIF_ARG, 0, 0, 0, 1},
                                                             {SONDE_DIF_JZ, 0, 0, 0, 2},
                                                             {SONDE_DIF_CAPW, 0, 0},
                                                             {SONDE_DIF_RECORD},
                                                             {SONDE_DIF_FAIL}},
                                                            {SONDE_SLOT_WORD}));
  urgent->urgent = true;
  enable(urgent);
  dtrace_probe(probe, 10, 0, 12, 13, 14);
  EXPECT_TRUE(woken());  // another clause has left a record
  framework.take_wake();
  EXPECT_FALSE(woken());
  dtrace_probe(probe, 10, 11, 12, 13, 14);
  EXPECT_TRUE(woken());
}

TEST_F(LocalFiringTest, FireWithATimeOfItsOwn) {
  enable(record_argument(6));
  LocalRecords records(framework);
  const uint64_t args[] = {0, 1, 2, 3, 4, 5, 66};
  provider.on_getargval = [](dtrace_id_t, int number) { return dtrace_getarg(number, 0); };
  framework.fire({probe}, args, 1234);
  const auto seen = records.take();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].timestamp, 1234u);
  EXPECT_EQ(seen[0].slot0, 66u);
}

TEST_F(LocalFiringTest, FiresWithTenArguments) {
  int asked = 0;
  provider.on_getargval = [&](dtrace_id_t, int number) -> uint64_t {
    return asked++, static_cast<uint64_t>(number) * 100;
  };
  for (uint32_t n = 0; n < 10; n++) enable(record_argument(n));
  LocalRecords records(framework);
  const uintptr_t args[] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21};
  sonde_probe_fire(probe, args, 10, 0);
  sonde_probe_fire(probe, args, 12, 0);  // no more than ten
  sonde_probe_fire(probe, args, 7, 1u << 2 | 1u << 31);
  sonde_probe_fire(probe, nullptr, 0, 0);
  std::vector<uint64_t> seen;
  for (const auto& record : records.take()) seen.push_back(record.slot0);
  EXPECT_EQ(seen, (std::vector<uint64_t>{10,  11,  12, 13, 14, 15, 16, 17,  18,  19,  10,  11, 12, 13,
                                         14,  15,  16, 17, 18, 19, 10, 11,  0,   13,  14,  15, 16, 700,
                                         800, 900, 0,  0,  0,  0,  0,  500, 600, 700, 800, 900}));
  EXPECT_EQ(asked, 3 + 5);
}

TEST_F(LocalFiringTest, AsksForArgumentsBeyondThoseGiven) {
  int asked = 0;
  provider.on_getargval = [&](dtrace_id_t id, int number) -> uint64_t {
    asked++;
    EXPECT_EQ(id, probe);
    EXPECT_EQ(dtrace_getarg(2, 0), 12u);
    return static_cast<uint64_t>(number) * 100;
  };
  enable(record_argument(7));
  LocalRecords records(framework);
  dtrace_probe(probe, 10, 11, 12, 13, 14);
  EXPECT_EQ(records.take()[0].slot0, 700u);
  EXPECT_EQ(asked, 1);
}

TEST_F(LocalFiringTest, SondesOwnMemoryIsRefused) {
  enable(make_program({{SONDE_DIF_ARG, 0, 0, 0, 0}, {SONDE_DIF_CAPSTR, 0, 0, 0, 64}, {SONDE_DIF_RECORD}},
                      {SONDE_SLOT_TEXT}));
  LocalRecords records(framework);
  const char* text = "secret";
  dtrace_probe(probe, reinterpret_cast<uintptr_t>(text), 0, 0, 0, 0);
  const auto seen = records.take();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].faults, 1u);
  EXPECT_EQ(seen[0].slot0, reinterpret_cast<uintptr_t>(text));
}

TEST_F(LocalFiringTest, UserModeDecidesWhetherAStackIsRefusedOrEmpty) {
  enable(make_program({{SONDE_DIF_CAPSTACK, 0, 0, 0, 8}, {SONDE_DIF_RECORD}}, {SONDE_SLOT_STACK}));
  LocalRecords records(framework);
  int mode = 1;
  provider.on_usermode = [&](dtrace_id_t) { return mode; };
  dtrace_probe(probe, 0, 0, 0, 0, 0);
  mode = 0;
  dtrace_probe(probe, 0, 0, 0, 0, 0);
  const auto seen = records.take();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].faults, 1u);
  EXPECT_EQ(seen[1].faults, 0u);
  EXPECT_EQ(SONDE_SPAN_LENGTH(seen[1].slot0), 0u);
}

TEST_F(LocalFiringTest, AStackIsEmptyWhereNobodyTellsTheMode) {
  ASSERT_EQ(silent.add("silent"), 0);
  const dtrace_id_t bare = silent.probe("f", "n");
  auto stack = make_program({{SONDE_DIF_CAPSTACK, 0, 0, 0, 8}, {SONDE_DIF_RECORD}}, {SONDE_SLOT_STACK});
  ASSERT_TRUE(framework.enable(enabling_of({"silent", "", "", "", {}}, std::move(stack))));
  LocalRecords records(framework);
  dtrace_probe(bare, 0, 0, 0, 0, 0);
  const auto seen = records.take();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].faults, 0u);
  EXPECT_EQ(SONDE_SPAN_LENGTH(seen[0].slot0), 0u);
}

TEST_F(LocalFiringTest, FiltersAndVariables) {
  enable(make_program({{SONDE_DIF_VAR, 0, 0, 0, SONDE_DIF_VAR_PID},
                       {SONDE_DIF_LI, 1, 0, 0, static_cast<int>(getpid())},
                       {SONDE_DIF_EQ, 2, 0, 1},
                       {SONDE_DIF_JNZ, 0, 2, 0, 1},
                       {SONDE_DIF_FAIL},
                       {SONDE_DIF_RECORD}}));
  enable(
      make_program({{SONDE_DIF_ARG, 0, 0, 0, 0}, {SONDE_DIF_JNZ, 0, 0, 0, 1}, {SONDE_DIF_FAIL}, {SONDE_DIF_RECORD}}));
  LocalRecords records(framework);
  dtrace_probe(probe, 0, 0, 0, 0, 0);
  EXPECT_EQ(records.take().size(), 1u);
  dtrace_probe(probe, 1, 0, 0, 0, 0);
  EXPECT_EQ(records.take().size(), 2u);
}

TEST_F(LocalFiringTest, ThreadVariablesLastFromFiringToFiring) {
  // thread variable 0 += 1; record it
  enable(make_program({{SONDE_DIF_LDT, 0, 0, 0, 0},
                       {SONDE_DIF_LI, 1, 0, 0, 1},
                       {SONDE_DIF_ADD, 0, 0, 1},
                       {SONDE_DIF_STT, 0, 0, 0, 0},
                       {SONDE_DIF_CAPW, 0, 0},
                       {SONDE_DIF_RECORD}},
                      {SONDE_SLOT_WORD}));
  LocalRecords records(framework);
  for (int i = 0; i < 3; i++) dtrace_probe(probe, 0, 0, 0, 0, 0);
  std::thread([&] { dtrace_probe(probe, 0, 0, 0, 0, 0); }).join();
  const auto seen = records.take();
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen[2].slot0, 3u);
  EXPECT_EQ(seen[3].slot0, 1u);
}

TEST_F(LocalFiringTest, SuspendedProbesAreSilentButFireIsNot) {
  enable(record_nothing());
  LocalRecords records(framework);
  framework.suspend();
  dtrace_probe(probe, 0, 0, 0, 0, 0);
  EXPECT_TRUE(records.take().empty());
  framework.fire({probe}, {});
  EXPECT_EQ(records.take().size(), 1u);
  framework.resume();
  dtrace_probe(probe, 0, 0, 0, 0, 0);
  EXPECT_EQ(records.take().size(), 1u);
}

TEST_F(LocalFiringTest, NothingFiresBeforeBegin) {
  ASSERT_EQ(dtrace.add("dtrace"), 0);
  const dtrace_id_t begin = dtrace_probe_create(dtrace.id, "", "", "BEGIN", 0, nullptr);
  ASSERT_TRUE(framework.enable(enabling_of({"dtrace", "", "", "BEGIN", {}}, record_nothing())));
  enable(record_nothing());
  LocalRecords records(framework);
  dtrace_probe(probe, 0, 0, 0, 0, 0);
  EXPECT_TRUE(records.take().empty());
  framework.fire({begin}, {});
  dtrace_probe(probe, 0, 0, 0, 0, 0);
  const auto seen = records.take();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].probe, begin);
}

TEST_F(LocalFiringTest, FullRingsCountDrops) {
  framework.set_ring_bytes(4096);
  enable(record_nothing());
  LocalRecords records(framework);
  for (int i = 0; i < 1000; i++) dtrace_probe(probe, 0, 0, 0, 0, 0);
  EXPECT_EQ(records.take().size() + records.drops(), 1000u);
}

TEST_F(LocalFiringTest, ManyThreadsLoseNothing) {
  framework.set_ring_bytes(1 << 20);
  enable(record_argument(0));
  LocalRecords records(framework);
  constexpr int kThreads = 24, kFirings = 500;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&] {
      for (int i = 0; i < kFirings; i++) dtrace_probe(probe, static_cast<uintptr_t>(i), 0, 0, 0, 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto seen = records.take();
  EXPECT_EQ(seen.size() + records.drops(), static_cast<size_t>(kThreads * kFirings));
  EXPECT_TRUE(std::ranges::is_sorted(seen, {}, &LocalRecords::Seen::timestamp));
}

/// Sixteen firings at once have a ring each. Another one is dropped, and counted once for each ECB.
TEST_F(LocalFiringTest, ASeventeenthFiringAtOnceIsDroppedForEachEcb) {
  constexpr int kRings = 16;
  static_assert(LocalFiring::kRings == kRings);
  std::barrier all(kRings + 1), end(kRings + 1);
  provider.on_getargval = [&](dtrace_id_t, int) -> uint64_t {
    all.arrive_and_wait();
    end.arrive_and_wait();
    return 1;
  };
  enable(record_argument(7));
  enable(record_nothing());
  enable(record_nothing());
  LocalRecords records(framework);
  std::vector<std::thread> threads;
  for (int t = 0; t < kRings; t++) threads.emplace_back([&] { dtrace_probe(probe, 0, 0, 0, 0, 0); });
  all.arrive_and_wait();
  dtrace_probe(probe, 0, 0, 0, 0, 0);
  dtrace_probe(probe, 0, 0, 0, 0, 0);
  end.arrive_and_wait();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(records.take().size(), 3u * kRings);
  EXPECT_EQ(records.drops(), 2u * 3);
}

/// A probe must not fire while another asks for an argument: it is refused, and the other keeps its arguments.
TEST_F(LocalFiringTest, AFiringInsideOfGetargvalIsRefused) {
  ASSERT_EQ(silent.add("silent"), 0);
  const dtrace_id_t inner = silent.probe("f", "n");
  ASSERT_TRUE(framework.enable(enabling_of({"silent", "", "", "", {}}, record_argument(0))));
  enable(record_argument(7));
  provider.on_getargval = [&](dtrace_id_t, int) -> uint64_t {
    dtrace_probe(inner, 50, 51, 52, 53, 54);
    return dtrace_getarg(2, 0);
  };
  LocalRecords records(framework);
  dtrace_probe(probe, 10, 11, 12, 13, 14);
  const auto seen = records.take();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].slot0, 12u);
}

/// After disable() has returned, no firing runs the ECB: its program may be freed.
TEST_F(LocalFiringTest, DisableWaitsForFirings) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; t++) {
    threads.emplace_back([&] {
      while (!stop) dtrace_probe(probe, 1, 2, 3, 4, 5);
    });
  }
  for (int i = 0; i < 200; i++) {
    const uint32_t id = enable(record_argument(0));
    ASSERT_TRUE(framework.disable(id));
    LocalRecords records(framework);
    records.take();
    EXPECT_TRUE(records.take().empty());
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(LocalFiringAndTaps, AProbeWithTapsFiresByThemOnly) {
  RecordingSource source;
  TestProvider provider;
  Framework framework(&source);
  ASSERT_EQ(provider.add("test"), 0);
  const dtrace_id_t tapped = provider.probe("f", "tapped"), local = provider.probe("f", "local");
  provider.on_enable = [&](dtrace_id_t id) {
    sonde_tap_request request = {};
    request.size = sizeof request;
    if (id == tapped) sonde_tap_arm(id, &request);
  };
  ASSERT_TRUE(framework.enable(enabling_of({"test", "", "", "", {}}, record_nothing())));
  LocalRecords records(framework);
  dtrace_probe(tapped, 0, 0, 0, 0, 0);
  dtrace_probe(local, 0, 0, 0, 0, 0);
  const auto seen = records.take();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].probe, local);
}

/// A framework in a thread of its own: returns its records after both have fired. Ids of providers and probes are the
/// same in both.
std::vector<uint64_t> recorded_by_one_of_two(uint64_t value, std::barrier<>& both) {
  TestProvider provider;
  Framework framework(nullptr);
  EXPECT_EQ(provider.add("test"), 0);
  const dtrace_id_t probe = provider.probe("f", "n");
  EXPECT_TRUE(framework.enable(enabling_of({"test", "", "", "", {}}, record_argument(0))));
  LocalRecords records(framework);
  both.arrive_and_wait();
  for (int i = 0; i < 50; i++) dtrace_probe(probe, value, 0, 0, 0, 0);
  const uint64_t of_consumer[] = {value};
  framework.fire({probe}, of_consumer, 0);
  both.arrive_and_wait();
  std::vector<uint64_t> seen;
  for (const auto& record : records.take()) seen.push_back(record.slot0);
  both.arrive_and_wait();  // neither is destroyed while the other fires
  return seen;
}

TEST(TwoFrameworks, OfOneProcessAreTwoThreads) {
  std::barrier both(2);
  std::vector<uint64_t> one, other;
  std::thread first([&] { one = recorded_by_one_of_two(1, both); });
  std::thread second([&] { other = recorded_by_one_of_two(2, both); });
  first.join();
  second.join();
  EXPECT_EQ(one, std::vector<uint64_t>(51, 1));
  EXPECT_EQ(other, std::vector<uint64_t>(51, 2));
  EXPECT_EQ(dtrace_attached(), 0);
}

TEST(TwoFrameworks, TheConsumersFiringsSayWhose) {
  TestProvider of_first, of_second;
  Framework first(nullptr);
  ASSERT_EQ(of_first.add("test"), 0);
  const ProbeId probe{of_first.probe("f", "n")};
  ASSERT_TRUE(first.enable(enabling_of({"test", "", "", "", {}}, record_argument(0))));
  LocalRecords records(first);
  Framework second(nullptr);  // the framework of this thread from now on
  const uint64_t args[] = {7};
  first.fire(probe, args, 0);
  second.fire(probe, args, 0);
  EXPECT_EQ(records.take().size(), 1u);
}

/// self->x of an earlier session is not that of the next one in the same thread.
TEST(LocalFiringLifetime, ThreadVariablesEndWithTheirFramework) {
  const auto counts = make_program({{SONDE_DIF_LDT, 0, 0, 0, 0},
                                    {SONDE_DIF_LI, 1, 0, 0, 1},
                                    {SONDE_DIF_ADD, 0, 0, 1},
                                    {SONDE_DIF_STT, 0, 0, 0, 0},
                                    {SONDE_DIF_CAPW, 0, 0},
                                    {SONDE_DIF_RECORD}},
                                   {SONDE_SLOT_WORD});
  for (int session = 0; session < 2; session++) {
    TestProvider provider;
    Framework framework(nullptr);
    ASSERT_EQ(provider.add("test"), 0);
    const dtrace_id_t probe = provider.probe("f", "n");
    ASSERT_TRUE(framework.enable(enabling_of({"test", "", "", "", {}}, counts)));
    LocalRecords records(framework);
    dtrace_probe(probe, 0, 0, 0, 0, 0);
    dtrace_probe(probe, 0, 0, 0, 0, 0);
    const auto seen = records.take();
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[0].slot0, 1u);
    EXPECT_EQ(seen[1].slot0, 2u);
  }
}

TEST(LocalFiringLifetime, FrameworkMayGoWhileThreadsFire) {
  std::atomic<bool> stop{false};
  std::thread thread([&] {
    while (!stop) dtrace_probe(1, 1, 2, 3, 4, 5);
  });
  for (int i = 0; i < 50; i++) {
    TestProvider provider;
    Framework framework(nullptr);
    ASSERT_EQ(provider.add("test"), 0);
    provider.probe("f", "n");
    ASSERT_TRUE(framework.enable(enabling_of({"test", "", "", "", {}}, record_nothing())));
  }
  stop = true;
  thread.join();
}

}  // namespace
}  // namespace sonde
