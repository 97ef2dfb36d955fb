// SPDX-License-Identifier: GPL-3.0-or-later
// Packets: round trips, and the answers to malformed ones
#include "runtime/abi/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <random>

#include "kmod/shared/request.h"
#include "runtime/guard/guard.h"
#include "tests/runtime/guard/guard_fixture.h"

namespace sonde::test {
namespace {

TEST(Protocol, TapsRoundTrip) {
  std::vector<Tap> taps = {{TapId{1}, SONDE_TAP_SYSCALL_ENTRY, ProbeId{2}, 39, 0, "", 0, 0},
                           {TapId{2}, SONDE_TAP_USER_RETURN, ProbeId{3}, 0, 77, "/lib/x.so", 0x1234, 0x1200},
                           {TapId{3}, SONDE_TAP_USER_OFFSET, ProbeId{4}, 0, 0, "/bin/y", ~uint64_t{0}, 1}};
  taps[1].locations = {{SONDE_LOCATION_REGISTER, 0, 0, 5, SONDE_NO_REGISTER, 0, 0, 0, 8, 0},
                       {SONDE_LOCATION_MEMORY, 0, 1, 7, SONDE_NO_REGISTER, 0, 0, 0, 24, 8}};
  taps[2].locations = {{SONDE_LOCATION_CONSTANT, 0, 0, 0, SONDE_NO_REGISTER, 0, 0, 0, 8, 77}};
  auto parsed = parse_taps(encode_taps(taps), taps.size());
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->size(), taps.size());
  for (size_t i = 0; i < taps.size(); i++) {
    EXPECT_EQ((*parsed)[i].id, taps[i].id);
    EXPECT_EQ((*parsed)[i].kind, taps[i].kind);
    EXPECT_EQ((*parsed)[i].path, taps[i].path);
    EXPECT_EQ((*parsed)[i].offset, taps[i].offset);
    EXPECT_EQ((*parsed)[i].function, taps[i].function);
    EXPECT_EQ((*parsed)[i].pid, taps[i].pid);
    ASSERT_EQ((*parsed)[i].locations.size(), taps[i].locations.size());
    for (size_t n = 0; n < taps[i].locations.size(); n++) {
      EXPECT_EQ((*parsed)[i].locations[n].kind, taps[i].locations[n].kind);
      EXPECT_EQ((*parsed)[i].locations[n].value, taps[i].locations[n].value);
    }
  }
}

TEST(Protocol, SpawnRoundTrip) {
  SpawnRequest request{{"prog", "", "an argument"}, {"A=1", "B="}, true, {1, 2, 300}, false};
  auto parsed = parse_spawn(encode_spawn(request));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->argv, request.argv);
  EXPECT_EQ(parsed->environment, request.environment);
  EXPECT_EQ(parsed->calls, request.calls);
  EXPECT_TRUE(parsed->filter);
  EXPECT_FALSE(parsed->shows_exec);
  request.filter = false;
  request.shows_exec = true;
  parsed = parse_spawn(encode_spawn(request));
  ASSERT_TRUE(parsed);
  EXPECT_FALSE(parsed->filter);
  EXPECT_TRUE(parsed->shows_exec);
  EXPECT_FALSE(parsed->user);
  request.user = RunAs{7, 8, {9, 10}};
  parsed = parse_spawn(encode_spawn(request));
  ASSERT_TRUE(parsed && parsed->user);
  EXPECT_EQ(parsed->user->uid, 7u);
  EXPECT_EQ(parsed->user->gid, 8u);
  EXPECT_EQ(parsed->user->groups, (std::vector<uint32_t>{9, 10}));
  Bytes unasked = encode_spawn(request);
  unasked[offsetof(sonde_spawn_payload, flags)] &= static_cast<uint8_t>(~SONDE_SPAWN_AS_USER);
  EXPECT_FALSE(parse_spawn(unasked));
}

