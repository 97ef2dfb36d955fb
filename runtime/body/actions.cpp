// SPDX-License-Identifier: GPL-3.0-or-later
// Actions. What they record goes to the row of the clause; what they do to aggregations happens at once.
#include <csignal>
#include <string>

#include "runtime/base/check.h"
#include "runtime/body/state.h"
#include "runtime/body/subroutines.h"

namespace sonde {
namespace {

/// NULL cannot be recorded: faults, and false.
bool recordable(BodyContext* context, const std::vector<ValueType>& types, const uint64_t* argv) {
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i].kind != ValueType::Kind::String && types[i].kind != ValueType::Kind::Bytes) continue;
    if (argv[i] != 0) continue;
    sonde_fault(context, static_cast<uint64_t>(Fault::BadAddress), 0);
    return false;
  }
  return true;
}

/// The row, begun, and the settings for a value of this record.
std::string& row_text(BodyContext* context) {
  context->state->begin_row(*context);
  return context->state->row.text;
}

FormatSettings settings_of(const BodyContext* context) {
  FormatSettings settings = context->state->format;
  settings.pid = context->record->pid;
  return settings;
}

}  // namespace

extern "C" {

void sonde_act_trace(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t* argv) {
  if (!recordable(context, site->arguments, argv)) return;
  format_trace(site->arguments.at(0), argv[0], settings_of(context), row_text(context));
}

void sonde_act_ustack(BodyContext* context, const ActionSite*, uint32_t, const uint64_t* argv) {
  std::string& text = row_text(context);
  if (argv[0] != 0) format_stack(*reinterpret_cast<const StackValue*>(argv[0]), settings_of(context), text);
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
  format_hex_dump(reinterpret_cast<const void*>(argv[0]), size, row_text(context));
}

void sonde_act_printa(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t*) {
  BodyState& state = *context->state;
  std::vector<AggTable*> tables = state.tables_of(*site);
  SONDE_CHECK(!tables.empty());
  std::string& text = row_text(context);
  if (site->has_format) {
    format_printa(site->format, tables, state.sort, settings_of(context), text);
  } else {
    text += '\n';
    format_aggregations(tables, state.sort, false, settings_of(context), text);
  }
  for (AggTable* table : tables) table->printed = true;
}

void sonde_act_exit(BodyContext* context, const ActionSite*, uint32_t, const uint64_t* argv) {
  context->state->begin_row(*context);
  context->state->row.exit_status = static_cast<int>(argv[0]);
}

void sonde_act_clear(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t*) {
  for (AggTable* table : context->state->tables_of(*site)) table->clear();
}

void sonde_act_trunc(BodyContext* context, const ActionSite* site, uint32_t argc, const uint64_t* argv) {
  for (AggTable* table : context->state->tables_of(*site)) {
    auto keep = argc > 0 ? static_cast<int64_t>(argv[0]) : 0;
    if (keep == 0)
      table->truncate_all();
    else
      table->truncate(keep);
  }
}

void sonde_act_normalize(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t* argv) {
  if (argv[0] == 0) return;
  for (AggTable* table : context->state->tables_of(*site)) table->normal = argv[0];
}

void sonde_act_denormalize(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t*) {
  for (AggTable* table : context->state->tables_of(*site)) table->normal = 1;
}

void sonde_act_setopt(BodyContext* context, const ActionSite*, uint32_t argc, const uint64_t* argv) {
  BodyState& state = *context->state;
  std::string name(string_argument(context, argv[0]));
  std::string value(argc > 1 ? string_argument(context, argv[1]) : "1");
  if (context->fault != 0) return;
  if (auto set = state.options.set(name, value, true, true); !set)
    state.message("couldn't set option \"" + name + "\" to \"" + value + "\": " + set.error().message() + "\n");
  state.refresh_settings();
}

void sonde_act_system(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t* argv) {
  if (!recordable(context, site->arguments, argv)) return;
  std::string& text = row_text(context);
  Row::Command command{text.size(), {}};
  format_printf(site->format, site->arguments, argv, settings_of(context), command.text);
  context->state->row.commands.push_back(std::move(command));
}

void sonde_act_stop(BodyContext* context, const ActionSite*, uint32_t, const uint64_t*) {
  SONDE_CHECK(context->clause->held);
  context->state->release.stop = true;
}

void sonde_act_raise(BodyContext* context, const ActionSite*, uint32_t, const uint64_t* argv) {
  SONDE_CHECK(context->clause->held);
  auto signal = static_cast<int>(argv[0]);
  if (signal >= 0 && signal < NSIG) {
    context->state->release.signal = signal;
    return;
  }
  sonde_fault(context, static_cast<uint64_t>(Fault::IllegalOperation), 0);
}

}  // extern "C"

}  // namespace sonde
