// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The known functions on whose instructions a mechanism is tried
//
// Each loads all registers and flags from a TrialState, has its stack pointer in the middle of it, so that what is below
// is a live red zone, goes over one instruction, and stores everything again. The code has no addresses in it and may be
// copied anywhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/bpf/uprobe_form.h"

namespace sonde::bpf {

inline constexpr size_t kTrialWords = 16;    ///< of registers: flags, then the others
inline constexpr size_t kTrialVectors = 16;  ///< of 16 bytes

struct alignas(64) TrialState {
  uint64_t before[kTrialWords];  ///< loaded; then the red zone
  uint64_t after[kTrialWords];   ///< stored; the stack pointer is at its first word
  uint64_t own_stack;            ///< the function's
  uint64_t unused;
  uint64_t vectors_before[2 * kTrialVectors];
  uint64_t vectors_after[2 * kTrialVectors];
};

struct TrialCode {
  const uint8_t* begin;
  size_t bytes;
  size_t site;    ///< where in it the instruction is
  size_t behind;  ///< and the one that follows; a function that returns to its state's first word returns there
};

inline constexpr uint32_t kTrialVariants = 3;
/// Three functions for each form that can be armed.
TrialCode trial_code(UprobeForm form, uint32_t variant);

/// The flags that may be anything.
extern const uint64_t kTrialFlags;
/// For each word of TrialState::before, where struct pt_regs has that register.
extern const size_t kTrialRegisters[kTrialWords];
extern const size_t kTrialPlace, kTrialStack;  ///< the same of instruction and stack pointer

/// Calls the function at `code`.
void call_trial_code(const void* code, TrialState* state);

}  // namespace sonde::bpf
