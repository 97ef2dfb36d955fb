// SPDX-License-Identifier: GPL-3.0-or-later
// The utrace API in user space, over ptrace
//
// The kernel API's names and types, with struct utrace_task * for a thread. One UtraceHost makes every ptrace call and
// wait. All of this API is called from its thread, inside a callback or between two turns of its loop, unless a comment
// says otherwise. Errors are negative errno values, as in the kernel.
//
// Where ptrace cannot do what the kernel's utrace does, the API does this instead:
// - STOP and REPORT by control() do not wake a thread that sleeps in a call, if catch_asleep is set; INTERRUPT does. A
//   call never returns EINTR because of that: it is repeated, some with their whole time-out. A short count is not
//   repaired.
// - report_exit: *code cannot be changed there. Change the argument at the entry of exit or exit_group, or the signal.
// - report_signal: orig_ka is SIG_DFL, SIG_IGN or kHandlerUnknown. The kernel's own SIGTRAPs come as UTRACE_SIGNAL_CORE
//   whatever their disposition, which takes effect when they are delivered; utrace_handler() returns it.
// - Another return_ka, TERM and CORE for a handled signal run rt_sigaction in the thread (64-bit code only). TERM for a
//   signal that by default kills nobody, or if no call can be run: SIGKILL. TERM for a core signal sets the core limit
//   to 0.
// - STOP and TSTP: the parent sees SIGSTOP or SIGTSTP. HOLD: the signal loses its place in the queue.
// - SIGNAL_REPORT goes to engines with report_signal and no report_quiesce; the others get report_quiesce(0).
//   SIGNAL_HANDLER is reported if an engine has asked for a report, or steps: for report_signal alone it would cost a
//   stop per signal.
// - A single step over a system call instruction skips that call's reports, except entries that a filter stops.
// - A new thread's return from its own clone is reported at its first stop, after a report_quiesce(0) that was asked
//   for.
// - An interrupted call is reported when it is known what the program gets (see utrace_call), with the registers of its
//   return; changes that an engine makes to them are lost.
// - CLONE_UNTRACED is taken out of a clone or clone3 at whose entry the thread stops, which in filtered programs is
//   always. Without that the child would have breakpoints and a filter, and no tracer.
// - A thread of a filtered program that installs a seccomp filter of its own stops at all calls from then on: its
//   filter's refusals would come before our filter's stops.
// - report_reap of another program's child comes when /proc no longer shows the zombie: up to 200 ms late.
// - Exec by a thread: the old leader's code in report_exit is 0 when its exit stop was missed.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kmod/shared/utrace_actions.h"
#include "runtime/base/result.h"
#include "runtime/base/run_as.h"
#include "runtime/base/terminal_end.h"
#include "runtime/utrace/arch.h"
#include "runtime/utrace/call.h"

