// SPDX-License-Identifier: GPL-3.0-or-later
// Who owns an int3, from its arming to the last process that may hold it
//
//                   insert()                      take_out()
//     the program's ────────► in place: sites_ ──────────────► the program's: past_ ◄──────┐
//                              │    │    │                       a late trap there is ours │
//          the memory is copied│    │    │cannot be written                                │
//     (fork, mremap, memcpy)   │    │    ▼                                                 │
//                              │    │   owed: sites_ and debts_ ───────────────────────────┤
//                              ▼    │    ▲  emulated at a hit, tried again                 │
//         somewhere, unknown ───────┼────┘  owner_of(): it is met, and recognised          │
//                                   │                          by the program's bytes      │
//                                   └─► the text is mapped over or unmapped: moved_ ───────┘
//
// An int3 of ours lives as long as its byte, wherever that goes; the address alone does not tell whose it is. So a site
// is forgotten only where its memory shows that the int3 is gone: at the place there is none, or other bytes follow it
// than the program's. Rights and file of the mapping do not matter: a program may make its text writable for a moment,
// or move it to anonymous (huge) pages.
//
// An int3 that traps where none is known (owner_of) is ours if there was one at this address, in this process or in one
// that it was forked from, and the bytes behind it are those that were behind ours; or if it is not in its file, and
// the bytes behind it are those behind exactly one instruction that had a breakpoint anywhere (twin_of). The program's
// byte is put back then, and its own instruction runs. If that cannot be written, the hit is emulated from the kept
// bytes, as at any breakpoint. What is none of these is the program's own, and delivered.
//
// We refused to write breakpoints only into text that nobody can copy: nobody can know that.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "runtime/base/find.h"
#include "runtime/base/page.h"
#include "runtime/guard/address_space.h"
#include "runtime/process/proc_maps.h"

namespace sonde::guard {
namespace {

using machine::Breakpoint;
using machine::kBreakpoint;

constexpr size_t kTelling = 8;              // so many bytes behind an int3 tell whose it is
constexpr uint64_t kMostSwept = 256 << 20;  // bytes of a mapping
constexpr uint64_t kNear = 64 << 10;        // bytes around an int3 that is met

bool is_breakpoint(const uint8_t* bytes) { return std::memcmp(bytes, &kBreakpoint, kCovered) == 0; }

bool same_tail(const KeptBytes& kept, std::span<const uint8_t> found) {
  return found.size() >= kept.length &&
         std::equal(kept.bytes.begin() + kCovered, kept.bytes.begin() + kept.length, found.begin() + kCovered);
}

/// The file behind a mapping, which has the program's own bytes.
class FileBytes {
 public:
  FileBytes(pid_t pid, const Mapping& mapping) : mapping_(mapping) {
    if (mapping.inode == 0) return;
    MapEntry entry{mapping.start, mapping.end, mapping.offset, mapping.executable, false, mapping.path};
    entry.deleted = take_deleted_mark(entry.path);
    entry.file = {mapping.major, mapping.minor, mapping.inode};
    file_.reset(::open(path_to_open(static_cast<uint32_t>(pid), entry).c_str(), O_RDONLY | O_CLOEXEC));
  }
  /// Whether the bytes that a breakpoint covers may be the program's at `address`: they are those of the file, or there is
  /// no file.
  bool allow(uint64_t address, const void* bytes) const {
    Breakpoint own = 0;
    const auto offset = static_cast<off_t>(mapping_.offset + (address - mapping_.start));
    return mapping_.inode == 0 || (file_ && pread(file_.get(), &own, kCovered, offset) == ssize_t{kCovered} &&
                                   std::memcmp(&own, bytes, kCovered) == 0);
  }

