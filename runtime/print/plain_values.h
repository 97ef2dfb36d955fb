// SPDX-License-Identifier: GPL-3.0-or-later
// Values for other programs: no columns, and names in place of what only this host knows
//
// An address means nothing elsewhere, so a symbol is module`function, and a stack its frames, root first, joined by ';'. What the
// host cannot name has the address as it was linked, module+0xADDRESS; where there is not even a module it is [unknown].
//
// Two stacks that differ in offsets only are two keys of D and one key here. Their elements are merged before they are printed, for a
// reader takes the later one of two elements with the same keys to be the newer one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/agg/snapshot.h"
#include "runtime/format/format.h"
#include "runtime/print/trace_record.h"

namespace sonde {

/// "libc.so.6`read+0x14" as a frame is shown, which may be an address; as part of a key without the offset.
std::string frame_text(const SymbolValue& frame, SymbolNames* names);
std::string frame_key(const SymbolValue& frame, SymbolNames* names);
/// The frames of a stack as frame_key() has them, root first. ';' in a name is ':'.
std::vector<std::string> stack_keys(const StackValue& stack, SymbolNames* names);

/// Whether it is an array of characters, so that its bytes up to the NULs at its end are a text.
bool is_char_array(const ValueType& type);
/// The bytes of a value of Bytes: a char array's text, else hex digits.
std::string bytes_text(const ValueType& type, const void* bytes);

/// What an item shows, as D prints it without columns; a stack as its key is. None: it shows no text.
std::optional<std::string> item_text(const TraceRecord& record, const TraceItem& item);
/// "syscall::read:entry"
std::string probe_text(const ProbeInfo& probe);

/// A key of an aggregation.
std::string key_text(const ValueType& type, uint64_t word, const FormatSettings& settings);
/// int, uint, pointer, string, bytes, stack or symbol.
std::string_view key_type_name(const ValueType& type);
/// The name of key `i`: the variable's that it is, else "key" and its number.
std::string key_name(const AggregationDesc& desc, size_t i);

/// An element with its keys as texts.
struct NamedElement {
  std::vector<std::string> keys;
  std::vector<int64_t> words;  ///< as the aggregating function has them
};

/// The elements of table `at` of a snapshot in its order, those with the same texts merged.
std::vector<NamedElement> named_elements(const AggSnapshot& snapshot, size_t at, const FormatSettings& settings);

}  // namespace sonde
