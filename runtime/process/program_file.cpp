// SPDX-License-Identifier: GPL-3.0-or-later
// What a file is, its headers say: a program names its interpreter, and has no name for the linker (DT_SONAME). A linker
// names no interpreter, and unlike a static program is not marked as one (DF_1_PIE). C libraries have both names,
// because they can be run to print their version. We refused to read the linker's command line, which has options, and
// its r_debug, which needs its symbols.
#include "runtime/process/program_file.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "runtime/base/procfs.h"
#include "runtime/base/unique_fd.h"

namespace sonde {
namespace {

struct Kind {
  bool shared = false;       ///< a shared object of 64 bits
  bool interpreted = false;  ///< names an interpreter
  bool named = false, pie = false;
};

template <typename T>
std::vector<T> read_array(int fd, uint64_t offset, size_t count) {
  constexpr size_t kMost = 4096;
  std::vector<T> all(std::min(count, kMost));
  const ssize_t got = ::pread(fd, all.data(), all.size() * sizeof(T), static_cast<off_t>(offset));
  all.resize(got > 0 ? static_cast<size_t>(got) / sizeof(T) : 0);
  return all;
}

Kind kind_of(const std::string& path) {
  Kind kind;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return kind;
  const auto head = read_array<Elf64_Ehdr>(fd.get(), 0, 1);
  if (head.empty() || std::memcmp(head[0].e_ident, ELFMAG, SELFMAG) != 0 || head[0].e_ident[EI_CLASS] != ELFCLASS64)
    return kind;
  kind.shared = head[0].e_type == ET_DYN;
  for (const Elf64_Phdr& segment : read_array<Elf64_Phdr>(fd.get(), head[0].e_phoff, head[0].e_phnum)) {
    if (segment.p_type == PT_INTERP) kind.interpreted = true;
    if (segment.p_type != PT_DYNAMIC) continue;
    const auto entries = read_array<Elf64_Dyn>(fd.get(), segment.p_offset, segment.p_filesz / sizeof(Elf64_Dyn));
    for (const Elf64_Dyn& entry : entries) {
      kind.named = kind.named || entry.d_tag == DT_SONAME;
      kind.pie = kind.pie || (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE) != 0);
    }
  }
  return kind;
}

}  // namespace

bool runs_linker(uint32_t pid) {
  const Kind kind = kind_of(proc_folder(static_cast<pid_t>(pid)) + "/exe");
  return kind.shared && !kind.pie && !kind.interpreted;
}

std::optional<MapEntry> program_of_linker(uint32_t pid) {
  const auto maps = read_proc_maps(pid);
  if (!maps) return std::nullopt;
  for (const MapEntry& entry : *maps) {
    if (!entry.is_file() || entry.offset != 0) continue;
    const Kind kind = kind_of(path_to_open(pid, entry));
    if (kind.interpreted && !kind.named) return entry;
  }
  return std::nullopt;
}

std::string program_path(uint32_t pid) {
  if (runs_linker(pid))
    if (const auto program = program_of_linker(pid)) return program->path;
  std::string path = read_link(proc_folder(static_cast<pid_t>(pid)) + "/exe");
  take_deleted_mark(path);
  return path;
}

}  // namespace sonde
