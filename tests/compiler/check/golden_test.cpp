// SPDX-License-Identifier: GPL-3.0-or-later
// Every tests/scripts/err.<TAG>.<what>.d must be refused with exactly the text of its .err, and with the tag in its
// name, which docs/language/errors.md explains.
// Only tests/scripts/run.py runs scripts that need a command line of their own.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/compiler/check/front_fixture.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;

const fs::path kScripts = fs::path(SONDE_TESTS_FOLDER) / "scripts";

std::string slurp(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<fs::path> scripts(const std::string& prefix) {
  std::vector<fs::path> out;
  for (const fs::directory_entry& entry : fs::directory_iterator(kScripts))
    if (entry.path().filename().string().starts_with(prefix) && entry.path().extension() == ".d")
      out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

/// Whether the head of a script (tests/scripts/README.md) needs more than `-s` and maybe `-q`.
bool needs_the_command(const std::string& text) {
  for (std::string_view word : {"/* @command:", "/* @needs:"})
    if (text.find(word) != std::string::npos) return true;
  size_t options = text.find("/* @sonde: ");
  return options != std::string::npos && text.compare(options, 16, "/* @sonde: -q */") != 0;
}

/// The text of @stderr.
std::string said_in(const std::string& text) {
  const size_t at = text.find("/* @stderr: ");
  return at == std::string::npos ? "" : text.substr(at + 12, text.find(" */", at) - at - 12);
}

/// The words of @arguments; quotes keep blanks.
std::vector<std::string> arguments_in(const std::string& text) {
  std::vector<std::string> words;
  size_t at = text.find("/* @arguments: ");
  if (at == std::string::npos) return words;
  std::string_view list = std::string_view(text).substr(at + 15, text.find(" */", at) - at - 15);
  char quote = 0;
  bool inside = false;
  for (char c : list) {
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else if (c == ' ' && quote == 0) {
      inside = false;
      continue;
    } else {
      if (!inside) words.emplace_back();
      words.back() += c;
      inside = true;
    }
  }
  return words;
}

/// "err.D_SYNTAX.paren.d" is about D_SYNTAX.
std::string tag_in(const std::string& file) { return file.substr(4, file.find('.', 4) - 4); }

TEST(Golden, ErrorsReadAsRecorded) {
  std::vector<fs::path> wrong = scripts("err.");
  ASSERT_GE(wrong.size(), 60u);
  const std::string page = slurp(kScripts / "../../docs/language/errors.md");
  for (const fs::path& path : wrong) {
    SCOPED_TRACE(path.filename().string());
    std::string script = slurp(path);
    if (needs_the_command(script) || script.find("/* @arguments:") != std::string::npos) continue;
    Front front;
    std::string text = front.rendered({SourceText::Kind::Script, path.filename().string(), script});
    std::string tag = tag_in(path.filename().string());
    EXPECT_NE(text.find("[" + tag + "]"), std::string::npos) << text;
    EXPECT_NE(page.find("\n| " + tag + " | "), std::string::npos);
    EXPECT_EQ(text, slurp(fs::path(path).replace_extension(".err")));
  }
}

/// Scripts that other tests run must compile here, or fail as they say; their command-line values are given by hand.
TEST(Golden, RightScriptsCompile) {
  for (const fs::path& path : scripts("tst.")) {
    std::string script = slurp(path);
    if (needs_the_command(script)) continue;
    Front front;
    front.macros.arguments = arguments_in(script);
    front.macros.target = [] { return 1; };
    (void)front.options.set("defaultargs", "", false, false);
    const std::string wrong = front.rendered({SourceText::Kind::Script, path.filename().string(), script});
    const std::string meant = said_in(script);
    if (meant.empty() || wrong.find(meant) == std::string::npos) EXPECT_EQ(wrong, "") << path;
  }
}

}  // namespace
}  // namespace sonde
