// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/user_program.h"

#include <functional>

#include "runtime/bpf/arch.h"
#include "runtime/bpf/code.h"
#include "runtime/bpf/record_code.h"

namespace sonde::bpf {
namespace {

constexpr uint8_t kCookie = R7, kOf = R8, kTarget = R9;
constexpr uint32_t kMostInsns = 800;
constexpr int16_t kReenteredKey = kArguments, kReenteredValue = kArguments + 8;  ///< where arguments will be

int16_t place_offset(size_t member) { return static_cast<int16_t>(member); }
constexpr size_t kLeave = offsetof(UserPlace, leave);

void leave_unless(sonde_lowering* l, uint32_t branch) {
  leave(l);
  sonde_lower_land(l, branch);
}

/// `to` = FP + offset
void point_at(sonde_lowering* l, uint8_t to, int32_t offset) {
  sonde_lower_mov(l, to, FP);
  sonde_lower_alu_imm(l, BPF_ADD, to, offset);
}

/// R0 = the row of an array map; the row's number is in kKey. Leaves if there is none.
void find(sonde_lowering* l, int map) {
  load_map(l, R1, map);
  point_at(l, R2, kKey);
  call_helper(l, BPF_FUNC_map_lookup_elem);
  leave_unless(l, sonde_lower_branch_imm(l, BPF_JNE, R0, 0));
}

/// Keeps the context, and the row's number in kKey.
void begin_place(sonde_lowering* l) {
  sonde_lower_stx(l, BPF_DW, FP, R1, kContext);
  sonde_lower_stx(l, BPF_DW, FP, R1, kRegisters);
  sonde_lower_mov_imm(l, R6, 0);
  call_helper(l, BPF_FUNC_get_attach_cookie);
  sonde_lower_mov(l, kCookie, R0);
  sonde_lower_stx(l, BPF_W, FP, R0, kKey);
}

/// `to` = a register of the thread
void load_register(sonde_lowering* l, uint8_t to, int16_t offset) {
  sonde_lower_ldx(l, BPF_DW, to, FP, kRegisters);
  sonde_lower_ldx(l, BPF_DW, to, to, offset);
}

// ---- whose it is -----------------------------------------------------------------------------------------------

/// Leaves unless the thread is of a process that the tap is for. The numbers go to kPidTgid.
void find_process(sonde_lowering* l, const UserProgram& wanted) {
  call_helper(l, BPF_FUNC_get_current_pid_tgid);
  sonde_lower_stx(l, BPF_DW, FP, R0, kPidTgid);
  sonde_lower_mov(l, kOf, R0);
  sonde_lower_alu_imm(l, BPF_RSH, kOf, 32);
  if (wanted.left_out != 0)
    leave_unless(l, sonde_lower_branch_imm(l, BPF_JNE, kOf, static_cast<int32_t>(wanted.left_out)));
  if (sonde_tap_of_kernel_function(wanted.kind) != 0) return;  // for whoever runs there
  sonde_lower_alu_imm(l, BPF_LSH, kCookie, 1);                 // without the highest bit
  sonde_lower_alu_imm(l, BPF_RSH, kCookie, 33);
  const uint32_t named = sonde_lower_branch(l, BPF_JEQ, kCookie, kOf);
  if (wanted.origins < 0) {
    leave_unless(l, sonde_lower_branch_imm(l, BPF_JEQ, kCookie, 0));
  } else {
    sonde_lower_stx(l, BPF_DW, FP, kOf, kValue);
    load_map(l, R1, wanted.origins);
    point_at(l, R2, kValue);
    call_helper(l, BPF_FUNC_map_lookup_elem);
    leave_unless(l, sonde_lower_branch_imm(l, BPF_JNE, R0, 0));
    const uint32_t any = sonde_lower_branch_imm(l, BPF_JEQ, kCookie, 0);
    sonde_lower_ldx(l, BPF_W, R1, R0, 0);
    leave_unless(l, sonde_lower_branch(l, BPF_JEQ, R1, kCookie));
    sonde_lower_land(l, any);
  }
  sonde_lower_land(l, named);
}

// ---- does it leave the function --------------------------------------------------------------------------------

/// `to` = 1 if that flag of R1 is set
void take_flag(sonde_lowering* l, uint8_t to, int32_t flag) {
  sonde_lower_mov(l, to, R1);
  sonde_lower_alu_imm(l, BPF_RSH, to, flag);
  sonde_lower_alu_imm(l, BPF_AND, to, 1);
}

/// R3 = whether the condition R2 holds with the flags R1, as sonde_condition_holds() has it. Uses R4 and R5.
void judge_condition(sonde_lowering* l) {
  constexpr int32_t kNone = -1;
  struct Row {
    int32_t flag, or_flag, or_differs_from;  ///< the condition: flag | or_flag | (sign != overflow)
  };
  constexpr Row kRows[] = {{kOverflow, kNone, 0}, {kCarry, kNone, 0},  {kZero, kNone, 0}, {kCarry, kZero, 0},
                           {kSign, kNone, 0},     {kParity, kNone, 0}, {kNone, kNone, 1}, {kZero, kNone, 1}};
  std::vector<uint32_t> done;
  sonde_lower_mov(l, R4, R2);
  sonde_lower_alu_imm(l, BPF_RSH, R4, 1);
  for (int32_t n = 0; n < 8; n++) {
    const uint32_t other = sonde_lower_branch_imm(l, BPF_JNE, R4, n);
    sonde_lower_mov_imm(l, R3, 0);
    if (kRows[n].flag != kNone) take_flag(l, R3, kRows[n].flag);
    if (kRows[n].or_flag != kNone) {
      take_flag(l, R5, kRows[n].or_flag);
      sonde_lower_alu(l, BPF_OR, R3, R5);
    }
    if (kRows[n].or_differs_from != 0) {
      take_flag(l, R5, kSign);
      sonde_lower_mov(l, R0, R5);
      take_flag(l, R5, kOverflow);
      sonde_lower_alu(l, BPF_XOR, R0, R5);
      sonde_lower_alu(l, BPF_OR, R3, R0);
    }
    done.push_back(sonde_lower_jump(l));
    sonde_lower_land(l, other);
  }
  sonde_lower_mov_imm(l, R3, 0);
  for (const uint32_t one : done) sonde_lower_land(l, one);
  sonde_lower_alu_imm(l, BPF_AND, R2, 1);
  sonde_lower_alu(l, BPF_XOR, R3, R2);
}

/// R1 = the register whose number is in R2; for others 0.
void load_operand_register(sonde_lowering* l) {
  std::vector<uint32_t> done;
  sonde_lower_mov_imm(l, R1, 0);
  for (size_t n = 0; n < kOperandRegisters.size(); n++) {
    const uint32_t other = sonde_lower_branch_imm(l, BPF_JNE, R2, static_cast<int32_t>(n));
    load_register(l, R1, kOperandRegisters[n]);
    done.push_back(sonde_lower_jump(l));
    sonde_lower_land(l, other);
  }
  for (const uint32_t one : done) sonde_lower_land(l, one);
}

void load_leave(sonde_lowering* l, uint8_t size, uint8_t to, size_t member) {
  sonde_lower_ldx(l, size, to, kOf, place_offset(kLeave + member));
}

void sign_extend(sonde_lowering* l, uint8_t reg) {
  sonde_lower_alu_imm(l, BPF_LSH, reg, 32);
  sonde_lower_alu_imm(l, BPF_ARSH, reg, 32);
}

/// R9 = where the jump of the place R8 leads; leaves if that cannot be read.
void find_target(sonde_lowering* l) {
  load_leave(l, BPF_B, R2, offsetof(sonde_leave, base));
  load_operand_register(l);
  sonde_lower_mov(l, kTarget, R1);
  load_leave(l, BPF_B, R3, offsetof(sonde_leave, flags));
  sonde_lower_alu_imm(l, BPF_AND, R3, SONDE_LEAVE_MEMORY);
  const uint32_t in_register = sonde_lower_branch_imm(l, BPF_JEQ, R3, 0);
  load_leave(l, BPF_B, R2, offsetof(sonde_leave, base));
  const uint32_t not_relative = sonde_lower_branch_imm(l, BPF_JNE, R2, SONDE_LEAVE_RIP);
  load_register(l, kTarget, kInstruction);
  load_leave(l, BPF_B, R3, offsetof(sonde_leave, length));
  sonde_lower_alu(l, BPF_ADD, kTarget, R3);
  sonde_lower_land(l, not_relative);
  load_leave(l, BPF_W, R3, offsetof(sonde_leave, displacement));
  sign_extend(l, R3);
  sonde_lower_alu(l, BPF_ADD, kTarget, R3);
  load_leave(l, BPF_B, R2, offsetof(sonde_leave, index));
  load_operand_register(l);
  load_leave(l, BPF_B, R3, offsetof(sonde_leave, scale));
  sonde_lower_alu(l, BPF_MUL, R1, R3);
  sonde_lower_alu(l, BPF_ADD, kTarget, R1);
  point_at(l, R1, kValue);
  sonde_lower_mov_imm(l, R2, sizeof(uint64_t));
  sonde_lower_mov(l, R3, kTarget);
  call_helper(l, BPF_FUNC_probe_read_user);
  leave_unless(l, sonde_lower_branch_imm(l, BPF_JEQ, R0, 0));
  sonde_lower_ldx(l, BPF_DW, kTarget, FP, kValue);
  sonde_lower_land(l, in_register);
}

/// Leaves if R9 is inside of the function of the place R8.
void leave_if_inside(sonde_lowering* l) {
  load_register(l, R1, kInstruction);
  sonde_lower_alu(l, BPF_SUB, kTarget, R1);
  for (size_t part = 0; part < SONDE_LEAVE_PARTS; part++) {
    const size_t at = offsetof(sonde_leave, parts) + part * sizeof(sonde_leave{}.parts[0]);
    load_leave(l, BPF_W, R1, at);
    sign_extend(l, R1);
    load_leave(l, BPF_W, R2, at + sizeof(int32_t));
    sign_extend(l, R2);
    const uint32_t before = sonde_lower_branch(l, BPF_JSLT, kTarget, R1);
    leave_unless(l, sonde_lower_branch(l, BPF_JSGE, kTarget, R2));
    sonde_lower_land(l, before);
  }
}

/// R8 = the place. Leaves if its instruction stays in the function (sonde_leaves()).
void judge(sonde_lowering* l) {
  load_leave(l, BPF_B, R1, offsetof(sonde_leave, how));
  const uint32_t returns = sonde_lower_branch_imm(l, BPF_JLE, R1, SONDE_LEAVE_JUMP);
  const uint32_t reenters = sonde_lower_branch_imm(l, BPF_JEQ, R1, SONDE_LEAVE_REENTER);
  const uint32_t by_operand = sonde_lower_branch_imm(l, BPF_JEQ, R1, SONDE_LEAVE_JUMP_OPERAND);
  load_register(l, R1, kFlags);
  load_leave(l, BPF_B, R2, offsetof(sonde_leave, condition));
  judge_condition(l);
  leave_unless(l, sonde_lower_branch_imm(l, BPF_JNE, R3, 0));
  const uint32_t done = sonde_lower_jump(l);
  sonde_lower_land(l, by_operand);
  find_target(l);
  leave_if_inside(l);
  sonde_lower_land(l, done);
  sonde_lower_land(l, reenters);
  sonde_lower_land(l, returns);
}

// ---- jumps to the first instruction ----------------------------------------------------------------------------

/// The thread and the probe of the row in R0, and what would be noted of this place, in the frame.
void name_arrival(sonde_lowering* l) {
  sonde_lower_ldx(l, BPF_W, R1, R0, 0);
  sonde_lower_stx(l, BPF_W, FP, R1, kReenteredKey + 4);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kPidTgid);
  sonde_lower_stx(l, BPF_W, FP, R1, kReenteredKey);
}

/// Leaves if the thread comes by such a jump.
void leave_if_reentered(sonde_lowering* l, int reentered) {
  name_arrival(l);
  load_map(l, R1, reentered);
  point_at(l, R2, kReenteredKey);
  call_helper(l, BPF_FUNC_map_lookup_elem);
  const uint32_t none = sonde_lower_branch_imm(l, BPF_JEQ, R0, 0);
  load_register(l, R1, kInstruction);
  sonde_lower_ldx(l, BPF_DW, R2, R0, offsetof(Reentered, entry));
  const uint32_t elsewhere = sonde_lower_branch(l, BPF_JNE, R1, R2);
  load_register(l, R1, kStackPointer);
  sonde_lower_ldx(l, BPF_DW, R2, R0, offsetof(Reentered, stack));
  const uint32_t other_call = sonde_lower_branch(l, BPF_JNE, R1, R2);
  load_map(l, R1, reentered);
  point_at(l, R2, kReenteredKey);
  call_helper(l, BPF_FUNC_map_delete_elem);
  leave(l);
  sonde_lower_land(l, none);
  sonde_lower_land(l, elsewhere);
  sonde_lower_land(l, other_call);
}

// ---- arguments -------------------------------------------------------------------------------------------------

bool reads(const sonde_dif_program& fire, uint32_t from, uint32_t op) {
  for (uint32_t at = 0; at < fire.length; at++)
    if (fire.insns[at].op == op && static_cast<uint32_t>(fire.insns[at].i) >= from) return true;
  return false;
}

bool any_reads(const UserProgram& wanted, uint32_t from) {
  for (const FirePart& fire : wanted.columns)
    if (reads(*fire.program, from, SONDE_DIF_ARG)) return true;
  return false;
}

/// Registers first, then, at an entry, the stack.
void put_arguments(sonde_lowering* l, const UserProgram& wanted) {
  if (!any_reads(wanted, 0)) return;
  constexpr auto kCount = static_cast<int32_t>(kFunctionArguments.size());
  for (int32_t n = 0; n < static_cast<int32_t>(SONDE_DIF_ARGS); n++) {
    if (n < kCount) {
      load_register(l, R1, kFunctionArguments[static_cast<size_t>(n)]);
      sonde_lower_stx(l, BPF_DW, FP, R1, kArguments + 8 * n);
    } else {
      sonde_lower_st(l, BPF_DW, FP, kArguments + 8 * n, 0);
    }
  }
  if ((wanted.kind != SONDE_TAP_USER_ENTRY && wanted.kind != SONDE_TAP_KERNEL_ENTRY) || !any_reads(wanted, kCount))
    return;
  point_at(l, R1, kArguments + 8 * kCount);
  sonde_lower_mov_imm(l, R2, 8 * (static_cast<int32_t>(SONDE_DIF_ARGS) - kCount));
  load_register(l, R3, kStackPointer);
  sonde_lower_alu_imm(l, BPF_ADD, R3, kFirstOnStack);
  call_helper(l, wanted.kind == SONDE_TAP_KERNEL_ENTRY ? BPF_FUNC_probe_read_kernel : BPF_FUNC_probe_read_user);
}

void put_result(sonde_lowering* l) {
  for (int32_t n = 0; n < static_cast<int32_t>(SONDE_DIF_ARGS); n++)
    sonde_lower_st(l, BPF_DW, FP, kArguments + 8 * n, 0);
  load_register(l, R1, kFunctionResult);
  sonde_lower_stx(l, BPF_DW, FP, R1, kArguments + 8 * SONDE_ARG_USER_RETURN_VALUE);
}

/// Where it leaves the place in R8, and the result.
void put_return(sonde_lowering* l) {
  put_result(l);
  sonde_lower_ldx(l, BPF_DW, R1, kOf, offsetof(UserPlace, from_entry));
  sonde_lower_stx(l, BPF_DW, FP, R1, kArguments + 8 * SONDE_ARG_USER_RETURN_OFFSET);
}

/// The kernel does not say which instruction of its function returns.
void put_kernel_return(sonde_lowering* l) {
  put_result(l);
  sonde_lower_st(l, BPF_DW, FP, kArguments + 8 * SONDE_ARG_KERNEL_RETURN_OFFSET, -1);
}

void find_task(sonde_lowering* l) {
  call_helper(l, BPF_FUNC_get_current_task_btf);
  sonde_lower_stx(l, BPF_DW, FP, R0, kTask);
  sonde_lower_st(l, BPF_DW, FP, kNumber, -1);
  sonde_lower_st(l, BPF_DW, FP, kThread, 0);
}

/// From here on kRegisters are those of the thread's own code; 0: it is the kernel's.
void find_user_registers(sonde_lowering* l, const World& world, std::string& lacks) {
  auto mm = world.layout->offset("task_struct", "mm");
  if (!mm) lacks = mm.error().message();
  sonde_lower_st(l, BPF_DW, FP, kRegisters, 0);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kTask);
  sonde_lower_ldx(l, BPF_DW, R2, R1, mm ? *mm : 0);
  const uint32_t of_kernel = sonde_lower_branch_imm(l, BPF_JEQ, R2, 0);
  call_helper(l, BPF_FUNC_task_pt_regs);
  sonde_lower_stx(l, BPF_DW, FP, R0, kRegisters);
  sonde_lower_land(l, of_kernel);
}

