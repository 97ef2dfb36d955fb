// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/bpf/cpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <fstream>

namespace sonde::bpf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Cpus, ListsOfTheKernel) {
  EXPECT_THAT(parse_cpus("0"), ElementsAre(0));
  EXPECT_THAT(parse_cpus("0-3"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(parse_cpus("0-1,4,6-7"), ElementsAre(0, 1, 4, 6, 7));
  EXPECT_THAT(parse_cpus(""), IsEmpty());
  EXPECT_THAT(parse_cpus("2-"), IsEmpty());
  EXPECT_THAT(parse_cpus("all"), IsEmpty());
}

TEST(Cpus, ThisOneIsOnline) {
  const std::vector<uint32_t> online = online_cpus();
  EXPECT_TRUE(std::ranges::is_sorted(online));
  EXPECT_THAT(online, ::testing::Contains(static_cast<uint32_t>(sched_getcpu())));
}

/// The kernel says what is written there, as if a CPU had come.
TEST(Cpus, NewsOfOneThatComes) {
  auto news = CpuNews::open();
  if (!news) GTEST_SKIP() << news.error().message();
  std::ofstream("/sys/devices/system/cpu/uevent") << "online";  // of no CPU
  std::ofstream cpu("/sys/devices/system/cpu/cpu0/uevent");
  if (!(cpu << "online" << std::flush)) GTEST_SKIP() << "only root may make news";
  EXPECT_THAT(news->take(), ElementsAre(0));
  EXPECT_THAT(news->take(), IsEmpty());
}

}  // namespace
}  // namespace sonde::bpf
