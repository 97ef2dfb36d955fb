// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of armed taps, without a process
#include "runtime/guard/taps.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <tuple>
