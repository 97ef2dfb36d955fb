// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/buffer/mapped_ring.h"
#include "runtime/source/event_source.h"

namespace sonde {

/// An event source that only records its requests, and can be made to fail.
class RecordingSource : public EventSource, public ThreadControl {
 public:
  std::vector<ProgramId> programs;
  std::vector<Ecb> ecbs;
  std::vector<Tap> taps;
  std::vector<std::string> calls;  ///< "load", "add 2", "arm 1", ...
  std::string fail;                ///< first word of the call that fails
  SourceCapabilities can = without_profile();

  std::string_view name() const override { return "recording"; }
  const SourceCapabilities& capabilities() const override { return can; }
  Result<void> create_buffers(uint64_t) override { return {}; }
  std::span<const MappedRing> mapped_rings() override { return {}; }
  Result<void> load_programs(std::span<const Loading> loaded) override {
    for (const Loading& one : loaded) {
      programs.push_back(one.id);
      if (auto done = note("load"); !done) return done;
    }
    return {};
  }
  Result<void> add_ecbs(std::span<const Ecb> added) override {
    auto done = note("add " + std::to_string(added.size()));
    if (done) ecbs.insert(ecbs.end(), added.begin(), added.end());
    return done;
  }
  Result<void> remove_ecbs(std::span<const Epid> epids) override {
    for (Epid epid : epids) std::erase_if(ecbs, [&](const Ecb& ecb) { return ecb.epid == epid; });
    return note("remove " + std::to_string(epids.size()));
  }
  Result<void> arm(std::span<const Tap> armed) override {
    auto done = note("arm " + std::to_string(armed.size()));
    if (done) taps.insert(taps.end(), armed.begin(), armed.end());
    return done;
  }
  Result<void> disarm(std::span<const TapId> ids) override {
    for (TapId id : ids) std::erase_if(taps, [&](const Tap& tap) { return tap.id == id; });
    return note("disarm " + std::to_string(ids.size()));
  }

  ThreadControl* threads() override { return this; }
  Result<void> read_memory(uint32_t, uint64_t, std::span<uint8_t>) override { return refuse(); }
  Result<void> write_memory(uint32_t, uint64_t, std::span<const uint8_t>) override { return refuse(); }
  Result<void> release(uint32_t, Release) override { return refuse(); }
  Result<void> follow(uint32_t pid, bool forks) override {
    return note("follow " + std::to_string(pid) + (forks ? " and its forks" : ""));
  }
  Result<void> follow_files(std::string_view wildcard) override { return note("follow " + std::string(wildcard)); }
  Result<std::vector<uint64_t>> stack_of(uint32_t) override { return Error("no stacks", EOPNOTSUPP); }
  Result<void> acknowledge(uint32_t) override { return refuse(); }
  int event_fd() const override { return -1; }
  Result<std::optional<SourceEvent>> next_event() override { return std::optional<SourceEvent>(); }
  Result<sonde_statistics> statistics() override { return sonde_statistics{}; }

 private:
  static SourceCapabilities without_profile() {
    SourceCapabilities can = kPtraceRow.can;
    can.taps.erase(SONDE_TAP_PROFILE);
    return can;
  }
  static Error refuse() { return Error("the recording source traces nobody"); }
  Result<void> note(const std::string& call) {
    calls.push_back(call);
    if (!fail.empty() && call.starts_with(fail)) return Error("told to fail: " + call, EIO);
    return {};
  }
};

}  // namespace sonde
