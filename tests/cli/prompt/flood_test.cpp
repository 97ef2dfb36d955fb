// SPDX-License-Identifier: GPL-3.0-or-later
// What of a flood reaches the screen, by the time
#include "cli/prompt/flood.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace sonde {
namespace {

constexpr Nanoseconds kMillisecond = 1'000'000, kSecond = 1000 * kMillisecond;

size_t lines_in(const std::string& text) { return static_cast<size_t>(std::ranges::count(text, '\n')); }

/// The number of a notice in the text; 0: there is none.
uint64_t told(std::string text) {
  const size_t end = text.find(" more line");
  if (end == text.npos) return 0;
  text.resize(end);
  std::erase(text, ',');
  return std::stoull(text.substr(text.find_last_of(" \n") + 1));
}

TEST(Flood, WithoutALimitAllIsShown) {
  Flood flood;
  for (Nanoseconds now = 0; now < 1000; now++) EXPECT_EQ(flood.pass("a line\n", now), "a line\n");
  EXPECT_EQ(flood.due(), Flood::kNever);
}

// For every way in which the lines may come, and each rate: no second shows more than the rate allows, and shown and
// told lines together are all that came.
TEST(Flood, NoSecondShowsMoreAndNothingIsLost) {
  for (const uint64_t rate : {1, 20, 200}) {
    for (const Nanoseconds step : {kMillisecond, 90 * kMillisecond, kSecond}) {
      for (const size_t at_once : {1, 5, 300}) {
        Flood flood;
        flood.set_rate(rate);
        std::string block;
        for (size_t i = 0; i < at_once; i++) block += "x\n";
        std::vector<Nanoseconds> shown;
        uint64_t held = 0, came = 0;
        for (Nanoseconds now = kSecond; now < 6 * kSecond; now += step) {
          const std::string text = flood.pass(block, now);
          came += at_once;
          held += told(text);
          for (size_t i = 0; i < lines_in(text) - (told(text) > 0 ? 1 : 0); i++) shown.push_back(now);
        }
        held += told(flood.notice());
        EXPECT_EQ(shown.size() + held, came) << rate << " " << step << " " << at_once;
        for (size_t i = rate; i < shown.size(); i++)
          ASSERT_GE(shown[i] - shown[i - rate], kSecond) << rate << " " << step << " " << at_once;
        EXPECT_GE(shown.size(), std::min<uint64_t>(came, rate * 2)) << "the screen stands still";
      }
    }
  }
}

TEST(Flood, ANoticeIsDueWhenTheFloodEnds) {
  Flood flood;
  flood.set_rate(2);
  EXPECT_EQ(flood.pass("a\nb\nc\nd\n", kSecond), "a\nb\n");
  EXPECT_EQ(flood.due(), 2 * kSecond);
  EXPECT_TRUE(flood.is_flood(2 * kSecond));
  EXPECT_NE(flood.notice().find(" 2 more lines; :pause, :quiet, :rate N\n"), std::string::npos);
  EXPECT_EQ(flood.due(), Flood::kNever);
  EXPECT_EQ(flood.pass("e\n", 2 * kSecond), "e\n");
  EXPECT_FALSE(flood.is_flood(4 * kSecond));
}

TEST(Flood, ALineIsShownOrHeldAsAWhole) {
  Flood flood;
  flood.set_rate(1);
  EXPECT_EQ(flood.pass("be", kSecond), "be");
  EXPECT_EQ(flood.pass("gun\nhel", kSecond), "gun\n");
  EXPECT_EQ(flood.pass("d\n", 3 * kSecond), "") << "its beginning was held";
  EXPECT_EQ(told(flood.pass("next\n", 3 * kSecond)), 1u);
}

TEST(Flood, ALineWithoutAnEndCountsAsSeveral) {
  Flood flood;
  flood.set_rate(2);
  EXPECT_EQ(flood.pass(std::string(100'000, 'x'), kSecond).size(), 2u * 4096);
  EXPECT_GT(flood.held(), 20u);
}

TEST(Flood, AClosedGateCountsUntilItIsOpened) {
  for (const Flood::Gate gate : {Flood::Gate::Paused, Flood::Gate::Quiet, Flood::Gate::Reading}) {
    Flood flood;
    flood.set_gate(gate);
    EXPECT_EQ(flood.pass("a\nb\nc\n", kSecond), "");
    EXPECT_EQ(flood.due(), Flood::kNever);
    EXPECT_FALSE(flood.is_flood(3 * kSecond));
    flood.set_gate(Flood::Gate::Open);
    EXPECT_EQ(told(flood.pass("d\n", kSecond)), 3u);
  }
}

TEST(Flood, WhatIsOnTheScreenStaysIfLittleComes) {
  Flood flood;
  flood.set_rate(200);
  for (int i = 0; i < 9; i++) (void)flood.pass("a\n", kSecond);
  EXPECT_FALSE(flood.scrolls_away(kSecond));
  (void)flood.pass("a\n", kSecond);
  EXPECT_TRUE(flood.scrolls_away(kSecond));
  EXPECT_FALSE(flood.scrolls_away(3 * kSecond));
}

TEST(Flood, NumbersHaveCommas) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(2914), "2,914");
  EXPECT_EQ(with_commas(1'234'567), "1,234,567");
}

}  // namespace
}  // namespace sonde
