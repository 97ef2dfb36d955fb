// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/tracepoint_provider.h"

#include "providers/kernel_types.h"
#include "runtime/process/tracepoints.h"

namespace sonde {
namespace {

constexpr char kModule[] = "vmlinux";

using Subsystems = std::map<std::string, std::string, std::less<>>;

TracepointProvider& tracepoints_of(void* arg) { return *static_cast<TracepointProvider*>(arg); }

const std::string& name_of(void* parg) { return *static_cast<const std::string*>(parg); }

/// Without tracefs, nobody has a subsystem, which the user must know.
Subsystems read_subsystems(const TracepointProvider& provider) {
  if (!provider.by_subsystem) return {};
  auto read = tracepoint_subsystems();
  if (read) return std::move(*read);
  const std::string text = std::string(provider.name) + ": the subsystems of tracepoints are not known (" +
                           read.error().message() + "): write " + provider.name + ":::NAME";
  sonde_print_message(text.c_str());
  return {};
}

void provide(void* arg, const dtrace_probedesc_t* spec) {
  TracepointProvider& provider = tracepoints_of(arg);
  if (spec == nullptr || !provider.tracepoints.empty() || std::string_view(spec->dtpd_provider) != provider.name)
    return;
  auto types = read_btf(kKernelTypes);
  if (!types) {
    const std::string why = "this kernel does not describe its tracepoints: " + types.error().message();
    sonde_provide_error("D_PDESC_ZERO", why.c_str());
    return;
  }
  provider.types = std::move(*types);
  provider.tracepoints = tracepoint_names(*provider.types);
  const Subsystems subsystems = read_subsystems(provider);
  for (std::string& name : provider.tracepoints) {
    const auto found = subsystems.find(name);
    const char* module = found == subsystems.end() ? kModule : found->second.c_str();
    const dtrace_id_t id = dtrace_probe_create(provider.id, module, "", name.c_str(), 0, &name);
    if (id != 0) sonde_probe_of_kernel(id, nullptr, nullptr);
  }
}

void enable(void*, dtrace_id_t id, void* parg) {
  const sonde_tap_request request = {
      .size = sizeof request, .kind = SONDE_TAP_TRACEPOINT, .symbol = name_of(parg).c_str()};
  sonde_tap_arm(id, &request);
}

void getargdesc(void* arg, dtrace_id_t, void* parg, dtrace_argdesc_t* desc) {
  CTypes& types = *tracepoints_of(arg).types;
  const auto function = find_tracepoint(types, name_of(parg));
  const auto index = static_cast<size_t>(desc->dtargd_ndx);
  if (!function || index >= function->parameters.size()) {
    desc->dtargd_ndx = DTRACE_ARGNONE;
    return;
  }
  describe_argument(types, function->parameters[index], desc);
}

}  // namespace

int register_tracepoints(TracepointProvider& provider) {
  const dtrace_pops_t ops = {.dtps_provide = provide, .dtps_enable = enable, .dtps_getargdesc = getargdesc};
  return register_kernel_names(provider.name, ops, &provider, &provider.id);
}

void unregister_tracepoints(TracepointProvider& provider) {
  dtrace_unregister(provider.id);
  provider.id = 0;
  provider.tracepoints.clear();
  provider.types.reset();
}

}  // namespace sonde
