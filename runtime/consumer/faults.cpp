// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/consumer/faults.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "runtime/base/excerpt.h"
#include "runtime/format/format.h"
#include "runtime/framework/framework.h"
#include "runtime/program/program.h"

namespace sonde {
namespace {

constexpr Nanoseconds kTogether = 1'000'000'000;
constexpr uint64_t kFirstPage = 4096;

/// A hint for an address that cannot be read, in a statement that reads `statement`.
std::string hint_on_address(uint64_t address, std::string_view statement) {
  if (address < kFirstPage) return "    a number this small is no address\n";
  constexpr auto kFolder = static_cast<uint64_t>(AT_FDCWD);  // an int, which the caller may have widened from 32 bits
  if (address == kFolder || address == (kFolder & UINT32_MAX))
    return "    this is AT_FDCWD, a descriptor: of openat() and its like the path is arg1\n";
  if (statement.find("copyin") != statement.npos) return {};
  return "    memory of the program is read by copyin() and copyinstr()\n";
}

/// The faulting statement, as lines below the message.
std::string place_of_fault(const BodyContext& context) {
  const ClauseDesc& clause = *context.clause;
  if (clause.text == nullptr || context.action >= clause.places.size()) return {};
  const std::string_view text = *clause.text;
  const ClauseDesc::Span place = clause.places[context.action];
  std::string lines;
  if (text.find('\n') < text.find_last_not_of(" \n")) {
    const auto line = 1 + std::ranges::count(text.substr(0, place.begin), '\n');
    lines = "    line " + std::to_string(line) + ":\n";
  }
  lines += excerpt(text, place.begin, place.end);
  if (static_cast<Fault>(context.fault) == Fault::BadAddress)
    lines += hint_on_address(context.fault_value, text.substr(place.begin, place.end - place.begin));
  lines.pop_back();
  return "\n" + lines;
}

}  // namespace

void FaultLog::add(const ProbeInfo& probe, const BodyContext& context, Nanoseconds now) {
  FaultReport report{.epid = context.epid,
                     .probe = &probe,
                     .action = context.action,
                     .fault = static_cast<Fault>(context.fault),
                     .value = context.fault_value};
  const auto [at, is_new] = kinds_.try_emplace({context.clause, context.action, context.fault});
  Counted& counted = at->second;
  if (!is_new && (counted.count != 0 || now - counted.since < kTogether)) {
    ++counted.count;
    counted.last = report;
    return;
  }
  counted.since = now;
  if (is_new) report.place = place_of_fault(context);
  tell_(report);
}

void FaultLog::tell_counted(Nanoseconds now, bool all) {
  for (auto& [kind, counted] : kinds_) {
    if (counted.count == 0 || (!all && now - counted.since < kTogether)) continue;
    counted.last.more_before = std::exchange(counted.count, 0) - 1;
    tell_(counted.last);
    counted.since = now;
  }
}

}  // namespace sonde
