// SPDX-License-Identifier: GPL-3.0-or-later
// A system call as text, in strace's style
//
//   openat(AT_FDCWD, "/etc/passwd", O_RDONLY|O_CLOEXEC) = 3</etc/passwd>
//          `------------- argstr -------------------'    `-- retstr --'
//
// Text is made when records are consumed, from words and memory that were captured during the call; nothing here reads
// the traced program. Memory that was not captured, or could not be read, is shown as its address; so is memory that
// the kernel fills in, at entry and after a call that failed. Everything that comes from the program is escaped and
// bounded.
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
  int64_t result = 0;  ///< valid if `returns`
  int error = 0;       ///< 0: success
  bool units = false;  ///< large sizes are also shown in units
};

/// The text between the parentheses.
std::string decode_arguments(const SystemCall& call, const CallMemory& memory);

/// The same for an execve that is known from another source: `"/bin/ls", ["ls", "/"], /* 37 vars */`.
std::string decode_exec(std::string_view path, std::span<const std::string> words,
                        std::span<const std::string> environment);

/// The text after the equals sign.
std::string decode_result(const SystemCall& call, const CallMemory& memory);

}  // namespace sonde
