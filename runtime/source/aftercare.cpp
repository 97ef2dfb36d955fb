// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/source/aftercare.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "runtime/base/procfs.h"
#include "runtime/base/unique_fd.h"
#include "runtime/process/descendants.h"
#include "runtime/process/proc_maps.h"
#include "runtime/utrace/arch.h"
#include "runtime/utrace/thread_status.h"

namespace sonde {
namespace {

constexpr uint64_t kPageBytes = 4096, kOfFile = uint64_t{1} << 61, kPresent = uint64_t{1} << 63;  // pagemap's bits

/// A process whose memory can be written.
struct Patient {
  uint32_t pid;
  std::vector<MapEntry> maps;
  UniqueFd memory, pages;
};

bool is_traced(uint32_t pid) {
  ThreadStatus status;
  return !read_status(static_cast<pid_t>(pid), &status) || status.tracer != 0;
}

size_t page_at(const UniqueFd& fd, uint64_t offset, std::array<uint8_t, kPageBytes>& page) {
  const ssize_t got = pread(fd.get(), page.data(), page.size(), static_cast<off_t>(offset));
  return got > 0 ? static_cast<size_t>(got) : 0;
}

/// Puts the file's bytes back in one page. Returns how many breakpoints there were.
size_t heal_page(const Patient& patient, uint64_t address, const UniqueFd& file, uint64_t offset) {
  std::array<uint8_t, kPageBytes> now{}, was{};
  const size_t length = std::min(page_at(patient.memory, address, now), page_at(file, offset, was));
  size_t healed = 0;
  for (size_t at = 0; at + sizeof machine::kBreakpoint <= length; at++) {
    const bool ours = std::memcmp(&now[at], &machine::kBreakpoint, sizeof machine::kBreakpoint) == 0 &&
                      std::memcmp(&was[at], &machine::kBreakpoint, sizeof machine::kBreakpoint) != 0;
    if (ours && pwrite(patient.memory.get(), &was[at], sizeof machine::kBreakpoint, static_cast<off_t>(address + at)) ==
                    static_cast<ssize_t>(sizeof machine::kBreakpoint))
      healed++;
  }
  return healed;
}

/// Only pages that are the process's own: those it shares with the file have no breakpoint.
size_t heal_text(const Patient& patient, const MapEntry& text) {
  const auto path = file_of(patient.pid, text);
  const UniqueFd file(path ? open(path->c_str(), O_RDONLY | O_CLOEXEC) : -1);
  if (!file) return 0;
  std::vector<uint64_t> pages((text.end - text.start) / kPageBytes);
  const ssize_t got = pread(patient.pages.get(), pages.data(), pages.size() * sizeof(uint64_t),
                            static_cast<off_t>(text.start / kPageBytes * sizeof(uint64_t)));
  size_t healed = 0;
  for (size_t n = 0; got > 0 && n < static_cast<size_t>(got) / sizeof(uint64_t); n++)
    if ((pages[n] & kPresent) != 0 && (pages[n] & kOfFile) == 0)
      healed += heal_page(patient, text.start + n * kPageBytes, file, text.offset + n * kPageBytes);
  return healed;
}

/// False: it is 0 already, or cannot be written.
bool count_down(const Patient& patient, uint64_t address) {
  uint16_t value = 0;
  const auto at = static_cast<off_t>(address);
  if (pread(patient.memory.get(), &value, sizeof value, at) != sizeof value || value == 0) return false;
  value--;
  return pwrite(patient.memory.get(), &value, sizeof value, at) == sizeof value;
}

/// Of a counter; 0: the file is not mapped so. Segments that share a page of the file map it twice: it is in the last one.
uint64_t address_of(const std::vector<MapEntry>& maps, const FileId& file, uint64_t offset) {
  uint64_t last = 0;
  for (const MapEntry& one : maps)
    if (file.inode != 0 && one.file == file && one.writable && !one.shared && offset >= one.offset &&
        offset - one.offset < one.end - one.start)
      last = one.start + (offset - one.offset);
  return last;
}

/// In the kernel's clock ticks; 0: there is no such process.
uint64_t start_of(uint32_t pid) {
  char text[1024];
  const std::string path = proc_folder(static_cast<pid_t>(pid)) + "/stat";
  if (read_proc(path.c_str(), text, sizeof text) <= 0) return 0;
  const char* start = stat_field(text, 22);
  return start == nullptr ? 0 : std::strtoull(start, nullptr, 10);
}

std::string number_of(size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

void Aftercare::note_target(uint32_t pid) { targets_.emplace(pid, start_of(pid)); }

void Aftercare::note_armed(std::span<const Tap> taps) {
  std::map<std::string, FileId> numbers;
  for (const Tap& tap : taps) {
    if (tap.counters.empty()) continue;
    const auto [number, fresh] = numbers.try_emplace(tap.path);
    if (fresh) number->second = shown_number(tap.path);
    for (const uint64_t offset : tap.counters)
      counters_[tap.id.value].push_back({number->second, offset, tap.pid, tap.forks});
  }
}

void Aftercare::note_disarmed(std::span<const TapId> taps) {
  for (const TapId tap : taps) counters_.erase(tap.value);
}

std::string Aftercare::take_back() {
  if (std::exchange(done_, true)) return "";
  std::map<uint32_t, uint32_t> pids;  // each with the target that it descends from
  for (const auto& [pid, began] : targets_)
    if (start_of(pid) == began) pids.emplace(pid, pid);
  for (const auto& [pid, target] : std::map(pids))
    for (const uint32_t child : descendants_of(pid)) pids.emplace(child, target);
  std::set<Counter> counters;
  for (const auto& [tap, list] : counters_) counters.insert(list.begin(), list.end());
  size_t breakpoints = 0, lowered = 0;
  for (const auto& [pid, target] : pids) {
    auto maps = read_proc_maps(pid);
    if (!maps || is_traced(pid)) continue;
    const auto of_uprobes = [](const MapEntry& one) { return one.path.starts_with("[uprobes"); };
    const std::string folder = proc_folder(static_cast<pid_t>(pid));
    const Patient patient{pid, std::move(*maps), UniqueFd(open((folder + "/mem").c_str(), O_RDWR | O_CLOEXEC)),
                          UniqueFd(open((folder + "/pagemap").c_str(), O_RDONLY | O_CLOEXEC))};
    if (!patient.memory || !patient.pages) continue;
    if (std::ranges::any_of(patient.maps, of_uprobes)) continue;
    for (const MapEntry& entry : patient.maps)
      if (entry.is_file() && !entry.shared && entry.executable) breakpoints += heal_text(patient, entry);
    for (const Counter& one : counters) {
      if (one.pid != 0 && one.pid != pid && !(one.forks && one.pid == target)) continue;
      if (const uint64_t address = address_of(patient.maps, one.file, one.offset); address != 0)
        if (count_down(patient, address)) lowered++;
    }
  }
  if (breakpoints == 0 && lowered == 0) return "";
  return "what it left behind is taken back: " + number_of(breakpoints, "breakpoint") + ", " +
         number_of(lowered, "counter");
}

}  // namespace sonde
