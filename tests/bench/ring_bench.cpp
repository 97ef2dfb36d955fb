// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The cost of a firing and of a record, without the event source
 *
 * Prints the best of several rounds for: DIF of a typical clause (predicate on pid, execname and one argument
 * captured); the same with a predicate that fails; the same with its record written to a ring and read back by the
 * same thread; and how many records per second the readers alone pass to a sink that reads one slot.
 */
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "kmod/shared/dif.h"
#include "runtime/buffer/ring.h"

namespace {

using namespace sonde;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 5;
constexpr uint64_t kFirings = 2000000;
constexpr uint64_t kPid = 4242;

constexpr sonde_dif_env kEnv = {
    .read_user = [](void*, uint64_t, void*, uint32_t) { return -1; },
    .read_text = [](void*, uint64_t, char*, uint32_t) { return -1; },
    .variable = [](void*, uint32_t) { return kPid; },
    .user_register = [](void*, uint32_t) { return uint64_t{0}; },
    .descends = [](void*, uint64_t) { return uint64_t{0}; },
    .text = [](void*, uint32_t, uint64_t, char*, uint32_t) { return -1; },
    .stack = [](void*, uint64_t*, uint32_t) { return -1; },
};

/// /pid == PID/ { @[execname, arg0] = count(); }
struct Clause {
  explicit Clause(uint64_t pid)
      : insns{{SONDE_DIF_VAR, 0, 0, 0, SONDE_DIF_VAR_PID},
              {SONDE_DIF_LI, 1, 0, 0, static_cast<int32_t>(pid)},
              {SONDE_DIF_EQ, 0, 0, 1, 0},
              {SONDE_DIF_JZ, 0, 0, 0, 4},
              {SONDE_DIF_CAPTEXT, 0, 0, 0, SONDE_DIF_TEXT_EXECNAME},
              {SONDE_DIF_ARG, 0, 0, 0, 0},
              {SONDE_DIF_CAPW, 1, 0, 0, 0},
              {SONDE_DIF_RECORD, 0, 0, 0, 0},
              {SONDE_DIF_FAIL, 0, 0, 0, 0}},
        kinds{SONDE_SLOT_TEXT, SONDE_SLOT_WORD} {
    program = {insns.data(), static_cast<uint32_t>(insns.size()), 2, nullptr, 0, 0, kinds.data()};
    char why[200];
    if (sonde_dif_verify(&program, why, sizeof why) != 0) std::fprintf(stderr, "%s\n", why);
    SONDE_CHECK(program.record_max > 0);
  }
  std::vector<sonde_dif_insn> insns;
  std::vector<uint8_t> kinds;
  sonde_dif_program program;
};

struct Firing {
  uint64_t args[SONDE_DIF_ARGS] = {}, locals[SONDE_DIF_LOCALS] = {}, thread_variables[SONDE_DIF_THREAD] = {};
  sonde_dif_firing firing = {&kEnv, nullptr, args, locals, thread_variables, "nginx"};
};

/// Nanoseconds per call of `work`, in the best round.
template <typename Work>
double best_ns(uint64_t calls, Work&& work) {
  double best = 1e18;
  for (int round = 0; round < kRounds; round++) {
    const auto start = Clock::now();
    for (uint64_t n = 0; n < calls; n++) work(n);
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  }
  return best / static_cast<double>(calls);
}

double run_ns(uint64_t pid) {
  Clause clause(pid);
  Firing f;
  std::vector<uint64_t> record(clause.program.record_max / 8);
  return best_ns(kFirings, [&](uint64_t n) {
    f.args[0] = n;
    sonde_dif_run(&clause.program, &f.firing, reinterpret_cast<sonde_record*>(record.data()));
  });
}

double fire_into_ring_ns() {
  Clause clause(kPid);
  Firing f;
  auto file = create_ring_memfd(4 << 20);
  SONDE_CHECK(file.has_value());
  RingWriter writer(file->ring);
  RingReader reader(file->ring);
  const double ns = best_ns(kFirings, [&](uint64_t n) {
    writer.begin_firing(n);
    f.args[0] = n;
    sonde_record* record = writer.reserve(clause.program.record_max);
    record->timestamp = n;
    record->epid = 1;
    writer.commit(sonde_dif_run(&clause.program, &f.firing, record));
    writer.end_firing();
    if (!writer.quarter_full()) return;
    reader.refresh();
    reader.drain(0, true, [](const sonde_record&) {});
  });
  SONDE_CHECK(writer.drops() == 0);
  return ns;
}

/// Fills rings, then times the reader alone: records per second.
double read_rate(size_t rings, Trust trust) {
  std::vector<RingFile> files;
  std::vector<RingWriter> writers;
  MergeReader reader;
  for (uint32_t n = 0; n < rings; n++) {
    files.push_back(std::move(*create_ring_memfd(4 << 20, n)));
    writers.emplace_back(files.back().ring);
    reader.add(files.back().ring, trust);
  }
  double best = 0;
  uint64_t sum = 0;
  Nanoseconds now = 0;
  for (int round = 0; round < 20; round++) {
    uint64_t written = 0;
    for (bool fits = true; fits; written += fits) {
      sonde_record* record = writers[now % rings].reserve(80);
      *record = {.size = 80, .slots = 2, .timestamp = now};
      record->slot[0] = record->slot[1] = now;
      fits = writers[now++ % rings].commit(80);
    }
    const auto start = Clock::now();
    const uint64_t seen = reader.drain(now, true, [&](const sonde_record& record) { sum += record.slot[1]; });
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    SONDE_CHECK(seen == written);
    best = std::max(best, static_cast<double>(seen) / seconds);
  }
  SONDE_CHECK(sum != 0);
  return best / 1e6;
}

}  // namespace

int main() {
  std::printf("dif: predicate, execname, one argument     %6.1f ns a firing\n", run_ns(kPid));
  std::printf("dif: predicate fails                       %6.1f ns a firing\n", run_ns(1));
  std::printf("dif, written to a ring and read            %6.1f ns a firing\n", fire_into_ring_ns());
  std::printf("reader: one ring, in place                 %6.1f million records/s\n", read_rate(1, Trust::InPlace));
  std::printf("reader: one ring, copied                   %6.1f million records/s\n", read_rate(1, Trust::Copy));
  std::printf("reader: merge of 8 rings, in place         %6.1f million records/s\n", read_rate(8, Trust::InPlace));
  std::printf("reader: merge of 64 rings, in place        %6.1f million records/s\n", read_rate(64, Trust::InPlace));
  return 0;
}
