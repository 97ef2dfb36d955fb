// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The rows of instructions that read the thread, its memory and its variables, and of the ends; record_code.cpp has what
// deals with the ring
#include "runtime/bpf/fire_target.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>

#include "kmod/shared/copied_stack.h"
#include "kmod/shared/event.h"
#include "runtime/bpf/arch.h"
#include "runtime/bpf/code.h"
#include "runtime/bpf/fold_code.h"
#include "runtime/bpf/path_code.h"
#include "runtime/bpf/record_code.h"
#include "runtime/bpf/run_times.h"
#include "runtime/bpf/stack_code.h"
#include "runtime/bpf/text_code.h"

namespace sonde::bpf {
namespace {

using Row = sonde_lower_row;

/// Whether a load before this instruction may have failed.
bool fault_possible(L* l) { return l->facts.loads != 0 && column_of(l).at >= column_of(l).ring_from; }

// ---- variables -------------------------------------------------------------------------------------------------

/// A member of the thread's task_struct, or of what its pointers lead to.
struct Step {
  const char* structure;
  const char* path;
  int32_t plus = 0;
};

constexpr int32_t kPgidIndex = 2, kSidIndex = 3;  ///< enum pid_type

struct TaskVariable {
  sonde_dif_variable variable;
  uint8_t size;  ///< of the last step
  bool is_signed;
  std::array<Step, 4> steps;  ///< the first is of task_struct
};

constexpr TaskVariable kTaskVariables[] = {
    {SONDE_DIF_VAR_PPID, BPF_W, false, {{{"task_struct", "real_parent"}, {"task_struct", "tgid"}}}},
    {SONDE_DIF_VAR_UID, BPF_W, false, {{{"task_struct", "cred"}, {"cred", "uid"}}}},
    {SONDE_DIF_VAR_GID, BPF_W, false, {{{"task_struct", "cred"}, {"cred", "gid"}}}},
    {SONDE_DIF_VAR_EUID, BPF_W, false, {{{"task_struct", "cred"}, {"cred", "euid"}}}},
    {SONDE_DIF_VAR_EGID, BPF_W, false, {{{"task_struct", "cred"}, {"cred", "egid"}}}},
    {SONDE_DIF_VAR_PGID,
     BPF_W,
     false,
     {{{"task_struct", "signal"}, {"signal_struct", "pids", 8 * kPgidIndex}, {"pid", "numbers"}}}},
    {SONDE_DIF_VAR_SID,
     BPF_W,
     false,
     {{{"task_struct", "signal"}, {"signal_struct", "pids", 8 * kSidIndex}, {"pid", "numbers"}}}},
    {SONDE_DIF_VAR_NLWP, BPF_W, false, {{{"task_struct", "signal"}, {"signal_struct", "nr_threads"}}}},
    {SONDE_DIF_VAR_STACK_START, BPF_DW, false, {{{"task_struct", "mm"}, {"mm_struct", "start_stack"}}}},
    {SONDE_DIF_VAR_PRIORITY, BPF_W, true, {{{"task_struct", "prio"}}}},
    {SONDE_DIF_VAR_POLICY, BPF_W, false, {{{"task_struct", "policy"}}}},
    {SONDE_DIF_VAR_CGROUPID,
     BPF_DW,
     false,
     {{{"task_struct", "cgroups"}, {"css_set", "dfl_cgrp"}, {"cgroup", "kn"}, {"kernfs_node", "id"}}}},
};
constexpr int32_t kNoPriority = 100;  ///< the prio of what proc(5) calls priority 0

const TaskVariable* task_variable(int32_t which) {
  for (const TaskVariable& one : kTaskVariables)
    if (one.variable == which) return &one;
  return nullptr;
}

void read_task(L* l, const In* in, const TaskVariable& variable) {
  sonde_lower_ldx(l, BPF_DW, R1, FP, kTask);
  for (size_t n = 0; n < variable.steps.size() && variable.steps[n].structure != nullptr; n++) {
    const Step& step = variable.steps[n];
    const bool last = n + 1 == variable.steps.size() || variable.steps[n + 1].structure == nullptr;
    sonde_lower_ldx(l, last ? variable.size : uint8_t{BPF_DW}, R1, R1,
                    member(l, step.structure, step.path) + step.plus);
  }
  if (variable.is_signed) {
    sonde_lower_alu_imm(l, BPF_LSH, R1, 32);
    sonde_lower_alu_imm(l, BPF_ARSH, R1, 32);
  }
  if (variable.variable == SONDE_DIF_VAR_PRIORITY) sonde_lower_alu_imm(l, BPF_SUB, R1, kNoPriority);
  sonde_lower_store(l, in->d, R1);
}

/// R1 = the error of the call that returns, 0 if it has none; R2 = what it returns.
void compute_error(L* l) {
  sonde_lower_ldx(l, BPF_DW, R3, FP, kContext);
  sonde_lower_ldx(l, BPF_DW, R2, R3, 8 * result_word(column_of(l).world.link));
  sonde_lower_mov(l, R1, R2);
  sonde_lower_alu_imm(l, BPF_NEG, R1, 0);
  sonde_lower_alu_imm(l, BPF_SUB, R1, 1);
  const uint32_t failed = sonde_lower_branch_imm(l, BPF_JLT, R1, kMaxErrno);  // 0 to 4094: an errno, less 1
  sonde_lower_mov_imm(l, R1, -1);
  sonde_lower_land(l, failed);
  sonde_lower_alu_imm(l, BPF_ADD, R1, 1);
}

/// R1 = the number of the process's terminal, as stat(2) has it; 0: it has none.
void load_terminal(L* l) {
  sonde_lower_ldx(l, BPF_DW, R1, FP, kTask);
  sonde_lower_ldx(l, BPF_DW, R1, R1, member(l, "task_struct", "signal"));
  sonde_lower_ldx(l, BPF_DW, R2, R1, member(l, "signal_struct", "tty"));
  sonde_lower_mov_imm(l, R1, 0);
  const uint32_t none = sonde_lower_branch_imm(l, BPF_JEQ, R2, 0);
  sonde_lower_ldx(l, BPF_DW, R3, R2, member(l, "tty_struct", "driver"));
  sonde_lower_ldx(l, BPF_W, R1, R3, member(l, "tty_driver", "minor_start"));
  sonde_lower_ldx(l, BPF_W, R4, R2, member(l, "tty_struct", "index"));
  sonde_lower_alu(l, BPF_ADD, R1, R4);  // the minor number
  sonde_lower_ldx(l, BPF_W, R3, R3, member(l, "tty_driver", "major"));
  sonde_lower_mov(l, R2, R1);  // new_encode_dev()
  sonde_lower_alu_imm(l, BPF_AND, R2, 0xff);
  sonde_lower_alu_imm(l, BPF_RSH, R1, 8);
  sonde_lower_alu_imm(l, BPF_LSH, R1, 20);
  sonde_lower_alu(l, BPF_OR, R1, R2);
  sonde_lower_alu_imm(l, BPF_LSH, R3, 8);
  sonde_lower_alu(l, BPF_OR, R1, R3);
  sonde_lower_land(l, none);
}

/// R1 = the only CPU on which the thread may run; -1: several.
void load_bound_cpu(L* l) {
  sonde_lower_ldx(l, BPF_DW, R2, FP, kTask);
  sonde_lower_mov_imm(l, R1, -1);
  sonde_lower_ldx(l, BPF_W, R3, R2, member(l, "task_struct", "nr_cpus_allowed"));
  const uint32_t several = sonde_lower_branch_imm(l, BPF_JNE, R3, 1);
  call_helper(l, BPF_FUNC_get_smp_processor_id);  // it runs, so it runs there
  sonde_lower_mov(l, R1, R0);
  sonde_lower_land(l, several);
}

/// Reads 8 bytes of the kernel at R3: R1 = what is there; 0: it cannot be read.
void load_kernel_word(L* l) {
  sonde_lower_st(l, BPF_DW, FP, kValue, 0);
  sonde_lower_mov_imm(l, R2, 8);
  sonde_lower_mov(l, R1, FP);
  sonde_lower_alu_imm(l, BPF_ADD, R1, kValue);
  call_helper(l, BPF_FUNC_probe_read_kernel);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kValue);
}

constexpr int32_t kTgidIndex = 1, kUpidShift = 4;  ///< enum pid_type; struct upid has 16 bytes
constexpr int32_t kDeepestNamespace = 63;          ///< namespaces are at most 32 deep: a bound for the verifier

/// R3 = the address of the struct upid of the process in its own pid namespace, the innermost; plus `offset`. It
/// depends on the level, so the verifier knows no type for it, and what is there is read by a helper.
void load_innermost(L* l, int32_t offset) {
  sonde_lower_ldx(l, BPF_DW, R3, FP, kTask);
  sonde_lower_ldx(l, BPF_DW, R3, R3, member(l, "task_struct", "signal"));
  sonde_lower_ldx(l, BPF_DW, R3, R3, member(l, "signal_struct", "pids") + 8 * kTgidIndex);
  sonde_lower_ldx(l, BPF_W, R2, R3, member(l, "pid", "level"));
  sonde_lower_alu_imm(l, BPF_AND, R2, kDeepestNamespace);
  sonde_lower_alu_imm(l, BPF_LSH, R2, kUpidShift);
  sonde_lower_alu_imm(l, BPF_ADD, R2, member(l, "pid", "numbers") + offset);
  sonde_lower_alu(l, BPF_ADD, R3, R2);
}

/// R1 = the process id in the process's own pid namespace.
void load_innermost_pid(L* l) {
  load_innermost(l, member(l, "upid", "nr"));
  load_kernel_word(l);
  sonde_lower_alu_imm(l, BPF_LSH, R1, 32);
  sonde_lower_alu_imm(l, BPF_RSH, R1, 32);
}

/// R1 = the inode of the pid namespace.
void load_pid_namespace(L* l) {
  load_innermost(l, member(l, "upid", "ns"));
  load_kernel_word(l);
  sonde_lower_mov(l, R3, R1);
  sonde_lower_alu_imm(l, BPF_ADD, R3, member(l, "pid_namespace", "ns.inum"));
  load_kernel_word(l);
  sonde_lower_alu_imm(l, BPF_LSH, R1, 32);
  sonde_lower_alu_imm(l, BPF_RSH, R1, 32);
}

void lower_variable(L* l, const In* in, const Row*) {
  if (const TaskVariable* task = task_variable(in->i)) return read_task(l, in, *task);
  switch (static_cast<sonde_dif_variable>(in->i)) {
    case SONDE_DIF_VAR_PID: sonde_lower_ldx(l, BPF_W, R1, FP, kPidTgid + 4); break;
    case SONDE_DIF_VAR_TID: sonde_lower_ldx(l, BPF_W, R1, FP, kPidTgid); break;
    case SONDE_DIF_VAR_CPU:
      call_helper(l, BPF_FUNC_get_smp_processor_id);
      sonde_lower_mov(l, R1, R0);
      break;
    case SONDE_DIF_VAR_TIMESTAMP: sonde_lower_ldx(l, BPF_DW, R1, FP, kTime); break;
    case SONDE_DIF_VAR_VTIMESTAMP: load_run_time(l); break;
    case SONDE_DIF_VAR_SYSCALL: sonde_lower_ldx(l, BPF_DW, R1, FP, kNumber); break;
    case SONDE_DIF_VAR_PROBE:
      sonde_lower_ldx(l, BPF_DW, R1, FP, kRow);
      sonde_lower_ldx(l, BPF_W, R1, R1, offsetof(TableRow, probe));
      break;
    case SONDE_DIF_VAR_ERRNO:
      if (column_of(l).kind == SONDE_TAP_SYSCALL_RETURN)
        compute_error(l);
      else if (column_of(l).kind == SONDE_TAP_EXEC_FAILURE)
        sonde_lower_ldx(l, BPF_DW, R1, FP, kArguments + 8 * SONDE_ARG_EXEC_FAILURE_ERROR);
      else
        sonde_lower_mov_imm(l, R1, 0);
      break;
    case SONDE_DIF_VAR_CALLER: load_kernel_caller(l); break;
    case SONDE_DIF_VAR_STACKDEPTH: load_kernel_depth(l); break;
    case SONDE_DIF_VAR_CURTHREAD: sonde_lower_ldx(l, BPF_DW, R1, FP, kTask); break;
    case SONDE_DIF_VAR_TTY: load_terminal(l); break;
    case SONDE_DIF_VAR_BOUND_CPU: load_bound_cpu(l); break;
    case SONDE_DIF_VAR_VPID: load_innermost_pid(l); break;
    case SONDE_DIF_VAR_PIDNS: load_pid_namespace(l); break;
    default: column_of(l).lacks = std::string("the variable ") + sonde_dif_variable_name(static_cast<uint32_t>(in->i));
  }
  sonde_lower_store(l, in->d, R1);
}

/// R1 = the program counter if the sample was taken in the kernel, or if it was not; else 0.
void load_sampled_pc(L* l, bool in_kernel) {
  sonde_lower_ldx(l, BPF_DW, R3, FP, kContext);
  sonde_lower_mov_imm(l, R1, 0);
  sonde_lower_ldx(l, BPF_DW, R2, R3, kCodeSegment);
  sonde_lower_alu_imm(l, BPF_AND, R2, kUserMode);
  const uint32_t elsewhere = sonde_lower_branch_imm(l, in_kernel ? BPF_JNE : BPF_JEQ, R2, 0);
  sonde_lower_ldx(l, BPF_DW, R1, R3, kProgramCounter);
  sonde_lower_land(l, elsewhere);
}

/// R1 = an argument of the tracepoint: 8 bytes, of which only those of its type are its value.
void load_tracepoint_argument(L* l, size_t n) {
  const auto& arguments = column_of(l).world.arguments;
  if (n >= arguments.size()) return sonde_lower_mov_imm(l, R1, 0);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kContext);
  sonde_lower_ldx(l, BPF_DW, R1, R1, static_cast<int32_t>(8 * n));
  if (arguments[n].bytes == 0 || arguments[n].bytes >= 8) return;
  const auto unused = static_cast<int32_t>(64 - 8 * arguments[n].bytes);
  sonde_lower_alu_imm(l, BPF_LSH, R1, unused);
  sonde_lower_alu_imm(l, arguments[n].is_signed ? BPF_ARSH : BPF_RSH, R1, unused);
}

