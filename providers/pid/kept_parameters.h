// SPDX-License-Identifier: GPL-3.0-or-later
// The places of parameters when a compiler may have left out others before them
//
// Clang removes parts of arguments that nobody needs from functions that only one unit calls, and does not say so. What
// is left is passed in the old order, by the calling convention. So there are as many possible functions as there are
// ways to leave out parts, and the evidence excludes nearly all of them:
//
//   DWARF says      that a parameter is in %esi at the first instruction. That is so, but it need not be where it was
//                   passed: `x = y` needs no instruction, then x is where y was passed
//   the code needs  %ecx. Then at least four integers are passed
//
// A place is known if the parameter has it in every function that is left.
#pragma once

#include <span>
#include <vector>

#include "providers/pid/calling_convention.h"

namespace sonde::pid {

/// A part of a parameter, and where it is at the first instruction by the debug information.
struct Claim {
  uint64_t at = 0;  ///< of the part, in the parameter
  sonde_location place = {};
};

/// What is known of a function besides its type.
struct Evidence {
  struct Bytes {
    uint64_t at = 0, size = 0;
  };
  std::vector<std::vector<Claim>> claims;  ///< of each parameter
  std::vector<std::vector<Bytes>> unsaid;  ///< of each parameter: what is used, and may have been passed anywhere
  uint32_t needed = 0;                     ///< registers that the code needs, as bits by DWARF's numbers
};

/// The places of a function's parameters, of which the convention has the places `all` if none is left out.
std::vector<ValuePlace> places_of_kept(CTypes& types, const CFunction& function, std::vector<ValuePlace> all,
                                       const Evidence& evidence);

}  // namespace sonde::pid
