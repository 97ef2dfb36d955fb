// SPDX-License-Identifier: GPL-3.0-or-later
// What the kernel folds is what the aggregating functions of runtime/agg make of the same records.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

#include "runtime/agg/functions.h"
#include "runtime/bpf/fold_code.h"
#include "tests/runtime/bpf/kernel_run.h"

namespace sonde::bpf {
namespace {

using test::insn;
using test::Program;

constexpr uint32_t kNumber = 39;
constexpr int kFirstArgument = 3;  ///< of bpf(2), those that it does not look at

struct Element {
  uint64_t firings = 0;
  std::vector<int64_t> words;
  auto operator<=>(const Element&) const = default;
};
using Key = std::vector<uint64_t>;  ///< pid and tid, then slots and texts
using Elements = std::map<Key, Element>;

struct Function {
  sonde_fold_function fold;
  AggFunction agg;
  std::vector<int64_t> params;
};

const Function kFunctions[] = {
    {SONDE_FOLD_COUNT, AggFunction::Count, {}},
    {SONDE_FOLD_SUM, AggFunction::Sum, {}},
    {SONDE_FOLD_AVG, AggFunction::Avg, {}},
    {SONDE_FOLD_MIN, AggFunction::Min, {}},
    {SONDE_FOLD_MAX, AggFunction::Max, {}},
    {SONDE_FOLD_STDDEV, AggFunction::Stddev, {}},
    {SONDE_FOLD_QUANTIZE, AggFunction::Quantize, {}},
    {SONDE_FOLD_LQUANTIZE, AggFunction::Lquantize, {-50, 1000, 7}},
    {SONDE_FOLD_LQUANTIZE, AggFunction::Lquantize, {INT32_MIN, INT32_MAX, INT32_MAX / 100}},
    {SONDE_FOLD_LQUANTIZE, AggFunction::Lquantize, {0, 1, 1}},
};

class Folded : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    kernel = Kernel::create(why);
    if (!kernel) GTEST_SKIP() << "this kernel takes no programs: " << why;
    cpu_set_t all, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    unsigned last = CPU_SETSIZE - 1;  // where there are several, its number is not 0
    while (!CPU_ISSET(last, &all)) last--;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  }

  /// Slot n = argument 3 + n, for three slots; more captures behind these.
  Program three_words(std::vector<sonde_dif_insn> more = {}) {
    Program program;
    for (unsigned n = 0; n < 3; n++) {
      program.insns.push_back(insn(SONDE_DIF_ARG, n, 0, 0, kFirstArgument + static_cast<int>(n)));
      program.insns.push_back(insn(SONDE_DIF_CAPW, n, n));
      program.kinds.push_back(SONDE_SLOT_WORD);
    }
    program.insns.insert(program.insns.end(), more.begin(), more.end());
    program.insns.push_back(insn(SONDE_DIF_RECORD));
    return program;
  }

  void load(const std::vector<FirePart>& fires) {
    std::string error;
    auto made = kernel->load(Hook::Enter, fires, kNumber, error);
    ASSERT_TRUE(made) << error;
    loaded = std::move(*made);
  }

  void fire(uint64_t a, uint64_t b, uint64_t c) {
    const uint64_t arguments[] = {0, kNumber};
    bpf_attr attributes{};
    attributes.test.prog_fd = static_cast<uint32_t>(loaded.get());
    attributes.test.ctx_in = reinterpret_cast<uintptr_t>(arguments);
    attributes.test.ctx_size_in = sizeof arguments;
    ASSERT_EQ(syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attributes, sizeof attributes, a, b, c), 0);
  }

  /// `keys`: slots that are keys, or all of them, with the texts, if the program has texts.
  Elements take(uint32_t keys) {
    Elements found;
    for (FoldTables& tables : kernel->folded())
      tables.take([&](const sonde_record& record, uint64_t firings, std::span<const int64_t> words) {
        EXPECT_EQ(record.probe, kProbe);
        EXPECT_EQ(record.cpu, static_cast<uint32_t>(sched_getcpu())) << "there is one";
        Key key = {record.pid, record.tid};
        key.insert(key.end(), record.slot, record.slot + keys);
        const auto* end = reinterpret_cast<const uint64_t*>(reinterpret_cast<const char*>(&record) + record.size);
        key.insert(key.end(), record.slot + record.slots, end);
        EXPECT_FALSE(found.contains(key)) << "an element twice";
        found[key] = {firings, {words.begin(), words.end()}};
      });
    return found;
  }

  std::vector<std::vector<uint64_t>> records() {
    Kernel::Run run;
    kernel->drain(run);
    EXPECT_EQ(run.error, "");
    EXPECT_EQ(run.drops, 0u);
    return run.records;
  }

  std::unique_ptr<Kernel> kernel;
  UniqueFd loaded;
};

