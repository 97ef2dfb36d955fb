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
// The verifier follows the walk kSteps times: it knows the number of steps that are left, which is on the stack.
//
// A descriptor is files->fdt->fd[n] of its thread. What has no place among files has a name of its kind, as d_path() makes
// it: "pipe:[7]", "anon_inode:[eventfd]".
#include "runtime/bpf/path_code.h"

#include <fcntl.h>
#include <linux/magic.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <vector>

#include "runtime/bpf/code.h"
#include "runtime/bpf/record_code.h"

namespace sonde::bpf {
namespace {

constexpr int32_t kSteps = 32;  ///< names and mounts of a path
constexpr int32_t kPathBytes = 4096, kLongestName = 255;
constexpr int32_t kPathPlace = SONDE_RING_DATA + kScratchBytes / 2;  ///< of the text, behind the ring's data
constexpr std::string_view kDeleted = " (deleted)";

// Of kBuffer.
constexpr int16_t kDentry = kBuffer, kMount = kBuffer + 8, kRead = kBuffer + 16, kOther = kBuffer + 40;

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

/// The text begins, from its end.
void begin_text(L* l) { sonde_lower_st(l, BPF_DW, kRing, kLength, kPathBytes); }

/// Puts so many bytes before the text: R1 = where.
void make_room(L* l, int32_t bytes) {
  sonde_lower_ldx(l, BPF_DW, R3, kRing, kLength);
  sonde_lower_alu_imm(l, BPF_SUB, R3, bytes);
  sonde_lower_stx(l, BPF_DW, kRing, R3, kLength);
  load_text_place(l, R1, R3);
}

void put(L* l, std::string_view text) {
  make_room(l, static_cast<int32_t>(text.size()));
  for (size_t n = 0; n < text.size(); n++) sonde_lower_st(l, BPF_B, R1, static_cast<int32_t>(n), text[n]);
}

/// What `step` lays out, so many times: kOther is how many are left. The verifier follows each of them.
template <typename Step>
void repeat(L* l, int32_t times, Step&& step) {
  sonde_lower_st(l, BPF_DW, FP, kOther, times);
  const uint32_t first = l->count;
  step();
  sonde_lower_ldx(l, BPF_DW, R1, FP, kOther);
  sonde_lower_alu_imm(l, BPF_SUB, R1, 1);
  sonde_lower_stx(l, BPF_DW, FP, R1, kOther);
  const uint32_t again = sonde_lower_branch_imm(l, BPF_JNE, R1, 0);
  if (again < l->room) l->out[again].off = static_cast<int16_t>(first - again - 1);
}

/// Puts the number that is kept in kRead before the text, in decimal.
void put_number(L* l) {
  constexpr int32_t kMostDigits = 20;
  uint32_t done = 0;
  repeat(l, kMostDigits, [&] {
    make_room(l, 1);
    sonde_lower_ldx(l, BPF_DW, R4, FP, kRead);
    sonde_lower_mov(l, R5, R4);
    sonde_lower_alu_imm(l, BPF_MOD, R5, 10);
    sonde_lower_alu_imm(l, BPF_ADD, R5, '0');
    sonde_lower_stx(l, BPF_B, R1, R5, 0);
    sonde_lower_alu_imm(l, BPF_DIV, R4, 10);
    sonde_lower_stx(l, BPF_DW, FP, R4, kRead);
    done = sonde_lower_branch_imm(l, BPF_JEQ, R4, 0);
  });
  sonde_lower_land(l, done);
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

struct WalkEnds {
  std::vector<uint32_t> top, failed;  ///< branches
};

/// From a directory to the one above it.
void step_up(L* l, WalkEnds& ends) {
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
void begin_path(L* l) {
  begin_text(l);
  read_to_stack(l, kRead, kDentry, member(l, "dentry", "d_hash.pprev"), 8);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kRead);
  const uint32_t hashed = sonde_lower_branch_imm(l, BPF_JNE, R1, 0);
  read_to_stack(l, kRead, kDentry, member(l, "dentry", "d_parent"), 8);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kRead);
  sonde_lower_ldx(l, BPF_DW, R2, FP, kDentry);
  const uint32_t root = sonde_lower_branch(l, BPF_JEQ, R1, R2);
  put(l, kDeleted);
  sonde_lower_land(l, hashed);
  sonde_lower_land(l, root);
}

/// The root itself has no name.
void name_root(L* l) {
  sonde_lower_ldx(l, BPF_DW, R3, kRing, kLength);
  const uint32_t named = sonde_lower_branch_imm(l, BPF_JNE, R3, kPathBytes);
  put(l, "/");
  sonde_lower_land(l, named);
}

/// Copies the text, which is not empty, into the record, up to what the slot has room for.
void copy_text(L* l, const In* in) {
  const auto most = std::min(kPathBytes, static_cast<int32_t>(sonde_dif_text_max(static_cast<uint32_t>(in->i))));
  sonde_lower_ldx(l, BPF_DW, R4, kRing, kLength);
  load_text_place(l, R3, R4);
  sonde_lower_mov_imm(l, R2, kPathBytes);
  sonde_lower_alu(l, BPF_SUB, R2, R4);  // its length: 1 to 4096
  const uint32_t fits = sonde_lower_branch_imm(l, BPF_JLT, R2, most);
  sonde_lower_mov_imm(l, R2, most - 1);
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

/// The slot is an empty text.
void put_nothing(L* l, const In* in) {
  load_span_start(l, R1);
  sonde_lower_st(l, BPF_B, R1, 0, 0);
  sonde_lower_mov_imm(l, R3, 0);
  sonde_lower_mov_imm(l, R0, 8);
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

/// The text = the path of kDentry and kMount, behind what the text has. Branches to where that failed.
std::vector<uint32_t> walk_up(L* l) {
  WalkEnds ends;
  repeat(l, kSteps, [&] { step_up(l, ends); });
  ends.failed.push_back(sonde_lower_jump(l));
  for (const uint32_t one : ends.top) sonde_lower_land(l, one);
  name_root(l);
  return ends.failed;
}

void fail(L* l, const In* in, const std::vector<uint32_t>& failed) {
  if (failed.empty()) return;
  const uint32_t done = sonde_lower_jump(l);
  for (const uint32_t one : failed) sonde_lower_land(l, one);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kValue);
  fault_slot(l, in->d, R1);
  sonde_lower_land(l, done);
}

/// The path at an offset of the structure whose address is in R1 and kValue; 0: there is none.
void capture(L* l, const In* in, int32_t path_offset) {
  const uint32_t none = sonde_lower_branch_imm(l, BPF_JEQ, R1, 0);
  read_path(l, path_offset);
  begin_path(l);
  std::vector<uint32_t> failed = walk_up(l);
  copy_text(l, in);
  failed.push_back(none);
  fail(l, in, failed);
}

/// R1 and kValue = a pointer that the thread's task_struct has.
void find_pointer(L* l, std::string_view pointer) {
  sonde_lower_ldx(l, BPF_DW, R1, FP, kTask);
  sonde_lower_ldx(l, BPF_DW, R1, R1, member(l, "task_struct", pointer));
  sonde_lower_stx(l, BPF_DW, FP, R1, kValue);
}

void find_program(L* l) {
  find_pointer(l, "mm");
  const uint32_t none = sonde_lower_branch_imm(l, BPF_JEQ, R1, 0);
  sonde_lower_ldx(l, BPF_DW, R1, R1, member(l, "mm_struct", "exe_file"));
  sonde_lower_stx(l, BPF_DW, FP, R1, kValue);
  sonde_lower_land(l, none);
}

// ---- descriptors -------------------------------------------------------------------------------------------------

/// kDentry = the descriptor of the operand a, kMount = the thread's table of them, R1 and kValue = its struct file; 0: it is
/// not open.
void find_file(L* l, const In* in) {
  sonde_lower_load(l, R1, in->a);
  sonde_lower_alu_imm(l, BPF_LSH, R1, 32);
  sonde_lower_alu_imm(l, BPF_RSH, R1, 32);
  sonde_lower_stx(l, BPF_DW, FP, R1, kDentry);
  find_pointer(l, "files");
  const uint32_t no_table = sonde_lower_branch_imm(l, BPF_JEQ, R1, 0);
  read_to_stack(l, kMount, kValue, member(l, "files_struct", "fdt"), 8);
  sonde_lower_st(l, BPF_DW, FP, kValue, 0);
  read_to_stack(l, kRead, kMount, member(l, "fdtable", "max_fds"), 4);
  sonde_lower_ldx(l, BPF_W, R1, FP, kRead);
  sonde_lower_ldx(l, BPF_DW, R2, FP, kDentry);
  const uint32_t too_high = sonde_lower_branch(l, BPF_JGE, R2, R1);
  read_to_stack(l, kRead, kMount, member(l, "fdtable", "fd"), 8);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kRead);
  sonde_lower_ldx(l, BPF_DW, R2, FP, kDentry);
  sonde_lower_alu_imm(l, BPF_LSH, R2, 3);
  sonde_lower_alu(l, BPF_ADD, R1, R2);
  sonde_lower_stx(l, BPF_DW, FP, R1, kRead);
  read_to_stack(l, kValue, kRead, 0, 8);
  sonde_lower_land(l, too_high);
  sonde_lower_land(l, no_table);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kValue);
}

/// kRead = the number of the inode that kDentry names.
void read_inode_number(L* l) {
  read_to_stack(l, kRead, kDentry, member(l, "dentry", "d_inode"), 8);
  read_to_stack(l, kRead, kRead, member(l, "inode", "i_ino"), 8);
}

/// The text = ":[number]".
void put_inode(L* l) {
  read_inode_number(l);
  put(l, "]");
  put_number(l);
  put(l, ":[");
}

/// As put_name(), without the slash.
uint32_t put_plain_name(L* l) {
  const uint32_t too_long = put_name(l);
  sonde_lower_ldx(l, BPF_DW, R3, kRing, kLength);
  sonde_lower_alu_imm(l, BPF_ADD, R3, 1);
  sonde_lower_stx(l, BPF_DW, kRing, R3, kLength);
  return too_long;
}

/// Puts the kind of the name space that kDentry is before the text.
uint32_t put_name_space(L* l) {
  constexpr int32_t kLongest = 20;
  read_to_stack(l, kRead, kDentry, member(l, "dentry", "d_inode"), 8);
  read_to_stack(l, kRead, kRead, member(l, "inode", "i_private"), 8);
  read_to_stack(l, kRead, kRead, member(l, "ns_common", "ops"), 8);
  read_to_stack(l, kOther, kRead, member(l, "proc_ns_operations", "name"), 8);
  sonde_lower_mov(l, R1, FP);
  sonde_lower_alu_imm(l, BPF_ADD, R1, kRead);
  sonde_lower_mov_imm(l, R2, kLongest);
  sonde_lower_ldx(l, BPF_DW, R3, FP, kOther);
  call_helper(l, BPF_FUNC_probe_read_kernel_str);  // the length with its NUL
  sonde_lower_alu_imm(l, BPF_SUB, R0, 1);
  sonde_lower_stx(l, BPF_W, FP, R0, kRead + 12);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kOther);
  sonde_lower_stx(l, BPF_DW, FP, R1, kRead + 16);
  return put_plain_name(l);
}

