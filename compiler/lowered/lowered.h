// SPDX-License-Identifier: GPL-3.0-or-later
// The lowered tree: what a script means, without any trace of how it was written
//
// compiler/check makes it; the split and the code generator use it. It has types of its own: a node that was not
// lowered, such as `p->m` or an inline, cannot be represented, so it cannot reach them. We refused a flag on the nodes
// of the syntax tree: then every switch of the split has cases that "cannot happen", and one did: `(void)xlate <T> (x)`
// came as far as LLVM.
//
// Every expression has a type. Inlines are expanded, translators replaced by the member's expression, sizeof and
// offsetof are Integer, `a[i]` and `a->m` are Deref of pointer arithmetic, names of arrays that decay are AddressOf
// their storage, `args[n]` is a Cast of a Builtin, implicit conversions are explicit Casts, constants are folded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/source/diagnostic.h"
#include "compiler/types/arithmetic.h"
#include "runtime/framework/provider.h"
#include "runtime/lang/functions.h"
#include "runtime/lang/variables.h"
#include "runtime/program/program.h"

namespace sonde {

enum class LoweredKind : uint8_t {
  Integer,  ///< `integer`
  String,   ///< `text`
  Call,     ///< of the subroutine or action `function`; kids are the arguments, of an action exactly the site's argv
  Unary,    ///< `op` of - ~ !
  Binary,   ///< arithmetic, shifts, comparisons; strings compare by == != < <= > >=
  Logical,  ///< && || ^^
  Conditional,     ///< kids: condition, then, else; actions may stand in the arms
  Assign,          ///< kid[0] = kid[1]
  Update,          ///< kid[0] = kid[0] op kid[1], kid[0] evaluated once; `postfix`: the value is the old one
  Cast,            ///< kid[0] to `type`
  StringOf,        ///< kid[0] is a pointer into D memory or a char array of `integer` bytes: string
  Deref,           ///< *kid[0]; a place
  AddressOf,       ///< of a Deref, or of a Variable that is an array or a struct (its storage)
  Comma,           ///< kids in order, value of the last
  Aggregate,       ///< @name[kids...] = function(...); only as a statement (or an arm of ?:)
  AggregationRef,  ///< as an argument of printa, clear, ...: `variable_index` into BodyProgram::aggregations
  Variable,        ///< `variable_index` into BodyProgram::variables
  ArrayElement,    ///< `variable_index` into BodyProgram::arrays; kids are the keys
  Builtin,         ///< `builtin`; kid[0] is the index of TextOf and Registers
};

/// All attributes of a node except its kind and its kids. Nodes of the syntax tree have them, too; lowering moves them
/// over.
struct ExprFacts {
  SourceRange where;
  const Type* type = nullptr;
  Op op = Op::None;
  bool postfix = false;
  uint64_t integer = 0;
  std::string text;
  const DFunction* function = nullptr;
  const DVariable* builtin = nullptr;
  uint32_t variable_index = 0;
  uint32_t key_count =
      0;  ///< Aggregate: kids are first the keys, then the value and the increment where the function takes them
  uint32_t site = 0;                      ///< Call of an action: index into BodyProgram::sites
  uint8_t bit_offset = 0, bit_width = 0;  ///< Deref of a bit-field
  uint64_t bound = 0;  ///< Cast of an array's index: a value that is not below it faults. 0: no bound
};

struct LoweredExpr;
using LoweredExprPtr = std::unique_ptr<LoweredExpr>;

struct LoweredExpr : ExprFacts {
  LoweredKind kind = LoweredKind::Integer;
  std::vector<LoweredExprPtr> kids;
};

/// The value of a constant, also below casts.
std::optional<uint64_t> constant_of(const LoweredExpr& expr);

/// Bytes of memory that a Deref accesses: of a bit-field those that it has bits in, for behind these the object may end.
uint64_t accessed_bytes(const LoweredExpr& deref);

/// Whether `expr` is copyin(): a call that leads to a copy of the traced process's bytes.
bool copies_bytes(const LoweredExpr& expr);

struct LoweredStatement {
  bool is_if = false;  ///< else an expression
  SourceRange where;
  LoweredExprPtr expression;  ///< of an if: the condition
  std::vector<LoweredStatement> then_part, else_part;
};

struct LoweredPreface {
  LoweredExprPtr when, derived;  ///< as in PrefaceAst
  std::vector<ProbeId> probes;
  std::vector<std::pair<uint32_t, LoweredExprPtr>> arguments = {};
};

struct LoweredClause {
  SourceRange where;
  std::vector<ProbeDescription> descriptions;
  LoweredExprPtr predicate;  ///< may be null
  std::vector<LoweredStatement> statements;
  std::string needs;  ///< what it reads and the source cannot
  std::vector<LoweredPreface> prefaces = {};
  bool hidden = false;  ///< of a provider: no script has it
};

/// A source text that has been checked and is ready to be split.
struct LoweredUnit {
  SourceText source;
  std::vector<LoweredClause> clauses;
  dtrace_attribute_t attributes{};  ///< those of the least stable name that the clauses use
};

}  // namespace sonde
