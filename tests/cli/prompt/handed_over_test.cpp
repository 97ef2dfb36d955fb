// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/prompt/handed_over.h"

#include <gtest/gtest.h>

namespace sonde {
namespace {

TEST(HandedOver, ComesOutAsItWentIn) {
  const HandedOver what{"ptrace",
                        "/tmp/a log",
                        "tick-1s\n{\n",
                        "failed",
                        {"a.so", "b:3.so"},
                        {{"quiet", ""}, {"argstr", "plain"}},
                        {{"BEGIN { printf(\"1:2\\n\"); }", true}, {"tick-1s\n{\n}\n", false}, {"", true}},
                        {"7", "9", "", "a name"}};
  const auto other = HandedOver::unpacked(what.packed());
  ASSERT_TRUE(other);
  EXPECT_EQ(other->packed(), what.packed());
  EXPECT_EQ(other->input, what.input);
  EXPECT_EQ(other->providers, what.providers);
  EXPECT_EQ(other->settings, what.settings);
  ASSERT_EQ(other->clauses.size(), 3u);
  EXPECT_EQ(other->clauses[1].text, "tick-1s\n{\n}\n");
  EXPECT_FALSE(other->clauses[1].enabled);
  EXPECT_EQ(other->terminals, what.terminals);
}

TEST(HandedOver, EveryOtherTextIsRefused) {
  const std::string packed =
      HandedOver{"ptrace", "", "", "", {"a.so"}, {{"quiet", "yes"}}, {{"BEGIN", true}}, {"7"}}.packed();
  for (size_t length = 0; length < packed.size(); length++)
    EXPECT_FALSE(HandedOver::unpacked(packed.substr(0, length))) << length;
  EXPECT_FALSE(HandedOver::unpacked(packed + "x"));
  EXPECT_FALSE(HandedOver::unpacked("99999999999999999999:"));
  EXPECT_FALSE(HandedOver::unpacked("1:a1:b1:c0:18446744073709551615:"));
}

}  // namespace
}  // namespace sonde