void find_row(sonde_lowering* l, const UserProgram& wanted) {
  find(l, wanted.table);
  sonde_lower_ldx(l, BPF_W, R1, R0, offsetof(TableRow, probe));
  leave_unless(l, sonde_lower_branch_imm(l, BPF_JNE, R1, 0));
  sonde_lower_stx(l, BPF_DW, FP, R0, kRow);
}

}  // namespace

Result<std::vector<bpf_insn>> build_user_program(const UserProgram& wanted, World world) {
  look_at(wanted.columns, world);
  world.places_offset = epid_offset(wanted.columns.size());
  std::vector<bpf_insn> all;
  Code before(kMostInsns);
  begin_place(&before);
  sonde_lower_mov(&before, kTarget, kCookie);
  find_process(&before, wanted);
  find_row(&before, wanted);
  if (wanted.reentered >= 0 && wanted.kind == SONDE_TAP_USER_ENTRY) {
    const uint32_t never = sonde_lower_branch_imm(&before, BPF_JSGE, kTarget, 0);  // the highest bit
    leave_if_reentered(&before, wanted.reentered);
    sonde_lower_land(&before, never);
  }
  if (wanted.kind == SONDE_TAP_USER_RETURN) {
    find(&before, wanted.places);
    sonde_lower_mov(&before, kOf, R0);
    if (wanted.judges) judge(&before);
    put_return(&before);
  } else if (wanted.kind == SONDE_TAP_KERNEL_RETURN) {
    put_kernel_return(&before);
  } else {
    put_arguments(&before, wanted);
  }
  find_task(&before);
  std::string lacks;
  if (sonde_tap_of_kernel_function(wanted.kind) != 0) find_user_registers(&before, world, lacks);
  if (!lacks.empty()) return Error(lacks, EOPNOTSUPP);
  append(all, before);
  for (uint32_t n = 0; n < wanted.columns.size(); n++) {
    Column column(world, wanted.kind, n, wanted.columns[n]);
    if (auto done = column.append_to(all); !done) return std::move(done).error();
  }
  Code after(kMostInsns);
  release_ring(&after, world);
  leave(&after);
  append(all, after);
  return all;
}

