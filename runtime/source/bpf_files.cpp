// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/source/bpf_files.h"

#include <dirent.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "runtime/base/clock.h"

namespace sonde {

BpfFiles::BpfFiles() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
    const auto pid = static_cast<uint32_t>(std::strtoul(entry->d_name, nullptr, 10));
    const auto maps = pid != 0 ? read_proc_maps(pid) : Result<std::vector<MapEntry>>(std::vector<MapEntry>());
    for (const MapEntry& one : maps ? *maps : std::vector<MapEntry>())
      if (one.executable && one.is_file()) known_.insert(one.file);
  }
}

/// `file`: the number that /proc/PID/maps shows for it.
bool BpfFiles::is_news(const bpf::NewMapping& mapping, FileId& file) {
  const KernelNumber number{mapping.major, mapping.minor, mapping.inode};
  const auto shown = [&mapping] {
    const FileId there = shown_number("/proc/" + std::to_string(mapping.pid) + "/root" + mapping.path);
    return there.inode != 0 ? there : shown_number(mapping.path);
  };
  if (processes_.contains(mapping.pid) && met_in_.insert({mapping.pid, number}).second) {
    file = shown();
    return true;
  }
  const auto names = [&mapping](const Glob& one) { return one.matches(mapping.path); };
  if (std::ranges::none_of(wanted_, names) || !met_.insert(number).second) return false;
  file = shown();
  return file.inode != 0 && known_.insert(file).second;
}

std::optional<FileMapped> BpfFiles::note(const bpf::NewMapping& mapping) {
  FileId file;
  if (!is_news(mapping, file)) return std::nullopt;
  return FileMapped{{.pid = mapping.pid,
                     .time = monotonic_now(),
                     .address = mapping.address,
                     .bytes = mapping.bytes,
                     .offset = mapping.offset,
                     .major = file.major,
                     .minor = file.minor,
                     .inode = file.inode,
                     .path = mapping.path}};
}

}  // namespace sonde
