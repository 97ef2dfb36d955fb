// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/data_symbol.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

std::array<uint64_t, 4> sonde_test_words = {1, 2, 3, 4};
// 33 bytes, and behind them some that belong to no symbol. A compiler would put something there.
asm(".pushsection .data\n"
    ".balign 64\n"
    ".globl sonde_test_odd\n"
    ".type sonde_test_odd, @object\n"
    ".size sonde_test_odd, 33\n"
    "sonde_test_odd: .zero 64\n"
    ".popsection\n");
extern "C" const char sonde_test_odd[64];
std::array<uint64_t, 4> sonde_test_zeros;  // in .bss, which no file has

namespace sonde {
namespace {

std::string symbol_at(const void* address) {
  return data_symbol(static_cast<uint32_t>(getpid()), reinterpret_cast<uintptr_t>(address));
}

TEST(DataSymbol, NamesWhatContainsTheAddress) {
  EXPECT_EQ(symbol_at(&sonde_test_words[0]), "sonde_test_words");
  EXPECT_EQ(symbol_at(&sonde_test_words[1]), "sonde_test_words+0x8");
  EXPECT_EQ(symbol_at(reinterpret_cast<const char*>(&sonde_test_words[4]) - 1), "sonde_test_words+0x1f");
  EXPECT_EQ(symbol_at(&sonde_test_zeros[2]), "sonde_test_zeros+0x10");
}

TEST(DataSymbol, WhatLiesBehindIsNotOfIt) {
  EXPECT_EQ(symbol_at(&sonde_test_odd[32]), "sonde_test_odd+0x20");
  EXPECT_EQ(symbol_at(&sonde_test_odd[33]), "");
}

TEST(DataSymbol, MemoryOfNoObjectHasNone) {
  const auto made = std::make_unique<int>(1);
  EXPECT_EQ(symbol_at(made.get()), "");
  EXPECT_EQ(symbol_at(nullptr), "");
  EXPECT_EQ(data_symbol(0, 0x1000), "");
}

}  // namespace
}  // namespace sonde
