// SPDX-License-Identifier: GPL-3.0-or-later
// fbt: the functions of the kernel and its modules, where they begin and where they return
//
//   description --> /proc/kallsyms --> functions that it names, and that the kernel lets tracers into --> two probes each
//   enabled     --> a tap for each address: static functions may share a name
//
// Nothing is read until a description names the provider. What the kernel lets tracers into it lists slowly, so that is
// read only for descriptions that may name many functions; of a single one, the source says when it is enabled. The
// arguments are those that the kernel's description of its types (BTF) says.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "providers/kernel_types.h"
#include "providers/provider_entry.h"
#include "runtime/process/kernel_functions.h"

namespace sonde {
namespace {

constexpr char kName[] = "fbt", kEntry[] = "entry", kReturn[] = "return";

struct Site {
  const KernelFunction* function;
  sonde_tap_kind kind;
  dtrace_id_t probe = 0;  ///< 0: none yet
};

const char* name_of(const Site& site) { return site.kind == SONDE_TAP_KERNEL_ENTRY ? kEntry : kReturn; }

struct Fbt {
  dtrace_provider_id_t id = 0;
  const KernelFunctions* functions = nullptr;  ///< null: not read yet
  std::optional<TraceableNames> traceable;
  std::vector<Site> sites;        ///< probes point to them
  std::string module, name;       ///< of the site that is matched: one room for all of them
  std::unique_ptr<CTypes> types;  ///< null: not read yet, or there are none
  bool types_read = false;
};

Fbt& fbt_of(void* arg) { return *static_cast<Fbt*>(arg); }

const Site& site_of(void* parg) { return *static_cast<const Site*>(parg); }

/// Errors: as KernelFunctions::running().
Result<void> read_functions(Fbt& fbt) {
  if (fbt.functions != nullptr) return {};
  const Result<KernelFunctions>& read = KernelFunctions::running();
  if (!read) return read.error();
  fbt.functions = &*read;
  fbt.sites.reserve(2 * fbt.functions->all().size());
  for (const KernelFunction& function : fbt.functions->all()) {
    fbt.sites.push_back({&function, SONDE_TAP_KERNEL_ENTRY});
    fbt.sites.push_back({&function, SONDE_TAP_KERNEL_RETURN});
  }
  return {};
}

bool is_exact(std::string_view field) { return !field.empty() && field.find_first_of("*?[\\") == field.npos; }

/// Why no probe of that kind can be armed here; empty: it can. Without a source, as in listings, it is the kernel that
/// knows.
std::string why_not(const Fbt& fbt, sonde_tap_kind kind) {
  if (sonde_has_source() != 0 ? sonde_tap_possible(kind) != 0 : fbt.functions->let_programs_in()) return "";
  return std::string("nothing here lets sonde into ") +
         (kind == SONDE_TAP_KERNEL_ENTRY ? "functions of the kernel" : "returns of the kernel's functions") +
         ": that takes the source " + sonde_sources_with(kind, 0) +
         ", and a kernel that was built with fprobe or kprobes (CONFIG_FPROBE, CONFIG_KPROBES)";
}

/// Makes the probe unless it is there, and says that it is meant.
void match(Fbt& fbt, Site& site, const std::string& refused) {
  if (site.probe == 0) {
    fbt.module = site.function->module;
    fbt.name = site.function->name;
    site.probe = dtrace_probe_create(fbt.id, fbt.module.c_str(), fbt.name.c_str(), name_of(site), 0, &site);
    if (site.probe == 0) return;
    sonde_probe_of_kernel(site.probe, nullptr, nullptr);
    if (!refused.empty()) sonde_probe_refuse(site.probe, refused.c_str(), 0);
  }
  sonde_provide_match(site.probe);
}

/// A field of a description. What it was asked last, it knows.
class Field {
 public:
  explicit Field(const char* pattern)
      : pattern_(pattern), exact_(is_exact(pattern)), any_(pattern_.find_first_not_of('*') == pattern_.npos) {}
  bool is_exact_name() const { return exact_; }
  bool matches(std::string_view text) {
    if (any_) return true;
    if (exact_) return text == pattern_;
    if (text.data() == last_.data() && text.size() == last_.size()) return answer_;
    last_ = text;
    return answer_ = sonde_glob_match(pattern_.c_str(), std::string(text).c_str()) != 0;
  }

