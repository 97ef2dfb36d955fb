// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of armed taps, without a process
#include "runtime/guard/taps.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <tuple>
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

Tap call_tap(uint32_t id, sonde_tap_kind kind, uint32_t number, uint64_t given) {
  Tap tap;
  tap.id = {id};
  tap.probe = {id};
  tap.kind = kind;
  tap.number = number;
  tap.offset = given;
  return tap;
}

TEST(Taps, OfCallsWithoutANameAreTwoKinds) {
  TapTable taps;
  ASSERT_TRUE(taps.add(call_tap(1, SONDE_TAP_SYSCALL_ENTRY, kUnnamedCall, 0)));
  ASSERT_TRUE(taps.add(call_tap(2, SONDE_TAP_SYSCALL_ENTRY, kUnnamedCall, 600)));
  ASSERT_TRUE(taps.add(call_tap(3, SONDE_TAP_SYSCALL_RETURN, kUnnamedCall, 601)));
  const auto ids = [](const std::vector<ArmedTap*>& found) {
    std::vector<uint32_t> all;
    for (const ArmedTap* tap : found) all.push_back(tap->id);
    return all;
  };
  using Ids = std::vector<uint32_t>;
  EXPECT_EQ(ids(taps_of_number(taps.entries(kUnnamedCall), 600)), Ids{2}) << "the number has a tap of its own";
  EXPECT_EQ(ids(taps_of_number(taps.entries(kUnnamedCall), 601)), Ids{1});
  EXPECT_EQ(ids(taps_of_number(taps.returns(kUnnamedCall), 601)), Ids{3});
  EXPECT_EQ(ids(taps_of_number(taps.returns(kUnnamedCall), 600)), Ids{});
  EXPECT_TRUE(taps.entry_set().has(400));
  EXPECT_TRUE(taps.entry_set().has(kUtraceFarCalls + 600));
  EXPECT_TRUE(taps.entry_set().has(kUtraceFarCompatCalls + 600));
  EXPECT_FALSE(taps.entry_set().has(SYS_read));
  taps.remove(1);
  EXPECT_EQ(ids(taps_of_number(taps.entries(kUnnamedCall), 601)), Ids{});
}

TEST(Taps, OfCallsAreRefusedIfThereIsNoSuchCall) {
  TapTable taps;
  EXPECT_EQ(taps.add(call_tap(1, SONDE_TAP_SYSCALL_ENTRY, kUnnamedCall + 1, 0)).error().code(), EINVAL);
  EXPECT_EQ(taps.add(call_tap(1, SONDE_TAP_SYSCALL_ENTRY, SYS_read, 1)).error().code(), EINVAL);
  EXPECT_EQ(taps.add(call_tap(1, SONDE_TAP_SYSCALL_ENTRY, kUnnamedCall, uint64_t{1} << 32)).error().code(), EINVAL);
}

/// Every number means one call, and is among the numbers of that call.
TEST(Taps, EachNumberBelongsToOneCall) {
  for (int64_t number = 0; number < kUnnamedCall; number++) {
    const std::vector<uint32_t> numbers = numbers_of_call(call_of_number(number));
    EXPECT_EQ(std::ranges::count(numbers, number), 1) << number;
  }
  for (int64_t given : {0l, 1l, 600l, 0xffffffffl})
    for (int64_t far : {kUtraceFarCalls, kUtraceFarCompatCalls}) {
      EXPECT_EQ(utrace_given_number(far | given), given);
      EXPECT_EQ(utrace_is_compat(far | given), far == kUtraceFarCompatCalls);
    }
  EXPECT_EQ(call_of_number(kUtraceFarCalls + 600), kUnnamedCall);
  EXPECT_EQ(call_of_number(-1), kUnnamedCall);
}

