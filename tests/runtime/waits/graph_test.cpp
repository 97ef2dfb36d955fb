// SPDX-License-Identifier: GPL-3.0-or-later
// Who is told to wait for ever: cycles, any and all, what may end otherwise
#include "runtime/waits/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sonde {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Wait needs(std::vector<std::vector<uint32_t>> sets) { return {.text = {}, .needs = std::move(sets)}; }

Wait may_end(Wait wait) {
  wait.may_end = true;
  return wait;
}

TEST(WaitGraph, TwoThatWaitForEachOther) {
  const Judgement judged = judge({{1, needs({{2}})}, {2, needs({{1}})}});
  EXPECT_THAT(judged.deadlocks, ElementsAre(ElementsAre(1, 2)));
  EXPECT_THAT(judged.stuck, ElementsAre(1, 2));
}

TEST(WaitGraph, OneThatWaitsForItself) {
  EXPECT_THAT(judge({{1, needs({{1}})}}).deadlocks, ElementsAre(ElementsAre(1)));
}

TEST(WaitGraph, ARingIsToldInTheOrderOfWaiting) {
  const Judgement judged = judge({{1, needs({{3}})}, {2, needs({{1}})}, {3, needs({{2}})}});
  EXPECT_THAT(judged.deadlocks, ElementsAre(ElementsAre(1, 3, 2)));
}

TEST(WaitGraph, AChainThatEndsInARunningThreadIsNone) {
  const Judgement judged = judge({{1, needs({{2}})}, {2, needs({{3}})}});
  EXPECT_THAT(judged.deadlocks, IsEmpty());
  EXPECT_THAT(judged.stuck, IsEmpty());
}

TEST(WaitGraph, ATimeOutAnywhereInTheCycleFreesAll) {
  const Judgement judged = judge({{1, needs({{2}})}, {2, may_end(needs({{3}}))}, {3, needs({{1}})}});
  EXPECT_THAT(judged.deadlocks, IsEmpty());
  EXPECT_THAT(judged.stuck, IsEmpty());
}

TEST(WaitGraph, OneOfASetIsEnough) {
  EXPECT_THAT(judge({{1, needs({{2, 3}})}, {2, needs({{1}})}}).stuck, IsEmpty()) << "3 runs";
  const Judgement all_wait = judge({{1, needs({{2, 3}})}, {2, needs({{1}})}, {3, needs({{2}})}});
  EXPECT_THAT(all_wait.deadlocks, ElementsAre(ElementsAre(1, 2, 3)));
}

TEST(WaitGraph, OfSeveralSetsEachIsNeeded) {
  const Judgement judged = judge({{1, needs({{2}, {3}})}, {2, needs({{1}})}});
  EXPECT_THAT(judged.deadlocks, ElementsAre(ElementsAre(1, 2))) << "that 3 runs does not help";
}

TEST(WaitGraph, WhoWaitsBehindADeadlockIsStuckAndNoPartOfIt) {
  const Judgement judged = judge({{1, needs({{2}})}, {2, needs({{1}})}, {5, needs({{2}})}, {6, needs({{5}})}});
  EXPECT_THAT(judged.deadlocks, ElementsAre(ElementsAre(1, 2)));
  EXPECT_THAT(judged.stuck, ElementsAre(1, 2, 5, 6));
}

TEST(WaitGraph, NobodyIsLeftIsNoCycle) {
  const Judgement judged = judge({{1, needs({{}})}, {2, needs({{1}})}});
  EXPECT_THAT(judged.deadlocks, IsEmpty());
  EXPECT_THAT(judged.stuck, ElementsAre(1, 2));
}

TEST(WaitGraph, WhatIsNotKnownMakesNoDeadlock) {
  EXPECT_THAT(judge({{1, needs({})}, {2, needs({{1}})}}).stuck, IsEmpty());
}

TEST(WaitGraph, TwoDeadlocksAreTwo) {
  const Judgement judged = judge({{1, needs({{2}})}, {2, needs({{1}})}, {3, needs({{4}})}, {4, needs({{3}, {1}})}});
  EXPECT_THAT(judged.deadlocks, ElementsAre(ElementsAre(1, 2), ElementsAre(3, 4)));
}

}  // namespace
}  // namespace sonde
