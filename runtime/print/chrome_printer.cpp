// SPDX-License-Identifier: GPL-3.0-or-later
// A timeline in the Trace Event Format, for Perfetto and chrome://tracing
//
//   [
//   {"ph":"B","ts":12.345,"pid":7,"tid":7,"cat":"syscall","args":{"arg0":3},"name":"read"}
//   ,{"ph":"E","ts":19.002,"pid":7,"tid":7,"cat":"syscall","args":{"arg1":512},"name":"read"}
//   ]
//
// An entry begins a slice of its thread, its return ends it (thread_tracks.h says how they stay nested), and everything
// else is an instant. All clauses of a firing are one event, so an event waits until the next firing, or the end of a
// drain. Lines are written as things happen. The format permits the last bracket to be missing, so a file is
// readable however the run ended; that is why a comma begins a line.
//
// The viewers want microseconds. Times are CLOCK_MONOTONIC, with nanoseconds as a fraction.
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/print/json_values.h"
#include "runtime/print/plain_values.h"
#include "runtime/print/printer.h"
#include "runtime/print/run_identity.h"
#include "runtime/print/thread_tracks.h"

namespace sonde {
namespace {

bool is_text(const ValueType& type) { return type.kind == ValueType::Kind::String || is_char_array(type); }

/// Whether entries of this kind are the same function of C for many: then the text that a clause prints names the call.
bool is_named_by_text(const ProbeInfo& probe) { return flow_of(probe) == Flow::Entry && probe.name != "entry"; }

std::string counter_name(const AggTable& table, const NamedElement& element) {
  std::string name = "@" + table.desc().name;
  for (size_t i = 0; i < element.keys.size(); ++i) name += (i == 0 ? " " : ", ") + element.keys[i];
  return name;
}

class ChromePrinter final : public Printer {
 public:
  explicit ChromePrinter(PrintSink& sink) : Printer(sink) {}

  void start(const RunStart& start) override {
    start_ = start;
    begin_file();
  }
  void file_begins() override {
    close_event();
    switch_file(true);
    begin_file();
  }
  void begin_record(const TraceRecord&, RowStyle) override { shown_ = false; }
  void item(TraceRecord& record, const TraceItem& item) override;
  void end_record(const TraceRecord& record, RowStyle) override {
    if (!shown_ && record.has_columns()) open_event(record);
  }
  void settle() override { close_event(); }
  void aggregations(const AggSnapshot& snapshot, const FormatSettings& settings) override {
    counters(snapshot, settings, monotonic_now());
  }
  void dropped(const Drop& drop, bool tagged) override;
  void faulted(const FaultReport& fault) override;
  void end(const RunEnd& end) override;

 private:
  void begin_file();
  void switch_file(bool is_new);
  void separate();
  template <typename Fill>
  void event(char kind, uint64_t time, uint32_t pid, uint32_t tid, std::string_view name, Fill fill_args);
  template <typename Fill>
  void moment(std::string_view name, Fill fill_args);
  void name_thread(ThreadTracks::Thread& thread, ThreadTrack& track, const TraceRecord& record);
  void sort_process(uint64_t time, uint32_t pid);
  void open_event(const TraceRecord& record);
  void close_event();
  JsonLine& key(std::string_view name);
  void values(const TraceRecord& record, const TraceItem& item);
  void counters(const AggSnapshot& snapshot, const FormatSettings& settings, uint64_t time);
  void counter(const AggTable& table, std::string_view name, int64_t value, uint64_t time);

