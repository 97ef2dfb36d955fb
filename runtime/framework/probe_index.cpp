// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/framework/probe_index.h"

#include <algorithm>

#include "runtime/base/check.h"

namespace sonde {

static uint32_t hash_of_text(std::string_view text) {
  return static_cast<uint32_t>(std::hash<std::string_view>()(text));
}

uint32_t ProbeIndex::Dictionary::find_recent(std::string_view text) const {
  for (const uint32_t number : recent)
    if (number != kNone && texts[number].text == text) return number;
  return kNone;
}

uint32_t ProbeIndex::Dictionary::find(std::string_view text, uint32_t hash) const {
  return numbers.find(hash, [&](uint32_t at) { return texts[at].hash == hash && texts[at].text == text; });
}

uint32_t ProbeIndex::Dictionary::find(std::string_view text) const {
  const uint32_t known = find_recent(text);
  return known != kNone ? known : find(text, hash_of_text(text));
}

uint32_t ProbeIndex::Dictionary::intern(std::string_view text) {
  uint32_t number = find_recent(text);
  if (number == kNone) {
    const uint32_t hash = hash_of_text(text);
    number = find(text, hash);
    if (number == kNone) {
      number = texts.size();
      Text& added = texts.add();
      added.text = text;
      added.hash = hash;
      numbers.add(number, hash, [&](uint32_t at) { return texts[at].hash; });
    }
  }
  if (recent[0] != number) recent = {number, recent[0]};
  return number;
}

size_t ProbeIndex::hash_of(const uint32_t (&numbers)[kFields]) {
  uint64_t hash = 0;
  for (const uint32_t number : numbers) hash = (hash ^ number) * 0x9e3779b97f4a7c15;
  return hash >> 24;
}

ProbeIndex::Added ProbeIndex::add(ProbeId id, const Names& names) {
  SONDE_CHECK(entries_.empty() || entries_.back().id < id.value);
  Entry entry{id.value, false, {}, {}};
  bool is_new = false;
  Texts texts;
  for (int field = 0; field < kFields; field++) {
    const uint32_t known = fields_[field].texts.size();
    entry.numbers[field] = fields_[field].intern(names[field]);
    is_new = is_new || entry.numbers[field] == known;
    texts[field] = &fields_[field].texts[entry.numbers[field]].text;
  }
  const uint32_t there = is_new ? kNone : find(entry.numbers);
  if (there != kNone) return {{entries_[there].id}, false, texts};
  const auto position = static_cast<uint32_t>(entries_.size());
  entries_.push_back(entry);
  for (int field = 0; field < kFields; field++) append(position, field);
  enter(position);
  live_++;
  return {id, true, texts};
}

void ProbeIndex::enter(uint32_t position) {
  by_names_.add(position, hash_of(entries_[position].numbers),
                [this](uint32_t at) { return hash_of(entries_[at].numbers); });
}

/// The position of the live probe that has these texts; or kNone.
uint32_t ProbeIndex::find(const uint32_t (&numbers)[kFields]) const {
  return by_names_.find(hash_of(numbers), [&](uint32_t at) {
    return !entries_[at].removed && std::ranges::equal(entries_[at].numbers, numbers);
  });
}

ProbeId ProbeIndex::find(const Names& names) const {
  uint32_t numbers[kFields];
  for (int field = 0; field < kFields; field++) {
    numbers[field] = fields_[field].find(names[field]);
    if (numbers[field] == kNone) return {};
  }
  const uint32_t found = find(numbers);
  return {found == kNone ? 0 : entries_[found].id};
}

void ProbeIndex::append(uint32_t position, int field) {
  Entry& entry = entries_[position];
  List& list = fields_[field].texts[entry.numbers[field]].list;
  entry.next[field] = kNone;
  if (list.count++ == 0)
    list.first = position;
  else
    entries_[list.last].next[field] = position;
  list.last = position;
}

void ProbeIndex::remove(std::span<const ProbeId> ids) {
  auto entry = entries_.begin();
  for (const ProbeId id : ids) {
    if (entry != entries_.end() && entry->id < id.value) ++entry;  // a provider's probes stand one behind the other
    if (entry != entries_.end() && entry->id < id.value)
      entry = std::ranges::lower_bound(entry, entries_.end(), id.value, {}, &Entry::id);
    if (entry == entries_.end()) break;
    if (entry->id != id.value || entry->removed) continue;
    entry->removed = true;
    live_--;
  }
  if (entries_.size() > 64 && live_ < entries_.size() / 2) compact();
}

void ProbeIndex::compact() {
  std::erase_if(entries_, &Entry::removed);
  for (int field = 0; field < kFields; field++) {
    TextList& texts = fields_[field].texts;
    for (uint32_t number = 0; number < texts.size(); number++) texts[number].list = {};
    for (uint32_t at = 0; at < entries_.size(); at++) append(at, field);
  }
  by_names_.clear();
  for (uint32_t at = 0; at < entries_.size(); at++) enter(at);
}

/// A description prepared for matching: its exact fields are numbers.
struct ProbeIndex::Query {
  struct Exact {
    int field;
    uint32_t number;
  };
  struct Pattern {
    int field;
    Glob glob;
    const TextList* texts;
    std::vector<int8_t> known;  ///< by number: -1 no, 1 yes, 0 not asked yet
  };
  std::vector<Exact> exact;
  std::vector<Pattern> patterns;     ///< those with the fewest distinct texts first
  const List* candidates = nullptr;  ///< null: all
  int candidates_field = 0;

