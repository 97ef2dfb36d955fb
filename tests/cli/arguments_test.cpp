// SPDX-License-Identifier: GPL-3.0-or-later
// The meaning of a command line: options, words that belong to none, and refusals
#include "cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/options_table.h"
#include "runtime/syscall/classes.h"
#include "tests/cli/folder.h"
#include "tests/cli/parsed.h"

namespace sonde {
namespace {

using ::testing::AllOf;
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

/// strace has these letters, too; here they are for scripts, and there is none.
TEST(Arguments, LettersOfThePreprocessorWithoutAScript) {
  const std::pair<std::string, const char*> letters[] = {{"-C", "--summary sums the calls of a program"},
                                                         {"-Da", "sonde ... & runs it in the background"},
                                                         {"-Ia", "signals reach program and sonde"},
                                                         {"-Ua", "--summary has calls, errors and time"}};
  for (const auto& [letter, instead] : letters)
    EXPECT_THAT(right({letter.c_str(), "/bin/true"}).remarks,
                ElementsAre(AllOf(HasSubstr(letter.substr(0, 2) + " is for the preprocessor of scripts"),
                                  HasSubstr(std::string("\n    ") + instead))));
  EXPECT_THAT(right({"-H", "/bin/true"}).remarks, IsEmpty());
  EXPECT_THAT(right({"--preprocess", "/bin/true"}).remarks, IsEmpty()) << "strace has no such name";
  EXPECT_THAT(right({"-C", "-n", "BEGIN"}).remarks, IsEmpty()) << "a script";
}

TEST(Arguments, TextsKeepTheirOrder) {
  const Arguments all = right({"-n", "BEGIN", "-s", "a.d", "-P", "proc", "-m", "m", "-f", "f", "-i", "7"});
  std::vector<std::pair<Kind, std::string>> texts;
  for (const auto& [kind, text] : all.programs) texts.emplace_back(kind, text);
  EXPECT_THAT(texts, ElementsAre(std::pair(Kind::Name, "BEGIN"), std::pair(Kind::Script, "a.d"),
                                 std::pair(Kind::Provider, "proc"), std::pair(Kind::Module, "m"),
                                 std::pair(Kind::Function, "f"), std::pair(Kind::Name, "7")));
  EXPECT_FALSE(all.without_script());
}

TEST(Arguments, LettersThatAreShortForOptions) {
  EXPECT_EQ(settings_of(right({"-qwZF", "-b", "4m", "-x", "strsize=9", "-x", "demangle", "-n", "BEGIN"})),
            "quiet destructive zdefs flowindent bufsize=4m strsize=9 demangle");
  EXPECT_EQ(settings_of(right({"-C", "-H", "-D", "A=1", "-U", "B", "-I", "i", "-X", "s", "-L", "l", "-n", "BEGIN"})),
            "cpp cpphdrs define=A=1 undef=B incdir=i stdc=s libdir=l");
  EXPECT_EQ(settings_of(right({"-32", "-n", "BEGIN"})), "ilp32 ilp32");
  EXPECT_EQ(settings_of(right({"-64", "-n", "BEGIN"})), "ilp32=no ilp32=no");
  const Arguments rest = right({"-vS", "--summary", "-o", "out", "--provider=p.so", "-n", "BEGIN"});
  EXPECT_TRUE(rest.verbose && rest.disassemble);
  EXPECT_EQ(rest.built_in, &kSummaryTool);
  EXPECT_FALSE(rest.without_script());
  EXPECT_EQ(rest.output, "out");
  EXPECT_THAT(rest.providers, ElementsAre("p.so"));
  const Arguments check = right({"--check-provider=p.so", "-c", "touch file"});
  EXPECT_EQ(check.mode, Mode::CheckProvider);
  EXPECT_THAT(check.providers, ElementsAre("p.so"));
  EXPECT_THAT(check.commands, ElementsAre(ElementsAre("touch", "file")));
}

TEST(Arguments, WhyIsForProcessesOnly) {
  const Arguments why = right({"--why", "-p", "7", "-p", "8", "-o", "out"});
  EXPECT_EQ(why.mode, Mode::Why);
  EXPECT_THAT(why.pids, ElementsAre(7u, 8u));
  EXPECT_THAT(wrong({"--why", "-p", "7", "--format=jsonl"}).message, HasSubstr("--why: it prints text"));
  EXPECT_THAT(wrong({"--why"}).message, HasSubstr("--why: -p PID names the process"));
  EXPECT_THAT(wrong({"--why", "-p", "7", "-c", "true"}).message, HasSubstr("--why: it looks at processes that wait"));
  for (const char* other : {"-T", "--summary", "--off-cpu", "--trace=read"})
    EXPECT_THAT(wrong({"--why", "-p", "7", other}).message, HasSubstr("--why: it traces nothing")) << other;
}

TEST(Arguments, MakefilesGiveTheOptionsOfABuildInAnyOrder) {
  const Arguments header = right({"-o", "p.h", "-C", "-h", "-DA", "-s", "p.d", "-xnolibs", "-64", "-S"});
  EXPECT_EQ(header.mode, Mode::Header);
  EXPECT_EQ(header.output, "p.h");
  EXPECT_EQ(header.programs.size(), 1u);
  for (const Words& words :
       {Words{"-C", "-G", "-s", "p.d", "a.o", "b.o", "-o", "p.o"}, Words{"-o", "p.o", "-G", "a.o", "-s", "p.d", "b.o"},
        Words{"a.o", "-G", "-s", "p.d", "-o", "p.o", "b.o"}, Words{"-s", "p.d", "-o", "p.o", "a.o", "b.o", "-G"}}) {
    const Arguments object = right(words);
    EXPECT_EQ(object.mode, Mode::Object);
    EXPECT_EQ(object.output, "p.o");
    EXPECT_THAT(object.words, ElementsAre("a.o", "b.o")) << testing::PrintToString(words);
    EXPECT_THAT(object.commands, IsEmpty());
  }
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
  EXPECT_TRUE(ls.without_script());
  EXPECT_EQ(settings_of(ls), "quiet");
  const Arguments any = right({"--", "help", "-l"});
  EXPECT_THAT(any.commands, ElementsAre(Words{"help", "-l"}));
  EXPECT_TRUE(right({"-p", "7"}).without_script());
}

TEST(Arguments, ABuiltInToolHasAWordAsOthersHave) {
  const Arguments calls = right({"-q", "calls", "--trace=read", "filetop", "-p", "7"});
  EXPECT_EQ(calls.built_in, &kCallsTool);
  EXPECT_TRUE(calls.without_script() && calls.tool.empty());
  EXPECT_THAT(calls.commands, ElementsAre(ElementsAre("filetop", "-p", "7")));
  EXPECT_THAT(calls.calls.trace.names, ElementsAre("read"));
  EXPECT_EQ(right({"summary", "ls"}).built_in, right({"--summary", "ls"}).built_in);
  EXPECT_EQ(right({"--summary=file", "summary", "ls"}).summary.by, Summary::By::File);
  const Arguments process = right({"summary", "-p", "7", "--summary-sort-by=calls"});
  EXPECT_THAT(process.pids, ElementsAre(7u));
  EXPECT_EQ(process.summary.order, Summary::Order::Calls);
  EXPECT_TRUE(right({"calls"}).without_script()) << "the whole machine";
  EXPECT_FALSE(right({"--summary"}).without_script()) << "an option alone names nobody";
  EXPECT_THAT(right({"--", "calls"}).commands, ElementsAre(ElementsAre("calls")));
  EXPECT_THAT(right({"ls", "calls"}).commands, ElementsAre(Words{"ls", "calls"}));
  EXPECT_THAT(right({"-n", "BEGIN", "calls"}).words, ElementsAre("calls"));
  EXPECT_THAT(wrong({"--summary", "calls", "ls"}).message, HasSubstr("only one of --summary and calls may be given"));
  EXPECT_THAT(wrong({"--off-cpu", "--summary", "ls"}).message, HasSubstr("only one of --off-cpu and --summary"));
  EXPECT_THAT(wrong({"calls", "-p", "7", "ls"}).message, HasSubstr("extraneous argument 'ls'"));
  EXPECT_EQ(right({"calls", "--help"}).mode, Mode::Help);
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

/// As an interpreter's: what stands behind the first word that names a program is not ours. With -s it stays as DTrace has it.
TEST(Arguments, WordsBehindAScriptThatIsAWordAreItsOwn) {
  const Folder folder;
  folder.write("one.d", "BEGIN { trace($1); }");
  const std::string script = "one.d";
  const Arguments own = right({script, "ls", "-l", "-p", "x", "--nosuch"});
  EXPECT_THAT(own.words, ElementsAre("ls", "-l", "-p", "x", "--nosuch"));
  EXPECT_EQ(own.mode, Mode::Trace);
  EXPECT_THAT(hint_on_words(own), HasSubstr("-c 'ls -l -p x --nosuch'"));
  EXPECT_EQ(right({script, "-l", "ls"}).mode, Mode::List);
  EXPECT_THAT(right({script, "7", "-p", "1"}).pids, ElementsAre(1u));
  EXPECT_EQ(right({"-s", script, "ls", "-l"}).mode, Mode::List);
}

TEST(Arguments, LongNamesAreTypedInFull) {
  for (const CommandLineOption& row : kCommandLine) {
    if (row.name.size() < 3) continue;
    const std::string cut = "--" + std::string(row.name.substr(0, row.name.size() - 1));
    const bool is_another =
        std::ranges::any_of(kCommandLine, [&](const auto& one) { return "--" + std::string(one.name) == cut; });
    if (is_another) continue;
    EXPECT_THAT(wrong({cut, "x"}).message, HasSubstr("invalid option -- '" + cut + "'")) << cut;
    EXPECT_THAT(wrong({cut + "=x"}).message, HasSubstr("invalid option -- '")) << cut;
  }
  EXPECT_THAT(wrong({"--check-prov", "-s", "t.d"}).message, HasSubstr("in full: --check-provider"));
  EXPECT_THAT(wrong({"--summary-", "ls"}).message, HasSubstr("--summary-only, --summary-sort-by"));
  EXPECT_THAT(wrong({"--check", "-s", "t.d"}).message, HasSubstr("-e compiles a script and traces nothing"));
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
  EXPECT_EQ(right({"-p", "11 12,13\n", "-p14"}).pids, (std::vector<uint32_t>{11, 12, 13, 14}));
  EXPECT_EQ(wrong({"-p", "11,0"}).message, "invalid pid: 0\n    -p takes the number of a process");
  EXPECT_EQ(wrong({"-p", ","}).message, "invalid pid: ,\n    -p takes a number");
  EXPECT_EQ(wrong({"-p", "0"}).message, "invalid pid: 0\n    -p takes the number of a process");
  EXPECT_EQ(wrong({"-p", "99999999999"}).message, "invalid pid: 99999999999\n    -p takes the number of a process");
  EXPECT_EQ(wrong({"-p", "nginx"}).message, "invalid pid: nginx\n    -p takes a number: pgrep nginx finds it");
}

TEST(Arguments, WhatIsRefused) {
  struct Case {
    Words words;
    const char* message;
    bool usage;
  };
  for (const auto& [words, message, usage] : std::vector<Case>{
           {{}, "", true},
           {{"-j"}, "invalid option -- 'j'", true},
           {{"--json"}, "invalid option -- '--json'", true},
           {{"-c", "ls", "--json"}, "invalid option -- '--json'\n    JSON lines: --format=jsonl", true},
           {{"-c", "ls", "-j"}, "-c takes the whole command in one word", true},
           {{"-n"},
            "option requires an argument -- 'n'\n    -n, --probe=TEXT: runs clauses: -n 'syscall::openat:entry { "
            "trace(copyinstr(arg1)); }'",
            true},
           {{"-e", "-l"},
            "only one of these may be given: -l, -e, --repl, --why, --check-provider, --completion, --help, -V, -h, -G",
            true},
           {{"-G"}, "-G requires one or more scripts\n    -G -s FILE.d -o FILE.o OBJECTS", true},
           {{"-h", "-G", "-s", "a.d"}, "only one of these may be given: ", true},
           {{"-h", "-n", "BEGIN"}, "-h: the declarations come from a file: -s FILE.d", false},
           {{"-G", "-s", "a.d", "-c", "ls"}, "-G: it traces nothing, so -c and -p have no place", false},
           {{"-A"}, "anonymous tracing is not there", false},
           {{"syscall:::entry"}, "did you mean -n 'syscall:::entry'?", false},
           {{"-e", "raw=open", "ls"}, "-e raw=: not there", false},
           {{"-c", "'a"}, "-c: missing closing ' in command: 'a", false},
           {{"-c", " "}, "-c: empty command", false}}) {
    const BadArguments bad = wrong(words);
    EXPECT_THAT(bad.message, HasSubstr(message)) << testing::PrintToString(words);
    EXPECT_EQ(bad.usage, usage) << testing::PrintToString(words);
  }
}

// ---- the list of calls -------------------------------------------------------------------------------------------

TEST(CallOptions, AnExpressionOfStraceIsALongOption) {
  struct Case {
    Words expression;
    const char* option;
  };
  for (const auto& [expression, option] : std::vector<Case>{{{"-e", "trace=openat,close"}, "--trace=openat,close"},
                                                            {{"-etrace=%file"}, "--trace=%file"},
                                                            {{"-e", "t=/^open"}, "--trace=/^open"},
                                                            {{"-e", "status=failed"}, "--status=failed"},
                                                            {{"-e", "signal=none"}, "--signal=none"},
                                                            {{"-es=USR1"}, "--signal=USR1"},
                                                            {{"-P", "/etc/passwd"}, "--trace-path=/etc/passwd"},
                                                            {{"-P./a"}, "--trace-path=./a"},
                                                            {{"-P", "a/b"}, "--trace-path=a/b"},
                                                            {{"-Z"}, "--failed-only"},
                                                            {{"-ttt"}, "--absolute-timestamps=unix,us"},
                                                            {{"-tt"}, "--absolute-timestamps=us"}}) {
    Words words = expression;
    words.insert(words.end(), {"ls", "-l", "-n"});
    const Arguments short_form = right(words), long_form = right({option, "ls", "-l", "-n"});
    EXPECT_EQ(calls_script(short_form.calls), calls_script(long_form.calls)) << option;
    EXPECT_NE(calls_script(short_form.calls), calls_script(CallList())) << option << " changes nothing";
    EXPECT_THAT(short_form.commands, ElementsAre(Words{"ls", "-l", "-n"})) << option;
  }
}

/// A script that asks for $target waits for the program before it is compiled.
TEST(CallOptions, TheListOfCallsIsCompiledWhileItsProgramStarts) {
  CallList list;
  EXPECT_THAT(calls_script(list), Not(HasSubstr("$target")));
  list.attaches = true;
  EXPECT_THAT(calls_script(list), HasSubstr("tid != $target"));
}

TEST(CallOptions, LettersOfAScriptKeepTheirMeaningBesideOne) {
  for (const Words& script : std::vector<Words>{
           {"-n", "BEGIN"}, {"-s", "a.d"}, {"-P", "proc"}, {"-m", "m"}, {"-f", "f"}, {"-i", "7"}, {"--probe=BEGIN"}}) {
    Words before{"-e"}, after = script;
    before.insert(before.end(), script.begin(), script.end());
    after.emplace_back("-e");
    for (Words words : {before, after}) {
      words.emplace_back("trace=openat");
      const Arguments compiled = right(words);
      EXPECT_EQ(compiled.mode, Mode::CompileOnly) << testing::PrintToString(words);
      EXPECT_THAT(compiled.words, ElementsAre("trace=openat")) << testing::PrintToString(words);
    }
  }
  EXPECT_EQ(right({"-e", "openat"}).mode, Mode::CompileOnly);
  EXPECT_EQ(right({"-P", "syscall/arg0/"}).programs.size(), 1u);
  EXPECT_EQ(right({"-P", "syscall/arg0/ { trace(1/1); }"}).programs.size(), 1u);
  EXPECT_EQ(settings_of(right({"-Z", "-n", "BEGIN"})), "zdefs");
  EXPECT_TRUE(right({"-Z", "-n", "BEGIN"}).calls.successful);
}

TEST(CallOptions, BesideAScriptTheyAreRefused) {
  for (const CommandLineOption& option : kCommandLine) {
    if (!std::holds_alternative<OfCalls>(option.effect)) continue;
    const std::string name = "--" + std::string(option.name);
    const Words values =
        takes_value(option) && !value_is_optional(option) ? Words{"failed", "/a", "openat", "INT"} : Words{""};
    for (const std::string& value : values) {
      const std::string form = value.empty() ? name : name + "=" + value;
      if (!parse({form, "-o", "f", "ls"}).right) continue;  // it is no value of this option
      for (const Words& words : {Words{form, "-n", "BEGIN"}, Words{"-n", "BEGIN", form}, Words{"-l", form}})
        EXPECT_THAT(wrong(words).message,
                    HasSubstr(name + " is for the list of calls, which a script replaces\n    in a "
                                     "clause: "));
      if (option.letter != 0) {
        EXPECT_THAT(wrong({std::string("-") + option.letter, "-n", "BEGIN"}).message,
                    HasSubstr(std::string("-") + option.letter + ": " + name + " is for the list of calls"));
      }
    }
  }
  EXPECT_EQ(wrong({"-E", "A=1", "-n", "BEGIN", "-c", "ls"}).message, "-E: with a script it is --env");
  EXPECT_EQ(settings_of(right({"--env=A=1", "-n", "BEGIN", "-c", "ls"})), "setenv=A=1");
  EXPECT_EQ(settings_of(right({"-E", "A=1", "-EB", "ls"})), "setenv=A=1 setenv=B");
  EXPECT_EQ(wrong({"-unobody", "-n", "BEGIN", "-c", "ls"}).message, "-u: with a script it is --user");
  EXPECT_EQ(settings_of(right({"--user=nobody", "-n", "BEGIN", "-c", "ls"})), "user=nobody");
  EXPECT_EQ(settings_of(right({"-u", "nobody", "ls"})), "user=nobody");
}

TEST(CallOptions, ValuesAreChecked) {
  for (const auto& [word, message] : std::vector<std::pair<const char*, const char*>>{
           {"--trace=opnat", "--trace: no system call 'opnat'\n    did you mean 'openat'?"},
           {"--trace=%fiel", "--trace: no system call '%fiel'\n    did you mean '%file'?"},
           {"--trace=/nosuch", "--trace: no system call matches /nosuch"},
           {"--trace=/(", "--trace: /(: "},
           {"-etrace=", "-e trace: no system call ''"},
           {"--status=fail", "--status: no status 'fail'"},
           {"--signal=USR3", "--signal: no signal 'USR3'"},
           {"--absolute-timestamps=soon", "--absolute-timestamps: no format 'soon'"},
           {"-tttt", "-t: at most three: -ttt"},
           {"--syscall-times=min", "--syscall-times: no precision 'min'"},
           {"--decode-fds=all", "--decode-fds: no 'all'"},
           {"--decode-pids=pidns", "--decode-pids: no 'pidns'"},
           {"--output-separately", "--output-separately: names of files are missing\n    -o FILE gives FILE.PID"},
           {"-ff", "--output-separately: names of files are missing"}})
    EXPECT_THAT(wrong({word, "ls"}).message, testing::StartsWith(message)) << word;
}

TEST(CallSets, ChooseAsStraceDoes) {
  const auto chosen = [](const char* text) {
    auto set = parse_call_set(text);
    EXPECT_TRUE(set) << text;
    return set ? std::move(*set) : CallSet();
  };
  EXPECT_THAT(chosen("close,openat").names, ElementsAre("close", "openat"));
  EXPECT_THAT(chosen("3,257").names, ElementsAre("close", "openat"));
  EXPECT_THAT(chosen("/^open").names,
              testing::UnorderedElementsAre("open", "openat", "openat2", "open_tree", "open_by_handle_at"));
  EXPECT_THAT(chosen("?nosuch,close").names, ElementsAre("close"));
  EXPECT_EQ(chosen("%file").names, chosen("file").names);
  EXPECT_THAT(chosen("%%stat").names, testing::UnorderedElementsAre("stat", "fstat", "lstat", "newfstatat", "statx"));
  EXPECT_TRUE(chosen("all").all);
  EXPECT_TRUE(chosen("!none").all);
  EXPECT_FALSE(chosen("none").all);
  const CallSet others = chosen("!close,%file");
  EXPECT_THAT(others.names, Not(testing::Contains("close")));
  EXPECT_THAT(others.names, Not(testing::Contains("openat")));
  EXPECT_THAT(others.names, testing::IsSupersetOf({"read", "syscall_0x"}));
}

TEST(CallSets, EveryMemberOfAClassIsACall) {
  for (const CallClass& row : kCallClasses) {
    const CallSet set = *parse_call_set("%" + std::string(row.name));
    EXPECT_EQ(set.names.size(), static_cast<size_t>(std::ranges::count(row.calls, ' ')) + 1) << row.name;
  }
}

/// Tools of a folder of the test's.
class Tools : public ::testing::Test {
 protected:
  Tools() {
    std::filesystem::create_directory("tools");
    folder_.write("tools/many.d",
                  "/*\n * many: counts\n * word PATTERN: which\n * word FILE: where\n * option min=TIME 1ms: how long\n"
                  " * option name=NAME: whose\n * option failed: only those\n */\nBEGIN { }\n");
    folder_.write("tools/plain.d", "/* plain: does it */ BEGIN { }\n");
    folder_.write("tools/true.d", "/* true: has a program's name */ BEGIN { }\n");
    folder_.write("tools/bad.d", "/*\n * bad: takes ours\n * option output: it\n */\n");
    ::setenv("SONDE_TOOL_PATH", std::filesystem::absolute("tools").c_str(), 1);
  }
  ~Tools() override { ::unsetenv("SONDE_TOOL_PATH"); }

  const Folder folder_;
};

TEST_F(Tools, AreScriptsWithWordsOfTheirOwnAndAProgram) {
  const Arguments many =
      right({"-q", "many", "-b", "1m", "malloc*", "--min=5us", "/etc", "--name", "a b", "ls", "-l", "--failed"});
  ASSERT_EQ(many.programs.size(), 1u);
  EXPECT_THAT(many.programs[0].text, HasSubstr("tools/many.d"));
  EXPECT_THAT(many.words, ElementsAre("malloc*", "/etc"));
  EXPECT_THAT(many.commands, ElementsAre(ElementsAre("ls", "-l", "--failed")));
  EXPECT_EQ(many.named.at("min"), "5000");
  EXPECT_EQ(many.named.at("name"), "a b");
  EXPECT_EQ(many.named.at("failed"), "0");
  EXPECT_FALSE(many.without_script());
  EXPECT_EQ(settings_of(many), "quiet bufsize=1m");
}

TEST_F(Tools, MayHaveTargetsByOptions) {
  EXPECT_THAT(right({"-p", "1", "plain"}).pids, ElementsAre(1u));
  EXPECT_THAT(right({"plain", "-p", "1"}).pids, ElementsAre(1u));
  EXPECT_THAT(right({"plain", "-c", "ls -l"}).commands, ElementsAre(ElementsAre("ls", "-l")));
  EXPECT_THAT(right({"plain", "--", "ls", "-l"}).commands, ElementsAre(ElementsAre("ls", "-l")));
  EXPECT_THAT(wrong({"plain", "-p", "1", "ls"}).message,
              HasSubstr("extraneous argument 'ls'\n    it is called as: sonde plain [PROGRAM ARGS]"));
}

TEST_F(Tools, SayWhatIsMissingOrUnknown) {
  EXPECT_THAT(wrong({"many", "a"}).message,
              HasSubstr("many: FILE is missing: where\n    it is called as: sonde many [OPTIONS] PATTERN FILE"));
  EXPECT_THAT(wrong({"many", "--mim=3"}).message, HasSubstr("did you mean '--min'?"));
  EXPECT_THAT(wrong({"many", "--xyz"}).message, HasSubstr("sonde many --help"));
  EXPECT_THAT(wrong({"many", "--min=soon"}).message, HasSubstr("it takes a time"));
  EXPECT_THAT(wrong({"many", "--failed=1"}).message, HasSubstr("--failed takes no value\n    --failed: only those"));
  EXPECT_THAT(wrong({"many", "--name"}).message, HasSubstr("--name=NAME: whose"));
  EXPECT_THAT(wrong({"bad"}).message, HasSubstr("--output is sonde's own"));
}

TEST_F(Tools, GiveWayToOtherMeaningsOfAWord) {
  folder_.write("plain.d", "/* plain: this one */ BEGIN { }\n");
  EXPECT_EQ(right({"plain.d", "ls"}).programs[0].text, "plain.d");
  EXPECT_THAT(right({"--", "plain"}).commands, ElementsAre(ElementsAre("plain")));
  EXPECT_THAT(right({"./plain"}).commands, ElementsAre(ElementsAre("./plain")));
  EXPECT_THAT(right({"-n", "BEGIN { }", "plain"}).words, ElementsAre("plain"));
  EXPECT_THAT(right({"true"}).remarks, ElementsAre(HasSubstr("true is sonde's own tool here\n    for the program /")));
  EXPECT_TRUE(right({"plain", "true"}).remarks.empty());
}

TEST_F(Tools, OptionsAreThereForEveryScriptWithAHeader) {
  EXPECT_EQ(right({"-s", "tools/many.d", "--min", "3s", "word"}).named.at("min"), "3000000000");
  EXPECT_THAT(right({"-s", "tools/many.d", "word", "other"}).words, ElementsAre("word", "other"));
  EXPECT_THAT(wrong({"-s", "tools/plain.d", "--min", "3s"}).message, HasSubstr("invalid option -- '--min'"));
  folder_.write("other.d", "/*\n * other: counts\n * option min=COUNT: how many\n */\n");
  EXPECT_THAT(wrong({"-s", "tools/many.d", "-s", "other.d"}).message,
              HasSubstr("option min means something else in many"));
}

TEST_F(Tools, AnswerToHelp) {
  EXPECT_THAT(right({"many", "--help"}).tool, HasSubstr("tools/many.d"));
  EXPECT_EQ(right({"many", "--help"}).mode, Mode::Help);
  EXPECT_TRUE(right({"--help"}).tool.empty());
}

}  // namespace
}  // namespace sonde
