// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <random>
#include <thread>

#include "tests/runtime/buffer/ring_support.h"

namespace sonde::test {
namespace {

struct Source {
  RingFile file;
  RingWriter writer;
  explicit Source(uint32_t number, uint64_t bytes = 1 << 16) : file(make_ring(bytes, number)), writer(file.ring) {}
};

struct Merge {
  std::deque<Source> sources;
  MergeReader reader;

  explicit Merge(uint32_t count, uint64_t bytes = 1 << 16, Trust trust = Trust::InPlace) {
    for (uint32_t n = 0; n < count; n++) {
      sources.emplace_back(n, bytes);
      EXPECT_EQ(reader.add(sources.back().file.ring, trust), n);
    }
  }
  RingWriter& writer(size_t n) { return sources[n].writer; }
};

TEST(Merge, Empty) {
  MergeReader none;
  EXPECT_EQ(marks(none, 100, true).size(), 0u);
  Merge merge(3);
  EXPECT_EQ(marks(merge.reader, 100, false).size(), 0u);
}

TEST(Merge, OrdersByTime) {
  Merge merge(3);
  write_record(merge.writer(0), 10, 1);
  write_record(merge.writer(0), 40, 4);
  write_record(merge.writer(1), 20, 2);
  write_record(merge.writer(1), 50, 5);
  write_record(merge.writer(2), 30, 3);
  EXPECT_EQ(marks(merge.reader, 50, false), (std::vector<uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(marks(merge.reader, 51, false), (std::vector<uint64_t>{5}));
}

TEST(Merge, KeepsTheRecordsOfOneFiringTogether) {
  Merge merge(2);
  for (uint64_t n = 0; n < 3; n++) {
    write_record(merge.writer(1), 10, 10 + n);
    write_record(merge.writer(0), 10, n);
  }
  EXPECT_EQ(marks(merge.reader, 11, false), (std::vector<uint64_t>{0, 1, 2, 10, 11, 12}));
}

TEST(Merge, WaitsForAFiringUnderWay) {
  Merge merge(2);
  merge.writer(0).begin_firing(15);
  write_record(merge.writer(1), 10, 1);
  write_record(merge.writer(1), 20, 3);
  EXPECT_EQ(marks(merge.reader, 100, false), (std::vector<uint64_t>{1})) << "something of time 15 may still come";
  write_record(merge.writer(0), 16, 2);
  EXPECT_EQ(marks(merge.reader, 100, false).size(), 0u);
  merge.writer(0).end_firing();
  EXPECT_EQ(marks(merge.reader, 100, false), (std::vector<uint64_t>{2, 3}));
}

TEST(Merge, TheLastDrainWaitsForNobody) {
  Merge merge(2);
  merge.writer(0).begin_firing(5);
  write_record(merge.writer(1), 10, 1);
  write_record(merge.writer(1), 1000, 2);
  EXPECT_EQ(marks(merge.reader, 100, true), (std::vector<uint64_t>{1, 2}));
}

TEST(Merge, ASinkMayStop) {
  Merge merge(2);
  for (uint64_t n = 0; n < 6; n++) write_record(merge.writer(n % 2), n, n);
  EXPECT_EQ(merge.reader.drain(0, true, [](const sonde_record& r) { return r.slot[0] < 3; }), 4u);
  EXPECT_EQ(marks(merge.reader, 0, true), (std::vector<uint64_t>{4, 5}));
}

TEST(Merge, TellsDropsByRing) {
  Merge merge(3, 4096);
  write_record(merge.writer(1), 1, 1, 600);
  write_record(merge.writer(2), 1, 1, 600);
  write_record(merge.writer(2), 1, 1, 600);
  const auto drops = merge.reader.take_drops();
  ASSERT_EQ(drops.size(), 2u);
  EXPECT_EQ(drops[0].ring, 1u);
  EXPECT_EQ(drops[0].writer, 1u);
  EXPECT_EQ(drops[0].drops, 1u);
  EXPECT_EQ(drops[1].drops, 2u);
  EXPECT_TRUE(merge.reader.take_drops().empty());
}

TEST(Merge, EqualsASort) {
  std::mt19937 random(7);
  for (const uint32_t rings : {1u, 2u, 5u, 33u}) {
    Merge merge(rings, 1 << 16, rings % 2 ? Trust::Copy : Trust::InPlace);
    uint64_t written = 0;
    std::vector<Nanoseconds> times(rings);
    std::vector<uint64_t> expected;
    for (int n = 0; n < 2000; n++) {
      const uint32_t ring = random() % rings;
      times[ring] += random() % 50;
      if (write_record(merge.writer(ring), times[ring], times[ring])) expected.push_back(times[ring]);
    }
    written = expected.size();
    std::sort(expected.begin(), expected.end());
    std::vector<uint64_t> got;
    for (Nanoseconds now = 0; got.size() < written; now += 1000) {
      for (const uint64_t mark : marks(merge.reader, now, false)) {
        EXPECT_LT(mark, now);
        got.push_back(mark);
      }
    }
    EXPECT_EQ(got, expected) << rings;
  }
}

/// Writers that follow the protocol, and a reader that drains all the time: records come in the order of the clock,
/// and none is lost.
TEST(Merge, ThreadsComeOutInTheOrderOfTime) {
  constexpr uint32_t kWriters = 3;
  constexpr uint64_t kFirings = 30000;
  Merge merge(kWriters, 1 << 14);
  std::atomic<uint32_t> running = kWriters;
  std::vector<std::thread> threads;
  for (uint32_t n = 0; n < kWriters; n++) {
    threads.emplace_back([&, n] {
      RingWriter& writer = merge.writer(n);
      for (uint64_t firing = 0; firing < kFirings; firing++) {
        writer.begin_firing(clock_now());
        const Nanoseconds timestamp = clock_now();
        if (firing % 5000 == 0) std::this_thread::yield();  // in the middle, so that the reader must wait
        for (uint64_t ecb = 0; ecb < 1 + firing % 2; ecb++) write_record(writer, timestamp, n, 1, 8);
        writer.end_firing();
      }
      running--;
    });
  }
  uint64_t records = 0, drops = 0, disorder = 0;
  Nanoseconds last = 0;
  const auto drain = [&](bool all) {
    merge.reader.drain(clock_now(), all, [&](const sonde_record& record) {
      disorder += record.timestamp < last;
      last = record.timestamp;
      records++;
    });
    for (const RingDrops& ring : merge.reader.take_drops()) drops += ring.drops;
  };
  while (running > 0) drain(false);
  for (std::thread& thread : threads) thread.join();
  drain(true);
  EXPECT_EQ(disorder, 0u);
  EXPECT_EQ(records + drops, kWriters * kFirings * 3 / 2);
  EXPECT_GT(records, 1000u);
}

}  // namespace
}  // namespace sonde::test
