// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/syscall_table.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <cerrno>

#include <set>
#include <string>
#include <vector>

namespace sonde {
namespace {

std::vector<std::string> declaration(const char* name) {
  const SyscallInfo* call = find_syscall(std::string_view(name));
  std::vector<std::string> all;
  if (call == nullptr) return {"no such call"};
  for (const SyscallParameter& parameter : call->arguments()) {
    all.push_back(std::string(parameter.type) + "|" + parameter.name + "|" + std::to_string(parameter.bytes));
  }
  return all;
}

using Strings = std::vector<std::string>;

TEST(SyscallTable, SpotChecks) {
  EXPECT_EQ(declaration("openat"), (Strings{"int|dfd|4", "const char *|filename|8", "int|flags|4", "umode_t|mode|2"}));
  EXPECT_EQ(declaration("read"), (Strings{"unsigned int|fd|4", "char *|buf|8", "size_t|count|8"}));
  EXPECT_EQ(declaration("getpid"), (Strings{}));
  EXPECT_EQ(declaration("execve"),
            (Strings{"const char *|filename|8", "const char *const *|argv|8", "const char *const *|envp|8"}));
  EXPECT_EQ(declaration("clone")[4], "unsigned long|tls|8");
  EXPECT_EQ(declaration("sendto").size(), 6u);
  EXPECT_EQ(declaration("stat")[1], "struct stat *|statbuf|8");
  EXPECT_EQ(declaration("open_nocancel"), (Strings{"no such call"}));
}

TEST(SyscallTable, NumbersAreThisMachines) {
  EXPECT_EQ(find_syscall(std::string_view("read"))->number, static_cast<uint32_t>(SYS_read));
  EXPECT_EQ(find_syscall(std::string_view("openat"))->number, static_cast<uint32_t>(SYS_openat));
  EXPECT_EQ(find_syscall(std::string_view("close_range"))->number, static_cast<uint32_t>(SYS_close_range));
  EXPECT_STREQ(find_syscall(static_cast<uint32_t>(SYS_execve))->name, "execve");
  EXPECT_EQ(find_syscall(uint32_t{100'000}), nullptr);
  EXPECT_EQ(find_syscall(uint32_t{335}), nullptr);
}

TEST(SyscallTable, CallsOf32BitCode) {
  EXPECT_EQ(syscall_of_compat(3), static_cast<uint32_t>(SYS_read));
  EXPECT_EQ(syscall_of_compat(64), static_cast<uint32_t>(SYS_getppid));
  EXPECT_EQ(syscall_of_compat(450), 450u) << "newer calls have one number";
  EXPECT_EQ(syscall_of_compat(7), kCompatCalls + 7);
  EXPECT_STREQ(find_syscall(kCompatCalls + 7)->name, "waitpid");
  EXPECT_EQ(syscall_of_compat(511), kUnnamedCall);
  EXPECT_EQ(compat_number(SYS_read), 3u);
  EXPECT_EQ(compat_number(kCompatCalls + 7), 7u);
  EXPECT_EQ(compat_number(SYS_arch_prctl), 384u);
  EXPECT_EQ(compat_number(SYS_newfstatat), std::nullopt);
  EXPECT_EQ(compat_number(kUnnamedCall), std::nullopt);
  EXPECT_EQ(declaration("waitpid"), (Strings{"pid_t|pid|4", "int *|stat_addr|4", "int|options|4"}));
}

TEST(SyscallTable, CallsWithoutAName) {
  EXPECT_EQ(syscall_of_native(SYS_read), static_cast<uint32_t>(SYS_read));
  for (uint32_t number : {400u, 511u, 512u, 519u, 600u, 1024u, UINT32_MAX})
    EXPECT_EQ(syscall_of_native(number), kUnnamedCall) << number;
  EXPECT_EQ(unnamed_call(600), "syscall_0x258");
  EXPECT_EQ(unnamed_call({}), "syscall_0x");
  for (uint32_t number : {0u, 400u, 600u, UINT32_MAX}) EXPECT_EQ(number_of_unnamed(unnamed_call(number)), number);
  for (const char* name : {"syscall_0x", "syscall_0x0258", "syscall_0x25G", "syscall_0xAB", "syscall_0x100000000",
                           "read", "syscall_258", "syscall_0x-1", "syscall_0x*"})
    EXPECT_EQ(number_of_unnamed(name), std::nullopt) << name;
}

TEST(SyscallTable, IsWhole) {
  EXPECT_GE(syscall_table().size(), 360u);
  std::set<std::string> names;
  for (const SyscallInfo& call : syscall_table()) {
    EXPECT_TRUE(names.insert(call.name).second) << call.name;
    EXPECT_EQ(find_syscall(call.number), &call);
    EXPECT_LE(call.argument_count, 6);
    for (const SyscallParameter& parameter : call.arguments()) {
      EXPECT_NE(std::string(parameter.type), "") << call.name;
      EXPECT_NE(std::string(parameter.name), "") << call.name;
    }
  }
}

/// Exactly the output of the kernel's own syscall tracer.
TEST(ClassicView, Arguments) {
  const std::vector<uint64_t> args = {0xffffff9c, 0x7f12345678, 0x8000, 0, 0, 0};
  EXPECT_EQ(format_syscall_arguments(SYS_openat, args), "dfd: ffffff9c, filename: 7f12345678, flags: 8000, mode: 0");
  EXPECT_EQ(format_syscall_arguments(SYS_openat, args, true),
            "int dfd: ffffff9c, const char * filename: 7f12345678, int flags: 8000, umode_t mode: 0");
  EXPECT_EQ(format_syscall_arguments(SYS_close, std::vector<uint64_t>{0xdead00000003}), "fd: 3");
  EXPECT_EQ(format_syscall_arguments(SYS_openat, std::vector<uint64_t>{0xffffffffffffff9c, 1, 2, 0x1ffff}),
            "dfd: ffffff9c, filename: 1, flags: 2, mode: ffff");
  EXPECT_EQ(format_syscall_arguments(SYS_getpid, args), "");
  EXPECT_EQ(format_syscall_arguments(SYS_write, std::vector<uint64_t>{1}), "fd: 1");
  EXPECT_EQ(format_syscall_arguments(99'999, std::vector<uint64_t>{1, 0xff}), "1, ff");
}

TEST(ClassicView, NamesOfErrors) {
  EXPECT_EQ(syscall_error_name(0), "");
  EXPECT_EQ(syscall_error_name(ENOENT), "ENOENT");
  EXPECT_EQ(syscall_error_name(512), "ERESTARTSYS");
  EXPECT_EQ(syscall_error_name(516), "ERESTART_RESTARTBLOCK");
  EXPECT_EQ(syscall_error_name(4000), "4000");
}

TEST(ClassicView, Result) {
  EXPECT_EQ(format_syscall_result(0, 0), "0x0");
  EXPECT_EQ(format_syscall_result(0x1f, 0), "0x1f");
  EXPECT_EQ(format_syscall_result(static_cast<uint64_t>(-1), 512), "-1 ERESTARTSYS (the call is made again)");
  EXPECT_EQ(format_syscall_result(static_cast<uint64_t>(-1), ENOENT), "-1 ENOENT (No such file or directory)");
}

}  // namespace
}  // namespace sonde
