// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The kernel walks its own stack. Of the user's it knows frame pointers only, so that is copied for the reader to walk
// (copied_stack.h): piece by piece, none of which crosses a page, because the absent page that ends it is not waited for.
//
// At a tracepoint its own begins with what the tracepoint has called: our program, and the function that runs programs.
// These are left out. They may have been called by __bpf_trace_CLASS(), which some kernels leave by a jump (6.12) and some
// by a call; and if another tracer is at the tracepoint, too, by a function that calls one after the other,
// __traceiter_NAME(). An event of perf says where it is, by the function that makes the event, perf_trace_CLASS(), or by
// the one that has called that. Who traces the machine may change at any time, so a stack that begins in such a function is walked
// again from the next frame on. A sample begins where the CPU was interrupted; the kernel's stack is empty if that was in
// user code. At a function of the kernel it begins with that function.
#include "runtime/bpf/stack_code.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "kmod/shared/copied_stack.h"
#include "runtime/bpf/arch.h"
#include "runtime/bpf/code.h"
#include "runtime/bpf/hooks.h"
#include "runtime/bpf/record_code.h"

namespace sonde::bpf {
namespace {

constexpr int32_t kOwnFrames = 2;  ///< at a raw tracepoint: the program, bpf_trace_runN()
constexpr int32_t kPage = 4096;

/// R2 = where the stack is written to. Uses R1.
using LoadStart = void(L* l);

/// R0 = the bytes of a stack of at most `frames`, without the first ones; negative: there is none.
void walk_behind(L* l, int32_t skipped, int32_t frames, LoadStart load_start) {
  load_start(l);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kContext);
  sonde_lower_mov_imm(l, R3, 8 * frames);
  sonde_lower_mov_imm(l, R4, skipped);
  call_helper(l, BPF_FUNC_get_stack);
}

using Functions = std::vector<KernelLayout::Function>;

/// The functions of the kernel that may stand between a tracepoint and the program, inner ones first.
std::array<Functions, 2> callers(L* l) {
  std::array<Functions, 2> found;
  KernelLayout& layout = *column_of(l).world.layout;
  const auto add = [&](Functions& to, const char* prefix, const char* name) {
    const KernelLayout::Function one = layout.tracepoint_function(std::string(prefix) + name);
    if (one.size != 0) to.push_back(one);
  };
  for (const HookRow& row : kHookRows) {
    if (std::ranges::count(row.kinds, column_of(l).kind) == 0) continue;
    const char* prefix = column_of(l).world.link == TracepointLink::Event ? "perf_trace_" : "__bpf_trace_";
    add(found[0], prefix, row.tracepoint);
    if (row.event_class != nullptr) add(found[0], prefix, row.event_class);
    add(found[1], "__traceiter_", row.tracepoint);
  }
  return found;
}

/// If the stack begins in one of `levels`, leaves that frame out, and then those of the levels behind it.
void leave_out(L* l, std::span<const Functions> levels, int32_t skipped, int32_t frames, LoadStart load_start) {
  if (levels.empty()) return;
  for (const KernelLayout::Function& one : levels.front()) {
    const uint32_t none = sonde_lower_branch_imm(l, BPF_JSLT, R0, 8);
    load_start(l);
    sonde_lower_ldx(l, BPF_DW, R3, R2, 0);
    sonde_lower_constant(l, R4, one.address);
    sonde_lower_alu(l, BPF_SUB, R3, R4);
    const uint32_t other = sonde_lower_branch_imm(l, BPF_JGE, R3, static_cast<int32_t>(one.size));
    walk_behind(l, skipped + 1, frames, load_start);
    leave_out(l, levels.subspan(1), skipped + 1, frames, load_start);
    sonde_lower_land(l, none);
    sonde_lower_land(l, other);
  }
  leave_out(l, levels.subspan(1), skipped, frames, load_start);  // if one was left out above, this finds no other
}

/// The walk begins somewhere behind the function's first instruction, or where it returns to; the function itself comes
/// before that.
void walk_from_function(L* l, int32_t frames, LoadStart load_start) {
  const bool returns = column_of(l).kind == SONDE_TAP_KERNEL_RETURN;
  load_start(l);
  if (returns) sonde_lower_alu_imm(l, BPF_ADD, R2, 8);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kContext);
  sonde_lower_mov_imm(l, R3, 8 * (returns ? std::max(frames - 1, 1) : frames));
  sonde_lower_mov_imm(l, R4, 0);
  call_helper(l, BPF_FUNC_get_stack);
  const uint32_t none = sonde_lower_branch_imm(l, BPF_JSLT, R0, 8);
  if (returns && frames > 1) sonde_lower_alu_imm(l, BPF_ADD, R0, 8);
  sonde_lower_stx(l, BPF_DW, FP, R0, kValue);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kContext);
  call_helper(l, BPF_FUNC_get_func_ip);
  load_start(l);
  sonde_lower_stx(l, BPF_DW, R2, R0, 0);
  sonde_lower_ldx(l, BPF_DW, R0, FP, kValue);
  sonde_lower_land(l, none);
}

