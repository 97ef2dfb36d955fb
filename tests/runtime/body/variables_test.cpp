// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "runtime/body/array_store.h"
#include "runtime/body/variable_store.h"
#include "tests/runtime/consumer/records.h"

namespace sonde {
namespace {

using namespace testing;
using Scope = VariableDesc::Scope;

const char* text(uint64_t cell) { return reinterpret_cast<const char*>(cell); }

class Variables : public ::testing::Test {
 protected:
  Variables() {
    add("s", Scope::Global, string_type(), program.global_cells++);
    add("b", Scope::Global, {ValueType::Kind::Bytes, false, 12, "int [3]"}, program.global_cells++);
    add("s", Scope::Self, string_type(), program.self_cells++);
    add("n", Scope::Self, integer(), program.self_cells++);
    add("s", Scope::This, string_type(), program.this_cells++);
    add("n", Scope::This, integer(), program.this_cells++);
  }
  void add(const char* name, Scope scope, ValueType type, uint32_t cell) {
    program.variables.push_back({name, scope, std::move(type), cell});
  }

  BodyProgram program;
  MemoryBudget budget{1 << 20, 0};
  BufferPool pool{264};
};

TEST_F(Variables, InitialValues) {
  VariableStore store(program, pool, budget, 256);
  store.begin_firing();
  EXPECT_STREQ(text(store.globals()[0]), "");
  EXPECT_STREQ(text(store.locals()[0]), "");
  EXPECT_EQ(store.self(7)[0], 0u) << "NULL";
  EXPECT_EQ(store.globals()[1], 0u);
  EXPECT_EQ(store.buffer(&store.globals()[1], 12)[11], 0);
}

TEST_F(Variables, StringsAreCopiedAndCut) {
  VariableStore store(program, pool, budget, 4);
  uint64_t* cell = &store.globals()[0];
  char value[] = "abcdefgh";
  EXPECT_TRUE(store.store_string(cell, value));
  value[0] = 'X';
  EXPECT_STREQ(text(*cell), "abcd");
  store.store_string(cell, text(*cell) + 1);
  EXPECT_STREQ(text(*cell), "bcd");
  store.store_string(cell, nullptr);
  EXPECT_EQ(*cell, 0u);
}

TEST_F(Variables, ThisIsZeroAtTheStartOfEachFiring) {
  VariableStore store(program, pool, budget, 256);
  store.begin_firing();
  store.locals()[1] = 5;
  store.store_string(&store.locals()[0], "text");
  store.begin_firing();
  EXPECT_EQ(store.locals()[1], 0u);
  EXPECT_STREQ(text(store.locals()[0]), "");
}

TEST_F(Variables, SelfIsByThread) {
  VariableStore store(program, pool, budget, 256);
  for (uint32_t tid = 0; tid < 500; ++tid) store.self(tid)[1] = tid + 1;
  for (uint32_t tid = 0; tid < 500; ++tid) EXPECT_EQ(store.self(tid)[1], tid + 1u);
}

TEST_F(Variables, AFreedBufferStaysUntilTheClauseEnds) {
  VariableStore store(program, pool, budget, 256);
  uint64_t* cell = &store.self(7)[0];
  store.store_string(cell, "one");
  const char* loaded = text(*cell);
  store.store_string(cell, nullptr);
  store.store_string(cell, "two");
  EXPECT_STREQ(loaded, "one");
  store.end_clause();
  EXPECT_STREQ(text(*cell), "two");
}

TEST_F(Variables, FullMemoryForgetsIdleThreadsThenDrops) {
  budget.limit = 4096;
  VariableStore store(program, pool, budget, 256);
  for (uint32_t tid = 0; tid < 10000; ++tid) {
    store.self(tid)[1] = 1;
    store.self(tid)[1] = 0;
    ASSERT_EQ(store.end_clause(), 0u) << tid;
  }
  uint64_t drops = 0;
  for (uint32_t tid = 0; tid < 1000; ++tid) {
    store.self(tid)[1] = 1;
    drops += store.end_clause();
  }
  EXPECT_GT(drops, 0u);
  EXPECT_LE(budget.used, budget.limit);
  uint64_t kept = 0;
  for (uint32_t tid = 0; tid < 1000; ++tid) kept += store.self(tid)[1];
  EXPECT_EQ(kept + drops, 1000u);
}

TEST_F(Variables, CellsKeepTheirValuesWhenTheProgramGrows) {
  VariableStore store(program, pool, budget, 256);
  store.self(7)[1] = 5;
  store.store_string(&store.globals()[0], "kept");
  add("m", Scope::Self, integer(), program.self_cells++);
  add("t", Scope::Global, string_type(), program.global_cells++);
  store.grow();
  EXPECT_EQ(store.self(7)[1], 5u);
  EXPECT_EQ(store.self(7)[2], 0u);
  EXPECT_STREQ(text(store.globals()[0]), "kept");
  EXPECT_STREQ(text(store.globals()[2]), "");
}

class Arrays : public Variables {
 protected:
  Arrays() {
    program.arrays.push_back({"n", false, {string_type(), integer(4)}, integer()});
    program.arrays.push_back({"s", true, {integer()}, string_type()});
    program.arrays.push_back({"b", false, {integer()}, {ValueType::Kind::Bytes, false, 12, "struct s"}});
  }
};

TEST_F(Arrays, StoringZeroDeletes) {
  VariableStore variables(program, pool, budget, 256);
  ArrayStore arrays(program, pool, variables, budget, 256);
  uint64_t a[] = {word_of("a"), 1}, b[] = {word_of("a"), 2};
  EXPECT_EQ(arrays.load(0, 7, a), 0u);
  uint64_t before = budget.used;
  arrays.store(0, 7, a, 5);
  arrays.store(0, 8, b, 6);
  EXPECT_EQ(arrays.load(0, 9, a), 5u);
  EXPECT_EQ(arrays.load(0, 9, b), 6u);
  arrays.store(0, 7, a, 0);
  arrays.store(0, 7, b, 0);
  EXPECT_EQ(arrays.load(0, 7, a), 0u);
  EXPECT_EQ(budget.used, before);
}

TEST_F(Arrays, ThreadLocalOnesAreByThread) {
  VariableStore variables(program, pool, budget, 256);
  ArrayStore arrays(program, pool, variables, budget, 256);
  uint64_t key = 1;
  arrays.store(1, 7, &key, word_of("seven"));
  arrays.store(1, 8, &key, word_of("eight"));
  EXPECT_STREQ(text(arrays.load(1, 7, &key)), "seven");
  EXPECT_STREQ(text(arrays.load(1, 8, &key)), "eight");
  const char* loaded = text(arrays.load(1, 7, &key));
  arrays.store(1, 7, &key, 0);
  EXPECT_STREQ(loaded, "seven");
  EXPECT_EQ(arrays.load(1, 7, &key), 0u);
}

TEST_F(Arrays, FullMemoryDropsNewElementsOnly) {
  VariableStore variables(program, pool, budget, 256);
  ArrayStore arrays(program, pool, variables, budget, 256);
  constexpr uint64_t kElement = 8 + 8 + 8 + 8;  // value, fixed cost of an element, and two keys: "k" and a number
  uint64_t stored = 0;
  for (uint64_t i = 0; i < 40000; ++i) {
    uint64_t key[] = {word_of("k"), i};
    if (arrays.store(0, 1, key, i + 1)) ++stored;
  }
  EXPECT_EQ(stored, budget.limit / kElement);
  uint64_t first[] = {word_of("k"), 0};
  EXPECT_TRUE(arrays.store(0, 1, first, 77));
  EXPECT_EQ(arrays.load(0, 1, first), 77u);
}

TEST_F(Arrays, StructsAreCopied) {
  VariableStore variables(program, pool, budget, 256);
  ArrayStore arrays(program, pool, variables, budget, 256);
  uint32_t value[3] = {1, 2, 3};
  uint64_t key = 1;
  arrays.store(2, 1, &key, reinterpret_cast<uint64_t>(value));
  value[2] = 9;
  EXPECT_EQ(reinterpret_cast<const uint32_t*>(arrays.load(2, 1, &key))[2], 3u);
}

}  // namespace
}  // namespace sonde
