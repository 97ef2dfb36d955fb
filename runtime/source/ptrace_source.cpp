// SPDX-License-Identifier: GPL-3.0-or-later
// The ptrace source: a client of the guard
//
//   this process                                the guard
//     GuardSocket   --- request --------------->  Session
//                   <-- reply, events ----------
//     MappedRing    <======= memfd ============>  RingWriter
//
// A request waits for its reply, unless it was posted: then other requests can be sent meanwhile. Replies come in the
// order of the requests; events that arrive between them are queued. The guard is a fork of this very binary, so its
// version is not checked.
//
// Closing: we shut our sending side and wait for the guard to end, because only its end frees threads that sleep; then
// we reap it. A guard that must stay for programs with a seccomp filter announces that (STAYS) before it closes its
// side, and is not waited for.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <utility>

#include "runtime/base/interrupt.h"
#include "runtime/guard/describe.h"
#include "runtime/guard/guard.h"
#include "runtime/source/aftercare.h"
#include "runtime/source/client.h"
#include "runtime/source/registry.h"

namespace sonde {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kClosePatience = std::chrono::seconds(10);
/// After a signal that asked for the end. A guard that does not answer, or end, in this time is not waited for: the
/// closed socket tells it to let its targets go, and within a second all is over. Ending takes longer, because threads are
/// watched until they can go.
constexpr auto kAnswerAfterSignal = std::chrono::milliseconds(700);
constexpr auto kCloseAfterSignal = std::chrono::seconds(3);
/// For an event that the guard has queued, but the socket had no room for.
constexpr auto kEventPatience = std::chrono::seconds(1);
constexpr auto kLookForSignal = std::chrono::milliseconds(100);

/// Waits until `fd` is ready for `events`; false: not by `end`, nor in the time `after_signal`.
bool await_ready(int fd, short events, Clock::time_point end, Clock::duration after_signal) {
  for (bool signalled = false;;) {
    if (interrupted() && !std::exchange(signalled, true)) end = std::min(end, Clock::now() + after_signal);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    pollfd entry{fd, events, 0};
    if (poll(&entry, 1,
             static_cast<int>(std::min<Clock::duration>(left, kLookForSignal) / std::chrono::milliseconds(1))) > 0)
      return true;
  }
}

class GuardSocket final : public Transport {
 public:
  GuardSocket(UniqueFd socket, pid_t guard)
      : channel_(std::move(socket)), guard_(guard), end_(static_cast<int>(syscall(SYS_pidfd_open, guard, 0))) {}
  ~GuardSocket() override { close(); }

  Result<void> begin();
  Result<Answer> transact(const sonde_request& request, ByteSpan payload, size_t room) override;
  void post(const sonde_request& request, ByteSpan payload) override;
  void send_posted() override;
  Result<Answer> answer() override { return reply(0); }
  Result<std::vector<MappedRing>> map_rings(const Answer& answer) override;
  int event_fd() const override { return poll_.get(); }
  Result<std::optional<SourceEvent>> next_event() override;
  void begin_close() override;
  std::vector<Notice> close() override;
  /// Called once, when the guard is found dead that nobody has told to end. Returns a sentence for the user, or nothing.
  std::function<std::string()> on_death = [] { return std::string(); };

 private:
  Result<void> exchange(short events);
  void read_events();
  uint64_t sent() const;
  Result<Answer> reply(size_t index);
  void queue_event(const Packet& packet);
  Result<void> gone();
  Result<void> unresponsive();
  void read_to_end(Clock::time_point end);

