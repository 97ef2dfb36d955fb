// SPDX-License-Identifier: GPL-3.0-or-later
// How the instruction under a breakpoint is passed is decided once, when it is decoded (decide):
//
//   emulated     the registers and the stack are changed here: one stop a hit
//   Slot         a copy is stepped at another address, adjusted if it is relative to rip: two stops
//   Impossible   no breakpoint: what it pushes, loads or returns to would show the program the slot or the step; or its
//                relative operand is not supported (loop, xbegin); or it cannot be decoded
//
// The instructions at which functions begin and end are emulated, because most probes are there.
//
// Invariant: emulate() does exactly what the processor does, flags included, or returns false and has changed nothing.
// It fails if memory cannot be accessed; then the real instruction is stepped, and raises the fault or makes the stack
// grow.
//
// The bytes behind the copy in a slot are int3, so a thread that is left there traps and does not run the rest of
// another copy.
#include "runtime/guard/arch/x86_64/instruction.h"

#include <Zydis/Zydis.h>

#include <bit>
#include <climits>
#include <cstring>

namespace sonde::guard {

namespace {

enum Flag : uint64_t { CF = 1, PF = 1 << 2, AF = 1 << 4, ZF = 1 << 6, SF = 1 << 7, OF = 1 << 11 };
constexpr uint64_t kArithmetic = CF | PF | AF | ZF | SF | OF;
constexpr uint8_t kNoRegister = 0xff;
constexpr uint8_t kRip = 0xfe;

/// The number of a 32- or 64-bit general register; kNoRegister for any other.
uint8_t number_of(ZydisRegister reg) {
  if (reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15) return static_cast<uint8_t>(reg - ZYDIS_REGISTER_RAX);
  if (reg >= ZYDIS_REGISTER_EAX && reg <= ZYDIS_REGISTER_R15D) return static_cast<uint8_t>(reg - ZYDIS_REGISTER_EAX);
  return kNoRegister;
}

uint64_t width_mask(uint8_t width) { return width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }

uint64_t result_flags(uint64_t value, uint8_t width) {
  value &= width_mask(width);
  uint64_t flags = 0;
  if (value == 0) flags |= ZF;
  if (value >> (width - 1) & 1) flags |= SF;
  if (std::popcount(value & 0xff) % 2 == 0) flags |= PF;
  return flags;
}

void set_flags(machine::Registers& regs, uint64_t flags) { regs.eflags = (regs.eflags & ~kArithmetic) | flags; }

/// A 32-bit write clears the upper half.
void set_register(machine::Registers& regs, uint8_t number, uint8_t width, uint64_t value) {
  machine_register(regs, number) = value & width_mask(width);
}

bool condition_holds(uint8_t condition, uint64_t flags) {
  const bool sign_differs = ((flags & SF) != 0) != ((flags & OF) != 0);
  bool holds = false;
  switch (condition >> 1) {
    case 0: holds = flags & OF; break;
    case 1: holds = flags & CF; break;
    case 2: holds = flags & ZF; break;
    case 3: holds = flags & (CF | ZF); break;
    case 4: holds = flags & SF; break;
    case 5: holds = flags & PF; break;
    case 6: holds = sign_differs; break;
    case 7: holds = sign_differs || (flags & ZF); break;
  }
  return holds != ((condition & 1) != 0);
}

bool push(machine::Registers& regs, uint64_t value, const Instruction::Write& write) {
  if (!write(regs.rsp - 8, &value, sizeof value)) return false;
  regs.rsp -= 8;
  return true;
}

bool pop(machine::Registers& regs, uint64_t& value, const Instruction::Read& read) {
  if (!read(regs.rsp, &value, sizeof value)) return false;
  regs.rsp += 8;
  return true;
}

}  // namespace

unsigned long long& machine_register(machine::Registers& regs, uint8_t number) {
  switch (number) {
    case 0: return regs.rax;
    case 1: return regs.rcx;
    case 2: return regs.rdx;
    case 3: return regs.rbx;
    case 4: return regs.rsp;
    case 5: return regs.rbp;
    case 6: return regs.rsi;
    case 7: return regs.rdi;
    case 8: return regs.r8;
    case 9: return regs.r9;
    case 10: return regs.r10;
    case 11: return regs.r11;
    case 12: return regs.r12;
    case 13: return regs.r13;
    case 14: return regs.r14;
    default: return regs.r15;
  }
}

uint64_t d_register(const machine::Registers& r, uint32_t number) {
  const unsigned long long all[] = {r.r15,    r.r14, r.r13, r.r12, r.rbp, r.rbx, r.r11, r.r10, r.r9,
                                    r.r8,     r.rax, r.rcx, r.rdx, r.rsi, r.rdi, 0,     r.rip, r.cs,
                                    r.eflags, r.rsp, r.ss,  r.ds,  r.es,  r.fs,  r.gs,  0};
  return number < std::size(all) ? all[number] : 0;
}

sonde_leave_state leave_state(const machine::Registers& regs) {
  sonde_leave_state state{};
  state.pc = regs.rip;
  state.flags = regs.eflags;
  auto& registers = const_cast<machine::Registers&>(regs);
  for (uint8_t number = 0; number < 16; number++) state.registers[number] = machine_register(registers, number);
  state.fs_base = regs.fs_base;
  state.gs_base = regs.gs_base;
  return state;
}

std::string instruction_text(const uint8_t* bytes, size_t length) {
  ZydisDecoder decoder;
  ZydisFormatter formatter;
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT);
  if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, bytes, length, &instruction, operands))) return "?";
  char text[128];
  if (ZYAN_FAILED(ZydisFormatterFormatInstruction(&formatter, &instruction, operands, instruction.operand_count_visible,
                                                  text, sizeof text, ZYDIS_RUNTIME_ADDRESS_NONE, nullptr)))
    return "?";
  return text;
}

