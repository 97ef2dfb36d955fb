// SPDX-License-Identifier: GPL-3.0-or-later
// By the psABI a call destroys rax, rdx, xmm0 and xmm1. So what a caller reads there first is the function's result,
// unless gcc has seen (-fipa-ra) that the function leaves the register alone.
//
// An instruction may read a register whose value nobody needs: `xor %edi, %edi`, `cvtsi2sd %eax, %xmm1`, which keeps the
// rest of xmm1. Whoever asks what is needed leaves out all that may be such.
#include "providers/pid/register_use.h"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <optional>

#include "providers/pid/arch/x86_64/places.h"

namespace sonde::pid {
namespace {

constexpr int kMostInstructions = 64;
constexpr uint8_t kCall = 0xe8;
constexpr uint32_t kBasePointer = 6;  // DWARF's number
constexpr uint32_t kVectorBits = ((1u << kVectors) - 1) << kFirstVector;

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

/// DWARF's number of a register; nothing: it takes no argument.
std::optional<uint32_t> number_of(ZydisRegister one) {
  static constexpr ZydisRegister kIntegers[] = {
      ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RCX, ZYDIS_REGISTER_RBX, ZYDIS_REGISTER_RSI,
      ZYDIS_REGISTER_RDI, ZYDIS_REGISTER_RBP, ZYDIS_REGISTER_RSP, ZYDIS_REGISTER_R8,  ZYDIS_REGISTER_R9};
  const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, one);
  if (whole >= ZYDIS_REGISTER_ZMM0 && whole <= ZYDIS_REGISTER_ZMM7)
    return kFirstVector + static_cast<uint32_t>(whole - ZYDIS_REGISTER_ZMM0);
  const auto* at = std::ranges::find(kIntegers, whole);
  return at != std::end(kIntegers) ? std::optional<uint32_t>(at - std::begin(kIntegers)) : std::nullopt;
}

uint32_t bit_of(ZydisRegister one) {
  const std::optional<uint32_t> number = number_of(one);
  return number ? uint32_t{1} << *number : 0;
}

uint32_t written_by(const Decoded& one) {
  uint32_t all = 0;
  for (const ZydisDecodedOperand& operand : one.all())
    if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER && (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0)
      all |= bit_of(operand.reg.value);
  return all;
}

/// Whether the values of its registers may be of no account.
bool may_ignore(const Decoded& one) {
  const bool is_constant = one.operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
  const int64_t value = is_constant ? one.operands[1].imm.value.s : 0;
  switch (one.instruction.mnemonic) {
    case ZYDIS_MNEMONIC_PUSH:
    case ZYDIS_MNEMONIC_POP:
    case ZYDIS_MNEMONIC_NOP:
    case ZYDIS_MNEMONIC_CPUID:
    case ZYDIS_MNEMONIC_XGETBV: return true;
    case ZYDIS_MNEMONIC_OR: return is_constant && value == -1;
    case ZYDIS_MNEMONIC_AND: return is_constant && value == 0;
    default: return clears(one);
  }
}

/// The vector registers that it needs. One that is written is left out, and one that is read twice (pcmpeqd: all ones);
/// with three operands the first source may be there for its upper part only.
uint32_t vectors_needed(const Decoded& one) {
  uint32_t all = 0, twice = 0;
  const bool three = one.instruction.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY;
  for (const ZydisDecodedOperand& operand : one.all()) {
    if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER || (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) == 0)
      continue;
    const uint32_t bit = bit_of(operand.reg.value) & kVectorBits;
    twice |= all & bit;
    if (three && bit != 0 && operand.id + 1 < one.instruction.operand_count_visible && operand.id != 0) continue;
    all |= bit;
  }
  return all & ~twice & ~written_by(one);
}

uint32_t needed_by(const Decoded& one) {
  if (may_ignore(one)) return 0;
  uint32_t all = vectors_needed(one);
  for (const ZydisDecodedOperand& operand : one.all()) {
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) all |= bit_of(operand.mem.base) | bit_of(operand.mem.index);
    if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER && (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0)
      all |= bit_of(operand.reg.value) & ~kVectorBits;
  }
  return all;
}

/// Whether the instruction saves a register, as a prologue does. An argument of a call is pushed from elsewhere.
bool saves(const Decoded& one) {
  const ZydisDecodedOperand& from = one.operands[0];
  if (one.instruction.mnemonic != ZYDIS_MNEMONIC_PUSH || from.type != ZYDIS_OPERAND_TYPE_REGISTER) return false;
  switch (from.reg.value) {
    case ZYDIS_REGISTER_RBP:
    case ZYDIS_REGISTER_RBX:
    case ZYDIS_REGISTER_R12:
    case ZYDIS_REGISTER_R13:
    case ZYDIS_REGISTER_R14:
    case ZYDIS_REGISTER_R15:
    case ZYDIS_REGISTER_RAX: return true;  // for the room
    default: return false;
  }
}

bool is_operation(const Decoded& one, ZydisMnemonic what, ZydisRegister to) {
  return one.instruction.mnemonic == what && one.operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
         one.operands[0].reg.value == to;
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

uint32_t bit_of(const sonde_location& part) {
  switch (part.kind) {
    case SONDE_LOCATION_VECTOR: return uint32_t{1} << (kFirstVector + part.base);
    case SONDE_LOCATION_REGISTER: return uint32_t{1} << part.base;
    case SONDE_LOCATION_MEMORY: return part.base == kStackPointer ? 0 : uint32_t{1} << part.base;
    default: return 0;
  }
}

uint32_t registers_needed(std::span<const uint8_t> code) {
  uint32_t needed = 0, written = 0;
  each_instruction(code, [&](const Decoded& one) {
    if (ends(one)) return false;
    needed |= needed_by(one) & ~written;
    written |= written_by(one);
    return true;
  });
  return needed;
}

std::optional<int64_t> frame_size(std::span<const uint8_t> code, uint32_t number) {
  int64_t size = kReturnAddress;
  std::optional<int64_t> by_base;
  each_instruction(code, [&](const Decoded& one) {
    if (saves(one)) {
      size += 8;
    } else if (is_operation(one, ZYDIS_MNEMONIC_MOV, ZYDIS_REGISTER_RBP) &&
               one.operands[1].reg.value == ZYDIS_REGISTER_RSP) {
      by_base = size;
    } else if (is_operation(one, ZYDIS_MNEMONIC_SUB, ZYDIS_REGISTER_RSP) ||
               is_operation(one, ZYDIS_MNEMONIC_ADD, ZYDIS_REGISTER_RSP)) {  // `add $-128` is shorter
      const int64_t bytes = one.operands[1].imm.value.s;
      size += one.instruction.mnemonic == ZYDIS_MNEMONIC_SUB ? bytes : -bytes;
      return false;
    } else {
      return one.instruction.mnemonic == ZYDIS_MNEMONIC_ENDBR64;
    }
    return true;
  });
  if (number == kBasePointer) return by_base;
  return number == kStackPointer && !by_base ? std::optional(size) : std::nullopt;
}

bool keeps_registers(std::span<const uint8_t> code, uint64_t size, uint32_t those) {
  uint64_t seen = 0;
  each_instruction(code, [&](const Decoded& one) {
    const bool may_leave = ends(one) || one.instruction.meta.category == ZYDIS_CATEGORY_COND_BR;
    if (seen >= size || may_leave || (written_by(one) & those) != 0) return false;
    seen += one.instruction.length;
    return true;
  });
  return seen == size;
}

}  // namespace sonde::pid
