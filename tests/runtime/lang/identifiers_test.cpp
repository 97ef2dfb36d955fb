// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/lang/identifiers.h"

#include <gtest/gtest.h>

namespace sonde {
namespace {

TEST(Version, IsTwoOrThreeNumbers) {
  EXPECT_EQ(read_version("1.0"), make_version(1, 0));
  EXPECT_EQ(read_version("1.6.4"), make_version(1, 6, 4));
  EXPECT_EQ(read_version("255.4095.4095"), make_version(255, 4095, 4095));
  for (const char* wrong : {"", "1", "1.", ".1", "1..2", "1.2.3.4", "1.x", "256.0", "1.4096", "1.00000", "-1.0"})
    EXPECT_EQ(read_version(wrong), std::nullopt) << wrong;
}

TEST(Version, ComparesByItsParts) {
  EXPECT_LT(*read_version("1.6"), *read_version("1.6.4"));
  EXPECT_LT(*read_version("1.6.4"), *read_version("1.12"));
  EXPECT_LT(*read_version("1.12"), *read_version("2.0"));
}

TEST(Attributes, AreReadAndWritten) {
  dtrace_attribute_t read{};
  ASSERT_TRUE(read_attributes("Evolving/Private/ISA", read));
  EXPECT_EQ(attributes_text(read), "Evolving/Private/ISA");
  for (const char* wrong : {"", "Stable", "Stable/Stable", "Stable/Stable/Common/", "stable/Stable/Common",
                            "Stable/Common/Stable", "Common/Stable/Stable"})
    EXPECT_FALSE(read_attributes(wrong, read)) << wrong;
}

TEST(Attributes, TheWeakerPartOfEachCounts) {
  dtrace_attribute_t a{}, b{};
  ASSERT_TRUE(read_attributes("Stable/Private/Common", a));
  ASSERT_TRUE(read_attributes("Evolving/Standard/CPU", b));
  EXPECT_EQ(attributes_text(weaker(a, b)), "Evolving/Private/CPU");
}

TEST(Identifiers, HaveFactsOfTheirOwnOrTheUsualOnes) {
  EXPECT_EQ(facts_of_builtin("llquantize").since, make_version(1, 6, 4));
  EXPECT_EQ(facts_of_builtin("trace").since, kOldestVersion);
  EXPECT_EQ(attributes_text(facts_of_builtin("trace").attributes), "Stable/Stable/Common");
  EXPECT_EQ(attributes_text(facts_of_builtin("htonl").attributes), "Evolving/Evolving/Common");
}

}  // namespace
}  // namespace sonde
