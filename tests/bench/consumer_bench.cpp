// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * How many records per second of CPU time the consumer processes, with recorded input
 *
 * A ring in memory is filled with records once; each round rewinds it and drains it with hand-written bodies like
 * those of the compiler:
 *
 *   count     @[execname, probefunc] = count()
 *   quantize  @[execname] = quantize(arg0)
 *   printf    printf("%s %s %d\n", execname, probefunc, arg0), in columns
 *   latency   entry: self->t = timestamp   return: /self->t/ @[execname] = quantize(timestamp - self->t); self->t = 0
 */
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>

#include "runtime/body/state.h"
#include "runtime/body/subroutines.h"
#include "runtime/buffer/ring.h"
#include "tests/runtime/consumer/records.h"

namespace {

using namespace sonde;
using namespace sonde::testing;

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

int32_t printf_body(BodyContext* context) {
  const uint64_t words[3] = {sonde_slot_text(context, 0), sonde_var_probefunc(context), context->slots[1]};
  if (context->fault != 0) return 1;
  context->action = 1;
  sonde_act_printf(context, &context->state->program.sites[0], 3, words);
  return 1;
}

/// A ring that is filled with recorded input once.
struct RecordedRing {
  explicit RecordedRing(uint64_t bytes) : file(std::move(create_ring_memfd(bytes)).value()) {}
  uint8_t* data() { return reinterpret_cast<uint8_t*>(file.ring.get()) + SONDE_RING_DATA; }
  void add(const RecordBuilder& builder) {
    std::vector<uint64_t> record = builder.build();
    SONDE_CHECK(filled + 8 * record.size() + sizeof(sonde_record) <= file.ring.data_bytes());
    std::memcpy(data() + filled, record.data(), 8 * record.size());
    filled += 8 * record.size();
  }
  /// Fills the rest of the lap with a padding record.
  void pad() {
    auto* padding = reinterpret_cast<sonde_record*>(data() + filled);
    padding->size = static_cast<uint32_t>(file.ring.data_bytes() - filled);
    padding->flags = SONDE_RECORD_PADDING;
  }
  RingFile file;
  uint64_t filled = 0;
};

/// CPU time of this thread: other load on the machine does not count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

/// The best of several rounds: the same records again, one lap of the ring later.
void measure(Bench& bench, RecordedRing& recorded, const char* name) {
  recorded.pad();
  MappedRing ring = std::move(recorded.file.ring);
  sonde_ring* shared = ring.get();
  uint64_t lap = ring.data_bytes();
  bench.source.ring_list.push_back(std::move(ring));
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    shared->head = static_cast<uint64_t>(round) * lap + recorded.filled;
    double begin = cpu_seconds();
    uint64_t seen = bench.start().drain_all();
    double seconds = cpu_seconds() - begin;
    SONDE_CHECK(seen == kRecords);
    best = std::max(best, static_cast<double>(seen) / seconds);
  }
  std::printf("consumer %-10s %8.1f million records/s  %6.1f ns a record\n", name, best / 1e6, 1e9 / best);
}

void prepare(Bench& bench) {
  std::vector<uint8_t> texts = {SONDE_SLOT_TEXT}, both = {SONDE_SLOT_TEXT, SONDE_SLOT_WORD};
  bench.clause(count_body, texts);
  bench.clause(quantize_body, both);
  bench.clause(entry_body, {});
  bench.clause(return_body, texts);
  bench.clause(printf_body, both);
  bench.program.self_cells = 1;
  VariableDesc t;
  t.name = "t";
  t.scope = VariableDesc::Scope::Self;
  bench.program.variables.push_back(t);
  bench.program.aggregations.push_back({"a", AggFunction::Count, {}, {string_type(), string_type()}});
  bench.program.aggregations.push_back({"b", AggFunction::Quantize, {}, {string_type()}});
  bench.program.aggregations.push_back({"c", AggFunction::Quantize, {}, {string_type()}});
  ActionSite site{.action = "printf", .arguments = {string_type(), string_type(), {}}, .has_format = true};
  for (const char letter : {'s', 's', 'd'}) {
    Conversion conversion;
    conversion.literal = site.format.empty() ? "" : " ";
    conversion.letter = letter;
    site.format.push_back(conversion);
  }
  Conversion end;
  end.literal = "\n";
  site.format.push_back(end);
  bench.program.sites.push_back(site);
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
  uint32_t printf_epid = bench.ecb(bench.probes[0], 4);
  for (uint32_t i = 0; i < kProbes; ++i) other_epids[i] = bench.ecb(bench.probes[i], i % 2 == 0 ? 2 : 3);

  RecordedRing count(32 << 20), quantize(32 << 20), printed(32 << 20), latency(32 << 20);
  for (uint64_t i = 0; i < kRecords; ++i) {
    auto tid = static_cast<uint32_t>(1000 + i / 2 % kThreads);
    const char* name = kNames[i / 2 % std::size(kNames)];
    auto at = static_cast<uint32_t>(i * 7 % kProbes);
    count.add(RecordBuilder(count_epids[at], 100 + at, i + 1).thread(tid, tid).text(name));
    quantize.add(RecordBuilder(quantize_epid, 100, i + 1).thread(tid, tid).text(name).word(i * 37 % 65536));
    printed.add(RecordBuilder(printf_epid, 100, i + 1).thread(tid, tid).text(name).word(i * 37 % 65536));
    uint32_t call = static_cast<uint32_t>(i % 2);
    RecordBuilder record(other_epids[call], 100 + call, i * 100 + 1);
    record.thread(tid, tid);
    if (call == 1) record.text(name);
    latency.add(record);
  }
  bench.source.ring_list.reserve(4);
  measure(bench, count, "count");
  measure(bench, quantize, "quantize");
  measure(bench, printed, "printf");
  measure(bench, latency, "latency");
  return 0;
}
