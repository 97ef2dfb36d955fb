// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/symbolizer.h"

#include <cstdio>

namespace sonde {
namespace {

/// How many addresses of a process are remembered; more, and it begins anew.
constexpr size_t kMaxKnown = 100'000;

std::string hex(uint64_t value) {
  char text[19];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

void Symbolizer::note(uint32_t pid) {
  auto maps = read_proc_maps(pid);
  if (!maps || maps->empty()) return;
  Process& process = processes_[pid];
  process.maps.clear();
  process.known.clear();
  process.missed.clear();
  for (MapEntry& entry : *maps) {
    if (entry.executable) process.maps.emplace(entry.start, std::move(entry));
  }
}

void Symbolizer::note_mapping(uint32_t pid, uint64_t address, uint64_t offset, const std::string& path, uint64_t size) {
  Process& process = processes_[pid];
  const auto next = process.maps.upper_bound(address);
  const uint64_t limit = next == process.maps.end() ? UINT64_MAX : next->first;
  process.maps[address] = {address, size == 0 ? limit : address + size, offset, true, path};
  process.known.clear();
  process.missed.clear();
}

void Symbolizer::note_fork(uint32_t parent, uint32_t child) {
  auto known = processes_.find(parent);
  if (known == processes_.end()) return note(child);
  Process copy{known->second.maps, {}, {}};
  processes_[child] = std::move(copy);
}

void Symbolizer::note_exec(uint32_t pid) {
  processes_.erase(pid);
  note(pid);
}

const MapEntry* Symbolizer::find(Process& process, uint64_t address) {
  auto after = process.maps.upper_bound(address);
  if (after == process.maps.begin()) return nullptr;
  const MapEntry& entry = std::prev(after)->second;
  return address < entry.end ? &entry : nullptr;
}

ResolvedSymbol Symbolizer::look_up(Process& process, uint32_t pid, uint64_t address) {
  ResolvedSymbol symbol;
  symbol.address = address;
  const MapEntry* entry = find(process, address);
  if (entry == nullptr && process.missed.insert(address).second) {
    std::unordered_set<uint64_t> missed = process.missed;
    note(pid);
    process.missed = std::move(missed);
    entry = find(process, address);
  }
  if (entry == nullptr || entry->path.empty()) return symbol;
  symbol.module = base_name(entry->path);
  const uint64_t offset = address - entry->start + entry->offset;
  symbol.offset = offset;
  if (!entry->is_file()) return symbol;
  auto object = objects_.open(entry->path);
  uint64_t linked = 0;
  if (!object || !(*object)->address_of(offset, linked)) return symbol;
  if (const ElfFunction* function = (*object)->at(linked)) {
    symbol.function = function->name;
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
  if (auto known = process.known.find(address); known != process.known.end()) return known->second;
  ResolvedSymbol symbol = look_up(process, pid, address);
  if (process.known.size() >= kMaxKnown) process.known.clear();
  if (!symbol.module.empty()) process.known.emplace(address, symbol);
  return symbol;
}

std::string Symbolizer::symbol_text(uint32_t pid, uint64_t address) {
  const ResolvedSymbol symbol = resolve(pid, address);
  if (symbol.module.empty()) return hex(address);
  if (symbol.function.empty()) return symbol.module + "`" + hex(address);
  return symbol.module + "`" + symbol.function + (symbol.offset == 0 ? "" : "+" + hex(symbol.offset));
}

std::string Symbolizer::function_text(uint32_t pid, uint64_t address) {
  const ResolvedSymbol symbol = resolve(pid, address);
  if (symbol.function.empty()) return symbol_text(pid, address);
  return symbol.module + "`" + symbol.function;
}

std::string Symbolizer::module_text(uint32_t pid, uint64_t address) {
  const ResolvedSymbol symbol = resolve(pid, address);
  return symbol.module.empty() ? hex(address) : symbol.module;
}

}  // namespace sonde
