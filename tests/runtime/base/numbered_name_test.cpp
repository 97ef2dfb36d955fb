// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/numbered_name.h"

#include <gtest/gtest.h>

namespace sonde {
namespace {

TEST(NumberedName, TheNumberIsAtItsEnd) {
  EXPECT_EQ(number_at_end("python42"), "42");
  EXPECT_EQ(number_at_end("p*0042"), "0042");
  EXPECT_EQ(number_at_end("42"), "42");
  EXPECT_EQ(number_at_end("python"), "");
  EXPECT_EQ(number_at_end("python42*"), "");
  EXPECT_EQ(number_at_end(""), "");
}

TEST(NumberedName, AProcessHasANumberOf32Bits) {
  EXPECT_EQ(process_named("python42"), 42u);
  EXPECT_EQ(process_named("p*0042"), 42u);
  EXPECT_EQ(process_named("python4294967295"), 4294967295u);
  EXPECT_EQ(process_named("python4294967296"), 0u);
  EXPECT_EQ(process_named("python"), 0u);
  EXPECT_EQ(process_named("python0"), 0u);
}

}  // namespace
}  // namespace sonde
