// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/session/descendants.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include <unistd.h>

namespace sonde {
namespace {

/// 0: the process is gone.
uint32_t parent_of(uint32_t pid) {
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "re"),
                                             std::fclose);
  char text[512];
  const size_t got = file ? std::fread(text, 1, sizeof text - 1, file.get()) : 0;
  text[got] = '\0';
  const char* after_name = std::strrchr(text, ')');
  char state = 0;
  unsigned parent = 0;
  if (after_name == nullptr || std::sscanf(after_name, ") %c %u", &state, &parent) != 2) return 0;
  return state == 'Z' ? 0 : parent;
}

}  // namespace

std::vector<uint32_t> descendants_of(uint32_t pid) {
  std::multimap<uint32_t, uint32_t> children;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    uint32_t number = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), number).ptr != name.data() + name.size()) continue;
    if (const uint32_t parent = parent_of(number); parent != 0) children.emplace(parent, number);
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
