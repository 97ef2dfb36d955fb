// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of a clause runs where: goldens of the fire part for typical clauses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/ast/ast.h"
#include "compiler/dif/disassemble.h"
#include "compiler/split/clause_splitter.h"
#include "compiler/split/pointer_origins.h"
#include "compiler/split/splitter.h"
#include "tests/compiler/evaluator/tree.h"

namespace sonde {
namespace {

using namespace test;

template <typename Clause>
concept Splits = requires(ClauseSplitter& splitter, const Clause& clause) {
  splitter.split(clause);
};
template <typename Node>
concept Fires = requires(const FireExpressions& fire, const Node& node) {
  fire.cost(node, FireExpressions::Use::Value);
};
static_assert(Splits<LoweredClause> && !Splits<ClauseAst>, "what was not lowered does not come to the split");
static_assert(Fires<LoweredExpr> && !Fires<Expr>);

class Split : public testing::Test {
 protected:
  Tables tables;
  Options options;
  Splitter splitter{tables.program, options};
  std::vector<std::unique_ptr<LoweredUnit>> units;
  Diagnostics diagnostics;

  template <typename... Clauses>
  std::vector<SplitClause> split_all(Clauses... clauses) {
    units.push_back(std::make_unique<LoweredUnit>());
    (units.back()->clauses.push_back(std::move(clauses)), ...);
    return splitter.split(std::span(units.back().get(), 1), diagnostics);
  }
  std::string fire(const SplitClause& clause) { return disassemble(*clause.fire); }

