// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/print/trace_record.h"

#include <cstring>
#include <utility>

namespace sonde {
namespace {

using Kind = ValueType::Kind;

bool is_number(const ValueType& type) {
  return type.kind == Kind::Integer || type.kind == Kind::Pointer || type.kind == Kind::Float;
}

uint64_t stack_bytes(uint64_t word) {
  return sizeof(StackValue) + 8 * uint64_t{reinterpret_cast<const StackValue*>(word)->count};
}

}  // namespace

void TraceRecord::clear() {
  begun = quiet = flowindent = false;
  items.clear();
  data_.clear();
  aggregations_.clear();
  changes_.clear();
  data_bytes_ = 0;
  execname.reset();
  exit_status.reset();
}

void TraceRecord::count_data(const ValueType& type, uint64_t word, uint32_t strsize) {
  if (type.kind == Kind::String)
    data_bytes_ += uint64_t{strsize} + 1;
  else if (type.kind == Kind::Stack)
    data_bytes_ += word == 0 ? 8 : stack_bytes(word);
  else
    data_bytes_ += type.size;
}

/// Returns the offset of the copy in data_.
uint64_t TraceRecord::copy(const void* from, size_t size) {
  const size_t at = data_.append((size + 7) / 8);
  if (size != 0) std::memcpy(&data_[at], from, size);
  return at;
}

/// Returns a number itself; for everything else the offset of a copy. The last word of a string contains its NUL.
uint64_t TraceRecord::copy(const ValueType& type, uint64_t word, uint32_t strsize) {
  if (is_number(type) || word == 0) return word;
  const auto* from = reinterpret_cast<const void*>(word);
  switch (type.kind) {
    case Kind::Bytes: return copy(from, type.size);
    case Kind::Stack: return copy(from, stack_bytes(word));
    case Kind::Symbol: return copy(from, sizeof(SymbolValue));
    default: break;
  }
  const size_t length = strnlen(static_cast<const char*>(from), strsize), at = data_.append(length / 8 + 1);
  data_[at + length / 8] = 0;
  std::memcpy(&data_[at], from, length);
  return at;
}

void TraceRecord::add(TraceItem::Kind kind, const ActionSite& site, uint64_t number, const FormatSettings& settings) {
  items.push_back({kind, data_.size(), &site, number, settings});
}

void TraceRecord::add_values(TraceItem::Kind kind, const ActionSite& site, const uint64_t* words,
                             const FormatSettings& settings) {
  add(kind, site, 0, settings);
  const size_t first = data_.append(site.arguments.size());
  for (size_t i = 0; i < site.arguments.size(); i++) {
    const uint64_t copied = copy(site.arguments[i], words[i], settings.strsize);
    data_[first + i] = copied;
  }
}

void TraceRecord::add_bytes(const ActionSite& site, const void* bytes, uint64_t size, const FormatSettings& settings) {
  add(TraceItem::Kind::Tracemem, site, size, settings);
  copy(bytes, size);
}

void TraceRecord::add_object(const ActionSite& site, const void* object, uint64_t address,
                             const FormatSettings& settings) {
  add(TraceItem::Kind::Print, site, address, settings);
  copy(object, site.layout->size);
}

void TraceRecord::add_aggregations(const ActionSite& site, TracedAggregations aggregations,
                                   const FormatSettings& settings) {
  items.push_back({TraceItem::Kind::Printa, aggregations_.size(), &site, 0, settings});
  aggregations_.push_back(std::move(aggregations));
}

void TraceRecord::add_change(std::function<void()> change) {
  items.push_back({TraceItem::Kind::Change, changes_.size(), nullptr, 0, {}});
  changes_.push_back(std::move(change));
}

const AggSnapshot& TraceRecord::aggregations_of(const TraceItem& item) {
  TracedAggregations& traced = aggregations_[item.first];
  if (traced.late) traced.taken = std::exchange(traced.late, nullptr)();
  return traced.taken;
}

/// The length, then the bytes.
void TraceRecord::set_execname(std::string_view name) {
  execname = data_.append(1);
  data_[*execname] = name.size();
  copy(name.data(), name.size());
}

std::optional<std::string_view> TraceRecord::execname_text() const {
  if (!execname) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(&data_[*execname + 1]), data_[*execname]);
}

const uint64_t* TraceRecord::words_of(const TraceItem& item) const {
  const auto& types = item.site->arguments;
  words_.resize(types.size());
  for (size_t i = 0; i < types.size(); i++) {
    const uint64_t word = data_[item.first + i];
    words_[i] = word == 0 || is_number(types[i]) ? word : reinterpret_cast<uint64_t>(&data_[word]);
  }
  return words_.data();
}

}  // namespace sonde
