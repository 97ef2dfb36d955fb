// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/consumer/consumer_impl.h"
#include "runtime/format/append.h"

namespace sonde {

std::string ProcessNames::name(uint32_t pid, uint64_t address, SymbolValue::Kind kind) {
  switch (kind) {
    case SymbolValue::UAddr: return symbolizer_.symbol_text(pid, address);
    case SymbolValue::USym:
    case SymbolValue::UFunc: return symbolizer_.function_text(pid, address);
    case SymbolValue::UMod: return symbolizer_.module_text(pid, address);
    case SymbolValue::Sym:
    case SymbolValue::Func:
    case SymbolValue::Mod: break;  // the kernel's: no source has them
  }
  std::string text;
  append_format(text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

uint64_t ProcessNames::canonical(uint32_t pid, uint64_t address, SymbolValue::Kind kind) {
  if (kind == SymbolValue::UAddr) return address;
  ResolvedSymbol symbol = symbolizer_.resolve(pid, address);
  if (symbol.module.empty()) return address;
  if (kind == SymbolValue::UMod) {
    // One address for each module: the first that was asked for.
    auto [known, fresh] = modules_.try_emplace({pid, symbol.module}, address);
    return known->second;
  }
  return symbol.function.empty() ? address : address - symbol.offset;
}

}  // namespace sonde
