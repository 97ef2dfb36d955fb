// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/symbolizer.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "runtime/base/find.h"
#include "runtime/base/hex.h"
#include "runtime/process/arch.h"
#include "runtime/process/demangle.h"

namespace sonde {
namespace {

/// Maximal number of cached addresses of a process. Beyond that the cache is emptied.
constexpr size_t kMaxKnown = 100'000;
constexpr size_t kMaxEnded = 10'000;  ///< mappings of a process; the same for them

/// `back`: the symbol was looked up for the address that many bytes before.
std::string text_of(const ResolvedSymbol& symbol, uint64_t address, uint64_t back) {
  if (symbol.module.empty()) return hex(address);
  const uint64_t offset = symbol.offset + back;
  if (symbol.function.empty()) return symbol.module + "`" + (symbol.linked ? "+" + hex(offset) : hex(address));
  return symbol.module + "`" + symbol.function + (offset == 0 ? "" : "+" + hex(offset));
}

const MapEntry* find(const std::map<uint64_t, MapEntry>& maps, uint64_t address) {
  auto after = maps.upper_bound(address);
  if (after == maps.begin()) return nullptr;
  const MapEntry& entry = std::prev(after)->second;
  return address < entry.end ? &entry : nullptr;
}

}  // namespace

std::shared_ptr<const ElfFile> Symbolizer::object_of(Process& process, uint32_t pid, const MapEntry& entry) {
  if (entry.path == kVdso) {
    auto object = objects_.open(vdso_path());
    return object ? *object : nullptr;
  }
  if (!entry.is_file()) return nullptr;
  if (const auto* known = find_in(process.objects, entry.path)) return *known;
  if (!entry.deleted && !process.own_root)
    if (auto object = objects_.open(entry.path)) return *object;
  auto object = open_through(process, pid, entry);
  if (object != nullptr) process.objects[entry.path] = object;
  return object;
}

/// Opens the file through a process that has it mapped.
std::shared_ptr<const ElfFile> Symbolizer::open_through(Process& process, uint32_t pid, const MapEntry& entry) {
  std::vector<std::string> ways = {file_of(pid, entry)};
  if (process.executable && process.executable_path == entry.path)
    ways.push_back("/proc/self/fd/" + std::to_string(process.executable->get()));
  for (const std::string& way : ways)
    if (auto object = ElfFile::open(way)) return *object;
  return nullptr;
}

bool Symbolizer::may_keep() {
  constexpr size_t kMostKept = 64;
  std::erase_if(kept_, [](const std::weak_ptr<UniqueFd>& one) { return one.expired(); });
  return kept_.size() < kMostKept;
}

/// Opens the executable, unless many are open already.
void Symbolizer::keep_executable(Process& process, uint32_t pid) {
  if (!may_keep()) return;
  UniqueFd fd(open(("/proc/" + std::to_string(pid) + "/exe").c_str(), O_RDONLY | O_CLOEXEC));
  process.executable_path = program_path(pid);
  if (process.executable_path.empty() || !fd) return;
  process.executable = std::make_shared<UniqueFd>(std::move(fd));
  kept_.push_back(process.executable);
}

/// Finds and reads the process's map of compiled code, which need not exist yet. If many descriptors are kept already,
/// a process with a root of its own gets none.
void Symbolizer::find_jit(Process& process, uint32_t pid) {
  if (process.jit == nullptr && (!process.own_root || may_keep())) {
    auto place = JitMapPlace::of(pid, process.own_root);
    if (!place) return;
    if (place->root) kept_.push_back(place->root);
    process.jit = std::make_shared<JitMap>(std::move(*place));
  }
  if (process.jit != nullptr) process.jit->update();
}

/// The map grows while the program runs, so it is read again if an address is not in it.
void Symbolizer::look_up_jit(Process& process, ResolvedSymbol& symbol) {
  if (process.jit == nullptr) return;
  const JitFunction* function = process.jit->at(symbol.address);
  if (function == nullptr && process.jit->update()) function = process.jit->at(symbol.address);
  if (function == nullptr) return;
  symbol.module = process.jit->module();
  symbol.function = shown_name(function->name);
  symbol.offset = symbol.address - function->address;
}

void Symbolizer::note(uint32_t pid) {
  auto maps = read_proc_maps(pid);
  if (!maps || maps->empty()) return;
  Process& process = processes_[pid];
  process.maps.clear();
  process.known.clear();
  process.missed.clear();
  process.own_root = has_own_root(pid);
  process.executable.reset();
  keep_executable(process, pid);
  find_jit(process, pid);
  for (MapEntry& entry : *maps) {
    if (!entry.executable) continue;
    const MapEntry& kept = process.maps.emplace(entry.start, std::move(entry)).first->second;
    if (kept.deleted) object_of(process, pid, kept);
  }
}

void Symbolizer::note_mapping(uint32_t pid, uint64_t address, uint64_t offset, const std::string& path, uint64_t size) {
  Process& process = processes_[pid];
  if (process.ended.size() >= kMaxEnded) process.ended.clear();
  MapEntry& entry = process.ended[address];
  entry = {address, address + size, offset, true, false, path};
  entry.deleted = take_deleted_mark(entry.path);
  if (entry.deleted) object_of(process, pid, entry);
  process.known.clear();
  process.missed.clear();
}

void Symbolizer::note_exec(uint32_t pid) {
  Process& process = processes_[pid];
  if (process.ended.size() >= kMaxEnded) process.ended.clear();
  for (auto& [start, entry] : std::exchange(process.maps, {})) process.ended.insert_or_assign(start, std::move(entry));
  process.known.clear();
  process.missed.clear();
  note(pid);
}

/// Looks again before it takes one that has ended, for the program may have mapped something there since: once for each of those.
const MapEntry* Symbolizer::mapping_of(Process& process, uint32_t pid, uint64_t address) {
  if (const MapEntry* entry = find(process.maps, address)) return entry;
  const auto place = [&] {
    const MapEntry* ended = find(process.ended, address);
    return ended != nullptr ? ended->start : address;
  };
  if (process.missed.insert(place()).second) {
    std::unordered_set<uint64_t> missed = process.missed;
    note(pid);
    if (catch_up && find(process.maps, address) == nullptr) catch_up();
    process.missed = std::move(missed);
    process.missed.insert(place());
    if (const MapEntry* entry = find(process.maps, address)) return entry;
  }
  return find(process.ended, address);
}

ResolvedSymbol Symbolizer::look_up(Process& process, uint32_t pid, uint64_t address) {
  ResolvedSymbol symbol;
  symbol.address = address;
  const MapEntry* entry = mapping_of(process, pid, address);
  if (entry == nullptr || (!entry->is_file() && entry->path != kVdso)) look_up_jit(process, symbol);
  if (entry == nullptr || entry->path.empty() || !symbol.function.empty()) return symbol;
  symbol.module = base_name(entry->path);
  const uint64_t offset = address - entry->start + entry->offset;
  auto object = object_of(process, pid, *entry);
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

ResolvedSymbol Symbolizer::resolve(uint32_t pid, uint64_t address) {
  auto at = processes_.find(pid);
  if (at == processes_.end()) {
    note(pid);
    at = processes_.try_emplace(pid).first;
  }
  Process& process = at->second;
  if (const ResolvedSymbol* known = find_in(process.known, address)) return *known;
  ResolvedSymbol symbol = look_up(process, pid, address);
  if (process.known.size() >= kMaxKnown) process.known.clear();
  if (!symbol.module.empty()) process.known.emplace(address, symbol);
  return symbol;
}

std::string Symbolizer::symbol_text(uint32_t pid, uint64_t address) {
  return text_of(resolve(pid, address), address, 0);
}

std::string Symbolizer::return_text(uint32_t pid, uint64_t address) {
  return text_of(resolve(pid, address - 1), address, 1);
}

std::string Symbolizer::function_text(uint32_t pid, uint64_t address) {
  const ResolvedSymbol symbol = resolve(pid, address);
  if (symbol.function.empty()) return text_of(symbol, address, 0);
  return symbol.module + "`" + symbol.function;
}

std::string Symbolizer::module_text(uint32_t pid, uint64_t address) {
  const ResolvedSymbol symbol = resolve(pid, address);
  return symbol.module.empty() ? hex(address) : symbol.module;
}

}  // namespace sonde
