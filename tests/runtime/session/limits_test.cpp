// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/session/limits.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/runtime/consumer/records.h"

namespace sonde {
namespace {

using ::testing::HasSubstr;

TEST(Limits, AnIntervalHasALeastLength) {
  Options options;
  EXPECT_TRUE(check_ends(options));
  ASSERT_TRUE(options.set("interval", "100ms", false, false));
  EXPECT_TRUE(check_ends(options));
  ASSERT_TRUE(options.set("interval", "99ms", false, false));
  EXPECT_THAT(check_ends(options).error().message(), HasSubstr("100ms at least"));
}

TEST(Limits, TheEndOfAnInputThatIsNoPipeIsNotWaitedFor) {
  Options options;
  ASSERT_TRUE(options.set("eofexit", "yes", false, false));
  const int input = ::dup(STDIN_FILENO), nothing = ::open("/dev/null", O_RDONLY);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::dup2(nothing, STDIN_FILENO);
  EXPECT_THAT(check_ends(options).error().message(), HasSubstr("no pipe or socket"));
  ::dup2(ends[0], STDIN_FILENO);
  EXPECT_TRUE(check_ends(options));
  ::dup2(input, STDIN_FILENO);
  for (int fd : {input, nothing, ends[0], ends[1]}) ::close(fd);
}

TEST(Limits, AnAggregationSizeThatCannotBeHadIsHalved) {
  Options options;
  sonde::testing::TextOutput output;
  ASSERT_TRUE(options.set("aggsize", "1024t", false, false));
  ASSERT_TRUE(settle_aggregation_size(options, output));
  EXPECT_LT(options.number("aggsize"), uint64_t{1024} << 40);
  ASSERT_EQ(output.messages.size(), 1u);
  EXPECT_THAT(output.messages[0], HasSubstr("aggregation size lowered to "));
  ASSERT_TRUE(options.set("aggsize", "1024t", false, false));
  ASSERT_TRUE(options.set("bufresize", "manual", false, false));
  EXPECT_THAT(settle_aggregation_size(options, output).error().message(), HasSubstr("no memory for 1024t"));
}

}  // namespace
}  // namespace sonde
