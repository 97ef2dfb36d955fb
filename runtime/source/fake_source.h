// SPDX-License-Identifier: GPL-3.0-or-later
// An event source for tests: probes fire when the test says so, on threads that the test describes
//
//   FakeSource source;
//   ... a consumer creates buffers, loads programs, adds ECBs, arms taps ...
//   FakeThread thread{.pid = 42, .tid = 43, .execname = "cat", .args = {1, 0x1000}};
//   thread.memory[0x1000] = FakeThread::text("/etc/hostname");
//   source.fire(SONDE_TAP_SYSCALL_ENTRY, 0, thread, 1000);
//
// The programs are verified and run by the real interpreter and the records go through a real ring; only
// threads, time and events are made up.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>

#include "runtime/base/unique_fd.h"
#include "runtime/buffer/ring.h"
#include "runtime/source/event_source.h"

namespace sonde {

/// A thread as its probes see it.
struct FakeThread {
  uint32_t pid = 1000;
  uint32_t tid = 1000;
  std::string execname = "fake";
  std::array<uint64_t, SONDE_DIF_ARGS> args{};
  std::map<uint64_t, std::vector<uint8_t>> memory;  ///< by address; what is not here faults
  std::map<uint32_t, uint64_t> variables;  ///< by sonde_dif_variable; PID, TID, TIMESTAMP and PROBE come by themselves
  std::map<std::pair<uint32_t, uint64_t>, std::string> texts;  ///< by sonde_dif_text and operand
  std::map<uint32_t, uint64_t> registers;                      ///< by D's R_* number
  std::vector<uint64_t> stack;
  uint32_t cpu = 0;

  /// Bytes of a text, with its NUL.
  static std::vector<uint8_t> text(std::string_view text);
};

class FakeSource final : public EventSource {
 public:
  FakeSource();
  ~FakeSource() override = default;

  /// Fires one probe, at `timestamp`. A held record keeps the later ECBs back until release(thread.tid).
  void fire(ProbeId probe, const FakeThread& thread, Nanoseconds timestamp);
  /// Fires every armed tap of this kind (and, of system calls, this number) that covers thread.pid. Returns how many.
  size_t fire(sonde_tap_kind kind, uint32_t number, const FakeThread& thread, Nanoseconds timestamp);
  /// The same for a user tap.
  size_t fire(sonde_tap_kind kind, std::string_view path, uint64_t offset, const FakeThread& thread,
              Nanoseconds timestamp);
  /// The thread ends: its thread variables go.
  void thread_gone(uint32_t tid) { thread_variables_.erase(tid); }
  /// What next_event() will yield.
  void push_event(SourceEvent event);
  /// From now on everything fails with EPIPE.
  void die() { dead_ = true; }

  // What was asked of it.
  std::vector<Tap> armed() const;
  size_t ecbs() const;
  std::vector<SpawnRequest> spawned;
  std::vector<uint32_t> attached, entered, held, resumed, detached;
  std::vector<std::pair<uint32_t, Release>> released;
  bool gone_on = false;                             ///< go() was called
  uint32_t next_pid = 1000;                         ///< what spawn() returns, then counts up
  std::map<uint64_t, std::vector<uint8_t>> memory;  ///< for read_memory and write_memory, any pid
  std::optional<Error> refuse_arm;                  ///< the next arm() fails with this

  std::string_view name() const override { return "fake"; }
  Result<void> create_buffers(uint64_t bytes) override;
  std::span<const MappedRing> mapped_rings() override { return {&ring_.ring, writer_ ? 1u : 0u}; }
  Result<void> load_program(ProgramId id, const sonde_dif_program& program) override;
  Result<void> add_ecbs(std::span<const Ecb> ecbs) override;
  Result<void> remove_ecbs(std::span<const Epid> epids) override;
  Result<void> arm(std::span<const Tap> taps) override;
  Result<void> disarm(std::span<const TapId> taps) override;
  Result<uint32_t> spawn(const SpawnRequest& request) override;
  Result<void> attach(uint32_t pid) override;
  Result<void> run_to_entry(uint32_t pid) override;
  Result<void> go() override;
  Result<void> hold(uint32_t pid) override;
  Result<void> resume(uint32_t pid) override;
  Result<void> detach(uint32_t pid) override;
  Result<void> read_memory(uint32_t pid, uint64_t address, std::span<uint8_t> to) override;
  Result<void> write_memory(uint32_t pid, uint64_t address, std::span<const uint8_t> from) override;
  Result<void> release(uint32_t tid, Release how) override;
  Result<void> follow(uint32_t) override { return {}; }  // nobody maps anything here
  Result<void> seen(uint32_t) override { return {}; }
  int event_fd() const override { return event_fd_.get(); }
  Result<std::optional<SourceEvent>> next_event() override;
  Result<sonde_statistics> statistics() override;

 private:
  struct Program {
    std::vector<sonde_dif_insn> insns;
    std::vector<uint8_t> pool, kinds;
    sonde_dif_program view{};
  };
  struct Firing {
    ProbeId probe;
    FakeThread thread;
    Nanoseconds timestamp = 0;
    uint32_t sequence = 0;
    uint32_t last_epid = 0;
    std::array<uint64_t, SONDE_DIF_LOCALS> locals{};
  };
  bool run(Firing& firing);
  bool run_ecb(Firing& firing, const Ecb& ecb);
  template <typename Wanted>
  size_t fire_taps(const FakeThread& thread, Nanoseconds timestamp, Wanted wanted);
  Result<void> alive() const;

  UniqueFd event_fd_;
  std::deque<SourceEvent> events_;
  RingFile ring_;
  std::optional<RingWriter> writer_;
  std::unordered_map<uint32_t, Program> programs_;
  std::unordered_map<uint32_t, std::map<uint32_t, Ecb>> by_probe_;
  std::map<uint32_t, Tap> taps_;
  std::unordered_map<uint32_t, std::array<uint64_t, SONDE_DIF_THREAD>> thread_variables_;
  std::unordered_map<uint32_t, std::deque<Firing>> waiting_;  // by tid; the first one is held
  sonde_statistics numbers_{};
  uint32_t sequence_ = 0;
  bool dead_ = false;
};

}  // namespace sonde
