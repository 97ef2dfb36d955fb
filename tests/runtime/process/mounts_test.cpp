// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/mounts.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace sonde {
namespace {

constexpr int kNoProcess = 2;

/// Whether the device 77:`minor` is served, in a process whose list of mounts is `text`; kNoProcess: none can be made.
int served_by_list(const std::string& text, uint32_t minor) {
  char path[] = "/tmp/sonde-mounts-XXXXXX";
  const int file = mkstemp(path);
  EXPECT_GE(file, 0);
  EXPECT_EQ(write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  close(file);
  const pid_t child = fork();
  if (child == 0) {
    const std::string list = "/proc/" + std::to_string(getpid()) + "/mountinfo";
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount(path, list.c_str(), nullptr, MS_BIND, nullptr) != 0)
      _exit(kNoProcess);
    _exit(is_served(getpid(), 77, minor) ? 1 : 0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  unlink(path);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// As on btrfs: the list has a number for the device at / that stat(2) does not have. Nothing runs without that one.
TEST(Mounts, TheRootIsNotServedByAnyNumberOfIt) {
  const std::string list =
      "21 1 77:88 / / rw - fuse.root root rw\n"
      "22 21 77:89 / /mnt rw - fuse.other other rw\n"
      "23 21 77:90 / /disk rw - ext4 /dev/disk rw\n";
  if (served_by_list(list, 88) == kNoProcess) GTEST_SKIP() << "only root mounts files, and not in each container";
  EXPECT_EQ(served_by_list(list, 88), 0) << "the root";
  EXPECT_EQ(served_by_list(list, 89), 1) << "FUSE elsewhere";
  EXPECT_EQ(served_by_list(list, 90), 0) << "a disk";
}

}  // namespace
}  // namespace sonde
