// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/sigtrap.h"

#include <sys/syscall.h>

#include <bit>
#include <cstdlib>
#include <utility>

#include "runtime/base/procfs.h"
#include "runtime/base/signal_bit.h"
#include "runtime/guard/dif_env.h"
#include "runtime/guard/go_table.h"
#include "runtime/utrace/thread_status.h"

namespace sonde::guard {
namespace {

/// What a mask that blocks everything may still lack: signals that cannot be blocked, and those of the C library.
constexpr uint64_t kUnblockable =
    signal_bit(SIGKILL) | signal_bit(SIGSTOP) | signal_bit(32) | signal_bit(33) | signal_bit(SIGTRAP);
constexpr uint64_t kIgnore = 1;

/// In the layout of rt_sigaction(2).
struct KernelAction {
  uint64_t handler, flags, restorer, mask;
};

/// Makes the thread call rt_sigaction(SIGTRAP). The arguments are placed below its stack's red zone for that time.
long change_action(Thread& thread, const KernelAction* wanted, KernelAction* old) {
  const machine::Registers* regs = utrace_registers(thread.task);
  if (regs == nullptr) return -ESRCH;
  const uint64_t place = machine::unused_stack(*regs);
  KernelAction kept[2], pair[2] = {wanted != nullptr ? *wanted : KernelAction{}, {}};
  if (!read_target(thread, place, kept, sizeof kept) || !write_target(thread, place, pair, sizeof pair)) return -EFAULT;
  const uint64_t arguments[6] = {SIGTRAP, wanted != nullptr ? place : 0, place + sizeof *wanted, sizeof(uint64_t), 0,
                                 0};
  const long result = utrace_run_syscall(thread.task, SYS_rt_sigaction, arguments);
  if (result == 0) read_target(thread, place + sizeof *old, old, sizeof *old);
  write_target(thread, place, kept, sizeof kept);
  return result;
}

/// Whether its process has a handler of SIGTRAP. Half the cost of read_status().
bool catches_trap(pid_t tid) {
  constexpr int kCaughtSignals = 34;
  char text[1024];
  const char* caught = read_proc((proc_folder(tid) + "/stat").c_str(), text, sizeof text) > 0
                           ? stat_field(text, kCaughtSignals)
                           : nullptr;
  return caught == nullptr || (std::strtoull(caught, nullptr, 10) & signal_bit(SIGTRAP)) != 0;
}

}  // namespace

bool Sigtrap::is_caught(const Process& process) { return process.trap_handler > kIgnore; }

void Sigtrap::adopt(Thread& thread, const Thread* parent) {
  ThreadStatus status;
  if (parent != nullptr) {
    thread.trap_mask = parent->trap_mask;
    if (thread.process->trap_handler == 0) thread.process->trap_handler = parent->process->trap_handler;
  } else if (read_status(thread.tid, &status)) {
    if (status.blocked & signal_bit(SIGTRAP)) thread.trap_mask = status.blocked & ~signal_bit(SIGTRAP);
    if (status.ignored & signal_bit(SIGTRAP)) thread.process->trap_handler = kIgnore;
  }
}

void Sigtrap::exec(Thread& thread) {
  thread.process->trap_handler = 0;
  thread.process->of_go.reset();
  thread.trap_mask.reset();
  adopt(thread, nullptr);
}

/// Notes the current action, which a later trap could reset. Returns whether that took a call.
bool Sigtrap::look(Thread& thread) {
  Process& process = *thread.process;
  ThreadStatus status;
  if (!read_status(thread.tid, &status)) return false;
  if (status.ignored & signal_bit(SIGTRAP)) process.trap_handler = kIgnore;
  if ((status.caught & signal_bit(SIGTRAP)) == 0) return false;
  KernelAction now{};
  if (change_action(thread, nullptr, &now) == 0) process.trap_handler = now.handler;
  return true;
}

/// Returns whether that took a call. Unless `was_blocked`, a handler that runs only once may have run.
bool Sigtrap::put_action_back(Thread& thread, bool was_blocked) {
  Process& process = *thread.process;
  KernelAction action{}, before{};
  long result = change_action(thread, nullptr, &action);
  if (result == 0 && (action.flags & SA_RESETHAND) && (process.trap_handled || !was_blocked)) {
    process.trap_handler = 0;
    return true;
  }
  action.handler = process.trap_handler;
  if (result == 0) result = change_action(thread, &action, &before);
  if (result == 0 || result == -ESRCH) return true;
  process.trap_handler = 0;
  notice_(name_of(process) +
          ": a probe has cost it its SIGTRAP handler, which is not put back because its seccomp filter may forbid the "
          "call");
  return true;
}

/// A program that blocks nothing but SIGTRAP shows it by no mask: our trap has unblocked it. Its action is reset, then.
bool Sigtrap::blocked_it_alone(const Thread& thread) const {
  Process& process = *thread.process;
  if (!is_caught(process)) return false;
  if (!process.of_go) process.of_go = is_of_go(proc_folder(process.pid) + "/exe");
  return !*process.of_go && !catches_trap(thread.tid);
}

bool Sigtrap::was_reset(const Thread& thread) const {
  ThreadStatus status;
  return is_caught(*thread.process) && read_status(thread.tid, &status) && (status.caught & signal_bit(SIGTRAP)) == 0;
}

bool Sigtrap::passed(Thread& thread) {
  const bool called = restore(thread);
  if (const auto own = std::exchange(thread.own_trap, std::nullopt)) utrace_queue_signal(thread.task, *own);
  return called;
}

bool Sigtrap::restore(Thread& thread) {
  Process& process = *thread.process;
  uint64_t mask = 0;
  if (utrace_signal_mask(thread.task, &mask) != 0) return false;
  const bool blocks_all = (mask | kUnblockable) == ~uint64_t{0};
  bool was_blocked = blocks_all || (thread.trap_mask && *thread.trap_mask == mask);
  bool called = false;
  const bool in_doubt =
      process.trap_handler == kIgnore || (process.trap_handler != 0 && mask != 0) || blocked_it_alone(thread);
  const bool asks = thread.own_trap || (process.trap_handler != 0 && (was_blocked || in_doubt));
  ThreadStatus status;
  const bool known = asks && read_status(thread.tid, &status);
  was_blocked |= known && thread.own_trap && (status.caught & signal_bit(SIGTRAP)) == 0;
  if (!was_blocked && !in_doubt) return std::has_single_bit(++process.passed) && look(thread);
  if (process.trap_handler != 0 && known) {
    const bool alone = status.threads == 1;  // else the action may be as another thread's hit has left it
    const bool reset = ((status.caught | status.ignored) & signal_bit(SIGTRAP)) == 0;
    if (!reset && (alone || !blocks_all)) {
      thread.trap_mask.reset();
      return std::has_single_bit(++process.passed) && look(thread);
    }
    if (reset) called = put_action_back(thread, was_blocked);
    was_blocked |= reset && alone && is_caught(process);
    if (reset && process.trap_handler == 0) {  // it runs only once: that is why it was reset
      thread.trap_mask.reset();
      was_blocked = blocks_all;
    }
  }
  if (!was_blocked) return called;
  thread.trap_mask = mask;
  utrace_set_signal_mask(thread.task, mask | signal_bit(SIGTRAP));
  return called;
}

void Sigtrap::handler_begins(Thread& thread, const machine::Registers& regs) {
  uint64_t mask = 0;
  thread.process->trap_handler = machine::pc(regs);
  thread.process->trap_handled = true;
  if (utrace_signal_mask(thread.task, &mask) == 0 && (mask & signal_bit(SIGTRAP)))
    thread.trap_mask = mask & ~signal_bit(SIGTRAP);
}

}  // namespace sonde::guard
