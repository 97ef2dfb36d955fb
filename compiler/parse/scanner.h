// SPDX-License-Identifier: GPL-3.0-or-later
// The tokens of D
//
// D is scanned in two ways. Outside of braces, predicates and declarations a text is made of probe descriptions; inside
// them it is code, which looks like C. Which of the two comes next is known to ModalLexer. A token is the longest that
// can begin at its place. Keywords are IDENTIFIER here.
//
// We refused a grammar for ANTLR's lexer: it finds its automaton anew in each run, token by token, which took longer than
// all the rest of a parse.
#pragma once

#include <cstddef>
#include <string_view>

namespace sonde {

struct LexedToken {
  size_t type = 0;  ///< of antlr::DParser, or antlr4::Token::EOF
  size_t begin = 0, end = 0;
};

/// The next token behind blanks.
LexedToken scan_description(std::string_view text, size_t at);
LexedToken scan_code(std::string_view text, size_t at);

}  // namespace sonde
