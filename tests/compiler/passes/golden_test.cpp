// SPDX-License-Identifier: GPL-3.0-or-later
// Every tests/scripts/err.<TAG>.<what>.d must be refused with exactly the text of its .err, and with the tag in its name.
// SONDE_UPDATE_GOLDENS=1 rewrites the .err files: review the difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/compiler/passes/front_fixture.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;

const fs::path kScripts = fs::path(__FILE__).parent_path().parent_path().parent_path() / "scripts";

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

/// "err.D_SYNTAX.paren.d" is about D_SYNTAX.
std::string tag_in(const std::string& file) { return file.substr(4, file.find('.', 4) - 4); }

TEST(Golden, ErrorsReadAsRecorded) {
  bool update = std::getenv("SONDE_UPDATE_GOLDENS") != nullptr;
  std::vector<fs::path> wrong = scripts("err.");
  ASSERT_GE(wrong.size(), 60u);
  for (const fs::path& path : wrong) {
    SCOPED_TRACE(path.filename().string());
    Front front;
    std::string text = front.rendered({SourceText::Kind::Script, path.filename().string(), slurp(path)});
    std::string tag = tag_in(path.filename().string());
    EXPECT_NE(text.find("[" + tag + "]"), std::string::npos) << text;
    EXPECT_TRUE(is_error_tag(tag));
    fs::path golden = fs::path(path).replace_extension(".err");
    if (update) std::ofstream(golden) << text;
    EXPECT_EQ(text, slurp(golden));
  }
}

/// The scripts that are run elsewhere compile here; what they take from a command line is given by hand.
TEST(Golden, RightScriptsCompile) {
  for (const fs::path& path : scripts("tst.")) {
    Front front;
    front.macros.arguments = {"5", "word", "-3", "4"};
    front.macros.target = 1;
    (void)front.options.set("defaultargs", "", false, false);
    EXPECT_EQ(front.rendered({SourceText::Kind::Script, path.filename().string(), slurp(path)}), "") << path;
  }
}

}  // namespace
}  // namespace sonde
