// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of subroutines
//
// A row of runtime/lang/functions.h states the prototype, and the call is checked against it before any rule of that
// one function, as DTrace does: number of arguments, their types, then refusals. The result is a Call whose `function` is the
// row. lowered_call() replaces a subroutine that others can express, so the split and the code generator never see it.
#include <algorithm>
#include <utility>

#include "compiler/check/checker.h"
#include "compiler/source/other_words.h"
#include "runtime/base/suggest.h"

namespace sonde {

/// The row of what is called, or null.
const DFunction* Checker::function_of(const Expr& call, std::string& name) {
  if (call.kids[0]->kind != ExprKind::Name || call.kids[0]->type) return nullptr;
  name = call.kids[0]->text;
  return world_.function(name);
}

void Checker::unknown_function(const std::string& name, SourceRange where) {
  auto declared = world_.names.globals.find(name);
  if (declared != world_.names.globals.end() && declared->second.kind == Symbol::Kind::Prototype)
    fail("D_FUNC_UNDEF", where, "unimplemented subroutine: " + name, "it is declared, but D cannot call it");
  bool is_variable = world_.variable(name) || world_.global(name);
  if (is_variable) fail("D_FUNC_IDKIND", where, "'" + name + "' is not a function");
  Suggestion suggestion(name);
  for (const DFunction& row : kFunctions) suggestion.offer(row.name);
  for (const AggFunctionRow& row : kAggFunctions) suggestion.offer(row.name);
  std::string hint(hint_on_other_word(OtherWord::Kind::Function, name));
  if (hint.empty()) hint = suggestion.hint();
  fail("D_FUNC_UNDEF", where, "undefined function name: " + name, hint);
}

namespace {

/// The type that the first pointer of a prototype leads to: a library may define it.
std::string_view pointed_to(std::string_view prototype) {
  const size_t star = prototype.find(" *", prototype.find('('));
  if (star == std::string_view::npos) return {};
  const size_t begin = prototype.find_last_of("(,", star) + 1;
  return prototype.substr(begin, star - begin);
}

}  // namespace

ExprPtr Checker::check_call(ExprPtr expr) {
  std::string name;
  const DFunction* row = function_of(*expr, name);
  if (!row && world_.aggregating_function(name))
    fail("D_CG_EXPR", expr->where,
         "aggregating function " + name + "( ) may not be called from a D expression (D program context required)",
         "write @name[keys] = " + name + "(...)");
  if (!row) unknown_function(name, expr->kids[0]->where);
  load_library_for(world_, pointed_to(row->prototype));
  note_name(name, expr->where);
  if (is_action(row->runs)) return check_action(std::move(expr), *row);
  const Prototype& prototype = world_.prototype(row->prototype);
  if (prototype.result->canonical->kind == Type::Kind::Stack) return check_stack(std::move(expr), *row);
  check_count(name, prototype, expr->kids.size() - 1, expr->where);
  check_arguments(name, prototype, *expr);
  if (row->runs == Runs::Refused) fail("D_UNKNOWN", expr->where, std::string(row->doc));
  ExprPtr out = make(ExprKind::Call, prototype.result, here(expr->where));
  out->function = row;
  out->text = name;
  for (size_t i = 1; i < expr->kids.size(); ++i) out->kids.push_back(std::move(expr->kids[i]));
  refuse_size(*out);
  return lowered_call(std::move(out));
}

/// A constant that scratch memory can never hold.
void Checker::refuse_size(const Expr& call) {
  const Prototype& prototype = world_.prototype(call.function->prototype);
  const Type* result = prototype.result->canonical;
  bool allocates = result->kind == Type::Kind::Pointer && result->target->canonical->kind == Type::Kind::Void;
  if (!allocates || call.kids.empty()) return;
  const Expr& size = *call.kids.back();
  std::optional<uint64_t> bytes = constant_of(size);
  if (!bytes || *bytes <= kScratchBytes) return;
  fail("D_ALLOCA_SIZE", size.where,
       std::string(call.function->name) + "( ) argument #" + std::to_string(call.kids.size()) +
           " is larger than the scratch space: " + std::to_string(*bytes) + " bytes of " +
           std::to_string(kScratchBytes));
}

void Checker::check_count(const std::string& name, const Prototype& prototype, size_t passed, SourceRange where) {
  size_t required = prototype.required, most = prototype.parameters.size();
  bool few = passed<required, many = passed> most && !prototype.varargs;
  if (!few && !many) return;
  std::string bound = required == most && !prototype.varargs ? "" : few ? "at least " : "at most ";
  fail("D_PROTO_LEN", where,
       name + "( ) prototype mismatch: " + std::to_string(passed) + (passed == 1 ? " arg" : " args") + " passed, " +
           bound + std::to_string(few ? required : most) + " expected");
}

void Checker::argument_mismatch(const std::string& name, size_t number, const std::string& prototype,
                                const Expr& argument, std::string_view brackets) {
  fail("D_PROTO_ARG", argument.where,
       name + std::string(brackets) + " argument #" + std::to_string(number) +
           " is incompatible with prototype:\n\tprototype: " + prototype + "\n\t argument: " + argument.type->name);
}

ExprPtr Checker::passed(const std::string& name, ExprPtr argument, const Type* parameter, size_t number) {
  argument = check(std::move(argument));
  const Type *a = parameter->canonical, *b = argument->type->canonical;
  bool word = (parameter->is_integer() && a->size == 8 && argument->type->is_pointer()) ||
              (parameter->is_integer() && a->size == 8 && b->kind == Type::Kind::Array);
  bool memory =
      a->kind == Type::Kind::Pointer && a->target->canonical->kind == Type::Kind::Void && b->kind == Type::Kind::String;
  if (!assignable(parameter, *argument) && !word && !memory)
    argument_mismatch(name, number, parameter->name, *argument);
  return convert(std::move(argument), parameter);
}

/// kids[0] is the function's name.
void Checker::check_arguments(const std::string& name, const Prototype& prototype, Expr& expr, size_t first) {
  for (size_t i = 1 + first; i < expr.kids.size() && i <= prototype.parameters.size(); ++i) {
    expr.kids[i] = passed(name, std::move(expr.kids[i]), prototype.parameters[i - 1], i);
    if (prototype.constant[i - 1] && expr.kids[i]->kind != ExprKind::Integer)
      argument_mismatch(name, i, prototype.parameters[i - 1]->name + " constant", *expr.kids[i]);
  }
}

namespace {

bool assigns(const Expr& expr) {
  return expr.kind == ExprKind::Assign || expr.kind == ExprKind::Update ||
         std::ranges::any_of(expr.kids, [](const ExprPtr& kid) { return assigns(*kid); });
}

/// What a stack function takes where its arguments are left out, and the tag of a wrong number of frames.
struct StackFunction {
  std::string_view name, frames, strings, frames_tag;
};
constexpr StackFunction kStackFunctions[] = {
    {"jstack", "jstackframes", "jstackstrsize", "D_USTACK_FRAMES"},
    {"stack", "stackframes", "", "D_STACK_SIZE"},
    {"ustack", "ustackframes", "", "D_USTACK_FRAMES"},
};

}  // namespace

/// stack([frames]), ustack([frames [, size of strings]]): the kids of what comes out are always two constants.
ExprPtr Checker::check_stack(ExprPtr expr, const DFunction& row) {
  std::string name(row.name);
  const StackFunction& kind = *std::ranges::find(kStackFunctions, row.name, &StackFunction::name);
  const Prototype& prototype = world_.prototype(row.prototype);
  check_count(name, prototype, expr->kids.size() - 1, expr->where);
  const Type* type = world_.types.integer(4, false);
  ExprPtr out = make(ExprKind::Call, world_.types.stack_type(), here(expr->where));
  out->function = &row;
  out->text = name;
  out->kids.push_back(integer(world_.options.number(kind.frames), type, expr->where));
  out->kids.push_back(integer(kind.strings.empty() ? 0 : world_.options.number(kind.strings), type, expr->where));
  for (size_t i = 1; i < expr->kids.size(); ++i) {
    SourceRange where = expr->kids[i]->where;
    ExprPtr size = passed(name, std::move(expr->kids[i]), prototype.parameters[i - 1], i);
    bool valid = size->kind == ExprKind::Integer && static_cast<int32_t>(size->integer) >= (i == 1 ? 1 : 0) &&
                 size->integer <= INT32_MAX;
    if (!valid && i == 1)
      fail(kind.frames_tag, where, name + "( ) argument #1 must be a non-zero positive integer constant");
    if (!valid) fail("D_USTACK_STRSIZE", where, name + "( ) argument #2 must be a positive integer constant");
    out->kids[i - 1] = integer(size->integer, type, where);
  }
  out->kids[0]->integer = std::min(out->kids[0]->integer, std::max<uint64_t>(1, world_.options.number("maxframes")));
  if (row.of_kernel && !world_.probes.capabilities().kernel) out->function = find_function("__no_stack");
  return out;
}

/// Returns an assignment of `value` to a new variable of the firing, and leaves that variable in its place.
ExprPtr Checker::kept_in_variable(ExprPtr& value) {
  const SourceRange where = value->where;
  std::string hidden = "kept " + std::to_string(world_.program.variables.size());  // no text can name it
  const Symbol temporary = declare_variable(VariableDesc::Scope::This, hidden, value->type);
  ExprPtr out = make(ExprKind::Assign, value->type, where);
  out->kids.push_back(variable(temporary, where));
  out->kids.push_back(std::exchange(value, variable(temporary, where)));
  return out;
}

/// Some subroutines are made of others, or need more of the event than they are given.
ExprPtr Checker::lowered_call(ExprPtr call) {
  const std::string_view name = call->function->name;
  if (name == "copyinto") {
    // bcopy(copyin(address, size), to, size)
    // The size is used twice, so where an argument assigns, address and size go into variables first.
    std::vector<ExprPtr> first;
    for (size_t i : {0, 1}) {
      if (!assigns(*call->kids[0]) && !assigns(*call->kids[1]) && !assigns(*call->kids[2])) break;
      first.push_back(kept_in_variable(call->kids[i]));
    }
    const DFunction &copyin = *find_function("copyin"), &bcopy = *find_function("bcopy");
    ExprPtr from = make(ExprKind::Call, world_.prototype(copyin.prototype).result, call->where);
    ExprPtr size = clone(*call->kids[1]);
    from->function = &copyin;
    from->text = copyin.name;
    from->kids.push_back(std::move(call->kids[0]));
    from->kids.push_back(std::move(call->kids[1]));
    call->kids[0] = std::move(from);
    call->kids[1] = std::move(call->kids[2]);
    call->kids[2] = std::move(size);
    call->function = &bcopy;
    call->text = bcopy.name;
    if (!first.empty()) {
      ExprPtr all = make(ExprKind::Comma, call->type, call->where);
      all->kids = std::move(first);
      all->kids.push_back(std::move(call));
      return all;
    }
  }
  if (name == "progenyof") {
    // The parent as it was when the probe fired: the process may be gone when the body runs.
    ExprPtr parent = make(ExprKind::Name, nullptr, call->where);
    parent->text = "ppid";
    call->kids.push_back(check(std::move(parent)));
  }
  return call;
}

}  // namespace sonde
