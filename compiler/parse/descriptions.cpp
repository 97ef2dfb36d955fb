// SPDX-License-Identifier: GPL-3.0-or-later
// Probe descriptions
//
// A description is one token, because its words follow other rules than D's names. It is split into fields here, when
// its macro variables are replaced: $target may be in the middle of a word.
#include <cctype>
#include <charconv>

#include "DParser.h"
#include "compiler/parse/modal_lexer.h"
#include "compiler/parse/parser.h"

namespace sonde {
namespace {

/// A colon after a backslash is not a separator.
std::vector<std::string> split_at_colons(std::string_view text) {
  std::vector<std::string> fields(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ':') {
      fields.emplace_back();
      continue;
    }
    fields.back() += text[i];
    if (text[i] == '\\' && i + 1 < text.size()) fields.back() += text[++i];
  }
  return fields;
}

/// Its colons are in pairs between names, ns::Class::method; single ones only in brackets, name[abi:cxx11].
bool is_qualified_name(std::string_view text) {
  bool in_brackets = false, named = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') in_brackets = true;
    if (text[i] == ']') in_brackets = false;
    if (text[i] == '\\') {
      ++i;
      named = true;
    } else if (text[i] != ':' || in_brackets) {
      named = true;
    } else {
      if (!named || !text.substr(i).starts_with("::")) return false;
      named = false;
      ++i;
    }
  }
  return named;
}

std::optional<ProbeDescription> probe_id(const std::string& digits, SourceRange where, Diagnostics& diagnostics) {
  uint32_t id = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  if (error == std::errc() && id != 0) return ProbeDescription{"", "", "", "", ProbeId{id}};
  diagnostics.report("D_PDESC_INVAL", where, "invalid probe identifier " + digits + ": Unknown probe identifier");
  return std::nullopt;
}

}  // namespace

std::optional<std::string> expand_description(
    std::string_view text, const std::function<std::optional<std::string>(std::string_view)>& macro) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '$') {
      if (text[i] == '\\' && i + 1 < text.size()) out += text[i++];
      out += text[i++];
      continue;
    }
    while (i < text.size() && text[i] == '$') ++i;
    size_t begin = i;
    bool number = i < text.size() && std::isdigit(static_cast<unsigned char>(text[i]));
    while (i < text.size() && (number ? std::isdigit(static_cast<unsigned char>(text[i]))
                                      : std::isalnum(static_cast<unsigned char>(text[i]))))
      ++i;
    std::optional<std::string> value = macro(text.substr(begin, i - begin));
    if (!value) return std::nullopt;
    out += *value;
  }
  return out;
}

std::optional<ProbeDescription> read_description(std::string_view text) {
  std::vector<std::string> fields = split_at_colons(text);
  if (fields.size() > 4) {
    const std::string last = fields.back();
    std::string function = fields[2];
    for (size_t i = 3; i + 1 < fields.size(); ++i) function += ":" + fields[i];
    if (!is_qualified_name(function)) return std::nullopt;
    fields = {fields[0], fields[1], function, last};
  }
  fields.insert(fields.begin(), 4 - fields.size(), "");
  return ProbeDescription{fields[0], fields[1], fields[2], fields[3], {}};
}

std::optional<ProbeDescription> description_of(const std::string& written, SourceRange where,
                                               const ParserQuestions& questions, Diagnostics& diagnostics) {
  if (std::isdigit(static_cast<unsigned char>(written[0]))) return probe_id(written, where, diagnostics);
  const std::optional<std::string> text = expand_description(written, questions.macro);
  if (!text) {
    diagnostics.report("D_PDESC_INVAL", where,
                       "invalid probe description \"" + written + "\": Undefined macro variable in probe description");
    return std::nullopt;
  }
  std::optional<ProbeDescription> description = read_description(*text);
  if (!description)
    diagnostics.report("D_PDESC_INVAL", where,
                       "invalid probe description \"" + written + "\": Overspecified probe description",
                       written.find("::") == std::string::npos || written.find(":::") != std::string::npos
                           ? "a description has at most four fields: provider:module:function:name"
                           : "a name with :: in it needs all fields around it, as in pid$target::ns::function:entry");
  return description;
}

std::vector<ProbeDescription> all_descriptions(const std::string& text, bool script, const ParserQuestions& questions,
                                               Diagnostics& diagnostics) {
  std::vector<ProbeDescription> all;
  for (const LexedToken& token : ModalLexer(text, script, questions.is_type, diagnostics).all()) {
    if (token.type != antlr::DParser::DESCRIPTION) continue;
    const SourceRange where{static_cast<uint32_t>(token.begin), static_cast<uint32_t>(token.end)};
    auto one = description_of(text.substr(token.begin, token.end - token.begin), where, questions, diagnostics);
    if (one) all.push_back(std::move(*one));
  }
  return all;
}

}  // namespace sonde
