// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of a target that may make a reader wait
//
//   read --> all pages are there? --yes--> read them: the kernel waits for nobody
//                  | no
//                  v
//            a helper process touches them ---> they are there now, or do not exist
//                  |
//                  `--- does not come back in time: it is killed, the read fails
//
// A page that is not there may have to come from another process: one that holds a userfaultfd, or serves a FUSE file.
// If that process is a target, it may stand in a stop that only we can end. Who reads the page sleeps, and no signal
// wakes it but SIGKILL. So the guard reads only pages that are there, and a process of its own waits for the others.
//
// /proc/PID/pagemap tells what is there, for about half of what the read itself costs. We refused a list of the
// mappings that can wait (smaps): it is slow, and a program may register a userfaultfd at any time. Between the look
// and the read a page may go away again: then the read waits after all. That takes a program that drops a page of a
// userfaultfd within that microsecond.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "runtime/base/unique_fd.h"

namespace sonde {

enum class Access : uint8_t { Read, Write };

/// Ends the helpers that wait for a request, and reaps them: the guard leaves no process for somebody else to reap.
void end_page_helpers();

/// A helper that touches pages. It is killed if it has not answered by the time it is destroyed.
class Fetch {
 public:
  Fetch(Fetch&& other) noexcept : helper_(std::exchange(other.helper_, 0)), socket_(std::move(other.socket_)) {}
  Fetch& operator=(Fetch&&) = delete;
  ~Fetch();

  /// `memory`: /proc/PID/mem. None: there is no helper to be had.
  static std::optional<Fetch> begin(pid_t pid, const UniqueFd& memory, uint64_t address, size_t length);
  /// Readable when the helper has answered.
  int fd() const { return socket_.get(); }
  /// Whether the pages could be read. Call it once fd() is readable.
  bool result();

 private:
  Fetch(pid_t helper, UniqueFd socket) : helper_(helper), socket_(std::move(socket)) {}
  pid_t helper_;  ///< 0: it has answered, and waits for the next request
  UniqueFd socket_;
};

/// How long a firing, and how long the whole guard, waits for the pages of one read.
constexpr auto kFiringWaitsForPages = std::chrono::milliseconds(500),
               kGuardWaitsForPages = std::chrono::milliseconds(100);

/// Of one address space. What tells of its pages and what reads them are opened together, or neither: a process may make
/// itself undumpable, and then an ordinary user opens nothing of it.
class Pages {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Pages(pid_t pid) : pid_(pid) {}

  pid_t pid() const { return pid_; }
  /// Whether such an access waits for nobody. True also where nothing can be mapped, and where the kernel does not tell
  /// (a process that is not dumpable, seen by an ordinary user): the access itself fails at once, or is made.
  bool here(uint64_t address, size_t length, Access access = Access::Read);
  /// A helper that touches the pages. None: there is no helper to be had, or no such memory.
  std::optional<Fetch> fetch(uint64_t address, size_t length);
  /// Waits until it is so. False: there is no such page, or nobody provides it.
  bool bring_in(uint64_t address, size_t length, Access access = Access::Read);
  /// After a wait in vain nobody waits for this memory for a second.
  bool may_wait() const { return Clock::now() >= in_vain_until_; }
  void note_in_vain() { in_vain_until_ = Clock::now() + std::chrono::seconds(1); }

 private:
  bool open();
  void close();
  void close_if_many();

  const pid_t pid_;
  UniqueFd map_, memory_;
  Clock::time_point in_vain_until_{};
};

}  // namespace sonde
