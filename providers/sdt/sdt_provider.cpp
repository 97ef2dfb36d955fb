// SPDX-License-Identifier: GPL-3.0-or-later
// sdt: the same tracepoints as rawtp's, by the names that DTrace has for them: sdt:SUBSYSTEM::NAME
#include "providers/provider_entry.h"
#include "providers/tracepoint_provider.h"

namespace sonde {
namespace {

TracepointProvider g_sdt{.name = "sdt", .by_subsystem = true};

}  // namespace
}  // namespace sonde

extern "C" int sonde_sdt_register(void) { return sonde::register_tracepoints(sonde::g_sdt); }
extern "C" void sonde_sdt_unregister(void) { sonde::unregister_tracepoints(sonde::g_sdt); }
