// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/text_code.h"

#include "runtime/bpf/code.h"
#include "runtime/bpf/record_code.h"

namespace sonde::bpf {
namespace {

constexpr int32_t kArgumentBytes = 80;  ///< of psargs: whole words

/// The slot faults, at the address that is kept on the stack there.
void fault_at(L* l, const In* in, int16_t kept) {
  sonde_lower_ldx(l, BPF_DW, R1, FP, kept);
  fault_slot(l, in->d, R1);
}

/// Only exec has one: the path, which the thread has in its memory.
void capture_probe_text(L* l, const In* in) {
  if (column_of(l).kind != SONDE_TAP_EXEC) {
    sonde_lower_mov_imm(l, R1, 0);
    return fault_slot(l, in->d, R1);
  }
  sonde_lower_load(l, R1, in->a);
  const uint32_t no_text = sonde_lower_branch_imm(l, BPF_JNE, R1, 0);
  read_text(l, SONDE_DIF_TEXT_PROBE_TEXT, kText, BPF_FUNC_probe_read_user_str);
  const uint32_t read = branch_if_text(l);
  sonde_lower_land(l, no_text);
  fault_at(l, in, kText);
  const uint32_t failed = sonde_lower_jump(l);
  sonde_lower_land(l, read);
  end_text(l, in->d);
  sonde_lower_land(l, failed);
}

/// Changes each zero byte of the word in R2 to a blank. kLength = `at` and the bytes up to the last one that is not zero,
/// if there is one. It is in the ring's page, because the verifier would follow each length. Uses R0, R1, R3.
void put_blanks(L* l, int32_t at) {
  sonde_lower_constant(l, R0, 0x7f7f7f7f7f7f7f7f);
  sonde_lower_mov(l, R3, R2);
  sonde_lower_alu(l, BPF_AND, R3, R0);
  sonde_lower_alu(l, BPF_ADD, R3, R0);
  sonde_lower_alu(l, BPF_OR, R3, R2);
  sonde_lower_alu_imm(l, BPF_RSH, R3, 7);
  sonde_lower_constant(l, R0, 0x0101010101010101);
  sonde_lower_alu(l, BPF_AND, R3, R0);  // 1 in each byte that is not zero
  sonde_lower_mov(l, R1, R3);
  sonde_lower_alu(l, BPF_XOR, R1, R0);
  sonde_lower_alu_imm(l, BPF_MUL, R1, ' ');
  sonde_lower_alu(l, BPF_OR, R2, R1);
  for (int32_t step = 8; step <= 32; step *= 2) {  // and in all bytes below it
    sonde_lower_mov(l, R1, R3);
    sonde_lower_alu_imm(l, BPF_RSH, R1, step);
    sonde_lower_alu(l, BPF_OR, R3, R1);
  }
  const uint32_t all_zero = sonde_lower_branch_imm(l, BPF_JEQ, R3, 0);
  sonde_lower_alu(l, BPF_MUL, R3, R0);
  sonde_lower_alu_imm(l, BPF_RSH, R3, 56);  // how many
  sonde_lower_alu_imm(l, BPF_ADD, R3, at);
  sonde_lower_stx(l, BPF_DW, BPF_REG_6, R3, kLength);
  sonde_lower_land(l, all_zero);
}

/// The first 80 bytes of the arguments, with blanks between them and none behind the last.
void capture_arguments(L* l, const In* in) {
  sonde_lower_st(l, BPF_DW, FP, kValue, 0);
  sonde_lower_st(l, BPF_DW, BPF_REG_6, kLength, 0);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kTask);
  sonde_lower_ldx(l, BPF_DW, R1, R1, member(l, "task_struct", "mm"));
  const uint32_t none = sonde_lower_branch_imm(l, BPF_JEQ, R1, 0);
  sonde_lower_ldx(l, BPF_DW, R3, R1, member(l, "mm_struct", "arg_start"));
  sonde_lower_ldx(l, BPF_DW, R2, R1, member(l, "mm_struct", "arg_end"));
  sonde_lower_stx(l, BPF_DW, FP, R3, kValue);
  sonde_lower_alu(l, BPF_SUB, R2, R3);
  const uint32_t few = sonde_lower_branch_imm(l, BPF_JLE, R2, kArgumentBytes);
  sonde_lower_mov_imm(l, R2, kArgumentBytes);
  sonde_lower_land(l, few);
  load_span_start(l, R1);
  for (int32_t at = 0; at <= kArgumentBytes; at += 8) sonde_lower_st(l, BPF_DW, R1, at, 0);
  call_helper(l, BPF_FUNC_probe_read_user);
  const uint32_t read = sonde_lower_branch_imm(l, BPF_JEQ, R0, 0);
  sonde_lower_land(l, none);
  fault_at(l, in, kValue);
  const uint32_t failed = sonde_lower_jump(l);
  sonde_lower_land(l, read);
  load_span_start(l, R4);
  for (int32_t at = 0; at < kArgumentBytes; at += 8) {
    sonde_lower_ldx(l, BPF_DW, R2, R4, at);
    put_blanks(l, at);
    sonde_lower_stx(l, BPF_DW, R4, R2, at);
  }
  sonde_lower_ldx(l, BPF_DW, R3, BPF_REG_6, kLength);
  sonde_lower_alu_imm(l, BPF_AND, R3, 0x7f);  // it is at most 80: the verifier learns a limit
  sonde_lower_alu(l, BPF_ADD, R4, R3);
  sonde_lower_st(l, BPF_B, R4, 0, 0);
  sonde_lower_mov(l, R0, R3);
  sonde_lower_alu_imm(l, BPF_ADD, R0, 1);
  round_up(l, R0);
  end_span(l, in->d, R3, R0);
  sonde_lower_land(l, failed);
}

/// Of other processes only the name of a signal's receiver is at hand: that of its first thread, in kernel memory.
bool capture_name_of_process(L* l, const In* in) {
  const sonde_tap_kind kind = column_of(l).kind;
  if (kind != SONDE_TAP_SIGNAL_SEND && kind != SONDE_TAP_SIGNAL_DISCARD) return false;
  sonde_lower_load(l, R1, in->a);
  sonde_lower_ldx(l, BPF_DW, R2, FP, kArguments + 8 * SONDE_ARG_SIGNAL_RECEIVER_PID);
  const uint32_t another = sonde_lower_branch(l, BPF_JNE, R1, R2);
  read_text(l, SONDE_DIF_TEXT_COMM, kText, BPF_FUNC_probe_read_kernel_str);
  const uint32_t read = sonde_lower_branch_imm(l, BPF_JSGT, R0, 0);
  sonde_lower_land(l, another);
  fault_at(l, in, kText);
  const uint32_t failed = sonde_lower_jump(l);
  sonde_lower_land(l, read);
  end_text(l, in->d);
  sonde_lower_land(l, failed);
  return true;
}

}  // namespace

bool capture_thread_text(L* l, const In* in) {
  switch (in->i) {
    case SONDE_DIF_TEXT_PROBE_TEXT: capture_probe_text(l, in); return true;
    case SONDE_DIF_TEXT_PSARGS: capture_arguments(l, in); return true;
    case SONDE_DIF_TEXT_COMM: return capture_name_of_process(l, in);
    default: return false;
  }
}

}  // namespace sonde::bpf
