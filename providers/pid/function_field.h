// SPDX-License-Identifier: GPL-3.0-or-later
// The function field of a description: matches symbols and source names
//
//   ns::Stack*::push    matches   _ZN2ns5StackIiSaIiEE4pushERKi   that is   ns::Stack<int, std::allocator<int>>::push(int const&)
//
// A source name is compared without its parameters and, if the field has a parenthesis, also with them. Blanks are
// ignored, and default template arguments of the standard library may be left out. Demangling a name costs half a
// microsecond, and programs have 100,000 of them, so the symbol is first checked in two cheap ways: for the beginning
// of the name, and for a word of the field.
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

  std::string written_;  ///< as it is written: a symbol of Go may contain brackets
  Field symbol_;
  std::string pattern_;  ///< without blanks
  Field source_;
  std::string prefix_;  ///< the beginning of matching source names
  std::string word_;    ///< a word that every matching symbol contains; empty: none is certain
};

}  // namespace sonde::pid
