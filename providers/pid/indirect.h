// SPDX-License-Identifier: GPL-3.0-or-later
// Indirect functions (IFUNC): the code that runs when they are called
//
// The symbol strlen of a C library is a resolver, which picks the code for this processor: __strlen_evex. A probe on
// strlen is placed on what was picked. There are three ways to find it; the first that succeeds is used:
//
//   1. Interpret the resolver (resolver.h) on the memory of the process. What it reads is there early: the dynamic
//      linker stores the processor's features before it maps a library, so this works before any relocation, and for
//      functions that nobody has called. A word that is not relocated yet is looked up by its symbol. A word that only
//      the program's own start fills in (static programs, before their first instruction) is not trusted.
//   2. Read a word in which the linker has stored the answer: IRELATIVE in the object itself; JUMP_SLOT, GLOB_DAT, 64
//      of that name in all objects.
//   3. Take all that the resolver could return: the addresses of code in its instructions, and the vdso functions that
//      it names. Each call runs one of them, so counts are right. One may jump to another (strcspn to its plain
//      implementation): such an arrival is not an entry (sites.cpp).
//
// We refused to call the resolver, in the process (which may be anywhere) or in sonde (it is another program's code),
// and to wait for the first call, which would be missed. Functions that share their code, such as memcpy and memmove,
// share their calls.
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
  std::string path;  ///< usually of the object with the symbol; "[vdso]" for some of the C library
  uint64_t offset;   ///< in the file
};

/// The indirect functions of one process, in its state at the first question; 0: of any process, for which all is taken
/// that the resolver could return.
class IndirectFunctions {
 public:
  IndirectFunctions(uint32_t pid, Files& files) : pid_(pid), files_(files) {}

  /// For a `function` of `file.indirect()`. Empty: unknown.
  std::vector<Implementation> implementations(const ElfFile& file, const ElfFunction& function);

 private:
  struct Object {
    std::shared_ptr<const ElfFile> file;
    std::shared_ptr<const ElfImage> image;
    uint64_t base = 0;  ///< added to addresses as linked
    bool relocated = false;
  };
  void look();
  /// Opened at the first use. Null: it is not mapped, or cannot be read.
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
  std::string text_at(const Object& home, uint64_t linked) const;
  std::vector<Implementation> candidates(const Object& home, const ElfFunction& function) const;

  uint32_t pid_;
  Files& files_;
  UniqueFd memory_;
  std::vector<MapEntry> maps_;
  std::vector<std::string>
      paths_;  ///< paths of mapped objects that can be opened, the dynamic linker first: libraries use its data
  std::map<std::string, std::optional<Object>> objects_;
};

}  // namespace sonde::pid
