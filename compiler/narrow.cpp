// SPDX-License-Identifier: GPL-3.0-or-later
// --cgroup and --container as predicates
//
//   a path, an id, a container --> ids of the cgroups there and below --> __cgroupid == 71 || __cgroupid == 94 ...
//   a pattern, or many of them ------------------------------------------> __in_cgroup(__cgroupid, "/user.slice/*")
//
// Comparisons with ids are decided where the probe fires, so on the machine's sources what lies elsewhere costs no record,
// and self-> variables stay where they are without the option. The price: cgroups that are made later are not among the
// ids. A pattern is decided in sonde, for each record, and finds them.
#include "compiler/narrow.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <set>
#include <vector>

#include "runtime/base/suggest.h"
#include "runtime/process/cgroups.h"

namespace sonde {
namespace {

constexpr size_t kShortId = 12;
constexpr size_t kMostIds = 64;  ///< that are compared where the probe fires

bool is_pattern(const std::string& text) { return text.find_first_of("*?[") != std::string::npos; }

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

using Wanted = std::function<bool(uint64_t id, const std::string& path)>;

std::vector<uint64_t> ids_of(const Cgroups& cgroups, const Wanted& wanted) {
  std::vector<uint64_t> ids;
  for (const auto& [id, path] : cgroups.paths())
    if (!path.empty() && wanted(id, path)) ids.push_back(id);
  std::ranges::sort(ids);
  return ids;
}

std::string one_of(const std::vector<uint64_t>& ids) {
  std::string text;
  for (const uint64_t id : ids) text += (text.empty() ? "" : " || ") + ("__cgroupid == " + std::to_string(id));
  return text;
}

Error no_hierarchy(const char* option) {
  return Error(std::string("--") + option +
               ": no cgroup2 hierarchy is mounted here\n    mount -t cgroup2 none /sys/fs/cgroup");
}

Error no_cgroup(const Cgroups& cgroups, const std::string& text) {
  Suggestion near(text);
  for (const auto& [id, path] : cgroups.paths()) near.offer(path);
  const std::string hint = near.hint();
  return Error("no cgroup '" + text + "'\n    " +
               (hint.empty() ? "systemd-cgls lists them; a path begins with /" : hint));
}

Error no_container(Cgroups& cgroups, const std::string& name) {
  std::set<std::string> names;
  for (const auto& [id, path] : cgroups.paths())
    if (std::string one = container_in(path); !one.empty()) names.insert(std::move(one));
  std::string all;
  for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one;
  return Error("no container '" + name + "'\n    " + (all.empty() ? "no container runs here" : "there are: " + all));
}

Result<std::string> by_cgroup(const std::string& text, const Cgroups& cgroups) {
  std::string path = text;
  uint64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error == std::errc() && end == text.data() + text.size()) {
    const auto known = cgroups.paths().find(id);
    if (known == cgroups.paths().end()) return no_cgroup(cgroups, text);
    path = known->second;
  }
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (path == "/") return std::string("__cgroupid != 0");
  const bool by_pattern = is_pattern(path) && cgroups.id_of(path) == 0;
  const std::vector<uint64_t> ids = ids_of(cgroups, [&](uint64_t, const std::string& one) {
    return by_pattern ? lies_in(one, path) : one == path || one.starts_with(path + "/");
  });
  if (ids.empty()) return no_cgroup(cgroups, text);
  return by_pattern || ids.size() > kMostIds ? "__in_cgroup(__cgroupid, " + quoted(path) + ")" : one_of(ids);
}

/// Whether the path is that of a container with this name, or whose id begins so.
bool is_container(const std::string& path, const std::string& name) {
  const std::string container = container_in(path);
  if (container.empty() || container == name) return !container.empty();
  const bool has_id =
      container.size() == kShortId && container.find_first_not_of("0123456789abcdef") == std::string::npos;
  const bool longer = name.starts_with(container) && path.find(name) != std::string::npos;
  return has_id && (longer || container.starts_with(name));
}

Result<std::string> by_container(const std::string& name, Cgroups& cgroups) {
  const std::vector<uint64_t> ids =
      ids_of(cgroups, [&name](uint64_t, const std::string& path) { return is_container(path, name); });
  if (ids.empty()) return no_container(cgroups, name);
  if (ids.size() > kMostIds)
    return Error("container '" + name + "' has more than " + std::to_string(kMostIds) +
                 " cgroups: name one by --cgroup");
  return one_of(ids);
}

}  // namespace

Result<std::string> narrowing(const Options& options) {
  const std::string &cgroup = options.text("cgroup"), &container = options.text("container");
  if (cgroup.empty() && container.empty()) return std::string();
  Cgroups& cgroups = Cgroups::of_machine();
  if (!cgroups.is_mounted()) return no_hierarchy(cgroup.empty() ? "container" : "cgroup");
  cgroups.read();
  Result<std::string> a = cgroup.empty() ? std::string() : by_cgroup(cgroup, cgroups);
  if (!a) return a;
  Result<std::string> b = container.empty() ? std::string() : by_container(container, cgroups);
  if (!b) return b;
  if (a->empty() || b->empty()) return *a + *b;
  return "(" + *a + ") && (" + *b + ")";
}

}  // namespace sonde
