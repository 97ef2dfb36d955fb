// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/session/cost.h"

#include <unistd.h>

#include <fstream>
#include <string>

#include "runtime/base/clock.h"

namespace sonde {
namespace {

constexpr Nanoseconds kSecond = 1'000'000'000;
constexpr double kMuch = 0.2;  // fraction of the elapsed time

/// Processor time of the guard, our child; 0: there is no guard. The kernel counts it in clock ticks, usually of 10 ms.
double guard_seconds() {
  const std::string own = std::to_string(::getpid());
  std::ifstream children("/proc/" + own + "/task/" + own + "/children");
  for (std::string pid; children >> pid;) {
    std::string stat;
    std::getline(std::ifstream("/proc/" + pid + "/stat"), stat);
    unsigned long user = 0, system = 0;
    if (stat.find("(sonde-guard)") == stat.npos ||
        std::sscanf(stat.c_str() + stat.rfind(')'), ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                    &system) != 2) {
      continue;
    }
    return static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  return 0;
}

}  // namespace

std::string cost_of_tracing(EventSource& source, Nanoseconds began) {
  const Nanoseconds took = monotonic_now() - began;
  auto statistics = source.statistics();
  if (took < kSecond || !statistics) return {};
  const double seconds = static_cast<double>(took) / kSecond;
  const double share = (guard_seconds() - static_cast<double>(statistics->looking_ns) / kSecond) / seconds;
  if (share < kMuch) return {};
  return "tracing stopped threads " + std::to_string(static_cast<uint64_t>(statistics->stops / seconds)) +
         " times a second, and they waited for " + std::to_string(static_cast<int>(share * 100)) +
         "% of the time at least\n    fewer probes cost less; with -c only calls that probes name stop their threads";
}

}  // namespace sonde
