// SPDX-License-Identifier: GPL-3.0-or-later
// ANTLR's parser reads what our lexer has read.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "antlr4-runtime.h"
#include "compiler/parse/scanner.h"

namespace sonde {

/// Call it before the first use of ANTLR.
void use_antlr();

class LexedTokenSource final : public antlr4::TokenSource {
 public:
  /// The last one is EOF. It keeps the span.
  explicit LexedTokenSource(std::span<const LexedToken> tokens) : tokens_(tokens) {}

  std::unique_ptr<antlr4::Token> nextToken() override;
  size_t getLine() const override { return 0; }
  size_t getCharPositionInLine() override { return 0; }
  antlr4::CharStream* getInputStream() override { return nullptr; }
  std::string getSourceName() override { return {}; }
  antlr4::TokenFactory<antlr4::CommonToken>* getTokenFactory() override {
    return antlr4::CommonTokenFactory::DEFAULT.get();
  }

 private:
  std::span<const LexedToken> tokens_;
  size_t next_ = 0;
};

}  // namespace sonde
