// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/argument_code.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <set>

#include "kmod/shared/locate.h"
#include "runtime/bpf/arch.h"
#include "runtime/bpf/code.h"
#include "runtime/bpf/frame.h"
#include "runtime/bpf/record_code.h"

namespace sonde::bpf {
namespace {

constexpr int16_t kPointer = kBuffer;  ///< of a part that is behind an address
constexpr uint32_t kWord = 8;

// ---- what is read ----------------------------------------------------------------------------------------------

using Constants = std::array<std::optional<uint64_t>, SONDE_DIF_REGISTERS>;

uint64_t pool_number(const sonde_dif_program& fire, int32_t at) {
  uint64_t number = 0;
  std::memcpy(&number, fire.pool + at, sizeof number);
  return number;
}

/// What the instruction makes of what is known.
void learn(Constants& known, const sonde_dif_program& fire, const sonde_dif_insn& in) {
  const char* operands = sonde_dif_op_operands(in.op);
  if (operands == nullptr || operands[0] != 'd') return;
  std::optional<uint64_t> value;
  if (in.op == SONDE_DIF_LI) value = static_cast<uint64_t>(int64_t{in.i});
  if (in.op == SONDE_DIF_LC) value = pool_number(fire, in.i);
  if (in.op == SONDE_DIF_MOV) value = known[in.a];
  if (in.op == SONDE_DIF_ADD && known[in.a] && known[in.b]) value = *known[in.a] + *known[in.b];
  known[in.d] = value;
}

std::optional<ArgumentRead> read_of(const Constants& known, const sonde_dif_insn& in) {
  const bool loads = in.op == SONDE_DIF_LDU || in.op == SONDE_DIF_LDS, copies = in.op == SONDE_DIF_CAPMEM;
  if ((!loads && !copies) || !known[in.a] || !sonde_is_argument(*known[in.a])) return std::nullopt;
  const auto most = static_cast<uint64_t>(in.i);
  const std::optional<uint64_t> length = loads ? most : known[in.b];
  if (!length || *length == 0 || *length > most) return std::nullopt;
  return ArgumentRead{static_cast<uint32_t>(*known[in.a] >> 32 & 0xffff), static_cast<uint32_t>(*known[in.a]),
                      static_cast<uint32_t>(*length)};
}

// ---- where it is -----------------------------------------------------------------------------------------------

bool in_memory(const sonde_location& part) {
  return part.kind == SONDE_LOCATION_MEMORY || part.kind == SONDE_LOCATION_BEHIND;
}

bool is_readable(const sonde_location& part) {
  return part.kind != SONDE_LOCATION_VECTOR && (part.flags & SONDE_LOCATION_THREAD) == 0;
}

bool is_sign(const sonde_location& part) { return (part.flags & SONDE_LOCATION_SIGN) != 0; }

/// The pieces, whether they can be read or not; empty: some bytes have no place.
std::vector<ArgumentPiece> pieces_of(const ArgumentRead& read, std::span<const sonde_location> list) {
  std::vector<ArgumentPiece> pieces;
  for (uint32_t to = 0; to < read.length;) {
    const sonde_location* part =
        sonde_location_find(list.data(), static_cast<uint32_t>(list.size()), read.argument, read.from + to);
    if (part == nullptr) return {};
    const uint32_t skip = read.from + to - part->at, bytes = std::min(part->size - skip, read.length - to);
    pieces.push_back({*part, is_sign(*part) ? 0 : skip, to, bytes});
    to += bytes;
  }
  return pieces;
}

bool same(const ArgumentPiece& a, const ArgumentPiece& b) {
  return std::memcmp(&a.part, &b.part, sizeof a.part) == 0 && a.skip == b.skip && a.to == b.to && a.bytes == b.bytes;
}

// ---- code ------------------------------------------------------------------------------------------------------

/// `reg` = where the byte `at` of what is read goes to. It may not change other registers.
using PointAt = std::function<void(L* l, uint8_t reg, uint32_t at)>;

/// `to` = a register of the thread, by DWARF's number
void load_numbered(L* l, uint8_t to, uint8_t number) {
  sonde_lower_ldx(l, BPF_DW, to, FP, kRegisters);
  sonde_lower_ldx(l, BPF_DW, to, to, kFrameRegisters[number]);
}

/// R3 = the address that the location names, plus `more`. Uses R5.
void load_address(L* l, const sonde_location& part, uint32_t more) {
  sonde_lower_constant(l, R3, static_cast<uint64_t>(part.value) + more);
  if (part.base != SONDE_NO_REGISTER) {
    load_numbered(l, R5, part.base);
    sonde_lower_alu(l, BPF_ADD, R3, R5);
  }
  if (part.index == SONDE_NO_REGISTER) return;
  load_numbered(l, R5, part.index);
  sonde_lower_alu_imm(l, BPF_MUL, R5, part.scale);
  sonde_lower_alu(l, BPF_ADD, R3, R5);
}

/// `to` = the bytes of a place that is not in memory, and what is above them. Uses R3 and R5.
void load_piece(L* l, uint8_t to, const ArgumentPiece& piece) {
  const sonde_location& part = piece.part;
  if (part.kind == SONDE_LOCATION_CONSTANT) {
    sonde_lower_constant(l, to, static_cast<uint64_t>(part.value) >> 8 * piece.skip);
    return;
  }
  auto below = piece.skip;
  if (part.kind == SONDE_LOCATION_ADDRESS) {
    load_address(l, part, 0);
    sonde_lower_mov(l, to, R3);
  } else {
    load_numbered(l, to, part.base);
    below += static_cast<uint32_t>(part.value);
  }
  if (below != 0) sonde_lower_alu_imm(l, BPF_RSH, to, static_cast<int32_t>(8 * below));
}

/// Stores the lowest bytes of R2 by words that are aligned, as the verifier wants it on the stack; behind the eighth byte its
/// sign. Uses R4.
void store_bytes(L* l, uint32_t to, uint32_t bytes, const PointAt& point_at) {
  constexpr std::array<uint8_t, 4> kSizes = {BPF_B, BPF_H, BPF_W, BPF_DW};
  point_at(l, R4, to);
  for (uint32_t done = 0; done < bytes;) {
    const uint32_t aligned = (to + done) % kWord == 0 ? kWord : (to + done) & -(to + done);
    const uint32_t some = std::min(aligned, std::bit_floor(bytes - done));
    sonde_lower_stx(l, kSizes[static_cast<size_t>(std::countr_zero(some))], R4, R2, static_cast<int32_t>(done));
    done += some;
    if (done < bytes) sonde_lower_alu_imm(l, BPF_ARSH, R2, static_cast<int32_t>(std::min(8 * some, 63u)));
  }
}

void copy_memory(L* l, const ArgumentPiece& piece, const PointAt& point_at, std::vector<uint32_t>& failed) {
  const auto read = [&] {
    call_helper(l, BPF_FUNC_probe_read_user);
    failed.push_back(sonde_lower_branch_imm(l, BPF_JNE, R0, 0));
  };
  const bool behind = piece.part.kind == SONDE_LOCATION_BEHIND;
  load_address(l, piece.part, behind ? 0 : piece.skip);
  if (behind) {
    sonde_lower_mov(l, R1, FP);
    sonde_lower_alu_imm(l, BPF_ADD, R1, kPointer);
    sonde_lower_mov_imm(l, R2, kWord);
    read();
    sonde_lower_ldx(l, BPF_DW, R3, FP, kPointer);
    sonde_lower_alu_imm(l, BPF_ADD, R3, static_cast<int32_t>(piece.skip));
  }
  point_at(l, R1, piece.to);
  sonde_lower_mov_imm(l, R2, static_cast<int32_t>(piece.bytes));
  read();
}

/// R2 = -1 or 0: the sign of the byte at the place
void load_sign(L* l, const ArgumentPiece& piece, std::vector<uint32_t>& failed) {
  if (in_memory(piece.part)) {
    ArgumentPiece byte = piece;
    byte.bytes = 1;
    const PointAt at_pointer = [](L* to, uint8_t reg, uint32_t) {
      sonde_lower_mov(to, reg, FP);
      sonde_lower_alu_imm(to, BPF_ADD, reg, kPointer);
    };
    copy_memory(l, byte, at_pointer, failed);
    sonde_lower_ldx(l, BPF_B, R2, FP, kPointer);
  } else {
    load_piece(l, R2, piece);
  }
  sonde_lower_alu_imm(l, BPF_LSH, R2, 56);
  sonde_lower_alu_imm(l, BPF_ARSH, R2, 63);
}

/// Whether they are bytes of a register, and above them zeros or their sign: what makes an int a long.
bool is_extended(const std::vector<ArgumentPiece>& pieces) {
  if (pieces.size() != 2 || pieces[0].part.kind != SONDE_LOCATION_REGISTER || is_sign(pieces[0].part)) return false;
  const sonde_location& low = pieces[0].part;
  const sonde_location& high = pieces[1].part;
  if (pieces[0].skip != 0 || pieces[0].bytes != low.size) return false;
  if (high.kind == SONDE_LOCATION_CONSTANT) return high.value == 0;
  return is_sign(high) && high.kind == SONDE_LOCATION_REGISTER && high.base == low.base &&
         high.value == low.value + low.size - 1;
}

void copy_pieces(L* l, const std::vector<ArgumentPiece>& pieces, const PointAt& point_at,
                 std::vector<uint32_t>& failed) {
  for (const ArgumentPiece& piece : pieces) {
    if (is_sign(piece.part)) {
      load_sign(l, piece, failed);
      store_bytes(l, piece.to, piece.bytes, point_at);
    } else if (in_memory(piece.part)) {
      copy_memory(l, piece, point_at, failed);
    } else {
      load_piece(l, R2, piece);
      store_bytes(l, piece.to, piece.bytes, point_at);
    }
  }
}

/// R1 = what is read, at most a word.
void load_pieces(L* l, const std::vector<ArgumentPiece>& pieces, uint32_t length, std::vector<uint32_t>& failed) {
  if (length == kWord && is_extended(pieces)) {
    load_piece(l, R1, pieces.front());
    const auto above = static_cast<int32_t>(8 * (kWord - pieces.front().bytes));
    sonde_lower_alu_imm(l, BPF_LSH, R1, above);
    sonde_lower_alu_imm(l, is_sign(pieces.back().part) ? BPF_ARSH : BPF_RSH, R1, above);
    return;
  }
  if (pieces.size() == 1 && !in_memory(pieces.front().part) && !is_sign(pieces.front().part)) {
    load_piece(l, R1, pieces.front());
    if (length == kWord) return;
    const auto above = static_cast<int32_t>(8 * (kWord - length));
    sonde_lower_alu_imm(l, BPF_LSH, R1, above);
    sonde_lower_alu_imm(l, BPF_RSH, R1, above);
    return;
  }
  const PointAt in_value = [](L* to, uint8_t reg, uint32_t at) {
    sonde_lower_mov(to, reg, FP);
    sonde_lower_alu_imm(to, BPF_ADD, reg, kValue + static_cast<int32_t>(at));
  };
  sonde_lower_st(l, BPF_DW, FP, kValue, 0);
  copy_pieces(l, pieces, in_value, failed);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kValue);
}

/// The lists from `first` on are these places', up to the next one.
struct Interval {
  uint32_t first;
  size_t places;
};

std::vector<Interval> intervals_of(const std::vector<PlacedRead::Places>& places) {
  std::map<uint32_t, size_t> by_number;
  for (size_t n = 0; n < places.size(); n++)
    for (const uint32_t number : places[n].numbers) by_number[number] = n;
  std::vector<Interval> all;
  for (const auto& [number, which] : by_number)
    if (all.empty() || all.back().places != which) all.push_back({number, which});
  return all;
}

/// Branches to the places of the list whose number is in R2.
void find_places(L* l, std::span<const Interval> among, std::vector<std::vector<uint32_t>>& found) {
  if (among.size() == 1) {
    found[among.front().places].push_back(sonde_lower_jump(l));
    return;
  }
  const auto lower = among.first(among.size() / 2), upper = among.subspan(among.size() / 2);
  const uint32_t above = sonde_lower_branch_imm(l, BPF_JGE, R2, static_cast<int32_t>(upper.front().first));
  find_places(l, lower, found);
  sonde_lower_land(l, above);
  find_places(l, upper, found);
}

/// Reads by the places of the row's list.
ReadEnds read_places(L* l, const PlacedRead& placed, int32_t places_offset,
                     const std::function<void(const std::vector<ArgumentPiece>&, std::vector<uint32_t>&)>& read) {
  ReadEnds ends;
  std::vector<std::vector<uint32_t>> found(placed.places.size());
  if (placed.places.size() > 1) {
    sonde_lower_ldx(l, BPF_DW, R2, FP, kRow);
    sonde_lower_ldx(l, BPF_W, R2, R2, places_offset);
    find_places(l, intervals_of(placed.places), found);
  }
  for (size_t n = 0; n < placed.places.size(); n++) {
    for (const uint32_t branch : found[n]) sonde_lower_land(l, branch);
    const std::vector<ArgumentPiece>& pieces = placed.places[n].pieces;
    if (!pieces.empty()) read(pieces, ends.failed);
    (pieces.empty() ? ends.failed : ends.read).push_back(sonde_lower_jump(l));
  }
  return ends;
}

}  // namespace

