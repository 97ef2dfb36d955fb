// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/indirect.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "providers/pid/resolver.h"
#include "tests/runtime/process/target_program.h"

namespace sonde::pid {
namespace {

/// Compares with the choices of this process's linker, for each indirect function of the C library and the math
/// library.
class OfThisProcess : public ::testing::TestWithParam<const char*> {};

TEST_P(OfThisProcess, AreThoseThatTheLinkerTakes) {
  void* library = dlopen(GetParam(), RTLD_NOW);
  ASSERT_NE(library, nullptr);
  Dl_info info{};
  ASSERT_NE(dladdr(dlsym(library, GetParam() == std::string("libm.so.6") ? "lrint" : "a64l"), &info), 0);
  Files files;
  const auto maps = read_proc_maps(static_cast<uint32_t>(getpid()));
  const auto mapping = std::ranges::find_if(*maps, [&](const MapEntry& entry) {
    return entry.path.ends_with(base_name(info.dli_fname)) && entry.executable;
  });
  ASSERT_NE(mapping, maps->end());
  const auto file = files.open(mapping->path);
  ASSERT_NE(file, nullptr);
  IndirectFunctions indirect(static_cast<uint32_t>(getpid()), files);
  int compared = 0;
  for (const ElfFunction& function : file->elf->indirect()) {
    const auto chosen = reinterpret_cast<uint64_t>(dlsym(library, function.name.c_str()));
    if (chosen == 0) continue;  // an older version of the name
    const std::vector<Implementation> found = indirect.implementations(*file->elf, function);
    if (function.name.ends_with("time") || function.name.ends_with("timeofday")) {
      EXPECT_TRUE(std::ranges::any_of(found, [](const Implementation& one) { return one.path == kVdso; }))
          << function.name;
      continue;
    }
    ASSERT_EQ(found.size(), 1u) << function.name;
    EXPECT_EQ(mapping->start + (found[0].offset - mapping->offset), chosen) << function.name;
    compared++;
  }
  EXPECT_GT(compared, 20);
}

INSTANTIATE_TEST_SUITE_P(Library, OfThisProcess, ::testing::Values("libc.so.6", "libm.so.6"));

/// Symbols of unrelated libraries are not read: they are many, and reading them would take longer than everything else.
TEST(IndirectFunctions, OpenWhatTheyNeed) {
  const auto maps = read_proc_maps(static_cast<uint32_t>(getpid()));
  const auto libc = std::ranges::find_if(
      *maps, [](const MapEntry& entry) { return entry.executable && base_name(entry.path).starts_with("libc.so"); });
  ASSERT_NE(libc, maps->end());
  ASSERT_TRUE(std::ranges::any_of(
      *maps, [](const MapEntry& entry) { return entry.path.find("libstdc++") != entry.path.npos; }));
  Files files;
  const auto file = files.open(libc->path);
  const auto strlen_ = std::ranges::find(file->elf->indirect(), "strlen", &ElfFunction::name);
  ASSERT_NE(strlen_, file->elf->indirect().end());
  IndirectFunctions indirect(static_cast<uint32_t>(getpid()), files);
  EXPECT_EQ(indirect.implementations(*file->elf, *strlen_).size(), 1u);
  for (const auto& fd : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string path = std::filesystem::read_symlink(fd.path(), gone);
    EXPECT_EQ(path.find("libstdc++"), path.npos) << path;
  }
}

/// Resolvers of compilers, and one that runs cpuid itself: it cannot be followed, so the address that the linker has
/// stored is used.
TEST(IndirectFunctions, OfAProgram) {
  TargetProgram program("target", R"(
#include <unistd.h>
typedef int function(int);
static int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }
volatile unsigned features = 0x1280;
static __attribute__((noinline)) unsigned masked(unsigned bits) { return features & bits; }
static function* choose(void) {
  unsigned char low = (unsigned char)(masked(0x1200) >> 8);
  return low == 0x12 && (int)masked(~0u) - 0x1281 < 0 ? two : one;
}
static function* ask(void) {
  unsigned a = 0, b, c = 0, d;
  __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  return b == 0 ? one : two;
}
int chosen(int) __attribute__((ifunc("choose")));
int asked(int) __attribute__((ifunc("ask")));
int main(void) {
  if (chosen(1) != 3 || asked(1) != 3 || write(1, "x", 1) != 1) return 1;
  pause();
}
)");
  const uint32_t pid = program.start();
  Files files;
  const auto file = files.open(program.path());
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(file->elf->indirect().size(), 2u);
  EXPECT_EQ(file->elf->find("chosen"), nullptr) << "the resolver is not what callers run";
  IndirectFunctions indirect(pid, files);
  for (const ElfFunction& function : file->elf->indirect()) {
    const auto found = indirect.implementations(*file->elf, function);
    ASSERT_EQ(found.size(), 1u) << function.name;
    EXPECT_EQ(found[0].offset, file->elf->find("two")->offset) << function.name;
  }
}

TEST(Resolver, StopsAtWhatItDoesNotKnow) {
  const auto run = [](std::vector<uint8_t> code) {
    return interpret_resolver(
        0x1000,
        [&](uint64_t address, uint8_t* to, size_t length) {
          if (address < 0x1000 || address - 0x1000 >= code.size()) return size_t{0};
          const size_t there = std::min<size_t>(length, code.size() - (address - 0x1000));
          std::copy_n(code.begin() + static_cast<ptrdiff_t>(address - 0x1000), there, to);
          return there;
        },
        [](uint64_t, uint8_t*, size_t) { return false; });
  };
  EXPECT_EQ(run({0xb8, 0x42, 0, 0, 0, 0xc3}), 0x42u);  // mov $0x42, %eax; ret
  EXPECT_EQ(run({0x53, 0x31, 0xc0, 0x5b, 0xc3}), 0u);  // push, xor, pop, ret
  // mov $..., %eax; shl $1, %eax (or shr); seto %al; movzx %al, %eax; ret
  EXPECT_EQ(run({0xb8, 0, 0, 0, 0x40, 0xd1, 0xe0, 0x0f, 0x90, 0xc0, 0x0f, 0xb6, 0xc0, 0xc3}), 1u);
  EXPECT_EQ(run({0xb8, 0, 0, 0, 0x20, 0xd1, 0xe0, 0x0f, 0x90, 0xc0, 0x0f, 0xb6, 0xc0, 0xc3}), 0u);
  EXPECT_EQ(run({0xb8, 0, 0, 0, 0x80, 0xd1, 0xe8, 0x0f, 0x90, 0xc0, 0x0f, 0xb6, 0xc0, 0xc3}), 1u);
  EXPECT_EQ(run({0x8b, 0x05, 0, 0, 0, 0, 0xc3}), std::nullopt);              // unknown data
  EXPECT_EQ(run({0xeb, 0xfe}), std::nullopt);                                // an endless loop
  EXPECT_EQ(run({0x0f, 0xa2, 0xc3}), std::nullopt);                          // cpuid
  EXPECT_EQ(run({0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0}), std::nullopt);  // thread-local data
  EXPECT_EQ(run({0x90}), std::nullopt);                                      // runs off its end
}

}  // namespace
}  // namespace sonde::pid
