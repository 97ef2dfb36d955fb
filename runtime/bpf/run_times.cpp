// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/run_times.h"

#include "runtime/bpf/bpf_call.h"
#include "runtime/bpf/code.h"
#include "runtime/bpf/record_code.h"

namespace sonde::bpf {
namespace {

constexpr char kRunTime[] = "se.sum_exec_runtime";
constexpr int32_t kNext = 2;  ///< argument of sched_switch: the thread that gets the CPU

/// R0 = the word of this CPU; `key`: a place for a u32 on the stack.
void find_word(L* l, int words, int16_t key) {
  sonde_lower_st(l, BPF_W, FP, key, 0);
  load_map(l, R1, words);
  sonde_lower_mov(l, R2, FP);
  sonde_lower_alu_imm(l, BPF_ADD, R2, key);
  call_helper(l, BPF_FUNC_map_lookup_elem);
}

void on_switch(L* l, int words, int32_t used) {
  constexpr int16_t kValueOf = -8, kKeyOf = -16;
  sonde_lower_mov(l, R6, R1);
  call_helper(l, BPF_FUNC_ktime_get_ns);
  sonde_lower_mov(l, R7, R0);
  sonde_lower_st(l, BPF_DW, FP, kValueOf, 0);
  sonde_lower_mov(l, R1, FP);
  sonde_lower_alu_imm(l, BPF_ADD, R1, kValueOf);
  sonde_lower_mov_imm(l, R2, sizeof(uint64_t));
  sonde_lower_ldx(l, BPF_DW, R3, R6, sizeof(uint64_t) * kNext);
  sonde_lower_alu_imm(l, BPF_ADD, R3, used);
  call_helper(l, BPF_FUNC_probe_read_kernel);
  find_word(l, words, kKeyOf);
  const uint32_t none = sonde_lower_branch_imm(l, BPF_JEQ, R0, 0);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kValueOf);
  sonde_lower_alu(l, BPF_SUB, R1, R7);
  sonde_lower_stx(l, BPF_DW, R0, R1, 0);
  sonde_lower_land(l, none);
  sonde_lower_mov_imm(l, R0, 0);
  sonde_lower_emit(l, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/// R1 = the word at R0. If the thread has had its CPU since before there were words, makes one.
void load_word(L* l) {
  sonde_lower_ldx(l, BPF_DW, R1, R0, 0);
  const uint32_t known = sonde_lower_branch_imm(l, BPF_JNE, R1, 0);
  sonde_lower_mov(l, R3, R0);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kTask);
  sonde_lower_ldx(l, BPF_DW, R1, R1, member(l, "task_struct", kRunTime));
  sonde_lower_ldx(l, BPF_DW, R2, FP, kValue);
  sonde_lower_alu(l, BPF_SUB, R1, R2);
  sonde_lower_mov_imm(l, R0, 0);
  sonde_lower_emit(l, BPF_STX | BPF_ATOMIC | BPF_DW, R3, R1, 0, BPF_CMPXCHG);
  const uint32_t made = sonde_lower_branch_imm(l, BPF_JEQ, R0, 0);
  sonde_lower_mov(l, R1, R0);  // the thread has left its CPU, and come back, meanwhile
  sonde_lower_land(l, made);
  sonde_lower_land(l, known);
}

/// kValue = what the thread has read last, if that is more; and is what it has read last.
void keep_rising(L* l, int last) {
  load_map(l, R1, last);
  sonde_lower_ldx(l, BPF_DW, R2, FP, kTask);
  sonde_lower_mov_imm(l, R3, 0);
  sonde_lower_mov_imm(l, R4, BPF_LOCAL_STORAGE_GET_F_CREATE);
  call_helper(l, BPF_FUNC_task_storage_get);
  const uint32_t none = sonde_lower_branch_imm(l, BPF_JEQ, R0, 0);
  sonde_lower_ldx(l, BPF_DW, R1, R0, 0);
  sonde_lower_ldx(l, BPF_DW, R2, FP, kValue);
  const uint32_t risen = sonde_lower_branch(l, BPF_JLT, R1, R2);
  sonde_lower_stx(l, BPF_DW, FP, R1, kValue);
  sonde_lower_mov(l, R2, R1);
  sonde_lower_land(l, risen);
  sonde_lower_stx(l, BPF_DW, R0, R2, 0);
  sonde_lower_land(l, none);
}

}  // namespace

Result<RunTimes> RunTimes::begin(KernelLayout& layout) {
  auto used = layout.offset("task_struct", kRunTime);
  if (!used) return std::move(used).error();
  auto words = create_map("on_cpu", {BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(uint32_t), sizeof(uint64_t), 1, 0});
  if (!words) return std::move(words).error();
  auto last = create_thread_map("run_times", 1);
  if (!last) return std::move(last).error();
  Code code;
  on_switch(&code, words->get(), *used);
  auto program = load_program("switch", instructions(code));
  if (!program) return std::move(program).error();
  auto link = attach_raw_tracepoint("sched_switch", program->get());
  if (!link) return std::move(link).error();
  RunTimes made;
  made.words_ = std::move(*words);
  made.last_ = std::move(*last);
  made.program_ = std::move(*program);
  made.link_ = std::move(*link);
  return made;
}

void load_run_time(L* l) {
  const World& world = static_cast<Column&>(*l).world;
  call_helper(l, BPF_FUNC_ktime_get_ns);  // before the word: who is moved in between must not gain time
  sonde_lower_stx(l, BPF_DW, FP, R0, kValue);
  find_word(l, world.words_map, kKey);
  const uint32_t none = sonde_lower_branch_imm(l, BPF_JEQ, R0, 0);
  load_word(l);
  sonde_lower_ldx(l, BPF_DW, R2, FP, kValue);
  sonde_lower_alu(l, BPF_ADD, R1, R2);
  sonde_lower_stx(l, BPF_DW, FP, R1, kValue);
  sonde_lower_land(l, none);
  keep_rising(l, world.last_read_map);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kValue);
}

}  // namespace sonde::bpf
