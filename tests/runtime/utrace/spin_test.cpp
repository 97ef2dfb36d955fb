// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/utrace/spin.h"

#include <gtest/gtest.h>

namespace sonde {
namespace {

/// A turn in which a thread was resumed. Returns whether spin is due.
bool turn(Spin& spin, bool found) {
  spin.begin_turn();
  spin.expect();
  const bool looked = spin.due();
  if (looked) spin.ended(found, std::chrono::microseconds(10));
  return looked;
}

TEST(Spin, LooksOnlyWhereAThreadWasLetRun) {
  Spin spin;
  spin.begin_turn();
  EXPECT_FALSE(spin.due());
  spin.expect();
  EXPECT_TRUE(spin.due());
  EXPECT_FALSE(spin.due());
}

TEST(Spin, LooksLessOftenWhereNothingComes) {
  Spin spin;
  for (int left_out : {1, 3, 7, 15, 31, 63, 63}) {
    EXPECT_TRUE(turn(spin, false));
    for (int i = 0; i < left_out; i++) ASSERT_FALSE(turn(spin, false)) << left_out << " " << i;
  }
  EXPECT_TRUE(turn(spin, true));
  for (int i = 0; i < 10; i++) EXPECT_TRUE(turn(spin, true));
}

TEST(Spin, WhatItSpendsIsItsOwnTime) {
  Spin spin;
  spin.ended(true, std::chrono::microseconds(10));
  spin.ended(false, std::chrono::seconds(1));  // another process used the processor
  EXPECT_EQ(spin.spent(), std::chrono::microseconds(10) + Spin::kSpin);
}

TEST(Spin, ATurnEnds) {
  Spin spin;
  spin.begin_turn();
  int looks = 0;
  for (int i = 0; i < 100; i++) {
    spin.expect();
    if (!spin.due()) continue;
    looks++;
    spin.ended(true, std::chrono::microseconds(10));
  }
  EXPECT_EQ(looks, Spin::kLooksATurn);
  EXPECT_TRUE(turn(spin, true));
}

}  // namespace
}  // namespace sonde
