// SPDX-License-Identifier: GPL-3.0-or-later
// Each part of an argument takes what the convention has next for its kind. So after each part there are few states:
// how many registers of both kinds are taken, and how much of the stack. forward() finds the states that can be reached
// after each part, and backward() leaves those from which the end can be reached with all evidence.
//
//   part 0 kept ──► {1 integer} ──part 1 kept──► {2 integers}   DWARF: part 1 is in %edi
//        └ left out ► {}        ──part 1 kept──► {1 integer} ✓
//
// Clang decides by the whole signature what it passes in memory, before it leaves anything out: what is in memory
// remains there. Only scalars for which there was no register may get one. From -O3 on it passes up to three values in
// place of a pointer that is only read through.
#include "providers/pid/kept_parameters.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "providers/pid/arch/x86_64/places.h"

namespace sonde::pid {
namespace {

constexpr int kMostValues = 3;     // in place of a pointer
constexpr uint64_t kExtended = 4;  // bytes to which clang's callers extend integers
constexpr size_t kHidden = SIZE_MAX;

enum class Kind : uint8_t { Integer, Vector, Memory };

/// A register by its rank in the convention, or an offset from the CFA.
struct Spot {
  Kind kind = Kind::Memory;
  int64_t number = 0;
  bool operator==(const Spot&) const = default;
};

struct State {
  int integers = 0, vectors = 0;
  int64_t stack = 0;
  auto operator<=>(const State&) const = default;
};

struct Part {
  size_t parameter = kHidden, number = 0;  ///< part `number` of its place
  std::vector<Kind> kinds;                 ///< that it may have
  int64_t size = 8;                        ///< on the stack
  std::vector<int64_t> alignments{8};      ///< that it may have there
  uint64_t bytes = 8;                      ///< of the value
  std::optional<Spot> claim;
  bool is_unsaid = false, is_address = false;
};

/// A way to pass a part: where it is, or nowhere.
struct Way {
  State next;
  std::optional<Spot> spot;
  bool is_split = false;  ///< something else is passed in its place
};

std::optional<Spot> spot_of(const sonde_location& place) {
  if (place.kind == SONDE_LOCATION_VECTOR && place.base < kVectors) return Spot{Kind::Vector, place.base};
  if (place.kind == SONDE_LOCATION_MEMORY && place.base == kStackPointer)
    return place.value >= kReturnAddress ? std::optional(Spot{Kind::Memory, place.value - kReturnAddress})
                                         : std::nullopt;
  const bool address = place.kind == SONDE_LOCATION_MEMORY && place.value == 0;
  if (place.kind != SONDE_LOCATION_REGISTER && !address) return std::nullopt;
  const auto* at = std::ranges::find(kIntegerRegisters, place.base);
  if (at == std::end(kIntegerRegisters)) return std::nullopt;
  return Spot{Kind::Integer, at - std::begin(kIntegerRegisters)};
}

/// What it is to clang if the convention puts it on the stack.
std::vector<Kind> kinds_on_stack(const CType& type) {
  switch (type.kind) {
    case CType::Kind::Integer: return {type.size > 8 ? Kind::Memory : Kind::Integer};
    case CType::Kind::Enum:
    case CType::Kind::Pointer: return {Kind::Integer};
    case CType::Kind::Float: return {type.name.ends_with("long double") || type.complex ? Kind::Memory : Kind::Vector};
    case CType::Kind::Array: return {Kind::Vector};
    default: break;
  }
  if (type.size > 8) return {Kind::Memory};
  return {Kind::Memory, Kind::Integer};  // as an integer, if all integer registers were taken
}

/// On the stack. A structure that may be packed has none of its own then.
std::vector<int64_t> alignments_of(const Sized& of) {
  const auto usual = std::max<int64_t>(8, static_cast<int64_t>(of.alignment));
  return of.may_be_packed && usual > 8 ? std::vector<int64_t>{8, usual} : std::vector{usual};
}

class Search {
 public:
  Search(CTypes& types, const CFunction& function, const std::vector<ValuePlace>& all, const Evidence& evidence)
      : evidence_(evidence) {
    if (passes_result_address(types, function)) parts_.push_back({kHidden, 0, {Kind::Integer}});
    for (size_t n = 0; n < all.size(); n++) {
      const CTypeId type = function.parameters[n].type;
      add(resolved(types, type), sized(types, type), n, all[n]);
    }
    for (const Part& part : parts_)
      if (part.claim) claims_.emplace_back(*part.claim, &part);
    forward();
    backward();
  }

