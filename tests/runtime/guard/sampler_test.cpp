// SPDX-License-Identifier: GPL-3.0-or-later
// Samples of this very thread
#include "runtime/guard/sampler.h"

#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/clock.h"

namespace sonde::guard {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;

void work(uint64_t ns) {
  const uint64_t end = now_of(CLOCK_THREAD_CPUTIME_ID) + ns;
  while (now_of(CLOCK_THREAD_CPUTIME_ID) < end) {
  }
}

/// The clock's ring has room for seven samples with stacks. Each one beyond them is lost, and belongs to its tap.
TEST(Sampler, SamplesWithoutRoomAreLostOfTheirTap) {
  constexpr uint32_t kTap = 5;
  if (!PerfClock::start(gettid(), kMillisecond, true)) GTEST_SKIP() << "perf_event_open is not permitted";
  TapTable taps;
  Tap tap;
  tap.id = {kTap};
  tap.probe = {9};
  tap.kind = SONDE_TAP_PROFILE;
  tap.offset = kMillisecond;
  ASSERT_TRUE(taps.add(tap));
  Targets targets;
  Process& process = targets.add_process(getpid());
  Thread own;
  own.tid = gettid();
  own.process = &process;
  uint64_t ticks = 0, lost = 0;
  Sampler sampler(targets, taps,
                  {.ticked = [&](Thread&, uint32_t, const Sample&) { ticks++; },
                   .owes = [](Thread&, uint32_t) {},
                   .reads_memory = [](const ArmedTap&) { return true; },
                   .lost =
                       [&](uint32_t id, uint64_t samples) {
                         EXPECT_EQ(id, kTap);
                         EXPECT_GT(samples, 0u);
                         lost += samples;
                       },
                   .notice = [](const std::string&) {}});
  sampler.taps_changed();
  sampler.adopt(own);
  work(60 * kMillisecond);
  sampler.settle(own);
  work(20 * kMillisecond);  // the kernel writes the number with the next sample that has room
  sampler.settle(own);
  EXPECT_GT(ticks, 5u);
  EXPECT_GT(lost, 20u);
}

}  // namespace
}  // namespace sonde::guard
