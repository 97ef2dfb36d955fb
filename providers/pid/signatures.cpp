// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/signatures.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

#include "runtime/process/elf_file.h"

namespace sonde::pid {
namespace {

/// An object's debug information.
struct Described {
  std::shared_ptr<const ElfFile> file;
  std::unique_ptr<CTypes> types;
};

Described& described(const std::string& path) {
  static std::map<std::string, Described> opened;
  auto [at, fresh] = opened.try_emplace(path);
  if (!fresh) return at->second;
  if (auto file = ElfFile::open(path)) at->second.file = std::move(*file);
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

/// Clang changes the parameters of functions that only one unit can call, and marks them only since version 17.
bool clang_may_have_changed(const CFunction& function) { return !function.external && clang_has_optimized(function); }

/// Why the calling convention cannot be relied on; empty: it can.
std::string own_rules(const CFunction& function, std::string_view symbol) {
  switch (function.language) {
    case CLanguage::C:
    case CLanguage::CPlusPlus: break;
    case CLanguage::Go: return "Go has a calling convention of its own";
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

enum class Word : uint8_t { Silent, Agrees, Disagrees };

/// What DWARF says of a place that the convention gives.
Word compare(const CParameter& parameter, const ValuePlace& convention, uint8_t argument) {
  using Kind = CPiece::Kind;
  const std::vector<CPiece>& pieces = parameter.place.pieces;
  const auto is = [&](Kind kind) {
    return std::ranges::any_of(pieces, [kind](const CPiece& one) { return one.kind == kind; });
  };
  if (pieces.empty() || !convention.known() || is(Kind::Elsewhere) || is(Kind::Constant)) return Word::Silent;
  if (!parameter.place.listed) {
    const CPiece& only = pieces.front();
    const bool callee = (only.kind == Kind::Frame && only.value < 0) || only.kind == Kind::Memory ||
                        (only.kind == Kind::Register && keeps_for_caller(only.number));
    if (callee) return Word::Silent;  // filled by the prologue
  }
  const ValuePlace said = place_pieces(pieces, convention.size, argument);
  if (!said.known()) return Word::Silent;
  return std::ranges::equal(said.parts, convention.parts, same) ? Word::Agrees : Word::Disagrees;
}

/// The places by the convention, as far as DWARF does not contradict.
std::vector<ValuePlace> checked_places(CTypes& types, const CFunction& function) {
  std::vector<ValuePlace> all = place_parameters(types, function);
  std::vector<Word> words;
  for (size_t n = 0; n < all.size(); n++)
    words.push_back(compare(function.parameters[n], all[n], static_cast<uint8_t>(n)));
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

}  // namespace

Signature signature_at(const std::string& path, uint64_t entry, const std::string& symbol) {
  Signature out;
  const Described& object = described(path);
  uint64_t address = 0;
  if (object.types == nullptr || object.file == nullptr || !object.file->address_of(entry, address)) return out;
  CTypes& types = *object.types;
  const auto function = types.function_at(address);
  if (!function) return out;
  out.known = true;
  out.result = types.spelling(function->result);
  const std::string why = own_rules(*function, symbol);
  std::vector<ValuePlace> places = why.empty() ? checked_places(types, *function) : told_places(types, *function, why);
  for (size_t n = 0; n < places.size() && n < SONDE_ARGUMENTS_MAX; n++) {
    const CParameter& parameter = function->parameters[n];
    out.parameters.push_back({types.spelling(parameter.type), parameter.name, std::move(places[n])});
  }
  if (function->result != kCVoid) out.result_place = result_of(types, *function, why);
  return out;
}

}  // namespace sonde::pid
