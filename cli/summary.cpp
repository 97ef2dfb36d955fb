// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/summary.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "runtime/format/append.h"

namespace sonde {
namespace {

struct CallTotals {
  std::string name;
  int64_t time_ns = 0, calls = 0, errors = 0;
};

constexpr char kRule[] = "------ ----------- ----------- --------- --------- ----------------\n";

void append_row(std::string& text, const CallTotals& of, int64_t whole_ns) {
  const double share = whole_ns == 0 ? 0 : 100.0 * static_cast<double>(of.time_ns) / static_cast<double>(whole_ns);
  const std::string errors = of.errors == 0 ? "" : std::to_string(of.errors);
  append_format(text, "%6.2f %11.6f %11lld %9lld %9s %s\n", share, static_cast<double>(of.time_ns) / 1e9,
                static_cast<long long>(of.calls == 0 ? 0 : of.time_ns / of.calls / 1000),
                static_cast<long long>(of.calls), errors.c_str(), of.name.c_str());
}

}  // namespace

std::string table_of_calls(Consumer& consumer) {
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
  std::ranges::stable_sort(rows, std::greater(), &CallTotals::time_ns);
  std::string text = "% time     seconds  usecs/call     calls    errors syscall\n" + std::string(kRule);
  for (const CallTotals& row : rows) append_row(text, row, total.time_ns);
  text += kRule;
  append_row(text, total, total.time_ns);
  return text;
}

}  // namespace sonde