/// Makes an Instruction from what Zydis has decoded.
struct InstructionDecoder {
  Instruction& out;
  const ZydisDecodedInstruction& in;
  const ZydisDecodedOperand* operands;

  using How = Instruction::How;

  bool reg(int n) const { return operands[n].type == ZYDIS_OPERAND_TYPE_REGISTER; }
  uint8_t reg_number(int n) const { return reg(n) ? number_of(operands[n].reg.value) : kNoRegister; }

  bool take_memory(int n) {
    if (operands[n].type != ZYDIS_OPERAND_TYPE_MEMORY) return false;
    const auto& mem = operands[n].mem;
    out.memory_.base = mem.base == ZYDIS_REGISTER_RIP ? kRip : number_of(mem.base);
    out.memory_.index = number_of(mem.index);
    out.memory_.scale = mem.scale;
    out.memory_.displacement = mem.disp.has_displacement ? mem.disp.value : 0;
    out.memory_.segment = mem.segment == ZYDIS_REGISTER_FS ? 1 : mem.segment == ZYDIS_REGISTER_GS ? 2 : 0;
    const bool base_known = mem.base == ZYDIS_REGISTER_NONE || out.memory_.base != kNoRegister;
    const bool index_known = mem.index == ZYDIS_REGISTER_NONE || out.memory_.index != kNoRegister;
    return base_known && index_known && in.address_width == 64;
  }

  /// Whether both operands are registers of 32 or 64 bits.
  bool two_registers() {
    if (in.operand_count_visible != 2) return false;
    out.target_ = reg_number(0);
    out.source_ = reg_number(1);
    out.width_ = static_cast<uint8_t>(operands[0].size);
    return out.target_ != kNoRegister && out.source_ != kNoRegister;
  }
  bool register_and_immediate() {
    if (in.operand_count_visible != 2 || operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE) return false;
    out.target_ = reg_number(0);
    out.width_ = static_cast<uint8_t>(operands[0].size);
    out.immediate_ = operands[1].imm.value.s;
    return out.target_ != kNoRegister;
  }
  bool one_register64() {
    out.target_ = reg_number(0);
    return in.operand_count_visible == 1 && reg(0) && operands[0].size == 64 && out.target_ != kNoRegister;
  }

  How branch() {
    const bool relative = operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operands[0].imm.is_relative;
    const bool call = in.mnemonic == ZYDIS_MNEMONIC_CALL;
    if (relative) {
      out.immediate_ = operands[0].imm.value.s;
      return call ? How::CallRelative : How::JumpRelative;
    }
    if (in.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR || operands[0].size != 64) return How::Impossible;
    out.by_register_ = reg(0);
    if (out.by_register_) out.target_ = reg_number(0);
    if (!out.by_register_ && !take_memory(0)) return How::Impossible;
    return call ? How::CallIndirect : How::JumpIndirect;
  }

