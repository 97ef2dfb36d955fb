// SPDX-License-Identifier: GPL-3.0-or-later
// For providers whose probes fire in the kernel, from a table: sched, io, tcp, ...
//
//   a probe --> a tracepoint, a condition in D, arguments
//           `-> where the kernel has no such tracepoint: functions that begin then
//
// A new event is a row here; what its arguments mean are translators, in D, beside the table. So no source knows any of
// them: a source has tracepoints, which pass words on, and the condition is a part of each clause's fire part.
#pragma once

#include <linux/version.h>

#include <cstdint>
#include <span>

#include "providers/event_probes.h"

namespace sonde {

/// args[index], in the order of the list, is argument `raw` of the tracepoint, or SONDE_ARGUMENT_DERIVED.
struct KernelArgument {
  int raw;
  const char* native;           ///< the kernel's type
  const char* translated = "";  ///< "": not translated
};

/// What a probe of another kind has no argument for: reads as 0.
inline constexpr int kNoArgument = 9;

struct KernelProbeRow {
  const char* name;
  const char* tracepoint;                    ///< null: no kernel has one
  uint32_t since = KERNEL_VERSION(6, 1, 0);  ///< the first version of Linux that has it
  const char* when = nullptr;                ///< D over its arguments; null: always
  const char* derived = nullptr;             ///< D, as sonde_probe_of_kernel() has it
  std::span<const KernelArgument> arguments = {};
  std::span<const char* const> functions = {};  ///< of other kernels; they have no condition
  const char* increment = nullptr;              ///< D: arg0, and there are no others; null: argN are the tracepoint's
  const char* before = nullptr;                 ///< D, as sonde_probe_in_d() has it
  const char* also = nullptr;                   ///< one more tracepoint, with the same arguments
  int counted = -1;  ///< without a tracepoint: an event that the kernel counts, of PERF_COUNT_SW_*
};

struct KernelProvider {
  const char* name;
  std::span<const KernelProbeRow> probes;
  std::span<const RefusedProbe> refused;
  dtrace_provider_id_t id = 0;
};

/// Registers `provider`, which must live as long as it is registered. 0 or an errno.
int register_kernel_provider(KernelProvider& provider);

}  // namespace sonde
