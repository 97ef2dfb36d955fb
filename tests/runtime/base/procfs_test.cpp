// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/procfs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

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

TEST(Procfs, AThreadBelongsToItsProcess) {
  EXPECT_EQ(process_of_thread(getpid()), getpid());
  pid_t tid = 0, found = 0;
  std::thread([&] {
    tid = gettid();
    found = process_of_thread(tid);
  }).join();
  EXPECT_NE(tid, getpid());
  EXPECT_EQ(found, getpid());
  EXPECT_EQ(process_of_thread(0x7fffffff), 0);
}

}  // namespace
}  // namespace sonde
