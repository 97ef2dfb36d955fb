// SPDX-License-Identifier: GPL-3.0-or-later
// What DWARF says about the arguments of a function at its first instruction
#pragma once

#include <elfutils/libdw.h>

#include "runtime/process/c_types.h"
#include "runtime/process/dwarf_frames.h"

namespace sonde {

/// Whether the entry has this flag.
bool has_flag(Dwarf_Die& die, unsigned name);

/// The address of the function's first instruction. A function with a cold part has ranges: the first is the hot one.
bool entry_of(Dwarf_Die& function, Dwarf_Addr& entry);

/// Who compiled the function, and what may have been done to it.
void read_origin(Dwarf_Die& function, CFunction& out);

/// Where the parameter is at the first instruction.
CEntryPlace read_entry_place(Dwarf_Die& function, Dwarf_Die& parameter, DwarfFrames& frames);

}  // namespace sonde
