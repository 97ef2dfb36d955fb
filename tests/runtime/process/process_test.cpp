// SPDX-License-Identifier: GPL-3.0-or-later
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "runtime/base/clock.h"
#include "runtime/base/hex.h"
#include "runtime/process/elf_file.h"
#include "runtime/process/proc_maps.h"
#include "runtime/process/symbolizer.h"
#include "tests/runtime/process/target_program.h"

namespace sonde {
namespace {

TEST(ProcMaps, Parses) {
  const auto maps = parse_proc_maps(
      "55d0c0000000-55d0c0002000 r-xp 00001000 fd:01 1234                       /usr/bin/a b (deleted)\n"
      "nonsense\n"
      "7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n"
      "7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                          [stack]\n"
      "7ffd10000000-7ffd10001000 r--s 00000000 00:05 99                         /odd\\012name\n");
  ASSERT_EQ(maps.size(), 4u);
  EXPECT_EQ(maps[0].start, 0x55d0c0000000u);
  EXPECT_EQ(maps[0].end, 0x55d0c0002000u);
  EXPECT_EQ(maps[0].offset, 0x1000u);
  EXPECT_TRUE(maps[0].executable);
  EXPECT_EQ(maps[0].path, "/usr/bin/a b");
  EXPECT_TRUE(maps[0].is_file());
  EXPECT_EQ(maps[1].path, "");
  EXPECT_FALSE(maps[2].is_file());
  EXPECT_EQ(maps[3].path, "/odd\nname");
  EXPECT_EQ(base_name("/usr/lib/libc.so.6"), "libc.so.6");
}

TEST(ProcMaps, SaysWhenThereIsNoProcess) {
  auto maps = read_proc_maps(0x7ffffffe);
  ASSERT_FALSE(maps);
  EXPECT_EQ(maps.error().code(), ESRCH);
}

std::shared_ptr<const ElfFile> open_object(const std::string& path) {
  auto file = ElfFile::open(path);
  EXPECT_TRUE(file) << file.error().message();
  return *file;
}

TEST(ElfFile, FindsFunctions) {
  TargetProgram program("target", kTargetSource);
  const auto file = open_object(program.path());
  const ElfFunction* work = file->find("work");
  ASSERT_NE(work, nullptr);
  EXPECT_GT(work->size, 0u);
  ASSERT_NE(file->find("helper"), nullptr);
  EXPECT_EQ(file->find("helper")->binding, ElfFunction::Binding::Local);
  ASSERT_NE(file->find("other_name"), nullptr);
  EXPECT_EQ(file->find("other_name")->address, work->address);
  EXPECT_EQ(file->at(work->address + 1)->name, "work");  // shorter than other_name
  EXPECT_EQ(file->find("getpid"), nullptr);
  EXPECT_EQ(file->code(*work).size(), work->size);
  uint64_t address = 0, offset = 0;
  EXPECT_TRUE(file->address_of(work->offset, address));
  EXPECT_EQ(address, work->address);
  EXPECT_TRUE(file->offset_of(work->address, offset));
  EXPECT_EQ(offset, work->offset);
  EXPECT_FALSE(file->offset_of(~uint64_t{0}, offset));
  EXPECT_EQ(file->at(0), nullptr);
}

TEST(ElfFile, StrippedProgramsKeepWhatIsDynamic) {
  TargetProgram program("target", kTargetSource, "-s -rdynamic");
  const auto file = open_object(program.path());
  EXPECT_NE(file->find("work"), nullptr);
  EXPECT_EQ(file->find("helper"), nullptr);
}

TEST(ElfFile, StaticProgramsAreNotMoved) {
  TargetProgram program("target", kTargetSource, "-static");
  const auto file = open_object(program.path());
  ASSERT_NE(file->find("work"), nullptr);
  EXPECT_GT(file->find("work")->address, 0x400000u);
  EXPECT_LT(file->find("work")->offset, file->find("work")->address);
}

TEST(ElfFile, LibraryNamesHaveNoVersions) {
  Dl_info info{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&getpid), &info), 0);
  const auto libc = open_object(info.dli_fname);
  const ElfFunction* malloc_function = libc->find("malloc");
  ASSERT_NE(malloc_function, nullptr);
  EXPECT_GT(libc->functions().size(), 1500u);
  EXPECT_EQ(libc->find("memcpy") == nullptr || libc->find("memcpy")->size > 0, true);
  for (const ElfFunction& function : libc->functions()) EXPECT_EQ(function.name.find('@'), std::string::npos);
}

