// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/family.h"

#include <vector>

#include "kmod/shared/lower.h"
#include "runtime/bpf/bpf_call.h"
#include "runtime/bpf/code.h"
#include "runtime/bpf/record_code.h"

namespace sonde::bpf {
namespace {

constexpr uint8_t kContextRegister = R6, kProcess = R7, kOrigin = R8;
constexpr int16_t kMember = -8, kOriginAt = -16;

/// R7 = the running process.
void find_self(sonde_lowering* l) {
  sonde_lower_mov(l, kContextRegister, R1);
  call_helper(l, BPF_FUNC_get_current_pid_tgid);
  sonde_lower_mov(l, kProcess, R0);
  sonde_lower_alu_imm(l, BPF_RSH, kProcess, 32);
}

void pass_key(sonde_lowering* l, int map) {
  load_map(l, R1, map);
  sonde_lower_mov(l, R2, FP);
  sonde_lower_alu_imm(l, BPF_ADD, R2, kMember);
}

/// R8 = the origin of the running process; leaves if it is no member.
void find_origin(sonde_lowering* l, int map) {
  sonde_lower_stx(l, BPF_DW, FP, kProcess, kMember);
  pass_key(l, map);
  call_helper(l, BPF_FUNC_map_lookup_elem);
  const uint32_t member = sonde_lower_branch_imm(l, BPF_JNE, R0, 0);
  leave(l);
  sonde_lower_land(l, member);
  sonde_lower_ldx(l, BPF_W, kOrigin, R0, 0);
}

/// The member whose number is in the frame has the origin in R8.
void store_origin(sonde_lowering* l, int map) {
  sonde_lower_stx(l, BPF_DW, FP, kOrigin, kOriginAt);
  pass_key(l, map);
  sonde_lower_mov(l, R3, FP);
  sonde_lower_alu_imm(l, BPF_ADD, R3, kOriginAt);
  sonde_lower_mov_imm(l, R4, BPF_ANY);
  call_helper(l, BPF_FUNC_map_update_elem);
}

void on_fork(sonde_lowering* l, int map, int32_t tgid) {
  find_self(l);
  find_origin(l, map);
  sonde_lower_st(l, BPF_DW, FP, kMember, 0);
  sonde_lower_mov(l, R1, FP);
  sonde_lower_alu_imm(l, BPF_ADD, R1, kMember);
  sonde_lower_mov_imm(l, R2, sizeof(uint32_t));
  sonde_lower_ldx(l, BPF_DW, R3, kContextRegister, sizeof(uint64_t));  // the child
  sonde_lower_alu_imm(l, BPF_ADD, R3, tgid);
  call_helper(l, BPF_FUNC_probe_read_kernel);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kMember);
  const uint32_t other = sonde_lower_branch(l, BPF_JNE, R1, kProcess);
  leave(l);  // a thread
  sonde_lower_land(l, other);
  store_origin(l, map);
  leave(l);
}

void on_exec(sonde_lowering* l, int map, int32_t) {
  find_self(l);
  find_origin(l, map);
  const uint32_t descends = sonde_lower_branch(l, BPF_JNE, kOrigin, kProcess);
  leave(l);
  sonde_lower_land(l, descends);
  sonde_lower_mov_imm(l, kOrigin, 0);
  store_origin(l, map);
  leave(l);
}

/// `signal` and `live` are members of task_struct and signal_struct.
void on_exit(sonde_lowering* l, int map, int32_t signal, int32_t live) {
  find_self(l);
  sonde_lower_stx(l, BPF_DW, FP, kProcess, kMember);
  call_helper(l, BPF_FUNC_get_current_task_btf);
  sonde_lower_ldx(l, BPF_DW, R1, R0, signal);
  sonde_lower_ldx(l, BPF_W, R1, R1, live);
  const uint32_t last = sonde_lower_branch_imm(l, BPF_JEQ, R1, 0);
  leave(l);
  sonde_lower_land(l, last);
  pass_key(l, map);
  call_helper(l, BPF_FUNC_map_delete_elem);
  leave(l);
}

Result<void> attach(const Code& code, const char* name, const char* tracepoint, UniqueFd& program, UniqueFd& link) {
  auto loaded = load_program(name, instructions(code));
  if (!loaded) return std::move(loaded).error();
  auto attached = attach_raw_tracepoint(tracepoint, loaded->get());
  if (!attached) return std::move(attached).error();
  program = std::move(*loaded);
  link = std::move(*attached);
  return {};
}

}  // namespace

Result<Family> Family::begin(KernelLayout& layout) {
  auto tgid = layout.offset("task_struct", "tgid");
  if (!tgid) return std::move(tgid).error();
  auto signal = layout.offset("task_struct", "signal");
  if (!signal) return std::move(signal).error();
  auto live = layout.offset("signal_struct", "live");
  if (!live) return std::move(live).error();
  auto map = create_map("family", {BPF_MAP_TYPE_HASH, sizeof(uint64_t), sizeof(uint32_t), kMostMembers, 0});
  if (!map) return std::move(map).error();
  Family family;
  Code fork, exec, exit;
  on_fork(&fork, map->get(), *tgid);
  on_exec(&exec, map->get(), *tgid);
  on_exit(&exit, map->get(), *signal, *live);
  family.map_ = std::move(*map);
  if (auto done = attach(exit, "gone", "sched_process_exit", family.programs_[0], family.links_[0]); !done)
    return std::move(done).error();
  if (auto done = attach(exec, "changed", "sched_process_exec", family.programs_[1], family.links_[1]); !done)
    return std::move(done).error();
  if (auto done = attach(fork, "child", "sched_process_fork", family.programs_[2], family.links_[2]); !done)
    return std::move(done).error();
  return family;
}

Result<void> Family::add(uint32_t pid) {
  const uint64_t key = pid;
  return update_map(map_.get(), &key, &pid);
}

void Family::remove(uint32_t pid) {
  const uint64_t key = pid;
  delete_from_map(map_.get(), &key);
}

bool Family::empty() const { return is_empty_map(map_.get()); }

}  // namespace sonde::bpf
