// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/kernel_functions.h"

#include <endian.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "runtime/process/kernel_files.h"

namespace sonde {
namespace {

constexpr std::string_view kOwnModule = "vmlinux";
constexpr size_t kBytesAFunction = 64;  ///< of kallsyms, at least: a third of its lines are no functions

/// A line of kallsyms: address, type, name, and [module] unless it is the kernel's own.
struct FunctionSymbol {
  uint64_t address = 0;
  char type = 0;
  std::string_view name, module = kOwnModule;
};

/// Takes a line away from `text`.
FunctionSymbol take_function_symbol(std::string_view& text) {
  FunctionSymbol symbol;
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  const char* at = line.data();
  const char* const end = at + line.size();
  at = std::from_chars(at, end, symbol.address, 16).ptr;
  if (end - at < 4) return {};
  symbol.type = at[1];
  at += 3;
  const auto* const tab = static_cast<const char*>(std::memchr(at, '\t', static_cast<size_t>(end - at)));
  symbol.name = {at, static_cast<size_t>((tab != nullptr ? tab : end) - at)};
  if (tab != nullptr && end - tab > 3) symbol.module = {tab + 2, static_cast<size_t>(end - tab) - 3};
  return symbol;
}

/// No part of a function, and nothing that the kernel makes at run time: trampolines, programs of eBPF.
bool is_function(const FunctionSymbol& symbol) {
  constexpr std::string_view kTypes = "tTwW";
  if (kTypes.find(symbol.type) == kTypes.npos || symbol.name.empty()) return false;
  if (symbol.name.starts_with("__pfx_") || symbol.name.starts_with("__cfi_")) return false;
  if (symbol.name.find(".cold") != symbol.name.npos) return false;
  return symbol.module == kOwnModule ||
         !(symbol.module.starts_with("__builtin__") || symbol.name.starts_with("bpf_prog_") ||
           symbol.name.starts_with("bpf_trampoline_") || symbol.name.starts_with("bpf_dispatcher_"));
}

/// Addresses of code that is freed after the boot.
struct InitText {
  uint64_t begin = 0, end = 0;
  void note(const FunctionSymbol& symbol) {
    if (symbol.name == "_sinittext") begin = symbol.address;
    if (symbol.name == "_einittext") end = symbol.address;
  }
  bool contains(const FunctionSymbol& symbol) const { return symbol.address >= begin && symbol.address < end; }
};

/// The first eight bytes, so that texts compare as these numbers do where they differ there.
uint64_t beginning_of(std::string_view text) {
  char bytes[sizeof(uint64_t)] = {};
  std::memcpy(bytes, text.data(), std::min(text.size(), sizeof bytes));
  uint64_t number;
  std::memcpy(&number, bytes, sizeof number);
  return be64toh(number);
}

/// By module and name, then by address; the kernel's own first. The file has a module's symbols together, so modules
/// are sorted as they are, and names by numbers: most differ in the first eight bytes, or in the next.
void sort_by_name(std::vector<FunctionSymbol>& symbols) {
  constexpr size_t kWord = sizeof(uint64_t);
  struct Key {
    uint32_t module, at;
    uint64_t first, second;
  };
  std::vector<std::string_view> modules;
  for (const FunctionSymbol& symbol : symbols)
    if (modules.empty() || modules.back() != symbol.module) modules.push_back(symbol.module);
  std::ranges::sort(modules, {}, [](std::string_view name) { return std::pair(name != kOwnModule, name); });
  modules.erase(std::unique(modules.begin(), modules.end()), modules.end());
  std::vector<Key> keys;
  keys.reserve(symbols.size());
  std::string_view last;
  uint32_t module = 0;
  for (uint32_t at = 0; at < symbols.size(); at++) {
    const FunctionSymbol& symbol = symbols[at];
    if (last != symbol.module) {
      last = symbol.module;
      module = static_cast<uint32_t>(std::ranges::find(modules, last) - modules.begin());
    }
    const std::string_view rest = symbol.name.substr(std::min(symbol.name.size(), kWord));
    keys.push_back({module, at, beginning_of(symbol.name), beginning_of(rest)});
  }
  std::ranges::sort(keys, [&](const Key& a, const Key& b) {
    if (a.module != b.module) return a.module < b.module;
    if (a.first != b.first) return a.first < b.first;
    if (a.second != b.second) return a.second < b.second;
    const FunctionSymbol &one = symbols[a.at], &other = symbols[b.at];
    const int order = one.name.compare(other.name);
    return order != 0 ? order < 0 : one.address < other.address;
  });
  std::vector<FunctionSymbol> sorted;
  sorted.reserve(symbols.size());
  for (const Key& key : keys) sorted.push_back(symbols[key.at]);
  symbols = std::move(sorted);
}

}  // namespace

Result<KernelFunctions> KernelFunctions::read(const std::string& path) {
  auto text = read_kernel_file(path);
  if (!text) return std::move(text).error();
  KernelFunctions read;
  read.text_ = std::move(*text);
  std::vector<FunctionSymbol> symbols;
  symbols.reserve(read.text_.size / kBytesAFunction);
  InitText gone;
  bool hidden = true;
  for (std::string_view rest = read.text_.view(); !rest.empty();) {
    const FunctionSymbol symbol = take_function_symbol(rest);
    gone.note(symbol);
    hidden &= symbol.address == 0;
    if (is_function(symbol)) symbols.push_back(symbol);
  }
  if (hidden) return Error("this user may not see the addresses of the kernel: run as root", EACCES);
  std::erase_if(symbols, [&](const FunctionSymbol& symbol) { return gone.contains(symbol); });
  sort_by_name(symbols);
  read.addresses_.reserve(symbols.size());
  read.functions_.reserve(symbols.size());
  for (size_t from = 0, to = 0; from < symbols.size(); from = to) {
    const size_t first = read.addresses_.size();
    for (to = from;
         to < symbols.size() && symbols[to].name == symbols[from].name && symbols[to].module == symbols[from].module;
         to++)
      read.addresses_.push_back(symbols[to].address);
    read.functions_.push_back({symbols[from].module, symbols[from].name, {read.addresses_.data() + first, to - from}});
  }
  return read;
}

const Result<KernelFunctions>& KernelFunctions::running() {
  static const Result<KernelFunctions> kRunning = read();
  return kRunning;
}

std::vector<uint64_t> KernelFunctions::addresses_of(std::string_view name) const {
  std::vector<uint64_t> found;
  for (const KernelFunction& one : functions_) {
    if (one.module != kOwnModule || !one.name.starts_with(name)) continue;
    const std::string_view rest = one.name.substr(name.size());
    if (rest.empty() || rest.starts_with(".isra.") || rest.starts_with(".constprop."))
      found.insert(found.end(), one.addresses.begin(), one.addresses.end());
  }
  return found;
}

bool KernelFunctions::let_programs_in() const {
  const auto has = [this](std::string_view name) {
    return std::ranges::any_of(functions_, [&](const KernelFunction& one) { return one.name == name; });
  };
  return has("register_fprobe_ips") || has("register_kprobe");
}

TraceableNames TraceableNames::read(const std::string& path) {
  TraceableNames read;
  auto text = path.empty() ? read_tracefs("available_filter_functions") : read_kernel_file(path);
  if (!text) return read;
  read.text_ = std::move(*text);
  for (std::string_view rest = read.text_.view(); !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    read.names_.push_back(line.substr(0, line.find(' ')));  // NAME [MODULE]
  }
  std::ranges::sort(read.names_);
  return read;
}

bool TraceableNames::contains(std::string_view name) const { return std::ranges::binary_search(names_, name); }

}  // namespace sonde
