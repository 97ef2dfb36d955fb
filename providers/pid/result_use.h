// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the code around a function shows that it returns something
#pragma once

#include <cstdint>
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

}  // namespace sonde::pid
