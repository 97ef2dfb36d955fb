// SPDX-License-Identifier: GPL-3.0-or-later
// USDT: the probes that programs bring along, in the notes of their files
//
//   python42:::    the provider python of the traced process 42, and of those that it forks
//   python*:::     of every traced process that has such a file mapped, now or later
//
// No program is read until a description may name one of its providers (sonde_on_description). Then each provider name that
// the notes have, and that matches, is registered: python42 or python*, with all its probes. A probe has a tap for each of
// its sites, in each file that has some; the arguments of a site are locations, so nothing is read that no script asks for.
//
// A tap of python* names a file and no process: the source puts it wherever that file is mapped.
//
// We refused one provider `usdt` with the programs' providers as modules: scripts of thirty years say python$target.
#include <signal.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kmod/shared/dif.h"
#include "providers/provider_entry.h"
#include "providers/stability.h"
#include "providers/tap_probes.h"
#include "providers/usdt/declared.h"
#include "providers/usdt/listing.h"
#include "providers/usdt/quirks.h"
#include "runtime/base/numbered_name.h"
#include "runtime/process/demangle.h"
#include "runtime/process/proc_maps.h"
#include "runtime/process/unused_code.h"
#include "runtime/process/usdt_notes.h"

namespace sonde {
namespace {

using usdt::File;

constexpr char kName[] = "usdt";
constexpr size_t kMostArguments = 12;  ///< a macro of sdt.h passes

struct Spot {
  const File* file;
  const UsdtSite* site;
};

/// The data of a probe. Files outlive it.
struct Probe {
  uint32_t pid;
  std::vector<Spot> spots;
  std::string refused;  ///< why a place of it cannot be traced; empty: all can
  bool enabled = false;
};

/// A provider that a description has named.
struct Born {
  std::string provider;  ///< "python"
  uint32_t pid;          ///< 0: all processes
  std::string name;      ///< "python42", "python*"
  std::set<const File*> files;
  dtrace_provider_id_t id = 0;
};

struct Usdt {
  dtrace_provider_id_t id = 0;
  usdt::Files files;
  std::vector<std::unique_ptr<Born>> born;
};

Usdt g_usdt;

Probe& probe_of(void* parg) { return *static_cast<Probe*>(parg); }

/// "query-start" of "query__start".
std::string dashed(std::string name) {
  for (size_t at = 0; (at = name.find("__", at)) != name.npos;) name.replace(at, 2, "-");
  return name;
}

// ---- taps ------------------------------------------------------------------------------------------------------

/// Those of the site; of an argument that it has not, 0. One that is there and cannot be read has none.
std::vector<sonde_location> locations_of(const UsdtSite& site) {
  std::vector<sonde_location> all;
  for (const UsdtArgument& argument : site.arguments)
    if (all.size() + argument.parts.size() <= SONDE_LOCATIONS_MAX)
      all.insert(all.end(), argument.parts.begin(), argument.parts.end());
  for (size_t n = site.arguments.size(); n < kMostArguments && all.size() < SONDE_LOCATIONS_MAX; n++)
    all.push_back({.kind = SONDE_LOCATION_CONSTANT,
                   .argument = static_cast<uint8_t>(n),
                   .base = SONDE_NO_REGISTER,
                   .index = SONDE_NO_REGISTER,
                   .size = sizeof(uint64_t)});
  return all;
}

void tell_of_companions(const UsdtSite& site) {
  for (const usdt::Companion& row : usdt::kCompanions) {
    if (row.provider != site.provider || row.probe != site.name) continue;
    const std::string provider(row.provider), other = dashed(std::string(row.other));
    const std::string text =
        provider + " fires " + dashed(site.name) + " only while somebody traces " + other +
        ", too: this source finds no place in the file from which to switch that on. Add a clause for " + provider +
        "*:::" + other;
    sonde_print_message(text.c_str());
  }
}

/// Those of the site's companions in the file.
std::vector<uint64_t> companions_of(const Spot& spot) {
  std::vector<uint64_t> counters;
  for (const usdt::Companion& row : usdt::kCompanions) {
    if (row.provider != spot.site->provider || row.probe != spot.site->name) continue;
    for (const UsdtSite& other : spot.file->sites)
      if (other.provider == row.provider && other.name == row.other && other.counter != 0 &&
          other.counter != spot.site->counter && std::ranges::count(counters, other.counter) == 0)
        counters.push_back(other.counter);
  }
  return counters;
}

void arm_at(dtrace_id_t id, const Probe& probe, const Spot& spot, uint64_t offset, uint32_t flags,
            const std::vector<uint64_t>& counters) {
  const std::vector<sonde_location> locations = locations_of(*spot.site);
  const sonde_tap_request request = {.size = sizeof request,
                                     .kind = SONDE_TAP_USER_OFFSET,
                                     .pid = probe.pid,
                                     .path = spot.file->path.c_str(),
                                     .offset = offset,
                                     .function = spot.site->function,
                                     .flags = flags | (probe.pid != 0 ? SONDE_TAP_FORKS : 0u),
                                     .locations = locations.data(),
                                     .counters = counters.data(),
                                     .location_count = static_cast<uint32_t>(locations.size()),
                                     .counter_count = static_cast<uint32_t>(counters.size())};
  sonde_tap_arm(id, &request);
}

/// A source that raises one counter for a tap has another tap for each companion, where no thread gets to.
void arm(dtrace_id_t id, const Probe& probe, const Spot& spot) {
  std::vector<uint64_t> counters;
  if (spot.site->counter != 0) counters.push_back(spot.site->counter);
  for (const uint64_t companion : companions_of(spot)) {
    if (counters.size() < sonde_counters_possible()) {
      counters.push_back(companion);
    } else if (const uint64_t place = unused_code(spot.file->path); place != 0) {
      arm_at(id, probe, spot, place, 0, {companion});
    } else {
      tell_of_companions(*spot.site);
    }
  }
  arm_at(id, probe, spot, spot.site->offset, SONDE_TAP_NOP, counters);
}

// ---- probes ----------------------------------------------------------------------------------------------------

/// The module of a probe: the file's name without its folders.
std::string module_of(const File& file) { return file.mapped.substr(file.mapped.rfind('/') + 1); }

bool is_name(const std::string& name) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
  };
  return !name.empty() && name.size() < DTRACE_NAMELEN && std::ranges::all_of(name, fits);
}

