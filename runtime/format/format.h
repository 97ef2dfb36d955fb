// SPDX-License-Identifier: GPL-3.0-or-later
// Values as DTrace prints them, to the byte.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "runtime/agg/table.h"
#include "runtime/program/program.h"
#include "runtime/program/type_layout.h"
#include "runtime/program/value_type.h"

namespace sonde {

/// Where an address is, in words that are the same in every run and on every host.
struct SymbolPlace {
  std::string module;    ///< empty: unknown
  std::string function;  ///< empty: unknown
  uint64_t offset = 0;   ///< from the function's first byte; without a function, the address as its object was linked
  bool linked = false;   ///< `offset` counts
};

/// Names of addresses. The tests have their own.
class SymbolNames {
 public:
  virtual ~SymbolNames() = default;
  /// "libc.so.6`read+0x14" (UAddr, UReturn), "libc.so.6`read" (USym, UFunc), "libc.so.6" (UMod); "0x..." when unknown.
  virtual std::string name(uint32_t pid, uint64_t address, SymbolValue::Kind kind) = 0;
  /// The same, not yet a text.
  virtual SymbolPlace place(uint32_t pid, uint64_t address, SymbolValue::Kind kind) = 0;
  /// The address that stands for all of the same function or module; for keys.
  virtual uint64_t canonical(uint32_t pid, uint64_t address, SymbolValue::Kind kind) = 0;
  /// Signal handlers return to this code; the frame outside of it was interrupted and stands at its pc.
  virtual bool ends_signal_handler(uint32_t pid, uint64_t address) = 0;
};

/// What formats depend on besides the value.
struct FormatSettings {
  bool quiet = false;
  bool raw_bytes = false;
  uint32_t stack_indent = 14;
  uint32_t strsize = 256;
  uint32_t pid = 0;  ///< whose addresses %a and %A show
  SymbolNames* names = nullptr;
};

/// trace(): the default format of a value.
void format_trace(const ValueType& type, uint64_t word, const FormatSettings& settings, std::string& out);
/// Rows of 16 bytes, under a ruler, after a newline.
void format_hex_dump(const void* bytes, uint64_t size, std::string& out);
/// print(): an address, then what is there; `address` is of memory that may be read for the whole type, `shown` what it is said to be.
void format_print(const TypeLayout& type, uint64_t address, uint64_t shown, std::string& out);
/// A newline, then a line a frame.
void format_stack(const StackValue& stack, const FormatSettings& settings, std::string& out);
std::string format_symbol(const SymbolValue& symbol, const FormatSettings& settings);
/// A frame, which stands at its pc or behind its call. `names` may be null.
SymbolValue frame_of(const StackValue& stack, uint32_t index, SymbolNames* names);
/// How a value prints as a key of an aggregation.
void format_key(const ValueType& type, uint64_t word, const FormatSettings& settings, std::string& out);

/// One conversion of printf; `width` and `precision` in effect.
void format_conversion(const Conversion& conversion, int width, int precision, const ValueType& type, uint64_t word,
                       const FormatSettings& settings, std::string& out);
/// The number that a `*` takes.
int number_of_columns(uint64_t word);
/// The same with a width that may have come by `*`: a negative one means the left side.
void format_sized(const Conversion& conversion, int width, int precision, const ValueType& type, uint64_t word,
                  const FormatSettings& settings, std::string& out);
/// printf(): `types` and `words` as the action site has them, the ints of * included.
void format_printf(std::span<const Conversion> format, std::span<const ValueType> types, const uint64_t* words,
                   const FormatSettings& settings, std::string& out);

/// A distribution's block, newline and header first.
void format_distribution(const Distribution& distribution, const int64_t* data, uint64_t normal, std::string& out);
/// printa() without a format, of one or several aggregations: one line a tuple.
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
