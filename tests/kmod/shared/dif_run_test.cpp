// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/kmod/shared/dif_support.h"

namespace sonde::test {
namespace {

constexpr uint64_t kMin = 1ull << 63;  // INT64_MIN
constexpr uint64_t kMax = kMin - 1;
constexpr uint64_t kMinus1 = ~0ull;
constexpr uint64_t kBase = FakeThread::kBase;
constexpr uint64_t kBad = 0x10;

const sonde_dif_insn kRecord = insn(SONDE_DIF_RECORD);
const sonde_dif_insn kFail = insn(SONDE_DIF_FAIL);

/// Instructions that need only registers.
struct Arithmetic {
  sonde_dif_op op;
  uint64_t a;
  uint64_t b;
  int32_t i;
  uint64_t expected;
};

const Arithmetic kArithmetic[] = {
    {SONDE_DIF_MOV, kMin, 0, 0, kMin},
    {SONDE_DIF_ADD, kMax, 1, 0, kMin},
    {SONDE_DIF_ADD, kMinus1, 1, 0, 0},
    {SONDE_DIF_SUB, 0, 1, 0, kMinus1},
    {SONDE_DIF_SUB, kMin, 1, 0, kMax},
    {SONDE_DIF_MUL, kMin, kMinus1, 0, kMin},
    {SONDE_DIF_MUL, 1ull << 40, 1ull << 30, 0, 0},
    {SONDE_DIF_MUL, 6, 7, 0, 42},
    {SONDE_DIF_DIVS, static_cast<uint64_t>(-7), 2, 0, static_cast<uint64_t>(-3)},
    {SONDE_DIF_DIVS, 7, static_cast<uint64_t>(-2), 0, static_cast<uint64_t>(-3)},
    {SONDE_DIF_DIVS, kMin, kMinus1, 0, kMin},
    {SONDE_DIF_DIVS, 5, kMinus1, 0, static_cast<uint64_t>(-5)},
    {SONDE_DIF_DIVS, 5, 0, 0, 0},
    {SONDE_DIF_DIVU, kMinus1, 2, 0, kMax},
    {SONDE_DIF_DIVU, 5, 0, 0, 0},
    {SONDE_DIF_MODS, static_cast<uint64_t>(-7), 2, 0, kMinus1},
    {SONDE_DIF_MODS, kMin, kMinus1, 0, 0},
    {SONDE_DIF_MODS, 5, 0, 0, 0},
    {SONDE_DIF_MODU, kMinus1, 10, 0, 5},
    {SONDE_DIF_MODU, 5, 0, 0, 0},
    {SONDE_DIF_AND, 0xf0f0, 0xff00, 0, 0xf000},
    {SONDE_DIF_OR, 0xf0f0, 0xff00, 0, 0xfff0},
    {SONDE_DIF_XOR, 0xf0f0, 0xff00, 0, 0x0ff0},
    {SONDE_DIF_SHL, 1, 63, 0, kMin},
    {SONDE_DIF_SHL, 1, 64, 0, 0},
    {SONDE_DIF_SHL, 1, kMinus1, 0, 0},
    {SONDE_DIF_SHRS, kMin, 63, 0, kMinus1},
    {SONDE_DIF_SHRS, kMin, 64, 0, 0},
    {SONDE_DIF_SHRS, kMin, 1ull << 32, 0, 0},
    {SONDE_DIF_SHRS, 8, 2, 0, 2},
    {SONDE_DIF_SHRU, kMin, 63, 0, 1},
    {SONDE_DIF_SHRU, kMin, 64, 0, 0},
    {SONDE_DIF_NEG, 1, 0, 0, kMinus1},
    {SONDE_DIF_NEG, kMin, 0, 0, kMin},
    {SONDE_DIF_NOT, 0, 0, 0, kMinus1},
    {SONDE_DIF_SX, 0x80, 0, 8, static_cast<uint64_t>(-128)},
    {SONDE_DIF_SX, 0x17f, 0, 8, 0x7f},
    {SONDE_DIF_SX, 0x8000, 0, 16, static_cast<uint64_t>(-32768)},
    {SONDE_DIF_SX, 0x80000000, 0, 32, 0xffffffff80000000},
    {SONDE_DIF_SX, 0xffffffff7fffffff, 0, 32, 0x7fffffff},
    {SONDE_DIF_ZX, kMinus1, 0, 8, 0xff},
    {SONDE_DIF_ZX, kMinus1, 0, 16, 0xffff},
    {SONDE_DIF_ZX, kMinus1, 0, 32, 0xffffffff},
    {SONDE_DIF_EQ, 5, 5, 0, 1},
    {SONDE_DIF_EQ, 5, 6, 0, 0},
    {SONDE_DIF_NE, 5, 6, 0, 1},
    {SONDE_DIF_NE, 5, 5, 0, 0},
    {SONDE_DIF_LTS, kMin, kMax, 0, 1},
    {SONDE_DIF_LTS, kMinus1, 0, 0, 1},
    {SONDE_DIF_LTS, 3, 3, 0, 0},
    {SONDE_DIF_LES, 3, 3, 0, 1},
    {SONDE_DIF_LES, 0, kMinus1, 0, 0},
    {SONDE_DIF_LTU, kMin, kMax, 0, 0},
    {SONDE_DIF_LTU, 0, kMinus1, 0, 1},
    {SONDE_DIF_LTU, 3, 3, 0, 0},
    {SONDE_DIF_LEU, 3, 3, 0, 1},
    {SONDE_DIF_LEU, kMinus1, 0, 0, 0},
};

/// Instructions with a test of their own below.
const std::set<int> kElsewhere = {
    SONDE_DIF_LI,      SONDE_DIF_LC,      SONDE_DIF_JMP,       SONDE_DIF_JZ,     SONDE_DIF_JNZ,    SONDE_DIF_VAR,
    SONDE_DIF_ARG,     SONDE_DIF_REG,     SONDE_DIF_LDU,       SONDE_DIF_LDS,    SONDE_DIF_LDL,    SONDE_DIF_STL,
    SONDE_DIF_LDT,     SONDE_DIF_STT,     SONDE_DIF_NAMEQ,     SONDE_DIF_CAPW,   SONDE_DIF_CAPSTR, SONDE_DIF_CAPSTRN,
    SONDE_DIF_CAPMEM,  SONDE_DIF_CAPTEXT, SONDE_DIF_CAPSTACK,  SONDE_DIF_RECORD, SONDE_DIF_FAIL,   SONDE_DIF_LDK,
    SONDE_DIF_CAPKSTR, SONDE_DIF_CAPKMEM, SONDE_DIF_CAPKSTACK, SONDE_DIF_PROGENY};

/// A verified program: `body`, then RECORD.
Program program(std::vector<sonde_dif_insn> body, std::vector<uint8_t> kinds = {}, std::vector<uint8_t> pool = {}) {
  Program result{std::move(body), std::move(kinds), std::move(pool)};
  result.insns.push_back(kRecord);
  EXPECT_EQ(result.verify(), 0) << result.why;
  return result;
}

sonde_dif_insn li(unsigned d, int32_t i) { return insn(SONDE_DIF_LI, d, 0, 0, i); }
sonde_dif_insn arg(unsigned d, int32_t i) { return insn(SONDE_DIF_ARG, d, 0, 0, i); }
sonde_dif_insn capw(unsigned slot, unsigned a) { return insn(SONDE_DIF_CAPW, slot, a); }
sonde_dif_insn load(unsigned d, unsigned a, int32_t bytes) { return insn(SONDE_DIF_LDU, d, a, 0, bytes); }

/// Slot 0 of the record of `body`, which leaves its result in r0.
uint64_t answer(std::vector<sonde_dif_insn> body, FakeThread& thread, std::vector<uint8_t> pool = {}) {
  body.push_back(capw(0, 0));
  const Outcome result = run(program(body, {SONDE_SLOT_WORD}, pool), thread);
  EXPECT_EQ(result.size, sizeof(sonde_record) + 8);
  EXPECT_EQ(result.record().size, result.size);
  EXPECT_EQ(result.record().flags, 0);
  EXPECT_EQ(result.record().faults, 0u);
  return result.slot(0);
}

TEST(DifRun, EveryOpcodeHasATest) {
  std::set<int> tested = kElsewhere;
  for (const Arithmetic& row : kArithmetic) tested.insert(row.op);
  for (int op = 0; op < SONDE_DIF_OP_COUNT; op++) {
    EXPECT_TRUE(tested.contains(op)) << sonde_dif_op_name(static_cast<uint32_t>(op));
  }
}

TEST(DifRun, Arithmetic) {
  FakeThread thread;
  for (const Arithmetic& row : kArithmetic) {
    SCOPED_TRACE(sonde_dif_op_name(row.op));
    const bool has_b = std::strchr(sonde_dif_op_operands(row.op), 'b') != nullptr;
    thread.args[0] = row.a;
    thread.args[1] = row.b;
    EXPECT_EQ(answer({arg(1, 0), arg(2, 1), insn(row.op, 0, 1, has_b ? 2 : 0, row.i)}, thread), row.expected)
        << std::hex << row.a << " " << row.b;
  }
}

TEST(DifRun, Constants) {
  FakeThread thread;
  EXPECT_EQ(answer({li(0, -1)}, thread), kMinus1);
  EXPECT_EQ(answer({li(0, INT32_MIN)}, thread), 0xffffffff80000000);
  EXPECT_EQ(answer({insn(SONDE_DIF_LC, 0, 0, 0, 1)}, thread, {9, 1, 2, 3, 4, 5, 6, 7, 8}), 0x0807060504030201u);
}

TEST(DifRun, Branches) {
  FakeThread thread;
  const auto choose = [&](sonde_dif_op op, int32_t condition) {
    const unsigned a = op == SONDE_DIF_JMP ? 0 : 1;
    return answer({li(1, condition), li(0, 10), insn(op, 0, a, 0, 1), li(0, 20)}, thread);
  };
  EXPECT_EQ(choose(SONDE_DIF_JMP, 0), 10u);
  EXPECT_EQ(choose(SONDE_DIF_JZ, 0), 10u);
  EXPECT_EQ(choose(SONDE_DIF_JZ, 5), 20u);
  EXPECT_EQ(choose(SONDE_DIF_JNZ, 0), 20u);
  EXPECT_EQ(choose(SONDE_DIF_JNZ, 5), 10u);
}

TEST(DifRun, WhatTheFiringSays) {
  FakeThread thread;
  thread.variables[SONDE_DIF_VAR_PID] = 42;
  thread.args[9] = 99;
  EXPECT_EQ(answer({insn(SONDE_DIF_VAR, 0, 0, 0, SONDE_DIF_VAR_PID)}, thread), 42u);
  EXPECT_EQ(answer({arg(0, 9)}, thread), 99u);
  EXPECT_EQ(answer({insn(SONDE_DIF_REG, 0, 0, 0, 25)}, thread), 1025u);
}

TEST(DifRun, Progeny) {
  FakeThread thread;
  for (const auto& [pid, wanted] : {std::pair(7, 1u), {77, 1u}, {8, 0u}, {0, 0u}, {-1, 0u}})
    EXPECT_EQ(answer({li(0, pid), insn(SONDE_DIF_PROGENY, 0, 0)}, thread), wanted) << pid;
}

TEST(DifRun, ExecnameCompared) {
  FakeThread thread;
  const std::vector<uint8_t> pool = {'c', 'a', 't', 0, 'c', 'a', 0};
  const auto equals = [&](const char* name, int32_t at) {
    thread.execname = name;
    return answer({insn(SONDE_DIF_NAMEQ, 0, 0, 0, at)}, thread, pool);
  };
  EXPECT_EQ(equals("cat", 0), 1u);
  EXPECT_EQ(equals("cats", 0), 0u);
  EXPECT_EQ(equals("ca", 0), 0u);
  EXPECT_EQ(equals("", 0), 0u);
  EXPECT_EQ(equals("", 3), 1u);
  EXPECT_EQ(equals("ca", 4), 1u);
}

TEST(DifRun, Loads) {
  FakeThread thread;
  const uint8_t bytes[] = {0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88};
  thread.poke(3, bytes, sizeof bytes);
  thread.args[0] = kBase + 3;
  const auto loaded = [&](sonde_dif_op op, int32_t n) { return answer({arg(1, 0), insn(op, 0, 1, 0, n)}, thread); };
  EXPECT_EQ(loaded(SONDE_DIF_LDU, 1), 0x81u);
  EXPECT_EQ(loaded(SONDE_DIF_LDU, 2), 0x8281u);
  EXPECT_EQ(loaded(SONDE_DIF_LDU, 4), 0x84838281u);
  EXPECT_EQ(loaded(SONDE_DIF_LDU, 8), 0x8887868584838281u);
  EXPECT_EQ(loaded(SONDE_DIF_LDS, 1), 0xffffffffffffff81u);
  EXPECT_EQ(loaded(SONDE_DIF_LDS, 2), 0xffffffffffff8281u);
  EXPECT_EQ(loaded(SONDE_DIF_LDS, 4), 0xffffffff84838281u);
}

TEST(DifRun, Variables) {
  FakeThread thread;
  const auto stl = insn(SONDE_DIF_STL, 0, 1, 0, 31), ldl = insn(SONDE_DIF_LDL, 0, 0, 0, 31);
  const auto stt = insn(SONDE_DIF_STT, 0, 1, 0, 63), ldt = insn(SONDE_DIF_LDT, 0, 0, 0, 63);
  EXPECT_EQ(answer({li(1, 7), stl, ldl}, thread), 7u);
  EXPECT_EQ(thread.locals[31], 7u);
  EXPECT_EQ(answer({ldt}, thread), 0u);
  run(program({li(1, 8), stt}), thread);
  EXPECT_EQ(answer({ldt}, thread), 8u);
}

TEST(DifRun, RecordAndFail) {
  FakeThread thread;
  Program fails{{kFail}};
  ASSERT_EQ(fails.verify(), 0);
  EXPECT_EQ(run(fails, thread).size, 0u);
  const Outcome empty = run(program({}, {SONDE_SLOT_WORD, SONDE_SLOT_TEXT}), thread);
  EXPECT_EQ(empty.size, sizeof(sonde_record) + 16);
  EXPECT_EQ(empty.record().slots, 2);
  EXPECT_EQ(empty.slot(0), 0u);  // not captured: 0 and no fault
  EXPECT_EQ(empty.slot(1), 0u);
  EXPECT_EQ(empty.record().faults, 0u);
}

TEST(DifRun, CapturesText) {
  FakeThread thread;
  thread.poke(0, "hello, world", 13);
  thread.args[0] = kBase;
  const std::vector<uint8_t> kinds(4, SONDE_SLOT_TEXT);
  const Program p =
      program({arg(0, 0), li(1, 3), li(2, -1), insn(SONDE_DIF_CAPSTR, 0, 0, 0, 256), insn(SONDE_DIF_CAPSTR, 1, 0, 0, 5),
               insn(SONDE_DIF_CAPSTRN, 2, 0, 1, 5), insn(SONDE_DIF_CAPSTRN, 3, 0, 2, 7)},
              kinds);
  const Outcome result = run(p, thread);
  EXPECT_EQ(result.span(0), "hello, world");
  EXPECT_EQ(result.span(1), "hello");
  EXPECT_EQ(result.span(2), "hel");
  EXPECT_EQ(result.span(3), "hello, ");
  EXPECT_EQ(result.size, sizeof(sonde_record) + 4 * 8 + 16 + 8 + 8 + 8);
  EXPECT_EQ(sonde_record_check(&result.record(), result.size, kinds.data(), 4), 0);
}

/// An environment may return the full length of a text, as snprintf() does: the last byte of the buffer is always
/// NUL.
TEST(DifRun, TextOfTheBuffersLengthOrMoreIsCut) {
  for (const int said : {6, 7, 8, 9, 1000}) {
    static int length;
    length = said;
    sonde_dif_env env = fake_env();
    env.read_text = [](void*, uint64_t, char* to, uint32_t max) {
      EXPECT_EQ(max, 8u);
      std::memset(to, 'x', max);
      return length;
    };
    FakeThread thread;
    const Program p = program({li(0, 1), insn(SONDE_DIF_CAPSTR, 0, 0, 0, 7)}, {SONDE_SLOT_TEXT});
    const Outcome result = run(p, thread, env);
    EXPECT_EQ(result.span(0), std::string(static_cast<size_t>(std::min(said, 7)), 'x')) << said;
    EXPECT_EQ(sonde_record_check(&result.record(), result.size, p.kinds.data(), 1), 0) << said;
  }
}

TEST(DifRun, EmptyTextIsNotAbsent) {
  FakeThread thread;
  const Program p = program({li(0, 0), insn(SONDE_DIF_CAPSTRN, 0, 0, 0, 5)}, {SONDE_SLOT_TEXT});
  const Outcome result = run(p, thread);  // length 0: the address is not used
  EXPECT_NE(result.slot(0), 0u);
  EXPECT_EQ(result.span(0), "");
  EXPECT_EQ(result.record().faults, 0u);
}

TEST(DifRun, CapturesMemory) {
  FakeThread thread;
  thread.poke(0, "abc\0def", 7);
  thread.args[0] = kBase;
  const auto capture = [&](int32_t bytes) {
    return run(program({arg(0, 0), li(1, bytes), insn(SONDE_DIF_CAPMEM, 0, 0, 1, 7)}, {SONDE_SLOT_BYTES}), thread);
  };
  EXPECT_EQ(capture(7).span(0), std::string("abc\0def", 7));
  EXPECT_EQ(capture(4).span(0), std::string("abc\0", 4));
  EXPECT_EQ(capture(0).span(0), "");
  const Outcome too_long = capture(8);
  EXPECT_TRUE(too_long.faulted(0));
  EXPECT_EQ(too_long.slot(0), kBase);
  EXPECT_TRUE(capture(-1).faulted(0));
}

TEST(DifRun, CapturesNames) {
  FakeThread thread;
  thread.execname = "a-name-that-is-longer-than-15";
  thread.texts[SONDE_DIF_TEXT_FDPATH] = "/etc/hostname";
  thread.texts[SONDE_DIF_TEXT_PSARGS] = std::string(200, 'x');
  const auto text = [](unsigned slot, sonde_dif_text which) { return insn(SONDE_DIF_CAPTEXT, slot, 0, 0, which); };
  const Outcome result = run(program({li(0, 3), text(0, SONDE_DIF_TEXT_EXECNAME), text(1, SONDE_DIF_TEXT_FDPATH),
                                      text(2, SONDE_DIF_TEXT_PSARGS), text(3, SONDE_DIF_TEXT_CWD)},
                                     std::vector<uint8_t>(4, SONDE_SLOT_TEXT)),
                             thread);
  EXPECT_EQ(result.span(0), "a-name-that-is-");
  EXPECT_EQ(result.span(1), "/etc/hostname3");
  EXPECT_EQ(result.span(2), std::string(80, 'x'));
  EXPECT_EQ(result.record().faults, 8u);  // no CWD available
  EXPECT_EQ(result.slot(3), 0u);
}

TEST(DifRun, CapturesStacks) {
  FakeThread thread;
  thread.stack = {11, 22, 33};
  const auto capture = [&](int32_t frames) {
    return run(program({insn(SONDE_DIF_CAPSTACK, 0, 0, 0, frames)}, {SONDE_SLOT_STACK}), thread);
  };
  const uint64_t frames[] = {11, 22, 33};
  EXPECT_EQ(capture(256).span(0), std::string(reinterpret_cast<const char*>(frames), 24));
  EXPECT_EQ(capture(2).span(0), std::string(reinterpret_cast<const char*>(frames), 16));
  thread.stack_fails = true;
  const Outcome failed = capture(2);
  EXPECT_TRUE(failed.faulted(0));
  EXPECT_EQ(failed.slot(0), 0u);
}

/// A copy has more words than frames are wanted, as many as the firing has room for. One that says more is cut.
TEST(DifRun, CapturesCopiedStacks) {
  FakeThread thread;
  thread.stack.assign(100, 0x1122334455667788);
  thread.stack_copied = true;
  Program copies =
      program({insn(SONDE_DIF_CAPSTACK, 0, 0, 0, 2), li(1, 5), capw(1, 1)}, {SONDE_SLOT_STACK, SONDE_SLOT_WORD});
  copies.raw.record_max += 98 * 8;
  thread.stack_words = 99;
  EXPECT_EQ(run(copies, thread).span(0).size(), 792u);
  thread.stack_words = 0;
  EXPECT_EQ(run(copies, thread).span(0).size(), 16u);
  thread.stack_words = 100;
  const Outcome result = run(copies, thread);
  EXPECT_EQ(result.span(0).size(), 800u);
  EXPECT_EQ(result.slot(1), 5u);
  EXPECT_EQ(result.size, copies.raw.record_max);
}

TEST(DifRun, ReadsTheKernel) {
  FakeThread thread;
  thread.kernel_stack = {11, 22, 33};
  const std::vector<uint8_t> pool = {0, 0x10, 0, 0, 0x80, 0x88, 0xff, 0xff};  // kKernel
  const Program all = program(
      {insn(SONDE_DIF_LC, 0), li(1, 6), insn(SONDE_DIF_LDK, 2, 0, 0, 2), capw(0, 2),
       insn(SONDE_DIF_CAPKSTR, 1, 0, 0, 4), insn(SONDE_DIF_CAPKMEM, 2, 0, 1, 9), insn(SONDE_DIF_CAPKSTACK, 3, 0, 0, 2)},
      {SONDE_SLOT_WORD, SONDE_SLOT_TEXT, SONDE_SLOT_BYTES, SONDE_SLOT_KERNEL_STACK}, pool);
  const Outcome seen = run(all, thread, kernel_env());
  const uint64_t frames[] = {11, 22};
  EXPECT_EQ(seen.record().faults, 0u);
  EXPECT_EQ(seen.slot(0), uint64_t{'f'} << 8 | 'o');
  EXPECT_EQ(seen.span(1), "of t");
  EXPECT_EQ(seen.span(2), "of the");
  EXPECT_EQ(seen.span(3), std::string(reinterpret_cast<const char*>(frames), 16));
  const Outcome unseen = run(all, thread);
  EXPECT_EQ(unseen.record().faults, 15u);
  EXPECT_EQ(unseen.slot(0), kKernel);
  EXPECT_EQ(unseen.slot(3), 0u);
}

TEST(DifRun, TheKernelAndTheProcessDoNotReadEachOther) {
  FakeThread thread;
  const std::vector<uint8_t> pool = {0, 0x10, 0, 0, 0x80, 0x88, 0xff, 0xff, 0, 0x10, 0, 0, 0, 0x7f, 0, 0};
  const Outcome result = run(program({insn(SONDE_DIF_LC, 0), insn(SONDE_DIF_LC, 1, 0, 0, 8), load(2, 0, 1), capw(0, 2),
                                      insn(SONDE_DIF_LDK, 2, 1, 0, 1), capw(1, 2)},
                                     std::vector<uint8_t>(2, SONDE_SLOT_WORD), pool),
                             thread, kernel_env());
  EXPECT_EQ(result.record().faults, 3u);
  EXPECT_EQ(result.slot(0), kKernel);
  EXPECT_EQ(result.slot(1), FakeThread::kBase);
}

TEST(DifRun, WhatSeesTheKernel) {
  const auto sees = [](const Program& one) { return sonde_dif_needs(&one.raw).kernel != 0; };
  EXPECT_TRUE(sees(program({li(0, 0), insn(SONDE_DIF_LDK, 1, 0, 0, 8)})));
  EXPECT_TRUE(sees(program({li(0, 0), insn(SONDE_DIF_CAPKSTR, 0, 0, 0, 8)}, {SONDE_SLOT_TEXT})));
  EXPECT_TRUE(sees(program({li(0, 0), insn(SONDE_DIF_CAPKMEM, 0, 0, 0, 8)}, {SONDE_SLOT_BYTES})));
  EXPECT_TRUE(sees(program({insn(SONDE_DIF_CAPKSTACK, 0, 0, 0, 8)}, {SONDE_SLOT_KERNEL_STACK})));
  EXPECT_TRUE(sees(program({insn(SONDE_DIF_VAR, 0, 0, 0, SONDE_DIF_VAR_CURTHREAD)})));
  EXPECT_FALSE(sees(program({insn(SONDE_DIF_VAR, 0, 0, 0, SONDE_DIF_VAR_CALLER), li(1, SONDE_DIF_VAR_CURTHREAD),
                             load(2, 1, 8), insn(SONDE_DIF_CAPSTACK, 0, 0, 0, 8)},
                            {SONDE_SLOT_STACK})));
}

TEST(DifRun, WhatAProgramNeeds) {
  const auto of = [](std::vector<sonde_dif_insn> insns, std::vector<uint8_t> kinds = {}) {
    const Program one = program(std::move(insns), std::move(kinds));
    return sonde_dif_needs(&one.raw);
  };
  const sonde_needs plain = of({li(0, 1), capw(0, 0)}, {SONDE_SLOT_WORD});
  EXPECT_EQ(plain.ready, 0u);
  EXPECT_EQ(plain.arguments | plain.variables | plain.texts, 0u);
  EXPECT_EQ(plain.bytes, sizeof(sonde_record) + 8);
  EXPECT_FALSE(plain.execname || plain.kernel || plain.frames);

  const auto variable = [&](int which) { return of({insn(SONDE_DIF_VAR, 0, 0, 0, which)}); };
  EXPECT_EQ(of({insn(SONDE_DIF_ARG, 0, 0, 0, 5)}).ready, uint32_t{SONDE_NEED_ARGS});
  EXPECT_EQ(of({insn(SONDE_DIF_ARG, 0, 0, 0, 6)}).ready, uint32_t{SONDE_NEED_ARGS | SONDE_NEED_STACK_ARGS});
  EXPECT_EQ(of({insn(SONDE_DIF_ARG, 0, 0, 0, 9), insn(SONDE_DIF_ARG, 0, 0, 0, 1)}).arguments, 1u << 9 | 1u << 1);
  EXPECT_EQ(of({insn(SONDE_DIF_LDL, 0, 0, 0, 0)}).ready, uint32_t{SONDE_NEED_LOCALS});
  EXPECT_EQ(of({li(0, 1), insn(SONDE_DIF_STL, 0, 0, 0, 0)}).ready, uint32_t{SONDE_NEED_LOCALS | SONDE_NEED_CARE});
  EXPECT_EQ(of({insn(SONDE_DIF_LDT, 0, 0, 0, 0)}).ready, uint32_t{SONDE_NEED_THREAD});
  EXPECT_EQ(of({li(0, 1), insn(SONDE_DIF_STT, 0, 0, 0, 0)}).ready, uint32_t{SONDE_NEED_THREAD | SONDE_NEED_CARE});
  EXPECT_EQ(of({li(0, 1), load(1, 0, 8)}).ready, uint32_t{SONDE_NEED_USER});
  EXPECT_EQ(variable(SONDE_DIF_VAR_TIMESTAMP).ready, uint32_t{SONDE_NEED_TIME});
  EXPECT_EQ(variable(SONDE_DIF_VAR_USTACKDEPTH).ready, uint32_t{SONDE_NEED_USER});
  EXPECT_FALSE(variable(SONDE_DIF_VAR_USTACKDEPTH).frames);
  EXPECT_TRUE(variable(SONDE_DIF_VAR_UCALLER).frames);
  EXPECT_EQ(variable(SONDE_DIF_VAR_CPU).variables, 1u << SONDE_DIF_VAR_CPU);
  EXPECT_EQ(variable(SONDE_DIF_VAR_CPU).ready, 0u);

  const auto text = [&](int which) {
    return of({li(0, 0), insn(SONDE_DIF_CAPTEXT, 0, 0, 0, which)}, {SONDE_SLOT_TEXT});
  };
  EXPECT_TRUE(text(SONDE_DIF_TEXT_EXECNAME).execname);
  EXPECT_EQ(text(SONDE_DIF_TEXT_CWD).texts, 1u << SONDE_DIF_TEXT_CWD);
  EXPECT_EQ(text(SONDE_DIF_TEXT_CWD).ready, 0u);
  EXPECT_EQ(text(SONDE_DIF_TEXT_PSARGS).ready, uint32_t{SONDE_NEED_USER});

  const sonde_needs copied = of({li(0, 0x1000), insn(SONDE_DIF_CAPSTR, 0, 0, 0, 100),
                                 insn(SONDE_DIF_CAPSTACK, 1, 0, 0, 20), insn(SONDE_DIF_CAPMEM, 2, 0, 0, 4000)},
                                {SONDE_SLOT_TEXT, SONDE_SLOT_STACK, SONDE_SLOT_BYTES});
  EXPECT_EQ(copied.bytes, sizeof(sonde_record) + 8 + 100 + 8 + 8 * 20);
  EXPECT_TRUE(copied.frames);
  EXPECT_EQ(copied.ready, uint32_t{SONDE_NEED_USER});
}

// Faults

TEST(DifFault, OfTheCaptureItself) {
  FakeThread thread;
  const Outcome result =
      run(program({li(0, kBad), li(1, 4), insn(SONDE_DIF_CAPSTR, 0, 0, 0, 9), insn(SONDE_DIF_CAPMEM, 1, 0, 1, 9),
                   insn(SONDE_DIF_CAPSTRN, 2, 0, 1, 9), capw(3, 0)},
                  {SONDE_SLOT_TEXT, SONDE_SLOT_BYTES, SONDE_SLOT_TEXT, SONDE_SLOT_WORD}),
          thread);
  EXPECT_EQ(result.record().faults, 7u);
  EXPECT_EQ(result.record().flags, 0);
  EXPECT_EQ(result.slot(0), kBad);
  EXPECT_EQ(result.slot(1), kBad);
  EXPECT_EQ(result.slot(2), kBad);
  EXPECT_EQ(result.slot(3), kBad);  // the same value, but without a fault
  EXPECT_EQ(result.size, sizeof(sonde_record) + 32);
}

TEST(DifFault, NextCaptureTakesALoadsFaultOver) {
  FakeThread thread;
  thread.poke(0, "text", 5);
  thread.args[0] = kBase;
  const Outcome result =
      run(program({li(0, kBad), load(1, 0, 8), li(0, kBad + 1), load(1, 0, 1), capw(0, 1), capw(1, 1), arg(2, 0),
                   insn(SONDE_DIF_LDS, 1, 0, 0, 2), insn(SONDE_DIF_CAPSTR, 2, 2, 0, 9)},
                  {SONDE_SLOT_WORD, SONDE_SLOT_WORD, SONDE_SLOT_TEXT}),
          thread);
  EXPECT_EQ(result.record().faults, 5u);
  EXPECT_EQ(result.slot(0), kBad);  // the first bad address counts
  EXPECT_EQ(result.slot(1), 0u);    // a failed load yields 0
  EXPECT_EQ(result.slot(2), kBad + 1);
}

TEST(DifFault, BranchesAndFailEndTheProgram) {
  FakeThread thread;
  const std::vector<uint8_t> kinds(3, SONDE_SLOT_WORD);
  for (const sonde_dif_insn end :
       {insn(SONDE_DIF_JZ, 0, 1, 0, 0), insn(SONDE_DIF_JNZ, 0, 1, 0, 0), insn(SONDE_DIF_FAIL)}) {
    SCOPED_TRACE(sonde_dif_op_name(end.op));
    const Outcome result = run(program({li(0, kBad), capw(2, 0), load(1, 0, 8), end}, kinds), thread);
    EXPECT_EQ(result.size, sizeof(sonde_record) + 8);
    EXPECT_EQ(result.record().size, result.size);
    EXPECT_EQ(result.record().flags, SONDE_RECORD_PREDICATE_FAULT);
    EXPECT_EQ(result.record().slots, 1);
    EXPECT_EQ(result.record().faults, 1u);
    EXPECT_EQ(result.slot(0), kBad);
    EXPECT_EQ(sonde_record_check(&result.record(), result.size, kinds.data(), 3), 0);
  }
}

TEST(DifFault, InAProgramWithoutSlots) {
  FakeThread thread;
  const Outcome result = run(program({li(0, kBad), load(1, 0, 8), insn(SONDE_DIF_JZ, 0, 1, 0, 0)}), thread);
  EXPECT_EQ(result.slot(0), kBad);
  EXPECT_EQ(result.record().flags, SONDE_RECORD_PREDICATE_FAULT);
}

TEST(DifFault, StoresStoreZeroAndClear) {
  FakeThread thread;
  thread.thread_variables[5] = 1;
  thread.locals[5] = 1;
  const Outcome result = run(program({li(0, kBad), load(1, 0, 8), insn(SONDE_DIF_STT, 0, 0, 0, 5), capw(0, 0),
                                      load(1, 0, 8), insn(SONDE_DIF_STL, 0, 0, 0, 5), insn(SONDE_DIF_JZ, 0, 0, 0, 0)},
                                     {SONDE_SLOT_WORD}),
                             thread);
  EXPECT_EQ(thread.thread_variables[5], 0u);
  EXPECT_EQ(thread.locals[5], 0u);
  EXPECT_EQ(result.record().faults, 0u);
  EXPECT_EQ(result.record().flags, 0);
  EXPECT_EQ(result.slot(0), kBad);
}

TEST(DifFault, JumpsAndRecordDoNotMind) {
  FakeThread thread;
  const Outcome result =
      run(program({li(0, kBad), load(1, 0, 8), insn(SONDE_DIF_JMP, 0, 0, 0, 0)}, {SONDE_SLOT_WORD}), thread);
  EXPECT_EQ(result.record().flags, 0);
  EXPECT_EQ(result.record().faults, 0u);
  EXPECT_EQ(result.size, sizeof(sonde_record) + 8);
}

}  // namespace
}  // namespace sonde::test
