// SPDX-License-Identifier: GPL-3.0-or-later
// The syntax tree. One node kind for expressions, children in order; the checker fills in types and
// what names refer to, and lowers what later passes need not know.
//
// After compiler/check/front_end.cpp the tree holds only the kinds marked "lowered" below, and every expression
// has a type: inlines are expanded, translators replaced by the member's expression, sizeof and offsetof are
// Integer, `a[i]` and `a->m` are Deref of pointer arithmetic, array names that decay are AddressOf their storage, `args[n]` is a Cast of a Builtin,
// implicit conversions are explicit Casts, constants are folded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/source/diagnostic.h"
#include "compiler/types/type.h"
#include "runtime/framework/provider.h"
#include "runtime/lang/functions.h"
#include "runtime/lang/variables.h"
#include "runtime/program/program.h"

namespace sonde {

enum class ExprKind : uint8_t {
  Integer,      ///< lowered. `integer`
  String,       ///< lowered. `text`, escapes resolved
  Name,         ///< identifier, maybe scoped: `text`
  Macro,        ///< $1, $$1, $target: replaced while parsing
  Member,       ///< kid[0].text or ->
  Index,        ///< kid[0][kid[1..]]
  Call,         ///< lowered for subroutines, actions: `function`; kids are the arguments
  Unary,        ///< lowered. `op` of - ~ ! ; + is dropped
  Binary,       ///< lowered. arithmetic, shifts, comparisons; strings compare by == != < <= > >=
  Logical,      ///< lowered. && || ^^
  Conditional,  ///< lowered. kids: condition, then, else; actions may stand in the arms
  Assign,       ///< lowered. kid[0] = kid[1]; op= is Binary inside with `op` None here: see Update
  Update,  ///< lowered. op= , ++ and --: kid[0] = kid[0] op kid[1], kid[0] evaluated once; `postfix`: value is the old one
  Cast,  ///< lowered. kid[0] to `type`
  SizeofType,
  SizeofExpr,
  Offsetof,
  Stringof,
  Xlate,           // gone after check; stringof p is a Call of "stringof" (StringOf below)
  StringOf,        ///< lowered. kid[0] is a pointer into D memory or char array: string
  Deref,           ///< lowered. *kid[0]; an lvalue; `bits` for bit-fields
  AddressOf,       ///< lowered. of a Deref, or of a Variable that is an array or a struct (its storage)
  Comma,           ///< lowered. kids in order, value of the last
  Aggregate,       ///< lowered. @name[kids...] = function(...): see AggregateUse; only as a statement (or an arm of ?:)
  AggregationRef,  ///< lowered, as an argument of printa, clear, ...: `variable_index` into aggregations
  Variable,        ///< lowered. user variable: `variable_index` into BodyProgram::variables
  ArrayElement,    ///< lowered. associative array: `variable_index` into BodyProgram::arrays; kids are the keys
  Builtin,         ///< lowered. `builtin`; kid[0] the index for TextOf, Registers
};

enum class Op : uint8_t {
  None,
  Add,
  Sub,
  Mul,
  Div,
  Mod,
  And,
  Or,
  Xor,
  Shl,
  Shr,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  LogAnd,
  LogOr,
  LogXor,
  Neg,
  Not,
  LogNot,
  Plus,
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Expr {
  ExprKind kind = ExprKind::Integer;
  SourceRange where;
  const Type* type = nullptr;  ///< set by the checker
  Op op = Op::None;
  bool arrow = false;    ///< Member: -> rather than .
  bool postfix = false;  ///< Update
  uint64_t integer = 0;
  std::string text;
  std::vector<ExprPtr> kids;

  // Filled in by the checker.
  const DFunction* function = nullptr;
  const DVariable* builtin = nullptr;
  uint32_t variable_index = 0;
  // Aggregate: kids are first the keys, then the value and the increment where the function takes them.
  uint32_t key_count = 0;
  // Call of an action: index into BodyProgram::sites; kids are exactly the site's argv. sites[] and aggregations[] are made by the checker.
  uint32_t site = 0;
  uint8_t bit_offset = 0, bit_width = 0;  ///< Deref of a bit-field
  uint64_t bound = 0;  ///< Cast of an array's index: a value that is not below it is a fault. 0: none

  // Syntax only.
  const struct TypeName* type_name = nullptr;  ///< Cast, SizeofType, Offsetof, Xlate before check (owned by the Unit)
};

/// The value of a constant, seen through casts.
std::optional<uint64_t> constant_of(const Expr& expr);

/// Whether `expr` calls the subroutine or action `name`.
bool is_call(const Expr& expr, std::string_view name);

struct Statement {
  enum class Kind : uint8_t { Expression, If };
  Kind kind = Kind::Expression;
  SourceRange where;
  ExprPtr expression;  ///< the condition of an If
  std::vector<Statement> then_part, else_part;
};

struct ClauseAst {
  SourceRange where;
  std::vector<ProbeDescription> descriptions;
  std::vector<SourceRange> description_places;
  ExprPtr predicate;      ///< may be null
  bool has_body = false;  ///< braces were there
  std::string needs;      ///< what the source has to see, and does not; set by the checker
  std::vector<Statement> statements;
};

/// A source text, parsed and checked, ready to be split.
struct Unit {
  SourceText source;
  std::vector<ClauseAst> clauses;
  dtrace_attribute_t attributes{};  ///< the least of all names that the clauses use
};

}  // namespace sonde