std::map<uint32_t, ArgumentRead> argument_reads(const sonde_dif_program& fire) {
  std::map<uint32_t, ArgumentRead> reads;
  std::set<uint32_t> joins;
  Constants known{};
  for (uint32_t at = 0; at < fire.length; at++) {
    const sonde_dif_insn& in = fire.insns[at];
    if (joins.contains(at)) known = {};
    if (sonde_lower_is_branch(in.op)) joins.insert(at + 1 + static_cast<uint32_t>(in.i));
    if (const auto read = read_of(known, in)) reads[at] = *read;
    learn(known, fire, in);
  }
  return reads;
}

std::vector<sonde_location> places_read(std::span<const ArgumentRead> reads, std::span<const sonde_location> list) {
  const auto is_read = [reads](const sonde_location& part) {
    return std::ranges::any_of(reads, [&part](const ArgumentRead& one) { return one.argument == part.argument; });
  };
  std::vector<sonde_location> places;
  std::ranges::copy_if(list, std::back_inserter(places), is_read);
  return places;
}

std::string why_unreadable(const ArgumentRead& read, std::span<const sonde_location> list) {
  const std::string name = "args[" + std::to_string(read.argument) + "]";
  for (const ArgumentPiece& piece : pieces_of(read, list)) {
    if (piece.part.kind == SONDE_LOCATION_VECTOR)
      return name + " is in a vector register, which programs in the kernel cannot read";
    if (!is_readable(piece.part))
      return name + " is in the memory of its thread, which programs in the kernel do not find";
  }
  return "";
}

