// SPDX-License-Identifier: GPL-3.0-or-later
// Values that have a meaning only on this host must not reach other programs, and elements that become equal without
// them must be added up.
#include "runtime/print/plain_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/print/folded_stacks.h"

namespace sonde {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

/// Functions of 16 bytes from 0x100 on, the return address of a handler at 0x200, code without a symbol at 0x1000,
/// nothing from 0x2000 on.
class Names : public SymbolNames {
 public:
  uint32_t space(uint32_t pid, Nanoseconds, std::span<const uint64_t>) override { return pid; }
  std::string name(uint32_t, uint64_t address, SymbolValue::Kind) override { return "name " + std::to_string(address); }
  SymbolPlace place(uint32_t, uint64_t address, SymbolValue::Kind kind) override {
    if (address >= 0x2000) return {};
    if (address >= 0x1000) return {"lib", "", address, true};
    const uint64_t back = kind == SymbolValue::UReturn ? 1 : 0, at = address - back;
    return {"prog", "f;" + std::to_string(at / 16), at % 16 + back, true};
  }
  uint64_t canonical(uint32_t, uint64_t address, SymbolValue::Kind) override { return address; }
  bool ends_signal_handler(uint32_t, uint64_t address) override { return address == 0x200; }
};

struct Stack {
  uint32_t pid, count;
  uint64_t pc[4];
  uint64_t word() const { return reinterpret_cast<uint64_t>(this); }
  const StackValue& value() const { return *reinterpret_cast<const StackValue*>(this); }
};

class PlainValues : public ::testing::Test {
 protected:
  PlainValues() { settings.names = &names; }
  static ValueType type(ValueType::Kind kind, uint32_t size = 8, const char* name = "") {
    return {kind, true, size, name};
  }
  std::string symbol(SymbolValue::Kind kind, uint64_t address) {
    const SymbolValue value{kind, 1, address};
    return key_text(type(ValueType::Kind::Symbol), reinterpret_cast<uint64_t>(&value), settings);
  }

