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

}  // namespace
}  // namespace sonde
