// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/print/plain_values.h"

#include <algorithm>
#include <map>

#include "runtime/base/check.h"
#include "runtime/base/hex.h"
#include "runtime/format/append.h"

namespace sonde {
namespace {

using Kind = ValueType::Kind;

constexpr size_t kMostKeys = 12 * 1024;  // bytes of all keys of an element, so that a line with them stays below 16 KiB

SymbolPlace place_of(const SymbolValue& symbol, SymbolNames* names) {
  return names == nullptr ? SymbolPlace() : names->place(symbol.pid, symbol.address, symbol.kind);
}

std::string symbol_key(const SymbolValue& symbol, SymbolNames* names) {
  const SymbolPlace place = place_of(symbol, names);
  if (!place.module.empty() && (symbol.kind == SymbolValue::UMod || symbol.kind == SymbolValue::Mod))
    return place.module;
  std::string text = frame_key(symbol, names);
  const bool exact = symbol.kind == SymbolValue::UAddr || symbol.kind == SymbolValue::UReturn;
  if (exact && !place.function.empty() && place.offset != 0) text += "+" + hex(place.offset);
  return text;
}

/// Frames at the root of a stack that is too long are left out.
std::string stack_key(const StackValue& stack, SymbolNames* names, size_t most) {
  std::string text;
  const std::vector<std::string> frames = stack_keys(stack, names);
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (text.size() + frame->size() + 1 > most) break;
    text.insert(0, *frame + (text.empty() ? "" : ";"));
  }
  return text;
}

std::string integer_text(const ValueType& type, uint64_t word) {
  return type.is_signed ? std::to_string(extend_from_size(word, type.size))
                        : std::to_string(cut_to_size(word, type.size));
}

std::string traced_text(const ValueType& type, uint64_t word, const FormatSettings& settings) {
  if (type.kind == Kind::Symbol)
    return word == 0 ? "" : format_symbol(*reinterpret_cast<const SymbolValue*>(word), settings);
  if (type.kind != Kind::Integer && type.kind != Kind::Pointer && type.kind != Kind::Float)
    return key_text(type, word, settings);
  FormatSettings plain = settings;
  plain.quiet = true;
  std::string text;
  format_trace(type, word, plain, text);
  return text;
}

}  // namespace

std::string frame_key(const SymbolValue& frame, SymbolNames* names) {
  const SymbolPlace place = place_of(frame, names);
  if (place.module.empty()) return "[unknown]";
  if (!place.function.empty()) return place.module + "`" + place.function;
  return place.module + (place.linked ? "+" + hex(place.offset) : "");
}

std::string frame_text(const SymbolValue& frame, SymbolNames* names) {
  const SymbolPlace place = place_of(frame, names);
  if (place.module.empty()) return hex(frame.address);
  const std::string text = frame_key(frame, names);
  return place.function.empty() || place.offset == 0 ? text : text + "+" + hex(place.offset);
}

std::vector<std::string> stack_keys(const StackValue& stack, SymbolNames* names) {
  std::vector<std::string> frames;
  for (uint32_t i = stack.count; i-- > 0;) {
    frames.push_back(frame_key(frame_of(stack, i, names), names));
    std::ranges::replace(frames.back(), ';', ':');
  }
  return frames;
}

bool is_char_array(const ValueType& type) {
  return type.kind == Kind::Bytes && type.type_name.find("char") != std::string::npos;
}

std::string bytes_text(const ValueType& type, const void* bytes) {
  std::string_view all(static_cast<const char*>(bytes), type.size);
  if (is_char_array(type)) {
    const size_t last = all.find_last_not_of('\0');
    return std::string(all.substr(0, last == all.npos ? 0 : last + 1));
  }
  std::string text;
  for (const char byte : all) append_format(text, "%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  return text;
}

std::string probe_text(const ProbeInfo& probe) {
  return probe.provider + ":" + probe.module + ":" + probe.function + ":" + probe.name;
}

std::optional<std::string> item_text(const TraceRecord& record, const TraceItem& item) {
  std::string text;
  switch (item.kind) {
    case TraceItem::Kind::Trace:
      return traced_text(item.site->arguments.at(0), record.words_of(item)[0], item.settings);
    case TraceItem::Kind::Printf:
    case TraceItem::Kind::System:
    case TraceItem::Kind::Freopen:
      format_printf(item.site->format, item.site->arguments, record.words_of(item), item.settings, text);
      return text;
    case TraceItem::Kind::Print:
      format_print(*item.site->layout, reinterpret_cast<uint64_t>(record.bytes_of(item)), item.number, text);
      return text;
    case TraceItem::Kind::Tracemem:
      return bytes_text({Kind::Bytes, false, static_cast<uint32_t>(item.number), ""}, record.bytes_of(item));
    case TraceItem::Kind::Printa:
    case TraceItem::Kind::Ftruncate:
    case TraceItem::Kind::Change: break;
  }
  return std::nullopt;
}

std::string key_text(const ValueType& type, uint64_t word, const FormatSettings& settings) {
  switch (type.kind) {
    case Kind::Integer: return integer_text(type, word);
    case Kind::Pointer: return hex(word);
    case Kind::String: return std::string(text_of(type, word, settings.strsize));
    case Kind::Bytes: return word == 0 ? "" : bytes_text(type, reinterpret_cast<const void*>(word));
    case Kind::Stack:
      return word == 0 ? "" : stack_key(*reinterpret_cast<const StackValue*>(word), settings.names, kMostKeys);
    case Kind::Symbol: return word == 0 ? "" : symbol_key(*reinterpret_cast<const SymbolValue*>(word), settings.names);
    case Kind::Float: {
      std::string text;
      append_format(text, "%.17g", float_of(word, type.size));
      return text;
    }
  }
  SONDE_CHECK(false);
}

std::string_view key_type_name(const ValueType& type) {
  switch (type.kind) {
    case Kind::Integer: return type.is_signed ? "int" : "uint";
    case Kind::Pointer: return "pointer";
    case Kind::String: return "string";
    case Kind::Bytes: return is_char_array(type) ? "string" : "bytes";
    case Kind::Stack: return "stack";
    case Kind::Symbol: return "symbol";
    case Kind::Float: return "float";
  }
  SONDE_CHECK(false);
}

std::string key_name(const AggregationDesc& desc, size_t i) {
  const bool is_known = i < desc.key_names.size() && !desc.key_names[i].empty();
  return is_known ? desc.key_names[i] : "key" + std::to_string(i);
}

std::vector<NamedElement> named_elements(const AggSnapshot& snapshot, size_t at, const FormatSettings& settings) {
  const AggTable& table = *snapshot.tables[at];
  const std::vector<ValueType>& types = table.desc().keys;
  const uint64_t count = table.operations().words(table.desc());
  std::vector<NamedElement> elements;
  std::map<std::vector<std::string>, size_t> known;
  std::vector<uint64_t> words(types.size());
  for (const JoinedRow& row : snapshot.rows()) {
    const KeyedEntry* entry = row.elements[at];
    if (entry == nullptr) continue;
    table.codec().decode(entry->key(), words.data());
    std::vector<std::string> keys;
    for (size_t i = 0; i < types.size(); ++i) keys.push_back(key_text(types[i], words[i], settings));
    const auto [found, is_new] = known.try_emplace(keys, elements.size());
    if (is_new)
      elements.push_back({std::move(keys), {entry->data(), entry->data() + count}});
    else
      table.operations().merge(table.desc(), elements[found->second].words.data(), entry->data());
  }
  return elements;
}

}  // namespace sonde
