// SPDX-License-Identifier: GPL-3.0-or-later
// Stability: each name that a program uses has attributes; the program is as stable as the least of them.
// -v tells it, and -x amin refuses what is less.
#include "compiler/check/checker.h"
#include "runtime/lang/probe_attributes.h"

namespace sonde {
namespace {

bool is_less(const dtrace_attribute_t& a, const dtrace_attribute_t& least) {
  return a.dtat_name < least.dtat_name || a.dtat_data < least.dtat_data || a.dtat_class < least.dtat_class;
}

}  // namespace

void Checker::note(const dtrace_attribute_t& attributes, std::string_view what, SourceRange where) {
  if (library_) return;
  least_ = weaker(least_, attributes);
  if (!world_.options.was_set("amin")) return;
  dtrace_attribute_t demanded{};
  SONDE_CHECK(read_attributes(world_.options.text("amin"), demanded));
  if (is_less(attributes, demanded))
    fail("D_ATTR_MIN", where,
         "attributes for " + std::string(what) + " (" + attributes_text(attributes) +
             ") are less than predefined minimum",
         "-x amin=" + attributes_text(demanded) + " demands more");
}

void Checker::note_name(std::string_view name, SourceRange where) {
  auto said = world_.names.facts.find(name);
  note(said != world_.names.facts.end() ? said->second.attributes : facts_of_builtin(name).attributes, name, where);
}

/// args[] is as stable as the arguments of the providers are.
void Checker::note_arguments(SourceRange where) {
  for (ProbeId id : matched_) note(world_.probes.attributes(id).dtpa_args, "args[ ]", where);
}

/// Probes count for -x amin only: -v tells their stability apart.
void Checker::note_probes(const ClauseAst& clause) {
  if (!world_.options.was_set("amin")) return;
  dtrace_attribute_t before = least_;
  for (size_t i = 0; i < clause.descriptions.size(); ++i) {
    const ProbeDescription& description = clause.descriptions[i];
    for (ProbeId id : world_.probes.match(description))
      note(probe_attributes(world_.probes.attributes(id), description), "probe " + to_string(description),
           clause.description_places[i]);
  }
  least_ = before;
}

}  // namespace sonde
