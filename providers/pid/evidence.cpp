// SPDX-License-Identifier: GPL-3.0-or-later
// Copies. When gcc makes a copy of a function that takes other parameters (f.isra.0, f.constprop.0), its entry lists
//
//   the parameters that the copy still takes, in their order
//   those that it does not, as variables, in the opposite order, because each is put before the others
//
// so `0 1 3 4 2` has lost number 2, and perhaps 4, the peak, whose own place decides. The calling convention puts what is
// kept as if the rest had never been there. But .isra may pass parts of a structure, or what a pointer leads to, in
// place of these: then no place behind it is known.
//
// Invariant: a copy of which anything contradicts this is not believed at all beyond what told_places() believes, and
// that only where the unit has views (dwarf_views.h).
#include "providers/pid/evidence.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "providers/pid/kept_parameters.h"
#include "providers/pid/register_use.h"

namespace sonde::pid {
namespace {

bool same(const sonde_location& a, const sonde_location& b) {
  return a.kind == b.kind && a.base == b.base && a.value == b.value && a.at == b.at && a.size == b.size;
}

bool same_parts(const std::vector<sonde_location>& a, const std::vector<sonde_location>& b) {
  return std::ranges::equal(a, b, same);
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

constexpr std::string_view kConstants = ".constprop";
constexpr size_t kNobody = SIZE_MAX;

/// The numbers of the parameters in the order of the copy's own entry.
std::vector<size_t> listed_order(const CFunction& function) {
  std::vector<size_t> order;
  for (size_t n = 0; n < function.parameters.size(); n++)
    if (function.parameters[n].order >= 0) order.push_back(n);
  std::ranges::sort(order, {}, [&](size_t n) { return function.parameters[n].order; });
  return order;
}

/// Whether the debug information says that nobody passes it: at the first instruction, or of the function as a whole, where
/// gcc writes DW_OP_GNU_parameter_ref, "as the caller's caller had it".
bool is_dropped(const CParameter& parameter) {
  const std::vector<CPiece>& pieces = parameter.place.pieces;
  const auto gone = [&](const CPiece& one) {
    return one.kind == CPiece::Kind::Elsewhere ||
           (parameter.place.listed && (one.kind == CPiece::Kind::Constant || one.kind == CPiece::Kind::Nowhere));
  };
  return !pieces.empty() && std::ranges::all_of(pieces, gone);
}

struct Taken {
  std::vector<size_t> kept;  ///< ascending
  bool last_is_sure = true;
};

/// Nothing: the order is another one than gcc's.
std::optional<Taken> taken_by(const CFunction& copy) {
  const std::vector<size_t> order = listed_order(copy);
  if (!copy.producer.starts_with("GNU C") || order.empty()) return std::nullopt;
  const auto peak = std::ranges::max_element(order);
  if (!std::ranges::is_sorted(order.begin(), peak) || !std::ranges::is_sorted(peak, order.end(), std::greater()))
    return std::nullopt;
  Taken taken{{order.begin(), peak}};
  const auto& all = copy.parameters;
  if (std::ranges::any_of(taken.kept, [&](size_t n) { return is_dropped(all[n]); })) return std::nullopt;
  if (is_dropped(all[*peak]) || all[*peak].place.pieces.empty()) return taken;
  taken.kept.push_back(*peak);
  taken.last_is_sure = false;
  return taken;
}

/// Whether something else may be passed in place of a parameter of this type.
bool may_be_split(CTypes& types, CTypeId id) {
  CType type = types.type(id);
  for (int i = 0; i < 16 && type.kind == CType::Kind::Typedef; i++) type = types.type(type.target);
  switch (type.kind) {
    case CType::Kind::Integer:
    case CType::Kind::Float:
    case CType::Kind::Enum: return type.complex || type.size > 8;
    default: return true;
  }
}

/// The copy as a function of its own: `numbers` are those of its parameters in the original, or kNobody.
struct Copy {
  CFunction function;
  std::vector<size_t> numbers;
};

Copy as_function(CTypes& types, const CFunction& function, const Taken& taken, bool may_split) {
  Copy copy{function, {}};
  copy.function.parameters.clear();
  for (size_t n = 0; n < function.parameters.size(); n++) {
    const bool kept = std::ranges::binary_search(taken.kept, n);
    if (!kept && !(may_split && may_be_split(types, function.parameters[n].type))) continue;
    copy.function.parameters.push_back(kept ? function.parameters[n] : CParameter{"", kCVoid});
    copy.numbers.push_back(kept ? n : kNobody);
  }
  return copy;
}

/// The places in the copy, by the number of the original; nothing: DWARF contradicts one of them. `agreed` are those
/// that it confirms.
std::optional<std::vector<ValuePlace>> places_in(CTypes& types, const Copy& copy, size_t count,
                                                 std::vector<bool>& agreed) {
  const std::vector<ValuePlace> found = place_parameters(types, copy.function);
  std::vector<ValuePlace> all(count);
  agreed.assign(count, false);
  for (size_t i = 0; i < found.size(); i++) {
    const size_t n = copy.numbers[i];
    if (n == kNobody || !found[i].known()) continue;
    all[n] = found[i];
    for (sonde_location& part : all[n].parts)
      part.argument = static_cast<uint8_t>(std::min<size_t>(n, SONDE_ARGUMENTS_MAX));
    const Word word = compare(copy.function.parameters[i], all[n], all[n].parts.front().argument, false);
    if (word == Word::Disagrees) return std::nullopt;
    agreed[n] = word == Word::Agrees;
  }
  return all;
}

/// The places that the copy has both with its result and without: an address for it may be passed or not.
std::optional<std::vector<ValuePlace>> places_in_variants(CTypes& types, Copy copy, size_t count, bool may_lose_result,
                                                          std::vector<bool>& agreed) {
  auto with = places_in(types, copy, count, agreed);
  if (!may_lose_result || copy.function.result == kCVoid) return with;
  copy.function.result = kCVoid;
  std::vector<bool> agreed_without;
  auto without = places_in(types, copy, count, agreed_without);
  if (!with) {
    agreed = std::move(agreed_without);
    return without;
  }
  for (size_t n = 0; without && n < count; n++)
    if (!same_parts((*with)[n].parts, (*without)[n].parts)) (*with)[n] = {};
  return with;
}

/// The same place by the caller's frame.
CPiece by_caller(const CPiece& piece, std::span<const uint8_t> code) {
  const std::optional<int64_t> size = frame_size(code, piece.number);
  if (!size) return {CPiece::Kind::Elsewhere, 0, 0, piece.size};
  return {CPiece::Kind::Frame, 0, piece.value - *size, piece.size};
}

/// What DWARF says of the parts of a parameter at the first instruction, which runs as the first of `code`.
std::vector<Claim> claims_of(const CParameter& parameter, uint64_t size, std::span<const uint8_t> code) {
  const CEntryPlace& place = parameter.place;
  const bool is_late = place.pieces.empty();
  std::vector<Claim> claims;
  uint64_t at = 0;
  for (CPiece piece : is_late ? place.first : place.pieces) {
    if (piece.size == 0) piece.size = size - std::min(at, size);
    if (piece.kind == CPiece::Kind::OwnFrame) piece = by_caller(piece, code);
    const bool passed = piece.kind == CPiece::Kind::Frame && piece.value >= 0;  // by the caller
    const bool in_register = piece.kind == CPiece::Kind::Register || piece.kind == CPiece::Kind::Memory;
    const uint32_t bit = piece.number < 32 ? uint32_t{1} << piece.number : 0;
    const bool at_entry = is_late ? keeps_registers(code, place.first_at, bit) : place.listed;
    const uint64_t from = std::exchange(at, at + piece.size);
    if (!passed && !(in_register && at_entry)) continue;
    const ValuePlace found = place_pieces({piece}, piece.size, 0);
    if (found.known()) claims.push_back({from, found.parts.front()});
  }
  return claims;
}

/// The parts of a parameter of which the debug information does not say where they were passed, but that they are used:
/// they are computed, have a slot in the function's own frame, or have a place later.
std::vector<Evidence::Bytes> unsaid_in(const CParameter& parameter, uint64_t size) {
  std::vector<Evidence::Bytes> all;
  if (parameter.place.pieces.empty() && parameter.place.later) all.push_back({0, size});
  uint64_t at = 0;
  for (const CPiece& piece : parameter.place.pieces) {
    const uint64_t bytes = piece.size != 0 ? piece.size : size - std::min(at, size);
    if (piece.kind == CPiece::Kind::Elsewhere || piece.kind == CPiece::Kind::Constant ||
        piece.kind == CPiece::Kind::OwnFrame)
      all.push_back({at, bytes});
    at += bytes;
  }
  return all;
}

Evidence evidence_of(const CFunction& function, const std::vector<ValuePlace>& all, std::span<const uint8_t> code) {
  Evidence evidence;
  evidence.needed = registers_needed(code);
  for (size_t n = 0; n < all.size(); n++) {
    evidence.claims.push_back(claims_of(function.parameters[n], all[n].size, code));
    evidence.unsaid.push_back(unsaid_in(function.parameters[n], all[n].size));
  }
  return evidence;
}

/// Where DWARF has it in the caller's frame; not known: elsewhere.
ValuePlace place_by_caller(const CParameter& parameter, uint64_t size, uint8_t argument,
                           std::span<const uint8_t> code) {
  const CEntryPlace& place = parameter.place;
  if (place.pieces.size() != 1 || size == 0) return {};
  CPiece piece = place.pieces.front();
  if (piece.kind == CPiece::Kind::OwnFrame) piece = by_caller(piece, code);
  return piece.kind == CPiece::Kind::Frame && piece.value >= 0 ? place_pieces({piece}, size, argument) : ValuePlace{};
}

/// Whether an object whose address is on the stack has a place in DWARF: all of these lead through that address.
bool is_found_by_stack(const CParameter& parameter, const ValuePlace& place) {
  return place.parts.front().kind == SONDE_LOCATION_BEHIND &&
         (!parameter.place.pieces.empty() || parameter.place.later);
}

/// Whether all that is passed of a parameter is used: DWARF places it, or the code needs its register. An integer of
/// which one half is on the stack is one value.
bool is_used(const ValuePlace& place, const std::vector<Claim>& claims, uint32_t needed) {
  const auto on_stack = [](const sonde_location& one) {
    return bit_of(one) == 0 && one.kind != SONDE_LOCATION_CONSTANT;
  };
  const bool halved = place.parts.size() == 2 && !on_stack(place.parts.front()) && on_stack(place.parts.back());
  return std::ranges::all_of(std::span(place.parts).first(halved ? 1 : place.parts.size()), [&](const auto& part) {
    const bool claimed = std::ranges::any_of(claims, [&](const Claim& claim) {
      return claim.at == part.at && claim.place.kind == part.kind && claim.place.base == part.base &&
             claim.place.value == part.value;
    });
    return claimed || part.kind == SONDE_LOCATION_CONSTANT || (needed & bit_of(part)) != 0;
  });
}

}  // namespace

Word compare(const CParameter& parameter, const ValuePlace& convention, uint8_t argument, bool go) {
  using Kind = CPiece::Kind;
  const std::vector<CPiece>& pieces = parameter.place.pieces;
  const auto is = [&](Kind kind) {
    return std::ranges::any_of(pieces, [kind](const CPiece& one) { return one.kind == kind; });
  };
  if (pieces.empty() || !convention.known() || is(Kind::Nowhere) || is(Kind::Elsewhere) || is(Kind::Constant))
    return Word::Silent;
  if (!parameter.place.listed && go) return Word::Silent;  // its slot, which Go has in the caller's frame
  const ValuePlace said = place_pieces(pieces, convention.size, argument);
  if (!said.known()) return Word::Silent;
  const bool agree = go ? same_registers(said.parts, convention.parts) : same_parts(said.parts, convention.parts);
  if (agree) return Word::Agrees;
  const bool passed = pieces.front().kind == Kind::Frame && pieces.front().value >= 0;  // by the caller
  return parameter.place.listed || passed ? Word::Disagrees : Word::Silent;             // else the prologue fills it
}

bool is_only_specialized(std::string_view symbol) {
  const auto has = [symbol](std::string_view mark) { return symbol.find(mark) != std::string_view::npos; };
  return has(kConstants) && !has(".isra") && !has(".part");
}

ValuePlace told_place(const CParameter& parameter, uint64_t size, uint8_t argument) {
  const std::vector<CPiece>& pieces = parameter.place.pieces;
  const bool passed = pieces.size() == 1 && pieces.front().kind == CPiece::Kind::Frame && pieces.front().value >= 0;
  if (size == 0 || !(parameter.place.listed || passed)) return {};
  return place_pieces(pieces, size, argument);
}

std::vector<ValuePlace> told_places(CTypes& types, const CFunction& function, const std::string& why, bool counts) {
  std::vector<ValuePlace> all;
  for (const CParameter& parameter : function.parameters) {
    const uint64_t size = size_of(types, parameter.type);
    const auto argument = static_cast<uint8_t>(std::min<size_t>(all.size(), SONDE_ARGUMENTS_MAX));
    ValuePlace place = counts ? told_place(parameter, size, argument) : ValuePlace{};
    all.push_back(place.known() ? std::move(place) : ValuePlace::unknown(why, size));
  }
  return all;
}

std::vector<ValuePlace> places_in_clangs(CTypes& types, const CFunction& function, std::vector<ValuePlace> all,
                                         std::span<const uint8_t> code) {
  const Evidence evidence = evidence_of(function, all, code);
  if (!function.external) return places_of_kept(types, function, std::move(all), evidence);
  std::vector<bool> contradicted;
  for (size_t n = 0; n < all.size(); n++)
    contradicted.push_back(compare(function.parameters[n], all[n], 0, false) == Word::Disagrees);
  const auto wrong = std::ranges::find(contradicted, true);
  for (size_t n = 0; n < all.size(); n++) {
    if (!all[n].known()) {
      ValuePlace told = place_by_caller(function.parameters[n], all[n].size, static_cast<uint8_t>(n), code);
      if (told.known() && all[n].is_passed) all[n] = std::move(told);
      continue;
    }
    std::string why;
    if (contradicted[n]) {
      why = "the debug information and the calling convention disagree about it";
    } else if (!is_found_by_stack(function.parameters[n], all[n]) &&
               !is_used(all[n], evidence.claims[n], wrong == contradicted.end() ? evidence.needed : 0)) {
      why = wrong == contradicted.end() ? "clang may not pass a parameter that the function does not use"
                                        : "args[" + std::to_string(wrong - contradicted.begin()) +
                                              "] is not where the calling convention puts it";
    }
    if (!why.empty()) all[n] = ValuePlace::unknown(std::move(why), all[n].size);
  }
  return all;
}

std::vector<ValuePlace> places_of_copy(CTypes& types, const CFunction& function, std::string_view symbol,
                                       const std::string& why, bool told_counts) {
  std::vector<ValuePlace> all = told_places(types, function, why, told_counts);
  const auto taken = taken_by(function);
  if (!taken) return all;
  const bool changes_more = !is_only_specialized(symbol),
             no_constants = symbol.find(kConstants) == std::string_view::npos;
  std::vector<bool> agreed;
  auto places =
      places_in_variants(types, as_function(types, function, *taken, changes_more), all.size(), changes_more, agreed);
  if (!places) return all;
  for (size_t n : taken->kept) {
    const bool sure = n != taken->kept.back() || taken->last_is_sure || no_constants || agreed[n];
    if (!all[n].known() && (*places)[n].known() && sure) all[n] = std::move((*places)[n]);
  }
  return all;
}

}  // namespace sonde::pid
