// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The writing end of a ring (runtime/buffer/ring.h has the protocol, and the same in C++), as code
//
// A record is put together where it will be, or, if the longest one that the program can make does not fit, in the
// scratch behind the ring's data, from where it is copied if its real size fits after all.
#include "runtime/bpf/record_code.h"

#include <bit>

#include "runtime/bpf/code.h"
#include "runtime/bpf/fold_code.h"
#include "runtime/bpf/fold_tables.h"

namespace sonde::bpf {
namespace {

constexpr uint8_t kUrgency = R8;
constexpr uint64_t kOnes = 0x0101010101010101, kHighBits = 0x8080808080808080;
constexpr int32_t kUsedMask = static_cast<int32_t>(kScratchBytes / 2 - 1);

void add_atomically(L* l, uint8_t to, int16_t offset, uint8_t from) {
  sonde_lower_emit(l, BPF_STX | BPF_ATOMIC | BPF_DW, to, from, offset, BPF_ADD);
}

void count_drop(L* l) {
  sonde_lower_mov_imm(l, R1, 1);
  add_atomically(l, kRing, kDrops, R1);
}

/// R0 = the element of the map whose number is in kKey; 0: there is none.
void look_up_ring(L* l, int map) {
  load_map(l, R1, map);
  sonde_lower_mov(l, R2, FP);
  sonde_lower_alu_imm(l, BPF_ADD, R2, kKey);
  call_helper(l, BPF_FUNC_map_lookup_elem);
}

struct Attempt {
  uint32_t absent, taken;  ///< branches: there is no such ring; it is ours now
};

/// Tries to take the ring whose number is in kKey.
Attempt try_ring(L* l, int map, uint32_t bytes, uint32_t table_bytes) {
  Attempt attempt{};
  look_up_ring(l, map);
  attempt.absent = sonde_lower_branch_imm(l, BPF_JEQ, R0, 0);
  sonde_lower_mov(l, kRing, R0);
  sonde_lower_st(l, BPF_DW, FP, kRingBytes, static_cast<int32_t>(bytes));
  if (column_of(l).world.folds) sonde_lower_st(l, BPF_DW, FP, kFoldBytes, static_cast<int32_t>(table_bytes));
  sonde_lower_ldx(l, BPF_DW, R1, kRing, kLastTime);
  sonde_lower_mov_imm(l, R0, -1);  // SONDE_IDLE
  sonde_lower_emit(l, BPF_STX | BPF_ATOMIC | BPF_DW, kRing, R1, kLowWater, BPF_CMPXCHG);
  attempt.taken = sonde_lower_branch_imm(l, BPF_JEQ, R0, -1);
  return attempt;
}

/// Takes the first ring of this CPU that is free. Without one, counts a drop where somebody will see it.
void take_ring(L* l) {
  const Rings& rings = *column_of(l).world.rings;
  Attempt attempts[kLevels];
  call_helper(l, BPF_FUNC_get_smp_processor_id);
  sonde_lower_stx(l, BPF_W, FP, R0, kKey);
  sonde_lower_stx(l, BPF_DW, FP, R0, kCpu);
  attempts[0] = try_ring(l, rings.first_map(), rings.first_bytes(), kFoldFirst);
  for (uint32_t level = 1; level < kLevels; level++) {
    sonde_lower_ldx(l, BPF_DW, R1, FP, kCpu);
    sonde_lower_alu_imm(l, BPF_MUL, R1, kLevels - 1);
    sonde_lower_alu_imm(l, BPF_ADD, R1, static_cast<int32_t>(level - 1));
    sonde_lower_stx(l, BPF_W, FP, R1, kKey);
    attempts[level] = try_ring(l, rings.other_map(), rings.other_bytes(), kFoldOther);
  }
  const uint32_t all_held = sonde_lower_jump(l);
  for (const Attempt& attempt : attempts) sonde_lower_land(l, attempt.absent);
  sonde_lower_st(l, BPF_W, FP, kKey, 0);  // a CPU that came later: another one's ring counts
  look_up_ring(l, rings.first_map());
  sonde_lower_mov(l, kRing, R0);
  const uint32_t none = sonde_lower_branch_imm(l, BPF_JEQ, R0, 0);
  sonde_lower_land(l, all_held);
  count_drop(l);
  sonde_lower_land(l, none);
  sonde_lower_mov_imm(l, kRing, 0);
  sonde_lower_jump_to(l, l->end);
  for (const Attempt& attempt : attempts) sonde_lower_land(l, attempt.taken);
  for (uint32_t local = 0; local < SONDE_DIF_LOCALS; local++)
    if (column_of(l).world.locals >> local & 1)
      sonde_lower_st(l, BPF_DW, kRing, kLocals + static_cast<int32_t>(8 * local), 0);
  if (column_of(l).world.folds) sonde_lower_st(l, BPF_DW, FP, kTime, 0);
}

/// The firing has a ring: takes its time and its number.
void begin_firing(L* l) {
  call_helper(l, BPF_FUNC_ktime_get_ns);
  sonde_lower_stx(l, BPF_DW, kRing, R0, kLastTime);
  sonde_lower_stx(l, BPF_DW, FP, R0, kTime);
  sonde_lower_ldx(l, BPF_W, R1, kRing, kSequence);
  sonde_lower_alu_imm(l, BPF_ADD, R1, 1);
  sonde_lower_stx(l, BPF_W, kRing, R1, kSequence);
}

/// The same, unless it has them already, from another column: where columns fold, only a record needs a time.
void need_time(L* l) {
  sonde_lower_ldx(l, BPF_DW, R1, FP, kTime);
  const uint32_t known = sonde_lower_branch_imm(l, BPF_JNE, R1, 0);
  begin_firing(l);
  sonde_lower_land(l, known);
}

bool reads_time(const sonde_dif_program& fire) {
  for (uint32_t at = 0; at < fire.length; at++)
    if (fire.insns[at].op == SONDE_DIF_VAR && fire.insns[at].i == SONDE_DIF_VAR_TIMESTAMP) return true;
  return false;
}

}  // namespace

void use_scratch(sonde_lowering* l) {
  sonde_lower_ldx(l, BPF_DW, R4, FP, kRingBytes);
  sonde_lower_stx(l, BPF_DW, FP, R4, kPlace);
  sonde_lower_mov(l, kRecord, kRing);
  sonde_lower_alu(l, BPF_ADD, kRecord, R4);
  sonde_lower_alu_imm(l, BPF_ADD, kRecord, SONDE_RING_DATA);
}

namespace {

/// What use_scratch() has put off: a record that is not folded needs a time, and the reader's place.
void need_room(L* l) {
  need_time(l);
  sonde_lower_ldx(l, BPF_DW, R5, kRing, kTail);
  sonde_lower_stx(l, BPF_DW, kRing, R5, kCachedTail);
}

/// R7 = room for the longest record.
void find_room(L* l) {
  const auto most = static_cast<int32_t>(column_of(l).record_max);
  sonde_lower_ldx(l, BPF_DW, R1, kRing, kHead);
  sonde_lower_ldx(l, BPF_DW, R2, FP, kRingBytes);
  sonde_lower_mov(l, R3, R2);
  sonde_lower_alu_imm(l, BPF_SUB, R3, 1);
  sonde_lower_mov(l, R4, R1);
  sonde_lower_alu(l, BPF_AND, R4, R3);  // where head is
  sonde_lower_mov(l, R5, R2);
  sonde_lower_alu(l, BPF_SUB, R5, R4);  // bytes to the end
  sonde_lower_mov_imm(l, R0, most);
  const uint32_t before_end = sonde_lower_branch_imm(l, BPF_JGE, R5, most);
  sonde_lower_alu(l, BPF_ADD, R0, R5);  // behind padding
  sonde_lower_mov_imm(l, R4, 0);
  sonde_lower_land(l, before_end);
  sonde_lower_alu(l, BPF_ADD, R1, R0);
  sonde_lower_mov(l, R3, R1);
  sonde_lower_ldx(l, BPF_DW, R5, kRing, kCachedTail);
  sonde_lower_alu(l, BPF_SUB, R3, R5);
  const uint32_t fits = sonde_lower_branch(l, BPF_JLE, R3, R2);
  sonde_lower_ldx(l, BPF_DW, R5, kRing, kTail);
  sonde_lower_stx(l, BPF_DW, kRing, R5, kCachedTail);
  sonde_lower_alu(l, BPF_SUB, R1, R5);
  const uint32_t fits_now = sonde_lower_branch(l, BPF_JLE, R1, R2);
  sonde_lower_mov(l, R4, R2);  // the scratch
  sonde_lower_land(l, fits);
  sonde_lower_land(l, fits_now);
  sonde_lower_stx(l, BPF_DW, FP, R4, kPlace);
  sonde_lower_mov(l, kRecord, kRing);
  sonde_lower_alu(l, BPF_ADD, kRecord, R4);
  sonde_lower_alu_imm(l, BPF_ADD, kRecord, SONDE_RING_DATA);
}

/// R0 = 0x80 in the lowest byte of `word` that is 0, and higher bits; 0: no byte is 0. Uses R1.
void find_zero_byte(L* l, uint8_t word) {
  sonde_lower_constant(l, R1, kOnes);
  sonde_lower_mov(l, R0, word);
  sonde_lower_alu(l, BPF_SUB, R0, R1);
  sonde_lower_mov(l, R1, word);
  sonde_lower_alu_imm(l, BPF_XOR, R1, -1);
  sonde_lower_alu(l, BPF_AND, R0, R1);
  sonde_lower_constant(l, R1, kHighBits);
  sonde_lower_alu(l, BPF_AND, R0, R1);
}

/// After find_zero_byte(): cuts `word` before the zero byte; R0 = the bytes before it. Uses R1.
void cut_at_zero_byte(L* l, uint8_t word) {
  sonde_lower_mov(l, R1, R0);
  sonde_lower_alu_imm(l, BPF_NEG, R1, 0);
  sonde_lower_alu(l, BPF_AND, R0, R1);  // the lowest bit
  sonde_lower_alu_imm(l, BPF_RSH, R0, 7);
  sonde_lower_alu_imm(l, BPF_SUB, R0, 1);  // all bits of the bytes before
  sonde_lower_alu(l, BPF_AND, word, R0);
  sonde_lower_constant(l, R1, kOnes);
  sonde_lower_alu(l, BPF_AND, R0, R1);
  sonde_lower_alu(l, BPF_MUL, R0, R1);  // the sum of these ones, in the highest byte
  sonde_lower_alu_imm(l, BPF_RSH, R0, 56);
}

/// The fields that all records have. R1 = size, R2 = flags and slots, R3 = faults; keeps R1.
void write_header(L* l) {
  const auto word = [l](uint8_t reg, size_t offset) {
    sonde_lower_stx(l, BPF_W, kRecord, reg, static_cast<int32_t>(offset));
  };
  word(R1, offsetof(sonde_record, size));
  word(R2, offsetof(sonde_record, flags));
  sonde_lower_stx(l, BPF_DW, kRecord, R3, offsetof(sonde_record, faults));
  sonde_lower_ldx(l, BPF_DW, R5, FP, kRow);
  sonde_lower_ldx(l, BPF_W, R3, R5, epid_offset(column_of(l).index));
  word(R3, offsetof(sonde_record, epid));
  sonde_lower_ldx(l, BPF_W, R3, R5, offsetof(TableRow, probe));
  word(R3, offsetof(sonde_record, probe));
  sonde_lower_ldx(l, BPF_DW, R3, FP, kTime);
  sonde_lower_stx(l, BPF_DW, kRecord, R3, offsetof(sonde_record, timestamp));
  sonde_lower_ldx(l, BPF_DW, R3, FP, kPidTgid);
  word(R3, offsetof(sonde_record, tid));
  sonde_lower_alu_imm(l, BPF_RSH, R3, 32);
  word(R3, offsetof(sonde_record, pid));
  sonde_lower_ldx(l, BPF_DW, R3, FP, kCpu);
  word(R3, offsetof(sonde_record, cpu));
  sonde_lower_ldx(l, BPF_W, R3, kRing, kSequence);
  word(R3, offsetof(sonde_record, sequence));
}

/// R0 = head, R2 = bytes of the ring, R3 = where head is in it, R4 = where the record is
void load_place(L* l) {
  sonde_lower_ldx(l, BPF_DW, R0, kRing, kHead);
  sonde_lower_ldx(l, BPF_DW, R2, FP, kRingBytes);
  sonde_lower_mov(l, R3, R2);
  sonde_lower_alu_imm(l, BPF_SUB, R3, 1);
  sonde_lower_alu(l, BPF_AND, R3, R0);
  sonde_lower_ldx(l, BPF_DW, R4, FP, kPlace);
}

/// The record is in the scratch: copies it into the ring if it fits, else drops it. Keeps what load_place() has loaded,
/// and R1, its size.
void leave_scratch(L* l) {
  sonde_lower_stx(l, BPF_DW, FP, R1, kValue);
  sonde_lower_mov(l, R4, R3);
  sonde_lower_mov(l, R5, R2);
  sonde_lower_alu(l, BPF_SUB, R5, R3);
  const uint32_t before_end = sonde_lower_branch(l, BPF_JGE, R5, R1);
  sonde_lower_alu(l, BPF_ADD, R0, R5);  // behind padding
  sonde_lower_mov_imm(l, R4, 0);
  sonde_lower_land(l, before_end);
  sonde_lower_alu(l, BPF_ADD, R0, R1);
  sonde_lower_ldx(l, BPF_DW, R5, kRing, kCachedTail);
  sonde_lower_alu(l, BPF_SUB, R0, R5);
  const uint32_t fits = sonde_lower_branch(l, BPF_JLE, R0, R2);
  count_drop(l);
  sonde_lower_jump_to(l, l->end);
  sonde_lower_land(l, fits);
  sonde_lower_stx(l, BPF_DW, FP, R4, kPlace);
  sonde_lower_mov(l, R2, R1);
  sonde_lower_mov(l, R1, kRing);
  sonde_lower_alu(l, BPF_ADD, R1, R4);
  sonde_lower_alu_imm(l, BPF_ADD, R1, SONDE_RING_DATA);
  sonde_lower_mov(l, R3, kRecord);
  call_helper(l, BPF_FUNC_probe_read_kernel);
  load_place(l);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kValue);
}

/// Wakes the reader now.
void wake(L* l, const World& world) {
  sonde_lower_st(l, BPF_DW, FP, kValue, 0);
  load_map(l, R1, world.rings->wake_map());
  sonde_lower_mov(l, R2, FP);
  sonde_lower_alu_imm(l, BPF_ADD, R2, kValue);
  sonde_lower_mov_imm(l, R3, sizeof(uint64_t));
  sonde_lower_mov_imm(l, R4, BPF_RB_FORCE_WAKEUP);
  call_helper(l, BPF_FUNC_ringbuf_output);  // if it is full, the reader has not looked yet
}

/// Wakes the reader if a quarter of the ring waits for it, or the record is urgent; once, until it moves. R0 = head.
void wake_reader(L* l) {
  const bool urgent = column_of(l).urgent;
  sonde_lower_ldx(l, BPF_DW, R3, FP, kRingBytes);
  sonde_lower_alu_imm(l, BPF_RSH, R3, 2);
  if (urgent) sonde_lower_mov_imm(l, R3, 1);
  sonde_lower_ldx(l, BPF_DW, R1, kRing, kCachedTail);
  sonde_lower_mov(l, R2, R0);
  sonde_lower_alu(l, BPF_SUB, R2, R1);
  const uint32_t quiet = sonde_lower_branch(l, BPF_JLT, R2, R3);
  sonde_lower_ldx(l, BPF_DW, R1, kRing, kTail);
  sonde_lower_stx(l, BPF_DW, kRing, R1, kCachedTail);
  sonde_lower_alu(l, BPF_SUB, R0, R1);
  const uint32_t still_quiet = sonde_lower_branch(l, BPF_JLT, R0, R3);
  sonde_lower_ldx(l, BPF_DW, R2, kRing, kWokenAt);
  const uint32_t awake = sonde_lower_branch(l, BPF_JEQ, R1, R2);
  sonde_lower_stx(l, BPF_DW, kRing, R1, kWokenAt);
  if (urgent)
    sonde_lower_st(l, BPF_W, kRing, kUrgent, 1);
  else
    wake(l, column_of(l).world);
  sonde_lower_land(l, quiet);
  sonde_lower_land(l, still_quiet);
  sonde_lower_land(l, awake);
}

/// Publishes the record. R1 = its size.
void publish(L* l) {
  load_place(l);
  const uint32_t in_place = sonde_lower_branch(l, BPF_JNE, R4, R2);
  leave_scratch(l);
  sonde_lower_land(l, in_place);
  const uint32_t unpadded = sonde_lower_branch(l, BPF_JEQ, R3, R4);
  sonde_lower_mov(l, R5, kRing);
  sonde_lower_alu(l, BPF_ADD, R5, R3);
  sonde_lower_alu_imm(l, BPF_ADD, R5, SONDE_RING_DATA);
  sonde_lower_alu(l, BPF_SUB, R2, R3);
  sonde_lower_stx(l, BPF_W, R5, R2, offsetof(sonde_record, size));
  sonde_lower_st(l, BPF_W, R5, offsetof(sonde_record, flags), SONDE_RECORD_PADDING);
  sonde_lower_alu(l, BPF_ADD, R0, R2);
  sonde_lower_land(l, unpadded);
  sonde_lower_alu(l, BPF_ADD, R0, R1);
  sonde_lower_stx(l, BPF_DW, kRing, R0, kHead);  // W1
  wake_reader(l);
}

}  // namespace

