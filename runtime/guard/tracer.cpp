// SPDX-License-Identifier: GPL-3.0-or-later
// The callbacks; tracer_traps.cpp has those of SIGTRAP.
//
// Two invariants. A callback returns resume_action(), which knows every reason why a thread must stay stopped: so an
// event cannot wake a thread that another event holds. Only on_exit() differs: only a held record may delay the end of
// a thread.
//
// And an engine's events are wanted_, those that taps need, plus those that its own thread needs at the moment: a
// newborn's first stop, due samples, sites in its memory, a step, a process that is let go. Code that changes one of
// these must call want_events().
#include "runtime/guard/tracer.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include <algorithm>
#include <utility>

#include "kmod/shared/siginfo.h"
#include "runtime/base/clock.h"
#include "runtime/base/hex.h"
#include "runtime/base/procfs.h"
#include "runtime/guard/sends.h"
#include "runtime/guard/undumpable.h"
#include "runtime/guard/withheld_rights.h"
#include "runtime/process/proc_maps.h"
#include "runtime/utrace/thread_status.h"

namespace sonde::guard {
namespace {

/// Whether a signal that is delivered ends the process with a core, as far as its disposition says.
bool dumps_core(const Thread& thread, const siginfo_t& info) {
  constexpr int kDumping[] = {SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGXCPU, SIGXFSZ, SIGSYS};
  if (!thread.process->space->may_trap() || std::ranges::find(kDumping, info.si_signo) == std::end(kDumping))
    return false;
  const Disposition now = read_disposition(thread.tid, info.si_signo);
  // The first process of a pid namespace survives what others send it.
  return !now.caught && !now.ignored && (info.si_code > 0 || !is_namespace_init(thread.process->pid));
}

constexpr size_t kMostLost = 16;  // waits for pages in one firing

/// The errno in a result as the kernel returns it; 0: the call did not fail.
int errno_of(int64_t result) { return result < 0 && result >= -4095 ? static_cast<int>(-result) : 0; }

/// `number`: of `call`, as in utrace_call.
Firing of_call(uint32_t call, int64_t number) {
  Firing firing;
  firing.call = call;
  if (call == kUnnamedCall) firing.call = *(firing.unnamed_call = utrace_given_number(number));
  return firing;
}

/// The call that a stopped thread is in; -1: none, or one without a name.
int64_t current_call(Thread& thread) {
  const uint32_t call = call_of_number(utrace_get_call(thread.task).number);
  return call != kUnnamedCall ? call : -1;
}

/// sigreturn: its "result" is a register that it restores.
bool leaves_no_result(uint32_t call) { return call == SYS_rt_sigreturn || call == machine::kCompatSigreturn; }

bool is_exec(uint32_t call) { return call == SYS_execve || call == SYS_execveat; }

/// The path that an exec names; of execveat(fd, "", ..., AT_EMPTY_PATH), as fexecve() makes it, the descriptor's file.
std::string path_of_exec(const Thread& thread, const utrace_call& made, uint32_t call) {
  char path[SONDE_PATH_MAX];
  const bool by_descriptor = call == SYS_execveat;
  if (read_target_text(thread, made.arguments[by_descriptor ? 1 : 0], path, sizeof path) < 0) return "";
  if (!by_descriptor || path[0] != '\0' || (made.arguments[4] & AT_EMPTY_PATH) == 0) return path;
  const auto fd = static_cast<int>(made.arguments[0]);
  std::string file = read_link("/proc/" + std::to_string(thread.tid) + "/fd/" + std::to_string(fd));
  take_deleted_mark(file);
  return file;
}

/// Whether the last thread that ends by itself decides on the status of its process: Linux 6.0 and later.
bool last_thread_decides() {
  static const bool decides = [] {
    utsname about{};
    return uname(&about) == 0 && std::atoi(about.release) >= 6;
  }();
  return decides;
}

Firing of_end(int status) {
  Firing firing;
  sonde_end_args(firing.args.data(), status);
  return firing;
}

Firing of_signal(const siginfo_t& info) {
  Firing firing;
  sonde_siginfo_args(firing.args.data(), info.si_signo, info.si_errno, info.si_code, &info._sifields);
  return firing;
}

}  // namespace

/// The callbacks in utrace_engine_ops; each calls the Tracer's method.
struct Callbacks {
  static Thread& of(utrace_engine* engine) { return *static_cast<Thread*>(engine->data); }

