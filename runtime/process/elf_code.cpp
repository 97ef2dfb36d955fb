// SPDX-License-Identifier: GPL-3.0-or-later
// libdw splits .eh_frame into its entries. What libdw does not return is read here (Cursor): the addresses that an FDE
// covers, and its pointer to the landing pads, both in the encodings that the CIE names.
//
// The caller reads a function from its first instruction to its last, so the last CFI row and a window of the code are
// cached. Relocations and data symbols are read at the first use: few functions need them.
//
// Invariant: no value is guessed. A pointer relative to an unknown base, bytes that are not in the file, a word that
// the loader fills with another object's symbol: each is absent. Only stack_is_callers() has an answer where nothing is
// known.
#include "runtime/process/elf_code.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "runtime/base/unique_fd.h"
#include "runtime/process/arch.h"

namespace sonde {
namespace {

constexpr uint64_t kMaxLandingBytes = 16 << 20;
constexpr uint64_t kMaxCodeBytes = 16 << 20, kWindowBytes = 256 << 10;

/// Reads numbers from bytes that are at `address` in the program. Past their end it returns zeros and is not ok().
class Cursor {
 public:
  Cursor(std::span<const uint8_t> bytes, uint64_t address) : rest_(bytes), address_(address) {}

  bool ok() const { return ok_; }
  uint64_t address() const { return address_; }
  bool empty() const { return rest_.empty() || !ok_; }
  const uint8_t* here() const { return rest_.data(); }

  template <typename T>
  T take() {
    T value{};
    ok_ = ok_ && rest_.size() >= sizeof value;
    if (!ok_) return value;
    std::memcpy(&value, rest_.data(), sizeof value);
    skip(sizeof value);
    return value;
  }
  uint64_t uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = take<uint8_t>();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (!ok_ || (byte & 0x80) == 0) return value;
    }
  }
  int64_t sleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const auto byte = take<uint8_t>();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      shift += 7;
      if (ok_ && (byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0 && shift < 64) value |= ~uint64_t{0} << shift;
      return static_cast<int64_t>(value);
    }
  }
  /// A pointer in a DW_EH_PE_ encoding. Not ok() if it is relative to a base that x86-64 does not use.
  uint64_t pointer(uint8_t encoding) {
    const uint64_t from = address_;
    const uint64_t value = number(encoding & 0x0f);
    if (value == 0) return 0;
    switch (encoding & 0x70) {
      case DW_EH_PE_absptr: return value;
      case DW_EH_PE_pcrel: return from + value;
      default: ok_ = false; return 0;
    }
  }
  uint64_t number(uint8_t format) {
    switch (format) {
      case DW_EH_PE_absptr:
      case DW_EH_PE_udata8:
      case DW_EH_PE_sdata8: return take<uint64_t>();
      case DW_EH_PE_uleb128: return uleb();
      case DW_EH_PE_sleb128: return static_cast<uint64_t>(sleb());
      case DW_EH_PE_udata2: return take<uint16_t>();
      case DW_EH_PE_sdata2: return static_cast<uint64_t>(int64_t{take<int16_t>()});
      case DW_EH_PE_udata4: return take<uint32_t>();
      case DW_EH_PE_sdata4: return static_cast<uint64_t>(int64_t{take<int32_t>()});
      default: ok_ = false; return 0;
    }
  }

 private:
  void skip(size_t bytes) {
    rest_ = rest_.subspan(bytes);
    address_ += bytes;
  }

  std::span<const uint8_t> rest_;
  uint64_t address_;
  bool ok_ = true;
};

/// What the FDEs of a CIE have in common.
struct Common {
  bool sized = false;  ///< an FDE has augmentation data with its length ("z")
  uint8_t pointers = DW_EH_PE_absptr, landing = DW_EH_PE_omit;
};

