// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Registers: R6 the ring, R7 the record, R8 the table, R9 the element. DIF has ended, so its registers are free.
#include "runtime/bpf/fold_code.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "runtime/bpf/code.h"
#include "runtime/bpf/fold_tables.h"
#include "runtime/bpf/record_code.h"

namespace sonde::bpf {
namespace {

constexpr uint8_t kTable = R8, kElement = R9;
constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15;
constexpr int32_t kMixShift = 32;
constexpr int32_t kStates = sizeof(FoldElement);
constexpr int32_t kLengthMask = static_cast<int32_t>(kFoldedRecordMost);

const sonde_fold& fold_of(L* l) { return *column_of(l).fold; }

uint32_t words_of(const sonde_fold& fold) {
  uint32_t words = 0;
  for (uint32_t n = 0; n < fold.parts; n++) words += sonde_fold_words(&fold.part[n]);
  return words;
}

/// Branches that all lead to where a record is written.
struct Ways {
  std::vector<uint32_t> at;

  void add(uint32_t branch) { at.push_back(branch); }
  void land(L* l) const {
    for (const uint32_t one : at) sonde_lower_land(l, one);
  }
};

/// R4 = the bytes of the record, which ends with its texts.
void load_length(L* l) {
  sonde_lower_ldx(l, BPF_W, R4, kRing, kUsed);
  sonde_lower_alu_imm(l, BPF_AND, R4, kLengthMask);
}

bool is_execname(const sonde_dif_program& fire, uint32_t slot) {
  return std::any_of(fire.insns, fire.insns + fire.length, [slot](const sonde_dif_insn& in) {
    return sonde_lower_is_capture(in.op) && in.d == slot && sonde_lower_is_execname(&in);
  });
}

uint32_t fixed_length(const sonde_dif_program& fire) {
  uint32_t length = sonde_lower_fixed_size(&fire);
  for (uint32_t slot = 0; slot < fire.slots; slot++)
    if (fire.kinds[slot] != SONDE_SLOT_WORD) length += 2 * sizeof(uint64_t);
  return length;
}

/// Clears what is behind the NUL in the last word of a text: equal texts are equal words.
void clear_tail(L* l, uint32_t slot) {
  sonde_lower_ldx(l, BPF_DW, R1, kRecord, slot_offset(slot));
  const uint32_t none = sonde_lower_branch_imm(l, BPF_JEQ, R1, 0);
  sonde_lower_mov(l, R2, R1);
  sonde_lower_alu_imm(l, BPF_RSH, R2, 32);
  sonde_lower_alu(l, BPF_ADD, R2, R1);  // where the NUL is
  sonde_lower_alu_imm(l, BPF_AND, R1, 7);
  sonde_lower_alu_imm(l, BPF_LSH, R1, 3);
  sonde_lower_mov_imm(l, R3, 1);
  sonde_lower_alu(l, BPF_LSH, R3, R1);
  sonde_lower_alu_imm(l, BPF_SUB, R3, 1);  // all bits of the bytes before
  sonde_lower_alu_imm(l, BPF_AND, R2, kLengthMask & ~7);
  sonde_lower_alu(l, BPF_ADD, R2, kRecord);
  sonde_lower_ldx(l, BPF_DW, R1, R2, 0);
  sonde_lower_alu(l, BPF_AND, R1, R3);
  sonde_lower_stx(l, BPF_DW, R2, R1, 0);
  sonde_lower_land(l, none);
}

void clear_tails(L* l) {
  for (uint32_t slot = 0; slot < fold_of(l).keys; slot++)
    if (l->program->kinds[slot] == SONDE_SLOT_TEXT && !is_execname(*l->program, slot)) clear_tail(l, slot);
}

/// What every key has besides its slots: kFoldId and kFoldThread. R0 = what the hash of the slots begins with.
void begin_key(L* l) {
  sonde_lower_ldx(l, BPF_DW, R1, FP, kRow);
  sonde_lower_ldx(l, BPF_W, R0, R1, epid_offset(column_of(l).index));
  sonde_lower_ldx(l, BPF_W, R2, R1, offsetof(TableRow, probe));
  sonde_lower_alu_imm(l, BPF_LSH, R2, 32);
  sonde_lower_alu(l, BPF_OR, R0, R2);
  sonde_lower_stx(l, BPF_DW, FP, R0, kFoldId);
  sonde_lower_constant(l, R5, kMultiplier);
  if (fold_of(l).thread != 0) {
    sonde_lower_ldx(l, BPF_DW, R1, FP, kPidTgid);
    sonde_lower_stx(l, BPF_DW, FP, R1, kFoldThread);
    sonde_lower_alu(l, BPF_MUL, R0, R5);
    sonde_lower_alu(l, BPF_XOR, R0, R1);
  } else {
    sonde_lower_st(l, BPF_DW, FP, kFoldThread, 0);
  }
  sonde_lower_alu(l, BPF_MUL, R0, R5);
}

/// Hashes R1, too. Uses R1.
void mix(L* l) {
  sonde_lower_alu(l, BPF_XOR, R0, R1);
  sonde_lower_alu(l, BPF_MUL, R0, R5);
  sonde_lower_mov(l, R1, R0);
  sonde_lower_alu_imm(l, BPF_RSH, R1, kMixShift);
  sonde_lower_alu(l, BPF_XOR, R0, R1);
}

/// Calls `word(R1 or offset)` for each word of texts, whose offset in the record is in R3 or constant.
template <typename Fixed, typename Looped>
void each_word_of_texts(L* l, Fixed fixed, Looped looped) {
  const auto first = static_cast<int32_t>(sonde_lower_fixed_size(l->program));
  if (has_fixed_size(*l->program)) {
    for (int32_t at = first; at < static_cast<int32_t>(fixed_length(*l->program)); at += 8) fixed(at);
    return;
  }
  load_length(l);
  sonde_lower_mov_imm(l, R3, first);
  const uint32_t again = l->count;
  // Linux 6.1 sees the end of the loop only if the operand that it knows, R3, is the second one.
  const uint32_t done = sonde_lower_branch(l, BPF_JLE, R4, R3);
  looped();
  sonde_lower_alu_imm(l, BPF_ADD, R3, 8);
  sonde_lower_jump_to(l, again);
  sonde_lower_land(l, done);
}

void hash_key(L* l) {
  begin_key(l);
  const auto hash_at = [l](int32_t at) {
    sonde_lower_ldx(l, BPF_DW, R1, kRecord, at);
    mix(l);
  };
  for (uint32_t slot = 0; slot < fold_of(l).keys; slot++) hash_at(slot_offset(slot));
  each_word_of_texts(l, hash_at, [l] {
    sonde_lower_mov(l, R1, kRecord);
    sonde_lower_alu(l, BPF_ADD, R1, R3);
    sonde_lower_ldx(l, BPF_DW, R1, R1, 0);
    mix(l);
  });
  sonde_lower_mov(l, R1, R0);
  sonde_lower_alu_imm(l, BPF_RSH, R1, kMixShift);
  sonde_lower_alu(l, BPF_XOR, R0, R1);
}

/// R8 = the table that is filled, R3 = its bytes, less 1. Uses R1, R4, R5; R4 = its bytes.
void find_table(L* l) {
  sonde_lower_ldx(l, BPF_DW, kTable, FP, kRingBytes);
  sonde_lower_ldx(l, BPF_DW, R4, FP, kFoldBytes);
  sonde_lower_ldx(l, BPF_W, R1, kRing, kGeneration);
  sonde_lower_alu_imm(l, BPF_AND, R1, 1);
  sonde_lower_alu(l, BPF_MUL, R1, R4);
  sonde_lower_alu(l, BPF_ADD, kTable, R1);
  sonde_lower_alu(l, BPF_ADD, kTable, kRing);
  sonde_lower_alu_imm(l, BPF_ADD, kTable, static_cast<int32_t>(SONDE_RING_DATA + kScratchBytes));
  sonde_lower_mov(l, R3, R4);
  sonde_lower_alu_imm(l, BPF_SUB, R3, 1);
}

struct Found {
  Ways element;  ///< R9 = an element with the same hash
  Ways place;    ///< R5 = a free place of the index
};

/// Looks for R0 in the index.
Found search_index(L* l, Ways& record) {
  Found found;
  find_table(l);
  sonde_lower_mov(l, R1, R4);
  sonde_lower_alu_imm(l, BPF_RSH, R1, kFoldIndexShift);
  sonde_lower_alu_imm(l, BPF_SUB, R1, 1);
  sonde_lower_alu(l, BPF_AND, R1, R0);
  sonde_lower_alu_imm(l, BPF_LSH, R1, 2);
  sonde_lower_mov(l, R5, kTable);
  sonde_lower_alu(l, BPF_ADD, R5, R1);
  sonde_lower_alu_imm(l, BPF_ADD, R5, kFoldIndex);
  for (uint32_t probe = 0; probe < kFoldProbes; probe++) {
    sonde_lower_ldx(l, BPF_W, R1, R5, 0);
    found.place.add(sonde_lower_branch_imm(l, BPF_JEQ, R1, 0));
    sonde_lower_alu(l, BPF_AND, R1, R3);
    sonde_lower_mov(l, kElement, kTable);
    sonde_lower_alu(l, BPF_ADD, kElement, R1);
    sonde_lower_ldx(l, BPF_DW, R2, kElement, offsetof(FoldElement, hash));
    found.element.add(sonde_lower_branch(l, BPF_JEQ, R2, R0));
    sonde_lower_alu_imm(l, BPF_ADD, R5, 4);
  }
  record.add(sonde_lower_jump(l));
  return found;
}

/// The element at R9 has our hash; if it is another key's all the same, a record is written.
void compare_key(L* l, Ways& record) {
  const int32_t key = kStates + static_cast<int32_t>(8 * words_of(fold_of(l))) - slot_offset(0);
  const auto compare = [&] { record.add(sonde_lower_branch(l, BPF_JNE, R1, R2)); };
  const auto compare_head = [&](int16_t ours, size_t theirs) {
    sonde_lower_ldx(l, BPF_DW, R1, FP, ours);
    sonde_lower_ldx(l, BPF_DW, R2, kElement, static_cast<int32_t>(theirs));
    compare();
  };
  const auto compare_at = [&](int32_t at) {
    sonde_lower_ldx(l, BPF_DW, R1, kRecord, at);
    sonde_lower_ldx(l, BPF_DW, R2, kElement, key + at);
    compare();
  };
  compare_head(kFoldId, offsetof(FoldElement, epid));
  compare_head(kFoldThread, offsetof(FoldElement, tid));
  for (uint32_t slot = 0; slot < fold_of(l).keys; slot++) compare_at(slot_offset(slot));
  each_word_of_texts(l, compare_at, [&] {  // texts are as long as their slots say, which are equal
    sonde_lower_mov(l, R1, kRecord);
    sonde_lower_alu(l, BPF_ADD, R1, R3);
    sonde_lower_ldx(l, BPF_DW, R1, R1, 0);
    sonde_lower_mov(l, R2, kElement);
    sonde_lower_alu(l, BPF_ADD, R2, R3);
    sonde_lower_ldx(l, BPF_DW, R2, R2, key);
    compare();
  });
}

/// R9 = a new element for R0, noted in the index at R5; if there is no room, a record is written.
void add_element(L* l, Ways& record) {
  const uint32_t words = words_of(fold_of(l)), slots = l->program->slots;
  const auto before = static_cast<int32_t>(kStates + 8 * words) - slot_offset(0);
  if (has_fixed_size(*l->program))
    sonde_lower_mov_imm(l, R4, static_cast<int32_t>(fixed_length(*l->program)));
  else
    load_length(l);
  sonde_lower_mov(l, R2, R4);
  sonde_lower_alu_imm(l, BPF_ADD, R2, before);
  sonde_lower_ldx(l, BPF_DW, R1, kTable, offsetof(FoldTable, used));
  sonde_lower_mov(l, kElement, R1);
  sonde_lower_alu(l, BPF_ADD, R1, R2);
  record.add(sonde_lower_branch(l, BPF_JGT, R1, R3));
  sonde_lower_stx(l, BPF_DW, kTable, R1, offsetof(FoldTable, used));
  sonde_lower_stx(l, BPF_W, R5, kElement, 0);
  sonde_lower_alu(l, BPF_AND, kElement, R3);
  sonde_lower_alu(l, BPF_ADD, kElement, kTable);
  sonde_lower_stx(l, BPF_DW, kElement, R0, offsetof(FoldElement, hash));
  sonde_lower_stx(l, BPF_W, kElement, R2, offsetof(FoldElement, bytes));
  sonde_lower_st(l, BPF_W, kElement, offsetof(FoldElement, words), static_cast<int32_t>(words | slots << 16));
  sonde_lower_ldx(l, BPF_DW, R1, FP, kFoldId);
  sonde_lower_stx(l, BPF_DW, kElement, R1, offsetof(FoldElement, epid));
  sonde_lower_ldx(l, BPF_DW, R1, FP, kFoldThread);
  sonde_lower_stx(l, BPF_DW, kElement, R1, offsetof(FoldElement, tid));
  if (slots == 0) return;
  sonde_lower_mov(l, R1, kElement);
  sonde_lower_alu_imm(l, BPF_ADD, R1, kStates + static_cast<int32_t>(8 * words));
  sonde_lower_mov(l, R2, R4);
  sonde_lower_alu_imm(l, BPF_SUB, R2, slot_offset(0));
  sonde_lower_alu_imm(l, BPF_AND, R2, kLengthMask);
  sonde_lower_mov(l, R3, kRecord);
  sonde_lower_alu_imm(l, BPF_ADD, R3, slot_offset(0));
  call_helper(l, BPF_FUNC_probe_read_kernel);
}

// ---- steps -----------------------------------------------------------------------------------------------------
// The value is in R1, the increment in R0; `at` is where the words of the state are in the element.

void add_to(L* l, int32_t at, uint8_t value) {
  sonde_lower_ldx(l, BPF_DW, R2, kElement, at);
  sonde_lower_alu(l, BPF_ADD, R2, value);
  sonde_lower_stx(l, BPF_DW, kElement, R2, at);
}

void add_one(L* l, int32_t at) {
  sonde_lower_ldx(l, BPF_DW, R2, kElement, at);
  sonde_lower_alu_imm(l, BPF_ADD, R2, 1);
  sonde_lower_stx(l, BPF_DW, kElement, R2, at);
}

/// `stays`: the branch that is taken if R1, compared with the extreme, is not a new one.
void keep_extreme(L* l, int32_t at, uint8_t stays) {
  sonde_lower_ldx(l, BPF_DW, R2, kElement, at + 8);
  const uint32_t first = sonde_lower_branch_imm(l, BPF_JEQ, R2, 0);
  sonde_lower_ldx(l, BPF_DW, R2, kElement, at);
  const uint32_t stayed = sonde_lower_branch(l, stays, R1, R2);
  sonde_lower_land(l, first);
  sonde_lower_stx(l, BPF_DW, kElement, R1, at);
  sonde_lower_st(l, BPF_DW, kElement, at + 8, 1);
  sonde_lower_land(l, stayed);
}

/// The 128 bits at `at` += R4 above R3. Uses R2.
void add_wide(L* l, int32_t at) {
  sonde_lower_ldx(l, BPF_DW, R2, kElement, at);
  sonde_lower_alu(l, BPF_ADD, R2, R3);
  sonde_lower_stx(l, BPF_DW, kElement, R2, at);
  const uint32_t no_carry = sonde_lower_branch(l, BPF_JGE, R2, R3);
  sonde_lower_alu_imm(l, BPF_ADD, R4, 1);
  sonde_lower_land(l, no_carry);
  add_to(l, at + 8, R4);
}

/// R4 above R3 = the square of R1. Uses R1, R2, R5.
void square(L* l) {
  const uint32_t positive = sonde_lower_branch_imm(l, BPF_JSGE, R1, 0);
  sonde_lower_alu_imm(l, BPF_NEG, R1, 0);
  sonde_lower_land(l, positive);
  sonde_lower_mov(l, R2, R1);  // halves: R1 above R2
  sonde_lower_alu_imm(l, BPF_LSH, R2, 32);
  sonde_lower_alu_imm(l, BPF_RSH, R2, 32);
  sonde_lower_alu_imm(l, BPF_RSH, R1, 32);
  sonde_lower_mov(l, R3, R2);
  sonde_lower_alu(l, BPF_MUL, R3, R2);
  sonde_lower_mov(l, R4, R1);
  sonde_lower_alu(l, BPF_MUL, R4, R1);
  sonde_lower_alu(l, BPF_MUL, R1, R2);  // below 2^63, because no half above is more than 2^31
  sonde_lower_alu_imm(l, BPF_LSH, R1, 1);
  sonde_lower_mov(l, R5, R1);
  sonde_lower_alu_imm(l, BPF_LSH, R5, 32);
  sonde_lower_alu_imm(l, BPF_RSH, R1, 32);
  sonde_lower_alu(l, BPF_ADD, R4, R1);
  sonde_lower_alu(l, BPF_ADD, R3, R5);
  const uint32_t no_carry = sonde_lower_branch(l, BPF_JGE, R3, R5);
  sonde_lower_alu_imm(l, BPF_ADD, R4, 1);
  sonde_lower_land(l, no_carry);
}

void step_stddev(L* l, int32_t at) {
  add_one(l, at);
  sonde_lower_mov(l, R3, R1);
  sonde_lower_mov(l, R4, R1);
  sonde_lower_alu_imm(l, BPF_ARSH, R4, 63);
  add_wide(l, at + 8);
  square(l);
  add_wide(l, at + 24);
}

/// R2 = the number of bits of R3, which it uses up, with R4 and R5. Without branches, which the verifier would follow.
void count_bits(L* l) {
  sonde_lower_mov_imm(l, R2, 0);
  for (int32_t log = 5; log >= 0; log--) {
    sonde_lower_mov(l, R4, R3);
    sonde_lower_alu_imm(l, BPF_RSH, R4, 1 << log);
    sonde_lower_mov(l, R5, R4);  // below 2^63: less than 0 when negated, unless it is 0
    sonde_lower_alu_imm(l, BPF_NEG, R5, 0);
    sonde_lower_alu_imm(l, BPF_RSH, R5, 63);
    sonde_lower_alu_imm(l, BPF_LSH, R5, log);
    sonde_lower_alu(l, BPF_ADD, R2, R5);
    sonde_lower_alu(l, BPF_RSH, R3, R5);
  }
  sonde_lower_alu(l, BPF_ADD, R2, R3);  // 0 or 1 is left
}

/// The word with the number R2, below `count`, += R0.
void count_in_bucket(L* l, int32_t at, uint32_t count) {
  sonde_lower_alu_imm(l, BPF_AND, R2, static_cast<int32_t>(std::bit_ceil(count) - 1));
  sonde_lower_alu_imm(l, BPF_LSH, R2, 3);
  sonde_lower_alu(l, BPF_ADD, R2, kElement);
  sonde_lower_ldx(l, BPF_DW, R3, R2, at);
  sonde_lower_alu(l, BPF_ADD, R3, R0);
  sonde_lower_stx(l, BPF_DW, R2, R3, at);
}

void step_quantize(L* l, int32_t at) {
  constexpr int32_t kZero = SONDE_FOLD_BUCKETS / 2;
  sonde_lower_mov(l, R3, R1);
  const uint32_t positive = sonde_lower_branch_imm(l, BPF_JSGE, R3, 0);
  sonde_lower_alu_imm(l, BPF_NEG, R3, 0);
  sonde_lower_land(l, positive);
  count_bits(l);
  const uint32_t above = sonde_lower_branch_imm(l, BPF_JSGE, R1, 0);
  sonde_lower_alu_imm(l, BPF_NEG, R2, 0);
  const uint32_t in_range = sonde_lower_branch_imm(l, BPF_JSGE, R2, -kZero);
  sonde_lower_mov_imm(l, R2, -kZero);
  sonde_lower_land(l, in_range);
  sonde_lower_land(l, above);
  sonde_lower_alu_imm(l, BPF_ADD, R2, kZero);
  count_in_bucket(l, at, SONDE_FOLD_BUCKETS);
}

void step_lquantize(L* l, int32_t at, const sonde_fold_part& part) {
  const auto constant = [l](int64_t value) { sonde_lower_constant(l, R3, static_cast<uint64_t>(value)); };
  sonde_lower_mov_imm(l, R2, static_cast<int32_t>(part.levels + 1));
  constant(part.base + part.levels * part.step);
  const uint32_t beyond = sonde_lower_branch(l, BPF_JSGE, R1, R3);
  sonde_lower_mov_imm(l, R2, 0);
  constant(part.base);
  const uint32_t below = sonde_lower_branch(l, BPF_JSLT, R1, R3);
  sonde_lower_mov(l, R2, R1);
  sonde_lower_alu(l, BPF_SUB, R2, R3);
  constant(part.step);
  sonde_lower_alu(l, BPF_DIV, R2, R3);
  sonde_lower_alu_imm(l, BPF_ADD, R2, 1);
  sonde_lower_land(l, beyond);
  sonde_lower_land(l, below);
  count_in_bucket(l, at, part.levels + 2);
}

void step(L* l, int32_t at, const sonde_fold_part& part) {
  const auto load = [l](uint8_t to, uint8_t slot) {
    if (slot == SONDE_FOLD_NO_SLOT)
      sonde_lower_mov_imm(l, to, 1);
    else
      sonde_lower_ldx(l, BPF_DW, to, kRecord, slot_offset(slot));
  };
  load(R1, part.value);
  load(R0, part.weight);
  switch (static_cast<sonde_fold_function>(part.function)) {
    case SONDE_FOLD_COUNT: return add_one(l, at);
    case SONDE_FOLD_SUM: return add_to(l, at, R1);
    case SONDE_FOLD_AVG: add_one(l, at); return add_to(l, at + 8, R1);
    case SONDE_FOLD_MIN: return keep_extreme(l, at, BPF_JSGE);
    case SONDE_FOLD_MAX: return keep_extreme(l, at, BPF_JSLE);
    case SONDE_FOLD_STDDEV: return step_stddev(l, at);
    case SONDE_FOLD_QUANTIZE: return step_quantize(l, at);
    case SONDE_FOLD_LQUANTIZE: return step_lquantize(l, at, part);
    case SONDE_FOLD_FUNCTION_COUNT: break;
  }
}

void step_all(L* l) {
  add_one(l, offsetof(FoldElement, firings));
  int32_t at = kStates;
  for (uint32_t n = 0; n < fold_of(l).parts; n++) {
    step(l, at, fold_of(l).part[n]);
    at += static_cast<int32_t>(8 * sonde_fold_words(&fold_of(l).part[n]));
  }
}

}  // namespace

bool has_fixed_size(const sonde_dif_program& fire) {
  for (uint32_t slot = 0; slot < fire.slots; slot++)
    if (fire.kinds[slot] != SONDE_SLOT_WORD && !is_execname(fire, slot)) return false;
  return true;
}

/// The last bucket of a distribution may begin at twice its words, for the verifier's mask.
bool can_fold(const sonde_fold& fold, const sonde_dif_program& fire) {
  if (fold.parts == 0) return false;
  uint64_t words = 0;
  for (uint32_t n = 0; n < fold.parts; n++) {
    if (fold.part[n].function == SONDE_FOLD_LQUANTIZE && fold.part[n].levels > kFoldElementMost / 16) return false;
    words += sonde_fold_words(&fold.part[n]);
  }
  const uint64_t record = std::max<uint64_t>(fire.record_max + 16, fixed_length(fire));
  return record <= kFoldedRecordMost && sizeof(FoldElement) + 16 * words + record <= kFoldElementMost;
}

void fold_record(L* l) {
  Ways record;
  if (l->facts.faults != 0) {
    sonde_lower_ldx(l, BPF_DW, R1, kRing, kFaults);
    record.add(sonde_lower_branch_imm(l, BPF_JNE, R1, 0));
  }
  clear_tails(l);
  hash_key(l);
  const Found found = search_index(l, record);
  found.place.land(l);
  add_element(l, record);
  const uint32_t added = sonde_lower_jump(l);
  found.element.land(l);
  compare_key(l, record);
  sonde_lower_land(l, added);
  step_all(l);
  if (l->facts.loads != 0) sonde_lower_st(l, BPF_W, kRing, kFaulted, 0);
  sonde_lower_jump_to(l, l->end);
  record.land(l);
}

}  // namespace sonde::bpf
