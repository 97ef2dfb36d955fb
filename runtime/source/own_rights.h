// SPDX-License-Identifier: GPL-3.0-or-later
// What this process may do that some sources need
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace sonde {

/// The capabilities that this process can use now, bit CAP_... for each.
uint64_t effective_capabilities();
/// Whether this process has CAP_..., by its number.
bool has_capability(unsigned number);

/// Whether it may trace the whole machine by programs in the kernel: as root, or with CAP_BPF, CAP_PERFMON and
/// CAP_SYS_PTRACE. The last is our own rule, not the kernel's: who sees every process could read the secrets of others.
/// It loads a program, which does nothing, for a moment.
/// Errors: EPERM what is missing, we are in a pid namespace, or a filter forbids it; ENOSYS the kernel is too old; ENOENT it has no BTF.
Result<void> may_use_bpf(const std::string& root = "");

}  // namespace sonde
