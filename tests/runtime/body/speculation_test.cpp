// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/body/speculation.h"

#include <gtest/gtest.h>

#include <string>

namespace sonde {
namespace {

constexpr uint64_t kClean = 1000;

const ActionSite kTrace{.action = "trace", .arguments = {{ValueType::Kind::String, false, 256, "string"}}};

/// A record that traces `text` and counts as `data` bytes.
TraceRecord record(const std::string& text, uint64_t data) {
  TraceRecord made;
  made.begun = true;
  made.count_data(data);
  const auto word = reinterpret_cast<uint64_t>(text.c_str());
  made.add_values(TraceItem::Kind::Trace, kTrace, &word, {});
  return made;
}
TraceRecord record(const std::string& text) { return record(text, text.size()); }

std::string texts(const std::vector<TraceRecord>& records) {
  std::string all;
  for (const TraceRecord& one : records) {
    all += reinterpret_cast<const char*>(*one.words_of(one.items.at(0)));
    all += "|";
  }
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

TEST(Speculations, RecordsComeInOrderAndOnce) {
  Speculations all(1, 1 << 20, kClean);
  uint64_t id = all.open(0);
  ASSERT_TRUE(all.use(id, 7));
  all.add(id, record("a"));
  all.add(id, record("b"));
  EXPECT_EQ(texts(all.close(id, 7, 0)), "a|b|");
  EXPECT_EQ(texts(all.close(id, 7, 0)), "");
  EXPECT_FALSE(all.use(id, 7)) << "it has ended";
  EXPECT_FALSE(all.use(0, 7));
}

TEST(Speculations, WhatDoesNotFitIsDroppedAndCounted) {
  Speculations all(1, record("ab").bytes() + record("cd").bytes(), kClean);
  uint64_t id = all.open(0);
  all.use(id, 7);
  all.add(id, record("ab"));
  all.add(id, record("too long"));
  all.add(id, record("cd"));
  all.add(id, record(""));
  EXPECT_EQ(all.take_drops().records, 2u);
  EXPECT_EQ(texts(all.close(id, 7, 0)), "ab|cd|");
}

TEST(Speculations, ARecordTakesWhatItsValuesTakeHoweverLongItsText) {
  Speculations all(1, 2 * record("ab").bytes(), kClean);
  const uint64_t id = all.open(0);
  all.use(id, 7);
  for (int i = 0; i < 3; ++i) all.add(id, record(std::string(1000, ' '), 2));
  EXPECT_EQ(all.take_drops().records, 1u);
  EXPECT_EQ(all.close(id, 7, 0).size(), 2u);
}

/// Whoever ends it: the first of its threads, the last, or another one.
TEST(Speculations, OneOfTwoThreadsIsBusyWhicheverEndsIt) {
  for (uint32_t last : {7u, 8u, 9u}) {
    Speculations all(1, 1 << 20, kClean);
    const uint64_t id = all.open(0);
    all.use(id, 7);
    all.use(id, 8);
    all.close(id, last, 100);
    EXPECT_EQ(all.open(100 + kClean - 1), 0u) << "ended by " << last;
    EXPECT_EQ(all.open(100 + kClean), id) << "ended by " << last;
  }
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
