// SPDX-License-Identifier: GPL-3.0-or-later
// Formats values exactly as DTrace does.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "runtime/agg/table.h"
#include "runtime/base/ids.h"
#include "runtime/program/program.h"
#include "runtime/program/type_layout.h"
#include "runtime/program/value_type.h"

namespace sonde {

/// The place of an address, in terms that are the same in every run and on every host.
struct SymbolPlace {
  std::string module;    ///< empty: unknown
  std::string function;  ///< empty: unknown
  uint64_t offset = 0;   ///< from the function's first byte; without a function: the address as linked
  bool linked = false;   ///< `offset` is valid
};

/// Resolves addresses to names. The tests have an implementation of their own.
class SymbolNames {
 public:
  virtual ~SymbolNames() = default;
  /// A number for what the addresses of a process mean at `time`; 0 for pid 0. The same for two times at which
  /// `addresses` mean the same: used in keys. Without addresses: of all of them.
  virtual uint32_t space(uint32_t pid, Nanoseconds time, std::span<const uint64_t> addresses) = 0;
  /// "libc.so.6`read+0x14" (UAddr, UReturn), "libc.so.6`read" (USym, UFunc), "libc.so.6" (UMod); "0x..." when unknown.
  virtual std::string name(uint32_t space, uint64_t address, SymbolValue::Kind kind) = 0;
  /// The same in parts.
  virtual SymbolPlace place(uint32_t space, uint64_t address, SymbolValue::Kind kind) = 0;
  /// One address for all addresses of the same function or module; used in keys.
  virtual uint64_t canonical(uint32_t space, uint64_t address, SymbolValue::Kind kind) = 0;
  /// Whether this is the code that signal handlers return to: the next outer frame was interrupted, so its pc is not a
  /// return address.
  virtual bool ends_signal_handler(uint32_t space, uint64_t address) = 0;
};

/// What a format depends on besides the value.
struct FormatSettings {
  bool quiet = false;
  bool raw_bytes = false;
  uint32_t stack_indent = 14;
  uint32_t strsize = 256;
  uint32_t space = 0;  ///< of the addresses that %a and %A show, as in SymbolValue
  SymbolNames* names = nullptr;
};

/// trace(): the default format of a value.
void format_trace(const ValueType& type, uint64_t word, const FormatSettings& settings, std::string& out);
/// A newline and a ruler, then rows of 16 bytes.
void format_hex_dump(const void* bytes, uint64_t size, std::string& out);
/// print(): an address, then the value there. `address` is where the whole type can be read, `shown` the address to
/// print.
void format_print(const TypeLayout& type, uint64_t address, uint64_t shown, std::string& out);
/// A newline, then one line per frame.
void format_stack(const StackValue& stack, const FormatSettings& settings, std::string& out);
std::string format_symbol(const SymbolValue& symbol, const FormatSettings& settings);
/// A frame as a symbol: of its pc, or of the call before it. `names` may be null.
SymbolValue frame_of(const StackValue& stack, uint32_t index, SymbolNames* names);
/// How a value prints as a key of an aggregation.
void format_key(const ValueType& type, uint64_t word, const FormatSettings& settings, std::string& out);

/// One conversion of printf, with the `width` and `precision` in effect.
void format_conversion(const Conversion& conversion, int width, int precision, const ValueType& type, uint64_t word,
                       const FormatSettings& settings, std::string& out);
/// The number for a `*`.
int number_of_columns(uint64_t word);
/// The same with a width that may have come from a `*`: a negative one means left-aligned.
void format_sized(const Conversion& conversion, int width, int precision, const ValueType& type, uint64_t word,
                  const FormatSettings& settings, std::string& out);
/// printf(): `types` and `words` as in the action site, the ints of * included.
void format_printf(std::span<const Conversion> format, std::span<const ValueType> types, const uint64_t* words,
                   const FormatSettings& settings, std::string& out);

/// A distribution's block, with a newline and the header first.
void format_distribution(const Distribution& distribution, const int64_t* data, uint64_t normal, std::string& out);
/// printa() without a format, for one or more aggregations: one line per tuple.
void format_aggregations(std::span<AggTable* const> tables, const SortRules& rules, const FormatSettings& settings,
                         std::string& out);
/// printa() with a format, applied to each tuple.
void format_printa(std::span<const Conversion> format, std::span<AggTable* const> tables, const SortRules& rules,
                   const FormatSettings& settings, std::string& out);

/// "error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): "
std::string fault_prefix(uint32_t epid, const ProbeInfo& probe);
/// "CPU     ID ..." or, with flowindent, "CPU FUNCTION ...".
std::string row_header(bool flowindent);
/// "  0      1                           :BEGIN ".
void format_row_prefix(uint32_t cpu, const ProbeInfo& probe, std::string& out);

/// How flowindent shows a probe.
enum class Flow : uint8_t { Entry, Return, None };
Flow flow_of(const ProbeInfo& probe);
void format_flow_prefix(uint32_t cpu, const ProbeInfo& probe, Flow flow, int indent, std::string& out);

}  // namespace sonde
