// SPDX-License-Identifier: GPL-3.0-or-later
// Programs at instructions, in this very process: each arrival is judged as sonde_leaves() judges it, and has its arguments
#include "runtime/bpf/user_program.h"

#include <gtest/gtest.h>

#include "tests/runtime/bpf/user_programs.h"

namespace sonde::bpf {
namespace {

using test::insn;
using test::Program;
using namespace user;

/// A program that records these arguments.
Program arguments(const std::vector<uint32_t>& numbers) {
  Program program;
  for (uint32_t n = 0; n < numbers.size(); n++) {
    program.insns.push_back(insn(SONDE_DIF_ARG, 1, 0, 0, static_cast<int32_t>(numbers[n])));
    program.insns.push_back(insn(SONDE_DIF_CAPW, n, 1));
    program.kinds.push_back(SONDE_SLOT_WORD);
  }
  program.insns.push_back(insn(SONDE_DIF_RECORD));
  return program;
}

TEST_F(UserPrograms, SeeArgumentsInRegistersAndOnTheStack) {
  const Code code({0x55, 0x48, 0x89, 0xf8, 0x5d, 0xc3});  // push %rbp; mov %rdi, %rax; pop %rbp; ret
  Program fire = arguments({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto armed =
      arm(build_user_program(wanted(SONDE_TAP_USER_ENTRY, fire), world()), code, {{0, make_cookie(1, 0, false)}});
  EXPECT_EQ(code.call(1ul, 2ul, 3ul, 4ul, 5ul, 6ul, 7ul, 8ul, 9ul, ~0ul), 1u);
  EXPECT_EQ(records(), std::vector<Words>({{1, 2, 3, 4, 5, 6, 7, 8, 9, ~0ul}}));
}

TEST_F(UserPrograms, SeeWhereAFunctionReturnsAndWhat) {
  const Code code({0x48, 0x8d, 0x04, 0x37, 0xc3});  // lea (%rdi, %rsi), %rax; ret
  put(2, {.how = SONDE_LEAVE_RETURN, .length = 1}, 4);
  Program fire = arguments({0, 1, 2});
  const auto armed =
      arm(build_user_program(wanted(SONDE_TAP_USER_RETURN, fire), world()), code, {{4, make_cookie(2, 0, false)}});
  EXPECT_EQ(code.call(40ul, 2ul), 42u);
  EXPECT_EQ(records(), std::vector<Words>({{4, 42, 0}}));
}

/// A function of the kernel is called as one of a program, so one of ours stands for it here.
TEST_F(UserPrograms, SeeArgumentsOfTheKernelsFunctions) {
  const Code code({0x48, 0x89, 0xf8, 0xc3});  // mov %rdi, %rax; ret
  Program fire = arguments({0, 1, 2, 3, 4, 5});
  const auto armed =
      arm(build_user_program(wanted(SONDE_TAP_KERNEL_ENTRY, fire), world()), code, {{0, make_cookie(1, 0, false)}});
  EXPECT_EQ(code.call(1ul, 2ul, 3ul, 4ul, 5ul, ~0ul), 1u);
  EXPECT_EQ(records(), std::vector<Words>({{1, 2, 3, 4, 5, ~0ul}}));
}

TEST_F(UserPrograms, SeeResultsOfTheKernelsFunctions) {
  const Code code({0x48, 0x8d, 0x04, 0x37, 0xc3});  // lea (%rdi, %rsi), %rax; ret
  Program fire = arguments({0, 1, 2});
  const auto armed =
      arm(build_user_program(wanted(SONDE_TAP_KERNEL_RETURN, fire), world()), code, {{4, make_cookie(2, 0, false)}});
  EXPECT_EQ(code.call(40ul, 2ul), 42u);
  EXPECT_EQ(records(), std::vector<Words>({{~0ul, 42, 0}}));
}

/// Each condition with each combination of the flags that conditions ask for.
TEST_F(UserPrograms, JudgeEachCondition) {
  Program fire = arguments({0});
  const auto program = build_user_program(wanted(SONDE_TAP_USER_RETURN, fire), world());
  for (uint8_t condition = 0; condition < 16; condition++) {
    // push %rdi; popf; jCC behind; mov $1, %al; behind: ret
    const Code code({0x57, 0x9d, static_cast<uint8_t>(0x70 | condition), 2, 0xb0, 1, 0xc3});
    put(1, {.how = SONDE_LEAVE_JUMP_IF, .length = 2, .condition = condition}, 2);
    const auto armed = arm(program, code, {{2, make_cookie(1, 0, false)}});
    for (uint64_t bits = 0; bits < 32; bits++) {
      const uint64_t flags = 0x202 | (bits & 1) | (bits >> 1 & 1) << 2 | (bits >> 2 & 1) << 6 | (bits >> 3 & 1) << 7 |
                             (bits >> 4 & 1) << 11;
      code.call(flags);
      EXPECT_EQ(records().size() == 1, sonde_condition_holds(condition, flags) != 0) << int{condition} << " " << flags;
    }
  }
}

/// A jump through each register, to inside and to outside of the function.
TEST_F(UserPrograms, JudgeWhereAJumpLeads) {
  Program fire = arguments({0});
  const auto program = build_user_program(wanted(SONDE_TAP_USER_RETURN, fire), world());
  for (uint8_t number = 0; number < 16; number++) {
    if (number == 4) continue;  // the stack pointer
    const auto rex = static_cast<uint8_t>(0x48 | (number >> 3)), low = static_cast<uint8_t>(number & 7);
    std::vector<uint8_t> bytes = {0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57};  // push what is kept
    for (const uint8_t byte : {rex, uint8_t{0x89}, static_cast<uint8_t>(0xf8 | low)})
      bytes.push_back(byte);  // mov %rdi, reg
    const auto site = static_cast<uint8_t>(bytes.size());
    for (const uint8_t byte :
         {static_cast<uint8_t>(0x40 | (number >> 3)), uint8_t{0xff}, static_cast<uint8_t>(0xe0 | low)})
      bytes.push_back(byte);  // jmp *reg
    const auto target = static_cast<uint8_t>(bytes.size());
    for (const uint8_t byte : {0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3})
      bytes.push_back(static_cast<uint8_t>(byte));
    const Code code(bytes);
    for (const bool inside : {true, false}) {
      sonde_leave leave{.how = SONDE_LEAVE_JUMP_OPERAND, .length = 3, .base = number, .index = SONDE_LEAVE_NO_REGISTER};
      const int from = number % 2 == 0 ? -site : target - site;  // the first byte is inside, the last is not
      leave.parts[0] = {from, inside ? 40 : target - site};
      put(1, leave, site);
      const auto armed = arm(program, code, {{site, make_cookie(1, 0, false)}});
      code.call(reinterpret_cast<uint64_t>(code.at() + target));
      EXPECT_EQ(records().size(), inside ? 0u : 1u) << int{number};
    }
  }
}

/// jmp *displacement(base, index, scale), and jmp *displacement(%rip).
TEST_F(UserPrograms, JudgeWhereAJumpThroughMemoryLeads) {
  Program fire = arguments({0});
  const auto program = build_user_program(wanted(SONDE_TAP_USER_RETURN, fire), world());
  const Code code({0xff, 0x64, 0xf7, 0x10, 0xc3});  // jmp *16(%rdi, %rsi, 8); ret
  const uint64_t table_of_jumps[] = {0, 0, 0, 0, reinterpret_cast<uint64_t>(code.at() + 4)};
  for (const bool inside : {true, false}) {
    sonde_leave leave{.how = SONDE_LEAVE_JUMP_OPERAND,
                      .length = 4,
                      .flags = SONDE_LEAVE_MEMORY,
                      .base = 7,
                      .index = 6,
                      .scale = 8,
                      .displacement = 16};
    leave.parts[1] = {0, inside ? 5 : 4};
    put(1, leave);
    const auto armed = arm(program, code, {{0, make_cookie(1, 0, false)}});
    code.call(table_of_jumps, 2ul);
    EXPECT_EQ(records().size(), inside ? 0u : 1u);
  }
  std::vector<uint8_t> bytes = {0xff, 0x25, 2, 0, 0, 0, 0xc3, 0x90};  // jmp *2(%rip); ret; nop; the address
  bytes.resize(16);
  const auto relative = [&](uint8_t* at) {
    const uint64_t address = reinterpret_cast<uint64_t>(at);
    std::memcpy(&bytes[8], &address, sizeof address);
  };
  relative(code.at() + 4);  // a ret elsewhere
  const Code other(bytes);
  sonde_leave leave{.how = SONDE_LEAVE_JUMP_OPERAND,
                    .length = 6,
                    .flags = SONDE_LEAVE_MEMORY,
                    .base = SONDE_LEAVE_RIP,
                    .index = SONDE_LEAVE_NO_REGISTER,
                    .displacement = 2};
  leave.parts[0] = {0, 16};
  put(1, leave);
  const auto armed = arm(program, other, {{0, make_cookie(1, 0, false)}});
  other.call();
  EXPECT_EQ(records().size(), 1u);
}

/// A loop to the function's own first instruction: one call, whatever it does.
TEST_F(UserPrograms, LeaveOutJumpsToTheFirstInstruction) {
  // again: push %rdi; pop %rax; dec %rdi; jns again (behind a nop); ret
  const Code code({0x57, 0x58, 0x48, 0xff, 0xcf, 0x79, 0xf9, 0xc3});
  put(1, {.how = SONDE_LEAVE_REENTER_IF, .length = 2, .condition = 9}, 5);
  Program fire = arguments({0});
  UserProgram entries = wanted(SONDE_TAP_USER_ENTRY, fire);
  entries.reentered = reentered.get();
  const auto jumps = arm(build_jump_program(places.get(), reentered.get()), code, {{5, make_cookie(1, 0, false)}});
  const auto armed = arm(build_user_program(entries, world()), code, {{0, make_cookie(2, 0, true)}});
  for (int round = 0; round < 3; round++) code.call(5ul);
  EXPECT_EQ(records(), std::vector<Words>({{5}, {5}, {5}}));
}

/// Only the process that a tap names, or those that come from a target.
TEST_F(UserPrograms, AskWhoseThreadItIs) {
  const Code code({0x55, 0x5d, 0xc3});
  Program fire = arguments({0});
  const auto self = static_cast<uint32_t>(getpid());
  const auto fires = [&](UserProgram program, uint32_t pid) {
    const auto armed = arm(build_user_program(program, world()), code, {{0, make_cookie(1, pid, false)}});
    code.call();
    return records().size();
  };
  UserProgram any = wanted(SONDE_TAP_USER_ENTRY, fire);
  EXPECT_EQ(fires(any, 0), 1u);
  EXPECT_EQ(fires(any, self), 1u);
  EXPECT_EQ(fires(any, self + 1), 0u);
  UserProgram own = any;
  own.left_out = self;
  EXPECT_EQ(fires(own, 0), 0u);
  UserProgram targets = any;
  targets.origins = origins.get();
  EXPECT_EQ(fires(targets, 0), 0u);
  const uint64_t key = self;
  uint32_t origin = self + 5;
  ASSERT_TRUE(update_map(origins.get(), &key, &origin));
  EXPECT_EQ(fires(targets, 0), 1u);
  EXPECT_EQ(fires(targets, self + 5), 1u);
  EXPECT_EQ(fires(targets, self + 6), 0u);
}

}  // namespace
}  // namespace sonde::bpf
