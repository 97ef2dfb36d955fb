// SPDX-License-Identifier: GPL-3.0-or-later
// Types of the kernel's arguments, for providers whose probes have them as the kernel describes them (BTF)
#pragma once

#include <string>

#include "runtime/framework/provider.h"
#include "runtime/process/c_types.h"

namespace sonde {

inline constexpr char kKernelTypes[] = "/sys/kernel/btf/vmlinux";

/// A C type that D has for a word of that type.
std::string native_type(CTypes& types, CTypeId id);

/// Answers dtps_getargdesc for an argument that a parameter describes; its number is that of the raw argument.
void describe_argument(CTypes& types, const CParameter& parameter, dtrace_argdesc_t* desc);

}  // namespace sonde
