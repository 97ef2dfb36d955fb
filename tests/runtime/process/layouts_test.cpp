// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/layouts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

namespace sonde {
namespace {

MapEntry text(uint64_t start, uint64_t inode, uint64_t pages = 1) {
  return {start, start + pages * 0x1000, 0, true, false, "/f" + std::to_string(inode), {8, 1, inode}};
}

/// The inode that is mapped there at that time; 0: not known.
uint64_t file_at(Layouts& layouts, Nanoseconds time, uint64_t address) {
  const SeenEntry* entry = layouts.find(*layouts.at(time), address);
  return entry == nullptr ? 0 : entry->file.inode;
}

TEST(Layouts, AFactHoldsUntilAnotherContradictsIt) {
  Layouts layouts;
  layouts.add(10, text(0x1000, 1));
  layouts.add(10, text(0x5000, 9));
  layouts.add(20, text(0x1000, 2));
  for (const auto& [time, file] : {std::pair{5, 1}, {10, 1}, {19, 1}, {20, 2}, {99, 2}})
    EXPECT_EQ(file_at(layouts, static_cast<Nanoseconds>(time), 0x1010), static_cast<uint64_t>(file)) << time;
  EXPECT_EQ(file_at(layouts, 20, 0x5000), 9u) << "what is elsewhere stays";
}

TEST(Layouts, FactsComeInAnyOrder) {
  struct Fact {
    Nanoseconds time;
    MapEntry entry;
  };
  const std::array<Fact, 4> facts = {
      {{10, text(0x1000, 1)}, {20, text(0x1000, 2, 2)}, {30, text(0x2000, 3)}, {15, text(0x7000, 4)}}};
  std::array<size_t, 4> order = {0, 1, 2, 3};
  do {
    Layouts layouts;
    for (const size_t at : order) layouts.add(facts[at].time, facts[at].entry);
    EXPECT_EQ(file_at(layouts, 12, 0x1000), 1u);
    EXPECT_EQ(file_at(layouts, 25, 0x1000), 2u);
    EXPECT_EQ(file_at(layouts, 25, 0x2000), 2u);
    EXPECT_EQ(file_at(layouts, 35, 0x2000), 3u);
    EXPECT_EQ(file_at(layouts, 35, 0x7000), 4u);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Layouts, NothingPassesTheBeginningOfAProgram) {
  Layouts layouts;
  layouts.add(10, text(0x1000, 1));
  layouts.add(40, text(0x1000, 2));
  layouts.add(40, text(0x5000, 3));
  layouts.begin_program(30);  // known late
  layouts.begin_program(30);
  EXPECT_EQ(file_at(layouts, 29, 0x1000), 1u);
  EXPECT_EQ(file_at(layouts, 29, 0x5000), 0u);
  EXPECT_EQ(file_at(layouts, 30, 0x1000), 2u);
  layouts.begin_program(50);
  EXPECT_EQ(file_at(layouts, 50, 0x1000), 0u);
  EXPECT_EQ(file_at(layouts, 45, 0x5000), 3u);
}

TEST(Layouts, AddressesWithOneMeaningAreOneKey) {
  Layouts layouts;
  const std::array<uint64_t, 2> changed = {0x1000, 0x5000}, same = {0x5008, 0x5010}, unknown = {0x5008, 0x9000};
  layouts.add(10, text(0x5000, 9));
  layouts.add(10, text(0x1000, 1));
  const auto first = layouts.of(10, changed);
  EXPECT_EQ(layouts.of(10, same), first);
  layouts.add(20, text(0x1000, 2));
  const auto second = layouts.of(20, changed);
  EXPECT_NE(second, first);
  EXPECT_EQ(layouts.of(20, same), first) << "not affected";
  EXPECT_NE(layouts.of(20, unknown), first) << "who knows";
  layouts.add(30, text(0x1000, 1));
  EXPECT_EQ(layouts.of(30, changed), first) << "as at first";
  layouts.begin_program(40);
  layouts.add(40, text(0x1000, 2));
  layouts.add(40, text(0x5000, 9));
  EXPECT_EQ(layouts.of(40, changed), second) << "the same files at the same addresses";
  EXPECT_NE(layouts.of(40, {}), second) << "without addresses: the layout itself";
}

/// As long as facts come in the order of time, the last one about an address counts.
TEST(Layouts, ManyChanges) {
  Layouts layouts;
  std::mt19937 random(7);
  std::array<uint64_t, 8> now{};
  for (Nanoseconds time = 1; time < 5000; time++) {
    const uint64_t place = random() % now.size(), file = 1 + random() % 3;
    if (random() % 50 == 0) {
      layouts.begin_program(time);
      now = {};
    }
    layouts.add(time, text(place * 0x1000, file));
    now[place] = file;
    for (uint64_t i = 0; i < now.size(); i++)
      if (now[i] != 0) ASSERT_EQ(file_at(layouts, time, i * 0x1000), now[i]) << time;
  }
}

/// A program that changes its mappings for days must not fill our memory.
TEST(Layouts, OnlyTheLastOfManyAreKept) {
  Layouts layouts;
  for (Nanoseconds time = 1; time <= 1000; time++) layouts.add(time, text(0x1000, time % 2 == 0 ? 2 : 1));
  EXPECT_EQ(file_at(layouts, 1000, 0x1000), 2u);
  EXPECT_EQ(file_at(layouts, 900, 0x1000), 2u);
  EXPECT_EQ(file_at(layouts, 899, 0x1000), 1u);
  EXPECT_EQ(layouts.at(10), layouts.at(500)) << "both are the oldest that there is";
  EXPECT_NE(layouts.at(900), layouts.at(901));
}

constexpr Nanoseconds kSecond = 1'000'000'000;

TEST(Layouts, ThoseThatAreOverBeforeARecordAreForgotten) {
  Layouts layouts;
  for (Nanoseconds at = 1; at <= 200; at++) layouts.add(at * kSecond, text(0x1000, at % 2 == 0 ? 2 : 1));
  EXPECT_EQ(layouts.timeline().size(), 200u);
  layouts.forget_before(200 * kSecond + kSecond / 2);
  EXPECT_EQ(layouts.timeline().size(), 2u);
  EXPECT_EQ(file_at(layouts, 199 * kSecond, 0x1000), 1u) << "of a second before";
  EXPECT_EQ(file_at(layouts, 200 * kSecond, 0x1000), 2u);
}

TEST(Layouts, AKeyKeepsWhatIsKnownOfItsAddresses) {
  Layouts layouts;
  layouts.add(kSecond, text(0x1000, 1));
  const auto key = layouts.of(kSecond, {});
  layouts.add(2 * kSecond, text(0x1000, 2));
  layouts.add(3 * kSecond, text(0x5000, 9));  // it was there before, but is known only now
  layouts.begin_program(4 * kSecond);
  layouts.add(4 * kSecond, text(0x9000, 3));
  layouts.forget_before(60 * kSecond);
  ASSERT_EQ(layouts.timeline().size(), 1u);
  ASSERT_NE(layouts.find(*key, 0x5000), nullptr);
  EXPECT_EQ(layouts.find(*key, 0x5000)->file.inode, 9u);
  EXPECT_EQ(layouts.find(*key, 0x1000)->file.inode, 1u);
  EXPECT_EQ(layouts.find(*key, 0x9000), nullptr) << "of the next program";
}

/// Each layout that a key names is kept as long as the key.
TEST(Layouts, KeysOfLibrariesThatComeAndGoShareLayouts) {
  Layouts layouts;
  layouts.add(kSecond, text(0x5000, 9));
  std::set<std::shared_ptr<Layout>> named;
  for (Nanoseconds at = 2; at < 1000; at++) {
    layouts.add(at * kSecond, text(0x1000, 1 + at % 3));
    const std::array<uint64_t, 2> stack = {0x1000 + at, 0x5000 + at};  // a new one each time
    layouts.forget_before(at * kSecond);
    const auto key = layouts.of(at * kSecond, stack);
    named.insert(key);
    EXPECT_EQ(layouts.find(*key, stack[0])->file.inode, 1 + at % 3);
  }
  EXPECT_LE(named.size(), 4u);
}

TEST(Layouts, MeaningsWithoutANumberAreForgotten) {
  Layouts layouts;
  layouts.add(kSecond, text(0x5000, 9));
  for (Nanoseconds at = 2; at < 100; at++) {
    const std::array<uint64_t, 1> stack = {0x1000};
    layouts.add(at * kSecond, text(0x1000, at));
    const auto key = layouts.of(at * kSecond, stack);
    if (at == 50) key->space = 1;
  }
  layouts.forget_before(100 * kSecond);
  EXPECT_EQ(layouts.meanings(), 97u) << "in the first layout nothing has another one";
  layouts.forget_meanings();
  EXPECT_LE(layouts.meanings(), 4u) << "the one with a number, and those of layouts that have a time";
}

}  // namespace
}  // namespace sonde
