// SPDX-License-Identifier: GPL-3.0-or-later
// What the utrace core knows about a thread, and about an engine
//
// A thread is in one of six states:
//
//   Starting --first stop--> Stopped <--event / continue--> Running --wait status--> Dead --> Reaped
//                               ^  |
//                               |  +--LISTEN--> Listening   (job control has stopped it)
//                               +-----SIGCONT or INTERRUPT----+
//
// Only a Stopped thread can be read or written. It stays Stopped as long as the last choice of some engine is
// UTRACE_STOP ("held"); only Core::proceed() makes it run. SIGKILL may take a thread out of Stopped at any moment: the
// next ptrace call then fails with ESRCH, the thread counts as Running again, and its wait status has the reason.
//
// `in_syscall` is true from an entry stop until the exit stop, or until it is known that there will be none.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/utrace/utrace.h"

namespace sonde {

class Core;

enum class Life : uint8_t { Starting, Running, Stopped, Listening, Dead, Reaped };

/// Which ptrace-stop a Stopped thread is in.
enum class Stop : uint8_t { None, Birth, Interrupt, Group, Signal, Handler, Entry, Exit, Clone, Exec, Death, Other };

struct Engine : utrace_engine {
  utrace_task* task = nullptr;  ///< null once detached
  int references = 0;           ///< those of callers, and one for the attachment
  int reporting = 0;            ///< callbacks in progress (more than one only when nested)
  bool leaving = false;         ///< DETACH was requested while a callback was in progress
  bool controlled = false;      ///< control() was called while a callback was in progress
  uint32_t choice = UTRACE_RESUME;
  bool narrow_entries = false;
  bool narrow_exits = false;
  utrace_syscall_set entries;
  utrace_syscall_set exits;
};

/// A signal that we have sent again: recognised when it arrives, and given its own siginfo.
struct Redelivery {
  siginfo_t info;
  siginfo_t sent;  ///< what it arrives with
  bool silent;     ///< the engines have already judged it
};

/// The return of a call that a signal has interrupted. It returns EINTR, or the call is repeated; the kernel decides
/// when it delivers the signal:
///
///   exit stop, -512..-516 --> kept --signal with a handler--> EINTR, or repeated (SA_RESTART, -513)
///                                   |
///                                   +----no such signal: the next stop is the entry of the repeated call
struct KeptReturn {
  machine::Registers registers;
  int64_t number;
  uint64_t when;                ///< CLOCK_MONOTONIC, ns
  bool handler_begins = false;  ///< -512, and a handler is about to run: its frame shows the result
};

/// A call of clone or clone3 that we have changed; the registers and memory from before, which are put back at its end.
struct ChangedClone {
  uint64_t argument = 0;  ///< the first one
  uint64_t place = 0;     ///< of our copy of clone3's structure; 0: none
  std::vector<uint8_t> kept;
};

struct utrace_task {
  Core* core = nullptr;
  pid_t tid = 0;
  pid_t pid = 0;
  Life life = Life::Starting;
  Stop stop = Stop::None;

  bool own_child = false;  ///< spawn() made it: our wait() reaps it
  bool adopted = false;    ///< its parent has not reported it yet
  bool caretaken = false;  ///< we are done with it, but its filter needs a tracer
  bool detaching = false;  ///< it was interrupted in order to detach it at its next stop
  bool host_hold = false;  ///< spawn() holds it after its exec
  bool in_syscall = false;
  bool syscall_known = false;  ///< in_syscall can be trusted
  bool full = false;           ///< an engine wants calls that only PTRACE_SYSCALL shows
  bool running_full = false;   ///< it was last continued with PTRACE_SYSCALL
  bool own_filter = false;     ///< a seccomp filter that is not ours may judge its calls
  bool goes_strict = false;    ///< its call asks for SECCOMP_MODE_STRICT, which we carry out at its exit
  bool aborted = false;        ///< its call is not made: hidden_number has the number that the registers do not show
  bool report_at_exit = false;
  bool report_wanted = false;  ///< report_quiesce(0) must be called at the next stop
  bool repeat = false;         ///< REPORT or INTERRUPT came while held
  bool job_stopped = false;
  bool keep_eintr = false;   ///< job control has stopped it: a call that this ended returns EINTR, as it does untraced
  bool interrupted = false;  ///< PTRACE_INTERRUPT was sent, and its EVENT_STOP has not come yet
  bool hurried = false;      ///< its call begins as if a signal were pending: the exit must be checked
  bool anew = false;         ///< its call was undone at the entry: the exit stop that follows is not reported
  bool lingering =
      false;  ///< let go without an interrupt: it is detached at its next own stop, or with this process's end
  uint64_t caught = 0;  ///< address of a breakpoint behind the call that it sleeps in; 0: none
  bool wanted = false;  ///< on Core's list of running threads that must stop
  std::chrono::steady_clock::time_point wanted_until{};  ///< when this has passed it is interrupted
  bool cut = false;     ///< its call has returned less than it was asked for: the next stop shows why
  bool mends = false;   ///< at its last stop its call was made to restart instead of returning EINTR
  uint8_t mended = 0;   ///< how many times in a row its call has returned EINTR and was repeated
  bool killed = false;  ///< SIGKILL is ending it: nothing can hold it any more
  bool exit_reported = false;
  bool in_death = false;     ///< report_death is in progress
  bool queued = false;       ///< on Core's list of threads to handle
  bool stepped = false;      ///< the last continue was a step
  bool handler_due = false;  ///< the next trap is at a handler's first instruction
  bool hide_exec_return = false;

  int inject = 0;       ///< signal to deliver with the next continue
  int dispatching = 0;  ///< depth of callbacks in progress
  int64_t number = -1;  ///< number of the system call that it is in, as in utrace_call
  int64_t hidden_number = -1;
  uint64_t returned_at = 0;  ///< time of the return that is being reported, if it is reported late
  std::optional<KeptReturn> kept;
  std::optional<ChangedClone> clone;
  uint8_t watches_clone = 0;  ///< so many calls may still come before the clone at whose entry it must stop
  bool hides = false;   ///< it was made to be hidden from tracers: its calls are watched for an attempt to trace us
  uint32_t events = 0;  ///< union over the engines
  uint32_t syscall_action = 0;
  uint32_t signal_action = 0;
  uint64_t stops = 0;
  utrace_syscall_set entries;  ///< union over the engines
  utrace_syscall_set exits;
  std::shared_ptr<const utrace_syscall_set> filter;  ///< null: not filtered

  std::vector<Engine*> engines;  ///< in order of attachment; null: detached during a callback
  bool registers_valid = false;
  machine::Registers registers{};
  machine::Registers registers_read{};
  siginfo_t info{};  ///< of the signal being reported
  std::vector<Redelivery> redeliveries;
  int restore_signal = 0;  ///< restore this signal's disposition when its handler has begun
  uint64_t restore_action[4] = {};
  uint64_t start_time = 0;  ///< distinguishes a zombie from the next owner of its id
  bool wants_entry(int64_t call) const { return (events & UTRACE_EVENT_SYSCALL_ENTRY) && entries.has(call); }
  bool wants_exit(int64_t call) const { return (events & UTRACE_EVENT_SYSCALL_EXIT) && exits.has(call); }
};

}  // namespace sonde
