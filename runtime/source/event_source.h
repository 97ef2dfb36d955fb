// SPDX-License-Identifier: GPL-3.0-or-later
// Event sources
//
//   EventSource      programs, ECBs, taps --> rings of records, events     every source
//     targets()      programs started, processes attached to, let go       one that traces by process
//     threads()      held threads released, their memory, files they map   one that holds threads
//
// A source arms taps and writes records. Its users do not see which source it is. `ptrace` speaks kmod/shared/abi.h to
// the guard over a socket, `kmod` speaks it to /dev/sonde by ioctl (client.h). registry.h lists the sources.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/abi/requests.h"
#include "runtime/base/result.h"
#include "runtime/buffer/mapped_ring.h"
#include "runtime/source/capabilities.h"

namespace sonde {

/// A fire part, and the id by which it is used once it is loaded.
struct Loading {
  ProgramId id;
  sonde_dif_program program;
  sonde_fold fold{};     ///< for a source that folds
  bool urgent = false;   ///< for a source that can wake the reader for each record
  uint64_t signals = 0;  ///< for a source that sends them itself (FireProgram::signals)
};

/// Firings that have no record of their own (kmod/shared/fold.h).
struct FoldedFirings {
  const sonde_record& record;  ///< one with their keys; its time means nothing
  uint64_t count;
  std::span<const int64_t> states;  ///< of the clause's aggregating functions, in their order
};

/// What a source can do with the processes to be traced. None of their probes fires before go().
class TargetControl {
 public:
  /// Begins to start a program. Errors that appear later are returned by spawned().
  virtual Result<void> begin_spawn(const SpawnRequest& request) = 0;
  /// Takes the programs in the order of begin_spawn(): waits until the next one is stopped after its exec; returns its
  /// pid.
  virtual Result<uint32_t> spawned() = 0;
  Result<uint32_t> spawn(const SpawnRequest& request) {
    auto begun = begin_spawn(request);
    return begun ? spawned() : Result<uint32_t>(std::move(begun).error());
  }
  /// Attaches to every thread of `pid`; they wait for go().
  virtual Result<void> attach(uint32_t pid) = 0;
  /// Runs a spawned program until its dynamic linker has finished (to its entry point).
  virtual Result<void> run_to_entry(uint32_t pid) = 0;
  /// Runs it until its libraries are mapped, before any of their constructors. A program without libraries stays where
  /// it is.
  virtual Result<void> run_to_constructors(uint32_t pid) = 0;
  /// Lets all targets run, and their probes fire.
  virtual Result<void> go() = 0;
  virtual Result<void> detach(uint32_t pid) = 0;
  /// Stops tracing all of them, their descendants, too. Returns how many processes there were. Errors: EAGAIN, they fork
  /// faster than they can be let go.
  virtual Result<uint64_t> detach_all() = 0;

 protected:
  ~TargetControl() = default;
};

/// What a source can do for threads that wait: those of held records, and those that have mapped a file.
class ThreadControl {
 public:
  virtual Result<void> release(uint32_t tid, Release how) = 0;
  /// Fills `to` completely, or fails with EFAULT or ESRCH.
  virtual Result<void> read_memory(uint32_t pid, uint64_t address, std::span<uint8_t> to) = 0;
  virtual Result<void> write_memory(uint32_t pid, uint64_t address, std::span<const uint8_t> from) = 0;
  /// From now on, a thread of the target `pid` that maps an executable file waits until each file that it has mapped is
  /// acknowledged. FileMapped::waiting names the thread. `forks`: the same in the processes that have it as their
  /// origin.
  virtual Result<void> follow(uint32_t pid, bool forks) = 0;
  /// From now on, a thread of any traced process that maps an executable file whose path matches the wildcard waits in
  /// the same way, if no thread has waited for that file yet.
  virtual Result<void> follow_files(std::string_view wildcard) = 0;
  /// The addresses of the user stack of a traced thread that sleeps in a system call, innermost first: the thread is
  /// interrupted, and its call repeated. Errors: EBUSY, the call must not be interrupted; EOPNOTSUPP, not by this source.
  virtual Result<std::vector<uint64_t>> stack_of(uint32_t tid) = 0;
  /// One FileMapped event of the waiting thread `tid` has been handled.
  virtual Result<void> acknowledge(uint32_t tid) = 0;

 protected:
  ~ThreadControl() = default;
};

/// Errors of all calls: the source's own message, with the errno; EPIPE when the source is gone.
/// Context: one thread, the session's.
class EventSource {
 public:
  virtual ~EventSource() = default;

  virtual std::string_view name() const = 0;
  /// What it can do: as its row, or less. It does not change while the source is open.
  virtual const SourceCapabilities& capabilities() const = 0;

  /// Asks for rings of `bytes` of data each (rounded up to a power of two) and maps them.
  virtual Result<void> create_buffers(uint64_t bytes) = 0;
  /// The rings, for the reader, each with the size that was checked when it was mapped. Valid until the source is
  /// destroyed.
  virtual std::span<const MappedRing> mapped_rings() = 0;

  /// When one is refused, some of the others may have been loaded; their ids must not be used again. This call and the
  /// next may return before the source has answered: settle() returns its first refusal.
  virtual Result<void> load_programs(std::span<const Loading> programs) = 0;
  virtual Result<void> add_ecbs(std::span<const Ecb> ecbs) = 0;
  virtual Result<void> settle() { return {}; }
  virtual Result<void> remove_ecbs(std::span<const Epid> epids) = 0;
  virtual Result<void> arm(std::span<const Tap> taps) = 0;
  /// How it would arm a user tap, as a line for the listing; empty: not known.
  virtual std::string how_armed(const Tap&) const { return {}; }
  /// None of the taps fires once this has returned.
  virtual Result<void> disarm(std::span<const TapId> taps) = 0;

  /// Null: the source controls no targets, and a tap fires from the moment it is armed. Otherwise nothing fires before
  /// go().
  virtual TargetControl* targets() { return nullptr; }
  /// Null: no thread ever waits.
  virtual ThreadControl* threads() { return nullptr; }

  /// For a source where no thread ever waits. From now on next_event() returns, as soon as it can, executable files that
  /// any process maps and whose path matches the wildcard; each once, and none that a process has mapped already.
  virtual Result<void> report_files(std::string_view) { return {}; }
  /// The same for all files of a process, each once.
  virtual Result<void> report_files_of(uint32_t) { return {}; }

  /// Hands over what the source has folded since the last time: all firings up to some moment of this call, each once.
  virtual void take_folded(const std::function<void(const FoldedFirings&)>&) {}

  /// Becomes readable when next_event() may return something; -1: never.
  virtual int event_fd() const = 0;
  /// The next event that has already arrived, if any. Errors: EPIPE, the source died.
  virtual Result<std::optional<SourceEvent>> next_event() = 0;

  /// Brings a record with SONDE_RECORD_STACKS_COPIED, of this source, into its final form, where it is. What it found out
  /// about names, next_event() returns. `kinds`: of the record's slots.
  virtual void finish_record(sonde_record&, std::span<const uint8_t>) {}

  virtual Result<sonde_statistics> statistics() = 0;

  /// Begins to end the session: the other end does its part while this process clears up. Only close() may follow.
  virtual void begin_close() {}
  /// Ends the session; the destructor does it otherwise. When it returns, every target runs untraced, except those that
  /// cannot be let go. Returns what to tell the user about those; usually nothing. No other call may follow.
  virtual std::vector<Notice> close() { return {}; }
};

}  // namespace sonde