/// Whether the program passes another place of the probe just before or behind this one.
bool is_doubled(const Probe& probe, const File& file, const UsdtSite& site) {
  const auto same = [&](const Spot& spot) { return spot.file == &file && spot.site->function == site.function; };
  return site.function != 0 && std::ranges::any_of(probe.spots, same) &&
         std::ranges::any_of(usdt::kDoubled, [&site](const usdt::Doubled& row) {
           return row.provider == site.provider && row.probe == site.name;
         });
}

void add_site(const Born& born, const File& file, const UsdtSite& site) {
  if (!is_name(dashed(site.name))) {
    const std::string text =
        "a note of " + file.mapped + " names a probe of " + born.provider +
        " that cannot be traced: its name has more than letters, digits, _, - and ., or over 63 of them";
    return sonde_print_message(text.c_str());
  }
  auto made = std::make_unique<Probe>(Probe{born.pid, {}, {}, false});
  const dtrace_id_t id = dtrace_probe_create(born.id, module_of(file).c_str(), shown_name(site.symbol).c_str(),
                                             dashed(site.name).c_str(), 0, made.get());
  if (id == 0) return;
  Probe& probe = probe_of(dtrace_probe_arg(born.id, id));
  if (&probe == made.get()) made.release();
  sonde_probe_has_arguments(id);
  if (is_doubled(probe, file, site)) return;
  if (!site.refused.empty())
    probe.refused = "in " + file.mapped + ", " + site.refused;
  else
    probe.spots.push_back({&file, &site});
  const bool partly = !probe.refused.empty() && !probe.spots.empty();
  sonde_probe_refuse(id, probe.spots.empty() ? probe.refused.c_str() : nullptr, 0);
  if (partly) {
    const std::string text = born.name + ":::" + dashed(site.name) + " is not traced at each place: " + probe.refused;
    sonde_print_message(text.c_str());
  }
  if (!site.refused.empty()) return;
  if (probe.enabled) arm(id, probe, probe.spots.back());
}