  /// All spots that a part may have; nothing in it: it may not be passed, or not as such.
  std::vector<std::optional<Spot>> spots(size_t parameter, size_t number) const {
    std::vector<std::optional<Spot>> found;
    for (size_t i = 0; i < parts_.size(); i++) {
      if (parts_[i].parameter != parameter || parts_[i].number != number) continue;
      for (const State& from : states_[i])
        for (const Way& way : ways(parts_[i], from))
          if (states_[i + 1].contains(way.next) && std::ranges::find(found, way.spot) == found.end())
            found.push_back(way.spot);
    }
    return found;
  }

 private:
  void add(const CType& type, const Sized& of, size_t parameter, const ValuePlace& place) {
    for (size_t number = 0; number < place.parts.size(); number++) {
      const sonde_location& where = place.parts[number];
      if (where.kind == SONDE_LOCATION_CONSTANT) continue;  // padding
      const bool address =
          where.kind == SONDE_LOCATION_BEHIND || (where.kind == SONDE_LOCATION_MEMORY && where.base != kStackPointer);
      Part part{parameter, number, {Kind::Integer}};
      if (where.kind == SONDE_LOCATION_VECTOR) part.kinds = {Kind::Vector};
      if (where.kind == SONDE_LOCATION_MEMORY && !address) {
        part.kinds = kinds_on_stack(type);
        part.size = (static_cast<int64_t>(where.size) + 7) / 8 * 8;
        part.alignments = alignments_of(of);
      } else if (where.size > 8 && !address) {
        part.size = 16;
        part.alignments = {16};
      }
      part.is_address = address || type.kind == CType::Kind::Pointer || part.kinds.front() == Kind::Memory;
      part.bytes = address ? 8 : where.size;
      for (const Evidence::Bytes& bytes : evidence_.unsaid[parameter])
        part.is_unsaid = part.is_unsaid || (bytes.at < where.at + where.size && where.at < bytes.at + bytes.size);
      for (const Claim& claim : evidence_.claims[parameter])
        if (claim.at == where.at) part.claim = spot_of(claim.place);
      parts_.push_back(std::move(part));
    }
  }

  static Way kept(const Part& part, Kind kind, int64_t alignment, State state) {
    if (kind == Kind::Integer && state.integers < std::ssize(kIntegerRegisters)) {
      const Spot spot{kind, state.integers++};
      return {state, spot};
    }
    if (kind == Kind::Vector && state.vectors < kVectors) {
      const Spot spot{kind, state.vectors++};
      return {state, spot};
    }
    const int64_t at = (state.stack + alignment - 1) / alignment * alignment;
    state.stack = at + part.size;
    return {state, Spot{Kind::Memory, at}};
  }

  /// Whether the value of the other part may be where this one is passed: `x = y`, also if y then gets another value, or
  /// is in a slot. To extend a value to more than four bytes, to which the caller extends it, would need an instruction.
  static bool explains(const Part& part, const Part& other) {
    if (std::max(part.bytes, kExtended) < other.bytes) return false;
    return part.claim == other.claim || (!part.claim && part.is_unsaid);
  }

  /// Whether the claims about what lies between two states fit. `part` is there; null: something else.
  bool fits(const State& from, const Way& way, const Part* part) const {
    return std::ranges::all_of(claims_, [&](const auto& claim) {
      const auto& [spot, owner] = claim;
      const bool inside = spot.kind == Kind::Integer  ? spot.number >= from.integers && spot.number < way.next.integers
                          : spot.kind == Kind::Vector ? spot.number >= from.vectors && spot.number < way.next.vectors
                                                      : spot.number >= from.stack && spot.number < way.next.stack;
      return !inside || part == nullptr || (way.spot == spot && (owner == part || explains(*part, *owner)));
    });
  }

  bool is_only_claim(const Part& part) const {
    return part.claim && std::ranges::count(claims_, *part.claim, [](const auto& one) { return one.first; }) == 1;
  }

  std::vector<Way> ways(const Part& part, const State& from) const {
    std::vector<Way> all{{from, std::nullopt}};
    for (Kind kind : part.kinds)
      for (int64_t alignment : part.alignments)
        if (Way way = kept(part, kind, alignment, from); fits(from, way, &part)) all.push_back(way);
    if (!part.is_address || is_only_claim(part)) return all;
    static const Part kValue{};
    for (int integers = 0; integers <= kMostValues; integers++)
      for (int vectors = 0; integers + vectors <= kMostValues; vectors++) {
        State to = from;
        for (int n = 0; n < integers; n++) to = kept(kValue, Kind::Integer, 8, to).next;
        for (int n = 0; n < vectors; n++) to = kept(kValue, Kind::Vector, 8, to).next;
        all.push_back({to, std::nullopt, true});
      }
    return all;
  }

