// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/data_symbol.h"

#include <fcntl.h>
#include <gelf.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "runtime/base/hex.h"
#include "runtime/base/unique_fd.h"
#include "runtime/process/elf_handle.h"
#include "runtime/process/elf_headers.h"
#include "runtime/process/proc_maps.h"

namespace sonde {
namespace {

/// The mapping of an object that an address belongs to, its .bss included: that is anonymous, right behind.
const MapEntry* object_at(const std::vector<MapEntry>& maps, uint64_t address) {
  const auto behind = std::ranges::upper_bound(maps, address, {}, &MapEntry::start);
  if (behind == maps.begin()) return nullptr;
  auto at = std::prev(behind);
  if (address >= at->end) return nullptr;
  while (at->path.empty() && at != maps.begin() && std::prev(at)->end == at->start) --at;
  return at->is_file() ? &*at : nullptr;
}

/// What the process adds to the addresses of the object.
std::optional<uint64_t> bias_of(const std::vector<MapEntry>& maps, const MapEntry& entry, const std::string& path) {
  const auto headers = ElfHeaders::read(path);
  const auto first = std::ranges::find_if(
      maps, [&](const MapEntry& one) { return one.offset == 0 && one.file == entry.file && one.path == entry.path; });
  if (!headers || first == maps.end()) return std::nullopt;
  return first->start - headers->first();
}

std::string symbol_in(Elf_Scn* section, const GElf_Shdr& header, Elf* elf, uint64_t address) {
  Elf_Data* data = elf_getdata(section, nullptr);
  const size_t count = header.sh_entsize == 0 ? 0 : header.sh_size / header.sh_entsize;
  for (size_t i = 0; data != nullptr && i < count; i++) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
        symbol.st_shndx == SHN_UNDEF || address < symbol.st_value || address - symbol.st_value >= symbol.st_size)
      continue;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name == nullptr) continue;
    const std::string plain = std::string(name).substr(0, std::string_view(name).find('@'));
    return address == symbol.st_value ? plain : plain + "+" + hex(address - symbol.st_value);
  }
  return {};
}

std::string symbol_of(const std::string& path, uint64_t address) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || elf_version(EV_CURRENT) == EV_NONE) return {};
  const ElfHandle elf(elf_begin(file.get(), ELF_C_READ, nullptr));
  for (Elf_Scn* section = nullptr; elf && (section = elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    if (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) continue;
    if (std::string name = symbol_in(section, header, elf.get(), address); !name.empty()) return name;
  }
  return {};
}

}  // namespace

std::string data_symbol(uint32_t pid, uint64_t address) {
  const auto maps = read_proc_maps(pid);
  const MapEntry* entry = maps ? object_at(*maps, address) : nullptr;
  if (entry == nullptr) return {};
  const auto path = file_of(pid, *entry);
  const auto bias = path ? bias_of(*maps, *entry, *path) : std::nullopt;
  return bias ? symbol_of(*path, address - *bias) : std::string();
}

}  // namespace sonde
