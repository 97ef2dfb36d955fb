// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/consumer/consumer.h"

#include <gtest/gtest.h>

#include <chrono>

#include "runtime/body/state.h"
#include "runtime/body/subroutines.h"
#include "tests/runtime/buffer/ring_support.h"
#include "tests/runtime/consumer/records.h"

namespace sonde {
namespace {

using namespace testing;

// Bodies refer to their sites by global variables here; generated code has their addresses.
ActionSite g_trace, g_printf, g_printa, g_exit, g_setopt, g_system, g_other;

ActionSite site(const char* action, std::vector<ValueType> arguments = {}) {
  ActionSite s;
  s.action = action;
  s.arguments = std::move(arguments);
  return s;
}

int32_t trace_slot(BodyContext* context) {
  uint64_t argv[] = {sonde_slot_word(context, 0)};
  context->action = 1;
  sonde_act_trace(context, &g_trace, 1, argv);
  return 1;
}

void print(BodyContext* context, const char* text) {
  uint64_t argv[] = {word_of(text)};
  sonde_act_printf(context, &g_printf, 1, argv);
}

int32_t print_one(BodyContext* context) { return print(context, "one\n"), 1; }
int32_t print_two(BodyContext* context) { return print(context, "two\n"), 1; }
int32_t print_end(BodyContext* context) { return print(context, "end\n"), 1; }

int32_t exit_in_the_middle(BodyContext* context) {
  print(context, "one\n");
  uint64_t status = context->slots[0];
  sonde_act_exit(context, &g_exit, 1, &status);
  print(context, "two\n");
  return 1;
}

int32_t fault_after_printing(BodyContext* context) {
  context->action = 1;
  print(context, "never\n");
  context->action = 2;
  print(context, nullptr);
  return 1;
}

int32_t count_locals(BodyContext* context) {
  ++context->locals[0];
  uint64_t argv[] = {context->locals[0]};
  sonde_act_trace(context, &g_trace, 1, argv);
  return 1;
}

int32_t predicate(BodyContext* context) {
  if (context->slots[0] == 0) return 0;
  return print(context, "passed\n"), 1;
}

int32_t aggregate_word(BodyContext* context) {
  uint64_t keys[] = {sonde_slot_text(context, 0)};
  sonde_aggregate(context, 0, keys, static_cast<int64_t>(context->slots[1]), 1);
  return 1;
}

class ConsumerTest : public ::testing::Test {
 protected:
  ConsumerTest() {
    g_trace = site("trace", {integer()});
    g_printf = site("printf", {string_type()});
    Conversion s;
    s.letter = 's';
    g_printf.format = {s};
    g_printf.has_format = true;
    g_exit = site("exit", {integer(4)});
    begin = &bench.probe(1, "dtrace", "", "", "BEGIN");
    end = &bench.probe(2, "dtrace", "", "", "END");
    error = &bench.probe(3, "dtrace", "", "", "ERROR");
    call = &bench.probe(9, "syscall", "vmlinux", "read", "entry");
    back = &bench.probe(10, "syscall", "vmlinux", "read", "return");
  }
  void option(const char* name, const char* value = "") { ASSERT_TRUE(bench.options.set(name, value, false, false)); }
  uint32_t add(BodyFunction body, const ProbeInfo& probe, std::vector<uint8_t> kinds = {}) {
    bench.clause(body, std::move(kinds));
    return bench.ecb(probe, static_cast<uint32_t>(bench.program.clauses.size() - 1));
  }
  Bench bench;
  ProbeInfo *begin, *end, *error, *call, *back;
};

TEST_F(ConsumerTest, RowsHaveColumnsUnderOneHeader) {
  uint32_t epid = add(trace_slot, *begin, {SONDE_SLOT_WORD});
  bench.consume(RecordBuilder(epid, 1, 10).word(42).cpu(3));
  bench.consume(RecordBuilder(epid, 1, 11).word(static_cast<uint64_t>(-1)));
  EXPECT_EQ(bench.printed(),
            "CPU     ID                    FUNCTION:NAME\n"
            "  3      1                           :BEGIN                   42\n"
            "  0      1                           :BEGIN                   -1\n");
  EXPECT_EQ(bench.consumer->records(), 2u);
}

TEST_F(ConsumerTest, QuietPrintsOnlyWhatTheScriptPrints) {
  option("quiet");
  uint32_t epid = add(trace_slot, *begin, {SONDE_SLOT_WORD});
  bench.consume(RecordBuilder(epid, 1, 10).word(42));
  EXPECT_EQ(bench.printed(), "42");
}

TEST_F(ConsumerTest, AClauseWithoutStatementsPrintsItsRow) {
  bench.clause(nullptr).default_action = true;
  uint32_t epid = bench.ecb(*call, 0);
  bench.consume(RecordBuilder(epid, 9, 10));
  EXPECT_EQ(bench.printed(),
            "CPU     ID                    FUNCTION:NAME\n"
            "  0      9                       read:entry \n");
}

TEST_F(ConsumerTest, AFalsePredicatePrintsNothing) {
  option("quiet");
  uint32_t epid = add(predicate, *begin, {SONDE_SLOT_WORD});
  bench.consume(RecordBuilder(epid, 1, 10).word(0));
  EXPECT_EQ(bench.printed(), "");
  bench.consume(RecordBuilder(epid, 1, 10).word(1));
  EXPECT_EQ(bench.printed(), "passed\n");
}

TEST_F(ConsumerTest, ClausesOfOneFiringShareThis) {
  option("quiet");
  bench.program.this_cells = 1;
  bench.program.variables.push_back({"n", VariableDesc::Scope::This, integer(), 0});
  uint32_t first = add(count_locals, *call), second = add(count_locals, *call);
  bench.consume(RecordBuilder(first, 9, 10));
  bench.consume(RecordBuilder(second, 9, 10));
  EXPECT_EQ(bench.printed(), "12");
  bench.consume(RecordBuilder(first, 9, 11));
  EXPECT_EQ(bench.printed(), "1");
  bench.consume(RecordBuilder(second, 9, 11).thread(100, 101));
  EXPECT_EQ(bench.printed(), "1") << "another thread's firing at the same time";
}

TEST_F(ConsumerTest, AFaultDropsTheRowAndTellsWhere) {
  option("quiet");
  uint32_t faulty = add(fault_after_printing, *call), fine = add(print_two, *call);
  bench.consume(RecordBuilder(faulty, 9, 10));
  bench.consume(RecordBuilder(fine, 9, 10));
  EXPECT_EQ(bench.printed(), "two\n");
  EXPECT_EQ(bench.output.messages,
            std::vector<std::string>{"error on enabled probe ID 1 (ID 9: syscall:vmlinux:read:entry): "
                                     "invalid address (0x0) in action #2 at DIF offset 0"});
}

TEST_F(ConsumerTest, AFaultOfTheFirePartIsInThePredicate) {
  uint32_t epid = add(print_one, *call);
  bench.consume(RecordBuilder(epid, 9, 10).flags(SONDE_RECORD_PREDICATE_FAULT).fault(0xbad));
  EXPECT_EQ(bench.printed(), "");
  ASSERT_EQ(bench.output.messages.size(), 1u);
  EXPECT_TRUE(bench.output.messages[0].ends_with("invalid address (0xbad) in predicate at DIF offset 0"));
}

TEST_F(ConsumerTest, AFaultOfErrorIsOnlyCounted) {
  uint32_t epid = add(fault_after_printing, *error);
  bench.consume(RecordBuilder(epid, 3, 10));
  EXPECT_TRUE(bench.output.messages.empty());
  bench.consumer->report_drops();
  EXPECT_EQ(bench.output.messages, std::vector<std::string>{"1 error in ERROR probe enabling"});
  bench.consumer->report_drops();
  EXPECT_EQ(bench.output.messages.size(), 1u);
}

TEST_F(ConsumerTest, ExitEndsTheFiringAndAllButEnd) {
  option("quiet");
  uint32_t exits = add(exit_in_the_middle, *begin, {SONDE_SLOT_WORD});
  uint32_t later = add(print_two, *begin), other = add(print_two, *call), last = add(print_end, *end);
  uint32_t end_exit = add(exit_in_the_middle, *end, {SONDE_SLOT_WORD});
  bench.consume(RecordBuilder(exits, 1, 10).word(3));
  bench.consume(RecordBuilder(later, 1, 10));
  bench.consume(RecordBuilder(other, 9, 11));
  bench.consume(RecordBuilder(last, 2, 12));
  EXPECT_EQ(bench.printed(), "one\ntwo\n");
  EXPECT_TRUE(bench.consumer->exiting());
  EXPECT_EQ(bench.consumer->exit_status(), 3);
  bench.consumer->allow_end();
  bench.consume(RecordBuilder(other, 9, 13));
  bench.consume(RecordBuilder(last, 2, 14));
  bench.consume(RecordBuilder(end_exit, 2, 14).word(5));
  EXPECT_EQ(bench.printed(), "end\none\ntwo\n");
  EXPECT_EQ(bench.consumer->exit_status(), 5) << "the last one wins";
}

TEST_F(ConsumerTest, ErrorMayComeAfterAnExitThatFollowedTheFault) {
  option("quiet");
  uint32_t faulty = add(fault_after_printing, *begin), exits = add(exit_in_the_middle, *begin, {SONDE_SLOT_WORD});
  uint32_t told = add(print_end, *error);
  bench.consume(RecordBuilder(faulty, 1, 10));
  bench.consume(RecordBuilder(exits, 1, 10).word(0));
  bench.consume(RecordBuilder(told, 3, 11));
  EXPECT_EQ(bench.printed(), "one\ntwo\nend\n");
}

TEST_F(ConsumerTest, AnExitInErrorEndsErrorToo) {
  option("quiet");
  uint32_t exits = add(exit_in_the_middle, *error, {SONDE_SLOT_WORD}), later = add(print_end, *error);
  bench.consume(RecordBuilder(exits, 3, 10).word(0));
  bench.consume(RecordBuilder(later, 3, 10));
  EXPECT_EQ(bench.printed(), "one\ntwo\n");
}

TEST_F(ConsumerTest, UnknownAndMalformedRecordsAreIgnored) {
  uint32_t epid = add(trace_slot, *begin, {SONDE_SLOT_WORD});
  bench.consume(RecordBuilder(epid + 7, 1, 10).word(1));
  bench.consume(RecordBuilder(epid, 1, 10));
  bench.consume(RecordBuilder(epid, 1, 10).word(1).word(2));
  EXPECT_EQ(bench.printed(), "");
  EXPECT_EQ(bench.consumer->records(), 3u);
  bench.consumer->report_drops();
  EXPECT_EQ(bench.output.messages, std::vector<std::string>{"2 malformed records ignored"});
}

int32_t stop_and_raise(BodyContext* context) {
  sonde_act_stop(context, &g_other, 0, nullptr);
  uint64_t signal = 9;
  sonde_act_raise(context, &g_other, 1, &signal);
  return 1;
}

TEST_F(ConsumerTest, HeldThreadsAreReleasedWhateverHappens) {
  uint32_t epid = add(stop_and_raise, *call);
  bench.program.clauses[0].held = true;
  bench.consume(RecordBuilder(epid, 9, 10).thread(7, 8).flags(SONDE_RECORD_HELD));
  bench.consume(RecordBuilder(epid + 5, 9, 11).thread(7, 9).flags(SONDE_RECORD_HELD));
  ASSERT_EQ(bench.source.released.size(), 2u);
  EXPECT_EQ(bench.source.released[0].first, 8u);
  EXPECT_TRUE(bench.source.released[0].second.stop);
  EXPECT_EQ(bench.source.released[0].second.signal, 9);
  EXPECT_EQ(bench.source.released[1].first, 9u);
  EXPECT_FALSE(bench.source.released[1].second.stop);
  EXPECT_EQ(bench.source.released[1].second.signal, 0);
}

int32_t chill_briefly(BodyContext* context) {
  uint64_t ns = 50'000'000;
  return sonde_act_chill(context, &g_other, 1, &ns), 1;
}

/// It may be late, but never early.
TEST_F(ConsumerTest, AChilledThreadWaits) {
  using Clock = std::chrono::steady_clock;
  uint32_t epid = add(chill_briefly, *call);
  bench.program.clauses[0].held = true;
  const auto begin = Clock::now();
  bench.consume(RecordBuilder(epid, 9, 10).thread(7, 8).flags(SONDE_RECORD_HELD));
  EXPECT_NE(bench.consumer->next_due(), UINT64_MAX);
  while (bench.source.released.empty() && Clock::now() - begin < std::chrono::minutes(1)) bench.consumer->drain();
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(50));
  ASSERT_EQ(bench.source.released.size(), 1u);
  EXPECT_EQ(bench.source.released[0].first, 8u);
}

TEST_F(ConsumerTest, AggregationsArePrintedAtTheEndInOrderOfDefinition) {
  option("quiet");
  bench.program.aggregations.push_back({"a", AggFunction::Sum, {}, {string_type()}});
  bench.program.aggregations.push_back({"unused", AggFunction::Sum, {}, {}});
  uint32_t epid = add(aggregate_word, *call, {SONDE_SLOT_TEXT, SONDE_SLOT_WORD});
  bench.consume(RecordBuilder(epid, 9, 10).text("ls").word(5));
  bench.consume(RecordBuilder(epid, 9, 11).text("cat").word(2));
  bench.consume(RecordBuilder(epid, 9, 12).text("ls").word(5));
  bench.consumer->finish();
  std::string blanks(48, ' ');
  EXPECT_EQ(bench.printed(), "\n  cat" + blanks.substr(1) + "                2\n  ls" + blanks + "               10\n");
}

int32_t printa_all(BodyContext* context) { return sonde_act_printa(context, &g_printa, 0, nullptr), 1; }
int32_t clear_all(BodyContext* context) { return sonde_act_clear(context, &g_printa, 0, nullptr), 1; }
int32_t keep_one(BodyContext* context) {
  uint64_t keep = 1;
  return sonde_act_trunc(context, &g_printa, 1, &keep), 1;
}
int32_t normalize_by_5(BodyContext* context) {
  uint64_t zero = 0, by = 5;
  sonde_act_normalize(context, &g_printa, 1, &by);
  sonde_act_normalize(context, &g_printa, 1, &zero);
  return 1;
}

TEST_F(ConsumerTest, PrintaAndItsKin) {
  option("quiet");
  g_printa = site("printa");
  g_printa.aggregations = {0};
  bench.program.aggregations.push_back({"a", AggFunction::Sum, {}, {string_type()}});
  uint32_t adds = add(aggregate_word, *call, {SONDE_SLOT_TEXT, SONDE_SLOT_WORD});
  uint32_t prints = add(printa_all, *call), clears = add(clear_all, *call), truncates = add(keep_one, *call);
  uint32_t normalizes = add(normalize_by_5, *call);
  std::string ls = "  ls" + std::string(48, ' '), cat = "  cat" + std::string(47, ' ');
  bench.consume(RecordBuilder(adds, 9, 10).text("ls").word(10));
  bench.consume(RecordBuilder(adds, 9, 11).text("cat").word(20));
  bench.consume(RecordBuilder(normalizes, 9, 12));
  bench.consume(RecordBuilder(prints, 9, 12));
  EXPECT_EQ(bench.printed(), "\n" + ls + "                2\n" + cat + "                4\n");
  bench.consume(RecordBuilder(truncates, 9, 13));
  bench.consume(RecordBuilder(prints, 9, 13));
  EXPECT_EQ(bench.printed(), "\n" + cat + "                4\n");
  bench.consume(RecordBuilder(clears, 9, 14));
  bench.consume(RecordBuilder(prints, 9, 14));
  EXPECT_EQ(bench.printed(), "\n" + cat + "                0\n");
  bench.consumer->finish();
  EXPECT_EQ(bench.printed(), "\n") << "what printa() has printed is not printed again";
}

TEST_F(ConsumerTest, WhatWasClearedIsPrintedAtTheEndWithItsKeys) {
  option("quiet");
  g_printa = site("clear");
  g_printa.aggregations = {0};
  bench.program.aggregations.push_back({"a", AggFunction::Sum, {}, {string_type()}});
  uint32_t adds = add(aggregate_word, *call, {SONDE_SLOT_TEXT, SONDE_SLOT_WORD}), clears = add(clear_all, *call);
  bench.consume(RecordBuilder(adds, 9, 10).text("ls").word(10));
  bench.consume(RecordBuilder(clears, 9, 11));
  bench.consumer->finish();
  EXPECT_EQ(bench.printed(), "\n  ls" + std::string(48, ' ') + std::string(16, ' ') + "0\n");
}

TEST_F(ConsumerTest, AggsizeLimitsAndIsTold) {
  option("aggsize", "200");
  bench.program.aggregations.push_back({"a", AggFunction::Sum, {}, {string_type()}});
  uint32_t epid = add(aggregate_word, *call, {SONDE_SLOT_TEXT, SONDE_SLOT_WORD});
  for (const char* name : {"a", "b", "c", "d", "e"})
    bench.consume(RecordBuilder(epid, 9, 10).text(name).word(1).cpu(2));
  bench.consumer->report_drops();
  ASSERT_EQ(bench.output.messages.size(), 1u);
  EXPECT_TRUE(bench.output.messages[0].ends_with(" aggregation drops on CPU 2")) << bench.output.messages[0];
}

int32_t set_option(BodyContext* context) {
  uint64_t quiet[] = {word_of("quiet"), word_of("yes")}, unknown[] = {word_of("nosuch")};
  sonde_act_setopt(context, &g_setopt, 2, quiet);
  sonde_act_setopt(context, &g_setopt, 1, unknown);
  print(context, "now quiet\n");
  return 1;
}

TEST_F(ConsumerTest, SetoptActsAtOnce) {
  uint32_t epid = add(set_option, *begin);
  bench.consume(RecordBuilder(epid, 1, 10));
  bench.consume(RecordBuilder(epid, 1, 11));
  EXPECT_EQ(bench.printed(),
            "CPU     ID                    FUNCTION:NAME\n"
            "  0      1                           :BEGIN now quiet\n"
            "now quiet\n");
  const std::string message =
      "error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): couldn't set option \"nosuch\" to \"1\": Invalid option "
      "name\n";
  EXPECT_EQ(bench.output.messages, (std::vector<std::string>{message, message}));
}

int32_t run_shell(BodyContext* context) {
  print(context, "before\n");
  sonde_act_system(context, &g_system, 0, nullptr);
  print(context, "after\n");
  return 1;
}

TEST_F(ConsumerTest, SystemRunsInOrderOfTheRecords) {
  option("quiet");
  std::string path = ::testing::TempDir() + "/sonde-system-test";
  std::remove(path.c_str());
  Conversion literal;
  literal.literal = "echo ran > " + path;
  g_system = site("system");
  g_system.format = {literal};
  uint32_t epid = add(run_shell, *begin);
  bench.consume(RecordBuilder(epid, 1, 10));
  EXPECT_GE(bench.output.flushes, 1);
  EXPECT_EQ(bench.output.text, "before\n") << "out before the command ran";
  EXPECT_EQ(bench.printed(), "before\nafter\n");
  FILE* file = std::fopen(path.c_str(), "r");
  ASSERT_NE(file, nullptr);
  std::fclose(file);
  std::remove(path.c_str());
}

TEST_F(ConsumerTest, FlowindentFollowsEachThread) {
  option("flowindent");
  bench.clause(nullptr).default_action = true;
  uint32_t in = bench.ecb(*call, 0), out = bench.ecb(*back, 0), tick = bench.ecb(*begin, 0);
  bench.consume(RecordBuilder(in, 9, 10));
  bench.consume(RecordBuilder(tick, 1, 11));
  bench.consume(RecordBuilder(in, 9, 12).thread(200, 200));
  bench.consume(RecordBuilder(out, 10, 13));
  EXPECT_EQ(bench.printed(),
            "CPU FUNCTION                                 \n"
            "  0  => read                                  \n"
            "  0    | :BEGIN                               \n"
            "  0  => read                                  \n"
            "  0  <= read                                  \n");
}

TEST_F(ConsumerTest, DynamicDropsAreTold) {
  option("dynvarsize", "100");
  bench.program.self_cells = 1;
  bench.program.variables.push_back({"n", VariableDesc::Scope::Self, integer(), 0});
  uint32_t epid = add([](BodyContext* context) -> int32_t { return context->self[0] = 1, 1; }, *call);
  for (uint32_t tid = 1; tid < 20; ++tid) bench.consume(RecordBuilder(epid, 9, tid).thread(1, tid));
  bench.consumer->report_drops();
  ASSERT_EQ(bench.output.messages.size(), 1u);
  EXPECT_TRUE(bench.output.messages[0].ends_with(" dynamic variable drops"));
}

TEST_F(ConsumerTest, DropsOfRingsAreToldByCpu) {
  for (auto [cpu, dropped] : {std::pair{0u, 0u}, {1u, 1u}, {5u, 7u}}) {
    const MappedRing& ring = bench.source.ring_list.emplace_back(test::make_ring(4096, cpu).ring);
    RingWriter writer(ring);
    while (writer.drops() < dropped) test::write_record(writer, 10, 1, 64);
  }
  bench.start().drain_all();
  bench.consumer->report_drops();
  EXPECT_EQ(bench.output.messages, (std::vector<std::string>{"1 drop on CPU 1", "7 drops on CPU 5"}));
  bench.consumer->report_drops();
  EXPECT_EQ(bench.output.messages.size(), 2u) << "told once";
}

TEST_F(ConsumerTest, RowsThatFindTheirBufferFullAreToldByCpu) {
  option("quiet");
  option("bufpolicy", "fill");
  option("bufsize", "64");
  uint32_t epid = add(trace_slot, *call, {SONDE_SLOT_WORD});
  for (uint64_t at = 10; at < 15; ++at) bench.consume(RecordBuilder(epid, 9, at).word(at).cpu(3));
  bench.consumer->report_drops();
  EXPECT_EQ(bench.output.messages, std::vector<std::string>{"3 drops on CPU 3"});
}

TEST_F(ConsumerTest, EachKindOfDropHasItsWordsAndItsTag) {
  option("droptags");
  option("nspec", "2");
  option("specsize", "8");
  const auto lose_all = [](BodyContext* context) -> int32_t {
    BodyState& state = *context->state;
    const uint64_t now = context->record->timestamp;
    const uint64_t first = state.speculations.open(now), second = state.speculations.open(now);
    state.speculations.open(now);  // no buffer is left
    state.speculations.use(first, 1);
    state.speculations.add(first, {});  // a record takes 16 bytes
    state.speculations.use(second, 1);
    state.speculations.use(second, 2);
    state.speculations.close(second, 1, now);
    state.speculations.open(now);  // one buffer is busy
    state.speculations.open(now);
    state.dynamic_drops = 1;
    state.aggregation_drops[4] = 2;
    return 1;
  };
  uint32_t loses = add(lose_all, *call), faulty = add(fault_after_printing, *error);
  bench.consume(RecordBuilder(loses, 9, 10));
  bench.consume(RecordBuilder(faulty, 3, 11));
  bench.output.messages.clear();
  bench.consumer->report_drops();
  EXPECT_EQ(bench.output.messages,
            (std::vector<std::string>{
                "[DTRACEDROP_AGGREGATION] 2 aggregation drops on CPU 4",
                "[DTRACEDROP_DYNAMIC] 1 dynamic variable drop",
                "[DTRACEDROP_SPEC] 1 speculative drop",
                "[DTRACEDROP_SPECBUSY] 2 failed speculations (available buffer(s) still busy)",
                "[DTRACEDROP_SPECUNAVAIL] 1 failed speculation (no speculative buffer available)",
                "[DTRACEDROP_DBLERROR] 1 error in ERROR probe enabling",
            }));
  bench.consumer->report_drops();
  EXPECT_EQ(bench.output.messages.size(), 6u) << "each is told once";
}

TEST_F(ConsumerTest, CleanrateSaysWhenASpeculationIsFree) {
  option("quiet");
  option("nspec", "1");
  option("cleanrate", "1");
  const auto share = [](BodyContext* context) -> int32_t {
    Speculations& all = context->state->speculations;
    const uint64_t now = context->record->timestamp, id = all.open(now);
    print(context, id != 0 ? "open\n" : "none\n");
    all.use(id, 1);
    all.use(id, 2);
    all.close(id, 1, now);
    return 1;
  };
  uint32_t epid = add(share, *call);
  constexpr uint64_t kSecond = 1'000'000'000;
  for (uint64_t at : {kSecond, 2 * kSecond - 1, 2 * kSecond}) bench.consume(RecordBuilder(epid, 9, at));
  EXPECT_EQ(bench.printed(), "open\nnone\nopen\n");
}

TEST_F(ConsumerTest, TheProgramMayGrow) {
  option("quiet");
  uint32_t first = add(print_one, *call);
  bench.consume(RecordBuilder(first, 9, 10));
  bench.program.global_cells = 1;
  bench.program.variables.push_back({"g", VariableDesc::Scope::Global, integer(), 0});
  bench.program.aggregations.push_back({"a", AggFunction::Count, {}, {}});
  uint32_t second = add(
      [](BodyContext* context) -> int32_t {
        context->globals[0]++;
        sonde_aggregate(context, 0, nullptr, 1, 1);
        return 1;
      },
      *call);
  bench.consume(RecordBuilder(second, 9, 10));
  bench.consume(RecordBuilder(second, 9, 11));
  EXPECT_TRUE(bench.consumer->print_aggregation("a"));
  EXPECT_EQ(bench.printed(), "one\n                2\n");
  EXPECT_FALSE(bench.consumer->print_aggregation("nosuch"));
}

}  // namespace
}  // namespace sonde
