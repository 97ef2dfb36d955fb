// SPDX-License-Identifier: GPL-3.0-or-later
// The pipeline
//
//   text -> check -> tree -> split -> fire part (DIF) + body (tree) -> JIT -> native code
//
//   directory_libraries()           once: the user's D libraries, in the order of their dependencies     check/directories.h
//   front_end()                     each text in turn, those libraries first: names, types, lowering     check/front_end.h
//   Splitter::split()               all clauses together: fire parts, and what is left for bodies        split/splitter.h
//   Jit::compile()                  bodies as native code                                                llvm/jit.h
//   Splitter::split_remembering()   each clause: the hidden clause that it needs on the entries of calls  split/splitter.h
//
// All texts of a call pass each stage before the next begins, for where a variable lives depends on all its
// uses. No clause becomes part of the program before all have passed. Names are different: a text that the front end has
// passed keeps what it declared, though a later text or a later stage fails.
#include <algorithm>
#include <charconv>
#include <utility>

#include "compiler/check/library_texts.h"
#include "compiler/check/pragma.h"
#include "compiler/check/directories.h"
#include "compiler/check/world.h"
#include "compiler/compiler.h"
#include "compiler/dif/disassemble.h"
#include "compiler/llvm/jit.h"
#include "compiler/parse/parser.h"
#include "compiler/source/prepare.h"
#include "compiler/split/splitter.h"
#include "runtime/body/subroutines.h"
#include "runtime/process/syscall_table.h"
#include "runtime/syscall/shape.h"

namespace sonde {
namespace {

/// What a clause does, as the consumer wants to know it.
struct Summary {
  bool records = false, destructive = false;
  std::string impossible;

  void expression(const LoweredExpr& expr) {
    if (expr.kind == LoweredKind::Call && is_action(expr.function->runs)) {
      destructive = destructive || is_destructive(expr.function->runs);
      records = records || is_recording(expr.function->runs);
      if (expr.function->runs == Runs::Impossible) impossible = expr.function->doc;
    }
    for (const LoweredExprPtr& kid : expr.kids) expression(*kid);
  }

  void statements(const std::vector<LoweredStatement>& list) {
    for (const LoweredStatement& statement : list) {
      expression(*statement.expression);
      statements(statement.then_part);
      statements(statement.else_part);
    }
  }
};

/// In the order in which BodyCodegen::statements() numbers them.
void note_places(const std::vector<LoweredStatement>& list, std::vector<ClauseDesc::Span>& places) {
  for (const LoweredStatement& statement : list) {
    places.push_back({statement.where.begin, statement.where.end});
    note_places(statement.then_part, places);
    note_places(statement.else_part, places);
  }
}

ClauseDesc describe(const SplitClause& split, const std::shared_ptr<const std::string>& text, BodyFunction body) {
  const LoweredClause& clause = *split.clause;
  Summary summary;
  summary.statements(clause.statements);
  ClauseDesc result;
  result.descriptions = clause.descriptions;
  result.fire = split.fire;
  result.fire_of_probe = split.fire_of_probe;
  result.body = body;
  result.held = split.held;
  result.default_action = clause.statements.empty();
  result.records = summary.records;
  result.destructive = summary.destructive;
  result.impossible = summary.impossible.empty() ? clause.needs : summary.impossible;
  const LoweredExpr* only = clause.statements.size() == 1 ? clause.statements.front().expression.get() : nullptr;
  result.only_speculates =
      only != nullptr && only->kind == LoweredKind::Call && only->function->runs == Runs::Speculate;
  result.text = text;
  const SourceRange predicate = clause.predicate ? clause.predicate->where : clause.where;
  result.places.push_back({predicate.begin, predicate.end});
  note_places(clause.statements, result.places);
  result.line = place_of(*text, clause.where.begin).line;
  return result;
}

void append_rendered(std::string& message, const Diagnostic& diagnostic, const SourceText& source, bool tags) {
  std::string rendered = render(diagnostic, source, tags);
  if (!message.empty() && !message.ends_with('\n')) message += '\n';
  message += rendered;
}

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
  Jit jit;
  bool directories_loaded = false;
  std::string wrong_libraries;  ///< what is wrong with the user's libraries

