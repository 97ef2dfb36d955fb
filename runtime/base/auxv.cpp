// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/auxv.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/base/procfs.h"
#include "runtime/base/unique_fd.h"

namespace sonde {
namespace {

template <typename Entry>
std::vector<std::pair<uint64_t, uint64_t>> entries(const char* bytes, size_t size) {
  std::vector<std::pair<uint64_t, uint64_t>> found;
  for (Entry one; size >= sizeof one; bytes += sizeof one, size -= sizeof one) {
    std::memcpy(&one, bytes, sizeof one);
    if (one.a_type == AT_NULL) break;
    found.emplace_back(one.a_type, one.a_un.a_val);
  }
  return found;
}

}  // namespace

/// The size of a program header tells 32-bit code: the kernel writes its vector in words of 32 bits.
std::optional<Auxv> Auxv::read(uint32_t pid) {
  const UniqueFd fd(open((proc_folder(static_cast<pid_t>(pid)) + "/auxv").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 2048> bytes;
  const ssize_t got = fd ? ::read(fd.get(), bytes.data(), bytes.size()) : 0;
  if (got <= 0) return std::nullopt;
  Auxv made;
  made.pairs_ = entries<Elf64_auxv_t>(bytes.data(), static_cast<size_t>(got));
  if (made.value(AT_PHENT) == sizeof(Elf64_Phdr)) return made;
  auto short_ones = entries<Elf32_auxv_t>(bytes.data(), static_cast<size_t>(got));
  std::swap(made.pairs_, short_ones);
  made.compat_ = made.value(AT_PHENT) == sizeof(Elf32_Phdr);
  if (!made.compat_) std::swap(made.pairs_, short_ones);
  return made;
}

uint64_t Auxv::value(uint64_t type) const {
  const auto found = std::ranges::find(pairs_, type, &std::pair<uint64_t, uint64_t>::first);
  return found == pairs_.end() ? 0 : found->second;
}

}  // namespace sonde
