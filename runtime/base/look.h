// SPDX-License-Identifier: MIT
// What a stream may look like
//
// A pipe, a file, TERM=dumb and NO_COLOR get plain text: exactly what other programs read. Whatever only a person
// wants (colour, units, the tree of -F, a pager, progress) asks Look::of() first, so it is decided in one place.
// We refused a --color=always: what a program reads behind a pipe must not depend on who started it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sonde {

/// What a piece of text is; kStyles in look.cpp says how it is painted.
enum class Style : uint8_t { Error, Warning, Place, Caret, Hint, Call, Failed, Thread, Guide, Progress };

class Look {
 public:
  /// For text that goes to this descriptor, in this environment ($TERM, $NO_COLOR).
  static Look of(int fd);
  static Look plain() { return {false, false}; }
  static Look rich() { return {true, true}; }

  /// A person reads it on a terminal, and wants more than plain text.
  bool is_rich() const { return rich_; }
  /// A terminal that can move its cursor, with NO_COLOR or without.
  bool redraws() const { return redraws_; }
  /// The sequences around a piece of text; empty if the look is plain.
  std::string_view begin(Style style) const;
  std::string_view end() const;
  std::string paint(Style style, std::string_view text) const;

 private:
  Look(bool rich, bool redraws) : rich_(rich), redraws_(redraws) {}

  bool rich_, redraws_;
};

/// Columns of the terminal at `fd`; 80 if it does not say.
size_t columns_of(int fd);

}  // namespace sonde
