// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Paths
//
//   dentry, mount --> its name --> its parent --> ... --> the root of the mount --> where that is mounted --> ...
//
//   the scratch of the ring, second half:      [                    /usr/share/doc]
//                                                                   ^ grows to the left, 4096 bytes
//
// The kernel's own helper for this, bpf_d_path(), is not for programs at tracepoints. We walk up to the root of the mount
// namespace, as a reader of /proc/PID/cwd outside of any chroot sees the path. Nothing holds the file system still, so a
// directory that is renamed meanwhile may show in part by its old name and in part by its new one.
//
// All is read by a helper and kept as numbers: a pointer to a struct mount has no type that the verifier would know.
// The walk is laid out kSteps times, because kernels of the age that we support have no loops for programs.
#include "runtime/bpf/path_code.h"

#include <cerrno>
#include <vector>

#include "runtime/bpf/record_code.h"

namespace sonde::bpf {
namespace {

using L = sonde_lowering;
using In = sonde_dif_insn;

constexpr uint8_t R0 = BPF_REG_0, R1 = BPF_REG_1, R2 = BPF_REG_2, R3 = BPF_REG_3, R4 = BPF_REG_4, kRing = BPF_REG_6,
                  FP = BPF_REG_10;

constexpr int32_t kSteps = 32;  ///< names and mounts of a path
constexpr int32_t kPathBytes = 4096, kLongestName = 255;
constexpr int32_t kPathPlace = SONDE_RING_DATA + kScratchBytes / 2;  ///< of the text, behind the ring's data
constexpr char kDeleted[] = " (deleted)";

// Of kBuffer.
constexpr int16_t kDentry = kBuffer, kMount = kBuffer + 8, kRead = kBuffer + 16;

/// Reads `bytes` of kernel memory at the address that is kept at `base`, and `offset`, to the stack.
void read_to_stack(L* l, int16_t to, int16_t base, int32_t offset, int32_t bytes) {
  sonde_lower_ldx(l, BPF_DW, R3, FP, base);
  sonde_lower_alu_imm(l, BPF_ADD, R3, offset);
  sonde_lower_mov_imm(l, R2, bytes);
  sonde_lower_mov(l, R1, FP);
  sonde_lower_alu_imm(l, BPF_ADD, R1, to);
  call_helper(l, BPF_FUNC_probe_read_kernel);
}

/// `to` = where the text begins; `at`: how far in it, a number below kPathBytes.
void load_text_place(L* l, uint8_t to, uint8_t at) {
  sonde_lower_alu_imm(l, BPF_AND, at, kPathBytes - 1);
  sonde_lower_mov(l, to, kRing);
  sonde_lower_ldx(l, BPF_DW, R2, FP, kRingBytes);
  sonde_lower_alu(l, BPF_ADD, to, R2);
  sonde_lower_alu_imm(l, BPF_ADD, to, kPathPlace);
  sonde_lower_alu(l, BPF_ADD, to, at);
}

/// Puts the name that was read before the text. A branch to where there is no room.
uint32_t put_name(L* l) {
  sonde_lower_ldx(l, BPF_W, R4, FP, kRead + 12);  // its length
  sonde_lower_alu_imm(l, BPF_AND, R4, kLongestName);
  sonde_lower_ldx(l, BPF_DW, R3, kRing, kLength);
  sonde_lower_alu(l, BPF_SUB, R3, R4);
  sonde_lower_alu_imm(l, BPF_SUB, R3, 1);
  const uint32_t too_long = sonde_lower_branch_imm(l, BPF_JSLT, R3, 0);
  sonde_lower_stx(l, BPF_DW, kRing, R3, kLength);
  load_text_place(l, R1, R3);
  sonde_lower_st(l, BPF_B, R1, 0, '/');
  sonde_lower_alu_imm(l, BPF_ADD, R1, 1);
  sonde_lower_mov(l, R2, R4);
  sonde_lower_ldx(l, BPF_DW, R3, FP, kRead + 16);
  call_helper(l, BPF_FUNC_probe_read_kernel);
  return too_long;
}

struct Ends {
  std::vector<uint32_t> top, failed;  ///< branches
};

/// From a directory to the one above it.
void step_up(L* l, Ends& ends) {
  read_to_stack(l, kRead, kMount, member(l, "mount", "mnt.mnt_root"), 8);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kRead);
  sonde_lower_ldx(l, BPF_DW, R2, FP, kDentry);
  const uint32_t inside = sonde_lower_branch(l, BPF_JNE, R1, R2);
  read_to_stack(l, kRead, kMount, member(l, "mount", "mnt_parent"), 8);
  read_to_stack(l, kDentry, kMount, member(l, "mount", "mnt_mountpoint"), 8);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kRead);
  sonde_lower_ldx(l, BPF_DW, R2, FP, kMount);
  ends.top.push_back(sonde_lower_branch(l, BPF_JEQ, R1, R2));
  sonde_lower_stx(l, BPF_DW, FP, R1, kMount);
  const uint32_t crossed = sonde_lower_jump(l);
  sonde_lower_land(l, inside);
  read_to_stack(l, kRead, kDentry, member(l, "dentry", "d_parent"), 24);  // and d_name: its length, its address
  sonde_lower_ldx(l, BPF_DW, R1, FP, kRead);
  sonde_lower_ldx(l, BPF_DW, R2, FP, kDentry);
  ends.top.push_back(sonde_lower_branch(l, BPF_JEQ, R1, R2));
  sonde_lower_stx(l, BPF_DW, FP, R1, kDentry);
  ends.failed.push_back(put_name(l));
  sonde_lower_land(l, crossed);
}

