// SPDX-License-Identifier: GPL-3.0-or-later
// The position of a CPU in the machine, from sysfs. If sysfs does not have it, package and node are 0.
#include <dirent.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "runtime/body/subroutines.h"

namespace sonde {
namespace {

struct Seat {
  uint64_t package = 0, node = 0;
};

/// The n of a link "node<n>" in the CPU's folder.
uint64_t node_of(const std::string& folder) {
  uint64_t node = 0;
  DIR* listing = opendir(folder.c_str());
  while (const dirent* entry = listing != nullptr ? readdir(listing) : nullptr) {
    const std::string_view name = entry->d_name;
    if (name.starts_with("node")) std::from_chars(name.data() + 4, name.data() + name.size(), node);
  }
  if (listing != nullptr) closedir(listing);
  return node;
}

const Seat& seat_of(uint64_t cpu) {
  static std::map<uint64_t, Seat> known;
  auto [at, fresh] = known.try_emplace(cpu);
  if (!fresh) return at->second;
  const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
  int64_t package = 0;
  std::ifstream(folder + "/topology/physical_package_id") >> package;
  at->second = {package > 0 ? static_cast<uint64_t>(package) : 0, node_of(folder)};
  return at->second;
}

}  // namespace

extern "C" {

uint64_t sonde_fn___cpu_package(BodyContext*, uint32_t, const uint64_t* argv) { return seat_of(argv[0]).package; }
/// It is never freed, because clauses may keep pointers to it.
uint64_t sonde_fn___cpuinfo(BodyContext*, uint32_t, const uint64_t* argv) {
  struct CpuInfo {  // cpuinfo_t of compiler/library
    int32_t id, set, chip, group;
  };
  static auto* const known = new std::map<uint64_t, CpuInfo>;
  auto [at, fresh] = known->try_emplace(argv[0]);
  if (fresh) {
    const Seat& seat = seat_of(argv[0]);
    at->second = {static_cast<int32_t>(argv[0]), 0, static_cast<int32_t>(seat.package),
                  static_cast<int32_t>(seat.node)};
    register_constant_range(&at->second, sizeof at->second);
  }
  return reinterpret_cast<uint64_t>(&at->second);
}

uint64_t sonde_fn___cpu_node(BodyContext*, uint32_t, const uint64_t* argv) { return seat_of(argv[0]).node; }

}  // extern "C"

}  // namespace sonde
