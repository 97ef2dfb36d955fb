// SPDX-License-Identifier: GPL-3.0-or-later
// Makes body code, instruction by instruction
//
// A value is a register. A label is a place to jump to; bind() puts it in front of the next instruction. What
// at_start() makes runs before all other code, so its values hold everywhere.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "runtime/program/body_code.h"

namespace sonde {

struct BodyValue {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t number = kNone;
  explicit operator bool() const { return number != kNone; }
};

struct BodyLabel {
  uint32_t number = 0;
};

enum class Helper : uint8_t { Word, Half };  ///< what it returns: 64 bits (or nothing), or 32

class BodyBuilder {
 public:
  BodyBuilder() : context_(fresh()) {}

  BodyValue context() const { return context_; }
  BodyValue constant(uint64_t value);
  BodyValue constant(const void* object) { return constant(reinterpret_cast<uint64_t>(object)); }
  std::optional<uint64_t> constant_of(BodyValue value) const;

  BodyValue binary(BodyOp op, BodyValue a, BodyValue b) { return result({.op = op, .operands = {a.number, b.number}}); }
  BodyValue extend(BodyValue value, uint64_t bytes, bool is_signed);
  BodyValue select(BodyValue condition, BodyValue yes, BodyValue no);

  BodyValue load(BodyValue base, uint64_t offset, uint64_t bytes, bool is_signed);
  BodyValue load_at_start(BodyValue base, uint64_t offset, uint64_t bytes, bool is_signed);
  void store(BodyValue base, uint64_t offset, BodyValue value, uint64_t bytes);
  BodyValue load_float(BodyValue address, uint64_t bytes);
  void store_float(BodyValue address, BodyValue value, uint64_t bytes);

  /// The address of `values` in memory that all calls share: the next words() overwrites them.
  BodyValue words(std::span<const BodyValue> values);
  /// The same in memory of their own, for words that outlive calls.
  BodyValue own_words(std::span<const BodyValue> values);
  BodyValue call(const void* function, Helper returns, std::initializer_list<BodyValue> arguments);

  /// A register that several instructions assign by copy(): where ways meet.
  BodyValue variable() { return fresh(); }
  void copy(BodyValue to, BodyValue from);

  BodyLabel label();
  void bind(BodyLabel label);
  void jump(BodyLabel to) { add({.op = BodyOp::Jump, .operands = {to.number}}); }
  void branch(BodyValue condition, BodyLabel yes, BodyLabel no) {
    add({.op = BodyOp::Branch, .operands = {condition.number, yes.number, no.number}});
  }
  void leave_on_fault(BodyLabel to) { add({.op = BodyOp::LeaveOnFault, .operands = {to.number}}); }
  void leave(uint64_t result) { add({.op = BodyOp::Return, .immediate = result}); }

  /// The code; the builder is used up.
  BodyCode finish();

 private:
  uint32_t registers_ = 0;
  BodyValue context_;
  std::vector<BodyInstruction> start_, instructions_;
  std::map<uint64_t, BodyValue> constants_;
  std::map<uint32_t, uint64_t> constant_values_;  ///< by register
  std::vector<uint32_t> labels_;                  ///< by label: the instruction
  uint32_t own_words_ = 0, shared_words_ = 0;
  BodyValue shared_;

  BodyValue fresh() { return {registers_++}; }
  void add(const BodyInstruction& instruction) { instructions_.push_back(instruction); }
  BodyValue result(BodyInstruction instruction);
  BodyValue at_start(BodyInstruction instruction);
  void store_words(BodyValue place, std::span<const BodyValue> values);
  void resolve(uint32_t& label) const;
};

}  // namespace sonde
