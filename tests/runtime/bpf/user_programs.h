// SPDX-License-Identifier: GPL-3.0-or-later
// Code of this very process, with programs at its instructions
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/bpf/bpf_call.h"
#include "runtime/bpf/hook_program.h"
#include "runtime/bpf/uprobe.h"
#include "runtime/bpf/user_program.h"
#include "runtime/buffer/ring.h"
#include "tests/kmod/shared/dif_support.h"

namespace sonde::bpf::user {

using test::Program;

inline constexpr uint32_t kProbe = 7, kEpid = 9, kRows = 4;
using Words = std::vector<uint64_t>;

/// A page of code in a file of its own.
class Code {
 public:
  explicit Code(const std::vector<uint8_t>& bytes)
      : file_(static_cast<int>(syscall(SYS_memfd_create, "sonde_code", 0))) {
    EXPECT_EQ(ftruncate(file_.get(), kBytes), 0);
    EXPECT_EQ(pwrite(file_.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    at_ = static_cast<uint8_t*>(mmap(nullptr, kBytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, file_.get(), 0));
  }
  ~Code() { munmap(at_, kBytes); }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }
  uint8_t* at() const { return at_; }
  template <typename... Arguments>
  uint64_t call(Arguments... arguments) const {
    return reinterpret_cast<uint64_t (*)(Arguments...)>(reinterpret_cast<uintptr_t>(at_))(arguments...);
  }

 private:
  static constexpr size_t kBytes = 4096;
  UniqueFd file_;
  uint8_t* at_;
};

class UserPrograms : public ::testing::Test {
 protected:
  void SetUp() override {
    auto found = KernelLayout::read();
    auto made = found ? Rings::create(1u << 20) : Result<Rings>(std::move(found).error());
    if (!made) GTEST_SKIP() << "this kernel takes no programs: " << made.error().message();
    if (!has_uprobe_links()) GTEST_SKIP() << "this kernel has no uprobe links: Linux 6.6";
    layout = std::make_unique<KernelLayout>(std::move(*found));
    rings = std::move(*made);
    for (const MappedRing& ring : rings.mapped()) reader.add(ring);
    threads = map(create_thread_map("threads", SONDE_DIF_THREAD));
    table = map(create_map("table", {BPF_MAP_TYPE_ARRAY, 4, row_bytes(1), kRows, 0}));
    places = map(create_map("places", {BPF_MAP_TYPE_ARRAY, 4, sizeof(UserPlace), kRows, 0}));
    reentered = map(create_map("reentered", {BPF_MAP_TYPE_LRU_HASH, 8, sizeof(Reentered), 64, 0}));
    origins = map(create_map("origins", {BPF_MAP_TYPE_HASH, 8, 4, 64, 0}));
    const uint32_t row[] = {kProbe, kEpid, 0, 0};
    for (uint32_t n = 0; n < kRows; n++) ASSERT_TRUE(update_map(table.get(), &n, row));
  }
  static UniqueFd map(Result<UniqueFd> made) {
    EXPECT_TRUE(made) << (made ? "" : made.error().message());
    return made ? std::move(*made) : UniqueFd();
  }

  void put(uint32_t row, const sonde_leave& leave, int64_t from_entry = 0) {
    const UserPlace place{kProbe, 0, from_entry, leave, 0};
    ASSERT_TRUE(update_map(places.get(), &row, &place));
  }
  World world() { return {layout.get(), &rings, threads.get(), 0}; }
  UserProgram wanted(sonde_tap_kind kind, Program& fire) {
    EXPECT_EQ(fire.verify(), 0) << fire.why;
    return {kind, {&fire.raw}, table.get(), places.get(), -1, -1, 0, true};
  }
  /// Attaches it to these instructions of the code.
  std::vector<UniqueFd> arm(const Result<std::vector<bpf_insn>>& insns, const Code& code,
                            std::vector<std::pair<uint64_t, uint64_t>> offsets_cookies) {
    std::vector<UniqueFd> kept;
    EXPECT_TRUE(insns) << (insns ? "" : insns.error().message());
    if (!insns) return kept;
    kept.push_back(map(load_uprobe_program("test", *insns, UprobeLink::Many)));
    std::vector<uint64_t> offsets, cookies;
    for (const auto& [offset, cookie] : offsets_cookies) offsets.push_back(offset), cookies.push_back(cookie);
    kept.push_back(map(attach_uprobes(kept.front().get(), code.path(), offsets, cookies, {})));
    return kept;
  }
  /// The slots of the records since the last call.
  std::vector<Words> records() {
    std::vector<Words> all;
    reader.drain(0, true, [&](const sonde_record& record) {
      EXPECT_EQ(record.epid, kEpid);
      EXPECT_EQ(record.probe, kProbe);
      EXPECT_EQ(record.pid, static_cast<uint32_t>(getpid()));
      const auto* slots = reinterpret_cast<const uint64_t*>(reinterpret_cast<const char*>(&record) + slot_at);
      all.emplace_back(slots, slots + record.slots);
    });
    return all;
  }

  static constexpr size_t slot_at = offsetof(sonde_record, slot);
  std::unique_ptr<KernelLayout> layout;
  Rings rings;
  MergeReader reader;
  UniqueFd threads, table, places, reentered, origins;
};

}  // namespace sonde::bpf::user
