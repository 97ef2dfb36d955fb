// SPDX-License-Identifier: GPL-3.0-or-later
// Body code as LLVM IR: private to compiler/llvm/
#pragma once

#include <llvm/IR/Module.h>

#include <string>

#include "runtime/program/body_code.h"

namespace sonde {

/// Adds to the module a BodyFunction that does what the code says. The module needs no symbols: helpers are addresses.
void lower(const BodyCode& code, const std::string& name, llvm::Module& module);

}  // namespace sonde