void lower_argument(L* l, const In* in, const Row*) {
  const auto n = static_cast<size_t>(in->i);
  const sonde_tap_kind kind = column_of(l).kind;
  if (kind == SONDE_TAP_TRACEPOINT) {
    load_tracepoint_argument(l, n);
  } else if (is_sample(kind) && n <= SONDE_ARG_SAMPLE_USER_PC) {
    load_sampled_pc(l, n == SONDE_ARG_SAMPLE_KERNEL_PC);
  } else if (!is_sample(kind) && !is_call(kind)) {
    sonde_lower_ldx(l, BPF_DW, R1, FP, kArguments + static_cast<int32_t>(8 * n));
  } else if (kind == SONDE_TAP_SYSCALL_ENTRY && n < kCallArguments.size()) {
    sonde_lower_ldx(l, BPF_DW, R1, FP, kRegisters);
    sonde_lower_ldx(l, BPF_DW, R1, R1, kCallArguments[n]);
  } else if (kind == SONDE_TAP_SYSCALL_RETURN && n < 2) {
    compute_error(l);
    const uint32_t failed = sonde_lower_branch_imm(l, BPF_JEQ, R1, 0);
    sonde_lower_mov_imm(l, R2, -1);
    sonde_lower_land(l, failed);
    sonde_lower_mov(l, R1, R2);
  } else {
    sonde_lower_mov_imm(l, R1, 0);
  }
  sonde_lower_store(l, in->d, R1);
}

