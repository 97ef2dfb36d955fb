// SPDX-License-Identifier: GPL-3.0-or-later
// One run of the command: creates source, framework, compiler and tracing, in the necessary order.
//
//   source --> framework + providers --> compiler --> targets --> tracing (runtime/session/tracing.h)
//
// The order matters. Opening a source may fork, so that comes first. With -c, a text that refers to the program
// ($target, pid probes) can be compiled only when the program exists; but the calls that must stop have to be known
// before the program is started. So its descriptions are evaluated first (Compiler::preview, Framework::forecast), and
// it is compiled when the pid is known.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/output.h"
#include "cli/relay.h"
#include "compiler/compiler.h"
#include "runtime/base/result.h"
#include "runtime/framework/framework.h"
#include "runtime/lang/options.h"
#include "runtime/session/targets.h"
#include "runtime/session/tracing.h"
#include "runtime/source/registry.h"

namespace sonde {

class Session {
 public:
  /// `targets`: some will be named. `providers`: those of the probes that will be traced. It may fork, so call it before threads and LLVM exist.
  /// `prompt`: targets get no terminal input and a process group of their own. `terminals`: of Relay::hand_over().
  static Result<std::unique_ptr<Session>> create(Options& options, FileOutput& output, bool targets, bool prompt,
                                                 std::vector<std::string> providers = {},
                                                 const std::vector<std::string>& terminals = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Starts -c programs (held at their exec) and notes -p processes; `texts` determine the filter and the stop at the
  /// entry. If `texts` can be compiled without the programs, it returns before these are started; compile() then
  /// returns their errors.
  Result<void> prepare_targets(const std::vector<std::vector<std::string>>& commands, const std::vector<uint32_t>& pids,
                               std::span<const SourceText> texts, const MacroValues& macros);
  Result<std::vector<CompiledText>> compile(std::span<const SourceText> texts, MacroValues macros);
  /// What the last compile() has found wrong with the texts; empty if it failed for another reason.
  const std::vector<Reported>& reported() const { return reported_; }
  /// Compiler::members(), with $target.
  std::vector<NamedType> members(const std::string& text);
  /// Attaches -p processes, creates buffers, enables, fires BEGIN, lets the targets go.
  Result<void> start(std::span<const CompiledText> texts);
  /// Runs until exit(), the end of the targets, or a signal; then fires END and prints the rest. Returns the exit
  /// status.
  int run();
  /// Prints a line for each thread that sleeps in a system call: now if processes were attached to, and when the run is
  /// interrupted. With `stacks`, the first time each one's user stack below it.
  void show_calls_under_way(bool stacks);
  /// The user stack of a thread of a target that sleeps in a call, or the reason why there is none; indented, ends a line.
  /// `at`: where it is known to sleep: if it has gone on since, the text says that; 0: wherever it is.
  std::string stack_of_sleeper(uint32_t pid, uint32_t tid, uint64_t at = 0);
  /// Enables a compiled text; returns the ids of the enablings.
  Result<std::vector<uint32_t>> enable(const CompiledText& text);

  /// "ptrace", "kmod"; empty: none could be opened without a target.
  std::string_view source_name() const { return opened_.source ? opened_.source->name() : std::string_view(); }
  /// Why this source and no better one; empty: it is the best, or it was asked for by name.
  const std::string& why_source() const { return opened_.missing; }
  Framework& framework() { return *framework_; }
  Compiler& compiler() { return *compiler_; }
  BodyProgram& program() { return program_; }
  Targets& targets() { return *targets_; }
  Tracing& tracing() { return *tracing_; }
  /// Of a prompt.
  Relay& relay() { return *relay_; }
  /// Whether programs get terminals whose output is relayed: on a terminal, where a line is typed.
  static bool relays();

 private:
  Session(Options& options, FileOutput& output);
  MacroValues with_target(MacroValues macros);
  Result<void> begin(const std::vector<std::string>& words, const Forecast& forecast);
  std::vector<uint32_t> named_processes(std::span<const SourceText> texts, const MacroValues& macros);
  void write_calls_under_way(bool stacks);

  Options& options_;
  FileOutput& output_;
  std::unique_ptr<Relay> relay_;
  OpenedSource opened_;
  std::unique_ptr<Framework> framework_;
  BodyProgram program_;
  std::unique_ptr<Compiler> compiler_;
  std::unique_ptr<Targets> targets_;
  std::unique_ptr<Tracing> tracing_;
  std::vector<Reported> reported_;
  bool shows_calls_ = false;
  std::string script_digest_;  ///< SHA-256 of the texts
};

}  // namespace sonde
