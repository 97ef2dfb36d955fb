// SPDX-License-Identifier: GPL-3.0-or-later
// The System V psABI for x86-64, section 3.2.3, and what compilers add to it
//
//   type --classify--> a class for each of its eightbytes, or MEMORY --place--> registers of each class, or the stack
//
// A value is in registers as a whole or on the stack as a whole. A result in memory takes the first integer register,
// for its address. A C++ class that is not trivially copyable is passed by the address of a copy: DWARF says which
// classes these are.
//
// Where compilers disagree, or DWARF does not say what decides, the place is unknown, and so is that of every later
// argument that may have been shifted:
//
//   structures of 16-byte members  have the alignment of these, unless they are packed, which DWARF does not say
//   vectors of 32 bytes and more   by registers with -mavx, else in memory
//   vectors below 8 bytes          gcc has changed its mind; clang has not
//
// Clang differs from the psABI: a flexible array is in memory, up to version 14 a structure with a __float128, too; up to
// version 17 an __int128 for which there is not room in registers is two integers, each in the next place.
#include "providers/pid/calling_convention.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>

#include "kmod/shared/locate.h"
#include "providers/pid/arch/x86_64/places.h"

namespace sonde::pid {
namespace {

constexpr uint8_t kResultRegisters[] = {0, 1};  // rax, rdx
constexpr int kClangPassesPairs = 18;           // from this version on an __int128 is not split
constexpr int kClangForgetsQuads = 14;  // the last version that is known to pass structures of __float128 in memory

enum class Class : uint8_t { None, Integer, Sse, SseUp, X87, X87Up, Memory };

/// What an argument's place depends on, of which it can be said that it is lost.
enum Lost : uint8_t { kIntegers = 1, kVectorsLost = 2, kStack = 4, kAll = 7 };

struct Classes {
  std::array<Class, 2> of{Class::None, Class::None};
  bool by_reference = false;
  std::string unknown;   ///< why the classes are not known
  uint8_t loses = kAll;  ///< if they are not

  bool memory() const { return of[0] == Class::Memory || of[1] == Class::Memory; }
  long count(Class one) const { return std::ranges::count(of, one); }
};

/// Whether it is a number of the x87, of 80 bits, or a pair of these.
bool is_extended(const CType& type) { return type.name.ends_with("long double"); }

/// The version of clang that has compiled the function; 0: it was another compiler.
int version_of_clang(const CFunction& function) {
  constexpr std::string_view kWords = "clang version ";
  const size_t at = function.producer.find(kWords);
  return at == std::string::npos ? 0 : std::max(1, std::atoi(function.producer.c_str() + at + kWords.size()));
}

Class merged(Class a, Class b) {
  if (a == b || b == Class::None) return a;
  if (a == Class::None) return b;
  if (a == Class::Memory || b == Class::Memory) return Class::Memory;
  if (a == Class::Integer || b == Class::Integer) return Class::Integer;
  const auto x87 = [](Class one) { return one == Class::X87 || one == Class::X87Up; };
  return x87(a) || x87(b) ? Class::Memory : Class::Sse;
}

class Classifier {
 public:
  Classifier(CTypes& types, const CFunction& function) : types_(types), function_(function) {}

  Classes classify(CTypeId id) {
    bool realigned = false;
    const CType type = resolved(types_, id, &realigned);
    size_ = sized(types_, id).size;
    in_record_ = type.kind == CType::Kind::Struct || type.kind == CType::Kind::Union;
    if (realigned) unknown("its type has an unusual alignment");
    check_whole(type);
    add(id, 0, 0);
    if (out_.unknown.empty()) finish();
    return out_;
  }

 private:
  void unknown(const std::string& why, uint8_t loses = kAll) {
    if (out_.unknown.empty()) out_.unknown = why, out_.loses = loses;
  }

