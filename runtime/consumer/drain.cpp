// SPDX-License-Identifier: GPL-3.0-or-later
// From rings to printed aggregations and reports of drops.
#include <algorithm>
#include <cstring>

#include "runtime/base/check.h"
#include "runtime/consumer/consumer.h"

namespace sonde {
/// The framework makes a ring for each thread that fires, so there may be more now.
void Consumer::add_new_rings() {
  auto add = [this](const MappedRing& ring) {
    if (known_rings_.insert(ring.get()).second) reader_.add(ring);
  };
  if (source_ != nullptr)
    for (const MappedRing& ring : source_->mapped_rings()) add(ring);
  for (const MappedRing* ring : framework_.mapped_rings()) add(*ring);
}

/// Keeps a record for later while ERROR's are searched: in the rings they come behind others, but belong where the
/// fault was.
void Consumer::take(const sonde_record& record) {
  if (!error_pending_ || record.probe == kErrorProbe) return consume(record);
  std::vector<uint64_t>& copy = held_back_.emplace_back((record.size + 7) / 8);
  std::memcpy(copy.data(), &record, record.size);
}

/// Consumes ERROR's records. If they cannot be read yet, they come later, in time order.
void Consumer::find_error(bool all) {
  add_new_rings();
  reader_.drain(monotonic_now(), all, [this](const sonde_record& record) { take(record); });
  error_pending_ = false;
}

/// Before the records of a drain: what their clauses print or clear is one picture of all that was folded.
void Consumer::take_folded() {
  if (source_ == nullptr) return;
  source_->take_folded([this](const FoldedFirings& firings) { consume_folded(firings); });
}

uint64_t Consumer::drain(bool all) {
  let_go_due();
  state_.refresh_settings();
  uint64_t before = records_;
  take_folded();
  // A fault fires ERROR into a ring that was already read, or did not exist; its records must come with this drain.
  uint64_t faults_before = 0;
  do {
    faults_before = fault_count_;
    add_new_rings();
    // Sources send what is mapped before the record that needs it. So once the rings' heads are read, catch_up_ finds
    // the events about all records before them.
    bool behind = true;
    reader_.drain(monotonic_now(), all, [this, &behind](const sonde_record& record) {
      if (std::exchange(behind, false)) catch_up_();
      take(record);
    });
    if (error_pending_) find_error(all);
    while (!held_back_.empty()) {
      const std::vector<uint64_t> words = std::move(held_back_.front());
      held_back_.pop_front();
      consume(*reinterpret_cast<const sonde_record*>(words.data()));
      if (error_pending_) find_error(all);
    }
  } while (all && fault_count_ != faults_before);
  for (const Error& error : reader_.take_errors()) state_.message(error.message());
  faults_.tell_counted(monotonic_now(), all);
  printer_->settle();
  flush();
  state_.take_pictures(monotonic_now(), false);
  forget_ended();
  return records_ - before;
}

/// A machine runs programs without end. Their addresses are named when they are printed, so whoever is named in no key and
/// in no record that waits is forgotten.
void Consumer::forget_ended() {
  if (names_.remembered() < most_remembered_ || kept_.active() || !state_.speculations.empty()) return;
  names_.forget_ended(state_.spaces_in_keys());
  most_remembered_ = names_.remembered() + std::max(names_.remembered(), kFewRemembered) / 2;
}

void Consumer::begin(RunStart start) {
  start.interval = options_.number("interval");
  start.deltas = state_.deltas;
  start.flow = {output_.look(), shows_units(options_, output_.look()), options_.number("mintime")};
  start.title = options_.text("title");
  printer_->start(start);
  flush();
}

void Consumer::begin_file() {
  printer_->file_begins();
  flush();
}

/// Shows aggregations as they are now; those of deltas, what was added since they were last shown.
void Consumer::show_aggregations(const std::function<bool(const AggTable&)>& wanted) {
  for (const auto& table : state_.aggregations) {
    if (!wanted(*table)) continue;
    AggSnapshot snapshot{{}, {}, state_.sort};
    if (state_.deltas)
      snapshot.add(table->take_interval(monotonic_now()));
    else
      snapshot.tables.push_back(table.get());
    printer_->aggregations(snapshot, state_.format);
  }
}

/// An aggregation that would have to wait is left to the next snapshot, which shows everything since it was last shown.
void Consumer::snapshot() {
  state_.refresh_settings();
  flush();
  if (room_ == 0) return;
  show_aggregations([](const AggTable&) { return true; });
  printer_->end_snapshot();
  flush();
}

void Consumer::finish() {
  state_.refresh_settings();
  printer_->rest();
  // With an interval the end is a snapshot too: otherwise what came after a printa() would never be shown.
  const bool all = state_.deltas || state_.options.was_set("interval");
  show_aggregations([all](const AggTable& table) { return all || !table.printed; });
  flush();
}

void Consumer::end(const RunEnd& end) {
  printer_->end(end);
  flush();
}

Result<void> Consumer::print_aggregation(std::string_view name) {
  state_.refresh_settings();
  bool found = false;
  show_aggregations([name, &found](const AggTable& table) {
    const bool wanted = name.empty() || table.desc().name == name;
    found = found || wanted;
    return wanted;
  });
  flush();
  if (!found && !name.empty()) return Error("no aggregation @" + std::string(name), ENOENT);
  return {};
}

Result<void> Consumer::clear_aggregation(std::string_view name) {
  bool found = name.empty();
  for (const auto& table : state_.aggregations) {
    if (!name.empty() && table->desc().name != name) continue;
    found = true;
    table->truncate_all();
  }
  if (!found) return Error("no aggregation @" + std::string(name), ENOENT);
  return {};
}

std::vector<std::pair<std::string, int64_t>> Consumer::take_values(std::string_view name) {
  std::vector<std::pair<std::string, int64_t>> values;
  for (const auto& table : state_.aggregations) {
    const AggregationDesc& desc = table->desc();
    if (desc.name != name) continue;
    SONDE_CHECK(desc.keys.size() == 1 && desc.keys[0].kind == ValueType::Kind::String);
    table->printed = true;
    for (const KeyedEntry* element : table->entries()) {
      uint64_t key = 0;
      table->codec().decode(element->key(), &key);
      values.emplace_back(reinterpret_cast<const char*>(key), table->operations().value(element->data()));
    }
  }
  return values;
}

void Consumer::drop(Drop::Kind kind, uint64_t count, std::optional<uint32_t> cpu) {
  if (count != 0) printer_->dropped({kind, count, cpu}, options_.flag("droptags"));
}

void Consumer::report_drops() {
  for (const RingDrops& drops : reader_.take_drops()) drop(Drop::Kind::Principal, drops.drops, drops.writer);
  for (auto [cpu, drops] : std::exchange(unkept_, {})) drop(Drop::Kind::Principal, drops, cpu);
  for (auto [cpu, drops] : std::exchange(unwritten_, {})) drop(Drop::Kind::Output, drops, cpu);
  for (auto [cpu, drops] : std::exchange(state_.aggregation_drops, {})) drop(Drop::Kind::Aggregation, drops, cpu);
  drop(Drop::Kind::Dynamic, std::exchange(state_.dynamic_drops, 0));
  const Speculations::Drops speculative = state_.speculations.take_drops();
  drop(Drop::Kind::Speculation, speculative.records);
  drop(Drop::Kind::SpeculationBusy, speculative.busy);
  drop(Drop::Kind::SpeculationUnavailable, speculative.unavailable);
  drop(Drop::Kind::ErrorInError, std::exchange(double_errors_, 0));
  drop(Drop::Kind::Malformed, malformed_ - std::exchange(reported_malformed_, malformed_));
}

}  // namespace sonde
