// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/listing.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

namespace sonde {

namespace {

constexpr std::array kStabilities = {"Internal", "Private",  "Obsolete", "External",
                                     "Unstable", "Evolving", "Stable",   "Standard"};
constexpr std::array kClasses = {"Unknown", "CPU", "Platform", "Group", "ISA", "Common"};

std::string row(const char* id, const std::string& provider, const std::string& module, const std::string& function,
                const std::string& name) {
  char text[512];
  std::snprintf(text, sizeof text, "%5s %10s %17s %33s %s\n", id, provider.c_str(), module.c_str(), function.c_str(),
                name.c_str());
  return text;
}

std::string attributes(const char* title, const dtrace_attribute_t& of) {
  return std::string("\t") + title + "\n\t\tIdentifier Names: " + kStabilities[of.dtat_name] +
         "\n\t\tData Semantics:   " + kStabilities[of.dtat_data] +
         "\n\t\tDependency Class: " + kClasses[of.dtat_class] + "\n\n";
}

std::string details(Framework& framework, const ProbeInfo& probe) {
  dtrace_pattr_t all = framework.attributes(probe.id);
  std::string text = "\n" + attributes("Probe Description Attributes", all.dtpa_name) +
                     attributes("Argument Attributes", all.dtpa_args) + "\tArgument Types\n";
  auto arguments = framework.arguments(probe.id);
  if (arguments.empty()) text += "\t\tNone\n";
  for (const ArgumentDescription& argument : arguments) {
    text += "\t\targs[" + std::to_string(argument.index) +
            "]: " + (argument.translated.empty() ? argument.native : argument.translated) +
            (argument.name.empty() ? "" : " " + argument.name) + "\n";
  }
  return text + "\n\n";
}

std::string list_one(Framework& framework, ProbeId id, bool verbose) {
  const ProbeInfo& probe = framework.info(id);
  std::string text = row(std::to_string(id.value).c_str(), probe.provider, probe.module, probe.function, probe.name);
  return verbose ? text + details(framework, probe) : text;
}

/// The less stable of two, field by field.
dtrace_attribute_t weaker(const dtrace_attribute_t& a, const dtrace_attribute_t& b) {
  return {std::min(a.dtat_name, b.dtat_name), std::min(a.dtat_data, b.dtat_data), std::min(a.dtat_class, b.dtat_class)};
}

}  // namespace

std::string stability_report(Framework& framework, std::string_view what,
                             std::span<const ProbeDescription> descriptions) {
  dtrace_attribute_t name{DTRACE_STABILITY_STANDARD, DTRACE_STABILITY_STANDARD, DTRACE_CLASS_COMMON};
  dtrace_attribute_t arguments = name;
  for (const ProbeDescription& description : descriptions) {
    for (ProbeId id : framework.match(description)) {
      dtrace_pattr_t all = framework.attributes(id);
      for (const dtrace_attribute_t& part : {all.dtpa_provider, all.dtpa_mod, all.dtpa_func, all.dtpa_name})
        name = weaker(name, part);
      arguments = weaker(arguments, all.dtpa_args);
    }
  }
  return "\nStability attributes for " + std::string(what) + ":\n\n" +
         attributes("Minimum Probe Description Attributes", name) +
         attributes("Minimum Argument Attributes", arguments);
}

std::string list_probes(Framework& framework, std::span<const ProbeDescription> descriptions, bool verbose,
                        std::vector<std::string>& missing) {
  std::vector<ProbeDescription> all(descriptions.begin(), descriptions.end());
  if (all.empty()) all.emplace_back();
  std::string text = row("ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
  std::set<ProbeId> seen;
  for (const ProbeDescription& description : all) {
    auto matches = framework.match(description);
    if (matches.empty())
      missing.push_back("failed to match " + to_string(description) + ": No probe matches description");
    seen.insert(matches.begin(), matches.end());
  }
  for (ProbeId id : seen) text += list_one(framework, id, verbose);
  return text;
}

}  // namespace sonde
