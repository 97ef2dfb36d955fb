// SPDX-License-Identifier: GPL-3.0-or-later
// The processes that a run traces: programs of -c, processes of -p, and what a prompt starts and attaches later
//
//   begin()   a program of -c is being started, and will wait at its exec; meanwhile its script is compiled
//   await()   it is there, with its number, and waits for go()
//   attach()  processes of -p, and with -x children those that they have
//   go()      all of them run
//
// A program that was never let go is killed, whatever fails: kill_waiting(). It must not run untraced.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.h"
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

  /// Some can be started and attached to.
  bool possible() const { return control_ != nullptr; }
  /// That these are to be attached to, before the programs are begun. Errors: ESRCH, one is not there.
  Result<void> note_attached(const std::vector<uint32_t>& pids);
  /// As note_attached(), of processes that a text names: one that is not there is left to the provider's message.
  void note_named(std::span<const uint32_t> pids);
  /// A program of -c. `forecast`: which of its calls need stop, and whether its libraries are waited for.
  Result<void> begin(const std::vector<std::string>& words, const Forecast& forecast);
  /// Waits until the programs are at their exec, or where evaltime has them. From then on all targets are known. Called again, it answers the same.
  Result<void> await();
  /// Attaches to the processes that were noted. Children that one has already are reported, or attached to with -x children; children that it makes
  /// from now on are traced in any case.
  Result<void> attach_noted();
  Result<void> go();

  // While a run goes on, for a prompt.
  Result<uint32_t> start(const std::vector<std::string>& words);
  Result<void> attach(uint32_t pid);

  /// Lets them go; they run on, untraced.
  void release();
  /// Kills the programs of -c among those that were released last.
  void kill_started();
  /// Kills the programs of -c that go() was never called for.
  void kill_waiting();

  /// One has ended.
  void note_end(uint32_t pid, int wait_status);
  void note_all_gone() { live_.clear(); }
  std::function<void(uint32_t pid, int wait_status)> on_end = [](uint32_t, int) {};

  /// Those that have not ended. The programs of -c come first.
  const std::vector<uint32_t>& live() const { return live_; }
  /// There were some, and all have ended.
  bool all_ended() const { return had_some_ && live_.empty(); }
  /// The wait status of the program that was begun first; none: it has not ended, or there was none.
  std::optional<int> end_of_program() const { return end_of_program_; }
  /// Of programs whose exec is shown: the arguments of it.
  const std::vector<std::pair<uint32_t, std::string>>& execs() const { return execs_; }
  bool any_attached() const { return !noted_.empty(); }
  /// A line for each thread of targets, and of their descendants, that sleeps in a system call now.
  std::string calls_under_way() const;

 private:
  /// A program of -c whose exec is not known to have happened.
  struct Begun {
    std::vector<std::string> words;
    bool awaited;  ///< by descriptions: its libraries are to be mapped before they are matched
  };
  Result<void> await_program(const Begun& program);
  void report_left_out(uint32_t pid, size_t children);
  std::string path_of_exec(uint32_t pid) const;
  ReadMemory reader_of(uint32_t pid) const;

  TargetControl* control_;  ///< null: the source controls none, or there is no source
  ThreadControl* threads_;
  std::string source_name_;
  Framework& framework_;
  const Options& options_;
  Output& output_;
  std::vector<Begun> begun_;
  bool known_ = false;
  std::optional<Error> not_started_;  ///< what became of the first program that did not start
  std::vector<uint32_t> started_;     ///< programs of -c
  std::vector<uint32_t> noted_;       ///< to be attached to
  std::vector<uint32_t> live_;
  std::vector<uint32_t> released_;  ///< by the last release()
  std::vector<std::pair<uint32_t, std::string>> execs_;
  std::optional<int> end_of_program_;
  bool had_some_ = false;
  bool going_ = false;
};

}  // namespace sonde
