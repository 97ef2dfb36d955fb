// SPDX-License-Identifier: GPL-3.0-or-later
// Jump tables
//
// If all entries of a jump's table are inside the function, the jump stays in it and needs no breakpoint. The
// instructions before the jump are interpreted, register by register:
//
//   cmp $n, i; ja out      i: Index, at most n             jmp *table(,i,8)      a Pointer
//   lea table(%rip), b     b: Table                        movslq (b,i,4), o     o: Offset
//                                                          add b, o; jmp *o      o: Target
//
// Invariant: a bound is never too small. Whatever is not recognised makes its register Unknown, and a jump by Unknown
// has no table: its operand decides at each firing (leave_by_operand). A bound on only some of the bits is no bound.
#include "runtime/code/instructions.h"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace sonde {

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

/// The number of a 64-bit register in instructions.
uint8_t register_number(ZydisRegister reg) {
  if (reg == ZYDIS_REGISTER_RIP) return SONDE_LEAVE_RIP;
  if (reg < ZYDIS_REGISTER_RAX || reg > ZYDIS_REGISTER_R15) return SONDE_LEAVE_NO_REGISTER;
  return static_cast<uint8_t>(reg - ZYDIS_REGISTER_RAX);
}

/// Whether the two bytes before a 32-bit displacement may be a jump's opcode.
bool is_jump_opcode(uint8_t before, uint8_t last) { return last == 0xe9 || (before == 0x0f && (last & 0xf0) == 0x80); }

int32_t displacement_at(const uint8_t* at) {
  int32_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
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

std::vector<uint64_t> addresses_loaded(std::span<const uint8_t> code, uint64_t address) {
  const ZydisDecoder decoder = make_decoder();
  std::vector<uint64_t> found;
  for (size_t at = 0; at < code.size();) {
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data() + at, code.size() - at, &instruction, operands)))
      break;
    uint64_t target = 0;
    if (instruction.mnemonic == ZYDIS_MNEMONIC_LEA && operands[1].mem.base == ZYDIS_REGISTER_RIP) {
      target = address + at + instruction.length + static_cast<uint64_t>(operands[1].mem.disp.value);
    } else if (instruction.mnemonic == ZYDIS_MNEMONIC_MOV && operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
      target = operands[1].imm.value.u;
    }
    if (target != 0) found.push_back(target);
    at += instruction.length;
  }
  return found;
}

std::optional<FieldPath> field_path(std::span<const uint8_t> code) {
  const ZydisDecoder decoder = make_decoder();
  // The register that the path has led to, and the one that was tested for null.
  ZydisRegister where = ZYDIS_REGISTER_RDI, tested = ZYDIS_REGISTER_NONE;
  FieldPath path;
  for (size_t at = 0; at < code.size();) {
    ZydisDecodedInstruction in;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data() + at, code.size() - at, &in, operands))) break;
    at += in.length;
    const ZydisDecodedOperandMem& memory = operands[1].mem;
    const bool plain = operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                       operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY && memory.base == where &&
                       memory.index == ZYDIS_REGISTER_NONE && memory.segment != ZYDIS_REGISTER_FS &&
                       !(path.loads && path.size != sizeof(uint64_t));
    if (in.mnemonic == ZYDIS_MNEMONIC_ENDBR64 || in.mnemonic == ZYDIS_MNEMONIC_NOP) continue;
    if (in.mnemonic == ZYDIS_MNEMONIC_RET) {
      const bool returned = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, where) == ZYDIS_REGISTER_RAX;
      return returned && !path.offsets.empty() ? std::optional(path) : std::nullopt;
    }
    if ((in.mnemonic == ZYDIS_MNEMONIC_MOV || in.mnemonic == ZYDIS_MNEMONIC_LEA) && plain) {
      if (!path.offsets.empty() && !path.loads) return std::nullopt;  // an address is computed in two steps
      path.offsets.push_back(memory.disp.value);
      path.loads = in.mnemonic == ZYDIS_MNEMONIC_MOV;
      path.size = operands[1].size / 8;
      where = operands[0].reg.value;
    } else if (in.mnemonic == ZYDIS_MNEMONIC_TEST && operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
               operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER && operands[0].reg.value == where &&
               operands[1].reg.value == where) {
      tested = where;
    } else if (in.mnemonic != ZYDIS_MNEMONIC_JZ || tested != where || where != ZYDIS_REGISTER_RAX) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool may_jump_to_start(std::span<const uint8_t> code) {
  const auto size = static_cast<int64_t>(code.size());
  for (int64_t at = 1; at < std::min<int64_t>(size, 128); at++) {
    const uint8_t opcode = code[at - 1];
    if (static_cast<int8_t>(code[at]) + at + 1 == 0 && (opcode == 0xeb || (opcode & 0xf0) == 0x70)) return true;
  }
  const uint8_t* bytes = code.data();
  for (int64_t at = 1; at + 4 <= size; at++) {
    if (displacement_at(bytes + at) + at + 4 != 0) continue;
    if (is_jump_opcode(at > 1 ? bytes[at - 2] : 0, bytes[at - 1])) return true;
  }
  return false;
}