  bool matches(const Entry& entry) {
    if (entry.removed) return false;
    for (const Exact *at = exact.data(), *end = at + exact.size(); at != end; ++at)
      if (entry.numbers[at->field] != at->number) return false;
    for (Pattern *at = patterns.data(), *end = at + patterns.size(); at != end; ++at) {
      const uint32_t number = entry.numbers[at->field];
      int8_t& known = at->known.data()[number];
      if (known == 0) known = at->glob.matches((*at->texts)[number].text) ? 1 : -1;
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
          {field, std::move(glob), &dictionary.texts, std::vector<int8_t>(dictionary.texts.size())});
      continue;
    }
    const uint32_t number = dictionary.find(glob.literal());
    if (number == kNone) return false;
    const List& list = dictionary.texts[number].list;
    query.exact.push_back({field, number});
    if (query.candidates != nullptr && list.count >= query.candidates->count) continue;
    query.candidates = &list;
    query.candidates_field = field;
  }
  std::ranges::sort(query.patterns, {}, [](const Query::Pattern& pattern) { return pattern.known.size(); });
  // With one exact field there is nothing left to compare: all entries of its list have that number.
  if (query.exact.size() == 1) query.exact.clear();
  return true;
}

// The loops below run 100,000 times a match. Pointers keep them fast in a build without optimisation, too.
std::vector<ProbeId> ProbeIndex::match(const Names& patterns) const {
  Query query;
  if (!prepare(patterns, query)) return {};
  const Entry* entries = entries_.data();
  const size_t limit = query.candidates != nullptr ? query.candidates->count : entries_.size();
  std::vector<ProbeId> found(limit);
  ProbeId* next = found.data();
  if (query.candidates != nullptr) {
    const int field = query.candidates_field;
    for (uint32_t at = query.candidates->first; at != kNone; at = entries[at].next[field])
      if (query.matches(entries[at])) (next++)->value = entries[at].id;
  } else {
    for (const Entry *at = entries, *end = at + limit; at != end; ++at)
      if (query.matches(*at)) (next++)->value = at->id;
  }
  found.resize(static_cast<size_t>(next - found.data()));
  return found;
}

std::vector<NameCount> ProbeIndex::count_names(std::span<const ProbeId> ids, Field field) const {
  const TextList& texts = fields_[field].texts;
  std::vector<size_t> counts(texts.size());
  auto entry = entries_.begin();
  for (const ProbeId id : ids) {
    while (entry->id < id.value) ++entry;
    SONDE_CHECK(entry->id == id.value);
    counts[entry->numbers[field]]++;
  }
  std::vector<NameCount> names;
  names.reserve(static_cast<size_t>(std::ranges::count_if(counts, [](size_t count) { return count > 0; })));
  for (uint32_t number = 0; number < counts.size(); number++)
    if (counts[number] > 0) names.push_back({&texts[number].text, counts[number]});
  return names;
}

}  // namespace sonde
