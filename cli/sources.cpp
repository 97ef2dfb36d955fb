// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/sources.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include "cli/words.h"
#include "compiler/parse/outline.h"
#include "compiler/source/preprocess.h"

namespace sonde {

namespace {

using Kind = SourceText::Kind;

/// "-" is standard input.
FILE* open_script(const std::string& path) {
  return path == "-" ? ::fdopen(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), "r") : std::fopen(path.c_str(), "re");
}

Result<std::string> read_file(const std::string& path) {
  std::unique_ptr<FILE, int (*)(FILE*)> file(open_script(path), std::fclose);
  if (!file) {
    const int code = errno;
    const bool size = path.find_first_not_of("0123456789") == path.npos;
    const std::string option = hint_without_dashes("s" + path);  // -summary
    return Error("failed to open " + path + ": " + std::strerror(code) + (option.empty() ? "" : "\n    " + option) +
                     (path.find('{') != path.npos ? "\n    -s takes a file; clauses go to -n" : "") +
                     (size ? "\n    -s takes a script; longer strings: -x strsize=" + path : ""),
                 code);
  }
  std::string text;
  char block[65536];
  for (size_t n; (n = std::fread(block, 1, sizeof block, file.get())) > 0;) text.append(block, n);
  if (std::ferror(file.get()) != 0) return Error("failed to read " + path + ": " + std::strerror(errno), errno);
  return text;
}

/// Blanks a "#!" line, which is for the kernel; positions stay the same.
void drop_interpreter_line(std::string& text) {
  if (!text.starts_with("#!")) return;
  std::fill(text.begin(), text.begin() + static_cast<long>(std::min(text.find('\n'), text.size())), ' ');
}

/// How many fields a short form may have, and its completion: fields fill from the right.
struct ShortForm {
  Kind kind;
  const char* what;
  size_t fields;
  const char* after;
};
constexpr ShortForm kShortForms[] = {
    {Kind::Provider, "provider", 1, ":::"}, {Kind::Module, "module", 2, "::"}, {Kind::Function, "function", 3, ":"}};

Result<SourceText> complete(Kind kind, const std::string& argument) {
  const ShortForm* form = std::ranges::find(kShortForms, kind, &ShortForm::kind);
  std::string specifier(specifier_of(argument));
  if (const size_t digits = std::min(specifier.find_first_not_of("0123456789"), specifier.size()); digits > 0)
    return Error("invalid probe specifier " + argument + ": probe identifier " + specifier.substr(0, digits) +
                 " not permitted when specifying " + form->what + "s");
  std::string rest = argument.substr(specifier.size());
  size_t end = specifier.find_last_not_of(" \t");
  rest = (end == std::string::npos ? "" : specifier.substr(end + 1)) + rest;
  specifier.resize(end == std::string::npos ? 0 : end + 1);
  // Empty fields in front have no effect.
  while (specifier.starts_with(':')) specifier.erase(0, 1);
  size_t fields = static_cast<size_t>(std::ranges::count(specifier, ':')) + 1;
  if (fields > form->fields) {
    return Error("invalid probe specifier " + argument + ": invalid probe description \"" + specifier +
                 "\": Overspecified probe description");
  }
  std::string before(form->fields - fields, ':');
  return SourceText{kind, argument, before + specifier + form->after + rest};
}

/// Whether sonde itself fires the probe, without a source: BEGIN, END, ERROR and tick-*.
bool fires_here(const ProbeDescription& description) {
  const std::string& name = description.name;
  if (description.provider == "dtrace") return true;
  if (!description.provider.empty() && description.provider != "profile") return false;
  return name.starts_with("tick-") || name == "BEGIN" || name == "END" || name == "ERROR";
}

/// As written; profile- alone says enough.
std::string provider_of(const ProbeDescription& description) {
  const bool samples = description.provider.empty() && description.name.starts_with("profile-");
  return samples ? "profile" : description.provider;
}

}  // namespace

bool name_processes(const std::vector<SourceText>& texts, const MacroValues& macros) {
  const KnownMacros known = macros.given();
  return std::ranges::any_of(texts, [&](const SourceText& one) { return names_process(one.text, known); });
}

std::vector<std::string> providers_named(const std::vector<SourceText>& texts, const MacroValues& macros) {
  const KnownMacros known = macros.given();
  std::vector<std::string> found;
  for (const SourceText& one : texts)
    for (const ProbeDescription& description : descriptions_of(one.text, known))
      if (!fires_here(description)) found.push_back(provider_of(description));
  return found;
}

bool is_script_file(const std::string& word) {
  if (word.find('/') != std::string::npos || !std::filesystem::is_regular_file(word)) return false;
  if (word.ends_with(".d")) return true;
  std::string line;
  std::getline(std::ifstream(word), line);
  return line.starts_with("#!") &&
         (line.find("dtrace") != std::string::npos || line.find("sonde") != std::string::npos);
}

std::string describe(const SourceText& text) {
  if (text.kind == Kind::Script) return "script '" + text.name + "'";
  return "description '" + std::string(specifier_of(text.name)) + "'";
}

Result<std::vector<SourceText>> read_sources(const std::vector<Arguments::Program>& programs, const Options& options) {
  std::vector<SourceText> texts;
  for (const Arguments::Program& program : programs) {
    switch (program.kind) {
      case Kind::Script: {
        auto text = read_file(program.text);
        if (!text) return std::move(text).error();
        drop_interpreter_line(*text);
        if (options.flag("cpp")) {
          text = preprocess(*text, options);
          if (!text) return std::move(text).error().context("failed to compile script " + program.text);
        }
        texts.push_back({program.kind, program.text, std::move(*text)});
        break;
      }
      case Kind::Name: texts.push_back({program.kind, program.text, program.text}); break;
      case Kind::Provider:
      case Kind::Module:
      case Kind::Function: {
        auto text = complete(program.kind, program.text);
        if (!text) return std::move(text).error();
        texts.push_back(std::move(*text));
        break;
      }
    }
  }
  return texts;
}

}  // namespace sonde
