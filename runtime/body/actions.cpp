// SPDX-License-Identifier: GPL-3.0-or-later
// Actions. They record values in the clause's trace record; their effect on aggregations is immediate.
#include <utility>
#include <vector>

#include "runtime/base/check.h"
#include "runtime/body/state.h"
#include "runtime/body/subroutines.h"

namespace sonde {
namespace {

/// The clause's trace record; begins it if necessary.
TraceRecord& trace_of(BodyContext* context) {
  context->state->begin_trace(*context);
  return context->state->trace;
}

/// Looks the tables up when the action takes effect: a table may be a copy for aggrate, which is gone by then.
template <typename Change>
void change_tables(const BodyContext& context, const ActionSite& site, Change change) {
  BodyState& state = *context.state;
  state.act([&state, &site, change] {
    for (AggTable* table : state.tables_of(site)) change(*table);
  });
}

/// False: one of the values is NULL, which cannot be recorded: it has faulted.
bool recordable(BodyContext* context, const std::vector<ValueType>& types, const uint64_t* argv) {
  for (size_t i = 0; i < types.size(); ++i) {
    context->state->trace.count_data(types[i], argv[i], context->state->strsize);
    if (types[i].kind != ValueType::Kind::String && types[i].kind != ValueType::Kind::Bytes) continue;
    if (argv[i] != 0) continue;
    sonde_fault(context, static_cast<uint64_t>(Fault::BadAddress), 0);
    return false;
  }
  return true;
}

/// How values of this record are printed.
FormatSettings settings_of(const BodyContext* context) {
  FormatSettings settings = context->state->format;
  settings.space = settings.names->space(context->record->pid, context->record->timestamp, {});
  return settings;
}

}  // namespace

void record_values(BodyContext* context, TraceItem::Kind kind, const ActionSite& site, const uint64_t* words) {
  if (recordable(context, site.arguments, words)) trace_of(context).add_values(kind, site, words, settings_of(context));
}

extern "C" {

void sonde_act_trace(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t* argv) {
  record_values(context, TraceItem::Kind::Trace, *site, argv);
}

void sonde_act_printf(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t* argv) {
  record_values(context, TraceItem::Kind::Printf, *site, argv);
}

// argv: address, size, and the number of bytes to show.
void sonde_act_tracemem(BodyContext* context, const ActionSite* site, uint32_t argc, const uint64_t* argv) {
  uint64_t size = argc > 1 ? argv[1] : site->arguments.at(0).size;
  if (sonde_may_load(context, argv[0], size) == 0) return;
  if (argc > 2) {
    auto wanted = static_cast<int64_t>(argv[2]);
    if (wanted >= 0 && static_cast<uint64_t>(wanted) < size) size = static_cast<uint64_t>(wanted);
  }
  context->state->trace.count_data(size);
  trace_of(context).add_bytes(*site, reinterpret_cast<const void*>(argv[0]), size, settings_of(context));
}

void sonde_act_print(BodyContext* context, const ActionSite* site, uint32_t count, const uint64_t* argv) {
  if (sonde_may_load(context, argv[0], site->layout->size) == 0) return;
  context->state->trace.count_data(site->layout->size);
  // If it was copied from the program, the second word is its address there.
  trace_of(context).add_object(*site, reinterpret_cast<const void*>(argv[0]), count > 1 ? argv[1] : argv[0],
                               settings_of(context));
}

void sonde_act_printa(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t*) {
  BodyState& state = *context->state;
  SONDE_CHECK(!site->aggregations.empty());
  state.begin_trace(*context);
  TracedAggregations traced;
  if (state.deltas) {
    for (AggTable* table : state.tables_of(*site)) traced.taken.add(table->take_interval(context->record->timestamp));
    traced.taken.sort = state.sort;
  } else if (state.speculation == 0) {
    for (AggTable* table : state.shown_tables_of(*site)) traced.taken.add_copy(*table, state.picture_budget);
    for (AggTable* table : state.tables_of(*site)) table->printed = true;
    traced.taken.sort = state.sort;
  } else {
    traced.late = [&state, site] {
      for (AggTable* table : state.tables_of(*site)) table->printed = true;
      return AggSnapshot{state.shown_tables_of(*site), {}, state.sort};
    };
  }
  state.trace.add_aggregations(*site, std::move(traced), settings_of(context));
}

void sonde_act_exit(BodyContext* context, const ActionSite*, uint32_t, const uint64_t* argv) {
  context->state->begin_trace(*context);
  context->state->trace.exit_status = static_cast<int>(argv[0]);
}

void sonde_act_clear(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t*) {
  context->state->begin_trace(*context);
  const uint64_t now = context->record->timestamp;
  change_tables(*context, *site, [now](AggTable& table) {
    table.clear();
    table.start = now;
  });
}

void sonde_act_trunc(BodyContext* context, const ActionSite* site, uint32_t argc, const uint64_t* argv) {
  context->state->begin_trace(*context);
  auto keep = argc > 0 ? static_cast<int64_t>(argv[0]) : 0;
  const uint64_t now = context->record->timestamp;
  change_tables(*context, *site, [keep, now](AggTable& table) {
    if (keep != 0) return table.truncate(keep);
    table.truncate_all();
    table.start = now;
  });
}

void sonde_act_normalize(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t* argv) {
  context->state->begin_trace(*context);
  const uint64_t normal = argv[0];
  if (normal == 0) return;
  change_tables(*context, *site, [normal](AggTable& table) { table.normal = normal; });
}

void sonde_act_denormalize(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t*) {
  context->state->begin_trace(*context);
  change_tables(*context, *site, [](AggTable& table) { table.normal = 1; });
}

}  // extern "C"

}  // namespace sonde
