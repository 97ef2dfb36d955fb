// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace sonde {

/// The variable of a program or library that contains the address, as "queue" or "queue+0x28"; empty: none is known, as for
/// memory that the process has allocated.
std::string data_symbol(uint32_t pid, uint64_t address);

}  // namespace sonde
