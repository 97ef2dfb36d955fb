// SPDX-License-Identifier: GPL-3.0-or-later
// How the texts of a firing are written, wherever it fires. Nothing here allocates, locks or fails in another way than by -1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sonde {

/// As sonde_dif_env::text() returns it: as much as `max` - 1 bytes hold, and a NUL. Its length; -1: there is no room for a NUL.
int put_text(std::string_view text, char* to, uint32_t max);

/// The same of what a symbolic link says. -1: there is none.
int put_link(const char* path, char* to, uint32_t max);

/// Turns what /proc/PID/cmdline has into one line, in place: blanks for NULs, none at the end. Its length.
size_t join_arguments(char* text, size_t length);

}  // namespace sonde
