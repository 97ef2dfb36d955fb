// SPDX-License-Identifier: GPL-3.0-or-later
// The probes are made when a description names the provider, in the files that are there: a script is compiled with the
// conditions of the probes that it matches. A file that comes later adds taps to them.
#include "providers/translation.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "providers/function_returns.h"
#include "providers/stability.h"
#include "providers/tap_probes.h"
#include "runtime/base/numbered_name.h"
#include "runtime/framework/provider.h"
#include "runtime/process/arch.h"
#include "runtime/process/demangle.h"
#include "runtime/process/proc_maps.h"

namespace sonde::translation {
namespace {

/// Where a probe has a tap.
struct Spot {
  std::string path;
  uint64_t offset, function;
  sonde_leave leave = {};
};

/// What a row says in D, of one file.
struct Texts {
  std::string before, when;
  std::vector<std::string> arguments;
  std::string refused;  ///< why there are none; empty: there are

  bool operator==(const Texts&) const = default;
};

struct Probe {
  uint32_t pid;
  const Row* row;
  Texts texts = {};
  std::vector<Spot> spots = {};
  bool enabled = false;
};

/// The number of a file: device and inode.
using FileNumber = std::tuple<uint32_t, uint32_t, uint64_t>;

struct State;

/// A provider that a description has named.
struct Born {
  State* state;
  uint32_t pid;      ///< 0: all processes
  std::string name;  ///< "mysql42", "mysql*"
  std::set<FileNumber> files = {};
  dtrace_provider_id_t id = 0;
};

struct State {
  const Provider* provider;
  dtrace_provider_id_t base = 0;
  CodeFiles files;
  std::map<std::tuple<std::string, std::string, At>, Places> places;  ///< by path and function
  std::vector<std::unique_ptr<Born>> born;
};

std::vector<std::unique_ptr<State>> g_states;

Probe& probe_of(void* parg) { return *static_cast<Probe*>(parg); }

// ---- taps ------------------------------------------------------------------------------------------------------

void arm(dtrace_id_t id, const Probe& probe, const Spot& spot) {
  const sonde_tap_request request = {.size = sizeof request,
                                     .kind = probe.row->at == At::Return ? SONDE_TAP_USER_RETURN : SONDE_TAP_USER_ENTRY,
                                     .pid = probe.pid,
                                     .path = spot.path.c_str(),
                                     .offset = spot.offset,
                                     .function = spot.function,
                                     .leave = spot.leave,
                                     .flags = probe.pid != 0 ? SONDE_TAP_FORKS : 0u};
  sonde_tap_arm(id, &request);
}

// ---- texts -----------------------------------------------------------------------------------------------------

/// What the rows' texts are filled in with.
struct Filling {
  const Born& born;
  const std::string& module;
  const std::string& path;
  const Row& row;
};

/// D for what the getter computes from `value`.
std::string field_in_d(const FieldPath& field, const std::string& value) {
  std::string text = value;
  for (size_t n = 0; n < field.offsets.size(); n++) {
    text = "(" + text + " + " + std::to_string(field.offsets[n]) + ")";
    const bool last = n + 1 == field.offsets.size();
    const uint32_t size = last ? field.size : sizeof(uint64_t);
    if (!last || field.loads)
      text = "(*(uint" + std::to_string(8 * size) + "_t *)copyin(" + text + ", " + std::to_string(size) + "))";
  }
  return text;
}

/// Of "getter expression". An error goes to `refused`.
std::string getter_in_d(std::string_view text, const Filling& filling, std::string& refused) {
  const size_t blank = text.find(' ');
  const auto field = field_of(filling.born.state->files, filling.path, text.substr(0, blank));
  if (field) return field_in_d(*field, std::string(text.substr(blank + 1)));
  if (refused.empty()) refused = field.error().message();
  return "0";
}

std::string filled_in(std::string_view text, const Filling& filling, std::string& refused) {
  const std::span<const Row> rows = filling.born.state->provider->rows;
  std::string out;
  for (size_t at = 0; at < text.size(); at++) {
    if (text[at] != '%') {
      out += text[at];
      continue;
    }
    const char which = text[++at];
    if (which == 'P') out += filling.born.pid == 0 ? "pid*" : "pid" + std::to_string(filling.born.pid);
    if (which == 'M') out += filling.module;
    if (which == 'F') out += filling.row.function;
    if (which == 'N')
      out += std::to_string(std::ranges::find(rows, filling.row.function, &Row::function) - rows.begin() + 1);
    if (which != '[') continue;
    const size_t end = text.find(']', at);
    out += getter_in_d(text.substr(at + 1, end - at - 1), filling, refused);
    at = end;
  }
  return out;
}

Texts texts_of(const Filling& filling) {
  Texts texts;
  texts.before = filled_in(filling.row.before, filling, texts.refused);
  texts.when = filled_in(filling.row.when, filling, texts.refused);
  for (const Argument& one : filling.row.arguments)
    if (!one.value.empty()) texts.arguments.push_back(filled_in(one.value, filling, texts.refused));
  return texts;
}

void describe(dtrace_id_t id, const Texts& texts) {
  std::vector<const char*> arguments;
  for (const std::string& text : texts.arguments) arguments.push_back(text.c_str());
  sonde_probe_in_d(id, texts.before.empty() ? nullptr : texts.before.c_str(),
                   texts.when.empty() ? nullptr : texts.when.c_str(), arguments.data(),
                   static_cast<unsigned>(arguments.size()));
}

// ---- probes ----------------------------------------------------------------------------------------------------

std::string function_of(const Row& row) { return shown_name(std::string(row.function)); }

dtrace_id_t look_up(const Born& born, const std::string& module, const Row& row) {
  return dtrace_probe_lookup(born.id, module.c_str(), function_of(row).c_str(), std::string(row.probe).c_str());
}

void make_probes(const Born& born, const std::string& module, const std::string& path) {
  for (const Row& row : born.state->provider->rows) {
    if (look_up(born, module, row) != 0) continue;
    auto made = std::make_unique<Probe>(Probe{born.pid, &row});
    made->texts = texts_of({born, module, path, row});
    const dtrace_id_t id = dtrace_probe_create(born.id, module.c_str(), function_of(row).c_str(),
                                               std::string(row.probe).c_str(), 0, made.get());
    if (id == 0) continue;
    const Probe& probe = *made.release();
    if (probe.texts.refused.empty()) describe(id, probe.texts);
  }
}

/// `entry` is 0: the file does not have the function, or not its code.
const Places& known_places(State& state, const std::string& path, const std::string& function, At where) {
  const auto [at, fresh] = state.places.try_emplace({path, function, where});
  if (fresh) {
    Result<Places> found =
        where == At::Callback ? callback_of(state.files, path, function) : places_of(state.files, path, function);
    if (found) at->second = std::move(*found);
    if (!found) at->second.broken = found.error().message();
  }
  return at->second;
}

bool has(State& state, const std::string& path, std::string_view function) {
  return known_places(state, path, std::string(function), At::Entry).entry != 0;
}

void add_spots(Probe& probe, const std::string& path, const Places& places) {
  if (probe.row->at == At::Entry || probe.row->at == At::Callback)
    return probe.spots.push_back({path, places.entry, places.entry});
  if (probe.row->at == At::Jump) {
    for (const uint64_t jump : places.jumps) probe.spots.push_back({path, jump, places.entry});
    return;
  }
  for (const Return& one : places.returns)
    probe.spots.push_back({path, one.place.offset, one.function, one.place.leave});
}

/// Empty: the file's probe is as the others.
std::string why_untraced(const Probe& probe, const Texts& texts, const Places& places) {
  if (places.entry == 0) return places.broken;
  if (probe.row->at == At::Jump && places.jumps.empty())
    return function_of(*probe.row) + " does not end with a jump, as it does where it begins a call";
  if (!texts.refused.empty()) return texts.refused;
  return texts == probe.texts ? "" : "its structures are not those of the other files";
}

void add_taps(const Born& born, const std::string& module, const std::string& path) {
  for (const Row& row : born.state->provider->rows) {
    const dtrace_id_t id = look_up(born, module, row);
    if (id == 0) continue;
    Probe& probe = probe_of(dtrace_probe_arg(born.id, id));
    const Places& places = known_places(*born.state, path, std::string(row.function), row.at);
    const std::string why = why_untraced(probe, texts_of({born, module, path, row}), places);
    const std::string name = born.name + ":::" + std::string(row.probe);
    if (!why.empty()) {
      if (!probe.spots.empty())
        sonde_print_message((name + " is not traced in " + path + ": " + why).c_str());
      else
        sonde_probe_refuse(id, ("in " + path + ", " + why).c_str(), 1);
      continue;
    }
    if (row.at == At::Return && !places.broken.empty()) {
      const std::string text = name + ": the returns of " + function_of(row) + " in " + path + " are not all known (" +
                               places.broken + "): some calls are not seen";
      sonde_print_message(text.c_str());
    }
    sonde_probe_refuse(id, nullptr, 0);
    const size_t before = probe.spots.size();
    add_spots(probe, path, places);
    for (size_t n = before; n < probe.spots.size() && probe.enabled; n++) arm(id, probe, probe.spots[n]);
  }
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// The module that the file is; empty: it is none of those with these functions.
std::string module_of(State& state, std::string_view mapped, const std::string& path, bool program) {
  const Provider& provider = *state.provider;
  const std::string name(base_name(mapped));
  const bool named = std::ranges::any_of(provider.files, [&name](std::string_view one) {
    return sonde_glob_match(std::string(one).c_str(), name.c_str()) != 0;
  });
  if (named) {
    const bool all =
        std::ranges::all_of(provider.functions, [&](std::string_view one) { return has(state, path, one); });
    return all ? name : "";
  }
  if (!program || provider.inside.empty() || !has(state, path, provider.functions.front())) return "";
  const auto file = state.files.open(path);
  return file && (*file)->elf->find(provider.inside) != nullptr ? "a.out" : "";
}

void add_file(Born& born, const std::string& module, const FileNumber& number, const std::string& path) {
  if (module.empty() || !born.files.insert(number).second) return;
  make_probes(born, module, path);
  add_taps(born, module, path);
}

void add_files(Born& born) {
  const auto visit = [](void* to, const sonde_mapping* mapping) {
    Born& one = *static_cast<Born*>(to);
    if (*mapping->file == '\0' || mapping->inode == 0) return;
    const std::string module =
        module_of(*one.state, mapping->path, mapping->file, mapping->program != 0 && one.pid != 0);
    add_file(one, module, {mapping->major, mapping->minor, mapping->inode}, mapping->file);
  };
  (void)sonde_mappings(born.pid, visit, &born);  // a process that has ended has none
}

/// What processes will map that nobody runs yet.
void add_installed(Born& born) {
  const auto add = [&born](const std::string& path) {
    const FileId id = shown_number(path);
    if (id.inode != 0) add_file(born, module_of(*born.state, path, path, false), {id.major, id.minor, id.inode}, path);
  };
  for (const std::string_view one : born.state->provider->installed) {
    if (one.starts_with('/')) add(std::string(one));
    for (const char* folder : machine::kLibraryFolders)
      if (!one.starts_with('/')) add(std::string(folder) + "/" + std::string(one));
  }
}

void provide_module(void* arg, const char*) { add_files(*static_cast<Born*>(arg)); }

/// The argument of the probe, by its declaration: "void *mutex".
void getargdesc(void*, dtrace_id_t, void* parg, dtrace_argdesc_t* desc) {
  const Row& row = *probe_of(parg).row;
  const auto index = static_cast<size_t>(desc->dtargd_ndx);
  if (index >= row.arguments.size() || row.arguments[index].value.empty()) {
    desc->dtargd_ndx = DTRACE_ARGNONE;
    return;
  }
  const Argument& argument = row.arguments[index];
  std::snprintf(desc->dtargd_native, sizeof desc->dtargd_native, "%s", std::string(argument.type).c_str());
  std::snprintf(desc->dtargd_name, sizeof desc->dtargd_name, "%s", std::string(argument.name).c_str());
}

int usermode(void*, dtrace_id_t, void*) { return 1; }

// ---- providers that are born by their names --------------------------------------------------------------------

constexpr dtrace_pattr_t kAttributes = {kEvolving, kPrivate, kPrivate, kEvolving, kEvolving};

/// Null: it cannot be; the programs may bring a provider of that name along.
Born* born_of(State& state, uint32_t pid) {
  const std::string name = state.provider->name + (pid == 0 ? "*" : std::to_string(pid));
  for (const auto& one : state.born)
    if (one->name == name) return one.get();
  auto made = std::make_unique<Born>(Born{&state, pid, name});
  const dtrace_pops_t ops = {.dtps_provide_module = provide_module,
                             .dtps_enable = tap_probes::enable<Probe, arm>,
                             .dtps_disable = tap_probes::disable<Probe>,
                             .dtps_getargdesc = getargdesc,
                             .dtps_usermode = usermode,
                             .dtps_destroy = tap_probes::destroy<Probe>};
  if (dtrace_register(name.c_str(), &kAttributes, DTRACE_PRIV_USER, nullptr, &ops, made.get(), &made->id) != 0)
    return nullptr;
  return state.born.emplace_back(std::move(made)).get();
}

bool is_target(uint32_t pid) {
  struct Wanted {
    uint32_t pid;
    bool found = false;
  } wanted{pid};
  sonde_targets(
      [](void* to, uint32_t one) {
        auto& asked = *static_cast<Wanted*>(to);
        asked.found = asked.found || one == asked.pid;
      },
      &wanted);
  return wanted.found;
}

void explain(const Provider& provider, const dtrace_probedesc_t& spec) {
  const auto means = [&spec](const Row& row) {
    return sonde_glob_match(spec.dtpd_name, std::string(row.probe).c_str()) != 0;
  };
  if (std::ranges::any_of(provider.rows, means)) return;
  for (const Absent& one : provider.absent) {
    if (spec.dtpd_name[0] == '\0' || sonde_glob_match(std::string(one.name).c_str(), spec.dtpd_name) == 0) continue;
    const std::string text = std::string(provider.name) + ":::" + spec.dtpd_name + " is not available: ";
    return sonde_provide_error("D_PDESC_ZERO", (text + std::string(one.why)).c_str());
  }
}

void bear(State& state, const dtrace_probedesc_t& spec, uint32_t pid) {
  const Provider& provider = *state.provider;
  explain(provider, spec);
  if (pid != 0 && sonde_has_source() != 0) sonde_follow(pid);
  if (pid == 0 && sonde_has_source() != 0)
    for (const std::string_view file : provider.files) sonde_follow_files(("*/" + std::string(file)).c_str());
  Born* born = born_of(state, pid);
  if (born == nullptr) return;
  add_files(*born);
  if (pid == 0) add_installed(*born);
  if (!born->files.empty()) return;
  const std::string who =
      pid == 0 ? "no traced process, and none that is installed, " : "process " + std::to_string(pid) + " ";
  sonde_provide_error("D_PDESC_ZERO", (who + std::string(provider.nothing)).c_str());
}

/// `p*42` means these probes only if it names one of them: to make them, the functions are read.
bool names_ours(const Provider& provider, const dtrace_probedesc_t& spec) {
  if (std::string_view(spec.dtpd_provider).starts_with(provider.name)) return true;
  return std::ranges::any_of(provider.rows, [&spec](const Row& row) {
    return spec.dtpd_name[0] != '\0' && sonde_glob_match(spec.dtpd_name, std::string(row.probe).c_str()) != 0 &&
           sonde_glob_match(spec.dtpd_func, function_of(row).c_str()) != 0;
  });
}

void on_description(void* arg, const dtrace_probedesc_t* spec) {
  State& state = *static_cast<State*>(arg);
  const std::string name = state.provider->name;
  const std::string_view field = spec->dtpd_provider;
  if (field == name + "*") return bear(state, *spec, 0);  // no other wildcard means all processes
  const uint32_t number = process_named(field);
  const bool named = number != 0 && sonde_glob_match(spec->dtpd_provider, (name + std::to_string(number)).c_str()) != 0;
  if (named && names_ours(*state.provider, *spec) && is_target(number)) bear(state, *spec, number);
}

void provide_base(void* arg, const dtrace_probedesc_t* spec) {
  if (spec == nullptr) return;
  const std::string name = static_cast<State*>(arg)->provider->name;
  const std::string_view field = spec->dtpd_provider;
  const uint32_t number = process_named(field);
  if (field == name) {
    const std::string text = "each process has a " + name + " of its own\nname it " + name + "$target, " + name +
                             "PID, or " + name + "* for all processes";
    return sonde_provide_error("D_PDESC_ZERO", text.c_str());
  }
  if (field == name + "0") {
    const std::string text =
        "'" + name + "0' does not contain a valid pid\n$target is the process of -c or -p, and there is none";
    return sonde_provide_error("D_PROC_BADPID", text.c_str());
  }
  if (number == 0 || sonde_glob_match(spec->dtpd_provider, (name + std::to_string(number)).c_str()) == 0) return;
  if (!is_target(number))
    sonde_provide_error(
        "D_PROC_GRAB",
        ("process " + std::to_string(number) + " is not traced: add -p " + std::to_string(number)).c_str());
}

}  // namespace

int register_translation(const Provider& provider) {
  auto state = std::make_unique<State>();
  state->provider = &provider;
  const dtrace_pops_t ops = {.dtps_provide = provide_base,
                             .dtps_enable = tap_probes::nothing,
                             .dtps_disable = tap_probes::nothing,
                             .dtps_destroy = tap_probes::nothing};  // it has no probes of its own
  const int error =
      dtrace_register(provider.name, &kAttributes, DTRACE_PRIV_USER, nullptr, &ops, state.get(), &state->base);
  if (error != 0) return error;
  State& kept = *g_states.emplace_back(std::move(state));
  return sonde_on_description(kept.base, on_description, &kept);
}

void unregister_translation(const Provider& provider) {
  const auto state = std::ranges::find(g_states, &provider, [](const auto& one) { return one->provider; });
  if (state == g_states.end()) return;
  for (const auto& born : (*state)->born) dtrace_unregister(born->id);
  dtrace_unregister((*state)->base);
  g_states.erase(state);
}

}  // namespace sonde::translation
