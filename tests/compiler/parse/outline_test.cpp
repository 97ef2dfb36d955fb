// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/parse/outline.h"

#include <gtest/gtest.h>

namespace sonde {
namespace {

TEST(Outline, WholeTexts) {
  for (const char* text :
       {"", "BEGIN { }", "BEGIN { exit(0); }\n", "int x;", "struct a { int b; };", "#pragma D option quiet", "/* { */",
        "a:::b /x/ { @[\"{\"] = count(); } /* ( */", "BEGIN { trace('}'); }", "BEGIN { } END { }"})
    EXPECT_EQ(is_complete(text), Completeness::Whole) << text;
}

TEST(Outline, WhatNoLineCanMakeRightIsWhole) {
  for (const char* text : {"BEGIN { @x = sum(arg2; }", "BEGIN { trace(\"open", "BEGIN { x['a; }", "}"})
    EXPECT_EQ(is_complete(text), Completeness::Whole) << text;
}

TEST(Outline, InsideOfSomething) {
  for (const char* text : {"BEGIN {", "BEGIN { trace(1);", "BEGIN { trace(1", "BEGIN { @[pid,", "a:::b,", "/* open",
                           "BEGIN { } /* open {", "struct a { int b;", "#pragma D option \\"})
    EXPECT_EQ(is_complete(text), Completeness::Inside) << text;
}

TEST(Outline, DescriptionsWaitForTheirBody) {
  for (const char* text :
       {"BEGIN", "a:::b, c:::d", "a:::b /x == 2/", "a:::b /x / y > 1/", "a:::b /\"{\" != s/", "inline int X = 3"})
    EXPECT_EQ(is_complete(text), Completeness::NeedsBody) << text;
}

TEST(Outline, SpecifiersEndBeforePredicateAndBody) {
  EXPECT_EQ(specifier_of("a:b /x/ { }"), "a:b ");
  EXPECT_EQ(specifier_of("a:b{ }"), "a:b");
  EXPECT_EQ(specifier_of("a:b"), "a:b");
  EXPECT_EQ(specifier_of("/* all of /dev */ BEGIN { }"), "/* all of /dev */ BEGIN ");
  EXPECT_EQ(specifier_of("pid1::ns::operator/:entry { }"), "pid1::ns::operator/:entry ");
  EXPECT_EQ(specifier_of(""), "");
}

TEST(Outline, ProcessesThatANumberNames) {
  for (const char* text : {"pid42:::", "x, pid$1:libc::entry", "pid0:::entry", "BEGIN { } pid7:::return /x/ { }"})
    EXPECT_TRUE(names_process(text)) << text;
  for (const char* text : {"pid42", "pid$target:::", "BEGIN /pid == 42/ { }", "pid:::", "", "pi",
                           "/* pid42:::x */ BEGIN", "BEGIN { trace(\"pid42:::x\"); }", "pid4*:::entry"})
    EXPECT_FALSE(names_process(text)) << text;
}

}  // namespace
}  // namespace sonde
