// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/mounts.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace sonde {
namespace {

constexpr std::array kServed = {"fuse", "nfs", "cifs", "smb", "9p", "ceph", "afs", "virtiofs", "lustre", "gluster"};

/// The kernel writes blanks and backslashes as three octal digits.
std::string unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      plain += static_cast<char>(std::strtol(std::string(text.substr(i + 1, 3)).c_str(), nullptr, 8));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

/// "id parent major:minor root point options ... - type source options"
bool parse_line(const char* line, Mount& mount) {
  char root[4096] = "", point[4096] = "", type[64] = "";
  const char* dash = std::strstr(line, " - ");
  if (dash == nullptr || std::sscanf(dash + 3, "%63s", type) != 1) return false;
  if (std::sscanf(line, "%lu %*s %u:%u %4095s %4095s", &mount.id, &mount.major, &mount.minor, root, point) != 5)
    return false;
  mount.root = unescape(root);
  mount.point = unescape(point);
  mount.type = type;
  return true;
}

template <typename Wanted>
std::optional<Mount> first_of(const std::string& path, const Wanted& wanted) {
  FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return std::nullopt;
  char* line = nullptr;
  size_t room = 0;
  std::optional<Mount> found;
  Mount mount;
  while (!found && getline(&line, &room, file) > 0)
    if (parse_line(line, mount) && wanted(mount)) found = mount;
  std::free(line);
  std::fclose(file);
  return found;
}

template <typename Wanted>
std::optional<Mount> find_mount(pid_t pid, const Wanted& wanted) {
  auto found = first_of("/proc/" + std::to_string(pid) + "/mountinfo", wanted);
  return found ? found : first_of("/proc/self/mountinfo", wanted);
}

/// Whether the device is that of the file system at /. If its server does not answer, nothing here runs on anyway. Some
/// file systems (btrfs) have other numbers in stat(2) than in the list of mounts, which takes longer to read.
bool is_of_root(uint32_t major, uint32_t minor) {
  struct stat status {};
  if (::stat("/", &status) == 0 && status.st_dev == makedev(major, minor)) return true;
  const auto root = first_of("/proc/self/mountinfo", [](const Mount& one) { return one.point == "/"; });
  return root && root->major == major && root->minor == minor;
}

}  // namespace

std::optional<Mount> mount_by_id(pid_t pid, unsigned long id) {
  return find_mount(pid, [id](const Mount& mount) { return mount.id == id; });
}

std::optional<Mount> mount_of_type(std::string_view type) {
  const char* own = "/proc/self/mountinfo";
  auto whole = first_of(own, [type](const Mount& one) { return one.type == type && one.root == "/"; });
  return whole ? whole : first_of(own, [type](const Mount& one) { return one.type == type; });
}

bool is_served(pid_t pid, uint32_t major, uint32_t minor) {
  if (is_of_root(major, minor)) return false;
  const auto mount = find_mount(pid, [=](const Mount& one) { return one.major == major && one.minor == minor; });
  const auto begins = [&](const char* type) { return mount->type.starts_with(type); };
  return mount && std::ranges::any_of(kServed, begins);
}

}  // namespace sonde
