// SPDX-License-Identifier: GPL-3.0-or-later
// Lookups for a walk in one process
//
//   pc --> range_of(): mapping --> table_of(): its object's table --> row
//
// Tables belong to files, not to processes, and are shared by all processes of one tracer; fits() checks that the file
// in memory is still the one that was read. A tracer is a thread (ptrace requires it), and the tables are that thread's
// own: looking up a row adds it to the table, so two tracers would need a lock at each frame.
#include "runtime/guard/unwind.h"

#include <elf.h>
#include <link.h>
#include <time.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/kept_fds.h"
#include "runtime/base/page.h"
#include "runtime/process/proc_maps.h"

namespace sonde::guard {
namespace {

constexpr uint64_t kFresh = 1'000'000'000;   // ns for which the mappings are considered current
constexpr size_t kTableBudget = 64u << 20;   // bytes of tables to keep
constexpr size_t kUnusedBudget = 16u << 20;  // beyond it, those that no process uses go
constexpr size_t kMostRows = 8192;           // of Go's table of an object
constexpr size_t kMostTables = 1024;
constexpr uint64_t kGap = 2u << 20;  // bytes that linkers leave between segments, at most
constexpr size_t kBeginning = 1024;  // bytes: an object's headers, and its build id behind them
constexpr size_t kMostInNone =
    32;  // pages in no range for which the mappings are read again, once each while they are current

/// Reads each page of the stack once.
class StackPages {
 public:
  explicit StackPages(const ReadMemory& read) : read_(read) {}

  bool get(uint64_t address, void* to, size_t length) {
    const uint64_t page = address & ~(kPage - 1);
    if (length > kPage || address - page + length > kPage) return read_(address, to, length);
    for (Page& known : pages_)
      if (known.address == page) return std::memcpy(to, known.bytes.data() + (address - page), length), true;
    Page& slot = pages_[next_++ % pages_.size()];
    slot.address = UINT64_MAX;
    if (!read_(page, slot.bytes.data(), kPage)) return read_(address, to, length);
    slot.address = page;
    std::memcpy(to, slot.bytes.data() + (address - page), length);
    return true;
  }

