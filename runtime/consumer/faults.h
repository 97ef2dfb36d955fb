// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "runtime/body/context.h"

namespace sonde {

/// "error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): invalid address (0x0) in action #1 at DIF offset 0"
std::string fault_message(uint32_t epid, const ProbeInfo& probe, const BodyContext& context);

}  // namespace sonde
