// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/units.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace sonde {
namespace {

TEST(Units, ThreeDigitsOfADuration) {
  for (const auto& [nanoseconds, text] : {std::pair<int64_t, const char*>{0, "0 ns"},
                                          {812, "812 ns"},
                                          {999, "999 ns"},
                                          {1000, "1.00 us"},
                                          {1234, "1.23 us"},
                                          {9994, "9.99 us"},
                                          {9995, "10.0 us"},
                                          {99'949, "99.9 us"},
                                          {99'950, "100 us"},
                                          {999'499, "999 us"},
                                          {999'500, "1.00 ms"},
                                          {45'600'000, "45.6 ms"},
                                          {7'000'000'000, "7.00 s"},
                                          {1'234'000'000'000, "1234 s"},
                                          {-1500, "-1.50 us"}})
    EXPECT_EQ(duration_text(nanoseconds), text) << nanoseconds;
  EXPECT_EQ(duration_text(INT64_MIN), "-9223372037 s");
}

TEST(Units, ThreeDigitsOfASize) {
  for (const auto& [bytes, text] : {std::pair<uint64_t, const char*>{0, "0 B"},
                                    {1023, "1023 B"},
                                    {1024, "1.00 KiB"},
                                    {65536, "64.0 KiB"},
                                    {1 << 20, "1.00 MiB"},
                                    {3 << 19, "1.50 MiB"},
                                    {(1 << 20) - 1, "1.00 MiB"},
                                    {1ull << 45, "32.0 TiB"}})
    EXPECT_EQ(size_text(bytes), text) << bytes;
  EXPECT_EQ(size_text(UINT64_MAX), "16777216 TiB");
}

}  // namespace
}  // namespace sonde
