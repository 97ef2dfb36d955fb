// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/waits/futexes.h"

#include <linux/futex.h>

#include <algorithm>
#include <cerrno>

#include "runtime/base/hex.h"
#include "runtime/process/data_symbol.h"
#include "runtime/process/proc_maps.h"
#include "runtime/process/syscall_table.h"
#include "runtime/waits/futex_owner.h"

namespace sonde {
namespace {

using Kind = FutexOwner::Kind;

/// The mapping that contains the address, of a process that shares it with others; null: there is none.
const MapEntry* mapping_at(const std::vector<MapEntry>& maps, uint64_t address) {
  const auto found = std::ranges::find_if(
      maps, [&](const MapEntry& one) { return address >= one.start && address < one.end && one.file.inode != 0; });
  return found == maps.end() ? nullptr : &*found;
}

/// Whether another process has mapped the page of a futex.
bool shares_page(uint32_t pid, uint64_t address, uint32_t other) {
  const auto maps = read_proc_maps(pid), others = read_proc_maps(other);
  const MapEntry* mine = maps ? mapping_at(*maps, address) : nullptr;
  if (mine == nullptr || !others) return false;
  const uint64_t offset = address - mine->start + mine->offset;
  return std::ranges::any_of(*others, [&](const MapEntry& one) {
    return one.file == mine->file && offset >= one.offset && offset - one.offset < one.end - one.start;
  });
}

/// "0x55d0c2 (queue_lock)"
std::string object_text(uint32_t pid, uint64_t address) {
  const std::string name = data_symbol(pid, address);
  return hex(address) + (name.empty() ? "" : " (" + name + ")");
}

std::string kind_text(Kind kind) {
  switch (kind) {
    case Kind::Mutex: return "mutex ";
    case Kind::PiMutex: return "priority-inheriting mutex ";
    case Kind::RwLock: return "read-write lock ";
    case Kind::Stream: return "the lock of the stdio stream at ";
    case Kind::Join:
    case Kind::Unknown: break;
  }
  return "futex ";
}

class Explanation {
 public:
  Explanation(Facts& facts, const ThreadFacts& thread) : facts_(facts), thread_(thread) {
    const auto operation = static_cast<uint32_t>(thread.arguments[1]);
    is_private_ = (operation & FUTEX_PRIVATE_FLAG) != 0;
    call_ = {thread.arguments[0], operation & static_cast<uint32_t>(FUTEX_CMD_MASK),
             static_cast<uint32_t>(thread.arguments[2]), thread.arguments[3] != 0};
  }

  Wait explain() {
    const auto read = [this](uint64_t at, void* to, size_t size) {
      return Facts::read_memory(thread_.pid, at, to, size);
    };
    const FutexOwner owner =
        find_futex_owner(call_, read, [this](uint32_t number) { return holder(number) != nullptr; });
    Wait wait = owner.kind != Kind::Unknown ? held_by(owner) : was_refused() ? refused() : unknown();
    wait.timed = call_.timed;
    wait.may_end = wait.may_end || wait.timed;
    return wait;
  }

 private:
  /// The thread of that number, if it can hold what is in this memory.
  const ThreadFacts* holder(uint32_t number) {
    const ThreadFacts* found = facts_.find_thread(thread_.pid, number);
    if (found == nullptr || found->pid == thread_.pid) return found;
    return !is_private_ && shares_page(thread_.pid, call_.address, found->pid) ? found : nullptr;
  }

  /// The kernel lets nobody wait for a PI mutex if that would be a deadlock, or if its owner has ended. Then glibc lets the
  /// thread sleep on a word in its own frame, for ever. Nothing else waits so there.
  bool was_refused() const {
    constexpr uint64_t kMostOfFrame = 128;
    constexpr uint32_t kAsGlibc = FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME;
    return static_cast<uint32_t>(thread_.arguments[1]) == kAsGlibc && call_.value == 0 && !call_.timed &&
           call_.address - thread_.stack_pointer < kMostOfFrame;
  }

  Wait refused() {
    const std::string text =
        "waits for ever for a priority-inheriting mutex: the kernel has refused to let it wait, because ";
    const std::vector<uint32_t> behind = waiters_for(thread_.tid);
    if (behind.empty()) return {.text = text + "it holds it itself, or the owner has ended", .needs = {{}}};
    return {.text = text + "that would be a deadlock", .needs = {behind}};
  }

  /// The thread that holds the PI mutex for which one waits in the kernel; 0: it does not.
  uint32_t holder_of_pi(const ThreadFacts& waiter) {
    const SyscallInfo* call = waiter.call ? find_syscall(*waiter.call) : nullptr;
    if (call == nullptr || std::string_view(call->name) != "futex") return 0;
    const uint64_t operation = waiter.arguments[1] & static_cast<uint64_t>(FUTEX_CMD_MASK);
    uint32_t word = 0;
    if ((operation != FUTEX_LOCK_PI && operation != FUTEX_LOCK_PI2) ||
        !Facts::read_memory(waiter.pid, waiter.arguments[0], &word, sizeof word))
      return 0;
    const ThreadFacts* found = facts_.find_thread(waiter.pid, word & FUTEX_TID_MASK);
    return found == nullptr ? 0 : found->tid;
  }

  /// Threads of the process that wait for PI mutexes which `tid` holds, or which one of them holds.
  std::vector<uint32_t> waiters_for(uint32_t tid) {
    std::vector<uint32_t> found;
    for (const auto& [other, thread] : facts_.threads_of(thread_.pid)) {
      if (holder_of_pi(thread) != tid || other == thread_.tid) continue;
      found.push_back(other);
      for (uint32_t behind : waiters_for(other)) found.push_back(behind);
    }
    return found;
  }

  Wait unknown() {
    constexpr uint32_t kLockedInMusl = FUTEX_WAITERS | EBUSY;
    return {.text = "waits for futex " + object_text(thread_.pid, call_.address) + ", and who may wake it is not known",
            .needs = {},
            .may_end = true,
            .unknown_owner = true,
            .nature = call_.value == kLockedInMusl ? "a normal mutex of musl records no owner" : ""};
  }

  Wait held_by(const FutexOwner& owner) {
    const ThreadFacts* by = holder(owner.number);
    if (by == nullptr) return left_locked(owner);
    if (owner.kind == Kind::Join)
      return {.text = "waits for the end of " + facts_.name_of(by->pid, by->tid, thread_.pid), .needs = {{by->tid}}};
    const std::string who =
        by->tid == thread_.tid ? "it holds itself" : facts_.name_of(by->pid, by->tid, thread_.pid) + " holds";
    return {
        .text = "waits for " + object(owner) + ", which " + who + (owner.kind == Kind::RwLock ? " for writing" : ""),
        .needs = {{by->tid}}};
  }

  Wait left_locked(const FutexOwner& owner) {
    return {.text = "waits for " + object(owner) + ", which thread " + std::to_string(owner.number) +
                    " holds: it has ended, or is no thread of this process (forked while it was locked)",
            .needs = {{}}};
  }

  std::string object(const FutexOwner& owner) {
    return kind_text(owner.kind) + object_text(thread_.pid, owner.address);
  }

  Facts& facts_;
  const ThreadFacts& thread_;
  FutexCall call_;
  bool is_private_ = false;
};

}  // namespace

Wait explain_futex(Facts& facts, const ThreadFacts& thread) { return Explanation(facts, thread).explain(); }

}  // namespace sonde
