// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/utrace/pages.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "runtime/base/kept_fds.h"
#include "runtime/base/page.h"

namespace sonde {
namespace {

constexpr uint64_t kLowest = kPage, kHighest = uint64_t{1} << 47;  // of addresses that can be mapped
constexpr size_t kMostHelpers = 16, kMostIdle = 2;

// of an entry of pagemap
constexpr uint64_t kPresent = uint64_t{1} << 63, kSwapped = uint64_t{1} << 62, kWriteProtected = uint64_t{1} << 57;

struct Request {
  pid_t pid;
  uint64_t address, length;
};

struct Helper {
  pid_t pid;
  UniqueFd socket;
};

struct Helpers {
  std::vector<Helper> idle;
  size_t busy = 0;
};

Helpers& helpers() {
  static Helpers all;
  return all;
}

bool send_request(int socket, Request request, int memory) {
  iovec part{&request, sizeof request};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &memory, sizeof memory);
  return sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof request);
}

/// The memory to read, from the message; invalid: the guard is gone.
UniqueFd receive_request(int socket, Request& request) {
  iovec part{&request, sizeof request};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got;
  do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (got != static_cast<ssize_t>(sizeof request) || header == nullptr) return {};
  int memory;
  std::memcpy(&memory, CMSG_DATA(header), sizeof memory);
  return UniqueFd(memory);
}

/// process_vm_readv() waits for a userfaultfd; /proc/PID/mem fails there, but is open to us even where Yama allows only
/// the tracer and the parents of a process to read it.
bool touch_byte(pid_t pid, int memory, uint64_t address) {
  char byte;
  iovec here{&byte, 1}, there{reinterpret_cast<void*>(address), 1};
  const ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);
  return got == 1 || (got < 0 && errno == EPERM && pread(memory, &byte, 1, static_cast<off_t>(address)) == 1);
}

bool touch(int memory, const Request& request) {
  const uint64_t end = request.address + request.length;
  for (uint64_t at = request.address; at < end; at = (at / kPage + 1) * kPage)
    if (!touch_byte(request.pid, memory, at)) return false;
  return true;
}

/// The helper: nothing of the guard's stays open in it, and it does not outlive the guard.
[[noreturn]] void help(int socket) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, "sonde-reader");
  dup2(socket, STDIN_FILENO);
  close_range(STDIN_FILENO + 1, ~0u, 0);
  for (Request request{};;) {
    const UniqueFd memory = receive_request(STDIN_FILENO, request);
    if (!memory) _exit(0);
    const bool done = touch(memory.get(), request);
    if (send(STDIN_FILENO, &done, sizeof done, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof done)) _exit(0);
  }
}

std::optional<Helper> new_helper() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
  UniqueFd ours(ends[0]), theirs(ends[1]);
  const pid_t child = fork();
  if (child == 0) help(theirs.get());
  if (child < 0) return std::nullopt;
  return Helper{child, std::move(ours)};
}

UniqueFd open_of(pid_t pid, const char* name) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  return UniqueFd(open(path, O_RDONLY | O_CLOEXEC));
}

bool is_here(uint64_t entry, Access access) {
  const bool is_protected = (entry & kWriteProtected) != 0;
  if ((entry & kPresent) != 0) return access == Access::Read || !is_protected;
  return (entry & kSwapped) != 0 && !is_protected;  // with the mark it is no swapped page, but a note of a userfaultfd
}

}  // namespace

std::optional<Fetch> Fetch::begin(pid_t pid, const UniqueFd& memory, uint64_t address, size_t length) {
  Helpers& all = helpers();
  if (all.busy >= kMostHelpers) return std::nullopt;
  std::optional<Helper> helper;
  if (all.idle.empty()) {
    helper = new_helper();
    if (!helper) return std::nullopt;
  } else {
    helper = std::move(all.idle.back());
    all.idle.pop_back();
  }
  all.busy++;
  Fetch fetch(helper->pid, std::move(helper->socket));
  if (!send_request(fetch.fd(), {pid, address, length}, memory.get())) return std::nullopt;
  return fetch;
}

bool Fetch::result() {
  bool done = false;
  if (recv(fd(), &done, sizeof done, MSG_DONTWAIT) != static_cast<ssize_t>(sizeof done)) return false;
  if (helpers().idle.size() < kMostIdle) {
    helpers().idle.push_back({std::exchange(helper_, 0), std::move(socket_)});
    helpers().busy--;
  }
  return done;
}

Fetch::~Fetch() {
  if (helper_ == 0) return;
  kill(helper_, SIGKILL);  // not waited for: what serves the page may be stopped by us
  helpers().busy--;
}

void end_page_helpers() {
  for (const Helper& helper : std::exchange(helpers().idle, {})) {
    kill(helper.pid, SIGKILL);  // it waits for a request, and for nobody else
    waitpid(helper.pid, nullptr, 0);
  }
}

bool Pages::open() {
  if (map_) return true;
  map_ = open_of(pid_, "pagemap");
  memory_ = open_of(pid_, "mem");
  if (!map_ || !memory_) close();
  return static_cast<bool>(map_);
}

void Pages::close() {
  map_.reset();
  memory_.reset();
}

void Pages::close_if_many() {
  if (std::max(map_.get(), memory_.get()) > highest_kept_fd()) close();
}

bool Pages::here(uint64_t address, size_t length, Access access) {
  if (length == 0 || address < kLowest || address >= kHighest || length > kHighest - address) return true;
  const uint64_t first = address / kPage, count = (address + length - 1) / kPage - first + 1;
  std::array<uint64_t, 64> entries;
  for (uint64_t done = 0; done < count;) {
    if (!open()) return true;
    const size_t part = std::min<size_t>(count - done, entries.size());
    const ssize_t got = pread(map_.get(), entries.data(), part * 8, static_cast<off_t>((first + done) * 8));
    if (got <= 0) {
      close();
      return true;  // the memory is gone
    }
    close_if_many();
    if (!std::all_of(entries.begin(), entries.begin() + got / 8, [&](uint64_t one) { return is_here(one, access); }))
      return false;
    done += static_cast<uint64_t>(got) / 8;
  }
  return true;
}

std::optional<Fetch> Pages::fetch(uint64_t address, size_t length) {
  if (!open()) return std::nullopt;
  auto fetch = Fetch::begin(pid_, memory_, address, length);
  close_if_many();
  return fetch;
}

bool Pages::bring_in(uint64_t address, size_t length, Access access) {
  if (here(address, length, access)) return true;
  if (!may_wait()) return false;
  auto fetch = this->fetch(address, length);
  if (!fetch) return false;
  const auto end = Clock::now() + kGuardWaitsForPages;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    pollfd entry{fetch->fd(), POLLIN, 0};
    const int ready = poll(&entry, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (ready > 0) return fetch->result() && here(address, length, access);
    if (left.count() > 0) continue;
    note_in_vain();
    return false;
  }
}

}  // namespace sonde
