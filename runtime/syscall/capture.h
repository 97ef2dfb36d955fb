// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of a call that argstr and retstr need
//
//   shapes --captures_of()--> captures --the compiler--> DIF --> record --collect()--> CallMemory --> decode.h
//
// What is captured is bounded, and known before anything fires: a list for each call and side, which the compiler turns
// into code. A capture's slots follow from its position in the list, so the record contains no addresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kmod/shared/record.h"
#include "runtime/program/fire_program.h"

namespace sonde {

inline constexpr uint32_t kShownStrings = 32;  ///< of argv, where the source cannot capture lists
inline constexpr uint32_t kShownBuffers = 6;   ///< of an iovec
inline constexpr uint8_t kTheResult = 6;       ///< stands for the result, in place of an argument's number

/// How much argstr shows. It is set once, before the first call is captured: the captures of a call are computed once.
struct ShownAmount {
  uint32_t bytes = 32;  ///< of a buffer, or of a text that is not a path; at most kMostShownBytes
  bool whole = false;   ///< all members of structures, all texts of argv and the environment
  bool lists = false;   ///< the source can capture arrays of texts (SONDE_DIF_TEXT_STRINGS)

  /// How many texts of an array.
  size_t texts() const { return whole ? SIZE_MAX : lists ? bytes : std::min(bytes, kShownStrings); }
};
inline constexpr uint32_t kMostShownBytes = 4096;
const ShownAmount& shown_amount();
void set_shown_amount(const ShownAmount& amount);

/// The words of a call in a record: its arguments, and the code segment that it was made from.
inline constexpr uint32_t kCallWords = 7;
inline constexpr int32_t kCodeSegmentRegister = 17;   ///< of uregs[]
inline constexpr uint64_t kCompatCodeSegment = 0x23;  ///< of programs of 32 bits

struct CallCapture {
  enum class Kind : uint8_t {
    Text,        ///< up to a NUL
    Bytes,       ///< units of one size
    Descriptor,  ///< the name of what a descriptor is open on
    Texts,       ///< the texts behind an array of pointers that ends with NULL; a slot each, and one more
    List,        ///< the same in one slot, of any number
    Pointers,    ///< how many pointers such an array has
    Buffers,     ///< the buffers of an iovec; a slot each
  };
  /// Where the number of units is.
  enum class Count : uint8_t {
    Fixed,     ///< `most`
    Argument,  ///< argument `counted_by`
    Bits,      ///< argument `counted_by`, in bits
    Result,    ///< the call's result
    Pointed,   ///< the int that argument `counted_by` points to
    Field,     ///< the long at offset `counted_by` of the structure that `argument` points to
    IntField,  ///< the same, an int
    Command,   ///< argument `counted_by` is a command, looked up in `commands`
  };
  struct Command {
    uint32_t value;
    uint16_t units;
  };

  Kind kind = Kind::Bytes;
  uint8_t argument = 0;
  int8_t pointer_at = -1;  ///< the address, or the descriptor, is at this offset in what `argument` points to
  Count count = Count::Fixed;
  uint8_t counted_by = 0;
  uint16_t unit = 1;
  uint16_t most = 1;    ///< units
  bool out = false;     ///< only if the call has succeeded
  bool narrow = false;  ///< the argument with the count has 32 bits
  std::span<const Command> commands;
  uint32_t command_mask = 0xffffffff;

  friend bool operator==(const CallCapture& a, const CallCapture& b);

  uint32_t texts() const;  ///< slots of text that it uses
  uint32_t bytes() const;  ///< slots of bytes that it uses
};

struct CaptureNeeds {
  bool returns = false;
  bool arguments = false;    ///< argstr
  bool result = false;       ///< retstr
  bool descriptors = false;  ///< the names of what descriptors are open on
};

/// In the order of capturing: those that a failed call needs, too, come first. Computed once for each call.
const std::vector<CallCapture>& captures_of(uint32_t call, CaptureNeeds needs);

/// The captured memory of one call.
class CallMemory {
 public:
  /// Bytes from `address` on, and whether a text was cut; no data if the memory could not be read.
  struct Piece {
    uint64_t address;
    std::string_view bytes;
    bool cut = false;
  };

  /// An array of texts; a text that could not be read has no data.
  struct List {
    enum class End : uint8_t { Null, More, Unreadable };
    std::vector<Piece> texts;
    End end = End::More;
    uint64_t end_at = 0;  ///< from where on it is unreadable
  };

  void add(Piece piece) { pieces_.push_back(piece); }
  void describe(int descriptor, std::string_view what) { descriptors_.emplace(descriptor, what); }
  void add_text(Piece piece) { texts_.push_back(piece); }
  void add_unreadable_text(uint64_t address) { texts_.push_back({address, {}, true}); }
  void add_list(uint64_t address, List list) { lists_.emplace(address, std::move(list)); }
  void count_pointers(uint64_t address, std::string_view count) { counts_.emplace(address, count); }

  /// The piece at `address`; the longest if there are several (an ioctl's argument may be read or written).
  std::optional<Piece> find(uint64_t address) const;
  std::string_view description(int descriptor) const;  ///< empty: not known
  std::span<const Piece> texts() const { return texts_; }
  const List* list(uint64_t address) const;           ///< null: was not captured
  std::string_view pointers(uint64_t address) const;  ///< as SONDE_DIF_TEXT_POINTERS; empty: not known

 private:
  std::vector<Piece> pieces_;
  std::vector<Piece> texts_;  ///< of argv; a text that could not be read has no data
  std::map<int, std::string, std::less<>> descriptors_;
  std::map<uint64_t, List> lists_;
  std::map<uint64_t, std::string> counts_;
};

/// Reads the captures from a record. `arguments` are the call's.
CallMemory collect(std::span<const CallCapture> captures, const CallSlots& slots, const sonde_record& record,
                   std::span<const uint64_t> arguments, int64_t result);

}  // namespace sonde
