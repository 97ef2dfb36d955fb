// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "runtime/program/fire_program.h"

namespace sonde {

/// DIF as text, one instruction a line: for -S and the goldens.
std::string disassemble(const FireProgram& program);

}  // namespace sonde
