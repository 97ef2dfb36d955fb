// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/tracer.h"

#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <utility>

namespace sonde::guard {
namespace {

/// Of a call that failed, as the kernel returns it.
int errno_of(const user_regs_struct& regs) {
  const auto result = static_cast<int64_t>(regs.rax);
  return result < 0 && result >= -4095 ? static_cast<int>(-result) : 0;
}

Firing of_call(uint32_t number) {
  Firing firing;
  firing.call = number;
  return firing;
}

bool is_exec(uint64_t number) { return number == SYS_execve || number == SYS_execveat; }

/// Who sent a signal, where its siginfo says so.
uint64_t sender_of(const siginfo_t& info) {
  const bool told =
      info.si_code == SI_USER || info.si_code == SI_TKILL || info.si_code == SI_QUEUE || info.si_signo == SIGCHLD;
  return told ? static_cast<uint64_t>(info.si_pid) : 0;
}

}  // namespace

/// The way from the engine's callbacks to the Tracer.
struct Callbacks {
  static Tracer* tracer;
  static Thread* of(utrace_engine* engine) { return static_cast<Thread*>(engine->data); }

  static uint32_t entry(uint32_t, utrace_engine* engine, utrace_task*, user_regs_struct* regs) {
    return regs != nullptr ? tracer->on_entry(*of(engine), *regs) : resume_action(*of(engine));
  }
  static uint32_t leave(uint32_t, utrace_engine* engine, utrace_task*, user_regs_struct* regs) {
    return regs != nullptr ? tracer->on_return(*of(engine), *regs) : resume_action(*of(engine));
  }
  static uint32_t clone(uint32_t, utrace_engine* engine, utrace_task*, uint64_t flags, utrace_task* child) {
    return tracer->on_clone(*of(engine), flags, child);
  }
  static uint32_t exec(uint32_t, utrace_engine* engine, utrace_task*, const utrace_exec*, user_regs_struct*) {
    return tracer->on_exec(*of(engine));
  }
  static uint32_t exit(uint32_t, utrace_engine* engine, utrace_task*, long code, long*) {
    return tracer->on_exit(*of(engine), code);
  }
  static uint32_t death(utrace_engine* engine, utrace_task*, bool group_dead, int) {
    tracer->on_death(*of(engine), group_dead);
    return UTRACE_DETACH;
  }
  static uint32_t signal(uint32_t action, utrace_engine* engine, utrace_task*, user_regs_struct* regs, siginfo_t* info,
                         const struct sigaction* orig, struct sigaction*) {
    return tracer->on_signal(*of(engine), action, regs, *info, orig);
  }
  static uint32_t quiesce(uint32_t, utrace_engine* engine, utrace_task*, uint32_t event) {
    return tracer->on_quiesce(*of(engine), event);
  }
};

Tracer* Callbacks::tracer = nullptr;

namespace {

const utrace_engine_ops kOps = [] {
  utrace_engine_ops ops;
  ops.report_syscall_entry = Callbacks::entry;
  ops.report_syscall_exit = Callbacks::leave;
  ops.report_clone = Callbacks::clone;
  ops.report_exec = Callbacks::exec;
  ops.report_exit = Callbacks::exit;
  ops.report_death = Callbacks::death;
  ops.report_signal = Callbacks::signal;
  ops.report_quiesce = Callbacks::quiesce;
  return ops;
}();

}  // namespace

Tracer::Tracer(UtraceHost& host, TapTable& taps, Recorder& recorder, Events events)
    : host_(host),
      taps_(taps),
      recorder_(recorder),
      events_(std::move(events)),
      breakpoints_(targets_, taps, {events_.notice, events_.mapped}),
      sigtrap_(events_.notice),
      sampler_(targets_, taps) {
  SONDE_CHECK(Callbacks::tracer == nullptr);
  Callbacks::tracer = this;
  wanted_ = taps_.events();
  host_.on_new_task = [this](utrace_task* task, utrace_task* parent, uint64_t flags) {
    on_new_task(task, parent, flags);
  };
}

void Tracer::on_new_task(utrace_task* task, utrace_task* parent_task, uint64_t flags) {
  if (abandoned_) return;
  const pid_t pid = utrace_task_pid(task);
  Thread* parent = parent_task != nullptr ? targets_.thread(utrace_task_tid(parent_task)) : nullptr;
  Process* process = targets_.process(pid);
  if (process == nullptr) {
    process = &targets_.add_process(pid);
    if (parent != nullptr)
      breakpoints_.forked(*process, *parent->process, (flags & CLONE_VM) != 0);
    else
      breakpoints_.adopt(*process);
  }
  Thread& thread = targets_.add_thread(task, *process);
  sigtrap_.adopt(thread, parent);
  if (utrace_attach_task(task, UTRACE_ATTACH_CREATE, &kOps, &thread, &thread.engine) != 0) {
    targets_.erase_thread(thread.tid);
    return;
  }
  thread.newborn = parent != nullptr && (taps_.any(SONDE_TAP_START) || taps_.any(SONDE_TAP_LWP_START));
  want_events(thread);
  if (thread.newborn) utrace_control(task, thread.engine, UTRACE_REPORT);
  if (must_stop(thread)) utrace_control(task, thread.engine, UTRACE_STOP);
}

void Tracer::want_events(Thread& thread) {
  uint32_t events = wanted_;
  if (thread.newborn || !thread.samples.empty()) events |= UTRACE_EVENT_QUIESCE;
  if (thread.process->space->had_sites()) events |= UTRACE_EVENT_SIGNAL_CORE;
  if (thread.step.active) events |= UTRACE_EVENT_SIGNAL_ALL;
  utrace_narrow_syscalls(thread.engine, &entries_, &returns_);
  if (thread.engine->flags != events) utrace_set_events(thread.task, thread.engine, events);
}

void Tracer::taps_changed() {
  wanted_ = taps_.events();
  entries_ = taps_.entry_set();
  returns_ = taps_.return_set();
  sampler_.taps_changed();
  for (auto& [tid, thread] : targets_.threads()) want_events(*thread);
}

void Tracer::run_pending(Thread& thread, user_regs_struct* regs) {
  thread.held = false;
  while (!thread.pending.empty()) {
    if (recorder_.run(thread, thread.pending.front(), regs) == Recorder::Outcome::Held) {
      thread.held = true;
      break;
    }
    thread.pending.pop_front();
  }
  if (thread.held || recorder_.should_wake()) events_.data();
}

void Tracer::fire_all(Thread& thread, std::vector<Firing>& firings, user_regs_struct* regs) {
  if (firings.empty() || abandoned_) return;
  if (!thread.pending.empty()) {  // something is held already: in order behind it
    for (Firing& firing : firings) thread.pending.push_back(std::move(firing));
    return;
  }
  for (size_t i = 0; i < firings.size(); i++) {
    if (recorder_.run(thread, firings[i], regs) == Recorder::Outcome::Done) continue;
    thread.held = true;
    for (; i < firings.size(); i++) thread.pending.push_back(std::move(firings[i]));
  }
  if (thread.held || recorder_.should_wake()) events_.data();
}

/// Fires every tap that covers the thread's process, all alike.
void Tracer::fire(Thread& thread, const std::vector<ArmedTap*>& taps, const Firing& pattern) {
  if (taps.empty()) return;
  std::vector<Firing> firings;
  for (const ArmedTap* tap : taps) {
    if (!tap->covers(thread.process->pid)) continue;
    firings.push_back(pattern);
    firings.back().probe = tap->tap.probe.value;
  }
  fire_all(thread, firings, utrace_registers(thread.task));
}

uint32_t Tracer::on_entry(Thread& thread, user_regs_struct& regs) {
  const auto number = static_cast<uint32_t>(regs.orig_rax);
  if (number >= kCallsMax) return resume_action(thread);
  Firing firing = of_call(number);
  for (unsigned i = 0; i < 6; i++) firing.args[i] = call_argument(regs, i);
  fire(thread, taps_.entries(number), firing);
  if (is_exec(number) && taps_.any(SONDE_TAP_EXEC)) {
    char path[SONDE_PATH_MAX];
    Firing exec = of_call(number);
    if (read_target_text(thread, call_argument(regs, number == SYS_execveat ? 1 : 0), path, sizeof path) >= 0)
      exec.text = path;
    fire(thread, taps_.of(SONDE_TAP_EXEC), exec);
  }
  return resume_action(thread);
}

uint32_t Tracer::on_return(Thread& thread, user_regs_struct& regs) {
  // Only rt_sigreturn leaves without its number.
  const uint64_t number = static_cast<int64_t>(regs.orig_rax) == -1 ? SYS_rt_sigreturn : regs.orig_rax;
  if (number >= kCallsMax) return resume_action(thread);
  Firing firing = of_call(static_cast<uint32_t>(number));
  firing.error = number == SYS_rt_sigreturn ? 0 : errno_of(regs);
  if (is_exec(number) && firing.error != 0 && taps_.any(SONDE_TAP_EXEC_FAILURE)) {
    Firing failure = firing;
    failure.args[0] = static_cast<uint64_t>(firing.error);
    fire(thread, taps_.of(SONDE_TAP_EXEC_FAILURE), failure);
  }
  firing.args[0] = firing.args[1] = firing.error != 0 ? UINT64_MAX : regs.rax;
  fire(thread, taps_.returns(static_cast<uint32_t>(number)), firing);
  return resume_action(thread);
}

uint32_t Tracer::on_clone(Thread& thread, uint64_t flags, utrace_task* child) {
  Firing firing;
  if (const user_regs_struct* regs = utrace_registers(thread.task)) firing.call = static_cast<int64_t>(regs->orig_rax);
  firing.args[0] = static_cast<uint64_t>(utrace_task_tid(child));
  firing.args[1] = flags;
  fire(thread, taps_.of(flags & CLONE_THREAD ? SONDE_TAP_LWP_CREATE : SONDE_TAP_CREATE), firing);
  return resume_action(thread);
}

uint32_t Tracer::on_exec(Thread& thread) {
  Process& process = *thread.process;
  targets_.rename(thread, utrace_task_tid(thread.task));
  process.has_leader_code = false;
  stepper_.thread_gone(thread);
  thread.at_site = thread.reentered = 0;
  thread.reported.clear();
  sigtrap_.exec(thread);
  breakpoints_.adopt(process);
  want_events(thread);
  events_.exec(process.pid);
  breakpoints_.tell_program(thread);
  fire(thread, taps_.of(SONDE_TAP_EXEC_SUCCESS), of_call(SYS_execve));
  return resume_action(thread);
}

void Tracer::sample(int timer) {
  sampler_.due(timer, [this](Thread& thread, uint32_t tap) { ask_sample(thread, tap); });
}

/// Between two instructions of its own only: while one of them is stepped elsewhere, the program counter says nothing.
void Tracer::ask_sample(Thread& thread, uint32_t tap) {
  if (abandoned_ || thread.step.active || utrace_task_stopped(thread.task)) return;
  if (std::ranges::find(thread.samples, tap) != thread.samples.end()) return;
  thread.samples.push_back(tap);
  want_events(thread);
  utrace_control(thread.task, thread.engine, UTRACE_REPORT);
}

void Tracer::fire_samples(Thread& thread) {
  const std::vector<uint32_t> due = std::exchange(thread.samples, {});
  want_events(thread);
  user_regs_struct* regs = utrace_registers(thread.task);
  if (regs == nullptr || thread.step.active) return;
  std::vector<Firing> firings;
  for (uint32_t id : due) {
    const ArmedTap* tap = taps_.find(id);
    if (tap == nullptr || !tap->covers(thread.process->pid)) continue;
    Firing& firing = firings.emplace_back();
    firing.probe = tap->tap.probe.value;
    firing.call = static_cast<int64_t>(regs->orig_rax);
    firing.args[1] = regs->rip;
  }
  fire_all(thread, firings, regs);
}

uint32_t Tracer::on_quiesce(Thread& thread, uint32_t event) {
  if (!thread.samples.empty()) fire_samples(thread);
  if (event != 0 || !thread.newborn) return resume_action(thread);
  thread.newborn = false;
  want_events(thread);
  if (thread.tid == thread.process->pid) fire(thread, taps_.of(SONDE_TAP_START), Firing());
  fire(thread, taps_.of(SONDE_TAP_LWP_START), Firing());
  return resume_action(thread);
}

/// Keeps what wait() will show for the process: the group's code, or the leader's where each thread ended by itself.
void Tracer::note_exit(Thread& thread, long code) {
  Process& process = *thread.process;
  const user_regs_struct* regs = utrace_registers(thread.task);
  const bool alone = regs != nullptr && regs->orig_rax == SYS_exit && WIFEXITED(code);
  if (alone && thread.tid == process.pid) {
    process.has_leader_code = true;
    process.leader_code = code;
  }
  process.status = alone && process.has_leader_code ? process.leader_code : code;
}

/// Stacks are printed when the process is long gone; now it still has its mappings.
void Tracer::tell_mappings(Thread& thread) {
  AddressSpace space(thread.process->pid);
  for (const Mapping& mapping : space.refresh(thread.process->pid)) {
    if (mapping.path.starts_with('/')) events_.mapping(thread.process->pid, mapping);
  }
}

uint32_t Tracer::on_exit(Thread& thread, long code) {
  if (thread.exited) return resume_action(thread);
  thread.exited = true;
  thread.pending.clear();  // it was killed while it was held
  thread.held = false;
  thread.unseen = 0;
  Process& process = *thread.process;
  note_exit(thread, code);
  const auto threads = targets_.threads_of(process.pid);
  const bool last = std::all_of(threads.begin(), threads.end(), [](const Thread* other) { return other->exited; });
  fire(thread, taps_.of(SONDE_TAP_LWP_EXIT), Firing());
  if (last) tell_mappings(thread);
  if (last && taps_.any(SONDE_TAP_EXIT)) {
    const int status = static_cast<int>(process.status);
    Firing firing;
    firing.args[0] = WIFEXITED(status) ? CLD_EXITED : WCOREDUMP(status) ? CLD_DUMPED : CLD_KILLED;
    firing.args[1] = static_cast<uint64_t>(WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    fire(thread, taps_.of(SONDE_TAP_EXIT), firing);
  }
  return thread.held ? UTRACE_STOP : UTRACE_RESUME;  // nothing else may keep it from its end
}

void Tracer::on_death(Thread& thread, bool group_dead) {
  Process* const process = thread.process;
  const pid_t pid = process->pid;
  stepper_.thread_gone(thread);
  utrace_engine_put(thread.engine);
  targets_.erase_thread(thread.tid);
  if (!group_dead) return;
  const bool requested = process->requested;
  const long status = process->status;
  targets_.erase_process(pid);
  if (requested) events_.gone(pid, status);
}

/// Past the breakpoint it stands at. What is due to the program then, where it single-steps itself: the trap that it has after
/// each instruction.
std::optional<siginfo_t> Tracer::pass_site(Thread& thread, user_regs_struct& regs) {
  const bool own_trap = stepper_.advance(thread, regs);
  if (thread.step.active) {
    want_events(thread);
    return std::nullopt;
  }
  const bool called = sigtrap_.passed(thread);
  if (!own_trap) return std::nullopt;
  siginfo_t info{};
  info.si_signo = SIGTRAP;
  info.si_code = TRAP_TRACE;
  info.si_addr = reinterpret_cast<void*>(regs.rip);
  if (!called) return info;
  utrace_queue_signal(thread.task, info);
  return std::nullopt;
}

/// A step is over: its signal, if one is due now.
uint32_t Tracer::end_step(Thread& thread, bool both, siginfo_t& info, uint64_t& handler) {
  want_events(thread);
  const bool called = sigtrap_.passed(thread);
  const auto kept = stepper_.take_kept(thread);
  if (!both && !kept) return UTRACE_SIGNAL_IGN;
  if (kept) {
    info = kept->info;
    handler = kept->handler;
  }
  if (!called) return UTRACE_SIGNAL_DELIVER;
  utrace_queue_signal(thread.task, info);
  return UTRACE_SIGNAL_IGN;
}

/// A SIGTRAP of the kernel's. `info` is what the program gets of it, unless that is nothing: UTRACE_SIGNAL_IGN.
uint32_t Tracer::on_trap(Thread& thread, user_regs_struct& regs, siginfo_t& info, uint64_t& handler) {
  const Stepper::Trap trap = stepper_.trapped(thread, regs, info);
  if (trap != Stepper::Trap::NotOurs)
    return thread.step.active ? uint32_t{UTRACE_SIGNAL_IGN} : end_step(thread, trap == Stepper::Trap::Both, info, handler);
  std::vector<Firing> firings;
  const bool breakpoint = info.si_code == SI_KERNEL || info.si_code == TRAP_BRKPT;
  if (!breakpoint || breakpoints_.hit(thread, regs, firings) == Breakpoints::Trap::NotOurs) return UTRACE_SIGNAL_CORE;
  fire_all(thread, firings, &regs);
  const auto due = must_stop(thread) ? std::nullopt : pass_site(thread, regs);
  if (!due) return UTRACE_SIGNAL_IGN;
  info = *due;
  return UTRACE_SIGNAL_DELIVER;
}

uint32_t Tracer::on_signal(Thread& thread, uint32_t action, user_regs_struct* regs, siginfo_t& info,
                           const struct sigaction* orig) {
  uint32_t verdict = action & UTRACE_SIGNAL_MASK;
  if (verdict == UTRACE_SIGNAL_HANDLER && std::exchange(thread.trap_delivered, false) && regs != nullptr)
    sigtrap_.handler_begins(thread, *regs);
  if (verdict == UTRACE_SIGNAL_REPORT || verdict == UTRACE_SIGNAL_HANDLER) return verdict | resume_action(thread);
  uint64_t handler = orig != nullptr ? reinterpret_cast<uint64_t>(orig->sa_handler) : 0;
  if (info.si_signo == SIGTRAP && info.si_code > 0 && regs != nullptr) {
    verdict = on_trap(thread, *regs, info, handler);
    if (verdict == UTRACE_SIGNAL_IGN) return verdict | resume_action(thread);
  }
  if (regs != nullptr && stepper_.signalled(thread, *regs, info, verdict, handler)) {
    return UTRACE_SIGNAL_IGN | resume_action(thread);
  }
  if (!thread.step.active && regs != nullptr) want_events(thread);
  Firing firing;
  firing.args[0] = static_cast<uint64_t>(info.si_signo);
  firing.args[1] = static_cast<uint64_t>(static_cast<int64_t>(info.si_code));
  firing.args[2] = sender_of(info);
  firing.args[3] = handler;
  fire(thread, taps_.of(verdict == UTRACE_SIGNAL_IGN ? SONDE_TAP_SIGNAL_DISCARD : SONDE_TAP_SIGNAL_DELIVER), firing);
  // A report where its handler begins, if it has one.
  thread.trap_delivered = info.si_signo == SIGTRAP && thread.process->space->had_sites();
  const uint32_t resume = resume_action(thread);
  return verdict | (thread.trap_delivered && resume == UTRACE_RESUME ? UTRACE_REPORT : resume);
}

}  // namespace sonde::guard
