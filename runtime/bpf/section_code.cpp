// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/section_code.h"

#include "runtime/bpf/arch.h"
#include "runtime/bpf/code.h"
#include "runtime/bpf/record_code.h"

namespace sonde::bpf {
namespace {}  // namespace

SectionCode::SectionCode(const World& shared, Hook of, sonde_tap_kind event)
    : sonde_lowering{}, world(shared), hook(of), kind(event) {
  out = insns_.data();
  room = static_cast<uint32_t>(insns_.size());
}

void SectionCode::skip_if(uint8_t op, uint8_t reg, int32_t value) {
  skips.push_back(sonde_lower_branch_imm(this, op, reg, value));
}

void SectionCode::skip_if_reg(uint8_t op, uint8_t a, uint8_t b) { skips.push_back(sonde_lower_branch(this, op, a, b)); }

void SectionCode::skip() { skips.push_back(sonde_lower_jump(this)); }

int32_t SectionCode::member(std::string_view structure, std::string_view path) {
  auto offset = world.layout->offset(structure, path);
  if (offset) return *offset;
  lacks = offset.error().message();
  return 0;
}

void SectionCode::load_context(uint8_t to, int n) {
  sonde_lower_ldx(this, BPF_DW, to, FP, kContext);
  sonde_lower_ldx(this, BPF_DW, to, to, static_cast<int32_t>(sizeof(uint64_t)) * n);
}

void find_thread(SectionCode& code, bool registers) {
  call_helper(&code, BPF_FUNC_get_current_task_btf);
  sonde_lower_stx(&code, BPF_DW, FP, R0, kTask);
  if (!registers) return;
  sonde_lower_mov(&code, R7, R0);
  sonde_lower_mov(&code, R1, R0);
  call_helper(&code, BPF_FUNC_task_pt_regs);
  sonde_lower_stx(&code, BPF_DW, FP, R0, kRegisters);
}

void find_any_thread(SectionCode& code) {
  find_thread(code, false);
  if (!code.registers) return;
  sonde_lower_st(&code, BPF_DW, FP, kRegisters, 0);
  sonde_lower_mov(&code, R1, R0);
  sonde_lower_ldx(&code, BPF_DW, R2, R1, code.member("task_struct", "mm"));
  const uint32_t of_kernel = sonde_lower_branch_imm(&code, BPF_JEQ, R2, 0);
  call_helper(&code, BPF_FUNC_task_pt_regs);
  sonde_lower_stx(&code, BPF_DW, FP, R0, kRegisters);
  sonde_lower_land(&code, of_kernel);
}

void find_process(SectionCode& code, uint32_t left_out) {
  call_helper(&code, BPF_FUNC_get_current_pid_tgid);
  sonde_lower_stx(&code, BPF_DW, FP, R0, kPidTgid);
  sonde_lower_alu_imm(&code, BPF_RSH, R0, 32);
  if (left_out != 0) code.skip_if(BPF_JEQ, R0, static_cast<int32_t>(left_out));
  sonde_lower_st(&code, BPF_DW, FP, kThread, 0);
}

void find_process_of_thread(SectionCode& code, uint32_t left_out) {
  sonde_lower_ldx(&code, BPF_DW, R1, FP, kTask);
  sonde_lower_ldx(&code, BPF_W, R0, R1, code.member("task_struct", "tgid"));
  sonde_lower_ldx(&code, BPF_W, R2, R1, code.member("task_struct", "pid"));
  if (left_out != 0) code.skip_if(BPF_JEQ, R0, static_cast<int32_t>(left_out));
  sonde_lower_alu_imm(&code, BPF_LSH, R0, 32);
  sonde_lower_alu(&code, BPF_OR, R0, R2);
  sonde_lower_stx(&code, BPF_DW, FP, R0, kPidTgid);
  sonde_lower_st(&code, BPF_DW, FP, kThread, 0);
}

void find_row(SectionCode& code, int table) {
  load_map(&code, R1, table);
  sonde_lower_mov(&code, R2, FP);
  sonde_lower_alu_imm(&code, BPF_ADD, R2, kKey);
  call_helper(&code, BPF_FUNC_map_lookup_elem);
  code.skip_if(BPF_JEQ, R0, 0);
  if (!code.again) {
    sonde_lower_ldx(&code, BPF_W, R1, R0, offsetof(TableRow, probe));
    code.skip_if(BPF_JEQ, R1, 0);
  }
  sonde_lower_stx(&code, BPF_DW, FP, R0, kRow);
}

}  // namespace sonde::bpf
