// SPDX-License-Identifier: GPL-3.0-or-later
// A plug-in with as many probes as MANY in the environment says: many:module_0:function_0:entry, and so on, in 100 modules.
#include <sonde/provider.h>

#include <cstdlib>
#include <string>

namespace {

dtrace_provider_id_t provider;

void provide(void* /*arg*/, const dtrace_probedesc_t* spec) {
  const char* many = std::getenv("MANY");
  const int count = spec != nullptr || many == nullptr ? 0 : std::atoi(many);
  for (int i = 0; i < count; i++)
    dtrace_probe_create(provider, ("module_" + std::to_string(i % 100)).c_str(),
                        ("function_" + std::to_string(i)).c_str(), "entry", 0, nullptr);
}

void nothing(void* /*arg*/, dtrace_id_t /*id*/, void* /*parg*/) {}

int start() {
  const dtrace_attribute_t evolving = {DTRACE_STABILITY_EVOLVING, DTRACE_STABILITY_EVOLVING, DTRACE_CLASS_COMMON};
  const dtrace_pattr_t attributes = {evolving, evolving, evolving, evolving, evolving};
  dtrace_pops_t ops{};
  ops.dtps_provide = provide;
  ops.dtps_enable = ops.dtps_disable = ops.dtps_destroy = nothing;
  return dtrace_register("many", &attributes, DTRACE_PRIV_USER, nullptr, &ops, nullptr, &provider);
}

void stop() { dtrace_unregister(provider); }

}  // namespace

SONDE_PLUGIN(start, stop, nullptr);
