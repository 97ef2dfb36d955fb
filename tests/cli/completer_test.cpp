// SPDX-License-Identifier: GPL-3.0-or-later
// What Tab offers, by where the cursor stands
#include "cli/completer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "cli/prompt_commands.h"
#include "runtime/base/glob.h"

namespace sonde {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// Probes of a made machine, and what was asked of it.
struct Machine {
  std::vector<std::array<std::string, 4>> probes = {
      {"dtrace", "", "", "BEGIN"},
      {"dtrace", "", "", "END"},
      {"syscall", "vmlinux", "open", "entry"},
      {"syscall", "vmlinux", "openat", "entry"},
      {"syscall", "vmlinux", "openat", "return"},
      {"profile", "", "", "tick-1s"},
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
    return {[this](const std::string& text, size_t field) {
              const auto pattern = fields_of(text);
              std::map<std::string, int> found;
              for (const auto& probe : probes) {
                bool fits = true;
                for (size_t i = 0; i < 4; i++) fits &= pattern[i].empty() || Glob(pattern[i]).matches(probe[i]);
                if (fits && !probe[field].empty()) found[probe[field]]++;
              }
              std::vector<Candidate> all;
              for (const auto& [name, count] : found) all.push_back({name, std::to_string(count)});
              return all;
            },
            [] {
              return std::vector<std::string>{"calls", "times"};
            },
            [] {
              return std::vector<Candidate>{{"1", "BEGIN { }"}, {"2", "END { }"}};
            }};
  }
};

std::vector<std::string> texts(std::string_view typed) {
  std::vector<std::string> all;
  for (const Candidate& one : complete(typed, Machine().completable()).all) all.push_back(one.text);
  return all;
}

char behind(std::string_view typed) { return complete(typed, Machine().completable()).behind; }

TEST(Completer, Commands) {
  EXPECT_THAT(texts(":"), SizeIs(kPromptCommands.size()));
  EXPECT_THAT(texts(":st"), ElementsAre("stop"));
  EXPECT_THAT(texts(":nosuch"), IsEmpty());
  EXPECT_THAT(texts(":nosuch x"), IsEmpty());
  for (const PromptCommandRow& row : kPromptCommands)
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
  EXPECT_TRUE(complete(":target ./x", Machine().completable()).files);
  EXPECT_TRUE(complete(":target ls x", Machine().completable()).files);
}

TEST(Completer, FieldsOfADescription) {
  EXPECT_THAT(texts(""), ElementsAre("BEGIN", "END", "dtrace", "profile", "syscall"));
  EXPECT_THAT(texts("sys"), ElementsAre("syscall"));
  EXPECT_EQ(behind("sys"), ':');
  EXPECT_THAT(texts("BE"), ElementsAre("BEGIN"));
  EXPECT_EQ(behind("BE"), ' ');
  EXPECT_THAT(texts("syscall:"), ElementsAre("vmlinux"));
  EXPECT_THAT(texts("syscall::"), ElementsAre("open", "openat"));
  EXPECT_THAT(texts("sys*::openat:"), ElementsAre("entry", "return")) << "patterns before it";
  EXPECT_EQ(behind("syscall::openat:"), ' ');
  EXPECT_THAT(texts("syscall::open*"), IsEmpty()) << "no candidate can take the place of a pattern";
  EXPECT_THAT(texts("a:b:c:d:e"), IsEmpty());
  EXPECT_THAT(texts("pid$target:a"), ElementsAre("a.out")) << "the program, by the name that pid has for it";
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
  EXPECT_THAT(texts("BEGIN { curpsinfo->pr"), IsEmpty());
  EXPECT_THAT(texts("pid1:/usr/lib/x:exec"), Not(Contains("execname"))) << "a path opens no predicate";
}

TEST(Completer, AHundredThousandProbesTakeNoTimeToSpeakOf) {
  Machine machine;
  for (int i = 0; i < 100000; i++)
    machine.probes.push_back({"many", "m" + std::to_string(i % 10), "f" + std::to_string(i), "entry"});
  std::vector<Candidate> all;
  for (const auto& probe : machine.probes) all.push_back({probe[2], "1 probe"});
  Completable run = machine.completable();
  run.probes = [&all](const std::string&, size_t) { return all; };
  const auto begin = std::chrono::steady_clock::now();
  const Candidates found = complete("many:m1:f9999", run);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(1000)) << "with sanitizers";
  EXPECT_THAT(found.all, SizeIs(11));
}

}  // namespace
}  // namespace sonde
