// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Takes any bytes as a ring; its readers and its writer must survive it
 *
 *   input:  flags  kinds[4]  head  tail  low_water  drops  the ring's data...
 *
 * Depending on the flags, head gets a plausible value, and the sizes of the records are chained. A record that
 * sonde_record_check() accepts is then read as a consumer reads it: every byte of every span.
 */
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "runtime/buffer/ring.h"
#include "tests/fuzz/require.h"

namespace {

using namespace sonde;

enum InputFlags : uint8_t { kPlausibleHead = 1, kChainSizes = 2, kCopy = 4, kFitSlots = 8, kWrite = 16, kOneRing = 32 };
constexpr uint64_t kDataBytes = 4096;
constexpr uint32_t kKinds = 4;

struct Input {
  uint8_t flags = 0;
  uint8_t kinds[kKinds] = {};
  uint16_t head = 0;
  uint16_t tail = 0;
  uint64_t low_water = 0;
  uint64_t drops = 0;
} __attribute__((packed));

uint8_t* data_of(const MappedRing& ring) { return reinterpret_cast<uint8_t*>(ring.get()) + SONDE_RING_DATA; }

/// One ring for all inputs: a memfd for each would cost more than the test.
MappedRing& ring(int which) {
  static RingFile files[2] = {std::move(*create_ring_memfd(kDataBytes, 0)),
                              std::move(*create_ring_memfd(kDataBytes, 1))};
  return files[which].ring;
}

/// Makes the size of each record lead to the next record.
void chain_sizes(uint8_t* data, uint64_t end, bool fit_slots) {
  for (uint64_t at = 0; at + sizeof(sonde_record) <= end;) {
    auto* record = reinterpret_cast<sonde_record*>(data + at);
    uint32_t size = sizeof(sonde_record) + 8 * (record->size % 32);
    size = static_cast<uint32_t>(std::min<uint64_t>(size, end - at));
    record->size = size;
    record->flags %= 8;
    if (fit_slots) record->slots = std::min<uint16_t>(kKinds, static_cast<uint16_t>((size - sizeof *record) / 8));
    at += size;
  }
}

void fill(const MappedRing& to, const Input& input, std::span<const uint8_t> bytes) {
  uint8_t* data = data_of(to);
  std::memset(data, 0, kDataBytes);
  std::copy_n(bytes.begin(), std::min<size_t>(bytes.size(), kDataBytes), data);
  to->tail = input.tail;
  to->head = input.head;
  if (input.flags & kPlausibleHead) {
    to->tail = 0;
    to->head = std::min<uint64_t>(bytes.size(), kDataBytes) & ~uint64_t{7};
  }
  if (input.flags & kChainSizes) chain_sizes(data, to->head % (kDataBytes + 8), input.flags & kFitSlots);
  to->low_water = input.low_water;
  to->drops = input.drops;
}

/// Reads everything in an accepted record.
uint64_t consume(const sonde_record& record, const uint8_t* kinds) {
  uint64_t sum = record.timestamp;
  if (record.flags & SONDE_RECORD_PREDICATE_FAULT) return sum + record.slot[0];
  for (uint32_t n = 0; n < record.slots; n++) {
    sum += record.slot[n];
    if (kinds[n] == SONDE_SLOT_WORD || (record.faults >> n & 1) || record.slot[n] == 0) continue;
    const auto* start = reinterpret_cast<const uint8_t*>(&record) + SONDE_SPAN_OFFSET(record.slot[n]);
    const uint32_t length = SONDE_SPAN_LENGTH(record.slot[n]);
    for (uint32_t at = 0; at < length; at++) sum += start[at];
    if (kinds[n] == SONDE_SLOT_TEXT) REQUIRE(start[length] == 0);
    if (kinds[n] == SONDE_SLOT_STACK) {
      for (uint32_t at = 0; at < length / 8; at++) sum += reinterpret_cast<const uint64_t*>(start)[at];
    }
  }
  return sum;
}

struct Sink {
  const Input& input;
  uint64_t records = 0;
  uint64_t sum = 0;

  void operator()(const sonde_record& record) {
    REQUIRE(++records <= 2 * kDataBytes / sizeof(sonde_record));
    REQUIRE(record.size >= sizeof record && record.size <= kDataBytes);
    const uint32_t slots = std::min<uint32_t>(record.slots, kKinds);
    // a block of exactly its size, which detects a check that reads too far
    std::unique_ptr<uint64_t[]> block(new uint64_t[record.size / 8]);
    std::memcpy(block.get(), &record, record.size);
    const auto& copy = *reinterpret_cast<const sonde_record*>(block.get());
    if (sonde_record_check(&copy, record.size, input.kinds, slots) == 0) sum += consume(copy, input.kinds);
    if (sonde_record_check(&record, record.size, input.kinds, slots) == 0) sum += consume(record, input.kinds);
  }
};

void read_rings(const Input& input) {
  const Trust trust = input.flags & kCopy ? Trust::Copy : Trust::InPlace;
  MergeReader reader;
  reader.add(ring(0), trust);
  if (!(input.flags & kOneRing)) reader.add(ring(1), trust);
  Sink sink{input};
  const uint64_t in_time = reader.drain(input.low_water, false, sink);
  const uint64_t rest = reader.drain(0, true, sink);
  REQUIRE(in_time + rest == sink.records);
  reader.take_drops();
  ring(0)->drops ^= 1;
  reader.take_drops();
  REQUIRE(reader.take_errors().size() <= 2);
  REQUIRE(reader.drain(0, true, sink) == 0);
}

/// A writer that takes over a ring with invalid reader fields.
void write_ring(const MappedRing& to, std::span<const uint8_t> bytes) {
  RingWriter writer(to);
  for (const uint8_t byte : bytes.first(std::min<size_t>(bytes.size(), 64))) {
    const uint32_t most = sizeof(sonde_record) + 8u * byte * (byte % 7);
    auto* record = reinterpret_cast<uint8_t*>(writer.reserve(most));
    std::memset(record, byte, most);
    const bool in_ring = record >= data_of(to) - SONDE_RING_DATA && record < data_of(to) + kDataBytes;
    REQUIRE(!in_ring || (record >= data_of(to) && record + most <= data_of(to) + kDataBytes));
    if (byte % 3 != 0) writer.begin_firing(byte);
    writer.commit(byte % 5 ? static_cast<uint32_t>(sizeof(sonde_record)) : 0);
    if (byte % 11 == 0) to->tail = to->head - byte;
    writer.should_wake_reader();
    writer.end_firing();
  }
}

void check_raw(const Input& input, std::span<const uint8_t> bytes) {
  std::unique_ptr<uint64_t[]> block(new uint64_t[bytes.size() / 8]);
  std::memcpy(block.get(), bytes.data(), bytes.size() / 8 * 8);
  const auto* record = reinterpret_cast<const sonde_record*>(block.get());
  if (sonde_record_check(record, bytes.size() / 8 * 8, input.kinds, kKinds) == 0) consume(*record, input.kinds);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input;
  if (size < sizeof input) return 0;
  std::memcpy(&input, data, sizeof input);
  const std::span<const uint8_t> bytes(data + sizeof input, size - sizeof input);
  fill(ring(0), input, bytes);
  fill(ring(1), input, bytes.subspan(bytes.size() / 2));
  if (!bytes.empty()) check_raw(input, bytes);
  read_rings(input);
  if (input.flags & kWrite) {
    fill(ring(0), input, bytes);
    write_ring(ring(0), bytes);
  }
  return 0;
}
