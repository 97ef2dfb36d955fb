// SPDX-License-Identifier: GPL-3.0-or-later
// Declarations as written; the checker turns them into types, variables, inlines and translators.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "compiler/ast/ast.h"

namespace sonde {

enum class Storage : uint8_t { Auto, Register, Static, Extern, Typedef, Self, This };

struct RecordSyntax;
struct EnumSyntax;

/// `unsigned long`, `self string`, `struct foo { ... }`.
struct Specifiers {
  enum class Base : uint8_t { None, Void, Char, Int, Float, Double, String, Named, Record, Enum };
  SourceRange where;
  std::vector<Storage> storage;
  Base base = Base::None;
  uint32_t bases = 0;  ///< number of base types: more than one is wrong
  uint32_t longs = 0, shorts = 0;
  bool is_signed = false, is_unsigned = false;
  bool is_qualified = false;  ///< const, volatile or restrict was there
  std::string name;           ///< of Named
  std::shared_ptr<RecordSyntax> record;
  std::shared_ptr<EnumSyntax> enumeration;
};

struct Parameter;

/// One step outwards from a name: `*`, `[3]`, `[int, string]`, `(int)`.
struct Derivation {
  enum class Kind : uint8_t { Pointer, Array, Tuple, Function };
  Kind kind = Kind::Pointer;
  SourceRange where;
  std::shared_ptr<Expr> size;                          ///< of Array; null: []
  std::shared_ptr<std::vector<Parameter>> parameters;  ///< of Tuple and Function
};

struct Declarator {
  SourceRange where;
  std::string name;  ///< empty: abstract
  std::vector<Derivation> derivations;
};

struct Parameter {
  SourceRange where;
  bool ellipsis = false;
  Specifiers specifiers;
  Declarator declarator;
};

/// A type in a cast, sizeof, offsetof, xlate or translator.
struct TypeName {
  SourceRange where;
  Specifiers specifiers;
  Declarator declarator;
};

struct FieldSyntax {
  SourceRange where;
  std::shared_ptr<Specifiers> specifiers;
  Declarator declarator;
  std::shared_ptr<Expr> width;  ///< of a bit-field
};

struct RecordSyntax {
  SourceRange where;
  bool is_union = false;
  std::string tag;
  bool defined = false;  ///< has braces
  std::vector<FieldSyntax> fields;
};

struct EnumeratorSyntax {
  SourceRange where;
  std::string name;
  std::shared_ptr<Expr> value;
};

struct EnumSyntax {
  SourceRange where;
  std::string tag;
  bool defined = false;
  std::vector<EnumeratorSyntax> enumerators;
};

struct DeclarationSyntax {
  SourceRange where;
  Specifiers specifiers;
  std::vector<Declarator> declarators;
};

struct InlineSyntax {
  SourceRange where;
  Specifiers specifiers;
  Declarator declarator;
  ExprPtr value;
};

struct TranslatorSyntax {
  struct Conversion {
    SourceRange where;
    std::string member;
    ExprPtr value;
  };
  SourceRange where;
  const TypeName* output = nullptr;
  Specifiers input;
  Declarator parameter;
  std::vector<Conversion> conversions;
};

/// `probe name(input...) : (output...);`
struct ProbeSyntax {
  SourceRange where;
  std::string name;
  std::shared_ptr<std::vector<Parameter>> input;
  std::shared_ptr<std::vector<Parameter>> output;  ///< null: same as the input
};

struct ProviderSyntax {
  SourceRange where;
  std::string name;
  std::vector<ProbeSyntax> probes;
};

using Item = std::variant<ClauseAst, DeclarationSyntax, InlineSyntax, TranslatorSyntax, ProviderSyntax>;

/// A parsed text. Expressions refer to its type names, so it must outlive them.
struct SyntaxTree {
  std::vector<Item> items;
  std::vector<std::unique_ptr<TypeName>> type_names;
};

/// A copy; type names are shared.
ExprPtr clone(const Expr& expr);
std::vector<Statement> clone(const std::vector<Statement>& statements);

}  // namespace sonde
