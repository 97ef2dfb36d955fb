// SPDX-License-Identifier: GPL-3.0-or-later
// Who holds what a futex stands for
//
// To the kernel a futex is a word; only PI futexes have an owner there. What the word is part of, and where that has its
// owner, is the business of the C library:
//
//   glibc  pthread_mutex_t     +0 the word, 2: somebody waits    +8 __owner    +12 __nusers    +16 __kind    +24 a list
//          robust, PI          the word holds the owner's number, and FUTEX_WAITERS
//          pthread_rwlock_t    waits on +8 or +12                +24 __cur_writer; of readers only the count is kept
//          FILE                +0 the word, 2: somebody waits    +8 the owner's control block
//          pthread_join()      the word holds the number of the thread, in its control block
//   musl   recursive mutexes   as glibc's robust ones; normal ones record no owner
//          pthread_join()      the word is a state in the thread's control block
//
// A condition variable, a semaphore, a barrier, and the locks of Go, Rust and Java have no owner, or record none. A value
// in memory proves nothing, so each layout is believed only if everything in it is as it must be, and its owner lives.
#pragma once

#include <cstdint>
#include <functional>

namespace sonde {

struct FutexCall {
  uint64_t address = 0;
  uint32_t operation = 0;  ///< FUTEX_WAIT and the like, without flags
  uint32_t value = 0;      ///< with which the call expects the word
  bool timed = false;
};

struct FutexOwner {
  enum class Kind : uint8_t { Unknown, Mutex, PiMutex, RwLock, Stream, Join };
  Kind kind = Kind::Unknown;
  uint64_t address = 0;  ///< of the object
  uint32_t number = 0;   ///< of the thread, in its pid namespace; it may have ended if it holds a mutex
};

/// False unless all bytes could be read.
using ReadBytes = std::function<bool(uint64_t address, void* to, size_t size)>;
/// Whether there is a thread of that number that may hold it.
using IsThread = std::function<bool(uint32_t number)>;

FutexOwner find_futex_owner(const FutexCall& call, const ReadBytes& read, const IsThread& is_thread);

}  // namespace sonde