  How conditional() {
    const bool near = in.opcode_map == ZYDIS_OPCODE_MAP_0F ? (in.opcode & 0xf0) == 0x80 : (in.opcode & 0xf0) == 0x70;
    if (!near) return How::Impossible;  // loop, jrcxz
    out.condition_ = in.opcode & 0x0f;
    out.immediate_ = operands[0].imm.value.s;
    return How::JumpIf;
  }

  How slot() {
    if (in.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) out.repeats_ = true;
    for (int n = 0; n < in.operand_count; n++) {
      const auto& operand = operands[n];
      if (operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand.imm.is_relative) return How::Impossible;
      if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || operand.mem.base != ZYDIS_REGISTER_RIP) continue;
      if (in.raw.disp.size != 32) return How::Impossible;
      out.displacement_at_ = in.raw.disp.offset;
      out.memory_.displacement = in.raw.disp.value;
    }
    return How::Slot;
  }

  How decide() {
    switch (in.mnemonic) {
      case ZYDIS_MNEMONIC_ENDBR64:
      case ZYDIS_MNEMONIC_NOP: return How::Nop;
      case ZYDIS_MNEMONIC_PUSH: return one_register64() ? How::Push : slot();
      case ZYDIS_MNEMONIC_POP: return one_register64() ? How::Pop : slot();
      case ZYDIS_MNEMONIC_LEAVE: return in.operand_width == 64 ? How::Leave : slot();
      case ZYDIS_MNEMONIC_SUB: return register_and_immediate() ? How::SubImmediate : slot();
      case ZYDIS_MNEMONIC_CMP: return register_and_immediate() ? How::CompareImmediate : slot();
      case ZYDIS_MNEMONIC_MOV:
        if (two_registers()) return How::MoveRegister;
        return register_and_immediate() ? How::MoveImmediate : slot();
      case ZYDIS_MNEMONIC_XOR: return two_registers() && out.target_ == out.source_ ? How::XorSelf : slot();
      case ZYDIS_MNEMONIC_TEST: return two_registers() ? How::Test : slot();
      case ZYDIS_MNEMONIC_LEA:
        out.target_ = reg_number(0);
        out.width_ = static_cast<uint8_t>(operands[0].size);
        if (out.target_ == kNoRegister || !take_memory(1)) return slot();
        out.memory_.segment = 0;  // lea ignores the segment
        return How::Lea;
      case ZYDIS_MNEMONIC_JMP:
      case ZYDIS_MNEMONIC_CALL: return branch();
      case ZYDIS_MNEMONIC_RET:
        if (in.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR) return How::Impossible;
        out.immediate_ =
            operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? static_cast<int64_t>(operands[0].imm.value.u) : 0;
        return How::Return;
      // The values that these push, load or return to would show the slot or the step to the program.
      case ZYDIS_MNEMONIC_SYSCALL:
      case ZYDIS_MNEMONIC_SYSENTER:
      case ZYDIS_MNEMONIC_INT:
      case ZYDIS_MNEMONIC_INT1:
      case ZYDIS_MNEMONIC_INT3:
      case ZYDIS_MNEMONIC_PUSHF:
      case ZYDIS_MNEMONIC_PUSHFQ:
      case ZYDIS_MNEMONIC_POPF:
      case ZYDIS_MNEMONIC_POPFQ:
      case ZYDIS_MNEMONIC_IRETQ:
      case ZYDIS_MNEMONIC_XBEGIN: return How::Impossible;
      default: break;
    }
    return in.meta.category == ZYDIS_CATEGORY_COND_BR ? conditional() : slot();
  }
};

Instruction::Instruction(uint64_t address, const uint8_t* bytes, size_t length) : address_(address) {
  ZydisDecoder decoder;
  ZydisDecodedInstruction decoded;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  if (length > 0) bytes_[0] = bytes[0];
  if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, bytes, length, &decoded, operands))) return;
  if (decoded.length > 15) return;
  length_ = decoded.length;
  std::memcpy(bytes_.data(), bytes, length_);
  how_ = InstructionDecoder{*this, decoded, operands}.decide();
}

std::optional<uint64_t> Instruction::target() const {
  if (how_ != How::JumpRelative && how_ != How::JumpIf && how_ != How::CallRelative) return std::nullopt;
  return address_ + length_ + static_cast<uint64_t>(immediate_);
}