void load_map(L* l, uint8_t to, int map) {
  sonde_lower_emit(l, BPF_LD | BPF_DW | BPF_IMM, to, BPF_PSEUDO_MAP_FD, 0, map);
  sonde_lower_emit(l, 0, 0, 0, 0, 0);
}

/// `reg` = bytes that the record has so far. The mask changes nothing; the verifier learns the limit from it.
void load_used(L* l, uint8_t reg) {
  sonde_lower_ldx(l, BPF_W, reg, kRing, kUsed);
  sonde_lower_alu_imm(l, BPF_AND, reg, kUsedMask);
}

void load_span_start(L* l, uint8_t reg) {
  load_used(l, reg);
  sonde_lower_alu(l, BPF_ADD, reg, kRecord);
}

void end_span(L* l, uint32_t slot, uint8_t length, uint8_t stored) {
  load_used(l, R1);
  sonde_lower_mov(l, R2, R1);
  sonde_lower_alu_imm(l, BPF_LSH, R2, 32);
  sonde_lower_alu(l, BPF_OR, R2, length);
  sonde_lower_stx(l, BPF_DW, kRecord, R2, slot_offset(slot));
  sonde_lower_alu(l, BPF_ADD, R1, stored);
  sonde_lower_stx(l, BPF_W, kRing, R1, kUsed);
}

