// SPDX-License-Identifier: GPL-3.0-or-later
// A place in a file's code that no thread gets to: behind its code, in the page with its last byte.
#include "runtime/process/unused_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "runtime/process/proc_maps.h"

namespace sonde {
namespace {

TEST(UnusedCode, IsMappedAsCodeAndZero) {
  constexpr char kLibc[] = "/lib/x86_64-linux-gnu/libc.so.6";
  const uint64_t place = unused_code(kLibc);
  ASSERT_NE(place, 0u);
  char bytes[16];
  std::ifstream file(kLibc, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(place));
  file.read(bytes, sizeof bytes);
  ASSERT_EQ(file.gcount(), 16);
  EXPECT_TRUE(std::ranges::all_of(bytes, [](char one) { return one == 0; }));
  const auto maps = read_proc_maps(static_cast<uint32_t>(getpid()));
  ASSERT_TRUE(maps);
  EXPECT_TRUE(std::ranges::any_of(*maps, [place](const MapEntry& one) {
    return one.executable && one.path.ends_with("/libc.so.6") && place >= one.offset &&
           place + 16 <= one.offset + (one.end - one.start);
  }));
}

TEST(UnusedCode, WhatIsNoProgramHasNone) {
  EXPECT_EQ(unused_code("/no/such/file"), 0u);
  EXPECT_EQ(unused_code("/etc/passwd"), 0u);
}

}  // namespace
}  // namespace sonde
