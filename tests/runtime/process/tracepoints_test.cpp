// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/tracepoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sonde {
namespace {

TEST(TracepointSubsystems, AreReadFromTheList) {
  const auto found =
      tracepoint_subsystems_of("sched:sched_switch\n\nno colon\nblock:block_rq_issue\nother:sched_switch");
  EXPECT_THAT(found,
              testing::ElementsAre(testing::Pair("block_rq_issue", "block"), testing::Pair("sched_switch", "sched")))
      << "the first one counts";
  EXPECT_TRUE(tracepoint_subsystems_of("").empty());
}

}  // namespace
}  // namespace sonde
