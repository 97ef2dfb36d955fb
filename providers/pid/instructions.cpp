// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/instructions.h"

#include <Zydis/Zydis.h>

namespace sonde::pid {

namespace {

using Flow = Instruction::Flow;

ZydisDecoder make_decoder() {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  return decoder;
}

bool is_near_condition(const ZydisDecodedInstruction& in) {
  if (in.opcode_map == ZYDIS_OPCODE_MAP_0F) return (in.opcode & 0xf0) == 0x80;
  return in.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && (in.opcode & 0xf0) == 0x70;
}

Flow flow_of(const ZydisDecodedInstruction& in) {
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_HLT:
    case ZYDIS_MNEMONIC_INT3: return Flow::End;
    case ZYDIS_MNEMONIC_JMP: return in.raw.imm[0].is_relative != 0 ? Flow::Jump : Flow::JumpOperand;
    default: break;
  }
  switch (in.meta.category) {
    case ZYDIS_CATEGORY_RET: return Flow::Return;
    case ZYDIS_CATEGORY_CALL: return Flow::Call;
    case ZYDIS_CATEGORY_COND_BR:
      return is_near_condition(in) ? Flow::JumpIf : in.raw.imm[0].is_relative ? Flow::OddJumpIf : Flow::On;
    default: return Flow::On;
  }
}

/// The number of a 64-bit register, as instructions number them.
uint8_t register_number(ZydisRegister reg) {
  if (reg == ZYDIS_REGISTER_RIP) return SONDE_LEAVE_RIP;
  if (reg < ZYDIS_REGISTER_RAX || reg > ZYDIS_REGISTER_R15) return SONDE_LEAVE_NO_REGISTER;
  return static_cast<uint8_t>(reg - ZYDIS_REGISTER_RAX);
}

}  // namespace

std::vector<Instruction> decode(std::span<const uint8_t> code) {
  const ZydisDecoder decoder = make_decoder();
  std::vector<Instruction> all;
  all.reserve(code.size() / 4 + 1);
  for (size_t at = 0; at < code.size();) {
    ZydisDecodedInstruction in;
    if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(&decoder, nullptr, code.data() + at, code.size() - at, &in))) break;
    Instruction& out = all.emplace_back();
    out.at = static_cast<uint32_t>(at);
    out.length = in.length;
    out.flow = flow_of(in);
    out.condition = in.opcode & 0x0f;
    out.has_target = in.raw.imm[0].is_relative != 0;
    out.locked = code[at] == 0xf0;
    out.nothing = in.mnemonic == ZYDIS_MNEMONIC_NOP;
    at += in.length;
    if (out.has_target) out.target = static_cast<int64_t>(at) + in.raw.imm[0].value.s;
  }
  return all;
}

sonde_leave leave_by_operand(std::span<const uint8_t> code, const Instruction& jump) {
  const ZydisDecoder decoder = make_decoder();
  ZydisDecodedInstruction in;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  sonde_leave leave = {};
  const auto bytes = code.subspan(jump.at, jump.length);
  if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, bytes.data(), bytes.size(), &in, operands))) return leave;
  const ZydisDecodedOperand& operand = operands[0];
  if (in.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR || operand.size != 64 || in.address_width != 64) return leave;
  leave.length = jump.length;
  leave.index = SONDE_LEAVE_NO_REGISTER;
  leave.how = SONDE_LEAVE_JUMP_OPERAND;
  if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER) {
    leave.base = register_number(operand.reg.value);
    return leave;
  }
  const auto& memory = operand.mem;
  leave.flags = SONDE_LEAVE_MEMORY;
  if (memory.segment == ZYDIS_REGISTER_FS) leave.flags |= SONDE_LEAVE_FS;
  if (memory.segment == ZYDIS_REGISTER_GS) leave.flags |= SONDE_LEAVE_GS;
  leave.base = register_number(memory.base);
  leave.index = register_number(memory.index);
  leave.scale = memory.scale;
  leave.displacement = static_cast<int32_t>(memory.disp.value);
  return leave;
}

}  // namespace sonde::pid
