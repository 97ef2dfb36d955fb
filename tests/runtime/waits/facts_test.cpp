// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/waits/facts.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sonde {
namespace {

/// It may have executed another program since somebody asked for its name. The name is that of what its threads do.
TEST(Facts, AProcessHasTheNameOfTheTimeOfItsThreads) {
  int begin[2], end[2];
  ASSERT_EQ(pipe(begin), 0);
  ASSERT_EQ(pipe(end), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    char byte;
    const bool may_begin = read(begin[0], &byte, 1) == 1;
    close(end[1]);
    dup2(end[0], STDIN_FILENO);
    if (may_begin) execlp("cat", "cat", "-u", nullptr);
    _exit(127);
  }
  const auto pid = static_cast<uint32_t>(child);
  Facts facts;
  EXPECT_NE(facts.process(pid).name, "cat -u");
  ASSERT_EQ(write(begin[1], "x", 1), 1);
  for (int tries = 0; tries < 10000 && Facts().process(pid).name != "cat -u"; tries++) usleep(1000);
  EXPECT_EQ(facts.threads_of(pid).size(), 1u);
  EXPECT_EQ(facts.process(pid).name, "cat -u");
  for (int fd : {begin[0], begin[1], end[0], end[1]}) close(fd);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
}

}  // namespace
}  // namespace sonde
