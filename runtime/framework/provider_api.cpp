// SPDX-License-Identifier: GPL-3.0-or-later
// The C ABI of provider.h, and its effects on probes and providers.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "kmod/shared/locate.h"
#include "runtime/base/find.h"
#include "runtime/framework/framework_impl.h"
#include "runtime/framework/mappings.h"
#include "runtime/framework/names.h"
#include "runtime/framework/observers.h"
#include "runtime/process/arch.h"
#include "runtime/process/proc_maps.h"
#include "runtime/process/served_files.h"

namespace sonde {
namespace {

/// The required op that is missing; empty: none.
std::string missing_op(const dtrace_pops_t& ops, uint32_t priv) {
  const uint32_t mixed = DTRACE_PRIV_USER | DTRACE_PRIV_KERNEL;
  if (ops.dtps_enable == nullptr) return "dtps_enable";
  if (ops.dtps_disable == nullptr) return "dtps_disable";
  if (ops.dtps_destroy == nullptr) return "dtps_destroy";
  if (ops.dtps_provide == nullptr && ops.dtps_provide_module == nullptr) return "dtps_provide or dtps_provide_module";
  if (ops.dtps_suspend == nullptr && ops.dtps_resume != nullptr) return "dtps_suspend";
  if (ops.dtps_suspend != nullptr && ops.dtps_resume == nullptr) return "dtps_resume";
  return (priv & mixed) == mixed && ops.dtps_usermode == nullptr ? "dtps_usermode" : "";
}

/// Which of the attributes is outside of its enum; empty: none. They are read as numbers, because they may be anything.
std::string bad_attribute(const dtrace_pattr_t& all) {
  constexpr const char* kNames[] = {"dtpa_provider", "dtpa_mod", "dtpa_func", "dtpa_name", "dtpa_args"};
  constexpr size_t kMembers = sizeof(dtrace_attribute_t) / sizeof(uint32_t);
  uint32_t values[std::size(kNames) * kMembers];
  static_assert(sizeof values == sizeof all);
  std::memcpy(values, &all, sizeof all);
  for (size_t i = 0; i < std::size(values); i++) {
    const uint32_t last =
        i % kMembers == kMembers - 1 ? uint32_t{DTRACE_CLASS_COMMON} : uint32_t{DTRACE_STABILITY_STANDARD};
    if (values[i] > last) return kNames[i / kMembers];
  }
  return {};
}

}  // namespace

int Framework::Impl::register_provider(const char* name, const dtrace_pattr_t* attributes, uint32_t priv,
                                       const dtrace_pops_t* ops, void* arg, dtrace_provider_id_t* id) {
  const auto refuse = [this](int error, std::string why) {
    register_refusal = std::move(why);
    return error;
  };
  if (name == nullptr || attributes == nullptr || ops == nullptr || id == nullptr)
    return refuse(EINVAL, "name, attributes, ops or the place for the id are NULL");
  const char* plugin = plugin_of(reinterpret_cast<const void*>(ops->dtps_enable));
  std::string_view checked = name;
  if (*plugin == '\0' && is_of_all_processes(name)) checked.remove_suffix(1);
  if (const std::string wrong = fault_of_provider_name(std::string(checked).c_str()); !wrong.empty())
    return refuse(EINVAL, wrong);
  if (const std::string bad = bad_attribute(*attributes); !bad.empty())
    return refuse(EINVAL,
                  "provider " + std::string(name) + ": its attributes " + bad + " are not DTRACE_STABILITY_...");
  if ((priv & ~DTRACE_PRIV_ALL) != 0)
    return refuse(EINVAL, "provider " + std::string(name) + ": its priv has bits that are no DTRACE_PRIV_...");
  if (const std::string missing = missing_op(*ops, priv); !missing.empty())
    return refuse(EINVAL, "provider " + std::string(name) + " has no " + missing);
  for (const ProviderState& other : providers) {
    if (!other.gone && !other.defunct && other.name == name)
      return refuse(EEXIST, "there is a provider " + std::string(name) + " already");
  }
  ProviderState& added = providers.emplace_back();
  added.name = name;
  added.owner = {lasting_text(name), plugin};
  added.attributes = *attributes;
  added.ops = *ops;
  added.arg = arg;
  *id = providers.size();
  return 0;
}

int Framework::Impl::unregister_provider(dtrace_provider_id_t id) {
  ProviderState* going = provider(id);
  if (going == nullptr) return EINVAL;
  if (going->enabled_probes > 0) return EBUSY;
  {
    const OpScope series(ProviderOp::Destroy, going->owner);
    const std::vector<ProbeId> all = std::exchange(going->probes, {});
    index.remove(all);
    for (ProbeId probe : all) destroy_probe(probes[probe.value - 1]);
  }
  going->gone = true;
  std::erase_if(target_hooks, [&](const TargetHook& hook) { return hook.owner == id; });
  std::erase_if(description_hooks, [&](const DescriptionHook& hook) { return hook.owner == id; });
  return 0;
}

void Framework::Impl::invalidate_provider(dtrace_provider_id_t id) {
  ProviderState* defunct = provider(id);
  if (defunct == nullptr || defunct->defunct) return;
  defunct->defunct = true;
  std::vector<ProbeState*> enabled;
  index.remove(defunct->probes);
  for (ProbeId probe : defunct->probes) {
    ProbeState& state = probes[probe.value - 1];
    if (!state.enabled) continue;
    enabled.push_back(&state);
    std::exchange(state.taps, {}).append_to(taps_to_disarm);
  }
  publish(enabled);
  // Only the session's thread may use the source. From another thread, the taps are disarmed at the session's next
  // change.
  if (std::this_thread::get_id() == session_thread) (void)disarm_taps();
}

int Framework::Impl::condense_provider(dtrace_provider_id_t id) {
  ProviderState* state = provider(id);
  if (state == nullptr) return EINVAL;
  std::vector<ProbeId> kept, going;
  const OpScope series(ProviderOp::Destroy, state->owner);
  for (ProbeId probe : std::exchange(state->probes, {}))
    (probes[probe.value - 1].enabled ? kept : going).push_back(probe);
  index.remove(going);
  for (ProbeId probe : going) destroy_probe(probes[probe.value - 1]);
  state->probes = std::move(kept);
  state->provided = false;
  return 0;
}

/// It is not in the index any more.
void Framework::Impl::destroy_probe(ProbeState& probe) {
  probe.destroyed = true;
  call_op(ProviderOp::Destroy, *probe.provider, probe.provider->ops.dtps_destroy,
          static_cast<dtrace_id_t>(probe.info.id.value), probe.parg);
}

ProbeId Framework::Impl::create_probe(dtrace_provider_id_t id, const char* module, const char* function,
                                      const char* name, int aframes, void* parg) {
  ProviderState* owner = provider(id);
  if (owner == nullptr || owner->defunct) return {};
  if (const std::string wrong = fault_of_names(module, function, name); !wrong.empty()) {
    report_refusal(owner->name.c_str(), "dtrace_probe_create makes no probe: " + wrong);
    return {};
  }
  const ProbeIndex::Names names = {owner->name, module == nullptr ? "" : module, function == nullptr ? "" : function,
                                   name};
  const auto [created, is_new, texts] = index.add(ProbeId{static_cast<uint32_t>(probes.size() + 1)}, names);
  if (!is_new) return created;
  const ProbeInfo info{created, *texts[ProbeIndex::Provider], *texts[ProbeIndex::Module], *texts[ProbeIndex::Function],
                       *texts[ProbeIndex::Name]};
  probes.push_back({.info = info, .provider = owner, .parg = parg, .ecbs = {}, .taps = {}, .aframes = aframes});
  owner->probes.push_back(created);
  return created;
}

ProbeId Framework::Impl::lookup_probe(dtrace_provider_id_t id, const char* module, const char* function,
                                      const char* name) {
  ProviderState* owner = provider(id);
  if (owner == nullptr) return {};
  if (owner->defunct) return {};
  if (module != nullptr && function != nullptr && name != nullptr)
    return index.find({owner->name, module, function, name});
  for (ProbeId candidate : owner->probes) {
    const ProbeInfo& info = probes[candidate.value - 1].info;
    if ((module == nullptr || info.module == module) && (function == nullptr || info.function == function) &&
        (name == nullptr || info.name == name))
      return candidate;
  }
  return {};
}

int Framework::Impl::add_target_hook(const TargetHook& hook) {
  if (hook.hook == nullptr || provider(hook.owner) == nullptr) return EINVAL;
  target_hooks.push_back(hook);
  return 0;
}

int Framework::Impl::add_description_hook(const DescriptionHook& hook) {
  if (hook.hook == nullptr || provider(hook.owner) == nullptr) return EINVAL;
  description_hooks.push_back(hook);
  return 0;
}

}  // namespace sonde

