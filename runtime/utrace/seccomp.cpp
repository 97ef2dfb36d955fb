// SPDX-License-Identifier: GPL-3.0-or-later
// A filter that stops few calls, at little cost for all others
//
//   arch? -- 64-bit --> seccomp, prctl(PR_SET_SECCOMP): TRACE --> search of the ranges --> TRACE or ALLOW
//        `-- 32-bit --> the same, by its own numbers
//        `-- other  --> ALLOW
//
// The kernel runs it at every call of the program. So neighbouring numbers form a range, and the ranges a tree of
// comparisons. BPF's conditional jumps reach 255 instructions; JA, which reaches any distance, skips a subtree.
//
// With several filters the strictest action wins, so one that the program installs later may hide our stops. So the
// calls that install filters are always stopped; after one, the program's threads are traced by PTRACE_SYSCALL.
//
// So are clone3, and clone with CLONE_UNTRACED, whose child would have our filter without a tracer (untraced.cpp).
//
// And rt_sigaction of SIGTRAP, which every breakpoint could reset (guard/sigtrap.h); and ptrace() where it asks for what
// cannot be had under us, so that we can say so.
//
// A filter of the program's own may say TRACE, too: without a tracer such a call fails with ENOSYS, and under us it must.
// Our verdicts carry a mark by which the tracer knows them. Of two verdicts TRACE the kernel shows the one of the newer
// filter, the program's; its mark differs from ours, which is drawn at random so that no filter can be written for it.
#include "runtime/utrace/seccomp.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "runtime/utrace/arch.h"
#include "runtime/utrace/utrace.h"

