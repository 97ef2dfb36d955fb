// SPDX-License-Identifier: GPL-3.0-or-later
// For providers whose probes are the kernel's tracepoints, each by its own name: rawtp and sdt
//
// The kernel's description of its types (BTF) has a type for the functions that may be called at each tracepoint. It is
// read when a description first names the provider.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/framework/provider.h"
#include "runtime/process/c_types.h"

namespace sonde {

struct TracepointProvider {
  const char* name;
  bool by_subsystem = false;  ///< the module of a probe is the subsystem that tracefs has for it; else it is the kernel
  dtrace_provider_id_t id = 0;
  std::unique_ptr<CTypes> types = nullptr;
  std::vector<std::string> tracepoints = {};  ///< probes point into it
};

/// Registers `provider`, which must live as long as it is registered. 0 or an errno.
int register_tracepoints(TracepointProvider& provider);
void unregister_tracepoints(TracepointProvider& provider);

}  // namespace sonde