sonde_fold_part part_of(const Function& function, uint8_t value, uint8_t weight = SONDE_FOLD_NO_SLOT) {
  sonde_fold_part part{};
  part.function = static_cast<uint8_t>(function.fold);
  part.value = value;
  part.weight = weight;
  if (function.params.empty()) return part;
  part.base = function.params[0];
  part.step = function.params[2];
  part.levels = static_cast<uint32_t>((function.params[1] - function.params[0]) / part.step);
  return part;
}

AggregationDesc desc_of(const Function& function) { return {"", function.agg, function.params, {}}; }

std::vector<uint64_t> values() {
  std::vector<uint64_t> all = {0, 1, 2, 3, 49, 50, 51, ~0ull, ~1ull, 1ull << 63, (1ull << 63) + 1, (1ull << 63) - 1};
  for (unsigned bit = 0; bit < 64; bit++)
    for (const uint64_t near : {0ull, 1ull, ~0ull}) {
      all.push_back((1ull << bit) + near);
      all.push_back(0 - ((1ull << bit) + near));
    }
  std::mt19937_64 random(7);
  for (int n = 0; n < 200; n++) all.push_back(random() >> random() % 64);
  return all;
}

TEST_F(Folded, StepsAreThoseOfTheFunctions) {
  for (const Function& function : kFunctions) {
    Program program = three_words();
    ASSERT_EQ(program.verify(), 0) << program.why;
    const bool weighs = function.agg == AggFunction::Quantize || function.agg == AggFunction::Lquantize;
    sonde_fold fold{1, 1, 0, {part_of(function, 1, weighs ? 2 : SONDE_FOLD_NO_SLOT)}};
    load({{&program.raw, &fold}});
    const AggregationDesc desc = desc_of(function);
    const AggOperations& operations = *row_of(function.agg).operations;
    ASSERT_EQ(sonde_fold_words(&fold.part[0]), operations.words(desc));
    Elements wanted;
    for (const uint64_t value : values()) {
      const uint64_t key = value % 3, weight = value % 5;
      fire(key, value, weight);
      Element& one = wanted[{0, 0, key}];
      one.words.resize(operations.words(desc));
      one.firings++;
      operations.step(desc, one.words.data(), static_cast<int64_t>(value), weighs ? static_cast<int64_t>(weight) : 1);
    }
    EXPECT_EQ(take(1), wanted) << "function " << function.fold;
    EXPECT_TRUE(records().empty());
    EXPECT_TRUE(take(1).empty()) << "what was handed over is gone";
  }
}

/// Several functions of one clause, each with its own value.
TEST_F(Folded, FunctionsSideBySide) {
  Program program = three_words();
  ASSERT_EQ(program.verify(), 0);
  const Function count = kFunctions[0], sum = kFunctions[1], max = kFunctions[4], stddev = kFunctions[5];
  sonde_fold fold{4, 1, 1, {part_of(stddev, 1), part_of(count, SONDE_FOLD_NO_SLOT), part_of(max, 2), part_of(sum, 0)}};
  load({{&program.raw, &fold}});
  fire(5, 10, static_cast<uint64_t>(-3));
  fire(5, 20, static_cast<uint64_t>(-4));
  const Elements found = take(1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.begin()->first, (Key{static_cast<uint64_t>(getpid()), static_cast<uint64_t>(gettid()), 5}));
  EXPECT_EQ(found.begin()->second, (Element{2, {2, 30, 0, 500, 0, 2, -3, 1, 10}}));
}