TEST(Protocol, SpawnOnATerminal) {
  for (const bool errors : {false, true})
    for (const bool controls : {false, true}) {
      SpawnRequest request{{"prog"}, {}, false, {}, false, RunAs{7, 8, {9}}, TerminalEnd{3, errors, controls}};
      const auto parsed = parse_spawn(encode_spawn(request));
      ASSERT_TRUE(parsed && parsed->terminal && parsed->user);
      EXPECT_EQ(parsed->terminal->number, 3u);
      EXPECT_EQ(parsed->terminal->errors, errors);
      EXPECT_EQ(parsed->terminal->controls, controls);
      Bytes unasked = encode_spawn(request);
      unasked[offsetof(sonde_spawn_payload, flags)] &= static_cast<uint8_t>(~SONDE_SPAWN_TERMINAL);
      EXPECT_FALSE(parse_spawn(unasked));
    }
  const auto without = parse_spawn(encode_spawn({{"prog"}, {}, false, {}}));
  ASSERT_TRUE(without);
  EXPECT_FALSE(without->terminal);
}

/// Every prefix of a valid payload, and every payload with one byte changed, is either parsed or refused with EINVAL.
template <typename Event>
Event event_of(sonde_event_kind kind, const std::string& text) {
  const sonde_event header{.kind = static_cast<uint32_t>(kind),
                           .pid = 7,
                           .value = 300,
                           .time = 400,
                           .address = 0x1000,
                           .size = 0x5000,
                           .offset = 0x2000,
                           .inode = 9,
                           .major = 8,
                           .minor = 1,
                           .length = static_cast<uint32_t>(text.size()),
                           .descriptors = 0};
  Bytes body(as_bytes(header).begin(), as_bytes(header).end());
  body.insert(body.end(), text.begin(), text.end());
  auto parsed = parse_event(body);
  EXPECT_TRUE(parsed && std::holds_alternative<Event>(*parsed)) << kind;
  return parsed && std::holds_alternative<Event>(*parsed) ? std::get<Event>(*parsed) : Event{};
}

TEST(Protocol, EachEventHasItsFields) {
  const auto gone = event_of<TargetGone>(SONDE_EVENT_TARGET_GONE, "");
  EXPECT_EQ(gone.pid, 7u);
  EXPECT_EQ(gone.wait_status, 300);
  const auto mapped = event_of<FileMapped>(SONDE_EVENT_MAPPED, "/lib/x.so");
  EXPECT_EQ(mapped.waiting, 300u);
  EXPECT_EQ(mapped.mapping.pid, 7u);
  EXPECT_EQ(mapped.mapping.time, 400u);
  EXPECT_EQ(mapped.mapping.address, 0x1000u);
  EXPECT_EQ(mapped.mapping.bytes, 0x5000u);
  EXPECT_EQ(mapped.mapping.offset, 0x2000u);
  EXPECT_EQ(mapped.mapping.inode, 9u);
  EXPECT_EQ(mapped.mapping.major, 8u);
  EXPECT_EQ(mapped.mapping.minor, 1u);
  EXPECT_EQ(mapped.mapping.path, "/lib/x.so");
  const auto seen = event_of<MappingSeen>(SONDE_EVENT_MAPPING, "/lib/y.so");
  EXPECT_EQ(seen.mapping.path, "/lib/y.so");
  EXPECT_FALSE(seen.ends);
  EXPECT_EQ(event_of<ProgramChanged>(SONDE_EVENT_EXEC, "").time, 400u);
  EXPECT_EQ(event_of<ProgramChanged>(SONDE_EVENT_EXEC, "").pid, 7u);
  EXPECT_EQ(event_of<Notice>(SONDE_EVENT_NOTICE, "look").text, "look");
  EXPECT_EQ(event_of<RingsAdded>(SONDE_EVENT_RINGS, "").rings, 300u);
  EXPECT_EQ(event_of<SourceStays>(SONDE_EVENT_STAYS, "it stays").text, "it stays");
  event_of<AllGone>(SONDE_EVENT_ALL_GONE, "");
  event_of<DataWaits>(SONDE_EVENT_DATA, "");
  sonde_event unknown{};
  unknown.kind = SONDE_EVENT_COUNT;
  EXPECT_FALSE(parse_event(as_bytes(unknown)));
}

