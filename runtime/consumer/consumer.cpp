// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/consumer/consumer.h"

#include "runtime/consumer/consumer_impl.h"

namespace sonde {

Consumer::Consumer(const BodyProgram& program, Framework& framework, EventSource* source, Options& options,
                   Output& output)
    : impl_(std::make_unique<Impl>(*this, program, framework, source, options, output)) {}

Consumer::~Consumer() = default;

void Consumer::add_ecb(const EcbInfo& ecb) { impl_->add_ecb(ecb); }
uint64_t Consumer::drain() { return impl_->drain(false); }
uint64_t Consumer::drain_all() { return impl_->drain(true); }
void Consumer::consume(const sonde_record& record) { impl_->consume(record); }
bool Consumer::exiting() const { return impl_->exiting; }
int Consumer::exit_status() const { return impl_->exit_status; }
void Consumer::allow_end() { impl_->allow_end(); }
void Consumer::begin(const RunStart& start) { impl_->begin(start); }
void Consumer::snapshot() { impl_->snapshot(); }
void Consumer::finish() { impl_->finish(); }
void Consumer::end(const RunEnd& end) { impl_->end(end); }
Result<void> Consumer::print_aggregation(std::string_view name) { return impl_->print_aggregation(name); }
std::vector<std::pair<std::string, int64_t>> Consumer::take_values(std::string_view name) {
  return impl_->take_values(name);
}
Nanoseconds Consumer::next_due() const { return impl_->next_due(); }
void Consumer::report_drops() { impl_->report_drops(); }
void Consumer::note_exec(uint32_t pid, std::string arguments) { impl_->state.calls_before[pid] = std::move(arguments); }
void Consumer::note_process(uint32_t pid) { impl_->names.note(pid); }
void Consumer::note_program(uint32_t pid) { impl_->names.note_program(pid); }
void Consumer::note_mapping(const MappingEnds& mapping) {
  impl_->names.note_mapping(mapping.pid, mapping.address, mapping.offset, mapping.path, mapping.bytes);
}
void Consumer::catch_up_by(std::function<void()> way) { impl_->names.catch_up_by(std::move(way)); }
uint64_t Consumer::full_strings() const { return impl_->state.full_strings; }
uint64_t Consumer::records() const { return impl_->records; }

}  // namespace sonde
