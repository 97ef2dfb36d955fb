// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#include "kmod/shared/locate.h"
#include "runtime/process/usdt_notes.h"

namespace sonde::test {
namespace {

constexpr uint64_t kSite = 0x401000, kMemory = 0x7000;

/// A thread whose registers and memory are known.
struct Thread {
  std::array<uint64_t, SONDE_CFI_REGISTERS> registers{};
  std::map<uint64_t, uint64_t> words;

  static int read(void* context, uint64_t address, void* to, uint32_t length) {
    const auto& words = static_cast<Thread*>(context)->words;
    const auto at = words.upper_bound(address);
    if (at == words.begin()) return -1;
    const auto& [start, word] = *std::prev(at);
    if (address - start + length > sizeof word) return -1;
    std::memcpy(to, reinterpret_cast<const char*>(&word) + (address - start), length);
    return 0;
  }
  static int vector(void*, uint32_t number, void* to) {
    std::memset(to, 0, SONDE_VECTOR_BYTES);
    const uint64_t word = 0x4004000000000000 + number;
    std::memcpy(to, &word, sizeof word);
    return 0;
  }
};

Thread a_thread() {
  Thread thread;
  for (size_t n = 0; n < thread.registers.size(); n++) thread.registers[n] = 0x8182838485868700 + n;
  thread.registers[6] = kMemory;          // rbp
  thread.registers[2] = 2;                // rcx
  thread.registers[16] = kSite + 0x5000;  // moved from where it was linked
  thread.words[kMemory - 8] = 0xfffffffffffffff6;
  thread.words[kMemory] = 0x1122334455667788;
  thread.words[kMemory + 8] = 0x99aabbccddeeff00;
  thread.words[kMemory + 16] = 0x0102030405060708;
  thread.words[0x404010 + 0x5000] = 0xcafe;
  thread.words[0x9000 - 0x20] = 0xbeef;
  return thread;
}

std::optional<UsdtSymbol> symbol(std::string_view name) {
  if (name == "count") return UsdtSymbol{0x404010, false};
  if (name == "own") return UsdtSymbol{static_cast<uint64_t>(-0x20), true};
  return std::nullopt;
}

std::vector<UsdtArgument> parse(std::string_view text) { return parse_usdt_arguments(text, {kSite, false, symbol}); }

/// The word of argument `n`; nothing: it cannot be read.
std::optional<uint64_t> word_of(const std::vector<UsdtArgument>& all, size_t n) {
  Thread thread = a_thread();
  const sonde_location_state state{thread.registers.data(), 0x9000, Thread::read, Thread::vector, &thread};
  for (const sonde_location& part : all[n].parts) EXPECT_EQ(sonde_location_check(&part), 0) << all[n].text;
  uint64_t word = 0;
  const int error = sonde_location_read(all[n].parts.data(), static_cast<uint32_t>(all[n].parts.size()),
                                        SONDE_ARGUMENT_ADDRESS(n), &word, sizeof word, &state);
  return error == 0 ? std::optional(word) : std::nullopt;
}

struct Form {
  const char* text;
  uint64_t word;
};

class UsdtForms : public testing::TestWithParam<Form> {};

TEST_P(UsdtForms, IsReadAsTheNoteSays) {
  const auto all = parse(GetParam().text);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].unknown, "");
  EXPECT_EQ(word_of(all, 0), std::optional(GetParam().word));
}

