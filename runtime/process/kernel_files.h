// SPDX-License-Identifier: GPL-3.0-or-later
// Files that the kernel makes up: lists in /proc and in tracefs
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace sonde {

/// What is in such a file. That may be 10 MiB, so its room is not cleared before it is read.
struct KernelText {
  std::unique_ptr<char[]> bytes;
  size_t size = 0;
  std::string_view view() const { return {bytes.get(), size}; }
};

/// Such files say no size, and give a page at a time. Errors: those of open() and read().
Result<KernelText> read_kernel_file(const std::string& path);

/// A file of a tracefs of our own, which nobody else sees: none need be mounted. Errors: those of fsopen(), fsmount(),
/// open() and read().
Result<KernelText> read_tracefs(const std::string& name);

}  // namespace sonde
