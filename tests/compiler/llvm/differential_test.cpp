// SPDX-License-Identifier: GPL-3.0-or-later
// One expression, three evaluators that agree: the fire part, the body, and a walker of trees.
#include <gtest/gtest.h>

#include "compiler/passes/split.h"
#include "tests/compiler/evaluator/evaluator.h"
#include "tests/compiler/evaluator/generator.h"
#include "tests/compiler/llvm/fake_runtime.h"

namespace sonde {
namespace {

using namespace test;

constexpr uint32_t kVariables = 4;  // that expressions read
constexpr uint32_t kResults = 40;   // expressions in a clause
constexpr uint32_t kClausesACall = 25;
constexpr uint32_t kCalls = 20;  // 20,000 expressions

/// The place where DIF runs: knows the world's variables and no memory.
struct FireEnvironment {
  Situation* world;

  static uint64_t variable(void* thread, uint32_t which) {
    const Situation& world = *static_cast<FireEnvironment*>(thread)->world;
    switch (which) {
      case SONDE_DIF_VAR_PID: return world.pid;
      case SONDE_DIF_VAR_TID: return world.tid;
      case SONDE_DIF_VAR_UID: return world.uid;
      case SONDE_DIF_VAR_TIMESTAMP: return world.timestamp;
    }
    return 0;
  }
};

uint64_t run(const FireProgram& program, Situation& world, sonde_record* record) {
  sonde_dif_env env{};
  env.variable = FireEnvironment::variable;
  FireEnvironment environment{&world};
  uint64_t locals[SONDE_DIF_LOCALS] = {}, thread[SONDE_DIF_THREAD] = {};
  sonde_dif_firing firing{&env, &environment, world.args.data(), locals, thread, "test"};
  sonde_dif_program view = program.view();
  return sonde_dif_run(&view, &firing, record);
}

/// What the fire part makes of it; nothing when it cannot.
std::optional<uint64_t> at_fire(const Expr& expr, Situation& world) {
  Residents none;
  FireExpressions fire(none);
  if (!fire.cost(expr, FireExpressions::Use::Value)) return std::nullopt;
  DifEmitter out;
  uint32_t slot = out.add_slot(SONDE_SLOT_WORD);
  fire.emit(out, expr, 0);
  out.op(SONDE_DIF_CAPW, slot, 0);
  out.op(SONDE_DIF_RECORD);
  FireProgram program = out.finish();
  std::vector<uint64_t> memory(program.record_max / 8 + 1);
  auto* record = reinterpret_cast<sonde_record*>(memory.data());
  EXPECT_NE(run(program, world, record), 0u);
  return record->slot[0];
}

class Differential : public testing::Test {
 protected:
  Tables tables;
  Options options;

  void SetUp() override {
    for (uint32_t i = 0; i < kVariables; ++i)
      tables.add(VariableDesc::Scope::Global, "v" + std::to_string(i), integer_type(1u << i, i % 2));
    for (uint32_t i = 0; i < kResults; ++i)
      tables.add(VariableDesc::Scope::Global, "r" + std::to_string(i), long_type());
  }

  void round(Generator& generator, Jit& jit, uint32_t clauses, uint32_t& fired) {
    Unit unit;
    for (uint32_t c = 0; c < clauses; ++c) {
      ClauseAst made = clause(nullptr);
      for (uint32_t i = 0; i < kResults; ++i)
        made.statements.push_back(statement(assign(tables.variable(kVariables + i), generator.expression(4))));
      unit.clauses.push_back(std::move(made));
    }
    auto splitter = make_splitter(tables.program, options);
    Diagnostics diagnostics;
    std::vector<SplitClause> split_clauses = split(*splitter, {&unit}, diagnostics);
    ASSERT_FALSE(diagnostics.any());
    auto bodies = jit.compile(tables.program, split_clauses);
    ASSERT_TRUE(bodies) << bodies.error().message();
    for (uint32_t c = 0; c < clauses; ++c) compare(generator, split_clauses[c], bodies->at(c), fired);
  }

  void compare(Generator& generator, const SplitClause& split_clause, BodyFunction body, uint32_t& fired) {
    Situation world;
    for (uint64_t& arg : world.args) arg = generator.value();
    world.pid = static_cast<uint32_t>(generator.value()) >> 8;
    world.tid = world.pid + 1;
    world.uid = static_cast<uint32_t>(generator.value());
    world.timestamp = generator.value();
    fake::Bench bench(tables.program);
    for (uint32_t i = 0; i < kVariables; ++i) {
      world.variables[i] = *Evaluator::cut(generator.value(), *tables.types[i]);
      bench.globals[i] = world.variables[i];
    }
    sonde_record& record = *bench.record();
    ASSERT_NE(run(*split_clause.fire, world, &record), 0u);
    record.pid = world.pid;
    record.tid = world.tid;
    record.timestamp = world.timestamp;
    EXPECT_EQ(body(&bench.context), 1);
    EXPECT_EQ(bench.context.fault, 0u);
    for (uint32_t i = 0; i < kResults; ++i) {
      const Expr& expr = *split_clause.clause->statements[i].expression->kids[1];
      auto expected = Evaluator(world)(expr);
      ASSERT_TRUE(expected);
      ASSERT_EQ(bench.globals[kVariables + i], *expected) << "body, expression " << i;
      if (auto found = at_fire(expr, world)) {
        ASSERT_EQ(*found, *expected) << "fire part, expression " << i;
        ++fired;
      }
    }
  }
};

TEST_F(Differential, FireBodyAndWalkerAgree) {
  auto helpers = fake::helpers();
  Jit jit(helpers);
  uint32_t fired = 0;
  for (uint32_t call = 0; call < kCalls && !HasFatalFailure(); ++call) {
    Generator generator(20261121 + call, tables, kVariables);
    round(generator, jit, kClausesACall, fired);
  }
  EXPECT_GT(fired, 5000u);
}

TEST_F(Differential, BigScriptsAreTranslatedAsWell) {
  auto helpers = fake::helpers();
  Jit jit(helpers);
  uint32_t fired = 0;
  Generator generator(7, tables, kVariables);
  round(generator, jit, 70, fired);
}

}  // namespace
}  // namespace sonde