// The register n has 0x81828384858687nn; N decides how much of it counts, and the sign what is above.
INSTANTIATE_TEST_SUITE_P(
    All, UsdtForms,
    testing::Values(Form{"8@%rax", 0x8182838485868700}, Form{"-8@%rax", 0x8182838485868700}, Form{"4@%eax", 0x85868700},
                    Form{"-4@%eax", 0xffffffff85868700}, Form{"4@%rax", 0x85868700}, Form{"2@%ax", 0x8700},
                    Form{"-2@%ax", 0xffffffffffff8700}, Form{"1@%al", 0}, Form{"-1@%sil", 4}, Form{"1@%ah", 0x87},
                    Form{"-1@%ah", 0xffffffffffffff87}, Form{"1@%bh", 0x87}, Form{"4@%edi", 0x85868705},
                    Form{"8@%rdx", 0x8182838485868701}, Form{"8@%rbx", 0x8182838485868703},
                    Form{"8@%r8", 0x8182838485868708}, Form{"-4@%r15d", 0xffffffff8586870f}, Form{"2@%r9w", 0x8709},
                    Form{"1@%r10b", 10}, Form{"8@%rsp", 0x8182838485868707},
                    // memory: rbp is 0x7000, rcx 2
                    Form{"8@(%rbp)", 0x1122334455667788}, Form{"-4@-8(%rbp)", 0xfffffffffffffff6},
                    Form{"4@-8(%rbp)", 0xfffffff6}, Form{"1@3(%rbp)", 0x55}, Form{"2@0x8(%rbp)", 0xff00},
                    Form{"-2@8(%rbp)", 0xffffffffffffff00}, Form{"8@(%rbp,%rcx,4)", 0x99aabbccddeeff00},
                    Form{"8@8(%rbp,%rcx,4)", 0x0102030405060708}, Form{"4@0x7000(,%rcx,2)", 0x11223344},
                    Form{"1@(%rbp,%rcx)", 0x66},
                    // constants
                    Form{"-4@$5", 5}, Form{"-4@$-5", 0xfffffffffffffffb}, Form{"2@$-5536", 60000},
                    Form{"8@$-2147483648", 0xffffffff80000000}, Form{"1@$200", 200},
                    Form{"-1@$200", 0xffffffffffffffc8}, Form{"8@$0x10", 16},
                    Form{"8f@$4609434218613702656", 4609434218613702656},
                    // symbols: count is linked at 0x404010, and the file runs 0x5000 above that
                    Form{"8@count(%rip)", 0xcafe}, Form{"1@1+count(%rip)", 0xca}, Form{"1@count+1(%rip)", 0xca},
                    Form{"2@count", 0xcafe}, Form{"8@count@GOTPCREL(%rip)", 0x409010}, Form{"8@$count", 0x409010},
                    Form{"4@$count+4", 0x409014},
                    // the thread's own memory begins at 0x9000
                    Form{"4@%fs:own@tpoff", 0xbeef}, Form{"4@%fs:-32", 0xbeef},
                    // floating-point numbers: the bits
                    Form{"8f@%rbx", 0x8182838485868703}, Form{"4f@%edx", 0x85868701},
                    Form{"8f@%xmm9", 0x4004000000000009}, Form{"8@%xmm0", 0x4004000000000000}, Form{"4f@%xmm3", 3},
                    // more than a word: its address
                    Form{"16@8(%rbp)", 0x7008}));

class UsdtRefusals : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(UsdtRefusals, CostsItsArgumentOnly) {
  const auto all = parse("4@%eax " + std::string(GetParam().first) + " -4@$7");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].unknown, GetParam().second);
  EXPECT_TRUE(all[1].parts.empty());
  EXPECT_EQ(word_of(all, 0), std::optional<uint64_t>(0x85868700));
  EXPECT_EQ(word_of(all, 2), std::optional<uint64_t>(7));
}

INSTANTIATE_TEST_SUITE_P(
    All, UsdtRefusals,
    testing::Values(
        std::pair("4f@.LC7(%rip)", ".LC7 is a label of the assembler's, which no table has"),
        std::pair("-4@ti(%rip)", "the file has no symbol ti, or several of that name"),
        std::pair("8@8(%rip)", "it is at a distance from the instruction that only the assembler knew"),
        std::pair("16@%rax", "it has 16 bytes, and the note names only the first 8 of them"),
        std::pair("8@%ah", "it has more bytes than the register"), std::pair("@%eax", "it says no size"),
        std::pair("0@%eax", "it says no size"), std::pair("99999999999@%eax", "it says no size"),
        std::pair("x@%eax", "it says no size"), std::pair("4@%mm0", "the operand %mm0 is of no form that is known"),
        std::pair("4@%r16", "the operand %r16 is of no form that is known"),
        std::pair("4@(%rbp,%rcx,3)", "the operand (%rbp,%rcx,3) is of no form that is known"),
        std::pair("4@(%rbp", "the operand (%rbp is of no form that is known"),
        std::pair("4@$", "the operand $ is of no form that is known"),
        std::pair("8@count(%rax)", "count is added to a register, though the program may run at any address"),
        std::pair("4@%fs:count@tpoff", "count is a variable of each thread, and its operand is another one's")));

TEST(UsdtArguments, OfAnotherSyntaxAreNone) {
  for (const char* text : {"-4@DWORD PTR 4[rdi+rsi*4]", "rax", "-4@%eax nonsense 4@$1"}) {
    const auto all = parse(text);
    ASSERT_EQ(all.size(), 1u) << text;
    EXPECT_NE(all[0].unknown.find("another syntax than AT&T's"), std::string::npos) << text;
  }
  EXPECT_TRUE(parse("").empty());
  EXPECT_TRUE(parse("  ").empty());
}

TEST(UsdtArguments, AProgramThatRunsWhereItWasLinked) {
  const auto all = parse_usdt_arguments("8@count(%rcx)", {kSite, true, [](std::string_view) {
                                                            return std::optional(UsdtSymbol{kMemory - 2, false});
                                                          }});
  EXPECT_EQ(word_of(all, 0), std::optional<uint64_t>(0x1122334455667788));
}

}  // namespace
}  // namespace sonde::test
