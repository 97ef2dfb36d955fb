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

/// Registers a provider whose names are the kernel's, and change with it. Missing in `ops`: disable, which disarms all
/// taps, and destroy. 0 or an errno.
int register_kernel_names(const char* name, dtrace_pops_t ops, void* arg, dtrace_provider_id_t* id);

/// Answers dtps_getargdesc for an argument that a parameter describes; its number is that of the raw argument.
void describe_argument(CTypes& types, const CParameter& parameter, dtrace_argdesc_t* desc);

}  // namespace sonde
