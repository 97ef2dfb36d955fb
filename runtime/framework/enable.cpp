// SPDX-License-Identifier: GPL-3.0-or-later
// Enablings: from descriptions to ECBs on probes, and back
//
//   match --> ECBs (epids) --> on_ecb --> dtps_enable 0->1, taps gathered --> source: programs, ECBs, taps --> local lists
//
// A batch is all or nothing: a failure half way undoes it. The source gets the ECBs in one call and then the taps in
// one call, so that no tap fires without its ECBs.
#include <algorithm>
#include <bit>
#include <cerrno>
#include <set>
#include <unordered_set>

#include "runtime/base/find.h"
#include "runtime/base/progress.h"
#include "runtime/framework/framework_impl.h"
#include "runtime/framework/names.h"
#include "runtime/process/cgroups.h"

namespace sonde {

/// A batch that is being enabled.
struct Framework::Impl::Pending {
  struct NewEcb {
    ProbeState* probe;
    EcbState ecb;
    uint32_t description;
  };
  std::vector<NewEcb> ecbs;
  std::vector<ProbeState*> touched;  ///< each once
  std::vector<ProbeState*> started;
  std::vector<std::shared_ptr<const FireProgram>> loading;  ///< programs that were sent to the source
  std::vector<Epid> sent;                                   ///< ECBs that were sent to it
  bool arming = false;                                      ///< it was asked to arm taps
};

/// A probe that its provider describes in D fires a clause by the program that was compiled for the two. So one that was
/// made after the clause was compiled does not fire it.
void Framework::Impl::leave_out_uncompiled(const Enabling& enabling, std::vector<ProbeId>& found) const {
  if (texts.empty()) return;
  std::erase_if(found, [&](ProbeId id) {
    const ProbeTexts* told = texts.find(id.value);
    return told != nullptr && !told->of_kernel && !enabling.has_own_program(id);
  });
}

/// Adds ECBs for the probes that `enabling` matches and has not joined, in order of probe and description.
void Framework::Impl::join(uint32_t id, EnablingState& enabling, Pending& pending) {
  std::vector<std::pair<ProbeId, size_t>> wanted;
  for (size_t at = 0; at < enabling.what.descriptions.size(); at++) {
    std::vector<ProbeId> left_out;
    std::vector<ProbeId> found = match(enabling.what.descriptions[at], &left_out);
    leave_out_uncompiled(enabling.what, found);
    report_left_out(enabling, at, left_out);
    const bool gone = provide_error && provide_error->tag == "D_PROC_GRAB" && enabling.why_none;  // says nothing new
    if (found.empty() && enabling.joined[at].empty() && provide_error && !gone) enabling.why_none = provide_error;
    std::vector<ProbeId> fresh;
    std::ranges::set_difference(found, enabling.joined[at], std::back_inserter(fresh));
    for (ProbeId probe : fresh) wanted.emplace_back(probe, at);
    std::vector<ProbeId> all;
    std::ranges::set_union(enabling.joined[at], fresh, std::back_inserter(all));
    enabling.joined[at] = std::move(all);
  }
  std::ranges::sort(wanted);
  for (auto [probe, description] : wanted) {
    const EcbState ecb{{++last_epid}, id};
    pending.ecbs.push_back({&probes[probe.value - 1], ecb, static_cast<uint32_t>(description)});
  }
}

/// Reports the number of probes that were left out: the first time, and again when it has grown.
void Framework::Impl::report_left_out(EnablingState& enabling, size_t at, std::vector<ProbeId>& left_out) {
  std::erase_if(left_out, [&](ProbeId id) { return refused.find(id.value)->quietly; });
  enabling.left_out.resize(enabling.what.descriptions.size());
  const size_t before = std::exchange(enabling.left_out[at], left_out.size());
  if (left_out.size() <= before || !framework.on_message) return;
  const ProbeInfo& first = probes[left_out.front().value - 1].info;
  const std::string name = first.module + ":" + first.function + ":" + first.name;
  const std::string others = left_out.size() == 1
                                 ? "one probe is left out, " + name
                                 : std::to_string(left_out.size()) + " probes are left out, such as " + name;
  framework.on_message(to_string(enabling.what.descriptions[at]) + ": " + others + ": " +
                       refused.find(left_out.front().value)->why + " (-lv says it of each)");
}

Result<std::vector<uint32_t>> Framework::Impl::enable_all(std::span<const Enabling> what) {
  for (const Enabling& enabling : what) {
    if (enabling.program == nullptr || enabling.program->record_max == 0)
      return Error("the fire part of a clause has not been verified", EINVAL);
  }
  if (framework.on_message)
    for (const std::string& text : std::exchange(untold, {})) framework.on_message(text);
  if (auto disarmed = disarm_taps(); !disarmed) return std::move(disarmed).error();
  Pending pending;
  std::vector<uint32_t> ids;
  for (const Enabling& enabling : what) {
    ids.push_back(++last_enabling);
    enablings[ids.back()] = {enabling, std::vector<std::vector<ProbeId>>(enabling.descriptions.size()), {}, {}};
  }
  // The descriptions may have made probes that older enablings match, too.
  for (auto& [id, enabling] : enablings) join(id, enabling, pending);
  auto done = enable_pending(pending);
  if (done) return ids;
  undo(pending);
  for (uint32_t id : ids) enablings.erase(id);
  return std::move(done).error();
}

Result<void> Framework::Impl::retry_enablings() {
  auto disarmed = disarm_taps();
  Pending pending;
  for (auto& [id, enabling] : enablings) join(id, enabling, pending);
  auto done = enable_pending(pending);
  if (!done) undo(pending);
  return done ? std::move(disarmed) : std::move(done);
}

Result<void> Framework::Impl::enable_pending(Pending& pending) {
  for (const Pending::NewEcb& added : pending.ecbs) {
    if (framework.on_ecb)
      framework.on_ecb({added.ecb.epid, &added.probe->info, enablings[added.ecb.enabling].what.clause});
    added.probe->ecbs.push_back(added.ecb);
    pending.touched.push_back(added.probe);
    if (!ever_fired && added.probe->info.provider == "dtrace" && added.probe->info.name == "BEGIN")
      begin_awaited = true;
  }
  std::ranges::sort(pending.touched, {}, [](const ProbeState* probe) { return probe->info.id; });
  pending.touched.erase(std::unique(pending.touched.begin(), pending.touched.end()), pending.touched.end());
  update_gate();

  for (ProbeState* probe : pending.touched) {
    if (probe->enabled) continue;
    pending.started.push_back(probe);
    start_probe(*probe);
  }
  if (auto handed = hand_to_source(pending); !handed) return handed;
  const auto is_local = [](const ProbeState* probe) { return !probe->uses_taps; };
  if (std::ranges::any_of(pending.touched, is_local))
    if (auto made = firing.create_rings(); !made) return made;
  publish(pending.touched);
  return {};
}

void Framework::Impl::start_probe(ProbeState& probe) {
  probe.enabled = true;
  probe.provider->enabled_probes++;
  op_probe = probe.info.id;
  call_op(ProviderOp::Enable, *probe.provider, probe.provider->ops.dtps_enable,
          static_cast<dtrace_id_t>(probe.info.id.value), probe.parg);
  op_probe = {};
  probe.uses_taps = !probe.taps.empty();
}

/// Sends the source, in one call, those of these fire parts that it does not have yet.
Result<void> Framework::Impl::load(std::span<const std::shared_ptr<const FireProgram>> programs, Pending& pending) {
  std::vector<Loading> lacking;
  std::map<std::shared_ptr<const FireProgram>, ProgramId> added;
  for (const auto& program : programs) {
    if (loaded.contains(program) || !added.emplace(program, ProgramId{last_program + 1}).second) continue;
    lacking.push_back({ProgramId{++last_program}, program->view(), program->fold, program->urgent, program->signals});
  }
  for (const auto& [program, id] : added) pending.loading.push_back(program);
  auto done = lacking.empty() ? Result<void>() : source->load_programs(lacking);
  if (done) loaded.merge(added);
  return done;
}

/// A fire part that a source is to run: the list of calls has one for hundreds of probes.
struct Framework::Impl::Handed {
  const FireProgram* program;
  bool held;
  const ProbeInfo* probe;  ///< the first that has it
};

/// All that enablings ask of a source together.
struct Framework::Impl::Asked {
  bool held = false, signals = false, kernel = false;
  uint64_t variables = 0, texts = 0, taps = 0;  ///< bit n: member n of the enum

