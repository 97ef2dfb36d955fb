// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/code/function_places.h"

#include <cerrno>

namespace sonde {

Result<CodeFiles::File*> CodeFiles::open(const std::string& path) {
  auto elf = cache_.open(path);
  if (!elf) return std::move(elf).error();
  std::unique_ptr<File>& file = files_[elf->get()];
  if (file == nullptr) {
    auto code = ElfCode::open(path);
    if (!code) return std::move(code).error();
    file.reset(new File{*elf, *code});
  }
  return file.get();
}

Result<FunctionPlaces::Found> FunctionPlaces::find(const std::string& path, std::string_view function, bool returns) {
  const auto file = files_.open(path);
  if (!file) return file.error();
  const ElfFunction* symbol = (*file)->elf->find(function);
  if (symbol == nullptr) return Error(path + " has no function " + std::string(function), ENOENT);
  Found found{symbol->offset, {}};
  if (!returns) {
    found.places = (*file)->functions.reenters(*symbol);
    found.places.insert(found.places.begin(), CodePlace{symbol->offset, {}});
    return found;
  }
  FunctionCode code = (*file)->functions.read(*symbol);
  if (code.leaves.empty())
    return Error(std::string(function) + ": " + (code.broken.empty() ? code.endless : code.broken), ENOTSUP);
  found.places = std::move(code.leaves);
  return found;
}

}  // namespace sonde
