// SPDX-License-Identifier: GPL-3.0-or-later
// Whose a futex is, by the layouts of the C libraries; and that nothing is guessed
#include "runtime/waits/futex_owner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/futex.h>

#include <array>
#include <cstring>

#include "runtime/waits/arch.h"

namespace sonde {
namespace {

using Kind = FutexOwner::Kind;

constexpr uint32_t kOwner = 4712, kGone = 4999;
constexpr uint64_t kBase = 0x10000;

/// A kilobyte of a process, at kBase.
struct Memory {
  std::array<uint8_t, 1024> bytes{};

  template <typename T>
  Memory& put(uint64_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
    return *this;
  }

  FutexOwner owner(const FutexCall& call) const {
    const auto read = [this](uint64_t address, void* to, size_t size) {
      if (address < kBase || address + size > kBase + bytes.size()) return false;
      std::memcpy(to, bytes.data() + (address - kBase), size);
      return true;
    };
    return find_futex_owner(call, read, [](uint32_t number) { return number == kOwner; });
  }
};

FutexCall wait_for(uint32_t value, uint64_t at = 0) { return {kBase + at, FUTEX_WAIT, value, false}; }
FutexCall wait_by_bits(uint32_t value, uint64_t at = 0) { return {kBase + at, FUTEX_WAIT_BITSET, value, false}; }

/// A contended mutex of glibc.
Memory mutex(uint32_t owner, uint32_t users = 1, uint32_t kind = 0) {
  Memory memory;
  memory.put(0, uint32_t{2}).put(8, owner).put(12, users).put(16, kind);
  return memory;
}

TEST(FutexOwner, OfAMutexOfGlibc) {
  const FutexOwner found = mutex(kOwner).owner(wait_for(2));
  EXPECT_EQ(found.kind, Kind::Mutex);
  EXPECT_EQ(found.number, kOwner);
  EXPECT_EQ(found.address, kBase);
}

TEST(FutexOwner, OfAMutexWhoseOwnerIsGone) { EXPECT_EQ(mutex(kGone).owner(wait_for(2)).number, kGone); }

TEST(FutexOwner, IsNotGuessedFromWordsThatAreNoMutex) {
  EXPECT_EQ(mutex(0).owner(wait_for(2)).kind, Kind::Unknown) << "no owner";
  EXPECT_EQ(mutex(kOwner, 0).owner(wait_for(2)).kind, Kind::Unknown) << "no users";
  EXPECT_EQ(mutex(kOwner, 1, 0x1000).owner(wait_for(2)).kind, Kind::Unknown) << "no such kind";
  EXPECT_EQ(mutex(kOwner).put(0, uint32_t{1}).owner(wait_for(2)).kind, Kind::Unknown) << "the word is another now";
  EXPECT_EQ(mutex(kOwner).put(0, uint32_t{0}).owner(wait_for(0)).kind, Kind::Unknown) << "not locked";
  EXPECT_EQ(mutex(kGone).put(24, uint64_t{7}).owner(wait_for(2)).kind, Kind::Unknown) << "in a list, its owner gone";
  EXPECT_EQ(mutex(kOwner).owner(wait_by_bits(2)).kind, Kind::Unknown) << "glibc waits otherwise, Rust waits so";
}

TEST(FutexOwner, OfAMutexWithATimeOut) {
  EXPECT_EQ(mutex(kOwner).owner({kBase, FUTEX_WAIT_BITSET, 2, true}).kind, Kind::Mutex);
}

TEST(FutexOwner, OfAMutexWithACeiling) {
  EXPECT_EQ(mutex(kOwner, 1, 0x40).put(0, uint32_t{5u << 19 | 2}).owner(wait_for(5u << 19 | 2)).number, kOwner);
}

TEST(FutexOwner, InTheWordOfRobustAndPiMutexes) {
  const uint32_t word = FUTEX_WAITERS | kOwner;
  Memory memory;
  memory.put(0, word);
  EXPECT_EQ(memory.owner(wait_for(word)).kind, Kind::Mutex);
  EXPECT_EQ(memory.owner({kBase, FUTEX_LOCK_PI, 0, false}).kind, Kind::PiMutex);
  EXPECT_EQ(memory.owner({kBase, FUTEX_LOCK_PI2, 0, false}).number, kOwner);
  memory.put(0, FUTEX_WAITERS | kGone);
  EXPECT_EQ(memory.owner(wait_for(FUTEX_WAITERS | kGone)).kind, Kind::Unknown);
}

TEST(FutexOwner, OfAThreadThatIsJoined) {
  constexpr uint64_t kBlock = 64;
  Memory memory;
  memory.put(kBlock + machine::kOwnAddress, kBase + kBlock).put(kBlock + machine::kThreadNumber, kOwner);
  const uint64_t word = kBlock + machine::kThreadNumber;
  EXPECT_EQ(memory.owner(wait_by_bits(kOwner, word)).kind, Kind::Join);
  EXPECT_EQ(memory.put(kBlock + machine::kOwnAddress, uint64_t{0}).owner(wait_by_bits(kOwner, word)).kind,
            Kind::Unknown)
      << "a word that only has the same value";
}

TEST(FutexOwner, OfAThreadThatIsJoinedInMusl) {
  constexpr uint64_t kBlock = 64, kWord = kBlock + machine::kMuslDetachState;
  Memory memory;
  memory.put(kBlock + machine::kMuslOwnAddress, kBase + kBlock).put(kBlock + machine::kMuslThreadNumber, kOwner);
  memory.put(kWord, uint32_t{2});
  EXPECT_EQ(memory.owner(wait_for(2, kWord)).kind, Kind::Join);
  EXPECT_EQ(memory.put(kBlock, uint64_t{1}).owner(wait_for(2, kWord)).kind, Kind::Unknown);
}

TEST(FutexOwner, OfAStream) {
  constexpr uint64_t kBlock = 64;
  Memory memory;
  memory.put(kBlock + machine::kOwnAddress, kBase + kBlock).put(kBlock + machine::kThreadNumber, kOwner);
  memory.put(0, uint32_t{2}).put(8, kBase + kBlock);
  EXPECT_EQ(memory.owner(wait_for(2)).kind, Kind::Stream);
  EXPECT_EQ(memory.put(8, kBase + kBlock + 8).owner(wait_for(2)).kind, Kind::Unknown);
}

TEST(FutexOwner, OfAReadWriteLockIsItsWriter) {
  constexpr uint64_t kLock = 128;
  Memory memory;
  memory.put(kLock, uint32_t{3}).put(kLock + 8, uint32_t{3}).put(kLock + 24, kOwner);
  for (const uint64_t futex : {kLock + 8, kLock + 12}) {
    const FutexOwner found = memory.owner(wait_by_bits(3, futex));
    EXPECT_EQ(found.kind, Kind::RwLock) << futex;
    EXPECT_EQ(found.address, kBase + kLock) << futex;
    EXPECT_EQ(found.number, kOwner) << futex;
  }
  memory.put(kLock, uint32_t{8}).put(kLock + 8, uint32_t{2});
  EXPECT_EQ(memory.owner(wait_by_bits(2, kLock + 8)).kind, Kind::Unknown) << "a reader holds it";
}

TEST(FutexOwner, IsUnknownWhereNothingCanBeRead) {
  EXPECT_EQ(Memory().owner(wait_for(2, 4096)).kind, Kind::Unknown);
  EXPECT_EQ(Memory().owner(wait_for(0)).kind, Kind::Unknown);
}

}  // namespace
}  // namespace sonde
