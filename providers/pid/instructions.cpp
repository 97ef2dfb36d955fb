// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/instructions.h"

#include <Zydis/Zydis.h>

namespace sonde::pid {

namespace {

/// Calls `see` on each instruction and its offset until it says false. Whether all of the code was seen.
template <typename See>
bool walk(std::span<const uint8_t> code, See see) {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  for (size_t at = 0; at < code.size();) {
    ZydisDecodedInstruction instruction;
    const ZyanStatus status =
        ZydisDecoderDecodeInstruction(&decoder, nullptr, code.data() + at, code.size() - at, &instruction);
    if (!ZYAN_SUCCESS(status) || !see(instruction, static_cast<uint32_t>(at))) return false;
    at += instruction.length;
  }
  return true;
}

/// Jumps out of the code, or nobody knows where to: the function may end there.
bool may_leave(const ZydisDecodedInstruction& instruction, size_t next, size_t size) {
  const auto category = instruction.meta.category;
  if (category != ZYDIS_CATEGORY_UNCOND_BR && category != ZYDIS_CATEGORY_COND_BR) return false;
  if (instruction.raw.imm[0].is_relative == 0) return true;
  return next + static_cast<uint64_t>(instruction.raw.imm[0].value.s) >= size;
}

/// Calls count as ends: compilers end a function by one to what does not come back.
bool may_go_on(const ZydisDecodedInstruction& instruction) {
  if (instruction.mnemonic == ZYDIS_MNEMONIC_HLT || instruction.mnemonic == ZYDIS_MNEMONIC_UD2) return false;
  const auto category = instruction.meta.category;
  return category != ZYDIS_CATEGORY_RET && category != ZYDIS_CATEGORY_CALL && category != ZYDIS_CATEGORY_UNCOND_BR;
}

}  // namespace

std::vector<uint32_t> instruction_offsets(std::span<const uint8_t> code) {
  std::vector<uint32_t> offsets;
  walk(code, [&](const ZydisDecodedInstruction&, uint32_t at) {
    offsets.push_back(at);
    return true;
  });
  return offsets;
}

Returns returns_of(std::span<const uint8_t> code) {
  Returns found{false, std::nullopt};
  bool goes_on = true;  // behind the end: by hand one can write such a function
  const bool whole = walk(code, [&](const ZydisDecodedInstruction& instruction, uint32_t at) {
    if (may_leave(instruction, at + instruction.length, code.size())) return false;
    const bool returns = instruction.meta.category == ZYDIS_CATEGORY_RET;
    if (returns && found.any) return false;
    if (returns) found = {true, at};
    goes_on = may_go_on(instruction);
    return true;
  });
  return whole && !goes_on ? found : Returns{};
}

}  // namespace sonde::pid
