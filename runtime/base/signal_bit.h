// SPDX-License-Identifier: GPL-3.0-or-later
// A signal in a mask of signals, as the kernel has it
#pragma once

#include <cstdint>

namespace sonde {

constexpr uint64_t signal_bit(int signal) { return uint64_t{1} << (signal - 1); }

}  // namespace sonde