  static uint32_t entry(uint32_t, utrace_engine* engine, utrace_task*, machine::Registers* regs) {
    return regs != nullptr ? of(engine).tracer->on_entry(of(engine)) : resume_action(of(engine));
  }
  static uint32_t leave(uint32_t, utrace_engine* engine, utrace_task*, machine::Registers* regs) {
    return regs != nullptr ? of(engine).tracer->on_return(of(engine)) : resume_action(of(engine));
  }
  static uint32_t clone(uint32_t, utrace_engine* engine, utrace_task*, uint64_t flags, utrace_task* child) {
    return of(engine).tracer->on_clone(of(engine), flags, child);
  }
  static uint32_t exec(uint32_t, utrace_engine* engine, utrace_task*, const utrace_exec*, machine::Registers*) {
    return of(engine).tracer->on_exec(of(engine));
  }
  static uint32_t exit(uint32_t, utrace_engine* engine, utrace_task*, long code, long*) {
    return of(engine).tracer->on_exit(of(engine), code);
  }
  static uint32_t death(utrace_engine* engine, utrace_task*, bool group_dead, int) {
    of(engine).tracer->on_death(of(engine), group_dead);
    return UTRACE_DETACH;
  }
  static uint32_t signal(uint32_t action, utrace_engine* engine, utrace_task*, machine::Registers* regs,
                         siginfo_t* info, const struct sigaction* orig, struct sigaction*) {
    Tracer& tracer = *of(engine).tracer;
    const uint32_t result = tracer.on_signal(of(engine), action, regs, *info, orig);
    tracer.serve_waiting();
    return result;
  }
  static uint32_t quiesce(uint32_t, utrace_engine* engine, utrace_task*, uint32_t event) {
    return of(engine).tracer->on_quiesce(of(engine), event);
  }
};

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
      sampler_(targets_, taps,
               {[this](Thread& thread, uint32_t tap, const Sample& sample) { take_sample(thread, tap, sample); },
                [this](Thread& thread, uint32_t tap) { ask_sample(thread, tap); },
                [this](const ArmedTap& tap) { return recorder_.reads_memory(tap.probe); },
                [this](uint32_t id, uint64_t lost) {
                  if (const ArmedTap* tap = taps_.find(id)) recorder_.count_lost(tap->probe, lost);
                },
                events_.notice}) {
  wanted_ = taps_.events();
  host_.on_new_task = [this](utrace_task* task, utrace_task* parent, uint64_t flags) {
    on_new_task(task, parent, flags);
  };
  host_.catch_asleep = [this](utrace_task* task, const Sleep& sleep) { return catch_asleep(task, sleep); };
  host_.on_notice = events_.notice;
  host_.on_trap_action = [this](utrace_task* task, uint64_t handler) {
    const Thread* caller = targets_.thread(utrace_task_tid(task));
    if (caller == nullptr) return;
    caller->process->trap_handler = handler;
    caller->process->trap_handled = false;
    for (Thread* thread : targets_.threads_of(caller->process->pid)) want_events(*thread);
  };
  host_.on_trapped_child = [this](utrace_task* task, pid_t child) {
    notify_trapped_child(utrace_task_pid(task), child);
  };
  host_.forget_asleep = [this](utrace_task* task) {
    if (Thread* thread = targets_.thread(utrace_task_tid(task))) breakpoints_.forget_return(*thread);
  };
}

void Tracer::on_new_task(utrace_task* task, utrace_task* parent_task, uint64_t flags) {
  if (abandoned_) return;
  const pid_t pid = utrace_task_pid(task);
  Thread* parent = parent_task != nullptr ? targets_.thread(utrace_task_tid(parent_task)) : nullptr;
  Process* process = targets_.process(pid);
  if (process == nullptr) {
    process = &targets_.add_process(pid);
    process->origin = pid;
    process->filtered = host_.filtered(pid);
    process->silent = attaching_ || (parent != nullptr && parent->process->silent);
    if (parent != nullptr)
      breakpoints_.forked(*process, *parent->process, (flags & CLONE_VM) != 0);
    else if (attaching_)
      process->space = sharing_ ? sharing_ : std::make_shared<AddressSpace>(pid);
    else
      breakpoints_.adopt(*process);
    if (recorder_.walks_stacks()) process->space->expect_walks();
  }
  Thread& thread = targets_.add_thread(task, *process);
  thread.tracer = this;
  sigtrap_.adopt(thread, parent);
  if (utrace_attach_task(task, UTRACE_ATTACH_CREATE, &kOps, &thread, &thread.engine) != 0) {
    targets_.erase_thread(thread.tid);
    return;
  }
  sampler_.adopt(thread);
  thread.newborn = parent != nullptr && (taps_.any(SONDE_TAP_START) || taps_.any(SONDE_TAP_LWP_START));
  thread.unclean = !process->space->reachable();
  want_events(thread);
  if (thread.newborn || thread.unclean) utrace_control(task, thread.engine, UTRACE_REPORT);
  if (must_stop(thread)) utrace_control(task, thread.engine, UTRACE_STOP);
}

void Tracer::want_events(Thread& thread) {
  uint32_t events = wanted_;
  const bool at_birth = thread.newborn || thread.unclean;
  if (at_birth || !thread.samples.empty() || thread.stack_asked || thread.process->leaving)
    events |= UTRACE_EVENT_QUIESCE;
  if (thread.process->space->may_trap()) events |= UTRACE_EVENT_SIGNAL_CORE;
  if (thread.step.active) events |= UTRACE_EVENT_SIGNAL_ALL;
  if (Sigtrap::is_caught(*thread.process)) events |= UTRACE_EVENT_SIGNAL;  // a kill() may start the handler, too
  utrace_narrow_syscalls(thread.engine, &entries_, &returns_);
  if (thread.engine->flags != events) utrace_set_events(thread.task, thread.engine, events);
}

void Tracer::taps_changed() {
  if (taps_.any(SONDE_TAP_SIGNAL_SEND) && !std::exchange(sends_explained_, true))
    events_.notice(
        "signals are seen where traced processes send them by system calls; "
        "those of other processes and of the kernel are not (the " +
        sources_with([](const SourceCapabilities& can) {
          return can.scope == SourceScope::Machine && can.taps.contains(SONDE_TAP_SIGNAL_SEND);
        }) +
        " source sees them)");
  wanted_ = taps_.events();
  entries_ = taps_.entry_set();
  returns_ = taps_.return_set();
  sampler_.taps_changed();
  for (auto& [tid, thread] : targets_.threads()) want_events(*thread);
}

/// Runs the rest of a firing. True: its thread must wait, for the consumer or for pages.
bool Tracer::must_wait(Thread& thread, Firing& firing, machine::Registers* regs) {
  for (;;) {
    const Recorder::Outcome outcome = recorder_.run(thread, firing, regs);
    if (outcome == Recorder::Outcome::Done) return false;
    if (outcome == Recorder::Outcome::Held || begin_page_wait(thread, firing)) return true;
    firing.lost.push_back(firing.lacking);
  }
}

bool Tracer::begin_page_wait(Thread& thread, Firing& firing) {
  if (firing.lost.size() >= kMostLost) return false;
  auto fetch = thread.process->space->pages().fetch(firing.lacking.address, firing.lacking.length);
  if (!fetch) return false;
  thread.page_wait.emplace(PageWait{std::move(*fetch), Pages::Clock::now() + kFiringWaitsForPages});
  page_waits_.push_back(thread.tid);
  return true;
}

std::vector<int> Tracer::page_fds() {
  std::vector<int> fds;
  for (pid_t tid : page_waits_) {
    const Thread* thread = targets_.thread(tid);
    if (thread != nullptr && thread->page_wait) fds.push_back(thread->page_wait->fetch.fd());
  }
  return fds;
}

void Tracer::continue_page_waits() {
  for (pid_t tid : std::exchange(page_waits_, {})) {
    Thread* thread = targets_.thread(tid);
    if (thread == nullptr || !thread->page_wait) continue;  // it has ended, or was let go
    pollfd entry{thread->page_wait->fetch.fd(), POLLIN, 0};
    if (poll(&entry, 1, 0) > 0 || Pages::Clock::now() >= thread->page_wait->end)
      end_page_wait(*thread);
    else
      page_waits_.push_back(tid);
  }
}

void Tracer::end_page_wait(Thread& thread) {
  Firing& firing = thread.pending.front();
  pollfd entry{thread.page_wait->fetch.fd(), POLLIN, 0};
  const bool answered = poll(&entry, 1, 0) > 0;
  if (!answered) thread.process->space->pages().note_in_vain();
  if (!answered || !thread.page_wait->fetch.result()) firing.lost.push_back(firing.lacking);
  thread.page_wait.reset();
  run_pending(thread, utrace_registers(thread.task));
  restart(thread);
}

void Tracer::run_pending(Thread& thread, machine::Registers* regs) {
  thread.held = false;
  while (!thread.pending.empty()) {
    if (must_wait(thread, thread.pending.front(), regs)) {
      thread.held = true;
      break;
    }
    thread.pending.pop_front();
  }
  if (thread.held || recorder_.should_wake()) events_.data();
}

void Tracer::fire_all(Thread& thread, std::vector<Firing>& firings, machine::Registers* regs) {
  if (firings.empty() || abandoned_ || thread.process->silent) return;
  if (!thread.pending.empty()) {  // a firing is held already: this one waits behind it
    for (Firing& firing : firings) thread.pending.push_back(std::move(firing));
    return;
  }
  for (size_t i = 0; i < firings.size(); i++) {
    if (!must_wait(thread, firings[i], regs)) continue;
    thread.held = true;
    for (; i < firings.size(); i++) thread.pending.push_back(std::move(firings[i]));
  }
  if (thread.held || recorder_.should_wake()) events_.data();
}

/// Makes a firing like `pattern` for each tap that covers the thread's process.
void Tracer::fire(Thread& thread, const std::vector<ArmedTap*>& taps, const Firing& pattern) {
  if (taps.empty()) return;
  std::vector<Firing> firings;
  for (const ArmedTap* tap : taps) {
    if (!tap->covers(*thread.process)) continue;
    firings.push_back(pattern);
    firings.back().probe = tap->probe;
  }
  fire_all(thread, firings, utrace_registers(thread.task));
}

/// `taps`: those of the call; of calls without a name, those of all such numbers.
void Tracer::fire_call(Thread& thread, const std::vector<ArmedTap*>& taps, const Firing& pattern) {
  if (!pattern.unnamed_call) return fire(thread, taps, pattern);
  fire(thread, taps_of_number(taps, *pattern.unnamed_call), pattern);
}

uint32_t Tracer::on_entry(Thread& thread) {
  const utrace_call made = utrace_get_call(thread.task);
  if (made.number < 0) return resume_action(thread);
  const uint32_t call = call_of_number(made.number);
  Firing firing = of_call(call, made.number);
  std::ranges::copy(made.arguments, firing.args.begin() + SONDE_ARG_SYSCALL_ENTRY_CALL);
  fire_call(thread, taps_.entries(call), firing);
  if (is_exec(call) && taps_.any(SONDE_TAP_EXEC)) {
    Firing exec = of_call(call, made.number);
    exec.text = path_of_exec(thread, made, call);
    fire(thread, taps_.of(SONDE_TAP_EXEC), exec);
  }
  return resume_action(thread);
}

uint32_t Tracer::on_return(Thread& thread) {
  const utrace_call made = utrace_get_call(thread.task);
  if (taps_.any(SONDE_TAP_SIGNAL_SEND)) fire_send(thread, send_of(thread, made));
  fire_return(thread, made.number, made.result, made.returned_at);
  return resume_action(thread);
}

void Tracer::fire_return(Thread& thread, int64_t number, int64_t result, uint64_t returned_at) {
  // rt_sigreturn is the only call that has lost its number by its exit stop.
  if (number == -1) number = SYS_rt_sigreturn;
  const uint32_t call = call_of_number(number);
  Firing firing = of_call(call, number);
  firing.timestamp = returned_at;
  firing.error = leaves_no_result(call) ? 0 : errno_of(result);
  if (is_exec(call) && firing.error != 0 && taps_.any(SONDE_TAP_EXEC_FAILURE)) {
    Firing failure = firing;
    failure.args[SONDE_ARG_EXEC_FAILURE_ERROR] = static_cast<uint64_t>(firing.error);
    fire(thread, taps_.of(SONDE_TAP_EXEC_FAILURE), failure);
  }
  sonde_result_args(firing.args.data(), firing.error, static_cast<uint64_t>(result));
  fire_call(thread, taps_.returns(call), firing);
}

uint32_t Tracer::on_clone(Thread& thread, uint64_t flags, utrace_task* child) {
  Firing firing;
  firing.call = current_call(thread);
  sonde_create_args(firing.args.data(), static_cast<uint64_t>(utrace_task_tid(child)), flags);
  fire(thread, taps_.of(flags & CLONE_THREAD ? SONDE_TAP_LWP_CREATE : SONDE_TAP_CREATE), firing);
  return resume_action(thread);
}

uint32_t Tracer::on_exec(Thread& thread) {
  Process& process = *thread.process;
  sampler_.settle(thread);
  if (const pid_t before = thread.tid; before != utrace_task_tid(thread.task)) {
    targets_.rename(thread, utrace_task_tid(thread.task));
    sampler_.forget(before);
    sampler_.adopt(thread);
  }
  process.has_group_code = false;
  process.status = 0;
  stepper_.thread_gone(thread);
  serve_waiting();
  thread.at_site = thread.reentered = 0;
  thread.reported.clear();
  sigtrap_.exec(thread);
  thread.caught = {};
  breakpoints_.adopt(process);
  if (recorder_.walks_stacks()) process.space->expect_walks();
  want_events(thread);
  events_.exec(process.pid);
  notify_withheld_rights(process.pid);
  breakpoints_.notify_program(thread);
  fire_exec(thread);
  return resume_action(thread);
}

void Tracer::notify_withheld_rights(pid_t pid) {
  const std::string rights = withheld_rights(pid);
  if (rights.empty()) return;
  const std::string program = read_link(proc_folder(pid) + "/exe");
  if (without_rights_.insert(program).second)
    events_.notice(
        "process " + std::to_string(pid) + " runs " + program + " without the rights that its file gives (" + rights +
        "): the kernel withholds them where an ordinary user traces\n    as root, sonde --user=NAME keeps them");
}

void Tracer::fire_exec(Thread& thread) {
  fire(thread, taps_.of(SONDE_TAP_EXEC_SUCCESS), of_call(SYS_execve, SYS_execve));
}

/// The thread runs on. A record that holds it needs a stop, so its sample is asked for.
void Tracer::take_sample(Thread& thread, uint32_t id, const Sample& sample) {
  const ArmedTap* tap = taps_.find(id);
  if (tap == nullptr || !tap->covers(*thread.process) || abandoned_ || thread.process->silent ||
      thread.process->leaving)
    return;
  if (recorder_.holds(tap->probe)) return ask_sample(thread, id);
  machine::Registers regs = sample.registers;
  if (thread.step.active && machine::pc(regs) - thread.step.slot < kSlotBytes) machine::set_pc(regs, thread.step.site);
  Firing firing;
  firing.probe = tap->probe;
  firing.stack = &sample.stack;
  firing.args[SONDE_ARG_PROFILE_USER_PC] = machine::pc(regs);
  recorder_.run(thread, firing, &regs);
  if (recorder_.should_wake()) events_.data();
}

/// Samples a thread only between two of its instructions: during a step the program counter may be in a slot. A thread
/// that has fallen asleep since it was found running gets no sample.
void Tracer::ask_sample(Thread& thread, uint32_t tap) {
  if (abandoned_ || thread.step.active || utrace_task_stopped(thread.task)) return;
  if (std::ranges::find(thread.samples, tap) != thread.samples.end()) return;
  if (Sleep sleep; read_sleep(thread.tid, &sleep)) return;
  thread.samples.push_back(tap);
  want_events(thread);
  utrace_control(thread.task, thread.engine, UTRACE_INTERRUPT);
}

void Tracer::fire_samples(Thread& thread) {
  const std::vector<uint32_t> due = std::exchange(thread.samples, {});
  want_events(thread);
  machine::Registers* regs = utrace_registers(thread.task);
  if (regs == nullptr || thread.step.active) return;
  std::vector<Firing> firings;
  for (uint32_t id : due) {
    const ArmedTap* tap = taps_.find(id);
    if (tap == nullptr || !tap->covers(*thread.process)) continue;
    if (!sampler_.accepts(thread, id, current_call(thread) >= 0)) continue;
    Firing& firing = firings.emplace_back();
    firing.probe = tap->probe;
    firing.call = current_call(thread);
    firing.args[SONDE_ARG_PROFILE_USER_PC] = machine::pc(*regs);
  }
  fire_all(thread, firings, regs);
}

void Tracer::take_stack(Thread& thread) {
  thread.stack_asked = false;
  want_events(thread);
  if (machine::Registers* regs = utrace_registers(thread.task)) thread.stack = guard::stack_of(thread, *regs);
}

/// At the first stop of a child whose memory could not be opened: opens it, for its own breakpoints, and takes out those
/// that were copied from its parent and are not its own. Where that fails, they are emulated.
void Tracer::clean(Thread& thread) {
  thread.unclean = false;
  AddressSpace& space = *thread.process->space;
  const Lent lent(thread);
  (void)space.settle_debts();
  if (space.reachable()) return;
  const bool restored = while_dumpable(thread, [&] { (void)(space.settle_debts() && space.reachable()); });
  if (!restored)
    events_.harm(name_of(*thread.process) + " was made dumpable for a moment, and could not be made undumpable again");
  if (space.reachable()) return;
  events_.harm(name_of(*thread.process) + ", forked by a traced one, holds " + std::to_string(space.sites().size()) +
               " breakpoints of sonde: its memory cannot be written. " +
               "Where they cannot be emulated it dies of a SIGTRAP");
}

uint32_t Tracer::on_quiesce(Thread& thread, uint32_t event) {
  if (event == 0 && thread.unclean) clean(thread);
  if (!thread.samples.empty()) fire_samples(thread);
  if (thread.stack_asked) take_stack(thread);
  if (event != 0 || !thread.newborn) return resume_action(thread);
  thread.newborn = false;
  want_events(thread);
  if (thread.tid == thread.process->pid) fire(thread, taps_.of(SONDE_TAP_START), Firing());
  fire(thread, taps_.of(SONDE_TAP_LWP_START), Firing());
  return resume_action(thread);
}

/// Keeps the status that wait() will return for the process: that of exit_group() or of the signal that ends it. If each
/// thread ends by itself, it is that of the last one, in kernels before 6.0 that of the leader. Of two threads that end
/// at the same moment, the last one is the one whose stop is reported last.
void Tracer::note_exit(Thread& thread, long code) {
  Process& process = *thread.process;
  const bool alone = current_call(thread) == SYS_exit && WIFEXITED(code);
  if (process.has_group_code) return;
  process.has_group_code = !alone;
  if (alone && !last_thread_decides() && thread.tid != process.pid) return;
  process.status = code;
}

void Tracer::notify_walked(Process& process, Nanoseconds time, bool whole) {
  Unwinder& unwinder = process.space->unwinder();
  for (const Mapping& mapping : unwinder.take_files(process.pid))
    events_.mapping(process.pid, mapping, SONDE_MAPPING_SEEN, time, file_to_send(process.pid, mapping).get());
  for (const LackingStack& found : unwinder.take_lacking(whole)) notify_lacking(process, found);
}

/// Opens each file, once while it is remembered. Now its path leads there, or the process does, because the process
/// waits. The consumer keeps it, so its inode's number belongs to no other file meanwhile.
UniqueFd Tracer::file_to_send(pid_t pid, const Mapping& mapping) {
  constexpr size_t kMostFiles = 16384;  // remembered
  constexpr int kHighest = 512;         // the others are for breakpoints
  if (mapping.inode == 0) return UniqueFd();
  if (sent_files_.size() >= kMostFiles) sent_files_.clear();
  if (!sent_files_.insert({mapping.major, mapping.minor, mapping.inode}).second) return UniqueFd();
  MapEntry entry{mapping.start,
                 mapping.end,
                 mapping.offset,
                 true,
                 false,
                 mapping.path,
                 {mapping.major, mapping.minor, mapping.inode}};
  entry.deleted = take_deleted_mark(entry.path);
  const auto path = file_of(static_cast<uint32_t>(pid), entry);
  UniqueFd file(path ? open(path->c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1);
  return file.get() < kHighest ? std::move(file) : UniqueFd();
}

void Tracer::expect_walks() {
  for (auto& [pid, process] : targets_.processes()) process->space->expect_walks();
}

/// Stacks may be printed after the process has ended. It still has its mappings now, so they are sent to the consumer.
void Tracer::notify_mappings(Thread& thread) {
  const Nanoseconds now = monotonic_now();
  AddressSpace space(thread.process->pid);
  for (const Mapping& mapping : space.refresh(thread.process->pid))
    if (mapping.path.starts_with('/')) events_.mapping(thread.process->pid, mapping, SONDE_MAPPING_ENDS, now, -1);
  breakpoints_.notice_uprobes(*thread.process, space);
  notify_lost(*thread.process);
}

uint32_t Tracer::on_exit(Thread& thread, long code) {
  if (thread.exited) return resume_action(thread);
  sampler_.settle(thread);
  thread.exited = true;
  thread.pending.clear();  // it was killed while it was held
  thread.held = false;
  thread.page_wait.reset();
  thread.unacknowledged = 0;
  thread.awaits_slot = false;
  Process& process = *thread.process;
  note_exit(thread, code);
  const auto threads = targets_.threads_of(process.pid);
  const bool last = std::all_of(threads.begin(), threads.end(), [](const Thread* other) { return other->exited; });
  if (taps_.any(SONDE_TAP_SIGNAL_SEND)) fire_send(thread, last_send_of(thread, utrace_get_call(thread.task)));
  fire(thread, taps_.of(SONDE_TAP_LWP_EXIT), of_end(static_cast<int>(code)));
  if (last) notify_mappings(thread);
  if (last) free_hidden_children(process);
  if (last) fire(thread, taps_.of(SONDE_TAP_EXIT), of_end(static_cast<int>(process.status)));
  return thread.held ? UTRACE_STOP : UTRACE_RESUME;  // nothing else may delay its end
}

void Tracer::on_death(Thread& thread, bool group_dead) {
  Process* const process = thread.process;
  const pid_t pid = process->pid;
  stepper_.thread_gone(thread);
  breakpoints_.forget_return(thread);
  utrace_engine_put(thread.engine);
  sampler_.forget(thread.tid);
  targets_.erase_thread(thread.tid);
  serve_waiting();
  if (!group_dead) return;
  const bool requested = process->requested;
  const long status = process->status;
  if (process->space.use_count() > 1) process->space->reinstate();
  targets_.erase_process(pid);
  if (requested) events_.gone(pid, status);
}

void Tracer::fire_send(Thread& thread, const std::optional<Firing>& send) {
  if (send) fire(thread, taps_.of(SONDE_TAP_SIGNAL_SEND), *send);
}

void Tracer::fire_discard(Thread& thread, const siginfo_t& info) {
  Firing firing = of_signal(info);
  sonde_receiver_args(firing.args.data(), thread.process->pid, thread.tid);
  fire(thread, taps_.of(SONDE_TAP_SIGNAL_DISCARD), firing);
}

void Tracer::fire_deliver(Thread& thread, const siginfo_t& info, uint64_t handler) {
  if (!taps_.any(SONDE_TAP_SIGNAL_DELIVER)) return;
  Firing firing = of_signal(info);
  const bool kernel_trap = info.si_signo == SIGTRAP && info.si_code > 0;  // `handler` is not set for these
  firing.args[SONDE_ARG_SIGNAL_DELIVER_HANDLER] =
      kernel_trap ? reinterpret_cast<uint64_t>(utrace_handler(thread.task, SIGTRAP)) : handler;
  fire(thread, taps_.of(SONDE_TAP_SIGNAL_DELIVER), firing);
}

/// Before a signal that kills the process with a core: so that the core has the program's own bytes. Its other threads
/// may run for a moment without breakpoints. A process that shares the memory and survives gets them back.
void Tracer::withdraw(Thread& thread) {
  if (const size_t left = thread.process->space->withdraw(); left > 0)
    events_.notice(name_of(*thread.process) + " dumps core with " + std::to_string(left) +
                   " breakpoints of sonde in it");
}

uint32_t Tracer::on_signal(Thread& thread, uint32_t action, machine::Registers* regs, siginfo_t& info,
                           const struct sigaction* orig) {
  uint32_t verdict = action & UTRACE_SIGNAL_MASK;
  if (verdict == UTRACE_SIGNAL_HANDLER && std::exchange(thread.trap_delivered, false) && regs != nullptr)
    sigtrap_.handler_begins(thread, *regs);
  if (verdict == UTRACE_SIGNAL_REPORT || verdict == UTRACE_SIGNAL_HANDLER) return verdict | resume_action(thread);
  uint64_t handler = orig != nullptr ? reinterpret_cast<uint64_t>(orig->sa_handler) : 0;
  if (info.si_signo == SIGTRAP && info.si_code <= 0 && regs != nullptr && keep_own_trap(thread, *regs, info))
    return UTRACE_SIGNAL_IGN | resume_action(thread);
  if (info.si_signo == SIGTRAP && info.si_code > 0 && regs != nullptr) {
    verdict = on_trap(thread, *regs, info, handler);
    if (verdict == UTRACE_SIGNAL_IGN) return verdict | resume_action(thread);
  }
  if (regs != nullptr && stepper_.signalled(thread, *regs, info, verdict, handler))
    return UTRACE_SIGNAL_IGN | resume_action(thread);
  if (!thread.step.active && regs != nullptr) want_events(thread);
  if (verdict != UTRACE_SIGNAL_IGN && dumps_core(thread, info)) withdraw(thread);
  if (verdict == UTRACE_SIGNAL_IGN)
    fire_discard(thread, info);
  else
    fire_deliver(thread, info, handler);
  // Asks for a report at the first instruction of the handler, if there is a handler.
  thread.trap_delivered = info.si_signo == SIGTRAP && thread.process->space->had_sites();
  const uint32_t resume = resume_action(thread);
  return verdict | (thread.trap_delivered && resume == UTRACE_RESUME ? UTRACE_REPORT : resume);
}

}  // namespace sonde::guard