 private:
  const Mapping& mapping_;
  UniqueFd file_;
};

std::optional<Mapping> mapping_at(pid_t pid, uint64_t address) {
  for (Mapping& mapping : read_mappings(pid, [](const Mapping&) { return true; }))
    if (address >= mapping.start && address < mapping.end) return std::move(mapping);
  return std::nullopt;
}

/// Finds whose breakpoint an int3 is by the bytes behind it.
class Twins {
 public:
  void add(const KeptBytes& kept) {
    if (kept.length >= kTelling) by_tail_[key_of(kept.bytes.data())].push_back(kept);
  }
  bool empty() const { return by_tail_.empty(); }
  /// `found` begins with an int3. Nothing: it is nobody's, or may be that of several different instructions.
  std::optional<KeptBytes> of(std::span<const uint8_t> found) const {
    const auto* candidates = found.size() >= kTelling ? find_in(by_tail_, key_of(found.data())) : nullptr;
    std::optional<KeptBytes> twin;
    for (const KeptBytes& kept : candidates != nullptr ? *candidates : std::vector<KeptBytes>()) {
      if (!same_tail(kept, found)) continue;
      if (twin && std::memcmp(twin->bytes.data(), kept.bytes.data(), kCovered) != 0) return std::nullopt;
      twin = kept;
    }
    return twin;
  }

