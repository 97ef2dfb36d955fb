// SPDX-License-Identifier: GPL-3.0-or-later
// What stacks lack that a source has walked and only flagged (lacking.h): of their addresses, the mappings tell why.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "runtime/base/find.h"
#include "runtime/base/procfs.h"
#include "runtime/process/elf_headers.h"
#include "runtime/process/symbolizer.h"

namespace sonde {
namespace {

constexpr size_t kMostFiles = 4096;    // whose headers are remembered
constexpr uint64_t kStartLength = 64;  // bytes of code where the kernel starts a program: no frame is above it

}  // namespace

/// A child runs its parent's program until it executes another, so what that lacks is not told again.
ToldLacks& Symbolizer::told_of(const Process& process, const Layout& layout) {
  ToldLacks& told = *layout.told;
  if (std::exchange(told.of_parent, true) || layout.fresh) return told;
  const uint32_t number = parent_of(process.pid);
  const auto parent = processes_.find(number);
  const std::string program = program_of(static_cast<pid_t>(process.pid));
  if (parent != processes_.end() && !program.empty() && program == program_of(static_cast<pid_t>(number)))
    told.kinds |= parent->second->layouts.last()->told->kinds;
  return told;
}

/// Whether the file has no frame information; Go's never have it, and need none. In one that has, code without a row is
/// written in assembly, often where a thread starts: that says nothing about the file.
bool Symbolizer::lacks_table(uint32_t pid, const MapEntry& entry, uint64_t address) {
  if (bare_.size() >= kMostFiles) bare_.clear();
  const auto [known, is_new] = bare_.try_emplace(entry.file);
  BareFile& file = known->second;
  if (const auto headers = is_new ? ElfHeaders::read(path_to_open(pid, entry)) : std::nullopt) {
    const auto has = [&headers](std::string_view section) { return headers->section(section).second != 0; };
    file = {has(".text") && !has(".eh_frame") && !has(".go.buildinfo"), headers->start()};
  }
  return file.bare && address - entry.start + entry.offset - file.start >= kStartLength;
}

std::vector<LackingStack> Symbolizer::take_lacking(uint32_t pid, Nanoseconds time, std::span<const uint64_t> frames,
                                                   uint32_t flags) {
  const bool compiled = (flags & SONDE_RECORD_STACK_COMPILED) != 0, lost = (flags & SONDE_RECORD_STACK_LOST) != 0;
  Process& process = process_of(pid);
  const Space space{&process, process.layouts.at(time)};
  ToldLacks& told = told_of(process, *space.layout);
  std::vector<LackingStack> found;
  const auto knows = [&told](Lack lack) { return (told.kinds & bit_of(lack)) != 0; };
  const auto note = [&](Lack lack, const std::string& file) {
    told.kinds |= bit_of(lack);
    found.push_back({lack, file});
  };
  const auto in_file = [&](uint64_t address) {
    const SeenEntry* entry = mapping_of(space, address);
    return entry != nullptr && !entry->path.empty();
  };
  if (compiled && !knows(Lack::Names) && !std::ranges::all_of(frames, in_file)) {
    told.kinds |= bit_of(Lack::Names);
    const bool named = space.layout->jit != nullptr && !space.layout->jit->functions().empty();
    if (!named && lacks_name_map(static_cast<pid_t>(pid))) found.push_back({Lack::Names});
  }
  if (!lost) return found;
  const SeenEntry* last = mapping_of(space, frames.back());
  if (last == nullptr || last->path.empty()) {
    if (compiled && !knows(Lack::Frames)) note(Lack::Frames, {});
  } else if (!knows(Lack::Table) && last->is_file() && lacks_table(pid, *last, frames.back())) {
    note(Lack::Table, last->path);
  }
  return found;
}

/// That of a program that has ended, or was replaced, is the file with the lowest addresses: the kernel puts programs below
/// their libraries.
std::string Symbolizer::program_at(uint32_t pid, Nanoseconds time) {
  const Layouts& layouts = process_of(pid).layouts;
  const std::shared_ptr<Layout>& layout = layouts.at(time);
  std::string name = layouts.is_last(*layout) ? program_of(static_cast<pid_t>(pid)) : std::string();
  const auto first = std::ranges::find_if(layout->maps, [](const auto& one) { return one.second.is_file(); });
  if (name.empty() && first != layout->maps.end()) name = base_name(first->second.path);
  return name;
}

}  // namespace sonde
