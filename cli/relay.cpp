// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/relay.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <utility>

#include "runtime/base/interrupt.h"
#include "runtime/session/sink.h"

namespace sonde {
namespace {

constexpr size_t kPiece = 1 << 16;  ///< bytes that are read of a terminal in one turn

/// A message with room for one descriptor, and a byte, without which there is no message.
class DescriptorMessage {
 public:
  DescriptorMessage() {
    message_.msg_iov = &piece_;
    message_.msg_iovlen = 1;
    message_.msg_control = rights_.data();
    message_.msg_controllen = rights_.size();
  }
  DescriptorMessage(const DescriptorMessage&) = delete;
  DescriptorMessage& operator=(const DescriptorMessage&) = delete;

  /// Returns 0 or errno.
  int send(int socket, int descriptor) {
    cmsghdr* header = CMSG_FIRSTHDR(&message_);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    for (;;) {
      if (::sendmsg(socket, &message_, MSG_NOSIGNAL) >= 0) return 0;
      if (errno != EINTR) return errno;
    }
  }

  /// What recvmsg() returns.
  ssize_t receive(int socket) {
    for (;;) {
      const ssize_t got = ::recvmsg(socket, &message_, MSG_CMSG_CLOEXEC);
      if (got >= 0 || errno != EINTR) return got;
    }
  }

  /// Of a message that was received; -1: it has none.
  int descriptor() {
    const cmsghdr* header = CMSG_FIRSTHDR(&message_);
    if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return -1;
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return descriptor;
  }

