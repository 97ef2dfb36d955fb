// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/run_time_code.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace sonde::pid {

bool RunTimeCode::update() {
  if (!map_) {
    auto place = JitMapPlace::of(pid_, has_own_root(pid_));
    if (!place) return false;
    map_.emplace(std::move(*place));
  }
  map_->update();
  if (map_->functions().empty()) return false;
  if (!memory_) memory_.reset(open(("/proc/" + std::to_string(pid_) + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
  code_.clear();
  if (auto maps = read_proc_maps(pid_))
    std::ranges::copy_if(*maps, std::back_inserter(code_),
                         [](const MapEntry& entry) { return entry.executable && entry.path.empty(); });
  return true;
}

std::optional<Text> RunTimeCode::text_of(const JitFunction& function) {
  constexpr uint64_t kMost = 4096;  // bytes that are compared
  const auto holds = [&](const MapEntry& entry) {
    return function.address >= entry.start && function.address < entry.end;
  };
  const auto area = std::ranges::find_if(code_, holds);
  if (area == code_.end()) return std::nullopt;
  std::vector<uint8_t> bytes(std::min({function.size, kMost, area->end - function.address}));
  const ssize_t got = pread(memory_.get(), bytes.data(), bytes.size(), static_cast<off_t>(function.address));
  if (got != static_cast<ssize_t>(bytes.size())) return std::nullopt;
  return Text{static_cast<uint32_t>(bytes.size()), sum_of_text(bytes)};
}

const ElfFunction* RunTimeCode::keep(const JitFunction& function) {
  ElfFunction made;
  made.name = function.name;
  made.address = made.offset = function.address;
  made.size = function.size;
  made.limit = function.address + function.size;
  return &kept_.try_emplace({function.address, function.name}, std::move(made)).first->second;
}

}  // namespace sonde::pid
