// SPDX-License-Identifier: GPL-3.0-or-later
// send() queues a packet, flush() writes as much as the socket accepts. Packets that wait are sent together, because a
// call for each of a script's programs takes longer than their transfer. Descriptors are sent with the first byte of their
// packet, which therefore begins a message.
//
// Invariant: a parse_*() reads only through a Cursor, and accounts for every byte. So a count is compared with the
// bytes that are there before memory is allocated for it, and bytes left over are an error.
#include "runtime/abi/protocol.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>

#include "kmod/shared/locate.h"
#include "kmod/shared/request.h"

namespace sonde {
namespace {

constexpr size_t kFdsMax = 64;         // of one packet
constexpr size_t kTogether = 1 << 16;  // a message with more bytes is not joined by further packets
constexpr size_t kBuffer = 1 << 15;    // what is read at once before the length of a packet is known
constexpr size_t kAtOnce = 1 << 18;    // what is read at once of a packet that is longer

Error malformed(const char* what) { return Error(std::string("malformed request: ") + what, EINVAL); }

void append(Bytes& to, ByteSpan bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

bool known_kind(uint32_t kind) { return kind >= SONDE_PACKET_REQUEST && kind <= SONDE_PACKET_EVENT; }

/// Reads a payload from its start, and never past its end.
class Cursor {
 public:
  explicit Cursor(ByteSpan bytes) : rest_(bytes) {}

  template <typename T>
  bool take(T& to) {
    if (rest_.size() < sizeof(T)) return false;
    std::memcpy(&to, rest_.data(), sizeof(T));
    rest_ = rest_.subspan(sizeof(T));
    return true;
  }
  template <typename T>
  bool take_array(std::vector<T>& to, uint64_t count) {
    if (count > rest_.size() / sizeof(T)) return false;
    to.resize(count);
    if (count > 0) std::memcpy(to.data(), rest_.data(), count * sizeof(T));
    rest_ = rest_.subspan(count * sizeof(T));
    return true;
  }
  bool take_text(std::string& to, uint64_t length) {
    if (length > rest_.size()) return false;
    to.assign(reinterpret_cast<const char*>(rest_.data()), length);
    rest_ = rest_.subspan(length);
    return true;
  }
  bool take_terminated(std::string& to) {
    const auto end = std::find(rest_.begin(), rest_.end(), 0);
    if (end == rest_.end()) return false;
    to.assign(rest_.begin(), end);
    rest_ = rest_.subspan(to.size() + 1);
    return true;
  }
  bool take_bytes(ByteSpan& to, uint64_t count) {
    if (count > rest_.size()) return false;
    to = rest_.first(count);
    rest_ = rest_.subspan(count);
    return true;
  }
  bool done() const { return rest_.empty(); }
  ByteSpan rest() const { return rest_; }

 private:
  ByteSpan rest_;
};

template <typename T>
Result<std::vector<T>> parse_array(ByteSpan payload, const char* what) {
  Cursor cursor(payload);
  std::vector<T> array;
  if (!cursor.take_array(array, payload.size() / sizeof(T)) || !cursor.done()) return malformed(what);
  return array;
}

}  // namespace

Channel::Channel(UniqueFd socket) : socket_(std::move(socket)) {
  fcntl(socket_.get(), F_SETFL, fcntl(socket_.get(), F_GETFL) | O_NONBLOCK);
}

void Channel::send(uint32_t kind, std::initializer_list<ByteSpan> parts, std::span<const int> fds) {
  sonde_packet header{kind, 0};
  for (ByteSpan part : parts) header.length += static_cast<uint32_t>(part.size());
  SONDE_CHECK(header.length <= kPacketMax && fds.size() <= kFdsMax);
  if (out_.empty() || !fds.empty() || out_.back().bytes.size() > kTogether) {
    out_.emplace_back();
    out_.back().bytes.reserve(std::max(kTogether, sizeof header + header.length));  // growing would write pages twice
  }
  Outgoing& message = out_.back();
  append(message.bytes, as_bytes(header));
  for (ByteSpan part : parts) append(message.bytes, part);
  for (int fd : fds) message.fds.emplace_back(fcntl(fd, F_DUPFD_CLOEXEC, 0));
}

bool Channel::flush() {
  while (!out_.empty()) {
    if (!send_some(out_.front())) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (out_.front().sent == out_.front().bytes.size()) out_.pop_front();
  }
  return true;
}

bool Channel::send_some(Outgoing& out) {
  iovec vector{out.bytes.data() + out.sent, out.bytes.size() - out.sent};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(kFdsMax * sizeof(int))];
  if (!out.fds.empty()) {  // they are sent with the first byte
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(out.fds.size() * sizeof(int));
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(out.fds.size() * sizeof(int));
    for (size_t i = 0; i < out.fds.size(); i++) {
      const int fd = out.fds[i].get();
      std::memcpy(CMSG_DATA(head) + i * sizeof(int), &fd, sizeof fd);
    }
  }
  ssize_t sent;
  do {
    sent = sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) return false;
  out.fds.clear();
  out.sent += static_cast<size_t>(sent);
  return true;
}

UniqueFd Channel::take_fd() {
  if (fds_.empty()) return UniqueFd();
  UniqueFd first = std::move(fds_.front());
  fds_.erase(fds_.begin());
  return first;
}

std::optional<sonde_packet> Channel::header() const {
  sonde_packet header;
  if (in_.size() - used_ < sizeof header) return std::nullopt;
  std::memcpy(&header, in_.data() + used_, sizeof header);
  return header;
}

size_t Channel::missing() const {
  const std::optional<sonde_packet> head = header();
  if (!head || head->length > kPacketMax) return 0;
  const size_t whole = sizeof *head + head->length, available = in_.size() - used_;
  return available >= whole ? 0 : whole - available;
}

bool Channel::fill() {
  in_.erase(in_.begin(), in_.begin() + static_cast<ptrdiff_t>(used_));
  used_ = 0;
  uint8_t buffer[kBuffer];
  const size_t had = in_.size(), direct = std::min(missing(), kAtOnce);  // a long packet is read to where it stays
  if (direct != 0) in_.resize(had + direct);
  iovec vector{direct != 0 ? in_.data() + had : buffer, direct != 0 ? direct : sizeof buffer};
  alignas(cmsghdr) char control[CMSG_SPACE(kFdsMax * sizeof(int))];
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got;
  do {
    got = recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  } while (got < 0 && errno == EINTR);
  const bool none_yet = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  const size_t count = got > 0 ? static_cast<size_t>(got) : 0;
  if (direct != 0) in_.resize(had + count);
  if (got <= 0) return none_yet;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    for (size_t at = 0; CMSG_LEN(at + sizeof(int)) <= head->cmsg_len; at += sizeof(int)) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(head) + at, sizeof fd);
      fds_.emplace_back(fd);
    }
  }
  if (direct == 0) {
    const size_t skipped = std::min<uint64_t>(skip_, count);
    skip_ -= skipped;
    append(in_, {buffer + skipped, count - skipped});
  }
  return true;
}

