// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The code around a record: the ring that it goes to, its captures, its end
#pragma once

#include "runtime/bpf/fire_target.h"

namespace sonde::bpf {

inline void call_helper(sonde_lowering* l, int32_t helper) { sonde_lower_emit(l, BPF_JMP | BPF_CALL, 0, 0, 0, helper); }
/// `to` = a map
void load_map(sonde_lowering* l, uint8_t to, int map);

inline int32_t slot_offset(uint32_t slot) { return static_cast<int32_t>(offsetof(sonde_record, slot) + 8 * slot); }
inline int32_t epid_offset(uint32_t column) { return static_cast<int32_t>(offsetof(TableRow, epids) + 4 * column); }

/// Takes a ring, unless this firing has one, and room for the longest record; then R6 and R7 are set. If there is no
/// ring, counts a drop and goes to the column's end.
void begin_record(sonde_lowering* l);
/// Counts a drop where no ring is held: a value that found no memory, an event that nobody can be said to have caused. May
/// use all scratch.
void count_lost(sonde_lowering* l, const Rings& rings);
/// Where all ends lead to: makes the record of a pending fault, publishes a record.
void end_record(sonde_lowering* l);
/// R7 = the scratch: where a record that will be folded, or has paths, is put together.
void use_scratch(sonde_lowering* l);
/// Finds the ring of that level, which an earlier part of a chain holds, and its firing's time. Returns a branch that is
/// taken if it is there.
uint32_t resume_ring(sonde_lowering* l, const World& world, uint32_t level);
/// Gives the ring back, if there is one, and then wakes the reader for urgent records: it reads nothing of a firing that
/// has not ended. At the end of a section; uses R8.
void release_ring(sonde_lowering* l, const World& world);

/// The slot faults with the address in `address`. Uses R2 and R3.
void fault_slot(sonde_lowering* l, uint32_t slot, uint8_t address);
/// `reg` = the bytes of the record that are in use.
void load_used(sonde_lowering* l, uint8_t reg);
/// `reg` = where the next span begins.
void load_span_start(sonde_lowering* l, uint8_t reg);
/// Makes a span of `length` of the next `stored` bytes, a multiple of 8. Uses R1 and R2.
void end_span(sonde_lowering* l, uint32_t slot, uint8_t length, uint8_t stored);
/// Reads the text of thread `which` (sonde_dif_text), whose address the stack has at `kept`, to where the next span begins, by
/// a helper that reads texts. branch_if_text() says whether it could.
void read_text(sonde_lowering* l, uint32_t which, int16_t kept, int32_t helper);
/// Makes a span of the text that such a helper has just read: R0 = its length with its NUL. Uses R1, R2 and R3.
void end_text(sonde_lowering* l, uint32_t slot);
/// Behind a helper that reads a text: branches if it has, with R0 = the length with its NUL. Before Linux 6.13 the one for
/// user memory stores an empty text and returns 0. Uses R1.
uint32_t branch_if_text(sonde_lowering* l);
/// R0 = `reg` rounded up to a multiple of 8
void round_up(sonde_lowering* l, uint8_t reg);
// Captures. They may use all scratch.
void capture_text(sonde_lowering* l, const sonde_dif_insn* in, bool bounded);
void capture_memory(sonde_lowering* l, const sonde_dif_insn* in);
void capture_execname(sonde_lowering* l, const sonde_dif_insn* in);

}  // namespace sonde::bpf
