// SPDX-License-Identifier: GPL-3.0-or-later
// rawtp: every tracepoint of the kernel, with the arguments that it passes on
//
// The kernel's description of its types (BTF) has a type for the functions that may be called at each tracepoint. It is
// read when a description first names the provider.
#include <memory>
#include <string>
#include <vector>

#include "providers/kernel_types.h"
#include "providers/provider_entry.h"
#include "runtime/process/tracepoints.h"

namespace sonde {
namespace {

constexpr char kName[] = "rawtp";

struct Rawtp {
  dtrace_provider_id_t id = 0;
  std::unique_ptr<CTypes> types;
  std::vector<std::string> names;  ///< of tracepoints; probes point into it
};

Rawtp& rawtp_of(void* arg) { return *static_cast<Rawtp*>(arg); }

const std::string& name_of(void* parg) { return *static_cast<const std::string*>(parg); }

void provide(void* arg, const dtrace_probedesc_t* spec) {
  Rawtp& rawtp = rawtp_of(arg);
  if (spec == nullptr || !rawtp.names.empty() || std::string_view(spec->dtpd_provider) != kName) return;
  auto types = read_btf(kKernelTypes);
  if (!types) {
    const std::string why = "this kernel does not describe its tracepoints: " + types.error().message();
    sonde_provide_error("D_PDESC_ZERO", why.c_str());
    return;
  }
  rawtp.types = std::move(*types);
  rawtp.names = tracepoint_names(*rawtp.types);
  for (std::string& name : rawtp.names) {
    const dtrace_id_t id = dtrace_probe_create(rawtp.id, "vmlinux", "", name.c_str(), 0, &name);
    if (id != 0) sonde_probe_of_kernel(id, nullptr, nullptr);
  }
}

void enable(void*, dtrace_id_t id, void* parg) {
  const sonde_tap_request request = {
      .size = sizeof request, .kind = SONDE_TAP_TRACEPOINT, .symbol = name_of(parg).c_str()};
  sonde_tap_arm(id, &request);
}

void getargdesc(void* arg, dtrace_id_t, void* parg, dtrace_argdesc_t* desc) {
  CTypes& types = *rawtp_of(arg).types;
  const auto function = find_tracepoint(types, name_of(parg));
  const auto index = static_cast<size_t>(desc->dtargd_ndx);
  if (!function || index >= function->parameters.size()) {
    desc->dtargd_ndx = DTRACE_ARGNONE;
    return;
  }
  describe_argument(types, function->parameters[index], desc);
}

Rawtp g_rawtp;

}  // namespace
}  // namespace sonde

extern "C" int sonde_rawtp_register(void) {
  const dtrace_pops_t ops = {
      .dtps_provide = sonde::provide, .dtps_enable = sonde::enable, .dtps_getargdesc = sonde::getargdesc};
  return sonde::register_kernel_names(sonde::kName, ops, &sonde::g_rawtp, &sonde::g_rawtp.id);
}

extern "C" void sonde_rawtp_unregister(void) {
  dtrace_unregister(sonde::g_rawtp.id);
  sonde::g_rawtp = {};
}
