// SPDX-License-Identifier: GPL-3.0-or-later
// Actions. What they record goes to the row of the clause; what they do to aggregations happens at once.
#include <algorithm>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/check.h"
#include "runtime/body/state.h"
#include "runtime/body/subroutines.h"

namespace sonde {
namespace {

/// What a value takes of a record, as DTrace lays it out: a string all that it may have.
uint64_t data_bytes(const ValueType& type, uint64_t word, uint32_t strsize) {
  if (type.kind == ValueType::Kind::String) return uint64_t{strsize} + 1;
  if (type.kind != ValueType::Kind::Stack) return type.size;
  return word == 0 ? 8 : 8 + 8 * uint64_t{reinterpret_cast<const StackValue*>(word)->count};
}

/// The row, begun.
std::string& row_text(BodyContext* context) {
  context->state->begin_row(*context);
  return context->state->row.text;
}

}  // namespace

bool recordable(BodyContext* context, const std::vector<ValueType>& types, const uint64_t* argv) {
  for (size_t i = 0; i < types.size(); ++i) {
    context->state->row.data += data_bytes(types[i], argv[i], context->state->strsize);
    if (types[i].kind != ValueType::Kind::String && types[i].kind != ValueType::Kind::Bytes) continue;
    if (argv[i] != 0) continue;
    sonde_fault(context, static_cast<uint64_t>(Fault::BadAddress), 0);
    return false;
  }
  return true;
}

FormatSettings settings_of(const BodyContext* context) {
  FormatSettings settings = context->state->format;
  settings.pid = context->record->pid;
  return settings;
}

namespace {

/// When the action takes effect: a table may be a picture, which is gone by then.
template <typename Change>
void change_tables(const BodyContext& context, const ActionSite& site, Change change) {
  BodyState& state = *context.state;
  state.act([&state, &site, change](std::string&) {
    for (AggTable* table : state.tables_of(site)) change(*table);
  });
}

}  // namespace

extern "C" {

void sonde_act_trace(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t* argv) {
  if (!recordable(context, site->arguments, argv)) return;
  format_trace(site->arguments.at(0), argv[0], settings_of(context), row_text(context));
}

void sonde_act_printf(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t* argv) {
  if (!recordable(context, site->arguments, argv)) return;
  format_printf(site->format, site->arguments, argv, settings_of(context), row_text(context));
}

// argv: address, size, and the number of bytes that are wanted of it.
void sonde_act_tracemem(BodyContext* context, const ActionSite* site, uint32_t argc, const uint64_t* argv) {
  uint64_t size = argc > 1 ? argv[1] : site->arguments.at(0).size;
  if (sonde_may_load(context, argv[0], size) == 0) return;
  if (argc > 2) {
    auto wanted = static_cast<int64_t>(argv[2]);
    if (wanted >= 0 && static_cast<uint64_t>(wanted) < size) size = static_cast<uint64_t>(wanted);
  }
  context->state->row.data += size;
  format_hex_dump(reinterpret_cast<const void*>(argv[0]), size, row_text(context));
}

void sonde_act_print(BodyContext* context, const ActionSite* site, uint32_t count, const uint64_t* argv) {
  if (sonde_may_load(context, argv[0], site->layout->size) == 0) return;
  context->state->row.data += site->layout->size;
  // Of what was copied from the program the second word says where it stands there.
  format_print(*site->layout, argv[0], count > 1 ? argv[1] : argv[0], row_text(context));
}

void sonde_act_printa(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t*) {
  BodyState& state = *context->state;
  SONDE_CHECK(!site->aggregations.empty());
  state.begin_row(*context);
  state.act([&state, site, settings = settings_of(context)](std::string& out) {
    const std::vector<AggTable*> tables = state.shown_tables_of(*site);
    if (site->has_format) {
      format_printa(site->format, tables, state.sort, settings, out);
    } else {
      out += '\n';
      format_aggregations(tables, state.sort, settings, out);
    }
    for (AggTable* table : state.tables_of(*site)) table->printed = true;
  });
}

void sonde_act_exit(BodyContext* context, const ActionSite*, uint32_t, const uint64_t* argv) {
  context->state->begin_row(*context);
  context->state->row.exit_status = static_cast<int>(argv[0]);
}

void sonde_act_clear(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t*) {
  context->state->begin_row(*context);
  change_tables(*context, *site, [](AggTable& table) { table.clear(); });
}

void sonde_act_trunc(BodyContext* context, const ActionSite* site, uint32_t argc, const uint64_t* argv) {
  context->state->begin_row(*context);
  auto keep = argc > 0 ? static_cast<int64_t>(argv[0]) : 0;
  change_tables(*context, *site, [keep](AggTable& table) { keep == 0 ? table.truncate_all() : table.truncate(keep); });
}

void sonde_act_normalize(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t* argv) {
  context->state->begin_row(*context);
  const uint64_t normal = argv[0];
  if (normal == 0) return;
  change_tables(*context, *site, [normal](AggTable& table) { table.normal = normal; });
}

void sonde_act_denormalize(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t*) {
  context->state->begin_row(*context);
  change_tables(*context, *site, [](AggTable& table) { table.normal = 1; });
}

}  // extern "C"

}  // namespace sonde
