// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/files.h"

namespace sonde::pid {

Files::File* Files::open(const std::string& path) {
  const std::string where = path == kVdso ? vdso_path() : path;
  auto elf = cache_.open(where);
  if (!elf) return nullptr;
  File*& file = known_[elf->get()];
  if (file != nullptr) return file;
  auto code = ElfCode::open(where);
  if (!code) return nullptr;
  return file = &files_.emplace_back(File{*elf, *code});
}

const ElfFunction* Files::keep(const File& file, const ElfFunction& function) {
  return &functions_.try_emplace({&file, function.address, function.name}, function).first->second;
}

const Object* Files::keep(const Object& object) {
  return &objects_.try_emplace({object.path, object.name}, object).first->second;
}

}  // namespace sonde::pid
