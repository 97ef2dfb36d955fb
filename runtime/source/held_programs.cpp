// SPDX-License-Identifier: GPL-3.0-or-later
//   spawn()         a ProgramChild, seized; EVENT_EXEC, then the exec's return: held
//   run_to()        one int3, taken out at its hit: the entry, or the linker's function
//   let_go()        PTRACE_DETACH, at GO
//
// The seize comes before the exec, so that every instruction of the program runs under ptrace. Unless shows_exec, the
// program runs past the return of its exec before GO: that exec started the program, and is not an event of it.
//
// Invariant: when a function returns and the program lives, no breakpoint is left in it; signals that arrive meanwhile
// are delivered.
#include "runtime/source/held_programs.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>

#include "runtime/guard/address_space.h"

namespace sonde {
namespace {

constexpr int kReapTurns = 1000;  // of a millisecond each
constexpr uintptr_t kTraceOptions = PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD;

bool trace(int request, pid_t pid, uintptr_t address = 0, uintptr_t data = 0) {
  return ptrace(static_cast<__ptrace_request>(request), pid, address, data) == 0;
}

/// Waits for a child's next stop. False: it has ended.
bool await_stop(pid_t pid, int& status) {
  while (waitpid(pid, &status, __WALL) < 0)
    if (errno != EINTR) return false;
  return WIFSTOPPED(status);
}

/// The signal to deliver when the child continues from this stop; 0 for ptrace's own stops.
int signal_of(int status) { return status >> 16 == 0 && WSTOPSIG(status) != SIGTRAP ? WSTOPSIG(status) : 0; }

Error lost(pid_t pid) { return Error("process " + std::to_string(pid) + " ended before its first instruction", ESRCH); }

}  // namespace

HeldPrograms::~HeldPrograms() {
  let_all_go();
  for (const auto& [pid, state] : children_) waitpid(pid, nullptr, WNOHANG);
}

Result<uint32_t> HeldPrograms::spawn(const SpawnRequest& request, const std::function<Result<void>(uint32_t)>& adopt) {
  const auto child = ProgramChild::fork(request.argv, request.environment,
                                        {.signals = signals_,
                                         .prepare = [this] { options_.apply(); },
                                         .user = request.user,
                                         .terminal = request.terminal});
  if (!child) return child.error();
  const pid_t pid = child->pid();
  const bool seized = trace(PTRACE_SEIZE, pid, 0, kTraceOptions);
  const int code = errno;
  if (!seized || !child->go()) {
    child->kill();
    return Error::from_errno("start " + request.argv[0], code);
  }
  if (auto held = hold_after_exec(*child, request.shows_exec); !held) return std::move(held).error();
  children_[pid] = State::Held;
  if (auto adopted = adopt(static_cast<uint32_t>(pid)); !adopted) {
    kill(pid, SIGKILL);
    reap(static_cast<uint32_t>(pid));
    return std::move(adopted).error();
  }
  return static_cast<uint32_t>(pid);
}

/// Lets the child run to its exec and, unless `before_return`, to the return of that exec, which is not an event of the
/// program.
Result<void> HeldPrograms::hold_after_exec(const ProgramChild& child, bool before_return) {
  const pid_t pid = child.pid();
  bool executed = false;
  for (;;) {
    int status = 0;
    if (!await_stop(pid, status)) return child.failure();
    if (executed && WSTOPSIG(status) == (SIGTRAP | 0x80)) return {};
    executed = executed || status >> 16 == PTRACE_EVENT_EXEC;
    if (executed && before_return) return {};
    trace(executed ? PTRACE_SYSCALL : PTRACE_CONT, pid, 0, static_cast<uintptr_t>(signal_of(status)));
  }
}

Result<pid_t> HeldPrograms::held(uint32_t pid) const {
  const auto child = children_.find(static_cast<pid_t>(pid));
  if (child != children_.end() && child->second == State::Held) return child->first;
  return Error("process " + std::to_string(pid) + " was not started here, or runs already", ESRCH);
}

Result<void> HeldPrograms::run_to_entry(uint32_t pid) {
  auto child = held(pid);
  if (!child) return std::move(child).error();
  if (guard::AddressSpace(*child).awaits_program())
    if (auto mapped = run_to_constructors(pid); !mapped) return mapped;
  guard::AddressSpace space(*child);
  if (space.entry() == 0) return Error("process " + std::to_string(pid) + ": " + space.why_no_entry(), ENOTSUP);
  return run_to(*child, space.entry());
}

/// The dynamic linker calls its function _dl_debug_state before it maps libraries, and again when all are mapped.
Result<void> HeldPrograms::run_to_constructors(uint32_t pid) {
  auto child = held(pid);
  if (!child) return std::move(child).error();
  guard::AddressSpace space(*child);
  space.refresh(*child);
  const uint64_t linker = space.linker_function();
  if (linker == 0) return {};  // no libraries, or a linker without symbols: there is no later place to stop at
  for (;;) {
    if (auto there = run_to(*child, linker); !there || space.linker_done()) return there;
    if (auto passed = step(*child); !passed) return passed;
  }
}

/// Continues the child by PTRACE_CONT or another request, to its next stop. False: it has ended, and is forgotten.
bool HeldPrograms::run_on(int request, pid_t pid, int signal, int& status) {
  if (trace(request, pid, 0, static_cast<uintptr_t>(signal)) && await_stop(pid, status)) return true;
  children_.erase(pid);
  return false;
}

/// Executes one instruction. Signals that arrive before it are delivered.
Result<void> HeldPrograms::step(pid_t pid) {
  for (int signal = 0;;) {
    int status = 0;
    if (!run_on(PTRACE_SINGLESTEP, pid, signal, status)) return lost(pid);
    if ((signal = signal_of(status)) == 0) return {};
  }
}

Result<void> HeldPrograms::run_to(pid_t pid, uint64_t address) {
  constexpr uint64_t kCovered = std::numeric_limits<machine::Breakpoint>::max();
  errno = 0;
  const auto word = static_cast<uint64_t>(ptrace(PTRACE_PEEKTEXT, pid, address, nullptr));
  if (errno != 0 || !trace(PTRACE_POKETEXT, pid, address, (word & ~kCovered) | machine::kBreakpoint)) return lost(pid);
  int signal = 0;
  for (;;) {
    int status = 0;
    if (!run_on(PTRACE_CONT, pid, signal, status)) return lost(pid);
    machine::Registers regs{};
    if (machine::read_registers(pid, &regs) != 0) return lost(pid);
    const bool there = status >> 16 == 0 && WSTOPSIG(status) == SIGTRAP && machine::breakpoint_address(regs) == address;
    signal = signal_of(status);
    if (!there) continue;
    machine::set_pc(regs, address);
    if (!trace(PTRACE_POKETEXT, pid, address, word) || machine::write_registers(pid, regs) != 0) return lost(pid);
    return {};
  }
}

void HeldPrograms::let_go(uint32_t pid) {
  const auto child = children_.find(static_cast<pid_t>(pid));
  if (child == children_.end() || child->second != State::Held) return;
  trace(PTRACE_DETACH, child->first);
  child->second = State::Going;
}

void HeldPrograms::let_all_go() {
  for (const auto& [pid, state] : children_) let_go(static_cast<uint32_t>(pid));
}

void HeldPrograms::reap(uint32_t pid) {
  if (children_.erase(static_cast<pid_t>(pid)) == 0) return;
  for (int turn = 0; turn < kReapTurns; turn++) {
    if (waitpid(static_cast<pid_t>(pid), nullptr, WNOHANG | __WALL) != 0) return;
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace sonde
