// SPDX-License-Identifier: GPL-3.0-or-later
// The task finder
//
// Watches for threads that match, and reports them to a callback: those that exist when it starts and, by following
// CLONE and EXEC, those that appear later. Its engine is the first on each thread, so the engines that a target
// attaches in `callback` are there before any event of that thread is reported.
//
// A match is by process: by its pid, by the path of its executable, by a wildcard on that path, or always. An exec ends
// the old matches (register_p = 0) and matches again. The mmap, munmap and mprotect callbacks are made at the exits of
// those calls and of mremap; the calls are watched only if a target has such a callback.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/utrace/utrace.h"

namespace sonde {

struct FinderTarget {
  enum class By { Pid, Path, Wildcard, All };
  By by = By::All;
  pid_t pid = 0;
  std::string path;  ///< of the executable, or a wildcard for it (fnmatch; '*' does not match '/')

  /// A thread was found (register_p) or goes away. process_p: it stands for the whole process: the leader when found,
  /// the last thread when gone. Returning non-zero for a found thread declines it.
  std::function<int(FinderTarget&, utrace_task*, bool register_p, bool process_p)> callback;
  /// A file was mapped (with an empty path: anonymous memory). `protection` and `offset` are those of mmap.
  std::function<void(FinderTarget&, utrace_task*, const std::string& path, uint64_t address, uint64_t length,
                     uint64_t offset, int protection)>
      mmap_callback;
  std::function<void(FinderTarget&, utrace_task*, uint64_t address, uint64_t length)> munmap_callback;
  std::function<void(FinderTarget&, utrace_task*, uint64_t address, uint64_t length, int protection)> mprotect_callback;
};

/// One finder on a host. Context: the host's thread.
class TaskFinder {
 public:
  explicit TaskFinder(UtraceHost& host);
  ~TaskFinder();  ///< stop()
  TaskFinder(const TaskFinder&) = delete;
  TaskFinder& operator=(const TaskFinder&) = delete;

  /// The target must live until stop(). Before or after start().
  void add(FinderTarget* target);
  /// Visits all threads of the host, and from now on every new one: it replaces host.on_new_task by a hook that calls
  /// the present one, too.
  void start();
  /// Leaves every thread, without callbacks.
  void stop();

 private:
  struct Watch;
  static const utrace_engine_ops kOps;
  void watch(utrace_task* task, utrace_task* parent, uint64_t clone_flags);
  void match(Watch& watch, utrace_task* task);
  void begin(Watch& watch, utrace_task* task, FinderTarget* target);
  void end(Watch& watch, utrace_task* task, bool process);
  void update_events(Watch& watch, utrace_task* task);
  void mapped(Watch& watch, utrace_task* task, const machine::Registers& registers);

  UtraceHost& host_;
  std::vector<FinderTarget*> targets_;
  std::vector<std::unique_ptr<Watch>> watches_;
  std::function<void(utrace_task*, utrace_task*, uint64_t)> next_;
  bool started_ = false;
};

}  // namespace sonde
