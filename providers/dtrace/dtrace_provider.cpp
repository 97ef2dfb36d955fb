// SPDX-License-Identifier: GPL-3.0-or-later
// BEGIN, END and ERROR: probes 1, 2 and 3. The consumer fires them.
#include <cerrno>
#include <initializer_list>

#include "providers/provider_entry.h"
#include "providers/stability.h"

namespace sonde {
namespace {

dtrace_provider_id_t g_provider = 0;

void provide(void*, const dtrace_probedesc_t*) {}
void enable(void*, dtrace_id_t, void*) {}
void disable(void*, dtrace_id_t, void*) {}
void destroy(void*, dtrace_id_t, void*) {}

}  // namespace
}  // namespace sonde

extern "C" int sonde_dtrace_register(void) {
  using namespace sonde;
  const dtrace_pattr_t attributes = {kStable, kPrivate, kPrivate, kStable, kStable};
  dtrace_pops_t ops = {};
  ops.dtps_provide = provide;
  ops.dtps_enable = enable;
  ops.dtps_disable = disable;
  ops.dtps_destroy = destroy;
  const int error = dtrace_register("dtrace", &attributes, DTRACE_PRIV_NONE, nullptr, &ops, nullptr, &g_provider);
  if (error != 0) return error;
  // Not in dtps_provide, because their ids must be the first.
  dtrace_id_t expected = 1;
  for (const char* name : {"BEGIN", "END", "ERROR"})
    if (dtrace_probe_create(g_provider, "", "", name, 0, nullptr) != expected++) return EINVAL;
  return 0;
}

extern "C" void sonde_dtrace_unregister(void) { dtrace_unregister(sonde::g_provider); }
