// SPDX-License-Identifier: MIT OR GPL-2.0-only
#pragma once

#if defined(__x86_64__)
#include "runtime/bpf/arch/x86_64/registers.h"  // IWYU pragma: export
#else
#error "no arch/ folder for this machine"
#endif