void for_each_jump(std::span<const uint8_t> code, const std::function<void(int64_t)>& act) {
  for (size_t at = 1; at + 4 <= code.size(); at++) {
    if (is_jump_opcode(at > 1 ? code[at - 2] : 0, code[at - 1]))
      act(static_cast<int64_t>(at) + 4 + displacement_at(&code[at]));
  }
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

namespace {

constexpr size_t kMostLookedAt = 16;  ///< instructions before the jump that are interpreted
constexpr uint64_t kMostEntries = 65536;

/// What is known about a register at some instruction before the jump.
struct Value {
  enum class Kind : uint8_t { Unknown, Table, Index, Offset, Pointer, Target } kind = Kind::Unknown;
  uint8_t bits = 64;   ///< of an Index: how many low bits are bounded
  uint64_t table = 0;  ///< its address; for Offset, Pointer and Target, too
  uint64_t most = 0;   ///< of the index

  bool is_index() const { return kind == Kind::Index && bits == 64; }
};

class TableFinder {
 public:
  explicit TableFinder(uint64_t address) : address_(address) {}

  void follow(std::span<const uint8_t> code, const Instruction& one) {
    if (!decode(code, one)) return forget();
    if (in_.meta.category == ZYDIS_CATEGORY_COND_BR) return bound();
    const Value value = result();
    note_comparison();
    for (int n = 0; n < in_.operand_count; n++) {
      const auto& operand = operands_[n];
      const bool writes = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
      if (!writes) continue;
      if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) memory_known_ = false;
      if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER) continue;
      const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operand.reg.value);
      if (whole == memory_.base || whole == memory_.index) memory_known_ = false;
      if (Value* known = value_of(operand.reg.value)) *known = n == 0 ? value : Value{};
    }
  }

  std::optional<TableJump> jump(std::span<const uint8_t> code, const Instruction& one) {
    if (!decode(code, one)) return std::nullopt;
    Value to;
    if (operands_[0].type == ZYDIS_OPERAND_TYPE_REGISTER && value_of(operands_[0].reg.value) != nullptr)
      to = *value_of(operands_[0].reg.value);
    if (operands_[0].type == ZYDIS_OPERAND_TYPE_MEMORY) to = load(operands_[0], 8);
    const bool known = to.kind == Value::Kind::Target || to.kind == Value::Kind::Pointer;
    if (!known || to.most >= kMostEntries) return std::nullopt;
    return TableJump{to.table, static_cast<uint32_t>(to.most + 1), to.kind == Value::Kind::Pointer};
  }

 private:
  bool decode(std::span<const uint8_t> code, const Instruction& one) {
    static const ZydisDecoder decoder = make_decoder();
    next_ = address_ + one.end();
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data() + one.at, one.length, &in_, operands_));
  }

  void forget() {
    values_ = {};
    memory_known_ = false;
    compared_ = nullptr;
    compared_memory_ = false;
  }

  Value* value_of(ZydisRegister reg) {
    const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    const uint8_t number = register_number(whole);
    return number < values_.size() ? &values_[number] : nullptr;
  }

  Value source(int n) {
    const auto& operand = operands_[n];
    if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER || is_high_byte(operand.reg.value)) return {};
    const Value* known = value_of(operand.reg.value);
    return known == nullptr ? Value{} : *known;
  }

  static bool is_high_byte(ZydisRegister reg) { return reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH; }

  static Value index(uint64_t most, uint8_t bits = 64) { return {Value::Kind::Index, bits, 0, most}; }

  /// The value of the first operand after the instruction.
  Value result() {
    const auto& to = operands_[0];
    if (to.type != ZYDIS_OPERAND_TYPE_REGISTER || in_.operand_count_visible < 2) return {};
    const bool wide = to.size == 64, zeroes = to.size == 32;  // writing 32 bits clears the others
    const auto& from = operands_[1];
    switch (in_.mnemonic) {
      case ZYDIS_MNEMONIC_LEA:
        if (wide && from.mem.base == ZYDIS_REGISTER_RIP)
          return {Value::Kind::Table, 64, next_ + static_cast<uint64_t>(from.mem.disp.value), 0};
        return {};
      case ZYDIS_MNEMONIC_MOV:
        if (from.type == ZYDIS_OPERAND_TYPE_MEMORY) return wide ? load(from, 8) : zeroes ? bounded(from) : Value{};
        return wide ? source(1) : zeroes ? narrowed(source(1), 32) : Value{};
      case ZYDIS_MNEMONIC_MOVZX:
        if (!wide && !zeroes) return {};
        if (from.type == ZYDIS_OPERAND_TYPE_REGISTER && !is_high_byte(from.reg.value) &&
            narrowed(source(1), from.size).is_index())
          return narrowed(source(1), from.size);
        return index((uint64_t{1} << from.size) - 1);
      case ZYDIS_MNEMONIC_MOVSXD:
        if (!wide) return {};
        if (from.type == ZYDIS_OPERAND_TYPE_MEMORY) return load(from, 4);
        return source(1).most <= INT32_MAX ? narrowed(source(1), 32) : Value{};
      case ZYDIS_MNEMONIC_AND:
        if ((wide || zeroes) && from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && from.imm.value.s >= 0)
          return index(from.imm.value.u);
        return {};
      case ZYDIS_MNEMONIC_ADD: return wide ? sum(source(0), source(1)) : Value{};
      default: return {};
    }
  }

  /// The low `bits` of a value; the others are zero.
  static Value narrowed(const Value& value, unsigned bits) {
    return value.kind == Value::Kind::Index && value.bits >= bits ? index(value.most) : Value{};
  }

  static Value sum(const Value& a, const Value& b) {
    const bool offset_first = a.kind == Value::Kind::Offset && b.kind == Value::Kind::Table;
    const bool offset_last = b.kind == Value::Kind::Offset && a.kind == Value::Kind::Table;
    if ((!offset_first && !offset_last) || a.table != b.table) return {};
    return {Value::Kind::Target, 64, a.table, std::max(a.most, b.most)};
  }

  /// An entry of a table: 4 bytes are an offset, 8 a pointer.
  Value load(const ZydisDecodedOperand& from, uint8_t size) {
    const auto& memory = from.mem;
    if (memory.segment == ZYDIS_REGISTER_FS || memory.segment == ZYDIS_REGISTER_GS || memory.scale != size) return {};
    const Value* at = memory.index == ZYDIS_REGISTER_NONE ? nullptr : value_of(memory.index);
    if (at == nullptr || !at->is_index()) return {};
    uint64_t table = static_cast<uint64_t>(memory.disp.value);
    if (memory.base != ZYDIS_REGISTER_NONE) {
      const Value* base = value_of(memory.base);
      if (base == nullptr || base->kind != Value::Kind::Table) return {};
      table += base->table;
    }
    return {size == 4 ? Value::Kind::Offset : Value::Kind::Pointer, 64, table, at->most};
  }

  /// A value loaded from memory that was compared before: it has the bound of that comparison.
  Value bounded(const ZydisDecodedOperand& from) const {
    return memory_known_ && same_place(from.mem) && from.size == 32 ? index(memory_most_) : Value{};
  }
  bool same_place(const ZydisDecodedOperandMem& other) const {
    return memory_.base == other.base && memory_.index == other.index && memory_.scale == other.scale &&
           memory_.disp.value == other.disp.value && memory_.segment == other.segment;
  }

  void note_comparison() {
    const bool keeps_flags = in_.mnemonic == ZYDIS_MNEMONIC_MOV || in_.mnemonic == ZYDIS_MNEMONIC_LEA ||
                             in_.mnemonic == ZYDIS_MNEMONIC_MOVZX || in_.mnemonic == ZYDIS_MNEMONIC_MOVSXD;
    if (keeps_flags) {
      if (compared_ != nullptr && value_of(operands_[0].reg.value) == compared_) compared_ = nullptr;
      return;
    }
    compared_ = nullptr;
    compared_memory_ = false;
    if (in_.mnemonic != ZYDIS_MNEMONIC_CMP || operands_[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE) return;
    limit_ = operands_[1].imm.value.u;
    width_ = static_cast<uint8_t>(operands_[0].size);
    if (limit_ >= kMostEntries || operands_[1].imm.value.s < 0) return;
    if (operands_[0].type == ZYDIS_OPERAND_TYPE_REGISTER && !is_high_byte(operands_[0].reg.value))
      compared_ = value_of(operands_[0].reg.value);
    if (operands_[0].type == ZYDIS_OPERAND_TYPE_MEMORY && width_ == 32) {
      memory_ = operands_[0].mem;
      memory_known_ = false;
      compared_memory_ = true;
    }
  }

  /// The branch was not taken, so the comparison before it gives a bound.
  void bound() {
    const bool above = in_.mnemonic == ZYDIS_MNEMONIC_JNBE, not_below = in_.mnemonic == ZYDIS_MNEMONIC_JNB;
    if (!above && !(not_below && limit_ > 0)) return;
    const uint64_t most = above ? limit_ : limit_ - 1;
    if (compared_ != nullptr) *compared_ = index(most, width_);
    if (!compared_memory_) return;
    memory_known_ = true;
    memory_most_ = most;
  }

  uint64_t address_, next_ = 0;
  ZydisDecodedInstruction in_{};
  ZydisDecodedOperand operands_[ZYDIS_MAX_OPERAND_COUNT]{};
  std::array<Value, 16> values_{};
  Value* compared_ = nullptr;  ///< the register of the last comparison
  bool compared_memory_ = false;
  uint64_t limit_ = 0;
  uint8_t width_ = 0;
  ZydisDecodedOperandMem memory_{};  ///< the memory of the last comparison
  bool memory_known_ = false;
  uint64_t memory_most_ = 0;
};

}  // namespace

std::optional<TableJump> table_jump(std::span<const uint8_t> code, uint64_t address, std::span<const Instruction> all,
                                    size_t jump, const std::function<bool(uint32_t)>& joins) {
  size_t first = jump;
  while (first > 0 && jump - first < kMostLookedAt && !joins(all[first].at)) {
    const Flow before = all[first - 1].flow;
    if (before != Flow::On && before != Flow::JumpIf) break;
    first--;
  }
  TableFinder finder(address);
  for (size_t at = first; at < jump; at++) finder.follow(code, all[at]);
  return finder.jump(code, all[jump]);
}

}  // namespace sonde
