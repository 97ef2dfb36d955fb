// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/consumer/process_names.h"

#include "runtime/base/hex.h"

namespace sonde {
/// In the format that the symbolizer uses for processes.
std::string ProcessNames::kernel_name(uint64_t address, SymbolValue::Kind kind) {
  const uint64_t back = kind == SymbolValue::UReturn ? 1 : 0;
  const ResolvedSymbol symbol = kernel_.resolve(address - back);
  if (symbol.module.empty()) return hex(address);
  if (kind == SymbolValue::Mod) return symbol.module;
  const uint64_t offset = symbol.offset + back;
  const bool exact = (kind == SymbolValue::UAddr || kind == SymbolValue::UReturn) && offset != 0;
  return symbol.module + "`" + symbol.function + (exact ? "+" + hex(offset) : "");
}

std::string ProcessNames::name(uint32_t space, uint64_t address, SymbolValue::Kind kind) {
  switch (kind) {
    case SymbolValue::UAddr:
      return is_kernel_address(address) ? kernel_name(address, kind) : symbolizer_.symbol_text(space, address);
    case SymbolValue::UReturn:
      return is_kernel_address(address) ? kernel_name(address, kind) : symbolizer_.return_text(space, address);
    case SymbolValue::USym:
    case SymbolValue::UFunc: return symbolizer_.function_text(space, address);
    case SymbolValue::UMod: return symbolizer_.module_text(space, address);
    case SymbolValue::Sym:
    case SymbolValue::Func:
    case SymbolValue::Mod: return is_kernel_address(address) ? kernel_name(address, kind) : hex(address);
  }
  return hex(address);
}

SymbolPlace ProcessNames::place(uint32_t space, uint64_t address, SymbolValue::Kind kind) {
  const uint64_t back = kind == SymbolValue::UReturn ? 1 : 0;
  const bool of_kernel_alone = kind == SymbolValue::Sym || kind == SymbolValue::Func || kind == SymbolValue::Mod;
  ResolvedSymbol symbol;
  if (is_kernel_address(address))
    symbol = kernel_.resolve(address - back);
  else if (!of_kernel_alone)
    symbol = symbolizer_.resolve(space, address - back);
  if (symbol.module.empty()) return {};
  return {symbol.module, symbol.function, symbol.offset + back, symbol.linked || !symbol.function.empty()};
}

/// One address for each module: the first that was asked for.
uint64_t ProcessNames::first_of(uint32_t space, const std::string& module, uint64_t address) {
  return modules_.try_emplace({space, module}, address).first->second;
}

uint64_t ProcessNames::canonical(uint32_t space, uint64_t address, SymbolValue::Kind kind) {
  const bool kernel = kind == SymbolValue::Sym || kind == SymbolValue::Func || kind == SymbolValue::Mod;
  const bool exact = kind == SymbolValue::UAddr || kind == SymbolValue::UReturn;
  if (exact || (kernel && !is_kernel_address(address))) return address;
  const ResolvedSymbol symbol = kernel ? kernel_.resolve(address) : symbolizer_.resolve(space, address);
  if (symbol.module.empty()) return address;
  if (kind == SymbolValue::UMod || kind == SymbolValue::Mod)
    return first_of(kernel ? 0 : space, symbol.module, address);
  return symbol.function.empty() ? address : address - symbol.offset;
}

bool ProcessNames::ends_signal_handler(uint32_t space, uint64_t address) {
  return space != 0 && !is_kernel_address(address) && symbolizer_.resolve(space, address).ends_signal_handler;
}

void ProcessNames::forget_ended(const std::unordered_set<uint32_t>& used) {
  const std::unordered_set<uint32_t> forgotten = symbolizer_.forget_ended(used);
  std::erase_if(modules_, [&](const auto& entry) { return forgotten.contains(entry.first.first); });
}

}  // namespace sonde