std::vector<bpf_insn> build_jump_program(int places, int reentered) {
  std::vector<bpf_insn> all;
  Code code(kMostInsns);
  begin_place(&code);
  find(&code, places);
  sonde_lower_mov(&code, kOf, R0);
  judge(&code);
  call_helper(&code, BPF_FUNC_get_current_pid_tgid);
  sonde_lower_stx(&code, BPF_DW, FP, R0, kPidTgid);
  sonde_lower_mov(&code, R0, kOf);
  name_arrival(&code);
  load_register(&code, R1, kInstruction);
  sonde_lower_ldx(&code, BPF_DW, R2, kOf, offsetof(UserPlace, from_entry));
  sonde_lower_alu(&code, BPF_SUB, R1, R2);
  sonde_lower_stx(&code, BPF_DW, FP, R1, kReenteredValue + static_cast<int32_t>(offsetof(Reentered, entry)));
  load_register(&code, R1, kStackPointer);
  sonde_lower_stx(&code, BPF_DW, FP, R1, kReenteredValue + static_cast<int32_t>(offsetof(Reentered, stack)));
  load_map(&code, R1, reentered);
  point_at(&code, R2, kReenteredKey);
  point_at(&code, R3, kReenteredValue);
  sonde_lower_mov_imm(&code, R4, BPF_ANY);
  call_helper(&code, BPF_FUNC_map_update_elem);
  leave(&code);
  append(all, code);
  return all;
}

}  // namespace sonde::bpf
