// SPDX-License-Identifier: GPL-3.0-or-later
// The names that functions have in the source, from those that the linker knows: C++, Rust and D
//
// LLVM's demanglers read all schemes but Rust's older one, which is C++'s with a hash at the end and signs written out ($LT$ for <).
// LLVM reads more of C++ than g++ 12's library does, which has no other scheme, and is faster.
#pragma once

#include <string>
#include <string_view>

namespace sonde {

struct SourceName {
  std::string whole;  ///< app::twice<int>(int) const; no return type
  std::string bare;   ///< without the parameter list: app::twice<int>
};

/// Whether `symbol` may be a name of another form in the source.
inline bool is_mangled(std::string_view symbol) {
  return symbol.size() > 2 && symbol[0] == '_' && (symbol[1] == 'Z' || symbol[1] == 'R' || symbol[1] == 'D');
}

/// Both are `symbol` itself where it is no such name, or longer than 4 KiB.
SourceName source_name(std::string_view symbol);

/// As stacks, symbols and probefunc have it: the whole name in the source or, once show_linker_names() was called, `symbol` itself.
std::string shown_name(std::string_view symbol);

/// The option demangle=no. For good; before any name is shown.
void show_linker_names();

}  // namespace sonde
