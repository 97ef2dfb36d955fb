// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/buffer/ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "tests/runtime/buffer/ring_support.h"

namespace sonde::test {
namespace {

using testing::ElementsAre;

TEST(Ring, CarriesRecordsInOrder) {
  const RingFile file = make_ring(4096);
  RingWriter writer(file.ring);
  RingReader reader(file.ring);
  for (uint64_t n = 0; n < 3; n++) EXPECT_TRUE(write_record(writer, n, n));
  reader.refresh();
  EXPECT_EQ(marks(reader, 2, false), (std::vector<uint64_t>{0, 1}));
  EXPECT_EQ(marks(reader, 0, true), (std::vector<uint64_t>{2}));
  EXPECT_EQ(reader.peek(), nullptr);
  EXPECT_EQ(file.ring->tail, file.ring->head);
  EXPECT_EQ(writer.records(), 3u);
}

TEST(Ring, WrapsWithPadding) {
  for (const Trust trust : {Trust::InPlace, Trust::Copy}) {
    const RingFile file = make_ring(4096);
    RingWriter writer(file.ring);
    RingReader reader(file.ring, trust);
    std::mt19937 random(1);
    uint64_t written = 0, next = 0;
    while (written < 20000) {
      const uint32_t words = 1 + random() % 60;
      if (write_record(writer, written, written, words, words + random() % 100)) written++;
      if (random() % 3 != 0) continue;
      reader.refresh();
      reader.drain(0, true, [&](const sonde_record& record) {
        ASSERT_EQ(record.timestamp, next++);
        for (unsigned n = 0; n < record.slots; n++) ASSERT_EQ(record.slot[n], record.timestamp);
      });
    }
    reader.refresh();
    reader.drain(0, true, [&](const sonde_record&) { next++; });
    EXPECT_EQ(next, written);
    EXPECT_FALSE(reader.take_error());
    EXPECT_GT(file.ring->head, 1000000u);
  }
}

TEST(Ring, FillsToTheLastByte) {
  const RingFile file = make_ring(4096);
  RingWriter writer(file.ring);
  const uint32_t words = (512 - sizeof(sonde_record)) / 8;  // 8 records fill the ring
  for (int n = 0; n < 8; n++) EXPECT_TRUE(write_record(writer, 1, 1, words));
  EXPECT_FALSE(write_record(writer, 1, 1, 0));
  EXPECT_EQ(writer.drops(), 1u);
  RingReader reader(file.ring);
  reader.refresh();
  EXPECT_EQ(marks(reader, 0, true).size(), 8u);
  EXPECT_EQ(reader.take_drops(), 1u);
  EXPECT_EQ(reader.take_drops(), 0u);
  EXPECT_TRUE(write_record(writer, 1, 1, words));
}

TEST(Ring, SqueezesInWhatIsSmallerThanItMightBe) {
  const RingFile file = make_ring(4096);
  RingWriter writer(file.ring);
  EXPECT_TRUE(write_record(writer, 1, 1, 490));     // 3968 bytes
  EXPECT_TRUE(write_record(writer, 2, 2, 2, 500));  // 64 bytes, room for 4048
  EXPECT_TRUE(write_record(writer, 3, 3, 2, 500));  // 64 bytes, the last
  EXPECT_FALSE(write_record(writer, 4, 4, 2, 500));
  RingReader reader(file.ring);
  reader.refresh();
  EXPECT_EQ(marks(reader, 0, true), (std::vector<uint64_t>{1, 2, 3}));
  EXPECT_EQ(reader.take_drops(), 1u);
}

TEST(Ring, ARecordLongerThanTheRingIsADrop) {
  const RingFile file = make_ring(4096);
  RingWriter writer(file.ring);
  EXPECT_FALSE(write_record(writer, 1, 1, 600));
  EXPECT_TRUE(write_record(writer, 1, 1, 506));
  EXPECT_EQ(writer.drops(), 1u);
}

TEST(Ring, WhatIsNotCommittedCostsNothing) {
  const RingFile file = make_ring(4096);
  RingWriter writer(file.ring);
  for (int n = 0; n < 1000; n++) {
    writer.reserve(1024);
    EXPECT_FALSE(writer.commit(0));
  }
  writer.reserve(8192);  // larger than the ring
  EXPECT_FALSE(writer.commit(0));
  EXPECT_EQ(writer.drops(), 0u);
  EXPECT_EQ(file.ring->head, 0u);
}

TEST(Ring, AWriterGoesOnWhereTheLastOneStopped) {
  const RingFile file = make_ring(4096);
  {
    RingWriter first(file.ring);
    write_record(first, 1, 1);
    write_record(first, 1, 1, 600);
  }
  RingWriter second(file.ring);
  write_record(second, 2, 2);
  EXPECT_EQ(second.drops(), 1u);
  RingReader reader(file.ring);
  reader.refresh();
  EXPECT_EQ(marks(reader, 0, true), (std::vector<uint64_t>{1, 2}));
}

TEST(Ring, SaysWhenToWakeTheReader) {
  const RingFile file = make_ring(4096);
  RingWriter writer(file.ring);
  RingReader reader(file.ring);
  const auto write_256 = [&] { return write_record(writer, 1, 1, (256 - sizeof(sonde_record)) / 8); };
  for (int n = 0; n < 3; n++) write_256();
  EXPECT_FALSE(writer.quarter_full());
  EXPECT_FALSE(writer.should_wake_reader());
  write_256();
  EXPECT_TRUE(writer.quarter_full());
  EXPECT_TRUE(writer.should_wake_reader());
  write_256();
  EXPECT_TRUE(writer.quarter_full());
  EXPECT_FALSE(writer.should_wake_reader()) << "once only";
  reader.refresh();
  marks(reader, 0, true);
  EXPECT_FALSE(writer.quarter_full());
  for (int n = 0; n < 4; n++) write_256();
  EXPECT_TRUE(writer.should_wake_reader());
}

TEST(Ring, ASinkMayStop) {
  const RingFile file = make_ring(4096);
  RingWriter writer(file.ring);
  RingReader reader(file.ring);
  for (uint64_t n = 0; n < 3; n++) write_record(writer, n, n);
  reader.refresh();
  EXPECT_EQ(reader.drain(0, true, [](const sonde_record& record) { return record.timestamp != 1; }), 2u);
  EXPECT_EQ(marks(reader, 0, true), (std::vector<uint64_t>{2}));
}

TEST(Ring, ACopyIsOutOfTheWritersReach) {
  const RingFile file = make_ring(4096);
  RingWriter writer(file.ring);
  write_record(writer, 1, 1);
  for (const Trust trust : {Trust::InPlace, Trust::Copy}) {
    RingReader reader(file.ring, trust);
    reader.refresh();
    const sonde_record* record = reader.peek();
    ASSERT_NE(record, nullptr);
    auto* in_ring = reinterpret_cast<sonde_record*>(reinterpret_cast<char*>(file.ring.get()) + SONDE_RING_DATA);
    in_ring->slot[0] = 2;
    EXPECT_EQ(record->slot[0], trust == Trust::Copy ? 1u : 2u);
    in_ring->slot[0] = 1;
  }
}

/// Number of events = records + drops, with a reader that is too slow.
TEST(Ring, NothingIsLostWithoutBeingCounted) {
  const RingFile file = make_ring(4096);
  constexpr uint64_t kEvents = 300000;
  std::atomic<bool> done = false;
  std::thread thread([&] {
    RingWriter writer(file.ring);
    for (uint64_t n = 0; n < kEvents; n++) write_record(writer, n, n, 1 + n % 7, 20);
    done = true;
  });
  RingReader reader(file.ring);
  uint64_t records = 0, drops = 0, last = 0;
  bool in_order = true, intact = true;
  const auto sink = [&](const sonde_record& record) {
    in_order &= records == 0 || record.timestamp > last;
    last = record.timestamp;
    for (unsigned n = 0; n < record.slots; n++) intact &= record.slot[n] == last;
    if (++records % 512 == 0) std::this_thread::yield();
  };
  for (bool last_round = false; !last_round;) {
    last_round = done;
    reader.refresh();
    reader.drain(0, true, sink);
    drops += reader.take_drops();
    if (!last_round) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  thread.join();
  EXPECT_TRUE(in_order);
  EXPECT_TRUE(intact);
  EXPECT_GT(records, 0u);
  EXPECT_GT(drops, 0u);
  EXPECT_EQ(records + drops, kEvents);
}

}  // namespace
}  // namespace sonde::test