void read_text(L* l, uint32_t which, int16_t kept, int32_t helper) {
  load_span_start(l, R1);
  sonde_lower_mov_imm(l, R2, static_cast<int32_t>(sonde_dif_text_max(which)));
  sonde_lower_ldx(l, BPF_DW, R3, FP, kept);
  call_helper(l, helper);
}

void end_text(L* l, uint32_t slot) {
  sonde_lower_mov(l, R3, R0);
  sonde_lower_alu_imm(l, BPF_SUB, R3, 1);
  round_up(l, R0);
  end_span(l, slot, R3, R0);
}

/// One branch: the verifier follows each, and what is read next, once more for each text.
uint32_t branch_if_text(L* l) {
  sonde_lower_mov(l, R1, R0);
  sonde_lower_alu_imm(l, BPF_SUB, R1, 1);
  sonde_lower_alu_imm(l, BPF_RSH, R1, 63);
  sonde_lower_alu(l, BPF_ADD, R0, R1);  // 0 becomes 1, and what is negative stays 0 or less
  return sonde_lower_branch_imm(l, BPF_JSGT, R0, 0);
}

void round_up(L* l, uint8_t reg) {
  if (reg != R0) sonde_lower_mov(l, R0, reg);
  sonde_lower_alu_imm(l, BPF_ADD, R0, 7);
  sonde_lower_alu_imm(l, BPF_AND, R0, -8);
}

