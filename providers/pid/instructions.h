// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sonde::pid {

/// Where the instructions of `code` begin, as offsets in it; ends at bytes that are none.
std::vector<uint32_t> instruction_offsets(std::span<const uint8_t> code);

struct Returns {
  bool any = true;               ///< it may return, by an instruction or a jump to what returns
  std::optional<uint32_t> only;  ///< offset of the one instruction that it returns by
};
/// Of code that cannot be read whole: any.
Returns returns_of(std::span<const uint8_t> code);

}  // namespace sonde::pid
