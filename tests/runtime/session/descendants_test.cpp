// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/descendants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sonde {
namespace {

TEST(Descendants, ChildrenAndTheirsWithoutTheDead) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const pid_t dead = ::fork();
    if (dead == 0) ::_exit(0);
    siginfo_t info;
    ::waitid(P_PID, static_cast<id_t>(dead), &info, WEXITED | WNOWAIT);  // it remains a zombie
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      ::pause();
      ::_exit(0);
    }
    [[maybe_unused]] ssize_t written = ::write(ends[1], &grandchild, sizeof grandchild);
    ::pause();
    ::_exit(0);
  }
  pid_t grandchild = 0;
  ASSERT_EQ(::read(ends[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  const auto parents = descendants_of(static_cast<uint32_t>(::getpid()));
  EXPECT_THAT(parents, ::testing::ElementsAre(child, grandchild));
  EXPECT_THAT(descendants_of(static_cast<uint32_t>(child)), ::testing::ElementsAre(grandchild));
  EXPECT_TRUE(descendants_of(static_cast<uint32_t>(grandchild)).empty());
  ::kill(grandchild, SIGKILL);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (int end : ends) ::close(end);
}

TEST(Descendants, NotWhoAsksAndWhatItHasStarted) {
  const pid_t parent = ::getpid();
  const pid_t asks = ::fork();
  if (asks == 0) {
    const pid_t started = ::fork();
    if (started == 0) {
      ::pause();
      ::_exit(0);
    }
    const bool none = descendants_of(static_cast<uint32_t>(parent)).empty();
    ::kill(started, SIGKILL);
    ::waitpid(started, nullptr, 0);
    ::_exit(none ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(asks, &status, 0), asks);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace sonde
