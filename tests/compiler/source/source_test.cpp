// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "compiler/source/diagnostic.h"
#include "compiler/source/prepare.h"

namespace sonde {
namespace {

TEST(Prepare, BlanksCommentsAndControlLinesInPlace) {
  Diagnostics diagnostics;
  std::string text = "#pragma D option quiet\nBEGIN /* a\nb */ { trace(\"/* no */\"); }\n";
  PreparedText prepared = prepare(text, diagnostics);
  EXPECT_FALSE(diagnostics.any());
  EXPECT_EQ(prepared.text.size(), text.size());
  EXPECT_EQ(prepared.text, std::string(22, ' ') + "\nBEGIN     \n     { trace(\"/* no */\"); }\n");
  ASSERT_EQ(prepared.controls.size(), 1u);
  EXPECT_EQ(prepared.controls[0].text, "#pragma D option quiet");
}

TEST(Prepare, ReportsWhatTheEndCutsOff) {
  Diagnostics diagnostics;
  prepare("BEGIN { } /* x", diagnostics);
  ASSERT_EQ(diagnostics.list().size(), 1u);
  EXPECT_EQ(diagnostics.list()[0].message, "end-of-file encountered before matching */");
}

TEST(PlaceOf, FollowsLineControls) {
  std::string text = "a\n#line 40 \"x.d\"\nb\nc";
  EXPECT_EQ(place_of(text, 0).line, 1u);
  EXPECT_EQ(place_of(text, 17).line, 40u);
  EXPECT_EQ(place_of(text, 19).line, 41u);
  EXPECT_EQ(place_of(text, 19).file, "x.d");
}

TEST(Render, PutsTheCaretBelowThePlaceWhateverStandsBefore) {
  SourceText source{SourceText::Kind::Script, "t.d", "\ttrace(\"\xc3\xa9\", x);"};
  Diagnostic diagnostic{"D_IDENT_UNDEF", "no x", {13, 14}, "a hint", "in action list"};
  EXPECT_EQ(
      render(diagnostic, source, false),
      "failed to compile script t.d: line 1: no x\n    \ttrace(\"\xc3\xa9\", x);\n    \t           ^\n    a hint\n");
  source.kind = SourceText::Kind::Name;
  EXPECT_TRUE(render(diagnostic, source, true)
                  .starts_with("invalid probe specifier t.d: [D_IDENT_UNDEF] in action list: no x\n"));
}

TEST(Render, ShowsAWindowOfALongLine) {
  SourceText source{SourceText::Kind::Script, "t.d", std::string(100000, 'a') + "!" + std::string(100000, 'b')};
  std::string text = render({"D_SYNTAX", "here", {100000, 100001}, "", ""}, source, false);
  EXPECT_LT(text.size(), 1000u);
  size_t line = text.find("    a"), caret = text.find('^');
  ASSERT_NE(line, std::string::npos);
  ASSERT_NE(caret, std::string::npos);
  size_t below = text.rfind('\n', caret) + 1;
  EXPECT_EQ(text[line + caret - below], '!');
}

TEST(Render, CutsNamesThatNobodyReads) {
  SourceText source{SourceText::Kind::Script, "t.d", "x"};
  EXPECT_LT(render({"D_SYNTAX", std::string(1 << 20, 'm'), {0, 1}, "", ""}, source, false).size(), 3000u);
}

TEST(Render, NamesTheLibraryThatIsWrong) {
  SourceText source{SourceText::Kind::Script, "t.d", "a\nb", "lib/x.d"};
  EXPECT_TRUE(render({"D_SYNTAX", "no b", {2, 3}, "", ""}, source, true)
                  .starts_with("failed to compile script t.d: [D_SYNTAX] \"lib/x.d\", line 2: no b\n"));
}

}  // namespace
}  // namespace sonde
