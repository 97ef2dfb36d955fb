// SPDX-License-Identifier: GPL-3.0-or-later
// The number of a system call is a constant in the code that makes the call, or that calls syscall():
//
//   mov $56, %eax ... syscall                       in clone(), fork(), in sanitizers, in Go's runtime
//   mov $435, %edi ... call syscall@plt             through a stub and a pointer, or straight, in a static program
//
// So each place with such a constant is followed in a straight line: we know in which registers, and in which words of
// the frame, the number is (Follower), and see where they lead. A place counts only if the number is in rax at a system
// call instruction, or in rdi at a call of a function of which the same is true.
//
// An int3 in the middle of an instruction would change the program. So the place must be where instructions begin for
// most decoders that start before it (is_boundary()): the instructions of x86 differ in length, and decoders that start
// in the wrong places soon agree with those that start in the right ones.
#include "runtime/guard/arch/x86_64/clone_calls.h"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "runtime/utrace/arch.h"

namespace sonde::guard {
namespace {

constexpr size_t kFollowed = 128;      // bytes
constexpr int kMostInstructions = 32;  // in these
constexpr int kMostFunctions = 4;      // from a stub to a wrapper to syscall()

struct Decoded {
  ZydisDecodedInstruction in;
  std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands;
};

bool decode(std::span<const uint8_t> bytes, Decoded& to) {
  static const ZydisDecoder decoder = [] {
    ZydisDecoder made;
    ZydisDecoderInit(&made, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return made;
  }();
  return !bytes.empty() &&
         ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes.data(), bytes.size(), &to.in, to.operands.data()));
}

/// A register, or a word of the frame.
struct Place {
  ZydisRegister base = ZYDIS_REGISTER_NONE;
  bool memory = false;
  int64_t displacement = 0;
  bool operator==(const Place&) const = default;
};

constexpr Place kNumberOfCall{ZYDIS_REGISTER_RAX}, kFirstArgument{ZYDIS_REGISTER_RDI},
    kPushed{ZYDIS_REGISTER_RSP, true};

std::optional<Place> place_of(const ZydisDecodedOperand& operand) {
  if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER)
    return Place{ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operand.reg.value)};
  if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY) return std::nullopt;
  const auto& memory = operand.mem;
  const bool of_frame = memory.base == ZYDIS_REGISTER_RBP || memory.base == ZYDIS_REGISTER_RSP;
  if (!of_frame || memory.index != ZYDIS_REGISTER_NONE) return std::nullopt;
  return Place{memory.base, true, memory.disp.value};
}

/// Follows the number in a straight line.
class Follower {
 public:
  enum class End { Nowhere, Call, Function };
  explicit Follower(std::vector<Place> places) : places_(std::move(places)) {}

  /// To a system call, or a call of a function, that gets the number.
  End follow(std::span<const uint8_t> bytes) {
    Decoded now;
    for (int n = 0; n < kMostInstructions && decode(bytes.subspan(passed_), now); n++) {
      passed_ += now.in.length;
      if (now.in.mnemonic == ZYDIS_MNEMONIC_SYSCALL) return holds(kNumberOfCall) ? End::Call : End::Nowhere;
      const bool leaves = now.in.mnemonic == ZYDIS_MNEMONIC_CALL || now.in.mnemonic == ZYDIS_MNEMONIC_JMP;
      if (leaves) return holds(kFirstArgument) && find_target(now) ? End::Function : End::Nowhere;
      if (now.in.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE || now.in.mnemonic == ZYDIS_MNEMONIC_INT3)
        return End::Nowhere;
      move(now);
      if (places_.empty()) return End::Nowhere;
    }
    return End::Nowhere;
  }
  /// Of the function, or of the pointer to it, as the distance from the first byte.
  int64_t target() const { return target_; }
  bool by_pointer() const { return by_pointer_; }

 private:
  bool holds(const Place& place) const { return std::ranges::find(places_, place) != places_.end(); }

