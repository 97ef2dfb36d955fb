// SPDX-License-Identifier: GPL-3.0-or-later
// The tracepoints of the running kernel, by its description of its types (BTF)
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/process/c_types.h"

namespace sonde {

/// The names of all, sorted.
std::vector<std::string> tracepoint_names(CTypes& kernel);

/// The subsystem of each that is an event of tracefs, by its name: `sched` of `sched_switch`. Errors: those of
/// read_tracefs().
Result<std::map<std::string, std::string, std::less<>>> tracepoint_subsystems();
/// The same of a list, lines of SUBSYSTEM:NAME.
std::map<std::string, std::string, std::less<>> tracepoint_subsystems_of(std::string_view list);

/// Its arguments are the parameters; nothing: the kernel has no such tracepoint.
std::optional<CFunction> find_tracepoint(CTypes& kernel, std::string_view name);

/// An argument is passed on as a word, of which its type may have fewer bytes.
struct TracepointArgument {
  uint64_t bytes = 0;
  bool is_signed = false;
};
/// Errors: ENOENT, the kernel has no such tracepoint.
Result<std::vector<TracepointArgument>> tracepoint_arguments(CTypes& kernel, const std::string& name);

}  // namespace sonde