void lower_register(L* l, const In* in, const Row*) {
  const int16_t offset = kUserRegisters[static_cast<size_t>(in->i)];
  if (offset == kNoRegister) {
    sonde_lower_mov_imm(l, R1, 0);
  } else {
    sonde_lower_ldx(l, BPF_DW, R1, FP, kRegisters);
    const bool may_lack = !is_call(column_of(l).kind);  // a thread of the kernel
    const uint32_t none = may_lack ? sonde_lower_branch_imm(l, BPF_JEQ, R1, 0) : 0;
    sonde_lower_ldx(l, BPF_DW, R1, R1, offset);
    if (may_lack) sonde_lower_land(l, none);
  }
  sonde_lower_store(l, in->d, R1);
}

/// Follows real_parent to the idle thread, whose process number is 0.
void lower_progeny(L* l, const In* in, const Row*) {
  const int32_t parent = member(l, "task_struct", "real_parent"), process = member(l, "task_struct", "tgid");
  sonde_lower_load(l, R3, in->a);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kTask);
  sonde_lower_mov_imm(l, R4, SONDE_DIF_ANCESTORS + 1);
  const uint32_t again = l->count;
  sonde_lower_ldx(l, BPF_W, R2, R1, process);
  const uint32_t idle = sonde_lower_branch_imm(l, BPF_JEQ, R2, 0);
  const uint32_t found = sonde_lower_branch(l, BPF_JEQ, R2, R3);
  sonde_lower_ldx(l, BPF_DW, R1, R1, parent);
  sonde_lower_alu_imm(l, BPF_SUB, R4, 1);
  const uint32_t more = sonde_lower_branch_imm(l, BPF_JNE, R4, 0);
  l->out[more].off = static_cast<int16_t>(static_cast<int64_t>(again) - more - 1);
  sonde_lower_land(l, idle);
  sonde_lower_mov_imm(l, R1, 0);
  const uint32_t end = sonde_lower_jump(l);
  sonde_lower_land(l, found);
  sonde_lower_mov_imm(l, R1, 1);
  sonde_lower_land(l, end);
  sonde_lower_store(l, in->d, R1);
}