TEST(Protocol, CutOrSpoiltPayloads) {
  Tap tap{TapId{2}, SONDE_TAP_USER_RETURN, ProbeId{3}, 0, 77, "/lib/x.so", 0x1234, 0x1200};
  tap.locations.assign(2, {SONDE_LOCATION_REGISTER, 0, 0, 5, SONDE_NO_REGISTER, 0, 0, 0, 8, 0});
  const Bytes taps = encode_taps({&tap, 1});
  const Bytes spawn =
      encode_spawn({{"prog", "x"}, {"A=1"}, false, {1}, false, RunAs{1, 2, {3}}, TerminalEnd{5, true, true}});
  const sonde_dif_insn record{SONDE_DIF_RECORD, 0, 0, 0, 0};
  const Bytes program = encode_program({&record, 1, 0, nullptr, 0, 0, nullptr});
  const auto check = [](const Bytes& bytes, auto parse) {
    for (size_t length = 0; length < bytes.size(); length++) {
      const Bytes cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(length));  // no bytes follow
      auto parsed = parse(cut);
      ASSERT_FALSE(parsed);
      EXPECT_EQ(parsed.error().code(), EINVAL);
    }
    for (size_t at = 0; at < bytes.size(); at++) {
      for (int bit = 0; bit < 8; bit++) {
        Bytes spoilt = bytes;
        spoilt[at] ^= static_cast<uint8_t>(1 << bit);
        auto parsed = parse(spoilt);
        if (!parsed) {
          EXPECT_EQ(parsed.error().code(), EINVAL);
        }
      }
    }
  };
  check(taps, [](ByteSpan bytes) { return parse_taps(bytes, 1); });
  check(spawn, [](ByteSpan bytes) { return parse_spawn(bytes); });
  check(program, [](ByteSpan bytes) { return parse_program(bytes); });
  EXPECT_FALSE(parse_taps(taps, UINT64_MAX));
  EXPECT_FALSE(parse_ids(Bytes(5)));
  EXPECT_FALSE(parse_ecbs(Bytes(17)));
}

/// A script of thousands of programs would otherwise make as many system calls, and be answered by as many. A socket of
/// this type keeps the bounds of what one call sends.
TEST(Protocol, PacketsThatWaitAreSentByOneCall) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  Channel left{UniqueFd(ends[0])};
  const UniqueFd right(ends[1]);
  const sonde_request request{SONDE_HELLO, 0, SONDE_ABI_VERSION, 0, 0};
  for (int i = 0; i < 3; i++) left.send(SONDE_PACKET_REQUEST, {as_bytes(request)});
  EXPECT_TRUE(left.unsent());
  EXPECT_TRUE(left.flush());
  uint8_t bytes[1024];
  EXPECT_EQ(recv(right.get(), bytes, sizeof bytes, MSG_DONTWAIT),
            static_cast<ssize_t>(3 * (sizeof(sonde_packet) + sizeof request)));
}

TEST(Protocol, ADescriptorIsSentWithItsPacket) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  Channel left{UniqueFd(ends[0])}, right{UniqueFd(ends[1])};
  const sonde_reply reply{};
  left.send(SONDE_PACKET_REPLY, {as_bytes(reply)});
  const int fd = left.fd();
  left.send(SONDE_PACKET_REPLY, {as_bytes(reply)}, {&fd, 1});
  left.send(SONDE_PACKET_REPLY, {as_bytes(reply)});
  EXPECT_TRUE(left.flush());
  for (int i = 0; i < 3; i++) {  // the kernel ends a call where descriptors begin
    auto packet = right.next();
    if (!packet) EXPECT_TRUE(right.fill());
    EXPECT_TRUE(packet || right.next());
  }
  EXPECT_EQ(right.take_fds().size(), 1u);
}

