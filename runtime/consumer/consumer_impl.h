// SPDX-License-Identifier: GPL-3.0-or-later
// The consumer's insides.
//
// consume() has a budget: 20 million records a second. It checks the record, finds the ECB by index, sets up the
// context, calls the body, and prints only if something was traced. Nothing on this path allocates.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/body/state.h"
#include "runtime/buffer/ring.h"
#include "runtime/consumer/consumer.h"
#include "runtime/consumer/faults.h"
#include "runtime/consumer/kept_records.h"
#include "runtime/framework/local_firing.h"
#include "runtime/print/printer.h"
#include "runtime/process/kernel_symbols.h"
#include "runtime/process/symbolizer.h"

namespace sonde {

/// Resolves names by the symbolizer; remembers the processes that it was asked to note.
class ProcessNames : public SymbolNames {
 public:
  void note(uint32_t pid) { symbolizer_.note(pid); }
  void note_program(uint32_t pid) { symbolizer_.note_exec(pid); }
  void catch_up_by(std::function<void()> way) { symbolizer_.catch_up = std::move(way); }
  void note_mapping(uint32_t pid, uint64_t address, uint64_t offset, const std::string& path, uint64_t size) {
    symbolizer_.note_mapping(pid, address, offset, path, size);
  }
  std::string name(uint32_t pid, uint64_t address, SymbolValue::Kind kind) override;
  SymbolPlace place(uint32_t pid, uint64_t address, SymbolValue::Kind kind) override;
  uint64_t canonical(uint32_t pid, uint64_t address, SymbolValue::Kind kind) override;
  bool ends_signal_handler(uint32_t pid, uint64_t address) override;

 private:
  std::string kernel_name(uint64_t address, SymbolValue::Kind kind);
  uint64_t first_of(uint32_t pid, const std::string& module, uint64_t address);

  Symbolizer symbolizer_;
  KernelSymbols kernel_;
  std::map<std::pair<uint32_t, std::string>, uint64_t> modules_;  // one address of each module
};

inline constexpr uint32_t kErrorProbe = 3;

/// An ECB with what its records need to run.
struct ConsumerEcb {
  const ProbeInfo* probe = nullptr;
  const ClauseDesc* clause = nullptr;
};

struct Consumer::Impl {
  Impl(Consumer& self, const BodyProgram& program, Framework& framework, EventSource* source, Options& options,
       Output& output);

  void add_ecb(const EcbInfo& info);
  uint64_t drain(bool all);
  void consume(const sonde_record& record);

  void begin(RunStart start);
  void snapshot();
  void finish();
  void end(const RunEnd& end);
  Result<void> print_aggregation(std::string_view name);
  std::vector<std::pair<std::string, int64_t>> take_values(std::string_view name);
  void report_drops();
  void allow_end();
  void flush();
  Nanoseconds next_due() const { return chilled_.empty() ? UINT64_MAX : chilled_.begin()->first; }

  ProcessNames names;
  const BodyProgram& program;
  Framework& framework;
  EventSource* source;
  Options& options;
  Output& output;
  BodyState state;
  BodyContext context{};
  std::vector<ConsumerEcb> ecbs;  // index: epid

  bool exiting = false;
  bool exited_in_error = false;  ///< a clause of ERROR has called exit()
  bool end_allowed = false;
  int exit_status = 0;
  uint64_t records = 0;
  uint64_t unknown = 0;    // records of an ECB that we do not know
  uint64_t malformed = 0;  // records that sonde_record_check() refused
  uint64_t faults = 0;     // faults that fired ERROR
  uint64_t double_errors = 0;

 private:
  const ConsumerEcb* find(const sonde_record& record);
  bool wanted(const sonde_record& record) const;
  void begin_firing(const sonde_record& record);
  void find_cells(uint32_t tid);
  void run(const sonde_record& record, const ConsumerEcb& ecb);
  void take_traced();
  void output_trace(TraceRecord& record);
  void show_aggregations(const std::function<bool(const AggTable&)>& wanted);
  static bool may_drop(const TraceRecord& record);
  void print(TraceRecord& record);
  void run_request(TraceRecord& record, const TraceItem& item);
  RowStyle style() const { return {state.format.quiet, state.flowindent}; }
  void fault(const sonde_record& record, const ConsumerEcb& ecb);
  void release_thread(const sonde_record& record);
  void let_go(uint32_t tid, Release how);
  void let_go_due();
  void add_new_rings();
  void take(const sonde_record& record);
  void find_error(bool all);
  void drop(Drop::Kind kind, uint64_t count, std::optional<uint32_t> cpu = {});

  PrintSink sink_;
  std::unique_ptr<Printer> printer_;
  size_t room_ = output.room();             ///< bytes that the output could take without waiting, at the last check
  std::map<uint32_t, uint64_t> unwritten_;  ///< by CPU: records for which the output had no room
  KeptRecords kept_;
  std::map<uint32_t, uint64_t> unkept_;  ///< by CPU: trace records for which the CPU's buffer had no room
  FiringId firing_;
  std::multimap<Nanoseconds, std::pair<uint32_t, Release>>
      chilled_;  ///< threads that chill() holds, by the time they go on
  bool have_firing_ = false;
  std::optional<uint32_t> only_cpu_;
  const uint32_t own_pid_ = static_cast<uint32_t>(getpid());
  bool error_enabled_ = false;                   ///< some clause of ERROR is enabled
  bool error_pending_ = false;                   ///< ERROR has fired for a fault; its records are not consumed yet
  std::deque<std::vector<uint64_t>> held_back_;  ///< records read during the search for ERROR's records, in order
  MergeReader reader_;
  std::set<const sonde_ring*> known_rings_;
  uint64_t reported_malformed_ = 0;
  FaultLog faults_{[this](const FaultReport& fault) { printer_->faulted(fault); }};
};

}  // namespace sonde
