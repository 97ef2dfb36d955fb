// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// What must hold for every input: the fuzzer keeps one for which it does not.
#define REQUIRE(condition)              \
  do {                                  \
    if (!(condition)) __builtin_trap(); \
  } while (false)
