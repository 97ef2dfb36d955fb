// SPDX-License-Identifier: GPL-3.0-or-later
// In a file of its own, so that tests can have helpers of theirs without the runtime's.
#include "compiler/codegen/body_compiler.h"
#include "runtime/body/context.h"

namespace sonde {

BodyCompiler::BodyCompiler() : BodyCompiler(body_symbols(), &register_constant_range) {}

}  // namespace sonde
