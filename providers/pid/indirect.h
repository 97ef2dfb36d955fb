// SPDX-License-Identifier: GPL-3.0-or-later
// Indirect functions (IFUNC): which code runs when they are called
//
// The symbol strlen of a C library is a resolver, which picks the code for this processor: __strlen_evex. A probe on strlen is one on
// what is picked. Three ways lead there, the first that does is taken:
//
//   1. The resolver is interpreted (resolver.h) on the memory of the process. What it reads is there early: the dynamic linker fills in
//      the processor's features before it maps a library, so this answers before any relocation, and for functions nobody has
//      asked for. A word that is still to be relocated is looked up by its symbol; one that only the program's own start can have
//      filled in (static programs before their first instruction) is not believed.
//   2. A word that the linker has filled in with the answer: IRELATIVE of the object itself, and JUMP_SLOT, GLOB_DAT, 64 of that name in all.
//   3. All that the resolver could return: the addresses of code in its instructions, and the functions of the vdso that it names. Each call runs
//      one of them, so counts are right. One may hand over to another by a jump (strcspn to its plain implementation): such an arrival is no
//      entry (sites.cpp).
//
// We refused to call the resolver, in the process (it may be anywhere) or in sonde (code of another program), and to wait
// for the first call: it would be missed. Functions that share their code, as memcpy and memmove do, share their calls.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "providers/pid/files.h"
#include "runtime/base/unique_fd.h"
#include "runtime/process/elf_file.h"
#include "runtime/process/elf_image.h"
#include "runtime/process/proc_maps.h"

namespace sonde::pid {

struct Implementation {
  std::string path;  ///< mostly of the object that has the symbol; "[vdso]" for some of the C library
  uint64_t offset;   ///< in the file
};

/// Of one process, as it is when the first question comes.
class IndirectFunctions {
 public:
  IndirectFunctions(uint32_t pid, Files& files) : pid_(pid), files_(files) {}

  /// Of `function`, one of `file.indirect()`. Empty: it cannot be told.
  std::vector<Implementation> implementations(const ElfFile& file, const ElfFunction& function);

 private:
  struct Object {
    std::shared_ptr<const ElfFile> file;
    std::shared_ptr<const ElfImage> image;
    uint64_t base = 0;  ///< added to addresses as linked
    bool relocated = false;
  };
  void look();
  /// Opened when first asked for. Null: it is not mapped, or cannot be read.
  Object* object_of(const std::string& path);
  std::optional<Object> open(const std::string& path);
  bool is_relocated(const Object& object) const;
  bool read(uint64_t address, void* to, size_t length) const;
  size_t read_code(uint64_t address, uint8_t* to, size_t length);
  bool read_data(const Object& home, uint64_t address, uint8_t* to, size_t length);
  std::optional<uint64_t> symbol_address(const Object& home, const std::string& name);
  const MapEntry* mapping_of(uint64_t address) const;
  std::optional<Implementation> code_at(uint64_t address) const;
  std::vector<Implementation> by_slots(const Object& home, const ElfFunction& function);
  std::vector<Implementation> candidates(const Object& home, const ElfFunction& function) const;

  uint32_t pid_;
  Files& files_;
  UniqueFd memory_;
  std::vector<MapEntry> maps_;
  std::vector<std::string>
      paths_;  ///< by which they can be opened, of what is mapped, the dynamic linker first: libraries borrow from it
  std::map<std::string, std::optional<Object>> objects_;
};

}  // namespace sonde::pid
