// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * How many records a second the consumer takes, on recorded input
 *
 * A ring in memory is filled with records once; each round rewinds it and drains it with hand-written
 * bodies, such as the compiler makes them:
 *
 *   count     @[execname, probefunc] = count()
 *   quantize  @[execname] = quantize(arg0)
 *   latency   entry: self->t = timestamp   return: /self->t/ @[execname] = quantize(timestamp - self->t); self->t = 0
 */
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "runtime/body/subroutines.h"
#include "tests/runtime/consumer/records.h"

namespace {

using namespace sonde;
using namespace sonde::testing;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 7;
constexpr uint64_t kRecords = 200'000;
constexpr uint32_t kProbes = 40;
constexpr uint32_t kThreads = 8;
const char* const kNames[] = {"bash", "ls", "python3", "gcc", "make"};

int32_t count_body(BodyContext* context) {
  uint64_t keys[2] = {sonde_slot_text(context, 0), 0};
  if (context->fault != 0) return 1;
  keys[1] = sonde_var_probefunc(context);
  context->action = 1;
  sonde_aggregate(context, 0, keys, 1, 1);
  return 1;
}

int32_t quantize_body(BodyContext* context) {
  uint64_t keys[1] = {sonde_slot_text(context, 0)};
  if (context->fault != 0) return 1;
  context->action = 1;
  sonde_aggregate(context, 1, keys, static_cast<int64_t>(context->slots[1]), 1);
  return 1;
}

int32_t entry_body(BodyContext* context) {
  context->action = 1;
  context->self[0] = context->record->timestamp;
  return 1;
}

int32_t return_body(BodyContext* context) {
  if (context->self[0] == 0) return 0;
  uint64_t keys[1] = {sonde_slot_text(context, 0)};
  if (context->fault != 0) return 1;
  context->action = 1;
  sonde_aggregate(context, 2, keys, static_cast<int64_t>(context->record->timestamp - context->self[0]), 1);
  context->self[0] = 0;
  return 1;
}

/// A ring of our own, and the head that it has when it is full of recorded input.
struct RecordedRing {
  explicit RecordedRing(uint64_t bytes) : memory(static_cast<uint8_t*>(std::aligned_alloc(4096, SONDE_RING_DATA + bytes))) {
    std::memset(memory, 0, SONDE_RING_DATA + bytes);
    ring = reinterpret_cast<sonde_ring*>(memory);
    ring->magic = SONDE_RING_MAGIC;
    ring->size = bytes;
    ring->low_water = SONDE_IDLE;
  }
  ~RecordedRing() { std::free(memory); }
  void add(const RecordBuilder& builder) {
    std::vector<uint64_t> record = builder.build();
    std::memcpy(memory + SONDE_RING_DATA + filled, record.data(), 8 * record.size());
    filled += 8 * record.size();
    SONDE_CHECK(filled <= ring->size);
  }
  uint8_t* memory;
  sonde_ring* ring;
  uint64_t filled = 0;
};

/// Best of the rounds, in records a second. Each round has a fresh consumer's rings, but the same aggregations.
double measure(Bench& bench, RecordedRing& recorded, const char* name) {
  bench.source.ring_list = {recorded.ring};
  bench.start();
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    // The writer goes on where it stopped: the same records again, one lap later.
    recorded.ring->head = static_cast<uint64_t>(round) * recorded.ring->size + recorded.filled;
    auto begin = Clock::now();
    uint64_t seen = bench.start().drain_all();
    double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (seen != kRecords) {
      std::printf("%s: %llu records instead of %llu\n", name, static_cast<unsigned long long>(seen),
                  static_cast<unsigned long long>(kRecords));
      std::exit(1);
    }
    best = std::max(best, static_cast<double>(seen) / seconds);
    // A padding record takes the rest of the lap.
    auto* padding = reinterpret_cast<sonde_record*>(recorded.memory + SONDE_RING_DATA + recorded.filled);
    if (recorded.filled < recorded.ring->size) {
      padding->size = static_cast<uint32_t>(recorded.ring->size - recorded.filled);
      padding->flags = SONDE_RECORD_PADDING;
    }
  }
  std::printf("consumer %-10s %8.1f million records/s  %6.1f ns a record\n", name, best / 1e6, 1e9 / best);
  return best;
}

void prepare(Bench& bench) {
  std::vector<uint8_t> texts = {SONDE_SLOT_TEXT}, both = {SONDE_SLOT_TEXT, SONDE_SLOT_WORD};
  bench.clause(count_body, texts);
  bench.clause(quantize_body, both);
  bench.clause(entry_body, {});
  bench.clause(return_body, texts);
  bench.program.self_cells = 1;
  VariableDesc t;
  t.name = "t";
  t.scope = VariableDesc::Scope::Self;
  bench.program.variables.push_back(t);
  bench.program.aggregations.push_back({"a", AggFunction::Count, {}, {string_type(), string_type()}});
  bench.program.aggregations.push_back({"b", AggFunction::Quantize, {}, {string_type()}});
  bench.program.aggregations.push_back({"c", AggFunction::Quantize, {}, {string_type()}});
  for (uint32_t i = 0; i < kProbes; ++i)
    bench.probe(100 + i, "syscall", "vmlinux", "some_call_" + std::to_string(i), i % 2 == 0 ? "entry" : "return");
}

}  // namespace

int main() {
  Bench bench;
  prepare(bench);
  uint32_t count_epids[kProbes], other_epids[kProbes];
  for (uint32_t i = 0; i < kProbes; ++i) count_epids[i] = bench.ecb(bench.probes[i], 0);
  uint32_t quantize_epid = bench.ecb(bench.probes[0], 1);
  for (uint32_t i = 0; i < kProbes; ++i) other_epids[i] = bench.ecb(bench.probes[i], i % 2 == 0 ? 2 : 3);

  RecordedRing count(32 << 20), quantize(32 << 20), latency(32 << 20);
  for (uint64_t i = 0; i < kRecords; ++i) {
    auto tid = static_cast<uint32_t>(1000 + i / 2 % kThreads);
    const char* name = kNames[i / 2 % std::size(kNames)];
    auto at = static_cast<uint32_t>(i * 7 % kProbes);
    count.add(RecordBuilder(count_epids[at], 100 + at, i + 1).thread(tid, tid).text(name));
    quantize.add(RecordBuilder(quantize_epid, 100, i + 1).thread(tid, tid).text(name).word(i * 37 % 65536));
    uint32_t call = static_cast<uint32_t>(i % 2);
    RecordBuilder record(other_epids[call], 100 + call, i * 100 + 1);
    record.thread(tid, tid);
    if (call == 1) record.text(name);
    latency.add(record);
  }
  measure(bench, count, "count");
  measure(bench, quantize, "quantize");
  measure(bench, latency, "latency");
  return 0;
}
