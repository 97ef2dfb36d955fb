// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Three evaluators that agree
 *
 * A generator makes terms, typed by C's rules, and writes them as D. A walker of terms computes their values; the front
 * end compiles the text, and the result is evaluated by the fire part (DIF), if possible, and by the body (LLVM). So
 * the parser's precedences, the checker's types and constant folding are tested, too.
 *
 * Under sanitizers, which make it three times slower, it tests 10,000 expressions, else 100,000;
 * SONDE_DIFFERENTIAL=1000000 tests that many, with new seeds.
 */
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "compiler/codegen/body_compiler.h"
#include "compiler/llvm/jit.h"
#include "compiler/split/fire_expressions.h"
#include "compiler/split/splitter.h"
#include "runtime/body/state.h"
#include "tests/compiler/check/front_fixture.h"
#include "tests/compiler/evaluator/generator.h"

namespace sonde {
namespace {

using namespace test;

#ifdef SONDE_SANITIZED
constexpr uint64_t kExpressions = 10'000;
#else
constexpr uint64_t kExpressions = 100'000;
#endif
constexpr int kSeeds = 10;
constexpr uint32_t kResults = 40;  // number of expressions in a clause
constexpr uint32_t kEvents = 3;    // number of events for which each clause runs

/// The environment of DIF: it knows the event and no memory.
struct FireEnvironment {
  const Surroundings* around;

  static uint64_t variable(void* thread, uint32_t which) {
    const Surroundings& around = *static_cast<FireEnvironment*>(thread)->around;
    switch (which) {
      case SONDE_DIF_VAR_PID: return around.pid;
      case SONDE_DIF_VAR_TID: return around.tid;
      case SONDE_DIF_VAR_UID: return around.uid;
      case SONDE_DIF_VAR_TIMESTAMP: return around.timestamp;
    }
    return 0;
  }
};

uint64_t run(const FireProgram& program, const Surroundings& around, sonde_record* record) {
  sonde_dif_env env{};
  env.variable = FireEnvironment::variable;
  FireEnvironment environment{&around};
  uint64_t locals[SONDE_DIF_LOCALS] = {}, thread[SONDE_DIF_THREAD] = {};
  sonde_dif_firing firing{&env, &environment, around.args.data(), locals, thread, "test"};
  sonde_dif_program view = program.view();
  return sonde_dif_run(&view, &firing, record);
}

/// The value that the fire part computes; nothing if it cannot.
std::optional<uint64_t> at_fire(const LoweredExpr& expr, const Surroundings& around) {
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
  EXPECT_NE(run(program, around, record), 0u);
  return record->slot[0];
}

class NoNames : public SymbolNames {
 public:
  uint32_t space(uint32_t pid, Nanoseconds, std::span<const uint64_t>) override { return pid; }
  std::string name(uint32_t, uint64_t, SymbolValue::Kind) override { return ""; }
  SymbolPlace place(uint32_t, uint64_t, SymbolValue::Kind) override { return {}; }
  uint64_t canonical(uint32_t, uint64_t address, SymbolValue::Kind) override { return address; }
  bool ends_signal_handler(uint32_t, uint64_t) override { return false; }
};

/// A clause: its initial values, as text and as numbers, and its terms.
struct Case {
  std::string text;
  Surroundings around;
  std::vector<TermPtr> terms;
};

std::string declarations() {
  std::string text = "struct bits {";
  for (size_t i = 0; i < std::size(kFields); ++i)
    text += " " + TermWriter::type_name(kFields[i]) + " f" + std::to_string(i) + " : " +
            std::to_string(kFields[i].bits) + ";";
  text += " };\nstruct bits b;\nlong h[" + std::to_string(kItems) + "];\nlong a[long];\n";
  for (uint32_t i = 0; i < kIntegers; ++i)
    text += TermWriter::type_name(variable_type(i)) + " v" + std::to_string(i) + ";\n";
  for (uint32_t i = 0; i < kStrings; ++i) text += "string s" + std::to_string(i) + ";\n";
  for (uint32_t i = 0; i < kResults; ++i) text += "long r" + std::to_string(i) + ";\n";
  return text + "this int *p, *q;\n";
}

/// Sets a variable, in the text and in the walker's environment.
void set(Case& made, Generator& generator, const std::string& name, TermType type, uint64_t& to) {
  TermPtr value = generator.literal(generator.value());
  made.text += "  " + name + " = " + value->text + ";\n";
  to = cut(value->value, type);
}

Case make_case(Generator& generator, uint32_t count) {
  Case made;
  Surroundings& around = made.around;
  made.text = "BEGIN {\n  this->p = (int *)alloca(" + std::to_string(4 * kBlock) + "); this->q = this->p;\n";
  for (uint32_t i = 0; i < kIntegers; ++i)
    set(made, generator, "v" + std::to_string(i), variable_type(i), around.integers[i]);
  for (uint32_t i = 0; i < std::size(kFields); ++i)
    set(made, generator, "b.f" + std::to_string(i), kFields[i], around.fields[i]);
  for (uint32_t i = 0; i < kItems; ++i) set(made, generator, "h[" + std::to_string(i) + "]", kLong, around.items[i]);
  for (uint32_t i = 0; i < kItems; ++i) set(made, generator, "a[" + std::to_string(i) + "]", kLong, around.elements[i]);
  for (uint32_t i = 0; i < kStrings; ++i)
    made.text += "  s" + std::to_string(i) + " = \"ab" + std::to_string(i) + "\";\n";
  for (uint32_t i = 0; i < kStrings; ++i) around.strings[i] = "ab" + std::to_string(i);
  for (uint32_t i = 0; i < count; ++i) {
    made.terms.push_back(generator.pick(5) < 2 ? generator.of_event(5) : generator.integer(4));
    made.text += "  r" + std::to_string(i) + " = " + TermWriter()(*made.terms.back()) + ";\n";
  }
  made.text += "}\n";
  return made;
}

void set_event(Surroundings& around, Generator& generator) {
  for (uint64_t& arg : around.args) arg = generator.value();
  around.pid = static_cast<uint32_t>(generator.value()) >> 8;
  around.tid = around.pid + 1;
  around.uid = static_cast<uint32_t>(generator.value());
  around.timestamp = generator.value();
}

class Differential : public testing::TestWithParam<int> {
 protected:
  uint64_t fired_ = 0;  // number of expressions that DIF evaluated

