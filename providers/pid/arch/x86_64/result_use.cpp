// SPDX-License-Identifier: GPL-3.0-or-later
// By the psABI a call destroys rax, rdx, xmm0 and xmm1. So what a caller reads there first is the function's result,
// unless gcc has seen (-fipa-ra) that the function leaves the register alone.
#include "providers/pid/result_use.h"

#include <Zydis/Zydis.h>

#include <array>
#include <cstring>

namespace sonde::pid {
namespace {

constexpr int kMostInstructions = 64;
constexpr uint8_t kCall = 0xe8;

struct Decoded {
  ZydisDecodedInstruction instruction;
  std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands;

  std::span<const ZydisDecodedOperand> all() const { return std::span(operands).first(instruction.operand_count); }
};

/// Calls `look` for each instruction until it returns false.
template <typename Look>
void each_instruction(std::span<const uint8_t> code, Look look) {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  Decoded one;
  while (
      ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data(), code.size(), &one.instruction, one.operands.data()))) {
    if (!look(one)) return;
    code = code.subspan(one.instruction.length);
  }
}

/// The register with all its bits. Results are in the first two of both kinds; DWARF's number 1 is rdx.
ZydisRegister register_of(const sonde_location& part) {
  if (part.kind == SONDE_LOCATION_VECTOR) return part.base == 0 ? ZYDIS_REGISTER_ZMM0 : ZYDIS_REGISTER_ZMM1;
  return part.base == 0 ? ZYDIS_REGISTER_RAX : ZYDIS_REGISTER_RDX;
}

bool is_same(ZydisRegister one, ZydisRegister whole) {
  return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, one) == whole;
}

/// `xor %eax, %eax` needs no value.
bool clears(const Decoded& one) {
  const ZydisDecodedOperand &to = one.operands[0], &from = one.operands[1];
  switch (one.instruction.mnemonic) {
    case ZYDIS_MNEMONIC_XOR:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_SBB:
    case ZYDIS_MNEMONIC_PXOR:
    case ZYDIS_MNEMONIC_XORPS:
    case ZYDIS_MNEMONIC_XORPD: break;
    default: return false;
  }
  return to.type == ZYDIS_OPERAND_TYPE_REGISTER && from.type == to.type && from.reg.value == to.reg.value;
}

bool reads(const Decoded& one, ZydisRegister whole, bool vector) {
  const bool moves_stack =
      one.instruction.mnemonic == ZYDIS_MNEMONIC_PUSH || one.instruction.mnemonic == ZYDIS_MNEMONIC_POP;
  if (moves_stack || clears(one)) return false;
  for (const ZydisDecodedOperand& operand : one.all()) {
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY)
      if (is_same(operand.mem.base, whole) || is_same(operand.mem.index, whole)) return true;
    if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER || !is_same(operand.reg.value, whole)) continue;
    const bool read = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    const bool written = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    if (read && !(vector && written)) return true;  // `cvtsi2sd %eax, %xmm0` keeps what nobody asks for
  }
  return false;
}

bool writes(const Decoded& one, ZydisRegister whole) {
  for (const ZydisDecodedOperand& operand : one.all())
    if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER && is_same(operand.reg.value, whole) &&
        (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0)
      return true;
  return false;
}

/// Whether the next instruction in memory may not be the next to run.
bool ends(const Decoded& one) {
  switch (one.instruction.meta.category) {
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_INTERRUPT: return true;
    default: return false;
  }
}

}  // namespace

bool reads_result(std::span<const uint8_t> code, const sonde_location& part) {
  const ZydisRegister whole = register_of(part);
  bool found = false;
  int seen = 0;
  each_instruction(code, [&](const Decoded& one) {
    found = reads(one, whole, part.kind == SONDE_LOCATION_VECTOR);
    return !found && !writes(one, whole) && !ends(one) && ++seen < kMostInstructions;
  });
  return found;
}

bool writes_result(std::span<const uint8_t> code, const sonde_location& part) {
  const ZydisRegister whole = register_of(part);
  bool found = false;
  each_instruction(code, [&](const Decoded& one) { return !(found = writes(one, whole)); });
  return found;
}

int64_t called_by(std::span<const uint8_t> call) {
  if (call.size() < kCallBytes || call[call.size() - kCallBytes] != kCall) return 0;
  int32_t distance = 0;
  std::memcpy(&distance, call.data() + call.size() - sizeof distance, sizeof distance);
  return distance;
}

}  // namespace sonde::pid