using sonde::Call;
using sonde::check_call;
using sonde::current_framework_impl;

namespace {

/// The framework, locked for the duration of an ABI call; none if there is none.
sonde::Locked locked() { return sonde::Locked(current_framework_impl()); }
/// The same for a call that has a context; none, too, if it is made in another one, which is reported.
sonde::Locked locked(Call call, const char* function) {
  return check_call(call, function) ? locked() : sonde::Locked(nullptr);
}

bool are_locations(sonde_tap_kind kind, std::span<const sonde_location> list) {
  if (list.data() == nullptr && !list.empty()) return false;
  if (list.size() > SONDE_LOCATIONS_MAX || (!list.empty() && !sonde::is_user_tap(kind))) return false;
  return std::ranges::all_of(list, [](const sonde_location& one) { return sonde_location_check(&one) == 0; });
}

bool are_counters(sonde_tap_kind kind, std::span<const uint64_t> list) {
  if (list.empty()) return true;
  return list.data() != nullptr && list.size() <= SONDE_COUNTERS_MAX && sonde::is_user_tap(kind);
}

/// Those of the process, then those of its forks. Returns 0 or an errno.
int visit_mappings(const sonde::Locked& framework, uint32_t pid, const sonde::VisitMapping& visit) {
  const int error = sonde::visit_mappings(pid, visit);
  auto* forks = framework ? sonde::find_in(framework->forks, pid) : nullptr;
  if (error != 0 || forks == nullptr) return error;
  std::erase_if(*forks, [&](uint32_t fork) { return sonde::visit_mappings(fork, visit) != 0; });  // it has ended
  return 0;
}

/// The tapped file: of a copy, what it is a copy of.
void name_file(sonde::Tap& tap, const std::string& path) {
  const sonde::CopiedFile* copy = sonde::copied_file(path);
  tap.path = copy != nullptr ? copy->original : path;
  if (copy == nullptr) return;
  tap.inode = copy->file.inode;
  tap.major = copy->file.major;
  tap.minor = copy->file.minor;
}

/// Whether the request says where to put a tap of its kind.
bool has_place(const sonde_tap_request& request) {
  const bool user = request.kind >= SONDE_TAP_USER_ENTRY && request.kind <= SONDE_TAP_USER_OFFSET;
  if (user) return request.path != nullptr;
  return request.kind < SONDE_TAP_KERNEL_ENTRY || request.symbol != nullptr;
}

}  // namespace