/// Makes the probes of a file that it has not yet.
void add_file(Born& born, const File& file) {
  if (!born.files.insert(&file).second) return;
  for (const UsdtSite& site : file.sites)
    if (site.provider == born.provider) add_site(born, file, site);
}

std::vector<uint32_t> targets() {
  std::vector<uint32_t> all;
  sonde_targets([](void* to, uint32_t pid) { static_cast<std::vector<uint32_t>*>(to)->push_back(pid); }, &all);
  return all;
}

/// Whether probes of any process may be listed: nothing is traced.
bool lists_any() { return sonde_has_source() == 0 || (sonde_is_listing() != 0 && targets().empty()); }

/// The files of a traced process, or, where nothing is traced, of any; 0: of all that are traced.
std::vector<const File*> files_of(uint32_t pid) {
  return pid == 0 || !lists_any() ? g_usdt.files.of(pid) : g_usdt.files.of_any(pid);
}

void add_files(Born& born) {
  for (const File* file : files_of(born.pid)) add_file(born, *file);
}

void provide_nothing(void*, const dtrace_probedesc_t*) {}

void provide_module(void* arg, const char*) { add_files(*static_cast<Born*>(arg)); }

// ---- args[] ----------------------------------------------------------------------------------------------------

/// The argument at the first site that can read it; null: none has it.
const UsdtArgument* argument_of(const Probe& probe, size_t index) {
  const UsdtArgument* found = nullptr;
  for (const Spot& spot : probe.spots) {
    if (index >= spot.site->arguments.size()) continue;
    const UsdtArgument& one = spot.site->arguments[index];
    if (found == nullptr || (found->parts.empty() && !one.parts.empty())) found = &one;
  }
  return found;
}

std::string type_of(const UsdtArgument& argument) {
  if (argument.is_float) return argument.size == sizeof(float) ? "float" : "double";
  const std::string sign = argument.is_signed ? "" : "u";
  const uint32_t bytes = argument.size == 1 || argument.size == 2 || argument.size == 4 ? argument.size : 8;
  return sign + "int" + std::to_string(8 * bytes) + "_t";
}

/// "const char *file" of "const char *file, int line"; empty: it declares less.
std::string_view nth_of(std::string_view arguments, size_t index) {
  for (; index > 0 && !arguments.empty(); index--) {
    const size_t comma = arguments.find(", ");
    arguments = comma == arguments.npos ? "" : arguments.substr(comma + 2);
  }
  return arguments.substr(0, arguments.find(','));
}

/// As the probe's authors declare it: type and name. Empty: nobody has written it down.
std::string_view declared(const Probe& probe, size_t index) {
  const UsdtSite& site = *probe.spots.front().site;
  for (const usdt::Declared& row : usdt::kDeclared)
    if (row.provider == site.provider &&
        sonde_glob_match(std::string(row.probes).c_str(), dashed(site.name).c_str()) != 0)
      return nth_of(row.arguments, index);
  return {};
}

/// "%edi", and what other sites have: "%edi, %eax".
std::string forms_of(const Probe& probe, size_t index) {
  std::vector<std::string> forms;
  for (const Spot& spot : probe.spots) {
    const std::string text = index < spot.site->arguments.size() ? spot.site->arguments[index].text : "none";
    if (std::ranges::count(forms, text) == 0) forms.push_back(text);
  }
  std::string all;
  for (const std::string& form : forms) all += (all.empty() ? "" : ", ") + form;
  return all;
}

