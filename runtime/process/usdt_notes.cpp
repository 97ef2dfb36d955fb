// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/usdt_notes.h"

#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "runtime/base/unique_fd.h"
#include "runtime/process/arch.h"
#include "runtime/process/elf_file.h"
#include "runtime/process/elf_handle.h"

namespace sonde {
namespace {

constexpr unsigned kStapsdt = 3;

/// A note, as it stands.
struct UsdtNote {
  uint64_t address = 0, base = 0, counter = 0;
  std::string provider, name, arguments;
  ElfFunction function = {};  ///< that contains it, by its best name; without one: none is known
};

/// Removes the text up to the next NUL, and that, from `bytes`. Nothing: there is none.
bool take_text(std::string_view& bytes, std::string& text) {
  const size_t end = bytes.find('\0');
  if (end == bytes.npos) return false;
  text = bytes.substr(0, end);
  bytes.remove_prefix(end + 1);
  return true;
}

void add_notes(Elf_Data& data, std::vector<UsdtNote>& found) {
  GElf_Nhdr note;
  size_t name_at = 0, at = 0;
  for (size_t offset = 0, next = 0; (next = gelf_getnote(&data, offset, &note, &name_at, &at)) > 0; offset = next) {
    const auto* bytes = static_cast<const char*>(data.d_buf);
    if (note.n_type != kStapsdt || std::string_view(bytes + name_at, note.n_namesz).substr(0, 7) != "stapsdt") continue;
    UsdtNote one;
    std::string_view rest(bytes + at, note.n_descsz);
    uint64_t* const addresses[] = {&one.address, &one.base, &one.counter};
    if (rest.size() <= sizeof(uint64_t) * std::size(addresses)) continue;
    for (uint64_t* to : addresses) {
      std::memcpy(to, rest.data(), sizeof *to);
      rest.remove_prefix(sizeof *to);
    }
    if (!take_text(rest, one.provider) || !take_text(rest, one.name) || one.provider.empty() || one.name.empty())
      continue;
    (void)take_text(rest, one.arguments);  // without a NUL there are none
    found.push_back(std::move(one));
  }
}

/// The file, as far as its notes need it.
class NotedFile {
 public:
  explicit NotedFile(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    elf_version(EV_CURRENT);
    struct stat status {};
    if (fd_ && fstat(fd_.get(), &status) == 0 && S_ISREG(status.st_mode))
      elf_ = ElfHandle(elf_begin(fd_.get(), ELF_C_READ, nullptr));
    GElf_Ehdr header;
    if (!elf_ || gelf_getclass(elf_.get()) != ELFCLASS64 || gelf_getehdr(elf_.get(), &header) == nullptr ||
        header.e_machine != machine::kElfMachine || elf_getshdrstrndx(elf_.get(), &names_) != 0)
      elf_ = {};
    else
      fixed_ = header.e_type == ET_EXEC;
  }

  std::vector<UsdtNote> notes() {
    std::vector<UsdtNote> found;
    for (Elf_Scn* section = nullptr; elf_ && (section = elf_nextscn(elf_.get(), section)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr) continue;
      const char* name = elf_strptr(elf_.get(), names_, header.sh_name);
      if (name != nullptr && std::string_view(name) == ".stapsdt.base") base_ = header.sh_addr;
      if (header.sh_type != SHT_NOTE) continue;
      if (Elf_Data* data = elf_getdata(section, nullptr)) add_notes(*data, found);
    }
    if (base_ == 0) return found;
    for (UsdtNote& one : found) {
      if (one.base == 0) continue;
      one.address += base_ - one.base;
      if (one.counter != 0) one.counter += base_ - one.base;
    }
    return found;
  }

