// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/utrace/arch/x86_64/machine.h"

namespace sonde::machine {

void set_call(user_regs_struct& registers, uint64_t instruction, long number, const uint64_t (&arguments)[6]) {
  registers.rip = instruction;
  registers.rax = static_cast<uint64_t>(number);
  registers.orig_rax = ~uint64_t{0};
  registers.rdi = arguments[0];
  registers.rsi = arguments[1];
  registers.rdx = arguments[2];
  registers.r10 = arguments[3];
  registers.r8 = arguments[4];
  registers.r9 = arguments[5];
}

}  // namespace sonde::machine
