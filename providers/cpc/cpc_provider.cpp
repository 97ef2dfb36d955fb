// SPDX-License-Identifier: GPL-3.0-or-later
// cpc: after so many events of a CPU, cpc:::EVENT-MODE-COUNT
//
// The events are those of perf_event_open(2): the kernel counts some itself, on every machine, and others are counted by
// the processor, if the machine has such counters. A probe is made when a description asks for it.
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "providers/provider_entry.h"
#include "providers/stability.h"
#include "providers/tap_probes.h"
#include "runtime/base/unique_fd.h"

namespace sonde {
namespace {

struct CountedEvent {
  const char* name;
  uint32_t type;
  uint64_t config;
  uint64_t least;  ///< the smallest count: each firing is an interrupt, or costs as much as what it counts
};

constexpr uint64_t kLeastOfProcessor = 5000;  ///< DTrace's

constexpr CountedEvent software(const char* name, perf_sw_ids id, uint64_t least = 1) {
  return {name, PERF_TYPE_SOFTWARE, id, least};
}
constexpr CountedEvent hardware(const char* name, perf_hw_id id) {
  return {name, PERF_TYPE_HARDWARE, id, kLeastOfProcessor};
}

/// The kernel's names, and DTrace's generic ones for the same.
constexpr CountedEvent kCountedEvents[] = {
    software("alignment_faults", PERF_COUNT_SW_ALIGNMENT_FAULTS),
    software("context_switches", PERF_COUNT_SW_CONTEXT_SWITCHES),
    software("cpu_clock", PERF_COUNT_SW_CPU_CLOCK, SONDE_PERIOD_MIN),
    software("cpu_migrations", PERF_COUNT_SW_CPU_MIGRATIONS),
    software("emulation_faults", PERF_COUNT_SW_EMULATION_FAULTS),
    software("major_faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ),
    software("minor_faults", PERF_COUNT_SW_PAGE_FAULTS_MIN),
    software("page_faults", PERF_COUNT_SW_PAGE_FAULTS),
    software("task_clock", PERF_COUNT_SW_TASK_CLOCK, SONDE_PERIOD_MIN),
    hardware("branch_instructions", PERF_COUNT_HW_BRANCH_INSTRUCTIONS),
    hardware("branch_misses", PERF_COUNT_HW_BRANCH_MISSES),
    hardware("bus_cycles", PERF_COUNT_HW_BUS_CYCLES),
    hardware("cache_misses", PERF_COUNT_HW_CACHE_MISSES),
    hardware("cache_references", PERF_COUNT_HW_CACHE_REFERENCES),
    hardware("cpu_cycles", PERF_COUNT_HW_CPU_CYCLES),
    hardware("cycles", PERF_COUNT_HW_CPU_CYCLES),
    hardware("instructions", PERF_COUNT_HW_INSTRUCTIONS),
    hardware("ref_cycles", PERF_COUNT_HW_REF_CPU_CYCLES),
    hardware("stalled_cycles_backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND),
    hardware("stalled_cycles_frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND),
    hardware("PAPI_br_ins", PERF_COUNT_HW_BRANCH_INSTRUCTIONS),
    hardware("PAPI_br_msp", PERF_COUNT_HW_BRANCH_MISSES),
    hardware("PAPI_tot_cyc", PERF_COUNT_HW_CPU_CYCLES),
    hardware("PAPI_tot_ins", PERF_COUNT_HW_INSTRUCTIONS),
};

struct CountedMode {
  std::string_view name;
  uint32_t without;  ///< flags of the tap's number
};
constexpr CountedMode kModes[] = {{"all", 0}, {"kernel", SONDE_COUNTER_NO_USER}, {"user", SONDE_COUNTER_NO_KERNEL}};

/// Listed, though nobody has asked: one for each event that every machine has.
constexpr uint64_t kListedCount = 1, kListedPeriod = 10'000'000;

struct CountedProbe {
  const CountedEvent* event;
  uint32_t without;
  uint64_t count;
};

dtrace_provider_id_t g_cpc = 0;

void refuse_cpc(const char* name, const std::string& why) {
  sonde_provide_error("D_PDESC_ZERO", ("cpc:::" + std::string(name) + why).c_str());
}

/// Why this machine does not count the event; empty: it does, or this user may not ask.
std::string why_not_counted(const CountedEvent& event) {
  perf_event_attr attr{};
  attr.type = event.type;
  attr.size = sizeof attr;
  attr.config = event.config;
  attr.sample_period = event.least;
  attr.disabled = 1;
  const UniqueFd counter(static_cast<int>(syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC)));
  if (counter || errno == EACCES || errno == EPERM) return "";
  const std::string error = std::strerror(errno);
  return event.type == PERF_TYPE_SOFTWARE
             ? " is not available: this kernel does not count it (" + error + ")"
             : " is not available: this machine shows no counter of its processor for it, as many virtual ones (" +
                   error + "); samples by time: profile-997; events that the kernel counts: cpc:::page_faults-all-1";
}

std::string all_names() {
  std::string names;
  for (const CountedEvent& event : kCountedEvents) names += (names.empty() ? "" : ", ") + std::string(event.name);
  return names;
}

/// The probe of a name; none: the reason is reported.
std::optional<CountedProbe> parse_counted(const char* text) {
  const std::string_view name = text;
  const size_t last = name.rfind('-'), middle = last == name.npos ? last : name.rfind('-', last - 1);
  if (last == name.npos || middle == name.npos || middle == 0) {
    refuse_cpc(text, " is no event with its mode and count: EVENT-MODE-COUNT, as page_faults-user-1000");
    return std::nullopt;
  }
  CountedProbe probe{nullptr, 0, 0};
  const auto* event = std::ranges::find(kCountedEvents, name.substr(0, middle), &CountedEvent::name);
  if (event == std::end(kCountedEvents)) {
    refuse_cpc(text, ": there is no event " + std::string(name.substr(0, middle)) + " here; these are: " + all_names());
    return std::nullopt;
  }
  const auto* mode = std::ranges::find(kModes, name.substr(middle + 1, last - middle - 1), &CountedMode::name);
  if (mode == std::end(kModes)) {
    refuse_cpc(text, ": its mode is none: user, kernel or all");
    return std::nullopt;
  }
  const char* const end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data() + last + 1, end, probe.count);
  if (error != std::errc() || at != end || probe.count < event->least || probe.count > INT64_MAX) {
    refuse_cpc(text, ": its count is a number from " + std::to_string(event->least) + " on");
    return std::nullopt;
  }
  probe.event = &*event;
  probe.without = mode->without;
  return probe;
}

void create_counted(const char* name, const CountedProbe& what) {
  auto* probe = new CountedProbe(what);
  const dtrace_id_t id = dtrace_probe_create(g_cpc, "", "", name, 0, probe);
  if (id == 0 || dtrace_probe_arg(g_cpc, id) != probe) delete probe;
}

void provide_counted(void*, const dtrace_probedesc_t* spec) {
  if (spec == nullptr) {
    for (const CountedEvent& event : kCountedEvents) {
      if (event.type != PERF_TYPE_SOFTWARE) continue;
      const uint64_t count = event.least == 1 ? kListedCount : kListedPeriod;
      create_counted((std::string(event.name) + "-all-" + std::to_string(count)).c_str(), {&event, 0, count});
    }
    return;
  }
  const std::string_view name = spec->dtpd_name;
  if (std::string_view(spec->dtpd_provider) != "cpc" || name.empty() || name.find_first_of("*?[") != name.npos) return;
  if (sonde_tap_possible(SONDE_TAP_COUNTER) == 0)
    return refuse_cpc(spec->dtpd_name, std::string(" needs a source that counts events of CPUs: ") +
                                           sonde_sources_with(SONDE_TAP_COUNTER, 0));
  const auto probe = parse_counted(spec->dtpd_name);
  if (!probe) return;
  if (const std::string why = why_not_counted(*probe->event); !why.empty()) return refuse_cpc(spec->dtpd_name, why);
  create_counted(spec->dtpd_name, *probe);
}

const CountedProbe& counted_of(void* parg) { return *static_cast<const CountedProbe*>(parg); }

void enable_counted(void*, dtrace_id_t id, void* parg) {
  const CountedProbe& probe = counted_of(parg);
  const sonde_tap_request request = {.size = sizeof request,
                                     .kind = SONDE_TAP_COUNTER,
                                     .number = probe.event->type | probe.without,
                                     .offset = probe.count,
                                     .function = probe.event->config,
                                     .symbol = probe.event->name};
  sonde_tap_arm(id, &request);
}

}  // namespace
}  // namespace sonde

extern "C" int sonde_cpc_register(void) {
  using namespace sonde;
  const dtrace_pattr_t attributes = {kEvolvingCommon, kPrivate, kPrivate, kEvolvingCommon, kEvolvingCommon};
  const dtrace_pops_t ops = {.dtps_provide = provide_counted,
                             .dtps_enable = enable_counted,
                             .dtps_disable = tap_probes::disarm,
                             .dtps_destroy = tap_probes::destroy<CountedProbe>};
  return dtrace_register("cpc", &attributes, DTRACE_PRIV_KERNEL, nullptr, &ops, nullptr, &g_cpc);
}

extern "C" void sonde_cpc_unregister(void) { dtrace_unregister(sonde::g_cpc); }