void count_lost(L* l, const Rings& rings) {
  sonde_lower_st(l, BPF_W, FP, kKey, 0);
  look_up_ring(l, rings.first_map());
  const uint32_t none = sonde_lower_branch_imm(l, BPF_JEQ, R0, 0);
  sonde_lower_mov_imm(l, R1, 1);
  add_atomically(l, R0, kDrops, R1);
  sonde_lower_land(l, none);
}

void begin_record(L* l) {
  Column& column = column_of(l);
  uint32_t held = 0;
  if (column.index > 0) held = sonde_lower_branch_imm(l, BPF_JNE, kRing, 0);
  take_ring(l);
  if (!column.world.folds) begin_firing(l);
  if (column.index > 0) sonde_lower_land(l, held);
  if (column.world.folds && (column.fold == nullptr || reads_time(*l->program))) need_time(l);
  column.in_scratch ? use_scratch(l) : find_room(l);
  if (l->facts.spans) sonde_lower_st(l, BPF_W, kRing, kUsed, static_cast<int32_t>(sonde_lower_fixed_size(l->program)));
  if (l->facts.faults) sonde_lower_st(l, BPF_DW, kRing, kFaults, 0);
  for (uint32_t slot = 0; slot < l->program->slots; slot++)
    if (l->facts.zeroed >> slot & 1) sonde_lower_st(l, BPF_DW, kRecord, slot_offset(slot), 0);
}

