// SPDX-License-Identifier: GPL-3.0-or-later
// What the utrace core knows of one thread and of one engine
//
// A thread is in one of five lives:
//
//   Starting --first stop--> Stopped <--event / continue--> Running --wait status--> Dead --> Reaped
//                               ^  |
//                               |  +--LISTEN--> Listening   (job control has stopped it)
//                               +-----SIGCONT or INTERRUPT----+
//
// Only a Stopped thread may be looked at or written to. It stays Stopped for as long as some engine's
// last choice is UTRACE_STOP ("held"); nobody but Core::proceed() makes it run. SIGKILL may take
// a thread out of Stopped at any moment: the next ptrace call then fails with ESRCH, the thread counts
// as Running again, and its wait status tells the rest.
//
// `in_syscall` is true from an entry that was seen until its exit has been seen or is known not to stop.
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
  int references = 0;           ///< the callers', and one of the attachment
  int reporting = 0;            ///< callbacks in progress (more than one only when nested)
  bool leaving = false;         ///< DETACH asked while a callback was in progress
  bool controlled = false;      ///< control() spoke while a callback was in progress
  uint32_t choice = UTRACE_RESUME;
  bool narrow_entries = false;
  bool narrow_exits = false;
  utrace_syscall_set entries;
  utrace_syscall_set exits;
};

/// A signal that was sent again by us: recognised when it comes round, and given its own siginfo.
struct Redelivery {
  siginfo_t info;
  bool silent;  ///< already judged by the engines
};

/// The return of a call that a signal has interrupted: with EINTR, or the call is made again. The kernel decides at the signal's
/// delivery:
///
///   exit stop, -512..-516 --> kept --signal with a handler--> EINTR, or made again (SA_RESTART, -513)
///                                   |
///                                   +----no such signal: the next stop is the entry of the call made again
struct KeptReturn {
  machine::Registers registers;
  int64_t number;
  uint64_t when;                ///< CLOCK_MONOTONIC, ns
  bool handler_begins = false;  ///< -512, and a handler is about to run: its frame tells
};

struct utrace_task {
  Core* core = nullptr;
  pid_t tid = 0;
  pid_t pid = 0;
  Life life = Life::Starting;
  Stop stop = Stop::None;

  bool own_child = false;  ///< spawn() made it: our wait() reaps it
  bool adopted = false;    ///< its parent has not told of it yet
  bool caretaken = false;  ///< let go for good, but its filter needs a tracer
  bool detaching = false;  ///< let go at its next stop: it is being interrupted for that
  bool host_hold = false;  ///< spawn() holds it after its exec
  bool in_syscall = false;
  bool syscall_known = false;  ///< in_syscall can be trusted
  bool full = false;           ///< an engine wants calls that only PTRACE_SYSCALL shows
  bool running_full = false;   ///< it was last continued with PTRACE_SYSCALL
  bool aborted = false;        ///< its call is not made: its registers hide hidden_number
  bool report_at_exit = false;
  bool report_wanted = false;  ///< report_quiesce(0) is due at the next stop
  bool repeat = false;         ///< REPORT or INTERRUPT came while held
  bool job_stopped = false;
  bool keep_eintr = false;   ///< job control has stopped it: a call that this ended gives EINTR, as it does untraced
  bool interrupted = false;  ///< PTRACE_INTERRUPT was sent, and no EVENT_STOP has answered it
  bool hurried = false;      ///< the call it enters begins as if a signal were there: its exit must be looked at
  bool anew = false;         ///< its call is undone at the entry: the exit stop that follows is nobody's
  bool lingering = false;    ///< let go, and not interrupted for it: it goes at a stop of its own, or with this process
  uint64_t caught = 0;       ///< a breakpoint stands here, behind the call it sleeps in
  bool wanted = false;       ///< on Core's list of running threads that are to stop
  std::chrono::steady_clock::time_point wanted_until{};  ///< then it is interrupted
  bool cut = false;     ///< its call has returned with less than asked for: whose doing it was, the next stop tells
  bool mends = false;   ///< at its last stop its call was told to restart in place of EINTR
  uint8_t mended = 0;   ///< times in a row that its call has returned EINTR and was made again
  bool killed = false;  ///< SIGKILL has it: nothing holds it any more
  bool exit_reported = false;
  bool in_death = false;     ///< report_death is being made
  bool queued = false;       ///< on Core's list of threads to look at
  bool stepped = false;      ///< the last continue was a step
  bool handler_due = false;  ///< the next trap is at a handler's first instruction
  bool hide_exec_return = false;

  int inject = 0;       ///< signal that the next continue passes on
  int dispatching = 0;  ///< depth of callbacks in progress
  int64_t number = -1;  ///< system call it is in, as utrace_call has it
  int64_t hidden_number = -1;
  uint64_t returned_at = 0;  ///< of the return that is being reported, where that is late
  std::optional<KeptReturn> kept;
  uint32_t events = 0;  ///< union of the engines'
  uint32_t syscall_action = 0;
  uint32_t signal_action = 0;
  uint64_t stops = 0;
  utrace_syscall_set entries;  ///< union of the engines'
  utrace_syscall_set exits;
  std::shared_ptr<const utrace_syscall_set> filter;  ///< null: not filtered

  std::vector<Engine*> engines;  ///< in order of attachment; null: left during a callback
  bool registers_valid = false;
  machine::Registers registers{};
  machine::Registers registers_read{};
  siginfo_t info{};  ///< of the signal being reported
  std::vector<Redelivery> redeliveries;
  int restore_signal = 0;  ///< put back the disposition of this signal once its handler has begun
  uint64_t restore_action[4] = {};
  uint64_t start_time = 0;  ///< to tell a zombie from a later owner of its number
  bool wants_entry(int64_t call) const {
    return (events & UTRACE_EVENT_SYSCALL_ENTRY) && entries.has(static_cast<uint32_t>(call));
  }
  bool wants_exit(int64_t call) const {
    return (events & UTRACE_EVENT_SYSCALL_EXIT) && exits.has(static_cast<uint32_t>(call));
  }
};

}  // namespace sonde
