// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/mapped_files.h"

#include <fcntl.h>

#include <utility>

namespace sonde {
namespace {

constexpr size_t kMostKept = 256;         // descriptors
constexpr size_t kMostComplained = 1024;  // files that are not mapped any more

std::string own_path(const UniqueFd& fd) { return "/proc/self/fd/" + std::to_string(fd.get()); }

}  // namespace

void MappedFiles::find(File& file, uint32_t pid, const MapEntry& entry) {
  auto path = file_of(pid, entry);
  if (!path) {
    file.why = path.error().message();
    return;
  }
  file.path = std::move(*path);
  file.why.clear();
  if (kept_ >= kMostKept) return;
  UniqueFd opened(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!opened || !leads_to(own_path(opened), entry.file)) return;
  file.kept = std::move(opened);
  kept_++;
}

void MappedFiles::keep(uint32_t pid, const MapEntry& entry, UniqueFd sent) {
  if (!entry.is_file() || entry.file.inode == 0) return;
  const auto [at, is_new] = files_.try_emplace(key_of(entry));
  File& file = at->second;
  if (file.object != nullptr || file.kept) return;
  if (kept_ < kMostKept && sent && leads_to(own_path(sent), entry.file)) {
    file.path = entry.path;
    file.kept = std::move(sent);
    kept_++;
  } else if (sent && !leads_to(entry.path, entry.file) && leads_to(own_path(sent), entry.file)) {
    file.kept = std::move(sent);
    file.object = read(file, entry.file);
    file.kept.reset();
  } else if (is_new) {
    find(file, pid, entry);
  }
}

/// By its path if that still leads there, because separate symbols may lie beside it. A path such as /proc/PID/exe is
/// gone with its process at any moment.
std::shared_ptr<const ElfFile> MappedFiles::read(const File& file, const FileId& id) const {
  if (id.inode == 0 || leads_to(file.path, id))
    if (auto object = ElfFile::open(file.path)) return *object;
  auto object = file.kept ? ElfFile::open(own_path(file.kept)) : Result<std::shared_ptr<const ElfFile>>(nullptr);
  return object ? *object : nullptr;
}

std::shared_ptr<const ElfFile> MappedFiles::open(uint32_t pid, const MapEntry& entry) {
  File& file = files_[key_of(entry)];
  if (file.object != nullptr || file.asked_by == pid) return file.object;
  file.asked_by = pid;
  if (!file.kept) find(file, pid, entry);
  if (file.kept || file.why.empty()) file.object = read(file, entry.file);
  if (file.kept) kept_--;
  file.kept.reset();
  if (file.object == nullptr && !file.why.empty() && complain && !std::exchange(file.complained, true))
    complain("functions have no names: " + file.why);
  return file.object;
}

void MappedFiles::forget_others(const std::set<Key>& mapped) {
  size_t complained = 0;
  std::erase_if(files_, [&](const auto& entry) {
    const File& file = entry.second;
    if (mapped.contains(entry.first) || (file.complained && ++complained <= kMostComplained)) return false;
    if (file.kept) kept_--;
    return true;
  });
}

}  // namespace sonde
