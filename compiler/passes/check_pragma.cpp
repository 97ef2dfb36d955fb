// SPDX-License-Identifier: GPL-3.0-or-later
// Control lines: #pragma D option is carried out here, before the text is parsed.
#include <algorithm>
#include <array>
#include <cctype>

#include "compiler/passes/checker.h"
#include "compiler/source/prepare.h"
#include "compiler/source/suggest.h"

namespace sonde {
namespace {

constexpr std::array kStabilities = std::to_array<std::string_view>(
    {"Internal", "Private", "Obsolete", "External", "Unstable", "Evolving", "Stable", "Standard"});
constexpr std::array kClasses =
    std::to_array<std::string_view>({"Unknown", "CPU", "Platform", "Group", "ISA", "Common"});

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  size_t at = line.find('#') + 1;
  while (at < line.size()) {
    if (std::isspace(static_cast<unsigned char>(line[at])) ||
        (line[at] == '\\' && at + 1 < line.size() && line[at + 1] == '\n')) {
      ++at;
      continue;
    }
    size_t begin = at;
    if (line.compare(at, 2, "/*") == 0) {
      at = std::min(line.size(),
                    line.find("*/", at + 2) == std::string::npos ? line.size() : line.find("*/", at + 2) + 2);
      continue;
    }
    bool quoted = false;
    for (; at < line.size() && (quoted || !std::isspace(static_cast<unsigned char>(line[at]))); ++at)
      if (line[at] == '"') quoted = !quoted;
    words.push_back(line.substr(begin, at - begin));
  }
  return words;
}

std::string unquoted(std::string word) {
  if (word.size() > 1 && word.front() == '"' && word.back() == '"') return word.substr(1, word.size() - 2);
  return word;
}

class PragmaReader {
 public:
  PragmaReader(World& world, bool library, Diagnostics& diagnostics)
      : world_(world), library_(library), diagnostics_(diagnostics) {}

  void line(const ControlLine& line) {
    std::vector<std::string> words = words_of(line.text);
    where_ = line.where;
    if (line.text.starts_with("#!")) {
      if (line.where.begin != 0) report("D_PRAGCTL_INVAL", "invalid control directive: #!");
      return;
    }
    if (words.empty() || words[0] == "line" || words[0] == "ident" ||
        std::isdigit(static_cast<unsigned char>(words[0][0])))
      return;
    if (words[0] == "error") {
      size_t text = line.text.find("error") + 5;
      text = line.text.find_first_not_of(" \t", text);
      report("D_PRAGERR", "#error: " + (text == std::string::npos ? "" : line.text.substr(text)));
    } else if (words[0] == "pragma") {
      if (words.size() > 1 && words[1] == "D") pragma(words);
    } else {
      bool preprocessor = words[0] == "include" || words[0] == "define" || words[0] == "undef" || words[0] == "endif" ||
                          words[0] == "else" || words[0].starts_with("if");
      report("D_PRAGCTL_INVAL", "invalid control directive: #" + words[0],
             preprocessor ? "-C runs the preprocessor" : "");
    }
  }

 private:
  void report(std::string_view tag, std::string message, std::string hint = {}) {
    diagnostics_.report(tag, where_, std::move(message), std::move(hint));
  }

  void pragma(const std::vector<std::string>& words) {
    std::string kind = words.size() > 2 ? words[2] : "";
    if (kind == "option")
      option(words);
    else if (kind == "attributes")
      attributes(words);
    else if (kind == "binding")
      binding(words);
    else if (kind == "depends_on")
      depends(words);
    else if (kind == "error")
      report("D_PRAGERR", "#error");
    else
      report("D_PRAGMA_INVAL", "invalid D pragma: " + kind, near_pragma(kind));
  }

  static std::string near_pragma(const std::string& kind) {
    Suggestion suggestion(kind);
    for (std::string_view known : {"option", "attributes", "binding", "depends_on"}) suggestion.offer(known);
    return suggestion.hint();
  }

  void option(const std::vector<std::string>& words) {
    if (words.size() < 4) return report("D_PRAGMA_MALFORM", "malformed #pragma option: no option given");
    if (words.size() > 4) return report("D_PRAGMA_MALFORM", "superfluous arguments specified for #pragma option");
    size_t equals = words[3].find('=');
    std::string name = words[3].substr(0, equals),
                value = equals == std::string::npos ? "" : unquoted(words[3].substr(equals + 1));
    Result<void> done = world_.options.set(name, value, true, false);
    if (done) {
      world_.types.set_strsize(world_.options.number("strsize"));
      return;
    }
    Suggestion suggestion(name);
    for (const OptionRow& row : kOptions) suggestion.offer(row.name);
    bool unknown = std::ranges::find(kOptions, name, &OptionRow::name) == kOptions.end();
    report("D_PRAGMA_OPTSET",
           "failed to set option '" + name + "'" + (value.empty() ? "" : " to '" + value + "'") + ": " +
               done.error().message(),
           unknown ? suggestion.hint() : "");
  }

  void attributes(const std::vector<std::string>& words) {
    if (words.size() != 5) return report("D_PRAGMA_MALFORM", "malformed #pragma attributes <attributes> <ident>");
    std::vector<std::string> parts(1);
    for (char c : words[3])
      if (c == '/')
        parts.emplace_back();
      else
        parts.back() += c;
    bool valid = parts.size() == 3 && std::ranges::find(kStabilities, parts[0]) != kStabilities.end() &&
                 std::ranges::find(kStabilities, parts[1]) != kStabilities.end() &&
                 std::ranges::find(kClasses, parts[2]) != kClasses.end();
    if (!valid) report("D_PRAGMA_INVAL", "invalid attributes specified by #pragma attributes");
  }

  void binding(const std::vector<std::string>& words) {
    if (words.size() != 5) return report("D_PRAGMA_MALFORM", "malformed #pragma binding \"version\" <ident>");
    std::string version = unquoted(words[3]);
    bool valid = !version.empty() && std::ranges::all_of(version, [](char c) {
      return std::isdigit(static_cast<unsigned char>(c)) || c == '.';
    });
    if (!valid) report("D_PRAGMA_INVAL", "invalid version string specified by #pragma binding: " + version);
  }

  void depends(const std::vector<std::string>& words) {
    if (words.size() != 5) return report("D_PRAGMA_MALFORM", "malformed #pragma depends_on <class> <name>");
    const std::string& kind = words[3];
    if (kind != "library" && kind != "module" && kind != "provider")
      return report("D_PRAGMA_INVAL", "invalid class specified by #pragma depends_on: " + kind);
    if (kind == "library" && !library_)
      report("D_PRAGMA_DEPEND", "main program may not explicitly depend on a library");
  }

  World& world_;
  bool library_;
  Diagnostics& diagnostics_;
  SourceRange where_;
};

}  // namespace

void control_lines(World& world, const std::vector<ControlLine>& lines, bool library, Diagnostics& diagnostics) {
  PragmaReader reader(world, library, diagnostics);
  for (const ControlLine& line : lines) reader.line(line);
}

}  // namespace sonde
