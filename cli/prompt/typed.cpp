// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/prompt/typed.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "cli/trimmed.h"
#include "compiler/parse/outline.h"
#include "compiler/parse/parser.h"

namespace sonde {
namespace {

/// The words that begin a declaration, besides names of types that end in _t.
constexpr std::array<std::string_view, 22> kDeclarations = {
    "char",  "const",  "double", "enum",   "extern", "float", "inline",     "int",     "long",  "provider", "self",
    "short", "signed", "static", "string", "struct", "this",  "translator", "typedef", "union", "unsigned", "void"};

bool begins_declaration(const std::string& text) {
  const std::string word = text.substr(0, text.find_first_of(" \t\n*"));
  return word.ends_with("_t") || std::ranges::find(kDeclarations, word) != kDeclarations.end();
}

/// Whether one of the descriptions in front of a predicate is of a probe, or of a process ($target may come later).
bool describes_probes(const std::string& text, Framework& framework) {
  if (names_process(text) || text.find('$') != text.npos) return true;
  std::istringstream all{std::string(specifier_of(text))};
  for (std::string one; std::getline(all, one, ',');) {
    const auto description = read_description(trimmed(one));
    if (!trimmed(one).empty() && description && !framework.match(*description).empty()) return true;
  }
  return false;
}

}  // namespace

bool waits_for_more(const std::string& text, Framework& framework) {
  switch (is_complete(text)) {
    case Completeness::Whole: return false;
    case Completeness::Inside: return true;
    case Completeness::NeedsBody: return begins_declaration(text) || describes_probes(text, framework);
  }
  return false;
}

bool needs_body(const std::string& text) { return is_complete(text) == Completeness::NeedsBody; }

bool is_blank(const std::string& line) {
  return trimmed(line).empty() || line.starts_with("#!") || line.starts_with("# ");
}

}  // namespace sonde