  /// A class is passed as DWARF says, and not by its members, if it is not trivially copyable.
  void check_whole(const CType& type) {
    const bool record = type.kind == CType::Kind::Struct || type.kind == CType::Kind::Union;
    if (type.kind == CType::Kind::Void || type.kind == CType::Kind::Function) unknown("its type is not known");
    if (size_ > kLargest) unknown("its type is too large");
    if (!record) return;
    if (!type.complete) unknown("its type, " + type.name + ", is only declared in the debug information");
    if (function_.language != CLanguage::CPlusPlus) return;
    out_.by_reference = type.passed == CType::Passed::ByReference;
    if (type.passed == CType::Passed::Unsaid)
      unknown("the debug information does not say whether " + type.name + " is passed by reference");
  }

  void put(uint64_t at, Class one) {
    if (at / 8 < out_.of.size()) out_.of[at / 8] = merged(out_.of[at / 8], one);
  }

  void scalar(const CType& type, uint64_t at) {
    if (at % std::max<uint64_t>(1, type.complex ? type.size / 2 : type.size) != 0) return put(0, Class::Memory);
    if (type.kind == CType::Kind::Float) return real(type, at);
    if (type.size > 16 || (type.size > 8 && type.name.starts_with("_BitInt"))) return unknown("its type is too wide");
    for (uint64_t byte = 0; byte < type.size; byte += 8) put(at + byte, Class::Integer);
  }

  void real(const CType& type, uint64_t at) {
    const bool extended = is_extended(type);
    if (type.complex) {
      if (extended || type.size > 16) return put(0, Class::Memory);
      put(at, Class::Sse);
      put(at + type.size / 2, Class::Sse);  // the halves may lie in two eightbytes
    } else if (type.size <= 8) {
      put(at, Class::Sse);
    } else {
      if (!extended && in_record_ && version_of_clang(function_) != 0) return quad_of_clang();
      put(at, extended ? Class::X87 : Class::Sse);
      put(at + 8, extended ? Class::X87Up : Class::SseUp);
    }
  }

  void quad_of_clang() {
    if (version_of_clang(function_) > kClangForgetsQuads)
      return unknown("versions of clang disagree on structures with a real of 16 bytes");
    put(0, Class::Memory);
  }

  void vector(const CType& type, uint64_t at) {
    const uint64_t size = type.count * sized(types_, type.target).size;
    const CType element = resolved(types_, type.target);
    if (size < 8) return unknown("compilers disagree on vectors of less than 8 bytes");
    if (size > 16) return unknown("whether it is passed in vector registers depends on -mavx", kVectorsLost | kStack);
    if (element.size >= size) return unknown("compilers disagree on vectors of one element", kAll);
    if (at % size != 0) return put(0, Class::Memory);
    put(at, Class::Sse);
    if (size == 16) put(at + 8, Class::SseUp);
  }

  void array(const CType& type, uint64_t at, int depth) {
    if (type.vector) return vector(type, at);
    const uint64_t step = sized(types_, type.target).size;
    if (type.flexible && version_of_clang(function_) != 0) return put(0, Class::Memory);
    for (uint64_t n = 0; n < type.count && step != 0 && at + n * step < std::min<uint64_t>(size_, 64); n++)
      add(type.target, at + n * step, depth + 1);
  }

  void bit_field(const CMember& member, uint64_t at) {
    const uint64_t first = 8 * at + member.bit_offset, last = first + member.bit_width - 1;
    for (uint64_t word = first / 64; word <= last / 64; word++) put(8 * word, Class::Integer);
  }

  void record(const CType& type, uint64_t at, int depth) {
    if (!type.complete) return unknown("a part of it, " + type.name + ", is only declared in the debug information");
    for (const CMember& member : type.members) {
      if (member.bit_width != 0) {
        bit_field(member, at);
      } else {
        const uint64_t to = at + member.bit_offset / 8;
        // a structure that is not where its alignment asks: clang judges by it, gcc only by what is inside
        if (to % sized(types_, member.type).alignment != 0) put(0, Class::Memory);
        add(member.type, to, depth + 1);
      }
    }
  }

