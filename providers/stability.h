// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "runtime/framework/provider.h"

namespace sonde {

inline constexpr dtrace_attribute_t kStable = {DTRACE_STABILITY_STABLE, DTRACE_STABILITY_STABLE, DTRACE_CLASS_COMMON};
inline constexpr dtrace_attribute_t kEvolving = {DTRACE_STABILITY_EVOLVING, DTRACE_STABILITY_EVOLVING,
                                                 DTRACE_CLASS_ISA};
inline constexpr dtrace_attribute_t kEvolvingCommon = {DTRACE_STABILITY_EVOLVING, DTRACE_STABILITY_EVOLVING,
                                                       DTRACE_CLASS_COMMON};
inline constexpr dtrace_attribute_t kPrivate = {DTRACE_STABILITY_PRIVATE, DTRACE_STABILITY_PRIVATE,
                                                DTRACE_CLASS_UNKNOWN};
inline constexpr dtrace_attribute_t kUnstable = {DTRACE_STABILITY_UNSTABLE, DTRACE_STABILITY_UNSTABLE,
                                                 DTRACE_CLASS_COMMON};

}  // namespace sonde
