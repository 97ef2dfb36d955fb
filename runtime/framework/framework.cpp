// SPDX-License-Identifier: GPL-3.0-or-later
// Matching a description
//
//   hooks on descriptions  for those that may name a provider that is born by its name: python42, python*
//   provide_all()          once for each provider: the probes that it always has
//   always-asked ones      for each description that names them (pid): they make the probes that it asks for
//   the index, and what these have just provided          --> found?
//   hooks on descriptions  for the others; then all other providers, with the description   --> the index again
//
// A provider creates probes while its op runs. So providers and probes are in deques, whose elements do not move when
// they grow, and the loops that call ops go by index.
#include "runtime/framework/framework.h"

#include <malloc.h>

#include <algorithm>
#include <cstring>

#include "runtime/base/find.h"
#include "runtime/base/glob.h"
#include "runtime/base/numbered_name.h"
#include "runtime/framework/framework_impl.h"
#include "runtime/framework/living.h"
#include "runtime/framework/mappings.h"
#include "runtime/framework/names.h"
#include "runtime/process/program_file.h"

namespace sonde {
namespace {

constexpr uint32_t kTapsThatLeaveMuch = 1000;

constinit Living<Framework> g_frameworks;

/// False when a field is too long for the C ABI: no provider can have such a probe.
bool to_spec(const ProbeDescription& description, dtrace_probedesc_t& spec) {
  std::memset(&spec, 0, sizeof spec);
  const auto copy = [](const std::string& from, char* to, size_t size) {
    if (from.size() >= size) return false;
    std::memcpy(to, from.data(), from.size());
    return true;
  };
  return copy(description.provider, spec.dtpd_provider, sizeof spec.dtpd_provider) &&
         copy(description.module, spec.dtpd_mod, sizeof spec.dtpd_mod) &&
         copy(description.function, spec.dtpd_func, sizeof spec.dtpd_func) &&
         copy(description.name, spec.dtpd_name, sizeof spec.dtpd_name);
}

/// Whether a provider field may name a provider that a hook registers: python42, python*; not `*`, which all providers have.
bool may_name_one_born(std::string_view field) {
  if (field.find_first_not_of('*') == std::string_view::npos) return false;
  return field.find_first_of("*?[") != std::string_view::npos || !number_at_end(field).empty();
}

}  // namespace

Framework::Framework(EventSource* source) : impl_(std::make_unique<Impl>(*this, source)) { g_frameworks.add(this); }

Framework::~Framework() {
  {
    std::lock_guard lock(impl_->mutex);
    std::vector<uint32_t> all;
    for (const auto& [id, enabling] : impl_->enablings) all.push_back(id);
    (void)impl_->remove_enablings(all);
  }
  for (const auto& act : at_end) act();  // may wait for threads that call the provider interface
  {
    std::lock_guard lock(impl_->mutex);
    for (size_t i = 0; i < impl_->providers.size(); i++) (void)impl_->unregister_provider(i + 1);
  }
  g_frameworks.remove(this);
}

void Framework::forget_source() { Locked(impl_.get())->source = nullptr; }

const SourceCapabilities& Framework::capabilities() const {
  return impl_->source == nullptr ? kNoSource : impl_->source->capabilities();
}

Framework::Impl* current_framework_impl() {
  Framework* framework = g_frameworks.here();
  return framework == nullptr ? nullptr : &framework->impl();
}

ProviderState* Framework::Impl::provider(dtrace_provider_id_t id) {
  if (id == 0 || id > providers.size() || providers[id - 1].gone) return nullptr;
  return &providers[id - 1];
}

const ProbeState* Framework::Impl::probe(ProbeId id) const {
  if (id.value == 0 || id.value > probes.size() || probes[id.value - 1].destroyed) return nullptr;
  return &probes[id.value - 1];
}

ProbeState* Framework::Impl::probe(ProbeId id) { return const_cast<ProbeState*>(std::as_const(*this).probe(id)); }

void Framework::Impl::provide_all() {
  for (size_t i = 0; i < providers.size(); i++) {
    ProviderState& provider = providers[i];
    if (provider.provided || provider.gone || provider.defunct) continue;
    provider.provided = true;
    call_op(ProviderOp::Provide, provider, provider.ops.dtps_provide, static_cast<const dtrace_probedesc_t*>(nullptr));
  }
}

/// Calls dtps_provide of the always-asked providers that the description names, or (`always_asked` false) of all
/// others. It names one of the former only if it ends with the same number: p*d42 names pid42, p* does not. A provider
/// of all processes, `pid*`, is only named by just that.
void Framework::Impl::provide_for(const dtrace_probedesc_t& spec, bool always_asked) {
  const std::string_view field = spec.dtpd_provider;
  const bool names_any = field.find_first_not_of('*') == std::string_view::npos;
  const Glob glob(field);
  const auto names = [&](const ProviderState& provider) {
    if (is_of_all_processes(provider.name)) return field == provider.name;
    return !names_any && number_at_end(field) == number_at_end(provider.name) && glob.matches(provider.name);
  };
  for (size_t i = 0; i < providers.size(); i++) {
    ProviderState& provider = providers[i];
    if (provider.gone || provider.defunct || provider.always_asked != always_asked) continue;
    provider.asked = always_asked && names(provider);
    if (provider.asked || !always_asked) call_op(ProviderOp::Provide, provider, provider.ops.dtps_provide, &spec);
  }
}

/// Of python42 and python*, which both have the probe, only the latter is meant: else it would fire twice.
void Framework::Impl::leave_to_all(std::vector<ProbeId>& named) {
  std::set<std::string_view> all;
  for (ProbeId id : named) {
    const std::string_view name = probes[id.value - 1].info.provider;
    if (is_of_all_processes(name) && !probes[id.value - 1].provider->always_asked)
      all.insert(name.substr(0, name.size() - 1));
  }
  if (all.empty()) return;
  std::erase_if(named, [&](ProbeId id) {
    const std::string_view name = probes[id.value - 1].info.provider;
    const std::string_view number = number_at_end(name);
    return !number.empty() && all.contains(name.substr(0, name.size() - number.size()));
  });
}

/// The probes with these names in the index, and those that providers have just matched (sonde_provide_match). Of a
/// provider that was asked only the latter count: the index also has what earlier descriptions asked it for. pid* also
/// matches the name pid42, but it does not mean that provider.
std::vector<ProbeId> Framework::Impl::match_provided(const ProbeDescription& description) {
  std::vector<ProbeId> named =
      index.match({description.provider, description.module, description.function, description.name});
  const bool all = std::ranges::any_of(
      providers, [](const ProviderState& one) { return one.asked && is_of_all_processes(one.name); });
  const bool some = std::ranges::any_of(providers, &ProviderState::asked);
  if (some) std::erase_if(named, [&](ProbeId id) { return all || probes[id.value - 1].provider->asked; });
  leave_to_all(named);
  std::vector<ProbeId> said = std::exchange(provided, {}), found;
  if (said.empty()) return named;
  if (!std::ranges::is_sorted(said)) std::ranges::sort(said);  // most providers go through theirs in order
  said.erase(std::unique(said.begin(), said.end()), said.end());
  std::ranges::set_union(named, said, std::back_inserter(found));
  return found;
}

std::vector<ProbeId> Framework::Impl::match_all(const ProbeDescription& description) {
  provide_error.reset();
  dtrace_probedesc_t spec;
  const bool fits = to_spec(description, spec);
  const bool may_be_born = may_name_one_born(description.provider);
  if (fits && may_be_born) run_description_hooks(spec);
  provide_all();
  if (description.id.value != 0) {
    const ProbeState* named = probe(description.id);
    if (named == nullptr || named->provider->defunct) return {};
    return {description.id};
  }
  if (!fits) {
    provide_error = ProvideError{"D_PDESC_INVAL", "a field of the description is too long: at most " +
                                                      std::to_string(sizeof spec.dtpd_mod - 1) +
                                                      " bytes in a module; a * stands for any of them"};
    return {};
  }
  provide_for(spec, true);
  std::vector<ProbeId> found = match_provided(description);
  if (found.empty()) {
    if (!may_be_born) run_description_hooks(spec);
    provide_all();
    provide_for(spec, false);
    found = match_provided(description);
  }
  if (!found.empty()) provide_error.reset();
  return found;
}

std::vector<ProbeId> Framework::Impl::match(const ProbeDescription& description, std::vector<ProbeId>* left_out) {
  std::vector<ProbeId> found = match_all(description), out;
  if (!refused.empty() && !framework.listing) {
    const auto kept = std::ranges::stable_partition(found, [&](ProbeId id) { return !refused.contains(id.value); });
    out.assign(kept.begin(), kept.end());
    found.erase(kept.begin(), kept.end());
  }
  if (found.empty() && !out.empty()) {
    const ProbeInfo& first = probes[out.front().value - 1].info;
    const std::string name = to_string(ProbeDescription{first.provider, first.module, first.function, first.name, {}});
    const std::string& why = refused.find(out.front().value)->why;
    provide_error = ProvideError{"D_PROC_CREATEFAIL", "probe " + name + " cannot be armed: " + why};
    if (out.size() > 1)
      provide_error->message =
          "none of the " + std::to_string(out.size()) + " probes that match can be armed; of " + name + ": " + why;
  }
  if (left_out != nullptr) *left_out = std::move(out);
  return found;
}

void Framework::Impl::run_target_hooks(TargetHook::When when, uint32_t pid) {
  for (size_t i = 0; i < target_hooks.size(); i++) {
    const TargetHook hook = target_hooks[i];
    const ProviderState* owner = provider(hook.owner);
    if (hook.when == when && owner != nullptr)
      run_op(ProviderOp::OnTarget, owner->owner, [&] { hook.hook(hook.arg, pid); });
  }
}

void Framework::Impl::run_description_hooks(const dtrace_probedesc_t& spec) {
  for (size_t i = 0; i < description_hooks.size(); i++) {
    const DescriptionHook hook = description_hooks[i];
    if (const ProviderState* owner = provider(hook.owner))
      run_op(ProviderOp::OnDescription, owner->owner, [&] { hook.hook(hook.arg, &spec); });
  }
}

void Framework::provide() { Locked(impl_.get())->provide_all(); }

std::vector<ProbeId> Framework::match(const ProbeDescription& description) {
  return Locked(impl_.get())->match(description);
}

std::vector<NameCount> Framework::match_names(const ProbeDescription& description, ProbeIndex::Field field) {
  const Locked impl(impl_.get());
  return impl->index.count_names(impl->match(description), field);
}

std::string Framework::refusal(ProbeId id) const {
  std::lock_guard lock(impl_->mutex);
  const ProbeRefusal* refusal = impl_->refused.find(id.value);
  return refusal == nullptr ? "" : refusal->why;
}

std::vector<Tap> Framework::taps(ProbeId id) {
  std::lock_guard lock(impl_->mutex);
  SONDE_CHECK(impl_->enablings.empty());
  ProbeState* probe = impl_->probe(id);
  return probe == nullptr || impl_->refused.contains(id.value) ? std::vector<Tap>() : impl_->taps_of(*probe);
}

std::string Framework::how_armed(const Tap& tap) const {
  return impl_->source == nullptr ? "" : impl_->source->how_armed(tap);
}

std::optional<ProvideError> Framework::provide_error() const { return Locked(impl_.get())->provide_error; }

const ProbeInfo& Framework::info(ProbeId id) const {
  std::lock_guard lock(impl_->mutex);
  SONDE_CHECK(id.value != 0 && id.value <= impl_->probes.size());
  return impl_->probes[id.value - 1].info;
}

dtrace_pattr_t Framework::attributes(ProbeId id) const {
  std::lock_guard lock(impl_->mutex);
  SONDE_CHECK(id.value != 0 && id.value <= impl_->probes.size());
  return impl_->probes[id.value - 1].provider->attributes;
}

std::vector<ToldProbe> Framework::told(std::span<const ProbeId> ids) const {
  std::lock_guard lock(impl_->mutex);
  std::vector<ToldProbe> found;
  if (impl_->texts.empty()) return found;
  for (const ProbeId id : ids)
    if (const ProbeTexts* texts = impl_->texts.find(id.value)) found.push_back({id, texts});
  return found;
}

size_t Framework::with_arguments(std::span<const ProbeId> ids) const {
  std::lock_guard lock(impl_->mutex);
  if (impl_->with_arguments.empty()) return 0;
  return static_cast<size_t>(
      std::ranges::count_if(ids, [&](ProbeId id) { return impl_->with_arguments.contains(id.value); }));
}

std::vector<ArgumentDescription> Framework::arguments(ProbeId id) const {
  std::lock_guard lock(impl_->mutex);
  std::vector<ArgumentDescription> all;
  const ProbeState* probe = std::as_const(*impl_).probe(id);
  if (probe == nullptr || probe->provider->ops.dtps_getargdesc == nullptr) return all;
  const uint32_t most = impl_->with_arguments.contains(id.value) ? SONDE_ARGUMENTS_MAX : SONDE_DIF_ARGS;
  for (int index = 0; index < static_cast<int>(most); index++) {
    dtrace_argdesc_t desc{};
    desc.dtargd_id = id.value;
    desc.dtargd_ndx = index;
    desc.dtargd_mapping = index;
    impl_->argument_place.clear();
    impl_->argument_size = 0;
    const bool told = call_op(ProviderOp::GetArgDesc, *probe->provider, probe->provider->ops.dtps_getargdesc,
                              static_cast<dtrace_id_t>(id.value), probe->parg, &desc);
    if (!told || desc.dtargd_ndx == DTRACE_ARGNONE) continue;
    for (auto [text, size] :
         {std::pair(desc.dtargd_native, sizeof desc.dtargd_native),
          std::pair(desc.dtargd_xlate, sizeof desc.dtargd_xlate), std::pair(desc.dtargd_name, sizeof desc.dtargd_name)})
      text[size - 1] = '\0';  // an op may fill them to the last byte
    all.push_back({index, desc.dtargd_mapping, desc.dtargd_native, desc.dtargd_xlate, desc.dtargd_name,
                   impl_->argument_place, impl_->argument_size});
  }
  return all;
}

std::vector<std::string> Framework::providers() const {
  std::lock_guard lock(impl_->mutex);
  std::vector<std::string> names;
  for (const ProviderState& provider : impl_->providers)
    if (!provider.gone) names.push_back(provider.name);
  return names;
}

std::vector<std::string> Framework::providers_of(std::string_view file) const {
  std::lock_guard lock(impl_->mutex);
  std::vector<std::string> names;
  for (const ProviderState& provider : impl_->providers)
    if (!provider.gone && provider.owner.file == file) names.push_back(provider.name);
  return names;
}

size_t Framework::registered() const { return Locked(impl_.get())->providers.size(); }

std::vector<std::string> Framework::unregister_after(size_t kept) {
  const Locked impl(impl_.get());
  std::vector<std::string> names;
  for (size_t i = kept; i < impl->providers.size(); i++) {
    if (impl->unregister_provider(i + 1) == 0) names.push_back(impl->providers[i].name);
  }
  return names;
}

std::string Framework::register_refusal() const { return Locked(impl_.get())->register_refusal; }

size_t Framework::probe_count() const { return Locked(impl_.get())->index.live(); }

Result<uint32_t> Framework::enable(const Enabling& enabling) {
  auto ids = enable_all({&enabling, 1});
  if (!ids) return std::move(ids).error();
  return ids->front();
}

Result<std::vector<uint32_t>> Framework::enable_all(std::span<const Enabling> enablings) {
  std::lock_guard lock(impl_->mutex);
  auto ids = impl_->enable_all(enablings);
  // Otherwise the C library keeps what compiling and arming have freed: some 15 MB with 50,000 taps.
  if (impl_->last_tap > kTapsThatLeaveMuch) malloc_trim(0);
  return ids;
}

Framework::Joined Framework::joined(uint32_t enabling) const {
  std::lock_guard lock(impl_->mutex);
  const EnablingState& state = impl_->enablings.at(enabling);
  Joined result{{}, state.why_none, true};
  for (const std::vector<ProbeId>& of_one : state.joined)
    result.probes.insert(result.probes.end(), of_one.begin(), of_one.end());
  for (ProbeId id : result.probes) result.tapped = result.tapped && impl_->probes[id.value - 1].uses_taps;
  return result;
}

Result<void> Framework::disable(uint32_t enabling) { return disable_all({&enabling, 1}); }

Result<void> Framework::disable_all(std::span<const uint32_t> enablings) {
  std::lock_guard lock(impl_->mutex);
  for (uint32_t id : enablings)
    if (!impl_->enablings.contains(id)) return Error("no such enabling", EINVAL);
  return impl_->remove_enablings(enablings);
}

Forecast Framework::forecast(std::span<const ProbeDescription> descriptions) {
  return Locked(impl_.get())->forecast(descriptions);
}

Result<void> Framework::disarm() {
  std::lock_guard lock(impl_->mutex);
  for (ProbeState& probe : impl_->probes) std::exchange(probe.taps, {}).append_to(impl_->taps_to_disarm);
  return impl_->disarm_taps();
}

Result<void> Framework::modules_appeared(std::span<const std::string> paths) {
  std::lock_guard lock(impl_->mutex);
  for (const std::string& path : paths) {
    for (size_t i = 0; i < impl_->providers.size(); i++) {
      ProviderState& provider = impl_->providers[i];
      if (provider.gone || provider.defunct) continue;
      call_op(ProviderOp::ProvideModule, provider, provider.ops.dtps_provide_module, path.c_str());
    }
  }
  return impl_->retry_enablings();
}

Result<void> Framework::retry_enablings() { return Locked(impl_.get())->retry_enablings(); }

void Framework::Impl::set_suspended(bool now) {
  std::lock_guard lock(mutex);
  suspended = now;
  for (ProbeState& probe : probes) {
    if (!probe.enabled) continue;
    const dtrace_pops_t& ops = probe.provider->ops;
    call_op(now ? ProviderOp::Suspend : ProviderOp::Resume, *probe.provider, now ? ops.dtps_suspend : ops.dtps_resume,
            static_cast<dtrace_id_t>(probe.info.id.value), probe.parg);
  }
  update_gate();
}

void Framework::suspend() { impl_->set_suspended(true); }
void Framework::resume() { impl_->set_suspended(false); }

void Framework::fire(ProbeId probe, std::span<const uint64_t> args, Nanoseconds when) {
  LocalFiring::fire(probe, LocalArguments::of(args, 0), when, LocalFiring::Origin::Consumer, &impl_->firing);
  std::lock_guard lock(impl_->mutex);
  if (impl_->ever_fired) return;
  impl_->ever_fired = true;
  impl_->begin_awaited = false;
  impl_->update_gate();
}

std::vector<const MappedRing*> Framework::mapped_rings() { return Locked(impl_.get())->firing.rings(); }

int Framework::wake_fd() { return Locked(impl_.get())->firing.wake_fd(); }

void Framework::take_wake() { Locked(impl_.get())->firing.take_wake(); }

void Framework::set_ring_bytes(uint64_t bytes) { Locked(impl_.get())->firing.set_ring_bytes(bytes); }

void Framework::set_follow_forks(bool follow) { Locked(impl_.get())->follow_forks = follow; }

void Framework::note_fork(uint32_t origin, uint32_t pid) { Locked(impl_.get())->forks[origin].insert(pid); }

bool Framework::note_file(uint32_t pid, const MapEntry& mapping, bool waits) {
  const Locked impl(impl_.get());
  const auto names = [&](const std::string& wildcard) { return Glob(wildcard).matches(mapping.path); };
  if (std::ranges::none_of(impl->followed_files, names)) return true;
  const auto is_it = [&](const sonde_mapping& known) {
    return FileId{known.major, known.minor, known.inode} == mapping.file && known.path == mapping.path;
  };
  const auto known = std::ranges::find_if(impl->files, is_it);
  if (known != impl->files.end() && !waits) return false;
  const auto file = to_mapping(mapping, path_to_open(pid, mapping), program_path(pid));
  if (file && known != impl->files.end()) *known = *file;
  if (file && known == impl->files.end()) impl->files.push_back(*file);
  return true;
}

void Framework::set_targets(std::vector<uint32_t> pids) {
  std::lock_guard lock(impl_->mutex);
  std::vector<uint32_t> before = std::exchange(impl_->targets, std::move(pids));
  std::erase_if(impl_->followed, [this](uint32_t pid) { return std::ranges::count(impl_->targets, pid) == 0; });
  const std::vector<uint32_t> now = impl_->targets;
  for (uint32_t pid : before)
    if (std::ranges::find(now, pid) == now.end()) impl_->run_target_hooks(TargetHook::When::Ends, pid);
  for (uint32_t pid : now)
    if (std::ranges::find(before, pid) == before.end()) impl_->run_target_hooks(TargetHook::When::Comes, pid);
}

const std::vector<uint32_t>& Framework::targets() const {
  on_targets_asked();
  return impl_->targets;
}

}  // namespace sonde