  bool find_target(const Decoded& now) {
    const auto& operand = now.operands[0];
    const bool relative = operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand.imm.is_relative;
    by_pointer_ = operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.base == ZYDIS_REGISTER_RIP;
    if (!relative && !by_pointer_) return false;
    target_ = static_cast<int64_t>(passed_) + (relative ? operand.imm.value.s : operand.mem.disp.value);
    return true;
  }

  void move(const Decoded& now) {
    std::optional<Place> to;
    if (now.in.mnemonic == ZYDIS_MNEMONIC_POP && holds(kPushed)) to = place_of(now.operands[0]);
    const bool copies = now.in.mnemonic == ZYDIS_MNEMONIC_MOV || now.in.mnemonic == ZYDIS_MNEMONIC_MOVSXD;
    const auto from = copies ? place_of(now.operands[1]) : std::nullopt;
    if (from && holds(*from) && now.operands[1].size >= 32) to = place_of(now.operands[0]);
    for (size_t n = 0; n < now.in.operand_count; n++) {
      const auto written = place_of(now.operands[n]);
      if (!written || (now.operands[n].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) == 0) continue;
      std::erase_if(places_, [&](const Place& place) {
        return place == *written || (!written->memory && place.memory && place.base == written->base);
      });
    }
    if (to) places_.push_back(*to);
  }

  std::vector<Place> places_;
  size_t passed_ = 0;
  int64_t target_ = 0;
  bool by_pointer_ = false;
};

/// Whether an instruction begins at `at`, as most decoders see it that start shortly before.
bool is_boundary(std::span<const uint8_t> bytes, size_t at) {
  constexpr size_t kFarthest = 64, kNearest = 40;
  if (at < kFarthest) return at == 0;
  size_t met = 0, tried = 0;
  for (size_t back = kFarthest; back > kNearest; back--) {
    size_t place = at - back;
    Decoded now;
    while (place < at && decode(bytes.subspan(place, at - place + ZYDIS_MAX_INSTRUCTION_LENGTH), now))
      place += now.in.length;
    if (place < at) continue;  // it started in what is no instruction
    tried++;
    met += place == at;
  }
  return met * 4 >= tried * 3;
}

/// How the instruction at `at` loads `number`, if it does: where the number is then.
std::optional<Place> loaded_by(const Decoded& load, uint32_t number) {
  const auto& in = load.in;
  const auto is_number = [&](const ZydisDecodedOperand& operand) {
    return operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand.imm.value.u == number;
  };
  if (in.mnemonic == ZYDIS_MNEMONIC_PUSH && is_number(load.operands[0])) return kPushed;
  if (in.mnemonic != ZYDIS_MNEMONIC_MOV || !is_number(load.operands[1])) return std::nullopt;
  return place_of(load.operands[0]);
}

/// Whether `al` alone is loaded: the rest of rax must be zero by the instruction before, as in musl's clone().
bool completes_zero(std::span<const uint8_t> before) {
  constexpr uint8_t kZero[] = {0x31, 0xc0};
  return before.size() >= sizeof kZero && std::memcmp(&before[before.size() - sizeof kZero], kZero, sizeof kZero) == 0;
}

std::optional<CloneLoad> load_at(std::span<const uint8_t> bytes, size_t at, size_t constant, uint32_t number) {
  const auto code = bytes.subspan(at, std::min(kFollowed, bytes.size() - at));
  Decoded load;
  if (!decode(code, load) || at + load.in.length <= constant) return std::nullopt;
  const auto place = loaded_by(load, number);
  if (!place) return std::nullopt;
  const bool narrow = load.in.mnemonic == ZYDIS_MNEMONIC_MOV && load.operands[0].size < 32;
  if (narrow && (load.operands[0].size != 8 || !completes_zero(bytes.first(at)))) return std::nullopt;
  Follower follower({*place});
  const auto behind = code.subspan(load.in.length);
  const Follower::End end = follower.follow(behind);
  if (end == Follower::End::Nowhere || !is_boundary(bytes, at)) return std::nullopt;
  CloneLoad found{at, 0, false};
  if (end == Follower::End::Function) {
    found.callee = static_cast<int64_t>(load.in.length) + follower.target();
    found.by_pointer = follower.by_pointer();
  }
  return found;
}

