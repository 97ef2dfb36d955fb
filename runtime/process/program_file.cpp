// SPDX-License-Identifier: GPL-3.0-or-later
// What a file is, its headers say: a program names its interpreter, and has no name for the linker (DT_SONAME). A linker
// names no interpreter, and unlike a static program is not marked as one (DF_1_PIE). C libraries have both names,
// because they can be run to print their version. We refused to read the linker's command line, which has options, and
// its r_debug, which needs its symbols.
#include "runtime/process/program_file.h"

#include "runtime/base/auxv.h"
#include "runtime/base/procfs.h"
#include "runtime/process/elf_headers.h"

namespace sonde {
namespace {

struct Kind {
  bool shared = false;       ///< a shared object of 64 bits
  bool interpreted = false;  ///< names an interpreter
  bool named = false, pie = false;
};

Kind kind_of(const std::string& path) {
  Kind kind;
  const auto file = ElfHeaders::read(path);
  if (!file) return kind;
  kind.shared = file->type() == ET_DYN;
  for (const Elf64_Phdr& segment : file->segments()) kind.interpreted |= segment.p_type == PT_INTERP;
  for (const Elf64_Dyn& entry : file->dynamic()) {
    kind.named = kind.named || entry.d_tag == DT_SONAME;
    kind.pie = kind.pie || (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE) != 0);
  }
  return kind;
}

/// The path that /proc has for the program.
std::string path_of_exe(uint32_t pid) {
  std::string path = read_link(proc_folder(static_cast<pid_t>(pid)) + "/exe");
  take_deleted_mark(path);
  return path;
}

/// A path that opens the program, as the process has mapped it.
std::string exe_to_open(uint32_t pid) {
  const std::string exe = path_of_exe(pid);
  if (const auto maps = read_proc_maps(pid))
    for (const MapEntry& entry : *maps)
      if (entry.path == exe) return path_to_open(pid, entry);
  return proc_folder(static_cast<pid_t>(pid)) + "/exe";
}

}  // namespace

/// A program that has a linker (AT_BASE) is none: so nearly always no file is asked.
bool runs_linker(uint32_t pid) {
  const auto auxv = Auxv::read(pid);
  if (!auxv || auxv->value(AT_BASE) != 0) return false;
  const Kind kind = kind_of(exe_to_open(pid));
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
  return path_of_exe(pid);
}

}  // namespace sonde
