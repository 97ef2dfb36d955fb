// SPDX-License-Identifier: GPL-3.0-or-later
// Names
//
// A name is looked up in this order:
//
//   parameter of the inline or translator that is being expanded, NULL, declarations of the script, D's built-in
//   variables, constants of the D library, a library text (loaded when its name is used), enumerators of C types
//
// A built-in variable that is an address in the kernel compiles on every source, because scripts keep and compare such
// values. On a source that cannot read the kernel it becomes a number for each thread (opaque()). A clause that reads
// through it is marked (note_kernel()), and is refused when it is enabled.
#include "compiler/check/name.h"

#include "compiler/check/inline.h"
#include "compiler/check/library_texts.h"
#include "compiler/check/node.h"
#include "compiler/check/probes.h"
#include "compiler/check/stability.h"
#include "compiler/check/variable.h"
#include "compiler/library/library.h"
#include "compiler/source/other_words.h"
#include "runtime/base/suggest.h"

namespace sonde {
namespace {

ExprPtr opaque(CheckContext& cx, const Type* type, const std::string& name, SourceRange where);

/// For the name that the program's source has for an argument of the probe.
std::string argument_named(CheckContext& cx, const std::string& name) {
  if (cx.matched.empty()) return {};
  for (const ArgumentDescription& argument : cx.world.probes.arguments(cx.matched.front()))
    if (argument.name == name) return name + " is args[" + std::to_string(argument.index) + "] of the probe";
  return {};
}

/// For a macro argument that is a word: it stands there as a name.
std::string macro_argument(CheckContext& cx, const std::string& name, SourceRange where) {
  const std::string& text = cx.source.text;
  if (where.end > text.size() || where.begin >= where.end || text[where.begin] != '$') return {};
  const std::string macro = text.substr(where.begin, where.end - where.begin);
  return macro + " is the word " + name + " here, as the name of a variable; $" + macro + " is it as a string";
}

[[noreturn]] void unknown_name(CheckContext& cx, const std::string& name, SourceRange where) {
  if (name == "`") cx.fail("D_IDENT_UNDEF", where, "failed to resolve `: Unknown symbol name");
  if (name.find('`') != std::string::npos)
    cx.fail("D_IDENT_UNDEF", where, "failed to resolve " + name + ": No symbol information available",
            name.starts_with("D`") ? "D` is for types: variables stand without"
                                   : "no event source reads variables of the kernel or of programs by name");
  if (cx.world.function(name) || cx.world.aggregating_function(name))
    cx.fail("D_IDENT_UNDEF", where, "failed to resolve " + name + ": Unknown variable name",
            name + " is a function: write " + name + "()");
  Suggestion suggestion(name);
  for (const auto& [known, symbol] : cx.world.names.globals) suggestion.offer(known);
  for (const DVariable& row : kVariables)
    if (!row.name.starts_with("__")) suggestion.offer(row.name);
  for (const LibraryConstant& known : library_constants()) suggestion.offer(known.name);
  std::string hint = suggestion.hint();
  if (cx.world.names.self.contains(name)) hint = "did you mean 'self->" + name + "'?";
  if (cx.world.names.locals.contains(name)) hint = "did you mean 'this->" + name + "'?";
  if (auto other = hint_on_other_word(OtherWord::Kind::Variable, name); !other.empty()) hint = other;
  if (const std::string argument = argument_named(cx, name); !argument.empty()) hint = argument;
  if (name.starts_with("arg") && name.size() > 3 && name.find_first_not_of("0123456789", 3) == name.npos)
    hint = "a probe has arg0 to arg9, and one that a program brings along arg0 to arg11";
  if (const std::string argument = macro_argument(cx, name, where); !argument.empty()) hint = argument;
  if (hint.empty()) hint = "no clause up to here assigns it, and it is no variable of D: --help=variables lists those";
  cx.fail("D_IDENT_UNDEF", where, "failed to resolve " + name + ": Unknown variable name", hint);
}

ExprPtr use_symbol(CheckContext& cx, const Symbol& symbol, ExprPtr expr) {
  switch (symbol.kind) {
    case Symbol::Kind::Variable: return variable_of(symbol, cx.here(expr->where));
    case Symbol::Kind::Array:
      cx.fail("D_IDENT_BADREF", expr->where, "associative array '" + expr->text + "' may not be referenced as scalar",
              "give it an index: " + expr->text + "[...]");
    case Symbol::Kind::Enumerator:
      return make_integer(static_cast<uint64_t>(symbol.value), symbol.type, cx.here(expr->where));
    case Symbol::Kind::Inline:
      if (!symbol.definition->parameters.empty())
        cx.fail("D_IDENT_BADREF", expr->where,
                "associative array '" + expr->text + "' may not be referenced as scalar");
      return expand_inline(cx, symbol, expr->text, {}, expr->where);
    case Symbol::Kind::Prototype: break;
  }
  cx.fail("D_IDENT_BADREF", expr->where, "function '" + expr->text + "' may not be referenced as scalar");
}

/// The variable, made of a stack. It keeps its row, by which its address is known as one that a call returns to.
ExprPtr of_stack(CheckContext& cx, const DVariable& row, const Type* type, SourceRange where) {
  const Type* number = cx.world.types.integer(4, false);
  ExprPtr stack = make_call(*find_function("ustack"), cx.world.types.stack_type(), where,
                            make_integer(row.of_stack.frames, number, where), make_integer(0, number, where));
  ExprPtr out = make_call(*find_function(row.of_stack.function), type, where, std::move(stack));
  out->builtin = &row;
  return out;
}

ExprPtr use_builtin(CheckContext& cx, const DVariable& row, ExprPtr expr) {
  std::string name(row.name);
  switch (row.from) {
    case From::Refused: cx.fail("D_UNKNOWN", expr->where, std::string(row.doc));
    case From::Typed:
    case From::Registers:
    case From::TextOf: {
      const std::string_view other = hint_on_other_word(OtherWord::Kind::Variable, name);
      cx.fail("D_IDENT_BADREF", expr->where, "associative array '" + name + "' may not be referenced as scalar",
              other.empty() ? "give it an index: " + name + "[...]" : std::string(other));
    }
    case From::Argument:
    case From::Derived:
    case From::Fire:
    case From::Text:
    case From::Header:
    case From::Body:
    case From::Library: break;
  }
  const Type* type = cx.world.types.of_text(row.type, cx.world.types.int_type());
  if (row.from == From::Argument) return raw_argument(cx, row.which, cx.here(expr->where));
  const SourceCapabilities& can = cx.world.probes.capabilities();
  if (row.of_kernel && !can.kernel) return opaque(cx, type, name, cx.here(expr->where));
  if (!row.of_stack.function.empty() && !can.variables.contains(static_cast<sonde_dif_variable>(row.which)))
    return of_stack(cx, row, type, cx.here(expr->where));
  return make_builtin(row, type, cx.here(expr->where));
}

/// N of argN, if only probes that programs bring along have it.
std::optional<uint32_t> brought_argument(std::string_view name) {
  for (uint32_t n = SONDE_DIF_ARGS; n < kMostArguments; n++)
    if (name == "arg" + std::to_string(n)) return n;
  return std::nullopt;
}

/// Replaces a kernel pointer that the source cannot read: a value for each thread, to be compared and kept, not
/// dereferenced.
ExprPtr opaque(CheckContext& cx, const Type* type, const std::string& name, SourceRange where) {
  constexpr uint64_t kLikeTheKernels = 0xffff'8000'0000'0000;
  const Type* word = cx.world.types.integer(8, false);
  const DVariable& thread = *find_variable("tid");
  ExprPtr id = make_builtin(thread, cx.world.types.of_text(thread.type, nullptr), where);
  ExprPtr moved = make_binary(Op::Shl, make_cast(std::move(id), word), make_integer(6, word, where), word, where);
  ExprPtr out =
      make_cast(make_binary(Op::Or, std::move(moved), make_integer(kLikeTheKernels, word, where), word, where), type);
  out->text = name;  // leads_into_kernel() finds it by that
  return out;
}

/// Whether the pointer is derived from an opaque() one.
bool leads_into_kernel(const Expr& pointer) {
  if (pointer.kind == ExprKind::Cast && !pointer.text.empty()) return true;
  return std::ranges::any_of(pointer.kids, [](const ExprPtr& kid) { return leads_into_kernel(*kid); });
}

}  // namespace

ExprPtr check_name(CheckContext& cx, ExprPtr expr) {
  std::string name = expr->text;
  if (name.starts_with('@')) {
    auto known = cx.world.names.aggregations.find(name.substr(1));
    if (known == cx.world.names.aggregations.end())
      cx.fail("D_IDENT_UNDEF", expr->where, "failed to resolve " + name + ": Unknown variable name",
              "no clause assigns an aggregating function to it: " + name + " = count(); printa(" + name +
                  ") prints an aggregation");
    ExprPtr whole = make_expr(ExprKind::AggregationRef, cx.world.types.aggregation_type(), cx.here(expr->where));
    whole->variable_index = known->second.index;
    return whole;
  }
  if (name == "self" || name == "this")
    cx.fail("D_SYNTAX", expr->where, "syntax error near \"" + name + "\"", "write " + name + "->name");
  if (const Expr* known = parameter(cx, name)) {
    ExprPtr copy = expanded(cx, *known, expr->where);
    copy->where = cx.here(expr->where);
    return copy;
  }
  if (name == "NULL") {
    ExprPtr null = make_integer(0, cx.world.types.int_type(), cx.here(expr->where));
    null->text = "NULL";
    return null;
  }
  if (name == "`") unknown_name(cx, name, expr->where);
  note_name(cx, name, expr->where);
  if (const Symbol* symbol = cx.world.global(name)) return use_symbol(cx, *symbol, std::move(expr));
  const DVariable* row = cx.world.variable(name);
  if (row && row->from != From::Library) return use_builtin(cx, *row, std::move(expr));
  if (const auto argument = brought_argument(name); argument && cx.with_arguments > 0)
    return raw_argument(cx, *argument, cx.here(expr->where));
  if (const LibraryConstant* known = find_constant(name))
    return make_integer(static_cast<uint64_t>(known->value), cx.world.types.int_type(), cx.here(expr->where));
  load_library_for(cx.world, name);
  if (const Symbol* symbol = cx.world.global(name)) return use_symbol(cx, *symbol, std::move(expr));
  if (auto value = cx.world.foreign.enumerator(name))
    return make_integer(static_cast<uint64_t>(*value),
                        cx.world.types.integer(*value == static_cast<int32_t>(*value) ? 4 : 8, true),
                        cx.here(expr->where));
  unknown_name(cx, name, expr->where);
}

void note_kernel(CheckContext& cx, const Expr& pointer) {
  if (!cx.world.probes.capabilities().kernel && leads_into_kernel(pointer))
    cx.needs_kernel = "what it follows is of the kernel, which only the " +
                      sources_with([](const SourceCapabilities& can) { return can.kernel; }) + " source sees";
}

}  // namespace sonde
