// SPDX-License-Identifier: GPL-3.0-or-later
// Packets of kmod/shared/abi.h on a stream socket, for both ends
//
// A packet is a sonde_packet and then `length` bytes. Ring descriptors travel with the packet that announces them, by
// SCM_RIGHTS. Neither end trusts the other's numbers: a packet that is too long is skipped, so that the stream stays in
// step, and is returned as malformed; every parse_*() checks all lengths and counts against the bytes that are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kmod/shared/abi.h"
#include "runtime/abi/requests.h"
#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"

namespace sonde {

using Bytes = std::vector<uint8_t>;
using ByteSpan = std::span<const uint8_t>;

inline constexpr uint32_t kPacketMax = 64u << 20;  ///< bytes after the sonde_packet
inline constexpr uint64_t kMemoryMax = 16u << 20;  ///< bytes of one READ_MEMORY or WRITE_MEMORY

struct Packet {
  uint32_t kind = 0;
  bool malformed = false;  ///< unknown kind or too long; its bytes are not kept
  Bytes bytes;
  size_t begin = 0;  ///< of the body within `bytes`

  ByteSpan body() const { return ByteSpan(bytes).subspan(begin); }
};

/// One end of the connection. Never blocks unless asked to.
class Channel {
 public:
  explicit Channel(UniqueFd socket);

  int fd() const { return socket_.get(); }
  /// Queues a packet that consists of `parts`, one after another. Descriptors are duplicated.
  void send(uint32_t kind, std::initializer_list<ByteSpan> parts, std::span<const int> fds = {});
  /// Sends as much as the socket accepts. False: the other end is gone.
  bool flush();
  bool unsent() const { return !out_.empty(); }
  /// Reads some of what has arrived; then next() is to be asked. False: the other end is gone (packets that were read before remain).
  bool fill();
  std::optional<Packet> next();
  /// Returns the first descriptor that has arrived and was not taken yet; none, if it got lost.
  UniqueFd take_fd();
  /// Returns the descriptors that have arrived since the last call.
  std::vector<UniqueFd> take_fds() { return std::exchange(fds_, {}); }
  /// Closes our sending side; what the other end still sends can be read.
  void shut();

 private:
  struct Outgoing {
    Bytes bytes;
    size_t sent = 0;
    std::vector<UniqueFd> fds;
  };
  bool send_some(Outgoing& packet);
  std::optional<sonde_packet> header() const;  ///< of the next packet, if it is there
  size_t missing() const;                      // bytes of the packet that has come in part

  UniqueFd socket_;
  std::deque<Outgoing> out_;
  Bytes in_;
  size_t used_ = 0;    // bytes of in_ that next() has consumed
  uint64_t skip_ = 0;  // bytes of an over-long packet still to be discarded
  std::vector<UniqueFd> fds_;
};

template <typename T>
ByteSpan as_bytes(const T& object) {
  return {reinterpret_cast<const uint8_t*>(&object), sizeof(T)};
}

struct RequestView {
  sonde_request header{};
  ByteSpan payload;
};
/// Bytes of a sonde_reply that are sent here: `why` is not, an error's text follows as payload.
inline constexpr size_t kReplyHead = offsetof(sonde_reply, why);

struct ReplyView {
  sonde_reply header{};
  ByteSpan payload;  ///< with an error its text for the user, may be empty
};

/// A DIF program that owns its bytes.
struct OwnedProgram {
  std::vector<sonde_dif_insn> insns;
  Bytes kinds;
  Bytes pool;
  sonde_dif_program view{};
};

// Decoders. Errors: EINVAL, with what is wrong.
Result<RequestView> parse_request(ByteSpan body);
Result<ReplyView> parse_reply(ByteSpan body);
/// The caller fills in FileMapping::file, if it is not null.
Result<SourceEvent> parse_event(ByteSpan body);
Result<OwnedProgram> parse_program(ByteSpan payload);
Result<std::vector<sonde_ecb>> parse_ecbs(ByteSpan payload);
Result<std::vector<uint32_t>> parse_ids(ByteSpan payload);
Result<std::vector<Tap>> parse_taps(ByteSpan payload, uint64_t count);
Result<SpawnRequest> parse_spawn(ByteSpan payload);

// Encoders of payloads.
Bytes encode_program(const sonde_dif_program& program);
Bytes encode_taps(std::span<const Tap> taps);
Bytes encode_spawn(const SpawnRequest& request);

}  // namespace sonde
