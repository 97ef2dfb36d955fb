// SPDX-License-Identifier: GPL-3.0-or-later
// The API of utrace.h: engines, with the error codes of the kernel's API
//
// An engine knows its thread until it is detached, and every call goes by the engine. So a call with a detached engine
// is safe and returns ESRCH, even if the thread pointer that was passed is stale.
#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "runtime/base/check.h"
#include "runtime/base/unique_fd.h"
#include "runtime/utrace/core.h"
#include "runtime/utrace/pages.h"
#include "runtime/utrace/thread_status.h"

namespace sonde {
namespace {

Engine& whole(utrace_engine* engine) { return *static_cast<Engine*>(engine); }

Engine* match(const utrace_task& task, uint32_t flags, const utrace_engine_ops* ops, const void* data) {
  if (!(flags & (UTRACE_ATTACH_MATCH_OPS | UTRACE_ATTACH_MATCH_DATA))) return nullptr;
  for (Engine* engine : task.engines) {
    if (!engine || engine->leaving) continue;
    if ((flags & UTRACE_ATTACH_MATCH_OPS) && engine->ops != ops) continue;
    if ((flags & UTRACE_ATTACH_MATCH_DATA) && engine->data != data) continue;
    return engine;
  }
  return nullptr;
}

bool gone(const utrace_task* task) { return !task || task->life == Life::Reaped; }

/// DETACH from outside of a callback of the engine. EINPROGRESS: a callback of it is running, and is its last.
int detach(utrace_task& task, Engine& engine) {
  if (task.in_death && (engine.flags & UTRACE_EVENT_DEATH)) return -EALREADY;
  bool kept = task.core->held(task);
  if (engine.reporting) {
    engine.leaving = true;
    return -EINPROGRESS;
  }
  Core& core = *task.core;
  core.unlink(task, engine);
  if (kept && !core.held(task)) core.queue(task);
  return 0;
}

/// STOP. Returns 0 if the thread is stopped now, and will stay so.
int stop(utrace_task& task, Engine& engine) {
  engine.choice = UTRACE_STOP;
  engine.controlled = true;
  if (task.life == Life::Listening) {
    // Job control has stopped it already. Take it out of LISTEN so that it can be examined.
    return task.core->end_listen(task) ? 0 : -EINPROGRESS;
  }
  if (task.life == Life::Stopped) return task.dispatching ? -EINPROGRESS : 0;
  task.core->interrupt(task, true);
  return -EINPROGRESS;
}

int report(utrace_task& task, Engine& engine, uint32_t action) {
  if (task.life == Life::Stopped && !task.dispatching) {
    engine.choice = UTRACE_RESUME;
    task.repeat = true;
    task.core->queue(task);
    return 0;
  }
  if (task.life == Life::Stopped) {
    if (engine.choice == UTRACE_STOP) engine.choice = action;
    task.report_wanted = true;
    return 0;
  }
  engine.choice = UTRACE_RESUME;
  if (task.life == Life::Listening) {
    task.report_wanted = true;  // takes effect when job control lets it continue
    return 0;
  }
  if (action == UTRACE_REPORT) {
    task.core->interrupt(task, true);
    return 0;
  }
  task.report_wanted = true;
  Sleep sleep;
  if (task.in_syscall && task.running_full && !read_sleep(task.tid, &sleep))
    task.report_at_exit = true;  // the exit stop comes soon, and the call is not interrupted
  else
    task.core->send_interrupt(task);
  return 0;
}

int resume(utrace_task& task, Engine& engine, uint32_t action) {
  engine.choice = action;
  engine.controlled = true;
  if (task.life == Life::Stopped)
    task.core->queue(task);
  else if (action != UTRACE_RESUME && !task.stepped)
    task.core->interrupt(task, false);
  return 0;
}

}  // namespace

int utrace_attach_task(utrace_task* task, uint32_t flags, const utrace_engine_ops* ops, void* data,
                       utrace_engine** engine) {
  if (!core_of_thread || !core_of_thread->valid(task) || gone(task)) return -ESRCH;
  if (Engine* found = match(*task, flags, ops, data)) {
    if (flags & UTRACE_ATTACH_EXCLUSIVE) return -EEXIST;
    utrace_engine_get(found);
    *engine = found;
    return 0;
  }
  if (!(flags & UTRACE_ATTACH_CREATE)) return -ENOENT;
  if (!ops) return -EINVAL;
  auto made = new Engine;
  made->ops = ops;
  made->data = data;
  made->flags = 0;
  made->task = task;
  made->references = 2;
  task->engines.push_back(made);
  *engine = made;
  return 0;
}

void utrace_engine_get(utrace_engine* engine) { ++whole(engine).references; }

void utrace_engine_put(utrace_engine* engine) {
  Engine& it = whole(engine);
  SONDE_CHECK(it.references > 0);
  if (--it.references) return;
  SONDE_CHECK(!it.task);
  if (it.ops->release) it.ops->release(it.data);
  delete &it;
}

int utrace_set_events(utrace_task*, utrace_engine* engine, uint32_t events) {
  Engine& it = whole(engine);
  utrace_task* task = it.task;
  if (gone(task) || it.leaving) return -ESRCH;
  uint32_t cleared = it.flags & ~events, added = events & ~it.flags;
  if (task->life == Life::Dead)
    if ((cleared & UTRACE_EVENT_DEATH) || (added & (UTRACE_EVENT_DEATH | UTRACE_EVENT_QUIESCE))) return -EALREADY;
  it.flags = events;
  task->core->recompute(*task);
  // The engine's own callback knows of the change; one further out on the stack may still act on the old events.
  return cleared && it.reporting && task->core->current != task ? -EINPROGRESS : 0;
}

int utrace_control(utrace_task*, utrace_engine* engine, utrace_resume_action action) {
  Engine& it = whole(engine);
  utrace_task* task = it.task;
  if (action > UTRACE_DETACH) return -EINVAL;
  if (gone(task) || it.leaving) return -ESRCH;
  if (action == UTRACE_DETACH) return detach(*task, it);
  // After its exit stop nothing can hold a thread, and only its death is reported.
  if (task->life == Life::Dead || (task->stop == Stop::Death && task->life == Life::Running)) return -ESRCH;
  switch (action) {
    case UTRACE_STOP: return stop(*task, it);
    case UTRACE_INTERRUPT:
    case UTRACE_REPORT: return report(*task, it, action);
    case UTRACE_SINGLESTEP:
    case UTRACE_BLOCKSTEP:
    case UTRACE_RESUME: return resume(*task, it, action);
    case UTRACE_DETACH:
    case UTRACE_RESUME_MASK: break;
  }
  return -EINVAL;
}

int utrace_barrier(utrace_task*, utrace_engine* engine) {
  Engine& it = whole(engine);
  if (!it.task && !it.reporting) return -ESRCH;
  if (!it.reporting || (it.task && it.task->core->current == it.task)) return 0;
  // The callback is further out on our own stack: waiting for it here would never end.
  return -EINTR;
}

int utrace_prepare_examine(utrace_task*, utrace_engine* engine, utrace_examiner* examiner) {
  Engine& it = whole(engine);
  utrace_task* task = it.task;
  if (gone(task) || task->life == Life::Dead) return -ESRCH;
  if (it.choice != UTRACE_STOP && !task->dispatching) return -EINVAL;
  if (task->life != Life::Stopped) return -EAGAIN;
  examiner->stops = task->stops;
  return 0;
}

int utrace_finish_examine(utrace_task*, utrace_engine* engine, utrace_examiner* examiner) {
  Engine& it = whole(engine);
  utrace_task* task = it.task;
  if (gone(task) || task->life == Life::Dead) return -ESRCH;
  return task->life == Life::Stopped && task->stops == examiner->stops ? 0 : -EAGAIN;
}

pid_t utrace_task_tid(const utrace_task* task) { return task->tid; }
pid_t utrace_task_pid(const utrace_task* task) { return task->pid; }

void utrace_narrow_syscalls(utrace_engine* engine, const utrace_syscall_set* entries, const utrace_syscall_set* exits) {
  Engine& it = whole(engine);
  it.narrow_entries = entries;
  it.narrow_exits = exits;
  if (entries) it.entries = *entries;
  if (exits) it.exits = *exits;
  if (!gone(it.task)) it.task->core->recompute(*it.task);
}

bool utrace_task_stopped(const utrace_task* task) { return task->life == Life::Stopped; }
bool utrace_task_job_stopped(const utrace_task* task) { return task->life == Life::Listening; }
bool utrace_task_caught(const utrace_task* task) { return task->life == Life::Running && task->caught != 0; }

machine::Registers* utrace_registers(utrace_task* task) {
  if (task->life == Life::Listening) {
    // Still stopped by job control: it is queued, and LISTENs again in the next turn.
    if (task->core->end_listen(*task)) task->core->queue(*task);
  }
  return task->core->load_registers(*task) ? &task->registers : nullptr;
}

int utrace_read_memory(utrace_task* task, uint64_t address, void* to, size_t length) {
  if (length == 0) return 0;
  if (Pages pages(task->tid); !pages.bring_in(address, length)) return -EFAULT;
  iovec here{to, length}, there{reinterpret_cast<void*>(address), length};
  ssize_t got = process_vm_readv(task->tid, &here, 1, &there, 1, 0);
  if (got == static_cast<ssize_t>(length)) return 0;
  if (got < 0 && errno == ESRCH) return -ESRCH;
  if (got < 0 && errno != EPERM) return -EFAULT;
  if (got >= 0) return -EFAULT;
  // A process that is not dumpable: an attached tracer may still read it word by word.
  auto bytes = static_cast<uint8_t*>(to);
  for (size_t done = 0; done < length;) {
    uint64_t word_at = (address + done) & ~uint64_t{7};
    errno = 0;
    long word = ptrace(PTRACE_PEEKDATA, task->tid, word_at, nullptr);
    if (errno) return errno == ESRCH ? -ESRCH : -EFAULT;
    size_t skip = address + done - word_at, part = std::min(length - done, 8 - skip);
    std::memcpy(bytes + done, reinterpret_cast<uint8_t*>(&word) + skip, part);
    done += part;
  }
  return 0;
}

int utrace_write_memory(utrace_task* task, uint64_t address, const void* from, size_t length) {
  if (length == 0) return 0;
  if (Pages pages(task->tid); !pages.bring_in(address, length, Access::Write)) return -EFAULT;
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/mem", task->tid);
  UniqueFd memory(open(path, O_RDWR | O_CLOEXEC));
  if (!memory) return errno == ENOENT ? -ESRCH : -EFAULT;
  ssize_t put = pwrite(memory.get(), from, length, static_cast<off_t>(address));
  if (put == 0) return -ESRCH;
  return put == static_cast<ssize_t>(length) ? 0 : -EFAULT;
}

}  // namespace sonde