/// Sends the process its signals, unless a slot has a fault: then the body may end before it comes to them.
void send_signals(L* l) {
  uint32_t faulted = 0;
  if (l->facts.faults) {
    sonde_lower_ldx(l, BPF_DW, R1, kRing, kFaults);
    faulted = sonde_lower_branch_imm(l, BPF_JNE, R1, 0);
  }
  for (uint64_t left = column_of(l).signals; left != 0; left &= left - 1) {
    sonde_lower_mov_imm(l, R1, std::countr_zero(left) + 1);
    call_helper(l, BPF_FUNC_send_signal);
  }
  if (l->facts.faults) sonde_lower_land(l, faulted);
}

/// Whatever ends a record clears the pending fault, so no other column finds one.
void end_record(L* l) {
  Column& column = column_of(l);
  uint32_t made = 0;
  if (!column.may_fault && !column.may_record) return;
  if (column.may_fault) {
    column.fault_end = l->count;
    if (column.in_scratch) need_room(l);
    sonde_lower_st(l, BPF_W, kRing, kFaulted, 0);
    sonde_lower_ldx(l, BPF_DW, R3, kRing, kFaultAddress);
    sonde_lower_stx(l, BPF_DW, kRecord, R3, slot_offset(0));
    sonde_lower_mov_imm(l, R1, sizeof(sonde_record) + 8);
    sonde_lower_mov_imm(l, R2, SONDE_RECORD_PREDICATE_FAULT | 1 << 16);
    sonde_lower_mov_imm(l, R3, 1);
    if (column.may_record) made = sonde_lower_jump(l);
  }
  if (column.may_record) {
    column.record_end = l->count;
    if (column.fold != nullptr) fold_record(l);
    if (column.in_scratch) need_room(l);
    if (l->facts.loads) sonde_lower_st(l, BPF_W, kRing, kFaulted, 0);
    if (column.signals != 0) send_signals(l);
    if (l->facts.spans)
      load_used(l, R1);
    else
      sonde_lower_mov_imm(l, R1, static_cast<int32_t>(sonde_lower_fixed_size(l->program)));
    const uint32_t flags = column.copied_stacks != 0 ? SONDE_RECORD_STACKS_COPIED : 0;
    sonde_lower_mov_imm(l, R2, static_cast<int32_t>(l->program->slots << 16 | flags));
    if (l->facts.faults)
      sonde_lower_ldx(l, BPF_DW, R3, kRing, kFaults);
    else
      sonde_lower_mov_imm(l, R3, 0);
    if (column.may_fault) sonde_lower_land(l, made);
  }
  write_header(l);
  publish(l);
}

