// SPDX-License-Identifier: GPL-3.0-or-later
// The ptrace source: the client of the guard
//
//   this process                                the guard
//     PtraceSource  --- request --------------->  Session
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

#include "runtime/buffer/mapped_ring.h"
#include "runtime/guard/guard.h"
#include "runtime/guard/protocol.h"
#include "runtime/source/event_source.h"

namespace sonde {
namespace {

constexpr auto kClosePatience = std::chrono::seconds(10);
constexpr size_t kTapsAtOnce = 4096;

template <typename T>
ByteSpan array_bytes(std::span<const T> array) {
  return {reinterpret_cast<const uint8_t*>(array.data()), array.size_bytes()};
}

class PtraceSource final : public EventSource {
 public:
  explicit PtraceSource(UniqueFd socket) : channel_(std::move(socket)) {}
  ~PtraceSource() override { close_in_step(); }

  Result<void> begin();

  std::string_view name() const override { return "ptrace"; }
  Result<void> create_buffers(uint64_t bytes) override;
  std::span<sonde_ring* const> rings() override { return rings_; }
  std::span<const MappedRing> mapped_rings() override { return mapped_; }
  Result<void> load_program(ProgramId id, const sonde_dif_program& program) override;
  Result<void> add_ecbs(std::span<const Ecb> ecbs) override;
  Result<void> remove_ecbs(std::span<const Epid> epids) override;
  Result<void> arm(std::span<const Tap> taps) override;
  Result<void> disarm(std::span<const TapId> taps) override;
  Result<uint32_t> spawn(const SpawnRequest& request) override;
  Result<void> attach(uint32_t pid) override { return simple(SONDE_ATTACH, pid); }
  Result<void> run_to_entry(uint32_t pid) override { return simple(SONDE_RUN_TO_ENTRY, pid); }
  Result<void> go() override { return simple(SONDE_GO, 0); }
  Result<void> hold(uint32_t pid) override { return simple(SONDE_STOP_TARGET, pid); }
  Result<void> resume(uint32_t pid) override { return simple(SONDE_CONTINUE_TARGET, pid); }
  Result<void> detach(uint32_t pid) override { return simple(SONDE_DETACH, pid); }
  Result<void> read_memory(uint32_t pid, uint64_t address, std::span<uint8_t> to) override;
  Result<void> write_memory(uint32_t pid, uint64_t address, std::span<const uint8_t> from) override;
  Result<void> release(uint32_t tid, Release how) override;
  int event_fd() const override { return poll_.get(); }
  Result<std::optional<SourceEvent>> next_event() override;
  Result<sonde_statistics> statistics() override;

 private:
  struct Answer {
    uint64_t value;
    Bytes bytes;
  };
  Result<Answer> transact(sonde_request request, ByteSpan payload = {});
  Result<void> simple(sonde_request_kind kind, uint64_t value, uint32_t id = 0, ByteSpan payload = {});
  Result<void> exchange(short events);
  void queue_event(const Packet& packet);
  Result<void> gone();
  void close_in_step();

