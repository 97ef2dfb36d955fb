// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/fold_tables.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <utility>

#include "runtime/base/check.h"
#include "runtime/base/clock.h"
#include "runtime/bpf/frame.h"

namespace sonde::bpf {
namespace {

constexpr int kSpins = 1000;
constexpr useconds_t kPause = 50;                    // microseconds
constexpr Nanoseconds kHolderPatience = 1000000000;  // a holder that does not run, as on Linux 7

}  // namespace

Result<FoldTables> FoldTables::map(int map, uint64_t offset, uint32_t table_bytes, sonde_ring* ring) {
  void* area =
      mmap(nullptr, fold_area(table_bytes), PROT_READ | PROT_WRITE, MAP_SHARED, map, static_cast<off_t>(offset));
  if (area == MAP_FAILED) return Error::from_errno("map a table");
  FoldTables made(static_cast<uint8_t*>(area), table_bytes, ring);
  made.table(0).used = made.table(1).used = fold_log(table_bytes);
  return made;
}

FoldTables::FoldTables(FoldTables&& other) noexcept
    : area_(std::exchange(other.area_, nullptr)),
      table_bytes_(other.table_bytes_),
      ring_(other.ring_),
      filled_(other.filled_),
      changed_(other.changed_) {}

FoldTables::~FoldTables() {
  if (area_ != nullptr) munmap(area_, fold_area(table_bytes_));
}

/// Afterwards nobody touches the table that was filled. False: somebody may; try again later.
///
/// The holder takes the ring (a full barrier), then reads kGeneration; we write kGeneration, then, behind a full barrier,
/// look at the ring: one of us sees the other.
bool FoldTables::change_tables() {
  if (!changed_) {
    filled_ ^= 1;
    auto& generation = *reinterpret_cast<uint32_t*>(reinterpret_cast<uint8_t*>(ring_) + kGeneration);
    std::atomic_ref(generation).store(filled_, std::memory_order_seq_cst);
    changed_ = true;
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const Nanoseconds end = monotonic_now() + kHolderPatience;
  for (int n = 0; std::atomic_ref(ring_->low_water).load(std::memory_order_seq_cst) != SONDE_IDLE; n++) {
    if (n < kSpins) continue;
    if (monotonic_now() > end) return false;
    usleep(kPause);
  }
  changed_ = false;
  return true;
}

void FoldTables::take(const Taker& each) {
  const uint32_t begin = fold_log(table_bytes_);
  if (!changed_ && std::atomic_ref(table(filled_).used).load(std::memory_order_relaxed) == begin) return;
  if (!change_tables()) return;
  FoldTable& full = table(filled_ ^ 1);
  auto* bytes = reinterpret_cast<uint8_t*>(&full);
  SONDE_CHECK(full.used <= table_bytes_);
  for (uint64_t at = begin; at < full.used;) {
    const auto& element = *reinterpret_cast<const FoldElement*>(bytes + at);
    SONDE_CHECK(element.bytes >= sizeof element && at + element.bytes <= full.used);
    hand_over(element, each);
    at += element.bytes;
  }
  std::memset(bytes + kFoldIndex, 0, full.used - kFoldIndex);  // the index, and the words of new elements
  full.used = begin;
}

void FoldTables::hand_over(const FoldElement& element, const Taker& each) {
  if (element.firings == 0) return;
  const auto* words = reinterpret_cast<const int64_t*>(&element + 1);
  const uint64_t key_bytes = element.bytes - sizeof element - 8ull * element.words;
  record_.assign((sizeof(sonde_record) + key_bytes) / 8, 0);
  auto& record = *reinterpret_cast<sonde_record*>(record_.data());
  record.size = static_cast<uint32_t>(8 * record_.size());
  record.slots = element.slots;
  record.epid = element.epid;
  record.probe = element.probe;
  record.timestamp = monotonic_now();
  record.pid = element.pid;
  record.tid = element.tid;
  record.cpu = ring_->writer;
  std::memcpy(record.slot, words + element.words, key_bytes);
  each(record, element.firings, {words, element.words});
}

}  // namespace sonde::bpf