/// The path may be on a file system whose server does not answer, so nobody looks it up.
TEST(Taps, OfServedFilesAreKnownByTheirNumbersAlone) {
  TapTable taps;
  Tap tap{TapId{1}, SONDE_TAP_USER_ENTRY, ProbeId{1}};
  tap.path = "/there/is/no/such/file";
  EXPECT_EQ(taps.add(tap).error().code(), ENOENT);
  tap.inode = 7;
  tap.minor = 42;
  const auto added = taps.add(tap);
  ASSERT_TRUE(added);
  Mapping mapping{};
  mapping.path = "/whatever";
  mapping.minor = 42;
  mapping.inode = 7;
  EXPECT_TRUE((*added)->file->is(mapping));
  EXPECT_FALSE((*added)->file->restarts_at(0));
  mapping.minor = 43;
  EXPECT_FALSE((*added)->file->is(mapping));
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

/// A file, made anew: another one each time, of the same path.
FileId make_file(const std::string& path) {
  const std::string fresh = path + ".new";
  std::ofstream(fresh) << "text";
  std::filesystem::rename(fresh, path);
  return shown_number(path);
}

Mapping mapping_of(std::string_view path, const FileId& file) {
  Mapping mapping;
  mapping.path = path;
  mapping.major = file.major;
  mapping.minor = file.minor;
  mapping.inode = file.inode;
  return mapping;
}

/// The offsets of a tap are those of one file. What has its path later is another file, with taps of its own.
TEST(Taps, AreOfTheFileThatThePathLedTo) {
  const std::string path = testing::TempDir() + "taps_test_file";
  TapTable taps;
  Tap tap{TapId{1}, SONDE_TAP_USER_ENTRY, ProbeId{1}};
  tap.path = path;
  const FileId old = make_file(path);
  ASSERT_NE(old.inode, 0u);
  const UniqueFd keeps_its_number(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto first = taps.add(tap);
  ASSERT_TRUE(first);
  const FileId fresh = make_file(path);
  ASSERT_NE(old, fresh);
  tap.id = TapId{2};
  const auto second = taps.add(tap);
  ASSERT_TRUE(second);
  tap.id = TapId{3};
  const auto same = taps.add(tap, *second);
  ASSERT_TRUE(same);
  EXPECT_NE((*first)->file, (*second)->file);
  EXPECT_EQ((*second)->file, (*same)->file);
  for (const auto& [armed, is, is_not] : {std::tuple(*first, old, fresh), std::tuple(*second, fresh, old)}) {
    EXPECT_TRUE(armed->file->is(mapping_of(path, is)));
    EXPECT_TRUE(armed->file->is(mapping_of("/another/path", is)));
    EXPECT_FALSE(armed->file->is(mapping_of(path, is_not)));
  }
  taps.remove(1);
  EXPECT_EQ(taps.files().size(), 1u);
  std::filesystem::remove(path);
}

/// What no file backs is known by its path.
TEST(Taps, OfMemoryAreFoundByPath) {
  TapTable taps;
  Tap tap{TapId{1}, SONDE_TAP_USER_ENTRY, ProbeId{1}};
  tap.path = kVdsoPath;
  const auto vdso = taps.add(tap);
  ASSERT_TRUE(vdso);
  EXPECT_TRUE((*vdso)->file->is(mapping_of(kVdsoPath, {})));
  EXPECT_FALSE((*vdso)->file->is(mapping_of("[heap]", {})));
}

/// Each list forgets the one that is removed, and knows where the others are.
TEST(Taps, AreRemovedInAnyOrder) {
  std::vector<uint32_t> order = {1, 2, 3, 4};
  do {
    TapTable taps;
    for (uint32_t id = 1; id <= order.size(); id++) ASSERT_TRUE(taps.add(call_tap(id, SONDE_TAP_EXIT, 0, 0)));
    std::vector<uint32_t> left = {1, 2, 3, 4};
    for (uint32_t id : order) {
      taps.remove(id);
      std::erase(left, id);
      std::vector<uint32_t> found;
      for (const ArmedTap* tap : taps.of(SONDE_TAP_EXIT)) found.push_back(tap->id);
      std::ranges::sort(found);
      ASSERT_EQ(found, left) << "without " << id;
    }
  } while (std::ranges::next_permutation(order).found);
}

TEST(Taps, ThatWouldFireTooOftenAreRefused) {
  TapTable taps;
  EXPECT_EQ(taps.add(call_tap(1, SONDE_TAP_PROFILE, 0, SONDE_PERIOD_MIN - 1)).error().message(),
            "tap 1: its period is too short");
  EXPECT_TRUE(taps.add(call_tap(1, SONDE_TAP_PROFILE, 0, SONDE_PERIOD_MIN)));
}

/// There may be a million of them.
TEST(Taps, AndSitesAreSmall) {
  EXPECT_LE(sizeof(ArmedTap), 96u);
  EXPECT_LE(sizeof(Site), 64u);
}

}  // namespace
}  // namespace sonde::guard