/// Words and texts of all lengths as keys: what is equal is one element, what is not is two; whatever finds no room is a
/// record.
TEST_F(Folded, EveryFiringIsInAnElementOrARecord) {
  OwnThread thread;
  std::mt19937 random(3);
  for (char& one : thread.memory) one = static_cast<char>('a' + random() % 2);
  for (int n = 0; n < 3000; n++) thread.memory[random() % 8000] = '\0';
  thread.execname = "eightchr";
  thread.publish();
  for (const int longest : {1, 7, 8, 9, 300}) {
    Program program = three_words({insn(SONDE_DIF_CAPSTR, 3, 2, 0, longest), insn(SONDE_DIF_LI, 1),
                                   insn(SONDE_DIF_CAPTEXT, 4, 1, 0, SONDE_DIF_TEXT_EXECNAME)});
    program.kinds.push_back(SONDE_SLOT_TEXT);
    program.kinds.push_back(SONDE_SLOT_TEXT);
    ASSERT_EQ(program.verify(), 0) << program.why;
    sonde_fold fold{1, 5, 0, {part_of(kFunctions[1], 1)}};
    load({{&program.raw, &fold}});
    std::map<std::tuple<uint64_t, uint64_t, uint64_t, std::string>, uint64_t> wanted, found;
    for (int n = 0; n < 6000; n++) {
      const uint64_t a = random() % 2, b = random() % 2, c = OwnThread::kBase + random() % 500;
      fire(a, b, c);
      wanted[{a,
              b,
              c,
              {thread.memory_at + (c - OwnThread::kBase),
               strnlen(thread.memory_at + (c - OwnThread::kBase), static_cast<size_t>(longest))}}]++;
    }
    const auto add = [&](const sonde_record& record, uint64_t firings) {
      const char* text = reinterpret_cast<const char*>(&record) + SONDE_SPAN_OFFSET(record.slot[3]);
      EXPECT_EQ(sonde_record_check(&record, record.size, program.kinds.data(), 5), 0);
      EXPECT_STREQ(reinterpret_cast<const char*>(&record) + SONDE_SPAN_OFFSET(record.slot[4]), "eightchr");
      found[{record.slot[0], record.slot[1], record.slot[2], {text, SONDE_SPAN_LENGTH(record.slot[3])}}] += firings;
    };
    uint64_t elements = 0;
    for (FoldTables& tables : kernel->folded())
      tables.take([&](const sonde_record& record, uint64_t firings, std::span<const int64_t>) {
        add(record, firings);
        elements++;
      });
    for (const auto& one : records()) add(*reinterpret_cast<const sonde_record*>(one.data()), 1);
    EXPECT_EQ(found, wanted) << longest;
    EXPECT_GT(elements, 500u);
  }
}

/// Equal texts at different places are one key, whatever was in the scratch behind them.
TEST_F(Folded, WhatIsBehindATextIsNoKey) {
  OwnThread thread;
  const std::string texts[] = {"equal", "longer than the other ones", "equal"};
  for (int n = 0; n < 3; n++) std::memcpy(thread.memory.data() + 100 * n, texts[n].c_str(), texts[n].size() + 1);
  thread.publish();
  Program program;
  program.insns = {insn(SONDE_DIF_ARG, 5, 0, 0, kFirstArgument), insn(SONDE_DIF_CAPSTR, 0, 5, 0, 100),
                   insn(SONDE_DIF_RECORD)};
  program.kinds = {SONDE_SLOT_TEXT};
  ASSERT_EQ(program.verify(), 0);
  sonde_fold fold{1, 1, 0, {part_of(kFunctions[0], SONDE_FOLD_NO_SLOT)}};
  load({{&program.raw, &fold}});
  for (uint64_t n = 0; n < 3; n++) fire(OwnThread::kBase + 100 * n, 0, 0);
  std::vector<uint64_t> firings;
  for (const auto& [key, element] : take(0)) firings.push_back(element.firings);
  std::ranges::sort(firings);
  EXPECT_EQ(firings, (std::vector<uint64_t>{1, 2}));
}

uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

/// Two keys with one hash: who comes second is recorded.
TEST_F(Folded, AHashIsNotAKey) {
  Program program = three_words();
  ASSERT_EQ(program.verify(), 0);
  sonde_fold fold{1, 2, 0, {part_of(kFunctions[0], SONDE_FOLD_NO_SLOT)}};
  load({{&program.raw, &fold}});
  const uint64_t begin = (kFirstEpid | uint64_t{kProbe} << 32) * 0x9e3779b97f4a7c15;
  const uint64_t other = mix(begin, 1) ^ mix(begin, 2) ^ 77;  // after the second word the hashes are equal
  fire(1, 77, 0);
  fire(2, other, 0);
  fire(1, 77, 0);
  fire(2, other, 0);
  EXPECT_EQ(take(2), (Elements{{{0, 0, 1, 77}, {2, {2}}}}));
  EXPECT_EQ(records().size(), 2u) << "if these are elements of their own, this test does not know the hash any more";
}

/// A slot with a fault makes a record, and the thread belongs to a key only if it is asked for.
TEST_F(Folded, FaultsAreRecords) {
  Program program;
  program.insns = {insn(SONDE_DIF_ARG, 5, 0, 0, kFirstArgument), insn(SONDE_DIF_CAPSTR, 0, 5, 0, 100),
                   insn(SONDE_DIF_RECORD)};
  program.kinds = {SONDE_SLOT_TEXT};
  ASSERT_EQ(program.verify(), 0);
  sonde_fold fold{1, 1, 1, {part_of(kFunctions[0], SONDE_FOLD_NO_SLOT)}};
  load({{&program.raw, &fold}});
  fire(16, 0, 0);
  EXPECT_TRUE(take(1).empty());
  const auto found = records();
  ASSERT_EQ(found.size(), 1u);
  const auto& record = *reinterpret_cast<const sonde_record*>(found[0].data());
  EXPECT_EQ(record.faults, 1u);
  EXPECT_EQ(record.slot[0], 16u);
  EXPECT_GT(record.timestamp, 0u);
}