/// The text begins, from its end: nothing, or that the file has been deleted.
void begin_text(L* l) {
  const auto bytes = static_cast<int32_t>(sizeof kDeleted - 1);
  sonde_lower_st(l, BPF_DW, kRing, kLength, kPathBytes);
  read_to_stack(l, kRead, kDentry, member(l, "dentry", "d_hash.pprev"), 8);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kRead);
  const uint32_t hashed = sonde_lower_branch_imm(l, BPF_JNE, R1, 0);
  read_to_stack(l, kRead, kDentry, member(l, "dentry", "d_parent"), 8);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kRead);
  sonde_lower_ldx(l, BPF_DW, R2, FP, kDentry);
  const uint32_t root = sonde_lower_branch(l, BPF_JEQ, R1, R2);
  sonde_lower_st(l, BPF_DW, kRing, kLength, kPathBytes - bytes);
  sonde_lower_mov_imm(l, R3, kPathBytes - bytes);
  load_text_place(l, R1, R3);
  for (int32_t n = 0; n < bytes; n++) sonde_lower_st(l, BPF_B, R1, n, kDeleted[n]);
  sonde_lower_land(l, hashed);
  sonde_lower_land(l, root);
}

/// Copies the text into the record. The root itself has no name.
void end_text(L* l, const In* in) {
  sonde_lower_ldx(l, BPF_DW, R3, kRing, kLength);
  const uint32_t named = sonde_lower_branch_imm(l, BPF_JNE, R3, kPathBytes);
  sonde_lower_mov_imm(l, R3, kPathBytes - 1);
  sonde_lower_stx(l, BPF_DW, kRing, R3, kLength);
  load_text_place(l, R1, R3);
  sonde_lower_st(l, BPF_B, R1, 0, '/');
  sonde_lower_land(l, named);
  sonde_lower_ldx(l, BPF_DW, R4, kRing, kLength);
  load_text_place(l, R3, R4);
  sonde_lower_mov_imm(l, R2, kPathBytes);
  sonde_lower_alu(l, BPF_SUB, R2, R4);  // its length: 1 to 4096
  const uint32_t fits = sonde_lower_branch_imm(l, BPF_JLT, R2, kPathBytes);
  sonde_lower_mov_imm(l, R2, kPathBytes - 1);
  sonde_lower_land(l, fits);
  sonde_lower_stx(l, BPF_DW, FP, R2, kValue);
  load_span_start(l, R1);
  call_helper(l, BPF_FUNC_probe_read_kernel);
  load_span_start(l, R1);
  sonde_lower_ldx(l, BPF_DW, R3, FP, kValue);
  sonde_lower_alu_imm(l, BPF_AND, R3, kPathBytes - 1);
  sonde_lower_alu(l, BPF_ADD, R1, R3);
  sonde_lower_st(l, BPF_B, R1, 0, 0);
  sonde_lower_mov(l, R0, R3);
  sonde_lower_alu_imm(l, BPF_ADD, R0, 1);
  round_up(l, R0);
  end_span(l, in->d, R3, R0);
}

/// kDentry and kMount = of the struct path at the address in kValue.
void read_path(L* l, int32_t offset) {
  read_to_stack(l, kDentry, kValue, offset + member(l, "path", "dentry"), 8);
  read_to_stack(l, kMount, kValue, offset + member(l, "path", "mnt"), 8);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kMount);
  sonde_lower_alu_imm(l, BPF_SUB, R1, member(l, "mount", "mnt"));
  sonde_lower_stx(l, BPF_DW, FP, R1, kMount);
}

void capture(L* l, const In* in, int32_t path_offset) {
  Ends ends;
  ends.failed.push_back(sonde_lower_branch_imm(l, BPF_JEQ, R1, 0));
  read_path(l, path_offset);
  begin_text(l);
  for (int32_t step = 0; step < kSteps; step++) step_up(l, ends);
  const uint32_t too_deep = sonde_lower_jump(l);
  for (const uint32_t one : ends.top) sonde_lower_land(l, one);
  end_text(l, in);
  const uint32_t done = sonde_lower_jump(l);
  sonde_lower_land(l, too_deep);
  for (const uint32_t one : ends.failed) sonde_lower_land(l, one);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kValue);
  fault_slot(l, in->d, R1);
  sonde_lower_land(l, done);
}

/// R1 and kValue = a pointer that the thread's task_struct has.
void find(L* l, std::string_view pointer) {
  sonde_lower_ldx(l, BPF_DW, R1, FP, kTask);
  sonde_lower_ldx(l, BPF_DW, R1, R1, member(l, "task_struct", pointer));
  sonde_lower_stx(l, BPF_DW, FP, R1, kValue);
}

}  // namespace

bool capture_path(L* l, const In* in) {
  switch (in->i) {
    case SONDE_DIF_TEXT_CWD:
      find(l, "fs");
      capture(l, in, member(l, "fs_struct", "pwd"));
      return true;
    case SONDE_DIF_TEXT_ROOT:
      find(l, "fs");
      capture(l, in, member(l, "fs_struct", "root"));
      return true;
    default: return false;
  }
}

}  // namespace sonde::bpf
