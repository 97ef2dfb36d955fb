// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/kernel_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>

namespace sonde {
namespace {

/// A file that exists during a test.
class File {
 public:
  explicit File(const std::string& text) {
    close(mkstemp(path_));
    std::ofstream(path_) << text;
  }
  ~File() { unlink(path_); }
  std::string path() const { return path_; }

 private:
  char path_[32] = "/tmp/sonde-functions-XXXXXX";
};

std::vector<std::string> texts(const KernelFunctions& functions) {
  std::vector<std::string> all;
  for (const KernelFunction& one : functions.all()) {
    std::string text = std::string(one.module) + "`" + std::string(one.name);
    char address[24];
    for (const uint64_t at : one.addresses) {
      std::snprintf(address, sizeof address, " %llx", static_cast<unsigned long long>(at));
      text += address;
    }
    all.push_back(text);
  }
  return all;
}

TEST(KernelFunctions, ByModuleAndName) {
  const File names(
      "ffffffffc0200000 t work\t[sonde]\n"
      "ffffffff81000300 t work\n"
      "ffffffff81000100 T vfs_read\n"
      "ffffffff81000200 t work\n"
      "ffffffff81000400 W weak\n"
      "ffffffffc0100040 t clean.isra.0\t[ext4]");
  auto read = KernelFunctions::read(names.path());
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(texts(*read),
            (std::vector<std::string>{"vmlinux`vfs_read ffffffff81000100", "vmlinux`weak ffffffff81000400",
                                      "vmlinux`work ffffffff81000200 ffffffff81000300",
                                      "ext4`clean.isra.0 ffffffffc0100040", "sonde`work ffffffffc0200000"}));
}

TEST(KernelFunctions, WithoutWhatIsNoFunctionOrGone) {
  const File names(
      "0000000000000000 A fixed_percpu_data\n"
      "ffffffff81000100 D jiffies\n"
      "ffffffff81000200 t __pfx_vfs_read\n"
      "ffffffff81000210 T vfs_read\n"
      "ffffffff81000300 t vfs_read.cold\n"
      "ffffffff82000000 T _sinittext\n"
      "ffffffff82000010 t start_kernel\n"
      "ffffffff82000100 T _einittext\n"
      "ffffffffc0000000 t bpf_prog_6deef7357e7b4530\t[bpf]\n"
      "ffffffffc0001000 t ftrace_trampoline\t[__builtin__ftrace]\n"
      "nonsense\n"
      "\n");
  auto read = KernelFunctions::read(names.path());
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(texts(*read),
            (std::vector<std::string>{"vmlinux`_einittext ffffffff82000100", "vmlinux`vfs_read ffffffff81000210"}));
}

TEST(KernelFunctions, HiddenAddressesAreAnError) {
  const File names(
      "0000000000000000 T vfs_read\n"
      "0000000000000000 T vfs_write\n");
  auto read = KernelFunctions::read(names.path());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), EACCES);
  EXPECT_THAT(read.error().message(), ::testing::HasSubstr("run as root"));
}

TEST(KernelFunctions, AddressesOfWhatTheCompilerHasMade) {
  const File names(
      "ffffffff81000100 t finish_task_switch.isra.0\n"
      "ffffffff81000200 t finish_task_switch.constprop.1\n"
      "ffffffff81000300 t finish_task_switch.part.0\n"
      "ffffffff81000400 t finish_task_switch_more\n"
      "ffffffffc0000500 t finish_task_switch\t[sonde]\n");
  auto read = KernelFunctions::read(names.path());
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_THAT(read->addresses_of("finish_task_switch"),
              ::testing::UnorderedElementsAre(0xffffffff81000100, 0xffffffff81000200));
  EXPECT_TRUE(read->addresses_of("finish_task").empty());
}

TEST(KernelFunctions, SayWhetherProgramsGetIn) {
  const std::string one = "ffffffff81000100 T vfs_read\n";
  for (const char* name : {"register_kprobe", "register_fprobe_ips"}) {
    const File names(one + "ffffffff81000200 T " + name + "\n");
    EXPECT_TRUE(KernelFunctions::read(names.path())->let_programs_in()) << name;
  }
  const File names(one);
  EXPECT_FALSE(KernelFunctions::read(names.path())->let_programs_in());
}

TEST(KernelFunctions, OfThisKernel) {
  if (geteuid() != 0) GTEST_SKIP() << "only root sees addresses";
  auto read = KernelFunctions::read();
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_GT(read->all().size(), 1000u);
  EXPECT_TRUE(std::ranges::any_of(read->all(), [](const KernelFunction& one) { return one.name == "vfs_read"; }));
}

TEST(TraceableNames, OfAllModules) {
  const File list("vfs_read\nwork [sonde]\nvfs_open\n");
  const TraceableNames names = TraceableNames::read(list.path());
  EXPECT_TRUE(names.known());
  for (const char* name : {"vfs_read", "work", "vfs_open"}) EXPECT_TRUE(names.contains(name)) << name;
  for (const char* name : {"vfs", "vfs_read ", "sonde", ""}) EXPECT_FALSE(names.contains(name)) << name;
}

TEST(TraceableNames, NobodySays) {
  const TraceableNames names = TraceableNames::read("/nowhere");
  EXPECT_FALSE(names.known());
  EXPECT_FALSE(names.contains("vfs_read"));
}

}  // namespace
}  // namespace sonde
