// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/kmod/shared/dif_support.h"

namespace sonde::test {
namespace {

const sonde_dif_insn kRecord = insn(SONDE_DIF_RECORD);
const sonde_dif_insn kFail = insn(SONDE_DIF_FAIL);

sonde_dif_insn li(unsigned d, int32_t i) { return insn(SONDE_DIF_LI, d, 0, 0, i); }

struct Case {
  const char* name;
  Program program;
  const char* why;  // null: accepted
};

std::vector<uint8_t> words(size_t n) { return std::vector<uint8_t>(n, SONDE_SLOT_WORD); }

void expect(const std::vector<Case>& cases) {
  for (Case c : cases) {
    SCOPED_TRACE(c.name);
    const int result = c.program.verify();
    if (c.why == nullptr) {
      EXPECT_EQ(result, 0) << c.program.why;
      EXPECT_EQ(c.program.why, "");
      EXPECT_GE(c.program.raw.record_max, sizeof(sonde_record) + 8);
    } else {
      EXPECT_EQ(result, -EINVAL);
      EXPECT_THAT(c.program.why, testing::HasSubstr(c.why));
      EXPECT_EQ(c.program.raw.record_max, 0u);
    }
  }
}

TEST(DifVerify, Frame) {
  expect({
      {"empty", {{}}, "1 to 4096 instructions"},
      {"record only", {{kRecord}}, nullptr},
      {"fail only", {{kFail}}, nullptr},
      {"falls off", {{li(0, 1)}}, "instruction 0 (LI): the last instruction"},
      {"longest", {std::vector<sonde_dif_insn>(SONDE_DIF_MAX_LENGTH, kRecord)}, nullptr},
      {"too long", {std::vector<sonde_dif_insn>(SONDE_DIF_MAX_LENGTH + 1, kRecord)}, "1 to 4096 instructions"},
      {"64 slots", {{kRecord}, words(64)}, nullptr},
      {"65 slots", {{kRecord}, words(65)}, "at most 64 slots"},
      {"kind", {{kRecord}, {SONDE_SLOT_KERNEL_STACK + 1}}, "no such kind"},
      {"pool", {{kRecord}, {}, std::vector<uint8_t>(SONDE_DIF_MAX_POOL)}, nullptr},
      {"large pool", {{kRecord}, {}, std::vector<uint8_t>(SONDE_DIF_MAX_POOL + 1)}, "pool is longer"},
      {"opcode", {{insn(SONDE_DIF_OP_COUNT), kRecord}}, "instruction 0: no such opcode: "},
  });
}

TEST(DifVerify, Operands) {
  const auto with = [](sonde_dif_insn in) { return Program{{li(0, 1), li(1, 1), in, kRecord}, {}, {}}; };
  expect({
      {"last register", with(insn(SONDE_DIF_MOV, 15, 1)), nullptr},
      {"d", with(insn(SONDE_DIF_MOV, 16, 1)), "instruction 2 (MOV): no such register: d"},
      {"a", with(insn(SONDE_DIF_MOV, 1, 16)), "no such register: a"},
      {"b", with(insn(SONDE_DIF_ADD, 1, 1, 16)), "no such register: b"},
      {"unused b", with(insn(SONDE_DIF_MOV, 1, 1, 1)), "does not use"},
      {"unused i", with(insn(SONDE_DIF_MOV, 1, 1, 0, 1)), "does not use"},
      {"unused d", with(insn(SONDE_DIF_JZ, 1, 1)), "does not use"},
      {"unused a", with(insn(SONDE_DIF_LI, 1, 1)), "does not use"},
      {"variable", with(insn(SONDE_DIF_VAR, 1, 0, 0, SONDE_DIF_VAR_COUNT - 1)), nullptr},
      {"no variable", with(insn(SONDE_DIF_VAR, 1, 0, 0, SONDE_DIF_VAR_COUNT)), "no such variable"},
      {"negative variable", with(insn(SONDE_DIF_VAR, 1, 0, 0, -1)), "no such variable"},
      {"argument", with(insn(SONDE_DIF_ARG, 1, 0, 0, 9)), nullptr},
      {"no argument", with(insn(SONDE_DIF_ARG, 1, 0, 0, 10)), "no such argument"},
      {"ureg", with(insn(SONDE_DIF_REG, 1, 0, 0, 25)), nullptr},
      {"no ureg", with(insn(SONDE_DIF_REG, 1, 0, 0, 26)), "immediate out of range"},
      {"local", with(insn(SONDE_DIF_STL, 0, 1, 0, 31)), nullptr},
      {"no local", with(insn(SONDE_DIF_LDL, 1, 0, 0, 32)), "no such local"},
      {"thread variable", with(insn(SONDE_DIF_STT, 0, 1, 0, 63)), nullptr},
      {"no thread variable", with(insn(SONDE_DIF_LDT, 1, 0, 0, 64)), "no such thread variable"},
      {"sx 32", with(insn(SONDE_DIF_SX, 1, 1, 0, 32)), nullptr},
      {"sx 64", with(insn(SONDE_DIF_SX, 1, 1, 0, 64)), "immediate out of range"},
      {"zx 0", with(insn(SONDE_DIF_ZX, 1, 1, 0, 0)), "immediate out of range"},
      {"ldu 8", with(insn(SONDE_DIF_LDU, 1, 1, 0, 8)), nullptr},
      {"lds 8", with(insn(SONDE_DIF_LDS, 1, 1, 0, 8)), "immediate out of range"},
      {"ldu 3", with(insn(SONDE_DIF_LDU, 1, 1, 0, 3)), "immediate out of range"},
  });
}

TEST(DifVerify, Pool) {
  const std::vector<uint8_t> pool = {'c', 'a', 't', 0, 1, 2, 3, 4, 5};
  const auto with = [&](sonde_dif_op op, int32_t i) { return Program{{insn(op, 0, 0, 0, i), kRecord}, {}, pool}; };
  expect({
      {"number", with(SONDE_DIF_LC, 1), nullptr},
      {"number beyond", with(SONDE_DIF_LC, 2), "no such number"},
      {"negative", with(SONDE_DIF_LC, -1), "no such number"},
      {"no pool", {{insn(SONDE_DIF_LC), kRecord}}, "no such number"},
      {"text", with(SONDE_DIF_NAMEQ, 0), nullptr},
      {"empty text", with(SONDE_DIF_NAMEQ, 3), nullptr},
      {"text without end", with(SONDE_DIF_NAMEQ, 4), "NUL-terminated"},
      {"text beyond", with(SONDE_DIF_NAMEQ, 9), "NUL-terminated"},
      {"negative text", with(SONDE_DIF_NAMEQ, INT32_MIN), "NUL-terminated"},
  });
}

TEST(DifVerify, Branches) {
  const auto jmp = [](int32_t i) { return insn(SONDE_DIF_JMP, 0, 0, 0, i); };
  expect({
      {"to next", {{jmp(0), kRecord}}, nullptr},
      {"to last", {{jmp(1), kFail, kRecord}}, nullptr},
      {"behind last", {{jmp(2), kFail, kRecord}}, "does not go forward inside"},
      {"far", {{jmp(INT32_MAX), kRecord}}, "does not go forward inside"},
      {"back", {{jmp(-1), kRecord}}, "does not go forward inside"},
      {"far back", {{jmp(INT32_MIN), kRecord}}, "does not go forward inside"},
      {"unreached may read anything", {{jmp(1), insn(SONDE_DIF_MOV, 0, 7), kRecord}}, nullptr},
      {"unreached must be well-formed", {{jmp(1), insn(SONDE_DIF_MOV, 0, 16), kRecord}}, "no such register"},
      {"unreached branches lead nowhere", {{jmp(2), insn(SONDE_DIF_MOV, 0, 7), jmp(0), kRecord}}, nullptr},
  });
}

TEST(DifVerify, ManyOpenBranches) {
  const auto nested = [](unsigned targets) {
    Program program;
    program.insns.push_back(li(0, 1));
    // each branch has another target: branch n jumps over the other branches and over n FAILs
    for (unsigned n = 0; n < targets; n++) {
      program.insns.push_back(insn(SONDE_DIF_JZ, 0, 0, 0, static_cast<int32_t>(targets - 1)));
    }
    for (unsigned n = 0; n < targets + 1; n++) program.insns.push_back(kFail);
    return program;
  };
  expect({
      {"64", nested(SONDE_DIF_MAX_OPEN), nullptr},
      {"65", nested(SONDE_DIF_MAX_OPEN + 1), "too many branch targets"},
  });
  Program chain{{li(0, 1)}};
  for (int n = 0; n < 4000; n++) chain.insns.push_back(insn(SONDE_DIF_JZ, 0, 0, 0, 4000 - n));
  chain.insns.push_back(kRecord);
  chain.insns.push_back(kFail);
  expect({{"4000 branches to one target", chain, nullptr}});
}

TEST(DifVerify, DefinedRegisters) {
  const auto jz = [](unsigned a, int32_t i) { return insn(SONDE_DIF_JZ, 0, a, 0, i); };
  const auto mov = [](unsigned d, unsigned a) { return insn(SONDE_DIF_MOV, d, a); };
  expect({
      {"undefined a", {{mov(0, 3), kRecord}}, "instruction 0 (MOV): r3 may be read before it is written"},
      {"undefined b", {{li(0, 1), insn(SONDE_DIF_ADD, 0, 0, 9), kRecord}}, "r9 may be read"},
      {"own result", {{mov(0, 0), kRecord}}, "r0 may be read"},
      {"branch on undefined", {{jz(2, 0), kRecord}}, "r2 may be read"},
      {"defined on one path only", {{li(0, 1), jz(0, 1), li(1, 1), mov(2, 1), kRecord}}, "instruction 3 (MOV): r1"},
      {"defined on both paths",
       {{li(0, 1), jz(0, 2), li(1, 1), insn(SONDE_DIF_JMP, 0, 0, 0, 1), li(1, 2), mov(2, 1), kRecord}},
       nullptr},
      {"three branches to one target, one lacks r2",
       {{li(0, 1), jz(0, 3), li(2, 1), jz(0, 1), jz(0, 0), mov(3, 2), kRecord}},
       "r2 may be read"},
      {"a path that ended does not count", {{li(0, 1), jz(0, 1), kFail, li(1, 1), mov(2, 1), kRecord}}, nullptr},
  });
}

TEST(DifVerify, Captures) {
  const auto cap = [](sonde_dif_op op, int32_t i, sonde_slot_kind kind) {
    const bool has_a = op != SONDE_DIF_CAPSTACK && op != SONDE_DIF_CAPKSTACK,
               has_b = op == SONDE_DIF_CAPSTRN || op == SONDE_DIF_CAPMEM || op == SONDE_DIF_CAPKMEM;
    return Program{{li(1, 1), li(2, 1), insn(op, 0, has_a ? 1 : 0, has_b ? 2 : 0, i), kRecord},
                   {static_cast<uint8_t>(kind)}};
  };
  const int32_t most = SONDE_DIF_MAX_TEXT;
  expect({
      {"word", cap(SONDE_DIF_CAPW, 0, SONDE_SLOT_WORD), nullptr},
      {"text", cap(SONDE_DIF_CAPSTR, most, SONDE_SLOT_TEXT), nullptr},
      {"text 0", cap(SONDE_DIF_CAPSTR, 0, SONDE_SLOT_TEXT), "immediate out of range"},
      {"text too long", cap(SONDE_DIF_CAPSTR, most + 1, SONDE_SLOT_TEXT), "immediate out of range"},
      {"text n", cap(SONDE_DIF_CAPSTRN, 1, SONDE_SLOT_TEXT), nullptr},
      {"memory", cap(SONDE_DIF_CAPMEM, most, SONDE_SLOT_BYTES), nullptr},
      {"memory too long", cap(SONDE_DIF_CAPMEM, most + 1, SONDE_SLOT_BYTES), "immediate out of range"},
      {"name", cap(SONDE_DIF_CAPTEXT, SONDE_DIF_TEXT_COUNT - 1, SONDE_SLOT_TEXT), nullptr},
      {"no such name", cap(SONDE_DIF_CAPTEXT, SONDE_DIF_TEXT_COUNT, SONDE_SLOT_TEXT), "immediate out of range"},
      {"stack", cap(SONDE_DIF_CAPSTACK, 256, SONDE_SLOT_STACK), nullptr},
      {"no frames", cap(SONDE_DIF_CAPSTACK, 0, SONDE_SLOT_STACK), "immediate out of range"},
      {"too many frames", cap(SONDE_DIF_CAPSTACK, 257, SONDE_SLOT_STACK), "immediate out of range"},
      {"kernel text", cap(SONDE_DIF_CAPKSTR, most, SONDE_SLOT_TEXT), nullptr},
      {"kernel text too long", cap(SONDE_DIF_CAPKSTR, most + 1, SONDE_SLOT_TEXT), "immediate out of range"},
      {"kernel memory", cap(SONDE_DIF_CAPKMEM, most, SONDE_SLOT_BYTES), nullptr},
      {"no kernel memory", cap(SONDE_DIF_CAPKMEM, 0, SONDE_SLOT_BYTES), "immediate out of range"},
      {"kernel stack", cap(SONDE_DIF_CAPKSTACK, 256, SONDE_SLOT_KERNEL_STACK), nullptr},
      {"too many kernel frames", cap(SONDE_DIF_CAPKSTACK, 257, SONDE_SLOT_KERNEL_STACK), "immediate out of range"},
      {"kernel stack in a user's", cap(SONDE_DIF_CAPKSTACK, 1, SONDE_SLOT_STACK), "slot 0 is of another kind"},
      {"word in text", cap(SONDE_DIF_CAPW, 0, SONDE_SLOT_TEXT), "slot 0 is of another kind"},
      {"text in bytes", cap(SONDE_DIF_CAPSTR, 1, SONDE_SLOT_BYTES), "slot 0 is of another kind"},
      {"memory in text", cap(SONDE_DIF_CAPMEM, 1, SONDE_SLOT_TEXT), "slot 0 is of another kind"},
      {"stack in word", cap(SONDE_DIF_CAPSTACK, 1, SONDE_SLOT_WORD), "slot 0 is of another kind"},
      {"no slot", {{li(1, 1), insn(SONDE_DIF_CAPW, 1, 1), kRecord}, words(1)}, "slot 1 does not exist"},
  });
}

TEST(DifVerify, CapturedOnce) {
  const auto capw = [](unsigned slot) { return insn(SONDE_DIF_CAPW, slot, 0); };
  const auto jz = insn(SONDE_DIF_JZ, 0, 0, 0, 2);
  const auto skip = insn(SONDE_DIF_JMP, 0, 0, 0, 1);
  expect({
      {"twice", {{li(0, 1), capw(0), capw(0), kRecord}, words(1)}, "slot 0 may have been captured before"},
      {"once on either path", {{li(0, 1), jz, capw(0), skip, capw(0), kRecord}, words(1)}, nullptr},
      {"on one path, then again",
       {{li(0, 1), jz, capw(0), skip, capw(1), capw(0), kRecord}, words(2)},
       "instruction 5 (CAPW): slot 0 may have been captured before"},
  });
}

TEST(DifVerify, RecordMax) {
  const uint32_t head = sizeof(sonde_record);
  const auto size_of = [](Program program) {
    EXPECT_EQ(program.verify(), 0) << program.why;
    return program.raw.record_max;
  };
  const auto text = [](unsigned slot, int32_t i) { return insn(SONDE_DIF_CAPSTR, slot, 0, 0, i); };
  const std::vector<uint8_t> texts(2, SONDE_SLOT_TEXT);
  EXPECT_EQ(size_of({{kRecord}}), head + 8);  // the address of a fault
  EXPECT_EQ(size_of({{kRecord}, words(3)}), head + 24);
  EXPECT_EQ(size_of({{li(0, 1), text(0, 7), text(1, 8), kRecord}, texts}), head + 16 + 8 + 16);
  // the longer of two paths counts
  EXPECT_EQ(size_of({{li(0, 1), insn(SONDE_DIF_JZ, 0, 0, 0, 2), text(0, 99), insn(SONDE_DIF_JMP, 0, 0, 0, 1),
                      text(0, 15), kRecord},
                     texts}),
            head + 16 + 104);
  // a path that ends early counts, too
  EXPECT_EQ(size_of({{li(0, 1), text(0, 31), insn(SONDE_DIF_JZ, 0, 0, 0, 1), kRecord, kFail}, texts}), head + 16 + 32);
  EXPECT_EQ(size_of({{insn(SONDE_DIF_CAPSTACK, 0, 0, 0, 10), kRecord}, {SONDE_SLOT_STACK}}), head + 8 + 80);
  EXPECT_EQ(size_of({{insn(SONDE_DIF_CAPKSTACK, 0, 0, 0, 10), kRecord}, {SONDE_SLOT_KERNEL_STACK}}), head + 8 + 80);
  EXPECT_EQ(size_of({{li(0, 1), insn(SONDE_DIF_CAPKSTR, 0, 0, 0, 7), kRecord}, texts}), head + 16 + 8);
  EXPECT_EQ(size_of({{li(0, 1), insn(SONDE_DIF_CAPTEXT, 0, 0, 0, SONDE_DIF_TEXT_PSARGS), kRecord}, texts}),
            head + 16 + 88);
}

TEST(DifVerify, RecordIsBounded) {
  const auto captures = [](unsigned n) {
    Program program{{li(0, 1)}, std::vector<uint8_t>(n, SONDE_SLOT_BYTES)};
    for (unsigned slot = 0; slot < n; slot++) {
      program.insns.push_back(insn(SONDE_DIF_CAPMEM, slot, 0, 0, SONDE_DIF_MAX_TEXT));
    }
    program.insns.push_back(kRecord);
    return program;
  };
  expect({
      {"15 times 64 KiB", captures(15), nullptr},
      {"16 times 64 KiB and a header", captures(16), "longer than 1 MiB"},
      {"64 times 64 KiB", captures(64), "longer than 1 MiB"},
  });
}

TEST(DifVerify, WhyFitsItsBuffer) {
  Program program{{insn(SONDE_DIF_MOV, 0, 3), kRecord}};
  program.verify();
  char small[12];
  std::memset(small, 'x', sizeof small);
  EXPECT_EQ(sonde_dif_verify(&program.raw, small, 11), -EINVAL);
  EXPECT_STREQ(small, "instructio");
  EXPECT_EQ(small[11], 'x');
  EXPECT_EQ(sonde_dif_verify(&program.raw, small, 0), -EINVAL);
  EXPECT_EQ(sonde_dif_verify(&program.raw, nullptr, 100), -EINVAL);
}

TEST(DifNames, Tables) {
  EXPECT_STREQ(sonde_dif_op_name(SONDE_DIF_LI), "LI");
  EXPECT_STREQ(sonde_dif_op_operands(SONDE_DIF_FAIL), "");
  EXPECT_STREQ(sonde_dif_op_operands(SONDE_DIF_CAPMEM), "Sabi");
  EXPECT_EQ(sonde_dif_op_name(SONDE_DIF_OP_COUNT), nullptr);
  EXPECT_STREQ(sonde_dif_variable_name(SONDE_DIF_VAR_SYSCALL), "SYSCALL");
  EXPECT_EQ(sonde_dif_variable_name(SONDE_DIF_VAR_COUNT), nullptr);
  EXPECT_STREQ(sonde_dif_text_name(SONDE_DIF_TEXT_EXECNAME), "EXECNAME");
  EXPECT_EQ(sonde_dif_text_name(SONDE_DIF_TEXT_COUNT), nullptr);
  for (uint32_t n = 0; n < SONDE_DIF_TEXT_COUNT; n++) EXPECT_GT(sonde_dif_text_max(n), 0u) << n;
  EXPECT_EQ(sonde_dif_text_max(SONDE_DIF_TEXT_COUNT), 0u);
}

}  // namespace
}  // namespace sonde::test
