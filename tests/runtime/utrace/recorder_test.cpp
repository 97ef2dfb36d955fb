// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/runtime/utrace/support.h"

namespace sonde {
namespace {

Recorder& of(utrace_engine* engine) { return *static_cast<Recorder*>(engine->data); }

uint32_t quiesce(uint32_t, utrace_engine* engine, utrace_task* task, uint32_t event) {
  Recorder& it = of(engine);
  uint32_t answer = it.note("quiesce", task, event);
  return it.quiesce ? it.quiesce(engine, task, event) : answer;
}
uint32_t signal_(uint32_t action, utrace_engine* engine, utrace_task* task, user_regs_struct*, siginfo_t* info,
                 const struct sigaction*, struct sigaction* after) {
  Recorder& it = of(engine);
  uint32_t kind = action & UTRACE_SIGNAL_MASK;
  const char* name = kind == UTRACE_SIGNAL_REPORT    ? "signal_report"
                     : kind == UTRACE_SIGNAL_HANDLER ? "signal_handler"
                                                     : "signal";
  uint32_t answer = it.note(name, task, info->si_signo);
  if (it.signal) return it.signal(engine, task, info, action, after);
  return (answer & UTRACE_RESUME_MASK) | kind | (answer & UTRACE_SIGNAL_HOLD);
}
uint32_t clone_(uint32_t, utrace_engine* engine, utrace_task* parent, uint64_t flags, utrace_task* child) {
  Recorder& it = of(engine);
  uint32_t answer = it.note("clone", parent, static_cast<long>(flags));
  if (it.follow) it.attach(child, it.events);
  return it.clone ? it.clone(engine, parent, flags, child) : answer;
}
uint32_t jctl(uint32_t, utrace_engine* engine, utrace_task* task, int type, int notify) {
  (void)notify;
  return of(engine).note(type == CLD_STOPPED ? "stopped" : "continued", task, notify);
}
uint32_t exec(uint32_t, utrace_engine* engine, utrace_task* task, const utrace_exec* how, user_regs_struct*) {
  return of(engine).note("exec", task, how->former_tid);
}
uint32_t entry(uint32_t action, utrace_engine* engine, utrace_task* task, user_regs_struct* registers) {
  Recorder& it = of(engine);
  uint32_t answer = it.note(action & UTRACE_SYSCALL_RESUMED ? "entry_resumed" : "entry", task,
                            static_cast<long>(registers->orig_rax));
  return it.entry ? it.entry(engine, task, registers, action) : answer;
}
uint32_t exit_(uint32_t action, utrace_engine* engine, utrace_task* task, user_regs_struct* registers) {
  Recorder& it = of(engine);
  uint32_t answer = it.note("return", task, static_cast<long>(registers->orig_rax));
  return it.exit ? it.exit(engine, task, registers, action) : answer;
}
uint32_t report_exit(uint32_t, utrace_engine* engine, utrace_task* task, long original, long*) {
  Recorder& it = of(engine);
  uint32_t answer = it.note("exit", task, original);
  return it.on_exit ? it.on_exit(engine, task) : answer;
}
uint32_t death(utrace_engine* engine, utrace_task* task, bool group_dead, int) {
  Recorder& it = of(engine);
  uint32_t answer = it.note("death", task, group_dead);
  return it.death ? it.death(engine, task) : answer;
}
void reap(utrace_engine* engine, utrace_task* task) { of(engine).note("reap", task, 0); }
void release(void* data) { ++static_cast<Recorder*>(data)->released; }

constexpr utrace_engine_ops kOps = {quiesce, signal_,     clone_, jctl, exec,   entry,
                                    exit_,   report_exit, death,  reap, release};

}  // namespace

const utrace_engine_ops* Recorder::ops() { return &kOps; }

utrace_engine* Recorder::attach(utrace_task* task, uint32_t wanted) {
  utrace_engine* engine = nullptr;
  events = wanted;
  if (utrace_attach_task(task, UTRACE_ATTACH_CREATE, ops(), this, &engine) != 0) return nullptr;
  utrace_syscall_set set;
  for (uint32_t call : only) set.add(call);
  if (!only.empty()) utrace_narrow_syscalls(engine, &set, &set);
  utrace_set_events(task, engine, wanted);
  utrace_engine*& kept = engines[utrace_task_tid(task)];
  if (kept) utrace_engine_put(kept);
  return kept = engine;
}

uint32_t Recorder::note(const std::string& what, utrace_task* task, long value) {
  if (keep_lines) lines.push_back({what, utrace_task_tid(task), value});
  ++counts[what];
  auto answer = answers.find(what);
  return answer == answers.end() ? uint32_t{UTRACE_RESUME} : answer->second;
}

}  // namespace sonde
