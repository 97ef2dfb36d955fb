// SPDX-License-Identifier: GPL-3.0-or-later
// One run of the command: source, framework, compiler and tracing, put together in the order that they need.
//
//   source --> framework + providers --> compiler --> targets --> tracing (runtime/session/tracing.h)
//
// The order matters. A source may fork, so it is opened before anything else exists. With -c, the program must exist
// before the text is compiled when the text speaks of it ($target, pid probes); which of its calls need ever stop must be
// known before the program is started. So its descriptions are looked at first (Compiler::preview,
// Framework::forecast), and compiled when the pid is known.
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
  /// Enables what was typed: the ids of the enablings.
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
