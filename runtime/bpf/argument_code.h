// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Arguments of functions by their types (kmod/shared/location.h), as code
//
//   LC address; LDU  -->  bytes of an argument  -->  pieces, by the list of each tap  -->  loads of registers and memory
//
// The address of an argument is a constant of the fire part: the compiler writes it there, and adds constants only. So
// what is read is known before it runs, and the places become constants of the code: an int in a register is one load.
// Taps that share a program may have different lists. Each list that differs in what is read has a number, which is in
// the taps' rows; a read at which they disagree branches by it, all others do not look.
//
// We refused a map of locations that the program interprets. A clause's probes agree on the type of args[n], so nearly
// always on its place, too; each read would pay for a loop over parts, whose every turn the verifier follows.
//
// A register of vectors cannot be read: the kernel keeps no copy of it that a program sees. why_unreadable() says so
// before a tap is armed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kmod/shared/location.h"
#include "kmod/shared/lower.h"

namespace sonde::bpf {

/// Where arguments are at some taps.
struct ArgumentPlaces {
  uint32_t number;  ///< in their rows; see World::places_offset
  std::vector<sonde_location> list;
};

/// The bytes of an argument that an instruction reads.
struct ArgumentRead {
  uint32_t argument;
  uint32_t from;  ///< the first byte
  uint32_t length;
};

/// What a verified program reads of arguments, by instruction.
std::map<uint32_t, ArgumentRead> argument_reads(const sonde_dif_program& fire);
/// Those of the locations that belong to arguments which are read.
std::vector<sonde_location> places_read(std::span<const ArgumentRead> reads, std::span<const sonde_location> list);
/// Why these bytes cannot be read by a program in the kernel, though they have a place; empty: they can.
std::string why_unreadable(const ArgumentRead& read, std::span<const sonde_location> list);

/// Bytes of a read that are in one part.
struct ArgumentPiece {
  sonde_location part;
  uint32_t skip;  ///< bytes of the part before them
  uint32_t to;    ///< their first byte in what is read
  uint32_t bytes;
};

/// A read, and where it finds its bytes.
struct PlacedRead {
  struct Places {
    std::vector<ArgumentPiece> pieces;  ///< empty: it is a fault
    std::vector<uint32_t> numbers;      ///< of ArgumentPlaces
  };
  ArgumentRead read;
  std::vector<Places> places;  ///< all differ

  /// Some of its bytes are in memory, or nowhere.
  bool may_fault() const;
  /// Instructions that it may become, at most.
  uint32_t most_insns() const;
};
using PlacedReads = std::map<uint32_t, PlacedRead>;

/// Without places nothing is placed.
PlacedReads place_reads(const sonde_dif_program& fire, std::span<const ArgumentPlaces> places);

/// Branches behind the code of a read.
struct ReadEnds {
  std::vector<uint32_t> read, failed;
};

/// R1 = the bytes, zero-extended. `places_offset`: of the number of the list, in the row.
ReadEnds load_argument(sonde_lowering* l, const PlacedRead& read, int32_t places_offset);
/// Writes the bytes to where the next span begins.
ReadEnds copy_argument(sonde_lowering* l, const PlacedRead& read, int32_t places_offset);

}  // namespace sonde::bpf
