// SPDX-License-Identifier: GPL-3.0-or-later
// What the header of a script says, and what is wrong with one
#include "cli/tools/script_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sonde {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ScriptHeader right(std::string_view text, std::string_view name = "t") {
  auto header = parse_script_header(text, name);
  EXPECT_TRUE(header.has_value()) << header.error().message();
  return header ? *header : ScriptHeader();
}

std::string wrong(const std::string& row) {
  auto header = parse_script_header("/*\n * t: what\n *\n * " + row + "\n */\n", "t");
  EXPECT_FALSE(header.has_value()) << row;
  return header ? "" : header.error().message();
}

ScriptOption option(const std::string& subject) {
  const ScriptHeader header = right("/*\n * t: what\n * option " + subject + ": it\n */");
  return header.options.empty() ? ScriptOption() : header.options[0];
}

TEST(ScriptHeader, EachRowIsThere) {
  const ScriptHeader header = right(
      "#!/usr/bin/env -S sonde -s\n/* SPDX-License-Identifier: MIT */\n/*\n * t: says\n *   what it does\n *\n * A "
      "paragraph\n * of two "
      "lines.\n *\n *     as it stands\n *\n * word PATTERN: which\n *     functions\n * option min=TIME 10ms: how\n * "
      "    long\n"
      " * option failed: only those\n * needs: much\n * example: sonde t --failed ls\n *     what one\n *     sees\n "
      "*/\nBEGIN { }\n");
  EXPECT_EQ(header.sentence, "says what it does");
  EXPECT_THAT(header.paragraphs, ElementsAre("A paragraph of two lines.", "    as it stands"));
  ASSERT_EQ(header.words.size(), 1u);
  EXPECT_EQ(header.words[0].name, "PATTERN");
  EXPECT_EQ(header.words[0].sentence, "which functions");
  EXPECT_THAT(header.options, ElementsAre(ScriptOption{"min", "TIME", "10ms", "how long"},
                                          ScriptOption{"failed", "", "", "only those"}));
  EXPECT_EQ(header.needs, "much");
  ASSERT_EQ(header.examples.size(), 1u);
  EXPECT_EQ(header.examples[0].command, "sonde t --failed ls");
  EXPECT_EQ(header.examples[0].sentence, "what one sees");
}

TEST(ScriptHeader, IsThereOnlyUnderTheNameOfTheFile) {
  for (const char* text :
       {"", "/* t */", "/* x: what */", "// t: what", "BEGIN { } /* t: what */", "/* t: what", "#!/bin/sh"})
    EXPECT_FALSE(right(text).exists()) << text;
  EXPECT_TRUE(right("/* t: what */").exists());
  EXPECT_FALSE(right("/* : what */", "").exists());
}

TEST(ScriptHeader, RowsThatAreWrongSayHowTheyAreWritten) {
  EXPECT_THAT(wrong("option Min: it"),
              HasSubstr("the header of t: option Min: a name is lower-case letters and digits"));
  EXPECT_THAT(wrong("option 1st: it"), HasSubstr("a name is lower-case letters"));
  EXPECT_THAT(wrong("option min=: it"), HasSubstr("behind = stands what it takes"));
  EXPECT_THAT(wrong("option min=TIME soon: it"), HasSubstr("--min=soon: it takes a time, as in 10ms or 2s"));
  EXPECT_THAT(wrong("option target: it"), HasSubstr("D has a macro variable $target"));
  EXPECT_THAT(wrong("option a: it\n * option a: it"), HasSubstr("option a is there twice"));
  EXPECT_THAT(wrong("word PATTERN:"), HasSubstr("nothing stands behind the colon"));
}

TEST(ScriptHeader, SentencesAreNoRows) {
  const ScriptHeader header = right("/*\n * t: what\n *\n * words: these. options are none. example: no\n */");
  EXPECT_TRUE(header.words.empty() && header.options.empty() && header.examples.empty());
  EXPECT_EQ(header.paragraphs.size(), 1u);
}

TEST(ScriptHeader, ValuesBecomeNumbersOrStayTexts) {
  const auto value = [](const std::string& subject, const char* typed) { return macro_value(option(subject), typed); };
  EXPECT_EQ(*value("a=TIME", "10ms"), "10000000");
  EXPECT_EQ(*value("a=TIME", "2"), "2000000000");
  EXPECT_EQ(*value("a=SIZE", "64k"), "65536");
  EXPECT_EQ(*value("a=SIZE", "0"), "0");
  EXPECT_EQ(*value("a=COUNT", "7"), "7");
  EXPECT_EQ(*value("a=FILE", "7k"), "7k");
  EXPECT_EQ(*value("a", ""), "1");
  for (const char* bad : {"", "x", "-1", "1 ms", "5kk"}) {
    for (const char* kind : {"TIME", "SIZE", "COUNT"})
      EXPECT_THAT(value(std::string("a=") + kind, bad).error().message(),
                  HasSubstr("--a=" + std::string(bad) + ": it takes "))
          << kind;
  }
}

TEST(ScriptHeader, AnOptionThatNobodyGivesHasAValue) {
  EXPECT_EQ(initial_macro_value(option("a")), "0");
  EXPECT_EQ(initial_macro_value(option("a=TIME")), "0");
  EXPECT_EQ(initial_macro_value(option("a=TIME 1us")), "1000");
  EXPECT_EQ(initial_macro_value(option("a=FILE")), "");
  EXPECT_EQ(initial_macro_value(option("a=FILE /etc")), "/etc");
}

}  // namespace
}  // namespace sonde
