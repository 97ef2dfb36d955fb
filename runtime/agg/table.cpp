// SPDX-License-Identifier: GPL-3.0-or-later
// Elements in memory
//
//   chunks_:  | entry, words, key | entry, words, key | ...  free |      an element is one step of a pointer
//   table_:   key --> entry
//
// An element is never freed alone: clear() zeroes and keeps it; trunc() copies the remaining elements to new chunks and
// frees the old chunks. So most elements cost no malloc, and trunc() costs a copy.
//
// The budget counts the bytes that an element has for the script (DTrace's layout), not those used here; forget() and
// make() keep it in step with table_.
//
// With aggpercpu each CPU has a table of its own beside this one, which has the totals. Invariant: a CPU's table has no
// key that this one lacks, so trunc() chooses by the totals and then removes the same keys from each.
#include "runtime/agg/table.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sonde {
namespace {

constexpr uint64_t kChunk = 64 * 1024;

}  // namespace

AggTable::AggTable(const AggregationDesc& desc, uint32_t strsize, MemoryBudget& budget)
    : desc_(desc),
      operations_(*row_of(desc.function).operations),
      codec_(desc.keys, strsize, desc.default_frames),
      budget_(budget),
      words_(operations_.words(desc)),
      element_bytes_(element_bytes(desc)),
      key_buffer_(codec_.max_bytes() / 8 + 1) {}

AggTable::~AggTable() { forget(); }

KeyedEntry* AggTable::make(const uint8_t* key, uint64_t bytes, uint64_t hash) {
  if (!budget_.fits(element_bytes_)) return nullptr;
  budget_.used += element_bytes_;
  auto* entry = static_cast<KeyedEntry*>(allocate(sizeof(KeyedEntry) + 8 * words_ + bytes));
  entry->hash = hash;
  entry->key_bytes = static_cast<uint32_t>(bytes);
  entry->key_at = static_cast<uint32_t>(words_);
  std::memset(entry->words, 0, 8 * words_);
  std::memcpy(entry->words + words_, key, bytes);
  table_.insert(entry);
  return entry;
}

void* AggTable::allocate(uint64_t bytes) {
  if (bytes > chunk_left_) {
    uint64_t size = std::max(bytes, chunks_.empty() ? 4096 : kChunk);
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    chunk_at_ = chunks_.back().get();
    chunk_left_ = size;
  }
  void* result = chunk_at_;
  chunk_at_ += bytes;
  chunk_left_ -= bytes;
  return result;
}

void AggTable::forget() {
  budget_.used -= table_.size() * element_bytes_;
  table_.clear();
  chunks_.clear();
  chunk_left_ = 0;
}

std::unique_ptr<AggTable> AggTable::take_interval(uint64_t now) {
  if (interval_ == nullptr) interval_ = std::make_unique<AggTable>(desc_, codec_.strsize(), budget_);
  interval_->normal = normal;
  interval_->start = std::exchange(interval_start_, now);
  return std::move(interval_);
}

void AggTable::clear() {
  interval_.reset();
  for (auto& [cpu, table] : cpus_) table->clear();
  table_.each([this](KeyedEntry* entry) { std::memset(entry->words, 0, 8 * words_); });
}

void AggTable::truncate_all() {
  interval_.reset();
  cpus_.clear();
  forget();
}

void AggTable::truncate(int64_t keep) {
  std::vector<KeyedEntry*> list = entries();
  std::vector<std::pair<AggTotal, KeyedEntry*>> order;
  order.reserve(list.size());
  for (KeyedEntry* entry : list) order.emplace_back(operations_.total(desc_, entry->data()), entry);
  std::ranges::sort(order, [this](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return codec_.compare(a.second->key(), b.second->key(), 0) < 0;
  });
  uint64_t wanted = keep < 0 ? 0 - static_cast<uint64_t>(keep) : static_cast<uint64_t>(keep);
  if (wanted >= order.size()) return;
  list.clear();
  size_t from = keep < 0 ? 0 : order.size() - wanted;
  for (size_t i = from; i < from + wanted; ++i) list.push_back(order[i].second);
  keep_only(list);
  for (auto& [cpu, part] : cpus_) part->keep_those_of(*this);
  if (interval_ != nullptr) interval_->keep_those_of(*this);
}

void AggTable::keep_those_of(const AggTable& other) {
  std::vector<KeyedEntry*> kept = entries();
  std::erase_if(kept, [&other](const KeyedEntry* entry) { return other.find(*entry) == nullptr; });
  keep_only(kept);
}

