// SPDX-License-Identifier: GPL-3.0-or-later
// Control lines are carried out before the text is parsed, because options change how it is parsed.
#include "compiler/check/pragma.h"

#include <algorithm>
#include <cctype>

#include "compiler/library/library.h"
#include "runtime/base/suggest.h"
#include "runtime/lang/option_hint.h"

namespace sonde {
namespace {

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
      error(after(words, "error"));
    } else if (words[0] == "pragma") {
      if (words.size() > 1 && words[1] == "D") pragma(words);
    } else {
      bool preprocessor = words[0] == "include" || words[0] == "define" || words[0] == "undef" || words[0] == "endif" ||
                          words[0] == "else" || words[0].starts_with("if");
      report("D_PRAGCTL_INVAL", "invalid control directive: #" + words[0],
             preprocessor ? "-C runs the preprocessor on a file of -s" : "");
    }
  }

  std::vector<NamePragma> names() { return std::move(names_); }

 private:
  void report(std::string_view tag, std::string message, std::string hint = {}) {
    diagnostics_.report(tag, where_, std::move(message), std::move(hint));
  }

  void error(const std::string& text) { report("D_PRAGERR", "#error: " + text); }

  /// The word after `word`.
  static std::string after(const std::vector<std::string>& words, std::string_view word) {
    std::string text;
    auto at = std::ranges::find(words, word);
    for (++at; at != words.end(); ++at) text += (text.empty() ? "" : " ") + *at;
    return text;
  }

  void pragma(const std::vector<std::string>& words) {
    if (words.size() < 3) return report("D_PRAGMA_MALFORM", "malformed #pragma D: no name given", "such as option");
    const std::string& kind = words[2];
    if (kind == "option")
      option(words);
    else if (kind == "attributes")
      attributes(words);
    else if (kind == "binding")
      binding(words);
    else if (kind == "depends_on")
      depends(words);
    else if (kind == "error")
      error(after(words, "error"));
    else if (kind != "ident" && kind != "line")
      report("D_PRAGMA_INVAL", "invalid D pragma: " + kind, near_pragma(kind));
  }

  static std::string near_pragma(const std::string& kind) {
    Suggestion suggestion(kind);
    for (std::string_view known : {"option", "attributes", "binding", "depends_on"}) suggestion.offer(known);
    const std::string hint = suggestion.hint();
    return hint.empty() ? "D has the pragmas option, attributes, binding and depends_on" : hint;
  }

  void option(const std::vector<std::string>& words) {
    if (words.size() < 4)
      return report("D_PRAGMA_MALFORM", "malformed #pragma option: no option given", "as in #pragma D option quiet");
    if (words.size() > 4)
      return report("D_PRAGMA_MALFORM", "superfluous arguments specified for #pragma option",
                    "each option has a line of its own: #pragma D option " + words[4]);
    size_t equals = words[3].find('=');
    std::string name = words[3].substr(0, equals),
                value = equals == std::string::npos ? "" : unquoted(words[3].substr(equals + 1));
    Result<void> done = world_.options.set(name, value, true, false);
    if (done) {
      world_.types.set_strsize(world_.options.number("strsize"));
      return;
    }
    report("D_PRAGMA_OPTSET",
           "failed to set option '" + name + "'" + (value.empty() ? "" : " to '" + value + "'") + ": " +
               done.error().message(),
           hint_on_option(name, value));
  }

  /// `attributes a/b/c name`, or of a provider declaration: `attributes a/b/c provider|module|function|name|args NAME provider`.
  void attributes(const std::vector<std::string>& words) {
    bool of_provider = words.size() == 7 && words[6] == "provider";
    if (words.size() != 5 && !of_provider)
      return report("D_PRAGMA_MALFORM", "malformed #pragma attributes <attributes> <ident>");
    dtrace_attribute_t read{};
    if (!read_attributes(words[3], read))
      return report("D_PRAGMA_INVAL", "invalid attributes specified by #pragma attributes",
                    "as in Stable/Evolving/Common: names, data, dependency class");
    const std::string& name = words[of_provider ? 5 : 4];
    names_.push_back({"attributes", name, where_});
    world_.names.facts[name].attributes = read;
  }

  void binding(const std::vector<std::string>& words) {
    if (words.size() != 5) return report("D_PRAGMA_MALFORM", "malformed #pragma binding \"version\" <ident>");
    std::optional<Version> version = read_version(unquoted(words[3]));
    if (!version)
      return report("D_PRAGMA_INVAL", "invalid version string specified by #pragma binding: " + unquoted(words[3]));
    names_.push_back({"binding", words[4], where_});
    world_.names.facts[words[4]].since = *version;
  }

  void depends(const std::vector<std::string>& words) {
    if (words.size() != 5) return report("D_PRAGMA_MALFORM", "malformed #pragma depends_on <class> <name>");
    const std::string& kind = words[3];
    if (kind != "library" && kind != "module" && kind != "provider")
      return report("D_PRAGMA_INVAL", "invalid class specified by #pragma depends_on: " + kind);
    if (library_) return;  // directory_libraries() has handled it
    if (kind == "library") return report("D_PRAGMA_DEPEND", "main program may not explicitly depend on a library");
    if (!is_met(world_, {kind, words[4], where_}))
      report("D_PRAGMA_DEPEND", "program requires " + kind + " " + words[4] + ", which is not there");
  }

  World& world_;
  bool library_;
  Diagnostics& diagnostics_;
  SourceRange where_;
  std::vector<NamePragma> names_;
};

}  // namespace

std::vector<NamePragma> control_lines(World& world, const std::vector<ControlLine>& lines, bool library,
                                      Diagnostics& diagnostics) {
  PragmaReader reader(world, library, diagnostics);
  for (const ControlLine& line : lines) reader.line(line);
  return reader.names();
}

std::vector<Dependency> dependencies(const std::vector<ControlLine>& lines) {
  std::vector<Dependency> found;
  for (const ControlLine& line : lines) {
    std::vector<std::string> words = words_of(line.text);
    if (words.size() == 5 && words[0] == "pragma" && words[1] == "D" && words[2] == "depends_on")
      found.push_back({words[3], words[4], line.where});
  }
  return found;
}

bool is_met(World& world, const Dependency& need) {
  bool module = need.kind == "module";
  ProbeDescription any{module ? "" : need.name, module ? need.name : "", "", "", {}};
  return !world.probes.match(any).empty();
}

void check_name_pragmas(const World& world, const std::vector<NamePragma>& pragmas, const Names& before,
                        Diagnostics& diagnostics) {
  auto knows = [](const Names& names, const std::string& name) {
    return names.globals.contains(name) || names.self.contains(name) || names.locals.contains(name) ||
           names.providers.contains(name) || names.aggregations.contains(name.starts_with('@') ? name.substr(1) : "@");
  };
  for (const NamePragma& pragma : pragmas) {
    bool elsewhere = find_variable(pragma.name) || find_function(pragma.name) ||
                     find_aggregating_function(pragma.name) || find_constant(pragma.name) || knows(before, pragma.name);
    if (elsewhere)
      diagnostics.report(
          "D_PRAGMA_SCOPE", pragma.where,
          "#pragma " + pragma.kind + " cannot modify " + pragma.name + ": it is defined outside this program's scope");
    else if (!knows(world.names, pragma.name) && !world.types.find(pragma.name))
      diagnostics.report("D_PRAGMA_UNUSED", pragma.where, "unused #pragma " + pragma.kind,
                         "no declaration of " + pragma.name);
  }
}

}  // namespace sonde
