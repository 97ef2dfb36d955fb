// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <set>
#include <span>

#include "runtime/process/elf_file.h"
#include "tests/cpu_time.h"
#include "tests/providers/support.h"
#include "tests/runtime/process/target_program.h"

namespace sonde {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class PidTest : public ProvidersTest {
 protected:
  PidTest() : pid(program.start()), provider("pid" + std::to_string(pid)) { framework.set_targets({pid}); }

  std::string name_of(ProbeId id) {
    const ProbeInfo& info = framework.info(id);
    return info.module + ":" + info.function + ":" + info.name;
  }
  std::vector<std::string> names(ProbeDescription description) {
    std::vector<std::string> all;
    for (ProbeId id : framework.match(std::move(description))) all.push_back(name_of(id));
    return all;
  }
  uint64_t offset_of(const char* function) { return (*ElfFile::open(program.path()))->find(function)->offset; }

  TargetProgram program{"target", kTargetSource};
  uint32_t pid;
  std::string provider;
};

TEST_F(PidTest, NothingIsMadeUnasked) {
  EXPECT_EQ(count({"", "", "malloc", "", {}}), 0u);
  EXPECT_EQ(count({"p*", "", "work", "entry", {}}), 0u);
  EXPECT_LT(framework.probe_count(), 1000u);
}

TEST_F(PidTest, ModulesHaveManyNames) {
  const std::vector<std::string> work = {"target:work:entry"}, malloc_entry = {"libc.so.6:malloc:entry"};
  EXPECT_EQ(names({provider, "a.out", "work", "entry", {}}), work);
  EXPECT_EQ(names({provider, "target", "work", "entry", {}}), work);
  EXPECT_EQ(names({provider, "tar*", "work", "entry", {}}), work);
  EXPECT_EQ(names({provider, "", "work", "entry", {}}), work);
  EXPECT_EQ(names({"p*" + std::to_string(pid), "a.out", "work", "entry", {}}), work);
  EXPECT_EQ(names({provider, "libc.so.6", "malloc", "entry", {}}), malloc_entry);
  EXPECT_EQ(names({provider, "libc", "malloc", "entry", {}}), malloc_entry);
  EXPECT_EQ(names({provider, "libc.so", "malloc", "entry", {}}), malloc_entry);
  EXPECT_EQ(names({provider, "libc*", "malloc", "entry", {}}), malloc_entry);
  EXPECT_TRUE(names({provider, "lib", "malloc", "entry", {}}).empty());
  EXPECT_TRUE(names({provider, "nosuch", "malloc", "entry", {}}).empty());
}

/// A path selects by device and inode, or by what the process has for the file.
TEST_F(PidTest, AModuleMayBeAPath) {
  const std::string path = program.path(), folder = path.substr(0, path.rfind('/'));
  const std::vector<std::string> work = {path + ":work:entry"};
  const std::string link = folder + "/link", other = folder + "/nosuch";
  ASSERT_EQ(symlink(path.c_str(), link.c_str()), 0);
  EXPECT_EQ(names({provider, path, "work", "entry", {}}), work);
  EXPECT_EQ(names({provider, link, "work", "entry", {}}), work);
  EXPECT_EQ(names({provider, folder + "/lin*", "work", "entry", {}}), work);
  EXPECT_EQ(names({provider, "/*get", "work", "entry", {}}), work) << "* also stands for slashes of the process's path";
  EXPECT_EQ(names({provider, folder + "/t?rget", "work", "entry", {}}), work);
  EXPECT_TRUE(names({provider, "/get", "work", "entry", {}}).empty());
  EXPECT_THAT(refusal({provider, other, "work", "entry", {}}), HasSubstr(other + ": No such file or directory"));
  EXPECT_THAT(refusal({provider, folder, "work", "entry", {}}), HasSubstr(folder + " is not a regular file"));
  EXPECT_THAT(refusal({provider, "/proc/self/environ", "work", "entry", {}}), HasSubstr("is no ELF file for"));
  EXPECT_THAT(refusal({provider, "/proc/self/exe", "main", "entry", {}}), HasSubstr("has not mapped that file"));
  EXPECT_THAT(refusal({provider, path, "nosuch", "entry", {}}), StartsWith("D_PROC_FUNC"));
  ASSERT_EQ(unlink(path.c_str()), 0);
  EXPECT_EQ(names({provider, path, "work", "return", {}}), (std::vector<std::string>{path + ":work:return"}))
      << "what the process has mapped";
  EXPECT_EQ(unlink(link.c_str()), 0);
}

TEST_F(PidTest, APathTellsFilesOfTheSameNameApart) {
  TargetProgram first("libtwin.so", "int twin(int x) { return x + 1; }\n", "-shared -fPIC");
  TargetProgram second("libtwin.so", "int twin(int x) { return x + 2; }\n", "-shared -fPIC");
  TargetProgram opener("opener", "#include <dlfcn.h>\n#include <unistd.h>\nint main(void) { if (!dlopen(\"" +
                                     first.path() + "\", RTLD_NOW) || !dlopen(\"" + second.path() +
                                     "\", RTLD_NOW) || write(1, \"x\", 1) != 1) return 1; pause(); return 0; }");
  const uint32_t other = opener.start();
  framework.set_targets({pid, other});
  const std::string name = "pid" + std::to_string(other);
  for (const auto* one : {&first, &second}) {
    source.taps.clear();
    enable({name, one->path(), "twin", "entry", {}});
    ASSERT_EQ(source.taps.size(), 1u);
    EXPECT_EQ(source.taps[0].path, one->path());
  }
  EXPECT_EQ(names({name, "libtwin*", "twin", "entry", {}}), (std::vector<std::string>{"libtwin.so:twin:entry"}));
  source.taps.clear();
  enable({name, "libtwin.so", "twin", "entry", {}});
  EXPECT_EQ(source.taps.size(), 2u) << "by its name it is in both";
}

/// One probe for all processes: its tap names the file only, and what pid42 has is not matched again.
TEST_F(PidTest, OneProbeForAllProcesses) {
  TargetProgram again("target", kTargetSource);
  const uint32_t other = again.start();
  framework.set_targets({pid, other});
  EXPECT_EQ(names({provider, "libc", "malloc", "entry", {}}), (std::vector<std::string>{"libc.so.6:malloc:entry"}));
  const ProbeId of_all = only({"pid*", "libc", "malloc", "entry", {}});
  EXPECT_EQ(framework.info(of_all).provider, "pid*");
  EXPECT_EQ(only({"pid*", "libc*", "malloc", "entry", {}}), of_all);
  EXPECT_EQ(count({"p*", "libc*", "malloc", "entry", {}}), 2u) << "any other glob matches what there is";
  enable({"pid*", "libc", "malloc", "entry", {}});
  ASSERT_EQ(source.taps.size(), 1u);
  EXPECT_EQ(source.taps[0].pid, 0u);
  EXPECT_FALSE(source.taps[0].forks);
  source.taps.clear();
  enable({"pid*", "a.out", "work", "entry", {}});
  EXPECT_EQ(source.taps.size(), 2u) << "one probe, in the programs of both";
  EXPECT_EQ(count({"pid*", again.path(), "work", "entry", {}}), 1u);
  const std::vector<std::string> follows = {"follow */libc",  "follow */libc.*", "follow */libc-*",
                                            "follow */libc*", "follow *",        "follow " + again.path()};
  std::vector<std::string> asked;
  for (const std::string& call : source.calls)
    if (call.starts_with("follow") && call.find(std::to_string(pid)) == call.npos) asked.push_back(call);
  EXPECT_EQ(asked, follows) << "each once";
}

/// A path needs no process: what the file's resolvers may return is probed then, whichever that will be.
TEST_F(PidTest, AFileThatNobodyHasMapped) {
  framework.set_targets({});
  EXPECT_EQ(only({"pid*", program.path(), "work", "entry", {}}), only({"pid*", program.path(), "wor?", "entry", {}}));
  enable({"pid*", "/lib/x86_64-linux-gnu/libc.so.6", "strlen", "entry", {}});
  EXPECT_GT(source.taps.size(), 1u);
  EXPECT_THAT(refusal({"pid*", "libc*", "malloc", "entry", {}}),
              HasSubstr("no process is traced: name one by -c or -p"));
  EXPECT_THAT(refusal({"pid*", "/nowhere", "main", "entry", {}}), HasSubstr("/nowhere: No such file or directory"));
  EXPECT_THAT(refusal({"pid*", program.path(), "nosuch", "entry", {}}), StartsWith("D_PROC_FUNC"));
  EXPECT_THAT(refusal({"pid*", std::string("/") + std::string(300, 'x'), "f", "entry", {}}), HasSubstr("at most 255"));
  framework.set_targets({pid});
  EXPECT_THAT(refusal({"pid*", "nosuch", "main", "entry", {}}),
              HasSubstr("no traced process has mapped such a module"));
  EXPECT_THAT(refusal({"pid*", "libc*", "mallloc", "entry", {}}),
              HasSubstr("no such function is in the modules of the traced processes\ndid you mean 'malloc'?"));
  EXPECT_THAT(refusal({"pid*", "libc*", "no?such", "entry", {}}), HasSubstr("use -Z to wait for libraries"));
  EXPECT_THAT(refusal({"pid*", "perf*", "main", "entry", {}}), HasSubstr("belongs to one process"));
  EXPECT_THAT(refusal({"pid*", "", "-", "1139", {}}), StartsWith("D_PROC_"));
}

TEST_F(PidTest, LaterDescriptionsFindMore) {
  EXPECT_EQ(count({provider, "a.out", "work", "entry", {}}), 1u);
  EXPECT_GT(count({provider, "a.out", "*", "return", {}}), 2u);
  EXPECT_GT(count({provider, "a.out", "*", "entry", {}}), 2u);
}

/// A glob selects one name per address, so a call is counted once; any name is found if it is written in full.
TEST_F(PidTest, AliasesCountOnce) {
  EXPECT_EQ(count({provider, "a.out", "[wo]*", "entry", {}}), 1u);
  EXPECT_EQ(names({provider, "a.out", "other_name", "entry", {}}), (std::vector<std::string>{"target:work:entry"}));
}

TEST_F(PidTest, TapsSayWhere) {
  enable({provider, "a.out", "work", "entry", {}});
  enable({provider, "a.out", "work", "return", {}});
  ASSERT_EQ(source.taps.size(), 2u);
  EXPECT_EQ(source.taps[0].kind, SONDE_TAP_USER_ENTRY);
  EXPECT_EQ(source.taps[1].kind, SONDE_TAP_USER_RETURN);
  for (const Tap& tap : source.taps) {
    EXPECT_EQ(tap.path, program.path());
    EXPECT_EQ(tap.function, offset_of("work"));
    EXPECT_EQ(tap.pid, pid);
  }
  EXPECT_EQ(source.taps[0].offset, offset_of("work"));
  EXPECT_EQ(source.taps[0].leave.how, SONDE_LEAVE_NONE);
  EXPECT_GT(source.taps[1].offset, offset_of("work"));
  EXPECT_EQ(source.taps[1].leave.how, SONDE_LEAVE_RETURN);
  EXPECT_EQ(source.taps[1].leave.length, 1);
}

/// _start ends in a call that does not return.
TEST_F(PidTest, WhatNeverReturnsHasNoReturn) {
  EXPECT_EQ(count({provider, "a.out", "_start", "entry", {}}), 1u);
  EXPECT_EQ(count({provider, "a.out", "_sta*", "return", {}}), 0u);
  EXPECT_EQ(refusal({provider, "a.out", "_start", "return", {}}),
            "D_PROC_CREATEFAIL probe " + provider + ":target:_start:return cannot be armed: it never returns");
}

/// The jump at the end of `many` is a tail call; the first instruction of its loop is also that of the function.
TEST_F(PidTest, ATapForEachInstructionThatLeaves) {
  TargetProgram leaver("leaver", R"(
#include <unistd.h>
asm(".type many,@function\n many: dec %edi\n jg many\n je 1f\n ret\n 1: jmp getppid@plt\n .size many, .-many");
int many(int);
int main(void) { if (write(1, "x", 1) != 1) return 1; pause(); return many(1); }
)");
  const uint32_t other = leaver.start();
  framework.set_targets({pid, other});
  const std::string name = "pid" + std::to_string(other);
  enable({name, "a.out", "many", "return", {}});
  ASSERT_EQ(source.taps.size(), 2u);
  const uint64_t entry = source.taps[0].function;
  EXPECT_EQ(source.taps[0].offset, entry + 6);
  EXPECT_EQ(source.taps[0].leave.how, SONDE_LEAVE_RETURN);
  EXPECT_EQ(source.taps[1].offset, entry + 7);
  EXPECT_EQ(source.taps[1].leave.how, SONDE_LEAVE_JUMP);
  source.taps.clear();
  enable({name, "a.out", "many", "entry", {}});
  ASSERT_EQ(source.taps.size(), 2u);
  EXPECT_EQ(source.taps[0].offset, entry);
  EXPECT_EQ(source.taps[0].leave.how, SONDE_LEAVE_NONE);
  EXPECT_EQ(source.taps[1].offset, entry + 2);
  EXPECT_EQ(source.taps[1].function, entry);
  EXPECT_EQ(source.taps[1].leave.how, SONDE_LEAVE_REENTER_IF);
}

TEST_F(PidTest, Instructions) {
  const auto all = names({provider, "a.out", "work", "", {}});
  ASSERT_GT(all.size(), 6u);
  EXPECT_EQ(all[0], "target:work:entry");
  EXPECT_EQ(all[1], "target:work:return");
  EXPECT_EQ(all[2], "target:work:0");
  const std::string second = framework.info(framework.match({provider, "a.out", "work", "", {}})[3]).name;
  const uint64_t offset = std::stoull(second, nullptr, 16);
  EXPECT_GT(offset, 0u);
  enable({provider, "a.out", "work", second, {}});
  ASSERT_EQ(source.taps.size(), 1u);
  EXPECT_EQ(source.taps[0].kind, SONDE_TAP_USER_OFFSET);
  EXPECT_EQ(source.taps[0].offset, offset_of("work") + offset);
  EXPECT_EQ(source.taps[0].function, offset_of("work"));
}

TEST_F(PidTest, AbsoluteAddresses) {
  char address[32];
  std::snprintf(address, sizeof address, "%llx",
                static_cast<unsigned long long>((*ElfFile::open(program.path()))->find("work")->address));
  EXPECT_EQ(names({provider, "a.out", "-", address, {}}),
            (std::vector<std::string>{std::string("target:-:") + address}));
  enable({provider, "a.out", "-", address, {}});
  EXPECT_EQ(source.taps[0].offset, offset_of("work"));
  EXPECT_EQ(refusal({provider, "libc", "-", address, {}}),
            "D_PROC_LIB only the a.out module is valid with the '-' function");
  EXPECT_THAT(refusal({provider, "a.out", "-", "entry", {}}), StartsWith("D_PROC_NAME"));
  EXPECT_THAT(refusal({provider, "a.out", "-", "ffffffffff", {}}), StartsWith("D_PROC_OFF"));
}

TEST_F(PidTest, Refusals) {
  EXPECT_EQ(refusal({provider, "a.out", "nosuch", "entry", {}}),
            "D_PROC_FUNC failed to lookup 'nosuch' in module 'a.out'");
  EXPECT_EQ(refusal({provider, "a.out", "work", "exit!", {}}),
            "D_PROC_NAME 'exit!' is an invalid probe name\na probe's name is entry, return, or the offset of an "
            "instruction in hexadecimal, as 1c");
  EXPECT_THAT(refusal({provider, "a.out", "work", "0xf", {}}),
              StartsWith("D_PROC_NAME '0xf' is an invalid probe name"));
  EXPECT_EQ(refusal({provider, "a.out", "work", "fff", {}}), "D_PROC_OFF offset 0xfff outside of function 'work'");
  std::set<uint64_t> instructions;
  for (ProbeId id : framework.match({provider, "a.out", "work", "[!er]*", {}})) {
    instructions.insert(std::stoull(framework.info(id).name, nullptr, 16));
  }
  uint64_t inside = 1;
  while (instructions.contains(inside)) inside++;
  char text[20];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(inside));
  EXPECT_THAT(refusal({provider, "a.out", "work", text, {}}), StartsWith("D_PROC_ALIGN"));
  EXPECT_EQ(refusal({"pid1", "", "main", "entry", {}}),
            "D_PROC_GRAB failed to grab process 1: it is not traced, add -p 1");
  EXPECT_EQ(refusal({"pid0", "", "main", "entry", {}}),
            "D_PROC_BADPID 'pid0' does not contain a valid pid\n$target is the process of -c or -p, and there is none");
  EXPECT_EQ(refusal({"pidx", "", "main", "entry", {}}), "") << "it means no process";
  EXPECT_THAT(refusal({provider, "lib*", "nosuch*", "entry", {}}), StartsWith("D_PDESC_ZERO"));
  for (const char* modules : {"lib*", ""})
    EXPECT_THAT(refusal({provider, modules, "mallloc", "entry", {}}), HasSubstr("\ndid you mean 'malloc'?"));
}

