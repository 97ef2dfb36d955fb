// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sonde {
namespace {

using ::testing::ElementsAre;

TEST(Words, AsAShellSplits) {
  const auto words = [](const char* text) {
    auto split = split_words(text);
    EXPECT_TRUE(split) << text;
    return split ? *split : std::vector<std::string>{};
  };
  EXPECT_THAT(words("  ls\t-l \n/ "), ElementsAre("ls", "-l", "/"));
  EXPECT_THAT(words("a'b c'd \"e f\"g"), ElementsAre("ab cd", "e fg"));
  EXPECT_THAT(words("'' \"\" x"), ElementsAre("", "", "x"));
  EXPECT_THAT(words(R"(a\ b 'c\d' "e\"f\\g\h")"), ElementsAre("a b", "c\\d", "e\"f\\g\\h"));
  EXPECT_THAT(words(R"("\$x" '$x' "$x" \$)"), ElementsAre("$x", "$x", "$x", "$"));
  EXPECT_THAT(words("a\\"), ElementsAre("a\\"));
}

TEST(Words, WhatIsNoCommand) {
  for (const auto& [text, message] : {std::pair("", "empty command"), std::pair(" \t\n", "empty command"),
                                      std::pair("a 'b", "missing closing ' in command: a 'b"),
                                      std::pair("\"a\\\"", "missing closing \" in command: \"a\\\"")}) {
    auto split = split_words(text);
    ASSERT_FALSE(split) << text;
    EXPECT_EQ(split.error().message(), message);
  }
}

}  // namespace
}  // namespace sonde
