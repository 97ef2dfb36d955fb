// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/summary.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "runtime/base/units.h"
#include "runtime/format/append.h"

namespace sonde {
namespace {

struct CallTotals {
  std::string name;
  int64_t time_ns = 0, calls = 0, errors = 0;
};

/// What a row is called, and the key that makes it one.
struct ByRow {
  Summary::By by;
  const char* title;
  const char* key;
};
constexpr ByRow kByRows[] = {{Summary::By::Call, "syscall", "probefunc"},
                             {Summary::By::File, "file", "self->sonde_file"},
                             {Summary::By::Process, "process", "strjoin(execname, strjoin(\" \", lltostr(pid)))"},
                             {Summary::By::Thread, "thread", "strjoin(execname, strjoin(\" \", lltostr(tid)))"}};

const ByRow& row_of(Summary::By by) { return *std::ranges::find(kByRows, by, &ByRow::by); }

/// The call's first path; the file of its first descriptor if it has no path, or an empty one (AT_EMPTY_PATH).
std::string file_of(const CallPlaces& places) {
  const auto first = [](uint8_t bits) { return "arg" + std::to_string(std::countr_zero(bits)); };
  const std::string file = places.descriptors != 0 ? "__fdpath[(int)" + first(places.descriptors) + "]" : "\"\"";
  if (places.paths == 0) return file;
  const std::string path = "copyinstr(" + first(places.paths) + ")";
  return first(places.paths) + " != 0 && " + path + " != \"\" ? " + path + " : " + file;
}

void sort_rows(std::vector<CallTotals>& rows, Summary::Order order) {
  switch (order) {
    case Summary::Order::Time: return std::ranges::stable_sort(rows, std::greater(), &CallTotals::time_ns), void();
    case Summary::Order::Calls: return std::ranges::stable_sort(rows, std::greater(), &CallTotals::calls), void();
    case Summary::Order::Errors: return std::ranges::stable_sort(rows, std::greater(), &CallTotals::errors), void();
    case Summary::Order::Name: return;  // as they are
  }
}

constexpr char kRule[] = "------ ----------- ----------- --------- --------- ----------------\n";

void append_row(std::string& text, const CallTotals& of, int64_t whole_ns, bool units) {
  const double share = whole_ns == 0 ? 0 : 100.0 * static_cast<double>(of.time_ns) / static_cast<double>(whole_ns);
  const std::string errors = of.errors == 0 ? "" : std::to_string(of.errors);
  const int64_t each_ns = of.calls == 0 ? 0 : of.time_ns / of.calls;
  if (units)
    append_format(text, "%6.2f %11s %11s", share, duration_text(of.time_ns).c_str(), duration_text(each_ns).c_str());
  else
    append_format(text, "%6.2f %11.6f %11lld", share, static_cast<double>(of.time_ns) / 1e9,
                  static_cast<long long>(each_ns / 1000));
  append_format(text, " %9lld %9s %s\n", static_cast<long long>(of.calls), errors.c_str(), escaped(of.name).c_str());
}

/// Which of the words it is: 0 is the first.
std::optional<size_t> place_in(std::string_view words, std::string_view word) {
  size_t place = 0;
  for (std::string_view item : items_of(words)) {
    item.remove_prefix(item.starts_with(' ') ? 1 : 0);
    if (item == word) return place;
    place++;
  }
  return std::nullopt;
}

}  // namespace

Result<Summary::By> parse_summary_by(std::string_view word) {
  const auto place = place_in(SONDE_SUMMARY_BY, word);
  if (place) return static_cast<Summary::By>(*place);
  return Error("no '" + std::string(word) + "': one of " SONDE_SUMMARY_BY, EINVAL);
}

Result<Summary::Order> parse_summary_order(std::string_view word) {
  const auto place = place_in(SONDE_SUMMARY_ORDERS, word);
  if (place) return static_cast<Summary::Order>(*place);
  return Error("no order '" + std::string(word) + "': one of " SONDE_SUMMARY_ORDERS, EINVAL);
}

std::string summary_script(const Summary& summary, const CallList& calls) {
  if (calls.trace.none()) return "BEGIN\n{\n}\n";
  std::string text;
  const std::string returns = call_descriptions(calls.trace.names, "return");
  if (summary.by == Summary::By::File) {
    for (const auto& [places, names] : calls_with_places(calls.trace))
      text += entries_of({.all = false, .names = names}, calls.paths,
                         "\tself->sonde_entered = timestamp;\n\tself->sonde_file = " + file_of(places) + ";\n");
  } else {
    text += entries_of(calls.trace, calls.paths, "\tself->sonde_entered = timestamp;\n");
  }
  const std::string known = summary.by == Summary::By::Call && calls.paths.empty()
                                ? "(self->sonde_entered || probefunc == \"execve\")"
                                : "self->sonde_entered";
  const std::string ended = calls.failed ? calls.successful ? "" : " && errno != 0" : " && errno == 0";
  const std::string key = std::string("[") + row_of(summary.by).key + "]";
  text += returns + "\n/" + known + " && errno != 0" + ended + "/\n{\n\t@sonde_errors" + key + " = count();\n}\n";
  text += returns + "\n/" + known + ended + "/\n{\n\t@sonde_time" + key +
          " = sum(self->sonde_entered ? timestamp - self->sonde_entered : 0);\n\t@sonde_calls" + key +
          " = count();\n}\n";
  return text + returns + "\n{\n\tself->sonde_entered = 0;\n}\n";
}

std::string table_of_calls(Consumer& consumer, const Summary& summary, bool units) {
  std::map<std::string, CallTotals> by_name;
  for (const auto& [name, value] : consumer.take_values("sonde_calls")) by_name[name].calls = value;
  for (const auto& [name, value] : consumer.take_values("sonde_time")) by_name[name].time_ns = value;
  for (const auto& [name, value] : consumer.take_values("sonde_errors")) by_name[name].errors = value;
  CallTotals total{"total"};
  std::vector<CallTotals> rows;
  for (auto& [name, row] : by_name) {
    row.name = name;
    total.time_ns += row.time_ns;
    total.calls += row.calls;
    total.errors += row.errors;
    rows.push_back(row);
  }
  sort_rows(rows, summary.order);
  std::string text = std::string(units ? "% time        time   time/call     calls    errors "
                                       : "% time     seconds  usecs/call     calls    errors ") +
                     row_of(summary.by).title + "\n" + kRule;
  for (const CallTotals& row : rows) append_row(text, row, total.time_ns, units);
  text += kRule;
  append_row(text, total, total.time_ns, units);
  return text;
}

}  // namespace sonde
