// SPDX-License-Identifier: GPL-3.0-or-later
// The cache of frame information
//
//   load()            .eh_frame_hdr, which the linker has sorted: read whole, its order checked
//   load_sections()   .eh_frame of an object without that header: read through once, and the table made here
//   row()             pc --> table --> FDE, run by sonde_cfi_row_at() --> cached by address
//
// The table holds only pairs of code and FDE. The FDEs stay in the traced process, and are read when a row is needed.
#include "runtime/guard/cfi.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "runtime/process/elf_headers.h"

namespace sonde::guard {
namespace {

constexpr uint32_t kMaxTable = 4u << 20;     // entries of .eh_frame_hdr
constexpr uint64_t kMaxSection = 32u << 20;  // bytes of .eh_frame
constexpr size_t kMaxRows = 8192;
constexpr sonde_cfi_env kReads = {read_cfi, read_cfi, nullptr, nullptr};

}  // namespace

int read_cfi(void* reader, uint64_t address, void* to, uint32_t length) {
  return static_cast<CfiReader*>(reader)->read(address, to, length) ? 0 : -1;
}

/// Nothing waits for us here, so we set no limit of work: an entry's own length is limit enough.
CfiReader::CfiReader(const ReadMemory& memory) : read(memory) { sonde_cfi_begin(this, &kReads, this, UINT32_MAX); }

std::optional<CfiTable> CfiTable::load(uint64_t base, uint64_t pc, const ReadMemory& read) {
  CfiReader reader(read);
  sonde_cfi_table found;
  if (sonde_cfi_open(&reader, base, pc, &found) != 0 || found.count == 0) return std::nullopt;
  CfiTable made;
  made.header_ = found.header - base;
  made.table_.resize(found.count);
  if (!read(found.pairs, made.table_.data(), made.bytes())) return std::nullopt;
  if (!std::ranges::is_sorted(made.table_, {}, &Entry::code)) return std::nullopt;
  return made.remember_look(base, read) ? std::optional(std::move(made)) : std::nullopt;
}

std::pair<uint64_t, uint64_t> section_in_file(const std::string& path, std::string_view wanted) {
  const auto file = ElfHeaders::read(path);
  return file ? file->section(wanted) : std::pair<uint64_t, uint64_t>();
}

std::optional<CfiTable> CfiTable::load_sections(const std::string& path, uint64_t base, const ReadMemory& read) {
  const auto [offset, size] = section_in_file(path, ".eh_frame");
  if (size == 0 || size > kMaxSection) return std::nullopt;
  CfiTable made;
  made.header_ = offset;
  made.add_entries(base, size, read);
  if (made.table_.empty()) return std::nullopt;
  std::ranges::sort(made.table_, {}, &Entry::code);
  return made.remember_look(base, read) ? std::optional(std::move(made)) : std::nullopt;
}

bool CfiTable::read_look(uint64_t base, const ReadMemory& read, Look& look) const {
  constexpr size_t kHalf = sizeof(Look) / 2;
  return read(base, look.data(), kHalf) && read(base + header_, look.data() + kHalf, kHalf);
}

bool CfiTable::fits(uint64_t base, const ReadMemory& read) const {
  Look look;
  return read_look(base, read, look) && look == look_;
}

/// Reads .eh_frame from its start and adds its entries.
void CfiTable::add_entries(uint64_t base, uint64_t size, const ReadMemory& read) {
  const uint64_t begin = base + header_;
  std::vector<uint8_t> section(size + SONDE_CFI_WINDOW);
  if (!read(begin, section.data(), size)) return;
  const ReadMemory local = [&](uint64_t address, void* to, size_t length) {
    if (address - begin > section.size() || length > section.size() - (address - begin)) return false;
    std::memcpy(to, section.data() + (address - begin), length);
    return true;
  };
  CfiReader reader(local);
  for (uint64_t at = begin, entry = at, code = 0; table_.size() < kMaxTable; entry = at) {
    if (sonde_cfi_next(&reader, begin, &at, &code) != 0) return;
    if (code != 0) table_.push_back({static_cast<int32_t>(code - begin), static_cast<int32_t>(entry - begin)});
  }
}

std::optional<sonde_cfi_row> CfiTable::make_row(uint64_t header, uint64_t pc, const ReadMemory& read) const {
  const auto wanted = static_cast<int64_t>(pc - header);
  auto after = std::ranges::upper_bound(table_, wanted, {}, [](const Entry& entry) { return int64_t{entry.code}; });
  if (after == table_.begin()) return std::nullopt;
  CfiReader reader(read);
  const uint64_t fde = header + static_cast<uint64_t>(int64_t{std::prev(after)->fde});
  return sonde_cfi_row_at(&reader, header, fde, pc) == 0 ? std::optional(reader.row) : std::nullopt;
}

bool CfiTable::RowOrder::operator()(const sonde_cfi_row& a, const sonde_cfi_row& b) const {
  constexpr size_t kBytes = offsetof(sonde_cfi_row, offsets) + sizeof a.offsets;  // what is behind is padding
  static_assert(sizeof(sonde_cfi_row) - kBytes < alignof(sonde_cfi_row));
  return std::memcmp(&a, &b, kBytes) < 0;
}

const sonde_cfi_row* CfiTable::row(uint64_t base, uint64_t pc, const ReadMemory& read) {
  if (const auto known = rows_.find(pc - base); known != rows_.end()) return known->second;
  if (rows_.size() >= kMaxRows) {
    rows_.clear();
    distinct_.clear();
  }
  const std::optional<sonde_cfi_row> made = make_row(header(base), pc, read);
  return rows_[pc - base] = made ? &*distinct_.insert(*made).first : nullptr;
}

size_t CfiTable::bytes() const {
  constexpr size_t kOfAddress = 40, kNode = 48;  // with what the allocator adds
  return table_.size() * sizeof(Entry) + rows_.size() * kOfAddress + distinct_.size() * (sizeof(sonde_cfi_row) + kNode);
}

}  // namespace sonde::guard
