// SPDX-License-Identifier: GPL-3.0-or-later
// profile: tick-N[unit]
//
// Some rates exist from the start; any other is made when a description asks for it. A tick fires in a thread of sonde's own,
// so neither a kernel nor a user program counter was interrupted: arg0 and arg1 are 0. profile-N, which
// samples every CPU, needs a source that can.
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "providers/profile/tick.h"
#include "providers/profile/tick_timer.h"
#include "providers/provider_entry.h"
#include "providers/stability.h"

namespace sonde {
namespace {

constexpr char kPrefix[] = "tick-";
constexpr const char* kPredefined[] = {"tick-1", "tick-10", "tick-100", "tick-500", "tick-1000", "tick-5000"};

struct TickProbe {
  uint64_t period;
  std::atomic<bool> suspended = false;
};

dtrace_provider_id_t g_provider = 0;

TickTimer& timer() {
  static TickTimer instance;
  return instance;
}

void create(const char* name) {
  const uint64_t period = parse_period(std::string_view(name).substr(sizeof kPrefix - 1));
  if (period == 0) return;
  auto* probe = new TickProbe{period};
  const dtrace_id_t id = dtrace_probe_create(g_provider, "", "", name, 0, probe);
  if (id == 0 || dtrace_probe_arg(g_provider, id) != probe) delete probe;
}

void refuse_sampling(std::string_view name) {
  if (parse_period(name.substr(std::strlen("profile-"))) == 0) return;
  const std::string text = "profile:::" + std::string(name) + " needs a source that samples CPUs: kmod";
  sonde_provide_error("D_PDESC_ZERO", text.c_str());
}

void provide(void*, const dtrace_probedesc_t* spec) {
  if (spec == nullptr) {
    for (const char* name : kPredefined) create(name);
    return;
  }
  const std::string_view provider = spec->dtpd_provider, name = spec->dtpd_name;
  const bool could_be_ours =
      provider.empty() || provider == "profile" || provider.find_first_of("*?[") != provider.npos;
  if (!could_be_ours) return;
  if (name.starts_with(kPrefix)) create(spec->dtpd_name);
  if (name.starts_with("profile-")) refuse_sampling(name);
}

TickProbe* probe_of(void* parg) { return static_cast<TickProbe*>(parg); }

void enable(void*, dtrace_id_t id, void* parg) { timer().add(id, probe_of(parg)->period, &probe_of(parg)->suspended); }
void disable(void*, dtrace_id_t id, void*) { timer().remove(id); }
void suspend(void*, dtrace_id_t, void* parg) { probe_of(parg)->suspended = true; }
void resume(void*, dtrace_id_t, void* parg) { probe_of(parg)->suspended = false; }
int usermode(void*, dtrace_id_t, void*) { return 0; }
void destroy(void*, dtrace_id_t, void* parg) { delete probe_of(parg); }

}  // namespace
}  // namespace sonde

extern "C" int sonde_profile_register(void) {
  using namespace sonde;
  const dtrace_pattr_t attributes = {kEvolvingCommon, kUnstable, kPrivate, kEvolvingCommon, kEvolvingCommon};
  dtrace_pops_t ops = {};
  ops.dtps_provide = provide;
  ops.dtps_enable = enable;
  ops.dtps_disable = disable;
  ops.dtps_suspend = suspend;
  ops.dtps_resume = resume;
  ops.dtps_usermode = usermode;
  ops.dtps_destroy = destroy;
  return dtrace_register("profile", &attributes, DTRACE_PRIV_USER | DTRACE_PRIV_KERNEL, nullptr, &ops, nullptr,
                         &g_provider);
}

extern "C" void sonde_profile_unregister(void) {
  if (dtrace_unregister(sonde::g_provider) != EBUSY) sonde::timer().stop();
}
