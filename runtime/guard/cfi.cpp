// SPDX-License-Identifier: GPL-3.0-or-later
// From bytes to rows
//
//   load()            .eh_frame_hdr, a table that the linker has sorted: read whole, its order checked
//   load_sections()   .eh_frame of an object without that table: gone through once, the table made here
//   row()             pc --> table --> FDE and its CIE, read and run --> kept by address
//
// The table holds pairs of code and FDE only: the FDEs stay in the traced process, and are read when a row is asked for.
//
// Invariant: a Cursor that runs out yields 0 and is bad() from then on. Values may be used before the check, but nothing is
// believed, kept or returned before bad() was asked.
#include "runtime/guard/cfi.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "runtime/base/unique_fd.h"

namespace sonde::guard {
namespace {

constexpr uint32_t kMaxTable = 4u << 20;     // entries of .eh_frame_hdr
constexpr uint64_t kMaxSection = 32u << 20;  // bytes of .eh_frame
constexpr uint32_t kMaxEntry = 64u << 10;    // bytes of a CIE or FDE
constexpr size_t kMaxRemembered = 32;
constexpr size_t kMaxRows = 8192;
constexpr size_t kMaxStack = 32;  // of an expression

enum : uint8_t {
  kAbsolute = 0x00,
  kUleb = 0x01,
  kSigned4 = 0x0b,
  kPcRelative = 0x10,
  kDataRelative = 0x30,
  kOmitted = 0xff
};

/// Reads bytes that somebody else wrote; past the end it yields 0 and is bad().
class Cursor {
 public:
  Cursor(const uint8_t* begin, const uint8_t* end) : at_(begin), end_(end) {}
  bool bad() const { return bad_; }
  bool more() const { return !bad_ && at_ < end_; }
  const uint8_t* at() const { return at_; }

