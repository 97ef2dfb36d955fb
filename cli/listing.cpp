// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/listing.h"

#include <algorithm>
#include <cstring>

#include "compiler/check/near_probes.h"
#include "runtime/base/hex.h"
#include "runtime/lang/probe_attributes.h"

namespace sonde {

namespace {

constexpr size_t kModuleWidth = 17, kFunctionWidth = 33;

/// "app::detail::v..reserve_rehash": both ends say most.
std::string without_middle(const std::string& text, size_t width) {
  constexpr std::string_view kCut = "..";
  if (text.size() <= width) return text;
  const size_t first = (width - kCut.size()) / 2, last = width - kCut.size() - first;
  return text.substr(0, first) + std::string(kCut) + text.substr(text.size() - last);
}

/// There may be 100,000 of them. Texts stand at the right of their columns.
void add_row(std::string& to, std::string_view id, std::string_view provider, std::string_view module,
             std::string_view function, std::string_view name) {
  const struct {
    std::string_view text;
    size_t width;
  } columns[] = {{id, 5}, {provider, 10}, {module, kModuleWidth}, {function, kFunctionWidth}};
  size_t end = to.size();
  size_t size = end + name.size() + 1;
  for (const auto& column : columns) size += std::max(column.width, column.text.size()) + 1;
  to.resize(size, ' ');
  for (const auto& column : columns) {
    end += std::max(column.width, column.text.size());
    std::memcpy(to.data() + end++ - column.text.size(), column.text.data(), column.text.size());
  }
  std::memcpy(to.data() + end, name.data(), name.size());
  to.back() = '\n';
}

std::string attributes(const char* title, const dtrace_attribute_t& of) {
  return std::string("\t") + title + "\n\t\tIdentifier Names: " + std::string(stability_name(of.dtat_name)) +
         "\n\t\tData Semantics:   " + std::string(stability_name(of.dtat_data)) +
         "\n\t\tDependency Class: " + std::string(class_name(of.dtat_class)) + "\n\n";
}

/// A line for each place where the probe would be armed, or the reason why it cannot be.
std::string arming(Framework& framework, ProbeId id) {
  const std::string why = framework.refusal(id);
  if (!why.empty()) return "\n\tNot armed\n\t\t" + why + "\n";
  std::string text;
  for (const Tap& tap : framework.taps(id)) {
    const std::string how = framework.how_armed(tap);
    if (how.empty()) continue;
    text += "\t\t+" + hex(tap.offset - tap.function) + " " + how + "\n";
  }
  return text.empty() ? text : "\n\tArmed at\n" + text;
}

std::string place_of(const ArgumentDescription& argument) {
  if (argument.place.empty()) return "";
  return argument.mapping < 0 ? "  (unknown: " + argument.place + ")" : "  (" + argument.place + ")";
}

std::string details(Framework& framework, const ProbeInfo& probe) {
  dtrace_pattr_t all = framework.attributes(probe.id);
  std::string text = "\n\tArgument Types\n";
  auto arguments = framework.arguments(probe.id);
  if (arguments.empty()) text += "\t\tNone\n";
  for (const ArgumentDescription& argument : arguments) {
    text += "\t\targs[" + std::to_string(argument.index) +
            "]: " + (argument.translated.empty() ? argument.native : argument.translated) +
            (argument.name.empty() ? "" : " " + argument.name) + place_of(argument) + "\n";
  }
  text += arming(framework, probe.id);
  return text + "\n" + attributes("Probe Description Attributes", all.dtpa_name) +
         attributes("Argument Attributes", all.dtpa_args) + "\n";
}

void add_probe(std::string& to, Framework& framework, ProbeId id, const Listing& how) {
  const ProbeInfo& probe = framework.info(id);
  if (how.cut)
    add_row(to, std::to_string(id.value), probe.provider, without_middle(probe.module, kModuleWidth),
            without_middle(probe.function, kFunctionWidth), probe.name);
  else
    add_row(to, std::to_string(id.value), probe.provider, probe.module, probe.function, probe.name);
  if (how.verbose) to += details(framework, probe);
}

}  // namespace

std::string stability_report(Framework& framework, std::string_view what,
                             std::span<const ProbeDescription> descriptions, const dtrace_attribute_t& statements) {
  dtrace_attribute_t name{DTRACE_STABILITY_STANDARD, DTRACE_STABILITY_STANDARD, DTRACE_CLASS_COMMON};
  for (const ProbeDescription& description : descriptions) {
    for (ProbeId id : framework.match(description))
      name = weaker(name, probe_attributes(framework.attributes(id), description));
  }
  return "\nStability attributes for " + std::string(what) + ":\n\n" +
         attributes("Minimum Probe Description Attributes", name) +
         attributes("Minimum Statement Attributes", statements);
}

std::string list_probes(Framework& framework, std::span<const ProbeDescription> descriptions, Listing how,
                        std::vector<std::string>& missing) {
  std::vector<ProbeDescription> all(descriptions.begin(), descriptions.end());
  if (all.empty()) all.emplace_back();
  std::vector<ProbeId> seen;
  for (const ProbeDescription& description : all) {
    auto matches = framework.match(description);
    if (matches.empty() && how.words_anywhere)
      if (const auto moved = in_other_fields(framework, description)) matches = framework.match(*moved);
    if (matches.empty()) {
      const std::string hint = near_probes(framework, description);
      missing.push_back("failed to match " + to_string(description) + ": No probe matches description" +
                        (hint.empty() ? "" : "\n    " + hint));
    }
    seen.insert(seen.end(), matches.begin(), matches.end());
  }
  if (!std::ranges::is_sorted(seen)) std::ranges::sort(seen);  // those of one description are
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  std::string text;
  text.reserve(how.verbose ? 0 : 84 * (seen.size() + 1));
  add_row(text, "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
  for (ProbeId id : seen) add_probe(text, framework, id, how);
  return text;
}

}  // namespace sonde