std::optional<Packet> Channel::next() {
  const std::optional<sonde_packet> head = header();
  if (!head) return std::nullopt;
  Packet packet;
  packet.kind = head->kind;
  const size_t begin = used_ + sizeof *head, available = in_.size() - begin;
  if (head->length > kPacketMax) {
    const uint64_t here = std::min<uint64_t>(available, head->length);
    skip_ = head->length - here;
    used_ = begin + here;
    packet.malformed = true;
  } else if (available < head->length) {
    return std::nullopt;
  } else {
    used_ = begin + head->length;
    packet.malformed = !known_kind(head->kind);
    if (!packet.malformed && used_ == in_.size()) {  // the last one takes the bytes with it
      packet.bytes = std::exchange(in_, {});
      packet.begin = begin;
      used_ = 0;
    } else if (!packet.malformed) {
      packet.bytes.assign(in_.data() + begin, in_.data() + used_);
    }
  }
  return packet;
}

void Channel::shut() { ::shutdown(socket_.get(), SHUT_WR); }

Result<RequestView> parse_request(ByteSpan body) {
  Cursor cursor(body);
  RequestView view;
  if (!cursor.take(view.header)) return malformed("too short");
  view.payload = cursor.rest();
  const bool reads = view.header.kind == SONDE_READ_MEMORY;
  if (view.payload.size() != (reads ? 0 : view.header.length)) return malformed("its length is wrong");
  if (const char* fault = sonde_request_fault(&view.header)) return malformed(fault);
  return view;
}

