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

}  // namespace sonde::pid
