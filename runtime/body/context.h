// SPDX-License-Identifier: GPL-3.0-or-later
// What a body can access while it runs: this context, and the helpers below. The code generator knows the layout of the
// first part (offsetof) and the names of the helpers (runtime/body/symbols.h).
//
// A helper that fails sets `fault` and returns 0. Generated code checks `fault` after every helper that may fail, and
// leaves at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kmod/shared/record.h"
#include "runtime/program/fault.h"
#include "runtime/program/program.h"

namespace sonde {

struct BodyState;

/// Firings that the source has folded into one (kmod/shared/fold.h): instead of the record's values, a clause's
/// aggregations get these states, one behind the other.
struct FoldedStates {
  uint64_t firings;
  std::span<const int64_t> left;
};

struct BodyContext {
  // Accessed by generated code.
  const sonde_record* record;
  const uint64_t* slots;   ///< record->slot
  uint64_t* globals;       ///< cells
  uint64_t* self;          ///< cells of the firing thread
  uint64_t* locals;        ///< cells, zero at the start of each firing
  uint64_t fault;          ///< Fault
  uint64_t fault_value;    ///< address, index
  uint64_t action;         ///< number of the statement that runs, from 1; 0: the predicate
  uint64_t scratch_begin;  ///< address range that a body may load from and store to
  uint64_t scratch_end;
  // Used by the runtime only.
  const ClauseDesc* clause;
  const ProbeInfo* probe;
  uint32_t epid;
  BodyState* state;      ///< runtime/body/state.h
  FoldedStates* folded;  ///< null: the record is of one firing
};

/// Lets bodies load from [begin, begin + size), for string constants in generated code. It must stay mapped until the
/// process ends.
void register_constant_range(const void* begin, size_t size);

// Scratch memory lives until the end of the clause. Strings are NUL-terminated, at most strsize bytes long; a null
// pointer is D's NULL. `keys` and `argv` have one word per value, interpreted by its ValueType.
extern "C" {
// Captures. A slot that could not be captured faults with BadAddress and its address.
uint64_t sonde_slot_word(BodyContext*, uint32_t slot);
uint64_t sonde_slot_text(BodyContext*, uint32_t slot);  ///< const char *, valid for the clause, cut at strsize
uint64_t sonde_slot_bytes(BodyContext*,
                          uint32_t slot);  ///< copy in scratch; a byte behind it, for a NUL, may be stored to
uint64_t sonde_slot_stack(BodyContext*, uint32_t slot);  ///< StackValue *
// Reads memory of this process or the traced one, if the address could not be computed at the firing; the clause is
// held.
uint64_t sonde_held_copyin(BodyContext*, uint64_t address, uint64_t size);
uint64_t sonde_held_copyinstr(BodyContext*, uint64_t address, uint64_t max);
// Checks for loads and stores through D pointers: 1 if [address, address + size) may be accessed, else 0 and
// BadAddress.
uint32_t sonde_may_load(BodyContext*, uint64_t address, uint64_t size);
uint32_t sonde_may_store(BodyContext*, uint64_t address, uint64_t size);
void sonde_fault(BodyContext*, uint64_t code, uint64_t value);
// Variables whose value is not an integer. `cell` is &globals[i], &self[i] or &locals[i].
void sonde_store_string(BodyContext*, uint64_t* cell, uint64_t text);
void sonde_store_bytes(BodyContext*, uint64_t* cell, uint64_t from, uint32_t size);
uint64_t sonde_cell_bytes(BodyContext*, uint64_t* cell, uint32_t size);  ///< the buffer; a new one is zeroed
// Associative arrays, by index into BodyProgram::arrays. A missing element reads as 0; storing 0 deletes it.
uint64_t sonde_array_load(BodyContext*, uint32_t array, const uint64_t* keys);
void sonde_array_store(BodyContext*, uint32_t array, const uint64_t* keys, uint64_t value);
// Strings.
int64_t sonde_compare_strings(BodyContext*, uint64_t a, uint64_t b);  ///< < 0, 0, > 0; NULL is less than any string
uint64_t sonde_string_of(BodyContext*, uint64_t address,
                         uint64_t size);  ///< stringof(p): D memory up to a NUL or `size` bytes, as a string
/// (char *)text: its own address if strsize bytes can be read there, else that of a copy, with zeros behind the NUL.
/// NULL stays NULL.
uint64_t sonde_text_memory(BodyContext*, uint64_t text);
/// Stores a string in `size` bytes of memory: cut to that size, with a NUL if there is room. NULL is stored as "".
void sonde_store_text(BodyContext*, uint64_t address, uint64_t text, uint64_t size);
uint64_t sonde_scratch(BodyContext*, uint64_t size);  ///< zeroed, 8-byte aligned; NoScratch
/// SymbolValue *. `is_return`: a call returns to `address`, so the byte before it is looked up.
uint64_t sonde_symbol(BodyContext*, uint32_t kind, uint64_t address, uint64_t is_return);
// Aggregations, by index into BodyProgram::aggregations. `weight`: the increment for quantize and similar functions,
// otherwise 1.
void sonde_aggregate(BodyContext*, uint32_t aggregation, const uint64_t* keys, int64_t value, int64_t weight);
}

}  // namespace sonde
