// SPDX-License-Identifier: GPL-3.0-or-later
// DWARF describes where a variable is while its function runs. A tap fires before the first instruction, so:
//
//   a list      the first entry that begins at the first instruction holds there: even an empty one, because the entry
//               behind it may tell of an assignment (`x = y` needs no instruction)
//   an expression without a list is said of the whole function, and written for the code behind the prologue: a slot in
//               the function's own frame, or a register to which the prologue copies. `listed` is false
//   a constant  is the value that the compiler has found for the variable, passed or not
//
// What is in the frame of the caller has its address relative to the CFA. Everything else that an expression can compute
// is Elsewhere.
#include "runtime/process/dwarf_entry.h"

#include <dwarf.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "runtime/process/arch.h"

namespace sonde {
namespace {

constexpr size_t kMaxPieces = 16;

/// What the expressions of a function start from.
struct Bases {
  bool is_cfa = false;               ///< DW_OP_fbreg: the CFA
  std::optional<uint32_t> frame;     ///< ... or what this register holds behind the prologue
  std::optional<int64_t> to_caller;  ///< bytes from the stack pointer to the CFA, where one part of the code is meant
};

/// gcc's base is the CFA, clang's the register that it finds its frame by.
Bases bases_of(Dwarf_Die& function) {
  Bases bases;
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  size_t count = 0;
  if (dwarf_attr_integrate(&function, DW_AT_frame_base, &attribute) == nullptr ||
      dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1)
    return bases;
  const unsigned atom = operations[0].atom;
  bases.is_cfa = atom == DW_OP_call_frame_cfa;
  if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) bases.frame = atom - DW_OP_reg0;
  return bases;
}

/// The value of DW_OP_lit0 and the like.
bool is_constant(const Dwarf_Op& operation, int64_t& value) {
  const unsigned atom = operation.atom;
  if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) return value = atom - DW_OP_lit0, true;
  const bool direct = (atom >= DW_OP_const1u && atom <= DW_OP_consts);
  if (direct) value = static_cast<int64_t>(operation.number);
  return direct;
}

/// One part of a location: operations up to a DW_OP_piece.
CPiece piece_of(std::span<const Dwarf_Op> part, const Bases& bases) {
  CPiece piece;
  if (part.empty()) return {CPiece::Kind::Nowhere, 0, 0, 0};
  const Dwarf_Op& first = part.front();
  const bool alone = part.size() == 1;
  if (alone && first.atom >= DW_OP_reg0 && first.atom <= DW_OP_reg31)
    return {CPiece::Kind::Register, first.atom - unsigned{DW_OP_reg0}, 0, 0};
  if (alone && first.atom == DW_OP_regx) return {CPiece::Kind::Register, static_cast<uint32_t>(first.number), 0, 0};
  if (alone && first.atom == DW_OP_fbreg && bases.is_cfa)
    return {CPiece::Kind::Frame, 0, static_cast<int64_t>(first.number), 0};
  if (alone && first.atom == DW_OP_fbreg && bases.frame)
    return {CPiece::Kind::OwnFrame, *bases.frame, static_cast<int64_t>(first.number), 0};
  if (alone && first.atom == DW_OP_call_frame_cfa) return {CPiece::Kind::Frame, 0, 0, 0};
  if (alone && first.atom == DW_OP_breg0 + machine::kDwarfStackPointer && bases.to_caller)
    return {CPiece::Kind::Frame, 0, static_cast<int64_t>(first.number) - *bases.to_caller, 0};
  if (alone && first.atom >= DW_OP_breg0 && first.atom <= DW_OP_breg31)
    return {CPiece::Kind::Memory, first.atom - unsigned{DW_OP_breg0}, static_cast<int64_t>(first.number), 0};
  if (int64_t value = 0; part.size() == 2 && part[1].atom == DW_OP_stack_value && is_constant(first, value))
    return {CPiece::Kind::Constant, 0, value, 0};
  return piece;
}

std::vector<CPiece> pieces_of(std::span<const Dwarf_Op> operations, const Bases& bases) {
  std::vector<CPiece> pieces;
  size_t from = 0;
  for (size_t at = 0; at < operations.size() && pieces.size() < kMaxPieces; at++) {
    if (operations[at].atom != DW_OP_piece) continue;
    pieces.push_back(piece_of(operations.subspan(from, at - from), bases));
    pieces.back().size = operations[at].number;
    from = at + 1;
  }
  if (pieces.empty() && !operations.empty()) pieces.push_back(piece_of(operations, bases));
  return pieces;
}