Common read_common(const Dwarf_CIE& cie) {
  Common common;
  const char* letters = cie.augmentation;
  if (letters == nullptr || letters[0] != 'z') return common;
  common.sized = true;
  Cursor data({cie.augmentation_data, cie.augmentation_data_size}, 0);
  for (letters++; *letters != '\0' && data.ok(); letters++) {
    if (*letters == 'R') common.pointers = data.take<uint8_t>();
    if (*letters == 'L') common.landing = data.take<uint8_t>();
    if (*letters == 'P') (void)data.number(data.take<uint8_t>() & 0x0f);
  }
  return common;
}

}  // namespace

/// The state of libelf and libdw for the object.
struct ElfCode::Library {
  UniqueFd fd;
  Elf* elf = nullptr;
  Dwarf_CFI* cfi = nullptr;
  Elf_Data* frames = nullptr;  ///< .eh_frame
  uint64_t frames_address = 0;
  std::map<uint64_t, Common> commons;  ///< by offset in .eh_frame
  bool is_library = false;             ///< ET_DYN: pointers are relocated

  ~Library() {
    if (cfi != nullptr) dwarf_cfi_end(cfi);
    if (elf != nullptr) elf_end(elf);
  }

  const Common& common_of(uint64_t at, const unsigned char* ident) {
    auto [found, fresh] = commons.try_emplace(at);
    Dwarf_CFI_Entry entry;
    Dwarf_Off next = 0;
    if (fresh && dwarf_next_cfi(ident, frames, true, at, &next, &entry) == 0 && dwarf_cfi_cie_p(&entry))
      found->second = read_common(entry.cie);
    return found->second;
  }
  Cursor cursor(const uint8_t* from, const uint8_t* to) const {
    const auto* base = static_cast<const uint8_t*>(frames->d_buf);
    return {{from, to}, frames_address + static_cast<uint64_t>(from - base)};
  }
};

/// Fills an ElfCode.
struct ElfCode::Reader {
  ElfCode& code;
  Library& library = *code.library_;

  void read_segments() {
    size_t count = 0;
    if (elf_getphdrnum(library.elf, &count) != 0) return;
    for (size_t i = 0; i < count; i++) {
      GElf_Phdr header;
      if (gelf_getphdr(library.elf, static_cast<int>(i), &header) == nullptr) continue;
      const Range range{header.p_vaddr, header.p_vaddr + header.p_filesz, header.p_offset};
      if (header.p_type == PT_GNU_RELRO) code.constant_.push_back(range);
      if (header.p_type != PT_LOAD) continue;
      code.readable_.push_back(range);
      if ((header.p_flags & PF_W) == 0) code.constant_.push_back(range);
      if ((header.p_flags & PF_X) != 0) code.code_.push_back(range);
    }
  }

  void find_frames() {
    size_t names = 0;
    if (elf_getshdrstrndx(library.elf, &names) != 0) return;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(library.elf, section)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
      const char* name = elf_strptr(library.elf, names, header.sh_name);
      if (name == nullptr || std::strcmp(name, ".eh_frame") != 0) continue;
      library.frames = elf_rawdata(section, nullptr);
      library.frames_address = header.sh_addr;
    }
  }

  void read_frames() {
    find_frames();
    if (library.frames == nullptr) return;
    const auto* ident = reinterpret_cast<const unsigned char*>(elf_getident(library.elf, nullptr));
    Dwarf_CFI_Entry entry;
    for (Dwarf_Off at = 0, next = 0;; at = next) {
      const int done = dwarf_next_cfi(ident, library.frames, true, at, &next, &entry);
      if (done > 0 || (done < 0 && next <= at)) break;
      if (done == 0 && !dwarf_cfi_cie_p(&entry)) add_frame(entry.fde, at, ident);
    }
    std::ranges::sort(code.frames_, {}, &Frame::start);
  }

  void add_frame(const Dwarf_FDE& fde, uint64_t at, const unsigned char* ident) {
    const Common& common = library.common_of(fde.CIE_pointer, ident);
    Cursor cursor = library.cursor(fde.start, fde.end);
    const uint64_t start = cursor.pointer(common.pointers);
    const uint64_t size = cursor.number(common.pointers & 0x0f);
    if (!cursor.ok() || size == 0 || size > UINT32_MAX || at > UINT32_MAX) return;
    code.frames_.push_back({start, static_cast<uint32_t>(size), static_cast<uint32_t>(at)});
  }
};