constexpr int32_t kPidFs = 0x50494446;  // PID_FS_MAGIC, which is younger than some headers

/// If what kDentry names has no place among files, the text is a name for it, and a branch is taken. The other branches
/// are taken where that fails.
uint32_t name_placeless(L* l, std::vector<uint32_t>& failed) {
  std::vector<uint32_t> done, placed;
  read_to_stack(l, kRead, kDentry, member(l, "dentry", "d_op"), 8);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kRead);
  placed.push_back(sonde_lower_branch_imm(l, BPF_JEQ, R1, 0));
  read_to_stack(l, kRead, kRead, member(l, "dentry_operations", "d_dname"), 8);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kRead);
  placed.push_back(sonde_lower_branch_imm(l, BPF_JEQ, R1, 0));
  read_to_stack(l, kOther, kDentry, member(l, "dentry", "d_sb"), 8);
  read_to_stack(l, kOther, kOther, member(l, "super_block", "s_magic"), 8);
  begin_text(l);
  const auto when = [&](int32_t magic, auto&& put_text) {
    sonde_lower_ldx(l, BPF_DW, R1, FP, kOther);
    const uint32_t another = sonde_lower_branch_imm(l, BPF_JNE, R1, magic);
    put_text();
    done.push_back(sonde_lower_jump(l));
    sonde_lower_land(l, another);
  };
  when(PIPEFS_MAGIC, [l] { put_inode(l), put(l, "pipe"); });
  when(SOCKFS_MAGIC, [l] { put_inode(l), put(l, "socket"); });
  when(kPidFs, [l] { put(l, "anon_inode:[pidfd]"); });
  when(NSFS_MAGIC, [&] { put_inode(l), failed.push_back(put_name_space(l)); });
  when(ANON_INODE_FS_MAGIC, [&] {
    read_to_stack(l, kRead, kDentry, member(l, "dentry", "d_parent"), 24);
    failed.push_back(put_plain_name(l));
    put(l, "anon_inode:");
  });
  put(l, kDeleted);
  read_to_stack(l, kRead, kDentry, member(l, "dentry", "d_parent"), 24);
  failed.push_back(put_name(l));
  for (const uint32_t one : done) sonde_lower_land(l, one);
  const uint32_t named = sonde_lower_jump(l);
  for (const uint32_t one : placed) sonde_lower_land(l, one);
  return named;
}

