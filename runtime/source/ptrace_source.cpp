// SPDX-License-Identifier: GPL-3.0-or-later
// The ptrace source: a client of the guard
//
//   this process                                the guard
//     GuardSocket   --- request --------------->  Session
//                   <-- reply, events ----------
//     MappedRing    <======= memfd ============>  RingWriter
//
// A request waits for its reply; events that come first are queued. The guard is forked twice, so that it is
// nobody's child to reap. Closing is in step: the destructor shuts its sending side and waits until the guard
// has closed its own, which it does when every probe is out and every thread let go.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <deque>

#include "runtime/guard/describe.h"
#include "runtime/guard/guard.h"
#include "runtime/guard/taps.h"
#include "runtime/source/client.h"
#include "runtime/source/registry.h"

namespace sonde {
namespace {

constexpr auto kClosePatience = std::chrono::seconds(10);

class GuardSocket final : public Transport {
 public:
  explicit GuardSocket(UniqueFd socket) : channel_(std::move(socket)) {}
  ~GuardSocket() override { close_in_step(); }

  Result<void> begin();
  Result<Answer> transact(const sonde_request& request, ByteSpan payload, size_t room) override;
  Result<std::vector<MappedRing>> map_rings(const Answer& answer) override;
  int event_fd() const override { return poll_.get(); }
  Result<std::optional<SourceEvent>> next_event() override;

 private:
  Result<void> exchange(short events);
  void queue_event(const Packet& packet);
  Result<void> gone();
  void close_in_step();

  Channel channel_;
  UniqueFd poll_, queued_;
  std::deque<SourceEvent> events_;
  std::deque<Packet> replies_;
  bool dead_ = false;
};

Result<void> GuardSocket::begin() {
  poll_ = UniqueFd(epoll_create1(EPOLL_CLOEXEC));
  queued_ = UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!poll_ || !queued_) return Error::from_errno("event descriptor");
  for (int fd : {channel_.fd(), queued_.get()}) {
    epoll_event event{EPOLLIN, {.fd = fd}};
    if (epoll_ctl(poll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return Error::from_errno("event descriptor");
  }
  return {};
}

Result<void> GuardSocket::gone() {
  dead_ = true;
  return Error("the guard process (sonde-guard) has died; its targets are no longer traced", EPIPE);
}

/// Waits until the socket can be read (or written), and moves what can be moved.
Result<void> GuardSocket::exchange(short events) {
  if (dead_) return gone();
  pollfd entry{channel_.fd(), events, 0};
  while (poll(&entry, 1, -1) < 0 && errno == EINTR) {
  }
  const bool writable = channel_.flush();
  const bool readable = channel_.fill();
  while (auto packet = channel_.next()) {
    if (packet->malformed) return gone();
    if (packet->kind == SONDE_PACKET_REPLY) replies_.push_back(std::move(*packet));
    if (packet->kind == SONDE_PACKET_EVENT) queue_event(*packet);
  }
  if (!readable || !writable) dead_ = true;
  if (dead_ && replies_.empty()) return gone();
  return {};
}

void GuardSocket::queue_event(const Packet& packet) {
  auto event = parse_event(packet.body);
  if (!event) return;
  events_.push_back(std::move(*event));
  const uint64_t one = 1;
  if (write(queued_.get(), &one, sizeof one) < 0) return;  // full: it is readable
}

Result<Transport::Answer> GuardSocket::transact(const sonde_request& request, ByteSpan payload, size_t) {
  if (payload.size() > kPacketMax - sizeof request) return Error("request too long", E2BIG);
  channel_.take_fds();
  channel_.send(SONDE_PACKET_REQUEST, {as_bytes(request), payload});
  if (!channel_.flush()) dead_ = true;
  while (replies_.empty()) {
    auto moved = exchange(static_cast<short>(POLLIN | (channel_.unsent() ? POLLOUT : 0)));
    if (!moved) return std::move(moved).error();
  }
  const Packet packet = std::move(replies_.front());
  replies_.pop_front();
  auto reply = parse_reply(packet.body);
  if (!reply) return std::move(reply).error();
  if (reply->header.error != 0) {
    const int code = -reply->header.error;
    if (reply->header.why[0] != '\0') return Error(reply->header.why, code);
    return Error::from_errno("the guard", code);
  }
  return Answer{reply->header.value, Bytes(reply->payload.begin(), reply->payload.end())};
}

/// Their descriptors came with the reply.
Result<std::vector<MappedRing>> GuardSocket::map_rings(const Answer&) {
  std::vector<MappedRing> rings;
  for (const UniqueFd& fd : channel_.take_fds()) {
    auto ring = map_ring(fd.get());
    if (!ring) return std::move(ring).error();
    rings.push_back(std::move(*ring));
  }
  return rings;
}

Result<std::optional<SourceEvent>> GuardSocket::next_event() {
  if (!dead_) {
    pollfd entry{channel_.fd(), POLLIN, 0};
    if (poll(&entry, 1, 0) > 0) (void)exchange(POLLIN);  // its error shows below, after the last event
  }
  if (events_.empty()) {
    uint64_t count;
    if (read(queued_.get(), &count, sizeof count) < 0 && errno != EAGAIN) return Error::from_errno("eventfd");
    if (dead_) return std::move(gone()).error();
    return std::optional<SourceEvent>();
  }
  SourceEvent event = std::move(events_.front());
  events_.pop_front();
  return std::optional<SourceEvent>(std::move(event));
}

void GuardSocket::close_in_step() {
  channel_.flush();
  channel_.shut();
  const auto end = std::chrono::steady_clock::now() + kClosePatience;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd entry{channel_.fd(), POLLIN, 0};
    if (left.count() <= 0) return;
    if (poll(&entry, 1, static_cast<int>(left.count())) <= 0) continue;
    if (!channel_.fill()) return;
    while (channel_.next()) {
    }
  }
}

class PtraceSource final : public SourceClient {
 public:
  using SourceClient::SourceClient;
  bool can(sonde_tap_kind kind) const override { return guard::shows(kind); }
  std::string how_armed(const Tap& tap) const override { return guard::describe_site(tap); }
};

/// What the guard is, its targets inherit.
void apply(const SourceOptions& options) {
  if (options.own_group) setpgid(0, 0);
  if (!options.null_input) return;
  UniqueFd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (null) dup2(null.get(), STDIN_FILENO);
}

/// In the first child: starts the guard as a grandchild and ends.
[[noreturn]] void become_guard(int socket, const SourceOptions& options) {
  const pid_t child = fork();
  if (child != 0) _exit(child < 0 ? errno : 0);
  apply(options);
  _exit(guard_main(socket));
}

}  // namespace

Result<std::unique_ptr<EventSource>> open_ptrace_source(const SourceOptions& options) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return Error::from_errno("socketpair");
  UniqueFd ours(ends[0]), theirs(ends[1]);
  fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return Error::from_errno("start the guard: fork");
  if (child == 0) {
    ours.reset();
    become_guard(theirs.get(), options);
  }
  theirs.reset();
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    return Error::from_errno("start the guard: fork", WEXITSTATUS(status));
  auto socket = std::make_unique<GuardSocket>(std::move(ours));
  auto begun = socket->begin();
  auto source = std::make_unique<PtraceSource>("ptrace", std::move(socket));
  if (begun) begun = source->begin();
  if (!begun) return std::move(begun).error().context("start the guard");
  return std::unique_ptr<EventSource>(std::move(source));
}

}  // namespace sonde
