// SPDX-License-Identifier: GPL-3.0-or-later
// Signals: what would happen, what the engines want, and how to make it happen
//
// In a signal-delivery-stop ptrace can deliver this signal, another one or none. Everything else is done by system
// calls that the thread itself makes: a default action for a handled signal, another handler for one delivery. Such a
// call ends the signal-delivery-stop, so the signal is then sent again, recognised when it comes, and given its own
// siginfo. It is recognised by its value: in another pid namespace than ours the kernel clears the sender's pid.
//
// The kernel does not show a tracer the address of a handler: orig_ka is SIG_DFL, SIG_IGN or kHandlerUnknown.
#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "runtime/utrace/arch.h"
#include "runtime/utrace/core.h"
#include "runtime/utrace/thread_status.h"

namespace sonde {
namespace {

__sighandler_t handler_of(const Disposition& now) {
  return now.caught ? kHandlerUnknown : now.ignored ? SIG_IGN : SIG_DFL;
}

uint32_t default_action(int signal) {
  switch (signal) {
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH: return UTRACE_SIGNAL_IGN;
    case SIGSTOP: return UTRACE_SIGNAL_STOP;
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU: return UTRACE_SIGNAL_TSTP;
    case SIGQUIT:
    case SIGILL:
    case SIGTRAP:
    case SIGABRT:
    case SIGBUS:
    case SIGFPE:
    case SIGSEGV:
    case SIGXCPU:
    case SIGXFSZ:
    case SIGSYS: return UTRACE_SIGNAL_CORE;
    default: return UTRACE_SIGNAL_TERM;
  }
}

uint32_t event_of(uint32_t action) {
  switch (action) {
    case UTRACE_SIGNAL_IGN: return UTRACE_EVENT_SIGNAL_IGN;
    case UTRACE_SIGNAL_STOP:
    case UTRACE_SIGNAL_TSTP: return UTRACE_EVENT_SIGNAL_STOP;
    case UTRACE_SIGNAL_TERM: return UTRACE_EVENT_SIGNAL_TERM;
    case UTRACE_SIGNAL_CORE: return UTRACE_EVENT_SIGNAL_CORE;
    default: return UTRACE_EVENT_SIGNAL;
  }
}

/// In the values of signals that are sent again; no pointer looks like it.
constexpr uint64_t kResent = uint64_t{0x50de} << 48;

bool same_action(const struct sigaction& a, const struct sigaction& b) {
  return a.sa_handler == b.sa_handler && a.sa_flags == b.sa_flags && std::memcmp(&a.sa_mask, &b.sa_mask, 8) == 0;
}

/// Makes the thread call rt_sigaction; `wanted` and `old` are in the kernel's layout.
long change_action(Core& core, utrace_task& task, int signal, const uint64_t* wanted, uint64_t* old) {
  if (!core.load_registers(task)) return -ESRCH;
  uint64_t place = machine::unused_stack(task.registers), kept[8];
  if (int error = utrace_read_memory(&task, place, kept, sizeof kept)) return error;
  if (wanted && utrace_write_memory(&task, place, wanted, 32) != 0) return -EFAULT;
  long result =
      core.run_call(task, machine::kSigactionCall,
                    {static_cast<uint64_t>(signal), wanted ? place : 0, place + 32, machine::kSigsetBytes, 0, 0});
  if (result == 0 && old) utrace_read_memory(&task, place + 32, old, 32);
  utrace_write_memory(&task, place, kept, sizeof kept);
  return result;
}

}  // namespace

__sighandler_t utrace_handler(const utrace_task* task, int signal) {
  return handler_of(read_disposition(task->tid, signal));
}

/// Whether it is a job control signal, and not caught or ignored.
bool Core::stops_process(const utrace_task& task, int signal) const {
  uint32_t action = default_action(signal);
  if (action == UTRACE_SIGNAL_STOP) return true;
  if (action != UTRACE_SIGNAL_TSTP) return false;
  Disposition now = read_disposition(task.tid, signal);
  return !now.caught && !now.ignored;
}

bool Core::runs_handler(const utrace_task& task, int signal) const { return read_disposition(task.tid, signal).caught; }

void Core::on_signal(utrace_task& task, int signal) {
  task.stop = Stop::Signal;
  task.inject = signal;
  bool handler_due = task.handler_due;
  task.handler_due = false;
  if (signal == SIGTRAP && handler_due) {
    siginfo_t info{};
    if (request(PTRACE_GETSIGINFO, task, nullptr, &info) == 0 && info.si_code == SIGTRAP) {
      task.stop = Stop::Handler;
      task.inject = 0;
      for (Engine* engine : task.engines)
        if (engine && (engine->choice == UTRACE_SINGLESTEP || engine->choice == UTRACE_BLOCKSTEP))
          engine->choice = UTRACE_RESUME;
      restore_handler(task);
      task.report_wanted = false;
      signal_report(task, UTRACE_SIGNAL_HANDLER);
      return finish(task);
    }
  }
  if (signal == SIGCHLD) see_hidden_child(task);
  if (task.redeliveries.empty() && !(task.events & (UTRACE_EVENT_SIGNAL_ALL | UTRACE_EVENT_QUIESCE)))
    return finish(task);
  if (request(PTRACE_GETSIGINFO, task, nullptr, &task.info) != 0) return finish(task);
  bool resent = false;
  for (size_t i = 0; i < task.redeliveries.size(); ++i) {
    Redelivery& again = task.redeliveries[i];
    if (again.info.si_signo != signal || task.info.si_code != again.sent.si_code ||
        task.info.si_value.sival_ptr != again.sent.si_value.sival_ptr)
      continue;
    task.info = again.info;
    bool silent = again.silent;
    task.redeliveries.erase(task.redeliveries.begin() + static_cast<long>(i));
    request(PTRACE_SETSIGINFO, task, nullptr, &task.info);
    if (silent) {
      // The handler that was set for one delivery has begun: restore the program's.
      if (task.restore_signal == signal) {
        task.handler_due = true;
        send_interrupt(task);
      }
      return finish(task);
    }
    resent = true;
    break;
  }
  // A standard signal is pending only once in a thread, and a thread's own come before the process's. So if this one is not
  // ours, ours has been merged with it.
  if (!resent && signal < SIGRTMIN)
    std::erase_if(task.redeliveries, [signal](const Redelivery& lost) { return lost.info.si_signo == signal; });
  struct sigaction orig {};
  uint32_t action = UTRACE_SIGNAL_CORE;
  // The kernel's own SIGTRAPs, of breakpoints and steps, are frequent and go to the engine that caused them: no
  // disposition is read.
  if (signal != SIGTRAP || task.info.si_code <= 0) {
    Disposition now = read_disposition(task.tid, signal);
    action = now.caught ? UTRACE_SIGNAL_DELIVER : now.ignored ? UTRACE_SIGNAL_IGN : default_action(signal);
    orig.sa_handler = handler_of(now);
  }
  report_signal(task, action, event_of(action), &orig);
  finish(task);
}

/// Carries out the engines' final decision on task.info.
void Core::apply_signal(utrace_task& task, uint32_t initial, const struct sigaction& before,
                        const struct sigaction& after) {
  uint32_t action = task.signal_action & UTRACE_SIGNAL_MASK;
  int arrived = task.inject, signal = task.info.si_signo;
  if (task.signal_action & UTRACE_SIGNAL_HOLD) {
    send_again(task, task.info, false);
    task.inject = 0;
    return;
  }
  if (signal <= 0 || signal > SIGRTMAX) action = UTRACE_SIGNAL_IGN;
  switch (action) {
    case UTRACE_SIGNAL_IGN:
    case UTRACE_SIGNAL_REPORT:
    case UTRACE_SIGNAL_HANDLER:
      // An ignored signal is delivered all the same, for the kernel to ignore: only the kernel knows whether sigwait()
      // wants it.
      task.inject = action == UTRACE_SIGNAL_IGN && initial == UTRACE_SIGNAL_IGN && signal == arrived ? signal : 0;
      return;
    case UTRACE_SIGNAL_STOP: task.inject = SIGSTOP; return;
    case UTRACE_SIGNAL_TSTP:
      task.inject = signal == arrived && initial == UTRACE_SIGNAL_TSTP ? signal
                    : read_disposition(task.tid, SIGTSTP).caught       ? SIGSTOP
                                                                       : SIGTSTP;
      return;
    case UTRACE_SIGNAL_TERM:
    case UTRACE_SIGNAL_CORE: {
      if (action == initial && signal == arrived) break;
      uint32_t natural = default_action(signal);
      if (natural != UTRACE_SIGNAL_TERM && natural != UTRACE_SIGNAL_CORE) {
        task.inject = SIGKILL;
        return;
      }
      if (action == UTRACE_SIGNAL_TERM && natural == UTRACE_SIGNAL_CORE) {
        rlimit none{0, 0};
        prlimit(task.pid, RLIMIT_CORE, &none, nullptr);
      }
      Disposition now = read_disposition(task.tid, signal);
      if (now.caught || now.ignored) {
        uint64_t standard[4] = {};
        siginfo_t info = task.info;
        if (change_action(*this, task, signal, standard, nullptr) != 0) {
          task.inject = SIGKILL;
          return;
        }
        send_again(task, info, true);
        task.inject = 0;
        return;
      }
      break;
    }
    case UTRACE_SIGNAL_DELIVER:
      if (!same_action(before, after) && after.sa_handler != kHandlerUnknown) {
        uint64_t wanted[4] = {reinterpret_cast<uint64_t>(after.sa_handler), static_cast<uint64_t>(after.sa_flags), 0,
                              0};
        std::memcpy(&wanted[3], &after.sa_mask, sizeof wanted[3]);
        siginfo_t info = task.info;
        uint64_t old[4] = {};
        if (change_action(*this, task, signal, nullptr, old) != 0) break;
        // A handler without a restorer cannot return; the handler that is in force has the C library's.
        wanted[1] |= 0x04000000;
        wanted[2] = old[2];
        if (!wanted[2] && wanted[0] > 1) wanted[2] = find_restorer(task);
        if (wanted[0] > 1 && !wanted[2]) break;
        if (change_action(*this, task, signal, wanted, old) != 0) break;
        std::memcpy(task.restore_action, old, sizeof old);
        task.restore_signal = signal;
        send_again(task, info, true);
        task.inject = 0;
        return;
      }
      break;
  }
  task.inject = signal;
  request(PTRACE_SETSIGINFO, task, nullptr, &task.info);
  bool report = task.report_wanted;
  for (Engine* engine : task.engines)
    report = report || (engine && engine->choice > UTRACE_STOP && engine->choice < UTRACE_RESUME);
  if (report && read_disposition(task.tid, signal).caught) task.handler_due = true;
}

/// Finds a restorer that the process uses for another signal.
uint64_t Core::find_restorer(utrace_task& task) {
  for (int signal = 1; signal < SIGRTMAX; ++signal) {
    uint64_t action[4] = {};
    if (!read_disposition(task.tid, signal).caught) continue;
    if (change_action(*this, task, signal, nullptr, action) == 0 && action[2]) return action[2];
  }
  return 0;
}

int Core::send_again(utrace_task& task, const siginfo_t& info, bool silent) {
  static uint64_t number = 0;
  siginfo_t sent = info;
  // The kernel lets nobody claim the codes of others' kill() and of its own signals. A queued signal keeps its value, for
  // sigwait(), which makes no stop; every other gets one of ours.
  if (info.si_code >= 0 || info.si_code == SI_TKILL) {
    sent = {};
    sent.si_signo = info.si_signo;
    sent.si_code = SI_QUEUE;
    sent.si_pid = getpid();
    sent.si_uid = getuid();
    sent.si_value.sival_ptr = reinterpret_cast<void*>(kResent | number++);
  }
  task.redeliveries.push_back({info, sent, silent});
  if (syscall(SYS_rt_tgsigqueueinfo, task.pid, task.tid, info.si_signo, &sent) == 0) return 0;
  task.redeliveries.pop_back();
  return -errno;
}

int utrace_queue_signal(utrace_task* task, const siginfo_t& info) { return task->core->send_again(*task, info, false); }

void Core::restore_handler(utrace_task& task) {
  if (!task.restore_signal) return;
  int signal = task.restore_signal;
  task.restore_signal = 0;
  change_action(*this, task, signal, task.restore_action, nullptr);
}

}  // namespace sonde
