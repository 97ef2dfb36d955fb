// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/parse/outline.h"

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/parse/modal_lexer.h"
#include "compiler/parse/parser.h"
#include "compiler/source/prepare.h"

namespace sonde {
namespace {

using antlr::DLexer;

struct OutlineToken {
  size_t type;
  size_t begin, end;  ///< bytes
};

struct Outline {
  std::vector<OutlineToken> tokens;
  bool open = false;   ///< the text ends inside of a comment or a control line
  bool wrong = false;  ///< a bracket closes nothing, or they are nested too deeply
};

Outline outline_of(const std::string& text) {
  Diagnostics ignored;
  const PreparedText prepared = prepare(text, ignored);
  const ModalLexer::IsType none = [](std::string_view) { return false; };
  ByteStream input(prepared.text);
  ModalLexer lexer(&input, prepared.text, false, none, ignored);
  Outline outline{{}, prepared.open, false};
  for (auto token = lexer.nextToken(); token->getType() != antlr4::Token::EOF; token = lexer.nextToken())
    outline.tokens.push_back({token->getType(), token->getStartIndex(), token->getStopIndex() + 1});
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

}  // namespace

Completeness is_complete(std::string_view text) {
  const Outline outline = outline_of(std::string(text));
  if (outline.open) return Completeness::Inside;
  if (outline.wrong) return Completeness::Whole;
  std::vector<size_t> open;
  size_t last = DLexer::SEMICOLON;
  for (const OutlineToken& token : outline.tokens) {
    last = token.type;
    switch (last) {
      case DLexer::LBRACE:
      case DLexer::LPAREN:
      case DLexer::LBRACKET: open.push_back(last); break;
      case DLexer::RBRACE:
      case DLexer::RPAREN:
      case DLexer::RBRACKET:
        if (!open.empty()) open.pop_back();
        break;
      case DLexer::SEMICOLON:
        if (!open.empty() && open.back() != DLexer::LBRACE) return Completeness::Whole;
        break;
      case DLexer::OPEN_TEXT:
      case DLexer::OPEN_CHARACTER: return Completeness::Whole;  // neither may contain a newline
      default: break;
    }
  }
  if (!open.empty() || last == DLexer::COMMA) return Completeness::Inside;
  return last == DLexer::SEMICOLON || last == DLexer::RBRACE ? Completeness::Whole : Completeness::NeedsBody;
}

std::string_view specifier_of(std::string_view text) {
  for (const OutlineToken& token : outline_of(std::string(text)).tokens) {
    const bool ends = token.type == DLexer::LBRACE || token.type == DLexer::PREDICATE_OPEN;
    if (ends) return text.substr(0, token.begin);
  }
  return text;
}

bool names_process(std::string_view text) {
  if (text.find("pid") == text.npos) return false;
  const Outline outline = outline_of(std::string(text));
  return std::ranges::any_of(outline.tokens, [text](const OutlineToken& token) {
    if (token.type != DLexer::DESCRIPTION) return false;
    const auto description = read_description(text.substr(token.begin, token.end - token.begin));
    return description && is_process(description->provider);
  });
}

}  // namespace sonde