bool Instruction::copy_to(uint64_t slot, std::array<uint8_t, kSlotBytes>& to) const {
  to.fill(machine::kBreakpoint);
  std::memcpy(to.data(), bytes_.data(), length_);
  if (displacement_at_ == 0) return true;
  const int64_t displacement = memory_.displacement + static_cast<int64_t>(address_ - slot);
  if (displacement < INT32_MIN || displacement > INT32_MAX) return false;
  const auto narrow = static_cast<int32_t>(displacement);
  std::memcpy(to.data() + displacement_at_, &narrow, sizeof narrow);
  return true;
}

uint64_t Instruction::effective(const machine::Registers& regs) const {
  auto& r = const_cast<machine::Registers&>(regs);
  uint64_t address = static_cast<uint64_t>(memory_.displacement);
  if (memory_.base == kRip)
    address += address_ + length_;
  else if (memory_.base != kNoRegister)
    address += machine_register(r, memory_.base);
  if (memory_.index != kNoRegister) address += machine_register(r, memory_.index) * memory_.scale;
  if (memory_.segment == 1) address += regs.fs_base;
  if (memory_.segment == 2) address += regs.gs_base;
  return address;
}

bool Instruction::indirect_target(const machine::Registers& regs, const Read& read, uint64_t& to) const {
  if (!by_register_) return read(effective(regs), &to, sizeof to);
  to = machine_register(const_cast<machine::Registers&>(regs), target_);
  return true;
}

bool Instruction::emulate_branch(machine::Registers& regs, const Read& read, const Write& write) const {
  const uint64_t next = address_ + length_;
  uint64_t to = next + static_cast<uint64_t>(immediate_);
  switch (how_) {
    case How::JumpRelative: break;
    case How::JumpIf:
      if (!condition_holds(condition_, regs.eflags)) to = next;
      break;
    case How::CallRelative:
      if (!push(regs, next, write)) return false;
      break;
    case How::JumpIndirect:
      if (!indirect_target(regs, read, to)) return false;
      break;
    case How::CallIndirect:
      if (!indirect_target(regs, read, to) || !push(regs, next, write)) return false;
      break;
    case How::Return:
      if (!pop(regs, to, read)) return false;
      regs.rsp += static_cast<uint64_t>(immediate_);
      break;
    default: return false;
  }
  regs.rip = to;
  return true;
}

bool Instruction::emulate(machine::Registers& regs, const Read& read, const Write& write) const {
  uint64_t value = 0;
  switch (how_) {
    case How::Impossible:
    case How::Slot: return false;
    case How::Nop: break;
    case How::Push:
      if (!push(regs, machine_register(regs, target_), write)) return false;
      break;
    case How::Pop:
      if (!pop(regs, value, read)) return false;
      machine_register(regs, target_) = value;
      break;
    case How::Leave:
      if (!read(regs.rbp, &value, sizeof value)) return false;
      regs.rsp = regs.rbp + 8;
      regs.rbp = value;
      break;
    case How::SubImmediate:
    case How::CompareImmediate: {
      const uint64_t mask = width_mask(width_), a = machine_register(regs, target_) & mask;
      const uint64_t b = static_cast<uint64_t>(immediate_) & mask, difference = (a - b) & mask;
      uint64_t flags = result_flags(difference, width_);
      if (a < b) flags |= CF;
      if ((a ^ b ^ difference) & 0x10) flags |= AF;
      if ((a ^ b) & (a ^ difference) & (uint64_t{1} << (width_ - 1))) flags |= OF;
      if (how_ == How::SubImmediate) set_register(regs, target_, width_, difference);
      set_flags(regs, flags);
      break;
    }
    case How::MoveRegister: set_register(regs, target_, width_, machine_register(regs, source_)); break;
    case How::MoveImmediate: set_register(regs, target_, width_, static_cast<uint64_t>(immediate_)); break;
    case How::XorSelf:
      machine_register(regs, target_) = 0;
      set_flags(regs, ZF | PF);
      break;
    case How::Test:
      set_flags(regs, result_flags(machine_register(regs, target_) & machine_register(regs, source_), width_));
      break;
    case How::Lea: set_register(regs, target_, width_, effective(regs)); break;
    case How::JumpRelative:
    case How::JumpIf:
    case How::CallRelative:
    case How::JumpIndirect:
    case How::CallIndirect:
    case How::Return: return emulate_branch(regs, read, write);
  }
  regs.rip = address_ + length_;
  return true;
}

}  // namespace sonde::guard