// ---- arithmetic that BPF defines otherwise ---------------------------------------------------------------------

/// x / 0 is 0 in both, x % 0 is x in BPF.
void divide_unsigned(L* l, const In* in, const Row* row) {
  sonde_lower_load(l, R1, in->a);
  sonde_lower_load(l, R2, in->b);
  if (row->op == BPF_MOD) {
    const uint32_t divides = sonde_lower_branch_imm(l, BPF_JNE, R2, 0);
    sonde_lower_mov_imm(l, R1, 0);
    sonde_lower_land(l, divides);
  }
  sonde_lower_alu(l, row->op, R1, R2);
  sonde_lower_store(l, in->d, R1);
}

void make_positive(L* l, uint8_t reg) {
  const uint32_t positive = sonde_lower_branch_imm(l, BPF_JSGE, reg, 0);
  sonde_lower_alu_imm(l, BPF_NEG, reg, 0);
  sonde_lower_land(l, positive);
}

/// Signed division of BPF is younger than the kernels that we want: divides the magnitudes. INT64_MIN / -1 wraps.
void divide_signed(L* l, const In* in, const Row* row) {
  sonde_lower_load(l, R1, in->a);
  sonde_lower_load(l, R2, in->b);
  sonde_lower_mov(l, R3, R1);  // a remainder has the sign of the dividend, a quotient that of both
  if (row->op == BPF_DIV) sonde_lower_alu(l, BPF_XOR, R3, R2);
  make_positive(l, R1);
  make_positive(l, R2);
  if (row->op == BPF_MOD) {
    const uint32_t divides = sonde_lower_branch_imm(l, BPF_JNE, R2, 0);
    sonde_lower_mov_imm(l, R1, 0);
    sonde_lower_land(l, divides);
  }
  sonde_lower_alu(l, row->op, R1, R2);
  const uint32_t positive = sonde_lower_branch_imm(l, BPF_JSGE, R3, 0);
  sonde_lower_alu_imm(l, BPF_NEG, R1, 0);
  sonde_lower_land(l, positive);
  sonde_lower_store(l, in->d, R1);
}

