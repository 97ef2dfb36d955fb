// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/session/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sonde {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Labels, NamesAndValues) {
  EXPECT_THAT(parse_labels("").value(), IsEmpty());
  EXPECT_THAT(parse_labels("role=db,dc=fra1").value(), ElementsAre("role=db", "dc=fra1"));
  EXPECT_THAT(parse_labels("_a9=").value(), ElementsAre("_a9="));
  EXPECT_THAT(parse_labels("a=b=c").value(), ElementsAre("a=b=c"));
}

TEST(Labels, WhatIsNone) {
  for (const char* text : {"a", "=b", "1a=b", "a-b=c", "a=b,,c=d"}) EXPECT_FALSE(parse_labels(text)) << text;
  for (const char* text : {"host=x", "run=x", "le=1", "instance=x", "job=x", "__name__=x"})
    EXPECT_FALSE(parse_labels(text)) << text;
  EXPECT_EQ(parse_labels("a=1,b=2,a=3").error().message(), "labels: the name a is given twice");
  EXPECT_THAT(parse_labels("ab=1,a=2").value(), ElementsAre("ab=1", "a=2"));
}

}  // namespace
}  // namespace sonde
