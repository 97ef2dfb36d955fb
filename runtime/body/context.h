// SPDX-License-Identifier: GPL-3.0-or-later
// What a body may touch while it runs: this context, and the helpers below. The code generator knows
// the layout of the first part (offsetof) and the names of the helpers (runtime/body/symbols.h).
//
// A helper that fails sets `fault` and returns 0; generated code looks at `fault` after every helper that may fail and leaves at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kmod/shared/record.h"
#include "runtime/program/fault.h"
#include "runtime/program/program.h"

namespace sonde {

class Consumer;
struct BodyState;

struct BodyContext {
  // Known to generated code.
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
  // The runtime's own.
  const ClauseDesc* clause;
  const ProbeInfo* probe;
  uint32_t epid;
  Consumer* consumer;
  BodyState* state;  ///< runtime/body/state.h
};

/// Lets bodies load from [begin, begin + size): string constants of generated code. It must stay mapped until the process ends.
void register_constant_range(const void* begin, size_t size);

// Scratch memory lives until the end of the clause. Strings are NUL-terminated, at most strsize bytes long;
// a null pointer is D's NULL. `keys` and `argv` are one word a value, as their ValueType says.
extern "C" {
// Captures. A faulted slot sets the fault BadAddress with its address.
uint64_t sonde_slot_word(BodyContext*, uint32_t slot);
uint64_t sonde_slot_text(BodyContext*, uint32_t slot);  ///< const char *, valid for the clause, cut at strsize
uint64_t sonde_slot_bytes(BodyContext*,
                          uint32_t slot);  ///< copy in scratch; a byte behind it, for a NUL, may be stored to
uint64_t sonde_slot_stack(BodyContext*, uint32_t slot);  ///< StackValue *
// Memory of this process or the traced one, when the clause is held and the address could not be computed before.
uint64_t sonde_held_copyin(BodyContext*, uint64_t address, uint64_t size);
uint64_t sonde_held_copyinstr(BodyContext*, uint64_t address, uint64_t max);
// Checked loads and stores through D pointers: 1 when [address, address + size) may be touched, else 0 and BadAddress.
uint32_t sonde_may_load(BodyContext*, uint64_t address, uint64_t size);
uint32_t sonde_may_store(BodyContext*, uint64_t address, uint64_t size);
void sonde_fault(BodyContext*, uint64_t code, uint64_t value);
// Variables whose value is not an integer. `cell` is &globals[i], &self[i] or &locals[i].
void sonde_store_string(BodyContext*, uint64_t* cell, uint64_t text);
void sonde_store_bytes(BodyContext*, uint64_t* cell, uint64_t from, uint32_t size);
uint64_t sonde_cell_bytes(BodyContext*, uint64_t* cell, uint32_t size);  ///< the buffer, zeroed when it is new
// Associative arrays: index into BodyProgram::arrays. Missing reads as 0; storing 0 deletes.
uint64_t sonde_array_load(BodyContext*, uint32_t array, const uint64_t* keys);
void sonde_array_store(BodyContext*, uint32_t array, const uint64_t* keys, uint64_t value);
// Strings.
int64_t sonde_compare_strings(BodyContext*, uint64_t a, uint64_t b);  ///< < 0, 0, > 0; NULL is less than any string
uint64_t sonde_string_of(BodyContext*, uint64_t address,
                         uint64_t size);  ///< stringof(p): D memory up to a NUL or `size` bytes, as a string
/// (char *)text: where it lies if strsize bytes may be read there, else a copy that has them, zeroes behind the NUL. NULL stays NULL.
uint64_t sonde_text_memory(BodyContext*, uint64_t text);
/// A string in memory of `size` bytes: cut to them, NUL where there is room. NULL is stored as "".
void sonde_store_text(BodyContext*, uint64_t address, uint64_t text, uint64_t size);
uint64_t sonde_scratch(BodyContext*, uint64_t size);  ///< zeroed, 8-byte aligned; NoScratch
/// SymbolValue *. `is_return`: a call returns to `address`, so the symbol is that of the byte before.
uint64_t sonde_symbol(BodyContext*, uint32_t kind, uint64_t address, uint64_t is_return);
// Aggregations: index into BodyProgram::aggregations. `weight`: increment of quantize and kin, 1 otherwise.
void sonde_aggregate(BodyContext*, uint32_t aggregation, const uint64_t* keys, int64_t value, int64_t weight);
}

}  // namespace sonde