// ---- memory ----------------------------------------------------------------------------------------------------

/// The read of an argument that is translated; null: it is another instruction.
const PlacedRead* argument_read(L* l) {
  const auto found = column_of(l).arguments.find(column_of(l).at);
  return found == column_of(l).arguments.end() ? nullptr : &found->second;
}

/// R1 = what is there
ReadEnds load_memory(L* l, const In* in) {
  sonde_lower_load(l, R3, in->a);
  sonde_lower_st(l, BPF_DW, FP, kValue, 0);
  sonde_lower_mov(l, R1, FP);
  sonde_lower_alu_imm(l, BPF_ADD, R1, kValue);
  sonde_lower_mov_imm(l, R2, in->i);
  call_helper(l, in->op == SONDE_DIF_LDK ? BPF_FUNC_probe_read_kernel : BPF_FUNC_probe_read_user);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kValue);
  return {.read = {sonde_lower_branch_imm(l, BPF_JEQ, R0, 0)}, .failed = {sonde_lower_jump(l)}};
}

/// R1 = 0, and the fault is pending if no other one is.
void note_fault(L* l, const In* in) {
  sonde_lower_mov_imm(l, R1, 0);
  sonde_lower_ldx(l, BPF_W, R2, BPF_REG_6, kFaulted);
  const uint32_t later = sonde_lower_branch_imm(l, BPF_JNE, R2, 0);
  sonde_lower_st(l, BPF_W, BPF_REG_6, kFaulted, 1);
  sonde_lower_load(l, R3, in->a);
  sonde_lower_stx(l, BPF_DW, BPF_REG_6, R3, kFaultAddress);
  sonde_lower_land(l, later);
}

void land_all(L* l, const std::vector<uint32_t>& branches) {
  for (const uint32_t branch : branches) sonde_lower_land(l, branch);
}

void lower_load(L* l, const In* in, const Row*) {
  const int bits = 64 - 8 * in->i;
  const PlacedRead* argument = argument_read(l);
  const ReadEnds ends =
      argument != nullptr ? load_argument(l, *argument, column_of(l).world.places_offset) : load_memory(l, in);
  if (!ends.failed.empty()) {
    land_all(l, ends.failed);
    note_fault(l, in);
  }
  land_all(l, ends.read);
  if (in->op == SONDE_DIF_LDS) {
    sonde_lower_alu_imm(l, BPF_LSH, R1, bits);
    sonde_lower_alu_imm(l, BPF_ARSH, R1, bits);
  }
  sonde_lower_store(l, in->d, R1);
}

/// R1 = the value to be stored: that of DIF's `number`, or 0 with a fault pending, which it clears.
void take_value(L* l, uint32_t number) {
  sonde_lower_load(l, R1, number);
  if (!fault_possible(l)) return;
  sonde_lower_ldx(l, BPF_W, R2, BPF_REG_6, kFaulted);
  const uint32_t clean = sonde_lower_branch_imm(l, BPF_JEQ, R2, 0);
  sonde_lower_mov_imm(l, R1, 0);
  sonde_lower_st(l, BPF_W, BPF_REG_6, kFaulted, 0);
  sonde_lower_land(l, clean);
}

void lower_load_local(L* l, const In* in, const Row*) {
  sonde_lower_ldx(l, BPF_DW, R1, BPF_REG_6, kLocals + 8 * in->i);
  sonde_lower_store(l, in->d, R1);
}

void lower_store_local(L* l, const In* in, const Row*) {
  take_value(l, in->a);
  sonde_lower_stx(l, BPF_DW, BPF_REG_6, R1, kLocals + 8 * in->i);
}