  void add(CTypeId id, uint64_t at, int depth) {
    if (depth > kDeepest) return unknown("its type is too deep");
    const CType type = resolved(types_, id);
    switch (type.kind) {
      case CType::Kind::Array: return array(type, at, depth);
      case CType::Kind::Struct:
      case CType::Kind::Union: return record(type, at, depth);
      case CType::Kind::Void:
      case CType::Kind::Function: return unknown("a part of its type is not known");
      default: return scalar(type, at);
    }
  }

  /// "Post merger cleanup"
  void finish() {
    auto& [low, high] = out_.of;
    if (size_ > 16 || (high == Class::X87Up && low != Class::X87)) low = Class::Memory;
    if (high == Class::SseUp && low != Class::Sse) high = Class::Sse;
    if (out_.memory()) low = Class::Memory;
  }

  CTypes& types_;
  const CFunction& function_;
  Classes out_;
  uint64_t size_ = 0;
  bool in_record_ = false;
};

/// Assigns registers and stack to arguments, in their order.
class Places {
 public:
  Places(CTypes& types, const CFunction& function) : types_(types), function_(function) {}

  void hide_result() { integers_++; }
  void lose(const std::string& why, uint8_t what) {
    if (lost_ == 0) why_lost_ = why;
    lost_ |= what;
  }

  ValuePlace place(CTypeId type, uint8_t argument) {
    const Sized of = sized(types_, type);
    const Classes classes = Classifier(types_, function_).classify(type);
    if (!classes.unknown.empty()) {
      lose("args[" + std::to_string(argument) + "] before it is not known, and may take its place", classes.loses);
      return ValuePlace::unknown(classes.unknown, of.size);
    }
    if (classes.by_reference) return reference(of, argument);
    const bool nothing = !classes.memory() && classes.count(Class::None) == 2;
    if (of.size == 0 || nothing) return ValuePlace::nowhere("an empty class is not passed", of.size);
    const long integers = classes.count(Class::Integer), vectors = classes.count(Class::Sse);
    if (classes.memory() || classes.of[0] == Class::X87) return on_stack(of, argument);
    if ((integers > 0 && (lost_ & kIntegers)) || (vectors > 0 && (lost_ & kVectorsLost)))  // both kinds, or neither
      return lost(of, kStack | (integers > 0 ? kIntegers : 0) | (vectors > 0 ? kVectorsLost : 0));
    if (integers_ + integers <= std::ssize(kIntegerRegisters) && vectors_ + vectors <= kVectors)
      return in_registers(classes, of, argument);
    if (is_pair(type, of) && version_of_clang(function_) != 0) return in_halves(of, argument);
    if (has_split_ && integers == 1 && vectors == 1) {
      lose("args[" + std::to_string(argument) + "] before it may be split between a register and the stack", kAll);
      return ValuePlace::unknown("clang may split it behind an __int128 that is split", of.size);
    }
    return on_stack(of, argument);
  }

 private:
  /// Its place depends on arguments whose places are not known; what comes later on the stack does, too.
  ValuePlace lost(const Sized& of, uint8_t what) {
    lost_ |= what;
    return ValuePlace::unknown(why_lost_, of.size);
  }

  ValuePlace reference(const Sized& of, uint8_t argument) {
    if (of.size == 0) return ValuePlace::nowhere("an empty class is not passed");
    if (lost_ & kIntegers) return lost(of, kStack);
    if (integers_ < std::ssize(kIntegerRegisters))
      return described({location(SONDE_LOCATION_MEMORY, argument, kIntegerRegisters[integers_++], 0, 0, of.size)},
                       of.size);
    if (lost_ & kStack) return lost(of, 0);
    stack_ += 8;
    return described(
        {location(SONDE_LOCATION_BEHIND, argument, kStackPointer, kReturnAddress + stack_ - 8, 0, of.size)}, of.size);
  }

