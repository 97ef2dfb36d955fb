// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/kernel_symbols.h"

#include <algorithm>
#include <charconv>
#include <fstream>

namespace sonde {
namespace {

constexpr std::string_view kKernel = "vmlinux";
/// No function is longer: an address farther behind the last symbol of a module belongs to something that is not
/// listed.
constexpr uint64_t kFarthest = 1 << 20;

std::string_view next_word(std::string_view& line) {
  const size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  const size_t end = std::min(line.find_first_of(" \t", begin), line.size());
  std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

}  // namespace

/// A line: address, type, name, and [module] unless it is the kernel's own.
void KernelSymbols::read() {
  std::ifstream file(path_);
  std::string line, last_module(kKernel);
  symbols_.clear();
  text_.assign(kKernel).push_back('\0');
  uint32_t module_at = 0;
  while (std::getline(file, line)) {
    std::string_view rest = line;
    std::string_view address = next_word(rest), type = next_word(rest), name = next_word(rest),
                     module = next_word(rest);
    Symbol symbol{};
    const auto [end, error] = std::from_chars(address.data(), address.data() + address.size(), symbol.address, 16);
    if (error != std::errc() || type.empty() || name.empty() || !is_kernel_address(symbol.address)) continue;
    module = module.empty() ? kKernel : module.substr(1, module.size() - 2);
    if (module != last_module) {
      last_module = module;
      module_at = module == kKernel ? 0 : static_cast<uint32_t>(text_.size());
      if (module_at != 0) text_.append(module).push_back('\0');
    }
    // A local symbol, or a system call's entry in the table for 32-bit programs.
    symbol.second = type[0] >= 'a' || name.starts_with("__ia32_");
    symbol.name = static_cast<uint32_t>(text_.size());
    symbol.module = module_at;
    text_.append(name).push_back('\0');
    symbols_.push_back(symbol);
  }
  std::ranges::stable_sort(symbols_, {}, [](const Symbol& one) { return std::pair(one.address, one.second); });
  read_ = true;
}

const KernelSymbols::Symbol* KernelSymbols::at(uint64_t address) const {
  auto after = std::ranges::upper_bound(symbols_, address, {}, &Symbol::address);
  if (after == symbols_.begin()) return nullptr;
  const Symbol& last = *std::prev(after);
  if (address - last.address > kFarthest) return nullptr;
  return &*std::ranges::lower_bound(symbols_, last.address, {}, &Symbol::address);
}

ResolvedSymbol KernelSymbols::resolve(uint64_t address) {
  ResolvedSymbol found;
  found.address = address;
  if (!read_) read();
  const Symbol* symbol = at(address);
  if (symbol == nullptr) return found;
  found.module = text(symbol->module);
  found.function = text(symbol->name);
  found.offset = address - symbol->address;
  return found;
}

}  // namespace sonde
