// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/check/provider_names.h"

#include <cctype>

namespace sonde {
namespace {

constexpr size_t kLongestProvider = 64 - 1 - 10;  ///< the pid is appended to it
constexpr size_t kLongestProbe = 64 - 1;

std::optional<Diagnostic> wrong_word(const char* what, const std::string& name, size_t longest, SourceRange where) {
  const std::string is = std::string(what) + " name";
  if (name.find('`') != std::string::npos)
    return Diagnostic{"D_PROV_BADNAME", "D scoping operator may not be used in a " + is + ": " + name, where, "", ""};
  if (name.size() > longest)
    return Diagnostic{"D_PROV_BADNAME", is + " may not exceed " + std::to_string(longest) + " characters: " + name,
                      where, "", ""};
  return std::nullopt;
}

}  // namespace

std::optional<Diagnostic> wrong_name(const ProviderSyntax& provider) {
  const std::string& name = provider.name;
  auto wrong = wrong_word("provider", name, kLongestProvider, provider.where);
  if (!wrong && std::isdigit(static_cast<unsigned char>(name.back())) != 0)
    wrong = Diagnostic{"D_PROV_BADNAME", "provider name may not end with a digit: " + name, provider.where,
                       "the process id is appended to it: " + name + "1234", ""};
  return wrong;
}

std::optional<Diagnostic> wrong_name(const ProbeSyntax& probe) {
  return wrong_word("probe", probe.name, kLongestProbe, probe.where);
}

}  // namespace sonde
