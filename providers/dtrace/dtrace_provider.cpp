// SPDX-License-Identifier: GPL-3.0-or-later
// BEGIN, END and ERROR: probes 1, 2 and 3. The consumer fires them.
#include <cerrno>

#include "providers/provider_entry.h"
#include "providers/stability.h"
#include "providers/tap_probes.h"

namespace sonde {
namespace {

dtrace_provider_id_t g_provider = 0;

void provide(void*, const dtrace_probedesc_t*) {}

}  // namespace
}  // namespace sonde

extern "C" int sonde_dtrace_register(void) {
  using namespace sonde;
  const dtrace_pattr_t attributes = {kStable, kPrivate, kPrivate, kStable, kStable};
  const dtrace_pops_t ops = {.dtps_provide = provide,
                             .dtps_enable = tap_probes::nothing,
                             .dtps_disable = tap_probes::nothing,
                             .dtps_destroy = tap_probes::nothing};
  if (int error = dtrace_register("dtrace", &attributes, DTRACE_PRIV_NONE, nullptr, &ops, nullptr, &g_provider))
    return error;
  // Not in dtps_provide, because their ids must be the first.
  dtrace_id_t expected = 1;
  for (const char* name : {"BEGIN", "END", "ERROR"})
    if (dtrace_probe_create(g_provider, "", "", name, 0, nullptr) != expected++) return EINVAL;
  return 0;
}

extern "C" void sonde_dtrace_unregister(void) { dtrace_unregister(sonde::g_provider); }