TEST(ElfFile, RefusesWhatIsNotElf) {
  EXPECT_EQ(ElfFile::open("/etc/passwd").error().code(), ENOEXEC);
  EXPECT_EQ(ElfFile::open("/nosuch").error().code(), ENOENT);
  EXPECT_FALSE(ElfFile::open("/proc"));
}

TEST(ElfFile, DamagedFilesDoNoHarm) {
  TargetProgram program("target", kTargetSource);
  std::ifstream in(program.path(), std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::string path = program.path() + ".bad";
  unsigned random = 12345;
  for (int i = 0; i < 150; i++) {
    std::string bad = good;
    for (int k = 0; k < 20; k++) {
      random = random * 1103515245 + 12345;
      bad[random / 7 % bad.size()] = static_cast<char>(random >> 16);
    }
    if (i % 3 == 0) bad.resize(random / 11 % bad.size());
    std::ofstream(path, std::ios::binary) << bad;
    auto file = ElfFile::open(path);
    if (!file) continue;
    for (const ElfFunction& function : (*file)->functions()) {
      (void)(*file)->at(function.address);
      (void)(*file)->code(function);
    }
  }
}

/// Places where the symbols of a stripped program may be, and cases in which they must not be used.
class SeparateSymbols : public ::testing::TestWithParam<const char*> {
 protected:
  SeparateSymbols() : program_("target", kTargetSource, GetParam()), path_(program_.path()) {}

  void run(const std::string& command) { ASSERT_EQ(std::system(("set -e; p=" + path_ + "; " + command).c_str()), 0); }
  bool knows_helper() { return open_object(path_)->find("helper") != nullptr; }
  bool has_build_id() const { return std::string_view(GetParam()).find("none") == std::string_view::npos; }

  TargetProgram program_;
  std::string path_;
};

TEST_P(SeparateSymbols, ByDebugLink) {
  run("objcopy --only-keep-debug $p $p.debug; objcopy -S --add-gnu-debuglink=$p.debug $p");
  EXPECT_TRUE(knows_helper());
  run("mkdir $(dirname $p)/.debug; mv $p.debug $(dirname $p)/.debug/");
  EXPECT_TRUE(knows_helper());
  run("echo more >> $(dirname $p)/.debug/target.debug");
  EXPECT_EQ(knows_helper(), has_build_id()) << "the sum of another file, and no build id";
  run("cp /bin/true $(dirname $p)/.debug/target.debug");
  EXPECT_FALSE(knows_helper());
  run("rm -r $(dirname $p)/.debug");
  EXPECT_FALSE(knows_helper());
}

TEST_P(SeparateSymbols, UnderUsrLibDebug) {
  if (geteuid() != 0) GTEST_SKIP() << "only root writes to /usr/lib/debug";
  const std::string folder = path_.substr(0, path_.rfind('/'));
  run("objcopy --only-keep-debug $p $p.debug; objcopy -S --add-gnu-debuglink=$p.debug $p; d=/usr/lib/debug$(dirname "
      "$p); "
      "mkdir -p $d; mv $p.debug $d/");
  EXPECT_TRUE(knows_helper());
  std::filesystem::remove_all("/usr/lib/debug" + folder);
  EXPECT_FALSE(knows_helper());
}

TEST_P(SeparateSymbols, ByBuildId) {
  if (geteuid() != 0) GTEST_SKIP() << "only root writes to /usr/lib/debug";
  run("objcopy --only-keep-debug $p $p.debug; objcopy -S $p");
  EXPECT_FALSE(knows_helper());
  const std::string place =
      "id=$(readelf -n $p | sed -n 's/ *Build ID: //p'); f=/usr/lib/debug/.build-id/$(echo $id | cut -c1-2)/$(echo $id "
      "| "
      "cut -c3-).debug; [ -n \"$id\" ] || exit 0; ";
  run(place + "mkdir -p $(dirname $f); mv $p.debug $f");
  EXPECT_EQ(knows_helper(), has_build_id());
  run(place + "cp /bin/true $f");
  EXPECT_FALSE(knows_helper()) << "a file of another build id";
  run(place + "rm $f; rmdir --ignore-fail-on-non-empty $(dirname $f)");
}

TEST_P(SeparateSymbols, ByMiniDebugInformation) {
  run("objcopy -S --keep-symbol=helper $p $p.mini; xz -k $p.mini; objcopy -S --add-section .gnu_debugdata=$p.mini.xz "
      "$p");
  EXPECT_TRUE(knows_helper());
  EXPECT_EQ(open_object(path_)->at(open_object(path_)->find("helper")->address + 1)->name, "helper");
  run("head -c 100 $p.mini.xz > $p.cut; objcopy --update-section .gnu_debugdata=$p.cut $p");
  EXPECT_FALSE(knows_helper());
}

INSTANTIATE_TEST_SUITE_P(BuildId, SeparateSymbols, ::testing::Values("-Wl,--build-id=sha1", "-Wl,--build-id=none"));

TEST(ElfCache, OpensAgainWhenTheFileChanged) {
  TargetProgram one("target", kTargetSource),
      two("target", "int fresh(void) { return 1; } int main(void) { return fresh(); }", "-O0");
  ElfCache cache;
  auto first = cache.open(one.path()), again = cache.open(one.path());
  ASSERT_TRUE(first && again);
  EXPECT_EQ(*first, *again);
  std::filesystem::rename(two.path(), one.path());
  auto changed = cache.open(one.path());
  ASSERT_TRUE(changed);
  EXPECT_NE((*changed)->find("fresh"), nullptr);
  std::filesystem::remove(one.path());
  EXPECT_FALSE(cache.open(one.path()));
}

TEST(Symbolizer, OwnFunctions) {
  Symbolizer symbolizer;
  const uint32_t space = symbolizer.space(static_cast<uint32_t>(getpid()), monotonic_now());
  void* address = dlsym(RTLD_DEFAULT, "a64l");
  ASSERT_NE(address, nullptr);
  const auto pc = reinterpret_cast<uint64_t>(address);
  EXPECT_EQ(symbolizer.symbol_text(space, pc), "libc.so.6`a64l");
  EXPECT_EQ(symbolizer.symbol_text(space, pc + 4), "libc.so.6`a64l+0x4");
  EXPECT_EQ(symbolizer.function_text(space, pc + 4), "libc.so.6`a64l");
  EXPECT_EQ(symbolizer.module_text(space, pc), "libc.so.6");
  EXPECT_EQ(symbolizer.symbol_text(space, 0x10), "0x10");
  EXPECT_EQ(symbolizer.module_text(space, 0x10), "0x10");
}

TEST(Symbolizer, DeadProcessesStillResolve) {
  TargetProgram program("target", kTargetSource);
  const uint32_t pid = program.start();
  auto maps = read_proc_maps(pid);
  ASSERT_TRUE(maps);
  const auto file = open_object(program.path());
  const ElfFunction* work = file->find("work");
  uint64_t pc = 0;
  for (const MapEntry& entry : *maps) {
    if (entry.executable && entry.path == program.path()) pc = entry.start + work->offset - entry.offset;
  }
  ASSERT_NE(pc, 0u);
  Symbolizer symbolizer;
  symbolizer.note(pid);
  program.stop();
  symbolizer.note(pid);
  const uint32_t space = symbolizer.space(pid, monotonic_now());
  EXPECT_EQ(symbolizer.symbol_text(space, pc + 2), "target`work+0x2");
  symbolizer.note_exec(pid, monotonic_now());
  EXPECT_EQ(symbolizer.symbol_text(space, pc + 2), "target`work+0x2") << "a stack from before the exec";
  EXPECT_EQ(symbolizer.module_text(symbolizer.space(pid, monotonic_now()), pc + 2), hex(pc + 2)) << "one of after it";
}

constexpr uint32_t kPid = 0x7ffffff1;  // of no process

MapEntry text_of_file(uint64_t start, const std::string& path, uint64_t inode = 0) {
  return {start, start + 0x1000, 0, true, false, path, {8, 1, inode}};
}

/// The module at an address at a time.
std::string module_at(Symbolizer& symbolizer, Nanoseconds time, uint64_t address) {
  return symbolizer.module_text(symbolizer.space(kPid, time, {&address, 1}), address);
}

TEST(Symbolizer, EachTimeHasItsProgram) {
  Symbolizer symbolizer;
  symbolizer.note_mapping(kPid, 10, text_of_file(0x10000000, "/bin/first"), false);
  symbolizer.note_exec(kPid, 20);
  symbolizer.note_exec(kPid, 30);
  symbolizer.note_mapping(kPid, 40, text_of_file(0x10000000, "/bin/second"), true);
  symbolizer.note_mapping(kPid, 41, text_of_file(0x20000000, "/lib/second.so"), true);  // of the same end
  symbolizer.note_mapping(kPid, 60, text_of_file(0x10000000, "/bin/third"), false);
  EXPECT_EQ(module_at(symbolizer, 5, 0x10000001), "first");
  EXPECT_EQ(module_at(symbolizer, 25, 0x10000001), "0x10000001") << "a program of which nothing is known";
  EXPECT_EQ(module_at(symbolizer, 35, 0x10000001), "second");
  EXPECT_EQ(module_at(symbolizer, 35, 0x20000001), "second.so");
  EXPECT_EQ(module_at(symbolizer, 50, 0x10000001), "third") << "the pid's next process, seen later";
  EXPECT_EQ(module_at(symbolizer, 50, 0x20000001), "0x20000001") << "a library of the process before";
}

TEST(Symbolizer, MappingsThatAreTold) {
  Dl_info info{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&getpid), &info), 0);
  const auto libc = open_object(info.dli_fname);
  const ElfFunction* function = libc->find("a64l");
  ASSERT_NE(function, nullptr);
  Symbolizer symbolizer;
  MapEntry entry = text_of_file(0x10000000, info.dli_fname);
  entry.end = 0x11000000;
  symbolizer.note_mapping(kPid, 10, entry, false);
  EXPECT_EQ(symbolizer.symbol_text(symbolizer.space(kPid, 10), 0x10000000 + function->offset), "libc.so.6`a64l");
}

