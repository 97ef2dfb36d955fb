// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/procfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "runtime/base/unique_fd.h"

namespace sonde {

ssize_t read_proc(const char* path, char* to, size_t size) {
  const UniqueFd file(open(path, O_RDONLY | O_CLOEXEC));
  const ssize_t got = file ? read(file.get(), to, size - 1) : -1;
  to[std::max<ssize_t>(got, 0)] = '\0';
  return got;
}

const char* stat_field(const char* text, int number) {
  const char* at = std::strrchr(text, ')');  // field 2, the name in parentheses, may contain anything
  for (int field = 2; at != nullptr && field < number; field++) at = std::strchr(at + 1, ' ');
  return at == nullptr ? nullptr : at + 1;
}

uint32_t parent_of(uint32_t pid) {
  char path[32], text[1024];
  std::snprintf(path, sizeof path, "/proc/%u/stat", pid);
  if (read_proc(path, text, sizeof text) <= 0) return 0;
  const char* parent = stat_field(text, 4);
  return parent == nullptr ? 0 : static_cast<uint32_t>(std::strtoul(parent, nullptr, 10));
}

bool has_ancestor(uint32_t pid, uint64_t ancestor, uint32_t most) {
  for (uint32_t left = most; pid != 0 && pid != ancestor && left > 1; left--) pid = parent_of(pid);
  return pid != 0 && pid == ancestor;
}

std::string read_link(const std::string& link) {
  char text[PATH_MAX];
  const ssize_t length = readlink(link.c_str(), text, sizeof text);
  return {text, static_cast<size_t>(std::max<ssize_t>(length, 0))};
}

namespace {

/// Whether a thread has not ended; its state is behind its name, which may contain anything.
bool lives(const std::string& folder) {
  char text[512];
  if (read_proc((folder + "/stat").c_str(), text, sizeof text) <= 0) return false;
  const char* name_end = std::strrchr(text, ')');
  return name_end != nullptr && name_end[1] != '\0' && std::strchr("ZX", name_end[2]) == nullptr;
}

}  // namespace

pid_t living_thread(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  if (lives(folder)) return pid;
  DIR* list = opendir((folder + "/task").c_str());
  pid_t living = 0;
  while (const dirent* entry = list != nullptr && living == 0 ? readdir(list) : nullptr)
    if (entry->d_name[0] != '.' && lives(folder + "/task/" + entry->d_name)) living = atoi(entry->d_name);
  if (list != nullptr) closedir(list);
  return living;
}

bool has_ended(uint32_t pid) { return kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH; }

pid_t process_of_thread(pid_t tid) {
  char text[512];
  const std::string path = "/proc/" + std::to_string(tid) + "/status";
  const char* line = read_proc(path.c_str(), text, sizeof text) > 0 ? std::strstr(text, "\nTgid:") : nullptr;
  return line != nullptr ? atoi(line + std::strlen("\nTgid:")) : 0;
}

std::string proc_folder(pid_t pid) {
  const pid_t thread = living_thread(pid);
  return "/proc/" + std::to_string(thread != 0 ? thread : pid);
}

}  // namespace sonde
