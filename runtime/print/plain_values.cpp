// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/print/plain_values.h"

#include <algorithm>
#include <map>

#include "runtime/base/check.h"
#include "runtime/base/hex.h"
#include "runtime/format/append.h"
#include "runtime/print/json.h"

namespace sonde {
namespace {

using Kind = ValueType::Kind;

SymbolPlace place_of(const SymbolValue& symbol, SymbolNames* names) {
  return names == nullptr ? SymbolPlace() : names->place(symbol.space, symbol.address, symbol.kind);
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

std::string stack_key(const StackValue& stack, SymbolNames* names) {
  std::string text;
  for (const std::string& frame : stack_keys(stack, names)) text += (text.empty() ? "" : ";") + frame;
  return text;
}

/// The frames nearest to the leaf whose json_length() together is at most `most`; a longer leaf is cut at its end.
std::string_view cut_stack(std::string_view stack, size_t most) {
  size_t begin = stack.size(), used = 0;
  while (begin > 0) {
    const size_t semicolon = stack.rfind(';', begin - 1);
    const size_t frame = semicolon == stack.npos ? 0 : semicolon;  // with the ';' in front
    used += json_length(stack.substr(frame, begin - frame));
    if (used > most) break;
    begin = frame;
  }
  if (begin == stack.size()) return cut_for_json(stack.substr(stack.rfind(';') + 1), most);
  stack.remove_prefix(begin);
  if (stack.starts_with(';')) stack.remove_prefix(1);
  return stack;
}

/// Cuts keys so that the json_length() of all is at most `most`. Depends on nothing but the keys, so an element is cut
/// in the same way in each snapshot and on each host. Returns whether it has cut any.
bool cut_keys(const std::vector<ValueType>& types, std::vector<std::string>& keys, size_t most) {
  constexpr size_t kWidest = 6;  // a byte as \u001b
  size_t bytes = 0, needed = 0;
  for (const std::string& key : keys) bytes += key.size();
  if (bytes <= most / kWidest) return false;
  for (const std::string& key : keys) needed += json_length(key);
  if (needed <= most) return false;
  const size_t share = most / keys.size();
  for (size_t i = 0; i < keys.size(); ++i) {
    if (json_length(keys[i]) <= share) continue;
    keys[i] = types[i].kind == Kind::Stack ? cut_stack(keys[i], share) : cut_for_json(keys[i], share);
  }
  return true;
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
    case Kind::Stack: return word == 0 ? "" : stack_key(*reinterpret_cast<const StackValue*>(word), settings.names);
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

std::vector<NamedElement> named_elements(const AggSnapshot& snapshot, size_t at, const FormatSettings& settings,
                                         size_t longest_keys) {
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
    const bool is_cut = cut_keys(types, keys, longest_keys);
    const auto [found, is_new] = known.try_emplace(keys, elements.size());
    if (is_new) {
      elements.push_back({std::move(keys), {entry->data(), entry->data() + count}, is_cut});
      continue;
    }
    NamedElement& same = elements[found->second];
    same.is_cut |= is_cut;
    table.operations().merge(table.desc(), same.words.data(), entry->data());
  }
  return elements;
}

}  // namespace sonde
