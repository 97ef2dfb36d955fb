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

/// A description, made ready: what remains of it are comparisons of numbers.
struct ProbeIndex::Query {
  struct Exact {
    int field;
    uint32_t number;
  };
  struct Pattern {
    int field;
    Glob glob;
    const std::string* const* texts;
    std::vector<int8_t> known;  ///< by number: -1 no, 1 yes, 0 not asked yet
  };
  std::vector<Exact> exact;
  std::vector<Pattern> patterns;                      ///< those with the fewest distinct texts first
  const std::vector<uint32_t>* candidates = nullptr;  ///< null: all

  bool matches(const Entry& entry) {
    if (entry.id == 0) return false;
    for (const Exact *at = exact.data(), *end = at + exact.size(); at != end; ++at) {
      if (entry.numbers[at->field] != at->number) return false;
    }
    for (Pattern *at = patterns.data(), *end = at + patterns.size(); at != end; ++at) {
      const uint32_t number = entry.numbers[at->field];
      int8_t& known = at->known.data()[number];
      if (known == 0) known = at->glob.matches(*at->texts[number]) ? 1 : -1;
      if (known < 0) return false;
    }
    return true;
  }
};

/// False: no probe can match.
bool ProbeIndex::prepare(const Names& wanted, Query& query) const {
  for (int field = 0; field < kFields; field++) {
    Glob glob(wanted[field]);
    const Dictionary& dictionary = fields_[field];
    if (glob.is_any()) continue;
    if (!glob.is_exact()) {
      query.patterns.push_back(
          {field, std::move(glob), dictionary.texts.data(), std::vector<int8_t>(dictionary.texts.size())});
      continue;
    }
    auto found = dictionary.numbers.find(glob.literal());
    if (found == dictionary.numbers.end()) return false;
    const auto& list = dictionary.entries[found->second];
    query.exact.push_back({field, found->second});
    if (query.candidates == nullptr || list.size() < query.candidates->size()) query.candidates = &list;
  }
  std::ranges::sort(query.patterns, {}, [](const Query::Pattern& pattern) { return pattern.known.size(); });
  // The list that is gone through answers its own field.
  if (query.exact.size() == 1) query.exact.clear();
  return true;
}

// The loops below run 100,000 times a match, also in a build that is not optimised: hence the pointers.
std::vector<ProbeId> ProbeIndex::match(const Names& patterns) const {
  Query query;
  if (!prepare(patterns, query)) return {};
  const Entry* entries = entries_.data();
  const size_t limit = query.candidates != nullptr ? query.candidates->size() : entries_.size();
  std::vector<ProbeId> found(limit);
  ProbeId* next = found.data();
  if (query.candidates != nullptr) {
    for (const uint32_t *at = query.candidates->data(), *end = at + limit; at != end; ++at) {
      if (query.matches(entries[*at])) (next++)->value = entries[*at].id;
    }
  } else {
    for (const Entry *at = entries, *end = at + limit; at != end; ++at) {
      if (query.matches(*at)) (next++)->value = at->id;
    }
  }
  found.resize(static_cast<size_t>(next - found.data()));
  return found;
}

}  // namespace sonde