void capture_descriptor_path(L* l, const In* in) {
  find_file(l, in);
  const uint32_t open = sonde_lower_branch_imm(l, BPF_JNE, R1, 0);
  begin_text(l);
  put(l, "<none>");
  const uint32_t none = sonde_lower_jump(l);
  sonde_lower_land(l, open);
  read_path(l, member(l, "file", "f_path"));
  std::vector<uint32_t> failed;
  const uint32_t named = name_placeless(l, failed);
  begin_path(l);
  const std::vector<uint32_t> lost = walk_up(l);
  failed.insert(failed.end(), lost.begin(), lost.end());
  sonde_lower_land(l, none);
  sonde_lower_land(l, named);
  copy_text(l, in);
  fail(l, in, failed);
}

/// A slot that is empty if the descriptor is not open, or `put_text` says so: it makes the text, and returns branches to where
/// it is empty, and to where it failed.
struct Lacks {
  std::vector<uint32_t> nothing, failed;
};

template <typename PutText>
void capture_of_file(L* l, const In* in, PutText&& put_text) {
  find_file(l, in);
  const uint32_t closed = sonde_lower_branch_imm(l, BPF_JEQ, R1, 0);
  Lacks lacks = put_text();
  copy_text(l, in);
  const uint32_t done = sonde_lower_jump(l);
  sonde_lower_land(l, closed);
  for (const uint32_t one : lacks.nothing) sonde_lower_land(l, one);
  put_nothing(l, in);
  sonde_lower_land(l, done);
  fail(l, in, lacks.failed);
}

