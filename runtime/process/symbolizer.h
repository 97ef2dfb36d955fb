// SPDX-License-Identifier: GPL-3.0-or-later
// From an address in a process to "module`function+0xoff"
//
// Mappings are copied when a process is noted, so that its addresses still resolve after it has ended, as
// stacks printed by END need it. An address that no copied mapping holds makes it look again, once a
// change, if the process still lives. Objects are opened when the first address in them is asked for; one whose file is deleted is
// opened at once, through the process, while that is there.
//
// Addresses outside of all files: those of the vdso have its symbols; those of code that a runtime has compiled have what that writes
// to /tmp/perf-PID.map. C++ names are shown as in the source.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/process/elf_file.h"
#include "runtime/process/jit_map.h"
#include "runtime/process/proc_maps.h"

namespace sonde {

struct ResolvedSymbol {
  std::string module;    ///< base name of the object; empty: unknown
  std::string function;  ///< empty: unknown
  uint64_t offset = 0;   ///< from the function's first byte; without a function, the address as its object was linked
  uint64_t address = 0;
  bool linked = false;               ///< the object was read: `offset` counts
  bool ends_signal_handler = false;  ///< a system call sigreturn begins here
};

/// Context: one thread.
class Symbolizer {
 public:
  /// Copies the mappings of `pid` as they are now; keeps the old copy when it is gone.
  void note(uint32_t pid);
  /// A file was mapped (FileMapped): `size` 0 when unknown, up to the next mapping then.
  void note_mapping(uint32_t pid, uint64_t address, uint64_t offset, const std::string& path, uint64_t size = 0);

  /// Called for an address that neither a copy nor the process tells of: what note_mapping() should hear may be on its way.
  std::function<void()> catch_up;

  ResolvedSymbol resolve(uint32_t pid, uint64_t address);

  /// As ustack() and uaddr() print it: "libc.so.6`malloc+0x1f"; "libc.so.6`malloc" at its first byte; "ls`+0x60b1" without a function,
  /// as linked, so that two runs agree; "gone.so`0x7f..." of an object that cannot be read; "0x7f..." without a module.
  std::string symbol_text(uint32_t pid, uint64_t address);
  /// Of an address that a call returns to: by the function that calls.
  std::string return_text(uint32_t pid, uint64_t address);
  /// ufunc(): the same without the offset.
  std::string function_text(uint32_t pid, uint64_t address);
  /// umod(): "libc.so.6", or "0x7f..." when unknown.
  std::string module_text(uint32_t pid, uint64_t address);

 private:
  struct Process {
    std::map<uint64_t, MapEntry> maps;  ///< executable ones, by start
    std::unordered_map<uint64_t, ResolvedSymbol> known;
    std::unordered_set<uint64_t> missed;  ///< looked for again without success
    bool own_root = false;                ///< its paths are not ours: it lives in another mount namespace
    std::unordered_map<std::string, std::shared_ptr<const ElfFile>> objects;  ///< opened through the process
    std::shared_ptr<JitMap> jit;
    std::shared_ptr<UniqueFd> executable;  ///< kept open, for its file may be deleted before its names are asked for
    std::string executable_path;
  };
  std::shared_ptr<const ElfFile> object_of(Process& process, uint32_t pid, const MapEntry& entry);
  std::shared_ptr<const ElfFile> open_through(Process& process, uint32_t pid, const MapEntry& entry);
  bool may_keep();
  void keep_executable(Process& process, uint32_t pid);
  void find_jit(Process& process, uint32_t pid);
  void look_up_jit(Process& process, ResolvedSymbol& symbol);
  const MapEntry* find(Process& process, uint64_t address);
  ResolvedSymbol look_up(Process& process, uint32_t pid, uint64_t address);

  std::unordered_map<uint32_t, Process> processes_;
  ElfCache objects_;
  std::vector<std::weak_ptr<UniqueFd>> kept_;  ///< executables and roots that are kept open
};

}  // namespace sonde