 private:
  char byte_ = 0;
  iovec piece_{&byte_, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> rights_{};
  msghdr message_{};
};

// ---- sonde-relay -----------------------------------------------------------------------------------------------

/// The descriptor of a message; -1: there is no more. Others are passed by.
int receive_master(int socket) {
  for (;;) {
    DescriptorMessage message;
    if (message.receive(socket) <= 0) return -1;
    if (const int master = message.descriptor(); master >= 0) return master;
  }
}

/// Copies what waits. False: its programs have ended, or nobody can read what they write.
bool copy_once(int master) {
  std::array<char, 4096> block;
  const ssize_t got = ::read(master, block.data(), block.size());
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  return got > 0 && write_all(STDOUT_FILENO, {block.data(), static_cast<size_t>(got)}) == 0;
}

/// Until sonde has ended it only looks which masters are not needed any more.
[[noreturn]] void keep_terminals(int socket) {
  std::vector<pollfd> all = {{socket, POLLIN, 0}};
  while (all[0].fd >= 0 || all.size() > 1) {
    if (::poll(all.data(), all.size(), -1) < 0) continue;
    const bool alone = all[0].fd < 0;
    std::erase_if(all, [alone, socket](const pollfd& one) {
      if (one.fd == socket || one.fd < 0 || one.revents == 0) return false;
      if ((one.revents & POLLIN) != 0 && alone && copy_once(one.fd)) return false;
      ::close(one.fd);
      return true;
    });
    if (alone || all[0].revents == 0) continue;
    const int master = receive_master(socket);
    if (master >= 0) {
      all.push_back({master, 0, 0});
    } else {
      all[0].fd = -1;
      for (pollfd& one : all) one.events = POLLIN;
    }
  }
  ::_exit(0);
}

void become_keeper(int socket) {
  ::prctl(PR_SET_NAME, "sonde-relay");
  ::setpgid(0, 0);  // Ctrl-C and Ctrl-Z are not for it
  for (const int signal : {SIGTTOU, SIGPIPE}) ::signal(signal, SIG_IGN);
  keep_terminals(socket);
}

void keep_over_exec(int fd, bool keep) { ::fcntl(fd, F_SETFD, keep ? 0 : FD_CLOEXEC); }

int number_of(const std::string& text) {
  int number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

// ---- sonde -----------------------------------------------------------------------------------------------------

Relay::Relay(UniqueFd keeper) : keeper_(std::move(keeper)), poll_(::epoll_create1(EPOLL_CLOEXEC)) {}

Relay::~Relay() = default;

Result<std::unique_ptr<Relay>> Relay::create() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return Error::from_errno("socketpair");
  UniqueFd ours(ends[0]), theirs(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return Error::from_errno("fork");
  if (child == 0) {
    ours.reset();
    become_keeper(theirs.get());
  }
  return std::unique_ptr<Relay>(new Relay(std::move(ours)));
}

Result<TerminalEnd> Relay::open(bool controls, std::string name) {
  auto terminal = open_terminal(controls, STDOUT_FILENO);
  if (!terminal) return std::move(terminal).error();
  terminal->end.errors = controls || ::isatty(STDERR_FILENO) == 1;
  all_.push_back({std::move(terminal->master), terminal->end, std::move(name), State::Waits, {}});
  return all_.back().end;
}

void Relay::serve(const TerminalEnd& end) {
  const auto found = std::ranges::find(all_, end.number, [](const Terminal& one) { return one.end.number; });
  if (found == all_.end() || found->state != State::Waits) return;
  found->state = State::Serves;
  const int master = found->master.get();
  epoll_event event{.events = EPOLLIN, .data = {.fd = master}};
  ::epoll_ctl(poll_.get(), EPOLL_CTL_ADD, master, &event);
  if (const int error = DescriptorMessage().send(keeper_.get(), master); error != 0) on_unkept_(*found, error);
}

void Relay::serve_all() {
  for (const Terminal& one : all_) serve(one.end);
}

void Relay::drop(const TerminalEnd& end) {
  std::erase_if(all_, [&end](const Terminal& one) { return one.end.number == end.number; });
}

void Relay::set_handlers(OnText on_text, std::function<void(Terminal&)> on_end, OnUnkept on_unkept) {
  on_unkept_ = std::move(on_unkept);
  on_text_ = std::move(on_text);
  on_end_ = std::move(on_end);
}

/// False: nothing waits. `left`: how much may still be read.
bool Relay::read_some(Terminal& terminal, size_t& left) {
  std::array<char, 4096> block;
  const ssize_t got = ::read(terminal.master.get(), block.data(), std::min(block.size(), left));
  if (got < 0 && errno == EINTR) return true;
  if (got < 0 && errno == EAGAIN) return false;
  if (got > 0) {
    left -= static_cast<size_t>(got);
    on_text_(terminal, {block.data(), static_cast<size_t>(got)});
    return left > 0;
  }
  terminal.state = State::Ended;  // EIO: no program has it any more
  return false;
}

void Relay::read_all(size_t most) {
  for (auto terminal = all_.begin(); terminal != all_.end();) {
    for (size_t left = most; terminal->state == State::Serves && read_some(*terminal, left);) {
    }
    const auto one = terminal++;
    if (one->state == State::Ended) forget(one);
  }
}

void Relay::read() { read_all(kPiece); }

void Relay::forget(std::list<Terminal>::iterator terminal) {
  on_end_(*terminal);
  all_.erase(terminal);
}

Relay::Terminal* Relay::find_controlling(std::string_view name) {
  const auto found = std::ranges::find_if(all_.rbegin(), all_.rend(), [name](const Terminal& one) {
    return one.end.controls && (name.empty() || one.name == name);
  });
  return found == all_.rend() ? nullptr : &*found;
}

void Relay::copy_sizes() {
  for (const Terminal& one : all_) copy_size(one.master.get(), STDOUT_FILENO);
}

std::vector<std::string> Relay::hand_over() {
  keep_over_exec(keeper_.get(), true);
  std::vector<std::string> words = {std::to_string(keeper_.release())};
  for (Terminal& one : std::exchange(all_, {})) {
    keep_over_exec(one.master.get(), true);
    words.insert(words.end(), {std::to_string(one.master.release()), std::to_string(one.end.number),
                               one.end.controls ? "controls" : "", one.name});
  }
  return words;
}

std::unique_ptr<Relay> Relay::take_over(const std::vector<std::string>& words) {
  if (words.empty()) return nullptr;
  keep_over_exec(number_of(words[0]), false);
  std::unique_ptr<Relay> relay(new Relay(UniqueFd(number_of(words[0]))));
  for (size_t i = 1; i + 3 < words.size(); i += 4) {
    const int master = number_of(words[i]);
    keep_over_exec(master, false);
    const TerminalEnd end{static_cast<uint32_t>(number_of(words[i + 1])), true, !words[i + 2].empty()};
    relay->all_.push_back({UniqueFd(master), end, words[i + 3], State::Serves, {}});
    epoll_event event{.events = EPOLLIN, .data = {.fd = master}};
    ::epoll_ctl(relay->poll_.get(), EPOLL_CTL_ADD, master, &event);
  }
  return relay;
}

}  // namespace sonde
