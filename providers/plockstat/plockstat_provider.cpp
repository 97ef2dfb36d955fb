// SPDX-License-Identifier: GPL-3.0-or-later
// plockstat: locks of programs, as glibc's functions take and release them
//
//   plockstat42:::    the traced process 42, and those that it forks
//   plockstat*:::     every traced process that has glibc mapped, now or later
//
// glibc has no such probes of its own. So each is a tap on the entry or the returns of a function, with a condition and
// arguments in D (rows.h). What a return must know of its call, a clause on pid's probe at the entry remembers, which the
// compiler puts before the script's. No source knows any of this.
//
// The probes are made when a description names the provider, in the files that are there: a script is compiled with the
// conditions of the probes that it matches. A file that comes later adds taps to them.
//
// We refused breakpoints inside of glibc's functions, where they wait: they move with each build.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "providers/plockstat/returns.h"
#include "providers/plockstat/rows.h"
#include "providers/provider_entry.h"
#include "providers/stability.h"
#include "runtime/framework/provider.h"
#include "runtime/process/arch.h"
#include "runtime/process/proc_maps.h"

namespace sonde::plockstat {
namespace {

constexpr char kName[] = "plockstat";
constexpr char kAll[] = "plockstat*";  ///< the provider of all processes: no other wildcard means it
constexpr char kLibrary[] = "libc.so.6";
constexpr char kOldLibrary[] = "libpthread.so.0";  ///< has the functions in glibc before version 2.34

/// Where a probe has a tap.
struct Spot {
  std::string path;
  uint64_t offset, function;
  sonde_leave leave = {};
};

struct Probe {
  uint32_t pid;
  const Row* row;
  std::vector<Spot> spots = {};
  bool enabled = false;
};

/// The number of a file: device and inode.
using FileNumber = std::tuple<uint32_t, uint32_t, uint64_t>;

/// A provider that a description has named.
struct Born {
  uint32_t pid;      ///< 0: all processes
  std::string name;  ///< "plockstat42", "plockstat*"
  std::set<FileNumber> files = {};
  dtrace_provider_id_t id = 0;
};

struct State {
  dtrace_provider_id_t base = 0;
  CodeFiles files;
  std::map<std::tuple<std::string, std::string>, Places> places;  ///< by path and function
  std::vector<std::unique_ptr<Born>> born;
};

State g_state;

Probe& probe_of(void* parg) { return *static_cast<Probe*>(parg); }

// ---- taps ------------------------------------------------------------------------------------------------------

void arm(dtrace_id_t id, const Probe& probe, const Spot& spot) {
  const sonde_tap_request request = {.size = sizeof request,
                                     .kind = probe.row->returns ? SONDE_TAP_USER_RETURN : SONDE_TAP_USER_ENTRY,
                                     .pid = probe.pid,
                                     .path = spot.path.c_str(),
                                     .offset = spot.offset,
                                     .function = spot.function,
                                     .leave = spot.leave,
                                     .flags = probe.pid != 0 ? SONDE_TAP_FORKS : 0u};
  sonde_tap_arm(id, &request);
}

void enable(void*, dtrace_id_t id, void* parg) {
  Probe& probe = probe_of(parg);
  probe.enabled = true;
  for (const Spot& spot : probe.spots) arm(id, probe, spot);
}

void disable(void*, dtrace_id_t id, void* parg) {
  probe_of(parg).enabled = false;
  sonde_tap_disarm(id);
}

void destroy(void*, dtrace_id_t, void* parg) { delete &probe_of(parg); }

// ---- probes ----------------------------------------------------------------------------------------------------

std::string filled_in(std::string_view text, const Born& born, const std::string& module, const Row& row) {
  std::string out;
  for (size_t at = 0; at < text.size(); at++) {
    if (text[at] != '%') {
      out += text[at];
      continue;
    }
    const char which = text[++at];
    if (which == 'P') out += born.pid == 0 ? "pid*" : "pid" + std::to_string(born.pid);
    if (which == 'M') out += module;
    if (which == 'F') out += row.function;
    if (which == 'N') out += std::to_string(std::ranges::find(kRows, row.function, &Row::function) - kRows + 1);
  }
  return out;
}

void describe(dtrace_id_t id, const Born& born, const std::string& module, const Row& row) {
  const std::string before = filled_in(row.before, born, module, row), when = filled_in(row.when, born, module, row);
  std::vector<std::string> texts;
  std::vector<const char*> arguments;
  for (const Argument& one : row.arguments)
    if (!one.value.empty()) texts.emplace_back(one.value);
  for (const std::string& text : texts) arguments.push_back(text.c_str());
  sonde_probe_in_d(id, before.empty() ? nullptr : before.c_str(), when.empty() ? nullptr : when.c_str(),
                   arguments.data(), static_cast<unsigned>(arguments.size()));
}

void make_probes(const Born& born, const std::string& module) {
  for (const Row& row : kRows) {
    const std::string function(row.function), name(row.probe);
    if (dtrace_probe_lookup(born.id, module.c_str(), function.c_str(), name.c_str()) != 0) continue;
    auto made = std::make_unique<Probe>(Probe{born.pid, &row});
    const dtrace_id_t id = dtrace_probe_create(born.id, module.c_str(), function.c_str(), name.c_str(), 0, made.get());
    if (id == 0) continue;
    made.release();
    describe(id, born, module, row);
  }
}

/// Null: the file does not have the function, or not its code.
const Places* known_places(const std::string& path, const std::string& function) {
  const auto [at, fresh] = g_state.places.try_emplace({path, function});
  if (fresh) {
    Result<Places> found = places_of(g_state.files, path, function);
    if (found) at->second = std::move(*found);
  }
  return at->second.entry == 0 ? nullptr : &at->second;
}

void add_spots(Probe& probe, const std::string& path, const Places& places) {
  if (!probe.row->returns) return probe.spots.push_back({path, places.entry, places.entry});
  for (const Return& one : places.returns)
    probe.spots.push_back({path, one.place.offset, one.function, one.place.leave});
}

void add_taps(const Born& born, const std::string& module, const std::string& path) {
  for (const Row& row : kRows) {
    const std::string function(row.function), name(row.probe);
    const dtrace_id_t id = dtrace_probe_lookup(born.id, module.c_str(), function.c_str(), name.c_str());
    const Places* places = id == 0 ? nullptr : known_places(path, function);
    if (places == nullptr) continue;
    if (row.returns && !places->broken.empty()) {
      const std::string text = born.name + ": the returns of " + function + " in " + path + " are not all known (" +
                               places->broken + "): locks of some kinds are not seen";
      sonde_print_message(text.c_str());
    }
    Probe& probe = probe_of(dtrace_probe_arg(born.id, id));
    const size_t before = probe.spots.size();
    add_spots(probe, path, *places);
    for (size_t n = before; n < probe.spots.size() && probe.enabled; n++) arm(id, probe, probe.spots[n]);
  }
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// The module that the file is; empty: it is none of glibc's with these functions. In a glibc that has them in a library
/// of their own, libc.so.6 has some under the same names, which lead there.
std::string module_of(std::string_view mapped, const std::string& path, bool program) {
  const std::string_view name = base_name(mapped);
  const bool library = name == kLibrary || name == kOldLibrary;
  if ((!library && !program) || known_places(path, "pthread_mutex_lock") == nullptr) return "";
  if (library) return known_places(path, "pthread_mutex_timedlock") != nullptr ? std::string(name) : "";
  const auto file = g_state.files.open(path);
  return file && (*file)->elf->find("__lll_lock_wait") != nullptr ? "a.out" : "";  // a static program with glibc in it
}

void add_file(Born& born, const std::string& module, const FileNumber& number, const std::string& path) {
  if (module.empty() || !born.files.insert(number).second) return;
  make_probes(born, module);
  add_taps(born, module, path);
}

void add_files(Born& born) {
  const auto visit = [](void* to, const sonde_mapping* mapping) {
    Born& one = *static_cast<Born*>(to);
    if (*mapping->file == '\0' || mapping->inode == 0) return;
    const std::string module = module_of(mapping->path, mapping->file, mapping->program != 0 && one.pid != 0);
    add_file(one, module, {mapping->major, mapping->minor, mapping->inode}, mapping->file);
  };
  (void)sonde_mappings(born.pid, visit, &born);  // a process that has ended has none
}

/// What processes will map that nobody runs yet.
void add_installed(Born& born) {
  for (const char* folder : machine::kLibraryFolders)
    for (const char* library : {kLibrary, kOldLibrary}) {
      const std::string path = std::string(folder) + "/" + library;
      const FileId id = shown_number(path);
      if (id.inode != 0) add_file(born, module_of(path, path, false), {id.major, id.minor, id.inode}, path);
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

Born* born_of(uint32_t pid) {
  const std::string name = kName + (pid == 0 ? "*" : std::to_string(pid));
  for (const auto& one : g_state.born)
    if (one->name == name) return one.get();
  auto made = std::make_unique<Born>(Born{pid, name});
  const dtrace_pops_t ops = {.dtps_provide_module = provide_module,
                             .dtps_enable = enable,
                             .dtps_disable = disable,
                             .dtps_getargdesc = getargdesc,
                             .dtps_usermode = usermode,
                             .dtps_destroy = destroy};
  if (dtrace_register(name.c_str(), &kAttributes, DTRACE_PRIV_USER, nullptr, &ops, made.get(), &made->id) != 0)
    return nullptr;
  return g_state.born.emplace_back(std::move(made)).get();
}

/// The process number at the end of a description's provider; 0: there is none.
uint32_t process_named(std::string_view provider) {
  const std::string_view digits = provider.substr(provider.find_last_not_of("0123456789") + 1);
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() ? number : 0;
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

struct Absent {
  std::string_view name, why;
};

constexpr Absent kAbsent[] = {
    {"mutex-spin", "glibc counts no spins: a wait is mutex-block to mutex-blocked, however it is spent"},
    {"mutex-spun", "glibc counts no spins: a wait is mutex-block to mutex-blocked, however it is spent"},
};

void explain(const dtrace_probedesc_t& spec) {
  for (const Absent& one : kAbsent)
    if (spec.dtpd_name == one.name)
      return sonde_provide_error(
          "D_PDESC_ZERO",
          (std::string(kName) + ":::" + std::string(one.name) + " is not available: " + std::string(one.why)).c_str());
}

void bear(const dtrace_probedesc_t& spec, uint32_t pid) {
  explain(spec);
  if (pid != 0 && sonde_has_source() != 0) sonde_follow(pid);
  if (pid == 0 && sonde_has_source() != 0)
    for (const char* library : {kLibrary, kOldLibrary}) sonde_follow_files(("*/" + std::string(library)).c_str());
  Born* born = born_of(pid);
  if (born == nullptr) return;
  add_files(*born);
  if (pid == 0) add_installed(*born);
  if (born->files.empty())
    sonde_provide_error(
        "D_PDESC_ZERO",
        ("process " + std::to_string(pid) + " has no glibc mapped: plockstat is made of its functions").c_str());
}

/// `p*42` means these probes only if it names one of them: to make them, glibc's functions are read.
bool names_ours(const dtrace_probedesc_t& spec) {
  if (std::string_view(spec.dtpd_provider).starts_with(kName)) return true;
  return std::ranges::any_of(kRows, [&spec](const Row& row) {
    return spec.dtpd_name[0] != '\0' && sonde_glob_match(spec.dtpd_name, std::string(row.probe).c_str()) != 0 &&
           sonde_glob_match(spec.dtpd_func, std::string(row.function).c_str()) != 0;
  });
}

void on_description(void*, const dtrace_probedesc_t* spec) {
  const std::string_view field = spec->dtpd_provider;
  if (field == kAll) return bear(*spec, 0);
  const uint32_t number = process_named(field);
  const bool named =
      number != 0 && sonde_glob_match(spec->dtpd_provider, (kName + std::to_string(number)).c_str()) != 0;
  if (named && names_ours(*spec) && is_target(number)) bear(*spec, number);
}

void provide_base(void*, const dtrace_probedesc_t* spec) {
  if (spec == nullptr) return;
  const std::string_view field = spec->dtpd_provider;
  const uint32_t number = process_named(field);
  if (field == kName)
    return sonde_provide_error("D_PDESC_ZERO",
                               "each process has a plockstat of its own\nname it plockstat$target, plockstatPID, or "
                               "plockstat* for all processes");
  if (field == kName + std::string("0"))
    return sonde_provide_error("D_PROC_BADPID",
                               "'plockstat0' does not contain a valid pid\n$target is the process of -c or -p, and "
                               "there is none");
  if (number == 0 || sonde_glob_match(spec->dtpd_provider, (kName + std::to_string(number)).c_str()) == 0) return;
  if (!is_target(number))
    sonde_provide_error(
        "D_PROC_GRAB",
        ("process " + std::to_string(number) + " is not traced: add -p " + std::to_string(number)).c_str());
}

}  // namespace
}  // namespace sonde::plockstat

extern "C" int sonde_plockstat_register(void) {
  using namespace sonde::plockstat;
  const dtrace_pops_t ops = {
      .dtps_provide = provide_base, .dtps_enable = enable, .dtps_disable = disable, .dtps_destroy = destroy};
  const int error = dtrace_register(kName, &kAttributes, DTRACE_PRIV_USER, nullptr, &ops, nullptr, &g_state.base);
  return error != 0 ? error : sonde_on_description(g_state.base, on_description, nullptr);
}

extern "C" void sonde_plockstat_unregister(void) {
  using namespace sonde::plockstat;
  for (const auto& born : g_state.born) dtrace_unregister(born->id);
  dtrace_unregister(g_state.base);
  g_state = {};
}
