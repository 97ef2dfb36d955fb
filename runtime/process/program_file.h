// SPDX-License-Identifier: GPL-3.0-or-later
// The file of a process's program. A program may be started through its dynamic linker (`ld.so PROG`): then the kernel
// knows only the linker, which maps the program later.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/process/proc_maps.h"

namespace sonde {

/// Whether the kernel has started a dynamic linker as the program of `pid`. False also when unknown.
bool runs_linker(uint32_t pid);

/// The first mapping of the program that a linker has mapped; none: not yet.
std::optional<MapEntry> program_of_linker(uint32_t pid);

/// The path of the program, as in MapEntry; empty when unknown. Of a linker that has not mapped its program: its own.
std::string program_path(uint32_t pid);

}  // namespace sonde
