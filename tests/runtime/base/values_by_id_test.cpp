// SPDX-License-Identifier: GPL-3.0-or-later
// Values by id: kept once, and apart
#include "runtime/base/values_by_id.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace sonde {
namespace {

TEST(ValuesById, IsAMap) {
  std::mt19937 random(7);
  ValuesById<std::string> table;
  std::map<uint32_t, std::string> same;
  for (int i = 0; i < 5000; i++) {
    const uint32_t id = random() % 300;
    if (random() % 3 == 0) {
      table.erase(id);
      same.erase(id);
    } else {
      const std::string value = "value " + std::to_string(random() % 9);
      table.set(id, value);
      same[id] = value;
    }
    ASSERT_EQ(table.empty(), same.empty());
  }
  for (uint32_t id = 0; id < 400; id++) {
    const auto known = same.find(id);
    ASSERT_EQ(table.contains(id), known != same.end()) << id;
    if (known != same.end()) EXPECT_EQ(*table.find(id), known->second);
  }
}

TEST(ValuesById, KeepsAValueWhereItIs) {
  ValuesById<std::string> table;
  table.set(1, "first");
  const std::string* first = table.find(1);
  for (uint32_t id = 2; id < 1000; id++) table.set(id, std::to_string(id));
  EXPECT_EQ(table.find(1), first);
  EXPECT_EQ(*first, "first");
}

TEST(ValuesById, NeighboursShareOne) {
  ValuesById<std::string> table;
  for (uint32_t id = 0; id < 100; id++) table.set(id, id % 2 == 0 ? "entry" : "return");
  EXPECT_EQ(table.find(0), table.find(98));
  EXPECT_NE(table.find(0), table.find(99));
}

}  // namespace
}  // namespace sonde