  /// Compiles cases together, then runs and compares each.
  void round(Generator& generator, uint32_t clauses, uint32_t expressions) {
    std::vector<Case> cases;
    std::string text = declarations();
    for (uint32_t i = 0; i < clauses; ++i) text += cases.emplace_back(make_case(generator, expressions)).text;
    Front front;
    LoweredUnit unit = front.compile({SourceText::Kind::Script, "terms.d", text});
    for (const Diagnostic& one : front.diagnostics.list()) FAIL() << render(one, unit.source, true);
    Splitter splitter(front.program, front.options);
    std::vector<SplitClause> split_clauses = splitter.split(std::span(&unit, 1), front.diagnostics);
    ASSERT_FALSE(front.diagnostics.any());
    BodyCompiler compiler;
    auto bodies = compiler.compile(front.program, split_clauses);
    ASSERT_TRUE(bodies) << bodies.error().message();
    NoNames names;
    BodyState state(front.program, front.options, nullptr, names);
    Jit jit;
    for (const bool native : {false, true}) {
      if (native) ASSERT_TRUE(jit.compile(*bodies));
      for (uint32_t i = 0; i < clauses * kEvents && !HasFatalFailure(); ++i) {
        uint32_t c = i / kEvents;
        set_event(cases[c].around, generator);
        compare(front, state, cases[c], split_clauses[c], *bodies->at(c));
      }
    }
  }

  void compare(Front& front, BodyState& state, Case& made, const SplitClause& clause, Body& body) {
    alignas(8) unsigned char storage[SONDE_RECORD_MAX] = {};
    auto* record = reinterpret_cast<sonde_record*>(storage);
    ASSERT_NE(run(*clause.fire, made.around, record), 0u);
    record->pid = made.around.pid;
    record->tid = made.around.tid;
    record->timestamp = made.around.timestamp;
    BodyContext context{};
    context.state = &state;
    context.record = record;
    context.slots = record->slot;
    state.variables.begin_firing();
    context.globals = state.variables.globals();
    context.locals = state.variables.locals();
    context.self = state.variables.self(record->tid);
    state.begin_clause(context);
    ASSERT_EQ(body.run(context), 1);
    ASSERT_EQ(context.fault, 0u) << "value " << context.fault_value << " in\n" << made.text;
    state.end_clause();

    Surroundings around = made.around;
    const std::vector<LoweredStatement>& statements = clause.clause->statements;
    size_t first = statements.size() - made.terms.size();
    for (size_t i = 0; i < made.terms.size(); ++i) {
      uint64_t expected = Walker(around).number(*made.terms[i]);
      auto message = [&] {
        return "r" + std::to_string(i) + " = " + TermWriter()(*made.terms[i]) + "\nin\n" + made.text;
      };
      ASSERT_EQ(result(front, context, i), expected) << "body: " << message();
      if (auto found = at_fire(*statements[first + i].expression->kids[1], made.around)) {
        ASSERT_EQ(*found, expected) << "fire part: " << message();
        ++fired_;
      }
    }
  }

  static uint64_t result(Front& front, const BodyContext& context, size_t number) {
    for (const VariableDesc& variable : front.program.variables)
      if (variable.name == "r" + std::to_string(number)) return context.globals[variable.cell];
    ADD_FAILURE() << "no variable r" << number;
    return 0;
  }

  /// Large texts and small ones, because code generation differs.
  void compare_many(uint64_t seed, uint64_t expressions) {
    Generator generator(seed);
    for (uint64_t done = 0; done < expressions && !HasFatalFailure();) {
      bool small = generator.pick(8) == 0;
      uint32_t clauses = small ? 1 : 25, each = small ? 4 : kResults;
      round(generator, clauses, each);
      done += clauses * each;
    }
  }
};

TEST_P(Differential, FireBodyAndWalkerAgree) {
  const char* asked = std::getenv("SONDE_DIFFERENTIAL");
  const uint64_t many = (asked ? std::strtoull(asked, nullptr, 10) : kExpressions) / kSeeds;
  const uint64_t seed = asked ? std::strtoull(asked, nullptr, 10) * kSeeds : 20261121;
  compare_many(seed + static_cast<uint64_t>(GetParam()), many);
  EXPECT_GT(fired_, many / 5);
}
INSTANTIATE_TEST_SUITE_P(AllSeeds, Differential, testing::Range(0, kSeeds));

}  // namespace
}  // namespace sonde
