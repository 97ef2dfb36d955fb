// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of tables that are written by hand here, and of this machine's libraries, compared with readelf
#include "kmod/shared/eh_frame.h"

#include <elf.h>
#include <errno.h>
#include <gtest/gtest.h>
#include <link.h>
#include <stdio.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sonde::test {
namespace {

using Bytes = std::vector<uint8_t>;
constexpr uint64_t kFrames = 0x10000, kCode = 0x4000, kStack = 0x7000;
constexpr uint8_t kAbsolute = 0, kPcRelative4 = 0x1b;

/// Some pieces of memory; other addresses cannot be read.
struct Memory {
  std::map<uint64_t, Bytes> pieces;
  uint32_t reads = 0;

  static int read(void* memory, uint64_t address, void* to, uint32_t length) {
    auto& [pieces, reads] = *static_cast<Memory*>(memory);
    reads++;
    auto after = pieces.upper_bound(address);
    if (after == pieces.begin()) return -1;
    const auto& [start, bytes] = *std::prev(after);
    if (address - start > bytes.size() || length > bytes.size() - (address - start)) return -1;
    std::memcpy(to, bytes.data() + (address - start), length);
    return 0;
  }
  static int read_table(void* memory, uint64_t address, void* to, uint32_t length) {
    EXPECT_LE(length, SONDE_CFI_WINDOW);
    return read(memory, address, to, length);
  }
};

constexpr sonde_cfi_env kEnv = {Memory::read_table, Memory::read, nullptr, nullptr};

void put(Bytes& to, uint64_t value, size_t bytes) {
  for (size_t n = 0; n < bytes; n++) to.push_back(static_cast<uint8_t>(value >> 8 * n));
}

void put(Bytes& to, const Bytes& bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

/// The content of an entry, preceded by its length.
void put_entry(Bytes& to, const Bytes& content) {
  put(to, content.size(), 4);
  put(to, content);
}

/// .eh_frame with one CIE and one FDE, for [kCode, kCode + 0x100).
struct Frames {
  std::string letters = "zR";
  uint8_t version = 1, encoding = kAbsolute;
  Bytes augmentation = {kAbsolute}, of_fde = {0};
  Bytes first = {0x0c, 7, 8, 0x90, 1};  // CFA = rsp + 8, the return address at CFA - 8
  uint8_t code_align = 1, data_align = 0x78, return_register = 16;
  Bytes address, size;  // of the FDE; empty: absolute, of eight bytes

  /// The bytes, and the offset of the FDE in them.
  std::pair<Bytes, uint64_t> bytes(const Bytes& instructions) const {
    Bytes all, common, fde;
    put(common, 0, 4);
    common.push_back(version);
    common.insert(common.end(), letters.begin(), letters.end());
    put(common, Bytes{0, code_align, data_align, return_register});
    if (!letters.empty()) {
      common.push_back(static_cast<uint8_t>(augmentation.size()));
      put(common, augmentation);
    }
    put(common, first);
    put_entry(all, common);
    const uint64_t at = all.size();
    put(fde, at + 4, 4);
    Bytes begin = address, length = size;
    if (begin.empty()) put(begin, kCode, 8), put(length, 0x100, 8);
    put(fde, begin);
    put(fde, length);
    put(fde, of_fde);
    put(fde, instructions);
    put_entry(all, fde);
    return {all, at};
  }
};

struct Made {
  int result;
  sonde_cfi_row row;
  uint32_t steps;
};

Made row_of(const Frames& frames, const Bytes& instructions, uint64_t pc = kCode, uint32_t steps = 1000) {
  Memory memory;
  auto [bytes, at] = frames.bytes(instructions);
  bytes.resize(bytes.size() + SONDE_CFI_WINDOW);
  memory.pieces[kFrames] = bytes;
  auto reader = std::make_unique<sonde_cfi>();
  sonde_cfi_begin(reader.get(), &kEnv, &memory, steps);
  const int result = sonde_cfi_row_at(reader.get(), kFrames, kFrames + at, pc);
  return {result, reader->row, steps - reader->steps};
}

std::string rule(const sonde_cfi_row& row, uint32_t number) {
  const std::string offset = (row.offsets[number] < 0 ? "" : "+") + std::to_string(row.offsets[number]);
  switch (row.kinds[number]) {
    case SONDE_CFI_SAME: return "s";
    case SONDE_CFI_UNDEFINED: return "u";
    case SONDE_CFI_AT_OFFSET: return "c" + offset;
    case SONDE_CFI_IS_OFFSET: return "v" + offset;
    case SONDE_CFI_IN_REGISTER: return "r" + std::to_string(row.offsets[number]);
    case SONDE_CFI_AT_EXPRESSION: return "exp";
    default: return "vexp";
  }
}

std::string cfa(const sonde_cfi_row& row) {
  if (row.cfa_expression != 0) return "exp";
  return std::to_string(row.cfa_register) + (row.cfa_offset < 0 ? "" : "+") + std::to_string(row.cfa_offset);
}

TEST(EhFrame, TheCiesRowAndThoseAfterIt) {
  const Bytes push = {0x41, 0x0e, 16, 0x86, 2, 0x42, 0x0d, 6};  // push %rbp; mov %rsp, %rbp
  EXPECT_EQ(row_of({}, push, kCode).result, 0);
  EXPECT_EQ(cfa(row_of({}, push, kCode).row), "7+8");
  EXPECT_EQ(rule(row_of({}, push, kCode).row, 16), "c-8");
  EXPECT_EQ(rule(row_of({}, push, kCode).row, 6), "s");
  EXPECT_EQ(cfa(row_of({}, push, kCode + 1).row), "7+16");
  EXPECT_EQ(rule(row_of({}, push, kCode + 2).row, 6), "c-16");
  EXPECT_EQ(cfa(row_of({}, push, kCode + 0xff).row), "6+16");
  EXPECT_EQ(row_of({}, push, kCode + 0x100).result, -ENOENT);
  EXPECT_EQ(row_of({}, push, kCode - 1).result, -ENOENT);
}

TEST(EhFrame, EachInstruction) {
  const auto made = [](const Bytes& instructions, uint32_t number = 3) {
    const Made made = row_of({}, instructions, kCode + 0x80);
    return made.result != 0 ? std::to_string(made.result) : cfa(made.row) + " " + rule(made.row, number);
  };
  EXPECT_EQ(made({0x00, 0x2d, 0x2e, 0x81, 0x01}), "7+8 s") << "nop, window_save, args_size";
  EXPECT_EQ(made({0x83, 3}), "7+8 c-24");
  EXPECT_EQ(made({0x83, 3, 0xc3}), "7+8 s") << "restore";
  EXPECT_EQ(made({0x07, 16, 0xd0}, 16), "7+8 c-8") << "as the CIE has it";
  EXPECT_EQ(made({0x05, 3, 0x83, 0x01}), "7+8 c-1048") << "offset_extended, a number of two bytes";
  EXPECT_EQ(made({0x05, 3, 2, 0x06, 3}), "7+8 s") << "restore_extended";
  EXPECT_EQ(made({0x07, 3}), "7+8 u");
  EXPECT_EQ(made({0x07, 3, 0x08, 3}), "7+8 s");
  EXPECT_EQ(made({0x09, 3, 12}), "7+8 r12");
  EXPECT_EQ(made({0x09, 3, 40}), "7+8 r17") << "a register that is not followed";
  EXPECT_EQ(made({0x83, 3, 0x0a, 0x0e, 64, 0x83, 4, 0x0b}), "7+8 c-24") << "remember, restore state";
  EXPECT_EQ(made({0x0c, 6, 16}), "6+16 s");
  EXPECT_EQ(made({0x12, 6, 0x7e}), "6+16 s") << "def_cfa_sf";
  EXPECT_EQ(made({0x0d, 6}), "6+8 s");
  EXPECT_EQ(made({0x0e, 24}), "7+24 s");
  EXPECT_EQ(made({0x13, 0x7d}), "7+24 s") << "def_cfa_offset_sf";
  EXPECT_EQ(made({0x0f, 2, 0x77, 8}), "exp s");
  EXPECT_EQ(made({0x0f, 2, 0x77, 8, 0x0c, 7, 24}), "7+24 s") << "the expression is gone";
  EXPECT_EQ(made({0x10, 3, 1, 0x96}), "7+8 exp");
  EXPECT_EQ(made({0x11, 3, 0x7e}), "7+8 c+16");
  EXPECT_EQ(made({0x14, 3, 2}), "7+8 v-16");
  EXPECT_EQ(made({0x15, 3, 0x7e}), "7+8 v+16");
  EXPECT_EQ(made({0x16, 3, 1, 0x96}), "7+8 vexp");
  EXPECT_EQ(made({0x83, 3, 0x05, 60, 1}), "7+8 c-24") << "a register that is not followed";
  const std::string wrong = std::to_string(-EINVAL);
  EXPECT_EQ(made({0x17}), wrong);
  EXPECT_EQ(made({0x3f}), wrong);
  EXPECT_EQ(made({0x0b}), wrong) << "nothing is remembered";
  EXPECT_EQ(made({0x0d, 17}), wrong);
  EXPECT_EQ(made({0x0e}), wrong) << "behind the end";
  EXPECT_EQ(made({0x0f, 5, 0x30}), wrong) << "an expression behind the end";
  EXPECT_EQ(made({0x0e, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}), wrong)
      << "a number without an end";
  EXPECT_EQ(made({0x83, 0x80, 0x80, 0x80, 0x80, 0x10}), wrong) << "an offset of 32 GiB";
  EXPECT_EQ(made(Bytes(8, 0x0a)), "7+8 s");
  EXPECT_EQ(made(Bytes(9, 0x0a)), wrong) << "more than can be remembered";
}

TEST(EhFrame, EachWayToAdvance) {
  const auto offset_at = [](const Bytes& advance, uint64_t pc, uint8_t align = 1) {
    Frames frames;
    frames.code_align = align;
    Bytes all = advance;
    put(all, Bytes{0x0e, 99});
    return row_of(frames, all, kCode + pc).row.cfa_offset;
  };
  Bytes set_loc = {0x01};
  put(set_loc, kCode + 0x20, 8);
  for (const Bytes& advance :
       {Bytes{0x60}, Bytes{0x02, 0x20}, Bytes{0x03, 0x20, 0}, Bytes{0x04, 0x20, 0, 0, 0}, set_loc}) {
    EXPECT_EQ(offset_at(advance, 0x1f), 8) << int{advance[0]};
    EXPECT_EQ(offset_at(advance, 0x20), 99) << int{advance[0]};
  }
  EXPECT_EQ(offset_at({0x48}, 0x1f, 4), 8) << "in units of four bytes";
  EXPECT_EQ(offset_at({0x48}, 0x20, 4), 99);
}

TEST(EhFrame, EachEncodingOfAPointer) {
  constexpr uint64_t kNear = 0x2040;  // fits two bytes
  // The FDE begins after the 4 + 18 bytes of the CIE; its address field is at offset 8.
  constexpr uint64_t kAddressAt = kFrames + 22 + 8;
  const std::map<uint8_t, size_t> forms = {{0x00, 8}, {0x02, 2}, {0x03, 4}, {0x04, 8}, {0x0a, 2}, {0x0b, 4}, {0x0c, 8}};
  for (const auto& [form, width] : forms) {
    for (const uint8_t relative : {0x00, 0x10, 0x30}) {
      Frames frames;
      frames.augmentation = {static_cast<uint8_t>(form | relative)};
      const uint64_t base = relative == 0x10 ? kAddressAt : relative == 0x30 ? kFrames : 0;
      const uint64_t code = base + kNear;
      put(frames.address, kNear, width);
      put(frames.size, 0x10, width);
      ASSERT_EQ(frames.bytes({}).second, 22u);
      EXPECT_EQ(row_of(frames, {}, code + 0xf).result, 0) << std::hex << form + relative;
      EXPECT_EQ(row_of(frames, {}, code + 0x10).result, -ENOENT) << std::hex << form + relative;
      EXPECT_EQ(row_of(frames, {}, code - 1).result, -ENOENT) << std::hex << form + relative;
    }
  }
  Frames backwards;
  backwards.augmentation = {kPcRelative4};
  put(backwards.address, static_cast<uint64_t>(-0x100), 4);
  put(backwards.size, 0x10, 4);
  EXPECT_EQ(row_of(backwards, {}, kAddressAt - 0x100).result, 0);
  Frames leb;
  leb.augmentation = {0x01};
  leb.address = {0x80, 0x80, 0x01};  // 0x4000
  leb.size = {0x10};
  EXPECT_EQ(row_of(leb, {}, 0x400f).result, 0);
  leb.augmentation = {0x19};
  leb.address = {0x70};  // -16
  EXPECT_EQ(row_of(leb, {}, kAddressAt - 16).result, 0);
  for (const uint8_t wrong : {0x05, 0x20, 0x40, 0x50, 0x9b, 0xff}) {
    Frames frames;
    frames.augmentation = {wrong};
    EXPECT_EQ(row_of(frames, {}).result, -EINVAL) << int{wrong};
  }
}

TEST(EhFrame, WhatACieMayHave) {
  Frames frames;
  frames.letters = "zPLR";
  frames.augmentation = {0x03, 1, 2, 3, 4, 0x1b, kAbsolute};
  frames.of_fde = {4, 9, 9, 9, 9};
  EXPECT_EQ(cfa(row_of(frames, {0x0e, 32}).row), "7+32");
  frames.augmentation.push_back(0xaa);  // more than the letters announce
  EXPECT_EQ(cfa(row_of(frames, {0x0e, 32}).row), "7+32");
  frames = {};
  frames.letters = "zRS";
  EXPECT_EQ(row_of(frames, {}).row.signal_frame, 1);
  EXPECT_EQ(row_of({}, {}).row.signal_frame, 0);
  frames = {};
  frames.letters = "";
  frames.augmentation = frames.of_fde = {};
  EXPECT_EQ(cfa(row_of(frames, {0x0e, 32}).row), "7+32");
  frames.version = 3;
  EXPECT_EQ(cfa(row_of(frames, {0x0e, 32}).row), "7+32");
  for (const uint8_t version : {0, 2, 4}) {
    frames.version = version;
    EXPECT_EQ(row_of(frames, {}).result, -EINVAL) << int{version};
  }
  for (const char* letters : {"eh", "zX", "zRRRRRRRR"}) {
    frames = {};
    frames.letters = letters;
    EXPECT_EQ(row_of(frames, {}).result, -EINVAL) << letters;
  }
  frames = {};
  frames.return_register = 17;
  EXPECT_EQ(row_of(frames, {}).result, -EINVAL);
}

TEST(EhFrame, EachInstructionIsPaidFor) {
  const Bytes many(500, 0x00);
  const Made made = row_of({}, many, kCode, 1000);
  EXPECT_EQ(made.result, 0);
  EXPECT_EQ(made.steps, 502u) << "two of the CIE";
  EXPECT_EQ(row_of({}, many, kCode, 503).result, 0);
  EXPECT_EQ(row_of({}, many, kCode, 502).result, -E2BIG);
  EXPECT_EQ(row_of({}, many, kCode, 0).result, -E2BIG);
}

TEST(EhFrame, AnEntryMayEndWhereMemoryEnds) {
  auto [bytes, at] = Frames{}.bytes({0x0e, 32});
  const uint64_t begin = kFrames + 4096 - bytes.size();
  Memory memory;
  memory.pieces[begin] = bytes;
  auto reader = std::make_unique<sonde_cfi>();
  sonde_cfi_begin(reader.get(), &kEnv, &memory, 1000);
  EXPECT_EQ(sonde_cfi_row_at(reader.get(), begin, begin + at, kCode), 0);
  EXPECT_EQ(cfa(reader->row), "7+32");
  memory.pieces[begin].pop_back();
  sonde_cfi_begin(reader.get(), &kEnv, &memory, 1000);
  EXPECT_EQ(sonde_cfi_row_at(reader.get(), begin, begin + at, kCode), -EFAULT);
}

/// The value of an expression for a CFA; 0: it fails.
uint64_t value_of(const Bytes& expression, const std::vector<uint64_t>& registers = {}) {
  Bytes instructions = {0x0f, static_cast<uint8_t>(expression.size())};
  put(instructions, expression);
  put(instructions, Bytes{0x14, 16, 0});  // the return address is the CFA itself
  Memory memory;
  auto [bytes, at] = Frames{}.bytes(instructions);
  bytes.resize(bytes.size() + SONDE_CFI_WINDOW);
  memory.pieces[kFrames] = bytes;
  Bytes& stack = memory.pieces[kStack];
  for (uint64_t n = 0; n < 64; n++) stack.push_back(static_cast<uint8_t>(0xf0 + n));
  auto reader = std::make_unique<sonde_cfi>();
  sonde_cfi_begin(reader.get(), &kEnv, &memory, 1000);
  EXPECT_EQ(sonde_cfi_row_at(reader.get(), kFrames, kFrames + at, kCode), 0);
  uint64_t all[SONDE_CFI_REGISTERS] = {};
  std::ranges::copy(registers, all);
  return sonde_cfi_apply(reader.get(), kFrames, &reader->row, all) == 0 ? all[SONDE_CFI_PC] : 0;
}

TEST(EhFrame, EachOperation) {
  constexpr uint64_t kMinusOne = ~uint64_t{0};
  EXPECT_EQ(value_of({0x4f}), 31u);
  EXPECT_EQ(value_of({0x08, 0xff}), 0xffu);
  EXPECT_EQ(value_of({0x09, 0xff}), kMinusOne);
  EXPECT_EQ(value_of({0x0a, 0xfe, 0xff}), 0xfffeu);
  EXPECT_EQ(value_of({0x0b, 0xff, 0xff}), kMinusOne);
  EXPECT_EQ(value_of({0x0c, 1, 0, 0, 0x80}), 0x80000001u);
  EXPECT_EQ(value_of({0x0d, 0xff, 0xff, 0xff, 0xff}), kMinusOne);
  EXPECT_EQ(value_of({0x0e, 1, 2, 3, 4, 5, 6, 7, 8}), 0x0807060504030201u);
  EXPECT_EQ(value_of({0x10, 0x80, 0x01}), 128u);
  EXPECT_EQ(value_of({0x11, 0x7f}), kMinusOne);
  EXPECT_EQ(value_of({0x35, 0x12, 0x22}), 10u) << "dup, plus";
  EXPECT_EQ(value_of({0x35, 0x36, 0x13}), 5u) << "drop";
  EXPECT_EQ(value_of({0x35, 0x23, 0x81, 0x01}), 134u) << "plus_uconst";
  EXPECT_EQ(value_of({0x72, 0x7f}, {0, 0, 100}), 99u) << "breg2 - 1";
  EXPECT_EQ(value_of({0x92, 2, 1}, {0, 0, 100}), 101u) << "bregx";
  EXPECT_EQ(value_of({0x70, 0, 0x06}, {kStack}), 0xf7f6f5f4f3f2f1f0u) << "deref";
  EXPECT_EQ(value_of({0x70, 0, 0x94, 2}, {kStack}), 0xf1f0u) << "deref_size";
  EXPECT_EQ(value_of({0x3c, 0x3a, 0x1a}), 8u);
  EXPECT_EQ(value_of({0x3c, 0x3a, 0x1c}), 2u);
  EXPECT_EQ(value_of({0x3c, 0x3a, 0x1e}), 120u);
  EXPECT_EQ(value_of({0x3c, 0x3a, 0x21}), 14u);
  EXPECT_EQ(value_of({0x3c, 0x32, 0x24}), 48u);
  EXPECT_EQ(value_of({0x3c, 0x32, 0x25}), 3u);
  EXPECT_EQ(value_of({0x09, 0xf0, 0x32, 0x26}), static_cast<uint64_t>(-4)) << "shift of the sign";
  EXPECT_EQ(value_of({0x09, 0xf0, 0x08, 64, 0x26}), kMinusOne);
  EXPECT_EQ(value_of({0x3c, 0x08, 64, 0x24, 0x23, 1}), 1u) << "shifted out";
  EXPECT_EQ(value_of({0x3c, 0x3a, 0x27}), 6u);
  const Bytes less = {0x31, 0x32}, equal = {0x32, 0x32}, more = {0x32, 0x09, 0xff};
  const std::map<uint8_t, std::array<uint64_t, 3>> comparisons = {
      {0x29, {0, 1, 0}}, {0x2a, {0, 1, 1}}, {0x2b, {0, 0, 1}}, {0x2c, {1, 1, 0}}, {0x2d, {1, 0, 0}}, {0x2e, {1, 0, 1}}};
  for (const auto& [op, wanted] : comparisons) {
    const std::array operands = {less, equal, more};
    for (size_t n = 0; n < operands.size(); n++) {
      Bytes all = operands[n];
      put(all, Bytes{op, 0x23, 1});
      EXPECT_EQ(value_of(all), wanted[n] + 1) << int{op} << " " << n;
    }
  }
}

TEST(EhFrame, ExpressionsThatFail) {
  EXPECT_EQ(value_of({0x96}), 0u) << "nothing is left";
  EXPECT_EQ(value_of({0x22}), 0u);
  EXPECT_EQ(value_of({0x31, 0x22}), 0u);
  EXPECT_EQ(value_of({0x08}), 0u) << "behind the end";
  EXPECT_EQ(value_of({0x31, 0x06}), 0u) << "memory that is not there";
  EXPECT_EQ(value_of({0x70, 0, 0x94, 9}, {kStack}), 0u);
  EXPECT_EQ(value_of({0x92, 17, 0}), 0u);
  EXPECT_EQ(value_of({0x2f, 0, 0}), 0u) << "skip: there are no jumps";
  EXPECT_EQ(value_of(Bytes(16, 0x31)), 1u);
  EXPECT_EQ(value_of(Bytes(17, 0x31)), 0u) << "more than the stack has";
}

TEST(EhFrame, TheProcedureLinkageTablesExpression) {
  // CFA = rsp + 8 + ((rip & 15) >= 11) * 8: as linkers describe .plt
  for (auto [pc, wanted] : {std::pair<uint64_t, uint64_t>{0x1000, 0x8008}, {0x100a, 0x8008}, {0x100b, 0x8010}}) {
    std::vector<uint64_t> registers(SONDE_CFI_REGISTERS);
    registers[SONDE_CFI_SP] = 0x8000;
    registers[SONDE_CFI_PC] = pc;
    EXPECT_EQ(value_of({0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}, registers), wanted);
  }
}

TEST(EhFrame, EachRuleFindsItsRegister) {
  // rbx at CFA - 16, rbp = CFA - 32, r12 in rax, r13 at what CFA - 16 says, r14 = CFA + 1, r15 undefined
  const Bytes instructions = {0x83, 2,    0x14, 6,    4,  0x09, 12,   0, 0x10, 13,
                              2,    0x40, 0x1c, 0x16, 14, 2,    0x23, 1, 0x07, 15};
  Memory memory;
  auto [bytes, at] = Frames{}.bytes(instructions);
  bytes.resize(bytes.size() + SONDE_CFI_WINDOW);
  memory.pieces[kFrames] = bytes;
  Bytes& stack = memory.pieces[kStack];
  for (uint64_t n = 0; n < 4; n++) put(stack, 100 + n, 8);
  auto reader = std::make_unique<sonde_cfi>();
  sonde_cfi_begin(reader.get(), &kEnv, &memory, 1000);
  ASSERT_EQ(sonde_cfi_row_at(reader.get(), kFrames, kFrames + at, kCode), 0);
  uint64_t registers[SONDE_CFI_REGISTERS] = {};
  for (uint32_t n = 0; n < SONDE_CFI_REGISTERS; n++) registers[n] = 1000 + n;
  registers[SONDE_CFI_SP] = kStack + 16;  // the CFA is kStack + 24
  uint64_t was[SONDE_CFI_REGISTERS];
  std::ranges::copy(registers, was);
  ASSERT_EQ(sonde_cfi_apply(reader.get(), kFrames, &reader->row, registers), 0);
  EXPECT_EQ(registers[SONDE_CFI_SP], kStack + 24);
  EXPECT_EQ(registers[SONDE_CFI_PC], 102u);
  EXPECT_EQ(registers[3], 101u);
  EXPECT_EQ(registers[6], kStack + 24 - 32);
  EXPECT_EQ(registers[12], 1000u);
  EXPECT_EQ(registers[13], 101u);
  EXPECT_EQ(registers[14], kStack + 25);
  EXPECT_EQ(registers[15], 1015u);
  EXPECT_EQ(registers[1], 1001u);

  std::ranges::copy(was, registers);
  const Bytes words = std::exchange(memory.pieces[kStack], {});
  EXPECT_EQ(sonde_cfi_apply(reader.get(), kFrames, &reader->row, registers), -EFAULT);
  EXPECT_TRUE(std::ranges::equal(registers, was)) << "they stay";
  memory.pieces[kStack] = words;
  sonde_cfi_row row = reader->row;
  row.kinds[SONDE_CFI_PC] = SONDE_CFI_UNDEFINED;
  EXPECT_EQ(sonde_cfi_apply(reader.get(), kFrames, &row, registers), -ENOENT) << "where the stack begins";
  row.kinds[SONDE_CFI_PC] = SONDE_CFI_IN_REGISTER;
  row.offsets[SONDE_CFI_PC] = SONDE_CFI_REGISTERS;
  EXPECT_EQ(sonde_cfi_apply(reader.get(), kFrames, &row, registers), -EINVAL);
}

/// An object: ELF header, program headers, .eh_frame_hdr at 0x1000, .eh_frame at 0x2000 and code at 0x5000.
struct Object {
  static constexpr uint64_t kBase = 0x100000, kHeader = 0x1000, kEntries = 0x2000, kText = 0x5000;
  Bytes bytes = Bytes(0x6000);

  explicit Object(uint32_t functions, uint64_t first = 0) {
    Elf64_Ehdr elf = {};
    std::memcpy(elf.e_ident, ELFMAG, SELFMAG);
    elf.e_ident[EI_CLASS] = ELFCLASS64;
    elf.e_phoff = sizeof elf;
    elf.e_phentsize = sizeof(Elf64_Phdr);
    elf.e_phnum = 3;
    const Elf64_Phdr segments[] = {
        {PT_LOAD, PF_R, 0, first, first, 0x5000, 0x5000, 0x1000},
        {PT_LOAD, PF_R | PF_X, kText, first + kText + 0x10, 0, 0xf00, 0xf00, 0x1000},
        {PT_GNU_EH_FRAME, PF_R, kHeader, first + kHeader, 0, 0x100, 0x100, 4},
    };
    std::memcpy(bytes.data(), &elf, sizeof elf);
    std::memcpy(bytes.data() + sizeof elf, segments, sizeof segments);
    Bytes header = {1, 0x1b, 0x03, 0x3b}, entries;
    put(header, kEntries - kHeader - 4, 4);
    put(header, functions, 4);
    put_entry(entries, {0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, kPcRelative4, 0x0c, 7, 8, 0x90, 1});
    for (uint32_t n = 0; n < functions; n++) {
      const uint64_t at = kEntries + entries.size(), code = kText + 0x10 + 16ull * n;
      put(header, code - kHeader, 4);
      put(header, at - kHeader, 4);
      Bytes fde;
      put(fde, at + 4 - kEntries, 4);
      put(fde, code - (at + 8), 4);
      put(fde, Bytes{16, 0, 0, 0, 0, 0x0e, static_cast<uint8_t>(8 + n % 64)});
      put_entry(entries, fde);
    }
    put(entries, 0, 4);
    std::ranges::copy(header, bytes.begin() + kHeader);
    std::ranges::copy(entries, bytes.begin() + kEntries);
  }
};

TEST(EhFrame, FindsTheEntryOfEachAddress) {
  for (const uint32_t functions : {0u, 1u, 2u, 7u, 8u, 9u, 16u, 17u, 100u, 200u}) {
    for (const uint64_t first : {uint64_t{0}, uint64_t{0x400000}}) {
      Memory memory;
      memory.pieces[Object::kBase] = Object(functions, first).bytes;
      auto reader = std::make_unique<sonde_cfi>();
      sonde_cfi_begin(reader.get(), &kEnv, &memory, 100000);
      const uint64_t text = Object::kBase + Object::kText;
      sonde_cfi_table table;
      ASSERT_EQ(sonde_cfi_open(reader.get(), Object::kBase, text + 0x20, &table), 0);
      EXPECT_EQ(table.header, Object::kBase + Object::kHeader);
      ASSERT_EQ(table.count, functions);
      uint64_t fde = 0;
      EXPECT_EQ(sonde_cfi_find(reader.get(), &table, text + 0xf, &fde), -ENOENT);
      for (uint64_t n = 0; n < functions; n++) {
        for (const uint64_t into : {0, 15}) {
          const uint64_t pc = text + 0x10 + 16 * n + into;
          ASSERT_EQ(sonde_cfi_find(reader.get(), &table, pc, &fde), 0) << functions << " " << n;
          ASSERT_EQ(sonde_cfi_row_at(reader.get(), table.header, fde, pc), 0) << functions << " " << n;
          ASSERT_EQ(reader->row.cfa_offset, static_cast<int64_t>(8 + n % 64)) << functions << " " << n;
        }
      }
      uint64_t at = Object::kBase + Object::kEntries, code = 0;
      ASSERT_EQ(sonde_cfi_next(reader.get(), table.header, &at, &code), 0);
      EXPECT_EQ(code, 0u) << "the CIE";
      for (uint64_t n = 0; n < functions; n++) {
        ASSERT_EQ(sonde_cfi_next(reader.get(), table.header, &at, &code), 0);
        EXPECT_EQ(code, text + 0x10 + 16 * n);
      }
      EXPECT_NE(sonde_cfi_next(reader.get(), table.header, &at, &code), 0) << "the end";
    }
  }
}

TEST(EhFrame, ObjectsThatHaveNoTable) {
  const uint64_t text = Object::kBase + Object::kText;
  const auto open = [](const Bytes& bytes, uint64_t pc, uint32_t* count = nullptr, uint32_t steps = 100) {
    Memory memory;
    memory.pieces[Object::kBase] = bytes;
    auto reader = std::make_unique<sonde_cfi>();
    sonde_cfi_begin(reader.get(), &kEnv, &memory, steps);
    sonde_cfi_table table;
    const int result = sonde_cfi_open(reader.get(), Object::kBase, pc, &table);
    if (count != nullptr) *count = table.count;
    return result;
  };
  const Bytes good = Object(3).bytes;
  EXPECT_EQ(open(good, text), 0);
  EXPECT_EQ(open(good, text - 1), -ENOENT) << "data";
  EXPECT_EQ(open(good, text + 0xf10), -ENOENT) << "behind the segment";
  EXPECT_EQ(open(good, text, nullptr, 3), -E2BIG);
  EXPECT_EQ(open({}, text), -EFAULT);
  const auto with = [&](size_t at, uint8_t value) {
    Bytes bytes = good;
    bytes[at] = value;
    return bytes;
  };
  EXPECT_EQ(open(with(1, 'X'), text), -ENOENT);
  EXPECT_EQ(open(with(EI_CLASS, ELFCLASS32), text), -ENOENT);
  EXPECT_EQ(open(with(offsetof(Elf64_Ehdr, e_phentsize), 32), text), -ENOENT);
  EXPECT_EQ(open(with(offsetof(Elf64_Ehdr, e_phoff) + 3, 1), text), -EFAULT);
  for (const auto& [at, value] : {std::pair<uint64_t, uint8_t>{0, 2}, {1, 0xff}, {2, 0xff}, {3, 0x1b}, {11, 0xff}}) {
    uint32_t count = 1;
    EXPECT_EQ(open(with(Object::kHeader + at, value), text, &count), 0) << "it is code, all the same";
    EXPECT_EQ(count, 0u) << at;
  }
}

TEST(EhFrame, ACieIsReadOnce) {
  Memory memory;
  memory.pieces[Object::kBase] = Object(2).bytes;
  auto reader = std::make_unique<sonde_cfi>();
  sonde_cfi_begin(reader.get(), &kEnv, &memory, 1000);
  const uint64_t header = Object::kBase + Object::kHeader, text = Object::kBase + Object::kText + 0x10;
  const uint64_t first = Object::kBase + Object::kEntries + 22, second = first + 4 + 19 - 4;
  ASSERT_EQ(sonde_cfi_row_at(reader.get(), header, first, text), 0);
  const uint32_t steps = reader->steps;
  ASSERT_EQ(sonde_cfi_row_at(reader.get(), header, second, text + 16), 0);
  EXPECT_EQ(steps - reader->steps, 1u) << "the FDE's only instruction";
  EXPECT_EQ(memory.reads, 2u) << "of the FDE, then of the CIE: the second FDE is in that window";
  sonde_cfi_begin(reader.get(), &kEnv, &memory, 1000);
  ASSERT_EQ(sonde_cfi_row_at(reader.get(), header, second, text + 16), 0);
  EXPECT_GT(memory.reads, 2u) << "a new walk reads anew";
}

/// A file of this machine as it would be loaded, with its first segment at address 0.
Memory loaded(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const Bytes bytes(std::istreambuf_iterator<char>(file), {});
  Memory memory;
  Elf64_Ehdr elf;
  if (bytes.size() < sizeof elf) return memory;
  std::memcpy(&elf, bytes.data(), sizeof elf);
  Bytes& image = memory.pieces[0];
  for (size_t n = 0; n < elf.e_phnum; n++) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + elf.e_phoff + n * sizeof segment, sizeof segment);
    if (segment.p_type != PT_LOAD) continue;
    image.resize((std::max(image.size(), segment.p_vaddr + segment.p_filesz) + 4095) & ~size_t{4095});
    std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(segment.p_offset), segment.p_filesz,
                image.begin() + static_cast<ptrdiff_t>(segment.p_vaddr));
  }
  return memory;
}