bool PlacedRead::may_fault() const {
  return std::ranges::any_of(places, [](const Places& one) {
    return one.pieces.empty() ||
           std::ranges::any_of(one.pieces, [](const ArgumentPiece& piece) { return in_memory(piece.part); });
  });
}

uint32_t PlacedRead::most_insns() const {
  constexpr uint32_t kMostPerPlaces = 20, kMostPerPiece = 40;
  uint32_t most = 0;
  for (const Places& one : places)
    most += kMostPerPlaces + kMostPerPiece * static_cast<uint32_t>(one.pieces.size()) +
            4 * static_cast<uint32_t>(one.numbers.size());
  return most;
}

PlacedReads place_reads(const sonde_dif_program& fire, std::span<const ArgumentPlaces> places) {
  PlacedReads all;
  if (places.empty()) return all;
  for (const auto& [at, read] : argument_reads(fire)) {
    PlacedRead placed{read, {}};
    for (const ArgumentPlaces& one : places) {
      std::vector<ArgumentPiece> pieces = pieces_of(read, one.list);
      if (!std::ranges::all_of(pieces, [](const ArgumentPiece& piece) { return is_readable(piece.part); }))
        pieces.clear();
      const auto known = std::ranges::find_if(
          placed.places, [&](const auto& other) { return std::ranges::equal(other.pieces, pieces, same); });
      if (known == placed.places.end())
        placed.places.push_back({std::move(pieces), {one.number}});
      else
        known->numbers.push_back(one.number);
    }
    all.emplace(at, std::move(placed));
  }
  return all;
}

ReadEnds load_argument(L* l, const PlacedRead& read, int32_t places_offset) {
  return read_places(l, read, places_offset, [&](const auto& pieces, std::vector<uint32_t>& failed) {
    load_pieces(l, pieces, read.read.length, failed);
  });
}

ReadEnds copy_argument(L* l, const PlacedRead& read, int32_t places_offset) {
  const PointAt in_span = [](L* to, uint8_t reg, uint32_t at) {
    load_span_start(to, reg);
    sonde_lower_alu_imm(to, BPF_ADD, reg, static_cast<int32_t>(at));
  };
  return read_places(l, read, places_offset, [&](const auto& pieces, std::vector<uint32_t>& failed) {
    copy_pieces(l, pieces, in_span, failed);
  });
}

}  // namespace sonde::bpf
