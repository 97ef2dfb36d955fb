// SPDX-License-Identifier: GPL-3.0-or-later
// What the calling conventions of x86-64 share: sizes of types, and locations with their texts
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "providers/pid/calling_convention.h"

namespace sonde::pid {

inline constexpr int kDeepest = 16;                      // types in types
inline constexpr uint64_t kLargest = uint64_t{1} << 28;  // bytes of an argument
inline constexpr uint8_t kStackPointer = 7;
inline constexpr int64_t kReturnAddress = 8;  // bytes between the stack pointer and the CFA, at the first instruction

inline constexpr uint8_t kIntegerRegisters[] = {5, 4, 1, 2, 8, 9};  // C's, by DWARF's numbers
inline constexpr uint32_t kFirstVector = 17;
inline constexpr uint8_t kVectors = 8;

struct Sized {
  uint64_t size = 0, alignment = 1;
  bool may_be_packed = false;  ///< then its alignment may be 1: the debug information does not say what is packed
};
Sized sized(CTypes& types, CTypeId id, int depth = 0);
/// The type behind its names. `realigned`: one of these has an alignment of its own.
CType resolved(CTypes& types, CTypeId id, bool* realigned = nullptr);

sonde_location location(sonde_location_kind kind, uint8_t argument, uint8_t base, int64_t value, uint64_t at,
                        uint64_t size);
/// Bytes of a value that are not passed.
sonde_location padding(uint8_t argument, uint64_t at, uint64_t size);
/// Whether a C or C++ function takes the address for its result as the first argument.
bool passes_result_address(CTypes& types, const CFunction& function);
/// The place that these parts make.
ValuePlace described(std::vector<sonde_location> parts, uint64_t size);

}  // namespace sonde::pid
