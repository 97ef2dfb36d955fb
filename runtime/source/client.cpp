// SPDX-License-Identifier: GPL-3.0-or-later
// A request waits for its reply before the next one is sent. Programs and ECBs are the exception: a script may have
// thousands, so all are sent at once, and settle() reads their answers. The other end accepts a batch (taps, ECBs) whole or not
// at all. When there are too many taps for one batch and a later batch fails, the earlier ones are disarmed again, so
// the caller too gets all or nothing.
#include "runtime/source/client.h"

#include <algorithm>
#include <utility>

namespace sonde {
namespace {

constexpr size_t kTapsAtOnce = 1024;                     // with all that they may have, within SONDE_PAYLOAD_MAX
constexpr size_t kOffsetRoom = 8192 * sizeof(uint64_t);  // for the ring offsets of as many CPUs as Linux supports

template <typename T>
ByteSpan array_bytes(std::span<const T> array) {
  return {reinterpret_cast<const uint8_t*>(array.data()), array.size_bytes()};
}

}  // namespace

Result<Transport::Answer> SourceClient::transact(sonde_request request, ByteSpan payload, size_t room) {
  if (request.kind != SONDE_READ_MEMORY) request.length = payload.size();
  return transport_->transact(request, payload, room);
}

Result<void> SourceClient::simple(sonde_request_kind kind, uint64_t value, uint32_t id, ByteSpan payload) {
  auto answer = transact({static_cast<uint32_t>(kind), id, value, 0, 0}, payload);
  if (!answer) return std::move(answer).error();
  return {};
}

void SourceClient::post(const sonde_request& request, ByteSpan payload) {
  transport_->post(request, payload);
  unsettled_++;
}

Result<uint64_t> SourceClient::detach_all() {
  auto answer = transact({SONDE_DETACH, 0, 0, 0, 0});
  if (!answer) return std::move(answer).error();
  return answer->value;
}

Result<void> SourceClient::begin() {
  auto hello = transact({SONDE_HELLO, 0, SONDE_ABI_VERSION, 0, 0});
  if (!hello) return std::move(hello).error();
  can_.compat_calls = (hello->value & SONDE_SEES_COMPAT) != 0;
  const auto version = static_cast<uint32_t>(hello->value);
  if (version == SONDE_ABI_VERSION) return {};
  return Error("the other end speaks version " + std::to_string(version) + " of the ABI, not " +
                   std::to_string(SONDE_ABI_VERSION),
               EPROTO);
}

Result<void> SourceClient::create_buffers(uint64_t bytes) {
  auto answer = transact({SONDE_BUFFERS, 0, bytes, 0, 0}, {}, kOffsetRoom);
  if (!answer) return std::move(answer).error();
  auto rings = transport_->map_rings(*answer);
  if (!rings) return std::move(rings).error();
  if (rings->empty() || rings->size() != answer->value) return Error("the source made no ring", EPROTO);
  rings_ = std::move(*rings);
  return {};
}

Result<void> SourceClient::load_programs(std::span<const Loading> programs) {
  for (const Loading& one : programs) {
    const Bytes payload = encode_program(one.program);
    post({SONDE_PROGRAM_LOAD, one.id.value, 0, 0, payload.size()}, payload);
  }
  transport_->send_posted();
  return {};
}

Result<void> SourceClient::add_ecbs(std::span<const Ecb> ecbs) {
  std::vector<sonde_ecb> raw;
  raw.reserve(ecbs.size());
  for (const Ecb& ecb : ecbs)
    raw.push_back({ecb.epid.value, ecb.probe.value, ecb.program.value, ecb.held ? SONDE_ECB_HELD : 0});
  const ByteSpan payload = array_bytes(std::span<const sonde_ecb>(raw));
  post({SONDE_ECB_ADD, 0, raw.size(), 0, payload.size()}, payload);
  transport_->send_posted();
  return {};
}

Result<void> SourceClient::settle() {
  Result<void> done;
  for (; unsettled_ > 0; unsettled_--) {
    auto answer = transport_->answer();
    if (!answer && done) done = std::move(answer).error();
  }
  return done;
}

Result<void> SourceClient::remove_ecbs(std::span<const Epid> epids) {
  return simple(SONDE_ECB_REMOVE, epids.size(), 0, array_bytes(epids));
}

Result<void> SourceClient::arm(std::span<const Tap> taps) {
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

Result<void> SourceClient::disarm(std::span<const TapId> taps) {
  return simple(SONDE_TAP_DISARM, taps.size(), 0, array_bytes(taps));
}

Result<void> SourceClient::read_memory(uint32_t pid, uint64_t address, std::span<uint8_t> to) {
  while (!to.empty()) {
    const auto part = to.first(std::min<size_t>(to.size(), kMemoryMax));
    auto answer = transact({SONDE_READ_MEMORY, pid, 0, address, part.size()}, {}, part.size());
    if (!answer) return std::move(answer).error();
    if (answer->bytes.size() != part.size()) return Error("memory of the target cut short", EPROTO);
    std::ranges::copy(answer->bytes, part.begin());
    to = to.subspan(part.size());
    address += part.size();
  }
  return {};
}

Result<void> SourceClient::write_memory(uint32_t pid, uint64_t address, std::span<const uint8_t> from) {
  while (!from.empty()) {
    const auto part = from.first(std::min<size_t>(from.size(), kMemoryMax));
    auto answer = transact({SONDE_WRITE_MEMORY, pid, 0, address, 0}, part);
    if (!answer) return std::move(answer).error();
    from = from.subspan(part.size());
    address += part.size();
  }
  return {};
}

Result<void> SourceClient::release(uint32_t tid, Release how) {
  if (how.stop && how.signal != 0) return Error("release: either stop or a signal", EINVAL);
  uint64_t value = how.stop ? 1 : how.signal != 0 ? 2 + static_cast<uint64_t>(how.signal) : 0;
  if (how.to_thread && can_.injects) value |= SONDE_RELEASE_TO_THREAD;
  if (!how.result) return simple(SONDE_RELEASE, value, tid);
  if (can_.injects) {
    auto answer = transact({SONDE_RELEASE, tid, value | SONDE_RELEASE_RESULT, static_cast<uint64_t>(*how.result), 0});
    return answer ? Result<void>() : Result<void>(std::move(answer).error());
  }
  // The thread waits, so it is released all the same.
  if (auto released = simple(SONDE_RELEASE, value, tid); !released || std::exchange(told_no_injection_, true))
    return released;
  return Error("inject(): the " + std::string(name_) + " source makes every call; " +
                   sources_with([](const SourceCapabilities& can) { return can.injects; }) + " can inject",
               ENOTSUP);
}

Result<std::vector<uint64_t>> SourceClient::stack_of(uint32_t tid) {
  std::vector<uint64_t> frames(SONDE_DIF_MAX_FRAMES);
  auto answer = transact({SONDE_STACK, tid, 0, 0, 0}, {}, frames.size() * sizeof(uint64_t));
  if (!answer) return std::move(answer).error();
  frames.resize(std::min(frames.size(), answer->bytes.size() / sizeof(uint64_t)));
  std::memcpy(frames.data(), answer->bytes.data(), frames.size() * sizeof(uint64_t));
  return frames;
}

Result<sonde_statistics> SourceClient::statistics() {
  sonde_statistics numbers{};
  auto answer = transact({SONDE_STATISTICS, 0, 0, 0, 0}, {}, sizeof numbers);
  if (!answer) return std::move(answer).error();
  if (answer->bytes.size() != sizeof numbers) return Error("statistics of a wrong size", EPROTO);
  std::memcpy(&numbers, answer->bytes.data(), sizeof numbers);
  return numbers;
}

}  // namespace sonde
