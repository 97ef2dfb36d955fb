// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "providers/pid/objects.h"
#include "runtime/code/function_code.h"
#include "runtime/process/elf_file.h"

namespace sonde::pid {

/// Opened files, with what was read of them. The vdso is one of them.
class Files {
 public:
  struct File {
    std::shared_ptr<const ElfFile> elf;
    std::shared_ptr<ElfCode> code;
    FunctionReader functions{*elf, *code};
  };

  /// The object remains, even if the file is replaced by another of its name. Null: it cannot be opened.
  File* open(const std::string& path);
  /// Permanent copies, under another name: of a function, of an object.
  const ElfFunction* keep(const File& file, const ElfFunction& function);
  const Object* keep(const Object& object);

 private:
  ElfCache cache_;
  std::deque<File> files_;
  std::map<const ElfFile*, File*> known_;
  std::map<std::tuple<const File*, uint64_t, std::string>, ElfFunction> functions_;
  std::map<std::pair<std::string, std::string>, Object> objects_;
};

}  // namespace sonde::pid
