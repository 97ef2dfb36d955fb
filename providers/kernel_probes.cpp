// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/kernel_probes.h"

#include <sys/utsname.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "providers/stability.h"

namespace sonde {
namespace {

constexpr char kModule[] = "vmlinux";

uint32_t read_version() {
  utsname names{};
  unsigned major = 0, minor = 0;
  if (uname(&names) != 0 || std::sscanf(names.release, "%u.%u", &major, &minor) != 2) return 0;
  return KERNEL_VERSION(major, minor, 0);
}

uint32_t running_version() {
  static const uint32_t kVersion = read_version();
  return kVersion;
}

KernelProvider& provider_of(void* arg) { return *static_cast<KernelProvider*>(arg); }

const KernelProbeRow& row_of(void* parg) { return *static_cast<const KernelProbeRow*>(parg); }

std::string version_text(uint32_t version) {
  return std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 0xff);
}

void add(KernelProvider& provider, const KernelProbeRow& row) {
  const dtrace_id_t id = dtrace_probe_create(provider.id, kModule, "", row.name, 0, const_cast<KernelProbeRow*>(&row));
  if (id == 0) return;
  sonde_probe_of_kernel(id, row.when, row.derived);
  if (row.since > running_version())
    sonde_probe_refuse(id, ("it needs Linux " + version_text(row.since) + ": the tracepoint " + row.tracepoint).c_str(),
                       1);
}

void provide(void* arg, const dtrace_probedesc_t* spec) {
  KernelProvider& provider = provider_of(arg);
  if (spec == nullptr) {
    for (const KernelProbeRow& row : provider.probes) add(provider, row);
    return;
  }
  if (std::string_view(spec->dtpd_provider) != provider.name) return;  // `tick` alone does not mean sched's
  for (const RefusedProbe& refused : provider.refused)
    if (std::string_view(spec->dtpd_name) == refused.name) sonde_provide_error("D_PDESC_ZERO", refused.message);
}

void enable(void*, dtrace_id_t id, void* parg) {
  const sonde_tap_request request = {
      .size = sizeof request, .kind = SONDE_TAP_TRACEPOINT, .symbol = row_of(parg).tracepoint};
  sonde_tap_arm(id, &request);
}

void disable(void*, dtrace_id_t id, void*) { sonde_tap_disarm(id); }
void destroy(void*, dtrace_id_t, void*) {}

void getargdesc(void*, dtrace_id_t, void* parg, dtrace_argdesc_t* desc) {
  const KernelProbeRow& row = row_of(parg);
  const auto index = static_cast<size_t>(desc->dtargd_ndx);
  if (index >= row.arguments.size()) {
    desc->dtargd_ndx = DTRACE_ARGNONE;
    return;
  }
  const KernelArgument& argument = row.arguments[index];
  std::snprintf(desc->dtargd_native, sizeof desc->dtargd_native, "%s", argument.native);
  std::snprintf(desc->dtargd_xlate, sizeof desc->dtargd_xlate, "%s", argument.translated);
  desc->dtargd_mapping = argument.raw;
}

}  // namespace

int register_kernel_provider(KernelProvider& provider) {
  const dtrace_pattr_t attributes = {kEvolvingCommon, kPrivate, kPrivate, kEvolvingCommon, kEvolvingCommon};
  const dtrace_pops_t ops = {.dtps_provide = provide,
                             .dtps_enable = enable,
                             .dtps_disable = disable,
                             .dtps_getargdesc = getargdesc,
                             .dtps_destroy = destroy};
  return dtrace_register(provider.name, &attributes, DTRACE_PRIV_KERNEL, nullptr, &ops, &provider, &provider.id);
}

}  // namespace sonde
