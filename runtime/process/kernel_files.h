// SPDX-License-Identifier: GPL-3.0-or-later
// Files that the kernel makes up: lists in /proc and in tracefs
#pragma once

#include <string>
#include <vector>

#include "runtime/base/result.h"

namespace sonde {

/// Such files say no size, and give a page at a time. Errors: those of open() and read().
Result<std::vector<char>> read_kernel_file(const std::string& path);

/// A file of a tracefs of our own, which nobody else sees: none need be mounted. Errors: those of fsopen(), fsmount(),
/// open() and read().
Result<std::vector<char>> read_tracefs(const std::string& name);

}  // namespace sonde
