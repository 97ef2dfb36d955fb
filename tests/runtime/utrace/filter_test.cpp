// SPDX-License-Identifier: GPL-3.0-or-later
// The filter's verdicts on calls of each architecture. They are computed here, because a machine may run no 32-bit code.
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>

#include <cstring>
#include <tuple>
#include <vector>

#include "runtime/utrace/arch.h"
#include "runtime/utrace/seccomp.h"
#include "runtime/utrace/utrace.h"

namespace sonde {
namespace {

constexpr uint16_t kMark = 0x5d;
constexpr uint32_t kOther = AUDIT_ARCH_AARCH64;

/// What the kernel does with the instructions that filters of ours have. 0: the program leaves its bounds.
uint32_t run(const std::vector<sock_filter>& program, const seccomp_data& data) {
  uint32_t word = 0;
  for (size_t at = 0; at < program.size(); at++) {
    const sock_filter& one = program[at];
    const auto branch = [&](bool holds) { at += holds ? one.jt : one.jf; };
    switch (one.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        std::memcpy(&word, reinterpret_cast<const char*>(&data) + one.k, sizeof word);
        break;
      case BPF_JMP | BPF_JA: at += one.k; break;
      case BPF_JMP | BPF_JEQ | BPF_K: branch(word == one.k); break;
      case BPF_JMP | BPF_JSET | BPF_K: branch((word & one.k) != 0); break;
      case BPF_JMP | BPF_JGE | BPF_K: branch(word >= one.k); break;
      case BPF_JMP | BPF_JGT | BPF_K: branch(word > one.k); break;
      case BPF_RET | BPF_K: return one.k;
      default: ADD_FAILURE() << "instruction " << at << " has the code " << one.code; return 0;
    }
  }
  return 0;
}

class Filter {
 public:
  explicit Filter(std::vector<uint32_t> calls) : program_(make_syscall_filter(calls, kMark)) {}

  bool stops(uint32_t arch, uint32_t call, uint64_t first = 0) const {
    seccomp_data data{};
    data.nr = static_cast<int>(call);
    data.arch = arch;
    data.args[0] = first;
    const uint32_t verdict = run(program_, data);
    EXPECT_TRUE(verdict == SECCOMP_RET_ALLOW || verdict == (SECCOMP_RET_TRACE | kMark)) << verdict;
    return verdict != SECCOMP_RET_ALLOW;
  }

 private:
  std::vector<sock_filter> program_;
};

TEST(SyscallFilter, StopsTheCallsOfEachArchitectureByItsOwnNumbers) {
  const Filter filter({10, 11, 12, 200, kUtraceCompatCalls + 20, kUtraceCompatCalls + 300});
  for (uint32_t call : {9u, 10u, 12u, 13u, 20u, 199u, 200u, 201u, 300u}) {
    EXPECT_EQ(filter.stops(machine::kAuditArch, call), (call >= 10 && call <= 12) || call == 200) << call;
    EXPECT_EQ(filter.stops(machine::kCompatAuditArch, call), call == 20 || call == 300) << call;
    EXPECT_FALSE(filter.stops(kOther, call)) << call;
  }
}

TEST(SyscallFilter, StopsWhatInstallsFiltersOnEachArchitecture) {
  const Filter filter({});
  for (const auto& [arch, seccomp, prctl] :
       {std::tuple(machine::kAuditArch, machine::kSeccompCall, machine::kPrctlCall),
        std::tuple(machine::kCompatAuditArch, machine::kCompatSeccompCall, machine::kCompatPrctlCall)}) {
    EXPECT_TRUE(filter.stops(arch, seccomp));
    EXPECT_TRUE(filter.stops(arch, prctl, machine::kPrctlSetSeccomp));
    EXPECT_FALSE(filter.stops(arch, prctl, PR_SET_NAME));
  }
  EXPECT_FALSE(filter.stops(machine::kCompatAuditArch, machine::kSeccompCall));
  EXPECT_FALSE(filter.stops(machine::kAuditArch, machine::kCompatSeccompCall));
}

TEST(SyscallFilter, StopsWhatMakesChildrenThatHide) {
  const Filter filter({});
  for (const auto& [arch, clone, clone3] :
       {std::tuple(machine::kAuditArch, machine::kCloneCall, machine::kClone3Call),
        std::tuple(machine::kCompatAuditArch, machine::kCompatCloneCall, machine::kCompatClone3Call)}) {
    EXPECT_TRUE(filter.stops(arch, clone3));
    EXPECT_TRUE(filter.stops(arch, clone, CLONE_UNTRACED | CLONE_VM));
    EXPECT_FALSE(filter.stops(arch, clone, CLONE_VM));
  }
}

TEST(SyscallFilter, StopsWhatConcernsBreakpointsAndTracers) {
  const Filter filter({});
  EXPECT_TRUE(filter.stops(machine::kAuditArch, machine::kSigactionCall, SIGTRAP));
  EXPECT_FALSE(filter.stops(machine::kAuditArch, machine::kSigactionCall, SIGTERM));
  for (uint64_t request : {PTRACE_TRACEME, PTRACE_ATTACH, PTRACE_SEIZE})
    EXPECT_TRUE(filter.stops(machine::kAuditArch, machine::kPtraceCall, request)) << request;
  EXPECT_FALSE(filter.stops(machine::kAuditArch, machine::kPtraceCall, PTRACE_CONT));
}

TEST(SyscallFilter, FindsEachOfManyCalls) {
  std::vector<uint32_t> odd;
  for (uint32_t call = 1; call < 460; call += 2) odd.push_back(call);
  const Filter filter(odd);
  for (uint32_t call = 500; call < 700; call++) EXPECT_FALSE(filter.stops(machine::kAuditArch, call)) << call;
  for (uint32_t call = 1; call < 460; call += 2) EXPECT_TRUE(filter.stops(machine::kAuditArch, call)) << call;
  for (uint32_t call = 2; call < 460; call += 2)
    EXPECT_EQ(filter.stops(machine::kAuditArch, call), call == machine::kSeccompCall) << call;
}

TEST(SyscallFilter, StopsCallsBeyondEachTableIfTheyAreWanted) {
  for (uint32_t arch : {machine::kAuditArch, machine::kCompatAuditArch}) {
    EXPECT_TRUE(Filter({utrace_syscall_set::kFar}).stops(arch, kUtraceCompatCalls));
    EXPECT_TRUE(Filter({utrace_syscall_set::kFar}).stops(arch, UINT32_MAX));
    EXPECT_FALSE(Filter({1}).stops(arch, UINT32_MAX));
  }
}

}  // namespace
}  // namespace sonde
