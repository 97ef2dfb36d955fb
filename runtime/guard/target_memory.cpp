// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/target_memory.h"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/kept_fds.h"
#include "runtime/base/procfs.h"

namespace sonde::guard {
namespace {

int kept_open = 0;  // by all targets of this guard

std::string path_of(pid_t pid, const char* name) { return proc_folder(pid) + "/" + name; }

/// A program's auxiliary vector has addresses that are another program's only by chance.
size_t program_hash_of(pid_t pid) {
  char text[1024];
  const ssize_t got = read_proc(path_of(pid, "auxv").c_str(), text, sizeof text);
  return std::hash<std::string_view>()({text, static_cast<size_t>(std::max<ssize_t>(got, 0))});
}

/// Calls `access` for each word of [address, address + length) with its part of the bytes.
template <typename Access>
bool for_each_word(uint64_t address, size_t length, Access access) {
  for (size_t done = 0; done < length;) {
    const uint64_t word = (address + done) & ~uint64_t{sizeof(long) - 1};
    const size_t skip = address + done - word, part = std::min(length - done, sizeof(long) - skip);
    if (!access(word, skip, done, part)) return false;
    done += part;
  }
  return true;
}

bool peek_word(pid_t tid, uint64_t address, long& word) {
  errno = 0;
  word = ptrace(PTRACE_PEEKTEXT, tid, address, nullptr);
  return errno == 0;
}

}  // namespace

bool TargetMemory::open() const {
  if (fd_) return true;
  UniqueFd fd(::open(path_of(pid_, "mem").c_str(), O_RDWR | O_CLOEXEC));
  if (!fd) return false;
  const size_t now = program_hash_of(pid_);
  if (program_ == 0) program_ = now;
  if (program_ != now) return false;
  fd_ = std::move(fd);
  kept_open++;
  return true;
}

bool TargetMemory::can_open() const {
  const bool can = open();
  close_if_many();
  return can;
}

bool TargetMemory::gone() const {
  char text[512];
  if (read_proc(path_of(pid_, "stat").c_str(), text, sizeof text) <= 0) return true;
  const char* state = stat_field(text, 3);
  return state == nullptr || *state == 'Z' || *state == 'X';
}

void TargetMemory::close() const {
  if (fd_) kept_open--;
  fd_.reset();
}

void TargetMemory::close_if_many() const {
  if (!held_ && kept_open > highest_kept_fd()) close();
}

void TargetMemory::release() {
  held_ = false;
  close_if_many();
}

bool TargetMemory::read(uint64_t address, void* to, size_t length) const {
  const bool done = open() && pread(fd_.get(), to, length, static_cast<off_t>(address)) == static_cast<ssize_t>(length);
  close_if_many();
  return done || (lent_ != 0 && peek(address, to, length));
}

bool TargetMemory::write(uint64_t address, const void* from, size_t length) {
  const bool done =
      open() && pwrite(fd_.get(), from, length, static_cast<off_t>(address)) == static_cast<ssize_t>(length);
  close_if_many();
  return done || (lent_ != 0 && poke(address, from, length));
}

bool TargetMemory::peek(uint64_t address, void* to, size_t length) const {
  return for_each_word(address, length, [&](uint64_t at, size_t skip, size_t done, size_t part) {
    long word = 0;
    if (!peek_word(lent_, at, word)) return false;
    std::memcpy(static_cast<uint8_t*>(to) + done, reinterpret_cast<uint8_t*>(&word) + skip, part);
    return true;
  });
}

bool TargetMemory::poke(uint64_t address, const void* from, size_t length) {
  return for_each_word(address, length, [&](uint64_t at, size_t skip, size_t done, size_t part) {
    long word = 0;
    if (!peek_word(lent_, at, word)) return false;
    std::memcpy(reinterpret_cast<uint8_t*>(&word) + skip, static_cast<const uint8_t*>(from) + done, part);
    return ptrace(PTRACE_POKETEXT, lent_, at, word) == 0;
  });
}

}  // namespace sonde::guard