/// R0 = the thread's variables; 0: it has none, or with `create`: there is no memory for them.
void find_thread_variables(L* l, bool create) {
  sonde_lower_ldx(l, BPF_DW, R0, FP, kThread);
  const uint32_t known = sonde_lower_branch_imm(l, BPF_JNE, R0, 0);
  load_map(l, R1, column_of(l).world.thread_map);
  sonde_lower_ldx(l, BPF_DW, R2, FP, kTask);
  sonde_lower_mov_imm(l, R3, 0);
  sonde_lower_mov_imm(l, R4, create ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
  call_helper(l, BPF_FUNC_task_storage_get);
  sonde_lower_stx(l, BPF_DW, FP, R0, kThread);
  sonde_lower_land(l, known);
}

void lower_load_thread(L* l, const In* in, const Row*) {
  find_thread_variables(l, false);
  sonde_lower_mov_imm(l, R1, 0);
  const uint32_t none = sonde_lower_branch_imm(l, BPF_JEQ, R0, 0);
  sonde_lower_ldx(l, BPF_DW, R1, R0, 8 * in->i);
  sonde_lower_land(l, none);
  sonde_lower_store(l, in->d, R1);
}

void lower_store_thread(L* l, const In* in, const Row*) {
  find_thread_variables(l, true);
  const uint32_t found = sonde_lower_branch_imm(l, BPF_JNE, R0, 0);
  count_lost(l, *column_of(l).world.rings);
  const uint32_t lost = sonde_lower_jump(l);
  sonde_lower_land(l, found);
  take_value(l, in->a);
  sonde_lower_stx(l, BPF_DW, R0, R1, 8 * in->i);
  sonde_lower_land(l, lost);
}

// ---- captures --------------------------------------------------------------------------------------------------

void capture_argument(L* l, const In* in, const PlacedRead& argument) {
  const ReadEnds ends = copy_argument(l, argument, column_of(l).world.places_offset);
  uint32_t failed = 0;
  if (!ends.failed.empty()) {
    land_all(l, ends.failed);
    sonde_lower_load(l, R1, in->a);
    fault_slot(l, in->d, R1);
    if (ends.read.empty()) return;
    failed = sonde_lower_jump(l);
  }
  land_all(l, ends.read);
  sonde_lower_mov_imm(l, R3, static_cast<int32_t>(argument.read.length));
  round_up(l, R3);
  end_span(l, in->d, R3, R0);
  if (!ends.failed.empty()) sonde_lower_land(l, failed);
}

void lower_capture(L* l, const In* in, const Row*) {
  uint32_t clean = 0, taken = 0;
  const bool check = fault_possible(l);
  if (check) {
    sonde_lower_ldx(l, BPF_W, R1, BPF_REG_6, kFaulted);
    clean = sonde_lower_branch_imm(l, BPF_JEQ, R1, 0);
    sonde_lower_st(l, BPF_W, BPF_REG_6, kFaulted, 0);
    sonde_lower_ldx(l, BPF_DW, R1, BPF_REG_6, kFaultAddress);
    fault_slot(l, in->d, R1);
    taken = sonde_lower_jump(l);
    sonde_lower_land(l, clean);
  }
  switch (in->op) {
    case SONDE_DIF_CAPW: {
      const uint8_t a = sonde_lower_source(l, in->a, R1);
      sonde_lower_stx(l, BPF_DW, BPF_REG_7, a, slot_offset(in->d));
      break;
    }
    case SONDE_DIF_CAPSTR:
    case SONDE_DIF_CAPKSTR: capture_text(l, in, false); break;
    case SONDE_DIF_CAPSTRN: capture_text(l, in, true); break;
    case SONDE_DIF_CAPMEM:
    case SONDE_DIF_CAPKMEM: {
      const PlacedRead* argument = argument_read(l);
      argument != nullptr ? capture_argument(l, in, *argument) : capture_memory(l, in);
      break;
    }
    case SONDE_DIF_CAPSTACK: capture_user_stack(l, in); break;
    case SONDE_DIF_CAPKSTACK: capture_kernel_stack(l, in); break;
    default:
      if (sonde_lower_is_execname(in))
        capture_execname(l, in);
      else if (in->op != SONDE_DIF_CAPTEXT)
        column_of(l).lacks = std::string("capture of ") + sonde_dif_op_name(in->op);
      else if (!capture_thread_text(l, in) && !capture_path(l, in))
        column_of(l).lacks = std::string("capture of ") + sonde_dif_text_name(static_cast<uint32_t>(in->i));
  }
  if (check) sonde_lower_land(l, taken);
}

// ---- the ends --------------------------------------------------------------------------------------------------

void lower_record(L* l, const In*, const Row*) {
  column_of(l).may_record = true;
  sonde_lower_jump_to(l, column_of(l).record_end);
}

void check_fault(L* l) {
  if (!fault_possible(l)) return;
  column_of(l).may_fault = true;
  sonde_lower_ldx(l, BPF_W, R1, BPF_REG_6, kFaulted);
  const uint32_t clean = sonde_lower_branch_imm(l, BPF_JEQ, R1, 0);
  sonde_lower_jump_to(l, column_of(l).fault_end);
  sonde_lower_land(l, clean);
}

void lower_fail(L* l, const In*, const Row*) {
  if (fault_possible(l)) {  // who comes from the predicate has no ring, and no fault
    const uint32_t held = sonde_lower_branch_imm(l, BPF_JNE, BPF_REG_6, 0);
    sonde_lower_jump_to(l, l->end);
    sonde_lower_land(l, held);
    check_fault(l);
  }
  sonde_lower_jump_to(l, l->end);
}

void begin(L* l) {
  sonde_lower_ldx(l, BPF_DW, R1, FP, kRow);
  sonde_lower_ldx(l, BPF_W, R1, R1, epid_offset(column_of(l).index));
  const uint32_t enabled = sonde_lower_branch_imm(l, BPF_JNE, R1, 0);
  sonde_lower_jump_to(l, l->end);
  sonde_lower_land(l, enabled);
}

void before(L* l, uint32_t at) {
  column_of(l).at = at;
  if (at == column_of(l).ring_from) begin_record(l);
}

void finish(L* l) { end_record(l); }

void load_name(L* l, uint8_t to, uint32_t word) {
  if (word == 0) sonde_lower_ldx(l, BPF_DW, R1, FP, kTask);
  sonde_lower_ldx(l, BPF_DW, to, R1, member(l, "task_struct", "comm") + static_cast<int32_t>(8 * word));
}

constexpr auto kRows = [] {
  std::array<Row, SONDE_DIF_OP_COUNT> rows{};
  const auto set = [&rows](sonde_dif_op op, decltype(Row::by) by, uint8_t operation = 0) {
    rows[op].by = by;
    rows[op].op = operation;
  };
  set(SONDE_DIF_DIVS, divide_signed, BPF_DIV);
  set(SONDE_DIF_MODS, divide_signed, BPF_MOD);
  set(SONDE_DIF_DIVU, divide_unsigned, BPF_DIV);
  set(SONDE_DIF_MODU, divide_unsigned, BPF_MOD);
  set(SONDE_DIF_VAR, lower_variable);
  set(SONDE_DIF_ARG, lower_argument);
  set(SONDE_DIF_REG, lower_register);
  set(SONDE_DIF_PROGENY, lower_progeny);
  set(SONDE_DIF_LDU, lower_load);
  set(SONDE_DIF_LDS, lower_load);
  set(SONDE_DIF_LDK, lower_load);
  set(SONDE_DIF_LDL, lower_load_local);
  set(SONDE_DIF_STL, lower_store_local);
  set(SONDE_DIF_LDT, lower_load_thread);
  set(SONDE_DIF_STT, lower_store_thread);
  for (const sonde_dif_op op :
       {SONDE_DIF_CAPW, SONDE_DIF_CAPSTR, SONDE_DIF_CAPSTRN, SONDE_DIF_CAPMEM, SONDE_DIF_CAPTEXT, SONDE_DIF_CAPSTACK,
        SONDE_DIF_CAPKSTR, SONDE_DIF_CAPKMEM, SONDE_DIF_CAPKSTACK})
    set(op, lower_capture);
  set(SONDE_DIF_RECORD, lower_record);
  set(SONDE_DIF_FAIL, lower_fail);
  return rows;
}();

const Row* row_of(const In* in) { return kRows[in->op].by != nullptr ? &kRows[in->op] : nullptr; }

constexpr sonde_lower_registers kHomes = {{BPF_REG_8, BPF_REG_9}, R1, R2};
constexpr sonde_lower_target kFireTarget = {.row = row_of,
                                            .begin = begin,
                                            .before = before,
                                            .finish = finish,
                                            .check_fault = check_fault,
                                            .load_name = load_name,
                                            .plain = kHomes,
                                            .calling = kHomes};

bool needs_ring(const In& in) {
  if (sonde_lower_is_capture(in.op) || sonde_lower_is_load(in.op)) return true;
  switch (in.op) {
    case SONDE_DIF_LDL:
    case SONDE_DIF_STL:
    case SONDE_DIF_RECORD: return true;
    case SONDE_DIF_VAR:
      return in.i == SONDE_DIF_VAR_TIMESTAMP || in.i == SONDE_DIF_VAR_CALLER || in.i == SONDE_DIF_VAR_STACKDEPTH;
  }
  return false;
}

/// A load that cannot fail leaves no fault in a ring.
bool is_sure(const PlacedReads& arguments, uint32_t at) {
  const auto found = arguments.find(at);
  return found != arguments.end() && !found->second.may_fault();
}

/// The first instruction that needs a ring, if what comes before leads past it only to a FAIL; else the first.
uint32_t where_ring_begins(const sonde_dif_program& fire, const PlacedReads& arguments) {
  const auto needs_none = [&](uint32_t at) {
    return !needs_ring(fire.insns[at]) || (sonde_lower_is_load(fire.insns[at].op) && is_sure(arguments, at));
  };
  uint32_t first = 0;
  while (first < fire.length && needs_none(first)) first++;
  for (uint32_t at = 0; at < first; at++) {
    const In& in = fire.insns[at];
    if (!sonde_lower_is_branch(in.op)) continue;
    const uint32_t to = at + 1 + static_cast<uint32_t>(in.i);
    if (to > first && fire.insns[to].op != SONDE_DIF_FAIL) return 0;
  }
  return first;
}

constexpr uint32_t kMostPerInsn = 60, kMostPerText = 1000, kMostPerStack = 400, kMostPerSignal = 2, kFrame = 400,
                   kFoldFrame = 1200;

uint32_t count_stacks(const sonde_dif_program& fire) {
  return static_cast<uint32_t>(
      std::count_if(fire.insns, fire.insns + fire.length, [](const In& in) { return in.op == SONDE_DIF_CAPSTACK; }));
}

/// The verifier follows a walk once for each place that the record may have: in the scratch it has one.
bool captures_paths(const sonde_dif_program& fire) {
  return std::any_of(fire.insns, fire.insns + fire.length, is_path);
}

/// The process of a copied stack may end soon.
bool is_urgent(const FirePart& fire) { return fire.urgent || count_stacks(*fire.program) > 0; }

uint32_t locals_of(const sonde_dif_program& fire) {
  uint32_t locals = 0;
  for (uint32_t at = 0; at < fire.length; at++)
    if (fire.insns[at].op == SONDE_DIF_LDL || fire.insns[at].op == SONDE_DIF_STL) locals |= 1u << fire.insns[at].i;
  return locals;
}

/// The bytes of the longest record: fire.record_max counts a stack as one that has been walked.
uint32_t longest_record(const sonde_dif_program& fire, uint32_t stacks) {
  return fire.record_max + stacks * static_cast<uint32_t>(sizeof(sonde_copied_stack) + SONDE_STACK_BYTES);
}

/// Instructions that a fire part may become, at most.
uint32_t most_of(const FirePart& part, const PlacedReads& arguments, bool folds) {
  const sonde_dif_program& fire = *part.program;
  uint32_t most = kFrame + fire.length * kMostPerInsn + (folds ? kFoldFrame : 0);
  most += static_cast<uint32_t>(std::popcount(part.signals)) * kMostPerSignal;
  for (uint32_t at = 0; at < fire.length; at++)
    if (fire.insns[at].op == SONDE_DIF_CAPTEXT && !sonde_lower_is_execname(&fire.insns[at])) most += kMostPerText;
  most += count_stacks(fire) * kMostPerStack;
  for (const auto& [at, read] : arguments) most += read.most_insns();
  return most;
}

}  // namespace

