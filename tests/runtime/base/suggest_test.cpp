// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/suggest.h"

#include <gtest/gtest.h>

namespace sonde {
namespace {

TEST(EditDistance, CountsLettersAndSwaps) {
  EXPECT_EQ(edit_distance("open", "open"), 0u);
  EXPECT_EQ(edit_distance("opn", "open"), 1u);
  EXPECT_EQ(edit_distance("oepn", "open"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
}

TEST(Suggestion, OffersOnlyWhatIsNear) {
  Suggestion suggestion("exename");
  suggestion.offer("probename");
  EXPECT_EQ(suggestion.hint(), "");
  suggestion.offer("execname");
  EXPECT_EQ(suggestion.hint(), "did you mean 'execname'?");
}

/// Of thousands of names, some are two letters from any short one.
TEST(Suggestion, OfShortNamesOnlyOneLetterMayDiffer) {
  Suggestion other("main");
  other.offer("asin");
  other.offer("mask");
  EXPECT_EQ(other.hint(), "");
  other.offer("mian");
  EXPECT_EQ(other.hint(), "did you mean 'mian'?");
  Suggestion longer("getpid");
  longer.offer("setpgid");
  EXPECT_EQ(longer.hint(), "did you mean 'setpgid'?");
  Suggestion one("x");
  one.offer("y");
  EXPECT_EQ(one.hint(), "");
}

}  // namespace
}  // namespace sonde
