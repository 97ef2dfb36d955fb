// SPDX-License-Identifier: GPL-3.0-or-later
// dtrace, syscall, proc and signal.
#include <gmock/gmock.h>
#include <sys/syscall.h>

#include <algorithm>
#include <chrono>

#include "runtime/process/kernel_functions.h"
#include "tests/cpu_time.h"
#include "tests/providers/support.h"

namespace sonde {
namespace {

using Builtin = ProvidersTest;

TEST_F(Builtin, BeginEndErrorAreFirst) {
  EXPECT_EQ(only({"dtrace", "", "", "BEGIN", {}}).value, 1u);
  EXPECT_EQ(only({"", "", "", "END", {}}).value, 2u);
  EXPECT_EQ(only({"dtrace", "", "", "ERROR", {}}).value, 3u);
  EXPECT_EQ(framework.info({1}).module + framework.info({1}).function, "");
  EXPECT_EQ(framework.attributes({1}).dtpa_provider.dtat_name, DTRACE_STABILITY_STABLE);
}

TEST_F(Builtin, RegisterAgain) {
  unregister_providers();
  EXPECT_EQ(framework.probe_count(), 0u);
  // ids are not reused in a framework, otherwise dtrace's would not be 1 to 3
  EXPECT_EQ(count({"syscall", "", "", "", {}}), 0u);
}

TEST_F(Builtin, SyscallsAreAllThere) {
  const size_t entries = count({"syscall", "", "", "entry", {}});
  EXPECT_GE(entries, 360u);
  EXPECT_EQ(count({"syscall", "vmlinux", "", "return", {}}), entries);
  EXPECT_EQ(count({"syscall", "", "open*", "entry", {}}), 5u);  // open openat openat2 open_tree open_by_handle_at
  EXPECT_EQ(refusal({"syscall", "", "open_nocancel", "entry", {}}), "");
  for (const char* name : {"clone", "clone3", "fork", "vfork", "exit", "exit_group", "execve", "execveat"}) {
    EXPECT_EQ(count({"syscall", "", name, "entry", {}}), 1u) << name;
  }
}

TEST_F(Builtin, SyscallArguments) {
  EXPECT_EQ(arguments(only({"syscall", "", "openat", "entry", {}})),
            "int dfd, const char * filename, int flags, umode_t mode");
  EXPECT_EQ(arguments(only({"syscall", "", "openat", "return", {}})), "long, long");
  EXPECT_EQ(arguments(only({"syscall", "", "getpid", "entry", {}})), "");
}

TEST_F(Builtin, SyscallTaps) {
  const uint32_t one = enable({"syscall", "", "close", "", {}});
  ASSERT_EQ(source.taps.size(), 2u);
  EXPECT_EQ(source.taps[0].kind, SONDE_TAP_SYSCALL_ENTRY);
  EXPECT_EQ(source.taps[1].kind, SONDE_TAP_SYSCALL_RETURN);
  EXPECT_EQ(source.taps[0].number, static_cast<uint32_t>(SYS_close));
  EXPECT_EQ(source.taps[0].pid, 0u);
  disable(one);
  EXPECT_TRUE(source.taps.empty());
}

/// A clause on syscall:::entry enables some 350 probes at once, and must start within a second or so.
TEST_F(Builtin, AllSyscallsAreEnabledInOneBatch) {
  const auto start = test::cpu_time();
  const uint32_t all = enable({"syscall", "", "", "entry", {}});
  EXPECT_LT(test::cpu_time() - start, std::chrono::milliseconds(200));
  EXPECT_EQ(source.calls.size(), 3u);  // load, add, arm
  EXPECT_GE(source.taps.size(), 360u);
  disable(all);
  EXPECT_EQ(source.calls.size(), 5u);
  EXPECT_TRUE(source.taps.empty() && source.ecbs.empty());
}

TEST_F(Builtin, ProcProbes) {
  struct Row {
    const char* name;
    sonde_tap_kind tap;
    const char* arguments;
  };
  const Row rows[] = {
      {"create", SONDE_TAP_CREATE, "struct __child *->psinfo_t *"},
      {"start", SONDE_TAP_START, ""},
      {"exec", SONDE_TAP_EXEC, "string"},
      {"exec-success", SONDE_TAP_EXEC_SUCCESS, ""},
      {"exec-failure", SONDE_TAP_EXEC_FAILURE, "int"},
      {"exit", SONDE_TAP_EXIT, "int"},
      {"lwp-create", SONDE_TAP_LWP_CREATE, "struct __new_thread *->lwpsinfo_t *, struct __process *->psinfo_t *@0"},
      {"lwp-start", SONDE_TAP_LWP_START, ""},
      {"lwp-exit", SONDE_TAP_LWP_EXIT, ""},
      {"signal-discard", SONDE_TAP_SIGNAL_DISCARD,
       "id_t->lwpsinfo_t *@4, pid_t->psinfo_t *@3, int@0, struct __siginfo *->siginfo_t *@0"},
      {"signal-send", SONDE_TAP_SIGNAL_SEND,
       "id_t->lwpsinfo_t *@4, pid_t->psinfo_t *@3, int@0, struct __siginfo *->siginfo_t *@0"},
      {"signal-handle", SONDE_TAP_SIGNAL_DELIVER, "int, struct __siginfo *->siginfo_t *@0, uintptr_t@3"},
  };
  EXPECT_EQ(count({"proc", "", "", "", {}}), std::size(rows));
  for (const Row& row : rows) {
    const ProbeId probe = only({"proc", "vmlinux", "", row.name, {}});
    EXPECT_EQ(framework.info(probe).function, "");
    EXPECT_EQ(arguments(probe), row.arguments) << row.name;
    const uint32_t id = enable({"proc", "", "", row.name, {}});
    ASSERT_EQ(source.taps.size(), 1u);
    EXPECT_EQ(source.taps[0].kind, row.tap) << row.name;
    disable(id);
  }
}

TEST_F(Builtin, SignalProbes) {
  EXPECT_EQ(count({"signal", "", "", "", {}}), 3u);
  EXPECT_EQ(arguments(only({"signal", "", "", "deliver", {}})),
            "int, int, pid_t, uintptr_t, struct __siginfo *->siginfo_t *@0");
  EXPECT_EQ(arguments(only({"signal", "", "", "discard", {}})), "int, int, pid_t, struct __siginfo *->siginfo_t *@0");
  EXPECT_EQ(arguments(only({"signal", "", "", "send", {}})), "int, pid_t@3, id_t@4, struct __siginfo *->siginfo_t *@0");
  enable({"signal", "", "", "", {}});
  EXPECT_EQ(source.taps[0].kind, SONDE_TAP_SIGNAL_DELIVER);
  EXPECT_EQ(source.taps[1].kind, SONDE_TAP_SIGNAL_DISCARD);
  EXPECT_EQ(source.taps[2].kind, SONDE_TAP_SIGNAL_SEND);
}

TEST_F(Builtin, FunctionsOfTheKernel) {
  auto functions = KernelFunctions::read();
  if (!functions) GTEST_SKIP() << functions.error().message();
  source.can.taps = kNoSource.taps;
  const auto read = std::ranges::find(functions->all(), "vfs_read", &KernelFunction::name);
  ASSERT_NE(read, functions->all().end());
  EXPECT_EQ(count({"fbt", "", "vfs_read", "", {}}), 2u);
  EXPECT_EQ(count({"fbt", "vmlinux", "vfs_rea[d]", "entry", {}}), 1u);
  EXPECT_EQ(count({"fbt", "", "vfs_read", "", {}}), 2u) << "the same again";
  EXPECT_EQ(count({"fbt", "nosuch", "vfs_read", "", {}}), 0u);
  EXPECT_EQ(arguments(only({"fbt", "", "vfs_read", "entry", {}})),
            "struct file * file, char * buf, uint64_t count, void * pos");
  EXPECT_EQ(arguments(only({"fbt", "", "vfs_read", "return", {}})), "uint64_t offset, int64_t result");
  enable({"fbt", "", "vfs_read", "", {}});
  ASSERT_EQ(source.taps.size(), 2u);
  EXPECT_EQ(source.taps[0].kind, SONDE_TAP_KERNEL_ENTRY);
  EXPECT_EQ(source.taps[1].kind, SONDE_TAP_KERNEL_RETURN);
  for (const Tap& tap : source.taps) {
    EXPECT_EQ(tap.path, "vfs_read");
    EXPECT_EQ(tap.offset, read->addresses[0]);
  }
  source.can.taps.erase(SONDE_TAP_KERNEL_RETURN);
  EXPECT_EQ(count({"fbt", "", "vfs_write", "", {}}), 1u);
  EXPECT_THAT(refusal({"fbt", "", "vfs_write", "return", {}}),
              ::testing::HasSubstr("cannot be armed: nothing here lets sonde into returns"));
}

TEST_F(Builtin, ProbesOfTheKernelByItsFunctions) {
  auto functions = KernelFunctions::read();
  if (!functions) GTEST_SKIP() << functions.error().message();
  source.can.taps = kNoSource.taps;
  framework.provide();
  enable({"sched", "", "", "change-pri", {}});
  ASSERT_EQ(source.taps.size(), 2u);
  EXPECT_EQ(source.taps[0].path, "set_user_nice");
  EXPECT_EQ(source.taps[1].path, "__sched_setscheduler");
  for (const Tap& tap : source.taps) {
    EXPECT_EQ(tap.kind, SONDE_TAP_KERNEL_ENTRY);
    EXPECT_EQ(tap.offset, functions->addresses_of(tap.path).at(0));
  }
}

TEST_F(Builtin, ProbesOfTheKernelWithoutItsFunctions) {
  source.can.taps.erase(SONDE_TAP_KERNEL_ENTRY);
  EXPECT_THAT(refusal({"sched", "", "", "change-pri", {}}),
              ::testing::HasSubstr("it needs the kernel's function set_user_nice, and nothing here lets sonde into"));
}

TEST_F(Builtin, WhatIsNotThereIsRefusedByName) {
  EXPECT_THAT(refusal({"proc", "", "", "signal-clear", {}}), ::testing::HasSubstr("signal-clear is not available"));
  EXPECT_EQ(refusal({"proc", "", "", "nosuch", {}}), "");
  EXPECT_EQ(refusal({"sched", "", "", "signal-send", {}}), "");
}

TEST_F(Builtin, ForecastSaysWhichCallsAndArmsNothing) {
  const std::vector<ProbeDescription> descriptions = {
      {"syscall", "", "close", "", {}}, {"syscall", "", "read", "entry", {}}, {"dtrace", "", "", "BEGIN", {}}};
  const Forecast forecast = framework.forecast(descriptions);
  EXPECT_THAT(forecast.calls, ::testing::ElementsAre(SYS_read, SYS_close));
  EXPECT_FALSE(forecast.awaits_process);
  EXPECT_FALSE(forecast.may_grow);
  EXPECT_TRUE(source.calls.empty());
  const std::vector<ProbeDescription> by_calls = {{"proc", "", "", "exec-failure", {}}, {"signal", "", "", "send", {}}};
  EXPECT_THAT(framework.forecast(by_calls).calls,
              ::testing::ElementsAre(SYS_execve, SYS_kill, SYS_rt_sigqueueinfo, SYS_tkill, SYS_tgkill,
                                     SYS_rt_tgsigqueueinfo, SYS_execveat, SYS_pidfd_send_signal));
  const std::vector<ProbeDescription> of_a_process = {{"pid1", "a.out", "main", "entry", {}}};
  EXPECT_TRUE(framework.forecast(of_a_process).awaits_process);
  for (const ProbeDescription& any : {ProbeDescription{"", "", "read", "entry", {}}, {"*", "", "close", "return", {}}})
    EXPECT_TRUE(framework.forecast({&any, 1}).may_grow) << any.provider;
  for (const ProbeDescription& none : {ProbeDescription{"", "", "", "BEGIN", {}}, {"proc", "", "", "exec", {}}})
    EXPECT_FALSE(framework.forecast({&none, 1}).may_grow) << none.name;
  enable({"syscall", "", "close", "", {}});
  EXPECT_EQ(source.taps.size(), 2u);
}

}  // namespace
}  // namespace sonde