void look_at(std::span<const FirePart> columns, World& world) {
  world.locals = 0;
  world.folds = world.urgent = false;
  for (const FirePart& fire : columns) {
    world.locals |= locals_of(*fire.program);
    world.folds |= fire.fold != nullptr && can_fold(*fire.fold, *fire.program);
    world.urgent |= is_urgent(fire);
  }
}

int32_t member(L* l, std::string_view structure, std::string_view path) {
  auto offset = column_of(l).world.layout->offset(structure, path);
  if (offset) return *offset;
  column_of(l).lacks = offset.error().message();
  return 0;
}

Column::Column(const World& shared, sonde_tap_kind of, uint32_t number, const FirePart& fire)
    : sonde_lowering{},
      world(shared),
      kind(of),
      index(number),
      fold(fire.fold != nullptr && count_stacks(*fire.program) == 0 && can_fold(*fire.fold, *fire.program) ? fire.fold
                                                                                                           : nullptr),
      arguments(place_reads(*fire.program, fire.places)),
      ring_from(where_ring_begins(*fire.program, arguments)),
      copied_stacks(count_stacks(*fire.program)),
      urgent(is_urgent(fire)),
      signals(fire.signals),
      in_scratch(fold != nullptr || captures_paths(*fire.program)),
      record_max(longest_record(*fire.program, copied_stacks)),
      code_(most_of(fire, arguments, fold != nullptr)),
      starts_(fire.program->length) {
  program = fire.program;
  target = &kFireTarget;
  out = code_.data();
  room = static_cast<uint32_t>(code_.size());
  start = starts_.data();
}

