// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/bpf/rings.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace sonde::bpf {
namespace {

/// The verifier adds no more to a pointer than 2^29 bytes. Refused before anything is made, so any user and kernel can ask.
TEST(Rings, OfMoreThanAProgramCanAddressAreRefused) {
  for (const uint64_t bytes : {(uint64_t{256} << 20) + 1, uint64_t{1} << 29, uint64_t{1} << 40}) {
    const auto rings = Rings::create(bytes);
    ASSERT_FALSE(rings) << bytes;
    EXPECT_EQ(rings.error().code(), EINVAL) << bytes;
    EXPECT_EQ(rings.error().message(), "a buffer of this source has at most 256 MiB");
  }
}

}  // namespace
}  // namespace sonde::bpf
