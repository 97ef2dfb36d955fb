// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/parse/token_source.h"

#include <algorithm>
#include <utility>

#include "runtime/base/late_initializers.h"

namespace sonde {

/// The grammar's tables are compiled in: to verify them at each start would take as long as to parse a script.
void use_antlr() {
  using Options = antlr4::atn::ATNDeserializationOptions;
  initialize_antlr([] { const_cast<Options&>(Options::getDefaultOptions()).setVerifyATN(false); });
}

std::unique_ptr<antlr4::Token> LexedTokenSource::nextToken() {
  const LexedToken& token = tokens_[std::min(next_++, tokens_.size() - 1)];
  constexpr std::pair<antlr4::TokenSource*, antlr4::CharStream*> kNone;
  return std::make_unique<antlr4::CommonToken>(kNone, token.type, antlr4::Token::DEFAULT_CHANNEL, token.begin,
                                               token.end - 1);
}

}  // namespace sonde
