// SPDX-License-Identifier: GPL-3.0-or-later
// The pipeline
//
//   text -> check -> lowered tree -> split -> fire part (DIF) + body (tree) -> body code ..> native code
//
//   check()                         each text in turn, after the user's D libraries: names, types, lowering      check/front_end.h
//   Splitter::split()               all clauses together: fire parts, and what remains for bodies                split/splitter.h
//   BodyCompiler::compile()         bodies as code that is interpreted                                           codegen/body_compiler.h
//   Jit                             native code of bodies that have become hot, while the script runs            llvm/jit.h
//   Splitter::split_remembering()   each clause: the hidden clause that it needs at the entries of calls         split/splitter.h
//
// All texts of a call pass each stage before the next begins, because where a variable lives depends on all its uses.
// No clause becomes part of the program before all have passed. Names are different: a text that has passed the front
// end keeps its declarations, even if a later text or a later stage fails.
#include <charconv>
#include <utility>

#include "compiler/call_probes.h"
#include "compiler/check/directories.h"
#include "compiler/check/library_texts.h"
#include "compiler/check/pragma.h"
#include "compiler/codegen/body_compiler.h"
#include "compiler/compiler.h"
#include "compiler/describe.h"
#include "compiler/dif/disassemble.h"
#include "compiler/llvm/jit.h"
#include "compiler/narrow.h"
#include "compiler/parse/outline.h"
#include "compiler/parse/parser.h"
#include "compiler/split/splitter.h"
#include "runtime/body/subroutines.h"

namespace sonde {

namespace {

/// LLVM takes 9 ms for the first bodies; each run of one in the interpreter takes 0.1 us longer.
constexpr uint32_t kHotRuns = 50'000;

}  // namespace

struct Compiler::Impl {
  Impl(BodyProgram& program, ProbeCatalog& probes, Options& options)
      : program(program),
        probes(probes),
        options(options),
        world(program, probes, options),
        splitter(program, options) {}

  BodyProgram& program;
  ProbeCatalog& probes;
  Options& options;
  World world;
  Splitter splitter;
  BodyCompiler body_compiler;
  Jit jit;
  bool directories_loaded = false;
  std::string wrong_libraries;               ///< what is wrong with the user's libraries
  std::vector<Reported> reported, warnings;  ///< of the last compile()

