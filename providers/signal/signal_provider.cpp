// SPDX-License-Identifier: GPL-3.0-or-later
// signal: a signal reaches a thread, or is discarded
//
//   args[0] the signal   args[1] si_code   args[2] the sender's pid   args[3] of deliver: the handler   args[4] the siginfo
//   send, in the sender: args[1] the receiver's pid   args[2] its thread
#include "providers/event_probes.h"
#include "providers/provider_entry.h"

namespace sonde {
namespace {

constexpr EventArgument kSiginfo = {4, "struct __siginfo *", "siginfo_t *", 0};

constexpr EventProbe kProbes[] = {
    {"deliver",
     SONDE_TAP_SIGNAL_DELIVER,
     {{0, "int", "", 0}, {1, "int", "", 1}, {2, "pid_t", "", 2}, {3, "uintptr_t", "", 3}, kSiginfo},
     5},
    {"discard", SONDE_TAP_SIGNAL_DISCARD, {{0, "int", "", 0}, {1, "int", "", 1}, {2, "pid_t", "", 2}, kSiginfo}, 4},
    {"send", SONDE_TAP_SIGNAL_SEND, {{0, "int", "", 0}, {1, "pid_t", "", 3}, {2, "id_t", "", 4}, kSiginfo}, 4},
};

constexpr RefusedProbe kRefused[] = {
    {"clear", "signal:::clear cannot be had: no source shows that sigwait takes a signal"},
    {"handle", "signal:::handle is called signal:::deliver here"},
};

EventProvider g_signal{"signal", kProbes, kRefused};

}  // namespace
}  // namespace sonde

extern "C" int sonde_signal_register(void) { return sonde::register_event_provider(sonde::g_signal); }
extern "C" void sonde_signal_unregister(void) { dtrace_unregister(sonde::g_signal.id); }
