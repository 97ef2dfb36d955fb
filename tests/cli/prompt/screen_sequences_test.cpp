// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/prompt/screen_sequences.h"

#include <gtest/gtest.h>

namespace sonde {
namespace {

TEST(ScreenSequences, ColoursStayAndWhatMovesTheCursorGoes) {
  ScreenSequences one;
  EXPECT_EQ(one.lines_of("a\033[1;31mb\033[m\033[5;5Hc\033[2J\033[?2004hd\n"), "a\033[1;31mb\033[mcd\n");
  EXPECT_EQ(one.lines_of("10%\r\033[K20%\033[A\n"), "10%\r\033[K20%\033[A\n");
  EXPECT_EQ(one.lines_of("\033]0;a title, H\a\033(B\0337\033=x"), "\033]0;a title, H\a\033(Bx");
  EXPECT_FALSE(one.draws());
}

TEST(ScreenSequences, ASequenceMayComeInParts) {
  ScreenSequences one;
  std::string lines;
  for (const char c : std::string("a\033[?1049hdrawn\033[?1049lb\033[31mc")) lines += one.lines_of({&c, 1});
  EXPECT_EQ(lines, "ab\033[31mc");
}

TEST(ScreenSequences, TheOtherScreenIsAllDrawing) {
  for (const std::string mode : {"47", "1047", "1049", "1;1049"}) {
    ScreenSequences one;
    EXPECT_EQ(one.lines_of("a\n\033[?" + mode + "hb\033[1mc"), "a\n") << mode;
    EXPECT_TRUE(one.draws()) << mode;
    EXPECT_EQ(one.lines_of("\033[?" + mode + "ld"), "d") << mode;
    EXPECT_FALSE(one.draws()) << mode;
  }
}

TEST(ScreenSequences, SoIsACursorThatIsPlacedWhileItIsHidden) {
  ScreenSequences one;
  EXPECT_EQ(one.lines_of("\033[?25l50%\r"), "50%\r");
  EXPECT_FALSE(one.draws());
  EXPECT_EQ(one.lines_of("\033[Hdrawn"), "");
  EXPECT_TRUE(one.draws());
  EXPECT_EQ(one.lines_of("\033[?25hlines"), "lines");
  EXPECT_FALSE(one.draws());
}

TEST(ScreenSequences, ModesAreTakenBackAndSetAgain) {
  ScreenSequences one;
  EXPECT_EQ(one.undo() + one.redo(), "");
  (void)one.lines_of("\033[?1h\033[?25l\033[?2004h\033[?2004l");
  EXPECT_EQ(one.redo(), "\033[?1h\033[?25l");
  EXPECT_EQ(one.undo(), "\033[?1l\033[?25h");
  (void)one.lines_of("\033[?1049h");
  EXPECT_TRUE(one.undo().ends_with("\033[?1l\033[?25h\033[?1049l")) << one.undo();
}

TEST(ScreenSequences, WhatNeverEndsIsNoSequence) {
  ScreenSequences one;
  EXPECT_EQ(one.lines_of("\033[" + std::string(300, '1') + "\n").size(), 303u);
}

}  // namespace
}  // namespace sonde