 private:
  struct Page {
    uint64_t address = UINT64_MAX;
    std::array<uint8_t, kPage> bytes;
  };
  const ReadMemory& read_;
  std::array<Page, 4> pages_;
  size_t next_ = 0;
};

}  // namespace

std::map<Unwinder::FileKey, std::shared_ptr<CfiTable>>& Unwinder::tables() {
  static thread_local std::map<FileKey, std::shared_ptr<CfiTable>> all;
  return all;
}

bool Unwinder::open() {
  if (maps_) return true;
  maps_ = open_mappings(pid_);
  if (maps_.get() > highest_kept_fd()) maps_.reset();
  return static_cast<bool>(maps_);
}

/// If the mappings cannot be read, the process may have made itself undumpable: what was read before still holds.
void Unwinder::read_ranges() {
  read_ns_ = now_of(CLOCK_MONOTONIC_COARSE);
  if (assumed_) return;
  const auto wanted = [](const Mapping& one) { return one.executable || is_object(one); };
  std::vector<Mapping> mappings = maps_ ? read_mappings_of(maps_, wanted) : read_mappings(pid_, wanted);
  if (!mappings.empty()) set_ranges(std::move(mappings));
}

void Unwinder::assume(std::vector<Mapping> objects) {
  assumed_ = true;
  set_ranges(std::move(objects));
}

void Unwinder::set_ranges(std::vector<Mapping> mappings) {
  const std::vector<Range> before = std::exchange(ranges_, {});
  news_ = true;
  FileKey head;
  uint64_t head_start = 0;
  for (size_t i = 0; i < mappings.size(); i++) {
    Mapping& mapping = mappings[i];
    const FileKey file{mapping.major, mapping.minor, mapping.inode};
    const bool object = is_object(mapping), compiled = is_own_code(mapping);
    if (object && mapping.offset == 0 && (head_start == 0 || file != head)) {
      head = file;
      head_start = mapping.start;
    }
    if (!mapping.executable) continue;
    // Text that the process has moved to memory of its own, for huge pages, is in a hole of its file. The hole is no larger
    // than that: node maps its built-in functions a second time, near the code that it compiles.
    const Mapping* after = i + 1 < mappings.size() ? &mappings[i + 1] : nullptr;
    const bool moved = mapping.path.empty() && head.inode != 0 && after != nullptr &&
                       FileKey{after->major, after->minor, after->inode} == head && after->start - mapping.end < kGap;
    const uint64_t base = (object && file == head) || moved ? head_start : 0;
    ranges_.push_back(
        {mapping.start, mapping.end, mapping.offset, base, moved ? head : file, std::move(mapping.path), {}});
    ranges_.back().compiled = base == 0 && compiled;
    for (const Range& old : before) ranges_.back().keep_from(old);
  }
}

void Unwinder::Range::keep_from(const Range& old) {
  if (old.start != start || old.base != base || old.file != file || old.beginning == 0) return;
  beginning = old.beginning;
  go = old.go;
  looked_for_go = old.looked_for_go;
}

std::vector<Mapping> Unwinder::take_files(pid_t pid) {
  if (std::exchange(taken_by_, pid) != pid) {
    taken_.clear();
    news_ = true;
  }
  std::vector<Mapping> fresh, all;
  if (!std::exchange(news_, false)) return fresh;
  for (const Range& range : ranges_) {
    if (!range.path.starts_with('/') && range.path != kVdsoPath) continue;
    const FileKey& file = range.file;
    all.push_back(
        {range.start, range.end, range.offset, file.major, file.minor, file.inode, true, false, false, range.path});
    if (std::ranges::find(taken_, all.back()) == taken_.end()) fresh.push_back(all.back());
  }
  taken_ = std::move(all);
  return fresh;
}

Unwinder::Range* Unwinder::find(uint64_t pc) {
  auto after = std::ranges::upper_bound(ranges_, pc, {}, &Range::start);
  return after == ranges_.begin() || pc >= std::prev(after)->end ? nullptr : &*std::prev(after);
}

/// Whether the object begins as it did when it was first met.
bool Unwinder::unchanged(Range& range, const ReadMemory& memory) {
  std::array<char, kBeginning> bytes;
  range.checked = walks_;
  if (range.base == 0 || !memory(range.base, bytes.data(), bytes.size())) return true;
  const uint64_t before = std::exchange(range.beginning, XXH3_64bits(bytes.data(), bytes.size()) | 1);
  if (before == 0 || before == range.beginning) return true;
  range.go.reset();
  range.looked_for_go = false;
  return false;
}

Unwinder::Range* Unwinder::range_of(uint64_t pc, const ReadMemory& memory) {
  if (read_ns_ == 0 || now_of(CLOCK_MONOTONIC_COARSE) - read_ns_ > kFresh) {
    in_none_.clear();
    read_ranges();
  }
  Range* range = find(pc);
  if (range != nullptr && (range->checked == walks_ || unchanged(*range, memory))) return range;
  if (range == nullptr && (in_none_.size() == kMostInNone || std::ranges::count(in_none_, pc / kPage) != 0))
    return nullptr;
  read_ranges();  // it may have been mapped since
  range = find(pc);
  if (range == nullptr)
    in_none_.push_back(pc / kPage);
  else
    unchanged(*range, memory);
  return range;
}

/// A path that leads to the object's file; empty: there is none that we may open.
std::string Unwinder::file_of(const Range& range) const {
  MapEntry entry{range.start,
                 range.end,
                 range.offset,
                 true,
                 false,
                 range.path,
                 {range.file.major, range.file.minor, range.file.inode}};
  entry.deleted = take_deleted_mark(entry.path);
  return path_to_open(static_cast<uint32_t>(pid_), entry);
}

/// The row of code that has no other.
const sonde_cfi_row* Unwinder::go_row(Range& range, uint64_t pc, const ReadMemory& read) {
  if (range.base == 0 || !range.path.starts_with('/')) return nullptr;
  if (!std::exchange(range.looked_for_go, true))
    if (auto table = GoTable::load(file_of(range), range.base, read))
      range.go = std::make_shared<GoRows>(GoRows{std::move(*table), {}});
  if (range.go == nullptr) return nullptr;
  if (range.go->rows.size() >= kMostRows) range.go->rows.clear();
  const auto [at, is_new] = range.go->rows.try_emplace(pc - range.base);
  if (is_new) at->second = range.go->table.row(range.base, pc, read);
  return at->second ? &*at->second : nullptr;
}

CfiTable* Unwinder::table_of(Range& range, const ReadMemory& read) {
  if (range.looked || range.base == 0) return range.table.get();
  range.looked = true;
  auto known = tables().find(range.file);
  if (known != tables().end() && known->second->fits(range.base, read)) {
    range.table = known->second;
    return range.table.get();
  }
  auto table = CfiTable::load(range.base, range.start, read);
  if (!table && range.path.starts_with('/')) table = CfiTable::load_sections(file_of(range), range.base, read);
  if (!table) return nullptr;
  range.table = std::make_shared<CfiTable>(std::move(*table));
  keep(range.file, range.table);
  return range.table.get();
}

void Unwinder::forget_failures() {
  for (Range& range : ranges_) {
    tables().erase(range.file);
    range.table.reset();
    range.go.reset();
    range.looked = range.looked_for_go = false;
  }
}

/// Beyond the budget the tables that no process uses go first: machines that build programs map new files without end.
void Unwinder::keep(const FileKey& file, std::shared_ptr<CfiTable> table) {
  const auto too_many = [](size_t budget) {
    size_t bytes = 0;
    for (const auto& [other, kept] : tables()) bytes += kept->bytes();
    return bytes > budget || tables().size() >= kMostTables;
  };
  if (too_many(kUnusedBudget)) std::erase_if(tables(), [](const auto& one) { return one.second.use_count() == 1; });
  if (too_many(kTableBudget)) tables().clear();
  tables()[file] = std::move(table);
}

/// The callbacks of sonde_cfi_walk().
struct Unwinder::Walk : CfiReader {
  Walk(Unwinder& whose, const FrameRegisters& frame, const ReadMemory& pages, const ReadMemory& the_memory)
      : CfiReader(pages), unwinder(whose), registers(frame), memory(the_memory) {
    env = &kEnv;
  }

