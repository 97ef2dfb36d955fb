// SPDX-License-Identifier: GPL-3.0-or-later
// In a file of its own, so that a test with its own helpers links without the runtime's.
#include "compiler/llvm/jit.h"
#include "runtime/body/context.h"

namespace sonde {

Jit::Jit() : Jit(body_symbols(), &register_constant_range) {}

}  // namespace sonde
