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

/// What a member may be of, in each place where an expression may stand.
TEST(Outline, AsksForMembers) {
  struct Place {
    const char *before, *asked;  ///< the text in front of the record; all in front of it in what is asked
    const char* behind;
  };
  const Place places[] = {
      {"BEGIN { ", "BEGIN {", ";}"},
      {"BEGIN { trace(1 + ", "BEGIN {", ";}"},
      {"BEGIN { x = 1; printf(\"}%d;\", f(2, ", "BEGIN { x = 1;", ";}"},
      {"BEGIN { @[pid, ", "BEGIN {", ";}"},
      {"BEGIN { if (x) { y = 2; z = ", "BEGIN { if (x) { y = 2;", ";}}"},
      {"BEGIN { if (", "BEGIN {", ";}"},
      {"BEGIN { if (x) { y; } else if (", "BEGIN { if (x) { y; }", ";}"},
      {"BEGIN /", "BEGIN {", ";}"},
      {"a:::b,\nc:::d\n/x == 2 && ", "a:::b,\nc:::d\n{", ";}"},
      {"BEGIN { x; } END { y = /* { */ ", "BEGIN { x; } END {", ";}"},
      {"struct s { int i; };\nBEGIN /x/ { ", "struct s { int i; };\nBEGIN /x/ {", ";}"},
  };
  for (const char* record : {"a", "args[0]", "a->b", "a.b.c", "this->x[1][2]", "f(1, g(2))", "f(1)->b[h(3)]",
                             "((struct s *)arg0)", "(*p)", "a[f(1)].b", "mod`v", "a.out`v"}) {
    for (const Place& place : places) {
      for (const char* ends : {"->", ".", "->pr_p", ".x", " -> y"}) {
        const std::string typed = place.before + std::string(record) + ends;
        const std::string op = std::string(ends).find('.') == 0 ? "." : ends[0] == ' ' ? " ->" : "->";
        EXPECT_EQ(with_member(typed, "MEMBER"), std::string(place.asked) + " " + record + op + "MEMBER" + place.behind)
            << typed;
      }
    }
  }
}

TEST(Outline, AsksForNoMember) {
  for (const char* text : {"", "->", "BEGIN", "BEGIN { ", "BEGIN { x", "BEGIN { x->y;", "BEGIN { x->y ", "BEGIN { ->",
                           "BEGIN { 1.", "BEGIN { \"x->", "BEGIN { /* x->", "pid1:a.out:x", "BEGIN { (->x"})
    EXPECT_EQ(with_member(text, "MEMBER"), "") << text;
}

}  // namespace
}  // namespace sonde
