// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "compiler/dif/disassemble.h"
#include "compiler/dif/emitter.h"

namespace sonde {
namespace {

TEST(Disassemble, OneLineAnInstructionWithNames) {
  DifEmitter out;
  DifEmitter::Label fail = out.label();
  out.op(SONDE_DIF_VAR, 0, 0, 0, SONDE_DIF_VAR_UID);
  out.branch(SONDE_DIF_JZ, fail, 0);
  out.op(SONDE_DIF_NAMEQ, 1, 0, 0, out.text("ls \"x\""));
  out.constant(2, 0x123456789abcull);
  out.op(SONDE_DIF_LDT, 3, 0, 0, 5);
  out.op(SONDE_DIF_STL, 0, 3, 0, 7);
  out.op(SONDE_DIF_ARG, 4, 0, 0, 1);
  out.op(SONDE_DIF_CAPSTR, out.add_slot(SONDE_SLOT_TEXT), 4, 0, 256);
  out.op(SONDE_DIF_CAPTEXT, out.add_slot(SONDE_SLOT_TEXT), 4, 0, SONDE_DIF_TEXT_FDPATH);
  out.op(SONDE_DIF_CAPMEM, out.add_slot(SONDE_SLOT_BYTES), 4, 2, 64);
  out.op(SONDE_DIF_CAPSTACK, out.add_slot(SONDE_SLOT_STACK), 0, 0, 100);
  out.op(SONDE_DIF_RECORD);
  out.bind(fail);
  out.op(SONDE_DIF_FAIL);
  EXPECT_EQ(disassemble(out.finish()),
            "0000  VAR      r0, uid\n"
            "0001  JZ       r0, 0012\n"
            "0002  NAMEQ    r1, \"ls \\042x\\042\"\n"
            "0003  LC       r2, 0x123456789abc\n"
            "0004  LDT      r3, self[5]\n"
            "0005  STL      r3, this[7]\n"
            "0006  ARG      r4, arg1\n"
            "0007  CAPSTR   s0, r4, 256\n"
            "0008  CAPTEXT  s1, r4, fdpath\n"
            "0009  CAPMEM   s2, r4, r2, 64\n"
            "0010  CAPSTACK s3, 100\n"
            "0011  RECORD\n"
            "0012  FAIL\n");
}

TEST(Emitter, PoolsConstantsAndTextsOnce) {
  DifEmitter out;
  out.constant(0, 5);
  out.constant(1, static_cast<uint64_t>(-5));
  out.constant(2, 0xffffffff);
  out.constant(3, 0xffffffff);
  EXPECT_EQ(out.text("a"), out.text("a"));
  EXPECT_NE(out.text("a"), out.text("b"));
  out.op(SONDE_DIF_FAIL);
  FireProgram program = out.finish();
  EXPECT_EQ(program.insns[0].op, SONDE_DIF_LI);
  EXPECT_EQ(program.insns[1].op, SONDE_DIF_LI);
  EXPECT_EQ(program.insns[2].op, SONDE_DIF_LC);
  EXPECT_EQ(program.insns[2].i, program.insns[3].i);
  EXPECT_EQ(program.pool.size(), 8u + 2 + 2);
}

TEST(Emitter, BranchesToTheNextInstruction) {
  DifEmitter out;
  DifEmitter::Label next = out.label();
  out.constant(0, 0);
  out.branch(SONDE_DIF_JZ, next, 0);
  out.bind(next);
  out.op(SONDE_DIF_RECORD);
  EXPECT_EQ(disassemble(out.finish()), "0000  LI       r0, 0\n0001  JZ       r0, 0002\n0002  RECORD\n");
}

TEST(Emitter, GoesOnInsideOfAProgram) {
  DifEmitter out;
  const DifEmitter::Label middle = out.label(), end = out.label();
  out.constant(0, 0);
  out.branch(SONDE_DIF_JZ, middle, 0);
  out.branch(SONDE_DIF_JNZ, end, 0);
  out.bind(middle);
  out.op(SONDE_DIF_RECORD);
  out.bind(end);
  out.op(SONDE_DIF_FAIL);
  const FireProgram program = out.finish();

  DifEmitter more(program, 3);
  const DifEmitter::Label own = more.label();
  more.branch(SONDE_DIF_JZ, own, 0);
  more.constant(2, 5);
  more.bind(own);
  EXPECT_EQ(disassemble(more.finish()),
            "0000  LI       r0, 0\n"
            "0001  JZ       r0, 0003\n"
            "0002  JNZ      r0, 0006\n"
            "0003  JZ       r0, 0005\n"
            "0004  LI       r2, 5\n"
            "0005  RECORD\n"
            "0006  FAIL\n");
}

}  // namespace
}  // namespace sonde
