// SPDX-License-Identifier: GPL-3.0-or-later
// Facts become layouts
//
//   add():            same mapping known       --> nothing
//                     nothing known there      --> into the layout of that time
//                     another one, seen before --> a new layout from the fact's time on
//                     another one, seen later  --> the layout ends when that one was seen
//   begin_program():  the layout ends; what was seen after that moves into the fresh one
#include "runtime/process/layouts.h"

#include <algorithm>
#include <utility>

namespace sonde {
namespace {

constexpr size_t kMostLayouts = 256;              // of a timeline
constexpr Nanoseconds kAfterEnd = 1'000'000'000;  // for which a layout is kept at least
constexpr size_t kMostMeanings = 50'000;
constexpr size_t kMostReturned = 8;

/// Whether both map the same bytes of the same file, as far as they overlap.
bool agree(const MapEntry& a, const MapEntry& b) {
  const bool same_file = a.file == b.file && (a.file.inode != 0 || a.path == b.path);
  return same_file && a.start - a.offset == b.start - b.offset;
}

std::map<uint64_t, SeenEntry>::iterator first_overlap(Layout& layout, const MapEntry& entry) {
  auto at = layout.maps.upper_bound(entry.start);
  if (at != layout.maps.begin() && std::prev(at)->second.end > entry.start) --at;
  return at;
}

uint64_t mix(uint64_t sum, uint64_t word) {
  sum = (sum ^ word) * 0x9e3779b97f4a7c15ull;
  return sum ^ (sum >> 29);
}

}  // namespace

const SeenEntry* Layout::find(uint64_t address) const {
  auto after = maps.upper_bound(address);
  if (after == maps.begin()) return nullptr;
  const SeenEntry& entry = std::prev(after)->second;
  return address < entry.end ? &entry : nullptr;
}

Layouts::Layouts() : timeline_{std::make_shared<Layout>()}, first_(timeline_.front()) {}

size_t Layouts::index_at(Nanoseconds time) const {
  const auto after = std::ranges::upper_bound(timeline_, time, {}, [](const auto& layout) { return layout->from; });
  return after == timeline_.begin() ? 0 : static_cast<size_t>(after - timeline_.begin()) - 1;
}

const std::shared_ptr<Layout>& Layouts::at(Nanoseconds time) const { return timeline_[index_at(time)]; }

/// Ends the layout `index` at `from`. What was seen there since moves into a new one; a fresh one gets nothing else.
void Layouts::split(size_t index, Nanoseconds from, bool fresh) {
  Layout& before = *timeline_[index];
  auto made = std::make_shared<Layout>();
  made->from = from;
  made->fresh = fresh;
  if (!fresh) {
    made->maps = before.maps;
    made->jit = before.jit;
    made->told = before.told;
  }
  for (auto at = before.maps.begin(); at != before.maps.end();) {
    const bool later = at->second.seen >= from;
    if (later) made->maps.insert_or_assign(at->first, at->second);
    at = later ? before.maps.erase(at) : std::next(at);
  }
  before.known.clear();
  changed_ = true;
  timeline_.insert(timeline_.begin() + static_cast<ptrdiff_t>(index) + 1, std::move(made));
  if (timeline_.size() > kMostLayouts) drop_front();
}

/// A key may name it, so it gets what find() would have found in the next ones of its program.
void Layouts::drop_front() {
  const std::shared_ptr<Layout> dropped = std::move(timeline_.front());
  timeline_.erase(timeline_.begin());
  if (dropped.use_count() == 1) return;
  for (const auto& later : timeline_) {
    if (later->fresh) return;
    for (const auto& [start, entry] : later->maps) {
      const auto there = first_overlap(*dropped, entry);
      if (there == dropped->maps.end() || there->first >= entry.end) dropped->maps.emplace(start, entry);
    }
  }
}

void Layouts::begin_program(Nanoseconds time) {
  const size_t index = index_at(time);
  if (timeline_[index]->fresh && timeline_[index]->from == time) return;
  split(index, time, true);
}

/// Makes the layout of `time` one in which nothing contradicts the entry but what was known before that time.
Layout& Layouts::layout_for(Nanoseconds time, const MapEntry& entry) {
  for (;;) {
    const size_t index = index_at(time);
    Layout& layout = *timeline_[index];
    const SeenEntry* later = nullptr;
    bool contradicted = false;
    for (auto at = first_overlap(layout, entry); at != layout.maps.end() && at->first < entry.end; ++at) {
      if (agree(at->second, entry)) continue;
      contradicted = true;
      if (at->second.seen > time && (later == nullptr || at->second.seen < later->seen)) later = &at->second;
    }
    if (later != nullptr)
      split(index, later->seen, false);
    else if (contradicted && layout.from != time)
      split(index, time, false);
    else
      return layout;
  }
}

void Layouts::add(Nanoseconds time, const MapEntry& entry) {
  Layout& layout = layout_for(time, entry);
  Nanoseconds seen = time;
  for (auto at = first_overlap(layout, entry); at != layout.maps.end() && at->first < entry.end;) {
    SeenEntry& known = at->second;
    if (agree(known, entry)) {
      seen = std::min(seen, known.seen);
      if (known.start <= entry.start && known.end >= entry.end) {
        known.seen = seen;
        return;
      }
    }
    at = layout.maps.erase(at);
  }
  layout.maps.emplace(entry.start, SeenEntry{entry, seen});
  layout.missed.clear();
  layout.known.clear();
}

const SeenEntry* Layouts::find(const Layout& layout, uint64_t address) const {
  if (const SeenEntry* entry = layout.find(address)) return entry;
  const auto here = std::ranges::find(timeline_, &layout, [](const auto& one) { return one.get(); });
  if (here == timeline_.end()) return nullptr;
  for (auto earlier = here; !(*earlier)->fresh && earlier != timeline_.begin();)
    if (const SeenEntry* entry = (*--earlier)->find(address)) return entry;
  for (auto later = std::next(here); later != timeline_.end() && !(*later)->fresh; ++later)
    if (const SeenEntry* entry = (*later)->find(address)) return entry;
  return nullptr;
}

/// A checksum of the files and offsets at the addresses. An address that is in none has a meaning of its own in each
/// layout.
uint64_t Layouts::meaning(const Layout& layout, std::span<const uint64_t> addresses) const {
  uint64_t sum = addresses.size();
  for (const uint64_t address : addresses) {
    sum = mix(sum, address);
    const SeenEntry* entry = find(layout, address);
    if (entry == nullptr) {
      sum = mix(sum, reinterpret_cast<uintptr_t>(&layout));
      continue;
    }
    sum = mix(sum, entry->start - entry->offset);
    sum = mix(mix(sum, entry->file.inode), uint64_t{entry->file.major} << 32 | entry->file.minor);
    if (entry->file.inode == 0) sum = mix(sum, std::hash<std::string>()(entry->path));
  }
  return sum;
}

/// One in which the addresses have the meaning: the first of all, one that was returned lately, or else `layout`. So a
/// program that opens its libraries again and again has few layouts that keys name.
std::shared_ptr<Layout> Layouts::first_with(uint64_t wanted, std::span<const uint64_t> addresses,
                                            const std::shared_ptr<Layout>& layout) {
  if (meaning(*first_, addresses) == wanted) return first_;
  for (const auto& one : returned_)
    if (one == layout || meaning(*one, addresses) == wanted) return one;
  if (returned_.size() == kMostReturned) returned_.erase(returned_.begin());
  return returned_.emplace_back(layout);
}

const std::shared_ptr<Layout>& Layouts::of(Nanoseconds time, std::span<const uint64_t> addresses) {
  const std::shared_ptr<Layout>& layout = at(time);
  if (!changed_ || addresses.empty() || layout == first_) return layout;
  const uint64_t wanted = meaning(*layout, addresses);
  if (meanings_.size() >= kMostMeanings) meanings_.clear();
  const auto [found, is_new] = meanings_.try_emplace(wanted);
  if (is_new) found->second = first_with(wanted, addresses, layout);
  return found->second;
}

void Layouts::forget_before(Nanoseconds time) {
  while (timeline_.size() > 1 && timeline_[1]->from + kAfterEnd < time) drop_front();
}

void Layouts::forget_meanings() {
  const auto is_over = [this](const std::shared_ptr<Layout>& one) {
    return one->space == 0 && std::ranges::find(timeline_, one) == timeline_.end();
  };
  std::erase_if(meanings_, [&](const auto& entry) { return is_over(entry.second); });
  std::erase_if(returned_, is_over);
}

}  // namespace sonde
