// SPDX-License-Identifier: GPL-3.0-or-later
// The file is untrusted: any user can create a name in /tmp, and a traced program can write what it likes. So it is
// opened inside the process's own root without magic links, it must be a regular file of the process's owner or of
// root, and its bytes, lines, names and functions are limited. A file with a megabyte without a newline is not a map,
// and not read again.
//
//   /tmp/perf-PID.map:  | read and parsed: read_ | new lines | a line that is being written |
//
// Only whole lines are consumed, so read_ is always at the start of a line, where the next update() continues. A
// runtime frees code and reuses its memory: functions that a new one overlaps are forgotten.
#include "runtime/process/jit_map.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>

namespace sonde {
namespace {

constexpr off_t kMostRead = 64 << 20;
constexpr size_t kChunk = 1 << 20;
constexpr size_t kLongestName = 512;
constexpr size_t kMostFunctions = 1'000'000;

bool take_hex(std::string_view& line, uint64_t& value) {
  if (line.starts_with("0x")) line.remove_prefix(2);
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value, 16);
  const auto digits = static_cast<size_t>(end - line.data());
  if (error != std::errc() || digits == 0 || digits == line.size() || *end != ' ') return false;
  line.remove_prefix(digits + 1);
  return true;
}

/// The last number in a line of /proc/PID/status. None: there is no such line.
std::optional<uint32_t> last_number(std::string_view status, std::string_view title) {
  const size_t at = status.find(title);
  if (at == status.npos) return std::nullopt;
  const std::string_view line = status.substr(at, status.find('\n', at + title.size()) - at);
  const size_t digits = line.find_last_not_of("0123456789") + 1;
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(line.data() + digits, line.data() + line.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

uint32_t sum_of_text(std::span<const uint8_t> bytes) {
  return static_cast<uint32_t>(crc32_z(0, bytes.data(), bytes.size()));
}

std::optional<JitMapPlace> JitMapPlace::of(uint32_t pid, bool own_root) {
  const std::string proc = "/proc/" + std::to_string(pid);
  const UniqueFd file(open((proc + "/status").c_str(), O_RDONLY | O_CLOEXEC));
  char text[4096];
  const ssize_t got = file ? read(file.get(), text, sizeof text) : 0;
  const std::string_view status(text, static_cast<size_t>(std::max<ssize_t>(got, 0)));
  const auto number = last_number(status, "\nNSpid:"), owner = last_number(status, "\nUid:");
  if (!number || !owner) return std::nullopt;
  JitMapPlace place{"perf-" + std::to_string(*number) + ".map", *owner, nullptr};
  if (own_root)
    place.root = std::make_shared<UniqueFd>(open((proc + "/root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return place;
}

/// Links cannot lead out of the process's root. The owner must be the process's, or root.
bool JitMap::open_file() {
  if (file_) return true;
  const UniqueFd ours(place_.root ? -1 : open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const int root = place_.root ? place_.root->get() : ours.get();
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const std::string path = "tmp/" + place_.name;
  UniqueFd file(static_cast<int>(syscall(SYS_openat2, root, path.c_str(), &how, sizeof how)));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  if (status.st_uid != 0 && status.st_uid != place_.owner) return false;
  file_ = std::move(file);
  return true;
}

bool JitMap::update() {
  struct stat status {};
  if (no_map_ || !open_file() || fstat(file_.get(), &status) != 0) return false;
  if (status.st_size < read_) {  // it was truncated: start again
    functions_.clear();
    read_ = 0;
  }
  const off_t before = read_;
  std::string chunk;
  while (read_ < std::min(status.st_size, kMostRead)) {
    chunk.resize(kChunk);
    const ssize_t got = pread(file_.get(), chunk.data(), chunk.size(), read_);
    const size_t used = got > 0 ? add({chunk.data(), static_cast<size_t>(got)}) : 0;
    no_map_ = used == 0 && got == static_cast<ssize_t>(kChunk);
    if (used == 0) break;  // a line that is being written
    read_ += static_cast<off_t>(used);
  }
  return read_ != before;
}

size_t JitMap::add(std::string_view text) {
  const size_t whole = text.rfind('\n') + 1;
  for (text = text.substr(0, whole); !text.empty() && functions_.size() < kMostFunctions;) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + 1);
    JitFunction function;
    if (!take_hex(line, function.address) || !take_hex(line, function.size) || line.empty() || function.size == 0)
      continue;
    if (function.address + function.size < function.address) continue;
    function.name = line.substr(0, kLongestName);
    auto begin = functions_.lower_bound(function.address);
    if (begin != functions_.begin() && std::prev(begin)->first + std::prev(begin)->second.size > function.address)
      --begin;
    functions_.erase(begin, functions_.lower_bound(function.address + function.size));
    functions_.emplace(function.address, std::move(function));
  }
  return whole;
}

const JitFunction* JitMap::at(uint64_t address) const {
  const auto next = functions_.upper_bound(address);
  if (next == functions_.begin()) return nullptr;
  const JitFunction& function = std::prev(next)->second;
  return address - function.address < function.size ? &function : nullptr;
}

}  // namespace sonde
