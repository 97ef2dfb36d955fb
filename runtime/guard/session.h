// SPDX-License-Identifier: GPL-3.0-or-later
// The guard's end of the connection: requests in, replies and events out
#pragma once

#include "runtime/abi/protocol.h"
#include "runtime/guard/tracer.h"

namespace sonde::guard {

class Session {
 public:
  Session(UtraceHost& host, UniqueFd socket);

  /// Serves until the consumer is gone; then every probe is disarmed, and every thread let go that can be.
  void serve();
  /// Descriptors for the first program that the consumer starts; closed after that.
  void keep_for_child(std::vector<UniqueFd> fds) { for_child_ = std::move(fds); }

 private:
  struct Answer {
    uint64_t value = 0;
    Bytes bytes;
    std::vector<int> fds;
  };
  bool receive();
  void handle(const Packet& packet);
  void reply(Result<Answer> answer);
  Result<Answer> perform(const RequestView& request);
  Result<Answer> buffers(const RequestView& request);
  Result<void> follow(const RequestView& request);
  Result<void> load(const RequestView& request);
  Result<void> add_ecbs(const RequestView& request);
  Result<void> remove_ecbs(const RequestView& request);
  Result<void> arm(const RequestView& request);
  Result<void> disarm(const RequestView& request);
  Result<Answer> spawn(const RequestView& request);
  Result<void> attach(const RequestView& request);
  Result<Answer> detach(const RequestView& request);
  Result<Answer> stack(const RequestView& request);
  Result<Answer> read_memory(const RequestView& request);
  Result<void> write_memory(const RequestView& request);
  Answer statistics() const;
  void event(sonde_event_kind kind, pid_t pid, uint64_t value, const Mapping* mapping, std::string_view text,
             Nanoseconds time = 0, int file = -1);
  void notify_all_gone();
  void notify_stay();

  UtraceHost& host_;
  Channel channel_;
  TapTable taps_;
  EcbTable ecbs_;
  Recorder recorder_;
  Tracer tracer_;
  std::vector<UniqueFd> for_child_;
  bool had_targets_ = false;
  bool consumer_gone_ = false;
  bool went_ = false;  ///< GO has come
};

}  // namespace sonde::guard