ElfCode::ElfCode() : library_(std::make_unique<Library>()) {}
ElfCode::~ElfCode() = default;

Result<std::shared_ptr<ElfCode>> ElfCode::open(const std::string& path) {
  std::shared_ptr<ElfCode> code(new ElfCode);
  Library& library = *code->library_;
  library.fd = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!library.fd) return Error::from_errno("open " + path);
  elf_version(EV_CURRENT);
  library.elf = elf_begin(library.fd.get(), ELF_C_READ, nullptr);
  GElf_Ehdr header;
  if (library.elf == nullptr || gelf_getehdr(library.elf, &header) == nullptr)
    return Error(path + ": not an ELF object", ENOEXEC);
  library.is_library = header.e_type == ET_DYN;
  Reader reader{*code};
  reader.read_segments();
  reader.read_frames();
  if (!code->frames_.empty()) library.cfi = dwarf_getcfi_elf(library.elf);
  return code;
}

const ElfCode::Frame* ElfCode::frame_at(uint64_t address) const {
  auto next = std::ranges::upper_bound(frames_, address, {}, &Frame::start);
  if (next == frames_.begin()) return nullptr;
  const Frame& frame = *std::prev(next);
  return address < frame.end() ? &frame : nullptr;
}

bool ElfCode::stack_is_callers(uint64_t address) {
  if (address - row_start_ < row_end_ - row_start_) return row_callers_;
  Dwarf_Frame* row = nullptr;
  if (library_->cfi == nullptr || frame_at(address) == nullptr) return true;
  if (dwarf_cfi_addrframe(library_->cfi, address, &row) != 0) return true;
  Dwarf_Op* operations = nullptr;
  size_t count = 0;
  const bool known = dwarf_frame_cfa(row, &operations, &count) == 0;
  // libdw represents a register and an offset as one operation.
  row_callers_ =
      known && count == 1 &&
      ((operations->atom == DW_OP_bregx && operations->number == machine::kDwarfStackPointer &&
        operations->number2 == machine::kCallBytes) ||
       (operations->atom == DW_OP_breg0 + machine::kDwarfStackPointer && operations->number == machine::kCallBytes));
  if (dwarf_frame_info(row, &row_start_, &row_end_, nullptr) < 0) row_start_ = row_end_ = 0;
  free(row);
  return row_callers_;
}

std::vector<uint64_t> ElfCode::landing_pads(const Frame& frame) const {
  std::vector<uint64_t> pads;
  const auto* ident = reinterpret_cast<const unsigned char*>(elf_getident(library_->elf, nullptr));
  Dwarf_CFI_Entry entry;
  Dwarf_Off next = 0;
  if (dwarf_next_cfi(ident, library_->frames, true, frame.at, &next, &entry) != 0) return pads;
  const Common& common = library_->common_of(entry.fde.CIE_pointer, ident);
  if (!common.sized || common.landing == DW_EH_PE_omit) return pads;
  Cursor fde = library_->cursor(entry.fde.start, entry.fde.end);
  (void)fde.pointer(common.pointers);
  (void)fde.number(common.pointers & 0x0f);
  if (fde.uleb() == 0) return pads;
  const uint64_t area = fde.pointer(common.landing);
  if (!fde.ok() || area == 0) return pads;

  std::vector<uint8_t> bytes(64);
  while (!read_constant(area, bytes) && bytes.size() > 4) bytes.resize(bytes.size() / 2);
  Cursor head(bytes, area);
  const auto base_encoding = head.take<uint8_t>();
  const uint64_t base = base_encoding == DW_EH_PE_omit ? frame.start : head.pointer(base_encoding);
  if (head.take<uint8_t>() != DW_EH_PE_omit) (void)head.uleb();  // where the types are
  const auto encoding = head.take<uint8_t>();
  const uint64_t length = head.uleb();
  if (!head.ok() || length > kMaxLandingBytes) return pads;
  bytes.resize(length);
  if (!read_constant(head.address(), bytes)) return pads;
  for (Cursor sites(bytes, head.address()); !sites.empty();) {
    (void)sites.number(encoding & 0x0f);
    (void)sites.number(encoding & 0x0f);
    const uint64_t pad = sites.number(encoding & 0x0f);
    (void)sites.uleb();
    if (sites.ok() && pad != 0) pads.push_back(base + pad);
  }
  return pads;
}

