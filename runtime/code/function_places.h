// SPDX-License-Identifier: GPL-3.0-or-later
// The places of a function's taps, by its name: sonde_function_places() for providers outside of the tree
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/code/function_code.h"

namespace sonde {

class FunctionPlaces {
 public:
  struct Found {
    uint64_t function = 0;  ///< its offset in the file
    std::vector<CodePlace> places;
  };

  /// The entry, with jumps to it that are not entries; or the instructions that leave. Each file is read once, and
  /// again when it has changed.
  /// Errors: those of open(2); ENOEXEC not an ELF object of this machine; ENOENT no such function; ENOTSUP its code has
  /// no such places.
  Result<Found> find(const std::string& path, std::string_view function, bool returns);

 private:
  struct File {
    std::shared_ptr<const ElfFile> elf;
    std::shared_ptr<ElfCode> code;
    FunctionReader functions{*elf, *code};
  };
  Result<File*> open(const std::string& path);

  ElfCache cache_;
  std::map<const ElfFile*, std::unique_ptr<File>> files_;
};

}  // namespace sonde
