// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/instructions.h"

#include <Zydis/Zydis.h>

namespace sonde::pid {

std::vector<uint32_t> instruction_offsets(std::span<const uint8_t> code) {
  std::vector<uint32_t> offsets;
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  for (size_t at = 0; at < code.size();) {
    ZydisDecodedInstruction instruction;
    const ZyanStatus status =
        ZydisDecoderDecodeInstruction(&decoder, nullptr, code.data() + at, code.size() - at, &instruction);
    if (!ZYAN_SUCCESS(status)) break;
    offsets.push_back(static_cast<uint32_t>(at));
    at += instruction.length;
  }
  return offsets;
}

namespace {

/// Jumps out of the code, or nobody knows where to: the function may end there.
bool may_leave(const ZydisDecodedInstruction& instruction, size_t next, size_t size) {
  const auto category = instruction.meta.category;
  if (category != ZYDIS_CATEGORY_UNCOND_BR && category != ZYDIS_CATEGORY_COND_BR) return false;
  if (instruction.raw.imm[0].is_relative == 0) return true;
  return next + static_cast<uint64_t>(instruction.raw.imm[0].value.s) >= size;
}

}  // namespace

std::optional<uint32_t> only_return(std::span<const uint8_t> code) {
  std::optional<uint32_t> found;
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  for (size_t at = 0; at < code.size();) {
    ZydisDecodedInstruction instruction;
    const ZyanStatus status =
        ZydisDecoderDecodeInstruction(&decoder, nullptr, code.data() + at, code.size() - at, &instruction);
    if (!ZYAN_SUCCESS(status) || may_leave(instruction, at + instruction.length, code.size())) return std::nullopt;
    const bool returns = instruction.meta.category == ZYDIS_CATEGORY_RET;
    if (returns && found) return std::nullopt;
    if (returns) found = static_cast<uint32_t>(at);
    at += instruction.length;
  }
  return found;
}

}  // namespace sonde::pid
