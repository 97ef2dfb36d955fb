// SPDX-License-Identifier: GPL-3.0-or-later
// Small files of /proc, and links. But for read_link() nothing here allocates or locks: it may be called while a probe fires.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

namespace sonde {

/// What a file has, up to `size` - 1 bytes, and a NUL. How many; 0 or less: it is not there, or may not be read.
ssize_t read_proc(const char* path, char* to, size_t size);

/// Field `number` of /proc/PID/stat, as proc(5) counts them, from 3 on. Null: `text` has none.
const char* stat_field(const char* text, int number);

/// Where a symbolic link leads; empty: nowhere that we may see.
std::string read_link(const std::string& link);

}  // namespace sonde
