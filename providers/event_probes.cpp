// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/event_probes.h"

#include <cstdio>
#include <string_view>

#include "providers/stability.h"
#include "providers/tap_probes.h"
#include "runtime/base/check.h"

namespace sonde {
namespace {

constexpr char kModule[] = "vmlinux";

struct Role {
  sonde_tap_kind kind;
  int first, count;
  const char* type;
};
#define SONDE_ROLE_ROW(kind, role, first, count, type, meaning) {SONDE_TAP_##kind, first, count, type},
constexpr Role kRoles[] = {SONDE_TAP_KINDS(SONDE_TAP_ROLES, SONDE_ROLE_ROW)};
#undef SONDE_ROLE_ROW

const char* type_of(sonde_tap_kind kind, int argument) {
  for (const Role& role : kRoles)
    if (role.kind == kind && argument >= role.first && argument < role.first + role.count) return role.type;
  SONDE_CHECK(false);  // a provider's table has a role that the event does not have
}

EventProvider& provider_of(void* arg) { return *static_cast<EventProvider*>(arg); }

const EventProbe& probe_of(void* parg) { return *static_cast<const EventProbe*>(parg); }

void provide(void* arg, const dtrace_probedesc_t* spec) {
  EventProvider& provider = provider_of(arg);
  if (spec == nullptr) {
    for (const EventProbe& probe : provider.probes)
      dtrace_probe_create(provider.id, kModule, "", probe.name, 0, const_cast<EventProbe*>(&probe));
    return;
  }
  const std::string_view wanted = spec->dtpd_provider;
  if (!wanted.empty() && wanted != provider.name) return;
  for (const RefusedProbe& refused : provider.refused)
    if (std::string_view(spec->dtpd_name) == refused.name) sonde_provide_error("D_PDESC_ZERO", refused.message);
}

void enable(void*, dtrace_id_t id, void* parg) {
  const sonde_tap_request request = {.size = sizeof request, .kind = probe_of(parg).tap};
  sonde_tap_arm(id, &request);
}

void getargdesc(void*, dtrace_id_t, void* parg, dtrace_argdesc_t* desc) {
  const EventProbe& probe = probe_of(parg);
  for (int i = 0; i < probe.argument_count; i++) {
    const EventArgument& argument = probe.arguments[i];
    if (argument.index != desc->dtargd_ndx) continue;
    std::snprintf(desc->dtargd_native, sizeof desc->dtargd_native, "%s",
                  argument.native != nullptr ? argument.native : type_of(probe.tap, argument.role));
    std::snprintf(desc->dtargd_xlate, sizeof desc->dtargd_xlate, "%s", argument.translated);
    desc->dtargd_mapping = argument.role;
    return;
  }
  desc->dtargd_ndx = DTRACE_ARGNONE;
}

}  // namespace

int register_event_provider(EventProvider& provider) {
  const dtrace_pattr_t attributes = {kEvolvingCommon, kPrivate, kPrivate, kEvolvingCommon, kEvolvingCommon};
  const dtrace_pops_t ops = {.dtps_provide = provide,
                             .dtps_enable = enable,
                             .dtps_disable = tap_probes::disarm,
                             .dtps_getargdesc = getargdesc,
                             .dtps_destroy = tap_probes::nothing};
  return dtrace_register(provider.name, &attributes, DTRACE_PRIV_USER, nullptr, &ops, &provider, &provider.id);
}

}  // namespace sonde
