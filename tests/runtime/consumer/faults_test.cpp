// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/consumer/faults.h"

#include <gtest/gtest.h>

#include "runtime/framework/framework.h"
#include "runtime/program/program.h"

namespace sonde {
namespace {

constexpr Nanoseconds kSecond = 1'000'000'000;

class FaultLogTest : public testing::Test {
 protected:
  FaultLogTest() {
    clause.text = std::make_shared<const std::string>("BEGIN\n{\n\ttrace(*(int *)arg0);\n\tcopyinstr(arg1);\n}\n");
    clause.places = {{0, 5}, {9, 28}, {31, 46}};
    context.clause = &clause;
    context.epid = 1;
  }

  void fault(uint64_t action, uint64_t address, Nanoseconds now) {
    context.action = action;
    context.fault = static_cast<uint64_t>(Fault::BadAddress);
    context.fault_value = address;
    log.add(probe, context, now);
  }

  std::string provider = "syscall", module = "vmlinux", function = "read", name = "entry";
  ProbeInfo probe{{9}, provider, module, function, name};
  ClauseDesc clause;
  BodyContext context{};
  std::vector<std::string> told;
  FaultLog log{[this](const FaultReport& fault) { told.push_back(fault_message(fault)); }};
  const std::string first = "error on enabled probe ID 1 (ID 9: syscall:vmlinux:read:entry): ";
};

TEST_F(FaultLogTest, TheFirstComesWithItsPlace) {
  fault(1, 0x7f0000001000, kSecond);
  EXPECT_EQ(told, std::vector<std::string>{first + "invalid address (0x7f0000001000) in action #1 at DIF offset 0\n"
                                                   "    line 3:\n"
                                                   "    \ttrace(*(int *)arg0);\n"
                                                   "    \t^~~~~~~~~~~~~~~~~~~\n"
                                                   "    memory of the program is read by copyin() and copyinstr()"});
}

TEST_F(FaultLogTest, ACopyinHasNoNeedOfThatHintButASmallNumberHasOne) {
  fault(2, 0x7f0000001000, 0);
  EXPECT_TRUE(told.at(0).ends_with("\t^~~~~~~~~~~~~~~"));
  fault(1, 3, 0);
  EXPECT_TRUE(told.at(1).ends_with("a number this small is no address"));
}

TEST_F(FaultLogTest, TheFolderOfOpenatIsNoPath) {
  fault(1, 0xffffff9c, 0);
  EXPECT_TRUE(told.at(0).ends_with("this is AT_FDCWD, a descriptor: of openat() and its like the path is arg1"));
  fault(2, static_cast<uint64_t>(-100), 0);
  EXPECT_TRUE(told.at(1).ends_with("the path is arg1"));
}

TEST_F(FaultLogTest, WhatFollowsIsCountedAndToldInALine) {
  for (uint64_t i = 0; i < 1000; ++i) fault(1, 0x10000 + i, kSecond + i);
  fault(2, 0x20000, kSecond);
  EXPECT_EQ(told.size(), 2u) << "one of each statement";
  log.tell_counted(2 * kSecond - 1, false);
  EXPECT_EQ(told.size(), 2u) << "a second has not gone by";
  log.tell_counted(2 * kSecond, false);
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[2], first + "invalid address (0x103e7) in action #1 at DIF offset 0, and 998 more like it before");
  log.tell_counted(9 * kSecond, true);
  EXPECT_EQ(told.size(), 3u) << "nothing has come since";
}

TEST_F(FaultLogTest, OneASecondIsToldEachTime) {
  for (uint64_t second = 1; second <= 3; ++second) fault(1, 0x10000, second * kSecond);
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[2], first + "invalid address (0x10000) in action #1 at DIF offset 0");
}

TEST_F(FaultLogTest, TheEndTellsWhatIsLeft) {
  fault(1, 0x10000, 5);
  fault(1, 0x10001, 6);
  log.tell_counted(7, true);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[1], first + "invalid address (0x10001) in action #1 at DIF offset 0");
}

}  // namespace
}  // namespace sonde
