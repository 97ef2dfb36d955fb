// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>

#include "compiler/compiler.h"
#include "runtime/framework/framework.h"

namespace sonde {

/// How probes are listed. `-v` shows names whole, as a pipe does.
struct Listing {
  bool verbose = false;  ///< with attributes and argument types
  bool words_anywhere =
      false;         ///< the words of a description without matches may be in other fields: `*open*`, `syscall:read`
  bool cut = false;  ///< names that are wider than their column lose their middle
};

/// -l: the probes that `descriptions` match (all, if there are none), by id, in DTrace's format. Descriptions that
/// match nothing are added to `missing`, one text each.
std::string list_probes(Framework& framework, std::span<const ProbeDescription> descriptions, Listing how,
                        std::vector<std::string>& missing);

/// -v: the least stability among the probes that a program's descriptions match, and among the names in its statements.
std::string stability_report(Framework& framework, std::string_view what,
                             std::span<const ProbeDescription> descriptions, const dtrace_attribute_t& statements);

}  // namespace sonde
