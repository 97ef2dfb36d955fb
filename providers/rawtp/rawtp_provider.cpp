// SPDX-License-Identifier: GPL-3.0-or-later
// rawtp: every tracepoint of the kernel, with the arguments that it passes on
#include "providers/provider_entry.h"
#include "providers/tracepoint_provider.h"

namespace sonde {
namespace {

TracepointProvider g_rawtp{.name = "rawtp"};

}  // namespace
}  // namespace sonde

extern "C" int sonde_rawtp_register(void) { return sonde::register_tracepoints(sonde::g_rawtp); }
extern "C" void sonde_rawtp_unregister(void) { sonde::unregister_tracepoints(sonde::g_rawtp); }
