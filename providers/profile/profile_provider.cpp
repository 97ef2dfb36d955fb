// SPDX-License-Identifier: GPL-3.0-or-later
// profile: tick-N[unit], profile-N[unit]
//
// Some rates of tick exist from the start; any other is made when a description asks for it. A tick fires in a thread
// of sonde itself, whose program counter is arg1. With a source, profile-N is a tap that samples every CPU. Without one
// nobody is traced: a timer on each CPU that we may run on fires it, and its clauses see only sonde.
#include <sched.h>

#include <atomic>
#include <cerrno>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "providers/profile/tick.h"
#include "providers/profile/tick_timer.h"
#include "providers/provider_entry.h"
#include "providers/stability.h"
#include "providers/tap_probes.h"

namespace sonde {
namespace {

constexpr std::string_view kTick = "tick-", kSample = "profile-";
constexpr const char* kPredefined[] = {"tick-1", "tick-10", "tick-100", "tick-500", "tick-1000", "tick-5000"};

struct Probe {
  uint64_t period;
  bool samples;
  std::atomic<bool> suspended = false;
};

dtrace_provider_id_t g_provider = 0;

TickTimer& timer() {
  static TickTimer instance;
  return instance;
}

/// One for each CPU that the enabling thread may run on.
std::deque<TickTimer>& samplers() {
  static std::deque<TickTimer> all;
  cpu_set_t mine;
  if (!all.empty() || sched_getaffinity(0, sizeof mine, &mine) != 0) return all;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mine)) all.emplace_back(cpu);
  return all;
}

void sample_ourselves(dtrace_id_t id, const Probe& probe) {
  static bool told = false;
  if (!std::exchange(told, true))
    sonde_print_message(
        "profile: no program is traced, so it fires in sonde itself, on every CPU: name a program by -c or -p, or "
        "trace "
        "the whole machine as root");
  for (TickTimer& one : samplers()) one.add(id, probe.period, &probe.suspended);
}

void refuse(const char* name, const std::string& why) {
  const std::string text = "profile:::" + std::string(name) + why;
  sonde_provide_error("D_PDESC_ZERO", text.c_str());
}

/// The period in a name; none: it is invalid, which was reported unless the name is a glob.
std::optional<uint64_t> period_of(std::string_view prefix, const char* name) {
  const auto period = parse_period(std::string_view(name).substr(prefix.size()));
  if (period && *period >= kShortestPeriod) return period;
  if (period) {
    refuse(name, ": its period is too short: the shortest is 200us, 5000hz");
  } else if (std::string_view(name).find_first_of("*?[") == std::string_view::npos) {
    refuse(name, " is no rate: a number from 1 on, and ns, us, ms, s, m, h, d or hz");
  }
  return std::nullopt;
}

void create(std::string_view prefix, const char* name) {
  const auto period = period_of(prefix, name);
  if (!period) return;
  auto* probe = new Probe{*period, prefix == kSample};
  const dtrace_id_t id = dtrace_probe_create(g_provider, "", "", name, 0, probe);
  if (id == 0 || dtrace_probe_arg(g_provider, id) != probe) delete probe;
}

void create_sampler(const char* name) {
  if (sonde_tap_possible(SONDE_TAP_PROFILE)) return create(kSample, name);
  if (period_of(kSample, name))
    refuse(name, std::string(" needs a source that samples CPUs: ") + sonde_sources_with(SONDE_TAP_PROFILE, 0));
}

void provide(void*, const dtrace_probedesc_t* spec) {
  if (spec == nullptr) {
    for (const char* name : kPredefined) create(kTick, name);
    return;
  }
  const std::string_view provider = spec->dtpd_provider, name = spec->dtpd_name;
  const bool could_be_ours =
      provider.empty() || provider == "profile" || provider.find_first_of("*?[") != provider.npos;
  if (!could_be_ours) return;
  if (name.starts_with(kTick)) create(kTick, spec->dtpd_name);
  if (name.starts_with(kSample)) create_sampler(spec->dtpd_name);
}

Probe* probe_of(void* parg) { return static_cast<Probe*>(parg); }

void enable(void*, dtrace_id_t id, void* parg) {
  Probe& probe = *probe_of(parg);
  if (!probe.samples) return timer().add(id, probe.period, &probe.suspended);
  if (sonde_has_source() == 0) return sample_ourselves(id, probe);
  const sonde_tap_request request = {.size = sizeof request, .kind = SONDE_TAP_PROFILE, .offset = probe.period};
  sonde_tap_arm(id, &request);
}

void disable(void*, dtrace_id_t id, void* parg) {
  if (probe_of(parg)->samples && sonde_has_source() != 0) return sonde_tap_disarm(id);
  if (probe_of(parg)->samples)
    for (TickTimer& one : samplers()) one.remove(id);
  timer().remove(id);
}

void suspend(void*, dtrace_id_t, void* parg) { probe_of(parg)->suspended = true; }
void resume(void*, dtrace_id_t, void* parg) { probe_of(parg)->suspended = false; }
int usermode(void*, dtrace_id_t, void*) { return 0; }

}  // namespace
}  // namespace sonde

extern "C" int sonde_profile_register(void) {
  using namespace sonde;
  const dtrace_pattr_t attributes = {kEvolvingCommon, kUnstable, kPrivate, kEvolvingCommon, kEvolvingCommon};
  const dtrace_pops_t ops = {.dtps_provide = provide,
                             .dtps_enable = enable,
                             .dtps_disable = disable,
                             .dtps_suspend = suspend,
                             .dtps_resume = resume,
                             .dtps_usermode = usermode,
                             .dtps_destroy = tap_probes::destroy<Probe>};
  return dtrace_register("profile", &attributes, DTRACE_PRIV_USER | DTRACE_PRIV_KERNEL, nullptr, &ops, nullptr,
                         &g_provider);
}

extern "C" void sonde_profile_unregister(void) {
  if (dtrace_unregister(sonde::g_provider) == EBUSY) return;
  sonde::timer().stop();
  for (sonde::TickTimer& one : sonde::samplers()) one.stop();
}