  void load_directories(std::span<const SourceText> texts, const MacroValues& macros);
  /// Trees of all texts, checked; of no use when `message` says what is wrong.
  std::vector<std::unique_ptr<LoweredUnit>> check(std::span<const SourceText> texts, const MacroValues& macros,
                                                  std::string& message);
  std::string unused_argument(std::span<const SourceText> texts, const MacroValues& macros) const;
  std::vector<SplitClause> split_units(const std::vector<std::unique_ptr<LoweredUnit>>& units, std::string& message);
  std::vector<CompiledText> add(const std::vector<std::unique_ptr<LoweredUnit>>& units,
                                const std::vector<SplitClause>& clauses, const std::vector<BodyFunction>& bodies);
  uint32_t matches(const LoweredClause& clause);
  std::vector<CallProbe> calls_of(const LoweredClause& clause);
  std::vector<CallProbe> entries_of(const LoweredClause& clause);
  std::optional<ClauseDesc> remembering(const LoweredClause& clause);
  ParserQuestions preview_questions(const MacroValues& macros);
};

/// Macro arguments are known; the other macro variables are numbers, and any number will do.
ParserQuestions Compiler::Impl::preview_questions(const MacroValues& macros) {
  auto macro = [&macros](std::string_view name) -> std::optional<std::string> {
    size_t number = 0;
    auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || number == 0) return "1";
    return number <= macros.arguments.size() ? macros.arguments[number - 1] : "";
  };
  return {[this](std::string_view name) { return world.types.find(name) || library_defines_type(name); }, macro};
}

/// What the user's libraries declare. Clauses in them are checked, and never enabled.
void Compiler::Impl::load_directories(std::span<const SourceText> texts, const MacroValues& macros) {
  if (texts.empty() || std::exchange(directories_loaded, true)) return;
  bool tags = options.flag("errtags");
  SourceText wrong;
  Diagnostics diagnostics;
  std::vector<SourceText> libraries = directory_libraries(world, texts.front(), wrong, diagnostics);
  for (const Diagnostic& one : diagnostics.list()) append_rendered(wrong_libraries, one, wrong, tags);
  for (size_t i = 0; i < libraries.size() && wrong_libraries.empty(); ++i) {
    Diagnostics own;
    front_end(world, libraries[i], macros, own);
    for (const Diagnostic& one : own.list()) append_rendered(wrong_libraries, one, libraries[i], tags);
  }
}

std::vector<std::unique_ptr<LoweredUnit>> Compiler::Impl::check(std::span<const SourceText> texts,
                                                                const MacroValues& macros, std::string& message) {
  std::vector<std::unique_ptr<LoweredUnit>> units;
  load_directories(texts, macros);
  message = wrong_libraries;
  if (!message.empty()) return units;
  for (const SourceText& text : texts) {
    Diagnostics diagnostics;
    units.push_back(std::make_unique<LoweredUnit>(front_end(world, text, macros, diagnostics)));
    for (const Diagnostic& diagnostic : diagnostics.list())
      append_rendered(message, diagnostic, text, options.flag("errtags"));
    if (diagnostics.any()) break;  // later texts may rely on what this one declares
  }
  return units;
}

/// A last word of the command line that no text names is more often a slip than not.
std::string Compiler::Impl::unused_argument(std::span<const SourceText> texts, const MacroValues& macros) const {
  const size_t last = macros.arguments.size();
  if (options.flag("argref") || texts.empty() || last == 0 || world.named_arguments.contains(last)) return {};
  const std::string which = "$" + std::to_string(last);
  Diagnostic unused{"D_MACRO_UNUSED",
                    "extraneous argument '" + macros.arguments.back() + "' (" + which + " is not referenced)",
                    kEndOfText, "name it " + which + " in the program, or use -x argref", ""};
  return render(unused, texts.front(), options.flag("errtags"));
}

std::vector<SplitClause> Compiler::Impl::split_units(const std::vector<std::unique_ptr<LoweredUnit>>& units,
                                                     std::string& message) {
  std::vector<const LoweredUnit*> views;
  for (const auto& unit : units) views.push_back(unit.get());
  Diagnostics diagnostics;
  std::vector<SplitClause> clauses =
      splitter.split(views, diagnostics, [this](const LoweredClause& clause) { return calls_of(clause); });
  for (size_t i = 0; i < diagnostics.list().size(); ++i)
    append_rendered(message, diagnostics.list()[i], splitter.unit_of(i).source, options.flag("errtags"));
  return clauses;
}

/// The probes of system calls that a clause matches. All of them are there before anything is enabled.
std::vector<CallProbe> Compiler::Impl::calls_of(const LoweredClause& clause) {
  std::vector<CallProbe> calls;
  for (const ProbeDescription& description : clause.descriptions) {
    for (ProbeId id : probes.match(description)) {
      const ProbeInfo& info = probes.info(id);
      const SyscallInfo* call = info.provider == "syscall" ? find_syscall(info.function) : nullptr;
      if (call != nullptr) calls.push_back({id, call->number, info.name == "return"});
    }
  }
  return calls;
}

