// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/agg/table.h"

#include <gtest/gtest.h>

#include "runtime/format/format.h"

namespace sonde {
namespace {

using Kind = ValueType::Kind;

ValueType integer(uint32_t size, bool is_signed = true) { return {Kind::Integer, is_signed, size, ""}; }
ValueType text() { return {Kind::String, false, 256, "string"}; }
uint64_t word(const char* string) { return reinterpret_cast<uint64_t>(string); }

struct Aggregation {
  Aggregation(AggFunction function, std::vector<ValueType> keys) : desc{"", function, {}, std::move(keys)} {}
  void add(std::vector<uint64_t> keys, int64_t value) { EXPECT_TRUE(table.add(keys.data(), value, 1)); }
  std::string printed(SortRules rules = {}) {
    std::string out;
    AggTable* const one[] = {&table};
    format_aggregations(one, rules, {}, out);
    return out;
  }
  /// The keys, or values, in the order of printing.
  std::vector<int64_t> values(SortRules rules = {}) {
    std::vector<int64_t> list;
    AggTable* const one[] = {&table};
    for (const JoinedRow& row : join(one, rules)) list.push_back(table.operations().value(row.elements[0]->data()));
    return list;
  }
  AggregationDesc desc;
  MemoryBudget budget{1 << 20, 0};
  AggTable table{desc, 256, budget};
};

using Values = std::vector<int64_t>;

TEST(AggTable, SortsByValueThenByKey) {
  Aggregation a(AggFunction::Sum, {text()});
  a.add({word("z")}, 1);
  a.add({word("b")}, 5);
  a.add({word("a")}, 5);
  a.add({word("c")}, -7);
  EXPECT_EQ(a.printed(), std::string("  c") + std::string(49, ' ') + "               -7\n" + "  z" +
                             std::string(49, ' ') + "                1\n" + "  a" + std::string(49, ' ') +
                             "                5\n" + "  b" + std::string(49, ' ') + "                5\n");
}

/// As in DTrace: in columns the size alone says whether a key has a sign, and the order never has one.
TEST(AggTable, IntegerKeysSortAndPrintByTheirSize) {
  for (const uint32_t size : {1, 2, 4, 8}) {
    const auto bits = static_cast<int>(8 * size);
    const uint64_t all = UINT64_MAX >> (64 - bits), most = all >> 1;
    const int width = size == 8 ? 16 : size == 4 ? 8 : size == 2 ? 5 : 3;
    const auto row = [&](uint64_t key) {
      const std::string text = size < 4    ? std::to_string(key)
                               : size == 4 ? std::to_string(static_cast<int32_t>(key))
                                           : std::to_string(static_cast<int64_t>(key));
      return " " + std::string(static_cast<size_t>(std::max(0, width - static_cast<int>(text.size()))), ' ') + text +
             "                1\n";
    };
    for (const bool is_signed : {false, true}) {
      Aggregation a(AggFunction::Count, {integer(size, is_signed)});
      std::string wanted;
      for (const uint64_t key : {uint64_t{0}, uint64_t{7}, most, most + 1, all - 1, all}) wanted += row(key);
      for (const uint64_t key : {all, uint64_t{7}, most + 1, all - 1, uint64_t{0}, most}) {
        const int unused = 64 - bits;  // a word is the number: a type with a sign has extended it
        const auto extended = static_cast<uint64_t>(static_cast<int64_t>(key << unused) >> unused);
        a.add({is_signed ? extended : key}, 1);
      }
      EXPECT_EQ(a.printed(), wanted) << size << (is_signed ? " signed" : "");
    }
  }
}

TEST(AggTable, SortOptions) {
  Aggregation a(AggFunction::Sum, {text(), integer(8)});
  a.add({word("a"), 3}, 1);
  a.add({word("b"), 1}, 2);
  a.add({word("c"), 2}, 3);
  a.add({word("c"), 1}, 4);
  EXPECT_EQ(a.values(), (Values{1, 2, 3, 4}));
  EXPECT_EQ(a.values({.by_key = true}), (Values{1, 2, 4, 3}));
  EXPECT_EQ(a.values({.by_key = true, .key = 1}), (Values{2, 4, 3, 1}));
  EXPECT_EQ(a.values({.reverse = true}), (Values{4, 3, 2, 1}));
  EXPECT_EQ(a.values({.by_key = true, .key = 9}), (Values{1, 2, 4, 3}));
}

TEST(AggTable, JoinsByKeysAndSortsByTheOneAskedFor) {
  Aggregation a(AggFunction::Sum, {text()}), b(AggFunction::Sum, {text()});
  a.add({word("x")}, 1);
  a.add({word("y")}, 2);
  b.add({word("y")}, 7);
  b.add({word("z")}, 9);
  AggTable* const both[] = {&a.table, &b.table};
  auto order = [&](SortRules rules) {
    std::string keys;
    for (const JoinedRow& row : join(both, rules)) keys += reinterpret_cast<const char*>(row.key->key() + 4);
    return keys;
  };
  EXPECT_EQ(order({}), "zxy");
  EXPECT_EQ(order({.aggregation = 1}), "xyz");
}

TEST(AggTable, TruncKeepsTheGreatestOrTheLeast) {
  Aggregation a(AggFunction::Sum, {integer(8)});
  for (int64_t i = 1; i <= 100; ++i) a.add({static_cast<uint64_t>(i)}, i * 10);
  uint64_t used = a.budget.used;
  a.table.truncate(3);
  EXPECT_EQ(a.values(), (Values{980, 990, 1000}));
  EXPECT_LT(a.budget.used, used);
  a.table.truncate(-2);
  EXPECT_EQ(a.values(), (Values{980, 990}));
  a.add({98}, 1);
  EXPECT_EQ(a.values(), (Values{981, 990}));
  a.table.truncate_all();
  EXPECT_EQ(a.table.size(), 0u);
  EXPECT_EQ(a.budget.used, 0u);
  a.add({5}, 5);
  EXPECT_EQ(a.values(), (Values{5}));
}

TEST(AggTable, ClearKeepsKeys) {
  Aggregation a(AggFunction::Min, {integer(8)});
  a.add({1}, 5);
  a.table.clear();
  EXPECT_EQ(a.values(), (Values{INT64_MAX})) << "where min() starts";
  a.add({1}, 8);
  EXPECT_EQ(a.values(), (Values{8}));
}

TEST(AggTable, ManyKeysStayApart) {
  Aggregation a(AggFunction::Count, {integer(8), text()});
  a.budget.limit = 64 << 20;
  for (int round = 0; round < 3; ++round)
    for (uint64_t i = 0; i < 5000; ++i) a.add({i, word(i % 2 == 0 ? "even" : "odd")}, 1);
  EXPECT_EQ(a.table.size(), 5000u);
  for (int64_t value : a.values()) EXPECT_EQ(value, 3);
}

TEST(AggTable, AFullBudgetRefusesNewKeysOnly) {
  Aggregation a(AggFunction::Count, {integer(8)});
  uint64_t key = 1;
  a.add({key}, 1);
  a.budget.limit = a.budget.used;
  uint64_t other = 2;
  EXPECT_FALSE(a.table.add(&other, 1, 1));
  EXPECT_TRUE(a.table.add(&key, 1, 1));
  EXPECT_EQ(a.values(), (Values{2}));
}

TEST(KeyCodec, NullAndEmptyAndPrefixDiffer) {
  KeyCodec codec({text(), text()}, 4);
  auto encoded = [&](const char* a, const char* b) {
    std::vector<uint64_t> buffer(codec.max_bytes() / 8);
    uint64_t keys[] = {word(a), word(b)};
    auto* begin = reinterpret_cast<uint8_t*>(buffer.data());
    return std::string(begin, codec.encode(keys, begin));
  };
  EXPECT_NE(encoded("", "a"), encoded("a", ""));
  EXPECT_NE(encoded(nullptr, "a"), encoded("", "a"));
  EXPECT_EQ(encoded("abcdX", "b"), encoded("abcdY", "b")) << "cut at strsize";
  EXPECT_NE(encoded("abc", "d"), encoded("ab", "cd"));
}

TEST(KeyCodec, NullSortsFirst) {
  KeyCodec codec({text()}, 4);
  const auto encoded = [&](const char* key) {
    std::vector<uint64_t> buffer(codec.max_bytes() / 8);
    const uint64_t keys[] = {word(key)};
    codec.encode(keys, reinterpret_cast<uint8_t*>(buffer.data()));
    return buffer;
  };
  const auto order = [&](const char* a, const char* b) {
    return codec.compare(reinterpret_cast<const uint8_t*>(encoded(a).data()),
                         reinterpret_cast<const uint8_t*>(encoded(b).data()), 0);
  };
  EXPECT_LT(order(nullptr, ""), 0);
  EXPECT_GT(order("", nullptr), 0);
  EXPECT_LT(order(nullptr, "a"), 0);
  EXPECT_EQ(order(nullptr, nullptr), 0);
}

/// Wherever a stack or a symbol stands in a tuple, and in every table that belongs to an aggregation.
TEST(AggTable, TellsTheSpacesOfItsKeys) {
  const ValueType stack{Kind::Stack, false, 0, "stack"}, symbol{Kind::Symbol, false, 0, "symbol"};
  Aggregation a(AggFunction::Count, {text(), stack, integer(4), symbol, stack});
  alignas(StackValue) uint64_t first[] = {0, 1, 2}, last[] = {0};
  SymbolValue place{SymbolValue::UAddr, 0, 1};
  const auto add = [&](AggTable& table, uint32_t space) {
    *reinterpret_cast<StackValue*>(first) = {space, 2};
    *reinterpret_cast<StackValue*>(last) = {space + 2, 0};
    place.space = space + 1;
    const uint64_t keys[] = {word("four"), reinterpret_cast<uint64_t>(first), 7, reinterpret_cast<uint64_t>(&place),
                             reinterpret_cast<uint64_t>(last)};
    EXPECT_TRUE(table.add(keys, 1, 1));
  };
  add(a.table, 10);
  add(a.table, 20);
  add(a.table.share_of(3), 30);
  add(a.table.interval(), 40);
  std::unordered_set<uint32_t> spaces;
  a.table.add_spaces(spaces);
  EXPECT_EQ(spaces, (std::unordered_set<uint32_t>{10, 11, 12, 20, 21, 22, 30, 31, 32, 40, 41, 42}));
}

TEST(KeyTable, EraseLeavesTheOthersFindable) {
  KeyTable table;
  std::vector<std::vector<uint64_t>> memory;
  auto entry = [&](uint64_t key) {
    memory.emplace_back(sizeof(KeyedEntry) / 8 + 1);
    auto* e = reinterpret_cast<KeyedEntry*>(memory.back().data());
    e->key_bytes = 8;
    e->key_at = 0;
    e->words[0] = key;
    e->hash = key % 7;  // many collisions
    table.insert(e);
    return e;
  };
  memory.reserve(100);
  std::vector<KeyedEntry*> entries;
  for (uint64_t i = 0; i < 100; ++i) entries.push_back(entry(i));
  for (uint64_t i = 0; i < 100; i += 3) table.erase(entries[i]);
  for (uint64_t i = 0; i < 100; ++i) {
    const auto* key = reinterpret_cast<const uint8_t*>(&i);
    EXPECT_EQ(table.find(key, 8, i % 7), i % 3 == 0 ? nullptr : entries[i]);
  }
}

}  // namespace
}  // namespace sonde
