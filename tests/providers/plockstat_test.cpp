// SPDX-License-Identifier: GPL-3.0-or-later
// The probes of plockstat, and their taps, in a program that uses glibc.
#include "providers/plockstat/rows.h"

#include <algorithm>
#include <set>

#include "providers/function_returns.h"
#include "tests/providers/support.h"
#include "tests/runtime/process/target_program.h"

namespace sonde {
namespace {

constexpr char kLibc[] = "/lib/x86_64-linux-gnu/libc.so.6";

class PlockstatTest : public ProvidersTest {
 protected:
  PlockstatTest() : pid(program.start()), provider("plockstat" + std::to_string(pid)) { framework.set_targets({pid}); }

  TargetProgram program{"target", kTargetSource};
  uint32_t pid;
  std::string provider;
};

TEST_F(PlockstatTest, NothingIsMadeUnasked) {
  EXPECT_EQ(count({"", "", "", "mutex-acquire", {}}), 0u);
  EXPECT_EQ(count({"p*", "", "", "mutex-acquire", {}}), 0u);
  EXPECT_EQ(count({"p*" + std::to_string(pid), "", "malloc", "entry", {}}), 1u) << "pid's";
  EXPECT_EQ(count({"plock*", "", "", "", {}}), 0u);
}

TEST_F(PlockstatTest, EachRowIsAProbe) {
  EXPECT_EQ(count({provider, "", "", "", {}}), std::size(plockstat::kRows));
  EXPECT_EQ(count({provider, "libc.so.6", "", "mutex-acquire", {}}), 7u) << "four functions that lock, three that wait";
  EXPECT_EQ(arguments(only({provider, "", "pthread_mutex_lock", "mutex-acquire", {}})),
            "void * mutex, int recursive, int spins");
  EXPECT_EQ(arguments(only({provider, "", "pthread_rwlock_rdlock", "rw-block", {}})),
            "void * rwlock, int writer, int owner");
}

/// A program that only has the name of the C library: its functions decide.
TEST_F(PlockstatTest, AFileWithoutTheFunctionsIsNoLibrary) {
  TargetProgram other("libc.so.6", kTargetSource, "-static");
  const uint32_t alone = other.start();
  framework.set_targets({alone});
  const ProbeDescription wanted{"plockstat" + std::to_string(alone), "", "", "mutex-acquire", {}};
  EXPECT_EQ(refusal(wanted), "D_PDESC_ZERO process " + std::to_string(alone) +
                                 " has no glibc mapped: plockstat is made of its functions");
}

TEST_F(PlockstatTest, TapsAreThoseOfTheFunction) {
  enable({provider, "", "pthread_mutex_unlock", "mutex-release", {}});
  EXPECT_TRUE(source.taps.empty()) << "a clause that was not compiled for the probe";
  const ProbeId probe = only({provider, "", "pthread_mutex_unlock", "mutex-release", {}});
  Enabling compiled = enabling_of({provider, "", "pthread_mutex_unlock", "mutex-release", {}}, record_nothing());
  compiled.programs = {{probe, record_nothing()}};
  const auto id = framework.enable(compiled);
  ASSERT_TRUE(id) << id.error().message();
  ASSERT_EQ(source.taps.size(), 1u);
  EXPECT_EQ(source.taps[0].kind, SONDE_TAP_USER_ENTRY);
  EXPECT_EQ(source.taps[0].pid, pid);
  EXPECT_TRUE(source.taps[0].forks);
}

/// timedlock and clocklock are a few instructions before the code that both share; mutexes of rarer kinds have code of
/// their own.
TEST(PlockstatReturns, AreFoundBehindJumps) {
  CodeFiles files;
  const auto returns = [&files](const char* function) {
    const auto found = places_of(files, kLibc, function);
    EXPECT_TRUE(found) << function;
    std::set<uint64_t> all;
    if (!found) return all;
    EXPECT_EQ(found->broken, "") << function;
    for (const Return& one : found->returns) {
      EXPECT_EQ(one.place.leave.how, SONDE_LEAVE_RETURN);
      all.insert(one.place.offset);
    }
    return all;
  };
  for (const translation::Row& row : plockstat::kRows)
    EXPECT_FALSE(returns(std::string(row.function).c_str()).empty()) << row.function;
  const std::set<uint64_t> timed = returns("pthread_mutex_timedlock"), by_clock = returns("pthread_mutex_clocklock");
  EXPECT_TRUE(std::ranges::includes(by_clock, timed)) << "clocklock has a return of its own, for a clock that is none";
  EXPECT_GT(by_clock.size(), timed.size());
  EXPECT_FALSE(places_of(files, kLibc, "no_such_function"));
}

}  // namespace
}  // namespace sonde
