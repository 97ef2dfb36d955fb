// SPDX-License-Identifier: GPL-3.0-or-later
// Inlines and translators: both are expressions that are put where they are used, and checked there
//
// An expression with a type counts as checked (checker.h), so a parameter stands for the checked argument: a copy is
// made at each use of the parameter. An argument with side effects would happen more than once, and is refused.
//
// A definition is also checked where it stands, with stand-ins for its parameters, so that its errors are reported
// there.
#include "compiler/check/checker.h"
#include "compiler/library/library.h"
#include "runtime/base/suggest.h"

namespace sonde {

namespace {
constexpr size_t kMostExpansions = 32;  ///< inlines inside inlines

uint64_t nodes(const Expr& expr) {
  uint64_t count = 1;
  for (const ExprPtr& kid : expr.kids) count += nodes(*kid);
  return count;
}

}  // namespace

void Checker::inline_definition(InlineSyntax& syntax) {
  const Declarator& declarator = syntax.declarator;
  if (!syntax.specifiers.storage.empty())
    fail("D_DECL_BADCLASS", syntax.where, "specified storage class not appropriate in D");
  require_unscoped(declarator.name, declarator.where);
  auto definition = std::make_shared<InlineDefinition>();
  bool tuple = !declarator.derivations.empty() && declarator.derivations[0].kind == Derivation::Kind::Tuple;
  definition->type = derived(specified(syntax.specifiers), declarator, tuple ? 1 : 0);
  auto known = world_.names.globals.find(declarator.name);
  if (known != world_.names.globals.end() && known->second.type)
    fail("D_DECL_IDRED", declarator.where,
         "identifier redeclared: " + declarator.name + "\n\t current: " + definition->type->name +
             "\n\tprevious: " + known->second.type->name);
  require_new(declarator.name, declarator.where);
  if (tuple) definition->parameter_types = signature(declarator.derivations[0], &definition->parameters);
  for (const std::string& name : definition->parameters)
    if (name.empty())
      fail("D_DECL_PROTO_FORM", declarator.where, "inline definition requires named parameters: " + declarator.name);
  definition->value = std::move(syntax.value);
  Symbol symbol;
  symbol.kind = Symbol::Kind::Inline;
  symbol.type = definition->type;
  symbol.definition = definition;
  if (!library_) {
    std::vector<ExprPtr> arguments;
    for (const Type* type : definition->parameter_types) arguments.push_back(stand_in(type, definition->value->where));
    expand(symbol, declarator.name, std::move(arguments), definition->value->where);
  }
  world_.names.globals[declarator.name] = symbol;
}

/// A copy for an inline or a translator. An inline may use another one twice, so each level of nesting can double the tree:
/// the number of nodes that a text expands to is bounded by its length.
ExprPtr Checker::expanded(const Expr& expr, SourceRange where) {
  expansion_ += nodes(expr);
  bool too_much = expansion_ > 200'000 + 20 * source_.text.size();
  if (too_much && std::exchange(overgrown_, true)) throw Refused{};  // already reported
  if (too_much)
    fail("D_UNKNOWN", where, "inlines expand to too much", "assign a part of it to a variable, and use that");
  return clone(expr);
}

/// Something of that type whose value nobody knows: with it a definition is checked before it is used.
ExprPtr Checker::stand_in(const Type* type, SourceRange where) {
  bool memory = type->is_record() || type->canonical->kind == Type::Kind::Array;
  ExprPtr out = make(memory ? ExprKind::Deref : ExprKind::Cast, type, where);
  out->kids.push_back(integer(0, memory ? world_.types.pointer_to(type) : type, where));
  return out;
}

ExprPtr Checker::with_parameters(const Expr& body, Parameters parameters) {
  if (parameters_.size() > kMostExpansions) fail("D_UNKNOWN", parameters.where, "inlines are nested too deeply");
  if (!parameters_.empty()) parameters.where = parameters_.front().where;
  parameters_.push_back(std::move(parameters));
  struct Pop {
    std::vector<Parameters>& stack;
    ~Pop() { stack.pop_back(); }
  } pop{parameters_};
  ExprPtr value = check(expanded(body, parameters_.back().where));
  value->where = parameters_.back().where;  // nobody sees the definition
  return value;
}

ExprPtr Checker::expand(const Symbol& symbol, const std::string& name, std::vector<ExprPtr> arguments,
                        SourceRange where) {
  const InlineDefinition& definition = *symbol.definition;
  if (arguments.size() != definition.parameters.size())
    fail("D_PROTO_LEN", where,
         name + "[ ] prototype mismatch: " + std::to_string(arguments.size()) +
             (arguments.size() == 1 ? " key" : " keys") + " passed, " + std::to_string(definition.parameters.size()) +
             " expected");
  Parameters parameters;
  parameters.where = where;
  for (size_t i = 0; i < arguments.size(); ++i) {
    arguments[i] = check(std::move(arguments[i]));
    const Type* type = definition.parameter_types[i];
    if (!assignable(type, *arguments[i]))
      fail("D_PROTO_ARG", arguments[i]->where,
           name + "[ ] key #" + std::to_string(i + 1) + " is incompatible with prototype:\n\tprototype: " + type->name +
               "\n\t      key: " + arguments[i]->type->name);
    if (has_side_effects(*arguments[i]) && arguments[i]->kind != ExprKind::Call)
      fail("D_UNKNOWN", arguments[i]->where,
           "an argument of the inline " + name + " may not have side effects: assign it to a variable first");
    arguments[i] = convert(std::move(arguments[i]), type);
    parameters.values[definition.parameters[i]] = arguments[i].get();
  }
  ExprPtr value = with_parameters(*definition.value, std::move(parameters));
  const Type* type = definition.type;
  if (value->type->canonical->kind == Type::Kind::Dynamic) return value;
  if (!assignable(type, *value))
    fail("D_OP_INCOMPAT", where,
         "inline " + name + " definition uses incompatible types: \"" + type->name + "\" = \"" + value->type->name +
             "\"");
  value = convert(std::move(value), type);
  if (value->type != type && value->type->canonical == type->canonical) {  // keeps its own name for messages
    if (value->kind == ExprKind::Integer || value->kind == ExprKind::Cast) value->type = type;
  }
  return value;
}

void Checker::translator(TranslatorSyntax& syntax) {
  auto made = std::make_shared<Translator>();
  made->output = named(*syntax.output);
  made->input = derived(specified(syntax.input), syntax.parameter);
  made->parameter = syntax.parameter.name;
  if (!made->output->is_record() || !world_.foreign.complete(made->output))
    fail("D_XLATE_SOU", syntax.where, "translator output type must be a struct or union");
  for (const auto& known : world_.names.translators)
    if (known->input->canonical == made->input->canonical && known->output->canonical == made->output->canonical)
      fail("D_XLATE_REDECL", syntax.where,
           "translator from " + made->input->name + " to " + made->output->name + " has already been declared");
  for (TranslatorSyntax::Conversion& conversion : syntax.conversions) {
    const Member* member = nullptr;
    for (const Member& one : made->output->canonical->members)
      if (one.name == conversion.member) member = &one;
    if (!member)
      fail("D_XLATE_MEMB", conversion.where,
           "translator member " + conversion.member + " is not a member of " + made->output->name);
    if (!library_) {
      ExprPtr input = stand_in(made->input, conversion.where);
      Parameters parameters;
      parameters.where = conversion.where;
      parameters.values[made->parameter] = input.get();
      bool stands_in = made->input->is_scalar() || made->input->is_string() || made->input->is_record();
      ExprPtr value = stands_in ? with_parameters(*conversion.value, std::move(parameters)) : nullptr;
      bool string_member = value && is_char_pointer(member->type) && value->type->is_string();
      bool dynamic = value && value->type->canonical->kind == Type::Kind::Dynamic;
      if (value && !dynamic && !string_member && !assignable(member->type, *value) &&
          member->type->canonical != value->type->canonical)
        fail("D_XLATE_INCOMPAT", conversion.where,
             "translator member " + conversion.member + " definition uses incompatible types: \"" + member->type->name +
                 "\" = \"" + value->type->name + "\"");
    }
    made->members[conversion.member] = std::move(conversion.value);
  }
  world_.names.translators.push_back(std::move(made));
}

/// The output may be wanted as a pointer. A pointer to the input is another input.
const Translator* Checker::find_translator(const Type* input, const Type* output) {
  auto bare = [](const Type* type) {
    const Type* real = type->canonical;
    return real->kind == Type::Kind::Pointer && real->target->canonical->kind != Type::Kind::Void &&
                   !is_char_pointer(real)
               ? real->target->canonical
               : real;
  };
  const Translator* near = nullptr;
  for (const auto& one : world_.names.translators) {
    if (one->output->canonical != bare(output)) continue;
    if (one->input->canonical == input->canonical) return one.get();
    if (one->input->is_integer() && input->is_integer()) near = one.get();
  }
  return near;
}

/// The value stays an expression until a member is taken: kids[0] is the input.
ExprPtr Checker::check_xlate(ExprPtr expr) {
  const Type* output = named(*expr->type_name);
  ExprPtr input = check(std::move(expr->kids[0]));
  if (input->type->canonical->kind == Type::Kind::Dynamic)
    fail("D_OP_DYN", expr->where, "a translated object cannot be translated again");
  const Type* record = output->is_pointer() ? output->canonical->target : output;
  if (!record->is_record()) fail("D_XLATE_SOU", expr->where, "translator output type must be a struct or union");
  if (!find_translator(input->type, output))
    fail("D_XLATE_NONE", expr->where,
         "cannot translate from \"" + input->type->name + "\" to \"" + output->name + "\"");
  ExprPtr out = make(ExprKind::Xlate, world_.types.dynamic_of(output), here(expr->where));
  out->kids.push_back(std::move(input));
  return out;
}

/// The object as a whole: a struct in scratch memory, each member as its conversion says, the others zero.
///     (tmp = alloca(size), tmp->a = ..., tmp->b = ..., *tmp)
ExprPtr Checker::translated_record(ExprPtr dynamic) {
  const Type* record = dynamic->type->canonical->target;
  SourceRange where = dynamic->where;
  const Translator* translator = find_translator(dynamic->kids[0]->type, record);
  SONDE_CHECK(translator);
  const Type* pointer = world_.types.pointer_to(record);
  std::string hidden = "translated " + std::to_string(world_.program.variables.size());  // no text can name it
  const Symbol temporary = declare_variable(VariableDesc::Scope::This, hidden, pointer);
  auto assign = [&](ExprPtr to, ExprPtr from) {
    ExprPtr out = make(ExprKind::Assign, to->type, where);
    out->kids.push_back(std::move(to));
    out->kids.push_back(std::move(from));
    return out;
  };
  ExprPtr memory = make(ExprKind::Call, world_.types.pointer_to(world_.types.void_type()), where);
  memory->function = find_function("alloca");
  memory->text = "alloca";
  memory->kids.push_back(integer(record->canonical->size, world_.types.find("size_t"), where));
  ExprPtr out = make(ExprKind::Comma, record, where);
  out->kids.push_back(assign(variable(temporary, where), cast(std::move(memory), pointer)));
  for (const Member& member : record->canonical->members) {
    if (!translator->members.contains(member.name)) continue;
    ExprPtr access = make(ExprKind::Member, nullptr, where);
    access->text = member.name;
    ExprPtr value = translated_member(std::move(access), expanded(*dynamic, where));
    const Type* part = value->type->canonical;
    if (part->kind == Type::Kind::Dynamic && part->target->is_record()) value = translated_record(std::move(value));
    if (value->type->canonical->kind == Type::Kind::Dynamic)
      fail("D_OP_DYN", where, "member " + member.name + " is a pointer to a translated object, which cannot be stored");
    out->kids.push_back(assign(member_at(variable(temporary, where), member, where), std::move(value)));
  }
  ExprPtr whole = make(ExprKind::Deref, record, where);
  whole->kids.push_back(variable(temporary, where));
  out->kids.push_back(std::move(whole));
  return out;
}

ExprPtr Checker::translated_member(ExprPtr expr, ExprPtr base) {
  const Type* output = base->type->canonical->target;
  const Type* record = output->is_pointer() ? output->canonical->target->canonical : output->canonical;
  if (expr->arrow != output->is_pointer())
    fail(expr->arrow ? "D_OP_PTR" : "D_OP_SOU", expr->where,
         expr->arrow
             ? "operator -> must be applied to a pointer"
             : "operator . cannot be applied to type \"" + output->name + "\"; must be applied to a struct or union");
  const Translator* translator = find_translator(base->kids[0]->type, output);
  SONDE_CHECK(translator);
  const Member* member = nullptr;
  Suggestion suggestion(expr->text);
  for (const Member& one : record->members) {
    if (one.name == expr->text) member = &one;
    suggestion.offer(one.name);
  }
  if (!member)
    fail("D_TYPE_MEMBER", expr->where, expr->text + " is not a member of " + record->name, suggestion.hint());
  auto known = translator->members.find(expr->text);
  if (known == translator->members.end())
    fail("D_XLATE_NOCONV", expr->where, "translator does not define conversion for member: " + expr->text);
  if (has_side_effects(*base->kids[0]) && base->kids[0]->kind != ExprKind::Call)
    fail("D_UNKNOWN", expr->where, "what is translated may not have side effects: assign it to a variable first");
  Parameters parameters;
  parameters.where = expr->where;
  parameters.values[translator->parameter] = base->kids[0].get();
  ExprPtr value = with_parameters(*known->second, std::move(parameters));
  if (value->type->canonical->kind == Type::Kind::Dynamic || value->type->is_record() ||
      value->type->canonical->kind == Type::Kind::Array)
    return value;
  if (is_char_pointer(member->type) && value->type->is_string()) {  // char pr_fname[16] holds a string
    text_member_ = member->type;
    return value;
  }
  return convert(std::move(value), member->type);
}

}  // namespace sonde
