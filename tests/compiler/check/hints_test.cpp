// SPDX-License-Identifier: GPL-3.0-or-later
// Each row of the table gives a hint if its word is used.
#include "compiler/source/other_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/compiler/check/front_fixture.h"

namespace sonde {
namespace {

using Kind = OtherWord::Kind;
using testing::HasSubstr;

/// The line below the caret; empty if there is none.
std::string hint(const std::string& script) {
  const std::string text = Front().rendered(script);
  const size_t caret = text.rfind("^");
  if (caret == text.npos) return "no message: " + text;
  const size_t line = text.find("    ", text.find('\n', caret));
  return line == text.npos ? "" : text.substr(line + 4, text.find('\n', line) - line - 4);
}

TEST(OtherWords, EachVariableAndFunctionHasItsHint) {
  for (const OtherWord& row : kOtherWords) {
    const std::string word(row.word);
    if (row.kind == Kind::Variable) {
      EXPECT_EQ(hint("BEGIN { trace(" + word + "); }"), row.hint) << word;
    }
    if (row.kind == Kind::Function) {
      EXPECT_EQ(hint("BEGIN { " + word + "(1); }"), row.hint) << word;
    }
  }
}

TEST(OtherWords, EachCallAndNameHasItsHint) {
  for (const OtherWord& row : kOtherWords) {
    const std::string word(row.word), right(row.hint);
    if (row.kind == Kind::Call) {
      EXPECT_EQ(hint("syscall::" + word + ":entry { }"), "did you mean syscall:vmlinux:" + right + ":entry?") << word;
    }
    if (row.kind == Kind::ProbeName) {
      EXPECT_EQ(hint("syscall::read:" + word + " { }"), "did you mean syscall:vmlinux:read:" + right + "?") << word;
    }
  }
}

TEST(OtherWords, EachProbeHasItsHint) {
  for (const OtherWord& row : kOtherWords) {
    if (row.kind != Kind::Probe) continue;
    std::string probe(row.word), wanted(row.hint);
    for (int i = 1; probe.find('*') != probe.npos; ++i) {
      const std::string part = std::to_string(40 + i), star = "$" + std::to_string(i);
      probe.replace(probe.find('*'), 1, part);
      if (wanted.find(star) != wanted.npos) wanted.replace(wanted.find(star), 2, part);
    }
    EXPECT_EQ(hint(probe + " { }"), wanted) << probe;
  }
  EXPECT_EQ(hint("uprobe:/bin/bash:readline { }"), "in D: pid$target:bash:readline:entry, with -c or -p");
  EXPECT_EQ(hint_on_other_probe("interval:s:"), "");
  EXPECT_EQ(hint_on_other_probe("interval:s"), "");
}

TEST(OtherWords, EachWordOfSyntaxHasItsHint) {
  for (const OtherWord& row : kOtherWords) {
    if (row.kind == Kind::Syntax) {
      EXPECT_EQ(hint("BEGIN { trace(1 " + std::string(row.word) + " 2); }"), row.hint) << row.word;
    }
  }
}

TEST(OtherWords, EachProviderHasItsHint) {
  for (const OtherWord& row : kOtherWords) {
    if (row.kind != Kind::Provider) continue;
    std::string provider(row.word);  // with a star it would be of a program that happens to run here
    if (provider.ends_with('*')) provider.replace(provider.size() - 1, 1, std::to_string(::getpid()));
    EXPECT_EQ(hint(provider + ":::start { }"), row.hint) << provider;
  }
}

TEST(Hints, OnTheShapeOfAClause) {
  for (const auto& [script, wanted] :
       {std::pair("BEGIN, { }", "a probe description is missing behind the ,"),
        std::pair("BEGIN // { }", "a predicate has an expression; without one, leave out both /"),
        std::pair("BEGIN /1/ /2/ { }", "a clause has one predicate: /a && b/"),
        std::pair("BEGIN { x = ; }", "an expression is missing before it"),
        std::pair("BEGIN { x = 1 + ; }", "an expression is missing before it"),
        std::pair("BEGIN { trace(1, ); }", "an expression is missing before it")})
    EXPECT_EQ(hint(script), wanted) << script;
}

TEST(Hints, OnValuesOfTheWrongKind) {
  for (const auto& [script, wanted] :
       {std::pair("BEGIN { trace(*arg1); }", "*(int *)copyin(address, 4)"),
        std::pair("BEGIN { x = \"a\" + \"b\"; }", "strjoin(a, b)"),
        std::pair("BEGIN { strlen(1); }", "lltostr() writes a number"),
        std::pair("BEGIN { trace(pid()); }", "write it without ()"),
        std::pair("BEGIN { trace(strlen()); }", "write strlen(string)"),
        std::pair("BEGIN { @a = sum(); }", "write @name = sum(int64_t)"),
        std::pair("BEGIN { trace(); }", "write trace(VALUE)"), std::pair("BEGIN { clear(); }", "write clear(@NAME)"),
        std::pair("BEGIN { trace(@a); }", "@a = count()"),
        std::pair("BEGIN { trace(nosuch); }", "no clause up to here assigns it"),
        std::pair("BEGIN { trace(curpsinfo.pr_pid); }", "use -> on a pointer")})
    EXPECT_THAT(hint(script), HasSubstr(wanted)) << script;
}

TEST(NearProbes, NamesOfAProviderThatHasFew) {
  EXPECT_THAT(hint("dtrace:::nosuchname { }"), HasSubstr("its probes are called BEGIN, END, ERROR"));
  EXPECT_EQ(hint("syscall::__x64_sys_read:entry { }"), "did you mean syscall:vmlinux:read:entry?");
  EXPECT_EQ(hint(":libfoo:: { }"),
            "a module of a process needs that in front: pid$target:libfoo::entry, with -c or -p");
}

TEST(NearProbes, LooksAtTheWordsInOtherFields) {
  for (const char* shifted : {"syscall::read", "syscall:read:entry", "syscall:read", "read:entry:", "read"})
    EXPECT_EQ(hint(std::string(shifted) + " { }"), "did you mean syscall:vmlinux:read:entry?") << shifted;
  EXPECT_EQ(hint("dtrace:::begin { }"), "did you mean dtrace:::BEGIN?");
  EXPECT_EQ(hint("syscall::*read*: { } syscall:*read { }"), "did you mean syscall:vmlinux:*read:entry?");
}

TEST(NearProbes, IsSilentWhereTheDistanceIsLarge) {
  EXPECT_EQ(hint("quit { }"), "");
  EXPECT_EQ(hint("syscall::nosuchcall:entry { }"), "-l 'syscall:::' lists its probes");
  EXPECT_EQ(hint("::f: { }"), "");  // BEGIN has no function field at all
  EXPECT_THAT(hint("nosuch:::start { }"), HasSubstr("no provider nosuch has probes here"));
}

TEST(Hints, OnWhatIsWrittenOtherwiseInD) {
  EXPECT_EQ(hint("BEGIN /pid = 1/ { }"), "== compares");
  EXPECT_THAT(hint("BEGIN { pid = 1; }"), HasSubstr("only variables of the script can be assigned"));
  EXPECT_EQ(hint("BEGIN { trace(\u201ca\u201d); }"), "quotes are written \" and '");
  EXPECT_EQ(hint("BEGIN { printf(\"%d\" pid); }"), "a , is missing before it");
  EXPECT_EQ(hint("BEGIN { trace(1 pid); }"), "");
  EXPECT_THAT(Front().rendered("BEGIN { trace(\u201ca\u201d); }"), HasSubstr("near \"\u201c\""));
}

}  // namespace
}  // namespace sonde
