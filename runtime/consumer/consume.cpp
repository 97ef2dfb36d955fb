// SPDX-License-Identifier: GPL-3.0-or-later
// One record: checked, run, its row committed.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "runtime/base/check.h"
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
      state(the_program, the_options, the_source, names) {
  context.consumer = &self;
  context.state = &state;
  state.message = [this](std::string_view text) {
    flush();
    output.message(text);
  };
}

void Consumer::Impl::add_ecb(const EcbInfo& info) {
  state.grow();
  if (have_firing_) find_cells(firing_.tid);
  if (ecbs.size() <= info.epid.value) ecbs.resize(info.epid.value + 1);
  error_enabled_ = error_enabled_ || (info.probe != nullptr && info.probe->id.value == kErrorProbe);
  const ClauseDesc& clause = program.clauses.at(info.clause);
  ConsumerEcb& ecb = ecbs[info.epid.value];
  ecb = {info.probe, &clause, clause.body, nullptr, 0};
  if (clause.fire != nullptr) {
    ecb.kinds = clause.fire->kinds.data();
    ecb.slots = static_cast<uint32_t>(clause.fire->kinds.size());
  }
}

/// Null: not to be used; it is counted.
const ConsumerEcb* Consumer::Impl::find(const sonde_record& record) {
  if (record.epid >= ecbs.size() || ecbs[record.epid].probe == nullptr) {
    ++unknown;
    return nullptr;
  }
  const ConsumerEcb& ecb = ecbs[record.epid];
  if (sonde_record_check(&record, record.size, ecb.kinds, ecb.slots) == 0) return &ecb;
  ++malformed;
  return nullptr;
}

/// After exit(): only END, once it is allowed, and ERROR for faults that came before the exit or in END. An exit() of ERROR
/// itself ends them too.
bool Consumer::Impl::wanted(const sonde_record& record) const {
  if (!exiting) return true;
  if (record.probe == kErrorProbe) return end_allowed || !exited_in_error;
  return end_allowed && record.probe == kEndProbe;
}

void Consumer::Impl::begin_firing(const sonde_record& record) {
  Firing firing{record.timestamp, record.sequence, record.tid, record.probe};
  if (have_firing_ && firing == firing_) return;
  have_firing_ = true;
  firing_ = firing;
  state.variables.begin_firing();
  find_cells(record.tid);
}

/// Cells move when the program grows.
void Consumer::Impl::find_cells(uint32_t tid) {
  context.globals = state.variables.globals();
  context.locals = state.variables.locals();
  context.self = state.variables.self(tid);
}

void Consumer::Impl::consume(const sonde_record& record) {
  ++records;
  const ConsumerEcb* ecb = find(record);
  bool runs = ecb != nullptr && wanted(record);
  // ERROR fires inside of the firing with the fault: it sees that one's this-> variables, and leaves them.
  const bool nested = error_pending_ && record.probe == kErrorProbe && have_firing_;
  if (runs) {
    nested ? find_cells(record.tid) : begin_firing(record);
    run(record, *ecb);
  }
  // Before the row: its system() may act on the process that stop() stops.
  if ((record.flags & SONDE_RECORD_HELD) != 0) release_thread(record);
  if (!runs) return;
  if (state.row.begun) commit_row();
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
  state.release = Release{};
  bool passed = true;
  if ((record.flags & SONDE_RECORD_PREDICATE_FAULT) != 0)
    sonde_fault(&context, static_cast<uint64_t>(Fault::BadAddress), record.slot[0]);
  else if (ecb.body != nullptr)
    passed = ecb.body(&context) != 0;
  if (context.fault != 0) [[unlikely]] {
    fault(record, ecb);
  } else if (passed && ecb.clause->default_action) {
    state.begin_row(context);
  }
}

void Consumer::Impl::commit_row() {
  Row& row = state.row;
  bool columns = !state.format.quiet || state.flowindent;
  if (!header_written_ && !state.format.quiet) text_ += row_header(state.flowindent);
  header_written_ = true;
  size_t done = 0;
  for (const Row::Command& command : row.commands) {
    text_.append(row.text, done, command.at - done);
    done = command.at;
    flush();
    run_command(command.text);
  }
  text_.append(row.text, done);
  if (columns) text_ += '\n';
  if (row.exit_status) {
    exited_in_error = !exiting && context.record->probe == kErrorProbe;
    exiting = true;
    exit_status = *row.exit_status;
  }
  row.clear();
  if (text_.size() >= kPiece) flush();
}

/// system(): sh, in record order. Its status says nothing to the script.
void Consumer::Impl::run_command(const std::string& command) {
  pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  if (child < 0) return output.message("failed to run command: " + command);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
}

void Consumer::Impl::flush() {
  if (text_.empty()) return;
  output.write(text_);
  text_.clear();
  output.flush();
}

void Consumer::Impl::release_thread(const sonde_record& record) {
  Release how = std::exchange(state.release, Release{});
  if (source == nullptr) return;
  // A thread that is gone needs no release.
  if (auto released = source->release(record.tid, how); !released && released.error().code() != ESRCH)
    state.message(released.error().message());
}

void Consumer::Impl::fault(const sonde_record& record, const ConsumerEcb& ecb) {
  state.row.clear();
  if (record.probe == kErrorProbe) {
    ++double_errors;
    return;
  }
  ++faults;
  state.message(fault_message(record.epid, *ecb.probe, context));
  uint64_t args[] = {0, record.epid, context.action, 0, context.fault, context.fault_value};
  framework.fire(ProbeId{kErrorProbe}, args, 0);
  error_pending_ = error_enabled_;
}

}  // namespace sonde
