// SPDX-License-Identifier: GPL-3.0-or-later
// The texts that options select
#include "cli/sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/folder.h"

namespace sonde {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Kind = SourceText::Kind;

const Options kNone;

std::string text_of(Kind kind, const std::string& argument, const Options& options = kNone) {
  auto texts = read_sources({{kind, argument}}, options);
  return texts ? texts->at(0).text : texts.error().message();
}

TEST(Sources, ShortFormsAreCompletedToFourFields) {
  EXPECT_EQ(text_of(Kind::Name, "a:b { }"), "a:b { }");
  EXPECT_EQ(text_of(Kind::Provider, "proc"), "proc:::");
  EXPECT_EQ(text_of(Kind::Module, "libc"), ":libc::");
  EXPECT_EQ(text_of(Kind::Module, "pid1:libc"), "pid1:libc::");
  EXPECT_EQ(text_of(Kind::Function, "read"), "::read:");
  EXPECT_EQ(text_of(Kind::Function, "p:m:f /pid/ { }"), "p:m:f: /pid/ { }");
  EXPECT_EQ(text_of(Kind::Provider, ":proc"), "proc:::");
  EXPECT_EQ(text_of(Kind::Provider, "a:b"),
            "invalid probe specifier a:b: invalid probe description \"a:b\": Overspecified probe description");
  EXPECT_EQ(text_of(Kind::Function, "12ab"),
            "invalid probe specifier 12ab: probe identifier 12 not permitted when specifying functions");
}

TEST(Sources, ScriptsKeepTheirPlaces) {
  const Folder folder;
  const std::string script = folder.write("a.d", "#!/usr/sbin/dtrace -s\nBEGIN { }\n");
  EXPECT_EQ(text_of(Kind::Script, script), std::string(21, ' ') + "\nBEGIN { }\n");
  EXPECT_EQ(text_of(Kind::Script, "nowhere.d"), "failed to open nowhere.d: No such file or directory");
  EXPECT_THAT(text_of(Kind::Script, "256"), HasSubstr("longer strings: -x strsize=256"));
  EXPECT_THAT(text_of(Kind::Script, "."), StartsWith("failed to read .: "));
}

TEST(Sources, TheirNamesInMessages) {
  EXPECT_EQ(describe({Kind::Script, "a.d", "", {}}), "script 'a.d'");
  EXPECT_EQ(describe({Kind::Name, "a:b /x/ { }", "", {}}), "description 'a:b '");
}

TEST(Sources, ProgramsThatNameAProcess) {
  const Folder folder;
  const auto names = [](Kind kind, const std::string& argument) {
    const auto texts = read_sources({{kind, argument}}, kNone);
    EXPECT_TRUE(texts) << argument;
    return texts && name_processes(*texts, {});
  };
  EXPECT_TRUE(names(Kind::Provider, "pid42"));
  EXPECT_TRUE(names(Kind::Provider, "pid42 /execname == \"a\"/ { }"));
  EXPECT_FALSE(names(Kind::Function, "pid42"));
  EXPECT_TRUE(names(Kind::Script, folder.write("a.d", "pid42:::entry")));
  EXPECT_FALSE(names(Kind::Script, folder.write("b.d", "BEGIN")));
  EXPECT_TRUE(name_processes({{Kind::Name, "a", "BEGIN { }", {}}, {Kind::Name, "b", "pid42:::entry { }", {}}}, {}));
}

TEST(Sources, WordsAndOptionsWithinDescriptions) {
  const std::vector<SourceText> all = {{Kind::Script, "a.d", "BEGIN { } $1 { } pid*:$module:f:entry { } $2 { }", {}}};
  MacroValues macros;
  EXPECT_THAT(providers_named(all, macros), ElementsAre("", "pid*", "")) << "of words that nobody has given";
  macros.arguments = {"sched:::on-cpu", "pid42:::entry"};
  macros.named = {{"module", "libc.so.6"}};
  EXPECT_THAT(providers_named(all, macros), ElementsAre("sched", "pid*", "pid42"));
  EXPECT_TRUE(name_processes(all, macros));
  macros.arguments = {"sched:::on-cpu", "io:::start"};
  EXPECT_FALSE(name_processes(all, macros));
}

TEST(Sources, Preprocessed) {
  const Folder folder;
  folder.write("mine.h", "static int unwanted(int a)\n{ return a ? '}' : 0; }\nstruct kept { int x; };\n");
  const std::string script = folder.write("a.d", "#include \"mine.h\"\nBEGIN { trace(WHAT); }\n");
  Options options;
  for (const auto& [name, value] : {std::pair("cpp", ""), std::pair("define", "WHAT=7"), std::pair("incdir", ".")})
    ASSERT_TRUE(options.set(name, value, false, false)) << name;
  const std::string text = text_of(Kind::Script, script, options);
  EXPECT_THAT(text, HasSubstr("BEGIN { trace(7); }"));
  EXPECT_THAT(text, HasSubstr("struct kept"));
  EXPECT_EQ(text.find("unwanted"), text.npos);
  EXPECT_EQ(text.find("return"), text.npos);
  const std::string wrong = folder.write("b.d", "#include \"nowhere.h\"\n");
  testing::internal::CaptureStderr();
  EXPECT_EQ(text_of(Kind::Script, wrong, options),
            "failed to compile script " + wrong + ": Preprocessor failed to process input program");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("nowhere.h"));
}

}  // namespace
}  // namespace sonde
