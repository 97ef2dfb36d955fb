// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "tests/runtime/buffer/ring_support.h"

namespace sonde::test {
namespace {

sonde_record& record_at(const MappedRing& ring, uint64_t offset) {
  return *reinterpret_cast<sonde_record*>(reinterpret_cast<uint8_t*>(ring.get()) + SONDE_RING_DATA + offset);
}

constexpr uint64_t kRecordBytes = sizeof(sonde_record) + 8;

/// Two good records; then `spoil` damages the ring. The reader reports one error, and the other ring continues.
void expect_refused(const char* what, uint64_t good, const std::function<void(const MappedRing&)>& spoil) {
  SCOPED_TRACE(what);
  for (const Trust trust : {Trust::InPlace, Trust::Copy}) {
    const RingFile bad = make_ring(4096, 9), sound = make_ring(4096);
    RingWriter writer(bad.ring), sound_writer(sound.ring);
    MergeReader reader;
    reader.add(bad.ring, trust);
    reader.add(sound.ring, trust);
    write_record(writer, 1, 1);
    write_record(writer, 2, 2);
    write_record(sound_writer, 3, 3);
    spoil(bad.ring);
    EXPECT_EQ(marks(reader, 10, false).size(), good + 1);
    const auto errors = reader.take_errors();
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_THAT(errors[0].message(), testing::HasSubstr("buffer 9 is corrupt"));
    EXPECT_TRUE(reader.take_errors().empty());
    write_record(sound_writer, 4, 4);
    EXPECT_EQ(marks(reader, 10, false), (std::vector<uint64_t>{4}));
    EXPECT_TRUE(reader.take_errors().empty());
    EXPECT_TRUE(reader.take_drops().empty());
  }
}

TEST(CorruptRing, Heads) {
  expect_refused("odd", 0, [](const MappedRing& ring) { ring->head += 4; });
  expect_refused("too far", 0, [](const MappedRing& ring) { ring->head = 4096 + 8; });
  expect_refused("very far", 0, [](const MappedRing& ring) { ring->head = ~uint64_t{7}; });
  expect_refused("before the tail", 0, [](const MappedRing& ring) { ring->head = static_cast<uint64_t>(-8); });
}

TEST(CorruptRing, HeadGoesBack) {
  const RingFile file = make_ring(4096);
  RingWriter writer(file.ring);
  RingReader reader(file.ring);
  for (int n = 0; n < 3; n++) write_record(writer, 1, 1);
  reader.refresh();
  file.ring->head -= 8;
  reader.refresh();
  EXPECT_TRUE(reader.dead());
  EXPECT_EQ(reader.peek(), nullptr);
}

TEST(CorruptRing, Sizes) {
  const auto size = [](uint32_t bytes) {
    return [bytes](const MappedRing& ring) { record_at(ring, kRecordBytes).size = bytes; };
  };
  expect_refused("0", 1, size(0));
  expect_refused("4", 1, size(4));
  expect_refused("odd", 1, size(kRecordBytes - 1));
  expect_refused("too short for a record", 1, size(sizeof(sonde_record) - 8));
  expect_refused("beyond the head", 1, size(kRecordBytes + 8));
  expect_refused("huge", 1, size(~7u));
  expect_refused("slots", 1, [](const MappedRing& ring) { record_at(ring, kRecordBytes).slots = 2; });
}

TEST(CorruptRing, PaddingMayNotLie) {
  expect_refused("padding of nothing", 1, [](const MappedRing& ring) {
    record_at(ring, kRecordBytes).flags = SONDE_RECORD_PADDING;
    record_at(ring, kRecordBytes).size = 0;
  });
  expect_refused("padding beyond the head", 1, [](const MappedRing& ring) {
    record_at(ring, kRecordBytes).flags = SONDE_RECORD_PADDING;
    record_at(ring, kRecordBytes).size = 4096;
  });
}

TEST(CorruptRing, RecordsDoNotWrap) {
  const RingFile file = make_ring(4096);
  RingWriter writer(file.ring);
  RingReader reader(file.ring);
  for (int n = 0; n < 70; n++) write_record(writer, 1, 1);  // 56 bytes each: 3920
  reader.refresh();
  marks(reader, 0, true);
  for (int n = 0; n < 4; n++) write_record(writer, 1, 1);  // 3 fit, padding, 1 at the start
  record_at(file.ring, 70 * kRecordBytes).size = 200;      // larger than the rest of the ring
  reader.refresh();
  EXPECT_TRUE(marks(reader, 0, true).empty());
  EXPECT_TRUE(reader.dead());
}

TEST(CorruptRing, DropsGoDown) {
  const RingFile file = make_ring(4096);
  RingReader reader(file.ring);
  file.ring->drops = 5;
  EXPECT_EQ(reader.take_drops(), 5u);
  file.ring->drops = 4;
  EXPECT_EQ(reader.take_drops(), 0u);
  EXPECT_TRUE(reader.take_error());
}

TEST(CorruptRing, ChangedHeaderDoesNotMatter) {
  const RingFile file = make_ring(4096);
  RingWriter writer(file.ring);
  RingReader reader(file.ring);
  file.ring->size = uint64_t{1} << 40;
  file.ring->tail = 12345;  // the reader uses its own copy
  file.ring->magic = 0;
  write_record(writer, 1, 1);
  reader.refresh();
  EXPECT_EQ(marks(reader, 0, true), (std::vector<uint64_t>{1}));
}

TEST(CorruptRing, ATailThatLiesDoesNotHarmTheWriter) {
  for (const uint64_t lie : {uint64_t{8}, uint64_t{4096}, uint64_t{1} << 63, ~uint64_t{4103}}) {
    const RingFile file = make_ring(4096);
    RingWriter writer(file.ring);
    for (int n = 0; n < 200; n++) {
      file.ring->tail = file.ring->head + lie;
      write_record(writer, 1, 1, 60);
    }
    EXPECT_EQ(writer.records(), 7u);  // 528 bytes each: as many as an empty ring holds
    EXPECT_EQ(writer.drops(), 193u);
  }
}

/// A writer that changes records while they are read: no crash, and every copy is well-formed.
TEST(CorruptRing, HostileWriterWhileReading) {
  const RingFile file = make_ring(4096);
  std::atomic<bool> done = false;
  std::thread hostile([&] {
    uint64_t random = 88172645463325252ull;
    auto* words = reinterpret_cast<uint64_t*>(&record_at(file.ring, 0));
    while (!done) {
      random ^= random << 13, random ^= random >> 7, random ^= random << 17;
      const uint64_t value = random % 3 ? random % 200 * 8 | random % 64 << 48 : random;
      std::atomic_ref(words[random / 4096 % 512]).store(value, std::memory_order_relaxed);
    }
  });
  const uint8_t kinds[] = {SONDE_SLOT_TEXT, SONDE_SLOT_STACK};
  uint64_t bytes = 0;
  for (uint64_t n = 1; n <= 30000; n++) {
    file.ring->tail = 0;
    file.ring->head = 4096;
    RingReader reader(file.ring, Trust::Copy);
    reader.refresh();
    reader.drain(0, true, [&](const sonde_record& record) {
      ASSERT_LE(record.size, 4096u);
      if (sonde_record_check(&record, record.size, kinds, 2) == 0) bytes += record.size;
    });
  }
  done = true;
  hostile.join();
}

}  // namespace
}  // namespace sonde::test
