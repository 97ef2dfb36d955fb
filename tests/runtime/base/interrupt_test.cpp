// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/interrupt.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace sonde {
namespace {

/// The status of a child that asks twice at once.
int ask_twice() {
  const pid_t child = ::fork();
  if (child == 0) {
    catch_interrupts();
    ::raise(SIGTERM);
    ::raise(SIGTERM);
    ::_exit(interrupting_signal() == SIGTERM ? 7 : 1);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// timeout(1) sends its signal to its child, and then to the child's group.
TEST(Interrupt, TwoAtOnceAreOneWish) {
  int status = ask_twice();
  for (int tries = 0; status == 128 + SIGTERM && tries < 20; ++tries)
    status = ask_twice();  // it may have lost the processor
  EXPECT_EQ(status, 7);
}

TEST(Interrupt, ALaterOneEndsTheCommandAtOnce) {
  const auto ask_again = [] {
    catch_interrupts();
    ::raise(SIGINT);
    ::usleep(400'000);
    ::raise(SIGTERM);
    _exit(7);
  };
  EXPECT_EXIT(ask_again(), ::testing::ExitedWithCode(128 + SIGTERM), "");
}

}  // namespace
}  // namespace sonde
