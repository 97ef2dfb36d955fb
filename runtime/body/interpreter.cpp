// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/body/interpreter.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace sonde {
namespace {

uint64_t extended(uint64_t word, unsigned bytes, bool is_signed) {
  const unsigned unused = 64 - 8 * bytes;
  const uint64_t up = word << unused;
  return is_signed ? static_cast<uint64_t>(static_cast<int64_t>(up) >> unused) : up >> unused;
}

/// Most loads are of words: there the compiler knows the size.
uint64_t load(uint64_t address, unsigned bytes, bool is_signed) {
  uint64_t word = 0;
  if (bytes == sizeof(word)) {
    std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof(word));
    return word;
  }
  std::memcpy(&word, reinterpret_cast<const void*>(address), bytes);
  return extended(word, bytes, is_signed);
}

constexpr size_t kBytesOfX87 = 10;  ///< what follows them in a long double is padding

template <typename Float>
uint64_t load_as(uint64_t address) {
  Float number{};
  std::memcpy(&number, reinterpret_cast<const void*>(address), std::min(sizeof(number), kBytesOfX87));
  return std::bit_cast<uint64_t>(static_cast<double>(number));
}

template <typename Float>
void store_as(uint64_t address, uint64_t bits) {
  const auto number = static_cast<Float>(std::bit_cast<double>(bits));
  std::memcpy(reinterpret_cast<void*>(address), &number, std::min(sizeof(number), kBytesOfX87));
}

uint64_t load_float(uint64_t address, unsigned bytes) {
  if (bytes == sizeof(float)) return load_as<float>(address);
  return bytes == sizeof(double) ? load_as<double>(address) : load_as<long double>(address);
}

void store_float(uint64_t address, uint64_t bits, unsigned bytes) {
  if (bytes == sizeof(float)) return store_as<float>(address, bits);
  return bytes == sizeof(double) ? store_as<double>(address, bits) : store_as<long double>(address, bits);
}

/// A helper takes words, pointers and 32-bit numbers; each has a register of its own, whatever its type.
uint64_t call(const BodyInstruction& at, const uint64_t* r) {
  const auto arg = [&](size_t i) { return r[at.operands[i]]; };
  using W = uint64_t;
  const auto to = [&]<typename... Words>(Words... words) {
    return reinterpret_cast<W (*)(Words...)>(at.immediate)(words...);
  };
  switch (at.size) {
    case 1: return to(arg(0));
    case 2: return to(arg(0), arg(1));
    case 3: return to(arg(0), arg(1), arg(2));
    case 4: return to(arg(0), arg(1), arg(2), arg(3));
    case 5: return to(arg(0), arg(1), arg(2), arg(3), arg(4));
    default: return to(arg(0), arg(1), arg(2), arg(3), arg(4), arg(5));
  }
}

int64_t as_signed(uint64_t word) { return static_cast<int64_t>(word); }

}  // namespace

std::vector<uint64_t> new_frame(const BodyCode& code) {
  std::vector<uint64_t> frame(code.registers + size_t{code.words});
  for (const BodyConstant& constant : code.constants) frame[constant.result] = constant.value;
  return frame;
}

int32_t interpret(const BodyCode& code, std::vector<uint64_t>& frame, BodyContext& context) {
  uint64_t* const r = frame.data();
  r[code.context] = reinterpret_cast<uint64_t>(&context);
  const BodyInstruction* const first = code.instructions.data();
  for (const BodyInstruction* at = first;;) {
    const auto operand = [&](size_t i) -> uint64_t { return r[at->operands[i]]; };
    const auto a = [&] { return operand(0); };
    const auto b = [&] { return operand(1); };
    uint64_t& result = r[at->result];
    switch (at->op) {
      case BodyOp::Add: result = a() + b(); break;
      case BodyOp::Sub: result = a() - b(); break;
      case BodyOp::Mul: result = a() * b(); break;
      case BodyOp::DivUnsigned: result = a() / b(); break;
      case BodyOp::ModUnsigned: result = a() % b(); break;
      case BodyOp::DivSigned: result = static_cast<uint64_t>(as_signed(a()) / as_signed(b())); break;
      case BodyOp::ModSigned: result = static_cast<uint64_t>(as_signed(a()) % as_signed(b())); break;
      case BodyOp::And: result = a() & b(); break;
      case BodyOp::Or: result = a() | b(); break;
      case BodyOp::Xor: result = a() ^ b(); break;
      case BodyOp::ShiftLeft: result = a() << b(); break;
      case BodyOp::ShiftRight: result = a() >> b(); break;
      case BodyOp::ShiftRightSigned: result = static_cast<uint64_t>(as_signed(a()) >> b()); break;
      case BodyOp::Equal: result = a() == b(); break;
      case BodyOp::NotEqual: result = a() != b(); break;
      case BodyOp::Below: result = a() < b(); break;
      case BodyOp::BelowEqual: result = a() <= b(); break;
      case BodyOp::Less: result = as_signed(a()) < as_signed(b()); break;
      case BodyOp::LessEqual: result = as_signed(a()) <= as_signed(b()); break;
      case BodyOp::Extend: result = extended(a(), at->size, at->is_signed); break;
      case BodyOp::Select: result = a() != 0 ? b() : operand(2); break;
      case BodyOp::Copy: result = a(); break;
      case BodyOp::Load: result = load(a() + at->immediate, at->size, at->is_signed); break;
      case BodyOp::Store: {
        const uint64_t word = b();
        std::memcpy(reinterpret_cast<void*>(a() + at->immediate), &word, at->size);
        break;
      }
      case BodyOp::LoadFloat: result = load_float(a(), at->size); break;
      case BodyOp::StoreFloat: store_float(a(), b(), at->size); break;
      case BodyOp::Frame: result = reinterpret_cast<uint64_t>(r + code.registers + at->immediate); break;
      case BodyOp::Call: result = call(*at, r); break;
      case BodyOp::CallHalf: result = static_cast<uint32_t>(call(*at, r)); break;
      case BodyOp::Jump: at = first + at->operands[0]; continue;
      case BodyOp::Branch: at = first + (a() != 0 ? at->operands[1] : at->operands[2]); continue;
      case BodyOp::LeaveOnFault:
        if (context.fault != 0) {
          at = first + at->operands[0];
          continue;
        }
        break;
      case BodyOp::Return: return static_cast<int32_t>(at->immediate);
    }
    ++at;
  }
}

}  // namespace sonde
