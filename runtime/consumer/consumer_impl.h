// SPDX-License-Identifier: GPL-3.0-or-later
// The consumer's insides.
//
// consume() is the path that has a budget (20 million records a second): check the record, find the ECB by index, set
// up the context, call the body, and print only when something was traced. Nothing on it allocates.
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

/// Names by the symbolizer; remembers which processes it has been asked to note.
class ProcessNames : public SymbolNames {
 public:
  void note(uint32_t pid) { symbolizer_.note(pid); }
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
  std::map<std::pair<uint32_t, std::string>, uint64_t> modules_;  // an address of each
};

inline constexpr uint32_t kErrorProbe = 3;

/// An ECB, ready to run.
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
  std::vector<ConsumerEcb> ecbs;  // by epid

  bool exiting = false;
  bool exited_in_error = false;  ///< exit() was called by a clause of ERROR
  bool end_allowed = false;
  int exit_status = 0;
  uint64_t records = 0;
  uint64_t unknown = 0;    // of no ECB that we know
  uint64_t malformed = 0;  // refused by sonde_record_check
  uint64_t faults = 0;     // that fired ERROR
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
  size_t room_ = output.room();             ///< bytes that the output took without waiting, when it was asked last
  std::map<uint32_t, uint64_t> unwritten_;  ///< by CPU: what found no room in the output
  KeptRecords kept_;
  std::map<uint32_t, uint64_t> unkept_;  ///< trace records that found their CPU's buffer full
  FiringId firing_;
  std::multimap<Nanoseconds, std::pair<uint32_t, Release>> chilled_;  ///< threads that wait, by when they go on
  bool have_firing_ = false;
  std::optional<uint32_t> only_cpu_;
  const uint32_t own_pid_ = static_cast<uint32_t>(getpid());
  bool error_enabled_ = false;  ///< a clause of ERROR is there
  bool error_pending_ = false;  ///< ERROR has fired for a fault, and what it recorded is not consumed yet
  std::deque<std::vector<uint64_t>> held_back_;  ///< records that were read while ERROR's were looked for, in order
  MergeReader reader_;
  std::set<const sonde_ring*> known_rings_;
  uint64_t reported_malformed_ = 0;
  FaultLog faults_{[this](const FaultReport& fault) { printer_->faulted(fault); }};
};

}  // namespace sonde
