// SPDX-License-Identifier: GPL-3.0-or-later
// What the resolver of an indirect function returns
//
// The resolver is interpreted, instruction by instruction, on what it would read: the processor's features as the program's own C
// library has found them, with its tunables. Nothing is run and nothing is written to the process, so it can be asked at any
// time: before the program has relocated itself, and for functions that nobody has called yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace sonde::pid {

/// Up to `length` bytes of code at `address`; returns how many there are.
using ReadCode = std::function<size_t(uint64_t address, uint8_t* to, size_t length)>;
/// All of `length` bytes of data, or false: they cannot be known.
using ReadData = std::function<bool(uint64_t address, uint8_t* to, size_t length)>;

/// The address that the resolver at `entry` returns; none when it does what is not understood here.
std::optional<uint64_t> interpret_resolver(uint64_t entry, const ReadCode& code, const ReadData& data);

}  // namespace sonde::pid
