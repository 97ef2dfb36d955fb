// SPDX-License-Identifier: GPL-3.0-or-later
// Registers in a sample of perf_event_open(2)
#pragma once

#include <asm/perf_regs.h>

#include <bit>
#include <cstdint>
#include <span>

#include "runtime/utrace/arch.h"

namespace sonde::guard {

/// Those that a sample has: all but the segments' bases.
inline constexpr uint64_t kPerfRegisters =
    ((1ull << (PERF_REG_X86_SS + 1)) - 1) | (((1ull << PERF_REG_X86_64_MAX) - 1) & ~((1ull << PERF_REG_X86_R8) - 1));

/// `words`: those of kPerfRegisters, by rising number. The thread is in no call, as far as the registers tell.
inline machine::Registers registers_of_perf(std::span<const uint64_t, std::popcount(kPerfRegisters)> words) {
  machine::Registers r{};
  unsigned long long* const order[] = {&r.rax, &r.rbx, &r.rcx,    &r.rdx, &r.rsi, &r.rdi, &r.rbp,
                                       &r.rsp, &r.rip, &r.eflags, &r.cs,  &r.ss,  &r.r8,  &r.r9,
                                       &r.r10, &r.r11, &r.r12,    &r.r13, &r.r14, &r.r15};
  static_assert(std::size(order) == std::popcount(kPerfRegisters));
  for (size_t i = 0; i < std::size(order); i++) *order[i] = words[i];
  r.orig_rax = ~0ull;
  return r;
}

}  // namespace sonde::guard
