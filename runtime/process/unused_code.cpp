// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/unused_code.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "runtime/base/page.h"
#include "runtime/base/unique_fd.h"
#include "runtime/process/elf_headers.h"

namespace sonde {
namespace {

constexpr uint64_t kRoom = 16;  ///< bytes, so that what is there is one instruction on each machine

bool is_zero(int file, uint64_t offset) {
  std::array<uint8_t, kRoom> bytes{};
  const auto got = pread(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  return got == static_cast<ssize_t>(bytes.size()) && std::ranges::all_of(bytes, [](uint8_t one) { return one == 0; });
}

}  // namespace

uint64_t unused_code(const std::string& path) {
  const auto headers = ElfHeaders::read(path);
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!headers || !file) return 0;
  for (const Elf64_Phdr& segment : headers->segments()) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const uint64_t end = segment.p_offset + segment.p_filesz, place = (end + kRoom - 1) & ~(kRoom - 1);
    const bool in_last_page = (place & kPageMask) == ((end - 1) & kPageMask) && place % kPage + kRoom <= kPage;
    if (in_last_page && is_zero(file.get(), place)) return place;
  }
  return 0;
}

}  // namespace sonde