bool ElfCode::all_constant(uint64_t address, uint64_t size) const {
  return std::ranges::any_of(constant_, [&](const Range& range) {
    return address >= range.address && address < range.end && size <= range.end - address;
  });
}

bool ElfCode::read_constant(uint64_t address, std::span<uint8_t> to) const {
  if (!all_constant(address, to.size())) return false;
  for (const Range& range : readable_) {
    if (address < range.address || address >= range.end || to.size() > range.end - address) continue;
    const auto at = static_cast<off_t>(range.offset + (address - range.address));
    return pread(library_->fd.get(), to.data(), to.size(), at) == static_cast<ssize_t>(to.size());
  }
  return false;
}

bool ElfCode::read_pointer(uint64_t address, uint64_t& value) {
  if (!read_constant(address, {reinterpret_cast<uint8_t*>(&value), sizeof value})) return false;
  if (!library_->is_library) return true;
  if (!relocations_read_) read_relocations();
  const auto found = std::ranges::lower_bound(relocations_, address, {}, &std::pair<uint64_t, uint64_t>::first);
  if (found == relocations_.end() || found->first != address)
    return false;  // not relocated, or by another object's symbol
  value = found->second;
  return true;
}

void ElfCode::read_relocations() {
  relocations_read_ = true;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(library_->elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_RELA || header.sh_entsize == 0) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    const size_t count = data == nullptr ? 0 : header.sh_size / header.sh_entsize;
    for (size_t i = 0; i < count; i++) {
      GElf_Rela rela;
      if (gelf_getrela(data, static_cast<int>(i), &rela) == nullptr) continue;
      if (GELF_R_TYPE(rela.r_info) == machine::kRelative)
        relocations_.emplace_back(rela.r_offset, static_cast<uint64_t>(rela.r_addend));
    }
  }
  std::ranges::sort(relocations_);
}

std::span<const uint8_t> ElfCode::code(uint64_t address, uint64_t size) {
  const auto inside = [&] {
    return address >= window_start_ && address - window_start_ <= window_.size() &&
           size <= window_.size() - (address - window_start_);
  };
  if (!inside()) {
    const auto range =
        std::ranges::find_if(code_, [&](const Range& one) { return address >= one.address && address < one.end; });
    if (range == code_.end() || size > range->end - address || size > kMaxCodeBytes) return {};
    window_.resize(std::min(std::max(size, kWindowBytes), range->end - address));
    const auto at = static_cast<off_t>(range->offset + (address - range->address));
    const ssize_t got = pread(library_->fd.get(), window_.data(), window_.size(), at);
    window_.resize(got > 0 ? static_cast<size_t>(got) : 0);
    window_start_ = address;
    if (!inside()) return {};
  }
  return std::span<const uint8_t>(window_).subspan(address - window_start_, size);
}

bool ElfCode::is_code(uint64_t address) const {
  return std::ranges::any_of(code_,
                             [&](const Range& range) { return address >= range.address && address < range.end; });
}

}  // namespace sonde
