// SPDX-License-Identifier: GPL-3.0-or-later
// Rings in, printed aggregations and reports of drops out.
#include <cstring>
#include <ctime>

#include "runtime/base/check.h"
#include "runtime/consumer/consumer_impl.h"

namespace sonde {
namespace {

std::string plural(uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

/// More rings may have appeared: the framework makes one for each thread that fires.
void Consumer::Impl::add_new_rings() {
  auto add = [this](const MappedRing& ring) {
    if (known_rings_.insert(ring.get()).second) reader_.add(ring);
  };
  if (source != nullptr)
    for (const MappedRing& ring : source->mapped_rings()) add(ring);
  for (const MappedRing* ring : framework.mapped_rings()) add(*ring);
}

/// ERROR's records come behind others in the rings, but belong where the fault was: what lies between waits.
void Consumer::Impl::take(const sonde_record& record) {
  if (!error_pending_ || record.probe == kErrorProbe) return consume(record);
  std::vector<uint64_t>& copy = held_back_.emplace_back((record.size + 7) / 8);
  std::memcpy(copy.data(), &record, record.size);
}

/// If they cannot be read yet, they come later, in their order of time.
void Consumer::Impl::find_error(bool all) {
  add_new_rings();
  reader_.drain(monotonic_now(), all, [this](const sonde_record& record) { take(record); });
  error_pending_ = false;
}

uint64_t Consumer::Impl::drain(bool all) {
  let_go_due();
  state.refresh_settings();
  uint64_t before = records;
  // A fault fires ERROR into a ring that was read already, or did not exist; what it fires comes with this drain.
  uint64_t faults_before = 0;
  do {
    faults_before = faults;
    add_new_rings();
    reader_.drain(monotonic_now(), all, [this](const sonde_record& record) { take(record); });
    if (error_pending_) find_error(all);
    while (!held_back_.empty()) {
      const std::vector<uint64_t> words = std::move(held_back_.front());
      held_back_.pop_front();
      consume(*reinterpret_cast<const sonde_record*>(words.data()));
      if (error_pending_) find_error(all);
    }
  } while (all && faults != faults_before);
  for (const Error& error : reader_.take_errors()) state.message(error.message());
  faults_.tell_counted(monotonic_now(), all);
  flush();
  state.take_pictures(monotonic_now(), false);
  return records - before;
}

void Consumer::Impl::finish() {
  state.refresh_settings();
  text_ += '\n';
  for (const auto& table : state.aggregations) {
    if (table->printed) continue;
    AggTable* const one[] = {table.get()};
    format_aggregations(one, state.sort, state.format, text_);
  }
  flush();
}

Result<void> Consumer::Impl::print_aggregation(std::string_view name) {
  state.refresh_settings();
  bool found = false;
  for (const auto& table : state.aggregations) {
    if (!name.empty() && table->desc().name != name) continue;
    found = true;
    AggTable* const one[] = {table.get()};
    format_aggregations(one, state.sort, state.format, text_);
  }
  flush();
  if (!found && !name.empty()) return Error("no aggregation @" + std::string(name), ENOENT);
  return {};
}

std::vector<std::pair<std::string, int64_t>> Consumer::Impl::take_values(std::string_view name) {
  std::vector<std::pair<std::string, int64_t>> values;
  for (const auto& table : state.aggregations) {
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

void Consumer::Impl::message(const std::string& tag, const std::string& text) {
  state.message(options.flag("droptags") ? "[DTRACEDROP_" + tag + "] " + text : text);
}

void Consumer::Impl::report_drops() {
  for (const RingDrops& drops : reader_.take_drops())
    message("PRINCIPAL", plural(drops.drops, "drop") + " on CPU " + std::to_string(drops.writer));
  for (auto [cpu, drops] : std::exchange(unkept_, {}))
    message("PRINCIPAL", plural(drops, "drop") + " on CPU " + std::to_string(cpu));
  for (auto [cpu, drops] : std::exchange(state.aggregation_drops, {}))
    message("AGGREGATION", plural(drops, "aggregation drop") + " on CPU " + std::to_string(cpu));
  if (uint64_t drops = std::exchange(state.dynamic_drops, 0))
    message("DYNAMIC", plural(drops, "dynamic variable drop"));
  const Speculations::Drops speculative = state.speculations.take_drops();
  if (speculative.records != 0) message("SPEC", plural(speculative.records, "speculative drop"));
  if (speculative.busy != 0)
    message("SPECBUSY", plural(speculative.busy, "failed speculation") + " (available buffer(s) still busy)");
  if (speculative.unavailable != 0)
    message("SPECUNAVAIL",
            plural(speculative.unavailable, "failed speculation") + " (no speculative buffer available)");
  if (uint64_t errors = std::exchange(double_errors, 0))
    message("DBLERROR", plural(errors, "error") + " in ERROR probe enabling");
  if (malformed != reported_malformed_) {
    state.message(plural(malformed - reported_malformed_, "malformed record") + " ignored");
    reported_malformed_ = malformed;
  }
}

}  // namespace sonde
