// SPDX-License-Identifier: GPL-3.0-or-later
// The processes that a run traces: programs of -c, processes of -p, and those that a prompt starts and attaches to
// later
//
//   begin()          starts a program of -c, which will wait at its exec; meanwhile its script is compiled
//   await()          the program is at its exec, its pid is known, and it waits for go()
//   attach_noted()   attaches to the processes of -p and, with -x children, to their children
//   go()             all of them run
//
// If the run fails before go(), kill_waiting() kills the programs of -c: they must not run untraced.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/base/terminal_end.h"
#include "runtime/body/output.h"
#include "runtime/framework/framework.h"
#include "runtime/lang/options.h"
#include "runtime/source/event_source.h"
#include "runtime/syscall/present_call.h"

namespace sonde {

/// Context: the session's thread.
class Targets {
 public:
  /// All must outlive it. `source` may be null: then nothing can be started or attached to.
  Targets(EventSource* source, Framework& framework, const Options& options, Output& output);

  /// Whether programs can be started and processes attached to.
  bool possible() const { return control_ != nullptr; }
  /// Notes the processes that attach_noted() will attach to; called before programs are begun. The number of a thread
  /// stands for its process. Errors: ESRCH, one does not exist.
  Result<void> note_attached(const std::vector<uint32_t>& pids);
  /// As note_attached(), for processes that a script names: if one is none, the provider reports it.
  void note_named(std::span<const uint32_t> pids);
  /// Starts a program of -c. `forecast`: which of its calls must stop, and whether its libraries must be mapped first.
  /// `terminal`: what it writes to; none: our own standard streams.
  Result<void> begin(const std::vector<std::string>& words, const Forecast& forecast,
                     const std::optional<TerminalEnd>& terminal = {});
  /// Waits until the programs are at their exec, or where evaltime wants them. After that all targets are known. Later
  /// calls return the same.
  Result<void> await();
  /// Attaches to the processes that were noted. Existing children of these are reported, or attached to with -x
  /// children; children that are born from now on are traced in any case.
  Result<void> attach_noted();
  Result<void> go();

  // For a prompt, while a run goes on.
  Result<uint32_t> start(const std::vector<std::string>& words, const std::optional<TerminalEnd>& terminal = {});
  /// Returns the process: `number` may be that of a thread.
  Result<uint32_t> attach(uint32_t number);

  /// Lets all processes go that are traced, and returns how many there were; the run goes on, and may get new targets.
  Result<uint64_t> stop();
  /// Lets all targets go, at the end of the run: they run on, untraced.
  void release();
  /// Kills the programs of -c among those that the last release() let go.
  void kill_started();
  /// Kills the programs of -c that have not got go().
  void kill_waiting();

  /// A target has ended.
  void note_end(uint32_t pid, int wait_status);
  void note_all_gone() { live_.clear(); }
  std::function<void(uint32_t pid, int wait_status)> on_end = [](uint32_t, int) {};

  /// The targets that have not ended, the programs of -c first.
  const std::vector<uint32_t>& live() const { return live_; }
  /// There were targets, and all have ended.
  bool all_ended() const { return had_some_ && live_.empty(); }
  /// The wait status of the first program that was begun; none: it has not ended, or there was none.
  std::optional<int> end_of_program() const { return end_of_program_; }
  /// For programs whose exec is shown: pid and the arguments of the exec.
  const std::vector<std::pair<uint32_t, std::string>>& execs() const { return execs_; }
  /// The processes that attach_noted() attaches to.
  const std::vector<uint32_t>& noted() const { return noted_; }
  /// A line for each thread, of targets and their descendants, that sleeps in a system call now, and what `below` makes
  /// of process and thread, if it is given.
  std::string calls_under_way(const std::function<std::string(uint32_t pid, uint32_t tid)>& below = {}) const;

 private:
  /// A program of -c that may not have reached its exec yet.
  struct Begun {
    std::vector<std::string> words;
    bool awaited;  ///< descriptions match its libraries, so these are mapped before it is matched
  };
  Result<void> await_program(const Begun& program);
  uint32_t process_of(uint32_t number);
  void report_left_out(uint32_t pid, size_t children);
  std::string path_of_exec(uint32_t pid) const;
  ReadMemory reader_of(uint32_t pid) const;

  TargetControl* control_;  ///< null: the source controls no targets, or there is no source
  ThreadControl* threads_;
  std::string source_name_;
  Framework& framework_;
  const Options& options_;
  Output& output_;
  std::vector<Begun> begun_;
  bool known_ = false;
  std::optional<Error> not_started_;  ///< the error of the first program that did not start
  std::vector<uint32_t> started_;     ///< programs of -c
  std::vector<uint32_t> noted_;       ///< processes to attach to
  std::vector<uint32_t> live_;
  std::vector<uint32_t> released_;  ///< those that the last release() let go
  std::vector<std::pair<uint32_t, std::string>> execs_;
  std::optional<int> end_of_program_;
  bool had_some_ = false;
  bool going_ = false;
};

}  // namespace sonde