TEST(Protocol, ChannelKeepsPacketsWholeAndInOrder) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  Channel one{UniqueFd(ends[0])}, two{UniqueFd(ends[1])};
  const Bytes big(3 << 20, 7), small(3, 1);
  one.send(SONDE_PACKET_EVENT, {big});
  one.send(SONDE_PACKET_REPLY, {small, small});
  std::vector<Packet> packets;
  for (int i = 0; i < 1000 && packets.size() < 2; i++) {
    ASSERT_TRUE(one.flush());
    ASSERT_TRUE(two.fill());
    while (auto packet = two.next()) packets.push_back(std::move(*packet));
  }
  ASSERT_EQ(packets.size(), 2u);
  EXPECT_THAT(packets[0].body(), testing::ElementsAreArray(big));
  EXPECT_EQ(packets[1].body().size(), 6u);
  const sonde_packet huge{SONDE_PACKET_REQUEST, UINT32_MAX};
  ASSERT_EQ(write(ends[0], &huge, sizeof huge), static_cast<ssize_t>(sizeof huge));
  ASSERT_TRUE(two.fill());
  auto refused = two.next();
  ASSERT_TRUE(refused);
  EXPECT_TRUE(refused->malformed);
}

// Sizes on both sides of each buffer, which arrive in pieces of any size.
TEST(Protocol, ChannelKeepsPacketsOfAllSizesInAllPieces) {
  constexpr size_t kSizes[] = {0, 1, 40, 16375, 16376, 16377, 20000, 262143, 262144, 262145, 700000};
  std::mt19937 random(7);
  for (int round = 0; round < 60; round++) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    Channel channel{UniqueFd(ends[1])};
    const UniqueFd writer(ends[0]);
    std::vector<Bytes> wanted;
    Bytes stream;
    for (int i = 0; i < 5; i++) {
      Bytes& body = wanted.emplace_back(kSizes[random() % std::size(kSizes)]);
      for (size_t at = 0; at < body.size(); at += 97) body[at] = static_cast<uint8_t>(random());
      const sonde_packet header{SONDE_PACKET_EVENT, static_cast<uint32_t>(body.size())};
      const ByteSpan head = as_bytes(header);
      stream.insert(stream.end(), head.begin(), head.end());
      stream.insert(stream.end(), body.begin(), body.end());
    }
    std::vector<Packet> packets;
    for (size_t at = 0; at < stream.size();) {
      const size_t piece = std::min<size_t>(stream.size() - at, 1 + random() % (round % 2 == 0 ? 100'000 : 3000));
      const ssize_t sent = send(writer.get(), stream.data() + at, piece, MSG_DONTWAIT);  // it may be full
      at += static_cast<size_t>(std::max<ssize_t>(sent, 0));
      ASSERT_TRUE(channel.fill());
      if (random() % 3 != 0)
        while (auto packet = channel.next()) packets.push_back(std::move(*packet));
    }
    for (int i = 0; i < 1000 && packets.size() < wanted.size(); i++) {
      while (auto packet = channel.next()) packets.push_back(std::move(*packet));
      ASSERT_TRUE(channel.fill());
    }
    ASSERT_EQ(packets.size(), wanted.size()) << "round " << round;
    for (size_t i = 0; i < wanted.size(); i++)
      ASSERT_TRUE(std::ranges::equal(packets[i].body(), wanted[i])) << "round " << round << ", packet " << i;
  }
}

TEST(Protocol, APacketIsWholeWithItsLastByte) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  Channel channel{UniqueFd(ends[1])};
  const UniqueFd writer(ends[0]);
  const sonde_packet header{SONDE_PACKET_REPLY, 3};
  ASSERT_EQ(write(writer.get(), &header, sizeof header), static_cast<ssize_t>(sizeof header));
  for (const char* byte = "abc"; *byte != 0; byte++) {
    EXPECT_FALSE(channel.next());
    ASSERT_EQ(write(writer.get(), byte, 1), 1);
    ASSERT_TRUE(channel.fill());
  }
  auto packet = channel.next();
  ASSERT_TRUE(packet);
  EXPECT_THAT(packet->body(), testing::ElementsAre('a', 'b', 'c'));
  EXPECT_FALSE(channel.next());
}

