// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/targets.h"

#include "runtime/base/find.h"

namespace sonde::guard {

Thread* Targets::thread(pid_t tid) {
  const auto* found = find_in(threads_, tid);
  return found == nullptr ? nullptr : found->get();
}

Process* Targets::process(pid_t pid) {
  const auto* found = find_in(processes_, pid);
  return found == nullptr ? nullptr : found->get();
}

Thread& Targets::add_thread(utrace_task* task, Process& process) {
  auto made = std::make_unique<Thread>();
  made->task = task;
  made->tid = utrace_task_tid(task);
  made->process = &process;
  return *(threads_[made->tid] = std::move(made));
}

Process& Targets::add_process(pid_t pid) {
  auto made = std::make_unique<Process>();
  made->pid = pid;
  return *(processes_[pid] = std::move(made));
}

void Targets::rename(Thread& thread, pid_t tid) {
  if (thread.tid == tid) return;
  auto node = threads_.extract(thread.tid);
  node.key() = tid;
  threads_.erase(tid);
  threads_.insert(std::move(node));
  thread.tid = tid;
  thread.comm.reset();
  thread.schedstat.reset();
  thread.stat.reset();
}

std::vector<Thread*> Targets::threads_of(pid_t pid) {
  std::vector<Thread*> result;
  for (auto& [tid, thread] : threads_)
    if (thread->process->pid == pid) result.push_back(thread.get());
  return result;
}

void resume_if_free(Thread& thread) {
  const uint32_t action = resume_action(thread);
  if (action != UTRACE_STOP) utrace_control(thread.task, thread.engine, static_cast<utrace_resume_action>(action));
}

}  // namespace sonde::guard
