// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/namespaces.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

namespace sonde {
namespace {

TEST(Namespaces, TheInnermostPidIsTheLast) {
  EXPECT_EQ(innermost_pid("Name:\tx\nNStgid:\t812\nNSpid:\t813\n"), 812u);
  EXPECT_EQ(innermost_pid("Name:\tx\nNStgid:\t812\t44\t1\nNSpid:\t813\t45\t2\n"), 1u);
}

TEST(Namespaces, NoPidInOtherTexts) {
  EXPECT_EQ(innermost_pid(""), 0u);
  EXPECT_EQ(innermost_pid("Name:\tNStgid:\t7\n"), 0u) << "a name is no line";
  EXPECT_EQ(innermost_pid("\nNStgid:"), 0u);
  EXPECT_EQ(innermost_pid("\nNStgid:\t\nNSpid:\t5"), 0u);
}

TEST(Namespaces, OwnPid) {
  std::ifstream file("/proc/self/status");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(innermost_pid(text), static_cast<uint64_t>(getpid()));
}

TEST(Namespaces, Inode) {
  struct stat file {};
  ASSERT_EQ(stat("/proc/self/ns/pid", &file), 0);
  EXPECT_EQ(inode_of("/proc/self/ns/pid"), file.st_ino);
  EXPECT_EQ(inode_of("/nowhere/at/all"), 0u);
}

}  // namespace
}  // namespace sonde