uint32_t resume_ring(L* l, const World& world, uint32_t level) {
  const Rings& rings = *world.rings;
  const bool first = level == 0;
  call_helper(l, BPF_FUNC_get_smp_processor_id);
  sonde_lower_stx(l, BPF_DW, FP, R0, kCpu);
  if (!first) {
    sonde_lower_alu_imm(l, BPF_MUL, R0, kLevels - 1);
    sonde_lower_alu_imm(l, BPF_ADD, R0, static_cast<int32_t>(level - 1));
  }
  sonde_lower_stx(l, BPF_W, FP, R0, kKey);
  sonde_lower_st(l, BPF_DW, FP, kRingBytes, static_cast<int32_t>(first ? rings.first_bytes() : rings.other_bytes()));
  if (world.folds) sonde_lower_st(l, BPF_DW, FP, kFoldBytes, static_cast<int32_t>(first ? kFoldFirst : kFoldOther));
  look_up_ring(l, first ? rings.first_map() : rings.other_map());
  sonde_lower_mov(l, kRing, R0);
  const uint32_t none = sonde_lower_branch_imm(l, BPF_JEQ, kRing, 0);
  sonde_lower_ldx(l, BPF_DW, R1, kRing, kChainTime);
  sonde_lower_stx(l, BPF_DW, FP, R1, kTime);
  const uint32_t found = sonde_lower_jump(l);
  sonde_lower_land(l, none);
  return found;
}

