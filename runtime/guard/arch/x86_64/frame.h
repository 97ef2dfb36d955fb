// SPDX-License-Identifier: GPL-3.0-or-later
// Registers by their DWARF numbers, as far as unwinding needs them.
#pragma once

#include <array>
#include <cstdint>

#include "kmod/shared/arch.h"
#include "runtime/utrace/arch.h"

namespace sonde::guard {

using FrameRegisters = std::array<uint64_t, SONDE_CFI_REGISTERS>;

inline FrameRegisters frame_registers(const machine::Registers& r) {
  return {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
          r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip};
}

}  // namespace sonde::guard
