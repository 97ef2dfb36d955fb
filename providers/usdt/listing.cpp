// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/usdt/listing.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>

#include "runtime/framework/provider.h"
#include "runtime/process/arch.h"
#include "runtime/process/proc_maps.h"
#include "runtime/process/program_file.h"

namespace sonde::usdt {
namespace {

int64_t time_of(const struct stat& file) { return int64_t{file.st_mtim.tv_sec} * 1'000'000'000 + file.st_mtim.tv_nsec; }

/// Those of a file that its user may run and not read (mode 711) are not known: left out aloud.
std::vector<UsdtSite> sites_of(const std::string& path, const std::string& shown) {
  const std::string why = why_unreadable(path, shown);
  if (!why.empty()) sonde_print_message(why.c_str());
  return why.empty() ? read_usdt_sites(path) : std::vector<UsdtSite>();
}

}  // namespace

std::string why_unreadable(const std::string& path, const std::string& shown) {
  if (access(path.c_str(), R_OK) == 0 || errno == ENOENT) return "";
  return shown + " cannot be read: " + std::strerror(errno) + ": what probes it has is not known, and none is traced";
}

std::vector<const File*> Files::of(uint32_t pid) {
  struct Visit {
    Files& files;
    std::vector<const File*> found;
  } all{*this, {}};
  const auto visit = [](void* to, const sonde_mapping* mapping) {
    Visit& visited = *static_cast<Visit*>(to);
    if (*mapping->file == '\0' || mapping->inode == 0) return;
    struct stat status {};
    if (stat(mapping->file, &status) != 0) return;
    const Number number(mapping->major, mapping->minor, mapping->inode, mapping->path, status.st_size, time_of(status));
    const auto [at, fresh] = visited.files.files_.try_emplace(number);
    File& file = at->second;
    file.path = mapping->file;  // the process that had it first may have ended
    if (fresh) file = {mapping->file, mapping->path, mapping->program != 0, sites_of(mapping->file, mapping->path)};
    if (!file.sites.empty() && std::ranges::count(visited.found, &file) == 0) visited.found.push_back(&file);
  };
  (void)sonde_mappings(pid, visit, &all);  // a process that has ended, or is another user's, has none
  return all.found;
}

std::vector<const File*> Files::of_any(uint32_t pid) {
  std::vector<const File*> found;
  const auto maps = read_proc_maps(pid);
  if (!maps) return found;  // it has ended, or is another user's
  std::string program;
  for (const MapEntry& entry : *maps) {
    if (!entry.executable || !entry.is_file() || entry.file.inode == 0) continue;
    const Number number(entry.file.major, entry.file.minor, entry.file.inode, entry.path, 0, 0);
    const auto [at, fresh] = files_.try_emplace(number);
    File& file = at->second;
    if (fresh) {
      if (program.empty()) program = program_path(pid);
      const std::string path = path_to_open(pid, entry);
      file = {path, entry.path, entry.path == program, path.empty() ? std::vector<UsdtSite>() : read_usdt_sites(path)};
    }
    if (!file.sites.empty() && std::ranges::count(found, &file) == 0) found.push_back(&file);
  }
  return found;
}

const File* Files::at(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return nullptr;
  const FileId id = shown_number(path);
  const Number number(id.major, id.minor, id.inode, path, status.st_size, time_of(status));
  const auto [at, fresh] = files_.try_emplace(number);
  if (fresh) at->second = {path, path, false, sites_of(path, path)};
  return at->second.sites.empty() ? nullptr : &at->second;
}

std::vector<const File*> Files::installed(std::string_view name) {
  namespace fs = std::filesystem;
  std::set<std::string> paths;
  const auto look = [&paths](const std::string& folder, const std::string& begin) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (!entry.path().filename().string().starts_with(begin) || !entry.is_regular_file(error)) continue;
      const fs::path path = fs::canonical(entry.path(), error);  // python3 leads to python3.11
      if (!error) paths.insert(path);
    }
  };
  const char* variable = std::getenv("PATH");
  std::istringstream folders(variable == nullptr ? "" : variable);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (folder.starts_with('/')) look(folder, std::string(name));
  for (const char* folder : machine::kLibraryFolders) look(folder, "lib" + std::string(name));
  std::vector<const File*> found;
  for (const std::string& path : paths)
    if (const File* file = at(path)) found.push_back(file);
  return found;
}

std::vector<uint32_t> all_processes() {
  std::vector<uint32_t> pids;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    uint32_t pid = 0;
    const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (wrong == std::errc() && end == name.data() + name.size()) pids.push_back(pid);
  }
  std::ranges::sort(pids);
  return pids;
}

}  // namespace sonde::usdt
