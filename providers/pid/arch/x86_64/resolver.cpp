// SPDX-License-Identifier: GPL-3.0-or-later
// An interpreter for the few instructions that resolvers consist of
//
//   code, data of the process --> registers, flags, a stack of its own --> rax at the last ret
//                                  stores go to stored_, and are read back from there
//
// Invariant: what is not modelled exactly fails the whole run: an unknown instruction or register, unknown memory,
// thread-local memory (fs, gs), a loop beyond kMostInstructions. No answer is better than a wrong one: the caller has
// other ways.
#include "providers/pid/resolver.h"

#include <Zydis/Zydis.h>

#include <array>
#include <bit>
#include <map>

namespace sonde::pid {
namespace {

constexpr int kMostInstructions = 20'000;
constexpr uint64_t kStack = 0x7fff'ffff'0000;  // of the interpreter itself: the process is not read there
constexpr uint64_t kStackBytes = 64 << 10;
constexpr uint64_t kReturn = UINT64_MAX;  // the resolver's return address
constexpr int kStackPointer = 4;

uint64_t cut(uint64_t value, unsigned bits) { return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1); }

class Interpreter {
 public:
  Interpreter(const ReadCode& code, const ReadData& data) : code_(code), data_(data) {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  }

  std::optional<uint64_t> run(uint64_t entry) {
    registers_[kStackPointer] = kStack;
    push(kReturn);
    pc_ = entry;
    for (int i = 0; i < kMostInstructions && !failed_; i++) {
      if (pc_ == kReturn) return registers_[0];
      step();
    }
    return std::nullopt;
  }

 private:
  struct Flags {
    bool zero = false, sign = false, carry = false, overflow = false, parity = false;
  };

