// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/framework/probe_index.h"

#include <algorithm>

#include "runtime/base/check.h"

namespace sonde {

uint32_t ProbeIndex::Dictionary::intern(std::string_view text) {
  auto [at, added] = numbers.try_emplace(std::string(text), static_cast<uint32_t>(texts.size()));
  if (added) {
    texts.push_back(&at->first);
    entries.emplace_back();
  }
  return at->second;
}

void ProbeIndex::add(ProbeId id, const Names& names) {
  SONDE_CHECK(entries_.empty() || entries_.back().id < id.value || entries_.back().id == 0);
  Entry entry{id.value, {}};
  for (int field = 0; field < kFields; field++) {
    entry.numbers[field] = fields_[field].intern(names[field]);
    fields_[field].entries[entry.numbers[field]].push_back(static_cast<uint32_t>(entries_.size()));
  }
  entries_.push_back(entry);
  live_++;
}

void ProbeIndex::remove(ProbeId id) {
  for (size_t low = 0, high = entries_.size(); low < high;) {
    // Removed entries have lost their id: step over them to the nearest that has one.
    size_t middle = low + (high - low) / 2, probe = middle;
    while (probe < high && entries_[probe].id == 0) probe++;
    if (probe == high || entries_[probe].id > id.value) {
      high = middle;
    } else if (entries_[probe].id < id.value) {
      low = probe + 1;
    } else {
      entries_[probe].id = 0;
      live_--;
      break;
    }
  }
  if (entries_.size() > 64 && live_ < entries_.size() / 2) compact();
}

void ProbeIndex::compact() {
  std::erase_if(entries_, [](const Entry& entry) { return entry.id == 0; });
  for (int field = 0; field < kFields; field++) {
    for (auto& list : fields_[field].entries) list.clear();
    for (uint32_t at = 0; at < entries_.size(); at++) {
      fields_[field].entries[entries_[at].numbers[field]].push_back(at);
    }
  }
}

struct ProbeIndex::Query {
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Field {
    uint32_t exact = kNone;      ///< the number it must have
    bool pattern = false;        ///< else: `glob` decides, its answers kept in `known`
    Glob glob{""};
    std::vector<int8_t> known;   ///< by number: -1 no, 1 yes, 0 not asked yet
  };
  std::array<Field, kFields> fields;
  const std::vector<uint32_t>* candidates = nullptr;  ///< null: all
};

/// False: no probe can match.
bool ProbeIndex::prepare(const Names& patterns, Query& query) const {
  for (int f = 0; f < kFields; f++) {
    Query::Field& field = query.fields[f];
    field.glob = Glob(patterns[f]);
    if (field.glob.is_any()) continue;
    if (!field.glob.is_exact()) {
      field.pattern = true;
      field.known.assign(fields_[f].texts.size(), 0);
      continue;
    }
    auto found = fields_[f].numbers.find(field.glob.literal());
    if (found == fields_[f].numbers.end()) return false;
    field.exact = found->second;
    const auto& list = fields_[f].entries[field.exact];
    if (query.candidates == nullptr || list.size() < query.candidates->size()) query.candidates = &list;
  }
  return true;
}

bool ProbeIndex::matches(const Entry& entry, Query& query) const {
  if (entry.id == 0) return false;
  for (int f = 0; f < kFields; f++) {
    const uint32_t exact = query.fields[f].exact;
    if (exact != Query::kNone && exact != entry.numbers[f]) return false;
  }
  for (int f = 0; f < kFields; f++) {
    Query::Field& field = query.fields[f];
    if (!field.pattern) continue;
    int8_t& known = field.known[entry.numbers[f]];
    if (known == 0) known = field.glob.matches(*fields_[f].texts[entry.numbers[f]]) ? 1 : -1;
    if (known < 0) return false;
  }
  return true;
}

std::vector<ProbeId> ProbeIndex::match(const Names& patterns) const {
  std::vector<ProbeId> found;
  Query query;
  if (!prepare(patterns, query)) return found;
  if (query.candidates != nullptr) {
    for (uint32_t at : *query.candidates) {
      if (matches(entries_[at], query)) found.push_back({entries_[at].id});
    }
  } else {
    for (const Entry& entry : entries_) {
      if (matches(entry, query)) found.push_back({entry.id});
    }
  }
  return found;
}

}  // namespace sonde
