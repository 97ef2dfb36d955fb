// SPDX-License-Identifier: GPL-3.0-or-later
// Consumes one record: checks it, runs its clause's body, prints what the clause has traced.
#include "runtime/consumer/consumer.h"

#include <utility>

#include "runtime/base/check.h"
#include "runtime/body/body.h"

namespace sonde {
namespace {

constexpr uint32_t kEndProbe = 2;
constexpr uint32_t kLacking = SONDE_RECORD_STACK_LOST | SONDE_RECORD_STACK_COMPILED;
constexpr size_t kPiece = 64 * 1024;  // output is written in pieces of about this size

}  // namespace

Consumer::Consumer(const BodyProgram& program, Framework& framework, EventSource* source, Options& options,
                   Output& output)
    : program_(program),
      framework_(framework),
      source_(source),
      options_(options),
      output_(output),
      state_(program, options, source == nullptr ? nullptr : source->threads(), names_),
      unnamed_calls_(framework, [this](const std::string& text) { state_.message(text); }),
      kept_(options.text("bufpolicy"), options.number("bufsize")) {
  if (options_.was_set("cpu")) only_cpu_ = static_cast<uint32_t>(options_.number("cpu"));
  context_.state = &state_;
  sink_.message = state_.message = [this](std::string_view text) {
    flush();
    output_.message(text);
  };
  names_.complain_by([this](const std::string& text) { state_.message(text); });
  sink_.wall_offset = state_.wall_offset;
  printer_ = make_printer(options_.text("format"), sink_);
}

void Consumer::note_mapping(const FileMapping& mapping, bool ends) {
  MapEntry entry{mapping.address,
                 mapping.address + mapping.bytes,
                 mapping.offset,
                 true,
                 false,
                 mapping.path,
                 {mapping.major, mapping.minor, mapping.inode}};
  UniqueFd file = mapping.file != nullptr ? std::move(*mapping.file) : UniqueFd();
  names_.note_mapping(mapping.pid, mapping.time, std::move(entry), ends, std::move(file));
}

std::string Consumer::stack_text(uint32_t pid, std::span<const uint64_t> frames) {
  std::vector<uint64_t> words(sizeof(StackValue) / sizeof(uint64_t));
  words.insert(words.end(), frames.begin(), frames.end());
  auto& stack = *reinterpret_cast<StackValue*>(words.data());
  stack.space = names_.space_now(pid, frames);
  stack.count = static_cast<uint32_t>(frames.size());
  FormatSettings settings = state_.format;
  settings.names = &names_;
  std::string text;
  format_stack(stack, settings, text);
  return text.substr(1);  // without the newline that ends the line before
}

void Consumer::catch_up_by(std::function<void()> way) {
  catch_up_ = way;
  names_.catch_up_by(std::move(way));
}

void Consumer::add_ecb(const EcbInfo& info) {
  state_.grow();
  if (have_firing_) find_cells(firing_.tid);
  if (ecbs_.size() <= info.epid.value) ecbs_.resize(info.epid.value + 1);
  error_enabled_ = error_enabled_ || (info.probe != nullptr && info.probe->id.value == kErrorProbe);
  ecbs_[info.epid.value] = {info.probe, &program_.clauses.at(info.clause), false};
}

std::unordered_set<const ClauseDesc*> Consumer::clauses_with(bool ConsumerEcb::*flag) const {
  std::unordered_set<const ClauseDesc*> found;
  for (const ConsumerEcb& ecb : ecbs_)
    if (ecb.*flag) found.insert(ecb.clause);
  return found;
}

std::unordered_set<const ClauseDesc*> Consumer::recorded() const { return clauses_with(&ConsumerEcb::recorded); }

std::unordered_set<const ClauseDesc*> Consumer::passed() const { return clauses_with(&ConsumerEcb::passed); }

/// The ECB of the record. Null: the record must not be used; a malformed one has been counted.
Consumer::ConsumerEcb* Consumer::find(const sonde_record& record) {
  if (record.epid >= ecbs_.size() || ecbs_[record.epid].probe == nullptr) return nullptr;
  ConsumerEcb& ecb = ecbs_[record.epid];
  ecb.recorded = true;
  const FireProgram* fire = ecb.clause->fire.get();
  const uint8_t* kinds = fire == nullptr ? nullptr : fire->kinds.data();
  const uint32_t slots = fire == nullptr ? 0 : static_cast<uint32_t>(fire->kinds.size());
  if ((record.flags & SONDE_RECORD_STACKS_COPIED) != 0 && source_ != nullptr) {
    source_->finish_record(const_cast<sonde_record&>(record), {kinds, slots});  // it is ours until it is consumed
    catch_up_();
  }
  if (sonde_record_check(&record, record.size, kinds, slots) != 0) {
    ++malformed_;
    return nullptr;
  }
  return &ecb;
}

/// Of several stacks the longest one shows where it ends. Called for records whose predicate is true: of other processes'
/// stacks the user sees none.
void Consumer::tell_lacking(const sonde_record& record, const ConsumerEcb& ecb) {
  const std::vector<uint8_t>& kinds = ecb.clause->fire->kinds;
  uint64_t longest = 0;
  for (uint32_t slot = 0; slot < record.slots && (record.flags & SONDE_RECORD_PREDICATE_FAULT) == 0; slot++) {
    const bool captured = kinds[slot] == SONDE_SLOT_STACK && (record.faults >> slot & 1) == 0;
    if (captured && SONDE_SPAN_LENGTH(record.slot[slot]) > SONDE_SPAN_LENGTH(longest)) longest = record.slot[slot];
  }
  if (longest == 0) return;
  const auto* first = reinterpret_cast<const uint8_t*>(&record) + SONDE_SPAN_OFFSET(longest);
  const std::span frames(reinterpret_cast<const uint64_t*>(first), SONDE_SPAN_LENGTH(longest) / sizeof(uint64_t));
  const Nanoseconds time(record.timestamp);
  for (const LackingStack& found : names_.take_lacking(record.pid, time, frames, record.flags)) {
    const std::string line = lacking_.next(static_cast<pid_t>(record.pid), names_.program_at(record.pid, time), found);
    if (!line.empty()) state_.message(line);
  }
}

/// After exit(), only END (once it is allowed) and ERROR; between an exit() in a clause of ERROR and END, not even
/// ERROR. With -x cpu, only records of that CPU.
bool Consumer::wanted(const sonde_record& record) const {
  if (only_cpu_ && record.cpu != *only_cpu_) return false;
  if (!exiting_) return true;
  if (record.probe == kErrorProbe) return end_allowed_ || !exited_in_error_;
  return end_allowed_ && record.probe == kEndProbe;
}

void Consumer::begin_firing(const sonde_record& record) {
  if (have_firing_ && firing_ == FiringId(record)) return;
  have_firing_ = true;
  // Member by member: copied as a whole, it would be read from the stack in wider words than it was just written
  // there, which stalls the processor for 4 ns a record.
  firing_.timestamp = record.timestamp;
  firing_.sequence = record.sequence;
  firing_.tid = record.tid;
  firing_.probe = record.probe;
  state_.begin_firing();
  find_cells(record.tid);
}

/// Finds the record's variables; cells move when the program grows.
void Consumer::find_cells(uint32_t tid) {
  context_.globals = state_.variables.globals();
  context_.locals = state_.variables.locals();
  context_.self = state_.variables.self(tid);
}

void Consumer::consume(const sonde_record& record) {
  ++records_;
  ConsumerEcb* ecb = find(record);
  bool runs = ecb != nullptr && wanted(record);
  // ERROR fires inside the firing that faulted: it sees that firing's this-> variables, and leaves them unchanged.
  const bool nested = error_pending_ && record.probe == kErrorProbe && have_firing_;
  if (runs) {
    nested ? find_cells(record.tid) : begin_firing(record);
    const bool passed = run(record, *ecb);
    if (passed && (record.flags & kLacking) != 0) [[unlikely]]
      tell_lacking(record, *ecb);
  }
  // Comes before the output: a system() in it may act on the process that stop() stops.
  if ((record.flags & SONDE_RECORD_HELD) != 0)
    release_thread(record);
  else if (const Release how = std::exchange(state_.release, Release{}); how.result)
    state_.message("inject(): thread " + std::to_string(record.tid) + " is not at the entry of a system call");
  else if ((how.stop || how.signal != 0) && record.pid != own_pid_)
    let_go(record.tid, how);  // its thread could not wait
  if (!runs) return;
  take_traced();
  state_.end_clause();
  if (nested) find_cells(firing_.tid);
}

/// Runs the clause once for firings that the source has folded. They were before whatever is consumed next, exit() too.
void Consumer::consume_folded(const FoldedFirings& firings) {
  records_ += firings.count;
  ConsumerEcb* ecb = find(firings.record);
  if (ecb == nullptr || (only_cpu_ && firings.record.cpu != *only_cpu_)) return;
  FoldedStates states{firings.count, firings.states};
  have_firing_ = false;
  begin_firing(firings.record);
  context_.folded = &states;
  run(firings.record, *ecb);
  context_.folded = nullptr;
  SONDE_CHECK(states.left.empty() || context_.fault != 0);
  state_.end_clause();
  have_firing_ = false;
}

/// The probe that fired. An ECB on all calls without a name stands for a probe of each.
const ProbeInfo* Consumer::probe_of(const sonde_record& record, const ConsumerEcb& ecb) {
  if ((record.flags & SONDE_RECORD_UNNAMED_CALL) == 0) [[likely]]
    return ecb.probe;
  return unnamed_calls_.probe_of(*ecb.probe, record.probe);
}

bool Consumer::run(const sonde_record& record, ConsumerEcb& ecb) {
  context_.record = &record;
  context_.slots = record.slot;
  context_.fault = 0;
  context_.fault_value = 0;
  context_.action = 0;
  context_.clause = ecb.clause;
  context_.probe = probe_of(record, ecb);
  context_.epid = record.epid;
  state_.begin_clause(context_);
  bool passed = true;
  if ((record.flags & SONDE_RECORD_PREDICATE_FAULT) != 0)
    sonde_fault(&context_, static_cast<uint64_t>(Fault::BadAddress), record.slot[0]);
  else if (ecb.clause->body != nullptr)
    passed = ecb.clause->body->run(context_) != 0;
  if (context_.fault == static_cast<uint64_t>(Fault::Skip)) {
    state_.trace.clear();
  } else if (context_.fault != 0) [[unlikely]] {
    fault(record, ecb);
  } else if (passed && (ecb.clause->default_action || ecb.clause->only_speculates)) {
    state_.begin_trace(context_);
  }
  ecb.passed |= passed;
  return passed;
}

/// Outputs what the clause has committed, then what it has traced itself.
void Consumer::take_traced() {
  for (TraceRecord& record : std::exchange(state_.committed, {})) output_trace(record);
  if (state_.trace.empty()) return;
  if (state_.speculation != 0)
    state_.speculations.add(state_.speculation, std::move(state_.trace));
  else
    output_trace(state_.trace);
  state_.trace.clear();
}

/// With bufpolicy=ring or fill a trace record is kept for the end. END's is printed at once, and exit() takes effect at
/// once.
void Consumer::output_trace(TraceRecord& record) {
  if (record.exit_status) {
    if (!exiting_) exit_probe_ = ProbeId{context_.record->probe};
    exited_in_error_ = !exiting_ && context_.record->probe == kErrorProbe;
    exiting_ = true;
    exit_status_ = *record.exit_status;
  }
  if (!kept_.active() || end_allowed_) return print(record);
  if (record.prints_nothing()) return;
  if (!kept_.add(context_.record->cpu, std::move(record))) ++unkept_[context_.record->cpu];
}

void Consumer::allow_end() {
  for (TraceRecord& record : kept_.take()) print(record);
  state_.take_pictures(0, true);
  end_allowed_ = true;
}

/// A trace record that shows aggregations or asks for an action is never dropped.
bool Consumer::may_drop(const TraceRecord& record) {
  return std::ranges::none_of(
      record.items, [](const TraceItem& item) { return item.kind == TraceItem::Kind::Printa || item.is_done(); });
}

void Consumer::print(TraceRecord& record) {
  if (sink_.text.size() >= room_ && may_drop(record)) {
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

void Consumer::flush() {
  if (!sink_.text.empty()) {
    output_.write(sink_.text);
    sink_.text.clear();
    output_.flush();
  }
  room_ = output_.room();
}

void Consumer::release_thread(const sonde_record& record) {
  Release how = std::exchange(state_.release, Release{});
  if (state_.chill_ns == 0) return let_go(record.tid, how);
  chilled_.emplace(monotonic_now() + state_.chill_ns, std::pair(record.tid, how));
}

void Consumer::let_go(uint32_t tid, Release how) {
  if (state_.threads == nullptr) return;
  // ESRCH: the thread has ended and needs no release.
  if (auto released = state_.threads->release(tid, how); !released && released.error().code() != ESRCH)
    state_.message(released.error().message());
}

/// Releases the threads whose chill() is over.
void Consumer::let_go_due() {
  while (!chilled_.empty() && chilled_.begin()->first <= monotonic_now()) {
    auto [tid, how] = chilled_.begin()->second;
    chilled_.erase(chilled_.begin());
    let_go(tid, how);
  }
}

void Consumer::fault(const sonde_record& record, const ConsumerEcb& ecb) {
  state_.trace.clear();
  if (record.probe == kErrorProbe) {
    ++double_errors_;
    return;
  }
  ++fault_count_;
  faults_.add(*context_.probe, context_, monotonic_now());
  uint64_t args[] = {0, record.epid, context_.action, 0, context_.fault, context_.fault_value};
  framework_.fire(ProbeId{kErrorProbe}, args, 0);
  error_pending_ = error_enabled_;
}

}  // namespace sonde
