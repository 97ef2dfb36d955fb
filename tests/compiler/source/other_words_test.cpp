// SPDX-License-Identifier: GPL-3.0-or-later
// Hints on words of other tools: the table, and how a row is found by the place of an error
#include "compiler/source/other_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace sonde {
namespace {

using ::testing::HasSubstr;
using Kind = OtherWord::Kind;

/// The hint for an error at the first `^` of the text, which is not part of it.
std::string hint(std::string text) {
  const size_t at = text.find('^');
  text.erase(at, 1);
  return hint_on_other_syntax(text, at);
}

TEST(OtherWords, EachOperatorIsFoundWhereTheGrammarStumbles) {
  for (const OtherWord& row : kOtherWords) {
    if (row.kind != Kind::Operator || row.word == ".") continue;
    const std::string word(row.word);
    for (size_t i = 0; i < word.size(); i++) {
      const std::string text = "BEGIN { x " + word.substr(0, i) + "^" + word.substr(i) + " 3; }";
      EXPECT_EQ(hint(text), row.hint) << text;
    }
  }
  EXPECT_THAT(hint("BEGIN { x = \"a\" . ^\"b\"; }"), HasSubstr("strjoin"));
}

TEST(OtherWords, EachWordIsFoundAtTheErrorBeforeItAndAtTheBeginning) {
  for (const OtherWord& row : kOtherWords) {
    if (row.kind != Kind::Syntax) continue;
    const std::string word(row.word);
    EXPECT_EQ(hint("BEGIN { ^" + word + " y; }"), row.hint);
    EXPECT_EQ(hint("BEGIN { " + word + " ^y; }"), row.hint);
    EXPECT_EQ(hint("BEGIN { " + word + " (y, z) ^{ } }"), row.hint);
  }
}

TEST(OtherWords, AWordOfTheScriptIsNone) {
  EXPECT_EQ(hint("BEGIN { next = 3 ^4; }"), "");
  EXPECT_EQ(hint("BEGIN { not->x = 3 ^4; }"), "");
  EXPECT_EQ(hint("BEGIN { x = 1; } END { y ^3; }"), "");
}

TEST(OtherWords, Declarations) {
  EXPECT_THAT(hint("BEGIN { ^int x = 1; }"), HasSubstr("are not declared"));
  EXPECT_THAT(hint("BEGIN { int x ^= 1; }"), HasSubstr("are not declared"));
  EXPECT_THAT(hint("int x ^= 1; BEGIN { }"), HasSubstr("a declaration has no value"));
  EXPECT_EQ(hint("int x ^BEGIN { }"), "a ; is missing before it");
  EXPECT_EQ(hint("struct a { int x ^};"), "a ; is missing before it");
}

TEST(OtherWords, AFunctionWithoutItsParentheses) {
  EXPECT_EQ(hint("BEGIN { trace ^\"x\"; }"), "it is a function: trace(...)");
  EXPECT_EQ(hint("BEGIN { trace^(\"x\"); }"), "");
  EXPECT_EQ(hint("BEGIN { trace(1) ^trace(2); }"), "");
}

TEST(OtherWords, Providers) {
  for (const OtherWord& row : kOtherWords) {
    if (row.kind != Kind::Provider) continue;
    const bool numbered = row.word.ends_with('*');
    const std::string name(row.word.substr(0, row.word.size() - (numbered ? 1 : 0)));
    EXPECT_EQ(hint_on_other_provider(name), row.hint);
    EXPECT_EQ(hint_on_other_provider(name + "1234"), numbered ? row.hint : "") << name;
    EXPECT_EQ(hint_on_other_provider(name + "*"), numbered ? row.hint : "") << name;
    EXPECT_EQ(hint_on_other_provider(name + "x"), "") << name;
  }
}

TEST(OtherWords, NoWordHasTwoRows) {
  std::set<std::pair<Kind, std::string_view>> seen;
  for (const OtherWord& row : kOtherWords) EXPECT_TRUE(seen.insert({row.kind, row.word}).second) << row.word;
}

}  // namespace
}  // namespace sonde
