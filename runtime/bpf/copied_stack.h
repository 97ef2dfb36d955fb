// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A user stack as a program leaves it in a record: to be walked by who reads the record
//
//   slot --> CopiedStack: frames, registers | bytes of the stack, from the stack pointer (rounded down to 8) on
//
// The kernel itself follows frame pointers only, which most programs do not have. So a program copies what a walk needs:
// the registers, and the stack up to where the program's arguments begin, an absent page, or kStackBytes. A record with such slots has the flag
// SONDE_RECORD_STACKS_COPIED.
#pragma once

#include <cstdint>

#include "runtime/bpf/arch.h"

namespace sonde::bpf {

inline constexpr uint32_t kStackBytes = 16u << 10;  ///< of a stack that are copied, at most

struct CopiedStack {
  uint32_t frames;   ///< that are wanted, at most
  uint32_t at_edge;  ///< 1: the return address is at the stack pointer
  pt_regs registers;
};
static_assert(sizeof(CopiedStack) % 8 == 0);

}  // namespace sonde::bpf