/// readelf's names of registers, in DWARF's order.
const std::vector<std::string> kNames = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
                                         "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "ra"};

std::string named_cfa(const sonde_cfi_row& row) {
  const std::string text = cfa(row);
  return row.cfa_expression != 0 ? text : kNames[row.cfa_register] + text.substr(text.find_first_of("+-"));
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (size_t at = 0; (at = line.find_first_not_of(" \n", at)) != std::string::npos;) {
    const size_t end = std::min(line.find_first_of(" \n", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

/// Checks that each row of readelf's output is ours; returns their number.
uint32_t rows_as_readelf_has_them(const std::string& path) {
  Memory memory = loaded(path);
  auto reader = std::make_unique<sonde_cfi>();
  const std::unique_ptr<FILE, int (*)(FILE*)> output(
      popen(("readelf --debug-dump=frames-interp " + path + " 2>/dev/null").c_str(), "r"), pclose);
  std::vector<std::string> columns;
  std::array<char, 512> line;
  bool of_fde = false;
  uint32_t rows = 0;
  while (output != nullptr && fgets(line.data(), line.size(), output.get()) != nullptr) {
    const std::vector<std::string> words = words_of(line.data());
    if (words.size() > 3 && (words[3] == "FDE" || words[3] == "CIE")) of_fde = words[3] == "FDE";
    if (!words.empty() && words[0] == "LOC") columns.assign(words.begin() + 1, words.end());
    if (!of_fde || words.size() != columns.size() + 1 || words[0].size() != 16) continue;
    const uint64_t pc = std::stoull(words[0], nullptr, 16);
    sonde_cfi_table table;
    uint64_t fde = 0;
    sonde_cfi_begin(reader.get(), &kEnv, &memory, 100000);
    if (sonde_cfi_open(reader.get(), 0, pc, &table) != 0 || sonde_cfi_find(reader.get(), &table, pc, &fde) != 0 ||
        sonde_cfi_row_at(reader.get(), table.header, fde, pc) != 0) {
      ADD_FAILURE() << path << ": no row at " << words[0];
      continue;
    }
    for (size_t n = 0; n < columns.size(); n++) {
      const auto number = static_cast<uint32_t>(std::ranges::find(kNames, columns[n]) - kNames.begin());
      if (columns[n] != "CFA" && number == kNames.size()) continue;
      const std::string ours = columns[n] == "CFA" ? named_cfa(reader->row) : rule(reader->row, number);
      // if nothing is said about a register that the callee need not preserve, readelf shows it as undefined
      if (words[n + 1] == "u" && ours == "s") continue;
      EXPECT_EQ(ours, words[n + 1]) << path << " " << words[0] << " " << columns[n];
    }
    rows++;
  }
  return rows;
}

TEST(EhFrame, EachRowOfThisMachinesLibraries) {
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* to) {
        const std::string name = info->dlpi_name;
        for (const char* wanted : {"libc.so", "ld-linux", "libstdc++", "libgcc_s"})
          if (name.find(wanted) != std::string::npos) static_cast<std::vector<std::string>*>(to)->push_back(name);
        return 0;
      },
      &paths);
  uint32_t rows = 0;
  for (const std::string& path : paths) rows += rows_as_readelf_has_them(path);
  if (rows == 0) GTEST_SKIP() << "there is no readelf";
  EXPECT_GT(rows, 10000u);
}

}  // namespace
}  // namespace sonde::test
