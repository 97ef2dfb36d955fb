// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/waits/futexes.h"

#include <linux/futex.h>

#include <algorithm>
#include <cerrno>

#include "runtime/base/hex.h"
#include "runtime/process/data_symbol.h"
#include "runtime/process/proc_maps.h"
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
    Wait wait = owner.kind == Kind::Unknown ? unknown() : held_by(owner);
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
