// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of an ELF object
//
// What user probes and symbolisation need to know of a program or library, read once: each function's name, address,
// place in the file and size. Symbols come from .symtab and .dynsym together: a stripped library still has the latter, and
// neither contains all of the other.
//
// Where the object has lost its .symtab, others have it, and the first of these is read too:
//   a file of the same build id under /usr/lib/debug/.build-id;
//   the file that .gnu_debuglink names: beside the object, in .debug/ beside it, or under /usr/lib/debug, with the object's build id or,
//   where the object has none, with the sum that the link gives;
//   .gnu_debugdata, an ELF object compressed by xz inside of this one ("mini debug information", functions only).
//
// Left out: symbols that are not defined here. Indirect functions (IFUNC) stand apart: their symbol names the
// function that picks the implementation, not one that callers run. Versions (name@VERSION) are cut off.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/number_table.h"
#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"

namespace sonde {

struct ElfFunction {
  std::string name;
  uint64_t address = 0;  ///< as the object was linked
  uint64_t size = 0;     ///< 0: unknown
  uint64_t limit = 0;    ///< address that it cannot reach: address + size, or the end of its section
  uint64_t offset = 0;   ///< in the file
  enum class Binding : uint8_t { Global, Weak, Local } binding = Binding::Global;
};

/// Of two names for one address: not local, then few leading underscores, then short.
bool better_name(const ElfFunction& a, const ElfFunction& b);

/// What the kernel calls its own object in every process.
inline constexpr char kVdso[] = "[vdso]";

class ElfFile {
 public:
  /// Errors: those of open(2); ENOEXEC not an ELF object of this machine.
  static Result<std::shared_ptr<const ElfFile>> open(const std::string& path);

  /// Of an object that lies in memory, as a file does; it has no code().
  static Result<std::shared_ptr<const ElfFile>> parse(const std::string& name, std::span<const uint8_t> bytes);

  const std::string& path() const { return path_; }
  /// By rising address; of several names for one address the best one first: global, then few leading underscores, then short.
  std::span<const ElfFunction> functions() const { return functions_; }
  /// Resolvers of indirect functions, by rising address.
  std::span<const ElfFunction> indirect() const { return indirect_; }
  /// Null: no such function. Of several with one name (local ones) the first.
  const ElfFunction* find(std::string_view name) const;
  /// The function that holds `address` (as linked), by its best name; null: none.
  const ElfFunction* at(uint64_t address) const;
  /// Address as linked of a byte of the file that is mapped as code; false: none is.
  bool address_of(uint64_t offset, uint64_t& address) const;
  bool offset_of(uint64_t address, uint64_t& offset) const;
  /// Bytes of the file, as many as there are.
  std::vector<uint8_t> code(uint64_t offset, uint64_t size) const;
  /// The function's code, as the file has it; empty when it cannot be read.
  std::vector<uint8_t> code(const ElfFunction& function) const;

 private:
  struct Segment {
    uint64_t address, offset, size;
  };
  struct Reader;

  std::string path_;
  std::vector<Segment> code_;  ///< executable PT_LOADs
  std::vector<ElfFunction> functions_, indirect_;
  NumberTable by_name_;  ///< of functions_
  UniqueFd fd_;
};

/// Where a copy of the vdso can be opened, which is the same in all processes. Empty: there is none.
const std::string& vdso_path();

/// Opens each object once, and again when the file has changed. Not for several threads.
class ElfCache {
 public:
  Result<std::shared_ptr<const ElfFile>> open(const std::string& path);

 private:
  struct Entry {
    uint64_t device, inode, size;
    int64_t changed_ns;
    std::shared_ptr<const ElfFile> file;
  };
  std::map<std::string, Entry> entries_;
};

}  // namespace sonde