/// A clause that folds beside two that record: one firing, one time; and a time that the folded clause reads itself.
TEST_F(Folded, BesideRecords) {
  Program folded = three_words(), recorded = three_words(), timed;
  timed.insns = {insn(SONDE_DIF_VAR, 3, 0, 0, SONDE_DIF_VAR_TIMESTAMP), insn(SONDE_DIF_CAPW, 0, 3),
                 insn(SONDE_DIF_RECORD)};
  timed.kinds = {SONDE_SLOT_WORD};
  for (Program* one : {&folded, &recorded, &timed}) ASSERT_EQ(one->verify(), 0) << one->why;
  sonde_fold count{1, 0, 0, {part_of(kFunctions[0], SONDE_FOLD_NO_SLOT)}};
  sonde_fold most{1, 0, 0, {part_of(kFunctions[4], 0)}};
  load({{&folded.raw, &count}, {&recorded.raw}, {&timed.raw, &most}, {&folded.raw, &count}, {&recorded.raw}});
  fire(1, 2, 3);
  const auto found = records();
  ASSERT_EQ(found.size(), 2u);
  const auto& first = *reinterpret_cast<const sonde_record*>(found[0].data());
  const auto& second = *reinterpret_cast<const sonde_record*>(found[1].data());
  EXPECT_EQ(first.timestamp, second.timestamp);
  EXPECT_EQ(first.sequence, second.sequence);
  EXPECT_EQ(second.epid, kFirstEpid + 4);
  std::map<uint32_t, std::vector<int64_t>> states;
  for (FoldTables& tables : kernel->folded())
    tables.take([&](const sonde_record& record, uint64_t, std::span<const int64_t> words) {
      states[record.epid] = {words.begin(), words.end()};
    });
  const std::map<uint32_t, std::vector<int64_t>> wanted = {
      {kFirstEpid, {1}}, {kFirstEpid + 2, {static_cast<int64_t>(first.timestamp), 1}}, {kFirstEpid + 3, {1}}};
  EXPECT_EQ(states, wanted);
}

TEST_F(Folded, WhatIsTooLongIsNotFolded) {
  Program program = three_words();
  ASSERT_EQ(program.verify(), 0);
  sonde_fold fold{1, 1, 0, {part_of(kFunctions[7], 1)}};
  EXPECT_TRUE(can_fold(fold, program.raw));
  fold.part[0].levels = 60000;
  EXPECT_FALSE(can_fold(fold, program.raw));
  load({{&program.raw, &fold}});
  fire(1, 2, 3);
  EXPECT_EQ(records().size(), 1u);
}

/// A program that was stopped between an element and its first step leaves one without firings: it is nobody's.
TEST(Tables, AnElementWithoutFiringsIsNotHandedOver) {
  constexpr uint32_t kBytes = 16u << 10, kWords = 1;
  const UniqueFd file(static_cast<int>(syscall(SYS_memfd_create, "tables", 0u)));
  ASSERT_EQ(ftruncate(file.get(), fold_area(kBytes)), 0);
  alignas(sonde_ring) std::array<uint8_t, SONDE_RING_DATA> page{};
  auto& ring = *reinterpret_cast<sonde_ring*>(page.data());
  ring.low_water = SONDE_IDLE;
  auto tables = FoldTables::map(file.get(), 0, kBytes, &ring);
  ASSERT_TRUE(tables) << tables.error().message();
  struct {
    FoldElement head;
    int64_t word;
    uint64_t key;
  } element{};
  element.head.bytes = sizeof element;
  element.head.words = kWords;
  element.head.slots = 1;
  uint64_t used = fold_log(kBytes);
  for (const uint64_t firings : {0, 3, 0, 5}) {
    element.head.firings = firings;
    element.key = 10 + firings;
    ASSERT_EQ(pwrite(file.get(), &element, sizeof element, static_cast<off_t>(used)), ssize_t{sizeof element});
    used += sizeof element;
  }
  ASSERT_EQ(pwrite(file.get(), &used, sizeof used, offsetof(FoldTable, used)), ssize_t{sizeof used});
  std::vector<std::pair<uint64_t, uint64_t>> found;
  tables->take([&](const sonde_record& record, uint64_t firings, std::span<const int64_t> words) {
    EXPECT_EQ(words.size(), kWords);
    found.emplace_back(record.slot[0], firings);
  });
  EXPECT_EQ(found, (std::vector<std::pair<uint64_t, uint64_t>>{{13, 3}, {15, 5}}));
}

}  // namespace
}  // namespace sonde::bpf
