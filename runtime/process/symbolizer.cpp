// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/symbolizer.h"

#include <algorithm>
#include <set>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/find.h"
#include "runtime/base/hex.h"
#include "runtime/base/page.h"
#include "runtime/base/procfs.h"
#include "runtime/process/arch.h"
#include "runtime/process/demangle.h"
#include "runtime/process/moved_text.h"

namespace sonde {
namespace {

/// Maximal number of cached addresses of a layout. Beyond that the cache is emptied.
constexpr size_t kMaxKnown = 100'000;
constexpr size_t kMostRoots = 64;
constexpr size_t kMostMissed = 4096;  // pages of a layout

/// `back`: the symbol was looked up for the address that many bytes before.
std::string text_of(const ResolvedSymbol& symbol, uint64_t address, uint64_t back) {
  if (symbol.module.empty()) return hex(address);
  const uint64_t offset = symbol.offset + back;
  if (symbol.function.empty()) return symbol.module + "`" + (symbol.linked ? "+" + hex(offset) : hex(address));
  return symbol.module + "`" + symbol.function + (offset == 0 ? "" : "+" + hex(offset));
}

}  // namespace

Symbolizer::Process& Symbolizer::process_of(uint32_t pid) {
  if (last_ != nullptr && last_->pid == pid) return *last_;
  auto& process = processes_[pid];
  if (process == nullptr) process = std::make_unique<Process>(Process{.pid = pid});
  process->asked = round_;
  last_ = process.get();
  return *last_;
}

std::shared_ptr<const ElfFile> Symbolizer::object_of(const Process& process, const MapEntry& entry) {
  if (entry.is_file()) return files_.open(process.pid, entry);
  if (entry.path != kVdso) return nullptr;
  auto object = own_.open(vdso_path());
  return object ? *object : nullptr;
}

/// Finds and reads the program's map of compiled code, which need not exist yet. If many descriptors are kept already,
/// a process with a root of its own gets none.
void Symbolizer::find_jit(Process& process, bool own_root) {
  Layout& layout = *process.layouts.last();
  std::erase_if(kept_, [](const std::weak_ptr<UniqueFd>& one) { return one.expired(); });
  if (layout.jit == nullptr && (!own_root || kept_.size() < kMostRoots)) {
    auto place = JitMapPlace::of(process.pid, own_root);
    if (!place) return;
    if (place->root) kept_.push_back(place->root);
    layout.jit = std::make_shared<JitMap>(std::move(*place));
  }
  if (layout.jit != nullptr) layout.jit->update();
}

/// The map grows while the program runs, so it is read again if an address is not in it.
void Symbolizer::look_up_jit(const Space& space, ResolvedSymbol& symbol) {
  JitMap* jit = space.layout->jit.get();
  if (jit == nullptr) return;
  const JitFunction* function = jit->at(symbol.address);
  const bool grows = space.process->layouts.last()->jit.get() == jit;
  if (function == nullptr && grows && jit->update()) function = jit->at(symbol.address);
  if (function == nullptr) return;
  symbol.module = jit->module();
  symbol.function = shown_name(function->name);
  symbol.offset = symbol.address - function->address;
}

void Symbolizer::add(Process& process, Nanoseconds time, const MapEntry& entry, UniqueFd file) {
  files_.keep(process.pid, entry, std::move(file));
  process.layouts.add(time, entry);
}

void Symbolizer::note(uint32_t pid) {
  const Nanoseconds now = monotonic_now();
  auto maps = read_proc_maps(pid);
  if (!maps || maps->empty()) return;
  Process& process = process_of(pid);
  find_jit(process, has_own_root(pid));
  for (const MapEntry& entry : moved_texts(pid, *maps)) add(process, now, entry);
  for (const MapEntry& entry : *maps)
    if (entry.executable && !entry.path.empty()) add(process, now, entry);
}

void Symbolizer::note_mapping(uint32_t pid, Nanoseconds time, MapEntry entry, bool ends, UniqueFd file) {
  Process& process = process_of(pid);
  if (!ends)
    process.ended.reset();
  else if (!process.ended)
    process.ended = time;
  entry.deleted = take_deleted_mark(entry.path) || entry.deleted;
  if (entry.end > entry.start) add(process, ends ? *process.ended - 1 : time, entry, std::move(file));
  if (ends) process.layouts.begin_program(*process.ended);
}

void Symbolizer::note_exec(uint32_t pid, Nanoseconds time) {
  Process& process = process_of(pid);
  process.ended.reset();
  process.layouts.begin_program(time);
  note(pid);
}

uint32_t Symbolizer::number_of(Process& process, const std::shared_ptr<Layout>& layout) {
  if (layout->space == 0) {
    layout->space = ++last_space_;
    spaces_.emplace(layout->space, Space{&process, layout});
  }
  return layout->space;
}

uint32_t Symbolizer::space(uint32_t pid, Nanoseconds time, std::span<const uint64_t> addresses) {
  if (pid == 0) return 0;
  Process& process = process_of(pid);
  process.layouts.forget_before(time);
  return number_of(process, process.layouts.of(time, addresses));
}

uint32_t Symbolizer::space_now(uint32_t pid, std::span<const uint64_t> addresses) {
  if (pid == 0) return 0;
  Process& process = process_of(pid);
  return number_of(process, process.layouts.of(monotonic_now(), addresses));
}

/// Records that have not been read yet may need what is known of a process that has just ended, so it stays for a round.
std::unordered_set<const Symbolizer::Process*> Symbolizer::ended_without(
    const std::unordered_set<uint32_t>& used) const {
  std::unordered_set<const Process*> kept;
  for (const auto& [number, space] : spaces_)
    if (used.contains(number)) kept.insert(space.process);
  std::unordered_set<const Process*> gone;
  for (const auto& [pid, process] : processes_)
    if (process->asked + 1 < round_ && !kept.contains(process.get()) && has_ended(pid)) gone.insert(process.get());
  return gone;
}

/// A layout that is over and has lost its number gets another one if its meaning comes back.
std::unordered_set<uint32_t> Symbolizer::forget_ended(const std::unordered_set<uint32_t>& used) {
  const std::unordered_set<const Process*> gone = ended_without(used);
  std::unordered_set<uint32_t> forgotten;
  std::erase_if(spaces_, [&](const auto& entry) {
    const auto& [number, space] = entry;
    const auto& timeline = space.process->layouts.timeline();
    const bool over = !used.contains(number) && std::ranges::find(timeline, space.layout) == timeline.end();
    if (!over && !gone.contains(space.process)) return false;
    space.layout->space = 0;
    forgotten.insert(number);
    return true;
  });
  std::erase_if(processes_, [&](const auto& entry) { return gone.contains(entry.second.get()); });
  for (const auto& [pid, process] : processes_) process->layouts.forget_meanings();
  forget_files();
  last_ = nullptr;
  round_++;
  return forgotten;
}

void Symbolizer::forget_files() {
  std::set<MappedFiles::Key> mapped;
  const auto add_files = [&mapped](const Layout& layout) {
    for (const auto& [start, entry] : layout.maps) mapped.insert(MappedFiles::key_of(entry));
  };
  for (const auto& [pid, process] : processes_)
    for (const auto& layout : process->layouts.timeline()) add_files(*layout);
  for (const auto& [number, space] : spaces_) add_files(*space.layout);
  files_.forget_others(mapped);
}

/// The mappings are read again only for the last layout: those of before are not there any more. What is found empties
/// `missed`, so the page is put back.
const SeenEntry* Symbolizer::mapping_of(const Space& space, uint64_t address) {
  const Layouts& layouts = space.process->layouts;
  if (const SeenEntry* entry = layouts.find(*space.layout, address)) return entry;
  if (!layouts.is_last(*space.layout) || space.layout->missed.contains(address / kPage)) return nullptr;
  std::unordered_set<uint64_t> missed = std::exchange(space.layout->missed, {});
  if (missed.size() >= kMostMissed) missed.clear();
  missed.insert(address / kPage);
  note(space.process->pid);
  if (catch_up && layouts.find(*space.layout, address) == nullptr) catch_up();
  missed.merge(space.layout->missed);
  space.layout->missed = std::move(missed);
  return layouts.find(*space.layout, address);
}

ResolvedSymbol Symbolizer::look_up(const Space& space, uint64_t address) {
  ResolvedSymbol symbol;
  symbol.address = address;
  const SeenEntry* entry = mapping_of(space, address);
  if (entry == nullptr || (!entry->is_file() && entry->path != kVdso)) look_up_jit(space, symbol);
  if (entry == nullptr || entry->path.empty() || !symbol.function.empty()) return symbol;
  symbol.module = base_name(entry->path);
  const uint64_t offset = address - entry->start + entry->offset;
  auto object = object_of(*space.process, *entry);
  uint64_t linked = 0;
  if (!object || !object->address_of(offset, linked)) return symbol;
  symbol.linked = true;
  symbol.offset = linked;
  symbol.ends_signal_handler = machine::is_sigreturn(object->code(offset, machine::kSigreturnBytes));
  if (const ElfFunction* function = object->at(linked)) {
    symbol.function = shown_name(function->name);
    symbol.offset = linked - function->address;
  }
  return symbol;
}

ResolvedSymbol Symbolizer::resolve(uint32_t number, uint64_t address) {
  const Space* found = find_in(spaces_, number);
  if (found == nullptr) return {.address = address};
  const Space space = *found;
  if (const ResolvedSymbol* known = find_in(space.layout->known, address)) return *known;
  ResolvedSymbol symbol = look_up(space, address);
  if (space.layout->known.size() >= kMaxKnown) space.layout->known.clear();
  if (!symbol.module.empty()) space.layout->known.emplace(address, symbol);
  return symbol;
}

std::string Symbolizer::symbol_text(uint32_t space, uint64_t address) {
  return text_of(resolve(space, address), address, 0);
}

std::string Symbolizer::return_text(uint32_t space, uint64_t address) {
  return text_of(resolve(space, address - 1), address, 1);
}

std::string Symbolizer::function_text(uint32_t space, uint64_t address) {
  const ResolvedSymbol symbol = resolve(space, address);
  if (symbol.function.empty()) return text_of(symbol, address, 0);
  return symbol.module + "`" + symbol.function;
}

std::string Symbolizer::module_text(uint32_t space, uint64_t address) {
  const ResolvedSymbol symbol = resolve(space, address);
  return symbol.module.empty() ? hex(address) : symbol.module;
}

}  // namespace sonde