/// R0 = the bytes of the kernel's stack, as above.
void walk(L* l, int32_t frames, LoadStart load_start) {
  if (sonde_tap_of_kernel_function(column_of(l).kind) != 0) return walk_from_function(l, frames, load_start);
  const bool sampled = is_sample(column_of(l).kind);
  const bool by_event = column_of(l).world.link == TracepointLink::Event;
  const int32_t own = sampled || by_event ? 0 : kOwnFrames;
  walk_behind(l, own, frames, load_start);
  if (!sampled) leave_out(l, callers(l), own, frames, load_start);
}

/// Begins the span with struct sonde_copied_stack. R3 = the thread's registers.
void copy_registers(L* l, const In* in) {
  load_used(l, R1);
  sonde_lower_stx(l, BPF_W, kRing, R1, kStackSlot);
  sonde_lower_mov(l, R2, R1);
  sonde_lower_alu_imm(l, BPF_ADD, R2, sizeof(sonde_copied_stack));
  sonde_lower_stx(l, BPF_W, kRing, R2, kUsed);
  sonde_lower_alu(l, BPF_ADD, R1, kRecord);
  sonde_lower_st(l, BPF_DW, R1, 0, in->i);  // frames, and at_edge
  sonde_lower_alu_imm(l, BPF_ADD, R1, offsetof(sonde_copied_stack, registers));
  sonde_lower_mov_imm(l, R2, sizeof(pt_regs));
  call_helper(l, BPF_FUNC_probe_read_kernel);
}

/// Where to begin, and how much to copy: the main thread's stack ends where the program's arguments begin.
void find_stack(L* l) {
  sonde_lower_ldx(l, BPF_DW, R1, FP, kRegisters);
  sonde_lower_ldx(l, BPF_DW, R1, R1, kStackPointer);
  sonde_lower_alu_imm(l, BPF_AND, R1, -8);
  sonde_lower_stx(l, BPF_DW, kRing, R1, kStackAt);
  sonde_lower_ldx(l, BPF_DW, R2, FP, kTask);
  sonde_lower_ldx(l, BPF_DW, R2, R2, member(l, "task_struct", "mm"));
  sonde_lower_ldx(l, BPF_DW, R2, R2, member(l, "mm_struct", "start_stack"));
  sonde_lower_alu(l, BPF_SUB, R2, R1);
  sonde_lower_alu_imm(l, BPF_AND, R2, -8);
  const uint32_t near = sonde_lower_branch_imm(l, BPF_JLE, R2, SONDE_STACK_BYTES);
  sonde_lower_mov_imm(l, R2, SONDE_STACK_BYTES);
  sonde_lower_land(l, near);
  sonde_lower_stx(l, BPF_W, kRing, R2, kStackLeft);
}

struct Ends {
  uint32_t none, failed;  ///< branches: nothing is left; the page is absent
};

