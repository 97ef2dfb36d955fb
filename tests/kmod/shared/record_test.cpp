// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <vector>

#include "kmod/shared/record.h"
#include "kmod/shared/stack_flags.h"

namespace sonde::test {
namespace {

constexpr uint32_t kHead = sizeof(sonde_record);
const std::vector<uint8_t> kKinds = {SONDE_SLOT_WORD, SONDE_SLOT_TEXT, SONDE_SLOT_BYTES, SONDE_SLOT_STACK};
constexpr uint32_t kFirst = kHead + 4 * 8;

/// A valid record with a slot of each kind: text "abc", 3 bytes, 2 frames.
struct Record {
  alignas(8) uint8_t bytes[kFirst + 32] = {};

  Record() {
    sonde_record& r = get();
    r.size = sizeof bytes;
    r.slots = 4;
    r.slot[0] = 7;
    r.slot[1] = SONDE_SPAN(kFirst, 3);
    r.slot[2] = SONDE_SPAN(kFirst + 8, 3);
    r.slot[3] = SONDE_SPAN(kFirst + 16, 16);
    std::memcpy(bytes + kFirst, "abc", 4);
  }

  sonde_record& get() { return *reinterpret_cast<sonde_record*>(bytes); }
  int check(uint64_t available) { return sonde_record_check(&get(), available, kKinds.data(), 4); }
};

int check_with(const std::function<void(sonde_record&)>& change, uint64_t available = kFirst + 32) {
  Record record;
  change(record.get());
  return record.check(available);
}

TEST(RecordCheck, Good) {
  EXPECT_EQ(Record().check(kFirst + 32), 0);
  EXPECT_EQ(Record().check(kFirst + 64), 0);
  EXPECT_EQ(check_with([](sonde_record& r) { r.flags = SONDE_RECORD_HELD; }), 0);
  EXPECT_EQ(check_with([](sonde_record& r) { r.flags = SONDE_RECORD_UNNAMED_CALL; }), 0);
  EXPECT_EQ(check_with([](sonde_record& r) { r.flags = SONDE_RECORD_STACK_LOST | SONDE_RECORD_STACK_COMPILED; }), 0);
  EXPECT_EQ(check_with([](sonde_record& r) { r.slot[1] = r.slot[2] = r.slot[3] = 0; }), 0) << "not captured";
  EXPECT_EQ(check_with([](sonde_record& r) { r.slot[2] = SONDE_SPAN(r.size, 0); }), 0) << "no bytes at the end";
  EXPECT_EQ(check_with([](sonde_record& r) { r.slot[3] = SONDE_SPAN(r.size - 8, 8); }), 0);
}

TEST(RecordCheck, Frame) {
  EXPECT_NE(Record().check(kFirst + 31), 0);
  EXPECT_NE(Record().check(kHead - 1), 0);
  EXPECT_NE(Record().check(0), 0);
  EXPECT_NE(check_with([](sonde_record& r) { r.size = kHead - 8; }), 0);
  EXPECT_NE(check_with([](sonde_record& r) { r.size -= 1; }), 0);
  EXPECT_NE(check_with([](sonde_record& r) { r.size = UINT32_MAX & ~7u; }), 0);
  EXPECT_NE(check_with([](sonde_record& r) { r.flags = SONDE_RECORD_PADDING; }), 0);
  EXPECT_NE(check_with([](sonde_record& r) { r.flags = 16; }), 0);
  EXPECT_NE(check_with([](sonde_record& r) { r.slots = 3; }), 0);
  EXPECT_NE(check_with([](sonde_record& r) { r.slots = 65; }), 0);
  EXPECT_NE(check_with([](sonde_record& r) { r.faults = 16; }), 0) << "a slot that does not exist";
  EXPECT_NE(check_with([](sonde_record& r) { r.size = kHead + 24; }), 0) << "slots behind the end";
}

TEST(RecordCheck, Spans) {
  const auto with = [](unsigned slot, uint64_t offset, uint64_t length) {
    return check_with([&](sonde_record& r) { r.slot[slot] = SONDE_SPAN(offset, length); });
  };
  const uint64_t end = kFirst + 32;
  EXPECT_NE(with(1, kFirst, 2), 0) << "no NUL";
  EXPECT_NE(with(1, end - 1, 1), 0) << "NUL outside";
  EXPECT_NE(with(1, end, 0), 0) << "NUL outside";
  EXPECT_EQ(with(1, end - 1, 0), 0);
  EXPECT_NE(with(2, kFirst - 1, 1), 0) << "in the slots";
  EXPECT_NE(with(2, 0, 1), 0) << "in the header";
  EXPECT_NE(with(2, end + 1, 0), 0);
  EXPECT_NE(with(2, end - 2, 3), 0);
  EXPECT_NE(with(2, kFirst, UINT32_MAX), 0);
  EXPECT_NE(with(2, UINT32_MAX, UINT32_MAX), 0);
  EXPECT_NE(with(3, kFirst + 4, 8), 0) << "not aligned";
  EXPECT_NE(with(3, kFirst, 12), 0) << "half a frame";
}

TEST(RecordCheck, FaultedSlotsAreNotLookedAt) {
  EXPECT_EQ(check_with([](sonde_record& r) {
              r.faults = 0xe;
              r.slot[1] = r.slot[2] = r.slot[3] = UINT64_MAX;
            }),
            0);
}

TEST(RecordCheck, UnknownKindIsRefused) {
  Record record;
  const uint8_t kinds[] = {SONDE_SLOT_WORD, SONDE_SLOT_TEXT, SONDE_SLOT_BYTES, 9};
  EXPECT_NE(sonde_record_check(&record.get(), kFirst + 32, kinds, 4), 0);
}

TEST(RecordCheck, PredicateFault) {
  const auto fault = [](uint16_t slots, uint64_t faults) {
    return check_with([&](sonde_record& r) {
      r.flags = SONDE_RECORD_PREDICATE_FAULT;
      r.slots = slots;
      r.faults = faults;
    });
  };
  EXPECT_EQ(fault(1, 1), 0);
  EXPECT_NE(fault(1, 0), 0);
  EXPECT_NE(fault(0, 0), 0);
  EXPECT_NE(fault(4, 1), 0);
}

TEST(RecordCheck, SixtyFourSlots) {
  std::vector<uint64_t> bytes((kHead + 64 * 8) / 8);
  auto& record = *reinterpret_cast<sonde_record*>(bytes.data());
  record.size = static_cast<uint32_t>(bytes.size() * 8);
  record.slots = 64;
  record.faults = UINT64_MAX;
  const std::vector<uint8_t> kinds(64, SONDE_SLOT_TEXT);
  EXPECT_EQ(sonde_record_check(&record, record.size, kinds.data(), 64), 0);
}

}  // namespace
}  // namespace sonde::test
