// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/consumer/kept_records.h"

#include <gtest/gtest.h>

#include <string>

namespace sonde {
namespace {

const ActionSite kTrace{.action = "trace", .arguments = {{ValueType::Kind::String, false, 256, "string"}}};

TraceRecord record(const std::string& text) {
  TraceRecord made;
  made.count_data(text.size());
  const auto word = reinterpret_cast<uint64_t>(text.c_str());
  made.add_values(TraceItem::Kind::Trace, kTrace, &word, {});
  return made;
}

std::string texts(KeptRecords& kept) {
  std::string all;
  for (const TraceRecord& one : kept.take()) all += reinterpret_cast<const char*>(*one.words_of(one.items.at(0)));
  return all;
}

const uint64_t kTwo = 2 * record("x").bytes();

TEST(KeptRecords, SwitchKeepsNothing) { EXPECT_FALSE(KeptRecords("switch", kTwo).active()); }

TEST(KeptRecords, RingKeepsTheNewestOfEachCpu) {
  KeptRecords ring("ring", kTwo);
  EXPECT_TRUE(ring.active());
  for (const char* text : {"a", "b", "c"}) EXPECT_TRUE(ring.add(0, record(text)));
  EXPECT_TRUE(ring.add(1, record("d")));
  EXPECT_TRUE(ring.add(0, record("e")));
  EXPECT_EQ(texts(ring), "cde");
  EXPECT_EQ(texts(ring), "");
}

TEST(KeptRecords, FillStopsAtTheFirstThatDoesNotFit) {
  KeptRecords fill("fill", kTwo);
  EXPECT_TRUE(fill.add(0, record("a")));
  EXPECT_FALSE(fill.add(0, record("too long to fit in what is left")));
  EXPECT_FALSE(fill.add(0, record("b"))) << "it would fit, but the buffer counts as full";
  EXPECT_TRUE(fill.add(1, record("c"))) << "another CPU's buffer has room";
  EXPECT_EQ(texts(fill), "ac");
}

TEST(KeptRecords, ARecordThatNeverFitsIsDropped) {
  KeptRecords ring("ring", 10);
  EXPECT_FALSE(ring.add(0, record("x")));
}

}  // namespace
}  // namespace sonde
