// SPDX-License-Identifier: GPL-3.0-or-later
// The object of `sonde -G`
//
// Each counter is in a section group of its own, as the macros define it, so the linker keeps one of all that there are.
// We refused to run a compiler for this: it is found by CC here and by other means there.
#include <elf.h>

#include <cstring>

#include "compiler/header/declared.h"

namespace sonde {
namespace {

template <typename T>
void append_bytes(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

class ObjectWriter {
 public:
  explicit ObjectWriter(Elf64_Ehdr like) : header_(like), sections_(1), symbols_(1) {
    add_section(".strtab", SHT_STRTAB, 0, "");
    add_section(".symtab", SHT_SYMTAB, 0, "");
    sections_[kSymbols].sh_link = kStrings;
    sections_[kSymbols].sh_info = 1;  // all are global
    sections_[kSymbols].sh_entsize = sizeof(Elf64_Sym);
    sections_[kSymbols].sh_addralign = 8;
    add_section(".note.GNU-stack", SHT_PROGBITS, 0, "");
  }

  void add_counter(const std::string& name) {
    const auto symbol = static_cast<Elf64_Word>(symbols_.size());
    const auto counter = static_cast<Elf64_Word>(sections_.size() + 1);
    std::string group;
    append_bytes<Elf64_Word>(group, GRP_COMDAT);
    append_bytes(group, counter);
    Elf64_Shdr& of_group = add_section(".group", SHT_GROUP, 0, group);
    of_group.sh_link = kSymbols;
    of_group.sh_info = symbol;
    of_group.sh_entsize = of_group.sh_addralign = sizeof(Elf64_Word);
    add_section(".probes", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE | SHF_GROUP, std::string(2, '\0')).sh_addralign = 2;
    Elf64_Sym entry{};
    entry.st_name = add_string(name);
    entry.st_info = ELF64_ST_INFO(STB_WEAK, STT_OBJECT);
    entry.st_other = STV_HIDDEN;
    entry.st_shndx = static_cast<Elf64_Section>(counter);
    entry.st_size = 2;
    symbols_.push_back(entry);
  }

  std::string finish() {
    for (const Elf64_Sym& one : symbols_) append_bytes(contents_[kSymbols], one);
    contents_[kStrings] = strings_;
    std::string body;
    for (size_t i = 1; i < sections_.size(); ++i) {
      body.resize((body.size() + 7) / 8 * 8);
      sections_[i].sh_offset = sizeof header_ + body.size();
      sections_[i].sh_size = contents_[i].size();
      body += contents_[i];
    }
    body.resize((body.size() + 7) / 8 * 8);
    header_.e_type = ET_REL;
    header_.e_version = EV_CURRENT;
    header_.e_entry = header_.e_phoff = 0;
    header_.e_phentsize = header_.e_phnum = 0;
    header_.e_ehsize = sizeof header_;
    header_.e_shoff = sizeof header_ + body.size();
    header_.e_shentsize = sizeof(Elf64_Shdr);
    header_.e_shnum = static_cast<Elf64_Half>(sections_.size());
    header_.e_shstrndx = kStrings;
    std::string file;
    append_bytes(file, header_);
    file += body;
    for (const Elf64_Shdr& one : sections_) append_bytes(file, one);
    return file;
  }

 private:
  static constexpr size_t kStrings = 1, kSymbols = 2;

  Elf64_Word add_string(std::string_view text) {
    const auto at = static_cast<Elf64_Word>(strings_.size());
    strings_ += text;
    strings_ += '\0';
    return at;
  }

  Elf64_Shdr& add_section(std::string_view name, Elf64_Word type, Elf64_Xword flags, std::string contents) {
    Elf64_Shdr one{};
    one.sh_name = add_string(name);
    one.sh_type = type;
    one.sh_flags = flags;
    one.sh_addralign = 1;
    contents_.resize(sections_.size());
    contents_.push_back(std::move(contents));
    sections_.push_back(one);
    return sections_.back();
  }

  Elf64_Ehdr header_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<std::string> contents_;
  std::vector<Elf64_Sym> symbols_;
  std::string strings_ = std::string(1, '\0');
};

}  // namespace

Result<std::string> object_file(std::span<const DeclaredProvider> providers, std::string_view like) {
  Elf64_Ehdr header{};
  if (like.size() < sizeof header) return Error("it is no ELF file", ENOEXEC);
  std::memcpy(&header, like.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return Error("it is no ELF file", ENOEXEC);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return Error("objects of 32 bits, or of the other byte order, are not there", ENOEXEC);
  ObjectWriter writer(header);
  for (const DeclaredProvider& provider : providers)
    for (const DeclaredProbe& probe : provider.probes) writer.add_counter(counter_of(provider, probe));
  return writer.finish();
}

}  // namespace sonde