/// Where its file system is mounted. A mount that no namespace has is in no place.
Lacks put_mount_point(L* l) {
  Lacks lacks;
  read_path(l, member(l, "file", "f_path"));
  read_to_stack(l, kRead, kMount, member(l, "mount", "mnt_ns"), 8);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kRead);
  lacks.nothing.push_back(sonde_lower_branch_imm(l, BPF_JEQ, R1, 0));
  lacks.nothing.push_back(sonde_lower_branch_imm(l, BPF_JGE, R1, -4095));  // an error in its place
  read_to_stack(l, kDentry, kMount, member(l, "mount", "mnt.mnt_root"), 8);
  begin_text(l);
  lacks.failed = walk_up(l);
  return lacks;
}

Lacks put_position(L* l) {
  begin_text(l);
  read_to_stack(l, kRead, kValue, member(l, "file", "f_pos"), 8);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kRead);
  sonde_lower_stx(l, BPF_DW, FP, R1, kDentry);
  const uint32_t positive = sonde_lower_branch_imm(l, BPF_JSGE, R1, 0);
  sonde_lower_alu_imm(l, BPF_NEG, R1, 0);
  sonde_lower_stx(l, BPF_DW, FP, R1, kRead);
  sonde_lower_land(l, positive);
  put_number(l);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kDentry);
  const uint32_t unsigned_ = sonde_lower_branch_imm(l, BPF_JSGE, R1, 0);
  put(l, "-");
  sonde_lower_land(l, unsigned_);
  return {};
}

