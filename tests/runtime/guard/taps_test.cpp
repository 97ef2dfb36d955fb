// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of armed taps, without a process
#include "runtime/guard/taps.h"

#include <gtest/gtest.h>

#include <utility>

#include "runtime/guard/targets.h"

namespace sonde::guard {
namespace {

OwnedProgram records_nothing_else() {
  OwnedProgram program;
  program.insns = {{SONDE_DIF_RECORD, 0, 0, 0, 0}};
  program.view = {program.insns.data(), 1, 0, nullptr, 0, 0, nullptr};
  return program;
}

std::vector<uint32_t> epids(const EcbTable& table, uint32_t probe) {
  std::vector<uint32_t> all;
  if (const EcbTable::Ecbs* ecbs = table.of(probe)) {
    for (const ArmedEcb& ecb : *ecbs) all.push_back(ecb.epid);
  }
  return all;
}

using Epids = std::vector<uint32_t>;

TEST(Ecbs, AreRunByRisingEpid) {
  EcbTable table;
  ASSERT_TRUE(table.load(1, records_nothing_else()));
  ASSERT_TRUE(table.add({{5, 9, 1, 0}, {2, 9, 1, SONDE_ECB_HELD}, {7, 9, 1, 0}, {3, 8, 1, 0}}));
  ASSERT_TRUE(table.add({{4, 9, 1, 0}}));
  EXPECT_EQ(epids(table, 9), (Epids{2, 4, 5, 7}));
  EXPECT_EQ(epids(table, 8), (Epids{3}));
  EXPECT_TRUE(table.of(9)->begin()->held);
  ASSERT_TRUE(table.remove({5, 3}));
  EXPECT_EQ(epids(table, 9), (Epids{2, 4, 7}));
  EXPECT_EQ(table.of(8), nullptr);
}

TEST(Ecbs, AProgramStaysWhatItWasLoadedAs) {
  EcbTable table;
  ASSERT_TRUE(table.load(1, records_nothing_else()));
  EXPECT_EQ(table.load(1, records_nothing_else()).error().code(), EEXIST);
  EXPECT_EQ(table.add({{1, 1, 2, 0}}).error().code(), ENOENT);
}

Process process_of(pid_t pid, pid_t origin) {
  Process process;
  process.pid = pid;
  process.origin = origin;
  return process;
}

/// A fork takes its parent's origin; after an exec it has none. A number may be that of a new process by now.
TEST(Taps, OfAProcessCoverItsForksIfTheyFollowThem) {
  TapTable taps;
  Tap tap{TapId{1}, SONDE_TAP_USER_ENTRY, ProbeId{1}};
  tap.pid = 100;
  tap.path = "/bin/sh";
  ASSERT_TRUE(taps.add(tap));
  tap.id = TapId{2};
  tap.forks = true;
  ASSERT_TRUE(taps.add(tap));
  const auto covers = [&](pid_t pid, pid_t origin) {
    const Process process = process_of(pid, origin);
    return std::pair(taps.find(1)->covers(process), taps.find(2)->covers(process));
  };
  EXPECT_EQ(covers(100, 100), std::pair(true, true));
  EXPECT_EQ(covers(101, 100), std::pair(false, true));
  EXPECT_EQ(covers(101, 0), std::pair(false, false));
  EXPECT_EQ(covers(102, 102), std::pair(false, false));
  EXPECT_EQ(covers(100, 102), std::pair(false, false));
  EXPECT_TRUE(taps.any_user(process_of(101, 100)));
  taps.remove(2);
  EXPECT_FALSE(taps.any_user(process_of(101, 100)));
  EXPECT_TRUE(taps.any_user(process_of(100, 100)));
}

/// There may be a million of them.
TEST(Taps, AndSitesAreSmall) {
  EXPECT_LE(sizeof(ArmedTap), 96u);
  EXPECT_LE(sizeof(Site), 64u);
}

}  // namespace
}  // namespace sonde::guard
