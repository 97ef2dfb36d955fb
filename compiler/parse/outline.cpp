// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/parse/outline.h"

#include <algorithm>
#include <string>
#include <vector>

#include "DParser.h"
#include "compiler/parse/modal_lexer.h"
#include "compiler/parse/parser.h"
#include "compiler/source/prepare.h"

namespace sonde {
namespace {

using P = antlr::DParser;

struct Outline {
  std::vector<LexedToken> tokens;
  bool open = false;   ///< the text ends inside of a comment or a control line
  bool wrong = false;  ///< a bracket closes nothing, or they are nested too deeply
};

Outline outline_of(const std::string& text) {
  Diagnostics ignored;
  const PreparedText prepared = prepare(text, ignored);
  const ModalLexer::IsType none = [](std::string_view) { return false; };
  Outline outline{ModalLexer(prepared.text, false, none, ignored).all(), prepared.open, false};
  outline.tokens.pop_back();
  outline.wrong = !outline.open && ignored.any();
  return outline;
}

/// "pid42", "pid$1"
bool is_process(std::string_view provider) {
  if (!provider.starts_with("pid")) return false;
  provider.remove_prefix(3);
  if (provider.starts_with('$')) provider.remove_prefix(1);
  return !provider.empty() && provider.find_first_not_of("0123456789") == provider.npos;
}

/// Without looking for tokens, which costs more than a start can spare.
bool may_name_process(std::string_view text) {
  constexpr std::string_view kProvider = "pid", kBehind = "$0123456789";
  for (size_t at = text.find(kProvider); at != text.npos; at = text.find(kProvider, at + 1)) {
    const size_t behind = at + kProvider.size();
    if (behind < text.size() && kBehind.find(text[behind]) != kBehind.npos) return true;
  }
  return false;
}

}  // namespace

Completeness is_complete(std::string_view text) {
  const Outline outline = outline_of(std::string(text));
  if (outline.open) return Completeness::Inside;
  if (outline.wrong) return Completeness::Whole;
  std::vector<size_t> open;
  size_t last = P::SEMICOLON;
  for (const LexedToken& token : outline.tokens) {
    last = token.type;
    switch (last) {
      case P::LBRACE:
      case P::LPAREN:
      case P::LBRACKET: open.push_back(last); break;
      case P::RBRACE:
      case P::RPAREN:
      case P::RBRACKET:
        if (!open.empty()) open.pop_back();
        break;
      case P::SEMICOLON:
        if (!open.empty() && open.back() != P::LBRACE) return Completeness::Whole;
        break;
      case P::OPEN_TEXT:
      case P::OPEN_CHARACTER: return Completeness::Whole;  // neither may contain a newline
      default: break;
    }
  }
  if (!open.empty() || last == P::COMMA) return Completeness::Inside;
  return last == P::SEMICOLON || last == P::RBRACE ? Completeness::Whole : Completeness::NeedsBody;
}

std::string_view specifier_of(std::string_view text) {
  for (const LexedToken& token : outline_of(std::string(text)).tokens) {
    const bool ends = token.type == P::LBRACE || token.type == P::PREDICATE_OPEN;
    if (ends) return text.substr(0, token.begin);
  }
  return text;
}

size_t clauses_up_to(std::string_view text, size_t offset) {
  size_t count = 0, depth = 0;
  for (const LexedToken& token : outline_of(std::string(text)).tokens) {
    if (token.begin >= offset) break;
    if (token.type == P::LBRACE) depth++;
    if (token.type == P::RBRACE && depth > 0 && --depth == 0) count++;
  }
  return count;
}

std::vector<ProbeDescription> descriptions_of(std::string_view text, const KnownMacros& known) {
  std::vector<ProbeDescription> found;
  const auto value = [&known](std::string_view name) -> std::optional<std::string> {
    const auto own = known ? known(name) : std::nullopt;
    return own ? *own : "$" + std::string(name);
  };
  for (const LexedToken& token : outline_of(std::string(text)).tokens) {
    if (token.type != P::DESCRIPTION) continue;
    const auto written = expand_description(text.substr(token.begin, token.end - token.begin), value);
    const auto description = read_description(*written);
    if (description) found.push_back(*description);
  }
  return found;
}

namespace {

bool is_name(size_t type) { return type == P::IDENTIFIER || type == P::THIS || type == P::SELF || type == P::MACRO; }

bool selects_member(size_t type) { return type == P::DOT || type == P::ARROW; }

/// The token that opens what the token at `at` closes; itself: none does.
size_t opening(const std::vector<LexedToken>& tokens, size_t at) {
  size_t depth = 0;
  for (size_t i = at + 1; i-- > 0;) {
    const size_t type = tokens[i].type;
    if (type == P::RPAREN || type == P::RBRACKET) depth++;
    if ((type == P::LPAREN || type == P::LBRACKET) && --depth == 0) return i;
  }
  return at;
}

/// The first token of the expression whose member is selected by the token at `at`: a->b[f(c)] of a->b[f(c)]->
size_t begin_of_record(const std::vector<LexedToken>& tokens, size_t at) {
  size_t begin = at;
  while (begin > 0) {
    const size_t last = begin - 1, type = tokens[last].type;
    const bool closes = type == P::RPAREN || type == P::RBRACKET;
    if (closes) {
      begin = opening(tokens, last);
      const bool goes_on = begin > 0 && (is_name(tokens[begin - 1].type) || type == P::RBRACKET);
      if (begin == last || !goes_on) break;
    } else if (is_name(type)) {
      begin = last;
      if (begin == 0 || !selects_member(tokens[begin - 1].type)) break;
      begin--;
    } else {
      break;
    }
  }
  return begin;
}

/// Where the statement or predicate begins that the token at `at` is in, and what ends the text behind it.
struct Opened {
  size_t begin = 0;
  bool predicate = false;
  size_t braces = 0;
};

Opened opened_before(const std::vector<LexedToken>& tokens, size_t at) {
  Opened opened;
  for (size_t i = 0; i < at; i++) {
    const LexedToken& token = tokens[i];
    switch (token.type) {
      case P::LBRACE: opened = {token.end, false, opened.braces + 1}; break;
      case P::RBRACE: opened = {token.end, false, std::max<size_t>(opened.braces, 1) - 1}; break;
      case P::SEMICOLON: opened.begin = token.end; break;
      case P::PREDICATE_OPEN: opened = {token.begin, true, opened.braces}; break;
      default: break;
    }
  }
  return opened;
}

}  // namespace

std::string with_member(std::string_view text, std::string_view member) {
  const std::vector<LexedToken> tokens = outline_of(std::string(text)).tokens;
  const bool named = !tokens.empty() && is_name(tokens.back().type) && tokens.back().end == text.size();
  if (tokens.size() < (named ? 3 : 2)) return {};
  const size_t selects = tokens.size() - (named ? 2 : 1);
  const size_t record = begin_of_record(tokens, selects);
  if (!selects_member(tokens[selects].type) || record == selects) return {};
  const Opened opened = opened_before(tokens, selects);
  std::string whole(text.substr(0, opened.begin));
  if (opened.predicate) whole += "{";
  whole += " " + std::string(text.substr(tokens[record].begin, tokens[selects].end - tokens[record].begin));
  whole += std::string(member) + ";" + std::string(opened.braces + (opened.predicate ? 1 : 0), '}');
  return whole;
}

bool names_process(std::string_view text, const KnownMacros& known) {
  const bool may_by_macro = known && text.find('$') != text.npos;
  if (!may_by_macro && !may_name_process(text)) return false;
  return std::ranges::any_of(descriptions_of(text, known), is_process, &ProbeDescription::provider);
}

}  // namespace sonde
