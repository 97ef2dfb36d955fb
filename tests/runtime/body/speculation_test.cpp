// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/body/speculation.h"

#include <gtest/gtest.h>

#include <string>

namespace sonde {
namespace {

constexpr uint64_t kClean = 1000;

Row row(std::string text) {
  Row made;
  made.begun = true;
  made.data = text.size();
  made.text = std::move(text);
  return made;
}

std::string texts(const std::vector<Row>& rows) {
  std::string all;
  for (const Row& one : rows) all += one.text + "|";
  return all;
}

TEST(Speculations, CountFromOneAndComeBackLowestFirst) {
  Speculations all(3, 1 << 20, kClean);
  EXPECT_EQ(all.open(0), 1u);
  EXPECT_EQ(all.open(0), 2u);
  EXPECT_EQ(all.open(0), 3u);
  all.close(3, 7, 0);
  all.close(1, 7, 0);
  EXPECT_EQ(all.open(0), 1u);
  EXPECT_EQ(all.open(0), 3u);
}

TEST(Speculations, NoneFreeIsCounted) {
  Speculations one(1, 1 << 20, kClean);
  EXPECT_EQ(one.open(0), 1u);
  EXPECT_EQ(one.open(0), 0u);
  EXPECT_EQ(one.open(0), 0u);
  EXPECT_EQ(one.take_drops().unavailable, 2u);
  EXPECT_EQ(one.take_drops().unavailable, 0u) << "told once";
  Speculations none(0, 1 << 20, kClean);
  EXPECT_EQ(none.open(0), 0u);
}

TEST(Speculations, RowsComeInOrderAndOnce) {
  Speculations all(1, 1 << 20, kClean);
  uint64_t id = all.open(0);
  ASSERT_TRUE(all.use(id, 7));
  all.add(id, row("a"));
  all.add(id, row("b"));
  EXPECT_EQ(texts(all.close(id, 7, 0)), "a|b|");
  EXPECT_EQ(texts(all.close(id, 7, 0)), "");
  EXPECT_FALSE(all.use(id, 7)) << "it has ended";
  EXPECT_FALSE(all.use(0, 7));
}

TEST(Speculations, WhatDoesNotFitIsDroppedAndCounted) {
  Speculations all(1, row("ab").bytes() + row("cd").bytes(), kClean);
  uint64_t id = all.open(0);
  all.use(id, 7);
  all.add(id, row("ab"));
  all.add(id, row("too long"));
  all.add(id, row("cd"));
  all.add(id, row(""));
  EXPECT_EQ(all.take_drops().rows, 2u);
  EXPECT_EQ(texts(all.close(id, 7, 0)), "ab|cd|");
}

TEST(Speculations, ARowTakesWhatItsValuesTakeHoweverLongItsText) {
  Row wide = row("ab");
  wide.text = std::string(1000, ' ');
  Speculations all(1, 2 * row("ab").bytes(), kClean);
  const uint64_t id = all.open(0);
  all.use(id, 7);
  for (int i = 0; i < 3; ++i) all.add(id, wide);
  EXPECT_EQ(all.take_drops().rows, 1u);
  EXPECT_EQ(all.close(id, 7, 0).size(), 2u);
}

TEST(Speculations, OneOfSeveralThreadsIsBusyUntilItIsCleaned) {
  Speculations all(1, 1 << 20, kClean);
  uint64_t id = all.open(0);
  all.use(id, 7);
  all.use(id, 8);
  all.close(id, 7, 100);
  EXPECT_EQ(all.open(100 + kClean - 1), 0u);
  EXPECT_FALSE(all.use(id, 8)) << "a number that is still held leads nowhere";
  EXPECT_EQ(all.take_drops().busy, 1u);
  EXPECT_EQ(all.open(100 + kClean), id);
  EXPECT_EQ(texts(all.close(id, 9, 0)), "");
}

TEST(Speculations, ClosingFromAnotherThreadNeedsCleaningToo) {
  Speculations all(1, 1 << 20, kClean);
  uint64_t id = all.open(0);
  all.use(id, 7);
  all.close(id, 8, 0);
  EXPECT_EQ(all.open(0), 0u);
  EXPECT_EQ(all.open(kClean), id);
  all.close(id, 8, kClean);
  EXPECT_EQ(all.open(kClean), id) << "nobody had used it";
}

}  // namespace
}  // namespace sonde