  /// `@[keys] = count()`, each an aggregation of its own.
  template <typename... Keys>
  LoweredExprPtr counts(Keys... keys) {
    tables.program.aggregations.push_back({.function = AggFunction::Count, .params = {}, .keys = {}});
    LoweredExprPtr expr = node(LoweredKind::Aggregate, void_type(), std::move(keys)...);
    expr->variable_index = static_cast<uint32_t>(tables.program.aggregations.size() - 1);
    expr->key_count = sizeof...(keys);
    return expr;
  }
  /// How many functions of a clause with these statements a source may fold; 0: it is not folded.
  template <typename... Statements>
  int folded(Statements... statements) {
    return split_all(clause(nullptr, std::move(statements)...)).at(0).fire->fold.parts;
  }
};

TEST_F(Split, PredicateOfArgumentsFiltersAndArgumentsAreCaptured) {
  // /arg0 == 3 && pid != 7/ { trace(arg1); trace(arg1 + uid); }
  auto clauses = split_all(
      clause(logical(Op::LogAnd, binary(Op::Eq, builtin("arg0"), number(3), int_type()),
                     binary(Op::Ne, builtin("pid", int_type()), number(7), int_type())),
             call("trace", void_type(), builtin("arg1")),
             call("trace", void_type(), binary(Op::Add, builtin("arg1"), builtin("uid", integer_type(4, false))))));
  ASSERT_EQ(clauses.size(), 1u);
  EXPECT_EQ(fire(clauses[0]),
            "0000  ARG      r0, arg0\n"
            "0001  LI       r1, 3\n"
            "0002  EQ       r0, r0, r1\n"
            "0003  JZ       r0, 0014\n"
            "0004  VAR      r0, pid\n"
            "0005  LI       r1, 7\n"
            "0006  NE       r0, r0, r1\n"
            "0007  JZ       r0, 0014\n"
            "0008  ARG      r0, arg1\n"
            "0009  CAPW     s0, r0\n"
            "0010  VAR      r0, uid\n"
            "0011  ZX       r0, r0, 32\n"
            "0012  CAPW     s1, r0\n"
            "0013  RECORD\n"
            "0014  FAIL\n");
  EXPECT_TRUE(clauses[0].body_predicates.empty());
  EXPECT_EQ(clauses[0].slot_of.size(), 3u);
  EXPECT_FALSE(clauses[0].held);
}

TEST_F(Split, ExecnameIsComparedThere) {
  auto clauses =
      split_all(clause(binary(Op::Eq, builtin("execname", string_type()), text("ls"), int_type()), number(0)),
                clause(binary(Op::Ne, text("ls"), builtin("execname", string_type()), int_type()), number(0)));
  EXPECT_EQ(fire(clauses[0]),
            "0000  NAMEQ    r0, \"ls\"\n"
            "0001  JZ       r0, 0003\n"
            "0002  RECORD\n"
            "0003  FAIL\n");
  EXPECT_EQ(fire(clauses[1]),
            "0000  NAMEQ    r0, \"ls\"\n"
            "0001  LI       r1, 0\n"
            "0002  EQ       r0, r0, r1\n"
            "0003  JZ       r0, 0005\n"
            "0004  RECORD\n"
            "0005  FAIL\n");
}

TEST_F(Split, ProgenyIsDecidedThereIfTheProcessIsKnownThere) {
  auto clauses = split_all(clause(call("progenyof", int_type(), builtin("arg0"), builtin("ppid")), number(0)),
                           clause(call("progenyof", int_type(), call("rand", int_type()), builtin("ppid")), number(0)));
  EXPECT_EQ(fire(clauses[0]),
            "0000  ARG      r0, arg0\n"
            "0001  PROGENY  r0, r0\n"
            "0002  JZ       r0, 0004\n"
            "0003  RECORD\n"
            "0004  FAIL\n");
  EXPECT_EQ(fire(clauses[1]).find("PROGENY"), std::string::npos);
}

TEST_F(Split, ProbefuncIsTheBodysButLaterConjunctsFilter) {
  auto clauses = split_all(
      clause(logical(Op::LogAnd, binary(Op::Eq, builtin("probefunc", string_type()), text("read"), int_type()),
                     binary(Op::Gt, builtin("arg0"), number(2), int_type())),
             number(0)));
  EXPECT_EQ(clauses[0].body_predicates.size(), 1u);
  EXPECT_EQ(fire(clauses[0]),
            "0000  ARG      r0, arg0\n"
            "0001  LI       r1, 2\n"
            "0002  LTS      r0, r1, r0\n"
            "0003  JZ       r0, 0005\n"
            "0004  RECORD\n"
            "0005  FAIL\n");
}

TEST_F(Split, ConjunctsBehindASideEffectStay) {
  uint32_t x = tables.add(VariableDesc::Scope::Global, "x", int_type());
  auto clauses = split_all(
      clause(logical(Op::LogAnd, update(Op::Add, tables.variable(x), number(1)), builtin("arg0")), number(0)));
  EXPECT_EQ(clauses[0].body_predicates.size(), 2u);
  EXPECT_EQ(fire(clauses[0]), "0000  ARG      r0, arg0\n0001  CAPW     s0, r0\n0002  RECORD\n");
}

TEST_F(Split, EntryToReturnNeedsNoRecordAtEntry) {
  uint32_t t = tables.add(VariableDesc::Scope::Self, "t", ulong_type());
  auto clauses = split_all(
      clause(nullptr, assign(tables.variable(t), builtin("timestamp", ulong_type()))),
      clause(tables.variable(t),
             call("trace", void_type(), binary(Op::Sub, builtin("timestamp", ulong_type()), tables.variable(t))),
             assign(tables.variable(t), cast(ulong_type(), number(0)))));
  EXPECT_EQ(fire(clauses[0]),
            "0000  VAR      r0, timestamp\n"
            "0001  STT      r0, self[0]\n"
            "0002  FAIL\n");
  EXPECT_EQ(fire(clauses[1]),
            "0000  LDT      r0, self[0]\n"
            "0001  JZ       r0, 0007\n"
            "0002  LDT      r0, self[0]\n"
            "0003  CAPW     s0, r0\n"
            "0004  LI       r0, 0\n"
            "0005  STT      r0, self[0]\n"
            "0006  RECORD\n"
            "0007  FAIL\n");
  EXPECT_EQ(clauses[1].done_at_fire.size(), 1u);
}

TEST_F(Split, StringAtReturnOfAPointerFromEntryIsNotHeld) {
  uint32_t p = tables.add(VariableDesc::Scope::Self, "p", long_type());
  auto clauses = split_all(
      clause(nullptr, assign(tables.variable(p), builtin("arg1"))),
      clause(nullptr,
             call("trace", void_type(), call("copyinstr", string_type(), cast(ulong_type(), tables.variable(p))))));
  EXPECT_FALSE(clauses[1].held);
  EXPECT_EQ(fire(clauses[1]),
            "0000  LDT      r0, self[0]\n"
            "0001  CAPSTR   s0, r0, 255\n"
            "0002  RECORD\n");
}

TEST_F(Split, ValuesThatAreNotKnownThereKeepAVariableInTheBody) {
  uint32_t a = tables.add(VariableDesc::Scope::Self, "a", long_type());
  uint32_t b = tables.add(VariableDesc::Scope::Self, "b", long_type());
  uint32_t c = tables.add(VariableDesc::Scope::This, "c", int_type());
  // a depends on b, b on a random number: neither is resident. c is, and is cut to int.
  auto clauses = split_all(
      clause(nullptr, assign(tables.variable(a), tables.variable(b)),
             assign(tables.variable(b), call("rand", int_type())), assign(tables.variable(c), builtin("arg0")),
             update(Op::Add, tables.variable(c), number(2)), call("copyinstr", string_type(), tables.variable(a))));
  EXPECT_EQ(clauses[0].done_at_fire.size(), 2u);
  EXPECT_TRUE(clauses[0].held);
  EXPECT_EQ(fire(clauses[0]),
            "0000  ARG      r0, arg0\n"
            "0001  SX       r0, r0, 32\n"
            "0002  STL      r0, this[0]\n"
            "0003  LDL      r0, this[0]\n"
            "0004  LI       r1, 2\n"
            "0005  ADD      r0, r0, r1\n"
            "0006  SX       r0, r0, 32\n"
            "0007  STL      r0, this[0]\n"
            "0008  RECORD\n");
}

TEST_F(Split, AnAssignmentBelowAnIfOrAnUndecidedPredicateStays) {
  uint32_t a = tables.add(VariableDesc::Scope::Self, "a", long_type());
  uint32_t b = tables.add(VariableDesc::Scope::Self, "b", long_type());
  LoweredClause with_if = clause(nullptr);
  LoweredStatement condition;
  condition.is_if = true;
  condition.expression = builtin("arg0");
  condition.then_part.push_back(statement(assign(tables.variable(a), number(1))));
  with_if.statements.push_back(std::move(condition));
  auto clauses = split_all(std::move(with_if), clause(builtin("walltimestamp"), assign(tables.variable(b), number(1))));
  EXPECT_TRUE(clauses[0].done_at_fire.empty());
  EXPECT_TRUE(clauses[1].done_at_fire.empty());
}

/// The firing has no fault for a division by zero of a variable.
TEST_F(Split, ADivisionByWhatMayBeZeroStays) {
  const auto done = [this](Op op, LoweredExprPtr by) {
    const uint32_t at = tables.add(VariableDesc::Scope::Self, "v", long_type());
    return split_all(clause(nullptr, update(op, tables.variable(at), std::move(by)))).at(0).done_at_fire.size();
  };
  EXPECT_EQ(done(Op::Div, builtin("arg0")), 0u);
  EXPECT_EQ(done(Op::Mod, builtin("arg0")), 0u);
  EXPECT_EQ(done(Op::Mod, number(0)), 0u);
  EXPECT_EQ(done(Op::Div, number(2)), 1u);
  EXPECT_EQ(done(Op::Mul, builtin("arg0")), 1u);
}

TEST_F(Split, AnAssignmentBehindAFilterThatIsTooLongStays) {
  const auto done = [this](uint32_t conjuncts) {
    const uint32_t at = tables.add(VariableDesc::Scope::Self, "v", long_type());
    LoweredExprPtr predicate = binary(Op::Ne, builtin("arg0"), number(0));
    for (uint32_t n = 1; n < conjuncts; n++)
      predicate = logical(Op::LogAnd, std::move(predicate), binary(Op::Ne, builtin("arg0"), number(n)));
    return split_all(clause(std::move(predicate), assign(tables.variable(at), number(1)))).at(0).done_at_fire.size();
  };
  EXPECT_EQ(done(10), 1u);
  EXPECT_EQ(done(kMaxFilter / 4 + 1), 0u);
}

TEST_F(Split, ClausesThatOnlyAggregateAreFolded) {
  EXPECT_EQ(folded(counts()), 1);
  EXPECT_EQ(folded(counts(), counts(), counts(), counts()), 4);
  EXPECT_EQ(folded(counts(), counts(), counts(), counts(), counts()), 0) << "more than a source has room for";
  const uint32_t a = tables.add(VariableDesc::Scope::Self, "a", long_type());
  EXPECT_EQ(folded(assign(tables.variable(a), number(1)), counts()), 1);
  EXPECT_EQ(folded(counts(), assign(tables.variable(a), number(1)), counts()), 0) << "the second has another a";
}

TEST_F(Split, KeysThatAreFoldedAreThoseOfEachFiring) {
  EXPECT_EQ(folded(counts(builtin("arg0"))), 1);
  EXPECT_EQ(folded(counts(builtin("timestamp"))), 0) << "each firing has its own";
  EXPECT_EQ(folded(counts(binary(Op::Div, builtin("arg0"), number(2), long_type()))), 1);
  EXPECT_EQ(folded(counts(binary(Op::Div, builtin("arg0"), builtin("arg1"), long_type()))), 0) << "it may fault";
  LoweredExprPtr index = cast(long_type(), builtin("arg0"));
  EXPECT_EQ(folded(counts(std::move(index))), 1);
  index = cast(long_type(), builtin("arg0"));
  index->bound = 4;
  EXPECT_EQ(folded(counts(std::move(index))), 0) << "it may fault, too";
}

TEST_F(Split, ALaterTextCannotMoveAVariable) {
  uint32_t a = tables.add(VariableDesc::Scope::Self, "a", long_type());
  split_all(clause(nullptr, assign(tables.variable(a), builtin("arg0"))));
  ASSERT_FALSE(diagnostics.any());
  split_all(clause(nullptr, assign(tables.variable(a), call("rand", int_type()))));
  ASSERT_EQ(diagnostics.list().size(), 1u);
  EXPECT_EQ(diagnostics.list()[0].message, "self->a is kept where probes fire, and this value is not known there");
  EXPECT_EQ(&splitter.unit_of(0), units.back().get());
  // The failed call left nothing behind.
  diagnostics = {};
  auto clauses = split_all(clause(tables.variable(a), number(0)));
  EXPECT_EQ(fire(clauses.at(0)), "0000  LDT      r0, self[0]\n0001  JZ       r0, 0003\n0002  RECORD\n0003  FAIL\n");
}

TEST_F(Split, EqualCapturesShareASlotUntilAResidentChanges) {
  uint32_t n = tables.add(VariableDesc::Scope::This, "n", long_type());
  auto clauses =
      split_all(clause(nullptr, assign(tables.variable(n), builtin("arg0")),
                       call("trace", void_type(), tables.variable(n)), call("trace", void_type(), tables.variable(n)),
                       update(Op::Add, tables.variable(n), number(1)), call("trace", void_type(), tables.variable(n))));
  EXPECT_EQ(clauses[0].captures.size(), 2u);
}

TEST_F(Split, MemoryIsLoadedAloneWhenItsPlaceIsConstant) {
  const Type* pointer = pointer_type(int_type());
  auto field = [&](uint64_t offset, const Type* type) {
    return deref(binary(Op::Add, cast(pointer, call("copyin", pointer, builtin("arg0"), number(16, ulong_type()))),
                        number(offset), pointer),
                 type);
  };
  auto clauses = split_all(clause(binary(Op::Eq, field(4, int_type()), number(1), int_type()),
                                  call("trace", void_type(), field(8, ulong_type())),
                                  call("trace", void_type(), field(14, int_type()))));
  EXPECT_FALSE(clauses[0].held);
  EXPECT_EQ(fire(clauses[0]),
            "0000  ARG      r0, arg0\n"
            "0001  LI       r1, 4\n"
            "0002  ADD      r0, r0, r1\n"
            "0003  LDS      r0, r0, 4\n"
            "0004  LI       r1, 1\n"
            "0005  EQ       r0, r0, r1\n"
            "0006  JZ       r0, 0016\n"
            "0007  ARG      r0, arg0\n"
            "0008  LI       r1, 8\n"
            "0009  ADD      r0, r0, r1\n"
            "0010  LDU      r0, r0, 8\n"
            "0011  CAPW     s0, r0\n"
            "0012  ARG      r0, arg0\n"
            "0013  LI       r1, 16\n"
            "0014  CAPMEM   s1, r0, r1, 16\n"
            "0015  RECORD\n"
            "0016  FAIL\n");
}

TEST_F(Split, SizesOfCopiesCountTheNul) {
  auto clauses = split_all(clause(nullptr, call("copyinstr", string_type(), builtin("arg0"), number(10)),
                                  call("copyinstr", string_type(), builtin("arg0"), builtin("arg1")),
                                  call("copyin", pointer_type(void_type()), builtin("arg0"), builtin("arg1")),
                                  call("ustack", stack_type(), number(5)), call("stack", stack_type(), number(20))));
  EXPECT_EQ(fire(clauses[0]),
            "0000  ARG      r0, arg0\n"
            "0001  CAPSTR   s0, r0, 9\n"
            "0002  ARG      r0, arg0\n"
            "0003  ARG      r1, arg1\n"
            "0004  LI       r2, 0\n"
            "0005  NE       r2, r1, r2\n"
            "0006  SUB      r1, r1, r2\n"
            "0007  CAPSTRN  s1, r0, r1, 255\n"
            "0008  ARG      r0, arg0\n"
            "0009  ARG      r1, arg1\n"
            "0010  CAPMEM   s2, r0, r1, 65536\n"
            "0011  CAPSTACK s3, 5\n"
            "0012  CAPKSTACK s4, 20\n"
            "0013  RECORD\n");
}

TEST_F(Split, APointerLeadsWhereItBegins) {
  const Type *pointer = pointer_type(int_type()), *to_pointer = pointer_type(pointer);
  const auto t = tables.add(VariableDesc::Scope::Self, "t", pointer);
  auto clauses =
      split_all(clause(nullptr, assign(tables.variable(t), builtin("curthread", pointer))),
                clause(nullptr,
                       call("trace", void_type(),
                            deref(binary(Op::Add, tables.variable(t), number(8), pointer), integer_type(2, true))),
                       call("trace", void_type(), deref(deref(builtin("curthread", to_pointer), pointer), int_type())),
                       call("trace", void_type(), deref(builtin("curthread", pointer), bytes_type(24))),
                       call("trace", void_type(), deref(cast(pointer, builtin("arg0")), int_type()))));
  EXPECT_EQ(fire(clauses[1]),
            "0000  LDT      r0, self[0]\n"
            "0001  LI       r1, 8\n"
            "0002  ADD      r0, r0, r1\n"
            "0003  LDK      r0, r0, 2\n"
            "0004  SX       r0, r0, 16\n"
            "0005  CAPW     s0, r0\n"
            "0006  VAR      r0, curthread\n"
            "0007  LDK      r0, r0, 8\n"
            "0008  LDK      r0, r0, 4\n"
            "0009  SX       r0, r0, 32\n"
            "0010  CAPW     s1, r0\n"
            "0011  VAR      r0, curthread\n"
            "0012  LI       r1, 24\n"
            "0013  CAPKMEM  s2, r0, r1, 24\n"
            "0014  ARG      r0, arg0\n"
            "0015  LDS      r0, r0, 4\n"
            "0016  CAPW     s3, r0\n"
            "0017  RECORD\n");
}

/// `this->s = *(struct s *)arg0` copies pointers of the program; where the copy lies is D's memory.
TEST_F(Split, APointerInACopyLeadsIntoTheProgram) {
  const Type *record = bytes_type(16), *pointer = pointer_type(int_type());
  const uint32_t s = tables.add(VariableDesc::Scope::This, "s", record);
  LoweredUnit unit;
  unit.clauses.push_back(
      clause(nullptr, assign(tables.variable(s), deref(cast(pointer_type(record), builtin("arg0")), record))));
  PointerOrigins origins;
  origins.learn(std::span(&unit, 1), {});
  const auto copy = [&] { return node(LoweredKind::AddressOf, pointer_type(pointer), tables.variable(s)); };
  EXPECT_FALSE(origins.leads_into_program(*copy(), {}));
  EXPECT_TRUE(origins.leads_into_program(*deref(copy(), pointer), {}));
  EXPECT_TRUE(origins.leads_into_program(*deref(deref(copy(), pointer_type(pointer)), pointer), {}));
}

TEST_F(Split, StopAndRaiseHold) {
  auto clauses =
      split_all(clause(nullptr, call("stop", void_type())), clause(nullptr, call("raise", void_type(), number(9))),
                clause(nullptr, call("system", void_type())));
  EXPECT_TRUE(clauses[0].held);
  EXPECT_TRUE(clauses[1].held);
  EXPECT_FALSE(clauses[2].held);
}

/// Where each record sends the same signals, a source may send them itself.
TEST_F(Split, SignalsThatNeedNoBody) {
  auto clauses = split_all(
      clause(nullptr, call("stop", void_type())),
      clause(nullptr, call("raise", void_type(), number(9)), call("trace", void_type(), builtin("pid", int_type())),
             call("raise", void_type(), number(64))),
      clause(nullptr, call("raise", void_type(), number(65))), clause(nullptr, call("raise", void_type(), number(0))),
      clause(nullptr, call("raise", void_type(), builtin("arg0", long_type()))),
      clause(nullptr, call("stop", void_type()), call("chill", void_type(), number(9))),
      clause(binary(Op::Eq, call("strlen", long_type(), builtin("probefunc", string_type())), number(4)),
             call("stop", void_type())));
  const uint64_t wanted[] = {uint64_t{1} << (SIGSTOP - 1), uint64_t{1} << 8 | uint64_t{1} << 63, 0, 0, 0, 0, 0};
  for (size_t n = 0; n < clauses.size(); n++) {
    EXPECT_TRUE(clauses[n].held) << n;
    EXPECT_EQ(clauses[n].fire->signals, wanted[n]) << n;
  }
}

TEST_F(Split, TheRuntimeFindsTheArgumentsOfArgstr) {
  auto clauses = split_all(clause(nullptr, call("trace", void_type(), builtin("argstr", string_type())),
                                  call("trace", void_type(), builtin("arg0"))));
  EXPECT_EQ(clauses[0].captures.size(), SONDE_DIF_ARGS) << "of a signal all of them";
  EXPECT_EQ(clauses[0].fire->insns[2].op, SONDE_DIF_ARG);
  EXPECT_EQ(clauses[0].fire->insns[3].op, SONDE_DIF_CAPW);
}

TEST_F(Split, AClauseWithoutStatementsRecords) {
  LoweredClause bare = clause(nullptr);
  auto clauses = split_all(std::move(bare));
  EXPECT_EQ(fire(clauses[0]), "0000  RECORD\n");
}

TEST_F(Split, TooManyCapturesAreRefused) {
  LoweredClause wide = clause(nullptr);
  for (uint64_t i = 0; i < 65; ++i)
    wide.statements.push_back(statement(call("copyinstr", string_type(), number(i, ulong_type()))));
  split_all(std::move(wide));
  ASSERT_EQ(diagnostics.list().size(), 1u);
  EXPECT_EQ(diagnostics.list()[0].message, "clause captures more than 64 values: split it in two");
}

/// What a provider says of its probes comes before the clause, at those probes only.
TEST_F(Split, APrefaceComesBeforeTheClause) {
  LoweredClause own = clause(binary(Op::Eq, builtin("arg1"), number(3), int_type()),
                             call("trace", void_type(), builtin("__derived", integer_type(8, false))));
  own.prefaces.push_back({logical(Op::LogAnd, binary(Op::Ne, builtin("arg0"), number(0), int_type()),
                                  binary(Op::Eq, builtin("tid", int_type()), number(7), int_type())),
                          binary(Op::Add, builtin("arg2"), number(14), integer_type(8, false)),
                          {ProbeId{5}, ProbeId{9}}});
  own.prefaces.push_back({nullptr, builtin("arg4"), {ProbeId{6}}});
  auto clauses = split_all(std::move(own));
  ASSERT_EQ(clauses.size(), 1u);
  const std::string plain =
      "ARG      r0, arg1\n"
      "LI       r1, 3\n"
      "EQ       r0, r0, r1\n";
  const auto without_numbers = [](const std::string& text) {
    std::string out;
    for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      out += text.substr(at + 6, text.find('\n', at) + 1 - at - 6);
    return out;
  };
  EXPECT_THAT(without_numbers(fire(clauses[0])), testing::StartsWith(plain));
  ASSERT_EQ(clauses[0].fire_of_probe.size(), 3u);
  std::vector<uint32_t> probes;
  for (const auto& [probe, program] : clauses[0].fire_of_probe) probes.push_back(probe.value);
  EXPECT_EQ(probes, (std::vector<uint32_t>{5, 6, 9}));
  EXPECT_EQ(clauses[0].fire_of_probe[0].second, clauses[0].fire_of_probe[2].second);
  EXPECT_THAT(disassemble(*clauses[0].fire_of_probe[0].second), testing::StartsWith("0000  ARG      r0, arg0\n"
                                                                                    "0001  LI       r1, 0\n"
                                                                                    "0002  NE       r0, r0, r1\n"
                                                                                    "0003  JNZ      r0, 0005\n"
                                                                                    "0004  FAIL\n"
                                                                                    "0005  VAR      r0, tid\n"
                                                                                    "0006  LI       r1, 7\n"
                                                                                    "0007  EQ       r0, r0, r1\n"
                                                                                    "0008  JNZ      r0, 0010\n"
                                                                                    "0009  FAIL\n"
                                                                                    "0010  ARG      r0, arg2\n"
                                                                                    "0011  LI       r1, 14\n"
                                                                                    "0012  ADD      r0, r0, r1\n"
                                                                                    "0013  STL      r0, this[31]\n"
                                                                                    "0014  ARG      r0, arg1\n"));
  EXPECT_THAT(disassemble(*clauses[0].fire_of_probe[1].second),
              testing::StartsWith("0000  ARG      r0, arg4\n0001  STL      r0, this[31]\n0002  ARG      r0, arg1\n"));
}

/// A preface is decided where the probe fires, or the clause is refused.
TEST_F(Split, APrefaceOfTheBodyIsRefused) {
  LoweredClause own = clause(nullptr, call("trace", void_type(), builtin("arg1")));
  own.prefaces.push_back({binary(Op::Eq, builtin("walltimestamp"), number(3), int_type()), nullptr, {ProbeId{5}}});
  split_all(std::move(own));
  ASSERT_EQ(diagnostics.list().size(), 1u);
  EXPECT_THAT(diagnostics.list()[0].message, testing::HasSubstr("cannot be computed where it fires"));
}

}  // namespace
}  // namespace sonde