void getargdesc(void*, dtrace_id_t, void* parg, dtrace_argdesc_t* desc) {
  const Probe& probe = probe_of(parg);
  const auto index = static_cast<size_t>(desc->dtargd_ndx);
  const UsdtArgument* argument = argument_of(probe, index);
  if (argument == nullptr) {
    desc->dtargd_ndx = DTRACE_ARGNONE;
    return;
  }
  const std::string_view known = argument->is_float ? std::string_view() : declared(probe, index);
  const size_t end = known.find_last_of(" *") + 1;  // of the type
  const std::string type =
      known.empty() ? type_of(*argument) : std::string(known.substr(0, known.find_last_not_of(' ', end - 1) + 1));
  std::snprintf(desc->dtargd_native, sizeof desc->dtargd_native, "%s", type.c_str());
  std::snprintf(desc->dtargd_name, sizeof desc->dtargd_name, "%s",
                std::string(known.substr(known.empty() ? 0 : end)).c_str());
  if (argument->is_float && argument->size != sizeof(float) && argument->size != sizeof(double)) {
    desc->dtargd_mapping = -1;
    return sonde_argument_place(
        (argument->text + ", a long double: arg" + std::to_string(index) + " is its address").c_str(), 0);
  }
  if (argument->parts.empty()) {
    desc->dtargd_mapping = -1;
    return sonde_argument_place((argument->text + ": " + argument->unknown).c_str(), 0);
  }
  if (argument->is_float) desc->dtargd_mapping = SONDE_ARGUMENT_LOCATED;
  sonde_argument_place(forms_of(probe, index).c_str(), argument->size);
}

int usermode(void*, dtrace_id_t, void*) { return 1; }

// ---- providers that are born by their names --------------------------------------------------------------------

constexpr dtrace_pattr_t kAttributes = {kEvolving, kPrivate, kPrivate, kEvolving, kEvolving};

dtrace_pops_t operations() {
  return {.dtps_provide_module = provide_module,
          .dtps_enable = tap_probes::enable<Probe, arm>,
          .dtps_disable = tap_probes::disable<Probe>,
          .dtps_getargdesc = getargdesc,
          .dtps_usermode = usermode,
          .dtps_destroy = tap_probes::destroy<Probe>};
}

/// The provider of that name, which is registered if it is not yet. Null: it cannot be.
Born* born_of(const std::string& provider, uint32_t pid) {
  const std::string name = provider + (pid == 0 ? "*" : std::to_string(pid));
  for (const auto& one : g_usdt.born)
    if (one->name == name) return one.get();
  auto made = std::make_unique<Born>(Born{provider, pid, name, {}});
  const dtrace_pops_t ops = operations();
  if (dtrace_register(name.c_str(), &kAttributes, DTRACE_PRIV_USER, nullptr, &ops, made.get(), &made->id) != 0)
    return nullptr;
  return g_usdt.born.emplace_back(std::move(made)).get();
}

/// A process number behind it makes the provider's name one that ends in a number: "python42".
bool can_be_provider(const std::string& name) {
  return is_name(name) && name != "pid" && (name.back() < '0' || name.back() > '9');
}

/// Whether the wildcard means the site's name, or an older one of it.
bool means_name(const std::string& wildcard, const UsdtSite& site) {
  const std::string name = dashed(site.name);
  if (sonde_glob_match(wildcard.c_str(), name.c_str()) != 0) return true;
  return std::ranges::any_of(usdt::kOlderNames, [&](const usdt::OlderName& row) {
    return row.provider == site.provider && row.probe == name && row.older == wildcard;
  });
}