  Channel channel_;
  pid_t guard_;   ///< 0: reaped, or it stays and is not ours any more
  UniqueFd end_;  ///< a pidfd: readable when the guard has ended
  UniqueFd poll_, queued_;
  std::deque<SourceEvent> events_;
  uint64_t received_ = 0;       ///< events, in total
  sonde_ring* ring_ = nullptr;  ///< the client's; null: none yet
  std::deque<Packet> replies_;
  size_t posted_ = 0;  ///< requests whose answers have not been fetched; their replies come before all others
  bool dead_ = false, closing_ = false;
  std::string aftermath_;  ///< what on_death() said
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
  // Its socket closes before the kernel takes its targets from it.
  if (!closing_ && await_ready(end_.get(), POLLIN, Clock::now() + kEventPatience, kAnswerAfterSignal))
    if (std::string said = on_death(); !said.empty()) aftermath_ = "; " + std::move(said);
  return Error("the guard process (sonde-guard) has died; its targets are no longer traced" + aftermath_, EPIPE);
}

Result<void> GuardSocket::unresponsive() {
  dead_ = true;
  return Error("the guard process (sonde-guard) does not answer; it lets its targets go when it can", ETIMEDOUT);
}

/// Waits until the socket is readable (or writable), and transfers what it can.
Result<void> GuardSocket::exchange(short events) {
  if (dead_) return gone();
  if (!await_ready(channel_.fd(), events, Clock::time_point::max(), kAnswerAfterSignal)) return unresponsive();
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
  received_++;
  auto event = parse_event(packet.body());
  if (!event) return;
  if (auto* seen = std::get_if<MappingSeen>(&*event); seen != nullptr && seen->mapping.file != nullptr)
    *seen->mapping.file = channel_.take_fd();
  events_.push_back(std::move(*event));
  const uint64_t one = 1;
  if (write(queued_.get(), &one, sizeof one) < 0) return;  // full means readable, which is all we want
}

Result<Transport::Answer> GuardSocket::transact(const sonde_request& request, ByteSpan payload, size_t) {
  if (payload.size() > kPacketMax - sizeof request) return Error("request too long", E2BIG);
  const size_t before = posted_;
  post(request, payload);
  return reply(before);
}

void GuardSocket::post(const sonde_request& request, ByteSpan payload) {
  channel_.send(SONDE_PACKET_REQUEST, {as_bytes(request), payload});
  posted_++;
}

void GuardSocket::send_posted() {
  if (!channel_.flush()) dead_ = true;
}

/// Waits for reply number `index`, and returns it.
Result<Transport::Answer> GuardSocket::reply(size_t index) {
  send_posted();
  posted_--;
  while (replies_.size() <= index) {
    auto moved = exchange(static_cast<short>(POLLIN | (channel_.unsent() ? POLLOUT : 0)));
    if (!moved) return std::move(moved).error();
  }
  const auto place = replies_.begin() + static_cast<ptrdiff_t>(index);
  const Packet packet = std::move(*place);
  replies_.erase(place);
  auto reply = parse_reply(packet.body());
  if (!reply) return std::move(reply).error();
  if (reply->header.error != 0) {
    const int code = -reply->header.error;
    if (!reply->payload.empty()) return Error(std::string(reply->payload.begin(), reply->payload.end()), code);
    return Error::from_errno("the guard", code);
  }
  return Answer{reply->header.value, Bytes(reply->payload.begin(), reply->payload.end())};
}

/// The rings' descriptors came with the reply.
Result<std::vector<MappedRing>> GuardSocket::map_rings(const Answer&) {
  std::vector<MappedRing> rings;
  for (const UniqueFd& fd : channel_.take_fds()) {
    auto ring = map_ring(fd.get());
    if (!ring) return std::move(ring).error();
    rings.push_back(std::move(*ring));
  }
  if (!rings.empty()) ring_ = rings.front().get();
  return rings;
}

/// How many events the guard has sent before the records that are visible now.
uint64_t GuardSocket::sent() const {
  return ring_ == nullptr ? 0 : std::atomic_ref(ring_->events).load(std::memory_order_relaxed);
}

/// Reads the events that have arrived. Those that records need come from the guard's memory if the socket was full.
void GuardSocket::read_events() {
  const auto end = Clock::now() + kEventPatience;
  do {
    pollfd entry{channel_.fd(), POLLIN, 0};
    if (poll(&entry, 1, 0) > 0) (void)exchange(POLLIN);  // an error is reported after the last event
  } while (!dead_ && events_.empty() && received_ < sent() &&
           await_ready(channel_.fd(), POLLIN, end, kAnswerAfterSignal));
}

Result<std::optional<SourceEvent>> GuardSocket::next_event() {
  if (!dead_) read_events();
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

/// Reads what the guard sends until it closes its side.
void GuardSocket::read_to_end(Clock::time_point end) {
  while (!dead_ && await_ready(channel_.fd(), POLLIN, end, kCloseAfterSignal)) (void)exchange(POLLIN);
}

void GuardSocket::begin_close() {
  closing_ = true;
  channel_.flush();
  channel_.shut();
}

std::vector<Notice> GuardSocket::close() {
  if (guard_ == 0) return {};
  const pid_t guard = std::exchange(guard_, 0);
  const auto end = Clock::now() + kClosePatience;
  begin_close();
  read_to_end(end);
  std::vector<Notice> notices;
  for (const SourceEvent& event : events_) {
    if (const auto* notice = std::get_if<Notice>(&event)) notices.push_back(*notice);
    if (const auto* stays = std::get_if<SourceStays>(&event)) return notices.push_back({stays->text}), notices;
  }
  (void)await_ready(end_.get(), POLLIN, end, dead_ ? kAnswerAfterSignal : kCloseAfterSignal);
  if (waitpid(guard, nullptr, WNOHANG) == 0)
    notices.push_back({"the guard (sonde-guard, pid " + std::to_string(guard) +
                       ") has not ended yet; it is not waited for any longer"});
  return notices;
}

class PtraceSource final : public SourceClient {
 public:
  PtraceSource(const SourceRow& row, std::unique_ptr<GuardSocket> socket) : PtraceSource(row, socket.get(), socket) {}

  Result<void> arm(std::span<const Tap> taps) override {
    auto done = SourceClient::arm(taps);
    if (done) aftercare_.note_armed(taps);
    return done;
  }
  Result<void> disarm(std::span<const TapId> taps) override {
    auto done = SourceClient::disarm(taps);
    if (done) aftercare_.note_disarmed(taps);
    return done;
  }
  Result<void> attach(uint32_t pid) override {
    aftercare_.note_target(pid);
    return SourceClient::attach(pid);
  }
  Result<void> begin_spawn(const SpawnRequest& request) override {
    const Bytes payload = encode_spawn(request);
    transport().post({SONDE_SPAWN, 0, 0, 0, payload.size()}, payload);
    transport().send_posted();
    return {};
  }
  Result<uint32_t> spawned() override {
    auto answer = transport().answer();
    if (!answer) return std::move(answer).error();
    return static_cast<uint32_t>(answer->value);
  }
  std::string how_armed(const Tap& tap) const override { return guard::describe_site(tap); }

 private:
  PtraceSource(const SourceRow& row, GuardSocket* socket, std::unique_ptr<GuardSocket>& owned)
      : SourceClient(row, std::move(owned)) {
    socket->on_death = [this] { return aftercare_.take_back(); };
  }

  Aftercare aftercare_;
};

/// The files that sonde and the guard open for one target, and some to spare. With less, the guard would see no mappings
/// of the target, and count nothing.
constexpr int kFilesNeeded = 24;

Result<void> check_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= 1024) return {};
  const int most = static_cast<int>(limit.rlim_cur);
  int open = 0;
  for (int fd = 0; fd < most; fd++) open += fcntl(fd, F_GETFD) >= 0;
  if (most - open >= kFilesNeeded) return {};
  return Error("the limit on open files is " + std::to_string(most) + " (ulimit -n), and " + std::to_string(open) +
                   " are open: " + std::to_string(kFilesNeeded) + " more are needed",
               EMFILE);
}

}  // namespace

Result<std::unique_ptr<EventSource>> open_ptrace_source(const SourceOptions& options) {
  if (auto enough = check_descriptors(); !enough) return std::move(enough).error();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return Error::from_errno("socketpair");
  UniqueFd ours(ends[0]), theirs(ends[1]);
  fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return Error::from_errno("start the guard: fork");
  if (child == 0) {
    ours.reset();
    options.apply();
    guard_main(theirs.get());
  }
  theirs.reset();
  auto socket = std::make_unique<GuardSocket>(std::move(ours), child);
  if (auto begun = socket->begin(); !begun) return std::move(begun).error().context("start the guard");
  return std::unique_ptr<EventSource>(std::make_unique<PtraceSource>(kPtraceRow, std::move(socket)));
}

}  // namespace sonde
