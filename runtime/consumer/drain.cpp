// SPDX-License-Identifier: GPL-3.0-or-later
// Rings in, printed aggregations and reports of drops out.
#include <ctime>

#include "runtime/base/check.h"
#include "runtime/consumer/consumer_impl.h"

namespace sonde {
namespace {

Nanoseconds monotonic_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<Nanoseconds>(now.tv_sec) * 1'000'000'000 + static_cast<Nanoseconds>(now.tv_nsec);
}

std::string plural(uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

/// More rings may have appeared: the framework makes one for each thread that fires.
void Consumer::Impl::add_new_rings() {
  if (source != nullptr)
    for (sonde_ring* ring : source->rings()) rings_.add(ring);
  for (sonde_ring* ring : framework.rings()) rings_.add(ring);
}

uint64_t Consumer::Impl::drain(bool all) {
  state.refresh_settings();
  uint64_t before = records;
  // A fault fires ERROR into a ring that did not exist before, and END may still fault: once more until nothing comes.
  for (uint64_t seen = 1; seen != 0;) {
    add_new_rings();
    seen = rings_.drain(monotonic_now(), all, [this](const sonde_record& record) { consume(record); });
    if (!all) break;
  }
  for (const Error& error : rings_.take_errors()) state.message(error.message());
  flush();
  return records - before;
}

void Consumer::Impl::finish() {
  state.refresh_settings();
  text_ += '\n';
  for (const auto& table : state.aggregations) {
    if (table->printed) continue;
    AggTable* const one[] = {table.get()};
    format_aggregations(one, state.sort, true, state.format, text_);
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
    format_aggregations(one, state.sort, false, state.format, text_);
  }
  flush();
  if (!found && !name.empty()) return Error("no aggregation @" + std::string(name), ENOENT);
  return {};
}

void Consumer::Impl::message(const std::string& tag, const std::string& text) {
  state.message(options.flag("droptags") ? "[DTRACEDROP_" + tag + "] " + text : text);
}

void Consumer::Impl::report_drops() {
  for (const RingSet::Drops& drops : rings_.take_drops())
    message("PRINCIPAL", plural(drops.count, "drop") + " on CPU " + std::to_string(drops.writer));
  for (auto [cpu, drops] : std::exchange(state.aggregation_drops, {}))
    message("AGGREGATION", plural(drops, "aggregation drop") + " on CPU " + std::to_string(cpu));
  if (uint64_t drops = std::exchange(state.dynamic_drops, 0)) message("DYNAMIC", plural(drops, "dynamic variable drop"));
  if (uint64_t errors = std::exchange(double_errors, 0))
    message("DBLERROR", plural(errors, "error") + " in ERROR probe enabling");
  if (malformed != reported_malformed_) {
    state.message(plural(malformed - reported_malformed_, "malformed record") + " ignored");
    reported_malformed_ = malformed;
  }
}

}  // namespace sonde