/// A guard of our own; the test writes the messages itself.
class RawGuard : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    guard_ = fork();
    if (guard_ == 0) {
      close(ends[0]);
      guard_main(ends[1]);
    }
    close(ends[1]);
    channel_.emplace(UniqueFd(ends[0]));
  }
  void TearDown() override {
    channel_.reset();
    int status = -1;
    waitpid(guard_, &status, 0);
    EXPECT_EQ(status, 0);  // it has survived all that
  }
  sonde_reply ask(uint32_t packet_kind, ByteSpan body) {
    channel_->send(packet_kind, {body});
    const auto end = Clock::now() + std::chrono::seconds(10);
    while (Clock::now() < end) {
      EXPECT_TRUE(channel_->flush());
      pollfd entry{channel_->fd(), POLLIN, 0};
      poll(&entry, 1, 100);
      EXPECT_TRUE(channel_->fill());
      while (auto packet = channel_->next()) {
        if (packet->kind != SONDE_PACKET_REPLY) continue;
        auto reply = parse_reply(packet->body());
        EXPECT_TRUE(reply);
        if (reply->header.error != 0) {
          const size_t most = sizeof reply->header.why - 1;
          std::memcpy(reply->header.why, reply->payload.data(), std::min(most, reply->payload.size()));
        }
        return reply->header;
      }
    }
    ADD_FAILURE() << "no reply";
    return {};
  }

  pid_t guard_ = 0;
  std::optional<Channel> channel_;
};

TEST_F(RawGuard, RefusesMalformedRequests) {
  EXPECT_EQ(ask(SONDE_PACKET_REQUEST, {}).error, -EINVAL);
  EXPECT_EQ(ask(99, Bytes(10)).error, -EINVAL);
  EXPECT_EQ(ask(SONDE_PACKET_EVENT, Bytes(sizeof(sonde_event))).error, -EINVAL);
  sonde_request request{1000, 0, 0, 0, 0};
  EXPECT_EQ(ask(SONDE_PACKET_REQUEST, as_bytes(request)).error, -EINVAL);
  for (uint32_t kind = 0; kind <= SONDE_STATISTICS; kind++) {  // the announced payload does not come
    if (kind == SONDE_READ_MEMORY) continue;
    request = {kind, 1, 1, 1, 1000};
    EXPECT_EQ(ask(SONDE_PACKET_REQUEST, as_bytes(request)).error, -EINVAL) << kind;
  }
  request = {SONDE_READ_MEMORY, 1, 0, 0, UINT64_MAX};
  EXPECT_EQ(ask(SONDE_PACKET_REQUEST, as_bytes(request)).error, -ESRCH);
  request = {SONDE_BUFFERS, 0, UINT64_MAX, 0, 0};
  EXPECT_LT(ask(SONDE_PACKET_REQUEST, as_bytes(request)).error, 0);
  request = {SONDE_HELLO, 0, SONDE_ABI_VERSION, 0, 0};
  EXPECT_EQ(ask(SONDE_PACKET_REQUEST, as_bytes(request)).error, 0);
}

