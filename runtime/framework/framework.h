// SPDX-License-Identifier: GPL-3.0-or-later
// The framework: probes, enablings, ECBs
//
//   provider --probe_create--> probe <--matches-- description <-- enabling (a clause)
//                                |                                   |
//                                +------------- ECB (epid) ----------+
//
// A probe is enabled when it gets its first ECB (dtps_enable) and disabled when it loses its last (dtps_disable). If
// its provider arms taps for it, its ECBs are in the event source. If it fires by dtrace_probe(), they are here, and
// write to the framework's own rings.
//
// A process may have several frameworks, each in a thread of its own. The C ABI has no handle for them: living.h
// explains which one a call acts on.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/ids.h"
#include "runtime/base/result.h"
#include "runtime/framework/probe_index.h"
#include "runtime/framework/provider.h"
#include "runtime/process/proc_maps.h"
#include "runtime/program/probes.h"
#include "runtime/source/event_source.h"

namespace sonde {

/// What enabling some descriptions would need from the source.
struct Forecast {
  std::vector<uint32_t> calls;  ///< system calls that would be tapped, rising
  bool awaits_process = false;  ///< a description matches nothing yet: only a process may bring its probes
  std::vector<std::string> environment = {};  ///< what a program should be started with, "NAME=VALUE"
  bool may_grow = false;  ///< a description matches functions of any provider: a process may bring more
};

class MappedRing;

struct EcbInfo {
  Epid epid;
  const ProbeInfo* probe = nullptr;
  uint32_t clause = 0;
};

class Framework final : public ProbeCatalog {
 public:
  /// `source` may be null: then enabling a probe that needs taps fails with a message that names what is missing (-c or
  /// -p).
  explicit Framework(EventSource* source);
  ~Framework() override;
  Framework(const Framework&) = delete;
  Framework& operator=(const Framework&) = delete;

  /// The source is about to close, which ends all taps and ECBs.
  void forget_source();

  /// Asks the providers for the probes that they always have, so that the first match() does not take that time.
  void provide();
  /// With 100,000 probes: under 5 ms.
  std::vector<ProbeId> match(const ProbeDescription& description) override;
  /// The distinct texts that the probes which match have in a field, each with their number. They live as long as the
  /// framework. With 100,000 probes: under 10 ms.
  std::vector<NameCount> match_names(const ProbeDescription& description, ProbeIndex::Field field);
  /// Probes are only listed, never enabled: match() includes the refused ones.
  bool listing = false;
  /// Why the probe cannot be armed; empty: it can.
  std::string refusal(ProbeId id) const;
  /// The taps that enabling the probe would arm, in order; nothing is enabled. Empty: it has none, or it is refused.
  std::vector<Tap> taps(ProbeId id);
  /// How the source would arm a tap, in words; empty: there is no source, or it does not know.
  std::string how_armed(const Tap& tap) const;
  std::optional<ProvideError> provide_error() const override;
  const ProbeInfo& info(ProbeId id) const override;
  dtrace_pattr_t attributes(ProbeId id) const override;
  std::vector<ArgumentDescription> arguments(ProbeId id) const override;
  std::vector<ToldProbe> told(std::span<const ProbeId> ids) const override;
  size_t with_arguments(std::span<const ProbeId> ids) const override;
  size_t probe_count() const;
  /// Names of all registered providers, defunct ones included.
  std::vector<std::string> providers() const;
  /// Names of those whose ops are in that plug-in: a file without its folder; empty: built in.
  std::vector<std::string> providers_of(std::string_view file) const;
  /// How many have ever been registered.
  size_t registered() const;
  /// Unregisters all but the first `kept` of these, with their probes and hooks; returns their names. Context: the
  /// session's thread, before any of their probes is enabled.
  std::vector<std::string> unregister_after(size_t kept);
  /// Why the last failed dtrace_register() failed.
  std::string register_refusal() const;

