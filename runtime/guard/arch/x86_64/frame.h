// SPDX-License-Identifier: GPL-3.0-or-later
// Registers by their DWARF numbers, as far as unwinding needs them.
#pragma once

#include <array>
#include <cstdint>

#include "kmod/shared/eh_frame.h"
#include "runtime/utrace/arch.h"

namespace sonde::guard {

using FrameRegisters = std::array<uint64_t, SONDE_CFI_REGISTERS>;

inline FrameRegisters frame_registers(const machine::Registers& r) {
  return {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
          r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip};
}

inline constexpr uint8_t kGoQuantum = 1;  ///< bytes to which Go's tables round addresses

/// The row of Go's code where the stack pointer is `depth` bytes below the return address. A function with a frame has
/// its caller's frame pointer behind that.
inline sonde_cfi_row go_row(int32_t depth) {
  sonde_cfi_row row{};
  row.cfa_register = SONDE_CFI_SP;
  row.cfa_offset = depth + 8;
  row.return_register = SONDE_CFI_PC;
  row.kinds[SONDE_CFI_PC] = SONDE_CFI_AT_OFFSET;
  row.offsets[SONDE_CFI_PC] = -8;
  if (depth == 0) return row;
  row.kinds[SONDE_CFI_FP] = SONDE_CFI_AT_OFFSET;
  row.offsets[SONDE_CFI_FP] = -16;
  return row;
}

}  // namespace sonde::guard