  void add(const FireProgram& program, bool waits) {
    const sonde_dif_program view = program.view();
    const sonde_needs needs = sonde_dif_needs(&view);
    held = held || (waits && program.signals == 0);
    signals = signals || program.signals != 0;
    kernel = kernel || needs.kernel != 0;
    variables |= needs.variables;
    texts |= needs.texts;
  }
  bool by(const SourceCapabilities& can) const {
    return (!held || can.holds) && (!signals || can.signals || can.holds) && (!kernel || can.kernel) &&
           (variables & ~can.variables.bits()) == 0 && (texts & ~can.texts.bits()) == 0 &&
           (taps & ~can.taps.bits()) == 0;
  }
};

/// Says what the source cannot do for an enabling of that probe, and which sources can do that and all else.
template <typename Can>
Error Framework::Impl::about_source(const ProbeInfo& probe, const std::string& lacks, const Asked& all, Can can) const {
  const std::string some = sources_with(can);
  const std::string others = sources_with([&](const SourceCapabilities& other) { return can(other) && all.by(other); });
  const std::string who = !others.empty() ? "; the " + others + " source can"
                          : some.empty()
                              ? "; no source can yet"
                              : "; the " + some + " source can, but not all else that the script asks: split it";
  return Error("probe " + to_string(ProbeDescription{probe.provider, probe.module, probe.function, probe.name, {}}) +
                   ": " + lacks + who,
               EOPNOTSUPP);
}

namespace {

/// What a script reads to get such a text.
const char* words_for(sonde_dif_text text) {
  switch (text) {
    case SONDE_DIF_TEXT_EXECNAME: return "execname";
    case SONDE_DIF_TEXT_PSARGS: return "curpsinfo->pr_psargs";
    case SONDE_DIF_TEXT_CWD: return "cwd";
    case SONDE_DIF_TEXT_ROOT: return "root";
    case SONDE_DIF_TEXT_EXEPATH: return "the path of the program";
    case SONDE_DIF_TEXT_FDPATH: return "paths of descriptors, as fds[] and argstr have them";
    case SONDE_DIF_TEXT_FDFS:
    case SONDE_DIF_TEXT_FDMOUNT:
    case SONDE_DIF_TEXT_FDPOS:
    case SONDE_DIF_TEXT_FDFLAGS: return "fds[]";
    case SONDE_DIF_TEXT_SYSCALL_ARGS: return "argstr";
    case SONDE_DIF_TEXT_PROBE_TEXT: return "the probe's texts";
    case SONDE_DIF_TEXT_COMM: return "the name of another process";
    case SONDE_DIF_TEXT_STRINGS:
    case SONDE_DIF_TEXT_POINTERS: return "arrays of texts, as argstr has them";
    case SONDE_DIF_TEXT_COUNT: break;
  }
  return "this text";
}

std::string word_for(sonde_dif_variable variable) {
  std::string word = sonde_dif_variable_name(variable);
  std::ranges::transform(word, word.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

}  // namespace

/// Whether the current source, if there is one, can run such an ECB on that probe.
Result<void> Framework::Impl::check_source(const ProbeInfo& probe, const FireProgram& program, bool held,
                                           const Asked& all) const {
  if (source == nullptr) {
    const ProbeDescription name{probe.provider, probe.module, probe.function, probe.name, {}};
    return Error("probe " + to_string(name) + " needs a traced process: name one by -c or -p", EINVAL);
  }
  const std::string own = "the " + std::string(source->name()) + " source";
  const SourceCapabilities& can = source->capabilities();
  if (held && !can.holds && (program.signals == 0 || !can.signals))
    return about_source(probe, "its thread would have to wait, which " + own + " cannot have it do", all,
                        [](const SourceCapabilities& other) { return other.holds; });
  const sonde_dif_program view = program.view();
  const sonde_needs needs = sonde_dif_needs(&view);
  if ((needs.variables >> SONDE_DIF_VAR_CGROUPID & 1) != 0) Cgroups::of_machine().read_once();
  if (needs.kernel != 0 && !can.kernel)
    return about_source(probe, own + " cannot see the kernel: its memory, its stacks and curthread", all,
                        [](const SourceCapabilities& other) { return other.kernel; });
  const uint64_t variables = needs.variables & ~can.variables.bits();
  if (variables != 0) {
    const auto variable = static_cast<sonde_dif_variable>(std::countr_zero(variables));
    return about_source(probe, own + " cannot read " + word_for(variable), all,
                        [&](const SourceCapabilities& other) { return other.variables.contains(variable); });
  }
  const uint64_t texts = needs.texts & ~can.texts.bits();
  if (texts != 0) {
    const auto text = static_cast<sonde_dif_text>(std::countr_zero(texts));
    return about_source(probe, own + " cannot read " + words_for(text), all,
                        [&](const SourceCapabilities& other) { return other.texts.contains(text); });
  }
  return {};
}

/// Whether the current source has events of each kind that a provider asked for.
Result<void> Framework::Impl::check_taps(const Asked& all) const {
  for (const Tap& tap : taps_to_arm) {
    if (source->capabilities().taps.contains(tap.kind)) continue;
    return about_source(probes[tap.probe.value - 1].info,
                        "the " + std::string(source->name()) + " source cannot trace it", all,
                        [&](const SourceCapabilities& other) { return other.taps.contains(tap.kind); });
  }
  return {};
}

Framework::Impl::Asked Framework::Impl::asked_by(std::span<const Handed> programs) {
  Asked all;
  for (const Handed& one : programs) all.add(*one.program, one.held);
  for (const Tap& tap : taps_to_arm) all.taps |= uint64_t{1} << tap.kind;
  return all;
}

Result<void> Framework::Impl::hand_to_source(Pending& pending) {
  std::vector<Ecb> ecbs;
  std::vector<std::shared_ptr<const FireProgram>> programs;  // of each ECB
  std::vector<Handed> distinct;
  std::set<std::pair<const FireProgram*, bool>> known;
  for (const Pending::NewEcb& added : pending.ecbs) {
    if (!added.probe->uses_taps) continue;
    const Enabling& enabling = enablings[added.ecb.enabling].what;
    programs.push_back(enabling.program_of(added.probe->info.id));
    ecbs.push_back({added.ecb.epid, added.probe->info.id, {}, enabling.held});
    if (known.emplace(programs.back().get(), enabling.held).second)
      distinct.push_back({programs.back().get(), enabling.held, &added.probe->info});
  }
  const Asked all = asked_by(distinct);
  for (const Handed& one : distinct)
    if (auto good = check_source(*one.probe, *one.program, one.held, all); !good) return good;
  if (!ecbs.empty()) {
    if (auto good = check_taps(all); !good) return good;
    if (auto done = load(programs, pending); !done) return done;
    for (size_t i = 0; i < ecbs.size(); i++) {
      ecbs[i].program = loaded.at(programs[i]);
      ecbs[i].held = ecbs[i].held && source->capabilities().holds;
    }
    if (auto added = source->add_ecbs(ecbs); !added) return added;
    for (const Ecb& ecb : ecbs) pending.sent.push_back(ecb.epid);
  }
  auto armed = taps_to_arm.empty() ? Result<void>() : arm(pending);
  auto settled = source == nullptr ? Result<void>() : source->settle();
  return settled ? std::move(armed) : std::move(settled);
}

Result<void> Framework::Impl::arm(Pending& pending) {
  pending.arming = true;
  ProgressLine::now("arming " + std::to_string(taps_to_arm.size()) + " taps");
  auto armed = source->arm(taps_to_arm);
  if (armed) taps_to_arm = std::vector<Tap>();  // frees its memory, too
  return armed;
}

/// Undoes as much of enable_pending() as was done.
void Framework::Impl::undo(Pending& pending) {
  const uint32_t before = last_epid - static_cast<uint32_t>(pending.ecbs.size());
  for (ProbeState* probe : pending.touched)
    probe->ecbs.erase_if([&](const EcbState& ecb) { return ecb.epid.value > before; });
  for (const Pending::NewEcb& added : pending.ecbs) {
    if (EnablingState* enabling = find_in(enablings, added.ecb.enabling))
      std::erase(enabling->joined[added.description], added.probe->info.id);
  }
  for (ProbeState* probe : pending.started) stop_probe(*probe);
  publish(pending.touched);
  for (const Tap& tap : taps_to_arm)  // new places of probes that were enabled before
    probes[tap.probe.value - 1].taps.drop_from(tap.id);
  taps_to_arm.clear();
  if (!pending.arming) taps_to_disarm.clear();  // the source does not know these taps
  (void)disarm_taps();
  if (!pending.sent.empty()) (void)source->remove_ecbs(pending.sent);
  for (const auto& program : pending.loading) loaded.erase(program);  // the source may have refused it
}

/// The probe's last enabling has gone. Its taps are queued in taps_to_disarm.
void Framework::Impl::stop_probe(ProbeState& probe) {
  op_probe = probe.info.id;
  call_op(ProviderOp::Disable, *probe.provider, probe.provider->ops.dtps_disable,
          static_cast<dtrace_id_t>(probe.info.id.value), probe.parg);
  op_probe = {};
  std::exchange(probe.taps, {}).append_to(taps_to_disarm);
  probe.uses_taps = false;
  probe.enabled = false;
  probe.provider->enabled_probes--;
}

Result<void> Framework::Impl::disarm_taps() {
  const std::vector<TapId> taps = std::exchange(taps_to_disarm, {});
  if (taps.empty() || source == nullptr) return {};
  return source->disarm(taps);
}

/// Whether the op that runs may arm taps of this probe: it enables the probe, or it is dtps_provide() or
/// dtps_provide_module() of its provider, which has found another place of a probe that is enabled.
bool Framework::Impl::may_arm(const ProbeState& probe) const {
  if (current_op() == ProviderOp::Enable) return op_probe == probe.info.id;
  const OpOwner& owner = OpScope::current()->owner();
  const bool own =
      current_op() == ProviderOp::OnDescription  // a hook arms for providers that its plug-in has registered
          ? std::string_view(owner.file) == probe.provider->owner.file
          : owner.provider == probe.info.provider;
  return probe.uses_taps && own;
}

/// The taps that enabling the probe would arm; it is not enabled.
std::vector<Tap> Framework::Impl::taps_of(ProbeState& probe) {
  op_probe = probe.info.id;
  const auto id = static_cast<dtrace_id_t>(probe.info.id.value);
  call_op(ProviderOp::Enable, *probe.provider, probe.provider->ops.dtps_enable, id, probe.parg);
  std::vector<Tap> taps = std::exchange(taps_to_arm, {});
  call_op(ProviderOp::Disable, *probe.provider, probe.provider->ops.dtps_disable, id, probe.parg);
  op_probe = {};
  probe.taps = {};
  taps_to_disarm.clear();
  return taps;
}

Forecast Framework::Impl::forecast(std::span<const ProbeDescription> descriptions) {
  SONDE_CHECK(enablings.empty());
  std::vector<ProbeId> all;
  Forecast result;
  for (const ProbeDescription& description : descriptions) {
    const std::vector<ProbeId> found = match(description);
    // What the machine has now is not what the program will have: pid* is of its targets, if there is one.
    const bool of_all = std::ranges::any_of(found, [&](ProbeId id) {
      return is_of_all_processes(probes[id.value - 1].provider->name) && !probes[id.value - 1].info.function.empty();
    });
    result.awaits_process |= found.empty() || of_all;
    result.may_grow |= !Glob(description.provider).is_exact() && std::ranges::any_of(found, [this](ProbeId id) {
      return !probes[id.value - 1].info.function.empty();
    });
    all.insert(all.end(), found.begin(), found.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (ProbeId id : all) {
    for (const Tap& tap : taps_of(probes[id.value - 1])) {
      if (tap.kind == SONDE_TAP_SYSCALL_ENTRY || tap.kind == SONDE_TAP_SYSCALL_RETURN)
        result.calls.push_back(tap.number);
      const auto behind = source->capabilities().calls_behind[tap.kind];
      result.calls.insert(result.calls.end(), behind.begin(), behind.end());
    }
  }
  std::ranges::sort(result.calls);
  result.calls.erase(std::unique(result.calls.begin(), result.calls.end()), result.calls.end());
  return result;
}

std::unique_ptr<FireList> Framework::Impl::fire_list(const ProbeState& probe) const {
  if (probe.ecbs.empty() || !probe.enabled || probe.uses_taps || probe.provider->defunct) return nullptr;
  auto list = std::make_unique<FireList>();
  list->probe = probe.info.id;
  for (const EcbState& ecb : probe.ecbs)
    list->ecbs.push_back({ecb.epid.value, enablings.at(ecb.enabling).what.program});
  list->ops = &probe.provider->ops;
  list->provider_arg = probe.provider->arg;
  list->parg = probe.parg;
  list->aframes = probe.aframes;
  list->owner = probe.provider->owner;
  list->note_wishes();
  return list;
}

void Framework::Impl::publish(std::span<ProbeState* const> changed) {
  std::vector<LocalFiring::Change> changes;
  for (const ProbeState* probe : changed) changes.push_back({probe->info.id, fire_list(*probe)});
  firing.publish(std::move(changes));
}

/// Changes and publishes each probe once, even if it had joined several of these enablings.
Result<void> Framework::Impl::remove_enablings(std::span<const uint32_t> ids) {
  std::unordered_set<uint32_t> going;
  std::vector<ProbeId> joined;
  for (uint32_t id : ids) {
    auto at = enablings.find(id);
    if (at == enablings.end()) continue;
    for (const auto& of_one : at->second.joined) joined.insert(joined.end(), of_one.begin(), of_one.end());
    enablings.erase(at);
    going.insert(id);
  }
  std::ranges::sort(joined);
  joined.erase(std::unique(joined.begin(), joined.end()), joined.end());

  std::vector<ProbeState*> changed;
  std::vector<Epid> epids;
  for (ProbeId probe_id : joined) {
    ProbeState& probe = probes[probe_id.value - 1];
    probe.ecbs.erase_if([&](const EcbState& ecb) {
      if (!going.contains(ecb.enabling)) return false;
      if (probe.uses_taps) epids.push_back(ecb.epid);
      return true;
    });
    changed.push_back(&probe);
    if (probe.ecbs.empty() && probe.enabled) stop_probe(probe);
  }
  publish(changed);
  auto disarmed = disarm_taps();
  auto removed = epids.empty() || source == nullptr ? Result<void>() : source->remove_ecbs(epids);
  return disarmed ? std::move(removed) : std::move(disarmed);
}

void Framework::Impl::update_gate() { firing.set_gate(!suspended && !begin_awaited); }

}  // namespace sonde
