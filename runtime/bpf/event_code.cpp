// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Events that are no system calls: how each is told from others at its tracepoint, and its arguments
//
// The arguments are those of kmod/shared/event.h, as the kernel module makes them (kmod/device/points.c). They lie on
// the stack, because an event may have no ring yet.
//
// A tracepoint's own pointers are only numbers to the verifier, so what they lead to is read by a helper; a member of the
// running thread is loaded.
#include <sched.h>

#include <cerrno>
#include <csignal>
#include <span>
#include <vector>

#include "kmod/shared/siginfo.h"
#include "runtime/bpf/arch.h"
#include "runtime/bpf/code.h"
#include "runtime/bpf/record_code.h"
#include "runtime/bpf/section_code.h"

namespace sonde::bpf {
namespace {

// Of the kernel, and not in its headers for programs.
constexpr int32_t kKernelThread = 0x00200000, kIoWorker = 0x00000010;  // PF_KTHREAD, PF_IO_WORKER
constexpr int32_t kGroupExits = 4;                                     // SIGNAL_GROUP_EXIT
constexpr int32_t kIgnoredAtOnce = 1;                                  // TRACE_SIGNAL_IGNORED
constexpr int32_t kNotInTask = 0x00f00000 | 0x000f0000 | 0x00000100;   // NMI, interrupt, softirq that is served
constexpr int32_t kSiCodeKernel = 0x80;
constexpr int16_t kSiginfoBytes = 48, kSiginfoFields = 16;  // what is read of a struct kernel_siginfo
constexpr int16_t kSiErrno = 4, kSiCode = 8;

constexpr int32_t argument(int role) { return kArguments + 8 * role; }

void put_argument(SectionCode& code, int role, uint8_t reg) { sonde_lower_stx(&code, BPF_DW, FP, reg, argument(role)); }

void begin_arguments(SectionCode& code) {
  for (int n = 0; n < static_cast<int>(SONDE_DIF_ARGS); n++) sonde_lower_st(&code, BPF_DW, FP, argument(n), 0);
  sonde_lower_st(&code, BPF_DW, FP, kText, 0);
  sonde_lower_st(&code, BPF_DW, FP, kNumber, -1);
}

/// `to` = a member of the running thread
void load_own(SectionCode& code, uint8_t to, uint8_t size, std::string_view path) {
  sonde_lower_ldx(&code, BPF_DW, to, FP, kTask);
  sonde_lower_ldx(&code, size, to, to, code.member("task_struct", path));
}

/// `to` = a member of what all its threads share
void load_shared(SectionCode& code, uint8_t to, std::string_view path) {
  load_own(code, to, BPF_DW, "signal");
  sonde_lower_ldx(&code, BPF_W, to, to, code.member("signal_struct", path));
}

/// R0 = `size` bytes of the kernel's memory at `base`, a number, and `offset`; 0 where there are none.
void read_kernel(SectionCode& code, uint8_t base, int32_t offset, uint32_t size) {
  sonde_lower_st(&code, BPF_DW, FP, kValue, 0);
  sonde_lower_mov(&code, R3, base);
  sonde_lower_alu_imm(&code, BPF_ADD, R3, offset);
  sonde_lower_mov_imm(&code, R2, static_cast<int32_t>(size));
  sonde_lower_mov(&code, R1, FP);
  sonde_lower_alu_imm(&code, BPF_ADD, R1, kValue);
  call_helper(&code, BPF_FUNC_probe_read_kernel);
  sonde_lower_ldx(&code, BPF_DW, R0, FP, kValue);
}

// ---- calls that are events ---------------------------------------------------------------------------------------

/// Skips the section unless the call is one of these. R8 and kNumber = its number in 64-bit code, R9 = kCompatCall or 0.
void match_call(SectionCode& code, std::span<const CallNumber> numbers) {
  std::vector<uint32_t> found;
  load_own(code, R9, BPF_W, kCallStatus);
  sonde_lower_alu_imm(&code, BPF_AND, R9, kCompatCall);
  const uint32_t compat = sonde_lower_branch_imm(&code, BPF_JNE, R9, 0);
  for (const CallNumber& one : numbers) found.push_back(sonde_lower_branch_imm(&code, BPF_JEQ, R8, one.native));
  code.skip();
  sonde_lower_land(&code, compat);
  for (const CallNumber& one : numbers) {
    const uint32_t other = sonde_lower_branch_imm(&code, BPF_JNE, R8, one.compat);
    sonde_lower_mov_imm(&code, R8, one.native);
    found.push_back(sonde_lower_jump(&code));
    sonde_lower_land(&code, other);
  }
  code.skip();
  for (const uint32_t one : found) sonde_lower_land(&code, one);
  sonde_lower_stx(&code, BPF_DW, FP, R8, kNumber);
}

/// The same at a return.
void match_returning_call(SectionCode& code, std::span<const CallNumber> numbers) {
  find_thread(code, true);
  sonde_lower_ldx(&code, BPF_DW, R8, R0, kCallNumber);
  match_call(code, numbers);
}

void begin_exec(SectionCode& code) {
  begin_arguments(code);
  code.load_context(R8, kNumberWord);
  find_thread(code, true);
  match_call(code, kExecNumbers);
  sonde_lower_ldx(&code, BPF_DW, R2, FP, kRegisters);
  std::vector<uint32_t> done;
  const uint32_t compat = sonde_lower_branch_imm(&code, BPF_JNE, R9, 0);
  sonde_lower_ldx(&code, BPF_DW, R1, R2, kCallArguments[0]);
  done.push_back(sonde_lower_branch_imm(&code, BPF_JEQ, R8, SYS_execve));
  sonde_lower_ldx(&code, BPF_DW, R1, R2, kCallArguments[1]);
  done.push_back(sonde_lower_jump(&code));
  sonde_lower_land(&code, compat);
  sonde_lower_ldx(&code, BPF_W, R1, R2, kCompatArguments[0]);
  done.push_back(sonde_lower_branch_imm(&code, BPF_JEQ, R8, SYS_execve));
  sonde_lower_ldx(&code, BPF_W, R1, R2, kCompatArguments[1]);
  for (const uint32_t one : done) sonde_lower_land(&code, one);
  sonde_lower_stx(&code, BPF_DW, FP, R1, kText);
}

void begin_exec_failure(SectionCode& code) {
  begin_arguments(code);
  code.load_context(R1, result_word(code.world.link));
  code.skip_if(BPF_JSGE, R1, 0);
  code.skip_if(BPF_JSLT, R1, -kMaxErrno);
  sonde_lower_alu_imm(&code, BPF_NEG, R1, 0);
  put_argument(code, SONDE_ARG_EXEC_FAILURE_ERROR, R1);
  match_returning_call(code, kExecNumbers);
}

void begin_start(SectionCode& code) {
  begin_arguments(code);
  code.load_context(R1, result_word(code.world.link));
  code.skip_if(BPF_JNE, R1, 0);
  match_returning_call(code, kCloneNumbers);
  if (code.kind == SONDE_TAP_LWP_START) return;
  load_own(code, R1, BPF_W, "pid");
  load_own(code, R2, BPF_W, "tgid");
  code.skip_if_reg(BPF_JNE, R1, R2);
}

// ---- lives -------------------------------------------------------------------------------------------------------

void begin_create(SectionCode& code) {
  find_thread(code, true);
  code.load_context(R9, 1);  // the flags
  sonde_lower_mov(&code, R1, R9);
  sonde_lower_alu_imm(&code, BPF_AND, R1, CLONE_THREAD);
  code.skip_if(code.kind == SONDE_TAP_CREATE ? BPF_JNE : BPF_JEQ, R1, 0);
  load_own(code, R1, BPF_W, "flags");
  sonde_lower_alu_imm(&code, BPF_AND, R1, kKernelThread);
  code.skip_if(BPF_JNE, R1, 0);
  load_own(code, R1, BPF_DW, "mm");
  code.skip_if(BPF_JEQ, R1, 0);
  code.load_context(R8, 0);
  read_kernel(code, R8, code.member("task_struct", "flags"), sizeof(uint32_t));
  sonde_lower_alu_imm(&code, BPF_AND, R0, kKernelThread | kIoWorker);
  code.skip_if(BPF_JNE, R0, 0);
  begin_arguments(code);
  read_kernel(code, R8, code.member("task_struct", "pid"), sizeof(uint32_t));
  put_argument(code, SONDE_ARG_CREATE_CHILD, R0);
  put_argument(code, SONDE_ARG_CREATE_FLAGS, R9);
  sonde_lower_ldx(&code, BPF_DW, R1, FP, kRegisters);
  sonde_lower_ldx(&code, BPF_DW, R1, R1, kCallNumber);
  sonde_lower_stx(&code, BPF_DW, FP, R1, kNumber);
}

void begin_exec_success(SectionCode& code) {
  begin_arguments(code);
  find_any_thread(code);
  sonde_lower_st(&code, BPF_DW, FP, kNumber, SYS_execve);
}

/// Skips the section unless the thread is the last of its process. Threads that end at the same time all see that none
/// lives: the first one that says so is the last.
void match_last(SectionCode& code) {
  if (code.again) return;
  load_shared(code, R1, "live");
  code.skip_if(BPF_JNE, R1, 0);
  load_shared(code, R1, "nr_threads");
  const uint32_t alone = sonde_lower_branch_imm(&code, BPF_JEQ, R1, 1);
  load_own(code, R1, BPF_W, "tgid");
  sonde_lower_stx(&code, BPF_DW, FP, R1, kBuffer);
  load_own(code, R1, BPF_DW, "group_leader");
  sonde_lower_ldx(&code, BPF_DW, R1, R1, code.member("task_struct", "start_time"));
  sonde_lower_stx(&code, BPF_DW, FP, R1, kBuffer + 8);
  load_map(&code, R1, code.world.deaths_map);
  sonde_lower_mov(&code, R2, FP);
  sonde_lower_alu_imm(&code, BPF_ADD, R2, kBuffer);
  sonde_lower_mov(&code, R3, R2);
  sonde_lower_mov_imm(&code, R4, BPF_NOEXIST);
  call_helper(&code, BPF_FUNC_map_update_elem);
  code.skip_if(BPF_JEQ, R0, -EEXIST);
  sonde_lower_land(&code, alone);
}

/// As sonde_end_args() does; R8: the status, as wait() has it.
void put_status(SectionCode& code) {
  sonde_lower_mov(&code, R2, R8);
  sonde_lower_alu_imm(&code, BPF_AND, R2, 0x7f);
  sonde_lower_mov_imm(&code, R1, CLD_EXITED);
  const uint32_t exited = sonde_lower_branch_imm(&code, BPF_JEQ, R2, 0);
  sonde_lower_mov_imm(&code, R1, CLD_KILLED);
  sonde_lower_alu_imm(&code, BPF_AND, R8, 0x80);
  const uint32_t killed = sonde_lower_branch_imm(&code, BPF_JEQ, R8, 0);
  sonde_lower_mov_imm(&code, R1, CLD_DUMPED);
  const uint32_t dumped = sonde_lower_jump(&code);
  sonde_lower_land(&code, exited);
  sonde_lower_alu_imm(&code, BPF_RSH, R8, 8);
  sonde_lower_alu_imm(&code, BPF_AND, R8, 0xff);
  sonde_lower_mov(&code, R2, R8);
  sonde_lower_land(&code, killed);
  sonde_lower_land(&code, dumped);
  put_argument(code, SONDE_ARG_END_REASON, R1);
  put_argument(code, SONDE_ARG_END_STATUS, R2);
}

void begin_end(SectionCode& code) {
  find_any_thread(code);
  load_own(code, R1, BPF_W, "flags");
  sonde_lower_alu_imm(&code, BPF_AND, R1, kKernelThread);
  code.skip_if(BPF_JNE, R1, 0);
  load_own(code, R8, BPF_W, "exit_code");
  if (code.kind == SONDE_TAP_EXIT) {
    match_last(code);
    load_shared(code, R8, "group_exit_code");
    load_shared(code, R1, "flags");
    sonde_lower_alu_imm(&code, BPF_AND, R1, kGroupExits);
    const uint32_t together = sonde_lower_branch_imm(&code, BPF_JNE, R1, 0);
    load_own(code, R8, BPF_DW, "group_leader");
    sonde_lower_ldx(&code, BPF_W, R8, R8, code.member("task_struct", "exit_code"));
    sonde_lower_land(&code, together);
  }
  begin_arguments(code);
  put_status(code);
}

// ---- signals -----------------------------------------------------------------------------------------------------

/// kBuffer = what `info` says, the tracepoint's second argument. A signal without siginfo is sent by a process that calls
/// kill(), or by the kernel; at its delivery nobody knows the process any more.
void read_siginfo(SectionCode& code) {
  for (int16_t at = 0; at < kSiginfoBytes; at += 8) sonde_lower_st(&code, BPF_DW, FP, kBuffer + at, 0);
  code.load_context(R3, 1);
  const uint32_t plain = sonde_lower_branch_imm(&code, BPF_JGT, R3, 1);
  const uint32_t by_kernel = sonde_lower_branch_imm(&code, BPF_JEQ, R3, 1);
  if (code.hook == Hook::Generate) {
    sonde_lower_ldx(&code, BPF_W, R1, FP, kPidTgid + 4);
    sonde_lower_stx(&code, BPF_W, FP, R1, kBuffer + kSiginfoFields);
    load_own(code, R1, BPF_DW, "cred");
    sonde_lower_ldx(&code, BPF_W, R1, R1, code.member("cred", "uid"));
    sonde_lower_stx(&code, BPF_W, FP, R1, kBuffer + kSiginfoFields + 4);
  }
  const uint32_t by_process = sonde_lower_jump(&code);
  sonde_lower_land(&code, by_kernel);
  sonde_lower_st(&code, BPF_W, FP, kBuffer + kSiCode, kSiCodeKernel);
  const uint32_t made = sonde_lower_jump(&code);
  sonde_lower_land(&code, plain);
  sonde_lower_mov_imm(&code, R2, kSiginfoBytes);
  sonde_lower_mov(&code, R1, FP);
  sonde_lower_alu_imm(&code, BPF_ADD, R1, kBuffer);
  call_helper(&code, BPF_FUNC_probe_read_kernel);
  sonde_lower_land(&code, by_process);
  sonde_lower_land(&code, made);
}

enum Members : int32_t { kSent = 1, kValued = 2, kChild = 4, kPoll = 8, kFault = 16 };

constexpr int32_t members_of(enum sonde_siginfo_layout layout) {
  switch (layout) {
    case SONDE_SIGINFO_KILL: return kSent;
    case SONDE_SIGINFO_TIMER: return kValued;
    case SONDE_SIGINFO_QUEUE: return kSent | kValued;
    case SONDE_SIGINFO_CHILD: return kSent | kChild;
    case SONDE_SIGINFO_FAULT: return kFault;
    case SONDE_SIGINFO_POLL: return kPoll;
  }
  return 0;
}

/// R9 = which members the siginfo has, as sonde_siginfo_layout() says of the signal in R7 and the code in R8.
void find_members(SectionCode& code) {
  std::vector<uint32_t> found;
  const auto found_if = [&](uint8_t op, uint8_t reg, int32_t value) {
    found.push_back(sonde_lower_branch_imm(&code, op, reg, value));
  };
  const auto is = [&](enum sonde_siginfo_layout layout) { sonde_lower_mov_imm(&code, R9, members_of(layout)); };
  is(SONDE_SIGINFO_TIMER);
  found_if(BPF_JEQ, R8, SI_TIMER);
  is(SONDE_SIGINFO_POLL);
  found_if(BPF_JEQ, R8, SI_SIGIO);
  is(SONDE_SIGINFO_QUEUE);
  found_if(BPF_JSLT, R8, 0);
  is(SONDE_SIGINFO_KILL);
  found_if(BPF_JEQ, R8, SI_USER);
  found_if(BPF_JSGE, R8, kSiCodeKernel);
  is(SONDE_SIGINFO_FAULT);
  for (const int number : {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS}) found_if(BPF_JEQ, R7, number);
  is(SONDE_SIGINFO_CHILD);
  found_if(BPF_JEQ, R7, SIGCHLD);
  is(SONDE_SIGINFO_POLL);
  for (const uint32_t one : found) sonde_lower_land(&code, one);
}

/// Stores a field of the siginfo as an argument, if the siginfo has one of these members.
void put_field(SectionCode& code, int32_t members, int role, int16_t offset, uint8_t size) {
  const uint32_t has = sonde_lower_branch_imm(&code, BPF_JSET, R9, members);
  const uint32_t has_not = sonde_lower_jump(&code);
  sonde_lower_land(&code, has);
  sonde_lower_ldx(&code, size, R1, FP, kBuffer + kSiginfoFields + offset);
  if (size == BPF_W) {
    sonde_lower_alu_imm(&code, BPF_LSH, R1, 32);
    sonde_lower_alu_imm(&code, BPF_ARSH, R1, 32);
  }
  put_argument(code, role, R1);
  sonde_lower_land(&code, has_not);
}

/// An argument |= a word of the siginfo, if the siginfo has one of these members; `half`: 32 for the high half, or 0.
void add_half(SectionCode& code, int32_t members, int role, int16_t offset, int32_t half) {
  const uint32_t has = sonde_lower_branch_imm(&code, BPF_JSET, R9, members);
  const uint32_t has_not = sonde_lower_jump(&code);
  sonde_lower_land(&code, has);
  sonde_lower_ldx(&code, BPF_W, R1, FP, kBuffer + offset);
  if (half != 0) sonde_lower_alu_imm(&code, BPF_LSH, R1, half);
  sonde_lower_ldx(&code, BPF_DW, R2, FP, argument(role));
  sonde_lower_alu(&code, BPF_OR, R2, R1);
  put_argument(code, role, R2);
  sonde_lower_land(&code, has_not);
}

/// As sonde_siginfo_args() does, of the signal in R7.
void put_siginfo(SectionCode& code) {
  read_siginfo(code);
  sonde_lower_ldx(&code, BPF_W, R8, FP, kBuffer + kSiCode);
  sonde_lower_alu_imm(&code, BPF_LSH, R8, 32);
  sonde_lower_alu_imm(&code, BPF_ARSH, R8, 32);
  find_members(code);
  put_argument(code, SONDE_ARG_SIGINFO_NUMBER, R7);
  put_argument(code, SONDE_ARG_SIGINFO_CODE, R8);
  put_field(code, kSent, SONDE_ARG_SIGINFO_SENDER, 0, BPF_W);
  put_field(code, kFault, SONDE_ARG_SIGINFO_ADDRESS, 0, BPF_DW);
  put_field(code, kValued, SONDE_ARG_SIGINFO_VALUE, 8, BPF_DW);
  put_field(code, kChild | kPoll, SONDE_ARG_SIGINFO_STATUS_FD, 8, BPF_W);
  put_field(code, kPoll, SONDE_ARG_SIGINFO_TIMES_BAND, 0, BPF_DW);
  add_half(code, kChild, SONDE_ARG_SIGINFO_TIMES_BAND, kSiginfoFields + 16, 0);
  add_half(code, kChild, SONDE_ARG_SIGINFO_TIMES_BAND, kSiginfoFields + 24, 32);
  add_half(code, kSent, SONDE_ARG_SIGINFO_UID_ERROR, kSiginfoFields + 4, 0);
  add_half(code, ~0, SONDE_ARG_SIGINFO_UID_ERROR, kSiErrno, 32);
}

/// R1 = what the CPU does besides running the thread: 0 if the thread itself does what is traced, and no interrupt.
void find_interrupts(SectionCode& code) {
  auto count = code.world.layout->preempt_count();
  if (!count) code.lacks = count.error().message();
  load_own(code, R1, BPF_DW, "se.cfs_rq");
  sonde_lower_ldx(&code, BPF_DW, R1, R1, code.member("cfs_rq", "rq"));
  read_kernel(code, R1, count ? *count : 0, sizeof(uint32_t));
  sonde_lower_mov(&code, R1, R0);
  sonde_lower_alu_imm(&code, BPF_AND, R1, kNotInTask);
}

void put_receiver(SectionCode& code) {
  code.load_context(R8, 2);
  read_kernel(code, R8, code.member("task_struct", "tgid"), sizeof(uint32_t));
  put_argument(code, SONDE_ARG_SIGNAL_RECEIVER_PID, R0);
  read_kernel(code, R8, code.member("task_struct", "pid"), sizeof(uint32_t));
  put_argument(code, SONDE_ARG_SIGNAL_RECEIVER_TID, R0);
  read_kernel(code, R8, code.member("task_struct", "group_leader"), sizeof(uint64_t));
  sonde_lower_alu_imm(&code, BPF_ADD, R0, code.member("task_struct", "comm"));
  sonde_lower_stx(&code, BPF_DW, FP, R0, kText);
}

void begin_generate(SectionCode& code) {
  find_any_thread(code);
  if (code.kind == SONDE_TAP_SIGNAL_DISCARD) {
    code.load_context(R1, 4);
    code.skip_if(BPF_JNE, R1, kIgnoredAtOnce);
  }
  find_interrupts(code);
  const uint32_t by_task = sonde_lower_branch_imm(&code, BPF_JEQ, R1, 0);
  if (code.kind == SONDE_TAP_SIGNAL_DISCARD)
    count_lost(&code, *code.world.rings);  // the thread that is interrupted did not do it
  code.skip();
  sonde_lower_land(&code, by_task);
  code.load_context(R7, 0);
  begin_arguments(code);
  put_siginfo(code);
  put_receiver(code);
}

/// Skips the section unless the receiver acts on the signal, or with `ignored`, unless it ignores it. R7: the number.
/// R9 = the handler.
void match_action(SectionCode& code, bool ignored) {
  std::vector<uint32_t> ignores;
  code.load_context(R1, 2);
  read_kernel(code, R1, code.member("k_sigaction", "sa.sa_handler"), sizeof(uint64_t));
  sonde_lower_mov(&code, R9, R0);
  ignores.push_back(sonde_lower_branch_imm(&code, BPF_JEQ, R9, 1));       // SIG_IGN
  const uint32_t caught = sonde_lower_branch_imm(&code, BPF_JNE, R9, 0);  // SIG_DFL is 0
  for (const int number : {SIGCONT, SIGCHLD, SIGWINCH, SIGURG})
    ignores.push_back(sonde_lower_branch_imm(&code, BPF_JEQ, R7, number));
  sonde_lower_land(&code, caught);
  if (ignored) code.skip();
  for (const uint32_t one : ignores) {
    if (ignored)
      sonde_lower_land(&code, one);
    else
      code.skips.push_back(one);
  }
}

/// A signal that ends all threads at once is delivered as SIGKILL; the exit code has the number that was sent.
void find_given_number(SectionCode& code) {
  const uint32_t other = sonde_lower_branch_imm(&code, BPF_JNE, R7, SIGKILL);
  load_shared(code, R1, "flags");
  sonde_lower_alu_imm(&code, BPF_AND, R1, kGroupExits);
  const uint32_t alone = sonde_lower_branch_imm(&code, BPF_JEQ, R1, 0);
  load_shared(code, R1, "group_exit_code");
  sonde_lower_alu_imm(&code, BPF_AND, R1, 0x7f);
  const uint32_t none = sonde_lower_branch_imm(&code, BPF_JEQ, R1, 0);
  sonde_lower_mov(&code, R7, R1);
  for (const uint32_t one : {other, alone, none}) sonde_lower_land(&code, one);
}

void begin_deliver(SectionCode& code) {
  const bool discards = code.kind == SONDE_TAP_SIGNAL_DISCARD;
  find_any_thread(code);
  code.load_context(R7, 0);
  match_action(code, discards);
  begin_arguments(code);
  if (!discards) put_argument(code, SONDE_ARG_SIGNAL_DELIVER_HANDLER, R9);
  find_given_number(code);
  put_siginfo(code);
  if (!discards) return;
  sonde_lower_ldx(&code, BPF_W, R1, FP, kPidTgid + 4);
  put_argument(code, SONDE_ARG_SIGNAL_RECEIVER_PID, R1);
  sonde_lower_ldx(&code, BPF_W, R1, FP, kPidTgid);
  put_argument(code, SONDE_ARG_SIGNAL_RECEIVER_TID, R1);
  load_own(code, R1, BPF_DW, "group_leader");
  sonde_lower_alu_imm(&code, BPF_ADD, R1, code.member("task_struct", "comm"));
  sonde_lower_stx(&code, BPF_DW, FP, R1, kText);
}

// ---- samples -----------------------------------------------------------------------------------------------------

/// Their arguments are in the context; so are those of a named tracepoint.
void begin_sample(SectionCode& code) {
  find_any_thread(code);
  sonde_lower_st(&code, BPF_DW, FP, kNumber, -1);
}

struct Event {
  sonde_tap_kind kind;
  void (*begin)(SectionCode& code);
};

constexpr Event kEvents[] = {
    {SONDE_TAP_EXEC, begin_exec},
    {SONDE_TAP_EXEC_FAILURE, begin_exec_failure},
    {SONDE_TAP_START, begin_start},
    {SONDE_TAP_LWP_START, begin_start},
    {SONDE_TAP_CREATE, begin_create},
    {SONDE_TAP_LWP_CREATE, begin_create},
    {SONDE_TAP_EXEC_SUCCESS, begin_exec_success},
    {SONDE_TAP_EXIT, begin_end},
    {SONDE_TAP_LWP_EXIT, begin_end},
    {SONDE_TAP_SIGNAL_SEND, begin_generate},
    {SONDE_TAP_SIGNAL_DELIVER, begin_deliver},
    {SONDE_TAP_PROFILE, begin_sample},
    {SONDE_TAP_COUNTER, begin_sample},
    {SONDE_TAP_TRACEPOINT, begin_sample},
};

}  // namespace

void begin_event(SectionCode& code) {
  if (code.kind == SONDE_TAP_SIGNAL_DISCARD)  // of two tracepoints
    return code.hook == Hook::Generate ? begin_generate(code) : begin_deliver(code);
  for (const Event& event : kEvents)
    if (event.kind == code.kind) return event.begin(code);
  code.lacks = "a tracepoint of this event";
}

}  // namespace sonde::bpf
