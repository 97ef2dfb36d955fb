// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/perf_clock.h"

#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>

#include "runtime/base/clock.h"

namespace sonde::guard {
namespace {

constexpr uint64_t kPeriod = 1'000'000;

uint64_t g_sum = 0;

__attribute__((noinline)) void compute(uint64_t ns) {
  const uint64_t end = now_of(CLOCK_THREAD_CPUTIME_ID) + ns;
  while (now_of(CLOCK_THREAD_CPUTIME_ID) < end)
    for (int i = 0; i < 1000; i++) g_sum = g_sum * 3 + 1;
}

TEST(PerfClock, TicksOncePerPeriodOfRunTime) {
  auto clock = PerfClock::start(gettid(), kPeriod, false);
  if (!clock) GTEST_SKIP() << "perf_event_open is not permitted";
  const uint64_t began = now_of(CLOCK_THREAD_CPUTIME_ID);
  uint64_t ticks = 0;
  for (int round = 0; round < 50; round++) {
    compute(2 * kPeriod);
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);  // does not count
    ticks += clock->drain([&](const Sample& sample) {
      ticks++;
      EXPECT_NE(machine::pc(sample.registers), 0u);
      EXPECT_TRUE(machine::is_native(sample.registers));
      EXPECT_TRUE(sample.stack.bytes.empty());
    });
  }
  const uint64_t periods = (now_of(CLOCK_THREAD_CPUTIME_ID) - began) / kPeriod;
  if (!clock->sees_kernel()) GTEST_SKIP() << "only user code is sampled here";
  EXPECT_NEAR(static_cast<double>(ticks), static_cast<double>(periods), 4 + 0.05 * static_cast<double>(periods));
}

/// Where the stack of the main thread ends, behind the program's arguments and environment.
uint64_t end_of_stack() {
  std::ifstream maps("/proc/self/maps");
  uint64_t start = 0, end = 0;
  for (std::string line; std::getline(maps, line);)
    if (line.ends_with("[stack]") && std::sscanf(line.c_str(), "%lx-%lx", &start, &end) == 2) return end;
  return 0;
}

/// Its record has room for a whole copy, but the kernel does not fill it.
TEST(PerfClock, ACopyEndsWithTheStack) {
  ASSERT_EQ(getpid(), gettid());
  auto clock = PerfClock::start(gettid(), kPeriod, true);
  if (!clock) GTEST_SKIP() << "perf_event_open is not permitted";
  compute(5 * kPeriod);
  const uint64_t end = end_of_stack();
  ASSERT_NE(end, 0u);
  int seen = 0;
  clock->drain([&](const Sample& sample) {
    EXPECT_LE(machine::sp(sample.registers) + sample.stack.bytes.size(), end);
    seen++;
  });
  EXPECT_GT(seen, 0);
}

TEST(PerfClock, CopiesTheStackOfTheSample) {
  auto clock = PerfClock::start(gettid(), kPeriod, true);
  if (!clock) GTEST_SKIP() << "perf_event_open is not permitted";
  volatile uint64_t mark = 0x5eed5eed5eed5eed;  // in the caller's frame, which the copy covers
  const auto address = reinterpret_cast<uint64_t>(&mark);
  compute(5 * kPeriod);
  const uint64_t kept = mark;
  mark = 1;
  int seen = 0;
  clock->drain([&](const Sample& sample) {
    uint64_t word = 0;
    if (machine::sp(sample.registers) > address) return;
    ASSERT_TRUE(sample.stack.read(address, &word, sizeof word));
    if (word == 1) return;  // taken after the store
    EXPECT_EQ(word, kept);
    seen++;
  });
  EXPECT_GT(seen, 0);
}

TEST(PerfClock, CountsWhatTheRingCannotHold) {
  auto clock = PerfClock::start(gettid(), kPeriod, true);
  if (!clock) GTEST_SKIP() << "perf_event_open is not permitted";
  compute(60 * kPeriod);
  uint64_t ticks = 0;
  const uint64_t lost = clock->drain([&](const Sample&) { ticks++; });
  compute(20 * kPeriod);  // the kernel writes the number with the next sample that has room
  const uint64_t later = clock->drain([&](const Sample&) { ticks++; });
  EXPECT_GT(ticks, 5u);
  EXPECT_GT(lost + later, 20u);
  if (clock->sees_kernel()) {
    EXPECT_GE(ticks + lost + later, 60u);
  }
}

TEST(StackCopy, HasOnlyItsBytes) {
  const StackCopy copy{1000, {1, 2, 3, 4}};
  uint8_t bytes[4] = {};
  EXPECT_TRUE(copy.read(1000, bytes, 4));
  EXPECT_EQ(bytes[3], 4);
  EXPECT_TRUE(copy.read(1003, bytes, 1));
  EXPECT_FALSE(copy.read(999, bytes, 1));
  EXPECT_FALSE(copy.read(1001, bytes, 4));
  EXPECT_FALSE(copy.read(1005, bytes, 1));
  EXPECT_FALSE(copy.read(1001, bytes, SIZE_MAX));
}

TEST(StackCopy, IsPutOverWhatWasReadLater) {
  using Bytes = std::array<uint8_t, 4>;
  const StackCopy copy{1000, {1, 2, 3, 4}};
  const auto over = [&](uint64_t address, size_t length = 4) {
    Bytes later{9, 9, 9, 9};
    copy.put_over(address, later.data(), length);
    return later;
  };
  EXPECT_EQ(over(1000), (Bytes{1, 2, 3, 4}));
  EXPECT_EQ(over(998), (Bytes{9, 9, 1, 2}));
  EXPECT_EQ(over(1002), (Bytes{3, 4, 9, 9}));
  EXPECT_EQ(over(1001, 2), (Bytes{2, 3, 9, 9}));
  EXPECT_EQ(over(996), (Bytes{9, 9, 9, 9}));
  EXPECT_EQ(over(1004), (Bytes{9, 9, 9, 9}));
}

}  // namespace
}  // namespace sonde::guard
