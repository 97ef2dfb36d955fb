// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/clone_loads.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/process/elf_file.h"
#include "runtime/process/proc_maps.h"

namespace sonde::guard {
namespace {

constexpr uint64_t kRead = 1 << 20;

/// Reads as much of [offset, offset + size) as the file has.
std::vector<uint8_t> read_part(const UniqueFd& file, uint64_t offset, uint64_t size) {
  std::vector<uint8_t> bytes(size);
  const ssize_t got = pread(file.get(), bytes.data(), size, static_cast<off_t>(offset));
  bytes.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

std::vector<CloneLoad> search(const UniqueFd& file, uint64_t offset, uint64_t size) {
  std::vector<CloneLoad> found;
  const auto read = [&](uint64_t at, void* to, size_t length) {
    return at >= offset && at + length <= offset + size &&
           pread(file.get(), to, length, static_cast<off_t>(at)) == static_cast<ssize_t>(length);
  };
  for (uint64_t at = offset; at < offset + size; at += kRead) {
    const uint64_t begin = at - std::min<uint64_t>(kCloneContext, at - offset);
    const uint64_t end = std::min(at + kRead, offset + size);
    const std::vector<uint8_t> bytes = read_part(file, begin, std::min(end + kCloneContext, offset + size) - begin);
    if (bytes.size() <= at - begin) break;
    for (CloneLoad load : find_clone_loads(bytes, at - begin, std::min<uint64_t>(bytes.size(), end - begin))) {
      load.offset += begin;
      if (const auto followed = follow_straight(load, read)) found.push_back(*followed);
    }
  }
  return found;
}

/// Whether a C library, or Go's runtime, makes threads and processes of its own there.
bool is_of_runtime(const ElfFile& file, const CloneLoad& load) {
  constexpr std::array<std::string_view, 6> kNames = {"_Fork",    "__libc_fork", "fork",
                                                      "__clone3", "clone3",      "runtime.clone"};
  uint64_t address = 0;
  if (load.callee != 0 || !file.address_of(load.offset, address)) return false;
  const ElfFunction* function = file.at(address);
  if (function == nullptr) return file.find("clone") != nullptr;  // a C library without the names of what it hides
  return std::ranges::find(kNames, function->name) != kNames.end();
}

void forget_those_of_runtime(const std::string& path, std::vector<CloneLoad>& loads) {
  if (std::ranges::none_of(loads, [](const CloneLoad& load) { return load.callee == 0; })) return;
  const auto file = ElfFile::open(path);
  if (file) std::erase_if(loads, [&](const CloneLoad& load) { return is_of_runtime(**file, load); });
}

}  // namespace

const std::vector<CloneLoad>& CloneLoads::in(pid_t pid, const Mapping& text) {
  const Text key{text.major, text.minor, text.inode, text.offset, text.end - text.start};
  const auto [at, fresh] = known_.try_emplace(key);
  if (!fresh || text.inode == 0) return at->second;
  MapEntry entry{text.start, text.end, text.offset, true, false, text.path, {text.major, text.minor, text.inode}};
  entry.deleted = take_deleted_mark(entry.path);
  const auto path = file_of(static_cast<uint32_t>(pid), entry);
  const UniqueFd file(path ? open(path->c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1);
  if (!file) return at->second;
  at->second = search(file, text.offset, text.end - text.start);
  forget_those_of_runtime(*path, at->second);
  return at->second;
}

}  // namespace sonde::guard
