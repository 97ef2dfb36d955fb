// SPDX-License-Identifier: GPL-3.0-or-later
// How the instruction under a breakpoint is passed is decided once, when it is decoded (decide):
//
//   emulated     the registers and the stack are changed here: one stop a hit
//   Slot         a copy is stepped at another address: two stops. If it is relative to rip, its displacement is adjusted,
//                or, where the slot is too far away, rip replaced by a register that the instruction does not use
//   Impossible   no breakpoint: what it pushes, loads or returns to would show the program the slot or the step; or its
//                relative operand is not supported (loop, xbegin); or it cannot be decoded
//
// The instructions at which functions begin and end are emulated, because most probes are there. Those that load from
// memory are; those that store are not, except to the stack: the kernel may store byte by byte, and another thread would
// see a value that was never there.
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
#include <utility>

namespace sonde::guard {

namespace {

enum Flag : uint64_t { CF = 1, PF = 1 << 2, AF = 1 << 4, ZF = 1 << 6, SF = 1 << 7, OF = 1 << 11 };
constexpr uint64_t kArithmetic = CF | PF | AF | ZF | SF | OF;
constexpr uint8_t kNoRegister = 0xff;
constexpr uint8_t kRip = 0xfe;
constexpr uint8_t kStackPointer = 4, kFramePointer = 5;

/// The number of a general register; kNoRegister for any other, and for ah, ch, dh and bh.
uint8_t number_of(ZydisRegister reg) {
  if (reg >= ZYDIS_REGISTER_AL && reg <= ZYDIS_REGISTER_BL) return static_cast<uint8_t>(reg - ZYDIS_REGISTER_AL);
  if (reg >= ZYDIS_REGISTER_SPL && reg <= ZYDIS_REGISTER_R15B)
    return static_cast<uint8_t>(reg - ZYDIS_REGISTER_SPL + 4);
  if (reg >= ZYDIS_REGISTER_AX && reg <= ZYDIS_REGISTER_R15W) return static_cast<uint8_t>(reg - ZYDIS_REGISTER_AX);
  if (reg >= ZYDIS_REGISTER_EAX && reg <= ZYDIS_REGISTER_R15D) return static_cast<uint8_t>(reg - ZYDIS_REGISTER_EAX);
  if (reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15) return static_cast<uint8_t>(reg - ZYDIS_REGISTER_RAX);
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

/// A 32-bit write clears the upper half; a narrower one keeps what is above it.
void set_register(machine::Registers& regs, uint8_t number, uint8_t width, uint64_t value) {
  unsigned long long& to = machine_register(regs, number);
  const uint64_t kept = width < 32 ? to & ~width_mask(width) : 0;
  to = kept | (value & width_mask(width));
}

uint64_t sum_flags(uint64_t a, uint64_t b, uint64_t sum, uint8_t width) {
  uint64_t flags = result_flags(sum, width);
  if (sum < a) flags |= CF;
  if ((a ^ b ^ sum) & 0x10) flags |= AF;
  if ((a ^ sum) & (b ^ sum) & (uint64_t{1} << (width - 1))) flags |= OF;
  return flags;
}

uint64_t difference_flags(uint64_t a, uint64_t b, uint64_t difference, uint8_t width) {
  uint64_t flags = result_flags(difference, width);
  if (a < b) flags |= CF;
  if ((a ^ b ^ difference) & 0x10) flags |= AF;
  if ((a ^ b) & (a ^ difference) & (uint64_t{1} << (width - 1))) flags |= OF;
  return flags;
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
  using Op = Instruction::Op;

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

  bool take_operand(int n, uint8_t& number) {
    number = reg_number(n);
    out.reads_memory_ |= operands[n].type == ZYDIS_OPERAND_TYPE_MEMORY;
    return number != kNoRegister || take_memory(n);
  }

  /// An instruction of two operands that changes no memory: see Instruction::Op.
  How compute(Instruction::Op op, bool only_flags = false) {
    const bool constant = operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    const bool stores = operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY && !only_flags;
    if (in.operand_count_visible != 2 || stores || (in.attributes & ZYDIS_ATTRIB_HAS_LOCK)) return slot();
    if (!take_operand(0, out.target_) || (!constant && !take_operand(1, out.source_))) return slot();
    // Where the memory cannot be read, its copy is stepped.
    if (out.reads_memory_ && slot() == How::Impossible) return How::Impossible;
    out.op_ = op;
    out.only_flags_ = only_flags;
    out.has_immediate_ = constant;
    out.width_ = static_cast<uint8_t>(operands[0].size);
    out.source_width_ = constant ? out.width_ : static_cast<uint8_t>(operands[1].size);
    if (constant) out.immediate_ = operands[1].imm.value.s;
    return How::Compute;
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

  bool uses(uint8_t number) const {
    for (int n = 0; n < in.operand_count; n++) {
      const auto is = [number](ZydisRegister reg) {
        const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
        return whole == static_cast<ZydisRegister>(ZYDIS_REGISTER_RAX + number);
      };
      const auto& operand = operands[n];
      if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER && is(operand.reg.value)) return true;
      if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY && (is(operand.mem.base) || is(operand.mem.index))) return true;
    }
    return false;
  }

  /// Finds a register that can take the place of rip, and makes the bytes of the instruction that uses it: the operand
  /// keeps its displacement of 32 bits. Only registers 0 to 7: their fourth bit, in a prefix, is 0.
  void address_by_spare() {
    for (const uint8_t number : {6, 7, 3, 2, 1, 0}) {
      if (uses(number)) continue;
      auto& bytes = out.by_spare_;
      bytes = out.bytes_;
      bytes[in.raw.modrm.offset] = static_cast<uint8_t>(0x80 | (bytes[in.raw.modrm.offset] & 0x38) | number);
      switch (in.encoding) {
        case ZYDIS_INSTRUCTION_ENCODING_LEGACY:
          if (in.attributes & ZYDIS_ATTRIB_HAS_REX) bytes[in.raw.rex.offset] &= 0xfe;
          break;
        case ZYDIS_INSTRUCTION_ENCODING_VEX:
          if (in.raw.vex.size == 3) bytes[in.raw.vex.offset + 1] |= 0x20;
          break;
        case ZYDIS_INSTRUCTION_ENCODING_EVEX: bytes[in.raw.evex.offset + 1] |= 0x20; break;
        case ZYDIS_INSTRUCTION_ENCODING_XOP: bytes[in.raw.xop.offset + 1] |= 0x20; break;
        default: return;
      }
      out.spare_ = number;
      return;
    }
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
      address_by_spare();
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
      case ZYDIS_MNEMONIC_MOV:
      case ZYDIS_MNEMONIC_MOVZX: return compute(Op::Move);
      case ZYDIS_MNEMONIC_MOVSX:
      case ZYDIS_MNEMONIC_MOVSXD: return compute(Op::MoveSigned);
      case ZYDIS_MNEMONIC_ADD: return compute(Op::Add);
      case ZYDIS_MNEMONIC_SUB: return compute(Op::Sub);
      case ZYDIS_MNEMONIC_CMP: return compute(Op::Sub, true);
      case ZYDIS_MNEMONIC_AND: return compute(Op::And);
      case ZYDIS_MNEMONIC_TEST: return compute(Op::And, true);
      case ZYDIS_MNEMONIC_OR: return compute(Op::Or);
      case ZYDIS_MNEMONIC_XOR: return compute(Op::Xor);
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

bool Instruction::reaches(uint64_t slot, int32_t& displacement) const {
  const int64_t there = memory_.displacement + static_cast<int64_t>(address_ - slot);
  displacement = static_cast<int32_t>(there);
  return displacement == there;
}

bool Instruction::copy_to(uint64_t slot, std::array<uint8_t, kSlotBytes>& to) const {
  int32_t displacement = 0;
  const bool relative = displacement_at_ != 0, near = relative && reaches(slot, displacement);
  if (relative && !near && spare_ == kNoRegister) return false;
  to.fill(machine::kBreakpoint);
  std::memcpy(to.data(), relative && !near ? by_spare_.data() : bytes_.data(), length_);
  if (near) std::memcpy(to.data() + displacement_at_, &displacement, sizeof displacement);
  return true;
}

std::optional<BorrowedRegister> Instruction::borrow(uint64_t slot, machine::Registers& regs) const {
  int32_t displacement = 0;
  if (displacement_at_ == 0 || reaches(slot, displacement)) return std::nullopt;
  const uint64_t own = std::exchange(machine_register(regs, spare_), address_ + length_);
  return BorrowedRegister{spare_, own};
}

void BorrowedRegister::give_back(machine::Registers& regs) const { machine_register(regs, number) = value; }

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

/// Other threads may store to it meanwhile, and the kernel may copy byte by byte: two reads must agree, or it is not
/// known what the instruction would have loaded. Nobody else stores to the thread's own stack.
bool Instruction::read_memory(const machine::Registers& regs, const Read& read, uint64_t& value) const {
  const uint64_t address = effective(regs);
  const uint8_t bytes = (target_ == kNoRegister ? width_ : source_width_) / 8;
  const bool on_stack = memory_.base == kStackPointer || memory_.base == kFramePointer;
  uint64_t again = 0;
  if (!read(address, &value, bytes)) return false;
  return bytes == 1 || on_stack || (read(address, &again, bytes) && again == value);
}

bool Instruction::compute(machine::Registers& regs, const Read& read) const {
  uint64_t memory = 0, result = 0, flags = regs.eflags & kArithmetic;
  if (reads_memory_ && !read_memory(regs, read, memory)) return false;
  const uint64_t mask = width_mask(width_);
  const uint64_t a = (target_ != kNoRegister ? machine_register(regs, target_) : memory) & mask;
  uint64_t b = has_immediate_ ? static_cast<uint64_t>(immediate_)
                              : (source_ != kNoRegister ? machine_register(regs, source_) : memory);
  b &= width_mask(source_width_);
  switch (op_) {
    case Op::Move: result = b; break;
    case Op::MoveSigned: {
      const int above = 64 - source_width_;
      result = static_cast<uint64_t>(static_cast<int64_t>(b << above) >> above);
      break;
    }
    case Op::Add: result = (a + b) & mask; break;
    case Op::Sub: result = (a - b) & mask; break;
    case Op::And: result = a & b; break;
    case Op::Or: result = a | b; break;
    case Op::Xor: result = a ^ b; break;
  }
  if (op_ == Op::Add)
    flags = sum_flags(a, b, result, width_);
  else if (op_ == Op::Sub)
    flags = difference_flags(a, b, result, width_);
  else if (op_ >= Op::And)
    flags = result_flags(result, width_);
  if (!only_flags_) set_register(regs, target_, width_, result);
  set_flags(regs, flags);
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
    case How::Compute:
      if (!compute(regs, read)) return false;
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
