// SPDX-License-Identifier: GPL-3.0-or-later
// From an address in a process to "module`function+0xoff"
//
// Mappings are copied when a process is noted, so that its addresses still resolve after it has ended, for instance in
// stacks that END prints. If no copied mapping contains an address, they are read again, once per change, if the
// process still lives. The mappings of a program that was replaced by an exec come last: its stacks may still be
// printed. An object is opened when the first address in it is resolved; one whose file is deleted is opened at once,
// through the process, while that exists.
//
// Addresses outside of all files: those in the vdso have its symbols; those in code that a runtime has compiled have
// the names that the runtime writes to /tmp/perf-PID.map. C++ names are shown as in the source.
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
  uint64_t offset = 0;   ///< from the function's first byte; without a function: the address as linked
  uint64_t address = 0;
  bool linked = false;               ///< the object could be read, so `offset` is valid
  bool ends_signal_handler = false;  ///< a sigreturn system call begins here
};

/// Context: one thread.
class Symbolizer {
 public:
  /// Copies the current mappings of `pid`; keeps the old copy if it has ended.
  void note(uint32_t pid);
  /// A mapping that ends with its program (MappingSeen).
  void note_mapping(uint32_t pid, uint64_t address, uint64_t offset, const std::string& path, uint64_t size);
  /// `pid` has replaced its program: its mappings have ended, and the new ones are copied.
  void note_exec(uint32_t pid);

  /// Called for an address that neither the copy nor the process explains: events for note_mapping() may not have been
  /// read yet.
  std::function<void()> catch_up;

  ResolvedSymbol resolve(uint32_t pid, uint64_t address);

  /// As ustack() and uaddr() print it: "libc.so.6`malloc+0x1f"; "libc.so.6`malloc" at its first byte; "ls`+0x60b1"
  /// without a function, as linked, so that runs can be compared; "gone.so`0x7f..." if the object cannot be read;
  /// "0x7f..." without a module.
  std::string symbol_text(uint32_t pid, uint64_t address);
  /// For an address that a call returns to: named by the function that contains the call.
  std::string return_text(uint32_t pid, uint64_t address);
  /// ufunc(): the same without the offset.
  std::string function_text(uint32_t pid, uint64_t address);
  /// umod(): "libc.so.6", or "0x7f..." when unknown.
  std::string module_text(uint32_t pid, uint64_t address);

 private:
  struct Process {
    std::map<uint64_t, MapEntry> maps;   ///< executable mappings, by start
    std::map<uint64_t, MapEntry> ended;  ///< mappings of a program that has ended or was replaced by an exec
    std::unordered_map<uint64_t, ResolvedSymbol> known;
    std::unordered_set<uint64_t> missed;  ///< looked up again without success: addresses, and starts of `ended`
    bool own_root = false;                ///< its paths are not ours: it is in another mount namespace
    std::unordered_map<std::string, std::shared_ptr<const ElfFile>> objects;  ///< those opened through the process
    std::shared_ptr<JitMap> jit;
    std::shared_ptr<UniqueFd> executable;  ///< kept open, because its file may be deleted before its names are needed
    std::string executable_path;
  };
  std::shared_ptr<const ElfFile> object_of(Process& process, uint32_t pid, const MapEntry& entry);
  std::shared_ptr<const ElfFile> open_through(Process& process, uint32_t pid, const MapEntry& entry);
  bool may_keep();
  void keep_executable(Process& process, uint32_t pid);
  void find_jit(Process& process, uint32_t pid);
  void look_up_jit(Process& process, ResolvedSymbol& symbol);
  const MapEntry* mapping_of(Process& process, uint32_t pid, uint64_t address);
  ResolvedSymbol look_up(Process& process, uint32_t pid, uint64_t address);

  std::unordered_map<uint32_t, Process> processes_;
  ElfCache objects_;
  std::vector<std::weak_ptr<UniqueFd>> kept_;  ///< executables and roots that are kept open
};

}  // namespace sonde
