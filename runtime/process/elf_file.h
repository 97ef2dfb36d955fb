// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of an ELF object
//
// What user probes and symbolisation need to know about a program or library, read once: each function's name, address,
// place in the file and size. Symbols come from .symtab and .dynsym together: a stripped library still has the latter,
// and neither contains all of the other.
//
// If the object has no .symtab, the first of these that exists is read too:
//   a file of the same build id under /usr/lib/debug/.build-id;
//   the file that .gnu_debuglink names: beside the object, in .debug/ beside it, or under /usr/lib/debug, with the
//   object's build id or, if the object has none, with the checksum in the link;
//   .gnu_debugdata, an ELF object compressed by xz inside of this one ("mini debug information", functions only).
//
// Left out: symbols that are defined elsewhere. Indirect functions (IFUNC) are separate: their symbol names the
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
  uint64_t address = 0;  ///< as linked
  uint64_t size = 0;     ///< 0: unknown
  uint64_t limit = 0;    ///< its code ends before this address: address + size, or the end of its section
  uint64_t offset = 0;   ///< in the file
  enum class Binding : uint8_t { Global, Weak, Local } binding = Binding::Global;
};

/// Whether `a` is the better of two names for one address: not local, then fewer leading underscores, then shorter.
bool better_name(const ElfFunction& a, const ElfFunction& b);

/// The kernel's name for its own object in every process.
inline constexpr char kVdso[] = "[vdso]";

class ElfFile {
 public:
  /// Errors: those of open(2); ENOEXEC not an ELF object of this machine.
  static Result<std::shared_ptr<const ElfFile>> open(const std::string& path);

  /// An object in memory, in the layout of a file; it has no code().
  static Result<std::shared_ptr<const ElfFile>> parse(const std::string& name, std::span<const uint8_t> bytes);

  const std::string& path() const { return path_; }
  /// Sorted by address; of several names for one address the best one first: global, then fewer leading underscores,
  /// then shorter.
  std::span<const ElfFunction> functions() const { return functions_; }
  /// Resolvers of indirect functions, sorted by address.
  std::span<const ElfFunction> indirect() const { return indirect_; }
  /// Whether only exported symbols are known: the object is stripped, and nothing has the others.
  bool exported_only() const { return exported_only_; }
  /// Null: no such function. If several have the name (local ones), the first.
  const ElfFunction* find(std::string_view name) const;
  /// The function that contains `address` (as linked), by its best name; null: none.
  const ElfFunction* at(uint64_t address) const;
  /// Converts a file offset in mapped code to an address as linked; false: it is not in code.
  bool address_of(uint64_t offset, uint64_t& address) const;
  bool offset_of(uint64_t address, uint64_t& offset) const;
  /// Up to `size` bytes of the file.
  std::vector<uint8_t> code(uint64_t offset, uint64_t size) const;
  /// The function's code in the file; empty when it cannot be read.
  std::vector<uint8_t> code(const ElfFunction& function) const;

 private:
  struct Segment {
    uint64_t address, offset, size;
  };
  struct Reader;

  std::string path_;
  std::vector<Segment> code_;  ///< executable PT_LOADs
  std::vector<ElfFunction> functions_, indirect_;
  bool exported_only_ = false;
  NumberTable by_name_;  ///< of functions_
  UniqueFd fd_;
};

/// A path at which a copy of the vdso can be opened; it is the same in all processes. Empty: there is none.
const std::string& vdso_path();

/// Opens each object once, and again when the file has changed. Context: one thread.
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
