// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/kernel_probes.h"

#include <linux/perf_event.h>
#include <sys/utsname.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "providers/stability.h"
#include "providers/tap_probes.h"
#include "runtime/process/kernel_functions.h"

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

bool has_tracepoint(const KernelProbeRow& row) { return row.tracepoint != nullptr && row.since <= running_version(); }

/// Why the probe cannot be armed; empty: it can.
std::string why_not(const KernelProbeRow& row) {
  if (row.counted >= 0 && sonde_tap_possible(SONDE_TAP_COUNTER) == 0)
    return "it needs a source that counts events of CPUs: " + std::string(sonde_sources_with(SONDE_TAP_COUNTER, 0));
  if (row.counted >= 0 || has_tracepoint(row) ||
      (!row.functions.empty() && sonde_tap_possible(SONDE_TAP_KERNEL_ENTRY) != 0))
    return "";
  const std::string tracepoint =
      row.tracepoint == nullptr ? "" : "Linux " + version_text(row.since) + ": the tracepoint " + row.tracepoint;
  if (row.functions.empty()) return "it needs " + tracepoint;
  return "it needs " + tracepoint + (tracepoint.empty() ? "" : "; or ") + "the kernel's function " + row.functions[0] +
         ", and nothing here lets sonde into functions of the kernel";
}

/// A tap at each function that begins when the event happens. They are looked for when they are wanted: that takes long.
void arm_functions(dtrace_id_t id, const KernelProbeRow& row) {
  const Result<KernelFunctions>& functions = KernelFunctions::running();
  size_t armed = 0;
  for (const char* name : row.functions)
    for (const uint64_t address : functions ? functions->addresses_of(name) : std::vector<uint64_t>()) {
      const sonde_tap_request request = {
          .size = sizeof request, .kind = SONDE_TAP_KERNEL_ENTRY, .offset = address, .symbol = name};
      armed += sonde_tap_arm(id, &request) == 0 ? 1 : 0;
    }
  if (armed > 0) return;
  const std::string why = functions ? "" : ": " + functions.error().message();
  sonde_print_message(
      (std::string(row.name) + " never fires: this kernel has no function " + row.functions[0] + why).c_str());
}

/// Each single event.
void arm_counter(dtrace_id_t id, const KernelProbeRow& row) {
  const sonde_tap_request request = {.size = sizeof request,
                                     .kind = SONDE_TAP_COUNTER,
                                     .number = PERF_TYPE_SOFTWARE,
                                     .offset = 1,
                                     .function = static_cast<uint64_t>(row.counted),
                                     .symbol = row.name};
  sonde_tap_arm(id, &request);
}

void add(KernelProvider& provider, const KernelProbeRow& row) {
  const dtrace_id_t id = dtrace_probe_create(provider.id, kModule, "", row.name, 0, const_cast<KernelProbeRow*>(&row));
  if (id == 0) return;
  sonde_probe_of_kernel(id, has_tracepoint(row) ? row.when : nullptr, row.derived);
  if (row.increment != nullptr) sonde_probe_in_d(id, row.before, row.when, &row.increment, 1);
  if (const std::string why = why_not(row); !why.empty()) sonde_probe_refuse(id, why.c_str(), 1);
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
  const KernelProbeRow& row = row_of(parg);
  if (row.counted >= 0) return arm_counter(id, row);
  if (!has_tracepoint(row)) return arm_functions(id, row);
  for (const char* name : {row.tracepoint, row.also}) {
    if (name == nullptr) continue;
    const sonde_tap_request request = {.size = sizeof request, .kind = SONDE_TAP_TRACEPOINT, .symbol = name};
    sonde_tap_arm(id, &request);
  }
}

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
                             .dtps_disable = tap_probes::disarm,
                             .dtps_getargdesc = getargdesc,
                             .dtps_destroy = tap_probes::nothing};
  return dtrace_register(provider.name, &attributes, DTRACE_PRIV_KERNEL, nullptr, &ops, &provider, &provider.id);
}

}  // namespace sonde
