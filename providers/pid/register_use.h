// SPDX-License-Identifier: GPL-3.0-or-later
// What code shows of the registers that a function takes its arguments in, or returns its result in
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "runtime/framework/provider.h"

namespace sonde::pid {

inline constexpr uint64_t kCallBytes = 5;  ///< of a direct call

/// Whether `code`, which is behind a call, reads the register that `part` of the result is in before it is written.
bool reads_result(std::span<const uint8_t> code, const sonde_location& part);

/// Whether the function with this code writes that register.
bool writes_result(std::span<const uint8_t> code, const sonde_location& part);

/// How far the call that ends with these bytes leads from its end; 0: it is no direct call.
int64_t called_by(std::span<const uint8_t> call);

/// The bit of the register that a part of an argument is in, or is found by; 0: it is on the stack.
uint32_t bit_of(const sonde_location& part);

/// The registers that a function reads before it writes them, as bits by DWARF's numbers: in these it needs what it was
/// given. Others may be read behind the first call or jump.
uint32_t registers_needed(std::span<const uint8_t> code);

/// Whether the first `size` bytes of the code run from first to last, and leave the registers in `those` alone.
bool keeps_registers(std::span<const uint8_t> code, uint64_t size, uint32_t those);

/// Bytes from what a register holds behind the prologue to the CFA, if that register finds the function's own frame.
/// Nothing: the code does not begin with a prologue as compilers write them.
std::optional<int64_t> frame_size(std::span<const uint8_t> code, uint32_t number);

}  // namespace sonde::pid
