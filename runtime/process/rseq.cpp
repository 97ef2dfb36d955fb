// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/rseq.h"

#include <fcntl.h>
#include <gelf.h>

#include <cstddef>
#include <cstring>
#include <memory>

#include "runtime/base/unique_fd.h"
#include "runtime/process/elf_image.h"

namespace sonde {
namespace {

/// struct rseq_cs of linux/rseq.h, which old kernels' headers lack.
struct Descriptor {
  uint32_t version, flags;
  uint64_t start, length, abort;
};

using Elf_ptr = std::unique_ptr<Elf, int (*)(Elf*)>;

/// The bytes of the section, and its address as linked.
std::vector<uint8_t> read_section(Elf* elf, uint64_t& address) {
  size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return {};
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    const char* name = gelf_getshdr(section, &header) != nullptr ? elf_strptr(elf, names, header.sh_name) : nullptr;
    if (name == nullptr || std::strcmp(name, "__rseq_cs") != 0) continue;
    const Elf_Data* data = elf_rawdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return {};
    address = header.sh_addr;
    const auto* bytes = static_cast<const uint8_t*>(data->d_buf);
    return {bytes, bytes + data->d_size};
  }
  return {};
}

bool offset_of(Elf* elf, uint64_t address, uint64_t& offset) {
  size_t count = 0;
  elf_getphdrnum(elf, &count);
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr || segment.p_type != PT_LOAD) continue;
    if (address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz) continue;
    offset = segment.p_offset + (address - segment.p_vaddr);
    return true;
  }
  return false;
}

}  // namespace

std::vector<CodeRange> restartable_sequences(const std::string& path) {
  elf_version(EV_CURRENT);
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const Elf_ptr elf(fd ? elf_begin(fd.get(), ELF_C_READ, nullptr) : nullptr, elf_end);
  uint64_t address = 0;
  const std::vector<uint8_t> bytes = elf ? read_section(elf.get(), address) : std::vector<uint8_t>();
  if (bytes.empty()) return {};
  const auto image = ElfImage::read(path);
  std::vector<CodeRange> found;
  for (size_t at = 0; at + sizeof(Descriptor) <= bytes.size(); at += sizeof(Descriptor)) {
    Descriptor one;
    std::memcpy(&one, &bytes[at], sizeof one);
    // In a PIE or a library, the loader writes the pointer.
    const ElfRelocation* relocation = image->relocation(address + at + offsetof(Descriptor, start));
    if (relocation != nullptr) one.start = static_cast<uint64_t>(relocation->addend);
    uint64_t offset = 0;
    if (offset_of(elf.get(), one.start, offset)) found.push_back({offset, offset + one.length});
  }
  return found;
}

}  // namespace sonde
