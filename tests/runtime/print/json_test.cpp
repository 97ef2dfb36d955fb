// SPDX-License-Identifier: GPL-3.0-or-later
// The output must be valid JSON, whatever the values in D.
#include "runtime/print/json.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace sonde {
namespace {

template <typename Fill>
std::string line(Fill fill, size_t most = SIZE_MAX) {
  std::string out;
  JsonLine made(out, most);
  fill(made.key("v"));
  made.finish();
  return out;
}

std::string text(std::string_view value) {
  return line([&](JsonLine& line) { line.string(value); });
}

TEST(Json, NumbersBeyondADoubleAreText) {
  const auto number = [](auto value) { return line([&](JsonLine& line) { line.number(value); }); };
  EXPECT_EQ(number(int64_t{9007199254740991}), "{\"v\":9007199254740991}\n");
  EXPECT_EQ(number(int64_t{9007199254740992}), "{\"v\":\"9007199254740992\"}\n");
  EXPECT_EQ(number(int64_t{-9007199254740991}), "{\"v\":-9007199254740991}\n");
  EXPECT_EQ(number(std::numeric_limits<int64_t>::min()), "{\"v\":\"-9223372036854775808\"}\n");
  EXPECT_EQ(number(UINT64_MAX), "{\"v\":\"18446744073709551615\"}\n");
  EXPECT_EQ(number(AggWide{INT64_MIN} * 2), "{\"v\":\"-18446744073709551616\"}\n");
  EXPECT_EQ(line([](JsonLine& line) { line.decimal(7); }), "{\"v\":\"7\"}\n");
  EXPECT_EQ(line([](JsonLine& line) { line.real(std::numeric_limits<double>::infinity()); }), "{\"v\":null}\n");
}

TEST(Json, ATextIsCutByItsLengthInJson) {
  EXPECT_EQ(json_length("a\"\x01\xff"), 1u + 2 + 6 + 5);
  EXPECT_EQ(cut_for_json("abc", 3), "abc");
  EXPECT_EQ(cut_for_json("abc", 2), "ab");
  EXPECT_EQ(cut_for_json("\"\"\"", 5), "\"\"");
  EXPECT_EQ(cut_for_json("a\xc3\xa9", 2), "a") << "between characters";
  EXPECT_EQ(cut_for_json("", 0), "");
  EXPECT_EQ(cut_for_json(std::string(100, '\x80'), 20), std::string(4, '\x80'))
      << "between bytes that are no characters";
}

TEST(Json, WhatIsNotUtf8IsShownAndSaidSo) {
  EXPECT_EQ(text("a\"b\\c\n\t\x01"), "{\"v\":\"a\\\"b\\\\c\\n\\t\\u0001\"}\n");
  EXPECT_EQ(text("\xc3\xa9 \xe2\x9c\x93 \xf0\x9d\x84\x9e"), "{\"v\":\"\xc3\xa9 \xe2\x9c\x93 \xf0\x9d\x84\x9e\"}\n");
  EXPECT_EQ(text("a\xff"), "{\"v\":\"a\\\\xff\",\"esc\":true}\n");
  EXPECT_EQ(text("\\x41"), "{\"v\":\"\\\\x5cx41\",\"esc\":true}\n") << "it would read as A";
  EXPECT_EQ(text("\\y"), "{\"v\":\"\\\\y\"}\n");
}

TEST(Json, FormsThatUtf8Forbids) {
  for (const char* bytes : {"\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\xaf",
                            "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x9c", "\x80"}) {
    std::string out;
    EXPECT_TRUE(append_utf8(bytes, out)) << out;
    EXPECT_TRUE(out.starts_with("\\x")) << out;
  }
}

TEST(Json, WhatIsTooLongIsCutBetweenCharacters) {
  std::string out;
  JsonLine made(out, 16);
  made.key("v").string("0123456789abcde\xc3\xa9");
  EXPECT_TRUE(made.is_cut());
  EXPECT_EQ(out, "{\"v\":\"0123456789abcde\"");
  EXPECT_EQ(made.most_of(1), 1u);
  EXPECT_EQ(made.most_of(5), 1u);
}

TEST(Json, CommasStandBetweenValues) {
  std::string out;
  JsonLine made(out, SIZE_MAX);
  made.key("a").open('[');
  made.number(int64_t{1});
  made.open('{');
  made.key("b").null();
  made.key("c").boolean(false);
  made.close('}');
  made.open('[');
  made.close(']');
  made.close(']');
  made.key("d").time(UINT64_MAX);
  made.finish();
  EXPECT_EQ(out, "{\"a\":[1,{\"b\":null,\"c\":false},[]],\"d\":18446744073709551615}\n");
}

}  // namespace
}  // namespace sonde
