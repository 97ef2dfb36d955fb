// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/consumer/kept_rows.h"

#include <gtest/gtest.h>

#include <string>

namespace sonde {
namespace {

Row row(std::string text) {
  Row made;
  made.data = text.size();
  made.text = std::move(text);
  return made;
}

std::string texts(KeptRows& kept) {
  std::string all;
  for (const Row& one : kept.take()) all += one.text;
  return all;
}

const uint64_t kTwo = 2 * row("x").bytes();

TEST(KeptRows, SwitchKeepsNothing) { EXPECT_FALSE(KeptRows("switch", kTwo).active()); }

TEST(KeptRows, RingKeepsTheNewestOfEachCpu) {
  KeptRows ring("ring", kTwo);
  EXPECT_TRUE(ring.active());
  for (const char* text : {"a", "b", "c"}) EXPECT_TRUE(ring.add(0, row(text)));
  EXPECT_TRUE(ring.add(1, row("d")));
  EXPECT_TRUE(ring.add(0, row("e")));
  EXPECT_EQ(texts(ring), "cde");
  EXPECT_EQ(texts(ring), "");
}

TEST(KeptRows, FillStopsAtTheFirstThatDoesNotFit) {
  KeptRows fill("fill", kTwo);
  EXPECT_TRUE(fill.add(0, row("a")));
  EXPECT_FALSE(fill.add(0, row("too long to fit in what is left")));
  EXPECT_FALSE(fill.add(0, row("b"))) << "it would fit, but the buffer counts as full";
  EXPECT_TRUE(fill.add(1, row("c"))) << "another CPU's buffer has room";
  EXPECT_EQ(texts(fill), "ac");
}

TEST(KeptRows, ARowThatNeverFitsIsDropped) {
  KeptRows ring("ring", 10);
  EXPECT_FALSE(ring.add(0, row("x")));
}

}  // namespace
}  // namespace sonde