namespace sonde {
namespace {

struct Range {
  uint32_t first;
  uint32_t last;
};

/// The ranges of those `calls` that are numbered from `base` on, with the kernel's own numbers; and far calls, if some are
/// wanted.
std::vector<Range> to_ranges(std::span<const uint32_t> calls, uint32_t base) {
  std::vector<uint32_t> sorted;
  for (uint32_t call : calls)
    if (call >= base && call - base < kUtraceCompatCalls) sorted.push_back(call - base);
  std::sort(sorted.begin(), sorted.end());
  std::vector<Range> ranges;
  for (uint32_t call : sorted) {
    if (!ranges.empty() && call <= ranges.back().last + 1)
      ranges.back().last = call;
    else
      ranges.push_back({call, call});
  }
  if (std::ranges::find(calls, utrace_syscall_set::kFar) != calls.end())
    ranges.push_back({kUtraceCompatCalls, UINT32_MAX});
  return ranges;
}

sock_filter jump(uint16_t test, uint32_t value, uint8_t yes, uint8_t no) {
  return {static_cast<uint16_t>(BPF_JMP | test | BPF_K), yes, no, value};
}
sock_filter load(size_t field) { return {BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<uint32_t>(field)}; }
sock_filter verdict(uint32_t action) { return {BPF_RET | BPF_K, 0, 0, action}; }

/// Stops a call whatever its arguments are.
void emit_call(std::vector<sock_filter>& program, uint32_t call, sock_filter stop) {
  program.push_back(jump(BPF_JEQ, call, 0, 1));
  program.push_back(stop);
}

/// Stops a call if `test` is true of the low half of its first argument.
void emit_call_if(std::vector<sock_filter>& program, uint32_t call, uint16_t test, uint32_t value, sock_filter stop) {
  program.push_back(jump(BPF_JEQ, call, 0, 4));
  program.push_back(load(offsetof(seccomp_data, args)));
  program.push_back(jump(test, value, 0, 1));
  program.push_back(stop);
  program.push_back(load(offsetof(seccomp_data, nr)));
}

/// Appends the search for the number in `ranges`; every path through it ends in a verdict.
void emit_search(std::vector<sock_filter>& program, std::span<const Range> ranges, sock_filter stop) {
  if (ranges.empty()) {
    program.push_back(verdict(SECCOMP_RET_ALLOW));
    return;
  }
  if (ranges.size() == 1) {
    program.push_back(jump(BPF_JGE, ranges[0].first, 0, 2));
    program.push_back(jump(BPF_JGT, ranges[0].last, 1, 0));
    program.push_back(stop);
    program.push_back(verdict(SECCOMP_RET_ALLOW));
    return;
  }
  size_t half = ranges.size() / 2;
  program.push_back(jump(BPF_JGE, ranges[half].first, 0, 1));
  size_t far = program.size();
  program.push_back({BPF_JMP | BPF_JA, 0, 0, 0});
  emit_search(program, ranges.first(half), stop);
  program[far].k = static_cast<uint32_t>(program.size() - far - 1);
  emit_search(program, ranges.subspan(half), stop);
}

}  // namespace

std::vector<sock_filter> make_syscall_filter(std::span<const uint32_t> calls, uint16_t mark) {
  const sock_filter stop = verdict(SECCOMP_RET_TRACE | mark);
  std::vector<sock_filter> program;
  for (auto [arch, base] : {std::pair(machine::kAuditArch, 0u), {machine::kCompatAuditArch, kUtraceCompatCalls}}) {
    program.push_back(load(offsetof(seccomp_data, arch)));
    program.push_back(jump(BPF_JEQ, arch, 1, 0));
    const size_t other = program.size();
    program.push_back({BPF_JMP | BPF_JA, 0, 0, 0});
    program.push_back(load(offsetof(seccomp_data, nr)));
    emit_call(program, base == 0 ? machine::kSeccompCall : machine::kCompatSeccompCall, stop);
    emit_call_if(program, base == 0 ? machine::kPrctlCall : machine::kCompatPrctlCall, BPF_JEQ,
                 machine::kPrctlSetSeccomp, stop);
    emit_call(program, base == 0 ? machine::kClone3Call : machine::kCompatClone3Call, stop);
    emit_call_if(program, base == 0 ? machine::kCloneCall : machine::kCompatCloneCall, BPF_JSET, CLONE_UNTRACED, stop);
    if (base == 0) {
      emit_call_if(program, machine::kSigactionCall, BPF_JEQ, SIGTRAP, stop);
      for (uint32_t request : {PTRACE_TRACEME, PTRACE_ATTACH, PTRACE_SEIZE})
        emit_call_if(program, machine::kPtraceCall, BPF_JEQ, request, stop);
    }
    emit_search(program, to_ranges(calls, base), stop);
    program[other].k = static_cast<uint32_t>(program.size() - other - 1);
  }
  program.push_back(verdict(SECCOMP_RET_ALLOW));
  return program;
}

std::vector<sock_filter> make_strict_filter() {
  std::vector<sock_filter> program;
  for (bool compat : {false, true}) {
    const std::span<const uint32_t> allowed = compat ? machine::kCompatStrictCalls : machine::kStrictCalls;
    program.push_back(load(offsetof(seccomp_data, arch)));
    program.push_back(jump(BPF_JEQ, compat ? machine::kCompatAuditArch : machine::kAuditArch, 0,
                           static_cast<uint8_t>(2 * allowed.size() + 1)));
    program.push_back(load(offsetof(seccomp_data, nr)));
    for (uint32_t call : allowed) {
      program.push_back(jump(BPF_JEQ, call, 0, 1));
      program.push_back(verdict(SECCOMP_RET_ALLOW));
    }
  }
  program.push_back(verdict(SECCOMP_RET_KILL_THREAD));
  return program;
}

int install_syscall_filter(std::span<const sock_filter> program) {
  sock_fprog prog{static_cast<unsigned short>(program.size()), const_cast<sock_filter*>(program.data())};
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) == 0) return 0;
  if (errno != EACCES) return -errno;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -errno;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) == 0 ? 0 : -errno;
}

}  // namespace sonde
