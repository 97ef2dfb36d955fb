// SPDX-License-Identifier: GPL-3.0-or-later
// Cgroups of the v2 hierarchy: their ids, paths and containers
//
//   id --- inode of the folder, never used again ---> path, as /proc/PID/cgroup has it ---> container
//
// A record has the id alone: it is a word, every source has it, and a key of it can be compared in a kernel. The path is
// looked up when it is wanted. The hierarchy is read when a program that asks for cgroups is enabled, and again for each
// id that is not known then; what was read is kept, so a cgroup that is gone keeps its name. One that came and went
// between two readings has none. We refused to read it at every drain: a host may have thousands of cgroups.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace sonde {

/// The path in the v2 hierarchy, from the text of /proc/PID/cgroup; empty: there is none.
std::string cgroup_in(std::string_view text);

/// The id for that text; 0: the hierarchy is not mounted, or the cgroup is gone.
uint64_t cgroup_id_of(std::string_view text);

/// The container whose cgroup this is or lies below: a short id (12 digits) or a name; empty: none that is known.
std::string container_in(std::string_view path);

/// Whether the path, or that of a cgroup above it, matches the pattern: * ? [...] match within a name.
bool lies_in(std::string path, const std::string& pattern);

class Cgroups {
 public:
  /// `folder`: where the hierarchy is mounted; `root`: the path of the cgroup that is mounted there.
  explicit Cgroups(std::string folder, std::string root = "/");

  /// Those of the machine. Context: the thread that runs bodies.
  static Cgroups& of_machine();

  /// Reads the hierarchy again.
  void read();
  /// Reads it, unless that has been done.
  void read_once();
  bool is_mounted() const { return !folder_.empty(); }
  /// Empty: unknown.
  const std::string& path_of(uint64_t id);
  const std::string& container_of(uint64_t id);
  /// 0: there is no such cgroup, or none that we see.
  uint64_t id_of(std::string_view path) const;
  const std::unordered_map<uint64_t, std::string>& paths() const { return paths_; }

 private:
  void add_folder(const std::string& folder);

  std::string folder_, root_;
  std::unordered_map<uint64_t, std::string> paths_;  ///< empty: looked for, and not found
  std::unordered_map<uint64_t, std::string> containers_;
};

}  // namespace sonde
