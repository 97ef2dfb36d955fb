// SPDX-License-Identifier: GPL-3.0-or-later
// Nothing that is read is trusted: counts are bounded, and an entry that leads nowhere yields no row.
#include "runtime/guard/go_table.h"

#include <algorithm>
#include <array>

#include "runtime/guard/arch.h"

namespace sonde::guard {
namespace {

constexpr uint32_t kGo118 = 0xfffffff0, kGo120 = 0xfffffff1;
constexpr uint64_t kMostEntries = 4u << 20;
constexpr int kMostRuns = 100'000;

/// The head of .gopclntab. Offsets are from its beginning.
struct Head {
  uint32_t magic;
  uint8_t zero[2], quantum, pointer_size;
  uint64_t functions, files, text, names, units, file_table, depths, function_table;
};

enum FunctionFlag : uint8_t { kTopFrame = 1, kWritesStackPointer = 2 };

/// Reads the variable-length numbers of a table.
class Numbers {
 public:
  Numbers(uint64_t at, const ReadMemory& read) : at_(at), read_(read) {}

  bool failed() const { return failed_; }
  uint32_t next() {
    uint32_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      const uint8_t byte = next_byte();
      value |= static_cast<uint32_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    failed_ = true;
    return 0;
  }
  int32_t next_signed() {
    const uint32_t value = next();
    return static_cast<int32_t>((value & 1) != 0 ? ~(value >> 1) : value >> 1);
  }

 private:
  uint8_t next_byte() {
    if (used_ == kept_) {
      for (kept_ = bytes_.size(); kept_ > 0 && !read_(at_, bytes_.data(), kept_);) kept_ /= 2;
      used_ = 0;
      at_ += kept_;
      failed_ = failed_ || kept_ == 0;
    }
    return failed_ ? 0 : bytes_[used_++];
  }

  uint64_t at_;
  const ReadMemory& read_;
  std::array<uint8_t, 64> bytes_{};
  size_t used_ = 0, kept_ = 0;
  bool failed_ = false;
};

/// The value of a table for an offset in the text; `begin` is its function's.
std::optional<int32_t> value_at(uint64_t table, uint32_t begin, uint64_t wanted, const ReadMemory& read) {
  Numbers numbers(table, read);
  int32_t value = -1;
  uint64_t code = begin;
  for (int run = 0; run < kMostRuns; run++) {
    const int32_t change = numbers.next_signed();
    if (change == 0 && run > 0) return std::nullopt;  // the end of the table
    value += change;
    code += numbers.next();
    if (numbers.failed()) return std::nullopt;
    if (wanted < code) return value;
  }
  return std::nullopt;
}

/// Its place in the file's addresses; 0: there is none.
uint64_t table_in_file(const std::string& path) {
  const uint64_t at = section_in_file(path, ".gopclntab").first;
  return at != 0 ? at : section_in_file(path, ".data.rel.ro.gopclntab").first;
}

}  // namespace

bool is_of_go(const std::string& path) { return table_in_file(path) != 0; }

std::optional<GoTable> GoTable::load(const std::string& path, uint64_t base, const ReadMemory& read) {
  const uint64_t at = table_in_file(path);
  Head head;
  if (at == 0 || !read(base + at, &head, sizeof head)) return std::nullopt;
  const bool known = head.magic == kGo118 || head.magic == kGo120;
  if (!known || head.pointer_size != sizeof(uint64_t) || head.quantum != kGoQuantum || head.functions > kMostEntries)
    return std::nullopt;
  GoTable made;
  made.text_ = head.text != 0 ? head.text - base : section_in_file(path, ".text").first;
  made.functions_ = at + head.function_table;
  made.depths_ = at + head.depths;
  made.flag_at_ = head.magic == kGo118 ? 37 : 41;
  made.entries_.resize(head.functions);
  if (!read(base + made.functions_, made.entries_.data(), head.functions * sizeof(Entry))) return std::nullopt;
  if (!std::ranges::is_sorted(made.entries_, {}, &Entry::code)) return std::nullopt;
  return made;
}

std::optional<sonde_cfi_row> GoTable::row(uint64_t base, uint64_t pc, const ReadMemory& read) const {
  const uint64_t wanted = pc - base - text_;
  const auto after =
      std::ranges::upper_bound(entries_, wanted, {}, [](const Entry& entry) { return uint64_t{entry.code}; });
  if (pc - base < text_ || after == entries_.begin() || after == entries_.end()) return std::nullopt;
  const Entry& entry = *std::prev(after);
  const uint64_t function = base + functions_ + entry.function;
  uint32_t depths = 0;
  uint8_t flag = 0;
  if (!read(function + 16, &depths, sizeof depths) || !read(function + flag_at_, &flag, 1)) return std::nullopt;
  if (depths == 0 || (flag & kWritesStackPointer) != 0) return std::nullopt;
  const auto depth = value_at(base + depths_ + depths, entry.code, wanted, read);
  if (!depth || *depth < 0) return std::nullopt;
  sonde_cfi_row row = go_row(*depth);
  if ((flag & kTopFrame) != 0) row.kinds[row.return_register] = SONDE_CFI_UNDEFINED;
  return row;
}

}  // namespace sonde::guard
