// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/proc_maps.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <charconv>
#include <cstring>

#include "runtime/base/auxv.h"
#include "runtime/base/hex.h"
#include "runtime/base/procfs.h"
#include "runtime/base/unique_fd.h"
#include "runtime/process/mounts.h"
#include "runtime/process/served_files.h"

namespace sonde {
namespace {

constexpr std::string_view kDeletedMark = " (deleted)";

/// Removes the next word, and the blanks before it, from `line`.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

bool parse_hex(std::string_view text, uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size();
}

void parse_file(std::string_view device, std::string_view inode, FileId& file) {
  uint64_t major = 0, minor = 0;
  const size_t colon = device.find(':');
  if (colon == device.npos || !parse_hex(device.substr(0, colon), major) || !parse_hex(device.substr(colon + 1), minor))
    return;
  file.major = static_cast<uint32_t>(major);
  file.minor = static_cast<uint32_t>(minor);
  std::from_chars(inode.data(), inode.data() + inode.size(), file.inode);
}

/// The kernel writes a newline in a path as \012.
std::string with_newlines(std::string_view path) {
  std::string text;
  for (size_t i = 0; i < path.size(); i++) {
    if (path.substr(i, 4) == "\\012") {
      text += '\n';
      i += 3;
    } else {
      text += path[i];
    }
  }
  return text;
}

/// "start-end perms offset device inode   path"
bool parse_line(std::string_view line, MapEntry& entry) {
  const std::string_view range = take_word(line);
  const size_t dash = range.find('-');
  if (dash == std::string_view::npos) return false;
  const std::string_view permissions = take_word(line);
  const std::string_view offset = take_word(line);
  const std::string_view device = take_word(line);
  const std::string_view inode = take_word(line);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  entry.executable = permissions.size() >= 3 && permissions[2] == 'x';
  entry.writable = permissions.size() >= 2 && permissions[1] == 'w';
  entry.shared = permissions.size() >= 4 && permissions[3] == 's';
  entry.path = with_newlines(line);
  entry.deleted = take_deleted_mark(entry.path);
  parse_file(device, inode, entry.file);
  return parse_hex(range.substr(0, dash), entry.start) && parse_hex(range.substr(dash + 1), entry.end) &&
         parse_hex(offset, entry.offset) && entry.start < entry.end;
}

}  // namespace

bool take_deleted_mark(std::string& path) {
  if (!path.ends_with(kDeletedMark)) return false;
  path.resize(path.size() - kDeletedMark.size());
  return true;
}

std::vector<MapEntry> parse_proc_maps(std::string_view text) {
  std::vector<MapEntry> entries;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    MapEntry entry;
    if (parse_line(line, entry)) entries.push_back(std::move(entry));
  }
  return entries;
}

Result<std::vector<MapEntry>> read_proc_maps(uint32_t pid) {
  const std::string path = proc_folder(static_cast<pid_t>(pid)) + "/maps";
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return Error::from_errno("open " + path, errno == ENOENT ? ESRCH : errno);
  std::string text;
  for (char chunk[16384];;) {
    const ssize_t got = read(fd.get(), chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::from_errno("read " + path);
    if (got == 0) break;
    text.append(chunk, static_cast<size_t>(got));
  }
  return parse_proc_maps(text);
}

bool runs_compat_program(uint32_t pid) {
  const auto auxv = Auxv::read(pid);
  return auxv && auxv->compat();
}

std::string_view base_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool has_own_root(uint32_t pid) {
  const std::string theirs = read_link(proc_folder(static_cast<pid_t>(pid)) + "/ns/mnt");
  return !theirs.empty() && theirs != read_link("/proc/self/ns/mnt");
}

FileId shown_number(const std::string& path) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  void* page = fd ? mmap(nullptr, 1, PROT_READ, MAP_PRIVATE, fd.get(), 0) : MAP_FAILED;
  if (page == MAP_FAILED) return {};
  FileId found;
  if (const auto maps = read_proc_maps(static_cast<uint32_t>(getpid())))
    for (const MapEntry& entry : *maps)
      if (entry.start == reinterpret_cast<uint64_t>(page)) found = entry.file;
  munmap(page, 1);
  return found;
}

bool leads_to(const std::string& path, const FileId& file) {
  if (const CopiedFile* copy = copied_file(path)) return copy->file == file;
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  if (major(status.st_dev) == file.major && minor(status.st_dev) == file.minor) return status.st_ino == file.inode;
  return shown_number(path) == file;
}

/// Paths in maps begin at the root of the process's mount namespace. Its own root may be below that.
static std::string path_below(const std::string& root, const std::string& path) {
  const bool below = root.size() > 1 && path.starts_with(root) && path[root.size()] == '/';
  return below ? path.substr(root.size()) : path;
}

/// Whether the link is one to the path of the mapping. That asks nobody who may serve the file.
static bool links_to(const std::string& link, const MapEntry& entry) {
  std::string path = read_link(link);
  take_deleted_mark(path);
  return path == entry.path;
}

static std::string map_file(uint32_t pid, const MapEntry& entry) {
  return proc_folder(static_cast<pid_t>(pid)) + "/map_files/" + hex_digits(entry.start) + "-" + hex_digits(entry.end);
}

static bool is_served(uint32_t pid, const MapEntry& entry) {
  return entry.is_file() && entry.file.inode != 0 &&
         is_served(static_cast<pid_t>(pid), entry.file.major, entry.file.minor);
}

Result<std::string> file_of(uint32_t pid, const MapEntry& entry) {
  return is_served(pid, entry) ? copy_of_served(pid, entry) : find_file(pid, entry);
}

Result<std::string> find_file(uint32_t pid, const MapEntry& entry) {
  if (!entry.is_file() || entry.file.inode == 0) return entry.path;
  const std::string process = proc_folder(static_cast<pid_t>(pid));
  const auto is_it = [&](const std::string& way) { return leads_to(way, entry.file); };
  if (!entry.deleted && is_it(entry.path)) return entry.path;
  const std::string root = process + "/root";
  const std::string inside = root + path_below(read_link(root), entry.path);
  if (!entry.deleted && is_it(inside)) return inside;
  if (const std::string exe = process + "/exe"; links_to(exe, entry) && is_it(exe)) return exe;
  if (const std::string mapped = map_file(pid, entry); is_it(mapped)) return mapped;
  const bool gone = access(entry.path.c_str(), F_OK) != 0 && access(inside.c_str(), F_OK) != 0;
  return Error(entry.path + " was " + (gone ? "deleted" : "replaced by another file") + " after process " +
                   std::to_string(pid) + " mapped it" +
                   (geteuid() == 0 ? "" : ", and only root can open the file that it has mapped"),
               ESTALE);
}

std::string path_to_open(uint32_t pid, const MapEntry& entry) {
  auto path = file_of(pid, entry);
  if (path) return std::move(*path);
  return is_served(pid, entry) ? "" : map_file(pid, entry);
}

}  // namespace sonde
