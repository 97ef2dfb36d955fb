// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/body/subroutines.h"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <set>

#include "runtime/body/state.h"
#include "runtime/body/symbols.h"
#include "runtime/lang/functions.h"
#include "runtime/lang/variables.h"
#include "runtime/process/cgroups.h"
#include "tests/runtime/consumer/records.h"

namespace sonde {
namespace {

using namespace testing;

TEST(Symbols, EveryRowThatNeedsCodeHasSome) {
  std::set<std::string, std::less<>> names;
  for (const BodySymbol& symbol : body_symbols()) {
    EXPECT_NE(symbol.address, nullptr) << symbol.name;
    EXPECT_TRUE(names.insert(std::string(symbol.name)).second) << symbol.name;
  }
  for (const DFunction& function : kFunctions) {
    std::string name(function.name);
    if (function.runs == Runs::Body) {
      EXPECT_TRUE(names.contains("sonde_fn_" + name)) << name;
    }
    if (is_action(function.runs) && function.runs != Runs::Impossible) {
      EXPECT_TRUE(names.contains("sonde_act_" + name)) << name;
    }
  }
  for (const DVariable& variable : kVariables) {
    if (variable.from != From::Body) continue;
    EXPECT_TRUE(names.contains("sonde_var_" + std::string(variable.name))) << variable.name;
  }
}

/// A context in the middle of a clause.
class Body : public ::testing::Test {
 protected:
  Body() {
    ClauseDesc& clause = bench.clause(nullptr);
    clause.held = true;
    bench.probe(5, "syscall", "vmlinux", "openat", "entry");
    record = RecordBuilder(1, 5, 1000).thread(42, 43).text("hello").fault(0xbad).bytes("xy").word(9).build();
    state.emplace(bench.program, bench.options, &bench.source, names);
    context.state = &*state;
    context.record = reinterpret_cast<const sonde_record*>(record.data());
    context.slots = context.record->slot;
    context.clause = &bench.program.clauses[0];
    context.probe = &bench.probes[0];
    context.epid = 1;
    state->begin_clause(context);
  }
  /// The string of a word, or "NULL" or "fault".
  std::string text(uint64_t word) {
    if (context.fault != 0) {
      context.fault = 0;
      return "fault";
    }
    return word == 0 ? "NULL" : reinterpret_cast<const char*>(word);
  }
  template <typename... Words>
  std::string call(uint64_t (*function)(BodyContext*, uint32_t, const uint64_t*), Words... words) {
    uint64_t argv[] = {to_word(words)...};
    return text(function(&context, sizeof...(words), argv));
  }
  template <typename... Words>
  int64_t number(uint64_t (*function)(BodyContext*, uint32_t, const uint64_t*), Words... words) {
    uint64_t argv[] = {to_word(words)...};
    return static_cast<int64_t>(function(&context, sizeof...(words), argv));
  }
  static uint64_t to_word(const char* string) { return word_of(string); }
  static uint64_t to_word(int64_t number) { return static_cast<uint64_t>(number); }
  static uint64_t to_word(int number) { return static_cast<uint64_t>(int64_t{number}); }