 private:
  static uint64_t key_of(const uint8_t* bytes) {
    uint64_t key = 0;
    std::memcpy(&key, bytes + kCovered, kTelling - kCovered);
    return key;
  }
  std::unordered_map<uint64_t, std::vector<KeptBytes>> by_tail_;
};

}  // namespace

/// Whether our int3 is at `address`: the program's bytes follow it, as they did when it was written.
bool AddressSpace::still_ours(uint64_t address, const KeptBytes& kept) const {
  std::array<uint8_t, kInstructionMost> now{};
  if (!read(address, now.data(), kept.length) || !is_breakpoint(now.data())) return false;
  hide(address + kCovered, now.data() + kCovered, kept.length - kCovered);
  return same_tail(kept, now);
}

/// Notes a breakpoint that nothing uses, and that is still in place.
Site& AddressSpace::owe(uint64_t address, const KeptBytes& kept) {
  Site& site = sites_[address];
  static_cast<KeptBytes&>(site) = kept;
  site.address = address;
  debts_.insert(address);
  past_.erase(address);
  had_sites_ = true;
  return site;
}

bool AddressSpace::settle_debts() {
  std::erase_if(debts_, [this](uint64_t address) {
    const Site* owed = site(address);
    if (owed == nullptr || owed->used()) return true;
    if (!take_out(*owed)) return false;
    sites_.erase(address);
    return true;
  });
  return debts_.empty();
}

/// Writes only if the breakpoint is still there: the program may have mapped something else at its address. False: it
/// is still there.
bool AddressSpace::take_out(const Site& site) {
  uint8_t byte = 0;
  if (holds_breakpoint(site.address)) {
    if (!write(site.address, site.bytes.data(), kCovered)) return memory_.gone();
  } else if (!read(site.address, &byte, 1) && !memory_.open()) {
    return memory_.gone();
  }
  note_out(site);
  return true;
}

void AddressSpace::note_out(const Site& site) {
  past_[site.address] = site;
  gone_at_ = std::chrono::steady_clock::now();
}

void AddressSpace::remove_unused(std::vector<uint64_t> addresses) {
  std::ranges::sort(addresses);
  memory_.hold();
  for (auto at = addresses.begin(); at != addresses.end();) {
    const auto end = std::lower_bound(at, addresses.end(), (*at / kPage + 1) * kPage);
    remove_in_page({at, end});
    at = end;
  }
  memory_.release();
}

/// Looks at the page once. It writes byte by byte all the same: the program runs, and may write beside them.
void AddressSpace::remove_in_page(std::span<const uint64_t> addresses) {
  const uint64_t begin = addresses.front();
  std::vector<uint8_t> bytes(addresses.back() + kCovered - begin);
  const bool seen = read(begin, bytes.data(), bytes.size()) && pages_.bring_in(begin, bytes.size(), Access::Write);
  for (uint64_t address : addresses) {
    const Site* found = site(address);
    if (found == nullptr || found->used()) continue;
    const bool plain = seen && !code_.contains(address);
    if (plain ? take_out_seen(*found, &bytes[address - begin]) : take_out(*found))
      sites_.erase(address);
    else
      debts_.insert(address);
  }
}

/// take_out() where `now` was read at once with what is around it.
bool AddressSpace::take_out_seen(const Site& site, const uint8_t* now) {
  if (is_breakpoint(now) && !memory_.write(site.address, site.bytes.data(), kCovered)) return memory_.gone();
  note_out(site);
  return true;
}

void AddressSpace::recover_copies() {
  if (!may_trap()) return;
  if (scanned_)
    for (const Mapping& text : refresh(pid_)) sweep(text, text.start, text.end);
  for (const Mapping& code : read_mappings(pid_, is_own_code)) sweep(code, code.start, code.end);
}

void AddressSpace::remove_all() {
  recover_copies();
  std::vector<uint64_t> all;
  for (auto& [address, site] : sites_) {
    site.taps.erase_if([](const ArmedTap*) { return true; });
    site.program_entry = site.linker = site.clone = 0;
    site.callers = 0;
    all.push_back(address);
  }
  remove_unused(std::move(all));
  (void)settle_counters({});  // what cannot be written is not there any more, or stays on without harm
}

/// In a child that does not run yet: puts the program's bytes back, a page at a time. Those that it cannot put back are
/// owed.
void AddressSpace::clean(const std::map<uint64_t, KeptBytes>& breakpoints) {
  for (auto at = breakpoints.begin(); at != breakpoints.end();) {
    const uint64_t begin = at->first, page = begin / kPage;
    auto last = at;
    while (std::next(last) != breakpoints.end() && std::next(last)->first / kPage == page) ++last;
    std::vector<uint8_t> bytes(last->first + kCovered - begin);
    const auto end = std::next(last);
    const bool seen = read(begin, bytes.data(), bytes.size());
    bool changed = false;
    for (auto one = at; seen && one != end; ++one) {
      const bool ours = is_breakpoint(&bytes[one->first - begin]);
      if (!ours || (code_.contains(one->first) && !holds_breakpoint(one->first))) continue;
      std::memcpy(&bytes[one->first - begin], one->second.bytes.data(), kCovered);
      changed = true;
    }
    const bool clean = seen ? !changed || write(begin, bytes.data(), bytes.size()) : memory_.open();
    for (; at != end; ++at) {
      if (clean)
        past_[at->first] = at->second;
      else
        owe(at->first, at->second);
    }
  }
}

size_t AddressSpace::free_copy(pid_t other) const {
  AddressSpace copy(other);
  size_t freed = 0;
  // Backwards: where breakpoints are close to each other, the bytes behind one are right once the next is out.
  for (auto at = sites_.rbegin(); at != sites_.rend(); ++at)
    if (copy.still_ours(at->first, at->second) && copy.write(at->first, at->second.bytes.data(), kCovered)) freed++;
  if (!raised_.empty()) (void)copy.refresh(other);
  for (const auto& [address, place] : raised_)
    if (copy.is_counter(address, place)) (void)copy.count(address, -1);
  return freed;
}

size_t AddressSpace::lost() const {
  size_t count = 0;
  if (withdrawn_) return count;
  for (auto at = sites_.begin(); at != sites_.end();) {
    const uint64_t begin = at->first, page_end = (begin / kPage + 1) * kPage;
    std::vector<uint8_t> bytes(page_end - begin + kInstructionMost);
    const bool seen = read(begin, bytes.data(), bytes.size()) || read(begin, bytes.data(), page_end - begin);
    std::vector<uint8_t> shown = bytes;
    hide(begin, shown.data(), shown.size());
    for (; at != sites_.end() && at->first < page_end; ++at) {
      const Site& site = at->second;
      const size_t place = at->first - begin;
      const bool back = bytes[place] == site.bytes[0] && same_tail(site, std::span(shown).subspan(place));
      if (seen && site.lifted == 0 && back && !code_.contains(at->first)) count++;
    }
  }
  return count;
}

/// Forgets the breakpoints whose int3 is not in this mapping any more, whatever is mapped there now.
void AddressSpace::forget_sites(const Mapping& gone) {
  const auto within = [&](uint64_t address) { return address >= gone.start && address < gone.end; };
  // One that was taken out may not have been: if its text had been moved by then, it is in the text's new place.
  std::erase_if(past_, [&](const auto& was) {
    const bool forget = within(was.first) && !still_ours(was.first, was.second);
    if (forget && was.second.length == was.second.bytes.size()) moved_.insert(was.second.bytes);
    return forget;
  });
  for (auto at = sites_.lower_bound(gone.start); at != sites_.end() && at->first < gone.end;) {
    const Site& site = at->second;
    if (site.lifted > 0 || still_ours(at->first, site)) {
      ++at;
      continue;
    }
    if (site.length == site.bytes.size()) moved_.insert(site.bytes);
    at = sites_.erase(at);
  }
}

AddressSpace::Owner AddressSpace::owner_of(uint64_t address) {
  Breakpoint now = 0;
  const bool seen = read(address, &now, kCovered);
  if (!seen || now != kBreakpoint) return past_.contains(address) ? Owner::Late : Owner::Program;
  if (const KeptBytes* was = find_in(past_, address); was != nullptr && still_ours(address, *was)) {
    owe(address, KeptBytes(*was));
    return settle_debts() ? Owner::Late : Owner::Owed;
  }
  return recover(address);
}

/// For an int3 where no breakpoint was: whether it is a copy of one of ours. Then that and all others in the same
/// mapping are taken out.
AddressSpace::Owner AddressSpace::recover(uint64_t address) {
  const auto mapping = mapping_at(pid_, address);
  if (!mapping) return Owner::Program;
  const uint64_t begin = std::max(mapping->start, address - std::min(address, kNear));
  sweep(*mapping, begin, std::min(mapping->end, address + kNear));
  Breakpoint now = kBreakpoint;
  const bool put_back = read(address, &now, kCovered) && now != kBreakpoint;
  if (put_back) sweep(*mapping, mapping->start, mapping->end);
  return put_back ? Owner::Recovered : site(address) != nullptr ? Owner::Owed : Owner::Program;
}

bool AddressSpace::may_be_ours(uint64_t address) const {
  Breakpoint now = 0;
  if (!read(address, &now, kCovered) || now != kBreakpoint) return false;
  const auto mapping = mapping_at(pid_, address);
  return mapping && (mapping->inode == 0 || !FileBytes(pid_, *mapping).allow(address, &kBreakpoint));
}

/// Takes copies of our breakpoints out of [begin, end) of a mapping: of memory that the program has filled, or of text
/// that it has moved. In a file's mapping the file says what is the program's; there, a breakpoint that is in place
/// elsewhere is no model, because the int3 may be another tracer's in a function with the same bytes.
void AddressSpace::sweep(const Mapping& mapping, uint64_t begin, uint64_t end) {
  if (mapping.shared || end - begin > kMostSwept) return;
  std::vector<uint8_t> bytes(end - begin);
  if (!read(begin, bytes.data(), bytes.size())) return;
  if (std::memchr(bytes.data(), kBreakpoint, bytes.size()) == nullptr) return;
  Twins twins;
  for (const auto& [at, was] : past_) twins.add(was);
  for (const auto& whole : moved_) twins.add({whole, static_cast<uint8_t>(whole.size())});
  for (const auto& [at, site] : sites_)
    if (mapping.inode == 0 || !still_ours(at, site)) twins.add(site);
  if (twins.empty()) return;
  hide(begin, bytes.data(), bytes.size());
  const FileBytes file(pid_, mapping);
  // Backwards: where breakpoints are close to each other, the bytes behind one are right once the next is out.
  for (size_t at = bytes.size(); at-- > 0;) {
    if (!is_breakpoint(&bytes[at])) continue;
    const auto twin = twins.of(std::span(bytes).subspan(at));
    if (!twin || !file.allow(begin + at, twin->bytes.data())) continue;
    bytes[at] = twin->bytes[0];
    if (!write(begin + at, twin->bytes.data(), kCovered)) owe(begin + at, *twin);
  }
}

}  // namespace sonde::guard
