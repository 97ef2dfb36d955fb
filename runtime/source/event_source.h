// SPDX-License-Identifier: GPL-3.0-or-later
// Event sources
//
//   EventSource      programs, ECBs, taps --> rings of records, events     every source
//     targets()      programs started, processes attached to, let go       one that traces by process
//     threads()      held threads released, their memory, files they map   one that holds threads
//
// A source arms taps and writes records. Who is above it does not see which one it
// is. `ptrace` speaks kmod/shared/abi.h to the guard over a socket, `kmod` the same to
// /dev/sonde by ioctl (client.h).
// registry.h knows which there are.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/abi/requests.h"
#include "runtime/base/result.h"
#include "runtime/buffer/mapped_ring.h"
#include "runtime/source/capabilities.h"

namespace sonde {

/// A fire part, and what it is called from then on.
struct Loading {
  ProgramId id;
  sonde_dif_program program;
};

/// What a source does with the processes that it is to trace. Nothing of them fires before go().
class TargetControl {
 public:
  /// Begins to start a program. Errors that show later are spawned()'s.
  virtual Result<void> begin_spawn(const SpawnRequest& request) = 0;
  /// Waits until the program that was begun first, of those not asked for yet, is stopped after its exec. Returns its pid.
  virtual Result<uint32_t> spawned() = 0;
  Result<uint32_t> spawn(const SpawnRequest& request) {
    auto begun = begin_spawn(request);
    return begun ? spawned() : Result<uint32_t>(std::move(begun).error());
  }
  /// Attaches to every thread of `pid`; they wait for go().
  virtual Result<void> attach(uint32_t pid) = 0;
  /// Runs a spawned program until its dynamic linker is done (its entry point).
  virtual Result<void> run_to_entry(uint32_t pid) = 0;
  /// Runs it until its libraries are mapped and none of their constructors has run; a program that has no libraries stays where it is.
  virtual Result<void> run_to_constructors(uint32_t pid) = 0;
  /// Lets all targets go.
  virtual Result<void> go() = 0;
  virtual Result<void> detach(uint32_t pid) = 0;

 protected:
  ~TargetControl() = default;
};

/// What a source does for threads that wait: those of held records, and those that have mapped a file.
class ThreadControl {
 public:
  virtual Result<void> release(uint32_t tid, Release how) = 0;
  /// Fills `to` wholly, or fails with EFAULT or ESRCH.
  virtual Result<void> read_memory(uint32_t pid, uint64_t address, std::span<uint8_t> to) = 0;
  virtual Result<void> write_memory(uint32_t pid, uint64_t address, std::span<const uint8_t> from) = 0;
  /// A thread of the target `pid` that maps an executable file waits, from now on, until all that it mapped was seen():
  /// FileMapped says which thread waits.
  virtual Result<void> follow(uint32_t pid) = 0;
  virtual Result<void> seen(uint32_t tid) = 0;

 protected:
  ~ThreadControl() = default;
};

/// Errors of all calls: the source's own message, with the errno; EPIPE when the source is gone.
/// Context: one thread, the session's.
class EventSource {
 public:
  virtual ~EventSource() = default;

  virtual std::string_view name() const = 0;
  /// What it can do: what its row says, or less. It stays as it is once the source is opened.
  virtual const SourceCapabilities& capabilities() const = 0;

  /// Asks for rings of `bytes` of data each (rounded up to a power of two) and maps them.
  virtual Result<void> create_buffers(uint64_t bytes) = 0;
  /// The rings, for the reader, with the size that was checked when they were mapped. Valid until the source is destroyed.
  virtual std::span<const MappedRing> mapped_rings() = 0;

  /// Where one is refused, some of the others may have been loaded; their ids are not to be used again.
  virtual Result<void> load_programs(std::span<const Loading> programs) = 0;
  virtual Result<void> add_ecbs(std::span<const Ecb> ecbs) = 0;
  virtual Result<void> remove_ecbs(std::span<const Epid> epids) = 0;
  virtual Result<void> arm(std::span<const Tap> taps) = 0;
  /// How it would arm a user tap, as a line for the listing; empty: it does not say.
  virtual std::string how_armed(const Tap&) const { return {}; }
  /// None of the taps fires once this has returned.
  virtual Result<void> disarm(std::span<const TapId> taps) = 0;

  /// Null: it controls no targets. One that does lets nothing fire before go(); one that does not fires what is armed.
  virtual TargetControl* targets() { return nullptr; }
  /// Null: no thread ever waits.
  virtual ThreadControl* threads() { return nullptr; }

  /// Becomes readable when next_event() may have something; -1: never.
  virtual int event_fd() const = 0;
  /// The next event that is there already, if any. Errors: EPIPE, the source died.
  virtual Result<std::optional<SourceEvent>> next_event() = 0;

  virtual Result<sonde_statistics> statistics() = 0;

  /// The end, which the destructor makes otherwise: every target is let go when this returns, but for those that cannot be.
  /// Returns what the user is to know of them; mostly nothing. No other call may follow.
  virtual std::string close() { return ""; }
};

}  // namespace sonde