  void step() {
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    const size_t length = code_(pc_, bytes, sizeof bytes);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder_, bytes, length, &instruction_, operands_.data()))) {
      failed_ = true;
      return;
    }
    pc_ += instruction_.length;
    execute();
  }

  void execute() {
    switch (instruction_.mnemonic) {
      case ZYDIS_MNEMONIC_NOP:
      case ZYDIS_MNEMONIC_ENDBR64: return;
      case ZYDIS_MNEMONIC_MOV:
      case ZYDIS_MNEMONIC_MOVZX: return set(0, get(1));
      case ZYDIS_MNEMONIC_MOVSX:
      case ZYDIS_MNEMONIC_MOVSXD: return set(0, extended(1));
      case ZYDIS_MNEMONIC_LEA: return set(0, address_of(operands_[1]));
      case ZYDIS_MNEMONIC_AND: return set(0, logic(get(0) & source()));
      case ZYDIS_MNEMONIC_OR: return set(0, logic(get(0) | source()));
      case ZYDIS_MNEMONIC_XOR: return set(0, logic(get(0) ^ source()));
      case ZYDIS_MNEMONIC_TEST: logic(get(0) & source()); return;
      case ZYDIS_MNEMONIC_NOT: return set(0, ~get(0));
      case ZYDIS_MNEMONIC_SUB: return set(0, subtract(get(0), source()));
      case ZYDIS_MNEMONIC_CMP: subtract(get(0), source()); return;
      case ZYDIS_MNEMONIC_ADD: return set(0, add(get(0), source()));
      case ZYDIS_MNEMONIC_SHL: return shift(true);
      case ZYDIS_MNEMONIC_SHR: return shift(false);
      case ZYDIS_MNEMONIC_BT: flags_.carry = get(0) >> (get(1) % width()) & 1; return;
      case ZYDIS_MNEMONIC_PUSH: return push(extended(0));
      case ZYDIS_MNEMONIC_POP: return set(0, pop());
      case ZYDIS_MNEMONIC_CALL: {
        const uint64_t target = get(0);
        push(pc_);
        pc_ = target;
        return;
      }
      case ZYDIS_MNEMONIC_JMP: pc_ = get(0); return;
      case ZYDIS_MNEMONIC_RET: pc_ = pop(); return;
      default: break;
    }
    const std::optional<bool> holds = condition();
    switch (instruction_.meta.category) {
      case ZYDIS_CATEGORY_COND_BR:
        if (holds.value_or(false)) pc_ = get(0);
        break;
      case ZYDIS_CATEGORY_CMOV: set(0, holds.value_or(false) ? get(1) : get(0)); break;
      case ZYDIS_CATEGORY_SETCC: set(0, holds.value_or(false)); break;
      default: failed_ = true;
    }
    if (!holds) failed_ = true;
  }

  /// Whether the condition of a jcc, cmovcc or setcc holds; none: it is another instruction.
  std::optional<bool> condition() const {
#define SONDE_CONDITION(cc)     \
  case ZYDIS_MNEMONIC_J##cc:    \
  case ZYDIS_MNEMONIC_CMOV##cc: \
  case ZYDIS_MNEMONIC_SET##cc
    switch (instruction_.mnemonic) {
      SONDE_CONDITION(O) : return flags_.overflow;
      SONDE_CONDITION(NO) : return !flags_.overflow;
      SONDE_CONDITION(B) : return flags_.carry;
      SONDE_CONDITION(NB) : return !flags_.carry;
      SONDE_CONDITION(Z) : return flags_.zero;
      SONDE_CONDITION(NZ) : return !flags_.zero;
      SONDE_CONDITION(BE) : return flags_.carry || flags_.zero;
      SONDE_CONDITION(NBE) : return !flags_.carry && !flags_.zero;
      SONDE_CONDITION(S) : return flags_.sign;
      SONDE_CONDITION(NS) : return !flags_.sign;
      SONDE_CONDITION(P) : return flags_.parity;
      SONDE_CONDITION(NP) : return !flags_.parity;
      SONDE_CONDITION(L) : return flags_.sign != flags_.overflow;
      SONDE_CONDITION(NL) : return flags_.sign == flags_.overflow;
      SONDE_CONDITION(LE) : return flags_.zero || flags_.sign != flags_.overflow;
      SONDE_CONDITION(NLE) : return !flags_.zero && flags_.sign == flags_.overflow;
      default: return std::nullopt;
    }
#undef SONDE_CONDITION
  }

  unsigned width() const { return operands_[0].size; }

  uint64_t result_flags(uint64_t value) {
    value = cut(value, width());
    flags_.zero = value == 0;
    flags_.sign = value >> (width() - 1) & 1;
    flags_.parity = std::popcount(static_cast<uint8_t>(value)) % 2 == 0;
    return value;
  }
  uint64_t logic(uint64_t value) {
    flags_.carry = flags_.overflow = false;
    return result_flags(value);
  }
  uint64_t subtract(uint64_t a, uint64_t b) {
    b = cut(b, width());
    flags_.carry = a < b;
    flags_.overflow = ((a ^ b) & (a ^ (a - b))) >> (width() - 1) & 1;
    return result_flags(a - b);
  }
  uint64_t add(uint64_t a, uint64_t b) {
    b = cut(b, width());
    const uint64_t sum = cut(a + b, width());
    flags_.carry = sum < a;
    flags_.overflow = (~(a ^ b) & (a ^ sum)) >> (width() - 1) & 1;
    return result_flags(sum);
  }
  /// Overflow is defined only for shifts by 1, so it is computed only for these.
  void shift(bool left) {
    const uint64_t count = get(1) % (width() == 64 ? 64 : 32), value = get(0);
    if (count == 0) return;
    flags_.carry = count <= width() && (left ? value >> (width() - count) : value >> (count - 1)) & 1;
    set(0, result_flags(left ? value << count : value >> count));
    flags_.overflow = left ? flags_.sign != flags_.carry : value >> (width() - 1) & 1;
  }

  void push(uint64_t value) { store(registers_[kStackPointer] -= 8, 8, value); }
  uint64_t pop() {
    const uint64_t value = load(registers_[kStackPointer], 8);
    registers_[kStackPointer] += 8;
    return value;
  }

  uint64_t load(uint64_t address, unsigned bytes) {
    uint8_t raw[8] = {};
    const bool own = kStack - address <= kStackBytes;
    if (bytes > sizeof raw || (!own && !data_(address, raw, bytes))) failed_ = true;
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes && i < sizeof raw; i++) {
      const auto stored = stored_.find(address + i);
      value |= uint64_t{stored != stored_.end() ? stored->second : raw[i]} << (8 * i);
    }
    return value;
  }
  void store(uint64_t address, unsigned bytes, uint64_t value) {
    if (bytes > 8) failed_ = true;
    for (unsigned i = 0; i < bytes && i < 8; i++) stored_[address + i] = static_cast<uint8_t>(value >> (8 * i));
  }

  struct Place {
    int number = -1;  ///< -1: not a general register
    unsigned shift = 0;
  };
  static Place place_of(ZydisRegister which) {
    const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, which);
    if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15) return {};
    const bool high = which >= ZYDIS_REGISTER_AH && which <= ZYDIS_REGISTER_BH;
    return {whole - ZYDIS_REGISTER_RAX, high ? 8u : 0u};
  }
  uint64_t whole_register(ZydisRegister which) {
    if (which == ZYDIS_REGISTER_NONE) return 0;
    if (which == ZYDIS_REGISTER_RIP) return pc_;
    const Place place = place_of(which);
    if (place.number < 0) failed_ = true;
    return place.number < 0 ? 0 : registers_[static_cast<size_t>(place.number)];
  }

  uint64_t address_of(const ZydisDecodedOperand& operand) {
    const auto& memory = operand.mem;
    if (memory.segment == ZYDIS_REGISTER_FS || memory.segment == ZYDIS_REGISTER_GS) failed_ = true;
    return whole_register(memory.base) + whole_register(memory.index) * memory.scale +
           static_cast<uint64_t>(memory.disp.value);
  }

  uint64_t get(size_t index) {
    const ZydisDecodedOperand& operand = operands_[index];
    switch (operand.type) {
      case ZYDIS_OPERAND_TYPE_REGISTER: {
        const Place place = place_of(operand.reg.value);
        if (place.number < 0) failed_ = true;
        return place.number < 0 ? 0 : cut(registers_[static_cast<size_t>(place.number)] >> place.shift, operand.size);
      }
      case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        return operand.imm.is_relative ? pc_ + operand.imm.value.u : operand.imm.value.u;
      case ZYDIS_OPERAND_TYPE_MEMORY: return load(address_of(operand), operand.size / 8);
      default: failed_ = true; return 0;
    }
  }
  /// The second operand, cut to the width of the first.
  uint64_t source() { return cut(get(1), width()); }
  uint64_t extended(size_t index) {
    const uint64_t value = get(index);
    const unsigned bits = operands_[index].size;
    if (bits >= 64 || operands_[index].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) return value;
    return value >> (bits - 1) & 1 ? value | ~uint64_t{0} << bits : value;
  }
  void set(size_t index, uint64_t value) {
    const ZydisDecodedOperand& operand = operands_[index];
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) return store(address_of(operand), operand.size / 8, value);
    const Place place = operand.type == ZYDIS_OPERAND_TYPE_REGISTER ? place_of(operand.reg.value) : Place{};
    if (place.number < 0) {
      failed_ = true;
      return;
    }
    uint64_t& whole = registers_[static_cast<size_t>(place.number)];
    const uint64_t kept = operand.size >= 32 ? 0 : whole & ~(cut(~uint64_t{0}, operand.size) << place.shift);
    whole = kept | cut(value, operand.size) << place.shift;
  }

  const ReadCode& code_;
  const ReadData& data_;
  ZydisDecoder decoder_{};
  ZydisDecodedInstruction instruction_{};
  std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands_{};
  std::array<uint64_t, 16> registers_{};
  std::map<uint64_t, uint8_t> stored_;  ///< memory written by the resolver
  Flags flags_;
  uint64_t pc_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<uint64_t> interpret_resolver(uint64_t entry, const ReadCode& code, const ReadData& data) {
  return Interpreter(code, data).run(entry);
}

}  // namespace sonde::pid
