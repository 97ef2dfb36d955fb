// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/look.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/unique_fd.h"

namespace sonde {
namespace {

/// A terminal of our own, and a pipe.
struct Streams {
  Streams() : master(::posix_openpt(O_RDWR | O_NOCTTY)) {
    EXPECT_EQ(::grantpt(master.get()), 0);
    EXPECT_EQ(::unlockpt(master.get()), 0);
    terminal = UniqueFd(::open(::ptsname(master.get()), O_RDWR | O_NOCTTY));
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    pipe = UniqueFd(ends[1]);
    other_end = UniqueFd(ends[0]);
  }
  UniqueFd master, terminal, pipe, other_end;
};

TEST(Look, IsRichOnlyOnATerminalWhoseUserWantsIt) {
  Streams streams;
  ::unsetenv("NO_COLOR");
  for (const char* name : {"xterm", "xterm-256color", "linux"}) {
    ::setenv("TERM", name, 1);
    EXPECT_TRUE(Look::of(streams.terminal.get()).is_rich()) << name;
    EXPECT_FALSE(Look::of(streams.pipe.get()).is_rich()) << name;
  }
  ::setenv("NO_COLOR", "", 1);  // no-color.org: an empty one does not count
  EXPECT_TRUE(Look::of(streams.terminal.get()).is_rich());
  ::setenv("NO_COLOR", "0", 1);
  EXPECT_FALSE(Look::of(streams.terminal.get()).is_rich());
  EXPECT_TRUE(Look::of(streams.terminal.get()).redraws());
  ::unsetenv("NO_COLOR");
  for (const char* name : {"dumb", ""}) {
    ::setenv("TERM", name, 1);
    EXPECT_FALSE(Look::of(streams.terminal.get()).is_rich()) << name;
    EXPECT_FALSE(Look::of(streams.terminal.get()).redraws()) << name;
  }
  ::unsetenv("TERM");
  EXPECT_FALSE(Look::of(streams.terminal.get()).is_rich());
}

TEST(Look, PaintsOnlyIfRich) {
  EXPECT_EQ(Look::plain().paint(Style::Error, "no"), "no");
  EXPECT_EQ(Look::rich().paint(Style::Error, "no"), "\033[1;31mno\033[0m");
  for (const Style style : {Style::Error, Style::Warning, Style::Place, Style::Caret, Style::Hint, Style::Call,
                            Style::Failed, Style::Thread, Style::Guide, Style::Progress})
    EXPECT_FALSE(Look::rich().begin(style).empty()) << static_cast<int>(style);
}

}  // namespace
}  // namespace sonde
