// SPDX-License-Identifier: GPL-3.0-or-later
// signal: a signal reaches a thread, or is discarded
//
//   args[0] the signal   args[1] si_code   args[2] the sender's pid   args[3] of deliver: the handler   args[4] the siginfo
//   send, in the sender: args[1] the receiver's pid   args[2] its thread
#include "providers/event_probes.h"
#include "providers/provider_entry.h"

namespace sonde {
namespace {

constexpr EventArgument kSiginfo = {4, SONDE_ARG_SIGINFO_NUMBER, "struct __siginfo *", "siginfo_t *"};

constexpr EventProbe kProbes[] = {
    {"deliver",
     SONDE_TAP_SIGNAL_DELIVER,
     {{0, SONDE_ARG_SIGNAL_DELIVER_NUMBER},
      {1, SONDE_ARG_SIGNAL_DELIVER_CODE},
      {2, SONDE_ARG_SIGNAL_DELIVER_SENDER},
      {3, SONDE_ARG_SIGNAL_DELIVER_HANDLER},
      kSiginfo},
     5},
    {"discard",
     SONDE_TAP_SIGNAL_DISCARD,
     {{0, SONDE_ARG_SIGNAL_DISCARD_NUMBER},
      {1, SONDE_ARG_SIGNAL_DISCARD_CODE},
      {2, SONDE_ARG_SIGNAL_DISCARD_SENDER},
      kSiginfo},
     4},
    {"send",
     SONDE_TAP_SIGNAL_SEND,
     {{0, SONDE_ARG_SIGNAL_SEND_NUMBER},
      {1, SONDE_ARG_SIGNAL_SEND_RECEIVER_PID},
      {2, SONDE_ARG_SIGNAL_SEND_RECEIVER_TID},
      kSiginfo},
     4},
};

constexpr RefusedProbe kRefused[] = {
    {"clear", "signal:::clear is not available: no event source reports when sigwait() accepts a signal"},
    {"handle", "signal:::handle is called signal:::deliver here"},
};

EventProvider g_signal{"signal", kProbes, kRefused};

}  // namespace
}  // namespace sonde

extern "C" int sonde_signal_register(void) { return sonde::register_event_provider(sonde::g_signal); }
extern "C" void sonde_signal_unregister(void) { dtrace_unregister(sonde::g_signal.id); }
