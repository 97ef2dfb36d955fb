// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/prompt/processes.h"

#include <dirent.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <utility>

#include "runtime/base/procfs.h"
#include "runtime/process/proc_maps.h"

namespace sonde {
namespace {

/// The words of the program that the process runs, cut; empty: a thread of the kernel.
std::string command_line(const std::string& pid) {
  char text[64];
  const ssize_t got = read_proc(("/proc/" + pid + "/cmdline").c_str(), text, sizeof text);
  std::string line(text, static_cast<size_t>(std::max<ssize_t>(got, 0)));
  std::ranges::replace(line, '\0', ' ');
  return line;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(opendir(folder.c_str()), closedir);
  while (const dirent* entry = opened == nullptr ? nullptr : readdir(opened.get())) names.emplace_back(entry->d_name);
  return names;
}

}  // namespace

std::vector<Candidate> processes(std::string_view digits) {
  std::vector<Candidate> all;
  for (const std::string& pid : names_in("/proc")) {
    if (!pid.starts_with(digits) || !std::isdigit(static_cast<unsigned char>(pid[0]))) continue;
    const std::string line = command_line(pid);
    all.push_back({pid, line.empty() ? "a thread of the kernel" : line});
  }
  return all;
}

std::vector<Candidate> programs(std::string_view word) {
  std::vector<Candidate> all;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    for (std::string& name : names_in(folder))
      if (name.starts_with(word) && name[0] != '.') all.push_back({std::move(name), folder});
  return all;
}

std::vector<Candidate> modules_of(uint32_t pid) {
  std::vector<Candidate> all;
  const auto maps = read_proc_maps(pid);
  if (!maps) return all;
  for (const MapEntry& entry : *maps)
    if (entry.executable && entry.is_file()) all.push_back({std::string(base_name(entry.path)), entry.path});
  all.push_back({"a.out", "the program itself"});
  return all;
}

}  // namespace sonde