  static constexpr size_t kWhole = SIZE_MAX;
  const uint32_t own_pid_ = static_cast<uint32_t>(::getpid());
  RunStart start_;
  ThreadTracks tracks_{[this](const ThreadTrack& track, const OpenCall& call, uint64_t time, std::string_view why) {
    event('E', time, track.pid, track.shown_tid(), call.name,
          [why](JsonLine& line) { line.key("no return").string(why); });
  }};
  bool new_file_ = true;  ///< nothing was written to it
  bool first_ = true;     ///< it has no event
  bool shown_ = false;
  std::set<std::string> files_{""};                        ///< those of freopen(), and "" for the first
  std::unordered_set<uint32_t> named_;                     ///< processes
  std::unordered_map<uint32_t, uint64_t> places_;          ///< of processes, the same in all files
  std::map<std::string, std::set<std::string>> counters_;  ///< by aggregation, as it was printed last
  std::set<std::string, std::less<>> left_out_;            ///< aggregations
  uint64_t slices_ = 0, lone_returns_ = 0;
  // The event that waits.
  std::string text_;
  std::optional<JsonLine> open_;
  ThreadTracks::Place place_{};
  const ProbeInfo* probe_ = nullptr;
  uint64_t firing_ = 0, time_ = 0;
  std::string name_;
  bool has_text_name_ = false;
  std::vector<std::string_view> keys_;  ///< of its args
};

// ---- lines ---------------------------------------------------------------------------------------------------------

void ChromePrinter::begin_file() {
  new_file_ = false;
  first_ = true;
  sink_.text += "[\n";
  moment("sonde", [this](JsonLine& line) {
    line.key("title").string(start_.title);
    line.key("host").string(start_.host);
    line.key("version").string(SONDE_VERSION);
    line.key("kernel").string(kernel_release());
    line.key("script").string(start_.script);
    line.key("source").string(start_.source.empty() ? "none" : start_.source);
    line.key("realtime_ns").string(std::to_string(wall_clock()));
    line.key("labels").open('[');
    for (const std::string& label : start_.labels) line.string(label);
    line.close(']');
  });
}

/// The next line goes to another file. What only the file before has is forgotten. No file but the last one gets its last
/// bracket, because freopen() may return to it.
void ChromePrinter::switch_file(bool is_new) {
  tracks_.forget();
  named_.clear();
  counters_.clear();
  new_file_ = is_new;
  first_ = false;
}

void ChromePrinter::separate() {
  if (new_file_) begin_file();
  if (!first_) sink_.text += ',';
  first_ = false;
}

template <typename Fill>
void ChromePrinter::event(char kind, uint64_t time, uint32_t pid, uint32_t tid, std::string_view name, Fill fill_args) {
  separate();
  JsonLine line(sink_.text, kWhole, false);
  line.key("ph").string({&kind, 1});
  line.key("ts").microseconds(time);
  line.key("pid").number(uint64_t{pid});
  line.key("tid").number(uint64_t{tid});
  line.key("args").open('{');
  fill_args(line);
  line.close('}');
  if (kind == 'i') line.key("s").string("g");
  line.key("name").string(name);
  line.finish();
}

/// Of the run, not of a thread.
template <typename Fill>
void ChromePrinter::moment(std::string_view name, Fill fill_args) {
  event('i', monotonic_now(), own_pid_, own_pid_, name, fill_args);
}

void ChromePrinter::name_thread(ThreadTracks::Thread& thread, ThreadTrack& track, const TraceRecord& record) {
  const auto metadata = [&](std::string_view kind, uint32_t tid, std::string_view name) {
    event('M', record.timestamp, record.pid, tid, kind, [name](JsonLine& line) { line.key("name").string(name); });
  };
  const auto name = record.execname_text();
  if (name && *name != thread.name) {
    thread.name = *name;
    metadata("thread_name", record.tid, *name);
    const bool is_new = named_.insert(record.pid).second;
    if (is_new || record.pid == record.tid) metadata("process_name", record.tid, *name);
    if (is_new) sort_process(record.timestamp, record.pid);
  }
  if (track.number == 0 || track.named) return;
  track.named = true;
  metadata("thread_name", track.shown_tid(), thread.name + " " + std::to_string(track.tid) + ", committed late");
}

/// Viewers sort processes by name. Here they stand in the order in which they were seen, and sonde, with the counters, last.
void ChromePrinter::sort_process(uint64_t time, uint32_t pid) {
  constexpr uint64_t kLast = 1'000'000'000;
  const uint64_t index = pid == own_pid_ ? kLast : places_.try_emplace(pid, places_.size() + 1).first->second;
  event('M', time, pid, pid, "process_sort_index", [index](JsonLine& line) { line.key("sort_index").number(index); });
}

// ---- records -------------------------------------------------------------------------------------------------------

void ChromePrinter::item(TraceRecord& record, const TraceItem& item) {
  shown_ = true;
  switch (item.kind) {
    case TraceItem::Kind::Change: return;
    case TraceItem::Kind::Printa: return counters(record.aggregations_of(item), item.settings, record.timestamp);
    case TraceItem::Kind::Ftruncate: close_event(); return switch_file(true);
    case TraceItem::Kind::Freopen:
      open_event(record);
      values(record, item);
      close_event();
      return switch_file(files_.insert(item_text(record, item).value_or("")).second);
    case TraceItem::Kind::System:
    case TraceItem::Kind::Trace:
    case TraceItem::Kind::Printf:
    case TraceItem::Kind::Tracemem:
    case TraceItem::Kind::Print: break;
  }
  open_event(record);
  values(record, item);
}

/// Unless it is open: another clause of the firing was shown.
void ChromePrinter::open_event(const TraceRecord& record) {
  if (open_ && firing_ == record.firing) return;
  close_event();
  ThreadTracks::Thread& thread = tracks_.thread(record.pid, record.tid);
  place_ = tracks_.place(thread, record.tid, *record.probe, record.timestamp, record.firing);
  name_thread(thread, *place_.track, record);
  firing_ = record.firing;
  time_ = record.timestamp;
  probe_ = record.probe;
  has_text_name_ = false;
  name_ = place_.kind == ThreadTracks::Kind::End ? place_.call.name : event_name(*probe_);
  const bool is_instant = place_.kind == ThreadTracks::Kind::Instant;
  if (is_instant && !place_.is_again && flow_of(*probe_) == Flow::Return) {
    name_ += " returns";
    ++lone_returns_;
  }
  slices_ += place_.kind == ThreadTracks::Kind::Begin;
  text_.clear();
  keys_.assign(place_.call.keys.begin(), place_.call.keys.end());  // viewers show both ends' arguments as one list
  JsonLine& line = open_.emplace(text_, kWhole, false);
  line.key("ph").string(is_instant ? "i" : place_.kind == ThreadTracks::Kind::Begin ? "B" : "E");
  line.key("ts").microseconds(record.timestamp);
  line.key("pid").number(uint64_t{record.pid});
  line.key("tid").number(uint64_t{place_.track->shown_tid()});
  if (is_instant) line.key("s").string("t");
  line.key("cat").string(probe_->module.empty() ? probe_->provider : probe_->provider + "," + probe_->module);
  line.key("args").open('{');
}

void ChromePrinter::close_event() {
  if (!open_) return;
  open_->close('}');
  open_->key("name").string(name_);
  open_->finish();
  open_.reset();
  separate();
  sink_.text += text_;
  if (place_.kind == ThreadTracks::Kind::Begin) {
    place_.track->open.back().name = name_;
    place_.track->open.back().keys.assign(keys_.begin(), keys_.end());
  }
  tracks_.end_behind(*probe_, place_.track->pid, place_.track->tid, time_);
}

/// A slice has each key once.
JsonLine& ChromePrinter::key(std::string_view name) {
  const auto before = std::ranges::count(keys_, name);
  keys_.push_back(name);
  return before == 0 ? open_->key(name) : open_->key(std::string(name) + " " + std::to_string(before + 1));
}

void ChromePrinter::values(const TraceRecord& record, const TraceItem& item) {
  const ActionSite& site = *item.site;
  const auto name_by = [this](std::string_view text) {
    if (has_text_name_ || !is_named_by_text(*probe_) || text.empty()) return;
    name_ = text;
    has_text_name_ = true;
  };
  if (item.kind == TraceItem::Kind::Trace) {
    const ValueType& type = site.arguments.at(0);
    const uint64_t word = record.words_of(item)[0];
    const bool is_named = !site.names.empty() && !site.names[0].empty();
    json_value(type, word, item.settings, key(is_named ? site.names[0] : site.action));
    if (is_text(type)) name_by(item_text(record, item).value_or(""));
    return;
  }
  if (item.kind == TraceItem::Kind::Print)
    return json_object(*site.layout, static_cast<const uint8_t*>(record.bytes_of(item)), key(site.action));
  std::string text = item_text(record, item).value_or("");
  while (text.ends_with('\n')) text.pop_back();
  key(site.action).string(text);
  name_by(text);
  if (item.kind != TraceItem::Kind::Printf) return;
  const uint64_t* words = record.words_of(item);
  for (size_t i = 0; i < site.names.size(); ++i)
    if (!site.names[i].empty()) json_value(site.arguments[i], words[i], item.settings, key(site.names[i]));
}

// ---- aggregations --------------------------------------------------------------------------------------------------

/// A viewer draws a counter's value until the next one, so a counter that is no longer printed falls to 0.
void ChromePrinter::counters(const AggSnapshot& snapshot, const FormatSettings& settings, uint64_t time) {
  for (size_t at = 0; at < snapshot.tables.size(); ++at) {
    const AggTable& table = *snapshot.tables[at];
    const bool has_stack =
        std::ranges::find(table.desc().keys, ValueType::Kind::Stack, &ValueType::kind) != table.desc().keys.end();
    std::set<std::string> printed;
    for (const NamedElement& one : named_elements(snapshot, at, settings)) {
      const AggElement element = read_element(table, one.words.data());
      if (has_stack || !element.is_number) {
        left_out_.insert("@" + table.desc().name);
        break;
      }
      if (!element.value) continue;  // nothing was aggregated since clear()
      const int64_t shown = table.normal > 1 ? *element.value / static_cast<int64_t>(table.normal) : *element.value;
      counter(table, *printed.insert(counter_name(table, one)).first, shown, time);
    }
    std::set<std::string>& before = counters_[table.desc().name];
    for (const std::string& name : before)
      if (!printed.contains(name)) counter(table, name, 0, time);
    before = std::move(printed);
  }
}

void ChromePrinter::counter(const AggTable& table, std::string_view name, int64_t value, uint64_t time) {
  if (named_.insert(own_pid_).second) {
    event('M', time, own_pid_, own_pid_, "process_name", [](JsonLine& line) { line.key("name").string("sonde"); });
    sort_process(time, own_pid_);
  }
  event('C', time, own_pid_, own_pid_, name, [&](JsonLine& line) {
    line.key(row_of(table.desc().function).name);
    line.real(static_cast<double>(value));  // a viewer draws a double, and no text
  });
}

// ---- what went wrong, and the end ----------------------------------------------------------------------------------

void ChromePrinter::dropped(const Drop& drop, bool tagged) {
  moment(drop_message(drop), [&drop](JsonLine& line) { line.key("count").number(drop.count); });
  Printer::dropped(drop, tagged);
}

void ChromePrinter::faulted(const FaultReport& fault) {
  moment("error: " + fault_words(fault), [&fault](JsonLine& line) {
    line.key("probe").string(probe_text(*fault.probe));
    line.key("action").number(fault.action);
    line.key("count").number(1 + fault.more_before);
  });
  Printer::faulted(fault);
}

void ChromePrinter::end(const RunEnd& end) {
  close_event();
  tracks_.end_all(monotonic_now(), "tracing has ended");
  moment("end", [&end](JsonLine& line) {
    line.key("status").number(int64_t{end.status});
    line.key("reason").string(end.reason);
  });
  sink_.text += "]\n";
  for (const std::string& name : left_out_)
    sink_.message("the timeline leaves out " + name +
                  ": only numbers without a stack among their keys are counters\n    --format=jsonl has it");
  if (slices_ == 0 && lone_returns_ != 0)
    sink_.message(
        "the timeline has no slices, because no clause traces an entry\n"
        "    syscall::read:entry,syscall::read:return { } traces both ends");
}

}  // namespace

std::unique_ptr<Printer> make_chrome_printer(PrintSink& sink) { return std::make_unique<ChromePrinter>(sink); }

}  // namespace sonde
