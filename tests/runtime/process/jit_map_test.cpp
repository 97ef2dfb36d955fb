// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/jit_map.h"

#include <gtest/gtest.h>

namespace sonde {
namespace {

TEST(JitMap, FindsTheFunctionThatHoldsAnAddress) {
  const JitMap map = JitMap::parse("1000 20 LazyCompile:~first a.js:1\n2000 10 second\n");
  ASSERT_NE(map.at(0x1000), nullptr);
  EXPECT_EQ(map.at(0x101f)->name, "LazyCompile:~first a.js:1");
  EXPECT_EQ(map.at(0x1020), nullptr);
  EXPECT_EQ(map.at(0x200f)->name, "second");
  EXPECT_EQ(map.at(0xfff), nullptr);
}

TEST(JitMap, LaterCodeReplacesWhatLayThere) {
  const JitMap map = JitMap::parse("1000 100 old\n1200 10 kept\n1080 100 new\n");
  EXPECT_EQ(map.at(0x1000), nullptr);
  EXPECT_EQ(map.at(0x1080)->name, "new");
  EXPECT_EQ(map.at(0x1205)->name, "kept");
}

TEST(JitMap, LeavesOutLinesThatMakeNoSense) {
  const JitMap map = JitMap::parse(
      "\nnonsense\n1000\n1000 10\n1000 0 empty\nffffffffffffffff 10 wraps\n0x3000 0x10 prefixed\n4000 10 last");
  EXPECT_EQ(map.at(0x1000), nullptr);
  EXPECT_EQ(map.at(0xffffffffffffffff), nullptr);
  EXPECT_EQ(map.at(0x3000)->name, "prefixed");
  EXPECT_EQ(map.at(0x4000)->name, "last");
}

TEST(JitMap, AProcessWithoutOneHasNone) { EXPECT_EQ(JitMap::read(0x7fffffff, nullptr), nullptr); }

}  // namespace
}  // namespace sonde