  Names names;
  FormatSettings settings;
};

TEST_F(PlainValues, FramesFromTheRootWithoutAddresses) {
  const Stack stack{1, 4, {0x105, 0x110, 0x1234, 0x7f0000000000}};
  EXPECT_EQ(key_text(type(ValueType::Kind::Stack), stack.word(), settings), "[unknown];lib+0x1234;prog`f:16;prog`f:16")
      << "a call that is the last of its function returns behind it";
  EXPECT_EQ(frame_text(frame_of(stack.value(), 0, &names), &names), "prog`f;16+0x5");
  EXPECT_EQ(frame_text(frame_of(stack.value(), 1, &names), &names), "prog`f;16+0x10");
  EXPECT_EQ(frame_text(frame_of(stack.value(), 2, &names), &names), "lib+0x1234");
  EXPECT_EQ(frame_text(frame_of(stack.value(), 3, &names), &names), "0x7f0000000000");
}

TEST_F(PlainValues, SymbolsAndWhatIsUnknown) {
  EXPECT_EQ(symbol(SymbolValue::UAddr, 0x105), "prog`f;16+0x5");
  EXPECT_EQ(symbol(SymbolValue::UAddr, 0x100), "prog`f;16");
  EXPECT_EQ(symbol(SymbolValue::USym, 0x105), "prog`f;16");
  EXPECT_EQ(symbol(SymbolValue::UMod, 0x105), "prog");
  EXPECT_EQ(symbol(SymbolValue::UMod, 0x2000), "[unknown]");
  EXPECT_EQ(symbol(SymbolValue::USym, 0x1234), "lib+0x1234");
}

TEST_F(PlainValues, BytesAreTextOnlyWhereTheirTypeSaysSo) {
  const char bytes[8] = "ab\0c";
  const auto word = reinterpret_cast<uint64_t>(bytes);
  EXPECT_EQ(key_text(type(ValueType::Kind::Bytes, 8, "char [8]"), word, settings), std::string("ab\0c", 4));
  EXPECT_EQ(key_text(type(ValueType::Kind::Bytes, 8, "struct s"), word, settings), "6162006300000000");
  EXPECT_EQ(key_text({ValueType::Kind::Integer, false, 4, ""}, 0xffffffffffffffff, settings), "4294967295");
  EXPECT_EQ(key_text({ValueType::Kind::Integer, true, 4, ""}, 0xffffffff, settings), "-1");
}

/// Each frame has 100 bytes, the ';' in front included.
class LongNames : public Names {
 public:
  SymbolPlace place(uint32_t, uint64_t address, SymbolValue::Kind) override {
    const std::string number = std::to_string(address / 16);
    return {"prog", std::string(94 - number.size(), 'f') + number, address % 16, true};
  }
};

struct LongStack {
  LongStack() {
    for (uint64_t i = 0; i < count; ++i) pc[i] = 16 * i + 1;
  }
  uint32_t pid = 1, count = KeyCodec::kMaxFrames;
  uint64_t pc[KeyCodec::kMaxFrames];
};

/// The only element of an aggregation with these keys, which have at most 12 KiB.
NamedElement cut_element(const std::vector<ValueType>& types, std::initializer_list<uint64_t> keys,
                         const FormatSettings& settings) {
  MemoryBudget budget{1 << 20};
  const AggregationDesc desc{"a", AggFunction::Count, {}, types, 0};
  AggTable table(desc, 1 << 16, budget);
  table.add(std::data(keys), 1, 1);
  const std::vector<NamedElement> elements = named_elements({{&table}, {}, {}}, 0, settings, 12 * 1024);
  EXPECT_EQ(elements.size(), 1u);
  return elements.at(0);
}

TEST_F(PlainValues, AStackThatIsTooLongLosesItsRoot) {
  LongNames long_names;
  settings.names = &long_names;
  const LongStack stack;
  const auto word = reinterpret_cast<uint64_t>(&stack);
  EXPECT_EQ(key_text(type(ValueType::Kind::Stack), word, settings).size(), 100u * KeyCodec::kMaxFrames - 1);
  const NamedElement element = cut_element({type(ValueType::Kind::Stack)}, {word}, settings);
  EXPECT_TRUE(element.is_cut);
  const std::string& text = element.keys[0];
  EXPECT_EQ(text.size(), 100u * (12 * 1024 / 100) - 1);
  EXPECT_TRUE(text.starts_with("prog`ff") && text.ends_with("fff0")) << text;
}

TEST_F(PlainValues, OfAStackWhoseLeafIsTooLongTheLeafIsCut) {
  LongNames long_names;
  settings.names = &long_names;
  const LongStack stack;
  const std::vector<ValueType> types(8, type(ValueType::Kind::Stack));
  MemoryBudget budget{1 << 20};
  const AggregationDesc desc{"a", AggFunction::Count, {}, types, 0};
  AggTable table(desc, 1 << 16, budget);
  const std::vector<uint64_t> keys(types.size(), reinterpret_cast<uint64_t>(&stack));
  table.add(keys.data(), 1, 1);
  const std::vector<NamedElement> elements = named_elements({{&table}, {}, {}}, 0, settings, 8 * 50);
  ASSERT_EQ(elements.size(), 1u);
  EXPECT_TRUE(elements[0].is_cut);
  EXPECT_EQ(elements[0].keys[0], "prog`" + std::string(45, 'f')) << "the leaf's first 50 bytes";
}

TEST_F(PlainValues, AllKeysOfAnElementShareTheRoomOfALine) {
  LongNames long_names;
  const LongStack stack;
  const std::string quotes(20000, '"'), letters(20000, 'a'), few = "few";
  const auto text = [](const std::string& key) { return reinterpret_cast<uint64_t>(key.c_str()); };
  const ValueType string = type(ValueType::Kind::String, 1 << 16);
  FormatSettings wide = settings;
  wide.strsize = 1 << 16;
  wide.names = &long_names;
  const NamedElement element =
      cut_element({string, type(ValueType::Kind::Stack), string, string},
                  {text(quotes), reinterpret_cast<uint64_t>(&stack), text(letters), text(few)}, wide);
  EXPECT_TRUE(element.is_cut);
  EXPECT_EQ(element.keys[0], std::string(1536, '"')) << "each is two bytes in JSON";
  EXPECT_EQ(element.keys[1].size(), 2999u) << "30 frames";
  EXPECT_EQ(element.keys[2], std::string(3072, 'a'));
  EXPECT_EQ(element.keys[3], few);
  const NamedElement whole = cut_element({string}, {text(few)}, wide);
  EXPECT_FALSE(whole.is_cut);
}

TEST_F(PlainValues, ElementsWithEqualNamesAreOne) {
  MemoryBudget budget{1 << 20};
  const AggregationDesc desc{"a", AggFunction::Max, {}, {type(ValueType::Kind::Stack)}, 4};
  AggTable table(desc, 256, budget);
  const Stack one{1, 1, {0x101, 0, 0, 0}}, other{1, 1, {0x102, 0, 0, 0}}, third{1, 1, {0x111, 0, 0, 0}};
  const auto add = [&table](const Stack& stack, int64_t value) {
    const uint64_t keys[] = {stack.word()};
    table.add(keys, value, 1);
  };
  add(one, 5);
  add(other, 9);
  add(third, 7);
  const AggSnapshot snapshot{{&table}, {}, {}};
  const std::vector<NamedElement> elements = named_elements(snapshot, 0, settings);
  ASSERT_EQ(elements.size(), 2u);
  EXPECT_THAT(elements[0].keys, ElementsAre("prog`f:16"));
  EXPECT_EQ(read_element(table, elements[0].words.data()).value, 9);
  EXPECT_EQ(read_element(table, elements[1].words.data()).value, 7);
}

class Folded : public PlainValues {
 protected:
  using Counts = std::map<FoldedStacks::Path, int64_t>;
  MemoryBudget budget{1 << 20};
};

TEST_F(Folded, TextsThenTheProgramThenTheKernel) {
  const AggregationDesc desc{
      "a",
      AggFunction::Sum,
      {},
      {type(ValueType::Kind::Stack), type(ValueType::Kind::String), type(ValueType::Kind::Stack)},
      4};
  AggTable table(desc, 256, budget);
  const Stack kernel{0, 1, {0x110, 0, 0, 0}}, user{1, 2, {0x100, 0x1000, 0, 0}};
  const uint64_t keys[] = {kernel.word(), reinterpret_cast<uint64_t>("a;b\n"), user.word()};
  table.add(keys, 4, 1);
  FoldedStacks stacks;
  stacks.add(AggSnapshot{{&table}, {}, {}}, &names);
  EXPECT_EQ(stacks.counts(), (Counts{{{"a:b ", "lib+0x1000", "prog`f:16", "prog`f:17"}, 4}}));
}

TEST_F(Folded, TheLastPictureOfEachStartCounts) {
  const AggregationDesc desc{"a", AggFunction::Count, {}, {type(ValueType::Kind::Stack)}, 4};
  AggTable table(desc, 256, budget);
  const Stack stack{1, 1, {0x100, 0, 0, 0}};
  const uint64_t keys[] = {stack.word()};
  FoldedStacks stacks;
  const auto show = [&] { stacks.add(AggSnapshot{{&table}, {}, {}}, &names); };
  table.add(keys, 1, 1);
  show();
  table.add(keys, 1, 1);
  show();
  table.clear();
  table.start = 77;
  show();
  table.add(keys, 1, 1);
  show();
  EXPECT_EQ(stacks.counts(), (Counts{{{"prog`f:16"}, 3}}));
}

TEST_F(Folded, WhatIsNotSeenOnceIsLeftOutAndNothingOverflows) {
  const AggregationDesc desc{
      "a", AggFunction::Sum, {}, {type(ValueType::Kind::Stack), type(ValueType::Kind::Integer)}, 4};
  AggTable table(desc, 256, budget);
  const Stack none{1, 0, {}};
  for (const int64_t value : {INT64_MAX, int64_t{-5}, int64_t{0}}) {
    const uint64_t keys[] = {none.word(), static_cast<uint64_t>(value)};
    table.add(keys, value, 1);
  }
  FoldedStacks stacks;
  stacks.add(AggSnapshot{{&table}, {}, {}}, &names);
  EXPECT_EQ(stacks.counts(), (Counts{{{std::to_string(INT64_MAX)}, INT64_MAX}}));
  EXPECT_EQ(add_counts(INT64_MAX, 1), INT64_MAX);
  EXPECT_EQ(add_counts(INT64_MIN, -1), INT64_MIN);
}

}  // namespace
}  // namespace sonde