namespace sonde {

struct utrace_task;  // one traced thread; see the accessors below
struct utrace_engine;

/// orig_ka->sa_handler of a signal that has a handler: ptrace does not show its address. In return_ka it means that
/// handler.
inline const __sighandler_t kHandlerUnknown = reinterpret_cast<__sighandler_t>(2);

/// A thread's disposition of a signal: SIG_DFL (also when the thread is gone), SIG_IGN or kHandlerUnknown. Reads /proc.
__sighandler_t utrace_handler(const utrace_task* task, int signal);

/// What is known after an exec, in place of the kernel's binfmt and bprm.
struct utrace_exec {
  pid_t former_tid;  ///< the thread's id before the exec
};

struct utrace_engine_ops {
  uint32_t (*report_quiesce)(uint32_t action, utrace_engine*, utrace_task*, uint32_t event) = nullptr;
  uint32_t (*report_signal)(uint32_t action, utrace_engine*, utrace_task*, machine::Registers*, siginfo_t*,
                            const struct sigaction* orig_ka, struct sigaction* return_ka) = nullptr;
  uint32_t (*report_clone)(uint32_t action, utrace_engine*, utrace_task* parent, uint64_t clone_flags,
                           utrace_task* child) = nullptr;
  uint32_t (*report_jctl)(uint32_t action, utrace_engine*, utrace_task*, int type, int notify) = nullptr;
  uint32_t (*report_exec)(uint32_t action, utrace_engine*, utrace_task*, const utrace_exec*,
                          machine::Registers*) = nullptr;
  uint32_t (*report_syscall_entry)(uint32_t action, utrace_engine*, utrace_task*, machine::Registers*) = nullptr;
  uint32_t (*report_syscall_exit)(uint32_t action, utrace_engine*, utrace_task*, machine::Registers*) = nullptr;
  uint32_t (*report_exit)(uint32_t action, utrace_engine*, utrace_task*, long orig_code, long* code) = nullptr;
  uint32_t (*report_death)(utrace_engine*, utrace_task*, bool group_dead, int signal) = nullptr;
  void (*report_reap)(utrace_engine*, utrace_task*) = nullptr;
  void (*release)(void* data) = nullptr;
};

struct utrace_engine {
  const utrace_engine_ops* ops;
  void* data;
  uint32_t flags;  ///< events wanted; read only
};

/// The state that utrace_prepare_examine() notes.
struct utrace_examiner {
  uint64_t stops;
};

/// Finds (MATCH_*) or makes (CREATE) an engine. On success *engine holds a reference for the caller.
/// Errors: EEXIST exclusive and matched; ENOENT no CREATE and no match; ESRCH reaped;
/// EPERM tracing is not permitted, or another tracer has it.
int utrace_attach_task(utrace_task* task, uint32_t flags, const utrace_engine_ops* ops, void* data,
                       utrace_engine** engine);
void utrace_engine_get(utrace_engine* engine);
void utrace_engine_put(utrace_engine* engine);
/// Errors: EINPROGRESS events were removed while a callback of the engine runs, which may still act on them; EALREADY
/// the thread is dead, too late to change DEATH or QUIESCE; ESRCH detached.
int utrace_set_events(utrace_task* task, utrace_engine* engine, uint32_t events);
/// Errors: EINPROGRESS the thread has not stopped yet, or a callback of the engine that was detached is running;
/// EALREADY DETACH during report_death; ESRCH detached, or the thread is past its exit; EINVAL no such action.
int utrace_control(utrace_task* task, utrace_engine* engine, utrace_resume_action action);
/// Makes sure that no callback of `engine` is in progress. Errors: ESRCH fully detached; EINTR one is in progress
/// further out on the caller's own stack, so waiting would never end.
int utrace_barrier(utrace_task* task, utrace_engine* engine);
int utrace_prepare_examine(utrace_task* task, utrace_engine* engine, utrace_examiner* examiner);
int utrace_finish_examine(utrace_task* task, utrace_engine* engine, utrace_examiner* examiner);

pid_t utrace_task_tid(const utrace_task* task);
pid_t utrace_task_pid(const utrace_task* task);

/// For an engine with many events: the system calls that it wants reported, instead of all. `entries` and `exits` are
/// bitmaps by number. This only narrows what set_events asked for. null: all again.
struct utrace_syscall_set {
  static constexpr uint32_t kFar = 2 * kUtraceCompatCalls;  ///< stands for all far calls
  uint64_t bits[kFar / 64 + 1] = {};
  void add(uint32_t number) {
    number = std::min(number, kFar);
    bits[number / 64] |= uint64_t{1} << (number % 64);
  }
  /// Also true of -1, a call whose number is not known.
  bool has(int64_t number) const {
    const auto place = static_cast<uint32_t>(std::min<int64_t>(number, kFar));
    return number < 0 || (bits[place / 64] >> (place % 64) & 1) != 0;
  }
};
void utrace_narrow_syscalls(utrace_engine* engine, const utrace_syscall_set* entries, const utrace_syscall_set* exits);

/// The call that a thread is in, at the report of a call, clone, exec or exit.
utrace_call utrace_get_call(utrace_task* task);

/// Whether the thread is in a ptrace-stop, so its registers can be read.
bool utrace_task_stopped(const utrace_task* task);
/// Whether job control has stopped it (SIGSTOP and the like); it stays stopped until SIGCONT.
bool utrace_task_job_stopped(const utrace_task* task);
/// Whether it sleeps in a call and will be caught behind it: it does not run, and does not stop now.
bool utrace_task_caught(const utrace_task* task);
/// Runs a system call in a stopped thread, with every signal but SIGKILL blocked, and restores its registers.
/// A call that the thread is still in (at a clone or exec stop) ends without a report of its return.
/// Returns its result (negative errno, as the kernel's); -EINVAL at a system call entry; -ENOSYS if no system call can
/// be run (32-bit code, no system call instruction is found); -ESRCH. Context: a thread held by UTRACE_STOP, or a callback that is not for an
/// entry.
long utrace_run_syscall(utrace_task* task, long number, const uint64_t (&arguments)[6]);

/// The signal mask of a stopped thread, by bit (signal - 1). 0 or -errno.
int utrace_signal_mask(utrace_task* task, uint64_t* mask);
int utrace_set_signal_mask(utrace_task* task, uint64_t mask);
/// The system call at whose entry the thread is stopped is not made, and returns `result`. Errors: EINVAL it is not at
/// an entry; EPERM it has a seccomp filter of its own, which would judge the number -1 that stands for no call.
int utrace_skip_call(utrace_task* task, int64_t result);
/// Sends the thread a signal that arrives with exactly this siginfo, and is then reported. Returns 0 or -errno.
int utrace_queue_signal(utrace_task* task, const siginfo_t& info);

/// The thread is about to make a clone or clone3: it stops at the entry of the next one, so that CLONE_UNTRACED is taken
/// out. It also stops at the calls before that, a few at most.
void utrace_watch_clone(utrace_task* task);

/// Registers, memory and the like of a stopped thread. Changed registers are written back before it runs.
machine::Registers* utrace_registers(utrace_task* task);                               ///< null: the thread is gone
int utrace_read_memory(utrace_task* task, uint64_t address, void* to, size_t length);  ///< 0, -EFAULT, -ESRCH
int utrace_write_memory(utrace_task* task, uint64_t address, const void* from, size_t length);

struct utrace_spawn {
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  bool filter = false;  ///< with a seccomp filter that stops only `calls`
  std::vector<uint32_t> calls;
  bool shows_exec = false;  ///< the return of its exec is reported
  std::optional<RunAs> user = {};
  std::optional<TerminalEnd> terminal = {};
  /// Asked while the program's exec goes on, which may wait for the server of its file for ever: whether nobody needs it any more.
  std::function<bool()> give_up = {};
};

/// Where a thread sleeps.
struct Sleep {
  int64_t call = -1;  ///< number of the system call; -1: it sleeps in none
  uint64_t sp = 0;
  uint64_t pc = 0;  ///< of the instruction behind the system call
  bool operator==(const Sleep&) const = default;
};

/// The owner of ptrace for a thread: attaches, starts, waits, dispatches. Each thread has its own, since only the
/// thread that traces a thread can use it.
///
/// - It reaps every child of this thread (waitpid(-1, __WNOTHREAD)), reads SIGCHLD, and blocks it for its own lifetime.
///   All other threads must block it, too, or the kernel may let one of them discard it. Make the host before any
///   signal disposition is changed: spawned programs get the dispositions of that moment.
/// - spawn(): on_new_task is called at the exec's stop; attach engines there or after the return; then
///   release_spawned().
/// - seize(): threads run on. To hold them, call utrace_control(STOP) in on_new_task; a thread has stopped when a
///   second STOP returns 0, or when report_quiesce is called.
/// - control(), release_spawned() and detach take effect at the next turn() or wait().
/// - A thread whose engines want no system calls does not stop for them. In a filtered process an engine must narrow
///   its sets to the filter's calls, or every call stops twice.
/// - In report_exit and report_death utrace_registers() may return null: SIGKILL skips the exit stop.
/// - The destructor detaches what can be detached, and then blocks until the last filtered process has ended.
class UtraceHost {
 public:
  UtraceHost();
  ~UtraceHost();  ///< lets every thread go
  UtraceHost(const UtraceHost&) = delete;
  UtraceHost& operator=(const UtraceHost&) = delete;