void release_ring(L* l, const World& world) {
  const uint32_t none = sonde_lower_branch_imm(l, BPF_JEQ, kRing, 0);
  if (world.urgent) {
    sonde_lower_ldx(l, BPF_W, kUrgency, kRing, kUrgent);
    sonde_lower_st(l, BPF_W, kRing, kUrgent, 0);
  }
  sonde_lower_mov_imm(l, R1, -1);                    // SONDE_IDLE
  sonde_lower_stx(l, BPF_DW, kRing, R1, kLowWater);  // W4
  sonde_lower_mov_imm(l, kRing, 0);
  if (world.urgent) {
    const uint32_t calm = sonde_lower_branch_imm(l, BPF_JEQ, kUrgency, 0);
    wake(l, world);
    sonde_lower_land(l, calm);
  }
  sonde_lower_land(l, none);
}

void fault_slot(L* l, uint32_t slot, uint8_t address) {
  sonde_lower_stx(l, BPF_DW, kRecord, address, slot_offset(slot));
  sonde_lower_constant(l, R3, uint64_t{1} << slot);
  sonde_lower_ldx(l, BPF_DW, R2, kRing, kFaults);
  sonde_lower_alu(l, BPF_OR, R2, R3);
  sonde_lower_stx(l, BPF_DW, kRing, R2, kFaults);
}

