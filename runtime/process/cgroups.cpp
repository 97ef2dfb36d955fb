// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/cgroups.h"

#include <dirent.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/process/mounts.h"
#include "runtime/process/namespaces.h"

namespace sonde {
namespace {

constexpr size_t kIdDigits = 64, kShortId = 12;

enum class Named : uint8_t {
  Id,    ///< by 64 hexadecimal digits
  Name,  ///< by a name
  Unit,  ///< by a name as systemd writes it: \x2d is -
};

/// A folder of a container: `parent`/`begin`...`end`. An empty parent: any.
struct Form {
  std::string_view parent, begin, end;
  Named named;
};

constexpr std::array kForms = std::to_array<Form>({
    {"", "docker-", ".scope", Named::Id},
    {"", "libpod-", ".scope", Named::Id},
    {"", "libpod-", "", Named::Id},
    {"", "cri-containerd-", ".scope", Named::Id},
    {"", "crio-", ".scope", Named::Id},
    {"", "crio-", "", Named::Id},
    {"", "", "", Named::Id},  // docker/ID, kubepods/.../podUID/ID
    {"lxc", "", "", Named::Name},
    {"", "lxc.payload.", "", Named::Name},
    {"", "machine-", ".scope", Named::Unit},
    {"", "systemd-nspawn@", ".service", Named::Unit},
});

bool is_id(std::string_view text) {
  const auto digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == kIdDigits && std::ranges::all_of(text, digit);
}

int hex_digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

std::string unit_name(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); i++) {
    const bool escaped = text.substr(i).starts_with("\\x") && i + 3 < text.size() && hex_digit(text[i + 2]) >= 0 &&
                         hex_digit(text[i + 3]) >= 0;
    plain += escaped ? static_cast<char>(hex_digit(text[i + 2]) * 16 + hex_digit(text[i + 3])) : text[i];
    if (escaped) i += 3;
  }
  return plain;
}

std::optional<std::string> name_by(const Form& form, std::string_view parent, std::string_view folder) {
  if (!form.parent.empty() && parent != form.parent) return std::nullopt;
  if (folder.size() <= form.begin.size() + form.end.size() || !folder.starts_with(form.begin) ||
      !folder.ends_with(form.end))
    return std::nullopt;
  folder = folder.substr(form.begin.size(), folder.size() - form.begin.size() - form.end.size());
  switch (form.named) {
    case Named::Id: return is_id(folder) ? std::optional(std::string(folder.substr(0, kShortId))) : std::nullopt;
    case Named::Name: return std::string(folder);
    case Named::Unit: return unit_name(folder);
  }
  return std::nullopt;
}

std::string container_folder(std::string_view parent, std::string_view folder) {
  const size_t colon = folder.rfind(':');  // kubepods-....slice:cri-containerd:ID
  if (colon != std::string_view::npos && is_id(folder.substr(colon + 1))) folder.remove_prefix(colon + 1);
  for (const Form& form : kForms)
    if (auto name = name_by(form, parent, folder)) return *name;
  return {};
}

std::string_view last_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view above(std::string_view path) {
  const size_t slash = path.rfind('/');
  return path.substr(0, slash == std::string_view::npos ? 0 : slash);
}

/// The folder of a path, below where `root` is mounted; none: it lies outside.
std::optional<std::string> folder_of(const std::string& mount, std::string_view root, std::string_view path) {
  if (root == "/") return mount + std::string(path);
  if (!path.starts_with(root)) return std::nullopt;
  path.remove_prefix(root.size());
  return path.empty() || path.front() == '/' ? std::optional(mount + std::string(path)) : std::nullopt;
}

const std::optional<Mount>& hierarchy() {
  static const std::optional<Mount> mount = mount_of_type("cgroup2");
  return mount;
}

}  // namespace

std::string cgroup_in(std::string_view text) {
  constexpr std::string_view kUnified = "0::", kGone = " (deleted)";
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with(kUnified)) continue;
    line.remove_prefix(kUnified.size());
    if (line.ends_with(kGone)) line.remove_suffix(kGone.size());
    return std::string(line);
  }
  return {};
}

uint64_t cgroup_id_of(std::string_view text) {
  const std::string path = cgroup_in(text);
  const auto& mount = hierarchy();
  if (path.empty() || !mount) return 0;
  const auto folder = folder_of(mount->point, mount->root, path);
  return folder ? inode_of(*folder) : 0;
}

std::string container_in(std::string_view path) {
  for (; !path.empty(); path = above(path)) {
    std::string name = container_folder(last_of(above(path)), last_of(path));
    if (!name.empty()) return name;
  }
  return {};
}

bool lies_in(std::string path, const std::string& pattern) {
  for (; !path.empty(); path = above(path))
    if (fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME) == 0) return true;
  return pattern == "/";
}

Cgroups::Cgroups(std::string folder, std::string root) : folder_(std::move(folder)), root_(std::move(root)) {}

Cgroups& Cgroups::of_machine() {
  static Cgroups cgroups = hierarchy() ? Cgroups(hierarchy()->point, hierarchy()->root) : Cgroups("");
  return cgroups;
}

void Cgroups::add_folder(const std::string& folder) {
  const std::string below = folder.substr(folder_.size());
  const std::string path = root_ == "/" ? below : root_ + below;
  if (const uint64_t id = inode_of(folder); id != 0) paths_[id] = path.empty() ? "/" : path;
}

void Cgroups::read() {
  if (!is_mounted()) return;
  std::vector<std::string> left = {folder_};
  while (!left.empty()) {
    const std::string folder = std::move(left.back());
    left.pop_back();
    add_folder(folder);
    DIR* listing = opendir(folder.c_str());
    while (const dirent* entry = listing != nullptr ? readdir(listing) : nullptr) {
      const std::string_view name = entry->d_name;
      if (entry->d_type == DT_DIR && name != "." && name != "..") left.push_back(folder + "/" + entry->d_name);
    }
    if (listing != nullptr) closedir(listing);
  }
}

void Cgroups::read_once() {
  if (paths_.empty()) read();
}

const std::string& Cgroups::path_of(uint64_t id) {
  const auto known = paths_.find(id);
  if (known != paths_.end()) return known->second;
  if (id != 0) read();
  return paths_[id];
}

const std::string& Cgroups::container_of(uint64_t id) {
  const auto [at, fresh] = containers_.try_emplace(id);
  if (fresh) at->second = container_in(path_of(id));
  return at->second;
}

uint64_t Cgroups::id_of(std::string_view path) const {
  const auto folder = is_mounted() ? folder_of(folder_, root_, path) : std::nullopt;
  return folder ? inode_of(*folder) : 0;
}

}  // namespace sonde
