// SPDX-License-Identifier: GPL-3.0-or-later
// What bodies have besides the record: variables, scratch, aggregations, the row they write.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/agg/table.h"
#include "runtime/body/array_store.h"
#include "runtime/body/context.h"
#include "runtime/body/memory.h"
#include "runtime/body/variable_store.h"
#include "runtime/format/format.h"
#include "runtime/lang/options.h"
#include "runtime/source/event_source.h"

namespace sonde {

/// What a clause has recorded; it is output when the clause has ended without a fault.
struct Row {
  struct Command {
    size_t at;         ///< comes when the text before it is out
    std::string text;  ///< for sh
  };
  bool begun = false;
  std::string text;
  std::vector<Command> commands;
  std::optional<int> exit_status;

  void clear() {
    begun = false;
    text.clear();
    commands.clear();
    exit_status.reset();
  }
};

struct BodyState {
  /// All references must outlive the state; `source` may be null.
  BodyState(const BodyProgram& program, Options& options, EventSource* source, SymbolNames& names);

  const BodyProgram& program;
  Options& options;
  EventSource* source;
  std::function<void(std::string_view)> message;  ///< one diagnostic

  uint32_t strsize;
  FormatSettings format;
  SortRules sort;
  bool flowindent = false;

  MemoryBudget dynamic_budget;
  MemoryBudget aggregation_budget;
  Scratch scratch;
  BufferPool pool;
  VariableStore variables;
  ArrayStore arrays;
  std::vector<std::unique_ptr<AggTable>> aggregations;

  Row row;
  Release release;             ///< stop() and raise() of the clause that runs
  int64_t wall_offset = 0;     ///< CLOCK_REALTIME - CLOCK_MONOTONIC
  char* token_rest = nullptr;  ///< strtok()
  std::minstd_rand random;
  std::unordered_map<uint32_t, int> indents;                              ///< flowindent, by thread
  std::unordered_map<uint32_t, std::pair<uint64_t, uint32_t>> flow_last;  ///< firing last shown, by thread

  uint64_t dynamic_drops = 0;
  std::map<uint32_t, uint64_t> aggregation_drops;  ///< by cpu

  /// Reads the options that may change while tracing.
  void refresh_settings();
  /// The program has got more variables, arrays or aggregations.
  void grow();
  void begin_clause(BodyContext& context) {
    scratch.reset();
    context.scratch_begin = scratch.begin();
    context.scratch_end = scratch.begin();
    token_rest = nullptr;
  }
  void end_clause() { dynamic_drops += variables.end_clause(); }

  /// Starts the row, if it is not, with the columns that come first.
  void begin_row(const BodyContext& context);
  std::vector<AggTable*> tables_of(const ActionSite& site) const;
};

// For the helpers' files.

/// Scratch of the clause, or null and NoScratch.
uint8_t* take_scratch(BodyContext* context, uint64_t bytes);
/// A string value, cut at strsize; 0 and NoScratch when there is no room.
uint64_t make_string(BodyContext* context, std::string_view text);
/// The text of a string value; NULL faults, and is "".
std::string_view string_argument(BodyContext* context, uint64_t word);
/// Bytes that may be loaded from `address` on; 0: none.
uint64_t loadable(const BodyContext* context, uint64_t address);

}  // namespace sonde
