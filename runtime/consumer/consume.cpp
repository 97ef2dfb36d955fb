// SPDX-License-Identifier: GPL-3.0-or-later
// Consumes one record: checks it, runs its clause's body, prints what the clause has traced.
#include <utility>

#include "runtime/consumer/consumer_impl.h"
#include "runtime/consumer/faults.h"

namespace sonde {
namespace {

constexpr uint32_t kEndProbe = 2;
constexpr size_t kPiece = 64 * 1024;  // output is written in pieces of about this size

}  // namespace

Consumer::Impl::Impl(Consumer& self, const BodyProgram& the_program, Framework& the_framework, EventSource* the_source,
                     Options& the_options, Output& the_output)
    : program(the_program),
      framework(the_framework),
      source(the_source),
      options(the_options),
      output(the_output),
      state(the_program, the_options, the_source == nullptr ? nullptr : the_source->threads(), names),
      kept_(the_options.text("bufpolicy"), the_options.number("bufsize")) {
  if (options.was_set("cpu")) only_cpu_ = static_cast<uint32_t>(options.number("cpu"));
  context.consumer = &self;
  context.state = &state;
  sink_.message = state.message = [this](std::string_view text) {
    flush();
    output.message(text);
  };
  sink_.wall_offset = state.wall_offset;
  printer_ = make_printer(options.text("format"), sink_);
}

void Consumer::Impl::add_ecb(const EcbInfo& info) {
  state.grow();
  if (have_firing_) find_cells(firing_.tid);
  if (ecbs.size() <= info.epid.value) ecbs.resize(info.epid.value + 1);
  error_enabled_ = error_enabled_ || (info.probe != nullptr && info.probe->id.value == kErrorProbe);
  ecbs[info.epid.value] = {info.probe, &program.clauses.at(info.clause)};
}

/// The ECB of the record. Null: the record must not be used, and has been counted.
const ConsumerEcb* Consumer::Impl::find(const sonde_record& record) {
  if (record.epid >= ecbs.size() || ecbs[record.epid].probe == nullptr) {
    ++unknown;
    return nullptr;
  }
  const ConsumerEcb& ecb = ecbs[record.epid];
  const FireProgram* fire = ecb.clause->fire.get();
  const uint8_t* kinds = fire == nullptr ? nullptr : fire->kinds.data();
  const uint32_t slots = fire == nullptr ? 0 : static_cast<uint32_t>(fire->kinds.size());
  if (sonde_record_check(&record, record.size, kinds, slots) == 0) return &ecb;
  ++malformed;
  return nullptr;
}

/// After exit(), only END (once it is allowed) and ERROR; between an exit() in a clause of ERROR and END, not even
/// ERROR. With -x cpu, only records of that CPU.
bool Consumer::Impl::wanted(const sonde_record& record) const {
  if (only_cpu_ && record.cpu != *only_cpu_) return false;
  if (!exiting) return true;
  if (record.probe == kErrorProbe) return end_allowed || !exited_in_error;
  return end_allowed && record.probe == kEndProbe;
}

void Consumer::Impl::begin_firing(const sonde_record& record) {
  if (have_firing_ && firing_ == FiringId(record)) return;
  have_firing_ = true;
  // Member by member: copied as a whole, it would be read from the stack in wider words than it was just written
  // there, which stalls the processor for 4 ns a record.
  firing_.timestamp = record.timestamp;
  firing_.sequence = record.sequence;
  firing_.tid = record.tid;
  firing_.probe = record.probe;
  state.begin_firing();
  find_cells(record.tid);
}

/// Finds the record's variables; cells move when the program grows.
void Consumer::Impl::find_cells(uint32_t tid) {
  context.globals = state.variables.globals();
  context.locals = state.variables.locals();
  context.self = state.variables.self(tid);
}

void Consumer::Impl::consume(const sonde_record& record) {
  ++records;
  const ConsumerEcb* ecb = find(record);
  bool runs = ecb != nullptr && wanted(record);
  // ERROR fires inside the firing that faulted: it sees that firing's this-> variables, and leaves them unchanged.
  const bool nested = error_pending_ && record.probe == kErrorProbe && have_firing_;
  if (runs) {
    nested ? find_cells(record.tid) : begin_firing(record);
    run(record, *ecb);
  }
  // Comes before the output: a system() in it may act on the process that stop() stops.
  if ((record.flags & SONDE_RECORD_HELD) != 0) {
    release_thread(record);
  } else if ((state.release.stop || state.release.signal != 0) && record.pid != own_pid_) {
    let_go(record.tid, std::exchange(state.release, Release{}));  // its thread could not wait
  }
  if (!runs) return;
  take_traced();
  state.end_clause();
  if (nested) find_cells(firing_.tid);
}

void Consumer::Impl::run(const sonde_record& record, const ConsumerEcb& ecb) {
  context.record = &record;
  context.slots = record.slot;
  context.fault = 0;
  context.fault_value = 0;
  context.action = 0;
  context.clause = ecb.clause;
  context.probe = ecb.probe;
  context.epid = record.epid;
  state.begin_clause(context);
  bool passed = true;
  if ((record.flags & SONDE_RECORD_PREDICATE_FAULT) != 0)
    sonde_fault(&context, static_cast<uint64_t>(Fault::BadAddress), record.slot[0]);
  else if (ecb.clause->body != nullptr)
    passed = ecb.clause->body(&context) != 0;
  if (context.fault == static_cast<uint64_t>(Fault::Skip)) {
    state.trace.clear();
  } else if (context.fault != 0) [[unlikely]] {
    fault(record, ecb);
  } else if (passed && (ecb.clause->default_action || ecb.clause->only_speculates)) {
    state.begin_trace(context);
  }
}

/// Outputs what the clause has committed, then what it has traced itself.
void Consumer::Impl::take_traced() {
  for (TraceRecord& record : std::exchange(state.committed, {})) output_trace(record);
  if (state.trace.empty()) return;
  if (state.speculation != 0)
    state.speculations.add(state.speculation, std::move(state.trace));
  else
    output_trace(state.trace);
  state.trace.clear();
}

/// With bufpolicy=ring or fill a trace record is kept for the end. END's is printed at once, and exit() takes effect at
/// once.
void Consumer::Impl::output_trace(TraceRecord& record) {
  if (record.exit_status) {
    exited_in_error = !exiting && context.record->probe == kErrorProbe;
    exiting = true;
    exit_status = *record.exit_status;
  }
  if (!kept_.active() || end_allowed) return print(record);
  if (record.prints_nothing()) return;
  if (!kept_.add(context.record->cpu, std::move(record))) ++unkept_[context.record->cpu];
}

void Consumer::Impl::allow_end() {
  for (TraceRecord& record : kept_.take()) print(record);
  state.take_pictures(0, true);
  end_allowed = true;
}

/// A trace record that shows aggregations or asks for an action is never dropped.
bool Consumer::Impl::may_drop(const TraceRecord& record) {
  return std::ranges::none_of(
      record.items, [](const TraceItem& item) { return item.kind == TraceItem::Kind::Printa || item.is_done(); });
}

void Consumer::Impl::print(TraceRecord& record) {
  if (sink_.text.size() > room_ && may_drop(record)) {
    unwritten_[record.cpu] += printer_->skip(record);
    return;
  }
  printer_->begin_record(record, style());
  for (const TraceItem& item : record.items) {
    printer_->item(record, item);
    if (item.is_done()) run_request(record, item);
  }
  printer_->end_record(record, style());
  if (sink_.text.size() >= kPiece) flush();
}

void Consumer::Impl::flush() {
  if (!sink_.text.empty()) {
    output.write(sink_.text);
    sink_.text.clear();
    output.flush();
  }
  room_ = output.room();
}

void Consumer::Impl::release_thread(const sonde_record& record) {
  Release how = std::exchange(state.release, Release{});
  if (state.chill_ns == 0) return let_go(record.tid, how);
  chilled_.emplace(monotonic_now() + state.chill_ns, std::pair(record.tid, how));
}

void Consumer::Impl::let_go(uint32_t tid, Release how) {
  if (state.threads == nullptr) return;
  // ESRCH: the thread has ended and needs no release.
  if (auto released = state.threads->release(tid, how); !released && released.error().code() != ESRCH)
    state.message(released.error().message());
}

/// Releases the threads whose chill() is over.
void Consumer::Impl::let_go_due() {
  while (!chilled_.empty() && chilled_.begin()->first <= monotonic_now()) {
    auto [tid, how] = chilled_.begin()->second;
    chilled_.erase(chilled_.begin());
    let_go(tid, how);
  }
}

void Consumer::Impl::fault(const sonde_record& record, const ConsumerEcb& ecb) {
  state.trace.clear();
  if (record.probe == kErrorProbe) {
    ++double_errors;
    return;
  }
  ++faults;
  faults_.add(*ecb.probe, context, monotonic_now());
  uint64_t args[] = {0, record.epid, context.action, 0, context.fault, context.fault_value};
  framework.fire(ProbeId{kErrorProbe}, args, 0);
  error_pending_ = error_enabled_;
}

}  // namespace sonde