/// Whether the description means a name that it does not match as it stands: query__start is query-start, a.out is the
/// program.
bool means(const dtrace_probedesc_t& spec, const std::string& field, const File& file, const UsdtSite& site) {
  const bool named = means_name(dashed(spec.dtpd_name), site);
  const bool module = sonde_glob_match(spec.dtpd_mod, module_of(file).c_str()) != 0 ||
                      (file.program && std::string_view(spec.dtpd_mod) == "a.out") || spec.dtpd_mod == file.mapped;
  return named && module && sonde_glob_match(spec.dtpd_func, shown_name(site.symbol).c_str()) != 0 &&
         sonde_glob_match(spec.dtpd_provider, field.c_str()) != 0;
}

void match(const dtrace_probedesc_t& spec, const Born& born) {
  for (const usdt::Gone& row : usdt::kGone)
    if (row.provider == born.provider && row.probe == dashed(spec.dtpd_name))
      sonde_provide_error("D_PDESC_ZERO", std::string(row.why).c_str());
  for (const File* file : born.files)
    for (const UsdtSite& site : file->sites)
      if (site.provider == born.provider && means(spec, born.name, *file, site))
        if (const dtrace_id_t id = dtrace_probe_lookup(born.id, module_of(*file).c_str(),
                                                       shown_name(site.symbol).c_str(), dashed(site.name).c_str()))
          sonde_provide_match(id);
}

/// Whether a wildcard names a provider of sonde's own: then it is no reason to have threads wait that map a file.
bool names_one_of_ours(const char* wildcard) {
#define SONDE_NAME(name) #name,
  constexpr const char* kOurs[] = {SONDE_PROVIDERS(SONDE_NAME)};
  constexpr std::string_view kTheirs[] = {SONDE_PROVIDERS_OF_PROGRAMS(SONDE_NAME)};
#undef SONDE_NAME
  return std::ranges::any_of(kOurs, [&](const char* name) {
    return std::ranges::count(kTheirs, name) == 0 && sonde_glob_match(wildcard, name) != 0;
  });
}

/// Of "python*"; empty: it is another wildcard.
std::string_view name_before_star(std::string_view field) {
  const size_t end = field.find_last_not_of('*') + 1;
  return end == field.size() || field.find_first_of("*?[\\") < end ? std::string_view() : field.substr(0, end);
}

/// Registers what the description names of the files of `pid`; 0: of all, of the one whose path is its module, and of those
/// that are installed by the provider's name. Nobody need have mapped these yet.
void bear(const dtrace_probedesc_t& spec, uint32_t pid) {
  std::vector<const File*> files = files_of(pid);
  const auto add = [&files](const File* file) {
    if (file != nullptr && std::ranges::count(files, file) == 0) files.push_back(file);
  };
  if (pid == 0 && spec.dtpd_mod[0] == '/') {
    add(g_usdt.files.at(spec.dtpd_mod));
    if (const std::string why = usdt::why_unreadable(spec.dtpd_mod, spec.dtpd_mod); !why.empty())
      sonde_provide_error("D_PDESC_ZERO", why.c_str());
  }
  const std::string_view begin = name_before_star(spec.dtpd_provider);
  if (pid == 0 && !begin.empty() && !names_one_of_ours(spec.dtpd_provider))
    for (const File* file : g_usdt.files.installed(begin)) add(file);
  std::set<std::string> names;
  for (const File* file : files)
    for (const UsdtSite& site : file->sites) names.insert(site.provider);
  for (const std::string& name : names) {
    const std::string field = name + (pid == 0 ? "*" : std::to_string(pid));
    if (sonde_glob_match(spec.dtpd_provider, field.c_str()) == 0) continue;
    if (!can_be_provider(name)) {
      const std::string text =
          "the provider " + name + " of a program cannot be traced: its name " +
          (is_name(name) ? "ends with a digit, or is pid, so that a process number behind it is none"
                         : "has more than letters, digits, _, - and .");
      sonde_provide_error("D_PROV_BADNAME", text.c_str());
      continue;
    }
    Born* born = born_of(name, pid);
    if (born == nullptr) continue;
    for (const File* file : files) add_file(*born, *file);
    match(spec, *born);
  }
}

