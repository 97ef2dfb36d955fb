// SPDX-License-Identifier: GPL-3.0-or-later
// The meaning of a command line: options, words that belong to none, and refusals
#include "cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/folder.h"
#include "tests/cli/parsed.h"

namespace sonde {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Kind = SourceText::Kind;
using Words = std::vector<std::string>;

Arguments right(const Words& words) {
  Parsed parsed = parse(words);
  EXPECT_TRUE(parsed.right) << parsed.bad.message;
  return parsed.arguments;
}

BadArguments wrong(const Words& words) {
  Parsed parsed = parse(words);
  EXPECT_FALSE(parsed.right);
  return parsed.bad;
}

std::string settings_of(const Arguments& arguments) {
  std::string text;
  for (const Arguments::Setting& one : arguments.settings)
    text += (text.empty() ? "" : " ") + one.name + (one.value.empty() ? "" : "=" + one.value);
  return text;
}

TEST(Arguments, WordsOfAProgramBehindAnOptionAreExplained) {
  EXPECT_THAT(wrong({"-c", "echo", "a"}).message, HasSubstr("extraneous argument 'a'\n    -c takes the whole command"));
  EXPECT_THAT(wrong({"-c", "ls", "-1"}).message, HasSubstr("invalid option -- '1'\n    -c takes the whole command"));
  EXPECT_THAT(wrong({"-p", "1", "2"}).message, HasSubstr("extraneous argument '2'\n    each process has its own -p"));
  for (const char* options : {"-a", "-1"})
    EXPECT_THAT(wrong({"-f", "ls", options}).message, HasSubstr("\n    -f takes the name of a function")) << options;
  EXPECT_THAT(wrong({"-f", "read_it", "-1"}).message, Not(HasSubstr("-f takes")));
  right({"-c", "echo", "-n", "BEGIN", "a"});
  right({"-c", "echo", "a", "-n", "BEGIN"});
}

TEST(Arguments, TextsKeepTheirOrder) {
  const Arguments all = right({"-n", "BEGIN", "-s", "a.d", "-P", "proc", "-m", "m", "-f", "f", "-i", "7"});
  std::vector<std::pair<Kind, std::string>> texts;
  for (const auto& [kind, text] : all.programs) texts.emplace_back(kind, text);
  EXPECT_THAT(texts, ElementsAre(std::pair(Kind::Name, "BEGIN"), std::pair(Kind::Script, "a.d"),
                                 std::pair(Kind::Provider, "proc"), std::pair(Kind::Module, "m"),
                                 std::pair(Kind::Function, "f"), std::pair(Kind::Name, "7")));
  EXPECT_FALSE(all.no_script);
}

TEST(Arguments, LettersThatAreShortForOptions) {
  EXPECT_EQ(settings_of(right({"-qwZF", "-b", "4m", "-x", "strsize=9", "-x", "demangle", "-n", "BEGIN"})),
            "quiet destructive zdefs flowindent bufsize=4m strsize=9 demangle");
  EXPECT_EQ(settings_of(right({"-C", "-H", "-D", "A=1", "-U", "B", "-I", "i", "-X", "s", "-L", "l", "-n", "BEGIN"})),
            "cpp cpphdrs define=A=1 undef=B incdir=i stdc=s libdir=l");
  EXPECT_EQ(settings_of(right({"-32", "-n", "BEGIN"})), "ilp32 ilp32");
  EXPECT_EQ(settings_of(right({"-64", "-n", "BEGIN"})), "ilp32=no ilp32=no");
  const Arguments rest = right({"-vS", "--summary", "-o", "out", "--provider=p.so", "-n", "BEGIN"});
  EXPECT_TRUE(rest.verbose && rest.disassemble && rest.summary);
  EXPECT_EQ(rest.output, "out");
  EXPECT_THAT(rest.providers, ElementsAre("p.so"));
  const Arguments check = right({"--check-provider=p.so", "-c", "touch file"});
  EXPECT_EQ(check.mode, Mode::CheckProvider);
  EXPECT_THAT(check.providers, ElementsAre("p.so"));
  EXPECT_THAT(check.commands, ElementsAre(ElementsAre("touch", "file")));
}

TEST(Arguments, DeltaOrCumulative) {
  EXPECT_EQ(settings_of(right({"--delta", "--delta", "-n", "BEGIN"})), "temporality=delta temporality=delta");
  EXPECT_EQ(settings_of(right({"--cumulative", "-n", "BEGIN"})), "temporality=cumulative");
  EXPECT_EQ(settings_of(right({"-x", "temporality=cumulative", "--delta", "-n", "BEGIN"})),
            "temporality=cumulative temporality=delta")
      << "the last counts: -x may be a wrapper's default";
  const BadArguments bad = wrong({"--delta", "--cumulative", "-n", "BEGIN"});
  EXPECT_EQ(bad.message, "only one of --delta and --cumulative may be given");
  EXPECT_TRUE(bad.usage);
}

TEST(Arguments, WordsAfterATextAreItsArguments) {
  const Arguments some = right({"-n", "BEGIN", "one", "two", "-q"});
  EXPECT_THAT(some.words, ElementsAre("one", "two"));
  EXPECT_EQ(settings_of(some), "quiet");
  EXPECT_THAT(some.commands, IsEmpty());
}

TEST(Arguments, AProgramHasAllThatFollows) {
  const Arguments ls = right({"-q", "ls", "-l", "-n", "/"});
  EXPECT_THAT(ls.commands, ElementsAre(Words{"ls", "-l", "-n", "/"}));
  EXPECT_TRUE(ls.no_script);
  EXPECT_EQ(settings_of(ls), "quiet");
  const Arguments any = right({"--", "help", "-l"});
  EXPECT_THAT(any.commands, ElementsAre(Words{"help", "-l"}));
  EXPECT_TRUE(right({"-p", "7"}).no_script);
}

TEST(Arguments, AWordThatNoProgramHasIsAnArgumentOfTheTextThatFollows) {
  const Arguments one = right({"no-such-program", "-n", "BEGIN"});
  EXPECT_THAT(one.words, ElementsAre("no-such-program"));
  EXPECT_THAT(one.commands, IsEmpty());
}

TEST(Arguments, OwnWordsComeFirstOnly) {
  EXPECT_EQ(right({"help"}).mode, Mode::Help);
  EXPECT_EQ(right({"version"}).mode, Mode::Version);
  EXPECT_EQ(right({"--help"}).mode, Mode::Help);
  EXPECT_EQ(right({"--repl"}).mode, Mode::Prompt);
  EXPECT_THAT(right({"-n", "BEGIN", "help"}).words, ElementsAre("help"));
}

TEST(Arguments, ScriptsAreFoundByName) {
  const Folder folder;
  folder.write("count.d", "BEGIN { }");
  folder.write("tool", "#!/usr/sbin/dtrace -s\nBEGIN { }");
  folder.write("plain", "#!/bin/sh\n");
  for (const char* script : {"count.d", "tool"}) {
    const Arguments run = right({script, "a", "b"});
    ASSERT_EQ(run.programs.size(), 1u) << script;
    EXPECT_EQ(run.programs[0].kind, Kind::Script);
    EXPECT_THAT(run.words, ElementsAre("a", "b"));
  }
  EXPECT_THAT(right({"plain"}).commands, ElementsAre(Words{"plain"}));
  EXPECT_THAT(right({"./count.d"}).commands, ElementsAre(Words{"./count.d"}));
  EXPECT_THAT(right({"--", "count.d"}).commands, ElementsAre(Words{"count.d"}));
}

TEST(Arguments, ListsTakePatterns) {
  const Arguments some = right({"-l", "read*", "write*"});
  EXPECT_EQ(some.mode, Mode::List);
  EXPECT_TRUE(some.lists_words);
  EXPECT_EQ(some.programs.size(), 2u);
  EXPECT_THAT(some.words, IsEmpty());
  EXPECT_FALSE(right({"-l"}).lists_words);
  EXPECT_FALSE(right({"-ln", "BEGIN"}).lists_words);
}

TEST(Arguments, CommandsAreSplitAndShellsAskedFor) {
  const Arguments plain = right({"-n", "BEGIN", "-c", "sh -c 'a | b'"});
  EXPECT_THAT(plain.commands, ElementsAre(Words{"sh", "-c", "a | b"}));
  EXPECT_THAT(plain.remarks, IsEmpty());
  const Arguments piped = right({"-n", "BEGIN", "-c", "a | b"});
  EXPECT_THAT(piped.remarks,
              ElementsAre("-c starts no shell, the words all go to a\n    for a shell: -c \"sh -c 'a | b'\""));
}

TEST(Arguments, Pids) {
  EXPECT_THAT(right({"-n", "BEGIN", "-p", "12", "-p", " 13"}).pids, ElementsAre(12, 13));
  EXPECT_EQ(wrong({"-p", "0"}).message, "invalid pid: 0");
  EXPECT_EQ(wrong({"-p", "99999999999"}).message, "invalid pid: 99999999999");
  EXPECT_EQ(wrong({"-p", "nginx"}).message, "invalid pid: nginx\n    -p takes a number: pgrep nginx finds it");
}

TEST(Arguments, WhatIsRefused) {
  struct Case {
    Words words;
    const char* message;
    bool usage;
  };
  for (const auto& [words, message, usage] :
       std::vector<Case>{{{}, "", true},
                         {{"-k"}, "invalid option -- 'k'", true},
                         {{"--json"}, "invalid option -- '--json'", true},
                         {{"-c", "ls", "--json"}, "invalid option -- '--json'\n    JSON lines: --format=jsonl", true},
                         {{"-c", "ls", "-k"}, "-c takes the whole command in one word", true},
                         {{"-n"}, "option requires an argument -- 'n'", true},
                         {{"-e", "-l"},
                          "only one of these may be given: -l, -e, --repl, --check-provider, --completion, --help, -V",
                          true},
                         {{"-G"}, "-G: USDT is not there yet", false},
                         {{"-A"}, "anonymous tracing is not there", false},
                         {{"syscall:::entry"}, "did you mean -n 'syscall:::entry'?", false},
                         {{"-e", "trace=open", "ls"}, "-e compiles only", false},
                         {{"-c", "'a"}, "-c: missing closing ' in command: 'a", false},
                         {{"-c", " "}, "-c: empty command", false}}) {
    const BadArguments bad = wrong(words);
    EXPECT_THAT(bad.message, HasSubstr(message)) << testing::PrintToString(words);
    EXPECT_EQ(bad.usage, usage) << testing::PrintToString(words);
  }
}

}  // namespace
}  // namespace sonde
