// SPDX-License-Identifier: GPL-3.0-or-later
// The USDT probes of an ELF file: a note of type stapsdt for each site
//
//   .note.stapsdt    address of the nop, base, counter; provider, name, arguments
//   .stapsdt.base    where the linker has put what `base` names: the difference is added to address and counter
//
// Nothing registers and nothing runs: what the file says is all there is. One probe may have many sites, each with its own
// arguments: the compiler copies loops and inline functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/process/usdt_arguments.h"

namespace sonde {

struct UsdtSite {
  std::string provider, name;  ///< as the note has them: "myapp", "request__start"
  uint64_t offset = 0;         ///< in the file, of the instruction
  uint64_t function = 0;       ///< in the file, of the function that contains it; 0: none is known
  std::string symbol;          ///< that function's name; empty: none is known
  uint64_t counter = 0;        ///< in the file, of the counter that switches the probe on; 0: it needs none
  std::vector<UsdtArgument> arguments;
  std::string refused;  ///< why it cannot be armed; empty: it can
};

/// The sites in an ELF file of this machine, by address. Empty also if the file cannot be read. Opening a file costs
/// reading its section headers, if it has no notes.
std::vector<UsdtSite> read_usdt_sites(const std::string& path);

}  // namespace sonde
