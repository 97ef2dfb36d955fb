// SPDX-License-Identifier: GPL-3.0-or-later
// Where code loads the number of clone or clone3: which sequences count, and which only look like it
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/guard/arch.h"

namespace sonde::guard {
namespace {

using Bytes = std::vector<uint8_t>;

/// `code` in the middle of what is no load, with an offset of 128.
std::vector<CloneLoad> loads_in(const Bytes& code) {
  Bytes all(128, 0x90);
  all.insert(all.end(), code.begin(), code.end());
  all.resize(all.size() + 128, 0x90);
  return find_clone_loads(all, 0, all.size());
}

struct Sequence {
  const char* what;
  Bytes code;
  int load;        // offset of the load; -1: there is none
  int callee = 0;  // distance from the load
  bool by_pointer = false;
};

const Sequence kSequences[] = {
    {"mov eax, syscall", {0xb8, 56, 0, 0, 0, 0x0f, 0x05}, 0},
    {"mov eax for clone3", {0xb8, 0xb3, 1, 0, 0, 0x0f, 0x05}, 0},
    {"mov rax", {0x48, 0xc7, 0xc0, 56, 0, 0, 0, 0x0f, 0x05}, 0},
    {"push, pop rax", {0x6a, 56, 0x58, 0x0f, 0x05}, 0},
    {"xor eax; mov al, as musl", {0x31, 0xc0, 0xb0, 56, 0x49, 0x89, 0xfb, 0x0f, 0x05}, 2},
    {"mov al alone", {0xb0, 56, 0x0f, 0x05}, -1},
    {"by another register", {0xbb, 56, 0, 0, 0, 0x89, 0xd8, 0x0f, 0x05}, 0},
    {"by the frame", {0x48, 0xc7, 0x45, 0xf8, 56, 0, 0, 0, 0x48, 0x8b, 0x45, 0xf8, 0x0f, 0x05}, 0},
    {"the frame's word is written",
     {0xc7, 0x45, 0xf8, 56, 0, 0, 0, 0x89, 0x5d, 0xf8, 0x8b, 0x45, 0xf8, 0x0f, 0x05},
     -1},
    {"arguments in between", {0xb8, 56, 0, 0, 0, 0x4c, 0x89, 0xde, 0x89, 0xd7, 0x0f, 0x05}, 0},
    {"rax is written", {0xb8, 56, 0, 0, 0, 0xb8, 1, 0, 0, 0, 0x0f, 0x05}, -1},
    {"rax is cleared", {0xb8, 56, 0, 0, 0, 0x31, 0xc0, 0x0f, 0x05}, -1},
    {"a branch", {0xb8, 56, 0, 0, 0, 0x74, 0, 0x0f, 0x05}, -1},
    {"r8, with the same last bytes", {0x41, 0xb8, 56, 0, 0, 0, 0x0f, 0x05}, -1},
    {"another number", {0xb8, 57, 0, 0, 0, 0x0f, 0x05}, -1},
    {"a larger number", {0xb8, 56, 1, 0, 0, 0x0f, 0x05}, -1},
    {"a return", {0xb8, 56, 0, 0, 0, 0xc3, 0x0f, 0x05}, -1},
    {"call with edi", {0xbf, 56, 0, 0, 0, 0xe8, 16, 0, 0, 0}, 0, 26},
    {"jump with rdi", {0x48, 0xc7, 0xc7, 0xb3, 1, 0, 0, 0xe9, 0xf0, 0xff, 0xff, 0xff}, 0, -4},
    {"call by a pointer", {0xbf, 56, 0, 0, 0, 0x31, 0xc0, 0xff, 0x15, 16, 0, 0, 0}, 0, 29, true},
    {"rdi is written", {0xbf, 56, 0, 0, 0, 0x48, 0x89, 0xdf, 0xe8, 16, 0, 0, 0}, -1},
    {"call by a register", {0xbf, 56, 0, 0, 0, 0xff, 0xd0}, -1},
};

TEST(CloneCalls, Sequences) {
  for (const Sequence& sequence : kSequences) {
    const auto found = loads_in(sequence.code);
    ASSERT_EQ(found.size(), sequence.load >= 0 ? 1u : 0u) << sequence.what;
    if (found.empty()) continue;
    EXPECT_EQ(found[0].offset, 128u + static_cast<unsigned>(sequence.load)) << sequence.what;
    EXPECT_EQ(found[0].callee, sequence.callee) << sequence.what;
    EXPECT_EQ(found[0].by_pointer, sequence.by_pointer) << sequence.what;
  }
}

/// Functions at addresses of a memory of 1024 bytes.
struct Memory {
  Bytes bytes = Bytes(1024, 0xcc);
  void put(size_t at, const Bytes& code) { std::copy(code.begin(), code.end(), bytes.begin() + static_cast<long>(at)); }
  void point(size_t at, uint64_t to) { std::memcpy(&bytes[at], &to, sizeof to); }
  MakesCall calls(uint64_t function, bool by_pointer = false) const {
    return makes_call(function, by_pointer, [this](uint64_t at, void* to, size_t length) {
      if (at + length > bytes.size()) return false;
      std::memcpy(to, &bytes[at], length);
      return true;
    });
  }
};

TEST(CloneCalls, WhatAFunctionDoes) {
  Memory memory;
  memory.put(0, {0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0x0f, 0x05, 0xc3});   // syscall()
  memory.put(64, {0xf3, 0x0f, 0x1e, 0xfa, 0xe9, 0xb7, 0xff, 0xff, 0xff});  // a jump to it
  memory.put(128, {0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 0x36, 0, 0, 0});    // a stub: by the pointer at 192
  memory.put(256, {0x68, 3, 0, 0, 0, 0xe9, 0, 0, 0, 0});                   // the way into the linker
  memory.put(320, {0xb8, 1, 0, 0, 0, 0x0f, 0x05, 0xc3});                   // makes another call
  memory.put(1016, {0x48, 0x89, 0xf8, 0x0f, 0x05, 0xc3});                  // at the end of the memory
  EXPECT_EQ(memory.calls(0), MakesCall::Yes);
  EXPECT_EQ(memory.calls(64), MakesCall::Yes);
  EXPECT_EQ(memory.calls(320), MakesCall::No);
  EXPECT_EQ(memory.calls(1016), MakesCall::Yes);
  EXPECT_EQ(memory.calls(5000), MakesCall::No);
  for (const auto& [to, wanted] : {std::pair{0, MakesCall::Yes},
                                   {64, MakesCall::Yes},
                                   {256, MakesCall::NotYetKnown},
                                   {320, MakesCall::No},
                                   {5000, MakesCall::No}}) {
    memory.point(192, static_cast<uint64_t>(to));
    EXPECT_EQ(memory.calls(128), wanted) << to;
    EXPECT_EQ(memory.calls(192, true), wanted) << to;
  }
}

}  // namespace
}  // namespace sonde::guard