/// A text of at most `i` bytes; `bounded`: and at most as many as the operand b says.
void capture_text(L* l, const In* in, bool bounded) {
  uint32_t empty = 0;
  if (bounded) {
    sonde_lower_load(l, R2, in->b);
    const uint32_t short_enough = sonde_lower_branch_imm(l, BPF_JLE, R2, in->i);
    sonde_lower_mov_imm(l, R2, in->i);
    sonde_lower_land(l, short_enough);
    empty = sonde_lower_branch_imm(l, BPF_JEQ, R2, 0);
    sonde_lower_alu_imm(l, BPF_ADD, R2, 1);
  } else {
    sonde_lower_mov_imm(l, R2, in->i + 1);
  }
  load_span_start(l, R1);
  sonde_lower_load(l, R3, in->a);
  call_helper(l, in->op == SONDE_DIF_CAPKSTR ? BPF_FUNC_probe_read_kernel_str : BPF_FUNC_probe_read_user_str);
  const uint32_t read = branch_if_text(l);
  sonde_lower_load(l, R1, in->a);
  fault_slot(l, in->d, R1);
  const uint32_t failed = sonde_lower_jump(l);
  if (bounded) {
    sonde_lower_land(l, empty);
    load_span_start(l, R1);
    sonde_lower_st(l, BPF_B, R1, 0, 0);
    sonde_lower_mov_imm(l, R0, 1);
  }
  sonde_lower_land(l, read);
  end_text(l, in->d);
  sonde_lower_land(l, failed);
}

/// Without bytes no address is looked at: the helper would fail on a bad one.
void capture_memory(L* l, const In* in) {
  sonde_lower_load(l, R2, in->b);
  const uint32_t too_long = sonde_lower_branch_imm(l, BPF_JGT, R2, in->i);
  const uint32_t empty = sonde_lower_branch_imm(l, BPF_JEQ, R2, 0);
  load_span_start(l, R1);
  sonde_lower_load(l, R3, in->a);
  call_helper(l, in->op == SONDE_DIF_CAPKMEM ? BPF_FUNC_probe_read_kernel : BPF_FUNC_probe_read_user);
  const uint32_t read = sonde_lower_branch_imm(l, BPF_JEQ, R0, 0);
  sonde_lower_land(l, too_long);
  sonde_lower_load(l, R1, in->a);
  fault_slot(l, in->d, R1);
  const uint32_t failed = sonde_lower_jump(l);
  sonde_lower_land(l, empty);
  sonde_lower_land(l, read);
  sonde_lower_load(l, R3, in->b);
  round_up(l, R3);
  end_span(l, in->d, R3, R0);
  sonde_lower_land(l, failed);
}

/// Two words: no call, no loop.
void capture_execname(L* l, const In* in) {
  l->target->load_name(l, R2, 0);
  l->target->load_name(l, R3, 1);
  load_used(l, R4);
  sonde_lower_mov(l, R5, R4);
  sonde_lower_alu(l, BPF_ADD, R5, kRecord);
  sonde_lower_alu_imm(l, BPF_LSH, R4, 32);
  find_zero_byte(l, R2);
  const uint32_t longer = sonde_lower_branch_imm(l, BPF_JEQ, R0, 0);
  cut_at_zero_byte(l, R2);
  sonde_lower_stx(l, BPF_DW, R5, R2, 0);
  sonde_lower_alu(l, BPF_OR, R4, R0);
  sonde_lower_mov_imm(l, R0, 8);
  if (column_of(l).fold != nullptr) {  // all names have as many words
    sonde_lower_st(l, BPF_DW, R5, 8, 0);
    sonde_lower_mov_imm(l, R0, 16);
  }
  const uint32_t done = sonde_lower_jump(l);
  sonde_lower_land(l, longer);
  sonde_lower_stx(l, BPF_DW, R5, R2, 0);
  sonde_lower_alu_imm(l, BPF_LSH, R3, 8);  // another task may be changing it: the last byte is a NUL in any case
  sonde_lower_alu_imm(l, BPF_RSH, R3, 8);
  find_zero_byte(l, R3);
  cut_at_zero_byte(l, R3);
  sonde_lower_stx(l, BPF_DW, R5, R3, 8);
  sonde_lower_alu(l, BPF_OR, R4, R0);
  sonde_lower_alu_imm(l, BPF_ADD, R4, 8);
  sonde_lower_mov_imm(l, R0, 16);
  sonde_lower_land(l, done);
  sonde_lower_stx(l, BPF_DW, kRecord, R4, slot_offset(in->d));
  load_used(l, R1);
  sonde_lower_alu(l, BPF_ADD, R1, R0);
  sonde_lower_stx(l, BPF_W, kRing, R1, kUsed);
}

}  // namespace sonde::bpf
