// SPDX-License-Identifier: GPL-3.0-or-later
// Executable file mappings, as providers get them
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "runtime/framework/provider.h"
#include "runtime/process/proc_maps.h"

namespace sonde {

using VisitMapping = std::function<void(const sonde_mapping&)>;

/// `file`: a path that opens it. `program`: the path of its process's program. None: a path is too long.
std::optional<sonde_mapping> to_mapping(const MapEntry& entry, const std::string& file, const std::string& program);

/// Returns 0 or an errno.
int visit_mappings(uint32_t pid, const VisitMapping& visit);

/// The files of all processes whose mappings may be read, each once, and once as a program.
void visit_files_of_machine(const VisitMapping& visit);

}  // namespace sonde
