// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sonde::pid {

/// Where the instructions of `code` begin, as offsets in it; ends at bytes that are none.
std::vector<uint32_t> instruction_offsets(std::span<const uint8_t> code);

/// The one instruction that `code` returns by; nothing when it has several, or may end by a jump.
std::optional<uint32_t> only_return(std::span<const uint8_t> code);

}  // namespace sonde::pid