Result<ReplyView> parse_reply(ByteSpan body) {
  Cursor cursor(body);
  ReplyView view;
  ByteSpan head;
  if (!cursor.take_bytes(head, kReplyHead)) return malformed("reply too short");
  std::memcpy(&view.header, head.data(), kReplyHead);
  view.payload = cursor.rest();
  if (view.payload.size() != view.header.length) return malformed("the reply's length is wrong");
  return view;
}

static FileMapping mapping_of(const sonde_event& event, std::string path) {
  return {event.pid,       event.time,
          event.address,   event.size,
          event.offset,    event.major,
          event.minor,     event.inode,
          std::move(path), event.descriptors != 0 ? std::make_shared<UniqueFd>() : nullptr};
}

Result<SourceEvent> parse_event(ByteSpan body) {
  Cursor cursor(body);
  sonde_event event;
  if (!cursor.take(event) || event.length != cursor.rest().size()) return malformed("event of a wrong length");
  std::string text;
  cursor.take_text(text, event.length);
  switch (static_cast<sonde_event_kind>(event.kind)) {
    case SONDE_EVENT_TARGET_GONE: return SourceEvent(TargetGone{event.pid, static_cast<int>(event.value)});
    case SONDE_EVENT_ALL_GONE: return SourceEvent(AllGone{});
    case SONDE_EVENT_MAPPED:
      return SourceEvent(
          FileMapped{mapping_of(event, std::move(text)), static_cast<uint32_t>(event.value), event.origin});
    case SONDE_EVENT_MAPPING:
      return SourceEvent(MappingSeen{mapping_of(event, std::move(text)), event.value == SONDE_MAPPING_ENDS});
    case SONDE_EVENT_EXEC: return SourceEvent(ProgramChanged{event.pid, event.time});
    case SONDE_EVENT_DATA: return SourceEvent(DataWaits{});
    case SONDE_EVENT_NOTICE: return SourceEvent(Notice{std::move(text), event.value != 0});
    case SONDE_EVENT_RINGS: return SourceEvent(RingsAdded{event.value});
    case SONDE_EVENT_STAYS: return SourceEvent(SourceStays{std::move(text)});
    case SONDE_EVENT_COUNT: break;
  }
  return malformed("unknown event");
}

Result<OwnedProgram> parse_program(ByteSpan payload) {
  Cursor cursor(payload);
  sonde_program_payload head;
  OwnedProgram program;
  if (!cursor.take(head)) return malformed("program too short");
  if (head.length == 0 || head.length > SONDE_DIF_MAX_LENGTH) return malformed("program length");
  if (head.slots > SONDE_MAX_SLOTS || head.pool_size > SONDE_DIF_MAX_POOL || head.reserved != 0)
    return malformed("program slots, pool or reserved");
  if (!cursor.take_array(program.insns, head.length) || !cursor.take_array(program.kinds, head.slots) ||
      !cursor.take_array(program.pool, head.pool_size) || !cursor.done())
    return malformed("program size");
  program.view = {program.insns.data(), head.length, head.slots,          program.pool.data(),
                  head.pool_size,       0,           program.kinds.data()};
  return program;
}

Result<std::vector<sonde_ecb>> parse_ecbs(ByteSpan payload) {
  auto ecbs = parse_array<sonde_ecb>(payload, "array of ECBs");
  if (!ecbs) return ecbs;
  for (const sonde_ecb& ecb : *ecbs)
    if ((ecb.flags & ~SONDE_ECB_HELD) != 0 || ecb.epid == 0 || ecb.probe == 0) return malformed("ECB");
  return ecbs;
}

Result<std::vector<uint32_t>> parse_ids(ByteSpan payload) { return parse_array<uint32_t>(payload, "array of ids"); }

