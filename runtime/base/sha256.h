// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace sonde {

/// The SHA-256 digest of `text` (FIPS 180-4), in hex.
std::string sha256(std::string_view text);

}  // namespace sonde
