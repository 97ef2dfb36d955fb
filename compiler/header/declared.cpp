// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/header/declared.h"

#include <algorithm>
#include <map>
#include <set>
#include <variant>

#include "compiler/check/provider_names.h"
#include "compiler/header/macros.h"
#include "compiler/parse/provider_file.h"

namespace sonde {
namespace {

constexpr size_t kMostNoted = 12;  ///< arguments of a probe, in a note

/// (void), as C says it.
bool is_nothing(const std::vector<Parameter>& list) {
  return list.size() == 1 && list.front().specifiers.base == Specifiers::Base::Void &&
         list.front().declarator.derivations.empty();
}

class DeclaredReader {
 public:
  explicit DeclaredReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  DeclaredProvider read(const ProviderSyntax& syntax) {
    if (auto wrong = wrong_name(syntax)) diagnostics_.report(*wrong);
    DeclaredProvider provider{syntax.name, {}};
    std::set<std::string_view> names;
    for (const ProbeSyntax& probe : syntax.probes) {
      if (!names.insert(probe.name).second)
        diagnostics_.report("D_PROV_PRDUP", probe.where, "probe redeclared: " + syntax.name + ":" + probe.name);
      else
        read(syntax, probe);
      provider.probes.push_back({probe.name, is_nothing(*probe.input) ? 0 : probe.input->size()});
    }
    return provider;
  }

 private:
  void read(const ProviderSyntax& provider, const ProbeSyntax& probe) {
    if (auto wrong = wrong_name(probe)) return diagnostics_.report(*wrong);
    for (const Parameter& one : *probe.input)
      if (one.ellipsis)
        diagnostics_.report("D_SYNTAX", one.where, "probe " + probe.name + " has a variable number of arguments",
                            "each probe has its own: declare one for each number");
    if (probe.input->size() > kMostNoted)
      diagnostics_.report(
          "D_PROV_PRARGLEN", probe.where,
          "probe " + probe.name + " input parameter count exceeds " + std::to_string(kMostNoted) + " limit",
          "pass the address of a struct");
    const std::string macro = macro_of(provider.name, probe.name);
    for (const std::string& one : {macro, macro + "_ENABLED"}) {
      const auto [known, fresh] = macros_.try_emplace(one, probe.name);
      if (fresh) continue;
      diagnostics_.report("D_PROV_PRDUP", probe.where,
                          "probe " + probe.name + " has the macro of probe " + known->second + ": " + one);
      return;
    }
  }

  Diagnostics& diagnostics_;
  std::map<std::string, std::string> macros_;  ///< of all providers: whose they are
};

}  // namespace

std::vector<DeclaredProvider> declared_providers(const std::string& text, Diagnostics& diagnostics) {
  const SyntaxTree tree = parse_provider_file(text, diagnostics);
  DeclaredReader reader(diagnostics);
  std::vector<DeclaredProvider> all;
  for (const Item& item : tree.items) {
    const auto* provider = std::get_if<ProviderSyntax>(&item);
    if (provider == nullptr) continue;
    if (std::ranges::find(all, provider->name, &DeclaredProvider::name) != all.end())
      diagnostics.report("D_PROV_INCOMPAT", provider->where, "provider " + provider->name + " is declared again");
    all.push_back(reader.read(*provider));
  }
  if (all.empty() && !diagnostics.any())
    diagnostics.report("D_SYNTAX", kEndOfText, "no provider is declared",
                       "as in: provider myapp { probe request__start(int, char *); };");
  diagnostics.sort();
  return all;
}

std::string counter_of(const DeclaredProvider& provider, const DeclaredProbe& probe) {
  return provider.name + "_" + probe.name + "_semaphore";
}

}  // namespace sonde