  bool is_enough(const State& end) const {
    for (int n = end.integers; n < std::ssize(kIntegerRegisters); n++)
      if (evidence_.needed >> kIntegerRegisters[n] & 1) return false;
    for (int n = end.vectors; n < kVectors; n++)
      if (evidence_.needed >> (kFirstVector + static_cast<unsigned>(n)) & 1) return false;
    return std::ranges::all_of(claims_, [&](const auto& claim) {
      const Spot& spot = claim.first;
      return spot.number < (spot.kind == Kind::Integer  ? end.integers
                            : spot.kind == Kind::Vector ? end.vectors
                                                        : end.stack);
    });
  }

  void forward() {
    states_.assign(parts_.size() + 1, {});
    states_[0].insert(State{});
    for (size_t i = 0; i < parts_.size(); i++)
      for (const State& from : states_[i])
        for (const Way& way : ways(parts_[i], from)) states_[i + 1].insert(way.next);
  }

  void backward() {
    std::erase_if(states_.back(), [this](const State& end) { return !is_enough(end); });
    for (size_t i = parts_.size(); i-- > 0;)
      std::erase_if(states_[i], [&](const State& from) {
        return std::ranges::none_of(ways(parts_[i], from),
                                    [&](const Way& way) { return states_[i + 1].contains(way.next); });
      });
  }

  const Evidence& evidence_;
  std::vector<Part> parts_;
  std::vector<std::pair<Spot, const Part*>> claims_;
  std::vector<std::set<State>> states_;  ///< before each part, and behind the last one
};

/// The part of a value at this spot.
sonde_location placed(sonde_location part, const Spot& spot) {
  const bool address =
      part.kind == SONDE_LOCATION_BEHIND || (part.kind == SONDE_LOCATION_MEMORY && part.base != kStackPointer);
  switch (spot.kind) {
    case Kind::Integer:
      return location(address ? SONDE_LOCATION_MEMORY : SONDE_LOCATION_REGISTER, part.argument,
                      kIntegerRegisters[spot.number], 0, part.at, part.size);
    case Kind::Vector:
      return location(SONDE_LOCATION_VECTOR, part.argument, static_cast<uint8_t>(spot.number), 0, part.at, part.size);
    default:
      return location(address ? SONDE_LOCATION_BEHIND : SONDE_LOCATION_MEMORY, part.argument, kStackPointer,
                      kReturnAddress + spot.number, part.at, part.size);
  }
}

/// What all searches have led to for the parameter.
ValuePlace found_place(const Search& search, size_t parameter, const ValuePlace& whole) {
  std::vector<sonde_location> parts;
  bool is_gone = true;
  for (size_t number = 0; number < whole.parts.size(); number++) {
    const sonde_location& part = whole.parts[number];
    if (part.kind == SONDE_LOCATION_CONSTANT) {
      parts.push_back(part);
      continue;
    }
    const auto spots = search.spots(parameter, number);
    is_gone = is_gone && spots.size() == 1 && !spots.front();
    if (spots.size() == 1 && spots.front()) parts.push_back(placed(part, *spots.front()));
  }
  if (parts.size() == whole.parts.size()) return described(std::move(parts), whole.size);
  if (is_gone) return ValuePlace::nowhere("clang does not pass it to this static function", whole.size);
  return ValuePlace::unknown("clang may have changed the parameters of this static function", whole.size);
}

/// An __int128 for which there are not two registers is one part to clang, each half of which takes the next place. These
/// rules have no such part.
bool is_halved(CTypes& types, const CParameter& parameter, const ValuePlace& place) {
  const CType type = resolved(types, parameter.type);
  return type.kind == CType::Kind::Integer && type.name != kMemberPointer && place.size > 8 &&
         std::ranges::any_of(place.parts, [](const sonde_location& one) { return one.kind == SONDE_LOCATION_MEMORY; });
}

}  // namespace

std::vector<ValuePlace> places_of_kept(CTypes& types, const CFunction& function, std::vector<ValuePlace> all,
                                       const Evidence& evidence) {
  bool has_rules = true;
  for (size_t n = 0; n < all.size(); n++)
    has_rules = has_rules && (all[n].known() || !all[n].is_passed) && !is_halved(types, function.parameters[n], all[n]);
  if (!has_rules) {
    for (ValuePlace& one : all)
      if (one.known())
        one = ValuePlace::unknown("clang may have changed the parameters of this static function", one.size);
    return all;
  }
  const Search search(types, function, all, evidence);
  for (size_t n = 0; n < all.size(); n++)
    if (all[n].known()) all[n] = found_place(search, n, all[n]);
  return all;
}

}  // namespace sonde::pid
