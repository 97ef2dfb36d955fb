// SPDX-License-Identifier: GPL-3.0-or-later
// Go's own calling conventions (go.dev/s/regabi: "Go internal ABI specification")
//
//   ABIInternal   from Go 1.17: a value is in registers as a whole, each scalar of it in one, or on the stack as a whole
//   ABI0          before, and of functions for assembly: receiver, parameters and results on the stack, like a structure
//
// The receiver comes first; parameters, then results, each begin with the first register. Not in registers: arrays of
// two elements and more. What has no size takes no register, but is aligned on the stack. A function that is shared by
// several instances of a generic one takes a dictionary, which is not in its source: before all, from Go 1.20 on
// behind the receiver.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string_view>

#include "providers/pid/arch/x86_64/places.h"

namespace sonde::pid {
namespace {

constexpr uint8_t kIntegers[] = {0, 3, 2, 5, 4, 8, 9, 10, 11};  // rax, rbx, rcx, rdi, rsi, r8 ... r11
constexpr uint8_t kFloats = 15;                                 // X0 ... X14
constexpr int kRegistersSince = 18;                             // 1.18; 1.17 could be built without
constexpr int kReceiverFirst = 20;                              // of it and a dictionary

/// n of the compiler's version 1.n; nothing: it is another compiler, such as gccgo.
std::optional<int> version_of(std::string_view producer) {
  constexpr std::string_view kWords = "Go cmd/compile go1.";
  const size_t at = producer.find(kWords);
  if (at == std::string_view::npos) return std::nullopt;
  return std::atoi(std::string(producer.substr(at + kWords.size())).c_str());
}

class GoPlaces {
 public:
  GoPlaces(CTypes& types, bool registers) : types_(types), registers_(registers) {}

  /// What is no parameter in the source.
  void hide_pointer() {
    if (registers_)
      integers_++;
    else
      stack_ = aligned(8) + 8;
  }

  ValuePlace place(CTypeId type, uint8_t argument) {
    const Sized of = sized(types_, type);
    if (of.size > kLargest) return ValuePlace::unknown("its type is too large", of.size);
    if (of.size == 0) {
      stack_ = aligned(of.alignment);
      return ValuePlace::unknown("a value of no size is not passed");
    }
    const auto before = std::pair(integers_, floats_);
    parts_.clear();
    argument_ = argument;
    if (registers_ && assign(type, 0, 0)) return described(padded(of.size), of.size);
    std::tie(integers_, floats_) = before;
    const int64_t at = aligned(of.alignment);
    stack_ = at + static_cast<int64_t>(of.size);
    return described({location(SONDE_LOCATION_MEMORY, argument, kStackPointer, kReturnAddress + at, 0, of.size)},
                     of.size);
  }

  void begin_results() {
    integers_ = floats_ = 0;
    stack_ = aligned(8);
  }

 private:
  int64_t aligned(uint64_t alignment) const {
    const auto to = static_cast<int64_t>(std::max<uint64_t>(alignment, 1));
    return (stack_ + to - 1) / to * to;
  }

  bool integer(uint64_t at, uint64_t size) {
    if (integers_ == std::ssize(kIntegers)) return false;
    parts_.push_back(location(SONDE_LOCATION_REGISTER, argument_, kIntegers[integers_++], 0, at, size));
    return true;
  }

  bool real(uint64_t at, uint64_t size) {
    if (floats_ == kFloats) return false;
    parts_.push_back(location(SONDE_LOCATION_VECTOR, argument_, static_cast<uint8_t>(floats_++), 0, at, size));
    return true;
  }

  /// Puts each scalar of a value into a register; false: there are not enough, or it has an array.
  bool assign(CTypeId id, uint64_t at, int depth) {
    const CType type = resolved(types_, id);
    if (depth > kDeepest) return false;
    switch (type.kind) {
      case CType::Kind::Float:
        if (type.complex) return real(at, type.size / 2) && real(at + type.size / 2, type.size / 2);
        return real(at, type.size);
      case CType::Kind::Integer:
      case CType::Kind::Enum:
      case CType::Kind::Pointer: return integer(at, type.size);
      case CType::Kind::Array: return type.count == 0 || (type.count == 1 && assign(type.target, at, depth + 1));
      case CType::Kind::Struct:
        return std::ranges::all_of(type.members, [&](const CMember& member) {
          return assign(member.type, at + member.bit_offset / 8, depth + 1);
        });
      case CType::Kind::Void:
      case CType::Kind::Union:
      case CType::Kind::Function:
      case CType::Kind::Typedef: break;
    }
    return false;
  }

  /// The parts with what is between them.
  std::vector<sonde_location> padded(uint64_t size) const {
    std::vector<sonde_location> all;
    uint64_t at = 0;
    const auto fill = [&](uint64_t to) {
      for (; at < to; at += std::min<uint64_t>(8, to - at))
        all.push_back(padding(argument_, at, std::min<uint64_t>(8, to - at)));
    };
    for (const sonde_location& part : parts_) {
      fill(part.at);
      all.push_back(part);
      at = part.at + part.size;
    }
    fill(size);
    return all;
  }

  CTypes& types_;
  bool registers_;
  int integers_ = 0, floats_ = 0;
  int64_t stack_ = 0;  ///< bytes from the CFA
  uint8_t argument_ = 0;
  std::vector<sonde_location> parts_;
};

/// Whether the function takes a dictionary, and as which parameter: "main.Max[go.shape.int_0]",
/// "main.(*List[go.shape.int_0]).Add".
std::optional<size_t> dictionary_of(const CFunction& function, std::string_view symbol, int version) {
  if (symbol.find("[go.shape.") == std::string_view::npos) return std::nullopt;
  const bool method = symbol.find('.', symbol.rfind(']')) != std::string_view::npos && !function.parameters.empty();
  return method && version >= kReceiverFirst ? 1 : 0;
}

}  // namespace

GoPlaced place_go(CTypes& types, const CFunction& function, std::string_view symbol) {
  GoPlaced out;
  const auto version = version_of(function.producer);
  if (!version) {
    out.unknown = "Go has a calling convention of its own, and this is not the compiler of golang.org";
    return out;
  }
  const bool registers = *version >= kRegistersSince || function.producer.find(" regabi") != std::string::npos;
  const bool for_assembly = symbol.ends_with(".abi0");
  GoPlaces places(types, registers && !for_assembly);
  const auto dictionary = dictionary_of(function, symbol, *version);
  for (size_t n = 0; n < function.parameters.size(); n++) {
    if (n == dictionary) places.hide_pointer();
    const auto argument = static_cast<uint8_t>(std::min<size_t>(n, SONDE_ARGUMENTS_MAX));
    out.parameters.push_back(places.place(function.parameters[n].type, argument));
  }
  places.begin_results();
  for (const CParameter& result : function.results) {
    const size_t n = kFirstGoResult + out.results.size();
    out.results.push_back(places.place(result.type, static_cast<uint8_t>(std::min<size_t>(n, SONDE_ARGUMENTS_MAX))));
  }
  return out;
}

}  // namespace sonde::pid
