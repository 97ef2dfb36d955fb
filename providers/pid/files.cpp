// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/files.h"

namespace sonde::pid {

Files::File* Files::open(const std::string& path) {
  const auto file = files_.open(path == kVdso ? vdso_path() : path);
  return file ? *file : nullptr;
}

const ElfFunction* Files::keep(const File& file, const ElfFunction& function) {
  return &functions_.try_emplace({&file, function.address, function.name}, function).first->second;
}

const Object* Files::keep(const Object& object) {
  return &objects_.try_emplace({object.path, object.module, object.id}, object).first->second;
}

}  // namespace sonde::pid
