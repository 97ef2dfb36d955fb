// SPDX-License-Identifier: GPL-3.0-or-later
// pid<N>: functions and instructions of the traced process N; pid*: of all traced processes
//
// For each target a provider pid<N> is registered, outside of any op (sonde_on_target), and one pid* for all of them.
// It makes no probe until a description names it; then it makes those that the description asks for, from the symbols of
// what the process has mapped (sites.h). The provider `pid` has no probes: it reports errors for processes that are not
// traced.
//
// A probe of pid* is one for all processes: its taps name a file and no process, so the source puts them wherever that
// file is mapped, now or later. Only files that sonde does not know yet need it: their first mapping waits
// (sonde_follow_files), until the probes in them are made.
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "providers/pid/field.h"
#include "providers/pid/missing.h"
#include "providers/pid/signatures.h"
#include "providers/pid/sites.h"
#include "providers/provider_entry.h"
#include "providers/stability.h"
#include "providers/tap_probes.h"
#include "runtime/base/numbered_name.h"
#include "runtime/base/procfs.h"
#include "runtime/process/demangle.h"
#include "runtime/process/moved_text.h"
#include "runtime/process/proc_maps.h"
#include "runtime/process/program_file.h"

namespace sonde::pid {
namespace {

struct Target {
  uint32_t pid;      ///< 0: all
  std::string name;  ///< "pid42", "pid*"
  std::unique_ptr<RunTimeCode> compiled;
  dtrace_provider_id_t id = 0;
};

/// Where a probe has its taps: one place, or several if static functions share its name.
struct Spot {
  const Object* object;
  uint64_t entry;  ///< in the file, of the function
  CodePlace place;
  Text text = {};
};

/// The data of a probe. Files and objects outlive it.
struct Probe {
  uint32_t pid;
  sonde_tap_kind kind;
  const ElfFunction* function;  ///< null: an absolute address
  std::vector<Spot> spots;
  bool enabled = false;
};

dtrace_provider_id_t g_base = 0;
std::vector<std::unique_ptr<Target>> g_targets;

Files& files() {
  static Files instance;
  return instance;
}

/// Once a script has asked for args[], the probes that match later must have them, too.
bool g_described = false;

Signature signature_of(const Probe& probe, const Spot& spot) {
  return probe.function != nullptr ? signature_at(spot.object->path, spot.entry, probe.function->name) : Signature{};
}

/// Where the arguments are at this spot. A function that is left by a jump to another one has no result yet.
std::vector<sonde_location> locations_of(const Probe& probe, const Spot& spot) {
  std::vector<sonde_location> all;
  const Signature signature = signature_of(probe, spot);
  const auto add = [&all](const ValuePlace& place) {
    if (all.size() + place.parts.size() <= SONDE_LOCATIONS_MAX)
      all.insert(all.end(), place.parts.begin(), place.parts.end());
  };
  if (probe.kind == SONDE_TAP_USER_ENTRY)
    for (const Parameter& parameter : signature.parameters) add(parameter.place);
  if (probe.kind == SONDE_TAP_USER_RETURN && spot.place.leave.how == SONDE_LEAVE_RETURN)
    for (const Parameter& result : signature.results) add(result.place);
  return all;
}

void arm(dtrace_id_t id, const Probe& probe, const Spot& spot) {
  const std::vector<sonde_location> locations = g_described ? locations_of(probe, spot) : std::vector<sonde_location>();
  const sonde_tap_request request = {.size = sizeof request,
                                     .kind = probe.kind,
                                     .number = spot.text.size,
                                     .pid = probe.pid,
                                     .path = spot.object->path.c_str(),
                                     .offset = spot.place.offset,
                                     .function = spot.entry,
                                     .leave = spot.place.leave,
                                     .sum = spot.text.sum,
                                     .flags = probe.pid != 0 ? SONDE_TAP_FORKS : 0u,
                                     .locations = locations.data(),
                                     .location_count = static_cast<uint32_t>(locations.size())};
  sonde_tap_arm(id, &request);
}

/// The spots of the probe that are in this file. After an upgrade another path leads to it, which they then have.
std::vector<const Spot*> spots_in(Probe& probe, const Object& object) {
  std::vector<const Spot*> found;
  for (Spot& spot : probe.spots) {
    if (!is_same_file(*spot.object, object)) continue;
    if (spot.object->path != object.path) spot.object = files().keep(object);
    found.push_back(&spot);
  }
  return found;
}

bool is_alike(const Parameter& a, const Parameter& b) { return a.type == b.type && a.place.size == b.place.size; }

/// Whether args[] are there what they are in the probe's first spot, by which scripts were compiled.
bool has_same_arguments(const Probe& probe, const Spot& spot) {
  const Signature first = signature_of(probe, probe.spots.front()), now = signature_of(probe, spot);
  const auto same = [](const std::vector<Parameter>& a, const std::vector<Parameter>& b) {
    return std::ranges::equal(a, b, is_alike);
  };
  return same(first.parameters, now.parameters) && same(first.results, now.results);
}

/// A library of a name that has probes was opened: the probe is enabled already.
void arm_later(dtrace_id_t id, const Probe& probe, const Spot& spot, const Site& site) {
  if (!g_described || has_same_arguments(probe, spot)) return arm(id, probe, spot);
  const std::string text = site.object->name + ":" + shown_name(probe.function->name) + ":" + site.name +
                           ": no probe in " + spot.object->path + ", which was opened later: its " +
                           shown_name(probe.function->name) + " has other arguments than the one before";
  sonde_print_message(text.c_str());
}

void create(const Target& target, const Site& site) {
  const std::string function = site.function == nullptr ? "-" : shown_name(site.function->name);
  auto made = std::make_unique<Probe>(Probe{target.pid, site.kind, site.function, {}, false});
  const dtrace_id_t id =
      dtrace_probe_create(target.id, site.object->module.c_str(), function.c_str(), site.name.c_str(), 0, made.get());
  if (id == 0) return sonde_print_message("a file or function whose name has control characters has no probes");
  sonde_provide_match(id);
  auto* probe = static_cast<Probe*>(dtrace_probe_arg(target.id, id));
  if (probe == made.get()) made.release();
  if (!site.refused.empty()) {
    if (probe->spots.empty()) sonde_probe_refuse(id, site.refused.c_str(), site.quietly ? 1 : 0);
    return;
  }
  if (probe->spots.empty()) sonde_probe_refuse(id, nullptr, 0);
  const auto known = [&](const Spot* spot) { return spot->place.offset == site.places[0].offset; };
  if (std::ranges::any_of(spots_in(*probe, *site.object), known)) return;
  const Object* object = files().keep(*site.object);
  probe->spots.reserve(probe->spots.size() + site.places.size());
  for (const CodePlace& place : site.places) {
    probe->spots.push_back({object, site.entry, place, site.text});
    if (probe->enabled) arm_later(id, *probe, probe->spots.back(), site);
  }
}

bool is_target(uint32_t pid) {
  return std::ranges::find(g_targets, pid, [](const auto& one) { return one->pid; }) != g_targets.end();
}

bool is_known(const Target& target, const Object& object, const ElfFunction& function, const char* name) {
  const std::string source = shown_name(function.name);
  const dtrace_id_t id = dtrace_probe_lookup(target.id, object.module.c_str(), source.c_str(), name);
  if (id == 0) return false;
  const std::vector<const Spot*> spots = spots_in(*static_cast<Probe*>(dtrace_probe_arg(target.id, id)), object);
  const bool known = std::ranges::count(spots, function.offset, &Spot::entry) != 0;
  if (known) sonde_provide_match(id);
  return known;
}

/// The module of the description whose text the process has moved to memory of its own; empty: none.
std::string moved_module(const Target& target, const dtrace_probedesc_t& spec) {
  const auto maps = read_proc_maps(target.pid);
  const std::string program = program_path(target.pid);
  for (const MapEntry& text : maps ? moved_texts(target.pid, *maps) : std::vector<MapEntry>()) {
    const std::string name(base_name(text.path));
    const std::string& field = is_path(spec.dtpd_mod) ? text.path : name;
    const bool named = sonde_glob_match(spec.dtpd_mod, field.c_str()) != 0 ||
                       (text.path == program && std::string_view(spec.dtpd_mod) == "a.out");
    if (named) return name;
  }
  return "";
}

std::string matches_nothing(const dtrace_probedesc_t& spec) {
  return std::string("probe description ") + spec.dtpd_provider + ":" + spec.dtpd_mod + ":" + spec.dtpd_func + ":" +
         spec.dtpd_name + " does not match any probes";
}

void tell_none(const Target& target, const dtrace_probedesc_t& spec, const std::vector<Object>& objects,
               const std::string& near) {
  const std::string moved = moved_module(target, spec);
  const Field module(spec.dtpd_mod);
  const bool is_file = is_path(spec.dtpd_mod) && module.is_exact();
  const std::string fault = is_file ? why_no_object(module.literal()) : "";
  const std::string why =
      !fault.empty()  ? fault
      : moved.empty() ? why_not_there(target.pid, spec, objects, near)
                      : "process " + std::to_string(target.pid) + " has moved the text of " + moved +
                            " to memory of its own, as programs do for huge pages: it is no file's any more, and Sonde "
                            "sets no breakpoints there. Start the program with -c: then they move along";
  sonde_provide_error("D_PDESC_ZERO", (matches_nothing(spec) + ": " + why).c_str());
}

/// A probe whose module was named by a path has that as its module: two files may have the same base name.
const std::string& module_of(const Object& object, std::string_view field) {
  return is_path(field) && !object.mapped.empty() && object.mapped.size() < DTRACE_MODNAMELEN ? object.mapped
                                                                                              : object.name;
}

/// The same for pid*.
void tell_none_of_all(const dtrace_probedesc_t& spec, const std::vector<Object>& objects, const std::string& near) {
  const Field module(spec.dtpd_mod);
  const bool is_file = is_path(spec.dtpd_mod) && module.is_exact();
  std::string why = is_file ? why_no_object(module.literal()) : "";
  if (why.empty() && std::string_view(spec.dtpd_mod).starts_with("perf"))
    why = "code compiled at run time belongs to one process: name it, as pid42 or pid$target";
  if (why.empty() && objects.empty())
    why = "no process is traced: name one by -c or -p, or a file by its path in the module field";
  if (why.empty() && !select_objects(objects, spec.dtpd_mod).empty())
    why = "no such function is in the modules of the traced processes" +
          (near.empty() ? "\nuse -Z to wait for libraries that they load later" : near);
  if (why.empty())
    why =
        "no traced process has mapped such a module yet\nuse -Z to wait for it; or give the path of its file, which "
        "need not be mapped";
  sonde_provide_error("D_PDESC_ZERO", (matches_nothing(spec) + ": " + why).c_str());
}

/// Follows what a module field may select.
void follow_module(const std::string& module) {
  const Field field(module);
  const bool any = module.find_first_not_of('*') == module.npos || module == "a.out";
  if (is_path(module) || any) return sonde_follow_files(any ? "*" : module.c_str());
  sonde_follow_files(("*/" + module).c_str());
  if (!field.is_exact()) return;
  for (const char* ending : {".*", "-*"}) sonde_follow_files(("*/" + module + ending).c_str());  // select_objects()
}

void make_probes(Target& target, const dtrace_probedesc_t& spec, const std::vector<Object>& objects) {
  IndirectFunctions indirect(target.pid, files());
  Found found = find_sites(spec, objects, indirect, *target.compiled, files(),
                           [&](const Object& object, const ElfFunction& function, const char* name) {
                             return is_known(target, object, function, name);
                           });
  if (!found.refusal.tag.empty()) return sonde_provide_error(found.refusal.tag.c_str(), found.refusal.message.c_str());
  if (found.sites.empty() && found.known == 0)
    return target.pid == 0 ? tell_none_of_all(spec, objects, found.near) : tell_none(target, spec, objects, found.near);
  for (const Site& site : found.sites) create(target, site);
}

void provide_all(void* arg, const dtrace_probedesc_t* spec) {
  if (spec == nullptr) return;
  Target& target = *static_cast<Target*>(arg);
  follow_module(spec->dtpd_mod);
  std::string why;
  std::vector<Object> objects = objects_of(0, why);
  add_file_at(objects, spec->dtpd_mod);
  for (Object& object : objects) object.module = module_of(object, spec->dtpd_mod);
  make_probes(target, *spec, objects);
}

void provide_target(void* arg, const dtrace_probedesc_t* spec) {
  if (spec == nullptr) return;
  Target& target = *static_cast<Target*>(arg);
  sonde_follow(target.pid);  // reports what it maps from now on
  std::string why;
  std::vector<Object> objects = objects_of(target.pid, why);
  if (objects.empty()) {
    const std::string text = "failed to grab process " + std::to_string(target.pid) + ": " + why;
    return sonde_provide_error("D_PROC_GRAB", text.c_str());
  }
  if (runs_compat_program(target.pid)) {
    const std::string text =
        "process " + std::to_string(target.pid) + " runs 32-bit code: its functions cannot be probed";
    sonde_print_message(text.c_str());
    return sonde_provide_error("D_PROC_GRAB", text.c_str());
  }
  if (spec->dtpd_mod[0] != '\0' && target.compiled->update())
    objects.push_back({.path = SONDE_PATH_CODE, .name = target.compiled->module(), .compiled = true});
  for (Object& object : objects) object.module = module_of(object, spec->dtpd_mod);
  make_probes(target, *spec, objects);
}

std::string why_no_target(uint32_t number) {
  const auto pid = static_cast<pid_t>(number);
  if (kill(pid, 0) != 0 && errno == ESRCH) return "no such process";
  const pid_t process = process_of_thread(pid);
  if (process == 0 || process == pid) return "it is not traced, add -p " + std::to_string(number);
  return std::to_string(number) + " is a thread of process " + std::to_string(process) + ": pid" +
         std::to_string(process) + ": names all of it";
}

/// Reports why there is no provider, or no probe, of that name.
void provide_base(void*, const dtrace_probedesc_t* spec) {
  if (spec == nullptr) return;
  const std::string_view rest = number_at_end(spec->dtpd_provider);
  if (rest.empty() || sonde_glob_match(spec->dtpd_provider, ("pid" + std::string(rest)).c_str()) == 0) return;
  const uint32_t number = process_named(rest);
  if (number == 0) {
    const std::string text =
        "'" + std::string(spec->dtpd_provider) + "' does not contain a valid pid" +
        (std::string_view(spec->dtpd_provider) == "pid0" ? "\n$target is the process of -c or -p, and there is none"
                                                         : "");
    return sonde_provide_error("D_PROC_BADPID", text.c_str());
  }
  if (is_target(number)) return;
  const std::string text = "failed to grab process " + std::string(rest) + ": " + why_no_target(number);
  sonde_provide_error("D_PROC_GRAB", text.c_str());
}

/// Static functions may share a name, and so a probe: what args[index] is in the first of them, if it is that in all.
Parameter shared_parameter(const Probe& probe, const Signature& first, size_t index) {
  Parameter parameter = first.parameters[index];
  for (size_t n = 1; n < probe.spots.size() && probe.kind == SONDE_TAP_USER_ENTRY; n++) {
    const Spot& spot = probe.spots[n];
    if (spot.entry == probe.spots.front().entry && is_same_file(*spot.object, *probe.spots.front().object)) continue;
    const Signature other = signature_of(probe, spot);
    const bool same = index < other.parameters.size() && is_alike(other.parameters[index], parameter);
    if (same && other.parameters[index].place.known()) continue;
    parameter.place = ValuePlace::unknown("functions that share this name have other parameters");
    break;
  }
  return parameter;
}

void describe(dtrace_argdesc_t* desc, const std::string& type, const std::string& name, const ValuePlace& place) {
  std::snprintf(desc->dtargd_native, sizeof desc->dtargd_native, "%s", type.c_str());
  std::snprintf(desc->dtargd_name, sizeof desc->dtargd_name, "%s", name.c_str());
  const bool shown = place.known() && type.size() < sizeof desc->dtargd_native;
  desc->dtargd_mapping = shown ? SONDE_ARGUMENT_LOCATED : -1;
  const char* text = shown || !place.known() ? place.text.c_str() : "the name of its type is too long";
  sonde_argument_place(text, shown ? place.size : 0);
}

/// Entry: the parameters. Return: where it returned from, and the value or, of a Go function, the values.
void getargdesc(void*, dtrace_id_t, void* parg, dtrace_argdesc_t* desc) {
  const Probe& probe = *static_cast<const Probe*>(parg);
  const bool enters = probe.kind == SONDE_TAP_USER_ENTRY, returns = probe.kind == SONDE_TAP_USER_RETURN;
  const Signature signature =
      (enters || returns) && !probe.spots.empty() ? signature_of(probe, probe.spots.front()) : Signature{};
  g_described = g_described || signature.known;
  const auto index = static_cast<size_t>(desc->dtargd_ndx);
  if (enters && index < signature.parameters.size()) {
    const Parameter parameter = shared_parameter(probe, signature, index);
    describe(desc, parameter.type, parameter.name, parameter.place);
  } else if (returns && signature.known && index == 0) {
    std::snprintf(desc->dtargd_native, sizeof desc->dtargd_native, "uint64_t");
  } else if (returns && index >= kResultArgument && index - kResultArgument < signature.results.size()) {
    const Parameter& result = signature.results[index - kResultArgument];
    describe(desc, result.type, result.name, result.place);
  } else {
    desc->dtargd_ndx = DTRACE_ARGNONE;
  }
}

int usermode(void*, dtrace_id_t, void*) { return 1; }

dtrace_pops_t operations(void (*provide)(void*, const dtrace_probedesc_t*)) {
  return {.dtps_provide = provide,
          .dtps_enable = tap_probes::enable<Probe, arm>,
          .dtps_disable = tap_probes::disable<Probe>,
          .dtps_getargdesc = getargdesc,
          .dtps_usermode = usermode,
          .dtps_destroy = tap_probes::destroy<Probe>};
}

constexpr dtrace_pattr_t kAttributes = {kEvolving, kPrivate, kPrivate, kEvolving, kPrivate};

void add_target(void*, uint32_t pid) {
  if (is_target(pid)) return;
  const std::string number = pid != 0 ? std::to_string(pid) : "*";
  auto target = std::make_unique<Target>(Target{pid, "pid" + number, std::make_unique<RunTimeCode>(pid)});
  const dtrace_pops_t ops = operations(pid != 0 ? provide_target : provide_all);
  if (dtrace_register(target->name.c_str(), &kAttributes, DTRACE_PRIV_USER, nullptr, &ops, target.get(), &target->id) !=
      0)
    return;
  sonde_provide_always(target->id);
  g_targets.push_back(std::move(target));
}

}  // namespace
}  // namespace sonde::pid

extern "C" int sonde_pid_register(void) {
  using namespace sonde::pid;
  g_targets.clear();
  const dtrace_pops_t ops = operations(provide_base);
  const int error = dtrace_register("pid", &kAttributes, DTRACE_PRIV_USER, nullptr, &ops, nullptr, &g_base);
  if (error != 0) return error;
  add_target(nullptr, 0);
  return sonde_on_target(g_base, add_target, nullptr);
}

extern "C" void sonde_pid_unregister(void) {
  using namespace sonde::pid;
  for (const auto& target : g_targets) dtrace_unregister(target->id);
  g_targets.clear();
  dtrace_unregister(g_base);
}
