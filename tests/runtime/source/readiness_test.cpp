// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/source/readiness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/source/capabilities.h"

namespace sonde {
namespace {

TEST(Readiness, HasALineForEachSource) {
  std::vector<std::string> names, rows;
  for (const SourceReadiness& one : source_readiness({}, "")) {
    names.push_back(one.name);
    EXPECT_TRUE(one.works) << one.name;
    EXPECT_EQ(one.command, "");
  }
  for (const SourceRow& row : kSourceRows) rows.emplace_back(row.name);
  EXPECT_THAT(names, ::testing::UnorderedElementsAreArray(rows));
}

TEST(Readiness, IsOfThisMachine) {
  const SourceTrial trial = try_sources();
  EXPECT_EQ(trial.device_error == 0, ::access("/dev/sonde", R_OK | W_OK) == 0);
  EXPECT_FALSE(kernel_release().empty());
  EXPECT_FALSE(module_is_installed("no such release"));
}

}  // namespace
}  // namespace sonde
