// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/few.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace sonde {
namespace {

Few<int> up_to(int count) {
  Few<int> list;
  for (int i = 0; i < count; i++) list.push_back(i);
  return list;
}

std::vector<int> elements(const Few<int>& list) { return {list.begin(), list.end()}; }

std::vector<int> numbers(int count) {
  std::vector<int> all(static_cast<size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(Few, HoldsWhatItWasGivenInOrder) {
  for (int count : {0, 1, 2, 3, 100}) {
    EXPECT_EQ(elements(up_to(count)), numbers(count));
    EXPECT_EQ(up_to(count).empty(), count == 0);
  }
}

TEST(Few, CopiesAreTheirOwn) {
  for (int count : {0, 1, 2, 100}) {
    Few<int> list = up_to(count), copy = list;
    copy.push_back(-1);
    EXPECT_EQ(elements(list), numbers(count));
    EXPECT_EQ(copy.size(), list.size() + 1);
    Few<int> moved = std::move(copy);
    EXPECT_EQ(moved.size(), list.size() + 1);
    moved = list;
    EXPECT_EQ(elements(moved), numbers(count));
  }
}

TEST(Few, ErasesAndGrowsAgain) {
  Few<int> list = up_to(10);
  list.erase_if([](int element) { return element % 2 == 0; });
  EXPECT_EQ(elements(list), (std::vector<int>{1, 3, 5, 7, 9}));
  list.erase_if([](int) { return true; });
  EXPECT_TRUE(list.empty());
  list.push_back(7);
  EXPECT_EQ(elements(list), (std::vector<int>{7}));
}

TEST(Few, AnElementOfItsOwnCanBePushed) {
  Few<int> list = up_to(1);
  for (int i = 0; i < 20; i++) list.push_back(*list.begin());
  EXPECT_EQ(elements(list), std::vector<int>(21, 0));
}

static_assert(sizeof(Few<void*>) == 16);  // the purpose of Few

}  // namespace
}  // namespace sonde
