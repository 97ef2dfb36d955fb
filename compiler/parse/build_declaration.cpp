// SPDX-License-Identifier: GPL-3.0-or-later
// Declarations of the parse tree
//
// C nests a declarator inside out, so its steps are listed from the name outward: int *a[3] has the derivations [3], *,
// which read "a is an array of 3 pointers to" int. The checker's derived_type() applies them from the far end.
#include "compiler/parse/tree_builder.h"

namespace sonde {

DeclarationSyntax TreeBuilder::declaration(P::DeclarationContext* context) {
  DeclarationSyntax out;
  out.where = range(context);
  out.specifiers = specifiers(context->specifiers());
  for (P::DeclaratorContext* one : context->declarator()) out.declarators.push_back(declarator(one));
  return out;
}

InlineSyntax TreeBuilder::inline_definition(P::InlineDefinitionContext* context) {
  InlineSyntax out;
  out.where = range(context);
  out.specifiers = specifiers(context->specifiers());
  out.declarator = declarator(context->declarator());
  out.value = expression(context->expression());
  return out;
}

TranslatorSyntax TreeBuilder::translator(P::TranslatorContext* context) {
  TranslatorSyntax out;
  out.where = range(context);
  out.output = type_name(context->output);
  out.input = specifiers(context->specifiers());
  out.parameter = declarator(context->declarator());
  for (P::ConversionContext* one : context->conversion()) {
    TranslatorSyntax::Conversion conversion;
    conversion.where = range(one);
    conversion.member = member(one->member());
    conversion.value = expression(one->expression());
    out.conversions.push_back(std::move(conversion));
  }
  return out;
}

ProviderSyntax TreeBuilder::provider(P::ProviderDefinitionContext* context) {
  ProviderSyntax out;
  out.where = range(context);
  out.name = spelling(context->name);
  for (P::ProbeContext* one : context->probe()) {
    ProbeSyntax probe;
    probe.where = range(one);
    probe.name = spelling(one->name);
    probe.input = one->input ? parameters(one->input) : std::make_shared<std::vector<Parameter>>();
    if (one->translated)
      probe.output = one->output ? parameters(one->output) : std::make_shared<std::vector<Parameter>>();
    out.probes.push_back(std::move(probe));
  }
  return out;
}

Specifiers TreeBuilder::specifiers(P::SpecifiersContext* context) {
  Specifiers out;
  out.where = range(context);
  for (P::SpecifierContext* one : context->specifier()) specifier(one, out);
  return out;
}

void TreeBuilder::specifier(P::SpecifierContext* context, Specifiers& into) {
  using Base = Specifiers::Base;
  auto base = [&](Base kind) {
    into.base = kind;
    ++into.bases;
  };
  if (context->qualifier) into.is_qualified = true;
  if (context->qualifier) return;
  if (context->record()) {
    base(Base::Record);
    into.record = record(context->record());
    return;
  }
  if (context->enumeration()) {
    base(Base::Enum);
    into.enumeration = enumeration(context->enumeration());
    return;
  }
  switch (context->getStart()->getType()) {
    case P::AUTO: into.storage.push_back(Storage::Auto); break;
    case P::REGISTER: into.storage.push_back(Storage::Register); break;
    case P::STATIC: into.storage.push_back(Storage::Static); break;
    case P::EXTERN: into.storage.push_back(Storage::Extern); break;
    case P::TYPEDEF: into.storage.push_back(Storage::Typedef); break;
    case P::SELF: into.storage.push_back(Storage::Self); break;
    case P::THIS: into.storage.push_back(Storage::This); break;
    case P::VOID: base(Base::Void); break;
    case P::CHAR: base(Base::Char); break;
    case P::INT: base(Base::Int); break;
    case P::FLOAT: base(Base::Float); break;
    case P::DOUBLE: base(Base::Double); break;
    case P::STRING: base(Base::String); break;
    case P::SHORT: ++into.shorts; break;
    case P::LONG: ++into.longs; break;
    case P::SIGNED: into.is_signed = true; break;
    case P::UNSIGNED: into.is_unsigned = true; break;
    default:
      base(Base::Named);
      into.name = spelling(context->getStart());
      break;
  }
}

namespace {

/// mod`struct foo is struct mod`foo.
std::string scoped_tag(const std::string& kind, const std::string& tag) {
  const size_t scope = kind.rfind('`');
  return scope == std::string::npos ? tag : kind.substr(0, scope + 1) + tag;
}

}  // namespace

std::shared_ptr<RecordSyntax> TreeBuilder::record(P::RecordContext* context) {
  auto out = std::make_shared<RecordSyntax>();
  out->where = range(context);
  out->is_union = context->kind->getType() == P::UNION;
  if (context->tag) out->tag = scoped_tag(spelling(context->kind), spelling(context->tag));
  out->defined = context->open != nullptr;
  if (out->defined && context->fields().empty())
    diagnostics_.report("D_SYNTAX", range(context->RBRACE()->getSymbol()), "syntax error near \"}\"",
                        "a struct or union has members");
  for (P::FieldsContext* one : context->fields()) fields(one, *out);
  return out;
}

void TreeBuilder::fields(P::FieldsContext* context, RecordSyntax& into) {
  auto shared = std::make_shared<Specifiers>(specifiers(context->specifiers()));
  if (context->field().empty()) into.fields.push_back({range(context), shared, {}, nullptr});
  for (P::FieldContext* one : context->field()) {
    FieldSyntax field;
    field.where = range(one);
    field.specifiers = shared;
    if (one->declarator()) field.declarator = declarator(one->declarator());
    if (one->expression()) field.width = expression(one->expression());
    into.fields.push_back(std::move(field));
  }
}

std::shared_ptr<EnumSyntax> TreeBuilder::enumeration(P::EnumerationContext* context) {
  auto out = std::make_shared<EnumSyntax>();
  out->where = range(context);
  if (context->tag) out->tag = scoped_tag(spelling(context->ENUM()), spelling(context->tag));
  out->defined = context->open != nullptr;
  for (P::EnumeratorContext* one : context->enumerator()) {
    EnumeratorSyntax enumerator{range(one), spelling(one->IDENTIFIER()), nullptr};
    if (one->expression()) enumerator.value = expression(one->expression());
    out->enumerators.push_back(std::move(enumerator));
  }
  return out;
}

Derivation TreeBuilder::pointer(SourceRange where) {
  Derivation out;
  out.where = where;
  return out;
}

Declarator TreeBuilder::declarator(P::DeclaratorContext* context) {
  Declarator out;
  if (context->STAR()) {
    out = declarator(context->declarator());
    out.derivations.push_back(pointer(range(context->STAR()->getSymbol())));
    return out;
  }
  if (context->IDENTIFIER()) {
    out.name = spelling(context->IDENTIFIER());
    out.where = range(context->IDENTIFIER()->getSymbol());
  } else {
    out = declarator(context->declarator());
  }
  for (P::SuffixContext* one : context->suffix()) out.derivations.push_back(suffix(one));
  return out;
}

void TreeBuilder::abstract_declarator(P::AbstractDeclaratorContext* context, Declarator& into) {
  if (context->suffix().empty()) {
    if (context->abstractDeclarator()) abstract_declarator(context->abstractDeclarator(), into);
    into.derivations.push_back(pointer(range(context->STAR()->getSymbol())));
    return;
  }
  if (context->STAR()) into.derivations.push_back(pointer(range(context->STAR()->getSymbol())));
  for (P::SuffixContext* one : context->suffix()) into.derivations.push_back(suffix(one));
}

Derivation TreeBuilder::suffix(P::SuffixContext* context) {
  Derivation out;
  out.where = range(context);
  out.kind = Derivation::Kind::Array;
  if (context->parameters()) {
    out.kind = Derivation::Kind::Tuple;
    out.parameters = parameters(context->parameters());
  }
  if (context->expression()) out.size = expression(context->expression());
  if (context->open) out.kind = Derivation::Kind::Function;
  if (context->open && !out.parameters) out.parameters = std::make_shared<std::vector<Parameter>>();
  return out;
}

std::shared_ptr<std::vector<Parameter>> TreeBuilder::parameters(P::ParametersContext* context) {
  auto out = std::make_shared<std::vector<Parameter>>();
  for (P::ParameterContext* one : context->parameter()) {
    Parameter parameter;
    parameter.where = range(one);
    parameter.ellipsis = one->ELLIPSIS() != nullptr;
    if (one->specifiers()) parameter.specifiers = specifiers(one->specifiers());
    if (one->declarator()) parameter.declarator = declarator(one->declarator());
    if (one->abstractDeclarator()) abstract_declarator(one->abstractDeclarator(), parameter.declarator);
    out->push_back(std::move(parameter));
  }
  return out;
}

const TypeName* TreeBuilder::type_name(P::TypeNameContext* context) {
  auto out = std::make_unique<TypeName>();
  out->where = range(context);
  out->specifiers = specifiers(context->specifiers());
  if (context->abstractDeclarator()) abstract_declarator(context->abstractDeclarator(), out->declarator);
  tree_.type_names.push_back(std::move(out));
  return tree_.type_names.back().get();
}

}  // namespace sonde