extern "C" {

int dtrace_register(const char* name, const dtrace_pattr_t* pap, uint32_t priv, void* cr, const dtrace_pops_t* pops,
                    void* arg, dtrace_provider_id_t* idp) {
  const auto framework = locked(Call::Register, "dtrace_register");
  return framework ? framework->register_provider(name, pap, priv, pops, arg, idp) : EPERM;
}

int dtrace_unregister(dtrace_provider_id_t id) {
  if (!check_call(Call::Register, "dtrace_unregister")) return EPERM;
  const auto framework = locked();
  return framework ? framework->unregister_provider(id) : EINVAL;
}

void dtrace_invalidate(dtrace_provider_id_t id) {
  const auto framework = locked(Call::Register, "dtrace_invalidate");
  if (framework) framework->invalidate_provider(id);
}

int dtrace_condense(dtrace_provider_id_t id) {
  if (!check_call(Call::Register, "dtrace_condense")) return EPERM;
  const auto framework = locked();
  return framework ? framework->condense_provider(id) : EINVAL;
}

int dtrace_attached(void) { return current_framework_impl() != nullptr; }

dtrace_id_t dtrace_probe_create(dtrace_provider_id_t id, const char* mod, const char* func, const char* name,
                                int aframes, void* parg) {
  const auto framework = locked(Call::ProbeCreate, "dtrace_probe_create");
  return framework ? framework->create_probe(id, mod, func, name, aframes, parg).value : 0;
}

dtrace_id_t dtrace_probe_lookup(dtrace_provider_id_t id, const char* mod, const char* func, const char* name) {
  const auto framework = locked(Call::ProbeLookup, "dtrace_probe_lookup");
  return framework ? framework->lookup_probe(id, mod, func, name).value : 0;
}

void* dtrace_probe_arg(dtrace_provider_id_t id, dtrace_id_t probe) {
  const auto framework = locked(Call::ProbeLookup, "dtrace_probe_arg");
  const sonde::ProbeState* state = framework ? framework->probe(sonde::ProbeId{probe}) : nullptr;
  return state == nullptr || state->provider != framework->provider(id) ? nullptr : state->parg;
}

void dtrace_probe(dtrace_id_t probe, uintptr_t arg0, uintptr_t arg1, uintptr_t arg2, uintptr_t arg3, uintptr_t arg4) {
  if (!check_call(Call::Probe, "dtrace_probe")) return;
  const uint64_t all[] = {arg0, arg1, arg2, arg3, arg4};
  if (const auto* observers = sonde::g_provider_observers.load(std::memory_order_relaxed)) {
    if (observers->fired != nullptr) observers->fired(probe, all);
  }
  sonde::LocalFiring::fire(sonde::ProbeId{probe}, sonde::LocalArguments::of(all, 0), 0,
                           sonde::LocalFiring::Origin::Provider);
}

void sonde_probe_fire(dtrace_id_t probe, const uintptr_t* args, unsigned count, uint32_t texts) {
  if (!check_call(Call::Probe, "sonde_probe_fire")) return;
  const auto all = sonde::LocalArguments::of({args, std::min(count, unsigned{SONDE_DIF_ARGS})}, texts);
  if (const auto* observers = sonde::g_provider_observers.load(std::memory_order_relaxed))
    if (observers->fired != nullptr) observers->fired(probe, all.words.data());
  sonde::LocalFiring::fire(sonde::ProbeId{probe}, all, 0, sonde::LocalFiring::Origin::Provider);
}

uint64_t dtrace_getarg(int argno, int aframes) {
  if (!check_call(Call::GetArg, "dtrace_getarg")) return 0;
  return sonde::LocalFiring::argument(argno);
}

int sonde_tap_arm(dtrace_id_t probe, const struct sonde_tap_request* request) {
  if (!check_call(Call::TapArm, "sonde_tap_arm")) return EPERM;
  const auto framework = locked();
  sonde::ProbeState* state = framework ? framework->probe(sonde::ProbeId{probe}) : nullptr;
  if (state == nullptr || !framework->may_arm(*state)) return EINVAL;
  if (request == nullptr || request->size != sizeof *request) return EINVAL;
  if (static_cast<uint32_t>(request->kind) >= SONDE_TAP_KIND_COUNT || !has_place(*request)) return EINVAL;
  const std::span locations(request->locations, request->location_count);
  if (!are_locations(request->kind, locations)) return EINVAL;
  const std::span counters(request->counters, request->counter_count);
  if (!are_counters(request->kind, counters)) return EINVAL;
  if (request->machine != 0 && request->machine != sonde::machine::kElfMachine) return ENOTSUP;
  if ((request->flags & ~(SONDE_TAP_FORKS | SONDE_TAP_NOP)) != 0) return EINVAL;
  if ((request->flags & SONDE_TAP_FORKS) != 0 && request->pid == 0) return EINVAL;
  if ((request->flags & SONDE_TAP_NOP) != 0 && request->kind != SONDE_TAP_USER_OFFSET) return EINVAL;
  sonde::Tap tap;
  tap.id = {++framework->last_tap};
  tap.kind = request->kind;
  tap.probe = {probe};
  tap.number = request->number;
  tap.pid = request->pid;
  name_file(tap, request->path == nullptr ? "" : request->path);
  if (request->kind >= SONDE_TAP_KERNEL_ENTRY) tap.path = request->symbol;
  tap.offset = request->offset;
  tap.function = request->function;
  tap.leave = request->leave;
  tap.sum = request->sum;
  tap.locations.assign(locations.begin(), locations.end());
  tap.counters.assign(counters.begin(), counters.end());
  tap.forks = (request->flags & SONDE_TAP_FORKS) != 0 && framework->follow_forks;
  tap.nop = (request->flags & SONDE_TAP_NOP) != 0;
  state->taps.add(tap.id);
  framework->taps_to_arm.push_back(std::move(tap));
  return 0;
}

void sonde_tap_disarm(dtrace_id_t probe) {
  const auto framework = locked(Call::TapDisarm, "sonde_tap_disarm");
  sonde::ProbeState* state = framework ? framework->probe(sonde::ProbeId{probe}) : nullptr;
  if (state == nullptr || framework->op_probe.value != probe) return;
  std::erase_if(framework->taps_to_arm, [probe](const sonde::Tap& tap) { return tap.probe.value == probe; });
  std::exchange(state->taps, {}).append_to(framework->taps_to_disarm);
}

int sonde_tap_possible(enum sonde_tap_kind kind) {
  const auto framework = locked();
  return framework && framework->framework.capabilities().taps.contains(kind);
}

unsigned sonde_counters_possible(void) {
  const auto framework = locked();
  return framework ? framework->framework.capabilities().counters : 0;
}

int sonde_has_source(void) {
  const auto framework = locked();
  return framework && framework->source != nullptr;
}

int sonde_is_listing(void) {
  const auto framework = locked();
  return framework && framework->framework.listing;
}

void sonde_print_message(const char* text) {
  const auto framework = locked(Call::PrintMessage, "sonde_print_message");
  if (!framework || !framework->told.insert(text).second) return;
  if (framework->framework.on_message)
    framework->framework.on_message(text);
  else
    framework->untold.emplace_back(text);
}

int sonde_compat_calls_possible(void) {
  const auto framework = locked();
  return framework && framework->framework.capabilities().compat_calls;
}

int sonde_unnamed_calls_possible(void) {
  const auto framework = locked();
  return framework && framework->framework.capabilities().unnamed_calls;
}

int sonde_tap_memory_possible(void) {
  const auto framework = locked();
  return framework && framework->framework.capabilities().memory_taps;
}

const char* sonde_sources_with(enum sonde_tap_kind kind, int in_memory) {
  static std::map<std::pair<int, bool>, std::string> told;  // the texts live for ever; the lock guards them
  const auto framework = locked();
  const auto can = [&](const sonde::SourceCapabilities& source) {
    return source.taps.contains(kind) && (in_memory == 0 || source.memory_taps);
  };
  return told.try_emplace({kind, in_memory != 0}, sonde::sources_with(can)).first->second.c_str();
}

void sonde_provide_error(const char* tag, const char* message) {
  const auto framework = locked(Call::ProvideError, "sonde_provide_error");
  if (framework && !framework->provide_error) framework->provide_error = sonde::ProvideError{tag, message};
}

void sonde_probe_refuse(dtrace_id_t probe, const char* why, int quietly) {
  const auto framework = locked(Call::ProvideError, "sonde_probe_refuse");
  if (!framework || framework->probe(sonde::ProbeId{probe}) == nullptr) return;
  if (why == nullptr)
    framework->refused.erase(probe);
  else
    framework->refused.set(
        probe, [&](const sonde::ProbeRefusal& known) { return known.quietly == (quietly != 0) && known.why == why; },
        [&] {
          return sonde::ProbeRefusal{why, quietly != 0};
        });
}

void sonde_probe_of_kernel(dtrace_id_t probe, const char* when, const char* derived) {
  const auto framework = locked(Call::ProbeCreate, "sonde_probe_of_kernel");
  if (!framework || framework->probe(sonde::ProbeId{probe}) == nullptr) return;
  if (when == nullptr) when = "";
  if (derived == nullptr) derived = "";
  const auto is = [&](const sonde::ProbeTexts& known) {
    return known.of_kernel && known.when == when && known.derived == derived && known.before.empty() &&
           known.arguments.empty();
  };
  framework->texts.set(probe, is,
                       [&] { return sonde::ProbeTexts{.of_kernel = true, .when = when, .derived = derived}; });
}

void sonde_probe_in_d(dtrace_id_t probe, const char* before, const char* when, const char* const* arguments,
                      unsigned count) {
  const auto framework = locked(Call::ProbeCreate, "sonde_probe_in_d");
  if (!framework || framework->probe(sonde::ProbeId{probe}) == nullptr) return;
  sonde::ProbeTexts texts{.when = when == nullptr ? "" : when, .before = before == nullptr ? "" : before};
  for (unsigned n = 0; n < std::min(count, SONDE_PROBE_ARGUMENTS); n++) texts.arguments.emplace_back(arguments[n]);
  const sonde::ProbeTexts* told = framework->texts.find(probe);
  texts.of_kernel = told != nullptr && told->of_kernel;
  framework->texts.set(probe, std::move(texts));
}

void sonde_probe_has_arguments(dtrace_id_t probe) {
  const auto framework = locked(Call::ProbeCreate, "sonde_probe_has_arguments");
  if (framework && framework->probe(sonde::ProbeId{probe}) != nullptr) framework->with_arguments.insert(probe);
}

void sonde_provide_always(dtrace_provider_id_t id) {
  const auto framework = locked(Call::Register, "sonde_provide_always");
  sonde::ProviderState* provider = framework ? framework->provider(id) : nullptr;
  if (provider != nullptr) provider->always_asked = true;
}

void sonde_provide_match(dtrace_id_t probe) {
  const auto framework = locked(Call::ProvideError, "sonde_provide_match");
  if (framework && framework->probe(sonde::ProbeId{probe}) != nullptr)
    framework->provided.push_back(sonde::ProbeId{probe});
}

/// Providers try one pattern on many texts, so the last pattern stays compiled.
int sonde_glob_match(const char* pattern, const char* text) {
  thread_local std::string last;
  thread_local sonde::Glob glob("");
  if (last != pattern) {
    glob = sonde::Glob(pattern);
    last = pattern;
  }
  return glob.matches(text) ? 1 : 0;
}

void sonde_argument_place(const char* text, uint64_t size) {
  const auto framework = locked(Call::ProbeLookup, "sonde_argument_place");
  if (!framework) return;
  framework->argument_place = text == nullptr ? "" : text;
  framework->argument_size = size;
}

void sonde_targets(void (*visit)(void* arg, uint32_t pid), void* arg) {
  const auto framework = locked(Call::Targets, "sonde_targets");
  if (!framework) return;
  for (uint32_t pid : std::vector<uint32_t>(framework->targets)) visit(arg, pid);
}

int sonde_on_target(dtrace_provider_id_t owner, void (*hook)(void* arg, uint32_t pid), void* arg) {
  if (!check_call(Call::Register, "sonde_on_target")) return EPERM;
  const auto framework = locked();
  if (!framework) return EPERM;
  if (const int error = framework->add_target_hook({sonde::TargetHook::When::Comes, owner, hook, arg})) return error;
  for (uint32_t pid : std::vector<uint32_t>(framework->targets)) hook(arg, pid);
  return 0;
}

int sonde_on_target_end(dtrace_provider_id_t owner, void (*hook)(void* arg, uint32_t pid), void* arg) {
  if (!check_call(Call::Register, "sonde_on_target_end")) return EPERM;
  const auto framework = locked();
  return framework ? framework->add_target_hook({sonde::TargetHook::When::Ends, owner, hook, arg}) : EPERM;
}

int sonde_on_description(dtrace_provider_id_t owner, void (*hook)(void* arg, const dtrace_probedesc_t* spec),
                         void* arg) {
  if (!check_call(Call::Register, "sonde_on_description")) return EPERM;
  const auto framework = locked();
  return framework ? framework->add_description_hook({owner, hook, arg}) : EPERM;
}

void sonde_follow(uint32_t pid) {
  const auto framework = locked(Call::ProvideError, "sonde_follow");
  if (!framework || framework->source == nullptr || std::ranges::count(framework->followed, pid) != 0) return;
  sonde::ThreadControl* threads = framework->source->threads();
  if (threads == nullptr && framework->source->report_files_of(pid)) framework->followed.push_back(pid);
  // This fails before the source has attached to the process and after its end; the provider will ask again.
  if (threads != nullptr && threads->follow(pid, framework->follow_forks)) framework->followed.push_back(pid);
}

void sonde_follow_files(const char* wildcard) {
  const auto framework = locked(Call::ProvideError, "sonde_follow_files");
  if (!framework || framework->source == nullptr || framework->followed_files.contains(wildcard)) return;
  sonde::ThreadControl* threads = framework->source->threads();
  const auto followed =
      threads != nullptr ? threads->follow_files(wildcard) : framework->source->report_files(wildcard);
  if (followed) framework->followed_files.insert(wildcard);
  const std::string text = followed ? "" : "what is opened later has no probes of pid*: " + followed.error().message();
  if (!followed && framework->framework.on_message && framework->told.insert(text).second)
    framework->framework.on_message(text);
}

int sonde_mappings(uint32_t pid, void (*visit)(void* arg, const struct sonde_mapping* mapping), void* arg) {
  if (!check_call(Call::Targets, "sonde_mappings")) return EPERM;
  const auto framework = locked();
  const auto act = [&](const sonde_mapping& mapping) { visit(arg, &mapping); };
  if (pid != 0) return visit_mappings(framework, pid, act);
  if (!framework) return EPERM;
  const bool machine = framework->targets.empty() && framework->source != nullptr &&
                       framework->source->capabilities().scope == sonde::SourceScope::Machine;
  if (machine) sonde::visit_files_of_machine(act);
  for (const uint32_t target : std::vector<uint32_t>(framework->targets)) (void)visit_mappings(framework, target, act);
  std::erase_if(framework->files, [](const sonde_mapping& file) {  // the path leads to another one by now
    return !sonde::leads_to(file.file, {file.major, file.minor, file.inode});
  });
  for (const sonde_mapping& file : std::vector<sonde_mapping>(framework->files)) act(file);
  return 0;
}

int sonde_function_places(const char* path, const char* function, enum sonde_tap_kind kind,
                          void (*visit)(void* arg, const struct sonde_place* place), void* arg) {
  if (!check_call(Call::Targets, "sonde_function_places")) return EPERM;
  if (kind != SONDE_TAP_USER_ENTRY && kind != SONDE_TAP_USER_RETURN) return EINVAL;
  const auto framework = locked();
  if (!framework) return EPERM;
  auto found = framework->functions.find(path, function, kind == SONDE_TAP_USER_RETURN);
  if (!found) return found.error().code() != 0 ? found.error().code() : EINVAL;
  for (const sonde::CodePlace& one : found->places) {
    const sonde_place place{one.offset, found->function, one.leave};
    visit(arg, &place);
  }
  return 0;
}

}  // extern "C"