  /// Starts a program, stopped after its exec (held by a STOP of `holder`'s until utrace_control). Returns its first
  /// thread.
  /// Errors: those of execve.
  Result<utrace_task*> spawn(const utrace_spawn& what);
  /// Seizes every thread of `pid`, until no new one appears.
  /// Errors: ESRCH, EPERM with a hint what to do (owner, Yama, another tracer).
  Result<std::vector<utrace_task*>> seize(pid_t pid);
  utrace_task* find(pid_t tid);
  std::vector<utrace_task*> tasks(pid_t pid = 0);  ///< of one process, or all
  /// Called for every thread that begins to be traced (children included, before they run). It may attach engines.
  std::function<void(utrace_task*, utrace_task* parent, uint64_t clone_flags)> on_new_task;
  /// Lets every thread of `pid` go for good. A filtered thread cannot be detached: it stays traced, and its calls pass.
  void detach_process(pid_t pid);
  /// The same without causing a stop: threads that are stopped go now, all others at their next own stop, or when this
  /// process ends. Until then they stay seized. There must be no breakpoints of ours any more.
  void leave_process(pid_t pid);
  /// Interrupts the threads that were left and have not stopped since, so that they can be detached. Returns how many
  /// processes could not be: those that are in a call which an interrupt would cut short, and those that do not stop.
  size_t hasten(int patience_ms);
  /// Called for a thread that must stop, not by UTRACE_INTERRUPT, and sleeps in a system call: an interrupt could
  /// change the call's result. Sets a breakpoint behind the call. False: it cannot, and the thread is interrupted.
  /// Without this hook every thread is interrupted.
  std::function<bool(utrace_task*, const Sleep& sleep)> catch_asleep;
  /// The breakpoint is not needed any more: the thread did not sleep there after all, or has stopped before it.
  std::function<void(utrace_task*)> forget_asleep;
  /// Called with a sentence for the user about something that could not be done as it would be untraced.
  std::function<void(const std::string&)> on_notice;
  /// Called at the entry of a call that sets the action of SIGTRAP, if the thread stops there: it does under a filter of
  /// ours, and where all calls stop. `handler`: an address, SIG_DFL or SIG_IGN.
  std::function<void(utrace_task*, uint64_t handler)> on_trap_action;
  /// Called when a thread gets the news that a SIGTRAP has killed a child of its process which we do not trace.
  std::function<void(utrace_task*, pid_t child)> on_trapped_child;
  /// Whether some traced thread needs us: one that was not left, or a filtered one.
  bool needed() const;
  bool filtered(pid_t pid) const;
  /// Ends the hold that spawn() put on a new program; engines' STOPs still count. The execve of the spawn is not
  /// reported, neither as report_exec nor as a system call: the first event is the program's own.
  void release_spawned(pid_t pid);

  /// One turn: handles everything that is waiting. Never blocks.
  void turn();
  /// Blocks until a traced thread has an event, one of `fds` is readable or `timeout_ms` has passed; then calls turn().
  /// Returns the readable fds.
  std::vector<int> wait(std::span<const int> fds, int timeout_ms);
  /// Makes turns until every thread that must stop has stopped or is caught behind its call; at most for `patience_ms`.
  void settle(int patience_ms);
  size_t task_count() const;
  uint64_t stops() const;
  /// Time that wait() spent polling for a stop instead of sleeping.
  std::chrono::nanoseconds looking() const;
  /// The number of system calls that our interrupts have ended with a short count, as far as we can detect.
  uint64_t cut_short() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sonde
