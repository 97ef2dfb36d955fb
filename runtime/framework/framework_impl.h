// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by framework.cpp, enable.cpp and provider_api.cpp; private to runtime/framework.
//
// One recursive mutex guards all of it. The framework holds it while it calls an op, which may call back.
// dtrace_probe() does not take it.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "runtime/base/few.h"
#include "runtime/base/values_by_id.h"
#include "runtime/code/function_places.h"
#include "runtime/framework/context.h"
#include "runtime/framework/framework.h"
#include "runtime/framework/local_firing.h"
#include "runtime/framework/probe_index.h"

namespace sonde {

struct ProviderState {
  std::string name;
  OpOwner owner;  ///< the name, and the plug-in that its ops are in
  dtrace_pattr_t attributes{};
  dtrace_pops_t ops{};
  void* arg = nullptr;
  bool provided = false;      ///< dtps_provide(NULL) has been called
  bool always_asked = false;  ///< sonde_provide_always
  bool asked = false;         ///< for always_asked ones: the current description names it
  bool defunct = false;       ///< dtrace_invalidate
  bool gone = false;          ///< unregistered; the object stays, because ids are never reused
  uint32_t enabled_probes = 0;
  std::vector<ProbeId> probes;  ///< rising; destroyed ones are left out
};

/// An ECB, as the framework stores it. Its program is that of its enabling.
struct EcbState {
  Epid epid;
  uint32_t enabling = 0;
};

/// The taps of a probe: ranges of ids, one for each op that armed some.
class TapRanges {
 public:
  bool empty() const { return ranges_.empty(); }
  void add(TapId tap) {
    Range* last = ranges_.empty() ? nullptr : ranges_.end() - 1;
    if (last != nullptr && last->first + last->count == tap.value)
      last->count++;
    else
      ranges_.push_back({tap.value, 1});
  }
  /// Forgets `first` and those after it.
  void drop_from(TapId first) {
    ranges_.erase_if([first](const Range& range) { return range.first >= first.value; });
    for (Range& range : ranges_) range.count = std::min(range.count, first.value - range.first);
  }
  void append_to(std::vector<TapId>& all) const {
    for (const Range& range : ranges_)
      for (uint32_t i = 0; i < range.count; i++) all.push_back({range.first + i});
  }

 private:
  struct Range {
    uint32_t first, count;
  };
  Few<Range> ranges_;
};

struct ProbeState {
  ProbeInfo info;
  ProviderState* provider = nullptr;
  void* parg = nullptr;
  Few<EcbState> ecbs;  ///< by rising epid
  TapRanges taps;      ///< armed, or queued in taps_to_arm
  int aframes = 0;
  bool destroyed = false;
  bool enabled = false;    ///< dtps_enable has been called, dtps_disable has not
  bool uses_taps = false;  ///< while enabled: the source fires it, dtrace_probe() does not
};
static_assert(sizeof(ProbeState) <= 96);

struct EnablingState {
  Enabling what;
  std::vector<std::vector<ProbeId>> joined;  ///< for each description, the probes that have its ECB; sorted
  std::vector<size_t> left_out;              ///< for each description, the number of left-out probes in the last report
  std::optional<ProvideError> why_none;      ///< of the last description that has matched nothing
};

/// A probe that exists and cannot be armed.
struct ProbeRefusal {
  std::string why;
  bool quietly = false;
  bool operator==(const ProbeRefusal&) const = default;
};

struct TargetHook {
  enum class When : uint8_t { Comes, Ends };
  When when;
  dtrace_provider_id_t owner;
  void (*hook)(void*, uint32_t);
  void* arg;
};

struct DescriptionHook {
  dtrace_provider_id_t owner;
  void (*hook)(void*, const dtrace_probedesc_t*);
  void* arg;
};

struct Framework::Impl {
  Impl(Framework& outer, EventSource* event_source) : framework(outer), source(event_source) {}

  Framework& framework;
  EventSource* source;
  mutable std::recursive_mutex mutex;
  LocalFiring firing;
  std::deque<ProviderState> providers;  ///< id = index + 1
  std::deque<ProbeState> probes;        ///< id = index + 1; there may be 100,000, so keep ProbeState small
  ProbeIndex index;
  ValuesById<ProbeRefusal> refused;             ///< by probe id
  ValuesById<ProbeTexts> texts;                 ///< what providers say of probes in D, by id
  std::unordered_set<uint32_t> with_arguments;  ///< probes of sonde_probe_has_arguments(), by id
  std::optional<ProvideError> provide_error;
  std::string register_refusal;  ///< why the last failed dtrace_register() failed
  std::string argument_place;    ///< what sonde_argument_place() said in the current dtps_getargdesc
  uint64_t argument_size = 0;
  std::vector<ProbeId> provided;  ///< probes that sonde_provide_match() named in the current dtps_provide
  FunctionPlaces functions;       ///< for sonde_function_places()
  std::vector<TargetHook> target_hooks;
  std::vector<DescriptionHook> description_hooks;
  std::vector<uint32_t> targets;
  std::set<std::string> told;                    ///< texts of sonde_print_message(), each printed once
  std::vector<std::string> untold;               ///< those of them that wait until tracing begins
  std::vector<uint32_t> followed;                ///< pids, by sonde_follow()
  bool follow_forks = true;                      ///< -x followforks
  std::map<uint32_t, std::set<uint32_t>> forks;  ///< of each target, those that have mapped files of their own
  std::set<std::string> followed_files;          ///< wildcards, by sonde_follow_files()
  std::vector<sonde_mapping> files;              ///< that other processes than these were followed for