  ValuePlace on_stack(const Sized& of, uint8_t argument) {
    if (lost_ & kStack) return lost(of, 0);
    const auto alignment = static_cast<int64_t>(std::max<uint64_t>(8, of.alignment));
    const int64_t at = (stack_ + alignment - 1) / alignment * alignment;
    if (at != stack_ && of.may_be_packed) {
      lose("args[" + std::to_string(argument) + "] before it has a place that is not known", kStack);
      return ValuePlace::unknown(
          "its place depends on whether its type is packed, and the debug information does not say", of.size);
    }
    stack_ = at + static_cast<int64_t>((of.size + 7) / 8 * 8);
    return described({location(SONDE_LOCATION_MEMORY, argument, kStackPointer, kReturnAddress + at, 0, of.size)},
                     of.size);
  }

  ValuePlace in_registers(const Classes& classes, const Sized& of, uint8_t argument) {
    std::vector<sonde_location> parts;
    for (uint64_t word = 0; word < classes.of.size() && 8 * word < of.size; word++) {
      const uint64_t size = std::min<uint64_t>(8, of.size - 8 * word);
      if (classes.of[word] == Class::Integer)
        parts.push_back(location(SONDE_LOCATION_REGISTER, argument, kIntegerRegisters[integers_++], 0, 8 * word, size));
      if (classes.of[word] == Class::Sse)
        parts.push_back(location(SONDE_LOCATION_VECTOR, argument, static_cast<uint8_t>(vectors_++), 0, 8 * word, size));
      if (classes.of[word] == Class::SseUp) parts.back().size += static_cast<uint32_t>(size);
      if (classes.of[word] == Class::None) parts.push_back(padding(argument, 8 * word, size));
    }
    return described(std::move(parts), of.size);
  }

  bool is_pair(CTypeId type, const Sized& of) {
    const CType scalar = resolved(types_, type);
    return of.size == 16 && scalar.kind == CType::Kind::Integer && scalar.name != kMemberPointer;
  }

  /// An __int128 for which there is not room in registers, as clang passes it: two integers, each where it comes to be.
  ValuePlace in_halves(const Sized& of, uint8_t argument) {
    if (version_of_clang(function_) >= kClangPassesPairs) {
      lose("args[" + std::to_string(argument) + "] before it may be split between a register and the stack", kAll);
      return ValuePlace::unknown("versions of clang disagree on where it is", of.size);
    }
    has_split_ = has_split_ || integers_ < std::ssize(kIntegerRegisters);
    if (lost_ & kStack) {
      integers_ = std::size(kIntegerRegisters);  // its low half takes what is left of these
      return lost(of, 0);
    }
    if (integers_ == std::ssize(kIntegerRegisters)) return on_stack({of.size}, argument);
    std::vector<sonde_location> parts;
    for (uint64_t at = 0; at < of.size; at += 8) {
      if (integers_ < std::ssize(kIntegerRegisters)) {
        parts.push_back(location(SONDE_LOCATION_REGISTER, argument, kIntegerRegisters[integers_++], 0, at, 8));
      } else {
        parts.push_back(location(SONDE_LOCATION_MEMORY, argument, kStackPointer, kReturnAddress + stack_, at, 8));
        stack_ += 8;
      }
    }
    return described(std::move(parts), of.size);
  }

