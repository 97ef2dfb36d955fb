// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <thread>

#include "providers/profile/tick.h"
#include "tests/providers/support.h"

namespace sonde {
namespace {

constexpr uint64_t kMs = 1'000'000;

TEST(TickPeriod, EveryUnit) {
  struct Row {
    const char* rate;
    uint64_t ns;
  };
  const Row rows[] = {
      {"200000ns", 200'000},
      {"200000nsec", 200'000},
      {"250us", 250'000},
      {"250usec", 250'000},
      {"10ms", 10 * kMs},
      {"10msec", 10 * kMs},
      {"1s", 1000 * kMs},
      {"5sec", 5000 * kMs},
      {"2m", 120'000 * kMs},
      {"2min", 120'000 * kMs},
      {"1h", 3'600'000 * kMs},
      {"1hour", 3'600'000 * kMs},
      {"1d", 86'400'000 * kMs},
      {"1day", 86'400'000 * kMs},
      {"10hz", 100 * kMs},
      {"10", 100 * kMs},
      {"997", 1003009},
      {"5000", 200'000},
      {"1", 1000 * kMs},
      // in any case, as DTrace compares them
      {"97Hz", 10309278},
      {"10HZ", 100 * kMs},
      {"1Sec", 1000 * kMs},
      {"1S", 1000 * kMs},
      {"100MS", 100 * kMs},
      {"2Min", 120'000 * kMs},
      {"1DAY", 86'400'000 * kMs},
      // too short, and the provider says so
      {"5001", 199'960},
      {"199us", 199'000},
      // none
      {"0", 0},
      {"0sec", 0},
      {"1fortnight", 0},
      {"", 0},
      {"sec", 0},
      {"-1", 0},
      {"1 s", 0},
      {"18446744073709551615d", 0},
      {"99999999999999999999", 0},
      {"200000d", 0},
      {"2x", 0},
  };
  for (const Row& row : rows) EXPECT_EQ(parse_period(row.rate).value_or(0), row.ns) << row.rate;
}

class Profile : public ProvidersTest {
 protected:
  /// Collects records until `enough` returns true; at most half a minute.
  template <typename Enough>
  std::vector<LocalRecords::Seen> wait_for(Enough enough) {
    LocalRecords records(framework);
    std::vector<LocalRecords::Seen> all;
    for (const uint64_t end = monotonic_now() + 30'000 * kMs; !enough(all) && monotonic_now() < end;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::ranges::copy(records.take(), std::back_inserter(all));
    }
    EXPECT_TRUE(enough(all)) << all.size() << " records";
    return all;
  }
  /// Timestamps of a tick's firings, at least this many.
  std::vector<uint64_t> run(const char* name, size_t least) {
    const uint32_t id = enable({"profile", "", "", name, {}});
    std::vector<uint64_t> times;
    for (const auto& record : wait_for([&](const auto& all) { return all.size() >= least; }))
      times.push_back(record.timestamp);
    disable(id);
    return times;
  }
};

TEST_F(Profile, ProbesExistOrAreMade) {
  EXPECT_EQ(count({"profile", "", "", "", {}}), 6u);
  const ProbeId made = only({"profile", "", "", "tick-1sec", {}});
  EXPECT_EQ(only({"", "", "", "tick-1sec", {}}), made);
  EXPECT_EQ(only({"prof*", "", "", "tick-10ms", {}}), ProbeId{made.value + 1});
  EXPECT_EQ(count({"profile", "", "", "tick-*", {}}), 8u);
  EXPECT_EQ(count({"dtrace", "", "", "tick-7ms", {}}), 0u);
  EXPECT_EQ(count({"profile", "", "", "tick-7ms", {}}), 1u);
  const std::string units = " is no rate: a number from 1 on, and ns, us, ms, s, m, h, d or hz";
  EXPECT_EQ(refusal({"profile", "", "", "tick-0", {}}), "D_PDESC_ZERO profile:::tick-0" + units);
  EXPECT_EQ(refusal({"profile", "", "", "tick-1fortnight", {}}), "D_PDESC_ZERO profile:::tick-1fortnight" + units);
  EXPECT_EQ(refusal({"profile", "x", "", "tick-9ms", {}}), "");
}

TEST_F(Profile, SamplingIsRefused) {
  EXPECT_EQ(refusal({"profile", "", "", "profile-997", {}}),
            "D_PDESC_ZERO profile:::profile-997 needs a source that samples CPUs: kmod, bpf or ptrace");
  EXPECT_EQ(refusal({"profile", "", "", "profile-x", {}}),
            "D_PDESC_ZERO profile:::profile-x is no rate: a number from 1 on, and ns, us, ms, s, m, h, d or hz");
}

TEST_F(Profile, SamplesWhereTheSourceCan) {
  source.can = kPtraceRow.can;
  enable({"profile", "", "", "profile-500hz", {}});
  ASSERT_EQ(source.taps.size(), 1u);
  EXPECT_EQ(source.taps[0].kind, SONDE_TAP_PROFILE);
  EXPECT_EQ(source.taps[0].offset, 2 * kMs);
}

/// On a busy machine a tick may be late, but never early, and lateness does not accumulate.
TEST_F(Profile, TicksOnTimeWithoutDrift) {
  constexpr uint64_t kPeriod = 10 * kMs;
  const uint64_t before = monotonic_now();
  const auto times = run("tick-10ms", 50);
  const uint64_t elapsed = monotonic_now() - before;
  ASSERT_GE(times.size(), 50u);
  EXPECT_LE(times.size(), elapsed / kPeriod);
  EXPECT_GE(times.front() - before, kPeriod);
  // Deadlines count from the enabling, some time after `before`: the distance to them must not grow.
  uint64_t least_late[2] = {UINT64_MAX, UINT64_MAX};
  for (size_t i = 0; i < times.size(); i++) {
    uint64_t& least = least_late[i >= times.size() / 2];
    least = std::min(least, (times[i] - times.front() + kPeriod / 2) % kPeriod);
  }
  EXPECT_LT(least_late[1], least_late[0] + 3 * kMs);
}

TEST_F(Profile, FastTicks) {
  constexpr uint64_t kPeriod = kMs / 5;
  const uint64_t before = monotonic_now();
  const auto times = run("tick-5000", 500);
  for (size_t i = 0; i < times.size(); i++) ASSERT_GE(times[i] - before, (i + 1) * kPeriod) << i;
}

TEST_F(Profile, SeveralRatesAtOnce) {
  const uint32_t slow = enable({"profile", "", "", "tick-20ms", {}}),
                 fast = enable({"profile", "", "", "tick-5ms", {}});
  const auto count_of = [](const auto& all, uint32_t epid) {
    return std::ranges::count(all, epid, &LocalRecords::Seen::epid);
  };
  const auto all = wait_for([&](const auto& seen) { return count_of(seen, 1) >= 10; });
  disable(slow);
  disable(fast);
  EXPECT_GT(count_of(all, 2), count_of(all, 1));
}

TEST_F(Profile, NothingFiresAfterDisable) {
  for (int i = 0; i < 30; i++) {
    const uint32_t id = enable({"profile", "", "", "tick-200us", {}});
    LocalRecords records(framework);
    std::this_thread::sleep_for(std::chrono::microseconds(700));
    disable(id);
    records.take();
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    EXPECT_TRUE(records.take().empty());
  }
}

TEST_F(Profile, EnabledAnewItTicksOnce) {
  for (int i = 0; i < 5; i++) disable(enable({"profile", "", "", "tick-5ms", {}}));
  const auto before = std::chrono::steady_clock::now();
  const auto times = run("tick-5ms", 40);
  const std::chrono::milliseconds taken =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - before);
  EXPECT_LE(times.size(), static_cast<size_t>(2 * taken.count() / 5));
}

TEST_F(Profile, SuspendedTicksAreNotMadeUpFor) {
  const uint32_t id = enable({"profile", "", "", "tick-5ms", {}});
  LocalRecords records(framework);
  framework.suspend();
  records.take();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(records.take().empty());
  const Nanoseconds resumed = monotonic_now();
  framework.resume();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  const size_t after = records.take().size();
  const uint64_t due = (monotonic_now() - resumed) / (5 * kMs);
  EXPECT_LE(after, due + 2);  // without the ten ticks of the pause, even on a busy machine
  disable(id);
}

TEST_F(Profile, ATickInterruptsAUserProgramCounter) {
  for (const bool user : {false, true}) {
    const uint32_t id = enable({"profile", "", "", "tick-1ms", {}}, record_argument(user ? 1 : 0));
    const auto seen = wait_for([](const auto& all) { return !all.empty(); });
    disable(id);
    LocalRecords(framework).take();  // of ticks between the look and the end of the enabling
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(seen[0].slot0 != 0, user);
    EXPECT_NE(seen[0].tid, static_cast<uint32_t>(gettid()));
  }
}

}  // namespace
}  // namespace sonde