  std::map<uint32_t, EnablingState> enablings;
  uint32_t last_enabling = 0, last_epid = 0, last_tap = 0, last_program = 0;
  std::map<std::shared_ptr<const FireProgram>, ProgramId> loaded;
  std::vector<Tap> taps_to_arm;
  std::vector<TapId> taps_to_disarm;
  bool suspended = false;
  bool begin_awaited = false;  ///< BEGIN is enabled, and fire() has not been called yet
  bool ever_fired = false;
  ProbeId op_probe;  ///< the probe whose dtps_enable or dtps_disable is running
  std::thread::id session_thread = std::this_thread::get_id();

  // framework.cpp
  ProviderState* provider(dtrace_provider_id_t id);
  ProbeState* probe(ProbeId id);
  const ProbeState* probe(ProbeId id) const;
  void provide_all();
  void provide_for(const dtrace_probedesc_t& spec, bool always_asked);
  std::vector<ProbeId> match_all(const ProbeDescription& description);
  std::vector<ProbeId> match(const ProbeDescription& description, std::vector<ProbeId>* left_out = nullptr);
  std::vector<ProbeId> match_provided(const ProbeDescription& description);
  void leave_to_all(std::vector<ProbeId>& named);
  void run_target_hooks(TargetHook::When when, uint32_t pid);
  void run_description_hooks(const dtrace_probedesc_t& spec);
  void set_suspended(bool now);

  // provider_api.cpp
  int register_provider(const char* name, const dtrace_pattr_t* attributes, uint32_t priv, const dtrace_pops_t* ops,
                        void* arg, dtrace_provider_id_t* id);
  int unregister_provider(dtrace_provider_id_t id);
  void invalidate_provider(dtrace_provider_id_t id);
  int condense_provider(dtrace_provider_id_t id);
  ProbeId create_probe(dtrace_provider_id_t id, const char* module, const char* function, const char* name, int aframes,
                       void* parg);
  int add_target_hook(const TargetHook& hook);
  int add_description_hook(const DescriptionHook& hook);
  ProbeId lookup_probe(dtrace_provider_id_t id, const char* module, const char* function, const char* name);
  void destroy_probe(ProbeState& probe);

  // enable.cpp
  struct Pending;
  Result<std::vector<uint32_t>> enable_all(std::span<const Enabling> enablings);
  Result<void> retry_enablings();
  Result<void> enable_pending(Pending& pending);
  void leave_out_uncompiled(const Enabling& enabling, std::vector<ProbeId>& found) const;
  void join(uint32_t id, EnablingState& enabling, Pending& pending);
  void report_left_out(EnablingState& enabling, size_t at, std::vector<ProbeId>& left_out);
  void start_probe(ProbeState& probe);
  struct Handed;
  struct Asked;
  template <typename Can>
  Error about_source(const ProbeInfo& probe, const std::string& lacks, const Asked& all, Can can) const;
  Asked asked_by(std::span<const Handed> programs);
  Result<void> check_source(const ProbeInfo& probe, const FireProgram& program, bool held, const Asked& all) const;
  Result<void> check_taps(const Asked& all) const;
  Result<void> hand_to_source(Pending& pending);
  Result<void> load(std::span<const std::shared_ptr<const FireProgram>> programs, Pending& pending);
  Result<void> arm(Pending& pending);
  void undo(Pending& pending);
  void stop_probe(ProbeState& probe);
  Result<void> disarm_taps();
  std::vector<Tap> taps_of(ProbeState& probe);
  bool may_arm(const ProbeState& probe) const;
  Forecast forecast(std::span<const ProbeDescription> descriptions);
  std::unique_ptr<FireList> fire_list(const ProbeState& probe) const;
  void publish(std::span<ProbeState* const> changed);
  Result<void> remove_enablings(std::span<const uint32_t> ids);
  void update_gate();
};

/// The framework that the C ABI acts on in this thread (living.h); null when there is none.
Framework::Impl* current_framework_impl();

/// A framework's insides, locked; it may be none.
class Locked {
 public:
  explicit Locked(Framework::Impl* impl) : impl_(impl) {
    if (impl_ != nullptr) lock_ = std::unique_lock(impl_->mutex);
  }
  explicit operator bool() const { return impl_ != nullptr; }
  Framework::Impl* operator->() const { return impl_; }

 private:
  Framework::Impl* impl_;
  std::unique_lock<std::recursive_mutex> lock_;
};

/// Calls an op of a probe's provider, if it has that op, in its context; false when it has thrown.
template <typename Function, typename... Arguments>
bool call_op(ProviderOp op, const ProviderState& provider, Function* function, Arguments... arguments) {
  return function == nullptr || run_op(op, provider.owner, [&] { function(provider.arg, arguments...); });
}

}  // namespace sonde
