// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of subroutines
//
// The prototype is in the row of runtime/lang/functions.h. A call is checked against it before the special rules of its
// function, in DTrace's order: number of arguments, their types, then refusals. The result is a Call whose `function`
// is the row. lowered_call() replaces a subroutine that others can express, so the split and the code generator never
// see it.
#include "compiler/check/call.h"

#include <algorithm>
#include <utility>

#include "compiler/check/action.h"
#include "compiler/check/convert.h"
#include "compiler/check/expression.h"
#include "compiler/check/library_texts.h"
#include "compiler/check/node.h"
#include "compiler/check/prototype.h"
#include "compiler/check/stability.h"
#include "compiler/check/variable.h"
#include "compiler/source/other_words.h"
#include "runtime/base/find.h"
#include "runtime/base/suggest.h"

namespace sonde {
namespace {

/// The target type of the first pointer in a prototype: a library may define it.
std::string_view pointed_to(std::string_view prototype) {
  const size_t star = prototype.find(" *", prototype.find('('));
  if (star == std::string_view::npos) return {};
  const size_t begin = prototype.find_last_of("(,", star) + 1;
  return prototype.substr(begin, star - begin);
}

/// Refuses a constant size that scratch memory can never hold.
void refuse_size(CheckContext& cx, const Expr& call) {
  const Prototype& prototype = cx.world.prototype(call.function->prototype);
  const Type* result = prototype.result->canonical;
  bool allocates = result->kind == Type::Kind::Pointer && result->target->canonical->kind == Type::Kind::Void;
  if (!allocates || call.kids.empty()) return;
  const Expr& size = *call.kids.back();
  if (size.kind != ExprKind::Integer || size.integer <= kScratchBytes) return;
  cx.fail("D_ALLOCA_SIZE", size.where,
          std::string(call.function->name) + "( ) argument #" + std::to_string(call.kids.size()) +
              " is larger than the scratch space: " + std::to_string(size.integer) + " bytes of " +
              std::to_string(kScratchBytes));
}

bool assigns(const Expr& expr) {
  return expr.kind == ExprKind::Assign || expr.kind == ExprKind::Update ||
         std::ranges::any_of(expr.kids, [](const ExprPtr& kid) { return assigns(*kid); });
}

/// The defaults of a stack function's arguments, and the tag of a wrong number of frames.
struct StackFunction {
  std::string_view name, frames, strings, frames_tag;
};
constexpr StackFunction kStackFunctions[] = {
    {"jstack", "jstackframes", "jstackstrsize", "D_USTACK_FRAMES"},
    {"stack", "stackframes", "", "D_STACK_SIZE"},
    {"ustack", "ustackframes", "", "D_USTACK_FRAMES"},
};

/// stack([frames]), ustack([frames [, size of strings]]): the result always has two constants as kids.
ExprPtr check_stack(CheckContext& cx, ExprPtr expr, const DFunction& row) {
  std::string name(row.name);
  const StackFunction& kind = *std::ranges::find(kStackFunctions, row.name, &StackFunction::name);
  const Prototype& prototype = cx.world.prototype(row.prototype);
  check_count(cx, name, prototype, expr->kids.size() - 1, expr->where);
  const Type* type = cx.world.types.integer(4, false);
  const uint64_t strings = kind.strings.empty() ? 0 : cx.world.options.number(kind.strings);
  ExprPtr out = make_call(row, cx.world.types.stack_type(), cx.here(expr->where),
                          make_integer(cx.world.options.number(kind.frames), type, expr->where),
                          make_integer(strings, type, expr->where));
  for (size_t i = 1; i < expr->kids.size(); ++i) {
    SourceRange where = expr->kids[i]->where;
    ExprPtr size = check_passed(cx, name, std::move(expr->kids[i]), prototype.parameters[i - 1], i);
    bool valid = size->kind == ExprKind::Integer && static_cast<int32_t>(size->integer) >= (i == 1 ? 1 : 0) &&
                 size->integer <= INT32_MAX;
    if (!valid && i == 1)
      cx.fail(kind.frames_tag, where, name + "( ) argument #1 must be a non-zero positive integer constant");
    if (!valid) cx.fail("D_USTACK_STRSIZE", where, name + "( ) argument #2 must be a positive integer constant");
    out->kids[i - 1] = make_integer(size->integer, type, where);
  }
  out->kids[0]->integer = std::min(out->kids[0]->integer, std::max<uint64_t>(1, cx.world.options.number("maxframes")));
  out->text = name;
  if (row.of_kernel && !cx.world.probes.capabilities().kernel) out->function = find_function("__no_stack");
  return out;
}

/// Makes a new variable of the firing, replaces `value` by it, and returns the assignment to it.
ExprPtr kept_in_variable(CheckContext& cx, ExprPtr& value) {
  const SourceRange where = value->where;
  std::string hidden =
      "kept " + std::to_string(cx.world.program.variables.size());  // a name that no script can contain
  const Symbol temporary = declare_variable(cx, VariableDesc::Scope::This, hidden, value->type);
  const Type* type = value->type;
  ExprPtr kept = std::exchange(value, variable_of(temporary, where));
  return make_expr(ExprKind::Assign, type, where, variable_of(temporary, where), std::move(kept));
}

/// copyinto(address, size, to) is bcopy(copyin(address, size), to, size). The size is used twice, so if an argument
/// assigns, address and size go into variables first.
ExprPtr lowered_copyinto(CheckContext& cx, ExprPtr call) {
  std::vector<ExprPtr> first;
  for (size_t i : {0, 1}) {
    if (!assigns(*call->kids[0]) && !assigns(*call->kids[1]) && !assigns(*call->kids[2])) break;
    first.push_back(kept_in_variable(cx, call->kids[i]));
  }
  ExprPtr size = clone(*call->kids[1]);
  call->kids[0] = call_copyin(cx, std::move(call->kids[0]), std::move(call->kids[1]), call->where);
  call->kids[1] = std::move(call->kids[2]);
  call->kids[2] = std::move(size);
  call->function = find_function("bcopy");
  if (first.empty()) return call;
  ExprPtr all = make_expr(ExprKind::Comma, call->type, call->where);
  all->kids = std::move(first);
  all->kids.push_back(std::move(call));
  return all;
}

/// Some subroutines are expressed by others, or need more of the event than their arguments.
ExprPtr lowered_call(CheckContext& cx, ExprPtr call) {
  const DFunction& row = *call->function;
  if (!row.behind.empty()) {
    // A process may be gone when the body runs.
    ExprPtr variable = make_expr(ExprKind::Name, nullptr, call->where);
    variable->text = row.behind;
    call->kids.push_back(check_expression(cx, std::move(variable)));
  }
  if (row.runs == Runs::Fire && call->type->kind == Type::Kind::Void) return lowered_copyinto(cx, std::move(call));
  return call;
}

}  // namespace

ExprPtr call_copyin(CheckContext& cx, ExprPtr address, ExprPtr size, SourceRange where) {
  const DFunction& copyin = *find_function("copyin");
  const Prototype& prototype = cx.world.prototype(copyin.prototype);
  address = convert(cx, std::move(address), prototype.parameters[0]);
  size = convert(cx, std::move(size), prototype.parameters[1]);
  return make_call(copyin, prototype.result, where, std::move(address), std::move(size));
}

const DFunction* function_of(CheckContext& cx, const Expr& call, std::string& name) {
  if (call.kids[0]->kind != ExprKind::Name || call.kids[0]->type) return nullptr;
  name = call.kids[0]->text;
  return cx.world.function(name);
}

void unknown_function(CheckContext& cx, const std::string& name, SourceRange where, const std::string& choice) {
  const Symbol* declared = find_in(cx.world.names.globals, name);
  if (declared != nullptr && declared->kind == Symbol::Kind::Prototype)
    cx.fail("D_FUNC_UNDEF", where, "unimplemented subroutine: " + name, "it is declared, but D cannot call it");
  bool is_variable = cx.world.variable(name) || cx.world.global(name);
  if (is_variable)
    cx.fail("D_FUNC_IDKIND", where, "'" + name + "' is not a function", "it is a variable: write it without ()");
  Suggestion suggestion(name);
  for (const DFunction& row : kFunctions) suggestion.offer(row.name);
  for (const AggFunctionRow& row : kAggFunctions) suggestion.offer(row.name);
  std::string hint(hint_on_other_word(OtherWord::Kind::Function, name));
  if (hint.empty()) hint = suggestion.hint();
  cx.fail("D_FUNC_UNDEF", where, "undefined function name: " + name, hint.empty() ? choice : hint);
}

ExprPtr check_call(CheckContext& cx, ExprPtr expr) {
  std::string name;
  const DFunction* row = function_of(cx, *expr, name);
  if (!row && cx.world.aggregating_function(name))
    cx.fail("D_CG_EXPR", expr->where,
            "aggregating function " + name + "( ) may not be called from a D expression (D program context required)",
            "write @name[keys] = " + name + "(...)");
  if (!row) unknown_function(cx, name, expr->kids[0]->where);
  load_library_for(cx.world, pointed_to(row->prototype));
  note_name(cx, name, expr->where);
  if (is_action(row->runs)) return check_action(cx, std::move(expr), *row);
  const Prototype& prototype = cx.world.prototype(row->prototype);
  if (prototype.result->canonical->kind == Type::Kind::Stack) return check_stack(cx, std::move(expr), *row);
  check_count(cx, name, prototype, expr->kids.size() - 1, expr->where);
  check_arguments(cx, name, prototype, *expr);
  if (row->runs == Runs::Refused) cx.fail("D_UNKNOWN", expr->where, std::string(row->doc));
  ExprPtr out = make_call(*row, prototype.result, cx.here(expr->where));
  for (size_t i = 1; i < expr->kids.size(); ++i) out->kids.push_back(std::move(expr->kids[i]));
  refuse_size(cx, *out);
  return lowered_call(cx, std::move(out));
}

}  // namespace sonde
