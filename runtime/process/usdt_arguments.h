// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments of a USDT probe, as its note has them: a text for each site
//
//   "-4@%edi 8@-24(%rbp) 8@$5 4f@%xmm0"  -->  locations (kmod/shared/location.h), each argument a word of 8 bytes
//
// N@OPERAND: N bytes, which are signed behind '-' and a floating-point number before 'f', at an operand of the assembler.
// N decides, not the operand's name: N bytes are taken from there, then made a word. What the text of one argument does
// not say costs that argument only. The operands are the machine's: arch/ has them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmod/shared/location.h"

namespace sonde {

struct UsdtArgument {
  std::string text;  ///< "-4@%edi"
  uint32_t size = 0;
  bool is_signed = false, is_float = false;
  std::vector<sonde_location> parts;  ///< of its word; empty: it cannot be read
  std::string unknown;                ///< why not
};

/// What an operand may name.
struct UsdtSymbol {
  uint64_t value = 0;      ///< its address as linked; of a variable of the thread: from the thread's block
  bool in_thread = false;  ///< it is such a variable
};

/// Where the operands' names and addresses belong to.
struct UsdtPlace {
  uint64_t address = 0;            ///< of the site, as linked
  bool position_is_fixed = false;  ///< the program runs where it was linked
  /// Nothing: no symbol has the name, or several have it.
  std::function<std::optional<UsdtSymbol>(std::string_view name)> symbol;
};

/// At most SONDE_ARGUMENTS_MAX arguments. Any text will do: it may be foreign.
std::vector<UsdtArgument> parse_usdt_arguments(std::string_view text, const UsdtPlace& place);

/// The location of N = `size` bytes at an operand; `part.argument` and `part.at` are the caller's. Error: why there is none.
/// For the machine.
struct OperandPlace {
  sonde_location part{};
  std::string unknown;
};
OperandPlace place_of_operand(std::string_view operand, uint32_t size, const UsdtPlace& place);

}  // namespace sonde
