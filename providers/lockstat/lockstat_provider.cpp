// SPDX-License-Identifier: GPL-3.0-or-later
// lockstat: threads that wait for a lock of the kernel
//
// DTrace's probes fire behind the wait and say how long it was. Linux has an event before and one behind, which any kind of
// lock passes; so the names are others, and the time is that between them.
#include "providers/kernel_probes.h"
#include "providers/provider_entry.h"

namespace sonde {
namespace {

constexpr uint32_t kLinux61 = KERNEL_VERSION(6, 1, 0);

constexpr KernelArgument kBeginArguments[] = {{0, "void *"}, {1, "uint32_t"}};
constexpr KernelArgument kEndArguments[] = {{0, "void *"}, {1, "int32_t"}};

constexpr KernelProbeRow kProbes[] = {
    {"contention-begin", "contention_begin", kLinux61, nullptr, nullptr, kBeginArguments},
    {"contention-end", "contention_end", kLinux61, nullptr, nullptr, kEndArguments},
};

#define SONDE_REFUSED(name)                                                                \
  {                                                                                        \
    name, "lockstat:::" name                                                               \
          " is not available: the kernel tells when the wait for a lock begins and ends, " \
          "lockstat:::contention-begin and contention-end; the time is that between them"  \
  }

constexpr RefusedProbe kRefused[] = {
    SONDE_REFUSED("adaptive-acquire"), SONDE_REFUSED("adaptive-block"), SONDE_REFUSED("adaptive-release"),
    SONDE_REFUSED("adaptive-spin"),    SONDE_REFUSED("rw-acquire"),     SONDE_REFUSED("rw-block"),
    SONDE_REFUSED("rw-downgrade"),     SONDE_REFUSED("rw-release"),     SONDE_REFUSED("rw-upgrade"),
    SONDE_REFUSED("spin-acquire"),     SONDE_REFUSED("spin-release"),   SONDE_REFUSED("spin-spin"),
    SONDE_REFUSED("thread-spin"),
};

KernelProvider g_lockstat{"lockstat", kProbes, kRefused};

}  // namespace
}  // namespace sonde

extern "C" int sonde_lockstat_register(void) { return sonde::register_kernel_provider(sonde::g_lockstat); }
extern "C" void sonde_lockstat_unregister(void) { dtrace_unregister(sonde::g_lockstat.id); }
