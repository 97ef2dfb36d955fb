// SPDX-License-Identifier: GPL-3.0-or-later
// Source names of functions, from their linker names: C++, Rust and D
//
// LLVM's demanglers read all schemes except Rust's older one, which is C++'s with a hash at the end and signs spelled
// out ($LT$ for <). They read more C++ than g++ 12's library, which supports no other scheme, and are faster.
#pragma once

#include <string>
#include <string_view>

namespace sonde {

struct SourceName {
  std::string whole;  ///< app::twice<int>(int) const; without return type
  std::string bare;   ///< without the parameter list: app::twice<int>
};

/// Whether `symbol` may have another name in the source.
inline bool is_mangled(std::string_view symbol) {
  return symbol.size() > 2 && symbol[0] == '_' && (symbol[1] == 'Z' || symbol[1] == 'R' || symbol[1] == 'D');
}

/// Both names are `symbol` itself if it is not mangled, or longer than 4 KiB.
SourceName source_name(std::string_view symbol);

/// The name for stacks, symbols and probefunc: the whole source name or, after show_linker_names(), `symbol` itself.
std::string shown_name(std::string_view symbol);

/// The option demangle=no. It cannot be undone; call it before any name is shown.
void show_linker_names();

}  // namespace sonde
