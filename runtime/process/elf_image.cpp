// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/elf_image.h"

#include <fcntl.h>
#include <gelf.h>

#include <algorithm>
#include <string_view>

#include "runtime/base/find.h"
#include "runtime/base/unique_fd.h"

#include "runtime/process/elf_handle.h"

namespace sonde {
namespace {

class Reader {
 public:
  Reader(Elf* elf, ElfImage& image) : elf_(elf), image_(image) {}

  void run() {
    read_segments();
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr || header.sh_entsize == 0) continue;
      if (header.sh_type == SHT_DYNSYM) read_symbols(section, header);
      if (header.sh_type == SHT_RELA && (header.sh_flags & SHF_ALLOC) != 0) read_relocations(section, header);
    }
    std::ranges::sort(image_.relocations, {}, &ElfRelocation::slot);
  }

 private:
  void read_segments() {
    size_t count = 0;
    if (elf_getphdrnum(elf_, &count) != 0) return;
    for (size_t i = 0; i < count; i++) {
      GElf_Phdr header;
      if (gelf_getphdr(elf_, static_cast<int>(i), &header) == nullptr || header.p_type != PT_LOAD) continue;
      image_.parts.push_back({header.p_vaddr, header.p_offset, header.p_filesz});
      if ((header.p_flags & PF_W) != 0) image_.writable.push_back({header.p_vaddr, header.p_vaddr + header.p_memsz});
    }
  }

  static std::string without_version(const char* name) {
    const std::string_view text = name == nullptr ? "" : name;
    return std::string(text.substr(0, text.find('@')));
  }

  void read_symbols(Elf_Scn* section, const GElf_Shdr& header) {
    Elf_Data* data = elf_getdata(section, nullptr);
    GElf_Sym symbol;
    for (int i = 0; data != nullptr && gelf_getsym(data, i, &symbol) != nullptr; i++) {
      if (symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC) continue;
      image_.symbols.emplace(without_version(elf_strptr(elf_, header.sh_link, symbol.st_name)), symbol.st_value);
    }
  }

  void read_relocations(Elf_Scn* section, const GElf_Shdr& header) {
    Elf_Data* data = elf_getdata(section, nullptr);
    Elf_Scn* names = elf_getscn(elf_, header.sh_link);
    GElf_Shdr table{};
    Elf_Data* symbols =
        names != nullptr && gelf_getshdr(names, &table) != nullptr ? elf_getdata(names, nullptr) : nullptr;
    GElf_Rela rela;
    for (int i = 0; data != nullptr && gelf_getrela(data, i, &rela) != nullptr; i++) {
      ElfRelocation made{rela.r_offset, static_cast<uint32_t>(GELF_R_TYPE(rela.r_info)), rela.r_addend, ""};
      const auto index = static_cast<int>(GELF_R_SYM(rela.r_info));
      GElf_Sym symbol;
      if (index != 0 && symbols != nullptr && gelf_getsym(symbols, index, &symbol) != nullptr)
        made.symbol = without_version(elf_strptr(elf_, table.sh_link, symbol.st_name));
      image_.relocations.push_back(std::move(made));
    }
  }

  Elf* elf_;
  ElfImage& image_;
};

}  // namespace

std::shared_ptr<const ElfImage> ElfImage::read(const std::string& path) {
  auto image = std::make_shared<ElfImage>();
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  elf_version(EV_CURRENT);
  const ElfHandle elf(fd ? elf_begin(fd.get(), ELF_C_READ_MMAP, nullptr) : nullptr);
  if (elf != nullptr && elf_kind(elf.get()) == ELF_K_ELF) Reader(elf.get(), *image).run();
  return image;
}

bool ElfImage::offset_of(uint64_t address, uint64_t& offset) const {
  const auto holds = [address](const Part& part) { return address - part.address < part.size; };
  const auto part = std::ranges::find_if(parts, holds);
  if (part != parts.end()) offset = part->offset + (address - part->address);
  return part != parts.end();
}

bool ElfImage::is_writable(uint64_t address) const {
  return std::ranges::any_of(writable,
                             [=](const Range& range) { return address - range.begin < range.end - range.begin; });
}

const ElfRelocation* ElfImage::relocation(uint64_t slot) const {
  return find_sorted(relocations, slot, &ElfRelocation::slot);
}

}  // namespace sonde
