// SPDX-License-Identifier: GPL-3.0-or-later
// What the resolver of an indirect function returns
//
// The resolver is interpreted, instruction by instruction, on the data that it would read: the processor's features as
// the program's own C library has detected them, with its tunables. Nothing is run in the process, and nothing is
// written to it. So it works at any time: before the program has relocated itself, and for functions that nobody has
// called yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace sonde::pid {

/// Reads up to `length` bytes of code at `address`; returns their number.
using ReadCode = std::function<size_t(uint64_t address, uint8_t* to, size_t length)>;
/// Reads `length` bytes of data; false: some of them are unknown.
using ReadData = std::function<bool(uint64_t address, uint8_t* to, size_t length)>;

/// The address that the resolver at `entry` returns; none: it does something that the interpreter does not support.
std::optional<uint64_t> interpret_resolver(uint64_t entry, const ReadCode& code, const ReadData& data);

}  // namespace sonde::pid
