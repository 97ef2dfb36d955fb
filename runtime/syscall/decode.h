// SPDX-License-Identifier: GPL-3.0-or-later
// A system call as text, in strace's words
//
//   openat(AT_FDCWD, "/etc/passwd", O_RDONLY|O_CLOEXEC) = 3</etc/passwd>
//          `------------- argstr -------------------'    `-- retstr --'
//
// Text is made where records are consumed, of words and of memory that was captured while the call was made; nothing here reads the traced
// program. Memory that could not be read, or was not captured, shows as its address, so does what the kernel fills in, at entry and of a
// call that failed. All that comes from the program is escaped and bounded.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "runtime/syscall/capture.h"

namespace sonde {

struct SystemCall {
  uint32_t number = 0;
  std::array<uint64_t, 6> arguments{};
  bool returns = false;
  int64_t result = 0;  ///< with `returns`
  int error = 0;       ///< 0: it has succeeded
};

/// What stands between the parentheses.
std::string decode_arguments(const SystemCall& call, const CallMemory& memory);

/// The same of an execve that is known from elsewhere: `"/bin/ls", ["ls", "/"], /* 37 vars */`.
std::string decode_exec(std::string_view path, std::span<const std::string> words, size_t variables);

/// What stands behind the equals sign.
std::string decode_result(const SystemCall& call, const CallMemory& memory);

}  // namespace sonde