 private:
  std::string pattern_;
  bool exact_, any_;
  std::string_view last_;
  bool answer_ = false;
};

void provide(void* arg, const dtrace_probedesc_t* spec) {
  Fbt& fbt = fbt_of(arg);
  if (spec == nullptr || sonde_glob_match(spec->dtpd_provider, kName) == 0) return;
  if (auto read = read_functions(fbt); !read)
    return sonde_provide_error("D_PDESC_ZERO", ("no functions of the kernel: " + read.error().message()).c_str());
  Field module(spec->dtpd_mod), function(spec->dtpd_func), name(spec->dtpd_name);
  const std::string refused[] = {why_not(fbt, SONDE_TAP_KERNEL_ENTRY), why_not(fbt, SONDE_TAP_KERNEL_RETURN)};
  const bool may_be_many = !function.is_exact_name();
  if (may_be_many && !fbt.traceable && refused[0].empty()) fbt.traceable = TraceableNames::read();
  const bool filtered = may_be_many && fbt.traceable && fbt.traceable->known();
  const bool wanted[] = {name.matches(kEntry), name.matches(kReturn)};
  const char* asked = nullptr;
  bool lets_in = true;
  for (Site& site : fbt.sites) {
    const bool returns = site.kind == SONDE_TAP_KERNEL_RETURN;
    const KernelFunction& one = *site.function;
    if (!wanted[returns] || !module.matches(one.module) || !function.matches(one.name)) continue;
    if (filtered && asked != one.name.data()) {  // an entry and a return have the same
      asked = one.name.data();
      lets_in = fbt.traceable->contains(one.name);
    }
    if (!lets_in) continue;
    match(fbt, site, refused[returns]);
  }
}

void enable(void*, dtrace_id_t id, void* parg) {
  const Site& site = site_of(parg);
  const std::string name(site.function->name), module(site.function->module);
  for (const uint64_t address : site.function->addresses) {
    const sonde_tap_request request = {
        .size = sizeof request, .kind = site.kind, .path = module.c_str(), .offset = address, .symbol = name.c_str()};
    sonde_tap_arm(id, &request);
  }
}

/// The parameters, or what a return has: where it is, which no source knows, and the result. Those behind one that is not
/// a word are not where the calling convention has words.
std::vector<CParameter> arguments_of(CTypes& types, const Site& site) {
  const auto function = types.function(site.function->name);
  if (!function) return {};
  std::vector<CParameter> all;
  const auto is_word = [&](CTypeId id) {
    CType type = types.type(id);
    for (int turn = 0; turn < 8 && type.kind == CType::Kind::Typedef; turn++) type = types.type(type.target);
    return type.kind == CType::Kind::Pointer ||
           ((type.kind == CType::Kind::Integer || type.kind == CType::Kind::Enum) && type.size <= sizeof(uint64_t));
  };
  if (site.kind == SONDE_TAP_KERNEL_RETURN) {
    if (!is_word(function->result)) return {};
    return {CParameter{"offset", kCVoid}, CParameter{"result", function->result}};
  }
  for (const CParameter& one : function->parameters) {
    if (!is_word(one.type)) break;
    all.push_back(one);
  }
  return all;
}

void getargdesc(void* arg, dtrace_id_t, void* parg, dtrace_argdesc_t* desc) {
  Fbt& fbt = fbt_of(arg);
  if (!std::exchange(fbt.types_read, true))
    if (auto types = read_btf(kKernelTypes)) fbt.types = std::move(*types);
  const std::vector<CParameter> all = fbt.types ? arguments_of(*fbt.types, site_of(parg)) : std::vector<CParameter>();
  const auto index = static_cast<size_t>(desc->dtargd_ndx);
  if (index < all.size())
    describe_argument(*fbt.types, all[index], desc);
  else
    desc->dtargd_ndx = DTRACE_ARGNONE;
}

Fbt g_fbt;

}  // namespace
}  // namespace sonde

extern "C" int sonde_fbt_register(void) {
  const dtrace_pops_t ops = {
      .dtps_provide = sonde::provide, .dtps_enable = sonde::enable, .dtps_getargdesc = sonde::getargdesc};
  const int error = sonde::register_kernel_names(sonde::kName, ops, &sonde::g_fbt, &sonde::g_fbt.id);
  if (error == 0) sonde_provide_always(sonde::g_fbt.id);
  return error;
}

extern "C" void sonde_fbt_unregister(void) {
  dtrace_unregister(sonde::g_fbt.id);
  sonde::g_fbt = {};
}