/// The entry probes of those matched returns that show the arguments as they were at entry.
std::vector<CallProbe> Compiler::Impl::entries_of(const LoweredClause& clause) {
  std::vector<CallProbe> entries;
  for (const CallProbe& call : calls_of(clause)) {
    const CallShape* shape = call.returns ? find_shape(call.call) : nullptr;
    if (shape == nullptr || !shape->before) continue;
    const ProbeInfo& info = probes.info(call.probe);
    for (ProbeId entry : probes.match({info.provider, info.module, info.function, "entry", {}}))
      entries.push_back({entry, call.call, false});
  }
  return entries;
}

std::optional<ClauseDesc> Compiler::Impl::remembering(const LoweredClause& clause) {
  Diagnostics none;
  SplitClause split = splitter.split_remembering(
      clause, none, [this](const LoweredClause& one) { return calls_of(one); },
      [this](const LoweredClause& one) { return entries_of(one); });
  if (split.fire == nullptr) return std::nullopt;
  ClauseDesc result;
  for (const auto& [probe, program] : split.fire_of_probe) {
    const ProbeInfo& info = probes.info(probe);
    result.descriptions.push_back({info.provider, info.module, info.function, info.name, probe});
  }
  result.fire = split.fire;
  result.fire_of_probe = split.fire_of_probe;
  result.body = sonde_remember_call;
  result.hidden = true;
  return result;
}

uint32_t Compiler::Impl::matches(const LoweredClause& clause) {
  size_t count = 0;
  for (const ProbeDescription& description : clause.descriptions) count += probes.match(description).size();
  return static_cast<uint32_t>(count);
}

std::vector<CompiledText> Compiler::Impl::add(const std::vector<std::unique_ptr<LoweredUnit>>& units,
                                              const std::vector<SplitClause>& clauses,
                                              const std::vector<BodyFunction>& bodies) {
  std::vector<CompiledText> compiled;
  size_t next = 0;
  for (const auto& unit : units) {
    CompiledText text{static_cast<uint32_t>(program.clauses.size()), static_cast<uint32_t>(unit->clauses.size()), 0,
                      unit->attributes};
    const auto source = std::make_shared<const std::string>(unit->source.text);
    for (const LoweredClause& clause : unit->clauses) {
      program.clauses.push_back(describe(clauses[next], source, bodies[next]));
      text.matched += matches(clause);
      ++next;
    }
    for (const LoweredClause& clause : unit->clauses) {
      auto hidden = remembering(clause);
      if (!hidden) continue;
      program.clauses.push_back(std::move(*hidden));
      ++text.count;
    }
    compiled.push_back(text);
  }
  return compiled;
}

Compiler::Compiler(BodyProgram& program, ProbeCatalog& probes, Options& options)
    : impl_(std::make_unique<Impl>(program, probes, options)) {}

Compiler::~Compiler() = default;

Result<std::vector<CompiledText>> Compiler::compile(std::span<const SourceText> texts, const MacroValues& macros) {
  std::string message;
  std::vector<std::unique_ptr<LoweredUnit>> units = impl_->check(texts, macros, message);
  if (message.empty()) message = impl_->unused_argument(texts, macros);
  if (!message.empty()) return Error(message);
  // Beyond this point every expression has a type and is of a lowered kind, and every description matches a probe (or may match none).

  std::vector<SplitClause> clauses = impl_->split_units(units, message);
  if (!message.empty()) return Error(message);
  // Beyond this point every clause has a verified fire part, and what its body needs from the event has a slot.

  Result<std::vector<BodyFunction>> bodies = impl_->jit.compile(impl_->program, clauses);
  if (!bodies) return std::move(bodies).error();
  // Beyond this point nothing fails.

  return impl_->add(units, clauses, *bodies);
}

std::vector<ProbeDescription> Compiler::preview(std::span<const SourceText> texts, const MacroValues& macros) {
  std::vector<ProbeDescription> all;
  impl_->load_directories(texts, macros);
  for (const SourceText& text : texts) {
    Diagnostics diagnostics;
    PreparedText prepared = prepare(text.text, diagnostics);
    Checkpoint only_options_stay(impl_->world);
    control_lines(impl_->world, prepared.controls, false, diagnostics);
    SyntaxTree tree =
        parse(prepared.text, is_script(text, impl_->options), impl_->preview_questions(macros), diagnostics);
    if (diagnostics.any()) return {};
    for (const Item& item : tree.items)
      if (const auto* clause = std::get_if<ClauseAst>(&item))
        all.insert(all.end(), clause->descriptions.begin(), clause->descriptions.end());
  }
  return all;
}

std::string Compiler::disassembly(const CompiledText& text) const {
  std::string out;
  for (uint32_t i = text.first; i < text.first + text.count; ++i) {
    const ClauseDesc& clause = impl_->program.clauses[i];
    for (const ProbeDescription& description : clause.descriptions)
      out += (out.empty() ? "" : "\n") + to_string(description);
    out += clause.held ? "    (held)\n" : "\n";
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