  /// Finds the functions of these sites among the file's own symbols: one look at each, where a table of all of them would
  /// cost ten times that.
  void find_functions(std::vector<UsdtNote>& notes) {
    std::ranges::stable_sort(notes, {}, &UsdtNote::address);
    for_each_table([&](Elf_Data* data, const GElf_Shdr& header) {
      const size_t count = header.sh_entsize == 0 ? 0 : header.sh_size / header.sh_entsize;
      for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF) continue;
        if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_size > 0) name_sites(notes, symbol, header);
      }
    });
  }

  bool position_is_fixed() const { return fixed_; }

  /// The file offset of an address in a segment with these rights; false: no segment's file part has it.
  bool offset_of(uint64_t address, uint32_t rights, uint64_t& offset) {
    size_t count = 0;
    if (elf_getphdrnum(elf_.get(), &count) != 0) return false;
    for (size_t i = 0; i < count; i++) {
      GElf_Phdr segment;
      if (gelf_getphdr(elf_.get(), static_cast<int>(i), &segment) == nullptr) continue;
      if (segment.p_type != PT_LOAD || (segment.p_flags & rights) != rights || address < segment.p_vaddr ||
          address - segment.p_vaddr >= segment.p_filesz)
        continue;
      offset = segment.p_offset + (address - segment.p_vaddr);
      return true;
    }
    return false;
  }

  bool byte_at(uint64_t offset, uint8_t& byte) { return pread(fd_.get(), &byte, 1, static_cast<off_t>(offset)) == 1; }

  std::optional<UsdtSymbol> symbol(std::string_view name) {
    if (!symbols_read_) read_symbols();
    const auto found = symbols_.find(std::string(name));
    return found == symbols_.end() ? std::nullopt : found->second;
  }

 private:
  /// From the thread's block to the program's own variables of threads: they end there. Those of libraries may be anywhere.
  std::optional<uint64_t> thread_block() {
    size_t count = 0;
    std::optional<uint64_t> size;
    bool is_program = fixed_;
    if (elf_getphdrnum(elf_.get(), &count) != 0) return std::nullopt;
    for (size_t i = 0; i < count; i++) {
      GElf_Phdr segment;
      if (gelf_getphdr(elf_.get(), static_cast<int>(i), &segment) == nullptr) continue;
      is_program = is_program || segment.p_type == PT_INTERP;
      const uint64_t align = std::max<uint64_t>(segment.p_align, 1);
      if (segment.p_type == PT_TLS) size = (segment.p_memsz + align - 1) / align * align;
    }
    return is_program ? size : std::nullopt;
  }

  template <typename Act>
  void for_each_table(Act act) {
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_.get(), section)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr) continue;
      if (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) continue;
      if (Elf_Data* data = elf_getdata(section, nullptr)) act(data, header);
    }
  }

  void name_sites(std::vector<UsdtNote>& notes, const GElf_Sym& symbol, const GElf_Shdr& header) {
    auto at = std::ranges::lower_bound(notes, symbol.st_value, {}, &UsdtNote::address);
    if (at == notes.end() || at->address - symbol.st_value >= symbol.st_size) return;
    const char* text = elf_strptr(elf_.get(), header.sh_link, symbol.st_name);
    ElfFunction function;
    if (text == nullptr || *text == '\0' || !offset_of(symbol.st_value, PF_X, function.offset)) return;
    function.name = std::string(text).substr(0, std::string_view(text).find('@'));
    const unsigned char binding = GELF_ST_BIND(symbol.st_info);
    function.binding = binding == STB_LOCAL  ? ElfFunction::Binding::Local
                       : binding == STB_WEAK ? ElfFunction::Binding::Weak
                                             : ElfFunction::Binding::Global;
    for (; at != notes.end() && at->address - symbol.st_value < symbol.st_size; ++at)
      if (at->function.name.empty() || better_name(function, at->function)) at->function = function;
  }

  void add_symbols(Elf_Data* data, const GElf_Shdr& header, std::optional<uint64_t> block) {
    const size_t count = header.sh_entsize == 0 ? 0 : header.sh_size / header.sh_entsize;
    for (size_t i = 0; i < count; i++) {
      GElf_Sym symbol;
      if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF) continue;
      const int type = GELF_ST_TYPE(symbol.st_info);
      const char* text = elf_strptr(elf_.get(), header.sh_link, symbol.st_name);
      if (text == nullptr || *text == '\0' || type == STT_FILE || type == STT_SECTION) continue;
      const std::string name = std::string(text).substr(0, std::string_view(text).find('@'));
      UsdtSymbol made{symbol.st_value, type == STT_TLS};
      std::optional<UsdtSymbol> known;
      if (!made.in_thread || block) known = made;
      if (known && made.in_thread) known->value -= *block;
      const auto [at, fresh] = symbols_.try_emplace(name, known);
      const bool same = at->second && known && at->second->value == known->value;
      if (!fresh && !same) at->second.reset();
    }
  }

  void read_symbols() {
    symbols_read_ = true;
    const std::optional<uint64_t> block = thread_block();
    for_each_table([&](Elf_Data* data, const GElf_Shdr& header) { add_symbols(data, header, block); });
  }

  UniqueFd fd_;
  ElfHandle elf_;
  size_t names_ = 0;
  uint64_t base_ = 0;
  bool fixed_ = false, symbols_read_ = false;
  std::map<std::string, std::optional<UsdtSymbol>> symbols_;  ///< nothing: several have the name, or it has no place
};

UsdtSite site_of(NotedFile& file, const UsdtNote& note) {
  UsdtSite site;
  site.provider = note.provider;
  site.name = note.name;
  uint8_t byte = 0;
  if (!file.offset_of(note.address, PF_X, site.offset))
    site.refused = "its note names a place that is not in the file's code";
  else if (!file.byte_at(site.offset, byte) || byte != machine::kNop)
    site.refused = "there is no nop where its note says";
  if (note.counter != 0 && !file.offset_of(note.counter, PF_W, site.counter))
    site.refused = "its counter has no place in the file's data";
  site.function = note.function.offset;
  site.symbol = note.function.name;
  const auto symbol = [&file](std::string_view name) { return file.symbol(name); };
  site.arguments = parse_usdt_arguments(note.arguments, {note.address, file.position_is_fixed(), symbol});
  return site;
}

}  // namespace

std::vector<UsdtSite> read_usdt_sites(const std::string& path) {
  NotedFile file(path);
  std::vector<UsdtSite> sites;
  std::vector<UsdtNote> notes = file.notes();
  if (notes.empty()) return sites;
  file.find_functions(notes);
  for (const UsdtNote& note : notes) sites.push_back(site_of(file, note));
  return sites;
}

}  // namespace sonde