/// Copies what is wanted of the next page.
Ends copy_piece(L* l) {
  Ends ends{};
  sonde_lower_ldx(l, BPF_DW, R3, kRing, kStackAt);
  sonde_lower_ldx(l, BPF_W, R4, kRing, kStackLeft);
  sonde_lower_mov(l, R5, R3);
  sonde_lower_alu_imm(l, BPF_AND, R5, kPage - 1);
  sonde_lower_mov_imm(l, R2, kPage);
  sonde_lower_alu(l, BPF_SUB, R2, R5);
  const uint32_t whole = sonde_lower_branch(l, BPF_JLE, R2, R4);
  sonde_lower_mov(l, R2, R4);
  sonde_lower_land(l, whole);
  sonde_lower_alu_imm(l, BPF_AND, R2, 2 * kPage - 1);  // for the verifier
  ends.none = sonde_lower_branch_imm(l, BPF_JEQ, R2, 0);
  sonde_lower_stx(l, BPF_W, kRing, R2, kStackPiece);
  load_span_start(l, R1);
  call_helper(l, BPF_FUNC_probe_read_user);
  ends.failed = sonde_lower_branch_imm(l, BPF_JNE, R0, 0);
  sonde_lower_ldx(l, BPF_W, R2, kRing, kStackPiece);
  load_used(l, R1);
  sonde_lower_alu(l, BPF_ADD, R1, R2);
  sonde_lower_stx(l, BPF_W, kRing, R1, kUsed);
  sonde_lower_ldx(l, BPF_DW, R3, kRing, kStackAt);
  sonde_lower_alu(l, BPF_ADD, R3, R2);
  sonde_lower_stx(l, BPF_DW, kRing, R3, kStackAt);
  sonde_lower_ldx(l, BPF_W, R4, kRing, kStackLeft);
  sonde_lower_alu(l, BPF_SUB, R4, R2);
  sonde_lower_stx(l, BPF_W, kRing, R4, kStackLeft);
  return ends;
}

/// The slot is the span of what was copied.
void end_copy(L* l, uint32_t slot) {
  load_used(l, R1);
  sonde_lower_ldx(l, BPF_W, R2, kRing, kStackSlot);
  sonde_lower_alu(l, BPF_SUB, R1, R2);
  sonde_lower_alu_imm(l, BPF_LSH, R2, 32);
  sonde_lower_alu(l, BPF_OR, R2, R1);
  sonde_lower_stx(l, BPF_DW, kRecord, R2, slot_offset(slot));
}

/// R2 = memory behind the longest record, even of one that is put together in the scratch.
void load_scratch(L* l) {
  sonde_lower_ldx(l, BPF_DW, R1, FP, kRingBytes);
  sonde_lower_mov(l, R2, kRing);
  sonde_lower_alu(l, BPF_ADD, R2, R1);
  sonde_lower_alu_imm(l, BPF_ADD, R2, SONDE_RING_DATA + kScratchBytes / 2);
}

}  // namespace

/// A thread of the kernel has no user stack: the slot is absent.
void capture_user_stack(L* l, const In* in) {
  const sonde_tap_kind kind = column_of(l).kind;
  const bool may_lack =
      !is_call(kind) && kind != SONDE_TAP_USER_ENTRY && kind != SONDE_TAP_USER_RETURN && kind != SONDE_TAP_USER_OFFSET;
  sonde_lower_st(l, BPF_DW, kRecord, slot_offset(in->d), 0);
  sonde_lower_ldx(l, BPF_DW, R3, FP, kRegisters);
  const uint32_t none = may_lack ? sonde_lower_branch_imm(l, BPF_JEQ, R3, 0) : 0;
  copy_registers(l, in);
  find_stack(l);
  std::array<Ends, SONDE_STACK_BYTES / kPage + 1> ends;
  for (Ends& one : ends) one = copy_piece(l);
  for (const Ends& one : ends) {
    sonde_lower_land(l, one.none);
    sonde_lower_land(l, one.failed);
  }
  end_copy(l, in->d);
  if (may_lack) sonde_lower_land(l, none);
}

/// A thread without such a stack, as the kernel's own, has an empty one.
void capture_kernel_stack(L* l, const In* in) {
  walk(l, in->i, [](L* to) { load_span_start(to, R2); });
  const uint32_t walked = sonde_lower_branch_imm(l, BPF_JSGE, R0, 0);
  sonde_lower_mov_imm(l, R0, 0);
  sonde_lower_land(l, walked);
  end_span(l, in->d, R0, R0);
}

void load_kernel_caller(L* l) {
  walk(l, 2, load_scratch);
  sonde_lower_mov_imm(l, R1, 0);
  const uint32_t shallow = sonde_lower_branch_imm(l, BPF_JNE, R0, 2 * 8);
  load_scratch(l);
  sonde_lower_ldx(l, BPF_DW, R1, R2, 8);
  sonde_lower_land(l, shallow);
}

void load_kernel_depth(L* l) {
  walk(l, SONDE_DIF_MAX_FRAMES, load_scratch);
  sonde_lower_mov(l, R1, R0);
  const uint32_t walked = sonde_lower_branch_imm(l, BPF_JSGE, R1, 0);
  sonde_lower_mov_imm(l, R1, 0);
  sonde_lower_land(l, walked);
  sonde_lower_alu_imm(l, BPF_RSH, R1, 3);
}

}  // namespace sonde::bpf