  class NoNames : public SymbolNames {
   public:
    uint32_t space(uint32_t pid, Nanoseconds, std::span<const uint64_t>) override { return pid; }
    std::string name(uint32_t, uint64_t, SymbolValue::Kind) override { return "?"; }
    SymbolPlace place(uint32_t, uint64_t, SymbolValue::Kind) override { return {}; }
    uint64_t canonical(uint32_t, uint64_t address, SymbolValue::Kind) override { return address & ~uint64_t{15}; }
    bool ends_signal_handler(uint32_t, uint64_t) override { return false; }
  };
  Bench bench;
  NoNames names;
  std::vector<uint64_t> record;
  std::optional<BodyState> state;
  BodyContext context{};
};

constexpr const char* kNull = nullptr;

TEST_F(Body, Substr) {
  EXPECT_EQ(call(sonde_fn_substr, "abcde", 1, 2), "bc");
  EXPECT_EQ(call(sonde_fn_substr, "abcde", -2), "de");
  EXPECT_EQ(call(sonde_fn_substr, "abcde", -2, 1), "d");
  EXPECT_EQ(call(sonde_fn_substr, "abcde", -10, 7), "ab");
  EXPECT_EQ(call(sonde_fn_substr, "abcde", 1, -1), "bcd");
  EXPECT_EQ(call(sonde_fn_substr, "abcde", 7), "");
  EXPECT_EQ(call(sonde_fn_substr, "abcde", -10), "abcde");
  EXPECT_EQ(call(sonde_fn_substr, "abcde", -10, 3), "");
  EXPECT_EQ(call(sonde_fn_substr, "abcde", 1, -9), "");
  EXPECT_EQ(call(sonde_fn_substr, "abcde", 0, INT32_MAX), "abcde");
  EXPECT_EQ(call(sonde_fn_substr, kNull, 0), "fault");
}

TEST_F(Body, IndexAndRindex) {
  EXPECT_EQ(number(sonde_fn_index, "foobarbaz", "ba"), 3);
  EXPECT_EQ(number(sonde_fn_index, "foobarbaz", "ba", 4), 6);
  EXPECT_EQ(number(sonde_fn_index, "foobarbaz", "ba", -4), 3);
  EXPECT_EQ(number(sonde_fn_index, "foo", "", 2), 2);
  EXPECT_EQ(number(sonde_fn_index, "foo", "", 3), 3);
  EXPECT_EQ(number(sonde_fn_index, "foo", "", 4), 3);
  EXPECT_EQ(number(sonde_fn_index, "foo", "o", 4), -1);
  EXPECT_EQ(number(sonde_fn_index, "", "x"), -1);
  EXPECT_EQ(number(sonde_fn_index, "", ""), 0);
  EXPECT_EQ(number(sonde_fn_rindex, "foobarbaz", "ba"), 6);
  EXPECT_EQ(number(sonde_fn_rindex, "foobarbaz", "ba", 5), 3);
  EXPECT_EQ(number(sonde_fn_rindex, "foobarbaz", "ba", -1), -1);
  EXPECT_EQ(number(sonde_fn_rindex, "foobarbaz", "ba", 100), 6);
  EXPECT_EQ(number(sonde_fn_rindex, "foo", "", 2), 2);
  EXPECT_EQ(number(sonde_fn_rindex, "foo", "", 9), 3);
  EXPECT_EQ(number(sonde_fn_rindex, "foo", "", -4), 0);
  EXPECT_EQ(number(sonde_fn_rindex, "", "x"), -1);
  EXPECT_EQ(number(sonde_fn_rindex, "", ""), 0);
}

TEST_F(Body, Strtok) {
  EXPECT_EQ(call(sonde_fn_strtok, kNull, ","), "fault");
  EXPECT_EQ(call(sonde_fn_strtok, ",,one,;two;", ",;"), "one");
  EXPECT_EQ(call(sonde_fn_strtok, kNull, ",;"), "two");
  EXPECT_EQ(call(sonde_fn_strtok, kNull, ",;"), "NULL");
  EXPECT_EQ(call(sonde_fn_strtok, "all of it", ""), "all of it");
  EXPECT_EQ(call(sonde_fn_strtok, "a", kNull), "fault");
  EXPECT_EQ(call(sonde_fn_strtok, "abXcdYef", "X"), "ab");
  EXPECT_EQ(call(sonde_fn_strtok, kNull, "Y"), "Xcd") << "it goes on at the delimiter, not behind it";
  call(sonde_fn_strtok, "a b", " ");
  state->begin_clause(context);
  EXPECT_EQ(call(sonde_fn_strtok, kNull, " "), "b") << "state lives for the firing";
  call(sonde_fn_strtok, "a b", " ");
  state->begin_firing();
  EXPECT_EQ(call(sonde_fn_strtok, kNull, " "), "fault") << "state lives for the firing only";
}

TEST_F(Body, OtherStrings) {
  EXPECT_EQ(call(sonde_fn_strjoin, "ab", "cd"), "abcd");
  EXPECT_EQ(call(sonde_fn_strjoin, "ab", kNull), "fault");
  EXPECT_EQ(call(sonde_fn_strjoin, "a", "b", "", "c"), "abc");
  EXPECT_EQ(call(sonde_fn_strjoin, "a", kNull, "c"), "fault");
  EXPECT_EQ(number(sonde_fn_strlen, "abc"), 3);
  EXPECT_EQ(call(sonde_fn_strchr, "a/b/c", int{'/'}), "/b/c");
  EXPECT_EQ(call(sonde_fn_strrchr, "a/b/c", int{'/'}), "/c");
  EXPECT_EQ(call(sonde_fn_strchr, "abc", int{'x'}), "NULL");
  EXPECT_EQ(call(sonde_fn_strstr, "foobar", "ob"), "obar");
  EXPECT_EQ(call(sonde_fn_strstr, "foobar", ""), "foobar");
  EXPECT_EQ(call(sonde_fn_strstr, "foobar", "x"), "NULL");
  EXPECT_EQ(call(sonde_fn_lltostr, INT64_MIN), "-9223372036854775808");
  EXPECT_EQ(call(sonde_fn_lltostr, int64_t{255}, 16), "0xff");
  EXPECT_EQ(call(sonde_fn_lltostr, int64_t{255}, 1), "fault");
  std::string longest(300, 'x');
  EXPECT_EQ(call(sonde_fn_strjoin, longest.c_str(), "y"), std::string(256, 'x'));
}

TEST_F(Body, Paths) {
  const char* const cases[][3] = {
      // path, basename, dirname
      {"/", "/", "/"},
      {"", ".", "."},
      {"a//", "a", "."},
      {"foo", "foo", "."},
      {"/foo", "foo", "/"},
      {"/foo/bar", "bar", "/foo"},
      {"foo//bar/", "bar", "foo"},
      {"//", "/", "/"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(call(sonde_fn_basename, c[0]), c[1]) << c[0];
    EXPECT_EQ(call(sonde_fn_dirname, c[0]), c[2]) << c[0];
  }
  EXPECT_EQ(call(sonde_fn_cleanpath, "/foo/./bar//baz/../x"), "/foo/bar/x");
  EXPECT_EQ(call(sonde_fn_cleanpath, "/.."), "/");
  EXPECT_EQ(call(sonde_fn_cleanpath, "/a/b/../../.."), "/");
  EXPECT_EQ(call(sonde_fn_cleanpath, "../a"), "../a");
}

TEST_F(Body, NumbersAndAddresses) {
  EXPECT_EQ(number(sonde_fn_getmajor, 0x23456789), 564);
  EXPECT_EQ(number(sonde_fn_getminor, 0x23456789), 354185);
  EXPECT_EQ(number(sonde_fn_htons, 0x1234), 0x3412);
  EXPECT_EQ(number(sonde_fn_ntohl, 0x12345678), 0x78563412);
  EXPECT_EQ(number(sonde_fn_htonll, int64_t{0x0102030405060708}), 0x0807060504030201);
  uint64_t v4 = sonde_scratch(&context, 4), v6 = sonde_scratch(&context, 16);
  reinterpret_cast<uint8_t*>(v4)[0] = 127;
  reinterpret_cast<uint8_t*>(v4)[3] = 1;
  reinterpret_cast<uint8_t*>(v6)[15] = 1;
  EXPECT_EQ(call(sonde_fn_inet_ntoa, static_cast<int64_t>(v4)), "127.0.0.1");
  EXPECT_EQ(call(sonde_fn_inet_ntop, 2, static_cast<int64_t>(v4)), "127.0.0.1");
  EXPECT_EQ(call(sonde_fn_inet_ntop, 10, static_cast<int64_t>(v6)), "::1");
  EXPECT_EQ(call(sonde_fn_inet_ntop, 3, static_cast<int64_t>(v4)), "fault");
  EXPECT_EQ(call(sonde_fn_inet_ntoa, 16), "fault");
  EXPECT_NE(number(sonde_fn_rand), number(sonde_fn_rand));
}

TEST_F(Body, Slots) {
  EXPECT_EQ(text(sonde_slot_text(&context, 0)), "hello");
  EXPECT_EQ(sonde_slot_word(&context, 3), 9u);
  sonde_slot_word(&context, 1);
  EXPECT_EQ(context.fault, static_cast<uint64_t>(Fault::BadAddress));
  EXPECT_EQ(context.fault_value, 0xbadu);
  context.fault = 0;
  uint64_t bytes = sonde_slot_bytes(&context, 2);
  EXPECT_EQ(sonde_may_store(&context, bytes, 3), 1u) << "one past the end, as scripts do";
  EXPECT_EQ(text(sonde_string_of(&context, bytes, 256)), "xy");
}

TEST_F(Body, LoadsAndStoresStayInside) {
  uint64_t block = sonde_scratch(&context, 8);
  EXPECT_EQ(sonde_may_load(&context, block, 8), 1u);
  EXPECT_EQ(sonde_may_store(&context, block + 4096, 1), 0u);
  EXPECT_EQ(context.fault_value, block + 4096);
  context.fault = 0;
  EXPECT_EQ(sonde_may_load(&context, reinterpret_cast<uint64_t>(context.record), 8), 1u);
  EXPECT_EQ(sonde_may_store(&context, reinterpret_cast<uint64_t>(context.record), 8), 0u);
  context.fault = 0;
  EXPECT_EQ(sonde_may_load(&context, 16, 1), 0u);
  context.fault = 0;
  static const char kConstant[] = "constant";
  EXPECT_EQ(sonde_may_load(&context, word_of(kConstant), 1), 0u);
  context.fault = 0;
  register_constant_range(kConstant, sizeof kConstant);
  EXPECT_EQ(sonde_may_load(&context, word_of(kConstant) + 3, 6), 1u);
  EXPECT_EQ(sonde_may_load(&context, word_of(kConstant) + 3, 7), 0u);
  context.fault = 0;
  EXPECT_EQ(sonde_may_load(&context, sonde_var_probefunc(&context) + 2, 1), 1u);
}

TEST_F(Body, ScratchEnds) {
  EXPECT_EQ(sonde_scratch(&context, UINT64_MAX), 0u);
  EXPECT_EQ(context.fault, static_cast<uint64_t>(Fault::NoScratch));
  context.fault = 0;
  EXPECT_NE(sonde_scratch(&context, 0), 0u);
  uint64_t first = sonde_scratch(&context, 100000);
  EXPECT_EQ(first % 8, 0u);
  reinterpret_cast<char*>(first)[5] = 'x';
  state->begin_clause(context);
  uint64_t again = sonde_scratch(&context, 200000);
  for (int i = 0; i < 200000; ++i) ASSERT_EQ(reinterpret_cast<char*>(again)[i], 0);
}

TEST_F(Body, Compare) {
  EXPECT_LT(sonde_compare_strings(&context, 0, word_of("")), 0);
  EXPECT_EQ(sonde_compare_strings(&context, 0, 0), 0);
  EXPECT_GT(sonde_compare_strings(&context, word_of("\xff"), word_of("a")), 0) << "unsigned bytes";
  EXPECT_EQ(sonde_compare_strings(&context, word_of("ab"), word_of("ab")), 0);
}

TEST_F(Body, HeldMemory) {
  bench.source.memory = std::string(5000, 'm');
  bench.source.memory[4200] = '\0';
  EXPECT_EQ(text(sonde_held_copyinstr(&context, 0x1000 + 4190, 256)), std::string(10, 'm'));
  EXPECT_EQ(text(sonde_held_copyinstr(&context, 0x1000, 4)), "mmm") << "the limit counts the NUL";
  EXPECT_EQ(text(sonde_held_copyinstr(&context, 0x10, 256)), "fault");
  uint64_t bytes = sonde_held_copyin(&context, 0x1000, 3);
  EXPECT_EQ(text(bytes), "mmm");
}

TEST_F(Body, Builtins) {
  EXPECT_EQ(text(sonde_var_probeprov(&context)), "syscall");
  EXPECT_EQ(text(sonde_var_probemod(&context)), "vmlinux");
  EXPECT_EQ(text(sonde_var_probename(&context)), "entry");
  EXPECT_EQ(sonde_var_epid(&context), 1u);
  EXPECT_EQ(sonde_var_walltimestamp(&context), 1000u + static_cast<uint64_t>(state->wall_offset));
}

TEST_F(Body, SyscallTexts) {
  auto fire = std::make_shared<FireProgram>();
  fire->insns = {{SONDE_DIF_ARG, 3, 0, 0, 0}, {SONDE_DIF_CAPW, 3, 3, 0, 0}, {SONDE_DIF_RECORD, 0, 0, 0, 0}};
  bench.program.clauses[0].fire = fire;
  EXPECT_TRUE(text(sonde_var_argstr(&context)).starts_with("dfd: 9, filename: ")) << text(sonde_var_argstr(&context));
  EXPECT_EQ(text(sonde_var_retstr(&context)), "0x9");
}

TEST_F(Body, DecimalReadsWhatTheFirePartWrote) {
  EXPECT_EQ(number(sonde_fn___decimal, "1234"), 1234);
  EXPECT_EQ(number(sonde_fn___decimal, "-5"), -5);
  EXPECT_EQ(number(sonde_fn___decimal, ""), 0);
  EXPECT_EQ(number(sonde_fn___decimal, "none"), 0);
}

TEST_F(Body, EscapedHasNothingThatATerminalTakesForACommand) {
  EXPECT_EQ(call(sonde_fn___escaped, "bash"), "bash");
  EXPECT_EQ(call(sonde_fn___escaped, "a\033[31m\nb\t\"\\"), "a\\033[31m\\nb\\t\"\\\\");
  EXPECT_EQ(call(sonde_fn___escaped, "\x7f\xc3\xa9"), "\\177\\303\\251");
}

TEST_F(Body, AddressesAsPacketsHaveThem) {
  EXPECT_EQ(call(sonde_fn___address4, 0x0100007f), "127.0.0.1");
  EXPECT_EQ(call(sonde_fn___address6, 0, int64_t{1} << 56), "::1");
  EXPECT_EQ(call(sonde_fn___address6, 0x80fe, 0x0200000000000001), "fe80::100:0:0:2");
}

TEST_F(Body, NamesOfErrors) {
  EXPECT_EQ(call(sonde_fn___errno_name, ENOENT), "ENOENT");
  EXPECT_EQ(call(sonde_fn___errno_name, 0), "");
  EXPECT_EQ(call(sonde_fn___errno_name, 4000), "4000");
}

TEST_F(Body, CgroupsByTheirIds) {
  EXPECT_EQ(call(sonde_fn___cgroup, 0), "");
  EXPECT_EQ(call(sonde_fn___container, 0), "");
  EXPECT_EQ(number(sonde_fn___in_cgroup, 0, "/a"), 0);
  const Cgroups& cgroups = Cgroups::of_machine();
  if (!cgroups.is_mounted()) GTEST_SKIP() << "no cgroup2 hierarchy is mounted";
  const auto root = static_cast<int64_t>(cgroups.id_of("/"));
  EXPECT_EQ(call(sonde_fn___cgroup, root), "/");
  EXPECT_EQ(call(sonde_fn___container, root), "");
  EXPECT_EQ(number(sonde_fn___in_cgroup, root, "/"), 1);
  EXPECT_EQ(number(sonde_fn___in_cgroup, root, "/a*"), 0);
}

TEST_F(Body, TimesAsText) {
  const auto seconds = [&](int64_t value, uint64_t digits, uint64_t width) {
    const uint64_t words[] = {static_cast<uint64_t>(value), digits, width};
    return text(sonde_fn___seconds(&context, 3, words));
  };
  EXPECT_EQ(seconds(1'002'003'004, 9, 0), "1.002003004");
  EXPECT_EQ(seconds(1'002'999'999, 3, 6), "     1.002");
  EXPECT_EQ(seconds(-1'500'000'000, 6, 6), "    -1.500000");
  EXPECT_EQ(seconds(-5'000, 6, 0), "-0.000005");
  EXPECT_EQ(seconds(59'999'999'999, 0, 0), "59");
  EXPECT_EQ(seconds(INT64_MIN, 0, 0), "-9223372036");
  const auto duration = [&](int64_t value, uint64_t width) {
    const uint64_t words[] = {static_cast<uint64_t>(value), width};
    return text(sonde_fn___duration(&context, 2, words));
  };
  EXPECT_EQ(duration(12'345, 0), "12.3 us");
  EXPECT_EQ(duration(12'345, 9), "  12.3 us");
  EXPECT_EQ(duration(-5, 0), "-5 ns");
  const auto clock = [&](uint64_t digits) {
    const uint64_t words[] = {1'000'000'001'234'567'890, digits};
    return text(sonde_fn___clock(&context, 2, words));
  };
  ::setenv("TZ", "UTC-2", 1);
  ::tzset();
  EXPECT_EQ(clock(0), "03:46:41");
  EXPECT_EQ(clock(6), "03:46:41.234567");
  EXPECT_EQ(clock(9), "03:46:41.234567890");
  ::unsetenv("TZ");
  ::tzset();
}

TEST_F(Body, TailOfAString) {
  EXPECT_EQ(call(sonde_fn___tail, "abcdef", 2), "cdef");
  EXPECT_EQ(call(sonde_fn___tail, "abcdef", 0), "abcdef");
  EXPECT_EQ(call(sonde_fn___tail, "abcdef", 6), "");
  EXPECT_EQ(call(sonde_fn___tail, "abcdef", 7), "");
  EXPECT_EQ(call(sonde_fn___tail, "abcdef", -1), "");
  EXPECT_EQ(call(sonde_fn___tail, kNull, 1), "fault");
}

TEST_F(Body, TheStackThatNobodySeesIsEmpty) {
  std::memset(reinterpret_cast<void*>(sonde_scratch(&context, 256)), 0xff, 256);
  state->begin_clause(context);  // reuses the same memory
  const auto* stack = reinterpret_cast<const StackValue*>(number(sonde_fn___no_stack, 20, 0));
  ASSERT_NE(stack, nullptr);
  EXPECT_EQ(stack->space, 0u);
  EXPECT_EQ(stack->count, 0u);
}

TEST_F(Body, TheCallerAndTheDepthOfAStack) {
  alignas(StackValue) uint64_t words[3] = {0, 0x1000, 0x2000};
  auto& stack = reinterpret_cast<StackValue&>(words);
  const auto at = reinterpret_cast<int64_t>(&stack);
  for (const uint32_t count : {0u, 1u, 2u}) {
    stack.count = count;
    EXPECT_EQ(number(sonde_fn___ucaller, at), count == 2 ? 0x2000 : 0);
    EXPECT_EQ(number(sonde_fn___ustackdepth, at), count);
  }
  EXPECT_EQ(number(sonde_fn___ucaller, 0), 0);
  EXPECT_EQ(number(sonde_fn___ustackdepth, 0), 0);
}

TEST_F(Body, CpuInfoStaysAndCanBeRead) {
  const int64_t first = number(sonde_fn___cpuinfo, 1);
  const auto* info = reinterpret_cast<const int32_t*>(first);
  EXPECT_NE(sonde_may_load(&context, static_cast<uint64_t>(first), 16), 0u);
  EXPECT_EQ(info[0], 1);
  EXPECT_EQ(info[1], 0);
  EXPECT_EQ(info[2], number(sonde_fn___cpu_package, 1));
  EXPECT_EQ(info[3], number(sonde_fn___cpu_node, 1));
  EXPECT_NE(number(sonde_fn___cpuinfo, 0), first);
  EXPECT_EQ(number(sonde_fn___cpuinfo, 1), first);
}

TEST_F(Body, ACpuSitsInAPackageAndANode) {
  EXPECT_GE(number(sonde_fn___cpu_package, 0), 0);
  EXPECT_GE(number(sonde_fn___cpu_node, 0), 0);
  EXPECT_EQ(number(sonde_fn___cpu_package, 123456), 0);  // there is no such CPU
  EXPECT_EQ(number(sonde_fn___cpu_node, 123456), 0);
}

}  // namespace
}  // namespace sonde