/// The path leads to another file than the one that was mapped.
TEST(Symbolizer, NamesOfAnotherFileAreNotTaken) {
  Dl_info info{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&getpid), &info), 0);
  Symbolizer symbolizer;
  std::vector<std::string> reasons;
  symbolizer.complain_by([&](const std::string& text) { reasons.push_back(text); });
  MapEntry entry = text_of_file(0x10000000, info.dli_fname, 1);
  entry.end = 0x11000000;
  symbolizer.note_mapping(kPid, 10, entry, false);
  const uint32_t space = symbolizer.space(kPid, 10);
  EXPECT_EQ(symbolizer.symbol_text(space, 0x10030000), "libc.so.6`0x10030000");
  EXPECT_EQ(symbolizer.symbol_text(space, 0x10040000), "libc.so.6`0x10040000");
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_NE(reasons[0].find("replaced by another file"), std::string::npos) << reasons[0];
}

/// What a stack of kPid lacks that ends at `frames`, as letters of the kinds: N(ames), F(rames), T(able).
std::string lacks_of(Symbolizer& symbolizer, Nanoseconds time, std::vector<uint64_t> frames, uint32_t flags) {
  std::string found;
  for (const LackingStack& one : symbolizer.take_lacking(kPid, time, frames, flags))
    found += "NFT"[static_cast<int>(one.lack)];
  return found;
}

