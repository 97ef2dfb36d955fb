// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/kernel_functions.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <tuple>

#include "runtime/process/kernel_files.h"

namespace sonde {
namespace {

constexpr std::string_view kOwnModule = "vmlinux";

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

}  // namespace

Result<KernelFunctions> KernelFunctions::read(const std::string& path) {
  auto text = read_kernel_file(path);
  if (!text) return std::move(text).error();
  KernelFunctions read;
  read.text_ = std::move(*text);
  std::vector<FunctionSymbol> symbols;
  InitText gone;
  bool hidden = true;
  for (std::string_view rest(read.text_.data(), read.text_.size()); !rest.empty();) {
    const FunctionSymbol symbol = take_function_symbol(rest);
    gone.note(symbol);
    hidden &= symbol.address == 0;
    if (is_function(symbol)) symbols.push_back(symbol);
  }
  if (hidden) return Error("this user may not see the addresses of the kernel: run as root", EACCES);
  std::erase_if(symbols, [&](const FunctionSymbol& symbol) { return gone.contains(symbol); });
  std::ranges::sort(symbols, {}, [](const FunctionSymbol& symbol) {
    return std::tuple(symbol.module != kOwnModule, symbol.module, symbol.name, symbol.address);
  });
  read.addresses_.reserve(symbols.size());
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
  for (std::string_view rest(read.text_.data(), read.text_.size()); !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    read.names_.push_back(line.substr(0, line.find(' ')));  // NAME [MODULE]
  }
  std::ranges::sort(read.names_);
  return read;
}

bool TraceableNames::contains(std::string_view name) const { return std::ranges::binary_search(names_, name); }

}  // namespace sonde
