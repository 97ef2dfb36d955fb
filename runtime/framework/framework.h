// SPDX-License-Identifier: GPL-3.0-or-later
// The framework: probes, enablings, ECBs
//
//   provider --probe_create--> probe <--matches-- description <-- enabling (a clause)
//                                |                                   |
//                                +------------- ECB (epid) ----------+
//
// A probe is enabled when its first ECB comes (dtps_enable) and disabled when its last goes. ECBs of
// a probe that its provider backs with taps live in the event source; those of a probe that fires by
// dtrace_probe() live here, and write into rings of the framework's own.
//
// A process may have several, each in a thread of its own: the C ABI has no handle, living.h says what its entry points act on.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/ids.h"
#include "runtime/base/result.h"
#include "runtime/framework/provider.h"
#include "runtime/program/probes.h"
#include "runtime/source/event_source.h"

namespace sonde {

/// What enabling some descriptions would ask of the source.
struct Forecast {
  std::vector<uint32_t> calls;  ///< system calls that would be tapped; rising
  bool awaits_process = false;  ///< one matches nothing yet: its probes come with a process, if at all
  bool may_grow = false;        ///< one matches probes of functions of any provider: a process may bring more
};

class MappedRing;

struct EcbInfo {
  Epid epid;
  const ProbeInfo* probe = nullptr;
  uint32_t clause = 0;
};

class Framework final : public ProbeCatalog {
 public:
  /// `source` may be null: then taps can't be armed (an enabling that needs one fails, and says what is missing: -c or -p).
  explicit Framework(EventSource* source);
  ~Framework() override;
  Framework(const Framework&) = delete;
  Framework& operator=(const Framework&) = delete;

  /// 100,000 probes: under 5 ms.
  std::vector<ProbeId> match(const ProbeDescription& description) override;
  /// Nothing will be enabled, only listed: match() finds the refused ones, too.
  bool listing = false;
  /// Why the probe cannot be armed; empty: it can.
  std::string refusal(ProbeId id) const;
  /// Nothing is enabled: what the probe would arm, in order. Empty: no taps, or it is refused.
  std::vector<Tap> taps(ProbeId id);
  /// How the source arms one of them, in words; empty: there is no source, or it does not say.
  std::string how_armed(const Tap& tap) const;
  std::optional<ProvideError> provide_error() const override;
  const ProbeInfo& info(ProbeId id) const override;
  dtrace_pattr_t attributes(ProbeId id) const override;
  std::vector<ArgumentDescription> arguments(ProbeId id) const override;
  size_t probe_count() const;
  /// Names of the providers that are registered, defunct ones among them.
  std::vector<std::string> providers() const;
  /// Why dtrace_register() has last refused one.
  std::string register_refusal() const;

  /// Adds a clause's ECBs on all probes that match now, in order of probe id and description; arms what has to be armed in one batch. A description
  /// given k times makes k ECBs. Nothing is left enabled on error. `on_ecb` is called for each ECB before it can fire.
  /// The enabling stays: probes that appear later join it (see retry_enablings).
  /// Errors: the source's; EINVAL with a text for the user.
  Result<uint32_t> enable(const Enabling& enabling);
  /// The same for many clauses at once, in order; all or none.
  Result<std::vector<uint32_t>> enable_all(std::span<const Enabling> enablings);
  Result<void> disable(uint32_t enabling);
  /// Many at once, each probe changed once. Errors: the source's; EINVAL one is not there (nothing is disabled).
  Result<void> disable_all(std::span<const uint32_t> enablings);
  /// Before anything is enabled: providers are asked to enable, and to disable again; nothing is armed.
  Forecast forecast(std::span<const ProbeDescription> descriptions);
  /// Takes every tap out of the source, for good: nothing fires there any more. Errors: the source's.
  Result<void> disarm();
  std::function<void(const EcbInfo&)> on_ecb;
  /// What an enabling does without, as a line for the user.
  std::function<void(const std::string&)> on_left_out;
  /// Called by the destructor when nothing is enabled any more, before providers go: who brought some from outside ends them.
  std::vector<std::function<void()>> at_end;
  /// Called before targets() answers: who starts them may have put off set_targets() until somebody asks.
  std::function<void()> on_targets_asked = [] {};

  /// Files were mapped by targets: providers may provide for them, and waiting enablings get their probes.
  Result<void> modules_appeared(std::span<const std::string> paths);
  Result<void> retry_enablings();

  /// dtps_suspend on every enabled probe that has it, and dtrace_probe() does nothing until resume(). fire() still fires: suspend(),
  /// then fire(END), makes END the last. In the same way, when the first enabling has BEGIN in it, dtrace_probe() does
  /// nothing until fire(BEGIN).
  void suspend();
  void resume();

  /// Fires dtrace:::BEGIN and the like by their names: what dtrace_probe() does, for the consumer.
  /// `when`: timestamp of the record; 0: now.
  void fire(ProbeId probe, std::span<const uint64_t> args, Nanoseconds when = 0);

  /// Rings that dtrace_probe() writes to, as MergeReader::add() takes them. More may appear (one a firing thread);
  /// pointers stay valid.
  std::vector<const MappedRing*> mapped_rings();
  /// Size of each of those rings, bytes. Only before the first firing.
  void set_ring_bytes(uint64_t bytes);

  const SourceCapabilities& capabilities() const override;

  /// Targets, for providers of user probes (sonde_targets) and $target.
  void set_targets(std::vector<uint32_t> pids);
  const std::vector<uint32_t>& targets() const override;

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace sonde