TEST(Symbolizer, TellsOnceForAProgramWhatItsStacksLack) {
  constexpr uint32_t kBoth = SONDE_RECORD_STACK_LOST | SONDE_RECORD_STACK_COMPILED;
  Dl_info info{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&getpid), &info), 0);
  Symbolizer symbolizer;
  symbolizer.note_mapping(kPid, 10, text_of_file(0x10000000, info.dli_fname), false);
  EXPECT_EQ(lacks_of(symbolizer, 11, {0x10000010}, kBoth), "") << "all in a file that has frame information";
  EXPECT_EQ(lacks_of(symbolizer, 11, {0x10000010, 0x20000000}, SONDE_RECORD_STACK_COMPILED), "N");
  EXPECT_EQ(lacks_of(symbolizer, 12, {0x10000010, 0x20000000}, kBoth), "F");
  EXPECT_EQ(lacks_of(symbolizer, 13, {0x10000010, 0x20000000}, kBoth), "");
  EXPECT_EQ(symbolizer.program_at(kPid, 13), "libc.so.6") << "the lowest file";
  symbolizer.note_mapping(kPid, 14, text_of_file(0x10000000, "/lib/late.so"), false);
  EXPECT_EQ(lacks_of(symbolizer, 15, {0x10000010, 0x30000000}, kBoth), "") << "of another layout of the program";
  symbolizer.note_exec(kPid, 20);
  EXPECT_EQ(lacks_of(symbolizer, 21, {0x20000000}, kBoth), "NF") << "another program";
}

TEST(Symbolizer, AsksForMappingsThatAreOnTheirWay) {
  Symbolizer symbolizer;
  int asked = 0;
  symbolizer.catch_up = [&] {
    asked++;
    symbolizer.note_mapping(kPid, 10, text_of_file(0x10000000, "/lib/libold.so"), false);
  };
  const uint32_t space = symbolizer.space(kPid, 10);
  EXPECT_EQ(symbolizer.module_text(space, 0x10000010), "libold.so");
  EXPECT_EQ(symbolizer.module_text(space, 0x10000020), "libold.so");
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(symbolizer.module_text(space, 0x20000000), "0x20000000");
  EXPECT_EQ(symbolizer.module_text(space, 0x20000000), "0x20000000");
  EXPECT_EQ(asked, 2) << "once for an address";
}

}  // namespace
}  // namespace sonde
