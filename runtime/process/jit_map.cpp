// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/jit_map.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <map>

#include "runtime/base/unique_fd.h"

namespace sonde {
namespace {

constexpr off_t kMaxBytes = 64 << 20;
constexpr size_t kLongestName = 512;

bool take_hex(std::string_view& line, uint64_t& value) {
  if (line.starts_with("0x")) line.remove_prefix(2);
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value, 16);
  if (error != std::errc() || end == line.data() + line.size() || *end != ' ') return false;
  line.remove_prefix(static_cast<size_t>(end - line.data()) + 1);
  return true;
}

/// Whoever owns the process may say what its code is called.
bool may_speak_for(uint32_t pid, uid_t writer) {
  struct stat process {};
  return writer == 0 || (stat(("/proc/" + std::to_string(pid)).c_str(), &process) == 0 && process.st_uid == writer);
}

}  // namespace

JitMap JitMap::parse(std::string_view text) {
  std::map<uint64_t, JitFunction> all;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    JitFunction function{};
    if (!take_hex(line, function.address) || !take_hex(line, function.size) || line.empty() || function.size == 0)
      continue;
    if (function.address + function.size < function.address) continue;
    function.name = line.substr(0, kLongestName);
    auto begin = all.lower_bound(function.address);
    if (begin != all.begin() && std::prev(begin)->first + std::prev(begin)->second.size > function.address) --begin;
    all.erase(begin, all.lower_bound(function.address + function.size));
    all.emplace(function.address, std::move(function));
  }
  JitMap map;
  for (auto& [address, function] : all) map.functions_.push_back(std::move(function));
  return map;
}

std::shared_ptr<const JitMap> JitMap::read(uint32_t pid, const JitMap* old) {
  const std::string path = "/tmp/perf-" + std::to_string(pid) + ".map";
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!fd || fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > kMaxBytes) return nullptr;
  const auto size = static_cast<uint64_t>(status.st_size);
  if ((old != nullptr && old->file_size_ == size) || !may_speak_for(pid, status.st_uid)) return nullptr;
  std::string text(size, '\0');
  const ssize_t got = pread(fd.get(), text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  auto map = std::make_shared<JitMap>(parse(text));
  map->file_size_ = size;
  return map;
}

const JitFunction* JitMap::at(uint64_t address) const {
  size_t low = 0, high = functions_.size();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (functions_[middle].address <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0 || address - functions_[low - 1].address >= functions_[low - 1].size) return nullptr;
  return &functions_[low - 1];
}

}  // namespace sonde