Result<void> Column::append_to(std::vector<bpf_insn>& all) {
  if (record_max >= kScratchBytes / 2)
    return Error("a record of " + std::to_string(record_max) +
                     " bytes is too long for this source, which takes less than " + std::to_string(kScratchBytes / 2) +
                     ": capture less, or lower strsize",
                 E2BIG);
  const bool done = sonde_lower(this) == 0;
  if (!lacks.empty()) return Error(lacks + " is not to be had here", EOPNOTSUPP);
  if (!done) return Error("a clause is too long for this source", E2BIG);
  all.insert(all.end(), code_.begin(), code_.begin() + count);
  return {};
}

bool can_read(sonde_dif_variable variable) {
  if (task_variable(variable) != nullptr) return true;
  switch (variable) {
    case SONDE_DIF_VAR_PID:
    case SONDE_DIF_VAR_TID:
    case SONDE_DIF_VAR_CPU:
    case SONDE_DIF_VAR_TIMESTAMP:
    case SONDE_DIF_VAR_VTIMESTAMP:
    case SONDE_DIF_VAR_SYSCALL:
    case SONDE_DIF_VAR_PROBE:
    case SONDE_DIF_VAR_ERRNO:
    case SONDE_DIF_VAR_CURTHREAD:
    case SONDE_DIF_VAR_TTY:
    case SONDE_DIF_VAR_BOUND_CPU:
    case SONDE_DIF_VAR_VPID:
    case SONDE_DIF_VAR_PIDNS:
    case SONDE_DIF_VAR_CALLER:
    case SONDE_DIF_VAR_STACKDEPTH: return true;
    default: return false;
  }
}

}  // namespace sonde::bpf