Result<std::vector<Tap>> parse_taps(ByteSpan payload, uint64_t count) {
  Cursor cursor(payload);
  ByteSpan array;
  if (count > payload.size() / sizeof(sonde_tap) || !cursor.take_bytes(array, count * sizeof(sonde_tap)))
    return malformed("array of taps");
  const auto raw = [&](size_t i) {
    sonde_tap tap;
    std::memcpy(&tap, array.data() + i * sizeof tap, sizeof tap);
    return tap;
  };
  std::vector<Tap> taps;
  taps.reserve(count);
  for (size_t i = 0; i < count; i++) {
    const sonde_tap tap = raw(i);
    if (tap.kind >= SONDE_TAP_KIND_COUNT) return malformed("unknown kind of tap");
    if (tap.path_length > SONDE_PATH_MAX) return malformed("path of a tap too long");
    if (const char* fault = sonde_tap_fault(&tap)) return malformed(fault);
    if (sonde_leave_check(&tap.leave) != 0) return malformed("leaving instruction of a tap");
    Tap parsed{TapId{tap.id},
               static_cast<sonde_tap_kind>(tap.kind),
               ProbeId{tap.probe},
               tap.number,
               tap.pid,
               {},
               tap.offset,
               tap.function,
               tap.leave,
               tap.sum,
               {},
               {},
               (tap.flags & SONDE_TAP_FORKS) != 0,
               tap.inode,
               tap.major,
               tap.minor,
               (tap.flags & SONDE_TAP_NOP) != 0};
    const bool same_file = tap.path_length == 0 && is_user_tap(parsed.kind) && !taps.empty();
    if (same_file)
      parsed.path = taps.back().path;
    else if (!cursor.take_text(parsed.path, tap.path_length))
      return malformed("path of a tap cut short");
    if (parsed.path.find('\0') != std::string::npos) return malformed("NUL in the path of a tap");
    taps.push_back(std::move(parsed));
  }
  for (size_t i = 0; i < taps.size(); i++) {
    if (!cursor.take_array(taps[i].locations, raw(i).arguments)) return malformed("locations of a tap cut short");
    for (const sonde_location& location : taps[i].locations)
      if (sonde_location_check(&location) != 0) return malformed("location of a tap");
  }
  for (size_t i = 0; i < taps.size(); i++)
    if (!cursor.take_array(taps[i].counters, raw(i).counters)) return malformed("counters of a tap cut short");
  if (!cursor.done()) return malformed("bytes after the taps");
  return taps;
}

Result<SpawnRequest> parse_spawn(ByteSpan payload) {
  Cursor cursor(payload);
  sonde_spawn_payload head;
  constexpr uint32_t kTerminal = SONDE_SPAWN_TERMINAL | SONDE_SPAWN_TERMINAL_ERRORS | SONDE_SPAWN_TERMINAL_CONTROLS;
  constexpr uint32_t kFlags = SONDE_SPAWN_FILTER | SONDE_SPAWN_SHOWS_EXEC | SONDE_SPAWN_AS_USER | kTerminal;
  if (!cursor.take(head) || head.argc == 0 || head.flags > kFlags) return malformed("spawn");
  const bool has_terminal = (head.flags & SONDE_SPAWN_TERMINAL) != 0;
  if (!has_terminal && ((head.flags & kTerminal) != 0 || head.terminal != 0)) return malformed("terminal of spawn");
  const bool as_user = (head.flags & SONDE_SPAWN_AS_USER) != 0;
  if (!as_user && (head.uid != 0 || head.gid != 0 || head.groups != 0)) return malformed("user of spawn");
  SpawnRequest request;
  request.filter = (head.flags & SONDE_SPAWN_FILTER) != 0;
  request.shows_exec = (head.flags & SONDE_SPAWN_SHOWS_EXEC) != 0;
  for (uint32_t i = 0; i < head.argc; i++)
    if (!cursor.take_terminated(request.argv.emplace_back())) return malformed("arguments of the program cut short");
  for (uint32_t i = 0; i < head.envc; i++)
    if (!cursor.take_terminated(request.environment.emplace_back()))
      return malformed("environment of the program cut short");
  if (!cursor.take_array(request.calls, head.calls)) return malformed("system calls of spawn");
  std::vector<uint32_t> groups;
  if (!cursor.take_array(groups, head.groups) || !cursor.done()) return malformed("groups of spawn");
  if (as_user) request.user = RunAs{head.uid, head.gid, std::move(groups)};
  if (has_terminal)
    request.terminal = TerminalEnd{head.terminal, (head.flags & SONDE_SPAWN_TERMINAL_ERRORS) != 0,
                                   (head.flags & SONDE_SPAWN_TERMINAL_CONTROLS) != 0};
  return request;
}

