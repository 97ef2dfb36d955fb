// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/number_table.h"

#include <gtest/gtest.h>

namespace sonde {
namespace {

/// The keys are numbers; the hash is their low `hash_bits` bits.
struct Numbers {
  NumberTable table;
  size_t mask;

  explicit Numbers(size_t hash_bits) : mask((size_t{1} << hash_bits) - 1) {}
  size_t hash(uint32_t number) const { return number & mask; }
  void add(uint32_t number) {
    table.add(number, hash(number), [this](uint32_t known) { return hash(known); });
  }
  uint32_t find(uint32_t number) const {
    return table.find(hash(number), [=](uint32_t known) { return known == number; });
  }
};

TEST(NumberTable, FindsWhatIsThereAndNothingElse) {
  for (size_t bits : {0, 3, 32}) {  // from all in one place to each in a place of its own
    Numbers numbers(bits);
    EXPECT_EQ(numbers.find(1), NumberTable::kNone);
    for (uint32_t n = 0; n < 600; n += 3) numbers.add(n);
    for (uint32_t n = 0; n < 600; n++) EXPECT_EQ(numbers.find(n), n % 3 == 0 ? n : NumberTable::kNone);
  }
}

TEST(NumberTable, WhatIsClearedIsGone) {
  Numbers numbers(32);
  for (uint32_t n = 0; n < 100; n++) numbers.add(n);
  numbers.table.clear();
  EXPECT_EQ(numbers.find(5), NumberTable::kNone);
  numbers.add(5);
  EXPECT_EQ(numbers.find(5), 5u);
}

}  // namespace
}  // namespace sonde
