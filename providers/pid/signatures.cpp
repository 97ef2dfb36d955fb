// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/signatures.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

#include "providers/pid/evidence.h"
#include "providers/pid/register_use.h"
#include "runtime/process/elf_file.h"

namespace sonde::pid {
namespace {

constexpr int kMostNames = 16;       // of names, and pointers to pointers
constexpr uint64_t kCodeRead = 256;  // bytes behind a call

/// An object's debug information.
struct Described {
  std::shared_ptr<const ElfFile> file;
  std::unique_ptr<CTypes> types;
};

/// What is known of the file that the path leads to now.
Described& described(const std::string& path) {
  static ElfCache files;
  static std::map<const ElfFile*, Described> opened;
  const auto file = files.open(path);
  auto [at, fresh] = opened.try_emplace(file ? file->get() : nullptr);
  if (!fresh || !file) return at->second;
  at->second.file = *file;
  if (auto types = read_dwarf(path)) at->second.types = std::move(*types);
  return at->second;
}

/// The mark of a copy that a compiler has made with other parameters: ".isra" of fields.isra.0.
std::string_view mark_of_copy(std::string_view symbol) {
  for (std::string_view mark : {".isra", ".constprop", ".part", ".specialized", ".argprom", ".argelim"})
    if (const size_t at = symbol.find(mark); at != std::string_view::npos) return symbol.substr(at, mark.size());
  return {};
}

bool clang_has_optimized(const CFunction& function) {
  return function.optimized && function.producer.find("clang") != std::string::npos;
}

/// Optimization at link time makes functions local that their own unit calls external; so does hidden visibility.
bool is_global(const ElfFile& file, uint64_t address) {
  const ElfFunction* function = file.at(address);
  return function != nullptr && function->binding != ElfFunction::Binding::Local;
}

/// Clang changes the parameters of functions that only one unit can call, and marks them only since version 17.
bool clang_may_have_changed(const CFunction& function) { return !function.external && clang_has_optimized(function); }

/// Why the calling convention cannot be relied on; empty: it can.
std::string own_rules(const CFunction& function, std::string_view symbol) {
  switch (function.language) {
    case CLanguage::C:
    case CLanguage::CPlusPlus: break;
    case CLanguage::Go: break;
    case CLanguage::Rust: return "Rust has a calling convention of its own";
    case CLanguage::Assembler: return "the function is written in assembler";
    case CLanguage::Other: return "its language has a calling convention of its own";
  }
  if (!function.usual_convention) return "the function has another calling convention than C's";
  if (const std::string_view mark = mark_of_copy(symbol); !mark.empty())
    return "the compiler has changed the parameters of this copy of the function (" + std::string(mark) + ")";
  const auto hidden = [](const CParameter& one) { return one.name == "__in_chrg" || one.name == "__vtt_parm"; };
  if (std::ranges::any_of(function.parameters, hidden)) return "it constructs a class with virtual bases";
  return {};
}

/// The places `all` by the convention, as far as DWARF does not contradict, and, if it counts, those that only it knows.
std::vector<ValuePlace> checked_places(const CFunction& function, std::vector<ValuePlace> all, bool told_counts) {
  std::vector<Word> words;
  const bool go = function.language == CLanguage::Go;
  for (size_t n = 0; n < all.size(); n++)
    words.push_back(compare(function.parameters[n], all[n], static_cast<uint8_t>(n), go));
  const auto wrong = std::ranges::find(words, Word::Disagrees);
  const std::string lost =
      "args[" + std::to_string(wrong - words.begin()) + "] is not where the calling convention puts it";
  for (size_t n = 0; n < all.size(); n++) {
    const CParameter& parameter = function.parameters[n];
    if (words[n] == Word::Agrees) continue;
    if (!all[n].known() && all[n].is_passed && told_counts) {
      ValuePlace told = told_place(parameter, all[n].size, static_cast<uint8_t>(n));
      if (told.known()) all[n] = std::move(told);
    } else if (all[n].known() && wrong != words.end()) {
      const bool mine = words[n] == Word::Disagrees;
      all[n] = ValuePlace::unknown(mine ? "the debug information and the calling convention disagree about it" : lost,
                                   all[n].size);
    }
  }
  return all;
}

/// The places of the parameters of a C or C++ function that keeps to the calling convention.
std::vector<ValuePlace> usual_places(const Described& object, const CFunction& function, uint64_t address) {
  std::vector<ValuePlace> all = place_parameters(*object.types, function);
  if (!clang_has_optimized(function))
    return checked_places(function, std::move(all),
                          !function.optimized || object.types->tells_assignments_apart(address));
  const ElfFunction* symbol = object.file->at(address);
  const std::vector<uint8_t> code = symbol != nullptr ? object.file->code(*symbol) : std::vector<uint8_t>();
  return places_in_clangs(*object.types, function, std::move(all), code);
}

/// Whether the code behind a call of the function at `address` uses this part of its result.
bool is_used_behind(const ElfFile& file, uint64_t behind, uint64_t address, const sonde_location& part) {
  uint64_t offset = 0;
  if (!file.offset_of(behind - kCallBytes, offset)) return false;
  const std::vector<uint8_t> code = file.code(offset, kCallBytes + kCodeRead);
  if (code.size() <= kCallBytes) return false;
  const std::span<const uint8_t> all(code);
  return called_by(all.first(kCallBytes)) == static_cast<int64_t>(address - behind) &&
         reads_result(all.subspan(kCallBytes), part);
}

/// Whether the compiler cannot have left out the result: callers in its unit use all of it.
bool is_result_used(const Described& object, uint64_t address, const ValuePlace& place) {
  const ElfFunction* function = object.file->at(address);
  if (function == nullptr) return false;
  const std::vector<uint8_t> own = object.file->code(*function);
  const std::vector<uint64_t> calls = object.types->behind_calls(address);
  return std::ranges::all_of(place.parts, [&](const sonde_location& part) {
    if (part.kind == SONDE_LOCATION_CONSTANT) return true;  // padding
    const auto uses = [&](uint64_t behind) { return is_used_behind(*object.file, behind, address, part); };
    return writes_result(own, part) && std::ranges::any_of(calls, uses);
  });
}

/// The result, which the compiler may have left out: `why` says so.
ValuePlace result_if_used(const Described& object, const CFunction& function, uint64_t address, std::string why) {
  ValuePlace place = place_result(*object.types, function, kResultArgument);
  if (!place.known() || is_result_used(object, address, place)) return place;
  return ValuePlace::unknown(std::move(why), place.size);
}

ValuePlace result_of(const Described& object, const CFunction& function, uint64_t address, std::string_view symbol,
                     const std::string& why) {
  const std::string_view mark = mark_of_copy(symbol);
  if (!why.empty() && mark.empty()) return ValuePlace::unknown(why, size_of(*object.types, function.result));
  if (!mark.empty() && !is_only_specialized(symbol)) return result_if_used(object, function, address, why);
  if (clang_may_have_changed(function))
    return result_if_used(object, function, address, "clang may have left out the result of this static function");
  return place_result(*object.types, function, kResultArgument);
}

/// A Go type as D names it: D's own numbers, for Go's int has 8 bytes, and the program's names for the rest.
std::string go_spelling(CTypes& types, CTypeId id, int depth = 0) {
  const CType one = types.type(id);
  if (depth > kMostNames) return "void";
  const std::string bits = std::to_string(8 * one.size);
  switch (one.kind) {
    case CType::Kind::Integer: return (one.is_signed ? "int" : "uint") + bits + "_t";
    case CType::Kind::Float: return one.complex ? one.name : one.size == 4 ? "float" : "double";
    case CType::Kind::Pointer: {
      if (one.target == kCVoid) return "void *";
      const std::string target = go_spelling(types, one.target, depth + 1);
      return target + (target.ends_with('*') ? "*" : " *");
    }
    case CType::Kind::Struct: return (one.name.starts_with("struct {") ? "" : "struct ") + one.name;
    case CType::Kind::Typedef: {
      const std::string target = go_spelling(types, one.target, depth + 1);
      const bool own_name = target.find('.') != std::string::npos && !target.ends_with('*');
      return own_name && !one.name.starts_with(".param") ? one.name : target;
    }
    default: return one.name.empty() ? types.spelling(id) : one.name;
  }
}

/// Go's rules, as far as DWARF does not contradict.
void place_by_go(CTypes& types, const CFunction& function, const std::string& symbol, bool told_counts,
                 Signature& out) {
  GoPlaced placed = place_go(types, function, symbol);
  const bool known = placed.unknown.empty();
  std::vector<ValuePlace> places = known ? checked_places(function, std::move(placed.parameters), false)
                                         : told_places(types, function, placed.unknown, told_counts);
  for (size_t n = 0; n < places.size() && n < SONDE_ARGUMENTS_MAX; n++) {
    const CParameter& parameter = function.parameters[n];
    out.parameters.push_back({go_spelling(types, parameter.type), parameter.name, std::move(places[n])});
  }
  for (size_t n = 0; n < function.results.size() && n + kResultArgument < SONDE_ARGUMENTS_MAX; n++) {
    const CParameter& result = function.results[n];
    const std::string name = result.name.starts_with('~') ? "" : result.name;
    ValuePlace place =
        known ? std::move(placed.results[n]) : ValuePlace::unknown(placed.unknown, size_of(types, result.type));
    out.results.push_back({go_spelling(types, result.type), name, std::move(place)});
  }
}

}  // namespace

Signature signature_at(const std::string& path, uint64_t entry, const std::string& symbol) {
  Signature out;
  const Described& object = described(path);
  uint64_t address = 0;
  if (object.types == nullptr || object.file == nullptr || !object.file->address_of(entry, address)) return out;
  CTypes& types = *object.types;
  auto function = types.function_at(address);
  if (!function) return out;
  function->external = function->external && is_global(*object.file, address);
  out.known = true;
  if (function->language == CLanguage::Go) {
    place_by_go(types, *function, symbol, types.tells_assignments_apart(address), out);
    return out;
  }
  const std::string why = own_rules(*function, symbol);
  const std::string_view mark = mark_of_copy(symbol);
  const bool told_counts = !why.empty() && types.tells_assignments_apart(address);
  std::vector<ValuePlace> places = why.empty()    ? usual_places(object, *function, address)
                                   : mark.empty() ? told_places(types, *function, why, told_counts)
                                                  : places_of_copy(types, *function, symbol, why, told_counts);
  for (size_t n = 0; n < places.size() && n < SONDE_ARGUMENTS_MAX; n++) {
    const CParameter& parameter = function->parameters[n];
    out.parameters.push_back({types.spelling(parameter.type), parameter.name, std::move(places[n])});
  }
  if (function->result != kCVoid)
    out.results.push_back({types.spelling(function->result), "", result_of(object, *function, address, symbol, why)});
  return out;
}

}  // namespace sonde::pid
