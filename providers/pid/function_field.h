// SPDX-License-Identifier: GPL-3.0-or-later
// The function field of a description: matches symbols, and what they are called in the source
//
//   ns::Stack*::push    matches   _ZN2ns5StackIiSaIiEE4pushERKi   that is   ns::Stack<int, std::allocator<int>>::push(int const&)
//
// A name in the source is compared without its parameters and, where the field has a parenthesis, with them; blanks do not count, and
// what the standard library's templates take by default may be left out. Demangling a name costs half a microsecond, and
// programs have 100,000 of them, so two cheap looks at the symbol come first: at what its name begins with, and for a word of the field.
#pragma once

#include <string>
#include <string_view>

#include "providers/pid/field.h"

namespace sonde::pid {

class FunctionField {
 public:
  explicit FunctionField(std::string_view pattern);

  bool matches(const std::string& symbol) const;
  bool is_exact() const { return symbol_.is_exact(); }
  /// Only when is_exact().
  const std::string& literal() const { return symbol_.literal(); }

 private:
  bool may_match(std::string_view symbol) const;
  bool matches_source(std::string name) const;

  Field symbol_;
  std::string pattern_;  ///< without blanks
  Field source_;
  std::string prefix_;  ///< what a name in the source begins with
  std::string word_;    ///< of the source, so the symbol has it; empty: none is sure
};

}  // namespace sonde::pid