bool is_list(Dwarf_Attribute& attribute) {
  switch (dwarf_whatform(&attribute)) {
    case DW_FORM_exprloc:
    case DW_FORM_block:
    case DW_FORM_block1:
    case DW_FORM_block2:
    case DW_FORM_block4: return false;
    default: return true;
  }
}

CLanguage language_of(int language) {
  switch (language) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11: return CLanguage::C;
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14: return CLanguage::CPlusPlus;
    case DW_LANG_Go: return CLanguage::Go;
    case DW_LANG_Rust: return CLanguage::Rust;
    case 0x2c: return CLanguage::C;          // DW_LANG_C17
    case 0x2b: return CLanguage::CPlusPlus;  // DW_LANG_C_plus_plus_20
    case 0x2a: return CLanguage::CPlusPlus;  // DW_LANG_C_plus_plus_17
    case DW_LANG_Mips_Assembler: return CLanguage::Assembler;
    default: return CLanguage::Other;
  }
}

/// What a list says of the first instruction, or else of the first one of which it says something.
void read_list(Dwarf_Attribute& attribute, Dwarf_Addr entry, const Bases& bases, DwarfFrames& frames,
               CEntryPlace& place) {
  ptrdiff_t next = 0;
  Dwarf_Addr base = 0, start = 0, end = 0;
  Dwarf_Op* operations = nullptr;
  size_t count = 0;
  while ((next = dwarf_getlocations(&attribute, next, &base, &start, &end, &operations, &count)) > 0) {
    if (start == entry) {
      place.pieces = pieces_of({operations, count}, bases);
      return;
    }
    Bases here = bases;
    here.to_caller = frames.to_caller(start, machine::kDwarfStackPointer);
    std::vector<CPiece> pieces = pieces_of({operations, count}, here);
    place.later = place.later || (!pieces.empty() && pieces.front().kind != CPiece::Kind::Constant);
    if (!place.first.empty() || start < entry) continue;
    place.first = std::move(pieces);
    place.first_at = start - entry;
  }
}

bool has(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  return dwarf_attr_integrate(&die, name, &attribute) != nullptr;
}

}  // namespace

bool entry_of(Dwarf_Die& function, Dwarf_Addr& entry) {
  Dwarf_Addr base = 0, end = 0;
  return dwarf_entrypc(&function, &entry) == 0 || dwarf_ranges(&function, 0, &base, &entry, &end) > 0;
}

void read_origin(Dwarf_Die& function, CFunction& out) {
  Dwarf_Die unit;
  Dwarf_Attribute attribute;
  if (dwarf_diecu(&function, &unit, nullptr, nullptr) != nullptr) {
    out.language = language_of(dwarf_srclang(&unit));
    const char* producer =
        dwarf_attr_integrate(&unit, DW_AT_producer, &attribute) != nullptr ? dwarf_formstring(&attribute) : nullptr;
    out.producer = producer != nullptr ? producer : "";
  }
  out.external = has(function, DW_AT_external);
  out.optimized = has(function, DW_AT_call_all_calls) || has(function, DW_AT_GNU_all_call_sites) ||
                  has(function, DW_AT_call_all_tail_calls) || has(function, DW_AT_GNU_all_tail_call_sites);
  Dwarf_Word convention = DW_CC_normal;
  if (dwarf_attr_integrate(&function, DW_AT_calling_convention, &attribute) != nullptr)
    dwarf_formudata(&attribute, &convention);
  out.usual_convention = convention == DW_CC_normal;
}

CEntryPlace read_entry_place(Dwarf_Die& function, Dwarf_Die& parameter, DwarfFrames& frames) {
  CEntryPlace place;
  Dwarf_Attribute attribute;
  Dwarf_Addr entry = 0;
  if (!entry_of(function, entry)) return place;
  if (dwarf_attr_integrate(&parameter, DW_AT_const_value, &attribute) != nullptr) {
    Dwarf_Sword value = 0;
    place.listed = true;
    place.pieces = {CPiece{}};
    if (dwarf_formsdata(&attribute, &value) == 0) place.pieces = {{CPiece::Kind::Constant, 0, value, 0}};
    return place;
  }
  if (dwarf_attr_integrate(&parameter, DW_AT_location, &attribute) == nullptr) return place;
  const Bases bases = bases_of(function);
  if (is_list(attribute)) {
    place.listed = true;
    read_list(attribute, entry, bases, frames, place);
    return place;
  }
  Dwarf_Op* operations = nullptr;
  size_t count = 0;
  if (dwarf_getlocation(&attribute, &operations, &count) == 0) place.pieces = pieces_of({operations, count}, bases);
  return place;
}

bool has_flag(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  bool value = false;
  return dwarf_attr(&die, name, &attribute) != nullptr && dwarf_formflag(&attribute, &value) == 0 && value;
}

}  // namespace sonde
