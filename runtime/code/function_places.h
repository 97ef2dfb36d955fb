// SPDX-License-Identifier: GPL-3.0-or-later
// Opened files of code, and the places of a function's taps in them, by its name: sonde_function_places() for providers
// outside of the tree
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/code/function_code.h"

namespace sonde {

/// Each is read once, and again when it has changed.
class CodeFiles {
 public:
  struct File {
    std::shared_ptr<const ElfFile> elf;
    std::shared_ptr<ElfCode> code;
    FunctionReader functions{*elf, *code};
  };

  /// Stays, also when the file is replaced by another of its name. Errors: those of open(2); ENOEXEC no ELF object of this machine.
  Result<File*> open(const std::string& path);

 private:
  ElfCache cache_;
  std::map<const ElfFile*, std::unique_ptr<File>> files_;
};

class FunctionPlaces {
 public:
  struct Found {
    uint64_t function = 0;  ///< in the file
    std::vector<CodePlace> places;
  };

  /// The entry, with the jumps that are no entry; or the instructions that leave.
  /// Errors: those of CodeFiles; ENOENT no such function; ENOTSUP its code says no.
  Result<Found> find(const std::string& path, std::string_view function, bool returns);

 private:
  CodeFiles files_;
};

}  // namespace sonde
