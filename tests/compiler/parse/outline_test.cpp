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

/// A path in the module field, beside predicates that begin at the same sign.
TEST(Outline, APathIsNoPredicate) {
  const std::string path = "pid$target:/usr/lib/x86_64-linux-gnu/libc.so.6:malloc:entry";
  for (const std::string behind : {"", " ", "{ }", "/pid == 1/ { }", " /x/ { }", ", pid*:/bin/sh:main:return"})
    EXPECT_TRUE(specifier_of(path + behind).starts_with(path)) << behind;
  EXPECT_EQ(specifier_of(path + "/pid == 1/ { }"), path);
  EXPECT_EQ(specifier_of("p*d42:/a/b?c*[d]+,-~:f:"), "p*d42:") << "a comma ends a description";
  EXPECT_EQ(specifier_of("p*d42:/a/b?c*[d]+-~=@%:ns::f(int):entry{}"), "p*d42:/a/b?c*[d]+-~=@%:ns::f(int):entry");
  EXPECT_EQ(specifier_of(R"(p1:/a\ b\:c\,d:f: { })"), R"(p1:/a\ b\:c\,d:f: )");
  for (const char* before : {"syscall:::", "syscall::read:", "BEGIN", "a:b", "b:", "pid1:a:b:"})
    for (const char* predicate : {"/x/", "/x?1:2/", "/arg0 / 2 == (x ? 1 : 2)/", "/y/2?1:2/"})
      EXPECT_EQ(specifier_of(std::string(before) + predicate + " { }"), before) << predicate;
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
