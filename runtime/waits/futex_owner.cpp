// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/waits/futex_owner.h"

#include <linux/futex.h>

#include <optional>

#include "runtime/waits/arch.h"

namespace sonde {
namespace {

using Kind = FutexOwner::Kind;

constexpr uint32_t kContended = 2;  ///< the word of glibc's locks
/// Bits of __kind: type, robust, PI, protect, shared, with and without elision.
constexpr uint32_t kMutexKinds = 0x3 | 0x10 | 0x20 | 0x40 | 0x80 | 0x100 | 0x200;
constexpr uint32_t kProtects = 0x40;
constexpr uint32_t kBelowCeiling = 0x7ffff;  ///< of the word of a mutex that protects: the rest is its priority

struct MutexLayout {
  uint32_t lock, count, owner, users, kind;
  int16_t spins, elision;
  uint64_t previous, next;  ///< in the list of the robust mutexes of its owner
};
static_assert(sizeof(MutexLayout) == 40);

struct RwLockLayout {
  uint32_t readers, writers, write_phase, writers_futex, pad[2];
  uint32_t writer, shared;
};
static_assert(sizeof(RwLockLayout) == 32);

bool waits(const FutexCall& call) { return call.operation == FUTEX_WAIT || call.operation == FUTEX_WAIT_BITSET; }

template <typename T>
std::optional<T> read_at(const ReadBytes& read, uint64_t address) {
  T value;
  if (!read(address, &value, sizeof value)) return std::nullopt;
  return value;
}

/// The number of the thread with this control block; 0: it is none.
uint32_t thread_of_block(uint64_t block, const ReadBytes& read) {
  if (block % alignof(uint64_t) != 0 || read_at<uint64_t>(read, block + machine::kOwnAddress) != block) return 0;
  return read_at<uint32_t>(read, block + machine::kThreadNumber).value_or(0);
}

FutexOwner pi_owner(const FutexCall& call, const ReadBytes& read, const IsThread& is_thread) {
  if (call.operation != FUTEX_LOCK_PI && call.operation != FUTEX_LOCK_PI2) return {};
  const uint32_t owner = read_at<uint32_t>(read, call.address).value_or(0) & FUTEX_TID_MASK;
  return is_thread(owner) ? FutexOwner{Kind::PiMutex, call.address, owner} : FutexOwner{};
}

FutexOwner joined(const FutexCall& call, const ReadBytes& read, const IsThread& is_thread) {
  if (!waits(call) || read_at<uint32_t>(read, call.address) != call.value || !is_thread(call.value)) return {};
  const uint32_t number = thread_of_block(call.address - machine::kThreadNumber, read);
  return number == call.value ? FutexOwner{Kind::Join, call.address, number} : FutexOwner{};
}

FutexOwner joined_in_musl(const FutexCall& call, const ReadBytes& read, const IsThread& is_thread) {
  constexpr uint32_t kJoinable = 2;
  const uint64_t block = call.address - machine::kMuslDetachState;
  if (call.operation != FUTEX_WAIT || call.value != kJoinable ||
      read_at<uint64_t>(read, block + machine::kMuslOwnAddress) != block)
    return {};
  const uint32_t number = read_at<uint32_t>(read, block + machine::kMuslThreadNumber).value_or(0);
  return is_thread(number) ? FutexOwner{Kind::Join, call.address, number} : FutexOwner{};
}

/// The word itself names the owner.
FutexOwner named_owner(const FutexCall& call, const ReadBytes& read, const IsThread& is_thread) {
  const uint32_t owner = call.value & FUTEX_TID_MASK;
  if (!waits(call) || (call.value & FUTEX_WAITERS) == 0 || read_at<uint32_t>(read, call.address) != call.value)
    return {};
  return is_thread(owner) ? FutexOwner{Kind::Mutex, call.address, owner} : FutexOwner{};
}

bool is_contended(uint32_t word, uint32_t kind) {
  return ((kind & kProtects) != 0 ? word & kBelowCeiling : word) == kContended;
}

FutexOwner mutex_owner(const FutexCall& call, const ReadBytes& read, const IsThread& is_thread) {
  if (call.operation != FUTEX_WAIT && !(call.operation == FUTEX_WAIT_BITSET && call.timed)) return {};
  const auto mutex = read_at<MutexLayout>(read, call.address);
  if (!mutex || mutex->lock != call.value || !is_contended(mutex->lock, mutex->kind)) return {};
  if ((mutex->kind & ~kMutexKinds) != 0 || mutex->owner == 0 || mutex->users == 0) return {};
  const bool is_plain = mutex->previous == 0 && mutex->next == 0 && mutex->elision == 0 && mutex->users < 1u << 16;
  return is_thread(mutex->owner) || is_plain ? FutexOwner{Kind::Mutex, call.address, mutex->owner} : FutexOwner{};
}

FutexOwner stream_owner(const FutexCall& call, const ReadBytes& read, const IsThread& is_thread) {
  if (call.operation != FUTEX_WAIT || call.value != kContended) return {};
  const auto block = read_at<uint64_t>(read, call.address + 8);
  const uint32_t owner = block ? thread_of_block(*block, read) : 0;
  return is_thread(owner) ? FutexOwner{Kind::Stream, call.address, owner} : FutexOwner{};
}

/// `offset`: of the futex in the lock.
FutexOwner writer_of(const FutexCall& call, uint64_t offset, const ReadBytes& read, const IsThread& is_thread) {
  constexpr uint32_t kPhaseOfWriter = 1, kLockedByWriter = 2, kMostPhase = 3;
  const auto lock = read_at<RwLockLayout>(read, call.address - offset);
  if (!lock || lock->write_phase > kMostPhase || lock->writers_futex > kMostPhase || lock->shared > 1) return {};
  if ((lock->readers & (kPhaseOfWriter | kLockedByWriter)) != (kPhaseOfWriter | kLockedByWriter)) return {};
  return is_thread(lock->writer) ? FutexOwner{Kind::RwLock, call.address - offset, lock->writer} : FutexOwner{};
}

FutexOwner rwlock_owner(const FutexCall& call, const ReadBytes& read, const IsThread& is_thread) {
  if (!waits(call) || (call.value != 2 && call.value != 3)) return {};
  for (const uint64_t offset : {offsetof(RwLockLayout, write_phase), offsetof(RwLockLayout, writers_futex)})
    if (const FutexOwner found = writer_of(call, offset, read, is_thread); found.kind != Kind::Unknown) return found;
  return {};
}

}  // namespace

FutexOwner find_futex_owner(const FutexCall& call, const ReadBytes& read, const IsThread& is_thread) {
  const IsThread is_other_than_none = [&](uint32_t number) { return number != 0 && is_thread(number); };
  for (const auto look : {pi_owner, joined, joined_in_musl, named_owner, stream_owner, mutex_owner, rwlock_owner})
    if (const FutexOwner found = look(call, read, is_other_than_none); found.kind != Kind::Unknown) return found;
  return {Kind::Unknown, call.address, 0};
}

}  // namespace sonde
