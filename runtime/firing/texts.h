// SPDX-License-Identifier: GPL-3.0-or-later
// How the texts of a firing are written, wherever it fires. Nothing here allocates or locks; the only failure is -1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sonde {

/// Like sonde_dif_env::text(): copies as much as fits into `max` - 1 bytes, and a NUL. Returns the length; -1: no room
/// for the NUL.
int put_text(std::string_view text, char* to, uint32_t max);

/// The same for the target of a symbolic link. -1: there is no such link.
int put_link(const char* path, char* to, uint32_t max);

/// Turns the contents of /proc/PID/cmdline into one line, in place: NULs become blanks, except at the end. Returns the
/// length.
size_t join_arguments(char* text, size_t length);

}  // namespace sonde
