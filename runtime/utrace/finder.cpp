// SPDX-License-Identifier: GPL-3.0-or-later
// Each thread has one engine, a Watch, which knows the targets that have accepted the thread. Mappings are not
// remembered: at a call's exit, what it has mapped is read from /proc by the address that it returned.
#include "runtime/utrace/finder.h"

#include <fnmatch.h>
#include <limits.h>
#include <sys/mman.h>

#include <cstdio>

#include "runtime/base/procfs.h"
#include "runtime/utrace/arch.h"

namespace sonde {

/// The finder's engine on one thread.
struct TaskFinder::Watch {
  TaskFinder* finder;
  utrace_engine* engine;
  std::vector<FinderTarget*> found;  ///< targets whose callback has accepted this thread
};

namespace {

std::string executable_of(pid_t tid) {
  std::string path = read_link("/proc/" + std::to_string(tid) + "/exe");
  constexpr std::string_view kDeleted = " (deleted)";
  if (path.ends_with(kDeleted)) path.resize(path.size() - kDeleted.size());
  return path;
}

/// Reads from /proc/TID/maps what is at `address`: the file, the offset in it, and the protection.
bool read_mapping(pid_t tid, uint64_t address, machine::Mapping* to, std::string* path) {
  FILE* file = std::fopen(("/proc/" + std::to_string(tid) + "/maps").c_str(), "re");
  if (!file) return false;
  char line[PATH_MAX + 128];
  bool found = false;
  while (!found && std::fgets(line, sizeof line, file)) {
    unsigned long first = 0, last = 0, offset = 0;
    char protection[5] = {}, name[PATH_MAX] = {};
    if (std::sscanf(line, "%lx-%lx %4s %lx %*s %*s %4095[^\n]", &first, &last, protection, &offset, name) < 4) continue;
    if (address < first || address >= last) continue;
    found = true;
    to->offset = offset + (address - first);
    to->protection = (protection[0] == 'r' ? PROT_READ : 0) | (protection[1] == 'w' ? PROT_WRITE : 0) |
                     (protection[2] == 'x' ? PROT_EXEC : 0);
    if (name[0] == '/') *path = name;
  }
  std::fclose(file);
  return found;
}

bool matches(const FinderTarget& target, pid_t pid, const std::string& path) {
  switch (target.by) {
    case FinderTarget::By::All: return true;
    case FinderTarget::By::Pid: return target.pid == pid;
    case FinderTarget::By::Path: return target.path == path;
    case FinderTarget::By::Wildcard: return fnmatch(target.path.c_str(), path.c_str(), FNM_PATHNAME) == 0;
  }
  return false;
}

}  // namespace

const utrace_engine_ops TaskFinder::kOps = {
    .report_clone = [](uint32_t, utrace_engine* engine, utrace_task* parent, uint64_t flags,
                       utrace_task* child) -> uint32_t {
      auto& watch = *static_cast<Watch*>(engine->data);
      watch.finder->watch(child, parent, flags);
      return UTRACE_RESUME;
    },
    .report_exec = [](uint32_t, utrace_engine* engine, utrace_task* task, const utrace_exec*,
                      machine::Registers*) -> uint32_t {
      auto& watch = *static_cast<Watch*>(engine->data);
      watch.finder->end(watch, task, true);
      watch.finder->match(watch, task);
      return UTRACE_RESUME;
    },
    .report_syscall_exit = [](uint32_t, utrace_engine* engine, utrace_task* task,
                              machine::Registers* registers) -> uint32_t {
      auto& watch = *static_cast<Watch*>(engine->data);
      if (registers) watch.finder->mapped(watch, task, *registers);
      return UTRACE_RESUME;
    },
    .report_death = [](utrace_engine* engine, utrace_task* task, bool group_dead, int) -> uint32_t {
      auto& watch = *static_cast<Watch*>(engine->data);
      watch.finder->end(watch, task, group_dead);
      return UTRACE_DETACH;
    },
    .release =
        [](void* data) {
          auto watch = static_cast<Watch*>(data);
          std::erase_if(watch->finder->watches_, [watch](auto& each) { return each.get() == watch; });
        },
};

TaskFinder::TaskFinder(UtraceHost& host) : host_(host) {}
TaskFinder::~TaskFinder() { stop(); }

void TaskFinder::add(FinderTarget* target) {
  targets_.push_back(target);
  if (!started_) return;
  for (utrace_task* task : host_.tasks()) {
    for (size_t i = 0; i < watches_.size(); ++i) {
      Watch& watch = *watches_[i];
      utrace_engine* engine = nullptr;
      if (utrace_attach_task(task, UTRACE_ATTACH_MATCH_DATA, nullptr, &watch, &engine) != 0) continue;
      utrace_engine_put(engine);
      if (matches(*target, utrace_task_pid(task), executable_of(utrace_task_tid(task)))) begin(watch, task, target);
      update_events(watch, task);
      break;
    }
  }
}

void TaskFinder::start() {
  if (started_) return;
  started_ = true;
  next_ = host_.on_new_task;
  host_.on_new_task = [this](utrace_task* task, utrace_task* parent, uint64_t flags) {
    watch(task, parent, flags);
    if (next_) next_(task, parent, flags);
  };
  for (utrace_task* task : host_.tasks()) watch(task, nullptr, 0);
}

void TaskFinder::stop() {
  if (!started_) return;
  started_ = false;
  host_.on_new_task = next_;
  std::vector<utrace_engine*> engines;
  for (auto& watch : watches_) engines.push_back(watch->engine);
  for (utrace_engine* engine : engines) utrace_control(nullptr, engine, UTRACE_DETACH);
}

void TaskFinder::watch(utrace_task* task, utrace_task*, uint64_t) {
  utrace_engine* engine = nullptr;
  if (utrace_attach_task(task, UTRACE_ATTACH_MATCH_OPS, &kOps, nullptr, &engine) == 0) {
    auto held = static_cast<Watch*>(engine->data);
    bool ours = held->finder == this;
    utrace_engine_put(engine);
    if (ours) return;
  }
  watches_.push_back(std::make_unique<Watch>(this));
  Watch& made = *watches_.back();
  if (utrace_attach_task(task, UTRACE_ATTACH_CREATE, &kOps, &made, &engine) != 0) {
    watches_.pop_back();
    return;
  }
  made.engine = engine;
  utrace_engine_put(engine);
  match(made, task);
}

void TaskFinder::match(Watch& watch, utrace_task* task) {
  std::string path = executable_of(utrace_task_tid(task));
  for (FinderTarget* target : std::vector<FinderTarget*>(targets_))
    if (matches(*target, utrace_task_pid(task), path)) begin(watch, task, target);
  update_events(watch, task);
}

void TaskFinder::begin(Watch& watch, utrace_task* task, FinderTarget* target) {
  bool process = utrace_task_tid(task) == utrace_task_pid(task);
  if (target->callback && target->callback(*target, task, true, process) != 0) return;
  watch.found.push_back(target);
}

void TaskFinder::end(Watch& watch, utrace_task* task, bool process) {
  auto found = std::move(watch.found);
  watch.found.clear();
  for (FinderTarget* target : found)
    if (target->callback) target->callback(*target, task, false, process);
}

/// Watches the mapping calls only on threads of targets that have a callback for them.
void TaskFinder::update_events(Watch& watch, utrace_task* task) {
  utrace_syscall_set none, exits;
  bool any = false;
  for (FinderTarget* target : watch.found) {
    for (uint32_t call : machine::mapping_calls(bool(target->mmap_callback), bool(target->munmap_callback),
                                                bool(target->mprotect_callback))) {
      exits.add(call);
      any = true;
    }
  }
  utrace_narrow_syscalls(watch.engine, &none, &exits);
  uint32_t events = UTRACE_EVENT_CLONE | UTRACE_EVENT_EXEC | UTRACE_EVENT_DEATH;
  utrace_set_events(task, watch.engine, events | (any ? uint32_t{UTRACE_EVENT_SYSCALL_EXIT} : 0));
}

void TaskFinder::mapped(Watch& watch, utrace_task* task, const machine::Registers& registers) {
  machine::Mapping change;
  if (!machine::mapping_change(registers, &change)) return;
  for (FinderTarget* target : std::vector<FinderTarget*>(watch.found)) {
    if (change.unmapped_length && target->munmap_callback)
      target->munmap_callback(*target, task, change.unmapped, change.unmapped_length);
    if (change.mapped_length && target->mmap_callback) {
      std::string path;
      if (change.file >= 0)
        path = read_link("/proc/" + std::to_string(utrace_task_tid(task)) + "/fd/" + std::to_string(change.file));
      else if (change.moved)
        read_mapping(utrace_task_tid(task), change.mapped, &change, &path);
      target->mmap_callback(*target, task, path, change.mapped, change.mapped_length, change.offset, change.protection);
    }
    if (change.protected_length && target->mprotect_callback)
      target->mprotect_callback(*target, task, change.protected_at, change.protected_length, change.protection);
  }
}

}  // namespace sonde