  CTypes& types_;
  const CFunction& function_;
  int integers_ = 0, vectors_ = 0;
  int64_t stack_ = 0;       ///< bytes from the CFA
  bool has_split_ = false;  ///< clang still counts the register that the low half of an __int128 took
  uint8_t lost_ = 0;
  std::string why_lost_;
};

}  // namespace

uint64_t size_of(CTypes& types, CTypeId type) { return sized(types, type).size; }

bool passes_result_address(CTypes& types, const CFunction& function) {
  if (function.result == kCVoid) return false;
  const Classes result = Classifier(types, function).classify(function.result);
  const CType type = resolved(types, function.result);
  const bool in_st = result.of[0] == Class::X87 || (type.complex && is_extended(type));
  return result.by_reference || (result.memory() && !in_st);
}

std::vector<ValuePlace> place_parameters(CTypes& types, const CFunction& function) {
  Places places(types, function);
  if (function.result != kCVoid) {
    const Classes result = Classifier(types, function).classify(function.result);
    if (!result.unknown.empty())
      places.lose("the debug information does not say whether the result is in memory: " + result.unknown, kAll);
    if (passes_result_address(types, function)) places.hide_result();
  }
  std::vector<ValuePlace> all;
  for (const CParameter& parameter : function.parameters) {
    const auto argument = static_cast<uint8_t>(std::min<size_t>(all.size(), SONDE_ARGUMENTS_MAX));
    all.push_back(places.place(parameter.type, argument));
  }
  return all;
}

ValuePlace place_result(CTypes& types, const CFunction& function, uint8_t argument) {
  const Sized of = sized(types, function.result);
  const Classes classes = Classifier(types, function).classify(function.result);
  if (!classes.unknown.empty()) return ValuePlace::unknown(classes.unknown, of.size);
  const CType type = resolved(types, function.result);
  if (classes.of[0] == Class::X87 || (type.complex && is_extended(type)))
    return ValuePlace::unknown("it is returned in a register of the x87, which is not read", of.size);
  if (classes.by_reference || classes.memory())
    return described({location(SONDE_LOCATION_MEMORY, argument, kResultRegisters[0], 0, 0, of.size)}, of.size);
  std::vector<sonde_location> parts;
  uint8_t integers = 0, vectors = 0;
  for (uint64_t word = 0; word < classes.of.size() && 8 * word < of.size; word++) {
    const uint64_t size = std::min<uint64_t>(8, of.size - 8 * word);
    if (classes.of[word] == Class::Integer)
      parts.push_back(location(SONDE_LOCATION_REGISTER, argument, kResultRegisters[integers++], 0, 8 * word, size));
    if (classes.of[word] == Class::Sse)
      parts.push_back(location(SONDE_LOCATION_VECTOR, argument, vectors++, 0, 8 * word, size));
    if (classes.of[word] == Class::SseUp && !parts.empty()) parts.back().size += static_cast<uint32_t>(size);
    if (classes.of[word] == Class::None) parts.push_back(padding(argument, 8 * word, size));
  }
  if (integers + vectors == 0) return ValuePlace::unknown("an empty class is not returned", of.size);
  return described(std::move(parts), of.size);
}

ValuePlace place_pieces(const std::vector<CPiece>& pieces, uint64_t size, uint8_t argument) {
  std::vector<sonde_location> parts;
  uint64_t at = 0;
  for (const CPiece& piece : pieces) {
    const uint64_t bytes = piece.size != 0 ? piece.size : size - std::min(at, size);
    switch (piece.kind) {
      case CPiece::Kind::Nowhere:
      case CPiece::Kind::Elsewhere:
      case CPiece::Kind::OwnFrame: return ValuePlace::unknown("", size);
      case CPiece::Kind::Register:
        if (piece.number >= kFirstVector)
          parts.push_back(location(SONDE_LOCATION_VECTOR, argument, static_cast<uint8_t>(piece.number - kFirstVector),
                                   0, at, bytes));
        else
          parts.push_back(
              location(SONDE_LOCATION_REGISTER, argument, static_cast<uint8_t>(piece.number), 0, at, bytes));
        break;
      case CPiece::Kind::Frame:
        parts.push_back(
            location(SONDE_LOCATION_MEMORY, argument, kStackPointer, piece.value + kReturnAddress, at, bytes));
        break;
      case CPiece::Kind::Memory:
        parts.push_back(
            location(SONDE_LOCATION_MEMORY, argument, static_cast<uint8_t>(piece.number), piece.value, at, bytes));
        break;
      case CPiece::Kind::Constant:
        parts.push_back(location(SONDE_LOCATION_CONSTANT, argument, 0, piece.value, at, bytes));
        break;
    }
    if (sonde_location_check(&parts.back()) != 0) return ValuePlace::unknown("", size);
    at += bytes;
  }
  if (parts.empty() || at < size) return ValuePlace::unknown("", size);
  return described(std::move(parts), size);
}

}  // namespace sonde::pid
