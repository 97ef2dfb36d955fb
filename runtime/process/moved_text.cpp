// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/moved_text.h"

#include <algorithm>
#include <iterator>

#include "runtime/base/page.h"
#include "runtime/process/elf_headers.h"

namespace sonde {
namespace {

/// The executable segments of a file, with their addresses relative to where its first byte is loaded.
std::vector<Elf64_Phdr> text_segments(const std::string& path) {
  const auto file = ElfHeaders::read(path);
  std::vector<Elf64_Phdr> found;
  if (!file) return found;
  std::ranges::copy_if(file->segments(), std::back_inserter(found),
                       [](const Elf64_Phdr& one) { return one.p_type == PT_LOAD && (one.p_flags & PF_X) != 0; });
  for (Elf64_Phdr& one : found) one.p_vaddr -= file->first();
  return found;
}

}  // namespace

std::vector<MapEntry> moved_texts(uint32_t pid, const std::vector<MapEntry>& maps) {
  std::vector<MapEntry> found;
  const MapEntry* head = nullptr;  // the mapping of the first byte of the file that was last passed
  for (size_t i = 0; i < maps.size(); i++) {
    const MapEntry& entry = maps[i];
    if (entry.is_file() && entry.offset == 0) head = &entry;
    if (!entry.executable || !entry.path.empty() || head == nullptr) continue;
    size_t after = i;
    while (after < maps.size() && maps[after].path.empty()) after++;
    if (after == maps.size() || maps[after].file != head->file || head->file.inode == 0) continue;
    for (const Elf64_Phdr& segment : text_segments(path_to_open(pid, *head))) {
      const uint64_t begin = head->start + segment.p_vaddr, end = begin + segment.p_memsz;
      if (entry.start >= end || entry.end <= (begin & kPageMask)) continue;
      MapEntry text = *head;
      text.start = std::max(entry.start, begin & kPageMask);
      text.end = std::min(entry.end, (end + 4095) & kPageMask);
      text.offset = text.start - begin + segment.p_offset;
      text.executable = true;
      found.push_back(std::move(text));
    }
  }
  return found;
}

}  // namespace sonde
