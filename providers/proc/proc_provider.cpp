// SPDX-License-Identifier: GPL-3.0-or-later
// proc: the lives of processes and threads
//
// create fires in the parent, start in the child, exec when one is requested, exec-success in the new program. A
// psinfo_t or lwpsinfo_t is translated from what the tap has: a process or thread that is being created is described by
// its creator's data (struct __child, struct __new_thread); of a signal's receiver only the ids are known.
#include "providers/event_probes.h"
#include "providers/provider_entry.h"

namespace sonde {
namespace {

constexpr EventArgument kSiginfo = {3, SONDE_ARG_SIGINFO_NUMBER, "struct __siginfo *", "siginfo_t *"};

constexpr EventProbe kProbes[] = {
    {"create", SONDE_TAP_CREATE, {{0, SONDE_ARG_CREATE_CHILD, "struct __child *", "psinfo_t *"}}, 1},
    {"start", SONDE_TAP_START, {}, 0},
    {"exec", SONDE_TAP_EXEC, {{0, SONDE_ARG_EXEC_PATH}}, 1},
    {"exec-success", SONDE_TAP_EXEC_SUCCESS, {}, 0},
    {"exec-failure", SONDE_TAP_EXEC_FAILURE, {{0, SONDE_ARG_EXEC_FAILURE_ERROR}}, 1},
    {"exit", SONDE_TAP_EXIT, {{0, SONDE_ARG_EXIT_REASON}}, 1},
    {"lwp-create",
     SONDE_TAP_LWP_CREATE,
     {{0, SONDE_ARG_LWP_CREATE_CHILD, "struct __new_thread *", "lwpsinfo_t *"},
      {1, SONDE_ARG_LWP_CREATE_CHILD, "struct __process *", "psinfo_t *"}},
     2},
    {"lwp-start", SONDE_TAP_LWP_START, {}, 0},
    {"lwp-exit", SONDE_TAP_LWP_EXIT, {}, 0},
    {"signal-discard",
     SONDE_TAP_SIGNAL_DISCARD,
     {{0, SONDE_ARG_SIGNAL_DISCARD_RECEIVER_TID, "id_t", "lwpsinfo_t *"},
      {1, SONDE_ARG_SIGNAL_DISCARD_RECEIVER_PID, "pid_t", "psinfo_t *"},
      {2, SONDE_ARG_SIGNAL_DISCARD_NUMBER},
      kSiginfo},
     4},
    {"signal-handle",
     SONDE_TAP_SIGNAL_DELIVER,
     {{0, SONDE_ARG_SIGNAL_DELIVER_NUMBER},
      {1, SONDE_ARG_SIGINFO_NUMBER, "struct __siginfo *", "siginfo_t *"},
      {2, SONDE_ARG_SIGNAL_DELIVER_HANDLER}},
     3},
    {"signal-send",
     SONDE_TAP_SIGNAL_SEND,
     {{0, SONDE_ARG_SIGNAL_SEND_RECEIVER_TID, "id_t", "lwpsinfo_t *"},
      {1, SONDE_ARG_SIGNAL_SEND_RECEIVER_PID, "pid_t", "psinfo_t *"},
      {2, SONDE_ARG_SIGNAL_SEND_NUMBER},
      kSiginfo},
     4},
};

constexpr RefusedProbe kRefused[] = {
    {"fault",
     "proc:::fault is not available: no event source reports faults of the machine; trace the signal that follows: "
     "signal:::deliver"},
    {"signal-clear", "proc:::signal-clear is not available: no event source reports when sigwait() accepts a signal"},
};

EventProvider g_proc{"proc", kProbes, kRefused};

}  // namespace
}  // namespace sonde

extern "C" int sonde_proc_register(void) { return sonde::register_event_provider(sonde::g_proc); }
extern "C" void sonde_proc_unregister(void) { dtrace_unregister(sonde::g_proc.id); }
