// SPDX-License-Identifier: GPL-3.0-or-later
// A note of .note.stapsdt, type 3: three addresses, then provider, name and arguments, with a NUL behind each.
#include "runtime/process/usdt_notes.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string_view>

#include "runtime/base/unique_fd.h"

#include "runtime/process/elf_handle.h"

namespace sonde {
namespace {

constexpr unsigned kStapsdt = 3;
constexpr size_t kAddresses = 3 * sizeof(uint64_t);

/// Removes the text up to the next NUL, and that, from `bytes`. Empty: there is none.
std::string take_text(std::string_view& bytes) {
  const size_t end = bytes.find('\0');
  if (end == bytes.npos) return {};
  std::string text(bytes.substr(0, end));
  bytes.remove_prefix(end + 1);
  return text;
}

void add_notes(Elf_Data& data, std::vector<UsdtProbe>& found) {
  GElf_Nhdr note;
  size_t name_at = 0, at = 0;
  for (size_t offset = 0, next = 0; (next = gelf_getnote(&data, offset, &note, &name_at, &at)) > 0; offset = next) {
    const auto* bytes = static_cast<const char*>(data.d_buf);
    if (note.n_type != kStapsdt || std::string_view(bytes + name_at, note.n_namesz).substr(0, 7) != "stapsdt") continue;
    if (note.n_descsz <= kAddresses) continue;
    std::string_view rest(bytes + at + kAddresses, note.n_descsz - kAddresses);
    UsdtProbe probe;
    probe.provider = take_text(rest);
    probe.name = take_text(rest);
    if (!probe.name.empty()) found.push_back(std::move(probe));
  }
}

}  // namespace

std::vector<UsdtProbe> read_usdt_probes(const std::string& path) {
  std::vector<UsdtProbe> found;
  elf_version(EV_CURRENT);
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const ElfHandle elf(file ? elf_begin(file.get(), ELF_C_READ, nullptr) : nullptr);
  size_t names = 0;
  if (!elf || gelf_getclass(elf.get()) != ELFCLASS64 || elf_getshdrstrndx(elf.get(), &names) != 0) return found;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_NOTE) continue;
    if (Elf_Data* data = elf_getdata(section, nullptr)) add_notes(*data, found);
  }
  return found;
}

}  // namespace sonde