/// The load whose constant is at `constant`. The longest one: a shorter one lacks its prefix.
std::optional<CloneLoad> load_of(std::span<const uint8_t> bytes, size_t constant, uint32_t number) {
  constexpr size_t kMostBefore = 8;  // bytes of an instruction before its constant
  for (size_t before = std::min(kMostBefore, constant); before > 0; before--)
    if (auto found = load_at(bytes, constant - before, constant, number)) return found;
  return std::nullopt;
}

std::vector<uint8_t> code_at(uint64_t address, const ReadBytes& read) {
  std::vector<uint8_t> bytes(kFollowed);
  while (!bytes.empty() && !read(address, bytes.data(), bytes.size())) bytes.resize(bytes.size() / 2);
  return bytes;
}

/// Whether it is the way into the linker, which pushes the number of the function that is to be looked up.
bool enters_linker(std::span<const uint8_t> code) {
  Decoded first;
  if (!decode(code, first)) return false;
  if (first.in.mnemonic == ZYDIS_MNEMONIC_ENDBR64 && !decode(code.subspan(first.in.length), first)) return false;
  return first.in.mnemonic == ZYDIS_MNEMONIC_PUSH && first.operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

}  // namespace

std::vector<CloneLoad> find_clone_loads(std::span<const uint8_t> bytes, size_t begin, size_t end) {
  std::vector<CloneLoad> found;
  for (const uint32_t number : {machine::kCloneCall, machine::kClone3Call}) {
    for (size_t at = begin; at < end; at++) {
      const void* next = std::memchr(&bytes[at], static_cast<uint8_t>(number), end - at);
      if (next == nullptr) break;
      at = static_cast<size_t>(static_cast<const uint8_t*>(next) - bytes.data());
      uint32_t whole = 0;
      const bool wide = bytes.size() - at >= sizeof whole;
      if (wide) std::memcpy(&whole, &bytes[at], sizeof whole);
      const uint8_t before = at > 0 ? bytes[at - 1] : 0;
      const bool byte_operand = number < 128 && (before == 0x6a || before == 0xb0);  // push, mov to al
      if (whole != number && !byte_operand) continue;
      if (const auto load = load_of(bytes, at, number)) found.push_back(*load);
    }
  }
  return found;
}

std::optional<CloneLoad> follow_straight(CloneLoad load, const ReadBytes& read) {
  for (int n = 0; n < kMostFunctions && load.callee != 0 && !load.by_pointer; n++) {
    const std::vector<uint8_t> code = code_at(load.offset + static_cast<uint64_t>(load.callee), read);
    if (code.empty()) return load;
    Follower follower({kFirstArgument});
    const Follower::End end = follower.follow(code);
    if (end == Follower::End::Nowhere) return std::nullopt;
    load.callee = end == Follower::End::Function ? load.callee + follower.target() : 0;
    load.by_pointer = follower.by_pointer();
  }
  return load;
}

MakesCall makes_call(uint64_t function, bool by_pointer, const ReadBytes& read) {
  for (int n = 0; n < kMostFunctions; n++) {
    if (by_pointer && !read(function, &function, sizeof function)) return MakesCall::No;
    const std::vector<uint8_t> code = code_at(function, read);
    if (by_pointer && enters_linker(code)) return MakesCall::NotYetKnown;
    Follower follower({kFirstArgument});
    const Follower::End end = follower.follow(code);
    if (end != Follower::End::Function) return end == Follower::End::Call ? MakesCall::Yes : MakesCall::No;
    function += static_cast<uint64_t>(follower.target());
    by_pointer = follower.by_pointer();
  }
  return MakesCall::No;
}

}  // namespace sonde::guard