Bytes encode_program(const sonde_dif_program& program) {
  const sonde_program_payload head{program.length, program.slots, program.pool_size, 0};
  Bytes bytes;
  append(bytes, as_bytes(head));
  append(bytes, {reinterpret_cast<const uint8_t*>(program.insns), program.length * sizeof(sonde_dif_insn)});
  append(bytes, {program.kinds, program.slots});
  append(bytes, {program.pool, program.pool_size});
  return bytes;
}

Bytes encode_taps(std::span<const Tap> taps) {
  Bytes bytes, paths, locations, counters;
  bytes.reserve(taps.size() * sizeof(sonde_tap));
  const std::string* before = nullptr;
  for (const Tap& tap : taps) {
    const bool same_file = before != nullptr && is_user_tap(tap.kind) && *before == tap.path;
    const std::string_view path = same_file ? std::string_view() : tap.path;
    sonde_tap raw{};
    raw.id = tap.id.value;
    raw.kind = static_cast<uint32_t>(tap.kind);
    raw.probe = tap.probe.value;
    raw.number = tap.number;
    raw.pid = tap.pid;
    raw.path_length = static_cast<uint32_t>(path.size());
    raw.offset = tap.offset;
    raw.function = tap.function;
    raw.leave = tap.leave;
    raw.sum = tap.sum;
    raw.arguments = static_cast<uint32_t>(tap.locations.size());
    append(locations,
           {reinterpret_cast<const uint8_t*>(tap.locations.data()), tap.locations.size() * sizeof(sonde_location)});
    raw.flags = (tap.forks ? SONDE_TAP_FORKS : 0) | (tap.nop ? SONDE_TAP_NOP : 0);
    raw.counters = static_cast<uint32_t>(tap.counters.size());
    append(counters, {reinterpret_cast<const uint8_t*>(tap.counters.data()), tap.counters.size() * sizeof(uint64_t)});
    raw.inode = tap.inode;
    raw.major = tap.major;
    raw.minor = tap.minor;
    append(bytes, as_bytes(raw));
    append(paths, {reinterpret_cast<const uint8_t*>(path.data()), path.size()});
    before = &tap.path;
  }
  append(bytes, paths);
  append(bytes, locations);
  append(bytes, counters);
  return bytes;
}

Bytes encode_spawn(const SpawnRequest& request) {
  const RunAs user = request.user.value_or(RunAs{});
  const TerminalEnd terminal = request.terminal.value_or(TerminalEnd{});
  const sonde_spawn_payload head{
      static_cast<uint32_t>(request.argv.size()),
      static_cast<uint32_t>(request.environment.size()),
      (request.filter ? SONDE_SPAWN_FILTER : 0) | (request.shows_exec ? SONDE_SPAWN_SHOWS_EXEC : 0) |
          (request.user ? SONDE_SPAWN_AS_USER : 0) | (request.terminal ? SONDE_SPAWN_TERMINAL : 0) |
          (terminal.errors ? SONDE_SPAWN_TERMINAL_ERRORS : 0) | (terminal.controls ? SONDE_SPAWN_TERMINAL_CONTROLS : 0),
      static_cast<uint32_t>(request.calls.size()),
      user.uid,
      user.gid,
      static_cast<uint32_t>(user.groups.size()),
      terminal.number};
  Bytes bytes;
  append(bytes, as_bytes(head));
  for (const auto* list : {&request.argv, &request.environment}) {
    for (const std::string& text : *list)
      append(bytes, {reinterpret_cast<const uint8_t*>(text.c_str()), text.size() + 1});
  }
  for (const auto* numbers : {&request.calls, &user.groups})
    append(bytes, {reinterpret_cast<const uint8_t*>(numbers->data()), numbers->size() * sizeof(uint32_t)});
  return bytes;
}

}  // namespace sonde
