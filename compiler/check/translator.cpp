// SPDX-License-Identifier: GPL-3.0-or-later
// Translators: a member of a translated object is the translator's expression for it, checked at each use
//
// The object itself stays an Xlate of type Dynamic until a member is used. It has no value that could be stored or
// passed, except by translated_record(). As with inlines, a definition is also checked on its own.
#include "compiler/check/translator.h"

#include "compiler/check/convert.h"
#include "compiler/check/expression.h"
#include "compiler/check/inline.h"
#include "compiler/check/node.h"
#include "compiler/check/place.h"
#include "compiler/check/type.h"
#include "compiler/check/variable.h"
#include "runtime/base/check.h"

namespace sonde {

void check_translator(CheckContext& cx, TranslatorSyntax& syntax) {
  auto made = std::make_shared<Translator>();
  made->output = named_type(cx, *syntax.output);
  made->input = derived_type(cx, specified_type(cx, syntax.input), syntax.parameter);
  made->parameter = syntax.parameter.name;
  if (!made->output->is_record() || !cx.world.foreign.complete(made->output))
    cx.fail("D_XLATE_SOU", syntax.where, "translator output type must be a struct or union");
  for (const auto& known : cx.world.names.translators)
    if (known->input->canonical == made->input->canonical && known->output->canonical == made->output->canonical)
      cx.fail("D_XLATE_REDECL", syntax.where,
              "translator from " + made->input->name + " to " + made->output->name + " has already been declared");
  for (TranslatorSyntax::Conversion& conversion : syntax.conversions) {
    const Member* member = nullptr;
    for (const Member& one : made->output->canonical->members)
      if (one.name == conversion.member) member = &one;
    if (!member)
      cx.fail("D_XLATE_MEMB", conversion.where,
              "translator member " + conversion.member + " is not a member of " + made->output->name);
    if (!cx.library || cx.world.checks_definitions) {
      ExprPtr input = stand_in(cx, made->input, conversion.where);
      Expansion parameters;
      parameters.where = conversion.where;
      parameters.values[made->parameter] = input.get();
      bool stands_in = made->input->is_scalar() || made->input->is_string() || made->input->is_record();
      ExprPtr value = stands_in ? with_parameters(cx, *conversion.value, std::move(parameters)) : nullptr;
      bool string_member = value && is_char_pointer(member->type) && value->type->is_string();
      bool dynamic = value && value->type->canonical->kind == Type::Kind::Dynamic;
      if (value && !dynamic && !string_member && !assignable(member->type, *value) &&
          member->type->canonical != value->type->canonical)
        cx.fail("D_XLATE_INCOMPAT", conversion.where,
                "translator member " + conversion.member + " definition uses incompatible types: \"" +
                    member->type->name + "\" = \"" + value->type->name + "\"");
    }
    made->members[conversion.member] = std::move(conversion.value);
  }
  cx.world.names.translators.push_back(std::move(made));
}

const Translator* find_translator(CheckContext& cx, const Type* input, const Type* output) {
  auto bare = [](const Type* type) {
    const Type* real = type->canonical;
    return real->kind == Type::Kind::Pointer && real->target->canonical->kind != Type::Kind::Void &&
                   !is_char_pointer(real)
               ? real->target->canonical
               : real;
  };
  const Translator* near = nullptr;
  for (const auto& one : cx.world.names.translators) {
    if (one->output->canonical != bare(output)) continue;
    if (one->input->canonical == input->canonical) return one.get();
    if (one->input->is_integer() && input->is_integer()) near = one.get();
  }
  return near;
}

ExprPtr check_xlate(CheckContext& cx, ExprPtr expr) {
  const Type* output = named_type(cx, *expr->type_name);
  ExprPtr input = check_expression(cx, std::move(expr->kids[0]));
  if (input->type->canonical->kind == Type::Kind::Dynamic)
    cx.fail("D_OP_DYN", expr->where, "a translated object cannot be translated again");
  const Type* record = output->is_pointer() ? output->canonical->target : output;
  if (!record->is_record()) cx.fail("D_XLATE_SOU", expr->where, "translator output type must be a struct or union");
  if (!find_translator(cx, input->type, output))
    cx.fail("D_XLATE_NONE", expr->where,
            "cannot translate from \"" + input->type->name + "\" to \"" + output->name + "\"");
  return make_expr(ExprKind::Xlate, cx.world.types.dynamic_of(output), cx.here(expr->where), std::move(input));
}

ExprPtr translated_record(CheckContext& cx, ExprPtr dynamic) {
  const Type* record = dynamic->type->canonical->target;
  SourceRange where = dynamic->where;
  const Translator* translator = find_translator(cx, dynamic->kids[0]->type, record);
  SONDE_CHECK(translator);
  const Type* pointer = cx.world.types.pointer_to(record);
  std::string hidden = "translated " + std::to_string(cx.world.program.variables.size());  // no text can name it
  const Symbol temporary = declare_variable(cx, VariableDesc::Scope::This, hidden, pointer);
  auto assign = [&](ExprPtr to, ExprPtr from) {
    const Type* type = to->type;
    return make_expr(ExprKind::Assign, type, where, std::move(to), std::move(from));
  };
  ExprPtr memory = make_call(*find_function("alloca"), cx.world.types.pointer_to(cx.world.types.void_type()), where,
                             make_integer(record->canonical->size, cx.world.types.find("size_t"), where));
  ExprPtr out = make_expr(ExprKind::Comma, record, where,
                          assign(variable_of(temporary, where), make_cast(std::move(memory), pointer)));
  for (const Member& member : record->canonical->members) {
    if (!translator->members.contains(member.name)) continue;
    ExprPtr access = make_expr(ExprKind::Member, nullptr, where);
    access->text = member.name;
    ExprPtr value = translated_member(cx, std::move(access), expanded(cx, *dynamic, where));
    const Type* part = value->type->canonical;
    if (part->kind == Type::Kind::Dynamic && part->target->is_record()) value = translated_record(cx, std::move(value));
    if (value->type->canonical->kind == Type::Kind::Dynamic)
      cx.fail("D_OP_DYN", where,
              "member " + member.name + " is a pointer to a translated object, which cannot be stored");
    out->kids.push_back(assign(member_at(cx, variable_of(temporary, where), member, where), std::move(value)));
  }
  out->kids.push_back(make_expr(ExprKind::Deref, record, where, variable_of(temporary, where)));
  return out;
}

ExprPtr translated_member(CheckContext& cx, ExprPtr expr, ExprPtr base) {
  const Type* output = base->type->canonical->target;
  const Type* record = output->is_pointer() ? output->canonical->target->canonical : output->canonical;
  if (expr->arrow != output->is_pointer())
    cx.fail(expr->arrow ? "D_OP_PTR" : "D_OP_SOU", expr->where,
            expr->arrow
                ? "operator -> must be applied to a pointer"
                : "operator . cannot be applied to type \"" + output->name + "\"; must be applied to a struct or union",
            expr->arrow ? "use . on a struct" : "use -> on a pointer");
  const Translator* translator = find_translator(cx, base->kids[0]->type, output);
  SONDE_CHECK(translator);
  const Member& member = find_member(cx, *expr, *record, translator);
  auto known = translator->members.find(expr->text);
  if (known == translator->members.end())
    cx.fail("D_XLATE_NOCONV", expr->where, "translator does not define conversion for member: " + expr->text);
  if (has_side_effects(*base->kids[0]) && base->kids[0]->kind != ExprKind::Call)
    cx.fail("D_UNKNOWN", expr->where, "what is translated may not have side effects: assign it to a variable first");
  Expansion parameters;
  parameters.where = expr->where;
  parameters.values[translator->parameter] = base->kids[0].get();
  ExprPtr value = with_parameters(cx, *known->second, std::move(parameters));
  if (value->type->canonical->kind == Type::Kind::Dynamic || value->type->is_record() ||
      value->type->canonical->kind == Type::Kind::Array)
    return value;
  if (is_char_pointer(member.type) && value->type->is_string()) {  // char pr_fname[16] holds a string
    cx.text_member = member.type;
    return value;
  }
  return convert(cx, std::move(value), member.type);
}

}  // namespace sonde
