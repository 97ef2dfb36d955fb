// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/source/mapping_history.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <ranges>
#include <utility>

#include "runtime/base/page.h"
#include "runtime/base/procfs.h"
#include "runtime/process/elf_headers.h"

namespace sonde {
namespace {

constexpr size_t kMostEnded = 4096, kMostFiles = 512;  ///< that are remembered
constexpr size_t kMostCovered = 256;                   ///< mappings of a program that later ones cover
constexpr Nanoseconds kStill = std::numeric_limits<Nanoseconds>::max();
constexpr Nanoseconds kAfterwards = 1'000'000'000;  ///< an ending process may have a record that is later than its end

/// Whether the path leads here to the file that the process had there, perhaps below another root. Of a file system that
/// numbers its files anew, as overlayfs, the device is another one.
bool leads_to_same(const bpf::NewMapping& mapping) {
  struct stat found {};
  if (stat(mapping.path.c_str(), &found) != 0 || found.st_ino != mapping.inode) return false;
  return major(found.st_dev) == 0 || (major(found.st_dev) == mapping.major && minor(found.st_dev) == mapping.minor);
}

uint64_t page_of(uint64_t address) { return address & kPageMask; }

/// Addresses in which something is mapped.
class Covered {
 public:
  /// Adds them; returns whether all of them were there.
  bool add(uint64_t start, uint64_t end) {
    auto at = ends_.upper_bound(start);
    if (at != ends_.begin() && std::prev(at)->second >= start) --at;
    if (at != ends_.end() && at->first <= start && at->second >= end) return true;
    while (at != ends_.end() && at->first <= end) {
      start = std::min(start, at->first);
      end = std::max(end, at->second);
      at = ends_.erase(at);
    }
    ends_.emplace(start, end);
    return false;
  }

