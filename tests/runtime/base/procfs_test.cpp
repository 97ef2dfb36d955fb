// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/procfs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace sonde {
namespace {

TEST(Procfs, FieldsOfStatAreCountedBehindTheName) {
  const char* stat = "42 (a) b) c) S 1 43 44";
  EXPECT_EQ(*stat_field(stat, 3), 'S');
  EXPECT_EQ(std::atoi(stat_field(stat, 4)), 1);
  EXPECT_EQ(std::atoi(stat_field(stat, 6)), 44);
  EXPECT_EQ(stat_field(stat, 7), nullptr);
  EXPECT_EQ(stat_field("no name", 3), nullptr);
}

TEST(Procfs, ReadsAsMuchAsFits) {
  char text[1024], little[5];
  ASSERT_GT(read_proc("/proc/self/stat", text, sizeof text), 0);
  EXPECT_EQ(std::atoi(text), getpid());
  EXPECT_EQ(std::atoi(stat_field(text, 4)), getppid());
  EXPECT_EQ(read_proc("/proc/self/stat", little, sizeof little), 4);
  EXPECT_EQ(std::string(little), std::string(text, 4));
  EXPECT_LE(read_proc("/proc/self/nothing", text, sizeof text), 0);
  EXPECT_STREQ(text, "");
}

}  // namespace
}  // namespace sonde
