// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies, from hand-built trees, with helpers that log: interpreted, and as native code.
#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <cstring>

#include "compiler/codegen/body_compiler.h"
#include "compiler/llvm/jit.h"
#include "compiler/split/splitter.h"
#include "tests/compiler/evaluator/tree.h"
#include "tests/compiler/llvm/fake_runtime.h"

namespace sonde {
namespace {

using namespace test;

enum class Tier : uint8_t { Interpreted, Native };

class Bodies : public testing::TestWithParam<Tier> {
 protected:
  Tables tables;
  Options options;
  BodyCompiler compiler{fake::helpers()};
  Jit jit;
  std::vector<std::unique_ptr<LoweredUnit>> units;

  void SetUp() override {
    fake::log.clear();
    fake::elements.clear();
    tables.program.sites.push_back({.action = "trace", .line = 7});
  }

  Result<std::vector<std::shared_ptr<Body>>> compile_all(std::vector<LoweredClause> clauses) {
    units.push_back(std::make_unique<LoweredUnit>());
    units.back()->clauses = std::move(clauses);
    Splitter splitter(tables.program, options);
    Diagnostics diagnostics;
    auto split_clauses = splitter.split(std::span(units.back().get(), 1), diagnostics);
    EXPECT_FALSE(diagnostics.any());
    auto bodies = compiler.compile(tables.program, split_clauses);
    if (bodies && GetParam() == Tier::Native) {
      const auto compiled = jit.compile(*bodies);
      EXPECT_TRUE(compiled) << compiled.error().message();
    }
    return bodies;
  }
  std::shared_ptr<Body> compile(LoweredClause one) {
    std::vector<LoweredClause> clauses;
    clauses.push_back(std::move(one));
    auto bodies = compile_all(std::move(clauses));
    EXPECT_TRUE(bodies);
    return bodies ? bodies->at(0) : nullptr;
  }
  LoweredExprPtr element(uint32_t array, LoweredExprPtr key, const Type* type) {
    LoweredExprPtr expr = node(LoweredKind::ArrayElement, type, std::move(key));
    expr->variable_index = array;
    return expr;
  }
  LoweredExprPtr trace(LoweredExprPtr value) { return call("trace", void_type(), std::move(value)); }
};

TEST_P(Bodies, NothingToDoIsNoFunction) {
  uint32_t t = tables.add(VariableDesc::Scope::Self, "t", long_type());
  EXPECT_EQ(compile(clause(builtin("arg0"))), nullptr);
  EXPECT_EQ(compile(clause(nullptr, assign(tables.variable(t), builtin("arg0")))), nullptr);
}

TEST_P(Bodies, FalsePredicateReturnsZero) {
  std::shared_ptr<Body> body =
      compile(clause(binary(Op::Eq, builtin("probefunc", string_type()), text("write"), int_type()), trace(number(1))));
  fake::Bench bench(tables.program);
  EXPECT_EQ(body->run(bench.context), 0);
  EXPECT_TRUE(fake::log.empty());
  body =
      compile(clause(binary(Op::Eq, builtin("probefunc", string_type()), text("read"), int_type()), trace(number(1))));
  EXPECT_EQ(body->run(bench.context), 1);
  EXPECT_EQ(fake::log, std::vector<std::string>{"trace 1 line 7 1"});
}

TEST_P(Bodies, ActionsGetValuesCutToTheirTypes) {
  uint32_t x = tables.add(VariableDesc::Scope::Global, "x", integer_type(1, false));
  std::shared_ptr<Body> body = compile(
      clause(nullptr, trace(binary(Op::Add, number(0x7fffffff), number(1), int_type())),
             assign(tables.variable(x), number(258)), trace(tables.variable(x)), trace(call("rand", int_type()))));
  fake::Bench bench(tables.program);
  body->run(bench.context);
  EXPECT_EQ(fake::log,
            (std::vector<std::string>{"trace 1 line 7 -2147483648", "trace 3 line 7 2", "trace 4 line 7 878082192"}));
}

TEST_P(Bodies, IncrementsOnEveryKindOfPlace) {
  uint32_t g = tables.add(VariableDesc::Scope::Global, "g", long_type());
  uint32_t array = 0;
  tables.program.arrays.push_back({.name = "a"});
  const Type* pointer = pointer_type(int_type());
  uint32_t p = tables.add(VariableDesc::Scope::Global, "p", pointer);
  std::shared_ptr<Body> body = compile(clause(
      nullptr, trace(update(Op::Add, tables.variable(g), number(1), true)),
      trace(update(Op::Add, tables.variable(g), number(1))),
      trace(update(Op::Sub, element(array, number(5), long_type()), number(3), true)),
      trace(element(array, number(5), long_type())),
      trace(update(Op::Mul, deref(binary(Op::Add, tables.variable(p), number(4), pointer), int_type()), number(10)))));
  fake::Bench bench(tables.program);
  int32_t memory[2] = {1, -7};
  bench.context.scratch_begin = reinterpret_cast<uint64_t>(memory);
  bench.context.scratch_end = bench.context.scratch_begin + sizeof(memory);
  bench.globals[tables.program.variables[p].cell] = bench.context.scratch_begin;
  EXPECT_EQ(body->run(bench.context), 1);
  EXPECT_EQ(fake::log, (std::vector<std::string>{"trace 1 line 7 0", "trace 2 line 7 2", "trace 3 line 7 0",
                                                 "trace 4 line 7 -3", "trace 5 line 7 -70"}));
  EXPECT_EQ(memory[1], -70);
}

/// a[1]++ has its keys at hand for the store while the load of another element has its own.
TEST_P(Bodies, KeysOutliveOthers) {
  tables.program.arrays.push_back({.name = "a"});
  fake::elements["0,1"] = 10;
  fake::elements["0,2"] = 20;
  const std::shared_ptr<Body> body =
      compile(clause(nullptr, update(Op::Add, element(0, number(1), long_type()), element(0, number(2), long_type())),
                     trace(element(0, number(1), long_type())), trace(element(0, number(2), long_type()))));
  fake::Bench bench(tables.program);
  body->run(bench.context);
  EXPECT_EQ(fake::log, (std::vector<std::string>{"trace 2 line 7 30", "trace 3 line 7 20"}));
}

TEST_P(Bodies, BadPointersAndDivisionByZeroEndTheClause) {
  uint32_t g = tables.add(VariableDesc::Scope::Global, "g", long_type());
  const Type* pointer = pointer_type(int_type());
  std::shared_ptr<Body> body =
      compile(clause(nullptr, trace(deref(cast(pointer, number(0x10, ulong_type())), int_type())), trace(number(2))));
  fake::Bench bench(tables.program);
  EXPECT_EQ(body->run(bench.context), 1);
  EXPECT_EQ(bench.context.fault, static_cast<uint64_t>(Fault::BadAddress));
  EXPECT_EQ(bench.context.fault_value, 0x10u);
  EXPECT_TRUE(fake::log.empty());

  for (Op op : {Op::Div, Op::Mod}) {
    body =
        compile(clause(nullptr, trace(number(1)), trace(binary(op, number(1), tables.variable(g))), trace(number(3))));
    fake::log.clear();
    fake::Bench divided(tables.program);
    EXPECT_EQ(body->run(divided.context), 1);
    EXPECT_EQ(divided.context.fault, static_cast<uint64_t>(Fault::DivideByZero));
    EXPECT_EQ(divided.context.action, 2u);
    EXPECT_EQ(fake::log.size(), 1u);
    fake::Bench wrapped(tables.program);
    wrapped.globals[0] = ~0ull;
    body = compile(clause(nullptr, trace(binary(op, number(1ull << 63, long_type()), tables.variable(g)))));
    EXPECT_EQ(body->run(wrapped.context), 1);
    EXPECT_EQ(fake::log.back(), op == Op::Div ? "trace 1 line 7 " + std::to_string(LLONG_MIN) : "trace 1 line 7 0");
  }
}

TEST_P(Bodies, ShortCircuitsSkipSideEffects) {
  uint32_t g = tables.add(VariableDesc::Scope::Global, "g", long_type());
  auto bump = [&] { return update(Op::Add, tables.variable(g), number(1)); };
  std::shared_ptr<Body> body =
      compile(clause(nullptr, logical(Op::LogAnd, number(0), bump()), logical(Op::LogOr, number(1), bump()),
                     logical(Op::LogXor, bump(), bump()),
                     node(LoweredKind::Conditional, long_type(), builtin("pid", int_type()), bump(), number(9)),
                     trace(tables.variable(g))));
  fake::Bench bench(tables.program);
  body->run(bench.context);
  EXPECT_EQ(fake::log.back(), "trace 5 line 7 2");
  bench.record()->pid = 3;
  body->run(bench.context);
  EXPECT_EQ(fake::log.back(), "trace 5 line 7 5");
}

TEST_P(Bodies, StringsInVariables) {
  uint32_t s = tables.add(VariableDesc::Scope::Global, "s", string_type());
  uint32_t t = tables.add(VariableDesc::Scope::Self, "t", string_type());
  auto length = [&](LoweredExprPtr value) { return trace(call("strlen", long_type(), std::move(value))); };
  std::shared_ptr<Body> body = compile(
      clause(nullptr, length(tables.variable(s)), assign(tables.variable(s), text("hello")), length(tables.variable(s)),
             trace(binary(Op::Eq, tables.variable(t), number(0, string_type()), int_type())),
             trace(binary(Op::Lt, text("a"), tables.variable(s), int_type()))));
  fake::Bench bench(tables.program);
  body->run(bench.context);
  EXPECT_EQ(fake::log,
            (std::vector<std::string>{"trace 1 line 7 0", "trace 3 line 7 5", "trace 4 line 7 1", "trace 5 line 7 1"}));
}

TEST_P(Bodies, TextSlotsAreFetchedOnceAndFaultWhenTheyAreUsed) {
  auto length = [&] { return trace(call("strlen", long_type(), call("copyinstr", string_type(), builtin("arg0")))); };
  std::shared_ptr<Body> body = compile(clause(nullptr, trace(number(1)), length(), length()));
  fake::Bench bench(tables.program);
  bench.record()->slot[0] = reinterpret_cast<uint64_t>("abc");
  body->run(bench.context);
  EXPECT_EQ(fake::log,
            (std::vector<std::string>{"trace 1 line 7 1", "slot_text 0", "trace 2 line 7 3", "trace 3 line 7 3"}));
  fake::log.clear();
  bench.record()->faults = 1;
  body->run(bench.context);
  EXPECT_EQ(bench.context.action, 2u);
  EXPECT_EQ(fake::log, (std::vector<std::string>{"trace 1 line 7 1", "slot_text 0"}));
}

TEST_P(Bodies, AggregationsGetKeysValueAndWeight) {
  auto aggregate = [&](uint32_t index, uint32_t keys, LoweredExprPtr key, std::vector<uint64_t> values) {
    LoweredExprPtr expr = node(LoweredKind::Aggregate, void_type(), std::move(key));
    expr->variable_index = index;
    expr->key_count = keys;
    for (uint64_t value : values) expr->kids.push_back(number(value));
    return expr;
  };
  std::shared_ptr<Body> body = compile(clause(nullptr, aggregate(0, 1, cast(integer_type(1, true), number(200)), {}),
                                              aggregate(1, 1, number(2), {9}), aggregate(2, 1, number(3), {9, 4})));
  fake::Bench bench(tables.program);
  body->run(bench.context);
  EXPECT_EQ(fake::log,
            (std::vector<std::string>{"aggregate 0 [-56] 1 1", "aggregate 1 [2] 9 1", "aggregate 2 [3] 9 4"}));
}

TEST_P(Bodies, IfStatements) {
  LoweredStatement choice;
  choice.is_if = true;
  choice.expression = builtin("pid", int_type());
  choice.then_part.push_back(statement(trace(number(10))));
  choice.else_part.push_back(statement(trace(number(20))));
  LoweredClause made = clause(nullptr);
  made.statements.push_back(std::move(choice));
  made.statements.push_back(statement(trace(number(30))));
  std::shared_ptr<Body> body = compile(std::move(made));
  fake::Bench bench(tables.program);
  body->run(bench.context);
  bench.record()->pid = 1;
  body->run(bench.context);
  EXPECT_EQ(fake::log, (std::vector<std::string>{"trace 3 line 7 20", "trace 4 line 7 30", "trace 2 line 7 10",
                                                 "trace 4 line 7 30"}));
}

TEST_P(Bodies, BitFieldsKeepTheirNeighbours) {
  const Type* pointer = pointer_type(int_type());
  uint32_t p = tables.add(VariableDesc::Scope::Global, "p", pointer);
  auto bits = [&](uint8_t offset, uint8_t width) {
    LoweredExprPtr expr = deref(tables.variable(p), int_type());
    expr->bit_offset = offset;
    expr->bit_width = width;
    return expr;
  };
  std::shared_ptr<Body> body =
      compile(clause(nullptr, assign(bits(3, 4), number(0x19)), trace(bits(3, 4)), trace(bits(0, 3))));
  fake::Bench bench(tables.program);
  uint8_t memory = 0xff;
  bench.context.scratch_begin = reinterpret_cast<uint64_t>(&memory);
  bench.context.scratch_end = bench.context.scratch_begin + 1;
  bench.globals[0] = bench.context.scratch_begin;
  body->run(bench.context);
  EXPECT_EQ(memory, 0xcf);
  EXPECT_EQ(fake::log, (std::vector<std::string>{"trace 2 line 7 -7", "trace 3 line 7 -1"}));
}

/// The structure ends where its memory does: a load or a store of eight bytes dies.
TEST_P(Bodies, BitFieldsEndWithTheirOwnBytes) {
  const long page = sysconf(_SC_PAGESIZE);
  auto* pages =
      static_cast<uint8_t*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(pages + page, page, PROT_NONE), 0);
  uint8_t* memory = pages + page - 7;
  memory[0] = 7;
  const Type* pointer = pointer_type(int_type());
  uint32_t p = tables.add(VariableDesc::Scope::Global, "p", pointer);
  auto field = [&] {
    LoweredExprPtr expr = deref(tables.variable(p), long_type());
    expr->bit_offset = 3;
    expr->bit_width = 50;
    return expr;
  };
  std::shared_ptr<Body> body = compile(clause(nullptr, assign(field(), number(0x1234567890123)), trace(field())));
  fake::Bench bench(tables.program);
  bench.context.scratch_begin = reinterpret_cast<uint64_t>(memory);
  bench.context.scratch_end = bench.context.scratch_begin + 7;
  bench.globals[0] = bench.context.scratch_begin;
  body->run(bench.context);
  EXPECT_EQ(fake::log, (std::vector<std::string>{"trace 2 line 7 320255973458211"}));
  EXPECT_EQ(memory[0] & 7, 7);
  munmap(pages, 2 * page);
}

TEST_P(Bodies, FloatsHaveTheirOwnSizeInMemory) {
  for (const uint64_t size : {4, 8, 16}) {
    const Type* type = make_type(Type::Kind::Float, "float", size, true);
    const Type* pointer = pointer_type(type);
    const uint32_t p = tables.add(VariableDesc::Scope::Global, "p" + std::to_string(size), pointer);
    auto at = [&](uint64_t offset) {
      return deref(binary(Op::Add, tables.variable(p), number(offset), pointer), type);
    };
    const std::shared_ptr<Body> body = compile(clause(nullptr, assign(at(16), at(0)), trace(at(16))));
    fake::Bench bench(tables.program);
    alignas(16) uint8_t memory[48];
    std::memset(memory, 0xaa, sizeof(memory));
    const long double given = -1234.5L;
    const auto as_double = static_cast<double>(given);
    const auto as_float = static_cast<float>(given);
    const void* numbers[] = {&as_float, &as_double, &given};
    std::memcpy(memory, numbers[size / 8], size);
    bench.context.scratch_begin = reinterpret_cast<uint64_t>(memory);
    bench.context.scratch_end = bench.context.scratch_begin + 32;
    bench.globals[tables.program.variables[p].cell] = bench.context.scratch_begin;
    fake::log.clear();
    EXPECT_EQ(body->run(bench.context), 1);
    EXPECT_EQ(fake::log.back(), "trace 2 line 7 " + std::to_string(std::bit_cast<int64_t>(as_double))) << size;
    EXPECT_EQ(std::memcmp(memory, memory + 16, std::min<uint64_t>(size, 10)), 0) << size;
    for (size_t i = 16 + std::min<uint64_t>(size, 10); i < sizeof(memory); ++i) EXPECT_EQ(memory[i], 0xaa) << size;
  }
}

TEST_P(Bodies, StringsAreJoinedByOneCall) {
  const auto joined = [](LoweredExprPtr a, LoweredExprPtr b) {
    return call("strjoin", string_type(), std::move(a), std::move(b));
  };
  auto whole = joined(joined(text("a"), text("b")), joined(text("c"), joined(text("d"), text("e"))));
  std::shared_ptr<Body> body = compile(clause(nullptr, trace(call("strlen", long_type(), std::move(whole)))));
  fake::Bench bench(tables.program);
  body->run(bench.context);
  EXPECT_EQ(fake::log, (std::vector<std::string>{"strjoin 5", "trace 1 line 7 5"}));
}

TEST_P(Bodies, AHelperThatIsMissingIsAnError) {
  std::vector<LoweredClause> clauses;
  clauses.push_back(clause(nullptr, call("strchr", string_type(), text("a"), number(98))));
  auto bodies = compile_all(std::move(clauses));
  ASSERT_FALSE(bodies);
  EXPECT_EQ(bodies.error().message(), "cannot compile the script: the runtime has no sonde_fn_strchr");
  EXPECT_NE(compile(clause(nullptr, trace(number(1)))), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Tiers, Bodies, testing::Values(Tier::Interpreted, Tier::Native),
                         [](const auto& tier) { return tier.param == Tier::Native ? "Native" : "Interpreted"; });

// ---- from the interpreter to native code -----------------------------------------------------------------------

class HotBodies : public Bodies {
 protected:
  static constexpr uint32_t kHot = 100;
  fake::Bench bench{tables.program};

  std::vector<std::shared_ptr<Body>> bodies(int count) {
    std::vector<LoweredClause> clauses;
    for (int i = 0; i < count; ++i) clauses.push_back(clause(nullptr, trace(number(static_cast<uint64_t>(i)))));
    auto made = compile_all(std::move(clauses));
    EXPECT_TRUE(made);
    return *made;
  }
  void run(Body& body, uint32_t times) {
    for (uint32_t i = 0; i < times; ++i) ASSERT_EQ(body.run(bench.context), 1);
  }
};

TEST_P(HotBodies, AreCompiledWithThoseThatHaveRun) {
  const auto three = bodies(3);
  jit.compile_when_hot(three, kHot);
  run(*three[0], 1);
  run(*three[1], kHot - 1);
  jit.wait();
  EXPECT_FALSE(three[1]->is_native());
  run(*three[1], 1);
  jit.wait();
  EXPECT_TRUE(three[0]->is_native());
  EXPECT_TRUE(three[1]->is_native());
  EXPECT_FALSE(three[2]->is_native());
  fake::log.clear();
  for (const auto& body : three) run(*body, 1);
  EXPECT_EQ(fake::log, (std::vector<std::string>{"trace 1 line 7 0", "trace 1 line 7 1", "trace 1 line 7 2"}));
}

TEST_P(HotBodies, ComeAtAnyTime) {
  std::vector<std::shared_ptr<Body>> all;
  for (int round = 0; round < 5; ++round) {
    const auto some = bodies(2);
    jit.compile_when_hot(some, kHot);
    run(*some[0], kHot);  // the thread of the round before may still run
    all.push_back(some[0]);
  }
  for (const auto& body : all) {
    jit.wait();
    if (!body->is_native()) run(*body, kHot);
    jit.wait();
    EXPECT_TRUE(body->is_native());
  }
}

TEST_P(HotBodies, MayEndWhileTheyAreCompiled) {
  for (int i = 0; i < 3; ++i) {
    const auto one = bodies(1);
    Jit ends;
    ends.compile_when_hot(one, 1);
    run(*one[0], 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Tiers, HotBodies, testing::Values(Tier::Interpreted));

}  // namespace
}  // namespace sonde