  Result<std::vector<LoweredUnit>> check(std::span<const SourceText> texts, const MacroValues& macros);
  void load_directories(std::span<const SourceText> texts, const MacroValues& macros);
  std::string unused_argument(std::span<const SourceText> texts, const MacroValues& macros);
  Result<std::vector<SplitClause>> split(std::span<const LoweredUnit> units);
  std::vector<CompiledText> add(std::span<const LoweredUnit> units, std::span<const SplitClause> clauses,
                                std::span<const std::shared_ptr<Body>> bodies);
  std::optional<ClauseDesc> remembering(const LoweredClause& clause);
  uint32_t matches(const LoweredClause& clause);
  void append_rendered(std::string& message, const Diagnostic& diagnostic, const SourceText& source);
};

Result<std::vector<CompiledText>> Compiler::compile(std::span<const SourceText> texts, const MacroValues& macros) {
  // What is wrong with the libraries was reported by the first call, and fails each.
  if (impl_->wrong_libraries.empty()) impl_->reported.clear();
  impl_->warnings.clear();
  Result<std::vector<LoweredUnit>> units = impl_->check(texts, macros);
  if (!units) return std::move(units).error();
  // Beyond this point every expression has a type and a lowered form, and every description matches a probe (or may
  // match none).

  Result<std::vector<SplitClause>> clauses = impl_->split(*units);
  if (!clauses) return std::move(clauses).error();
  // Beyond this point every clause has a verified fire part (sources verify those of single calls), and what its body
  // needs from the event has a slot.

  Result<std::vector<std::shared_ptr<Body>>> bodies = impl_->body_compiler.compile(impl_->program, *clauses);
  if (!bodies) return std::move(bodies).error();
  impl_->jit.compile_when_hot(*bodies, kHotRuns);
  // Beyond this point nothing fails.

  return impl_->add(*units, *clauses, *bodies);
}

// ---- check -----------------------------------------------------------------------------------------------------

Result<std::vector<LoweredUnit>> Compiler::Impl::check(std::span<const SourceText> texts, const MacroValues& macros) {
  load_directories(texts, macros);
  if (!wrong_libraries.empty()) return Error(wrong_libraries);
  Result<std::string> narrow = narrowing(options);
  if (!narrow) return std::move(narrow).error();
  world.narrowing = *narrow;
  std::vector<LoweredUnit> units;
  std::string message;
  for (const SourceText& text : texts) {
    Diagnostics diagnostics;
    units.push_back(front_end(world, text, macros, diagnostics));
    for (const Diagnostic& diagnostic : diagnostics.list()) append_rendered(message, diagnostic, text);
    for (const Diagnostic& diagnostic : diagnostics.warnings()) warnings.push_back({diagnostic, text});
    if (diagnostics.any()) return Error(message);  // later texts may rely on what this one declares
  }
  message = unused_argument(texts, macros);
  if (!message.empty()) return Error(message);
  return units;
}

/// Compiles the declarations in the user's libraries. Their clauses are checked, and never enabled.
void Compiler::Impl::load_directories(std::span<const SourceText> texts, const MacroValues& macros) {
  if (texts.empty() || std::exchange(directories_loaded, true)) return;
  SourceText wrong;
  Diagnostics diagnostics;
  std::vector<SourceText> libraries = directory_libraries(world, texts.front(), wrong, diagnostics);
  for (const Diagnostic& one : diagnostics.list()) append_rendered(wrong_libraries, one, wrong);
  for (size_t i = 0; i < libraries.size() && wrong_libraries.empty(); ++i) {
    Diagnostics own;
    front_end(world, libraries[i], macros, own);
    for (const Diagnostic& one : own.list()) append_rendered(wrong_libraries, one, libraries[i]);
  }
}

/// If no text uses the last word of the command line, that is probably a mistake.
std::string Compiler::Impl::unused_argument(std::span<const SourceText> texts, const MacroValues& macros) {
  const size_t last = macros.arguments.size();
  if (options.flag("argref") || texts.empty() || last == 0 || world.named_arguments.contains(last)) return {};
  const std::string which = "$" + std::to_string(last);
  Diagnostic unused{
      "D_MACRO_UNUSED", "extraneous argument '" + macros.arguments.back() + "' (" + which + " is not referenced)",
      kEndOfText,
      macros.else_meant.empty() ? "name it " + which + " in the program, or use -x argref" : macros.else_meant, ""};
  std::string message;
  append_rendered(message, unused, texts.front());
  return message;
}

void Compiler::Impl::append_rendered(std::string& message, const Diagnostic& diagnostic, const SourceText& source) {
  reported.push_back({diagnostic, source});
  if (!message.empty() && !message.ends_with('\n')) message += '\n';
  message += render(diagnostic, source, options.flag("errtags"));
}

// ---- split -----------------------------------------------------------------------------------------------------

Result<std::vector<SplitClause>> Compiler::Impl::split(std::span<const LoweredUnit> units) {
  Diagnostics diagnostics;
  std::vector<SplitClause> clauses =
      splitter.split(units, diagnostics, [this](const LoweredClause& clause) { return calls_of(probes, clause); });
  std::string message;
  for (size_t i = 0; i < diagnostics.list().size(); ++i)
    append_rendered(message, diagnostics.list()[i], splitter.unit_of(i).source);
  if (!message.empty()) return Error(message);
  return clauses;
}

std::optional<ClauseDesc> Compiler::Impl::remembering(const LoweredClause& clause) {
  Diagnostics none;
  SplitClause split =
      splitter.split_remembering(clause, none, [this](const LoweredClause& one) { return entries_of(probes, one); });
  if (split.fire == nullptr) return std::nullopt;
  ClauseDesc result;
  for (const auto& [probe, program] : split.fire_of_probe) {
    const ProbeInfo& info = probes.info(probe);
    result.descriptions.push_back({info.provider, info.module, info.function, info.name, probe});
  }
  result.fire = split.fire;
  result.fire_of_probe = std::move(split.fire_of_probe);
  result.body = std::make_shared<Body>(sonde_remember_call);
  result.hidden = true;
  return result;
}

// ---- into the program -------------------------------------------------------------------------------------------

std::vector<CompiledText> Compiler::Impl::add(std::span<const LoweredUnit> units, std::span<const SplitClause> clauses,
                                              std::span<const std::shared_ptr<Body>> bodies) {
  std::vector<CompiledText> compiled;
  size_t next = 0;
  for (const LoweredUnit& unit : units) {
    CompiledText text{static_cast<uint32_t>(program.clauses.size()), static_cast<uint32_t>(unit.clauses.size()), 0,
                      unit.attributes};
    const auto source = std::make_shared<const std::string>(unit.source.text);
    for (const LoweredClause& clause : unit.clauses) {
      program.clauses.push_back(describe(clauses[next], source, bodies[next]));
      if (!clause.hidden) text.matched += matches(clause);
      ++next;
    }
    for (const LoweredClause& clause : unit.clauses) {
      auto hidden = remembering(clause);
      if (!hidden) continue;
      program.clauses.push_back(std::move(*hidden));
      ++text.count;
    }
    compiled.push_back(text);
  }
  return compiled;
}

uint32_t Compiler::Impl::matches(const LoweredClause& clause) {
  size_t count = 0;
  for (const ProbeDescription& description : clause.descriptions) count += probes.match(description).size();
  return static_cast<uint32_t>(count);
}

// ---- the door ---------------------------------------------------------------------------------------------------

Compiler::Compiler(BodyProgram& program, ProbeCatalog& probes, Options& options)
    : impl_(std::make_unique<Impl>(program, probes, options)) {}

Compiler::~Compiler() = default;

const std::vector<Reported>& Compiler::reported() const { return impl_->reported; }

const std::vector<Reported>& Compiler::warnings() const { return impl_->warnings; }

/// Macro arguments are known; the other macro variables are numbers, and any number will do here.
static ParserQuestions preview_questions(const World& world, const MacroValues& macros) {
  auto macro = [&macros](std::string_view name) -> std::optional<std::string> {
    if (const auto named = macros.named.find(name); named != macros.named.end()) return named->second;
    size_t number = 0;
    auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || number == 0) return "1";
    return number <= macros.arguments.size() ? macros.arguments[number - 1] : "";
  };
  return {[&world](std::string_view name) { return world.types.find(name) || library_defines_type(name); }, macro};
}

