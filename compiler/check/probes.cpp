// SPDX-License-Identifier: GPL-3.0-or-later
// The probes that a clause matches, and the types of their arguments
//
// A clause is matched while it is checked, because args[] has the types that its probes give it:
//
//   args[n] --> arg<mapping> (64 bits) --> Cast to the native type --> Xlate, where the provider names another type
//   args[n] --> *(native type *)copyin(SONDE_ARGUMENT_ADDRESS(n), size), where the tap has its locations
//
// A clause has one body, so all its probes must agree on args[n]. If none matches (-Z), the types are those that
// compiler/library/declared_arguments.h has for the provider; any other provider's arguments are numbers.
#include "compiler/check/probes.h"

#include <algorithm>
#include <map>

#include "compiler/check/before.h"
#include "compiler/check/call.h"
#include "compiler/check/convert.h"
#include "compiler/check/expression.h"
#include "compiler/check/library_texts.h"
#include "compiler/check/near_probes.h"
#include "compiler/check/node.h"
#include "compiler/check/predicate_text.h"
#include "compiler/check/prototype.h"
#include "compiler/check/stability.h"
#include "compiler/check/translator.h"
#include "compiler/library/declared_arguments.h"

namespace sonde {
namespace {

/// Fills in the four names of a probe that is given by number.
void name_probe(CheckContext& cx, ProbeDescription& description, const std::vector<ProbeId>& found, SourceRange where) {
  if (found.empty()) {
    cx.diagnostics.report(
        "D_PDESC_INVAL", where,
        "invalid probe identifier " + std::to_string(description.id.value) + ": Unknown probe identifier");
    return;
  }
  const ProbeInfo& probe = cx.world.probes.info(found.front());
  description = {probe.provider, probe.module, probe.function, probe.name, probe.id};
}

/// args[n]: all probes of the clause must agree on it.
const ArgumentDescription& argument_of_all(CheckContext& cx, uint32_t index, SourceRange where) {
  if (cx.arguments.empty())
    for (ProbeId id : cx.matched) cx.arguments.push_back(cx.world.probes.arguments(id));
  std::string shown = cx.clause && !cx.clause->descriptions.empty() ? to_string(cx.clause->descriptions[0]) : "";
  const bool none = std::ranges::all_of(cx.arguments, [](const auto& list) { return list.empty(); });
  const ArgumentDescription* found = nullptr;
  for (const std::vector<ArgumentDescription>& list : cx.arguments) {
    const ArgumentDescription* own = nullptr;
    for (const ArgumentDescription& one : list)
      if (one.index == static_cast<int>(index)) own = &one;
    if (!own) {
      if (cx.arguments.size() > 1 &&
          std::ranges::any_of(cx.arguments, [&](const auto& other) { return other.size() != list.size(); }))
        cx.fail("D_ARGS_MULTI", where,
                "args[ ] may not be referenced because the probes of the clause have different arguments");
      cx.fail("D_ARGS_IDX", where, "index " + std::to_string(index) + " is out of range for " + shown + " args[ ]",
              none ? "it has no typed arguments; arg0 ... arg9 are there as numbers"
                   : "its last argument is args[" + std::to_string(list.back().index) + "]; -lv shows them");
    }
    bool differs = found && (found->native != own->native || found->translated != own->translated ||
                             found->mapping != own->mapping);
    if (differs)
      cx.fail("D_ARGS_MULTI", where,
              "args[ ] may not be referenced because the probes of the clause have different arguments: \"" +
                  found->native + "\" and \"" + own->native + "\"");
    found = own;
  }
  return *found;
}

/// The same if no probe matches: as declared for the provider, else a number.
ArgumentDescription declared_argument_of_all(CheckContext& cx, uint64_t index, SourceRange where) {
  const ProbeDescription& description = cx.clause->descriptions.front();
  const auto type = declared_argument(description.provider, description.name, index);
  if (cx.refused && (!type || type->empty())) throw Refused{};
  if ((type && type->empty()) || index >= (cx.with_arguments > 0 ? kMostArguments : SONDE_DIF_ARGS))
    cx.fail("D_ARGS_IDX", where,
            "index " + std::to_string(index) + " is out of range for " + to_string(description) + " args[ ]");
  ArgumentDescription argument;
  argument.index = argument.mapping = static_cast<int>(index);
  argument.native = type ? *type : "int64_t";
  return argument;
}

/// The program's type of that name; null: C or D has the name, or the program has not. Go has names that C cannot have:
/// "struct []int", "[2]int". Where the program's own debug information names the type, D's names mean nothing: its string
/// is C++'s, and its dev_t as wide as its C library makes it.
const Type* type_of_program(CheckContext& cx, const std::string& text, bool named_by_program) {
  std::string base = text.substr(0, text.find_last_not_of(" *") + 1);
  for (std::string_view word : {"const ", "volatile "})
    if (base.starts_with(word)) base.erase(0, word.size());
  if (named_by_program && (cx.world.types.is_name_of_d(base) || library_defines_type(base)))
    if (const Type* type = cx.world.foreign.find(base)) return type;
  load_library_for(cx.world, base);
  const bool tagged = base.starts_with("struct ") || base.starts_with("union ");
  const bool of_go = base.starts_with('[') || (tagged && base.find_first_of(".[{") != std::string::npos);
  // Another type may have led there first: its members point at structs that no text has declared yet.
  if (tagged && !of_go && cx.world.types.find(base) == nullptr) return cx.world.foreign.met(base);
  const bool of_c = !of_go && (tagged || cx.world.types.find(base) != nullptr);
  return of_c ? nullptr : cx.world.foreign.find(base);
}

/// The C type that a provider names. A struct gets its members when they are used; a name that is not C's may be the
/// program's.
const Type* type_of_argument(CheckContext& cx, const ArgumentDescription& argument) {
  const std::string& text = argument.native;
  const Type* type = type_of_program(cx, text, argument.mapping == SONDE_ARGUMENT_LOCATED);
  if (!type) return cx.world.types.of_text(text, cx.world.types.integer(8, true));
  const std::string_view behind = std::string_view(text).substr(text.find_last_not_of(" *") + 1);
  for (auto stars = std::ranges::count(behind, '*'); stars > 0; --stars) type = cx.world.types.pointer_to(type);
  return type;
}

/// A name that C cannot have, such as app::list<int> & or main.List, is of the program: where its definition is not
/// found, the value is a number or an address. Any other name that is unknown is a mistake of the provider's author.
void check_type_of_argument(CheckContext& cx, const ArgumentDescription& argument, SourceRange where) {
  const std::string& text = argument.native;
  const bool go_struct = text.starts_with("struct {") && text[text.find_last_not_of(" *")] == '}';
  const bool of_program =
      text.find("::") != text.npos || text.find_first_of("<&.") != text.npos || text.starts_with('[') || go_struct;
  if (of_program || type_of_program(cx, text, false) || (cx.world.types.knows(text) && text != "void")) return;
  cx.fail(
      "D_ARGS_TYPE", where,
      "failed to resolve native type for args[" + std::to_string(argument.index) + "]: \"" + text + "\" is not a type",
      "dtps_getargdesc of its provider names the type");
}

ExprPtr located_bytes(CheckContext& cx, uint32_t index, const Type* type, SourceRange where) {
  const Type* word = cx.world.types.integer(8, false);
  ExprPtr address = make_integer(SONDE_ARGUMENT_ADDRESS(index), word, where);
  ExprPtr bytes = call_copyin(cx, std::move(address), make_integer(type->canonical->size, word, where), where);
  return make_expr(ExprKind::Deref, type, where, make_cast(std::move(bytes), cx.world.types.pointer_to(type)));
}

/// Such an argument can be read at some probe of the clause.
void check_some_can_read(CheckContext& cx, uint32_t index, SourceRange where) {
  std::string why;
  for (const ProbeId id : cx.matched) {
    const std::vector<ArgumentDescription> list = cx.world.probes.arguments(id);
    const auto own = std::ranges::find(list, static_cast<int>(index), &ArgumentDescription::index);
    if (own == list.end() || own->mapping >= 0) return;
    why = own->place;
  }
  if (!why.empty()) cx.fail("D_UNKNOWN", where, "arg" + std::to_string(index) + " cannot be read: " + why);
}

/// An argument in registers and memory is bytes at an address of its own (kmod/shared/location.h).
ExprPtr located_value(CheckContext& cx, const ArgumentDescription& argument, SourceRange where) {
  const Type* native = type_of_argument(cx, argument);
  if (!cx.world.foreign.complete(native) || native->canonical->size == 0)
    cx.fail("D_UNKNOWN", where,
            "args[" + std::to_string(argument.index) + "] is a " + argument.native + ", whose definition is not known",
            cx.world.foreign.advice(argument.native));
  if (native->canonical->size != argument.size)
    cx.fail("D_UNKNOWN", where,
            "args[" + std::to_string(argument.index) + "] has " + std::to_string(argument.size) + " bytes, but the " +
                argument.native + " that is found has " + std::to_string(native->canonical->size),
            "the program has several types of that name");
  return located_bytes(cx, static_cast<uint32_t>(argument.index), native, where);
}

/// The raw argument as its C type; translated if the provider asks for it.
ExprPtr argument_value(CheckContext& cx, const ArgumentDescription& argument, SourceRange where) {
  if (argument.mapping == SONDE_ARGUMENT_LOCATED) return located_value(cx, argument, where);
  if (argument.native == "string" || argument.translated == "string") {
    ExprPtr raw = make_builtin(*find_variable("__probetext"), cx.world.types.string_type(), where);
    raw->kids.push_back(make_integer(static_cast<uint64_t>(argument.mapping), cx.world.types.integer(8, true), where));
    return raw;
  }
  const DVariable* row = argument.mapping == SONDE_ARGUMENT_DERIVED ? find_variable("__derived")
                                                                    : find_argument(argument.mapping, cx.of_kernel);
  const bool brought = argument.mapping >= static_cast<int>(SONDE_DIF_ARGS) && cx.with_arguments > 0;
  if (!row && !brought)
    cx.fail("D_UNKNOWN", where,
            "args[" + std::to_string(argument.index) + "], a " + argument.native + ", cannot be read" +
                (argument.place.empty() ? ": it is passed where a probe cannot see it" : ": " + argument.place),
            cx.with_arguments > 0 ? ""
                                  : "arg0 ... arg9 are there as numbers: the registers and the words of the stack that "
                                    "usually have integers");
  check_type_of_argument(cx, argument, where);
  const Type* native = type_of_argument(cx, argument);
  if (!native->is_integer() && !native->is_pointer()) native = cx.world.types.integer(8, true);
  ExprPtr value = make_cast(brought || row->from == From::Argument
                                ? raw_argument(cx, static_cast<uint64_t>(argument.mapping), where)
                                : make_builtin(*row, cx.world.types.integer(8, true), where),
                            native);
  if (argument.translated.empty() || argument.translated == argument.native) return value;
  std::string name = argument.translated.substr(0, argument.translated.find_last_not_of(" *") + 1);
  load_library_for(cx.world, name);
  const Type* output = cx.world.types.find(name) ? cx.world.types.of_text(argument.translated, nullptr) : nullptr;
  if (output && (output->is_integer() || (output->is_pointer() && !output->canonical->target->is_record())))
    return convert(cx, std::move(value), output);
  if (!output || !find_translator(cx, value->type, output))
    cx.fail("D_ARGS_XLATOR", where,
            "translator for args[" + std::to_string(argument.index) + "] from " + argument.native + " to " +
                argument.translated + " is not defined");
  return make_expr(ExprKind::Xlate, cx.world.types.dynamic_of(output), where, std::move(value));
}

/// An expression of a provider, checked. Null for no text.
ExprPtr preface(CheckContext& cx, const std::string& text) {
  if (text.empty()) return nullptr;
  const auto is_type = [&cx](std::string_view name) { return cx.world.types.find(name) || library_defines_type(name); };
  Diagnostics wrong;
  const std::shared_ptr<SyntaxTree> tree = parse_predicate(text, is_type, wrong);
  if (tree == nullptr)
    cx.fail("D_SYNTAX", {}, "what the provider says of its probe is no expression of D: " + text,
            wrong.any() ? wrong.list().front().message : "");
  cx.world.trees.push_back(tree);
  return check_scalar(cx, take_predicate(tree), "D_PRED_SCALAR",
                      "what a provider says of its probe must be of scalar type");
}

/// Whether a description that matches nothing yet names a provider that only a program can bring along: python42, python*.
bool names_program(const ProbeDescription& description) {
  const std::string_view field = description.provider;
  const std::string_view name = field.substr(0, field.find_last_not_of("0123456789*") + 1);
  return !name.empty() && name != "pid" && name.size() < field.size();
}

/// A probe whose module is a path is one of that file, in no process of the targets.
void add_types_of_files(CheckContext& cx) {
  std::string_view last;
  for (const ProbeId id : cx.matched) {
    const std::string& module = cx.world.probes.info(id).module;
    if (!module.starts_with('/') || module == last) continue;
    cx.world.foreign.add_file(module);
    last = module;
  }
}

}  // namespace

void resolve_probes(CheckContext& cx, ClauseAst& clause) {
  cx.matched.clear();
  cx.arguments.clear();
  const size_t before = cx.diagnostics.list().size();
  for (size_t i = 0; i < clause.descriptions.size(); ++i) {
    ProbeDescription& description = clause.descriptions[i];
    std::vector<ProbeId> found = cx.world.probes.match(description);
    cx.matched.insert(cx.matched.end(), found.begin(), found.end());
    if (description.id.value != 0) {
      name_probe(cx, description, found, clause.description_places[i]);
      continue;
    }
    if (!found.empty() || cx.hidden || cx.world.options.flag("zdefs")) continue;
    SourceRange where = clause.description_places[i];
    if (std::optional<ProvideError> error = cx.world.probes.provide_error()) {
      // A line below the first is a hint.
      const size_t end = std::min(error->message.find('\n'), error->message.size());
      cx.diagnostics.report(error->tag, where, error->message.substr(0, end),
                            error->message.substr(std::min(end + 1, error->message.size())));
      continue;
    }
    std::string hint = near_probes(cx.world.probes, description);
    if (hint.empty() && cx.source.kind == SourceText::Kind::Function)
      hint = "-f takes the name of a function; a program, with its children, is traced by: sonde PROGRAM ARGS";
    cx.diagnostics.report("D_PDESC_ZERO", where,
                          "probe description " + to_string(description) + " does not match any probes",
                          std::move(hint));
  }
  if (!std::ranges::is_sorted(cx.matched)) std::ranges::sort(cx.matched);  // those of one description are
  auto repeated = std::ranges::unique(cx.matched);
  cx.matched.erase(repeated.begin(), repeated.end());
  cx.refused = cx.diagnostics.list().size() > before;
  add_types_of_files(cx);
}

/// Computed before the clause, for each of its probes by the text that it has.
static ExprPtr told_argument(CheckContext& cx, uint64_t index, const Type* word, SourceRange where) {
  if (cx.in_d < cx.matched.size())
    cx.fail("D_ARGS_MULTI", where,
            "arg" + std::to_string(index) +
                " may not be referenced because it is computed for some probes of the clause, and passed to others",
            "write a clause for each kind");
  if (index >= SONDE_PROBE_ARGUMENTS) return make_integer(0, word, where);
  cx.reads_in_d |= 1u << index;
  return make_builtin(*find_variable("__arg" + std::to_string(index)), word, where);
}

void resolve_told_probes(CheckContext& cx, ClauseAst& clause) {
  std::map<ProbeTexts, std::vector<ProbeId>> all;
  const std::vector<ToldProbe> told = cx.world.probes.told(cx.matched);
  size_t in_kernel = 0, in_d = 0;
  const ProbeTexts nothing{.of_kernel = true};
  for (const auto& [id, texts] : told) {
    in_kernel += texts->of_kernel ? 1 : 0;
    in_d += texts->has_own_arguments() ? 1 : 0;
    if (*texts != nothing) all[*texts].push_back(id);
  }
  for (const ToldProbe& one : told)
    if (!one.texts->before.empty()) add_clauses_before(cx, one.texts->before);
  cx.in_d = cx.reads_in_d = 0;  // in these texts, argN is the tap's
  cx.world.foreign.prefer_kernel(in_kernel > 0);
  cx.expansions.push_back({{}, clause.where});
  cx.with_arguments = cx.matched.empty() ? std::ranges::all_of(clause.descriptions, names_program)
                                         : cx.world.probes.with_arguments(cx.matched);
  for (auto& [texts, probes] : all) {
    cx.of_kernel = texts.of_kernel;
    clause.prefaces.push_back({preface(cx, texts.when), preface(cx, texts.derived), std::move(probes)});
  }
  cx.expansions.clear();
  cx.of_kernel = in_kernel > 0 && in_kernel == cx.matched.size();
  cx.in_d = in_d;
}

void add_told_arguments(CheckContext& cx, ClauseAst& clause) {
  const uint32_t wanted = cx.reads_in_d;
  cx.in_d = 0;
  if (wanted == 0) return;
  cx.expansions.push_back({{}, clause.where});
  for (PrefaceAst& one : clause.prefaces) {
    const ProbeTexts& texts = *cx.world.probes.told({&one.probes.front(), 1}).front().texts;
    cx.of_kernel = texts.of_kernel;
    for (uint32_t n = 0; n < texts.arguments.size(); n++)
      if ((wanted >> n & 1) != 0) one.arguments.emplace_back(n, preface(cx, texts.arguments[n]));
  }
  cx.expansions.clear();
}

ExprPtr raw_argument(CheckContext& cx, uint64_t index, SourceRange where) {
  const Type* word = cx.world.types.of_text("int64_t", cx.world.types.integer(8, true));
  if (cx.in_d > 0) return told_argument(cx, index, word, where);
  if (cx.with_arguments == 0) return make_builtin(*find_argument(static_cast<int>(index), cx.of_kernel), word, where);
  if (cx.with_arguments < cx.matched.size())
    cx.fail(
        "D_ARGS_MULTI", where,
        "arg" + std::to_string(index) +
            " may not be referenced because some probes of the clause bring arguments of their own, and others do not",
        "write a clause for each kind");
  check_some_can_read(cx, static_cast<uint32_t>(index), where);
  return located_bytes(cx, static_cast<uint32_t>(index), word, where);
}

ExprPtr typed_argument(CheckContext& cx, ExprPtr expr) {
  if (expr->kids.size() != 2)
    cx.fail("D_PROTO_LEN", expr->where,
            "args[ ] prototype mismatch: " + std::to_string(expr->kids.size() - 1) + " keys passed, 1 expected");
  SourceRange where = expr->where;
  note_arguments(cx, where);
  ExprPtr index = check_value(cx, std::move(expr->kids[1]));
  if (index->kind != ExprKind::Integer) argument_mismatch(cx, "args", 1, "integer constant", *index, "[ ]");
  if (cx.matched.empty() && (cx.clause == nullptr || cx.clause->descriptions.empty()))
    cx.fail("D_ARGS_NONE", where, "args[ ] has no types where no probe matches", "arg0 ... arg9 are there as numbers");
  if (index->integer > INT32_MAX)
    cx.fail("D_ARGS_IDX", where,
            "index " + std::to_string(static_cast<int64_t>(index->integer)) + " is out of range for args[ ]");
  if (cx.matched.empty())
    return argument_value(cx, declared_argument_of_all(cx, index->integer, where), cx.here(where));
  return argument_value(cx, argument_of_all(cx, static_cast<uint32_t>(index->integer), where), cx.here(where));
}

}  // namespace sonde
