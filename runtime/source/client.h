// SPDX-License-Identifier: GPL-3.0-or-later
// The one client of kmod/shared/abi.h, and what carries its requests
//
//   SourceClient  builds requests, reads records and events
//       |
//   Transport     the guard's socket (ptrace_source.cpp), /dev/sonde (kmod_source.cpp)
//
// A source adds to the client only what the other end does not do.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/abi/protocol.h"
#include "runtime/source/event_source.h"

namespace sonde {

/// A connection to the process or module that has the probes. Closing it undoes everything that the session made.
class Transport {
 public:
  struct Answer {
    uint64_t value = 0;
    Bytes bytes;
  };

  virtual ~Transport() = default;
  /// Sends one request and waits for its answer. `room`: the most bytes that the answer may have.
  /// Errors: those of the other end, with its text; EPIPE when it is gone; E2BIG.
  virtual Result<Answer> transact(const sonde_request& request, ByteSpan payload, size_t room) = 0;
  /// Makes a request and does not wait: the other end gets it at the next send_posted(), transact() or answer().
  /// answer() returns the answers, which have no bytes, in the order of the requests.
  virtual void post(const sonde_request& request, ByteSpan payload) {
    answers_.push_back(transact(request, payload, 0));
  }
  virtual void send_posted() {}
  virtual Result<Answer> answer() {
    Result<Answer> first = std::move(answers_.front());
    answers_.pop_front();
    return first;
  }
  /// Maps the rings that the answer to SONDE_BUFFERS describes.
  virtual Result<std::vector<MappedRing>> map_rings(const Answer& answer) = 0;
  /// Becomes readable when next_event() may have something.
  virtual int event_fd() const = 0;
  virtual Result<std::optional<SourceEvent>> next_event() = 0;
  /// See EventSource::begin_close() and close().
  virtual void begin_close() {}
  virtual std::vector<Notice> close() { return {}; }

 private:
  std::deque<Result<Answer>> answers_;
};

class SourceClient : public EventSource, public TargetControl, public ThreadControl {
 public:
  /// `row` outlives the client.
  SourceClient(const SourceRow& row, std::unique_ptr<Transport> transport)
      : name_(row.name), can_(row.can), transport_(std::move(transport)) {}

  /// Checks that both ends have the same version; not needed where the other end is a fork of ours. Errors: EPROTO.
  Result<void> begin();

  std::string_view name() const override { return name_; }
  const SourceCapabilities& capabilities() const override { return can_; }
  TargetControl* targets() override { return this; }
  ThreadControl* threads() override { return this; }
  Result<void> create_buffers(uint64_t bytes) override;
  std::span<const MappedRing> mapped_rings() override { return rings_; }
  Result<void> load_programs(std::span<const Loading> programs) override;
  Result<void> add_ecbs(std::span<const Ecb> ecbs) override;
  Result<void> settle() override;
  Result<void> remove_ecbs(std::span<const Epid> epids) override;
  Result<void> arm(std::span<const Tap> taps) override;
  Result<void> disarm(std::span<const TapId> taps) override;
  Result<void> attach(uint32_t pid) override { return simple(SONDE_ATTACH, pid); }
  Result<void> run_to_entry(uint32_t pid) override { return simple(SONDE_RUN_TO_ENTRY, pid); }
  Result<void> run_to_constructors(uint32_t pid) override { return simple(SONDE_RUN_TO_ENTRY, pid, 1); }
  Result<void> go() override { return simple(SONDE_GO, 0); }
  Result<void> detach(uint32_t pid) override { return simple(SONDE_DETACH, pid); }
  Result<uint64_t> detach_all() override;
  Result<void> read_memory(uint32_t pid, uint64_t address, std::span<uint8_t> to) override;
  Result<void> write_memory(uint32_t pid, uint64_t address, std::span<const uint8_t> from) override;
  Result<void> release(uint32_t tid, Release how) override;
  Result<void> follow(uint32_t pid, bool forks) override { return simple(SONDE_FOLLOW, pid, forks ? 1 : 0); }
  Result<void> follow_files(std::string_view wildcard) override {
    return simple(SONDE_FOLLOW, 0, 0, {reinterpret_cast<const uint8_t*>(wildcard.data()), wildcard.size()});
  }
  Result<std::vector<uint64_t>> stack_of(uint32_t tid) override;
  Result<void> acknowledge(uint32_t tid) override { return simple(SONDE_ACKNOWLEDGE, 0, tid); }
  int event_fd() const override { return transport_->event_fd(); }
  Result<std::optional<SourceEvent>> next_event() override { return transport_->next_event(); }
  Result<sonde_statistics> statistics() override;
  void begin_close() override { transport_->begin_close(); }
  std::vector<Notice> close() override { return transport_->close(); }

 protected:
  Transport& transport() { return *transport_; }
  /// Adds the ring of a CPU that came online.
  void add_ring(MappedRing ring) { rings_.push_back(std::move(ring)); }

 private:
  Result<Transport::Answer> transact(sonde_request request, ByteSpan payload = {}, size_t room = 0);
  Result<void> simple(sonde_request_kind kind, uint64_t value, uint32_t id = 0, ByteSpan payload = {});
  void post(const sonde_request& request, ByteSpan payload);

  std::string_view name_;
  bool told_no_injection_ = false;
  SourceCapabilities can_;
  std::unique_ptr<Transport> transport_;
  std::vector<MappedRing> rings_;
  size_t unsettled_ = 0;  ///< requests whose answers settle() has not seen
};

}  // namespace sonde