std::vector<ProbeDescription> Compiler::preview(std::span<const SourceText> texts, const MacroValues& macros) {
  std::vector<ProbeDescription> all;
  impl_->load_directories(texts, macros);
  for (const SourceText& text : texts) {
    Diagnostics diagnostics;
    PreparedText prepared = prepare(text.text, diagnostics);
    Checkpoint only_options_stay(impl_->world);
    control_lines(impl_->world, prepared.controls, false, diagnostics);
    const std::vector<ProbeDescription> own = all_descriptions(prepared.text, is_script(text, impl_->options),
                                                               preview_questions(impl_->world, macros), diagnostics);
    if (diagnostics.any()) return {};
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::vector<NamedType> Compiler::members(std::string_view text, const MacroValues& macros) {
  const std::string asking = with_member(text, kAskedMember);
  if (asking.empty()) return {};
  const SourceText source{SourceText::Kind::Name, asking, asking, {}};
  impl_->load_directories({&source, 1}, macros);
  Diagnostics ignored;
  (void)front_end(impl_->world, source, macros, ignored);  // fails, because there is no such member
  return std::exchange(impl_->world.asked, {});
}

std::vector<NamedType> Compiler::globals() const {
  std::vector<NamedType> all;
  for (const auto& [name, symbol] : impl_->world.names.globals)
    if (symbol.type != nullptr && symbol.kind != Symbol::Kind::Prototype) all.push_back({name, symbol.type->name});
  return all;
}

std::vector<std::string> Compiler::wrong_library_parts() {
  std::vector<std::string> wrong;
  impl_->world.checks_definitions = true;
  for (const LibraryPart* part : added_library_parts())
    if (!load_library_part(impl_->world, *part)) wrong.emplace_back(part->file);
  impl_->world.checks_definitions = false;
  return wrong;
}

std::string Compiler::wrong_argument(ProbeId probe, int index) {
  const std::string clause = std::to_string(probe.value) + " { sizeof (args[" + std::to_string(index) + "]); }";
  Diagnostics diagnostics;
  (void)front_end(impl_->world, {SourceText::Kind::Name, clause, clause, {}}, {}, diagnostics);
  for (const Diagnostic& one : diagnostics.list())
    if (one.tag == "D_ARGS_TYPE" || one.tag == "D_ARGS_XLATOR") return one.message;
  return {};
}

std::string Compiler::disassembly(const CompiledText& text) const {
  std::string out;
  for (uint32_t i = text.first; i < text.first + text.count; ++i) {
    const ClauseDesc& clause = impl_->program.clauses[i];
    for (const ProbeDescription& description : clause.descriptions)
      out += (out.empty() ? "" : "\n") + to_string(description);
    out += clause.held ? "    (held)\n" : clause.fire->fold.parts != 0 ? "    (folds)\n" : "\n";
    out += sonde::disassemble(*clause.fire);
  }
  return out;
}

std::vector<Enabling> Compiler::enablings(const CompiledText& text) const {
  std::vector<Enabling> enablings;
  for (uint32_t i = text.first; i < text.first + text.count; ++i) {
    const ClauseDesc& clause = impl_->program.clauses[i];
    enablings.push_back({clause.descriptions, i, clause.fire, clause.held, clause.fire_of_probe});
  }
  return enablings;
}

}  // namespace sonde
