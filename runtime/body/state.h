// SPDX-License-Identifier: GPL-3.0-or-later
// The state of bodies besides the record: variables, scratch, aggregations, and the trace record being filled.
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
#include <unordered_set>
#include <vector>

#include "runtime/agg/table.h"
#include "runtime/body/array_store.h"
#include "runtime/body/context.h"
#include "runtime/body/memory.h"
#include "runtime/body/speculation.h"
#include "runtime/body/variable_store.h"
#include "runtime/format/format.h"
#include "runtime/lang/options.h"
#include "runtime/print/trace_record.h"
#include "runtime/source/event_source.h"

namespace sonde {

/// The parents of processes, for progenyof().
class Ancestry {
 public:
  void note(uint32_t pid, uint32_t parent) { parents_[pid] = parent; }
  /// 0: unknown.
  uint32_t parent_of(uint32_t pid);

 private:
  std::unordered_map<uint32_t, uint32_t> parents_;
};

/// Identifies the firing that a record belongs to.
struct FiringId {
  FiringId() = default;
  explicit FiringId(const sonde_record& record)
      : timestamp(record.timestamp), sequence(record.sequence), tid(record.tid), probe(record.probe) {}
  bool operator==(const FiringId&) const = default;

  uint64_t timestamp = 0;
  uint32_t sequence = 0, tid = 0, probe = 0;
};

/// Numbers firings only when something is recorded, so that clauses that only aggregate cost nothing.
class FiringNumbers {
 public:
  uint64_t of(const sonde_record& record);

 private:
  FiringId firings_[2];  ///< the last two: ERROR fires inside of another firing, which may continue after it
  uint64_t count_ = 0;
};

struct BodyState {
  /// All references must outlive the state; `threads` may be null.
  BodyState(const BodyProgram& program, Options& options, ThreadControl* threads, SymbolNames& names);

  const BodyProgram& program;
  Options& options;
  ThreadControl* threads;                         ///< of the source; acts on the thread that fired
  std::function<void(std::string_view)> message;  ///< one diagnostic

  uint32_t strsize;
  FormatSettings format;
  SortRules sort;
  bool flowindent = false;
  bool same_stack = false;
  bool units_in_calls = false;  ///< argstr and retstr show large sizes with units
  bool per_cpu;                 ///< aggpercpu
  bool deltas;                  ///< printers show what was added to aggregations since they were last shown

  MemoryBudget dynamic_budget;
  MemoryBudget aggregation_budget;
  Scratch scratch;
  BufferPool pool;
  VariableStore variables;
  ArrayStore arrays;
  std::vector<std::unique_ptr<AggTable>> aggregations;
  MemoryBudget picture_budget{UINT64_MAX, 0};
  std::vector<std::unique_ptr<AggTable>>
      pictures;  ///< copies of aggregations, by index: what printa() shows if aggrate is set
  uint64_t picture_due = 0;

  Speculations speculations;
  Ancestry ancestry;
  // State of the running clause. What is reset at the start of a clause is kept together, because that is done for
  // every record.
  uint64_t speculation = 0;               ///< destination of the trace record; 0: the output
  uint64_t chill_ns = 0;                  ///< chill()
  uint64_t wall_readings = 0;             ///< number of readings of walltimestamp
  Release release;                        ///< stop(), raise() and inject()
  std::optional<std::string> token_rest;  ///< strtok(): the rest of the text; kept for the firing
  TraceRecord trace;
  std::vector<TraceRecord> committed;  ///< printed before the clause's own
  FiringNumbers firing_numbers;
  int64_t wall_offset = 0;  ///< CLOCK_REALTIME - CLOCK_MONOTONIC
  std::mt19937 random;
  std::unordered_map<uint32_t, std::vector<std::string>>
      entered;  ///< for flowindent, by thread: functions that have not returned
  std::unordered_map<uint32_t, std::pair<uint64_t, uint32_t>> flow_last;  ///< by thread: the firing that was shown last

  /// Argument texts of calls that have not returned: by thread, or by process if the call may change the tid.
  std::unordered_map<uint32_t, std::string> calls_before;

  uint64_t full_strings = 0;  ///< results of copyinstr() that filled strsize
  uint64_t dynamic_drops = 0;
  std::map<uint32_t, uint64_t> aggregation_drops;  ///< by cpu

  /// Reads the options that may change while tracing.
  void refresh_settings();
  /// Makes room for variables, arrays and aggregations that were added to the program.
  void grow();
  void begin_clause(BodyContext& context) {
    scratch.reset();
    context.scratch_begin = scratch.begin();
    context.scratch_end = scratch.begin();
    speculation = 0;
    release = Release{};
    chill_ns = 0;
    wall_readings = 0;
  }
  /// A new firing begins: zeroes this-> variables.
  void begin_firing() {
    variables.begin_firing();
    token_rest.reset();
  }
  void end_clause() { dynamic_drops += variables.end_clause(); }

  /// Begins the clause's trace record, if it has not begun.
  void begin_trace(const BodyContext& context);
  /// Runs it now or, if the clause speculates, when that is committed.
  void act(std::function<void()> run);
  /// The aggregations that an action changes, with their copies.
  std::vector<AggTable*> tables_of(const ActionSite& site) const;
  /// The aggregations that printa() shows: copies, if there are any.
  std::vector<AggTable*> shown_tables_of(const ActionSite& site) const;
  /// The spaces that keys of aggregations and arrays name.
  std::unordered_set<uint32_t> spaces_in_keys() const;
  /// If aggrate is set: copies the aggregations when it is time, or `anyway`.
  void take_pictures(uint64_t now, bool anyway);
};

// Shared by the files of helpers.

/// Allocates scratch memory of the clause; null and NoScratch if there is no room.
uint8_t* take_scratch(BodyContext* context, uint64_t bytes);
/// Makes a string value, cut at strsize; 0 and NoScratch if there is no room.
uint64_t make_string(BodyContext* context, std::string_view text);
/// The text of a string value; NULL faults, and is "".
std::string_view string_argument(BodyContext* context, uint64_t word);
/// Records the values of an action, with how they are printed; faults if one of them is NULL and may not be.
void record_values(BodyContext* context, TraceItem::Kind kind, const ActionSite& site, const uint64_t* words);
/// Bytes that may be loaded from `address` on; 0: none.
uint64_t loadable(const BodyContext* context, uint64_t address);

}  // namespace sonde
