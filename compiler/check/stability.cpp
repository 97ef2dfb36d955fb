// SPDX-License-Identifier: GPL-3.0-or-later
// Stability: each name that a program uses has attributes; the program is as stable as the least stable name. -v shows
// its stability, and -x amin refuses a program with less.
#include "compiler/check/stability.h"

#include "runtime/base/check.h"
#include "runtime/lang/probe_attributes.h"

namespace sonde {
namespace {

bool is_less(const dtrace_attribute_t& a, const dtrace_attribute_t& least) {
  return a.dtat_name < least.dtat_name || a.dtat_data < least.dtat_data || a.dtat_class < least.dtat_class;
}

void note_attributes(CheckContext& cx, const dtrace_attribute_t& attributes, std::string_view what, SourceRange where) {
  if (cx.library) return;
  cx.least = weaker(cx.least, attributes);
  if (!cx.world.options.was_set("amin")) return;
  dtrace_attribute_t demanded{};
  SONDE_CHECK(read_attributes(cx.world.options.text("amin"), demanded));
  if (is_less(attributes, demanded))
    cx.fail("D_ATTR_MIN", where,
            "attributes for " + std::string(what) + " (" + attributes_text(attributes) +
                ") are less than predefined minimum",
            "-x amin=" + attributes_text(demanded) + " demands more");
}

}  // namespace

void note_name(CheckContext& cx, std::string_view name, SourceRange where) {
  auto said = cx.world.names.facts.find(name);
  note_attributes(cx, said != cx.world.names.facts.end() ? said->second.attributes : facts_of_builtin(name).attributes,
                  name, where);
}

void note_arguments(CheckContext& cx, SourceRange where) {
  for (ProbeId id : cx.matched) note_attributes(cx, cx.world.probes.attributes(id).dtpa_args, "args[ ]", where);
}

void note_probes(CheckContext& cx, const ClauseAst& clause) {
  if (!cx.world.options.was_set("amin")) return;
  dtrace_attribute_t before = cx.least;
  for (size_t i = 0; i < clause.descriptions.size(); ++i) {
    const ProbeDescription& description = clause.descriptions[i];
    for (ProbeId id : cx.world.probes.match(description))
      note_attributes(cx, probe_attributes(cx.world.probes.attributes(id), description),
                      "probe " + to_string(description), clause.description_places[i]);
  }
  cx.least = before;
}

}  // namespace sonde
