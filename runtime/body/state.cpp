// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/body/state.h"

#include <algorithm>

#include "runtime/base/clock.h"

namespace sonde {
namespace {

/// Removes a function that returns. Functions above it that have not returned were left by an exception or a longjmp().
/// For a function whose entry was missed, one level is removed, as in DTrace.
void leave_function(std::vector<std::string>& functions, const std::string& function) {
  const auto last = std::find(functions.rbegin(), functions.rend(), function);
  if (last != functions.rend())
    functions.erase(std::prev(last.base()), functions.end());
  else if (!functions.empty())
    functions.pop_back();
}

/// The text in a slot of a checked record; empty if it could not be captured.
std::string_view slot_text(const sonde_record& record, uint32_t slot) {
  if ((record.faults >> slot & 1) != 0) return {};
  const auto* bytes = reinterpret_cast<const char*>(&record) + SONDE_SPAN_OFFSET(record.slot[slot]);
  return {bytes, SONDE_SPAN_LENGTH(record.slot[slot])};
}

}  // namespace

/// Firing n is at index n % 2.
uint64_t FiringNumbers::of(const sonde_record& record) {
  for (uint64_t number = count_; number != 0 && number + 2 > count_; --number)
    if (firings_[number % 2] == FiringId(record)) return number;
  ++count_;
  firings_[count_ % 2] = FiringId(record);
  return count_;
}

BodyState::BodyState(const BodyProgram& the_program, Options& the_options, ThreadControl* the_threads,
                     SymbolNames& names)
    : program(the_program),
      options(the_options),
      threads(the_threads),
      strsize(static_cast<uint32_t>(the_options.number("strsize"))),
      dynamic_budget{the_options.number("dynvarsize")},
      aggregation_budget{the_options.number("aggsize")},
      scratch(std::max<uint64_t>(kScratchBytes, 8ull * strsize), uint64_t{strsize} + 8),
      pool(uint64_t{strsize} + 8),
      variables(program, pool, dynamic_budget, strsize),
      arrays(program, pool, variables, dynamic_budget, strsize),
      speculations(the_options.number("nspec"), the_options.number("specsize"), the_options.number("cleanrate")),
      wall_offset(static_cast<int64_t>(now_of(CLOCK_REALTIME) - monotonic_now())),
      random(static_cast<unsigned>(now_of(CLOCK_REALTIME))) {
  format.strsize = strsize;
  format.names = &names;
  const std::string& temporality = options.text("temporality");
  deltas =
      temporality.empty() ? options.was_set("interval") && options.text("format") != "text" : temporality == "delta";
  refresh_settings();
  grow();
}

void BodyState::refresh_settings() {
  format.quiet = options.flag("quiet");
  format.raw_bytes = options.flag("rawbytes");
  format.stack_indent = static_cast<uint32_t>(std::min<uint64_t>(options.number("stackindent"), 1024));
  flowindent = options.flag("flowindent");
  units_in_calls = options.text("units") == "always";
  same_stack = options.flag("samestack");
  per_cpu = options.flag("aggpercpu");
  sort.by_key = options.flag("aggsortkey");
  sort.reverse = options.flag("aggsortrev");
  sort.zeros = options.flag("aggzeros");
  sort.key = static_cast<uint32_t>(options.number("aggsortkeypos"));
  sort.aggregation = static_cast<uint32_t>(options.number("aggsortpos"));
}

void BodyState::grow() {
  variables.grow();
  arrays.grow();
  while (aggregations.size() < program.aggregations.size())
    aggregations.push_back(
        std::make_unique<AggTable>(program.aggregations[aggregations.size()], strsize, aggregation_budget));
}

void BodyState::begin_trace(const BodyContext& context) {
  if (trace.begun) return;
  const sonde_record& record = *context.record;
  trace.begun = true;
  trace.probe = context.probe;
  trace.cpu = record.cpu;
  trace.pid = record.pid;
  trace.tid = record.tid;
  trace.timestamp = record.timestamp;
  trace.firing = firing_numbers.of(record);
  if (context.clause->execname_slot) trace.set_execname(slot_text(record, *context.clause->execname_slot));
  trace.quiet = format.quiet;
  trace.flowindent = flowindent;
  if (!flowindent) return;
  Flow flow = flow_of(*context.probe);
  std::vector<std::string>& functions = entered[record.tid];
  std::pair<uint64_t, uint32_t> firing{record.timestamp, record.probe};
  auto [last, first_row] = flow_last.try_emplace(record.tid, firing);
  // Only the first clause of a firing changes the indentation.
  if (!first_row && last->second == firing) flow = Flow::None;
  last->second = firing;
  if (flow == Flow::Return) leave_function(functions, context.probe->function);
  trace.flow = flow;
  trace.indent = 2 * static_cast<int>(functions.size());
  if (flow == Flow::Entry) functions.push_back(context.probe->function);
}

void BodyState::act(std::function<void()> run) {
  if (speculation != 0)
    trace.add_change(std::move(run));
  else
    run();
}

std::vector<AggTable*> BodyState::tables_of(const ActionSite& site) const {
  std::vector<AggTable*> tables;
  for (uint32_t index : site.aggregations) {
    tables.push_back(aggregations.at(index).get());
    if (index < pictures.size()) tables.push_back(pictures[index].get());
  }
  return tables;
}

std::vector<AggTable*> BodyState::shown_tables_of(const ActionSite& site) const {
  std::vector<AggTable*> tables;
  for (uint32_t index : site.aggregations)
    tables.push_back(index < pictures.size() ? pictures[index].get() : aggregations.at(index).get());
  return tables;
}

std::unordered_set<uint32_t> BodyState::spaces_in_keys() const {
  std::unordered_set<uint32_t> spaces;
  arrays.add_spaces(spaces);
  for (const auto& table : aggregations) table->add_spaces(spaces);
  for (const auto& table : pictures)
    if (table != nullptr) table->add_spaces(spaces);
  return spaces;
}

void BodyState::take_pictures(uint64_t now, bool anyway) {
  if (!options.was_set("aggrate") || (now < picture_due && !anyway)) return;
  picture_due = now + options.number("aggrate");
  pictures.clear();
  for (const auto& table : aggregations) pictures.push_back(table->picture(picture_budget));
}

}  // namespace sonde
