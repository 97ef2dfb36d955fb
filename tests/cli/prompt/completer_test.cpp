// SPDX-License-Identifier: GPL-3.0-or-later
// What Tab offers, by where the cursor stands
#include "cli/prompt/completer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "cli/prompt/commands.h"
#include "runtime/base/glob.h"

namespace sonde {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// Probes of a made machine.
struct Machine {
  std::vector<std::array<std::string, 4>> probes = {
      {"dtrace", "", "", "BEGIN"},
      {"dtrace", "", "", "END"},
      {"syscall", "vmlinux", "open", "entry"},
      {"syscall", "vmlinux", "openat", "entry"},
      {"syscall", "vmlinux", "openat", "return"},
      {"profile", "", "", "tick-1s"},
      {"pid42", "a.out", "main", "entry"},
      {"pid42", "a.out", "main", "return"},
      {"pid42", "a.out", "main", "1f"},
  };

  static std::array<std::string, 4> fields_of(const std::string& text) {
    std::array<std::string, 4> fields;
    size_t at = 0;
    for (const char c : text) {
      if (c == ':')
        at++;
      else
        fields.at(at) += c;
    }
    return fields;
  }

  Completable completable() {
    return {[this](const std::string& text, ProbeIndex::Field field) {
              const auto pattern = fields_of(text);
              std::map<std::string_view, NameCount> found;
              for (const auto& probe : probes) {
                bool fits = true;
                for (size_t i = 0; i < 4; i++) fits &= pattern[i].empty() || Glob(pattern[i]).matches(probe[i]);
                if (fits) found.try_emplace(probe[field], &probe[field], 0).first->second.probes++;
              }
              std::vector<NameCount> all;
              for (const auto& [name, one] : found) all.push_back(one);
              return all;
            },
            [](const std::string& provider) {
              return std::vector<Candidate>{{"a.out", "of " + provider}, {"libc.so.6", "/lib/libc.so.6"}};
            },
            [](const std::string& text) {
              return std::vector<Candidate>{{"of " + text, "int"}, {"pr_pid", "pid_t"}, {"pr_ppid", "pid_t"}};
            },
            [] {
              return std::vector<Candidate>{{"mine", "int"}};
            },
            [] {
              return std::vector<std::string>{"calls", "times"};
            },
            [] {
              return std::vector<Candidate>{{"1", "BEGIN { }"}, {"2", "END { }"}};
            },
            [] {
              return std::vector<Candidate>{{"redis", "redis-server"}};
            }};
  }
};

Candidates completed(std::string_view typed) {
  Machine machine;
  return complete(typed, machine.completable());
}

std::vector<std::string> texts(std::string_view typed) {
  std::vector<std::string> all;
  for (const Candidate& one : completed(typed).first) all.push_back(one.text);
  return all;
}

char behind(std::string_view typed) { return completed(typed).behind; }

TEST(Completer, Commands) {
  EXPECT_THAT(texts(":"), SizeIs(prompt_commands().size()));
  EXPECT_THAT(texts(":st"), ElementsAre("stop"));
  EXPECT_THAT(texts(":nosuch"), IsEmpty());
  EXPECT_THAT(texts(":nosuch x"), IsEmpty());
  for (const PromptCommandRow& row : prompt_commands())
    EXPECT_THAT(texts(":" + std::string(row.name)), ElementsAre(std::string(row.name)));
}

TEST(Completer, WhatACommandTakes) {
  EXPECT_THAT(texts(":help opt"), ElementsAre("options"));
  EXPECT_THAT(texts(":print @c"), ElementsAre("calls"));
  EXPECT_THAT(texts(":print c"), IsEmpty());
  EXPECT_THAT(texts(":disable "), ElementsAre("1", "2"));
  EXPECT_THAT(texts(":list syscall::ope"), ElementsAre("open", "openat"));
  EXPECT_THAT(texts(":stop "), IsEmpty());
  EXPECT_THAT(texts(":target 1"), Contains("1"));
  EXPECT_THAT(texts(":target tru"), Contains("true"));
  EXPECT_TRUE(completed(":target ./x").files);
  EXPECT_TRUE(completed(":target ls x").files);
}

TEST(Completer, FieldsOfADescription) {
  EXPECT_THAT(texts(""), ElementsAre("BEGIN", "END", "dtrace", "pid$target", "pid42", "profile", "syscall"));
  EXPECT_THAT(texts("sys"), ElementsAre("syscall"));
  EXPECT_EQ(behind("sys"), ':');
  EXPECT_THAT(texts("BE"), ElementsAre("BEGIN"));
  EXPECT_EQ(behind("BE"), ' ');
  EXPECT_THAT(texts("syscall:"), ElementsAre("vmlinux"));
  EXPECT_THAT(texts("syscall::"), ElementsAre("open", "openat"));
  EXPECT_THAT(texts("sys*::openat:"), ElementsAre("entry", "return")) << "patterns before it";
  EXPECT_EQ(behind("syscall::openat:"), ' ');
  EXPECT_THAT(texts("::ope"), ElementsAre("open", "openat")) << "an empty provider is no command";
  EXPECT_EQ(completed("syscall::open:entry, sy").first.front().note, "3 probes");
  EXPECT_THAT(texts("pid$tar"), ElementsAre("pid$target"));
  EXPECT_THAT(texts("a:b:c:d:e"), IsEmpty());
  EXPECT_THAT(texts("pid$target:a"), ElementsAre("a.out")) << "the program, by the name that pid has for it";
  EXPECT_THAT(texts("pid42:"), ElementsAre("a.out", "libc.so.6")) << "no probe of it is made for this";
  EXPECT_THAT(texts("pid42:a.out:"), ElementsAre("main"));
  EXPECT_THAT(texts("pid42:a.out:main:"), ElementsAre("1f", "entry", "return"));
  EXPECT_THAT(texts("pid42:a.out::"), ElementsAre("entry", "return")) << "never all instructions of all functions";
  EXPECT_THAT(texts("pid1"), Contains("pid1"));
  EXPECT_THAT(texts("pid"), ElementsAre("pid$target", "pid42"));
  EXPECT_THAT(texts("syscall::open:entry, syscall::opena"), ElementsAre("openat")) << "the second description";
  EXPECT_THAT(texts("BEGIN { x = 1; }\nEN"), ElementsAre("END")) << "behind a clause";
}

TEST(Completer, NamesInPredicatesAndBodies) {
  for (const char* begin : {"BEGIN { ", "BEGIN /", "BEGIN\n/", "BEGIN { trace(", "pid1:/usr/lib/x:f:entry { x = a/",
                            "BEGIN /pid == 1/ { ", "BEGIN { /* } */ ", "BEGIN { trace(\"}\"); "}) {
    EXPECT_THAT(texts(std::string(begin) + "execn"), ElementsAre("execname")) << begin;
    EXPECT_THAT(texts(std::string(begin) + "copyins"), ElementsAre("copyinstr(")) << begin;
    EXPECT_EQ(behind(std::string(begin) + "execn"), 0) << begin;
  }
  EXPECT_THAT(texts("BEGIN { @ti"), ElementsAre("times"));
  EXPECT_THAT(texts("BEGIN { @x = lqu"), ElementsAre("lquantize("));
  EXPECT_THAT(texts("BEGIN { x = lqu"), IsEmpty()) << "no aggregation is on the left";
  EXPECT_THAT(texts("BEGIN { __a"), IsEmpty()) << "internal names";
  EXPECT_THAT(texts("BEGIN { printf(\"exec"), IsEmpty()) << "in a string";
  EXPECT_THAT(texts("BEGIN { /* exec"), IsEmpty()) << "in a comment";
  EXPECT_THAT(texts("BEGIN { x = mi"), ElementsAre("mine")) << "a variable of an earlier text";
  EXPECT_THAT(texts("BEGIN { curpsinfo->pr"), ElementsAre("pr_pid", "pr_ppid"));
  EXPECT_THAT(texts("BEGIN /curpsinfo->pr_pp"), ElementsAre("pr_ppid"));
  EXPECT_THAT(texts("BEGIN { x.o"), ElementsAre("of BEGIN { x.o")) << "the whole text says of what";
  EXPECT_THAT(texts("BEGIN { x.y + mi"), ElementsAre("mine")) << "no member";
  EXPECT_EQ(behind("BEGIN { curpsinfo->pr_pp"), 0);
  EXPECT_THAT(texts("pid1:/usr/lib/x:exec"), Not(Contains("execname"))) << "a path opens no predicate";
}

TEST(Completer, WhatTakesThePlaceOfTheWord) {
  EXPECT_EQ(completed("syscall::o").word, "open") << "what all begin with";
  EXPECT_EQ(completed("syscall::open*").word, "open*") << "a pattern stays where several match";
  EXPECT_THAT(texts("syscall::*pen*"), ElementsAre("open", "openat"));
  EXPECT_EQ(completed("syscall::*at").word, "openat") << "the only one takes its place";
  EXPECT_EQ(completed("syscall::nosuch*").total, 0u);
}

TEST(Completer, WhereWordsEnd) {
  const auto ends = [](std::string_view text, char c) {
    return std::string_view(completed(text).breaks).find(c) != std::string_view::npos;
  };
  EXPECT_TRUE(ends("syscall::op", ':') && ends(":print @x", ':') && ends("BEGIN { a:", ':'));
  EXPECT_TRUE(ends("BEGIN { a+b", '+') && ends("BEGIN /a*", '*'));
  EXPECT_FALSE(ends("syscall::op*", '*') || ends("pid$target", '$')) << "a pattern, and a macro, belong to the word";
  EXPECT_FALSE(ends(":load /tmp/a+b", '/') || ends(":load /tmp/a+b", '+')) << "so do all characters of a path";
}

TEST(Completer, OfAHundredThousandNamesOnlyTheFirstBecomeCandidates) {
  Machine machine;
  for (int i = 0; i < 100'000; i++)
    machine.probes.push_back({"many", "m", "f" + std::to_string(i), i % 2 == 0 ? "entry" : "return"});
  Completable run = machine.completable();
  std::vector<NameCount> names;
  for (const auto& probe : machine.probes)
    if (probe[0] == "many") names.push_back({&probe[2], 1});
  run.probes = [&names](const std::string&, ProbeIndex::Field) { return names; };
  const Candidates found = complete("many:m:f", run);
  EXPECT_EQ(found.total, 100'000u);
  EXPECT_EQ(found.word, "f");
  ASSERT_THAT(found.first, SizeIs(Candidates::kMost));
  EXPECT_EQ(found.first.front().text, "f0");
  EXPECT_EQ(found.first.back().text, "f10031");
}

}  // namespace
}  // namespace sonde
