// SPDX-License-Identifier: GPL-3.0-or-later
// Names of addresses without a file: deleted programs, the vdso, code made at run time.
#include <elf.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <unordered_set>

#include "runtime/base/clock.h"
#include "runtime/base/hex.h"
#include "runtime/process/symbolizer.h"
#include "tests/runtime/process/target_program.h"

namespace sonde {

__attribute__((noinline)) int symbols_test_function(int number) { return number + 1; }

namespace {

uint64_t address_of(uint32_t pid, const std::string& path, const char* function) {
  auto object = ElfFile::open(path);
  auto maps = read_proc_maps(pid);
  if (!object || !maps) return 0;
  const ElfFunction* found = (*object)->find(function);
  for (const MapEntry& entry : *maps)
    if (found != nullptr && entry.executable && entry.path == path) return entry.start + (found->offset - entry.offset);
  return 0;
}

TEST(Symbols, OfAProgramThatWasDeleted) {
  TargetProgram program("gone", kTargetSource);
  const uint32_t pid = program.start();
  const uint64_t work = address_of(pid, program.path(), "work");
  ASSERT_NE(work, 0u);
  std::filesystem::remove(program.path());
  Symbolizer symbolizer;
  symbolizer.note(pid);
  EXPECT_EQ(symbolizer.symbol_text(symbolizer.space(pid, monotonic_now()), work), "gone`work");
  program.stop();
  EXPECT_EQ(symbolizer.symbol_text(symbolizer.space(pid, monotonic_now()), work + 1),
            "gone`work+0x1");  // the process has ended
}

TEST(Symbols, OfProgramsThatHaveEndedAreForgottenOnceNoKeyNamesThem) {
  TargetProgram program("ends", kTargetSource);
  const uint32_t pid = program.start();
  const uint64_t work = address_of(pid, program.path(), "work");
  Symbolizer symbolizer;
  symbolizer.note(pid);
  const uint32_t space = symbolizer.space(pid, monotonic_now());
  const auto forgotten_in = [&](int rounds, const std::unordered_set<uint32_t>& used) {
    std::unordered_set<uint32_t> all;
    while (rounds-- > 0) all.merge(symbolizer.forget_ended(used));
    return all;
  };
  EXPECT_TRUE(forgotten_in(5, {}).empty()) << "it runs";
  program.stop();
  EXPECT_TRUE(forgotten_in(5, {space}).empty()) << "a key names it";
  EXPECT_EQ(symbolizer.symbol_text(space, work), "ends`work");
  EXPECT_EQ(symbolizer.space(pid, monotonic_now()), space);
  EXPECT_TRUE(forgotten_in(2, {}).empty()) << "a record that named it has just been read";
  EXPECT_EQ(forgotten_in(1, {}), std::unordered_set<uint32_t>{space});
  EXPECT_EQ(symbolizer.processes(), 0u);
  EXPECT_EQ(symbolizer.symbol_text(space, work), hex(work));
  EXPECT_NE(symbolizer.space(pid, monotonic_now()), space) << "numbers are not given again";
}

/// One process, which lives, maps new files at one place for days.
TEST(Symbols, WhatNoKeyNeedsOfALivingProcessIsForgotten) {
  constexpr Nanoseconds kSecond = 1'000'000'000;
  constexpr uint64_t kCount = 1000, kPlace = 0x10000;
  const auto self = static_cast<uint32_t>(getpid());
  Symbolizer symbolizer;
  std::unordered_set<uint32_t> used;
  for (uint64_t i = 1; i <= kCount; i++) {
    const MapEntry entry{kPlace, kPlace + 0x1000, 0, true, false, "/no/such/" + std::to_string(i), {8, 1, i}};
    symbolizer.note_mapping(self, i * kSecond, entry, false);
    const uint32_t space = symbolizer.space(self, i * kSecond, std::array{kPlace});
    if (i == 7) used.insert(space);
    EXPECT_EQ(symbolizer.module_text(space, kPlace), std::to_string(i));
  }
  EXPECT_GT(symbolizer.files(), kCount / 2);
  EXPECT_FALSE(symbolizer.forget_ended(used).contains(*used.begin()));
  EXPECT_LE(symbolizer.spaces(), 4u);
  EXPECT_LE(symbolizer.files(), 5u);
  EXPECT_EQ(symbolizer.module_text(*used.begin(), kPlace), "7");
  const uint32_t last = symbolizer.space(self, kCount * kSecond, std::array{kPlace});
  EXPECT_EQ(symbolizer.module_text(last, kPlace), std::to_string(kCount));
}

/// A program that compiles code has samples at very many addresses without a name.
TEST(Symbols, MappingsAreReadAgainOnceForEachPage) {
  constexpr size_t kPages = 2, kLength = 4096;
  auto* code = static_cast<uint8_t*>(mmap(nullptr, kPages * kLength, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(code, MAP_FAILED);
  Symbolizer symbolizer;
  const auto self = static_cast<uint32_t>(getpid());
  symbolizer.note(self);
  size_t reads = 0;
  symbolizer.catch_up = [&reads] { reads++; };
  const uint32_t space = symbolizer.space(self, monotonic_now());
  for (size_t i = 0; i < kPages * kLength; i += 16) {
    const uint64_t address = reinterpret_cast<uint64_t>(code) + i;
    EXPECT_EQ(symbolizer.symbol_text(space, address), hex(address));
  }
  EXPECT_EQ(reads, kPages);
  munmap(code, kPages * kLength);
}

TEST(Symbols, OfAProgramThatWasReplaced) {
  TargetProgram program("replaced", kTargetSource);
  const uint32_t pid = program.start();
  const uint64_t work = address_of(pid, program.path(), "work");
  ASSERT_NE(work, 0u);
  std::filesystem::remove(program.path());
  std::filesystem::copy("/bin/true", program.path());
  Symbolizer symbolizer;
  symbolizer.note(pid);
  EXPECT_EQ(symbolizer.symbol_text(symbolizer.space(pid, monotonic_now()), work), "replaced`work");
}

/// A return address belongs to the caller, even if another function begins there.
TEST(Symbols, OfReturnAddresses) {
  TargetProgram program("target", R"(
#include <unistd.h>
__asm__(".globl one\n.type one,@function\none: nop\n nop\n.size one,.-one\n"
        ".globl two\n.type two,@function\ntwo: mov $15,%rax\n syscall\n.size two,.-two\n");
int main(void) { return write(1, "x", 1) == 1 ? pause() : 1; }
)");
  const uint32_t pid = program.start();
  Symbolizer symbolizer;
  const uint64_t one = address_of(pid, program.path(), "one"), two = one + 2;
  EXPECT_EQ(symbolizer.symbol_text(symbolizer.space(pid, monotonic_now()), two), "target`two");
  EXPECT_EQ(symbolizer.return_text(symbolizer.space(pid, monotonic_now()), two), "target`one+0x2");
  EXPECT_EQ(symbolizer.return_text(symbolizer.space(pid, monotonic_now()), two + 1), "target`two+0x1");
  EXPECT_EQ(symbolizer.return_text(symbolizer.space(pid, monotonic_now()), 0x10), "0x10");
  EXPECT_TRUE(symbolizer.resolve(symbolizer.space(pid, monotonic_now()), two).ends_signal_handler);
  EXPECT_FALSE(symbolizer.resolve(symbolizer.space(pid, monotonic_now()), one).ends_signal_handler);
}

TEST(Symbols, StrippedCodeIsShownAsLinked) {
  TargetProgram program("target", kTargetSource, "-s");
  const uint32_t pid = program.start();
  Elf64_Ehdr header{};
  std::ifstream(program.path()).read(reinterpret_cast<char*>(&header), sizeof header);
  const auto file = ElfFile::open(program.path());
  const auto maps = read_proc_maps(pid);
  uint64_t offset = 0, entry = 0;
  ASSERT_TRUE(file && maps && (*file)->offset_of(header.e_entry, offset));
  for (const MapEntry& map : *maps)
    if (map.executable && map.path == program.path()) entry = map.start + (offset - map.offset);
  Symbolizer symbolizer;
  char wanted[64];
  std::snprintf(wanted, sizeof wanted, "target`+0x%llx", static_cast<unsigned long long>(header.e_entry));
  EXPECT_EQ(symbolizer.symbol_text(symbolizer.space(pid, monotonic_now()), entry), wanted);
  EXPECT_EQ(symbolizer.function_text(symbolizer.space(pid, monotonic_now()), entry), wanted);
  std::snprintf(wanted, sizeof wanted, "target`+0x%llx", static_cast<unsigned long long>(header.e_entry + 4));
  EXPECT_EQ(symbolizer.return_text(symbolizer.space(pid, monotonic_now()), entry + 4), wanted);
}

TEST(Symbols, OfTheVdso) {
  const uint64_t base = getauxval(AT_SYSINFO_EHDR);
  if (base == 0) GTEST_SKIP() << "no vdso";
  const auto pid = static_cast<uint32_t>(getpid());
  auto maps = read_proc_maps(pid);
  ASSERT_TRUE(maps);
  auto mapping = std::ranges::find(*maps, base, &MapEntry::start);
  ASSERT_NE(mapping, maps->end());
  auto vdso = ElfFile::parse("[vdso]", {reinterpret_cast<const uint8_t*>(base), mapping->end - base});
  ASSERT_TRUE(vdso);
  const ElfFunction* function = (*vdso)->find("__vdso_clock_gettime");
  ASSERT_NE(function, nullptr);
  Symbolizer symbolizer;
  const std::string text = symbolizer.symbol_text(symbolizer.space(pid, monotonic_now()), base + function->offset);
  EXPECT_TRUE(text.starts_with("[vdso]`") && text.ends_with("clock_gettime")) << text;
}

TEST(Symbols, OfCodeMadeAtRunTime) {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  const auto address = reinterpret_cast<uint64_t>(page);
  const auto pid = static_cast<uint32_t>(getpid());
  const std::string path = "/tmp/perf-" + std::to_string(pid) + ".map";
  Symbolizer symbolizer;
  symbolizer.note(pid);
  const std::string unknown = symbolizer.symbol_text(symbolizer.space(pid, monotonic_now()), address + 16);
  EXPECT_TRUE(unknown.starts_with("0x")) << unknown;
  std::ofstream(path) << std::hex << address << " 100 hot loop\n";
  EXPECT_EQ(symbolizer.symbol_text(symbolizer.space(pid, monotonic_now()), address + 16),
            "perf-" + std::to_string(pid) + ".map`hot loop+0x10");
  std::ofstream(path, std::ios::app) << std::hex << address + 0x200 << " 10 later\n";
  EXPECT_EQ(symbolizer.symbol_text(symbolizer.space(pid, monotonic_now()), address + 0x200),
            "perf-" + std::to_string(pid) + ".map`later");
  std::filesystem::remove(path);
  munmap(page, 4096);
}

TEST(Symbols, OfCxxAreShownAsInTheSource) {
  const auto pid = static_cast<uint32_t>(getpid());
  Symbolizer symbolizer;
  const std::string text = symbolizer.symbol_text(symbolizer.space(pid, monotonic_now()),
                                                  reinterpret_cast<uint64_t>(&symbols_test_function));
  EXPECT_TRUE(text.ends_with("`sonde::symbols_test_function(int)")) << text;
}

TEST(Symbols, WhatIsNoObjectIsRefused) {
  const uint8_t bytes[64] = {};
  EXPECT_FALSE(ElfFile::parse("[vdso]", bytes));
  EXPECT_FALSE(ElfFile::parse("[vdso]", {}));
}

}  // namespace
}  // namespace sonde
