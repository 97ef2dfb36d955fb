// SPDX-License-Identifier: GPL-3.0-or-later
// One run of the command: source, framework, compiler and consumer, put together in the order that they need.
//
//   source --> framework + providers --> compiler --> enablings --> targets go --> consume --> END
//
// The order matters. A source may fork, so it is opened before anything else exists. With -c, the program must exist
// before the text is compiled when the text speaks of it ($target, pid probes); which of its calls need ever stop must be
// known before the program is started. So its descriptions are looked at first (Compiler::preview,
// Framework::forecast), and compiled when the pid is known.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/output.h"
#include "compiler/compiler.h"
#include "runtime/base/result.h"
#include "runtime/consumer/consumer.h"
#include "runtime/framework/framework.h"
#include "runtime/lang/options.h"
#include "runtime/source/registry.h"
#include "runtime/syscall/present_call.h"

namespace sonde {

class Session {
 public:
  /// `targets`: some will be named. It may fork, so call it before threads and LLVM exist.
  /// `prompt`: targets get no terminal input and a process group of their own.
  static Result<std::unique_ptr<Session>> create(Options& options, FileOutput& output, bool targets, bool prompt);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Starts -c programs (held at their exec) and notes -p processes; `texts` decide about filter and entry. It returns
  /// before the programs are there, where `texts` can be compiled without them; compile() gives the error then.
  Result<void> prepare_targets(const std::vector<std::vector<std::string>>& commands, const std::vector<uint32_t>& pids,
                               std::span<const SourceText> texts, const MacroValues& macros);
  Result<std::vector<CompiledText>> compile(std::span<const SourceText> texts, MacroValues macros);
  /// Attaches -p processes, creates buffers, enables, fires BEGIN, lets the targets go.
  Result<void> start(std::span<const CompiledText> texts);
  /// Runs until exit(), the end of the targets, or a signal; then END, and what is left to print. Returns the exit status.
  int run();
  /// A line for each thread that sleeps in a system call: now, where processes were attached, and when the run is interrupted.
  void show_calls_under_way();
  /// The wait status of the program that was started first; none: it has not ended, or there was none.
  std::optional<int> end_of_program() const { return end_of_program_; }
  /// What is printed at the end besides what the script prints: `report`, if any, and with `rest` the aggregations that were not printed.
  void set_end(std::function<std::string(Consumer&)> report, bool rest);
  /// At the end a line says what tracing has cost, where it was much, and another one how many strings were cut.
  void tell_cost() { tells_cost_ = true; }

  // For the prompt.
  Result<std::vector<uint32_t>> enable(const CompiledText& text);  ///< ids of the enablings, to disable()
  Result<void> disable(uint32_t enabling);
  Result<uint32_t> start_target(const std::vector<std::string>& argv);
  Result<void> attach_target(uint32_t pid);
  std::function<void(uint32_t pid, int wait_status)> on_target_end = [](uint32_t, int) {};
  bool has_put_off() const { return !put_off_.empty(); }  ///< events that poll_source() takes
  void release_targets();                                 ///< they run on, untraced
  Result<void> poll_source();                             ///< takes the source's events, drains
  void finish();                                          ///< END, the rest of the output, drops

  Framework& framework() { return *framework_; }
  Consumer& consumer() { return *consumer_; }
  Compiler& compiler() { return *compiler_; }
  BodyProgram& program() { return program_; }
  EventSource* source() { return source_; }
  const std::vector<uint32_t>& targets() const { return live_; }
  /// Kills programs that were started but never let go: after a compile error.
  void abandon_targets();

 private:
  Session(Options& options, FileOutput& output);
  /// A program of -c whose exec is not known to have happened.
  struct Begun {
    std::vector<std::string> words;
    bool awaited;  ///< by descriptions: its libraries are to be mapped before they are matched
  };
  Result<void> begin_spawn(const std::vector<std::string>& words, const Forecast& forecast);
  Result<void> await_targets();
  Result<void> await_program(const Begun& program);
  std::string path_of_exec(uint32_t pid);
  ReadMemory reader_of(uint32_t pid);
  void write_calls_under_way();
  Result<void> take_events();
  void take_names();
  void take_notices();
  std::vector<uint32_t> named_processes(std::span<const SourceText> texts, const MacroValues& macros);
  Result<void> attach_all();
  void tell_left_out(uint32_t pid, size_t children);
  Result<void> take_event(const SourceEvent& event);
  Result<void> take(const TargetGone& gone);
  Result<void> take(const AllGone&);
  Result<void> take(const FileMapped& file);
  Result<void> take(const MappingEnds& mapping);
  Result<void> take(const ProgramChanged& changed);
  Result<void> take(const Notice& notice);
  // The source's own, or nothing to do: the run drains anyway.
  Result<void> take(const DataWaits&) { return {}; }
  Result<void> take(const RingsAdded&) { return {}; }
  Result<void> take(const SourceStays&) { return {}; }
  Result<void> look_at_mapped();
  bool only_begin(const Enabling& enabling);
  void wait(uint64_t timeout_ns);
  Result<void> create_buffers(uint64_t bytes);
  Result<void> check_aggregations();
  Result<void> check_cpu();
  Result<void> check_records();
  Result<void> begin_output();
  std::string_view why_over() const;
  void loop();
  bool over() const;
  void tell_cut_strings();
  void print_statistics();

  Options& options_;
  FileOutput& output_;
  OpenedSource opened_;
  EventSource* source_ = nullptr;     ///< the opened one; null: there is none
  TargetControl* control_ = nullptr;  ///< its; null where there is no source, too
  ThreadControl* threads_ = nullptr;
  std::unique_ptr<Framework> framework_;
  BodyProgram program_;
  std::unique_ptr<Compiler> compiler_;
  std::unique_ptr<Consumer> consumer_;
  std::vector<Begun> begun_;
  bool targets_known_ = false;
  std::optional<Error> not_started_;                     ///< what became of the first program that did not start
  std::vector<uint32_t> spawned_;                        ///< by -c, held until go()
  std::vector<std::pair<uint32_t, std::string>> execs_;  ///< of those whose exec is shown, its arguments
  std::optional<int> end_of_program_;                    ///< the wait status of the first of them
  std::vector<uint32_t> attach_;                         ///< by -p, to be attached by start()
  std::vector<uint32_t> live_;                           ///< targets that have not ended
  bool had_targets_ = false;
  bool going_ = false;
  std::function<std::string(Consumer&)> report_;
  bool prints_rest_ = true;
  std::string script_digest_;  ///< SHA-256 of the texts
  bool tells_cost_ = false;
  bool shows_calls_ = false;
  Nanoseconds began_ = 0;  ///< when the targets were let go
  bool source_lost_ = false;
  std::vector<FileMapped> mapped_;   ///< taken, not looked at yet
  std::deque<SourceEvent> put_off_;  ///< taken by take_names() on its way, for take_events()
};

}  // namespace sonde
