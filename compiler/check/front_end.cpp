// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/check/front_end.h"

#include <cctype>
#include <charconv>

#include <unistd.h>

#include "compiler/check/clause.h"
#include "compiler/check/doubtful.h"
#include "compiler/check/library_texts.h"
#include "compiler/check/lower.h"
#include "compiler/check/narrowed.h"
#include "compiler/check/own_names.h"
#include "compiler/check/pragma.h"
#include "compiler/parse/parser.h"
#include "compiler/source/prepare.h"

namespace sonde {
namespace {

/// The macro variables of one text.
class Macros {
 public:
  Macros(const MacroValues& values, World& world) : values_(values), world_(world) {}

  std::optional<std::string> operator()(std::string_view name) const {
    if (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0]))) return argument(name);
    if (name == "target") return std::to_string(values_.target());
    if (name == "pid") return std::to_string(getpid());
    if (name == "ppid") return std::to_string(getppid());
    if (name == "uid") return std::to_string(getuid());
    if (name == "euid") return std::to_string(geteuid());
    if (name == "gid") return std::to_string(getgid());
    if (name == "egid") return std::to_string(getegid());
    if (name == "pgid") return std::to_string(getpgrp());
    if (name == "sid") return std::to_string(getsid(0));
    if (name == "projid" || name == "taskid") return "0";
    const auto named = values_.named.find(name);
    return named == values_.named.end() ? std::nullopt : std::optional(named->second);
  }

 private:
  std::optional<std::string> argument(std::string_view digits) const {
    size_t number = 0;
    for (char c : digits) {
      if (!std::isdigit(static_cast<unsigned char>(c)) || number > 100000) return std::nullopt;
      number = number * 10 + static_cast<size_t>(c - '0');
    }
    if (number == 0) return values_.script_name;
    world_.named_arguments.insert(number);
    if (number <= values_.arguments.size()) return values_.arguments[number - 1];
    if (world_.options.flag("defaultargs")) return "";
    return std::nullopt;
  }

  const MacroValues& values_;
  World& world_;
};

}  // namespace

KnownMacros MacroValues::given() const {
  if (arguments.empty() && named.empty()) return {};
  return [this](std::string_view name) -> std::optional<std::string> {
    if (const auto own = named.find(name); own != named.end()) return own->second;
    size_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool is_number = error == std::errc() && end == name.data() + name.size();
    if (!is_number || number == 0 || number > arguments.size()) return std::nullopt;
    return arguments[number - 1];
  };
}

bool is_script(const SourceText& source, const Options& options) {
  return source.kind == SourceText::Kind::Script && !options.flag("pspec");
}

LoweredUnit front_end(World& world, const SourceText& source, const MacroValues& macros, Diagnostics& diagnostics) {
  LoweredUnit unit;
  unit.source = source;
  size_t reported = diagnostics.list().size();
  auto failed = [&] { return diagnostics.list().size() > reported; };
  Checkpoint checkpoint(world);

  Diagnostics own;
  PreparedText prepared = prepare(source.text, own);
  Names before = world.names;
  std::vector<NamePragma> pragmas = control_lines(world, prepared.controls, !source.library.empty(), own);
  auto tree = std::make_shared<SyntaxTree>();
  Macros values(macros, world);
  ParserQuestions questions{[&](std::string_view name) {
                              return (world.types.find(name) && !world.function(name)) || library_defines_type(name);
                            },
                            [&](std::string_view name) { return values(name); }};
  if (!own.any()) *tree = parse(prepared.text, is_script(source, world.options), questions, own);
  for (const Diagnostic& one : own.list()) diagnostics.report(one);
  if (failed()) return unit;
  // Beyond this point there is a syntax tree.
  if (source.library.empty()) {
    warn_of_foreign_pragmas(prepared.controls, diagnostics);
    warn_of_doubtful(*tree, diagnostics);
  }

  bool empty = source.kind == SourceText::Kind::Script && tree->items.empty() && prepared.controls.empty() &&
               !world.options.flag("empty") && source.library.empty();
  if (empty) diagnostics.report("D_EMPTY", {}, "empty D program translation unit");
  world.trees.push_back(tree);
  note_own_names(world, *tree);
  if (source.library.empty()) narrow_clauses(*tree, world.narrowing);
  CheckContext cx{world, source, diagnostics};
  std::vector<ClauseAst> clauses = check_items(cx, *tree);
  unit.attributes = cx.least;
  check_name_pragmas(world, pragmas, before, diagnostics);
  if (failed()) return unit;
  // Beyond this point every expression has a type.

  for (std::vector<ClauseAst>* list : {&cx.before, &clauses})
    for (ClauseAst& clause : *list) unit.clauses.push_back(lower(std::move(clause)));
  checkpoint.keep();
  return unit;
}

}  // namespace sonde
