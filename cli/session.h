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
  /// `targets`: some will be named. It may fork, so call it before threads and LLVM exist.
  /// `prompt`: targets get no terminal input and a process group of their own.
  static Result<std::unique_ptr<Session>> create(Options& options, FileOutput& output, bool targets, bool prompt);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Starts -c programs (held at their exec) and notes -p processes; `texts` determine the filter and the stop at the
  /// entry. If `texts` can be compiled without the programs, it returns before these are started; compile() then
  /// returns their errors.
  Result<void> prepare_targets(const std::vector<std::vector<std::string>>& commands, const std::vector<uint32_t>& pids,
                               std::span<const SourceText> texts, const MacroValues& macros);
  Result<std::vector<CompiledText>> compile(std::span<const SourceText> texts, MacroValues macros);
  /// Attaches -p processes, creates buffers, enables, fires BEGIN, lets the targets go.
  Result<void> start(std::span<const CompiledText> texts);
  /// Runs until exit(), the end of the targets, or a signal; then fires END and prints the rest. Returns the exit
  /// status.
  int run();
  /// Prints a line for each thread that sleeps in a system call: now if processes were attached to, and when the run is
  /// interrupted.
  void show_calls_under_way();
  /// Enables a compiled text; returns the ids of the enablings.
  Result<std::vector<uint32_t>> enable(const CompiledText& text);

  Framework& framework() { return *framework_; }
  Compiler& compiler() { return *compiler_; }
  BodyProgram& program() { return program_; }
  Targets& targets() { return *targets_; }
  Tracing& tracing() { return *tracing_; }

 private:
  Session(Options& options, FileOutput& output);
  std::vector<uint32_t> named_processes(std::span<const SourceText> texts, const MacroValues& macros);
  void write_calls_under_way();

  Options& options_;
  FileOutput& output_;
  OpenedSource opened_;
  std::unique_ptr<Framework> framework_;
  BodyProgram program_;
  std::unique_ptr<Compiler> compiler_;
  std::unique_ptr<Targets> targets_;
  std::unique_ptr<Tracing> tracing_;
  bool shows_calls_ = false;
  std::string script_digest_;  ///< SHA-256 of the texts
};

}  // namespace sonde
