// SPDX-License-Identifier: GPL-3.0-or-later
// The words of a body: first those that own_words() gave away, behind them the ones that all calls share, whose number
// is known at the end.
#include "compiler/codegen/builder.h"

#include <algorithm>
#include <utility>

namespace sonde {

BodyValue BodyBuilder::result(BodyInstruction instruction) {
  const BodyValue value = fresh();
  instruction.result = value.number;
  add(instruction);
  return value;
}

BodyValue BodyBuilder::at_start(BodyInstruction instruction) {
  const BodyValue value = fresh();
  instruction.result = value.number;
  start_.push_back(instruction);
  return value;
}

BodyValue BodyBuilder::constant(uint64_t value) {
  BodyValue& known = constants_[value];
  if (known) return known;
  known = fresh();
  constant_values_[known.number] = value;
  return known;
}

std::optional<uint64_t> BodyBuilder::constant_of(BodyValue value) const {
  const auto found = constant_values_.find(value.number);
  return found == constant_values_.end() ? std::nullopt : std::optional(found->second);
}

BodyValue BodyBuilder::extend(BodyValue value, uint64_t bytes, bool is_signed) {
  return result(
      {.op = BodyOp::Extend, .size = static_cast<uint8_t>(bytes), .is_signed = is_signed, .operands = {value.number}});
}

BodyValue BodyBuilder::select(BodyValue condition, BodyValue yes, BodyValue no) {
  return result({.op = BodyOp::Select, .operands = {condition.number, yes.number, no.number}});
}

// ---- memory ----------------------------------------------------------------------------------------------------

namespace {

BodyInstruction load_of(BodyValue base, uint64_t offset, uint64_t bytes, bool is_signed) {
  return {.op = BodyOp::Load,
          .size = static_cast<uint8_t>(bytes),
          .is_signed = is_signed,
          .operands = {base.number},
          .immediate = offset};
}

}  // namespace

BodyValue BodyBuilder::load(BodyValue base, uint64_t offset, uint64_t bytes, bool is_signed) {
  return result(load_of(base, offset, bytes, is_signed));
}

BodyValue BodyBuilder::load_at_start(BodyValue base, uint64_t offset, uint64_t bytes, bool is_signed) {
  return at_start(load_of(base, offset, bytes, is_signed));
}

void BodyBuilder::store(BodyValue base, uint64_t offset, BodyValue value, uint64_t bytes) {
  add({.op = BodyOp::Store,
       .size = static_cast<uint8_t>(bytes),
       .operands = {base.number, value.number},
       .immediate = offset});
}

BodyValue BodyBuilder::load_float(BodyValue address, uint64_t bytes) {
  return result({.op = BodyOp::LoadFloat, .size = static_cast<uint8_t>(bytes), .operands = {address.number}});
}

void BodyBuilder::store_float(BodyValue address, BodyValue value, uint64_t bytes) {
  add({.op = BodyOp::StoreFloat, .size = static_cast<uint8_t>(bytes), .operands = {address.number, value.number}});
}

// ---- calls -----------------------------------------------------------------------------------------------------

void BodyBuilder::store_words(BodyValue place, std::span<const BodyValue> values) {
  for (size_t i = 0; i < values.size(); ++i) store(place, 8 * i, values[i], 8);
}

BodyValue BodyBuilder::words(std::span<const BodyValue> values) {
  if (!shared_) shared_ = at_start({.op = BodyOp::Frame});
  shared_words_ = std::max({shared_words_, 1u, static_cast<uint32_t>(values.size())});
  store_words(shared_, values);
  return shared_;
}

BodyValue BodyBuilder::own_words(std::span<const BodyValue> values) {
  const BodyValue place = at_start({.op = BodyOp::Frame, .immediate = own_words_});
  own_words_ += static_cast<uint32_t>(std::max<size_t>(values.size(), 1));
  store_words(place, values);
  return place;
}

BodyValue BodyBuilder::call(const void* function, Helper returns, std::initializer_list<BodyValue> arguments) {
  BodyInstruction instruction{.op = returns == Helper::Half ? BodyOp::CallHalf : BodyOp::Call,
                              .size = static_cast<uint8_t>(arguments.size()),
                              .immediate = reinterpret_cast<uint64_t>(function)};
  std::ranges::transform(arguments, instruction.operands.begin(), &BodyValue::number);
  return result(instruction);
}

// ---- ways ------------------------------------------------------------------------------------------------------

void BodyBuilder::copy(BodyValue to, BodyValue from) {
  add({.op = BodyOp::Copy, .result = to.number, .operands = {from.number}});
}

BodyLabel BodyBuilder::label() {
  labels_.push_back(UINT32_MAX);
  return {static_cast<uint32_t>(labels_.size() - 1)};
}

void BodyBuilder::bind(BodyLabel label) { labels_[label.number] = static_cast<uint32_t>(instructions_.size()); }

void BodyBuilder::resolve(uint32_t& label) const { label = labels_[label] + static_cast<uint32_t>(start_.size()); }

BodyCode BodyBuilder::finish() {
  for (BodyInstruction& at : instructions_) {
    if (at.op == BodyOp::Jump || at.op == BodyOp::LeaveOnFault) resolve(at.operands[0]);
    if (at.op != BodyOp::Branch) continue;
    resolve(at.operands[1]);
    resolve(at.operands[2]);
  }
  for (BodyInstruction& at : start_)
    if (shared_.number == at.result) at.immediate = own_words_;
  BodyCode code{.context = context_.number, .registers = registers_, .words = own_words_ + shared_words_};
  for (const auto& [number, value] : constant_values_) code.constants.push_back({number, value});
  code.instructions = std::move(start_);
  code.instructions.insert(code.instructions.end(), instructions_.begin(), instructions_.end());
  return code;
}

}  // namespace sonde