/// As /proc/PID/fdinfo has them: whether it is closed by exec is said by the thread's table, not by the file.
Lacks put_flags(L* l) {
  begin_text(l);
  read_to_stack(l, kRead, kMount, member(l, "fdtable", "close_on_exec"), 8);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kRead);
  sonde_lower_ldx(l, BPF_DW, R2, FP, kDentry);
  sonde_lower_alu_imm(l, BPF_RSH, R2, 6);
  sonde_lower_alu_imm(l, BPF_LSH, R2, 3);
  sonde_lower_alu(l, BPF_ADD, R1, R2);
  sonde_lower_stx(l, BPF_DW, FP, R1, kRead);
  read_to_stack(l, kOther, kRead, 0, 8);
  sonde_lower_st(l, BPF_DW, FP, kRead, 0);
  read_to_stack(l, kRead, kValue, member(l, "file", "f_flags"), 4);
  sonde_lower_ldx(l, BPF_DW, R1, FP, kRead);
  sonde_lower_alu_imm(l, BPF_AND, R1, ~O_CLOEXEC);
  sonde_lower_ldx(l, BPF_DW, R2, FP, kOther);
  sonde_lower_ldx(l, BPF_DW, R3, FP, kDentry);
  sonde_lower_alu_imm(l, BPF_AND, R3, 63);
  sonde_lower_alu(l, BPF_RSH, R2, R3);
  sonde_lower_alu_imm(l, BPF_AND, R2, 1);
  sonde_lower_alu_imm(l, BPF_MUL, R2, O_CLOEXEC);
  sonde_lower_alu(l, BPF_OR, R1, R2);
  sonde_lower_stx(l, BPF_DW, FP, R1, kRead);
  put_number(l);
  return {};
}

/// The type of its file system.
void capture_type(L* l, const In* in) {
  find_file(l, in);
  const uint32_t closed = sonde_lower_branch_imm(l, BPF_JEQ, R1, 0);
  read_to_stack(l, kRead, kValue, member(l, "file", "f_inode"), 8);
  read_to_stack(l, kRead, kRead, member(l, "inode", "i_sb"), 8);
  read_to_stack(l, kRead, kRead, member(l, "super_block", "s_type"), 8);
  read_to_stack(l, kRead, kRead, member(l, "file_system_type", "name"), 8);
  read_text(l, SONDE_DIF_TEXT_FDFS, kRead, BPF_FUNC_probe_read_kernel_str);
  const uint32_t failed = sonde_lower_branch_imm(l, BPF_JSLE, R0, 0);
  end_text(l, in->d);
  const uint32_t done = sonde_lower_jump(l);
  sonde_lower_land(l, closed);
  put_nothing(l, in);
  sonde_lower_land(l, done);
  fail(l, in, {failed});
}

}  // namespace

bool is_path(const In& in) {
  if (in.op != SONDE_DIF_CAPTEXT) return false;
  switch (in.i) {
    case SONDE_DIF_TEXT_CWD:
    case SONDE_DIF_TEXT_ROOT:
    case SONDE_DIF_TEXT_EXEPATH:
    case SONDE_DIF_TEXT_FDPATH:
    case SONDE_DIF_TEXT_FDMOUNT: return true;
    default: return false;
  }
}

bool capture_path(L* l, const In* in) {
  switch (in->i) {
    case SONDE_DIF_TEXT_CWD:
      find_pointer(l, "fs");
      capture(l, in, member(l, "fs_struct", "pwd"));
      return true;
    case SONDE_DIF_TEXT_ROOT:
      find_pointer(l, "fs");
      capture(l, in, member(l, "fs_struct", "root"));
      return true;
    case SONDE_DIF_TEXT_EXEPATH:
      find_program(l);
      capture(l, in, member(l, "file", "f_path"));
      return true;
    case SONDE_DIF_TEXT_FDPATH: return capture_descriptor_path(l, in), true;
    case SONDE_DIF_TEXT_FDFS: return capture_type(l, in), true;
    case SONDE_DIF_TEXT_FDMOUNT: return capture_of_file(l, in, [l] { return put_mount_point(l); }), true;
    case SONDE_DIF_TEXT_FDPOS: return capture_of_file(l, in, [l] { return put_position(l); }), true;
    case SONDE_DIF_TEXT_FDFLAGS: return capture_of_file(l, in, [l] { return put_flags(l); }), true;
    default: return false;
  }
}

}  // namespace sonde::bpf