  Channel channel_;
  UniqueFd poll_, queued_;
  std::deque<SourceEvent> events_;
  std::deque<Packet> replies_;
  std::vector<MappedRing> mapped_;
  std::vector<sonde_ring*> rings_;
  bool dead_ = false;
};

Result<void> PtraceSource::begin() {
  poll_ = UniqueFd(epoll_create1(EPOLL_CLOEXEC));
  queued_ = UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!poll_ || !queued_) return Error::from_errno("event descriptor");
  for (int fd : {channel_.fd(), queued_.get()}) {
    epoll_event event{EPOLLIN, {.fd = fd}};
    if (epoll_ctl(poll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return Error::from_errno("event descriptor");
  }
  auto hello = transact({SONDE_HELLO, 0, SONDE_ABI_VERSION, 0, 0});
  if (!hello) return std::move(hello).error();
  if (hello->value != SONDE_ABI_VERSION) return Error("the guard speaks another version", EPROTO);
  return {};
}

Result<void> PtraceSource::gone() {
  dead_ = true;
  return Error("the guard process (sonde-guard) has died; its targets are no longer traced", EPIPE);
}

/// Waits until the socket can be read (or written), and moves what can be moved.
Result<void> PtraceSource::exchange(short events) {
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

void PtraceSource::queue_event(const Packet& packet) {
  auto event = parse_event(packet.body);
  if (!event) return;
  events_.push_back(std::move(*event));
  const uint64_t one = 1;
  if (write(queued_.get(), &one, sizeof one) < 0) return;  // full: it is readable
}

Result<PtraceSource::Answer> PtraceSource::transact(sonde_request request, ByteSpan payload) {
  if (payload.size() > kPacketMax - sizeof request) return Error("request too long", E2BIG);
  if (request.kind != SONDE_READ_MEMORY) request.length = payload.size();
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

Result<void> PtraceSource::simple(sonde_request_kind kind, uint64_t value, uint32_t id, ByteSpan payload) {
  auto answer = transact({static_cast<uint32_t>(kind), id, value, 0, 0}, payload);
  if (!answer) return std::move(answer).error();
  return {};
}

Result<void> PtraceSource::create_buffers(uint64_t bytes) {
  channel_.take_fds();
  auto answer = transact({SONDE_BUFFERS, 0, bytes, 0, 0});
  if (!answer) return std::move(answer).error();
  const auto fds = channel_.take_fds();
  if (fds.empty() || fds.size() != answer->value) return Error("the guard sent no ring", EPROTO);
  for (const UniqueFd& fd : fds) {
    auto ring = map_ring(fd.get());
    if (!ring) return std::move(ring).error();
    rings_.push_back(ring->get());
    mapped_.push_back(std::move(*ring));
  }
  return {};
}

Result<void> PtraceSource::load_program(ProgramId id, const sonde_dif_program& program) {
  return simple(SONDE_PROGRAM_LOAD, 0, id.value, encode_program(program));
}

Result<void> PtraceSource::add_ecbs(std::span<const Ecb> ecbs) {
  std::vector<sonde_ecb> raw;
  for (const Ecb& ecb : ecbs) {
    raw.push_back({ecb.epid.value, ecb.probe.value, ecb.program.value, ecb.held ? SONDE_ECB_HELD : 0});
  }
  return simple(SONDE_ECB_ADD, raw.size(), 0, array_bytes(std::span<const sonde_ecb>(raw)));
}

Result<void> PtraceSource::remove_ecbs(std::span<const Epid> epids) {
  return simple(SONDE_ECB_REMOVE, epids.size(), 0, array_bytes(epids));
}

Result<void> PtraceSource::arm(std::span<const Tap> taps) {
  for (size_t at = 0; at < taps.size(); at += kTapsAtOnce) {
    const auto some = taps.subspan(at, std::min(kTapsAtOnce, taps.size() - at));
    auto armed = simple(SONDE_TAP_ARM, some.size(), 0, encode_taps(some));
    if (armed) continue;
    std::vector<TapId> undo;
    for (const Tap& tap : taps.first(at)) undo.push_back(tap.id);
    if (!undo.empty()) (void)disarm(undo);
    return armed;
  }
  return {};
}

Result<void> PtraceSource::disarm(std::span<const TapId> taps) {
  return simple(SONDE_TAP_DISARM, taps.size(), 0, array_bytes(taps));
}

Result<uint32_t> PtraceSource::spawn(const SpawnRequest& request) {
  auto answer = transact({SONDE_SPAWN, 0, 0, 0, 0}, encode_spawn(request));
  if (!answer) return std::move(answer).error();
  return static_cast<uint32_t>(answer->value);
}

Result<void> PtraceSource::read_memory(uint32_t pid, uint64_t address, std::span<uint8_t> to) {
  while (!to.empty()) {
    const auto part = to.first(std::min<size_t>(to.size(), kMemoryMax));
    auto answer = transact({SONDE_READ_MEMORY, pid, 0, address, part.size()});
    if (!answer) return std::move(answer).error();
    if (answer->bytes.size() != part.size()) return Error("memory of the target cut short", EPROTO);
    std::copy(answer->bytes.begin(), answer->bytes.end(), part.begin());
    to = to.subspan(part.size());
    address += part.size();
  }
  return {};
}

Result<void> PtraceSource::write_memory(uint32_t pid, uint64_t address, std::span<const uint8_t> from) {
  while (!from.empty()) {
    const auto part = from.first(std::min<size_t>(from.size(), kMemoryMax));
    auto answer = transact({SONDE_WRITE_MEMORY, pid, 0, address, 0}, part);
    if (!answer) return std::move(answer).error();
    from = from.subspan(part.size());
    address += part.size();
  }
  return {};
}

Result<void> PtraceSource::release(uint32_t tid, Release how) {
  if (how.stop && how.signal != 0) return Error("release: either stop or a signal", EINVAL);
  const uint64_t value = how.stop ? 1 : how.signal != 0 ? 2 + static_cast<uint64_t>(how.signal) : 0;
  return simple(SONDE_RELEASE, value, tid);
}

Result<std::optional<SourceEvent>> PtraceSource::next_event() {
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

Result<sonde_statistics> PtraceSource::statistics() {
  auto answer = transact({SONDE_STATISTICS, 0, 0, 0, 0});
  if (!answer) return std::move(answer).error();
  sonde_statistics statistics;
  if (answer->bytes.size() != sizeof statistics) return Error("statistics of a wrong size", EPROTO);
  std::memcpy(&statistics, answer->bytes.data(), sizeof statistics);
  return statistics;
}

void PtraceSource::close_in_step() {
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

/// What the guard is, its targets inherit.
void apply(const PtraceSourceOptions& options) {
  if (options.own_group) setpgid(0, 0);
  if (!options.null_input) return;
  UniqueFd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (null) dup2(null.get(), STDIN_FILENO);
}

/// In the first child: starts the guard as a grandchild and ends.
[[noreturn]] void become_guard(int socket, const PtraceSourceOptions& options) {
  const pid_t child = fork();
  if (child != 0) _exit(child < 0 ? errno : 0);
  apply(options);
  _exit(guard_main(socket));
}

}  // namespace

Result<std::unique_ptr<EventSource>> make_ptrace_source(PtraceSourceOptions options) {
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
  auto source = std::make_unique<PtraceSource>(std::move(ours));
  if (auto begun = source->begin(); !begun) return std::move(begun).error().context("start the guard");
  return std::unique_ptr<EventSource>(std::move(source));
}

}  // namespace sonde
