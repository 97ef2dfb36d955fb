// SPDX-License-Identifier: GPL-3.0-or-later
// Where the machine's calling conventions for C and C++, and for Go, put arguments and results
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/framework/provider.h"
#include "runtime/process/c_types.h"

namespace sonde::pid {

/// Where a value is.
struct ValuePlace {
  std::vector<sonde_location> parts;  ///< empty: it is not known
  std::string text;                   ///< "%esi", "stack, CFA+16, 24 bytes"; of an unknown one: the reason
  uint64_t size = 0;                  ///< of its type
  bool is_passed = true;              ///< false: it has no place, whatever the debug information says

  bool known() const { return !parts.empty(); }
  static ValuePlace unknown(std::string why, uint64_t size = 0) { return {{}, std::move(why), size}; }
  static ValuePlace nowhere(std::string why, uint64_t size = 0) { return {{}, std::move(why), size, false}; }
};

/// Of each parameter, at the function's first instruction. Part n has argument number n.
std::vector<ValuePlace> place_parameters(CTypes& types, const CFunction& function);
/// Of the result, at an instruction that returns, as argument number `argument`.
ValuePlace place_result(CTypes& types, const CFunction& function, uint8_t argument);

/// Results of Go functions are args[1] and the following of their return probes.
inline constexpr size_t kFirstGoResult = 1;
struct GoPlaced {
  std::string unknown;  ///< why nothing is known
  std::vector<ValuePlace> parameters, results;
};
/// Of each parameter and result of a Go function with this name of its symbol.
GoPlaced place_go(CTypes& types, const CFunction& function, std::string_view symbol);

/// The locations that DWARF's pieces mean at the first instruction, for a value of `size` bytes; unknown: some piece is
/// not anywhere where a tap can read it.
ValuePlace place_pieces(const std::vector<CPiece>& pieces, uint64_t size, uint8_t argument);
/// Bytes of a value of this type; 0: not known.
uint64_t size_of(CTypes& types, CTypeId type);

}  // namespace sonde::pid
