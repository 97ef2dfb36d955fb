// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/source/mapping_history.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/base/page.h"
#include "runtime/process/elf_headers.h"

namespace sonde {
namespace {

constexpr size_t kMostEnded = 4096, kMostFiles = 512;  ///< that are remembered
constexpr Nanoseconds kStill = std::numeric_limits<Nanoseconds>::max();

/// Whether the path leads here to the file that the process had there, perhaps below another root. Of a file system that
/// numbers its files anew, as overlayfs, the device is another one.
bool leads_to_same(const bpf::NewMapping& mapping) {
  struct stat found {};
  if (stat(mapping.path.c_str(), &found) != 0 || found.st_ino != mapping.inode) return false;
  return major(found.st_dev) == 0 || (major(found.st_dev) == mapping.major && minor(found.st_dev) == mapping.minor);
}

uint64_t page_of(uint64_t address) { return address & kPageMask; }

}  // namespace

void MappingHistory::note(const bpf::ProcessEvent& event) {
  if (const auto* mapping = std::get_if<bpf::NewMapping>(&event)) {
    // Of a program that began before we listened /proc knows all, as long as it runs.
    const auto known = runs_.find(mapping->pid);
    if (known != runs_.end() && known->second.back().until == kStill) known->second.back().mappings.push_back(*mapping);
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

MappingHistory::Run& MappingHistory::begin(uint32_t pid, Nanoseconds time) {
  return runs_[pid].emplace_back(Run{++last_, time, kStill, {}, {}});
}

/// Of a program that began before we listened only its end is known.
void MappingHistory::end(uint32_t pid, Nanoseconds time) {
  std::deque<Run>& runs = runs_[pid];
  if (runs.empty()) runs.push_back({0, 0, kStill, {}, {}});
  if (runs.back().until != kStill) return;
  runs.back().until = time;
  ended_.push_back(pid);
  if (ended_.size() <= kMostEnded) return;
  const auto oldest = runs_.find(ended_.front());
  ended_.pop_front();
  oldest->second.pop_front();
  if (oldest->second.empty()) runs_.erase(oldest);
}

void MappingHistory::inherit(Run& run, const bpf::NewProcess& born) {
  if (const Run* parent = find(born.parent, born.time); parent != nullptr && parent->number != 0) {
    run.mappings = parent->mappings;
    run.inherited = parent->inherited;
  } else {
    run.inherited = guard::read_mappings(static_cast<pid_t>(born.parent));
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
  if (run != nullptr) return {run->number, run->until != kStill};
  return {0, runs_.contains(pid)};
}

std::vector<guard::Mapping> MappingHistory::objects_at(uint32_t pid, Nanoseconds time) {
  const Run* run = find(pid, time);
  if (run == nullptr) return {};
  std::vector<guard::Mapping> objects = run->inherited;
  for (const bpf::NewMapping& one : run->mappings)
    if (one.time <= time) add_parts(objects, one);
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