/// Fields that a kind of request does not use, flags and reserved must be 0, or the request is refused without
/// effect.
TEST_F(RawGuard, RefusesWhatIsNotZero) {
  const auto refused = [&](sonde_request request, uint32_t kind) {
    request.kind = kind;
    Bytes body(as_bytes(request).begin(), as_bytes(request).end());
    if (kind != SONDE_READ_MEMORY) body.resize(body.size() + request.length);
    const sonde_reply reply = ask(SONDE_PACKET_REQUEST, body);
    EXPECT_EQ(reply.error, -EINVAL) << kind;
    EXPECT_NE(std::string_view(reply.why).find("not 0"), std::string_view::npos) << reply.why;
  };
  for (uint32_t kind = 0; kind < SONDE_REQUEST_COUNT; kind++) {
    const unsigned uses = sonde_request_uses(kind);
    refused({.flags = 1}, kind);
    refused({.reserved = 1}, kind);
    if (!(uses & SONDE_USES_ID)) refused({.id = 1}, kind);
    if (!(uses & SONDE_USES_VALUE)) refused({.value = 1}, kind);
    if (!(uses & SONDE_USES_ADDRESS)) refused({.address = 1}, kind);
    if (!(uses & SONDE_USES_LENGTH)) refused({.length = 8}, kind);
  }
  sonde_program_payload head{1, 0, 0, 1};
  Bytes program(as_bytes(head).begin(), as_bytes(head).end());
  program.resize(program.size() + sizeof(sonde_dif_insn));
  EXPECT_FALSE(parse_program(program));
  for (auto change : {+[](sonde_tap& tap) { tap.flags = 2; }, +[](sonde_tap& tap) { tap.arguments = 1; },
                      +[](sonde_tap& tap) { tap.returns = 1; }, +[](sonde_tap& tap) { tap.reserved[0] = 1; },
                      +[](sonde_tap& tap) { tap.counters = 1; }, +[](sonde_tap& tap) { tap.flags = SONDE_TAP_FORKS; },
                      +[](sonde_tap& tap) {
                        tap.kind = SONDE_TAP_EXIT;
                        tap.arguments = 1;
                      },
                      +[](sonde_tap& tap) { tap.machine = 62; }, +[](sonde_tap& tap) { tap.inode = 1; },
                      +[](sonde_tap& tap) { tap.major = 1; }, +[](sonde_tap& tap) { tap.minor = 1; }}) {
    sonde_tap tap{};
    EXPECT_TRUE(parse_taps(as_bytes(tap), 1));
    change(tap);
    EXPECT_FALSE(parse_taps(as_bytes(tap), 1));
  }
}

TEST_F(RawGuard, SurvivesNoise) {
  std::mt19937 random(42);
  for (int i = 0; i < 3000; i++) {
    sonde_request request{static_cast<uint32_t>(random() % (SONDE_STATISTICS + 2)), static_cast<uint32_t>(random() % 4),
                          random() % 4, random(), 0};
    // Not with random values: these would start or stop a process.
    if (request.kind == SONDE_SPAWN || request.kind == SONDE_ATTACH) continue;
    Bytes payload(random() % 200);
    for (uint8_t& byte : payload) byte = static_cast<uint8_t>(random() % 8);
    if (random() % 8 != 0) {  // otherwise it is refused at once
      const unsigned uses = sonde_request_uses(request.kind);
      if (!(uses & SONDE_USES_ID)) request.id = 0;
      if (!(uses & SONDE_USES_VALUE)) request.value = 0;
      if (!(uses & SONDE_USES_ADDRESS)) request.address = 0;
      if (!(uses & SONDE_USES_LENGTH)) payload.clear();
    }
    request.length = request.kind == SONDE_READ_MEMORY ? random() : payload.size();
    Bytes body(as_bytes(request).begin(), as_bytes(request).end());
    if (request.kind != SONDE_READ_MEMORY) body.insert(body.end(), payload.begin(), payload.end());
    ask(SONDE_PACKET_REQUEST, body);
  }
}

}  // namespace
}  // namespace sonde::test
