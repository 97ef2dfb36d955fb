// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "providers/pid/objects.h"
#include "runtime/code/function_places.h"

namespace sonde::pid {

/// Opened files, with what was read of them. The vdso is one of them.
class Files {
 public:
  using File = CodeFiles::File;

  /// The object remains, even if the file is replaced by another of its name. Null: it cannot be opened.
  File* open(const std::string& path);
  /// Permanent copies, under another name: of a function, of an object.
  const ElfFunction* keep(const File& file, const ElfFunction& function);
  const Object* keep(const Object& object);

 private:
  CodeFiles files_;
  std::map<std::tuple<const File*, uint64_t, std::string>, ElfFunction> functions_;
  std::map<std::tuple<std::string, std::string, FileId>, Object> objects_;
};

}  // namespace sonde::pid