/// Copies the kept elements to new memory, so that the memory of the others can be freed.
void AggTable::keep_only(std::span<KeyedEntry* const> kept) {
  std::vector<std::unique_ptr<std::byte[]>> old = std::move(chunks_);
  forget();
  for (KeyedEntry* from : kept) {
    KeyedEntry* to = make(from->key(), from->key_bytes, from->hash);
    if (to == nullptr) continue;
    std::memcpy(to->words, from->words, 8 * words_);
  }
}

std::unique_ptr<AggTable> AggTable::picture(MemoryBudget& budget) const {
  auto copy = std::make_unique<AggTable>(desc_, codec_.strsize(), budget);
  copy->normal = normal;
  copy->start = start;
  for (const KeyedEntry* from : entries()) {
    KeyedEntry* to = copy->make(from->key(), from->key_bytes, from->hash);
    if (to != nullptr) std::memcpy(to->words, from->words, 8 * words_);
  }
  for (const auto& [cpu, part] : cpus_) copy->cpus_[cpu] = part->picture(budget);
  return copy;
}

std::vector<KeyedEntry*> AggTable::entries() const {
  std::vector<KeyedEntry*> list;
  list.reserve(table_.size());
  table_.each([&](KeyedEntry* entry) { list.push_back(entry); });
  return list;
}

namespace {

/// A row with its sort keys, computed once.
struct SortedRow {
  JoinedRow row;
  std::vector<AggTotal> totals;
};

std::vector<SortedRow> collect(std::span<AggTable* const> tables) {
  std::vector<SortedRow> rows;
  for (size_t at = 0; at < tables.size(); ++at) {
    for (KeyedEntry* entry : tables[at]->entries()) {
      bool seen = false;
      for (size_t before = 0; before < at && !seen; ++before) seen = tables[before]->find(*entry) != nullptr;
      if (seen) continue;
      SortedRow row{{entry, {}}, {}};
      for (AggTable* table : tables) {
        const KeyedEntry* element = table->find(*entry);
        row.row.elements.push_back(element);
        row.totals.push_back(element == nullptr ? AggTotal{}
                                                : table->operations().total(table->desc(), element->data()));
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

int compare_totals(const SortedRow& a, const SortedRow& b, uint32_t first) {
  size_t count = a.totals.size();
  for (size_t i = 0; i < count; ++i) {
    // First the selected one, then the others in order.
    size_t at = i == 0 ? first : (i <= first ? i - 1 : i);
    if (a.totals[at] < b.totals[at]) return -1;
    if (a.totals[at] > b.totals[at]) return 1;
  }
  return 0;
}

/// Whether all its values are the number 0. A distribution is none.
bool is_zero(std::span<AggTable* const> tables, const SortedRow& row) {
  for (size_t i = 0; i < tables.size(); ++i) {
    const auto value = tables[i]->operations().value;
    const KeyedEntry* element = row.row.elements[i];
    if (value == nullptr || (element != nullptr && value(element->data()) != 0)) return false;
  }
  return true;
}

}  // namespace

std::vector<JoinedRow> join(std::span<AggTable* const> tables, const SortRules& rules) {
  std::vector<SortedRow> rows = collect(tables);
  if (tables.empty()) return {};
  if (!rules.zeros) std::erase_if(rows, [&](const SortedRow& row) { return is_zero(tables, row); });
  const KeyCodec& codec = tables[0]->codec();
  uint32_t first = rules.aggregation < tables.size() ? rules.aggregation : 0;
  auto less = [&](const SortedRow& a, const SortedRow& b) {
    int keys = codec.compare(a.row.key->key(), b.row.key->key(), rules.key);
    int order = rules.by_key ? keys : compare_totals(a, b, first);
    if (order == 0) order = rules.by_key ? compare_totals(a, b, first) : keys;
    return rules.reverse ? order > 0 : order < 0;
  };
  std::ranges::sort(rows, less);
  std::vector<JoinedRow> result;
  result.reserve(rows.size());
  for (SortedRow& row : rows) result.push_back(std::move(row.row));
  return result;
}

void AggTable::add_spaces(std::unordered_set<uint32_t>& spaces) const {
  table_.each([&](const KeyedEntry* element) { codec_.add_spaces(element->key(), spaces); });
  for (const auto& [cpu, part] : cpus_) part->add_spaces(spaces);
  if (interval_ != nullptr) interval_->add_spaces(spaces);
}

}  // namespace sonde
