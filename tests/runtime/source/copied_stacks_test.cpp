// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept of processes that have ended.
#include "runtime/source/copied_stacks.h"

#include <gtest/gtest.h>

#include <cstring>

#include "kmod/shared/record.h"
#include "runtime/base/clock.h"

namespace sonde {
namespace {

constexpr uint32_t kFirst = 0x500000;  // beyond any number that a process may have
constexpr uint32_t kMany = 2000;

/// A record of a process with a copied stack of no bytes.
void finish_one(CopiedStacks& stacks, uint32_t pid, Nanoseconds time) {
  std::vector<uint64_t> words((sizeof(sonde_record) + sizeof(uint64_t) + sizeof(sonde_copied_stack)) / 8 + 1);
  auto& record = *reinterpret_cast<sonde_record*>(words.data());
  constexpr uint32_t kOffset = sizeof(sonde_record) + sizeof(uint64_t);
  record.size = static_cast<uint32_t>(words.size() * 8);
  record.slots = 1;
  record.pid = pid;
  record.timestamp = time;
  record.slot[0] = SONDE_SPAN(kOffset, sizeof(sonde_copied_stack));
  sonde_copied_stack copied{};
  copied.frames = 4;
  copied.registers.rip = 0x401000;
  copied.registers.rsp = 0x7ffc0000;
  copied.registers.cs = 0x33;
  std::memcpy(reinterpret_cast<uint8_t*>(&record) + kOffset, &copied, sizeof copied);
  const uint8_t kind = SONDE_SLOT_STACK;
  stacks.finish(record, {&kind, 1});
  EXPECT_EQ(SONDE_SPAN_LENGTH(record.slot[0]), 8u);
}

TEST(CopiedStacks, OfProcessesThatCameAndWentFewAreKept) {
  CopiedStacks stacks;
  MappingHistory& history = stacks.keep_history();
  Nanoseconds time = 5'000'000'000;
  for (uint32_t i = 0; i < kMany; i++) {
    const uint32_t pid = kFirst + i;
    history.note(bpf::NewProcess{pid, 1, time});
    history.note(bpf::NewProgram{pid, time + 1});
    finish_one(stacks, pid, time + 2);
    history.note(bpf::ProcessEnd{pid, time + 3});
    time += 20'000'000;
  }
  EXPECT_LT(stacks.processes(), 200u) << "some 50 have ended in the last second";
  EXPECT_LT(history.kept().programs, 200u);
}

TEST(CopiedStacks, WithoutNewsFewAreKeptAsWell) {
  CopiedStacks stacks;
  for (uint32_t i = 0; i < kMany; i++) finish_one(stacks, kFirst + i, monotonic_now());
  EXPECT_LE(stacks.processes(), 200u);
}

TEST(CopiedStacks, ARecordOfBeforeTheEndFindsItsProcess) {
  CopiedStacks stacks;
  MappingHistory& history = stacks.keep_history();
  history.note(bpf::NewProgram{kFirst, 100});
  history.note(bpf::ProcessEnd{kFirst, 5'000'000'000});
  for (uint32_t i = 1; i < 500; i++) finish_one(stacks, kFirst + i, 4'000'000'000 + i);
  EXPECT_TRUE(history.knows(kFirst, 1)) << "the records read so far are older than its end";
  for (uint32_t i = 1; i < 500; i++) finish_one(stacks, kFirst + 1000 + i, 7'000'000'000 + i);
  EXPECT_FALSE(history.knows(kFirst, 1));
}

}  // namespace
}  // namespace sonde
