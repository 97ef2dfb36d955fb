// SPDX-License-Identifier: GPL-3.0-or-later
// Lookups for a walk in one process
//
//   pc --> range_of(): mapping --> table_of(): its object's table --> row
//
// Tables belong to files, not to processes, and are shared by all processes of one tracer; fits() checks that the file
// in memory is still the one that was read. A tracer is a thread (ptrace requires it), and the tables are that thread's
// own: looking up a row adds it to the table, so two tracers would need a lock at each frame.
#include "runtime/guard/unwind.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/base/clock.h"

namespace sonde::guard {
namespace {

constexpr uint64_t kFresh = 1'000'000'000;  // ns for which the mappings are considered current
constexpr size_t kTableBudget = 64u << 20;  // bytes of tables to keep
constexpr size_t kMostTables = 1024;
constexpr uint64_t kPage = 4096;
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

void Unwinder::read_ranges() {
  ranges_.clear();
  taken_by_ = 0;
  read_ns_ = now_of(CLOCK_MONOTONIC_COARSE);
  FileKey head;
  uint64_t head_start = 0;
  for (Mapping& mapping : read_mappings(pid_, [](const Mapping& one) { return one.executable || is_object(one); })) {
    const FileKey file{mapping.major, mapping.minor, mapping.inode};
    const bool object = is_object(mapping);
    if (object && mapping.offset == 0 && (head_start == 0 || file != head)) {
      head = file;
      head_start = mapping.start;
    }
    const uint64_t base = object && file == head ? head_start : 0;
    if (mapping.executable)
      ranges_.push_back({mapping.start, mapping.end, mapping.offset, base, file, std::move(mapping.path), {}});
  }
}

std::vector<Mapping> Unwinder::take_files(pid_t pid) {
  std::vector<Mapping> all;
  if (std::exchange(taken_by_, pid) == pid) return all;
  for (const Range& range : ranges_) {
    if (!range.path.starts_with('/')) continue;
    const FileKey& file = range.file;
    all.push_back({range.start, range.end, range.offset, file.major, file.minor, file.inode, true, false, range.path});
  }
  return all;
}

Unwinder::Range* Unwinder::range_of(uint64_t pc) {
  const auto find = [&]() -> Range* {
    auto after = std::ranges::upper_bound(ranges_, pc, {}, &Range::start);
    return after == ranges_.begin() || pc >= std::prev(after)->end ? nullptr : &*std::prev(after);
  };
  if (read_ns_ == 0 || now_of(CLOCK_MONOTONIC_COARSE) - read_ns_ > kFresh) {
    in_none_.clear();
    read_ranges();
  }
  Range* range = find();
  if (range != nullptr || in_none_.size() == kMostInNone || std::ranges::count(in_none_, pc / kPage) != 0) return range;
  read_ranges();  // it may have been mapped since
  range = find();
  if (range == nullptr) in_none_.push_back(pc / kPage);
  return range;
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
  if (!table && range.path.starts_with('/'))
    table = CfiTable::load_sections("/proc/" + std::to_string(pid_) + "/root" + range.path, range.base, read);
  if (!table) return nullptr;
  range.table = std::make_shared<CfiTable>(std::move(*table));
  keep(range.file, range.table);
  return range.table.get();
}

void Unwinder::keep(const FileKey& file, std::shared_ptr<CfiTable> table) {
  size_t bytes = 0;
  for (const auto& [other, kept] : tables()) bytes += kept->bytes();
  if (bytes > kTableBudget || tables().size() >= kMostTables) tables().clear();
  tables()[file] = std::move(table);
}

/// The callbacks of sonde_cfi_walk().
struct Unwinder::Walk : CfiReader {
  Walk(Unwinder& whose, const ReadMemory& memory) : CfiReader(memory), unwinder(whose) { env = &kEnv; }

  static Walk& of(void* context) { return *static_cast<Walk*>(static_cast<CfiReader*>(context)); }
  static int is_code(void* context, uint64_t pc) { return of(context).unwinder.range_of(pc) != nullptr; }
  static const sonde_cfi_row* row_of(void* context, uint64_t pc, uint64_t* header) {
    Walk& walk = of(context);
    Range* range = walk.unwinder.range_of(pc);
    CfiTable* table = range != nullptr ? walk.unwinder.table_of(*range, walk.read) : nullptr;
    if (table == nullptr) return nullptr;
    *header = table->header(range->base);
    return table->row(range->base, pc, walk.read);
  }

  static constexpr sonde_cfi_env kEnv = {read_cfi, read_cfi, is_code, row_of};
  Unwinder& unwinder;
};

uint32_t Unwinder::walk(FrameRegisters registers, bool at_entry, const ReadMemory& read_target, uint64_t* to,
                        uint32_t max) {
  StackPages pages(read_target);
  const ReadMemory read = [&pages](uint64_t address, void* bytes, size_t length) {
    return pages.get(address, bytes, length);
  };
  Walk walk(*this, read);
  return sonde_cfi_walk(&walk, registers.data(), at_entry, to, max);
}

}  // namespace sonde::guard
