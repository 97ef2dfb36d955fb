// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "runtime/lang/identifiers.h"
#include "runtime/program/probes.h"

namespace sonde {

/// The stability of a probe description; those of module and function count only if the description names them.
inline dtrace_attribute_t probe_attributes(const dtrace_pattr_t& of, const ProbeDescription& description) {
  dtrace_attribute_t least = weaker(of.dtpa_provider, of.dtpa_name);
  if (!description.module.empty()) least = weaker(least, of.dtpa_mod);
  if (!description.function.empty()) least = weaker(least, of.dtpa_func);
  return least;
}

}  // namespace sonde
