// SPDX-License-Identifier: MIT OR GPL-2.0-only
// What the kernel does at a uprobe depends on the instruction there: each form is a mechanism of its own
#pragma once

#include <cstdint>
#include <span>

namespace sonde::bpf {

enum class UprobeForm : uint8_t {
  Push,     ///< the kernel emulates it
  Branch,   ///< jumps and calls: the kernel emulates them
  Nop,      ///< of one byte: as a branch
  LongNop,  ///< of five bytes: newer kernels put a call there
  Return,   ///< stepped, and leaves the copy of the instruction
  Stepped,  ///< any other: the kernel runs a copy of it by a single step
  Barred,   ///< it has a prefix that the kernel accepts nowhere, though it may say so only when the page is mapped
};
inline constexpr uint32_t kUprobeForms = 6;  ///< those that can be armed

/// "a 5-byte nop"
const char* name_of(UprobeForm form);
/// The bytes that uprobe_form() looks at.
inline constexpr uint32_t kFormBytes = 8;
/// The form of the instruction that begins there; missing bytes are 0.
UprobeForm uprobe_form(std::span<const uint8_t> text);

}  // namespace sonde::bpf
