// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/print/flow_tree.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/base/units.h"
#include "runtime/format/append.h"

namespace sonde {
namespace {

constexpr size_t kFunctionWidth = 41, kTimeWidth = 9;

std::string sign_and_name(const TraceRecord& record) {
  const ProbeInfo& probe = *record.probe;
  const bool call = probe.provider == "syscall";
  switch (record.flow) {
    case Flow::Entry: return (call ? " => " : " -> ") + probe.function;
    case Flow::Return: return (call ? " <= " : " <- ") + probe.function;
    case Flow::None: break;
  }
  return " | " + probe.function + ":" + probe.name;
}

}  // namespace

std::string FlowTree::header() const {
  if (!style_.look.is_rich()) return row_header(true);
  std::string text;
  append_format(text, "%3s %-*s %*s\n", "CPU", static_cast<int>(kFunctionWidth), "FUNCTION",
                static_cast<int>(kTimeWidth), "TIME");
  return text;
}

void FlowTree::begin_row(const TraceRecord& record, std::string& out) {
  if (!follows_calls()) return append_prefix(record, out);
  now_ = record.timestamp;
  if (record.flow == Flow::Return) leave(record);
  // What an item does must come behind the rows before it, so these cannot be held.
  passes_ = style_.min_time == 0 || std::ranges::any_of(record.items, &TraceItem::is_done);
  if (passes_) {
    if (const auto found = calls_.find(record.tid); found != calls_.end()) show(found->second, out);
    show(left_, out);
  }
  row_begin_ = out.size();
  append_prefix(record, out);
}

/// Takes the call that has returned off its thread's, with those inside it whose return was not seen.
void FlowTree::leave(const TraceRecord& record) {
  left_.clear();
  Calls& calls = calls_[record.tid];
  const auto found = std::find_if(calls.rbegin(), calls.rend(),
                                  [&](const Call& call) { return call.function == record.probe->function; });
  ends_known_call_ = found != calls.rend();
  if (!ends_known_call_) return;
  const auto first = std::prev(found.base());
  duration_ = now_ - first->began;
  left_.assign(std::make_move_iterator(first), std::make_move_iterator(calls.end()));
  calls.erase(first, calls.end());
}

void FlowTree::append_prefix(const TraceRecord& record, std::string& out) const {
  const Look& look = style_.look;
  if (!look.is_rich()) return format_flow_prefix(record.cpu, *record.probe, record.flow, record.indent, out);
  std::string guides;
  for (int i = 0; i < record.indent; i += 2) guides += "| ";
  const std::string name = sign_and_name(record);
  const bool timed = record.flow == Flow::Return && ends_known_call_;
  const std::string time = !timed         ? ""
                           : style_.units ? duration_text(static_cast<int64_t>(duration_))
                                          : std::to_string(duration_);
  const size_t width = guides.size() + name.size();
  append_format(out, "%3u ", record.cpu);
  if (!guides.empty()) out += look.paint(Style::Guide, guides);
  out += name + std::string(kFunctionWidth - std::min(width, kFunctionWidth), ' ');
  append_format(out, " %*s ", static_cast<int>(kTimeWidth), time.c_str());
}

void FlowTree::end_row(const TraceRecord& record, std::string& out) {
  if (!follows_calls()) return;
  if (style_.min_time == 0 || passes_) {
    if (record.flow == Flow::Entry) calls_[record.tid].push_back({record.probe->function, now_, "", true});
  } else {
    const std::string row = out.substr(row_begin_);
    out.resize(row_begin_);
    append_row(record, row, out);
  }
  left_.clear();
  if (const auto found = calls_.find(record.tid); found != calls_.end() && found->second.empty()) calls_.erase(found);
}

/// Shows a row that need not be shown at once, or holds it, or leaves it out.
void FlowTree::append_row(const TraceRecord& record, const std::string& row, std::string& out) {
  Calls& calls = calls_[record.tid];
  if (record.flow == Flow::Entry) {
    calls.push_back({record.probe->function, now_, row, false});
  } else if (record.flow == Flow::None && !calls.empty() && !calls.back().shown) {
    calls.back().held += row;
  } else if (record.flow == Flow::None || !ends_known_call_ || left_.front().shown || duration_ >= style_.min_time) {
    show(calls, out);
    show(left_, out);
    out += row;
  }
}

void FlowTree::show(Calls& calls, std::string& out) {
  for (Call& call : calls) {
    out += std::exchange(call.held, "");
    call.shown = true;
  }
}

void FlowTree::finish(std::string& out) {
  for (auto& [thread, calls] : calls_) {
    const auto long_enough = [this](const Call& call) { return now_ - call.began >= style_.min_time; };
    calls.erase(std::ranges::partition_point(calls, long_enough), calls.end());
    show(calls, out);
  }
  calls_.clear();
}

}  // namespace sonde