/// A description that no provider claims may be one of these without its process.
void explain(const dtrace_probedesc_t& spec) {
  const std::string field = spec.dtpd_provider;
  for (const File* file : g_usdt.files.of(0)) {
    for (const UsdtSite& site : file->sites) {
      if (site.provider != field) continue;
      const std::string text = field + " is a provider of " + file->mapped +
                               ", and each process has its own\nname it " + field + "$target, " + field + "PID, or " +
                               field + "* for all processes";
      return sonde_provide_error("D_PDESC_ZERO", text.c_str());
    }
  }
}

/// The process has the provider, but is none of those that are traced.
void explain_untraced(const dtrace_probedesc_t& spec, uint32_t pid) {
  for (const File* file : g_usdt.files.of_any(pid)) {
    for (const UsdtSite& site : file->sites) {
      const std::string number = std::to_string(pid);
      if (sonde_glob_match(spec.dtpd_provider, (site.provider + number).c_str()) == 0) continue;
      const std::string text =
          "process " + number + " has the provider " + site.provider + ", but is not traced: add -p " + number;
      return sonde_provide_error("D_PROC_GRAB", text.c_str());
    }
  }
}

void on_description(void*, const dtrace_probedesc_t* spec) {
  const std::string_view field = spec->dtpd_provider;
  const uint32_t number = process_named(field);
  const bool of_pid_provider = number != 0 && field.starts_with("pid") && number_at_end(field) == field.substr(3);
  if (of_pid_provider || field == "pid*") return;
  const std::vector<uint32_t> traced = targets();
  if (number != 0) {
    if (!traced.empty() && std::ranges::count(traced, number) == 0) return explain_untraced(*spec, number);
    if (!traced.empty()) sonde_follow(number);
    if (const auto maps = read_proc_maps(number); !maps) {
      const std::string text = "process " + std::to_string(number) + " cannot be read: " + maps.error().message();
      return sonde_provide_error("D_PROC_GRAB", text.c_str());
    }
    return bear(*spec, number);
  }
  const bool any = field.find_first_not_of('*') == field.npos;
  // `:::query-start` may be one of these; `:::` and `BEGIN` ask for what there is.
  const bool by_name = std::string_view(spec->dtpd_name).find_first_not_of('*') != std::string_view::npos;
  if (any && (!by_name || sonde_has_source() == 0)) return;
  if (!any && field.find_first_of("*?[") == field.npos) return explain(*spec);
  if (lists_any()) {
    for (const uint32_t pid : traced.empty() ? usdt::all_processes() : traced) bear(*spec, pid);
    if (spec->dtpd_mod[0] != '/') return;
  }
  if (!names_one_of_ours(spec->dtpd_provider)) sonde_follow_files("*");
  bear(*spec, 0);
}

}  // namespace
}  // namespace sonde

extern "C" int sonde_usdt_register(void) {
  using namespace sonde;
  const dtrace_pops_t ops = {.dtps_provide = provide_nothing,
                             .dtps_enable = tap_probes::nothing,
                             .dtps_disable = tap_probes::nothing,
                             .dtps_destroy = tap_probes::nothing};  // it has no probes of its own
  const int error = dtrace_register(kName, &kAttributes, DTRACE_PRIV_USER, nullptr, &ops, nullptr, &g_usdt.id);
  return error != 0 ? error : sonde_on_description(g_usdt.id, on_description, nullptr);
}

extern "C" void sonde_usdt_unregister(void) {
  using namespace sonde;
  for (const auto& born : g_usdt.born) dtrace_unregister(born->id);
  dtrace_unregister(g_usdt.id);
  g_usdt = {};
}
