// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/elf_headers.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/base/page.h"

namespace sonde {
namespace {

constexpr uint64_t kMost = 1u << 18;  // entries of a table

}  // namespace

template <typename T>
std::vector<T> ElfHeaders::read_array(uint64_t offset, uint64_t count) const {
  std::vector<T> all(std::min(count, kMost));
  const ssize_t got = pread(fd_.get(), all.data(), all.size() * sizeof(T), static_cast<off_t>(offset));
  all.resize(got > 0 ? static_cast<size_t>(got) / sizeof(T) : 0);
  return all;
}

std::optional<ElfHeaders> ElfHeaders::read(const std::string& path) {
  ElfHeaders made(UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)));
  if (!made.fd_ || pread(made.fd_.get(), &made.head_, sizeof made.head_, 0) != sizeof made.head_) return std::nullopt;
  if (std::memcmp(made.head_.e_ident, ELFMAG, SELFMAG) != 0 || made.head_.e_ident[EI_CLASS] != ELFCLASS64)
    return std::nullopt;
  made.segments_ = made.read_array<Elf64_Phdr>(made.head_.e_phoff, made.head_.e_phnum);
  return made;
}

uint64_t ElfHeaders::first() const {
  uint64_t lowest = UINT64_MAX;
  for (const Elf64_Phdr& segment : segments_)
    if (segment.p_type == PT_LOAD) lowest = std::min(lowest, segment.p_vaddr & kPageMask);
  return lowest;
}

uint64_t ElfHeaders::start() const {
  for (const Elf64_Phdr& segment : segments_)
    if (segment.p_type == PT_LOAD && head_.e_entry - segment.p_vaddr < segment.p_filesz)
      return head_.e_entry - segment.p_vaddr + segment.p_offset;
  return 0;
}

std::vector<Elf64_Dyn> ElfHeaders::dynamic() const {
  const auto found = std::ranges::find(segments_, uint32_t{PT_DYNAMIC}, &Elf64_Phdr::p_type);
  return found == segments_.end() ? std::vector<Elf64_Dyn>()
                                  : read_array<Elf64_Dyn>(found->p_offset, found->p_filesz / sizeof(Elf64_Dyn));
}

std::pair<uint64_t, uint64_t> ElfHeaders::section(std::string_view name) const {
  if (head_.e_shentsize != sizeof(Elf64_Shdr)) return {};
  const auto first_one = read_array<Elf64_Shdr>(head_.e_shoff, 1);  // of numbers that are too large for the header
  if (first_one.empty()) return {};
  const auto sections =
      read_array<Elf64_Shdr>(head_.e_shoff, head_.e_shnum != 0 ? head_.e_shnum : first_one[0].sh_size);
  const uint32_t names = head_.e_shstrndx != SHN_XINDEX ? head_.e_shstrndx : first_one[0].sh_link;
  if (names >= sections.size()) return {};
  for (const Elf64_Shdr& one : sections) {
    std::array<char, 32> text{};
    const auto at = static_cast<off_t>(sections[names].sh_offset + one.sh_name);
    if (one.sh_addr < first() || pread(fd_.get(), text.data(), text.size() - 1, at) <= 0) continue;
    if (name == text.data()) return {one.sh_addr - first(), one.sh_size};
  }
  return {};
}

}  // namespace sonde
