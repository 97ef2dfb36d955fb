// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "runtime/base/unique_fd.h"

namespace sonde {
namespace {

/// Reads what is drawn until it contains `wanted`; waits a minute at most.
std::string read_until(int fd, const std::string& wanted) {
  std::string text;
  pollfd asked{fd, POLLIN, 0};
  while (text.find(wanted) == std::string::npos && ::poll(&asked, 1, 60'000) == 1) {
    char piece[256];
    const ssize_t got = ::read(fd, piece, sizeof piece);
    if (got <= 0) break;
    text.append(piece, static_cast<size_t>(got));
  }
  return text;
}

TEST(ProgressLine, ComesAfterASecondAndLeavesNoTrace) {
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
  { ProgressLine nowhere("not shown: nobody has said where"); }
  const UniqueFd master(::posix_openpt(O_RDWR | O_NOCTTY));
  ASSERT_EQ(::grantpt(master.get()), 0);
  ASSERT_EQ(::unlockpt(master.get()), 0);
  const UniqueFd terminal(::open(::ptsname(master.get()), O_RDWR | O_NOCTTY));
  show_progress_on(terminal.get());
  { ProgressLine quick("not shown: it is quick"); }
  {
    ProgressLine work("working");
    ProgressLine inner("inside");
    EXPECT_EQ(read_until(master.get(), " s\033[0m"), "\r\033[K\033[2msonde: working ... 1 s\033[0m");
    hide_progress();
    EXPECT_EQ(read_until(master.get(), "\033[K"), "\r\033[K");
    ProgressLine::now("at something else");
    EXPECT_EQ(read_until(master.get(), " s\033[0m"), "\r\033[K\033[2msonde: at something else ... 2 s\033[0m");
  }
  EXPECT_EQ(read_until(master.get(), "\033[K"), "\r\033[K");
  show_progress_on(-1);
}

}  // namespace
}  // namespace sonde
