// SPDX-License-Identifier: GPL-3.0-or-later
// The interface of the compiler: D texts in, enablings and native bodies out.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/check/front_end.h"
#include "compiler/source/diagnostic.h"
#include "runtime/base/result.h"
#include "runtime/lang/options.h"
#include "runtime/program/program.h"

namespace sonde {

/// One compiled text: its clauses are `first` .. `first + count - 1` of the program.
struct CompiledText {
  uint32_t first = 0;
  uint32_t count = 0;
  uint32_t matched = 0;             ///< probes its descriptions match now, clause by clause
  dtrace_attribute_t attributes{};  ///< the least stable of all that its clauses name
};

class Compiler {
 public:
  /// All must outlive the compiler. `program` grows with each call.
  Compiler(BodyProgram& program, ProbeCatalog& probes, Options& options);
  ~Compiler();
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  /// Compiles texts that belong together (all -n, -s ... of a command line, or one entry at the prompt), in order.
  /// Errors: Error::message() is the rendered diagnostic(s); the program keeps no clause of a failed call.
  Result<std::vector<CompiledText>> compile(std::span<const SourceText> texts, const MacroValues& macros);

  /// What the last compile() that failed has reported; empty if it failed for another reason.
  const std::vector<Reported>& reported() const;
  /// What the last compile() found doubtful in its texts, whether it failed or not.
  const std::vector<Reported>& warnings() const;

  /// The descriptions of the texts' clauses, without parsing these or reporting anything; empty if a token is wrong.
  /// Used to choose the seccomp filter before the target, and so $target, exists.
  std::vector<ProbeDescription> preview(std::span<const SourceText> texts, const MacroValues& macros);

  // For those who complete what is typed.
  /// What may stand as the member in which the text ends, or behind its last "." or "->", with the types: members, or the
  /// variables of this-> and self->. Nothing is compiled or reported. It may open debug information of the targets.
  std::vector<NamedType> members(std::string_view text, const MacroValues& macros);
  /// The global variables and inlines that texts have defined.
  std::vector<NamedType> globals() const;

  // For those who check a provider.
  /// Compiles the D texts that plug-ins have brought (add_library_part()), though no script uses them. What is wrong is
  /// printed on standard error, as if one did. Returns the names of the texts that are wrong.
  std::vector<std::string> wrong_library_parts();
  /// What a script that reads args[index] of this probe is told because the provider describes it wrongly: its type is
  /// none, or there is no translator. Empty: nothing of that kind. What depends on the traced program is not wrong.
  std::string wrong_argument(ProbeId probe, int index);

  /// The fire parts of a compiled text, disassembled (-S).
  std::string disassembly(const CompiledText& text) const;
  /// The enablings of a compiled text, in order.
  std::vector<Enabling> enablings(const CompiledText& text) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sonde
