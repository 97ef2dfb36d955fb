// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/signatures.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

#include "runtime/process/elf_file.h"

namespace sonde::pid {
namespace {

constexpr int kMostNames = 16;  // of names, and pointers to pointers

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

bool same(const sonde_location& a, const sonde_location& b) {
  return a.kind == b.kind && a.base == b.base && a.value == b.value && a.at == b.at && a.size == b.size;
}

/// The parts without padding. Go says "%xmm0" of a structure of a float and nothing else that is passed.
bool same_registers(std::vector<sonde_location> a, std::vector<sonde_location> b) {
  for (auto* parts : {&a, &b})
    std::erase_if(*parts, [](const sonde_location& one) { return one.kind == SONDE_LOCATION_CONSTANT; });
  return std::ranges::equal(a, b, [](const sonde_location& x, sonde_location y) {
    y.size = x.size;
    return same(x, y);
  });
}

enum class Word : uint8_t { Silent, Agrees, Disagrees };

/// What DWARF says of a place that the convention gives.
Word compare(const CParameter& parameter, const ValuePlace& convention, uint8_t argument, bool go) {
  using Kind = CPiece::Kind;
  const std::vector<CPiece>& pieces = parameter.place.pieces;
  const auto is = [&](Kind kind) {
    return std::ranges::any_of(pieces, [kind](const CPiece& one) { return one.kind == kind; });
  };
  if (pieces.empty() || !convention.known() || is(Kind::Elsewhere) || is(Kind::Constant)) return Word::Silent;
  if (!parameter.place.listed) {
    const CPiece& only = pieces.front();
    if (go) return Word::Silent;  // its slot, which Go has in the caller's frame
    const bool callee = (only.kind == Kind::Frame && only.value < 0) || only.kind == Kind::Memory ||
                        (only.kind == Kind::Register && keeps_for_caller(only.number));
    if (callee) return Word::Silent;  // filled by the prologue
  }
  const ValuePlace said = place_pieces(pieces, convention.size, argument);
  if (!said.known()) return Word::Silent;
  const bool agree =
      go ? same_registers(said.parts, convention.parts) : std::ranges::equal(said.parts, convention.parts, same);
  return agree ? Word::Agrees : Word::Disagrees;
}

/// The places `all` by the convention, as far as DWARF does not contradict.
std::vector<ValuePlace> checked_places(const CFunction& function, std::vector<ValuePlace> all) {
  std::vector<Word> words;
  const bool go = function.language == CLanguage::Go;
  for (size_t n = 0; n < all.size(); n++)
    words.push_back(compare(function.parameters[n], all[n], static_cast<uint8_t>(n), go));
  const auto disagrees = std::ranges::find(words, Word::Disagrees);
  const bool suspect = clang_may_have_changed(function);
  for (size_t n = 0; n < all.size(); n++) {
    if (!all[n].known() || words[n] == Word::Agrees) continue;
    if (words[n] == Word::Disagrees)
      all[n] = ValuePlace::unknown("the debug information and the calling convention disagree about it", all[n].size);
    else if (disagrees != words.end())
      all[n] = ValuePlace::unknown(
          "args[" + std::to_string(disagrees - words.begin()) + "] is not where the calling convention puts it",
          all[n].size);
    else if (clang_has_optimized(function) && function.parameters[n].place.pieces.empty() &&
             !function.parameters[n].place.later)
      all[n] = ValuePlace::unknown("clang may not pass a parameter that the function does not use", all[n].size);
    else if (suspect)
      all[n] = ValuePlace::unknown("clang may have changed the parameters of this static function", all[n].size);
  }
  return all;
}

/// The places by DWARF alone.
std::vector<ValuePlace> told_places(CTypes& types, const CFunction& function, const std::string& why) {
  std::vector<ValuePlace> all;
  for (const CParameter& parameter : function.parameters) {
    const uint64_t size = size_of(types, parameter.type);
    ValuePlace place;
    if (parameter.place.listed && size != 0)
      place = place_pieces(parameter.place.pieces, size, static_cast<uint8_t>(all.size()));
    all.push_back(place.known() ? std::move(place) : ValuePlace::unknown(why, size));
  }
  return all;
}

ValuePlace result_of(CTypes& types, const CFunction& function, const std::string& why) {
  const uint64_t size = size_of(types, function.result);
  if (!why.empty()) return ValuePlace::unknown(why, size);
  if (clang_may_have_changed(function))
    return ValuePlace::unknown("clang may have left out the result of this static function", size);
  return place_result(types, function, kResultArgument);
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
void place_by_go(CTypes& types, const CFunction& function, const std::string& symbol, Signature& out) {
  GoPlaced placed = place_go(types, function, symbol);
  const bool known = placed.unknown.empty();
  std::vector<ValuePlace> places =
      known ? checked_places(function, std::move(placed.parameters)) : told_places(types, function, placed.unknown);
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
    place_by_go(types, *function, symbol, out);
    return out;
  }
  const std::string why = own_rules(*function, symbol);
  std::vector<ValuePlace> places =
      why.empty() ? checked_places(*function, place_parameters(types, *function)) : told_places(types, *function, why);
  for (size_t n = 0; n < places.size() && n < SONDE_ARGUMENTS_MAX; n++) {
    const CParameter& parameter = function->parameters[n];
    out.parameters.push_back({types.spelling(parameter.type), parameter.name, std::move(places[n])});
  }
  if (function->result != kCVoid)
    out.results.push_back({types.spelling(function->result), "", result_of(types, *function, why)});
  return out;
}

}  // namespace sonde::pid