 private:
  std::map<uint64_t, uint64_t> ends_;  ///< by start
};

/// Leaves out what later mappings cover, but for the last of these.
std::vector<bpf::NewMapping> without_covered(std::vector<bpf::NewMapping> all) {
  Covered later;
  size_t covered = 0;
  std::vector<bpf::NewMapping> kept;
  for (bpf::NewMapping& one : all | std::views::reverse)
    if (!later.add(one.address, one.address + one.bytes) || ++covered <= kMostCovered) kept.push_back(std::move(one));
  std::ranges::reverse(kept);
  return kept;
}

}  // namespace

void MappingHistory::note(const bpf::ProcessEvent& event) {
  if (const auto* mapping = std::get_if<bpf::NewMapping>(&event)) {
    // Of a program that began before we listened /proc knows all, as long as it runs.
    parents_.erase(mapping->pid);
    const auto known = runs_.find(mapping->pid);
    if (known != runs_.end() && known->second.back().until == kStill) add(known->second.back(), *mapping);
  } else if (const auto* born = std::get_if<bpf::NewProcess>(&event)) {
    if (runs_.contains(born->pid)) end(born->pid, born->time);  // its end was lost
    inherit(begin(born->pid, born->time), *born);
  } else if (const auto* program = std::get_if<bpf::NewProgram>(&event)) {
    end(program->pid, program->time);
    begin(program->pid, program->time);
  } else if (const auto* gone = std::get_if<bpf::ProcessEnd>(&event)) {
    end(gone->pid, gone->time);
  }
}

void MappingHistory::note_lost(Nanoseconds time) {
  for (const auto& [pid, runs] : runs_)
    if (runs.back().until == kStill && has_ended(pid)) end(pid, time);
}

MappingHistory::Run& MappingHistory::begin(uint32_t pid, Nanoseconds time) {
  return runs_[pid].emplace_back(Run{++last_, time, kStill, nullptr, nullptr, 2 * kMostCovered});
}

/// Of a program that began before we listened only its end is known.
void MappingHistory::end(uint32_t pid, Nanoseconds time) {
  parents_.erase(pid);
  std::vector<Run>& runs = runs_[pid];
  if (runs.empty()) runs.push_back({0, 0, kStill, nullptr, nullptr, 0});
  if (runs.back().until != kStill) return;
  runs.back().until = time;
  ended_.push_back(pid);
  if (ended_.size() > kMostEnded) forget_oldest();
}

void MappingHistory::forget_oldest() {
  const auto oldest = runs_.find(ended_.front());
  ended_.pop_front();
  oldest->second.erase(oldest->second.begin());
  if (oldest->second.empty()) runs_.erase(oldest);
}

/// The end of a process's first thread is told as the process's: other threads may run on.
void MappingHistory::forget_before(Nanoseconds time) {
  std::vector<uint32_t> living;
  while (!ended_.empty()) {
    const uint32_t pid = ended_.front();
    const std::vector<Run>& runs = runs_.at(pid);
    if (runs.front().until + kAfterwards >= time) break;
    if (runs.size() > 1 || has_ended(pid)) {
      forget_oldest();
    } else {
      living.push_back(pid);
      ended_.pop_front();
    }
  }
  ended_.insert(ended_.begin(), living.begin(), living.end());
}

bool MappingHistory::knows(uint32_t pid, uint64_t number) const {
  const auto known = runs_.find(pid);
  if (known == runs_.end()) return number == 0;
  return std::ranges::find(known->second, number, &Run::number) != known->second.end();
}

MappingHistory::Kept MappingHistory::kept() const {
  Kept all;
  for (const auto& [pid, runs] : runs_) {
    all.programs += runs.size();
    for (const Run& run : runs) all.mappings += run.mappings == nullptr ? 0 : run.mappings->size();
  }
  return all;
}

void MappingHistory::add(Run& run, const bpf::NewMapping& mapping) {
  if (run.mappings == nullptr)
    run.mappings = std::make_shared<News>();
  else if (run.mappings.use_count() > 1)
    run.mappings = std::make_shared<News>(*run.mappings);
  run.mappings->push_back(mapping);
  if (run.mappings->size() < run.drop_at) return;
  *run.mappings = without_covered(std::move(*run.mappings));
  run.drop_at = 2 * std::max(run.mappings->size(), kMostCovered);
}

void MappingHistory::inherit(Run& run, const bpf::NewProcess& born) {
  if (const Run* parent = find(born.parent, born.time); parent != nullptr && parent->number != 0) {
    run.mappings = parent->mappings;
    run.inherited = parent->inherited;
    run.drop_at = parent->drop_at;
  } else {
    std::shared_ptr<const Objects>& shown = parents_[born.parent];
    if (shown == nullptr) shown = std::make_shared<Objects>(guard::read_mappings(static_cast<pid_t>(born.parent)));
    run.inherited = shown;
  }
}

const MappingHistory::Run* MappingHistory::find(uint32_t pid, Nanoseconds time) const {
  const auto known = runs_.find(pid);
  if (known == runs_.end()) return nullptr;
  const auto after = std::ranges::upper_bound(known->second, time, {}, &Run::from);
  return after == known->second.begin() ? nullptr : &*std::prev(after);
}

MappingHistory::Program MappingHistory::at(uint32_t pid, Nanoseconds time) const {
  const Run* run = find(pid, time);
  if (run == nullptr) return {0, runs_.contains(pid)};
  return {run->number, run->until != kStill, run->until != kStill ? count_until(*run, time) : 0};
}

/// Of the run's own mappings.
size_t MappingHistory::count_until(const Run& run, Nanoseconds time) {
  if (run.mappings == nullptr) return 0;
  const auto after = std::ranges::upper_bound(*run.mappings, time, {}, &bpf::NewMapping::time);
  return static_cast<size_t>(after - run.mappings->begin());
}

std::vector<guard::Mapping> MappingHistory::objects_at(uint32_t pid, Nanoseconds time) {
  const Run* run = find(pid, time);
  if (run == nullptr) return {};
  std::vector<guard::Mapping> objects = run->inherited != nullptr ? *run->inherited : Objects();
  for (size_t i = 0, count = count_until(*run, time); i < count; i++) add_parts(objects, (*run->mappings)[i]);
  std::ranges::sort(objects, {}, &guard::Mapping::start);
  return objects;
}

const MappingHistory::File& MappingHistory::file_of(const bpf::NewMapping& mapping) {
  if (files_.size() >= kMostFiles) files_.clear();
  auto [known, is_new] = files_.try_emplace({mapping.major, mapping.minor, mapping.inode});
  File& file = known->second;
  if (!is_new || !leads_to_same(mapping)) return file;
  file.shown = shown_number(mapping.path);
  const auto headers = ElfHeaders::read(mapping.path);
  for (const Elf64_Phdr& one : headers ? headers->segments() : std::vector<Elf64_Phdr>())
    if (one.p_type == PT_LOAD && (one.p_flags & PF_W) == 0) file.parts.push_back(one);
  return file;
}

/// Those of its file that are loaded beside the mapping; what was there before has gone.
void MappingHistory::add_parts(std::vector<guard::Mapping>& objects, const bpf::NewMapping& mapping) {
  const File& file = file_of(mapping);
  const auto is_mapped = [&mapping](const Elf64_Phdr& part) {
    return (part.p_flags & PF_X) != 0 && mapping.offset >= page_of(part.p_offset) &&
           mapping.offset < part.p_offset + part.p_filesz;
  };
  const auto text = std::ranges::find_if(file.parts, is_mapped);
  if (text == file.parts.end()) return;
  const uint64_t bias = mapping.address - page_of(text->p_vaddr) - (mapping.offset - page_of(text->p_offset));
  for (const Elf64_Phdr& part : file.parts) {
    const uint64_t start = bias + page_of(part.p_vaddr);
    const uint64_t end = page_of(bias + part.p_vaddr + part.p_filesz + kPage - 1);
    std::erase_if(objects, [&](const guard::Mapping& old) { return old.start < end && start < old.end; });
    objects.push_back({start, end, page_of(part.p_offset), file.shown.major, file.shown.minor, file.shown.inode,
                       (part.p_flags & PF_X) != 0, false, false, mapping.path});
  }
}

}  // namespace sonde
