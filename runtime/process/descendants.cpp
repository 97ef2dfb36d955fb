// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/descendants.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "runtime/base/procfs.h"

namespace sonde {
namespace {

/// 0: the process has ended.
uint32_t parent_of_living(uint32_t pid) {
  char text[1024];
  if (read_proc(("/proc/" + std::to_string(pid) + "/stat").c_str(), text, sizeof text) <= 0) return 0;
  const char *state = stat_field(text, 3), *parent = stat_field(text, 4);
  return parent == nullptr || *state == 'Z' ? 0 : static_cast<uint32_t>(std::strtoul(parent, nullptr, 10));
}

}  // namespace

std::vector<uint32_t> descendants_of(uint32_t pid) {
  std::multimap<uint32_t, uint32_t> children;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    uint32_t number = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), number).ptr != name.data() + name.size()) continue;
    if (const uint32_t parent = parent_of_living(number); parent != 0) children.emplace(parent, number);
  }
  const auto own = static_cast<uint32_t>(::getpid());
  std::vector<uint32_t> found{pid};
  for (size_t i = 0; i < found.size(); i++) {
    const auto [first, last] = children.equal_range(found[i]);
    for (auto child = first; child != last; ++child)
      if (child->second != own) found.push_back(child->second);
  }
  found.erase(found.begin());
  return found;
}

}  // namespace sonde