TEST_F(PidTest, MoreThanAMillionInstructionsAreTooMany) {
  TargetProgram huge("huge", R"(
#include <unistd.h>
asm(".type nops,@function\n nops: .rept 1000000\n nop\n .endr\n ret\n .size nops, .-nops");
int main(void) { if (write(1, "x", 1) != 1) return 1; pause(); return 0; }
)");
  const uint32_t other = huge.start();
  framework.set_targets({pid, other});
  const std::string why = refusal({"pid" + std::to_string(other), "a.out", "nops", "", {}});
  EXPECT_THAT(why, StartsWith("D_PROC_CREATEFAIL"));
  EXPECT_THAT(why, HasSubstr("more than 1000000 instructions"));
  EXPECT_LT(framework.probe_count(), 1000u);
}

/// Processor time of a fixed piece of work: 10,000 names are put into a map and found again. Sanitizers, and a processor
/// that others share, make it as much dearer as what is measured by it.
std::chrono::nanoseconds yardstick() {
  const auto start = test::cpu_time();
  std::map<std::string, size_t> names;
  for (size_t i = 0; i < 10'000; i++) names.emplace("a_name_of_some_length_" + std::to_string(i * 7919 % 10'007), i);
  size_t found = 0;
  for (size_t i = 0; i < 10'000; i++) found += names.contains("a_name_of_some_length_" + std::to_string(i)) ? 1 : 0;
  EXPECT_GT(found, 9'900u);
  return test::cpu_time() - start;
}

/// libc has some 3,000 functions. Their list takes 3 to 4 yardsticks.
TEST_F(PidTest, WholeLibrariesAreFast) {
  ASSERT_EQ(count({provider, "libc", "malloc", "entry", {}}), 1u);
  const std::chrono::nanoseconds before = yardstick();
  const auto start = test::cpu_time();
  const size_t found = count({provider, "libc", "", "entry", {}});
  const std::chrono::duration<double> spent = test::cpu_time() - start;
  const std::chrono::duration<double> yard = std::min(before, yardstick());
  EXPECT_GT(found, 1500u);
  RecordProperty("yards", std::to_string(spent / yard));
  EXPECT_LT(spent / yard, 5.0);
}

TEST_F(PidTest, ADeadTargetIsToldSo) {
  program.stop();
  EXPECT_EQ(refusal({provider, "a.out", "work", "entry", {}}),
            "D_PROC_GRAB failed to grab process " + std::to_string(pid) + ": no such process");
}

TEST_F(PidTest, NoTypedArguments) { EXPECT_EQ(arguments(only({provider, "a.out", "work", "entry", {}})), ""); }

TEST_F(PidTest, StaticFunctionsOfOneNameShareAProbe) {
  TargetProgram twins("twins", R"(
#include <unistd.h>
int __attribute__((noinline)) use(int x) { return x + getpid(); }
int one(int); int two(int);
asm(".type twin,@function\n twin: call use\n nop\n ret\n .size twin, .-twin\n .global one\n one = twin");
int __attribute__((noinline)) two(int x) { return use(x + 2); }
int main(void) { if (write(1, "x", 1) != 1) return 1; pause(); return two(1); }
)");
  const uint32_t other = twins.start();
  framework.set_targets({pid, other});
  const std::string name = "pid" + std::to_string(other);
  EXPECT_EQ(names({name, "twins", "tw*", "entry", {}}),
            (std::vector<std::string>{"twins:one:entry", "twins:two:entry"}))
      << "a name that others can call comes first";
  EXPECT_EQ(count({"p*", "a.out", "main", "entry", {}}), 0u);
  EXPECT_EQ(count({"p*" + std::to_string(other), "a.out", "main", "entry", {}}), 1u);
}

}  // namespace
}  // namespace sonde