  /// Adds a clause's ECBs to all probes that match now, in order of probe id and description, and arms all taps in one
  /// batch. A description that is given k times makes k ECBs. `on_ecb` is called for each ECB before it can fire. On an
  /// error nothing stays enabled. The enabling remains: probes that appear later join it (see retry_enablings).
  Result<uint32_t> enable(const Enabling& enabling);
  /// The same for several clauses, in order: all or none.
  Result<std::vector<uint32_t>> enable_all(std::span<const Enabling> enablings);
  /// The probes that an enabling has joined, and, if there are none, what a provider said at the last try.
  struct Joined {
    std::vector<ProbeId> probes;
    std::optional<ProvideError> why_none;
    bool tapped = false;  ///< the source fires all of them
  };
  Joined joined(uint32_t enabling) const;
  Result<void> disable(uint32_t enabling);
  /// Disables several; each probe is changed once. Errors: the source's; EINVAL one does not exist (then none is
  /// disabled).
  Result<void> disable_all(std::span<const uint32_t> enablings);
  /// Call it before anything is enabled: it asks providers to enable, and to disable again, but arms nothing.
  Forecast forecast(std::span<const ProbeDescription> descriptions);
  /// Removes every tap from the source for good: nothing fires there any more. Errors: the source's.
  Result<void> disarm();
  std::function<void(const EcbInfo&)> on_ecb;
  /// Called with a line for the user when an enabling leaves probes out.
  std::function<void(const std::string&)> on_message;
  /// The destructor calls these when nothing is enabled any more, before it unregisters providers: to stop plug-ins.
  std::vector<std::function<void()>> at_end;
  /// Called before targets() answers, so that set_targets() can be put off until somebody asks.
  std::function<void()> on_targets_asked = [] {};

  /// Targets have mapped these files: asks providers for their probes and adds them to the enablings that wait.
  Result<void> modules_appeared(std::span<const std::string> paths);
  Result<void> retry_enablings();

  /// Calls dtps_suspend for every enabled probe that has it; dtrace_probe() does nothing until resume(). fire() still
  /// works, so suspend() and then fire(END) make END the last firing. In the same way, when the first enabling contains
  /// BEGIN, dtrace_probe() does nothing until fire(BEGIN).
  void suspend();
  void resume();

  /// Fires one of sonde's own probes (BEGIN, END, ERROR) as dtrace_probe() would, for the consumer.
  /// `when`: the record's timestamp; 0: now.
  void fire(ProbeId probe, std::span<const uint64_t> args, Nanoseconds when = 0);

  /// The rings that dtrace_probe() writes to, for MergeReader::add(). More may appear, one for each thread that fires;
  /// pointers stay valid.
  std::vector<const MappedRing*> mapped_rings();
  /// Readable once a record in them is wanted at once (FireProgram::urgent), until take_wake(); -1: there are no rings.
  int wake_fd();
  void take_wake();
  /// Sets the size of each of those rings, in bytes. Only before the first firing.
  void set_ring_bytes(uint64_t bytes);

  const SourceCapabilities& capabilities() const override;

  /// Whether taps of one process follow it into those that it forks (SONDE_TAP_FORKS); they do at first. Only before
  /// the first probe is enabled.
  void set_follow_forks(bool follow);
  /// `pid`, which the target `origin` has forked and which runs its program, has mapped files of its own.
  void note_fork(uint32_t origin, uint32_t pid);
  /// A process that is neither a target nor forked by one has mapped a file. `waits`: a thread waits for what comes of
  /// it. Returns whether providers may have probes for it that they have not made yet.
  bool note_file(uint32_t pid, const MapEntry& mapping, bool waits);

  /// The traced processes, for providers of user probes (sonde_targets, sonde_on_target) and for $target.
  void set_targets(std::vector<uint32_t> pids);
  const std::vector<uint32_t>& targets() const override;

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace sonde
