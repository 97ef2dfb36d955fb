// SPDX-License-Identifier: GPL-3.0-or-later
// Getters: by which loads they get what they return.
#include <gtest/gtest.h>

#include "runtime/code/instructions.h"

namespace sonde {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(FieldPath, OneLoad) {
  const auto path = field_path(Bytes{0x48, 0x8b, 0x87, 0x18, 0x3f, 0, 0, 0xc3});  // mov 0x3f18(%rdi),%rax; ret
  ASSERT_TRUE(path);
  EXPECT_EQ(path->offsets, std::vector<int64_t>{0x3f18});
  EXPECT_TRUE(path->loads);
  EXPECT_EQ(path->size, 8u);
  const auto half = field_path(Bytes{0x8b, 0x87, 0xd8, 0x27, 0, 0, 0xc3});  // mov 0x27d8(%rdi),%eax; ret
  ASSERT_TRUE(half);
  EXPECT_EQ(half->size, 4u);
}

TEST(FieldPath, TwoLoadsWithATestForNull) {
  // mov 0x25f8(%rdi),%rax; test %rax,%rax; je out; mov 8(%rax),%rax; out: ret
  const auto path =
      field_path(Bytes{0x48, 0x8b, 0x87, 0xf8, 0x25, 0, 0, 0x48, 0x85, 0xc0, 0x74, 0x04, 0x48, 0x8b, 0x40, 0x08, 0xc3});
  ASSERT_TRUE(path);
  EXPECT_EQ(path->offsets, (std::vector<int64_t>{0x25f8, 8}));
  EXPECT_TRUE(path->loads);
}

TEST(FieldPath, AnAddress) {
  const auto path = field_path(Bytes{0x48, 0x8d, 0x87, 0xa0, 0, 0, 0, 0xc3});  // lea 0xa0(%rdi),%rax; ret
  ASSERT_TRUE(path);
  EXPECT_EQ(path->offsets, std::vector<int64_t>{0xa0});
  EXPECT_FALSE(path->loads);
}

TEST(FieldPath, WhatDoesMoreIsNone) {
  EXPECT_FALSE(field_path(Bytes{}));
  EXPECT_FALSE(field_path(Bytes{0xc3})) << "it returns what the caller left";
  EXPECT_FALSE(field_path(Bytes{0x48, 0x8b, 0x87, 0x18, 0x3f, 0, 0})) << "it has no end";
  EXPECT_FALSE(field_path(Bytes{0x48, 0x8b, 0x86, 0x18, 0, 0, 0, 0xc3})) << "its second parameter";
  EXPECT_FALSE(field_path(Bytes{0x48, 0x8b, 0x4f, 0x08, 0xc3})) << "loaded into another register than it returns";
  EXPECT_FALSE(field_path(Bytes{0x48, 0x8b, 0x04, 0xf7, 0xc3})) << "an element: mov (%rdi,%rsi,8),%rax";
  EXPECT_FALSE(field_path(Bytes{0x64, 0x48, 0x8b, 0x47, 0x08, 0xc3})) << "in the thread's own memory";
  EXPECT_FALSE(field_path(Bytes{0x8b, 0x47, 0x08, 0x48, 0x8b, 0x00, 0xc3})) << "half of an address";
  EXPECT_FALSE(field_path(Bytes{0x48, 0x8b, 0x47, 0x08, 0x48, 0xff, 0xc0, 0xc3})) << "one more: inc %rax";
}

}  // namespace
}  // namespace sonde
