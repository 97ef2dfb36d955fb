// SPDX-License-Identifier: GPL-3.0-or-later
// Values for other programs: no columns, and names instead of what is known only on this host
//
// An address means nothing elsewhere. So a symbol is module`function, and a stack is its frames, root first, joined by
// ';'. An address without a name is shown as it was linked, module+0xADDRESS; without a module it is [unknown].
//
// Two stacks that differ only in offsets are two keys in D and one key here. Their elements are merged before they are
// printed, because a reader takes the later of two elements with the same keys to be the newer one.
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

/// A frame such as "libc.so.6`read+0x14", or an address; in a key it has no offset.
std::string frame_text(const SymbolValue& frame, SymbolNames* names);
std::string frame_key(const SymbolValue& frame, SymbolNames* names);
/// The frames of a stack as they are in keys, root first. ';' in a name becomes ':'.
std::vector<std::string> stack_keys(const StackValue& stack, SymbolNames* names);

/// Whether it is an array of characters: its bytes, up to the NULs at its end, are a text.
bool is_char_array(const ValueType& type);
/// The bytes of a value of Bytes: a char array's text, else hex digits.
std::string bytes_text(const ValueType& type, const void* bytes);

/// An item's text, as D prints it without columns; a stack as in a key. None: it has no text.
std::optional<std::string> item_text(const TraceRecord& record, const TraceItem& item);
/// "syscall::read:entry"
std::string probe_text(const ProbeInfo& probe);

/// A key of an aggregation.
std::string key_text(const ValueType& type, uint64_t word, const FormatSettings& settings);
/// int, uint, pointer, string, bytes, stack or symbol.
std::string_view key_type_name(const ValueType& type);
/// The name of key `i`: that of the D variable it is, else "key" and its number.
std::string key_name(const AggregationDesc& desc, size_t i);

/// An element with its keys as texts.
struct NamedElement {
  std::vector<std::string> keys;
  std::vector<int64_t> words;  ///< as the aggregating function keeps them
  bool is_cut = false;         ///< keys were too long
};

/// The elements of table `at` of a snapshot, in its order; those with the same texts are merged. Longer keys than
/// `longest_keys`, in bytes of JSON, are cut: stacks at the root, other texts at the end.
std::vector<NamedElement> named_elements(const AggSnapshot& snapshot, size_t at, const FormatSettings& settings,
                                         size_t longest_keys = SIZE_MAX);

}  // namespace sonde