  static Walk& of(void* context) { return *static_cast<Walk*>(static_cast<CfiReader*>(context)); }
  static int is_code(void* context, uint64_t pc) { return of(context).range_of(pc) != nullptr; }
  static const sonde_cfi_row* row_of(void* context, uint64_t pc, uint64_t* header) {
    Walk& walk = of(context);
    const sonde_cfi_row* row = walk.look_up(pc, header);
    walk.lost = row == nullptr && walk.registers[SONDE_CFI_FP] != 0;
    return row;
  }
  const sonde_cfi_row* look_up(uint64_t pc, uint64_t* header) {
    Range* range = range_of(pc);
    CfiTable* table = range != nullptr ? unwinder.table_of(*range, read) : nullptr;
    if (range == nullptr) return nullptr;
    if (table != nullptr) *header = table->header(range->base);
    const sonde_cfi_row* row = table != nullptr ? table->row(range->base, pc, read) : nullptr;
    return row != nullptr ? row : unwinder.go_row(*range, pc, read);
  }

  static constexpr sonde_cfi_env kEnv = {read_cfi, read_cfi, is_code, row_of};
  Range* range_of(uint64_t pc) { return unwinder.range_of(pc, memory); }

  Unwinder& unwinder;
  const FrameRegisters& registers;
  const ReadMemory& memory;  ///< without the stack's pages
  bool lost = false;  ///< the last frame has no row, and its frame pointer is not 0, as it is where threads start
};

/// Whether a file has sections, but none with frame information. A table that could not be read proves nothing: the process
/// may be ending.
static bool is_bare(const std::string& path) {
  return section_in_file(path, ".text").second != 0 && section_in_file(path, ".eh_frame").second == 0;
}

/// Whether `pc` is in the code where the kernel starts the program: no frame is above it.
bool Unwinder::is_start(const Range& range, uint64_t pc, const ReadMemory& memory) {
  constexpr uint64_t kLength = 64;
  ElfW(Ehdr) header;
  if (!memory(range.base, &header, sizeof header)) return true;
  const uint64_t start = header.e_entry + (header.e_type == ET_DYN ? range.base : 0);
  return pc - start < kLength;
}

std::vector<LackingStack> Unwinder::take_lacking(bool whole) {
  if (lacking_.empty()) return {};
  std::vector<LackingStack> found = std::exchange(lacking_, {});
  if (whole) return found;
  for (const LackingStack& one : found) known_lacks_ &= ~bit_of(one.lack);
  return {};
}

void Unwinder::note_lacking(Lack lack, const Range& range) {
  if (knows(lack)) return;
  known_lacks_ |= bit_of(lack);
  lacking_.push_back({lack, range.path});
}

/// A stack that ends at an address without a row has lost its callers there, if there are any. In an object that
/// has frame information, such code is written in assembly, often where a thread starts: that says nothing about the object.
void Unwinder::note_lacking(const Walk& walk, const uint64_t* to, uint32_t count, bool ended) {
  for (uint32_t i = 0; i < count && !knows(Lack::Names); i++) {
    const Range* range = find(to[i]);
    if (range == nullptr || !range->compiled) continue;
    if (lacks_name_map(pid_)) note_lacking(Lack::Names, *range);
    known_lacks_ |= bit_of(Lack::Names);
  }
  Range* last = ended && walk.lost ? find(to[count - 1]) : nullptr;
  if (last == nullptr) return;
  if (last->compiled) note_lacking(Lack::Frames, *last);
  if (last->base == 0 || last->go != nullptr || knows(Lack::Table) || is_start(*last, to[count - 1], walk.memory))
    return;
  if (!last->bare) last->bare = last->path.starts_with('/') && is_bare(file_of(*last));
  if (*last->bare) note_lacking(Lack::Table, *last);
}

uint32_t Unwinder::flags_of(const Walk& walk, std::span<const uint64_t> frames, bool ended) {
  const auto is_compiled = [this](uint64_t pc) {
    const Range* range = find(pc);
    return range != nullptr && range->compiled;
  };
  uint32_t flags = 0;
  if (ended && walk.lost) flags |= SONDE_RECORD_STACK_LOST;
  if (std::ranges::any_of(frames, is_compiled)) flags |= SONDE_RECORD_STACK_COMPILED;
  return flags;
}

uint32_t Unwinder::walk(FrameRegisters registers, bool at_entry, const ReadMemory& read_target, uint64_t* to,
                        uint32_t max) {
  StackPages pages(read_target);
  const ReadMemory read = [&pages](uint64_t address, void* bytes, size_t length) {
    return pages.get(address, bytes, length);
  };
  walks_++;
  Walk walk(*this, registers, read, read_target);
  const uint32_t count = sonde_cfi_walk(&walk, registers.data(), at_entry, to, max);
  for (uint32_t i = 0; i < count; i++) range_of(to[i], read_target);  // the outermost frame's mapping is needed as well
  if (count != 0) note_lacking(walk, to, count, count < max);
  lacks_ = flags_of(walk, {to, count}, count < max);
  reached_ = registers[SONDE_CFI_SP];
  return count;
}

}  // namespace sonde::guard