  template <typename T>
  T fixed() {
    T value = 0;
    if (static_cast<size_t>(end_ - at_) < sizeof value) return bad_ = true, at_ = end_, T{0};
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  uint64_t uleb() {
    uint64_t value = 0;
    for (uint32_t shift = 0;; shift += 7) {
      const auto byte = fixed<uint8_t>();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (bad_ || !(byte & 0x80)) return value;
    }
  }
  int64_t sleb() {
    uint64_t value = 0;
    for (uint32_t shift = 0;; shift += 7) {
      const auto byte = fixed<uint8_t>();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (bad_) return 0;
      if (byte & 0x80) continue;
      if ((byte & 0x40) && shift + 7 < 64) value |= ~uint64_t{0} << (shift + 7);
      return static_cast<int64_t>(value);
    }
  }
  std::vector<uint8_t> block(uint64_t length) {
    if (length > static_cast<uint64_t>(end_ - at_)) return bad_ = true, at_ = end_, std::vector<uint8_t>{};
    std::vector<uint8_t> bytes(at_, at_ + length);
    at_ += length;
    return bytes;
  }
  /// A pointer in one of DW_EH_PE's encodings; `place` is the address of the byte at at(), `data` that of the header.
  uint64_t encoded(uint8_t encoding, uint64_t place, uint64_t data) {
    if (encoding == kOmitted) return 0;
    const uint64_t relative = (encoding & 0x70) == kPcRelative ? place : (encoding & 0x70) == kDataRelative ? data : 0;
    if ((encoding & 0x80) || ((encoding & 0x70) && relative == 0)) return bad_ = true, 0;
    switch (encoding & 0x0f) {
      case 0x00: return relative + fixed<uint64_t>();
      case 0x01: return relative + uleb();
      case 0x02: return relative + fixed<uint16_t>();
      case 0x03: return relative + fixed<uint32_t>();
      case 0x04: return relative + fixed<uint64_t>();
      case 0x09: return relative + static_cast<uint64_t>(sleb());
      case 0x0a: return relative + static_cast<uint64_t>(int64_t{fixed<int16_t>()});
      case 0x0b: return relative + static_cast<uint64_t>(int64_t{fixed<int32_t>()});
      case 0x0c: return relative + fixed<uint64_t>();
      default: return bad_ = true, 0;
    }
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
  bool bad_ = false;
};

/// The bytes of a CIE or FDE behind its length; `at` becomes their address.
bool read_entry(uint64_t& at, const ReadMemory& read, std::vector<uint8_t>& bytes) {
  uint32_t length = 0;
  if (!read(at, &length, sizeof length) || length < 4 || length > kMaxEntry) return false;
  at += sizeof length;
  bytes.resize(length);
  return read(at, bytes.data(), length);
}

}  // namespace

/// What the FDEs of one CIE have in common.
struct CfiTable::Common {
  uint64_t code_factor = 1;
  int64_t data_factor = 1;
  uint32_t return_register = kFramePc;
  uint8_t encoding = kAbsolute;
  bool augmented = false;  ///< an FDE has a block of augmentation data before its instructions
  bool signal_frame = false;
  size_t instructions = 0;  ///< where they begin
};

std::optional<CfiTable> CfiTable::load(uint64_t base, const ReadMemory& read) {
  Elf64_Ehdr elf;
  if (!read(base, &elf, sizeof elf) || std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  if (elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_phentsize != sizeof(Elf64_Phdr)) return std::nullopt;
  uint64_t first = UINT64_MAX, header = 0;
  for (uint32_t i = 0; i < std::min<uint32_t>(elf.e_phnum, 64); i++) {
    Elf64_Phdr segment;
    if (!read(base + elf.e_phoff + i * sizeof segment, &segment, sizeof segment)) return std::nullopt;
    if (segment.p_type == PT_LOAD) first = std::min(first, segment.p_vaddr & ~uint64_t{4095});
    if (segment.p_type == PT_GNU_EH_FRAME) header = segment.p_vaddr;
  }
  if (header == 0 || first == UINT64_MAX || header < first) return std::nullopt;

  CfiTable made;
  made.header_ = header - first;
  uint8_t bytes[4 + 8 + 8];
  const uint64_t place = base + made.header_;
  if (!read(place, bytes, sizeof bytes) || bytes[0] != 1 || bytes[3] != (kDataRelative | kSigned4)) return std::nullopt;
  Cursor cursor(bytes + 4, bytes + sizeof bytes);
  cursor.encoded(bytes[1], place + 4, place);
  const auto so_far = static_cast<uint64_t>(cursor.at() - bytes);
  const uint64_t count = cursor.encoded(bytes[2], place + so_far, place);
  if (cursor.bad() || count == 0 || count > kMaxTable) return std::nullopt;
  made.table_.resize(count);
  const auto header_size = static_cast<uint64_t>(cursor.at() - bytes);
  if (!read(place + header_size, made.table_.data(), count * sizeof(Entry))) return std::nullopt;
  if (!std::ranges::is_sorted(made.table_, {}, &Entry::code)) return std::nullopt;
  return made.remember_look(base, read) ? std::optional(std::move(made)) : std::nullopt;
}

/// Offset and size of a section, from the first byte that is loaded; size 0: there is no such section.
static std::pair<uint64_t, uint64_t> section_in_file(const std::string& path, std::string_view wanted) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto get = [&fd](uint64_t at, void* to, size_t length) {
    return pread(fd.get(), to, length, static_cast<off_t>(at)) == static_cast<ssize_t>(length);
  };
  Elf64_Ehdr elf;
  if (!fd || !get(0, &elf, sizeof elf) || std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0) return {};
  if (elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_shentsize != sizeof(Elf64_Shdr)) return {};
  uint64_t first = UINT64_MAX;
  for (uint32_t i = 0; i < std::min<uint32_t>(elf.e_phnum, 64); i++) {
    Elf64_Phdr segment;
    if (!get(elf.e_phoff + i * sizeof segment, &segment, sizeof segment)) return {};
    if (segment.p_type == PT_LOAD) first = std::min(first, segment.p_vaddr & ~uint64_t{4095});
  }
  Elf64_Shdr names;
  if (!get(elf.e_shoff + elf.e_shstrndx * sizeof names, &names, sizeof names)) return {};
  for (uint32_t i = 0; i < elf.e_shnum; i++) {
    Elf64_Shdr section;
    char name[16] = "";
    if (!get(elf.e_shoff + i * sizeof section, &section, sizeof section)) return {};
    get(names.sh_offset + section.sh_name, name, sizeof name - 1);
    if (name == wanted && section.sh_addr >= first) return {section.sh_addr - first, section.sh_size};
  }
  return {};
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

/// Goes through .eh_frame from its start.
void CfiTable::add_entries(uint64_t base, uint64_t size, const ReadMemory& read) {
  const uint64_t begin = base + header_;
  std::vector<uint8_t> section(size);
  if (!read(begin, section.data(), size)) return;
  const ReadMemory local = [&](uint64_t address, void* to, size_t length) {
    if (address < begin || address - begin > size || length > size - (address - begin)) return false;
    std::memcpy(to, section.data() + (address - begin), length);
    return true;
  };
  std::unordered_map<uint64_t, std::optional<Common>> known;
  std::vector<uint8_t> bytes, common_bytes;
  for (uint64_t at = begin; table_.size() < kMaxTable;) {
    const uint64_t entry = at;
    if (!read_entry(at, local, bytes)) return;
    Cursor cursor(bytes.data(), bytes.data() + bytes.size());
    const auto back = cursor.fixed<uint32_t>();
    if (back != 0) {
      auto [common, fresh] = known.try_emplace(at - back);
      Common made;
      if (fresh && read_common(at - back, local, common_bytes, made)) common->second = made;
      const uint64_t code = common->second ? cursor.encoded(common->second->encoding, at + sizeof back, begin) : 0;
      if (code != 0 && !cursor.bad())
        table_.push_back({static_cast<int32_t>(code - begin), static_cast<int32_t>(entry - begin)});
    }
    at += bytes.size();
  }
}

bool CfiTable::read_common(uint64_t address, const ReadMemory& read, std::vector<uint8_t>& bytes, Common& common) {
  if (!read_entry(address, read, bytes)) return false;
  Cursor cursor(bytes.data(), bytes.data() + bytes.size());
  if (cursor.fixed<uint32_t>() != 0) return false;  // it is no CIE
  const auto version = cursor.fixed<uint8_t>();
  std::string augmentation;
  for (uint8_t c; (c = cursor.fixed<uint8_t>()) != 0 && augmentation.size() < 16;) augmentation += static_cast<char>(c);
  if (version != 1 && version != 3) return false;
  common.code_factor = cursor.uleb();
  common.data_factor = cursor.sleb();
  common.return_register = version == 1 ? cursor.fixed<uint8_t>() : static_cast<uint32_t>(cursor.uleb());
  if (!augmentation.empty() && augmentation[0] != 'z') return false;
  if (!augmentation.empty()) {
    common.augmented = true;
    cursor.uleb();
    const auto place = [&] { return address + static_cast<uint64_t>(cursor.at() - bytes.data()); };
    for (char letter : augmentation.substr(1)) {
      if (letter == 'R') {
        common.encoding = cursor.fixed<uint8_t>();
      } else if (letter == 'P') {
        const auto encoding = cursor.fixed<uint8_t>();
        cursor.encoded(encoding & 0x7f, place(), 0);
      } else if (letter == 'L') {
        cursor.fixed<uint8_t>();
      } else if (letter == 'S') {
        common.signal_frame = true;
      } else {
        return false;
      }
    }
  }
  common.instructions = static_cast<size_t>(cursor.at() - bytes.data());
  return !cursor.bad() && common.return_register < kFrameRegisters;
}

namespace {

/// Runs the instructions of a CIE, then of an FDE, up to an address.
class RowBuilder {
 public:
  RowBuilder(CfiRow& row, uint64_t code_factor, int64_t data_factor)
      : row_(row), code_factor_(code_factor), data_factor_(data_factor) {}

  void initial() { initial_ = row_; }

  bool run(Cursor cursor, uint64_t location, uint64_t pc) {
    while (cursor.more()) {
      const auto op = cursor.fixed<uint8_t>();
      const uint32_t low = op & 0x3f;
      uint64_t advance = 0;
      switch (op >> 6) {
        case 1: advance = low; break;
        case 2: rule(low, CfiRule::Kind::Offset, factored(cursor.uleb())); continue;
        case 3: restore(low); continue;
        default:
          if (!extended(op, cursor, advance)) return false;
      }
      location += advance * code_factor_;
      if (location > pc) break;
    }
    return !cursor.bad();
  }

 private:
  int64_t factored(uint64_t offset) const { return static_cast<int64_t>(offset * static_cast<uint64_t>(data_factor_)); }

  void rule(uint64_t number, CfiRule::Kind kind, int64_t offset, std::vector<uint8_t> expression = {}) {
    if (number < kFrameRegisters) row_.registers[number] = {kind, offset, std::move(expression)};
  }

  void restore(uint64_t number) {
    if (number < kFrameRegisters) row_.registers[number] = initial_.registers[number];
  }

  /// The instructions whose low bits are not an operand.
  bool extended(uint8_t op, Cursor& cursor, uint64_t& advance) {
    switch (op) {
      case 0x00: return true;                                      // nop
      case 0x02: advance = cursor.fixed<uint8_t>(); return true;   // advance_loc1
      case 0x03: advance = cursor.fixed<uint16_t>(); return true;  // advance_loc2
      case 0x04: advance = cursor.fixed<uint32_t>(); return true;  // advance_loc4
      case 0x06: restore(cursor.uleb()); return true;              // restore_extended
      case 0x0a: return remember();
      case 0x0b: return recall();
      case 0x0c:
        row_.cfa_expression.clear();  // def_cfa
        row_.cfa_register = static_cast<uint32_t>(cursor.uleb());
        row_.cfa_offset = static_cast<int64_t>(cursor.uleb());
        return row_.cfa_register < kFrameRegisters;
      case 0x12:
        row_.cfa_expression.clear();  // def_cfa_sf
        row_.cfa_register = static_cast<uint32_t>(cursor.uleb());
        row_.cfa_offset = factored(static_cast<uint64_t>(cursor.sleb()));
        return row_.cfa_register < kFrameRegisters;
      case 0x0d: row_.cfa_register = static_cast<uint32_t>(cursor.uleb()); return row_.cfa_register < kFrameRegisters;
      case 0x0e: row_.cfa_offset = static_cast<int64_t>(cursor.uleb()); return true;
      case 0x13: row_.cfa_offset = factored(static_cast<uint64_t>(cursor.sleb())); return true;
      case 0x0f: row_.cfa_expression = cursor.block(cursor.uleb()); return !row_.cfa_expression.empty();
      case 0x2d: return true;                 // GNU_window_save: of other machines
      case 0x2e: cursor.uleb(); return true;  // GNU_args_size
      default: return register_rule(op, cursor);
    }
  }

  bool register_rule(uint8_t op, Cursor& cursor) {
    const uint64_t number = cursor.uleb();
    switch (op) {
      case 0x05: rule(number, CfiRule::Kind::Offset, factored(cursor.uleb())); return true;
      case 0x07: rule(number, CfiRule::Kind::Undefined, 0); return true;
      case 0x08: rule(number, CfiRule::Kind::Same, 0); return true;
      case 0x09: rule(number, CfiRule::Kind::Register, static_cast<int64_t>(cursor.uleb())); return true;
      case 0x10: rule(number, CfiRule::Kind::Expression, 0, cursor.block(cursor.uleb())); return true;
      case 0x11: rule(number, CfiRule::Kind::Offset, factored(static_cast<uint64_t>(cursor.sleb()))); return true;
      case 0x14: rule(number, CfiRule::Kind::ValueOffset, factored(cursor.uleb())); return true;
      case 0x15: rule(number, CfiRule::Kind::ValueOffset, factored(static_cast<uint64_t>(cursor.sleb()))); return true;
      case 0x16: rule(number, CfiRule::Kind::ValueExpression, 0, cursor.block(cursor.uleb())); return true;
      default: return false;
    }
  }

  bool remember() {
    if (remembered_.size() == kMaxRemembered) return false;
    remembered_.push_back(row_);
    return true;
  }

  bool recall() {
    if (remembered_.empty()) return false;
    row_ = std::move(remembered_.back());
    remembered_.pop_back();
    return true;
  }

  CfiRow& row_;
  CfiRow initial_;
  uint64_t code_factor_;
  int64_t data_factor_;
  std::vector<CfiRow> remembered_;
};

}  // namespace

std::optional<CfiRow> CfiTable::make_row(uint64_t header, uint64_t pc, const ReadMemory& read) const {
  const auto wanted = static_cast<int64_t>(pc - header);
  auto after = std::ranges::upper_bound(table_, wanted, {}, [](const Entry& entry) { return int64_t{entry.code}; });
  if (after == table_.begin()) return std::nullopt;
  uint64_t at = header + static_cast<uint64_t>(int64_t{std::prev(after)->fde});
  std::vector<uint8_t> bytes, common_bytes;
  if (!read_entry(at, read, bytes)) return std::nullopt;
  Cursor cursor(bytes.data(), bytes.data() + bytes.size());
  const auto back = cursor.fixed<uint32_t>();
  Common common;
  if (back == 0 || !read_common(at - back, read, common_bytes, common)) return std::nullopt;

  const uint64_t begin =
      cursor.encoded(common.encoding, at + static_cast<uint64_t>(cursor.at() - bytes.data()), header);
  const uint64_t size = cursor.encoded(common.encoding & 0x0f, 0, 0);
  if (cursor.bad() || pc - begin >= size) return std::nullopt;
  if (common.augmented) cursor.block(cursor.uleb());

  CfiRow row;
  row.return_register = common.return_register;
  row.signal_frame = common.signal_frame;
  RowBuilder builder(row, common.code_factor, common.data_factor);
  const uint8_t* common_end = common_bytes.data() + common_bytes.size();
  if (!builder.run(Cursor(common_bytes.data() + common.instructions, common_end), 0, UINT64_MAX)) return std::nullopt;
  builder.initial();
  const Cursor instructions(cursor.at(), bytes.data() + bytes.size());
  if (cursor.bad() || !builder.run(instructions, begin, pc)) return std::nullopt;
  return row;
}

const CfiRow* CfiTable::row(uint64_t base, uint64_t pc, const ReadMemory& read) {
  auto known = rows_.find(pc - base);
  if (known == rows_.end()) {
    if (rows_.size() >= kMaxRows) rows_.clear();
    known = rows_.emplace(pc - base, make_row(base + header_, pc, read)).first;
  }
  return known->second ? &*known->second : nullptr;
}

namespace {

/// DWARF expressions: the operations that call frame information uses. Any other fails.
class Expression {
 public:
  Expression(const FrameRegisters& registers, const ReadMemory& read) : registers_(registers), read_(read) {}

  bool run(const std::vector<uint8_t>& bytes, const uint64_t* first, uint64_t& result) {
    if (first != nullptr) push(*first);
    Cursor cursor(bytes.data(), bytes.data() + bytes.size());
    while (ok_ && cursor.more()) ok_ = step(cursor.fixed<uint8_t>(), cursor) && ok_;
    if (!ok_ || cursor.bad() || size_ == 0) return false;
    result = stack_[size_ - 1];
    return true;
  }

 private:
  void push(uint64_t value) {
    if (size_ == kMaxStack) {
      ok_ = false;
    } else {
      stack_[size_++] = value;
    }
  }
  uint64_t pop() { return size_ == 0 ? (ok_ = false, 0) : stack_[--size_]; }

  bool step(uint8_t op, Cursor& cursor) {
    if (op >= 0x30 && op <= 0x4f) return push(op - 0x30u), true;  // lit0...31
    if (op >= 0x70 && op <= 0x8f) return base(op - 0x70u, cursor.sleb());
    switch (op) {
      case 0x06: return dereference(8);
      case 0x94: return dereference(cursor.fixed<uint8_t>());
      case 0x08: push(cursor.fixed<uint8_t>()); return true;
      case 0x09: push(static_cast<uint64_t>(int64_t{cursor.fixed<int8_t>()})); return true;
      case 0x0a: push(cursor.fixed<uint16_t>()); return true;
      case 0x0b: push(static_cast<uint64_t>(int64_t{cursor.fixed<int16_t>()})); return true;
      case 0x0c: push(cursor.fixed<uint32_t>()); return true;
      case 0x0d: push(static_cast<uint64_t>(int64_t{cursor.fixed<int32_t>()})); return true;
      case 0x0e:
      case 0x0f: push(cursor.fixed<uint64_t>()); return true;
      case 0x10: push(cursor.uleb()); return true;
      case 0x11: push(static_cast<uint64_t>(cursor.sleb())); return true;
      case 0x12: push(size_ == 0 ? pop() : stack_[size_ - 1]); return true;  // dup
      case 0x13: pop(); return true;                                         // drop
      case 0x23: push(pop() + cursor.uleb()); return true;                   // plus_uconst
      case 0x92: {                                                           // bregx
        const uint64_t number = cursor.uleb();
        return base(number, cursor.sleb());
      }
      case 0x96: return true;  // nop
      default: return binary(op);
    }
  }

  bool base(uint64_t number, int64_t offset) {
    if (number >= kFrameRegisters) return false;
    push(registers_[number] + static_cast<uint64_t>(offset));
    return true;
  }

  bool dereference(uint8_t bytes) {
    uint64_t value = 0;
    if (bytes > 8 || !read_(pop(), &value, bytes)) return false;
    push(value);
    return true;
  }

  bool binary(uint8_t op) {
    const uint64_t b = pop(), a = pop();
    const auto signed_a = static_cast<int64_t>(a), signed_b = static_cast<int64_t>(b);
    switch (op) {
      case 0x1a: push(a & b); return true;
      case 0x1c: push(a - b); return true;
      case 0x1e: push(a * b); return true;
      case 0x21: push(a | b); return true;
      case 0x22: push(a + b); return true;
      case 0x24: push(b > 63 ? 0 : a << b); return true;
      case 0x25: push(b > 63 ? 0 : a >> b); return true;
      case 0x26: push(static_cast<uint64_t>(signed_a >> std::min<uint64_t>(b, 63))); return true;
      case 0x27: push(a ^ b); return true;
      case 0x29: push(a == b); return true;
      case 0x2a: push(signed_a >= signed_b); return true;
      case 0x2b: push(signed_a > signed_b); return true;
      case 0x2c: push(signed_a <= signed_b); return true;
      case 0x2d: push(signed_a < signed_b); return true;
      case 0x2e: push(a != b); return true;
      default: return false;
    }
  }

  const FrameRegisters& registers_;
  const ReadMemory& read_;
  uint64_t stack_[kMaxStack] = {};
  size_t size_ = 0;
  bool ok_ = true;
};

}  // namespace

bool apply_row(const CfiRow& row, FrameRegisters& registers, const ReadMemory& read) {
  uint64_t cfa = 0;
  if (!row.cfa_expression.empty()) {
    if (!Expression(registers, read).run(row.cfa_expression, nullptr, cfa)) return false;
  } else {
    cfa = registers[row.cfa_register] + static_cast<uint64_t>(row.cfa_offset);
  }
  if (row.registers[row.return_register].kind == CfiRule::Kind::Undefined) return false;  // the outermost frame

  FrameRegisters caller = registers;
  caller[kFrameSp] = cfa;
  for (uint32_t i = 0; i < kFrameRegisters; i++) {
    const CfiRule& rule = row.registers[i];
    uint64_t value = cfa + static_cast<uint64_t>(rule.offset);
    switch (rule.kind) {
      case CfiRule::Kind::Same:
      case CfiRule::Kind::Undefined: continue;
      case CfiRule::Kind::Offset:
        if (!read(value, &caller[i], sizeof caller[i])) return false;
        continue;
      case CfiRule::Kind::ValueOffset: caller[i] = value; continue;
      case CfiRule::Kind::Register:
        if (rule.offset < 0 || rule.offset >= int64_t{kFrameRegisters}) return false;
        caller[i] = registers[static_cast<size_t>(rule.offset)];
        continue;
      case CfiRule::Kind::Expression:
        if (!Expression(registers, read).run(rule.expression, &cfa, value)) return false;
        if (!read(value, &caller[i], sizeof caller[i])) return false;
        continue;
      case CfiRule::Kind::ValueExpression:
        if (!Expression(registers, read).run(rule.expression, &cfa, caller[i])) return false;
        continue;
    }
  }
  caller[kFramePc] = caller[row.return_register];
  registers = caller;
  return true;
}

}  // namespace sonde::guard
