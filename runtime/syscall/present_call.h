// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace sonde {

/// Fills `to` with the process' memory at `address`; false: not all of it is there.
using ReadMemory = std::function<bool(uint64_t address, std::span<uint8_t> to)>;

/// The text at `address`, up to its NUL, or `most` bytes. Read page by page, because the next page may not exist.
/// `cut`: the NUL was not reached.
struct ForeignText {
  std::string text;
  bool cut = true;
};
ForeignText read_text(const ReadMemory& read, uint64_t address, size_t most);

/// The system call that a thread is in, from /proc, formatted like the start of its line: `read(3</tmp/fifo>,
/// 0x7f495359f000, 131072`. Empty: the thread runs, has ended, runs 32-bit code, or may not be read.
std::string present_call(uint32_t pid, uint32_t tid, const ReadMemory& read);

}  // namespace sonde
