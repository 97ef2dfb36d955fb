// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/injection.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <set>
#include <span>

#include "cli/calls.h"

namespace sonde {
namespace {

constexpr int kMostErrno = 4095;
constexpr double kMostDelay = 60e9;                      ///< ns
constexpr uint64_t kFirstError = -uint64_t{kMostErrno};  ///< results from there on mean that a call failed

std::optional<uint64_t> number_in(std::string_view text) {
  uint64_t value = 0;
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The number of ENOENT, or of "2"; 0: there is none.
int error_number(std::string_view name) {
  if (const auto number = number_in(name)) return *number <= kMostErrno ? static_cast<int>(*number) : 0;
  for (int error = 1; error < 256; error++)
    if (const char* known = ::strerrorname_np(error); known != nullptr && name == known) return error;
  return 0;
}

/// ns. Without a unit: microseconds, as strace's.
std::optional<uint64_t> duration_in(std::string_view text) {
  constexpr std::pair<std::string_view, uint64_t> kUnits[] = {
      {"ns", 1}, {"us", 1000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
  uint64_t unit = 1000;
  for (const auto& [name, nanoseconds] : kUnits) {
    if (!text.ends_with(name)) continue;
    unit = nanoseconds;
    text.remove_suffix(name.size());
    break;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const double nanoseconds = value * static_cast<double>(unit);
  if (error != std::errc() || end != text.data() + text.size() || !(nanoseconds >= 0 && nanoseconds <= kMostDelay))
    return std::nullopt;
  return static_cast<uint64_t>(nanoseconds);
}

std::string list_of(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names)
    text += (text.empty() ? "" : name == names.back() ? " and " : ", ") + std::string(name) + "=";
  return text;
}

Error wrong(std::string_view part, const std::string& why) { return Error(std::string(part) + ": " + why, EINVAL); }

/// FIRST[..LAST][+[STEP]]
Result<void> parse_when(std::string_view part, std::string_view text, Injection& to) {
  const auto bad = [&] { return wrong(part, "when=FIRST[..LAST][+[STEP]], numbers from 1"); };
  const size_t plus = text.find('+'), dots = text.find("..");
  const auto first = number_in(text.substr(0, std::min(plus, dots)));
  if (!first || *first == 0) return bad();
  to.first = to.last = *first;
  if (dots != text.npos) {
    const auto last = number_in(text.substr(dots + 2, plus == text.npos ? plus : plus - dots - 2));
    if (!last || *last < *first) return bad();
    to.last = *last;
  }
  if (plus == text.npos) return {};
  const std::string_view step = text.substr(plus + 1);
  if (dots == text.npos) to.last = UINT64_MAX;
  to.step = step.empty() ? 1 : number_in(step).value_or(0);
  return to.step == 0 ? Result<void>(bad()) : Result<void>();
}

Result<void> parse_value(std::string_view part, std::string_view name, std::string_view value, Injection& to) {
  if (name == "error") {
    const int error = error_number(value);
    if (error == 0) return wrong(part, "no such error");
    to.result = -error;
  } else if (name == "retval") {
    const auto number = number_in(value);
    if (!number || *number >= kFirstError) return wrong(part, "a number from 0; error= makes the call fail");
    to.result = static_cast<int64_t>(*number);
  } else if (name == "signal") {
    auto numbers = parse_signals(value);
    if (!numbers) return std::move(numbers).error();
    if (numbers->size() != 1) return wrong(part, "one signal");
    to.signal = numbers->front();
  } else if (name == "when") {
    return parse_when(part, value, to);
  } else {
    const auto delay = duration_in(value);
    if (!delay) return wrong(part, "a time up to 60s, as 10ms; without a unit microseconds");
    (name == "delay_enter" ? to.delay_enter : to.delay_exit) = *delay;
  }
  return {};
}

constexpr std::array<std::string_view, 6> kOfInjections = {"error",       "retval",     "signal",
                                                           "delay_enter", "delay_exit", "when"};
constexpr std::array<std::string_view, 2> kOfFaults = {"error", "when"};

/// "SET:NAME=VALUE:..."; each name of `known` once.
Result<Injection> parse_parts(std::string_view text, std::span<const std::string_view> known) {
  const size_t colon = std::min(text.find(':'), text.size());
  auto calls = parse_call_set(text.substr(0, colon));
  if (!calls) return std::move(calls).error();
  if (calls->none()) return Error("no system call is chosen", EINVAL);
  Injection injection{.calls = std::move(*calls)};
  std::set<std::string_view> given;
  for (size_t at = colon + 1, end; at < text.size(); at = end + 1) {
    end = std::min(text.find(':', at), text.size());
    const std::string_view part = text.substr(at, end - at);
    const size_t equals = std::min(part.find('='), part.size());
    const std::string_view name = part.substr(0, equals);
    if (std::ranges::find(known, name) == known.end()) return wrong(part, "not there; " + list_of(known) + " are");
    if (!given.insert(name).second && name != "when") return wrong(part, std::string(name) + "= is given twice");
    if (auto done = parse_value(part, name, part.substr(std::min(equals + 1, part.size())), injection); !done)
      return std::move(done).error();
  }
  if (given.contains("error") && given.contains("retval")) return Error("error= or retval=, not both", EINVAL);
  return injection;
}

/// What one injection does to `calls`. self->sonde_nthN: which of the thread's calls of that name, from 1, the call at hand
/// is; 0: it is not one of them.
void add_injection(const Injection& one, const CallSet& calls, const std::vector<std::string>& paths,
                   const std::string& number, InjectionScript& script) {
  const std::string nth = "self->sonde_nth" + number, count = "self->sonde_count" + number + "[probefunc]";
  std::string chosen = nth + " >= " + std::to_string(one.first);
  if (one.last != UINT64_MAX) chosen += " && " + nth + " <= " + std::to_string(one.last);
  if (one.step != 1)
    chosen += " && (" + nth + " - " + std::to_string(one.first) + ") % " + std::to_string(one.step) + " == 0";
  script.before += entries_of(calls, paths, "\t" + count + "++;\n\t" + nth + " = " + count + ";\n");
  std::string at_entry, at_return;
  const auto delay = [](uint64_t ns) { return "\tself->sonde_delayed = 1;\n\t__delay(" + std::to_string(ns) + ");\n"; };
  if (one.delay_enter != 0) at_entry += delay(one.delay_enter);
  if (one.signal != 0) at_entry += "\t__signal(" + std::to_string(one.signal) + ");\n";
  if (one.result)
    at_entry += "\tself->sonde_injected = 1;\n\tself->sonde_result = (int64_t)" + std::to_string(*one.result) +
                ";\n\tinject(self->sonde_result);\n";
  if (!at_entry.empty())
    script.before += call_descriptions(calls.names, "entry") + "\n/" + chosen + "/\n{\n" + at_entry + "}\n";
  const CallSet returning = calls_that_return(calls);
  if (returning.none()) return;
  const std::string returns = call_descriptions(returning.names, "return");
  if (one.delay_exit != 0) script.before += returns + "\n/" + chosen + "/\n{\n" + delay(one.delay_exit) + "}\n";
  script.behind += returns + "\n{\n\t" + nth + " = 0;\n\tself->sonde_injected = 0;\n\tself->sonde_delayed = 0;\n}\n";
}

}  // namespace

Result<void> check_injects(std::string_view source, const SourceCapabilities& can) {
  if (can.injects) return {};
  return Error("--inject: the " + std::string(source) + " source makes every call\n    -x source=" +
                   sources_with([](const SourceCapabilities& one) { return one.injects; }) + " can inject",
               ENOTSUP);
}

Result<Injection> parse_injection(std::string_view text) {
  auto injection = parse_parts(text, kOfInjections);
  if (!injection) return injection;
  if (!injection->result && injection->signal == 0 && injection->delay_enter == 0 && injection->delay_exit == 0)
    return Error("what happens to the calls is missing: error=ENOENT, retval=0, signal=TERM, delay_enter=10ms", EINVAL);
  return injection;
}

Result<Injection> parse_fault(std::string_view text) {
  auto injection = parse_parts(text, kOfFaults);
  if (injection && !injection->result) injection->result = -ENOSYS;
  return injection;
}

Result<InjectionScript> injection_script(const std::vector<Injection>& injections, const CallSet& shown,
                                         const std::vector<std::string>& paths) {
  InjectionScript script;
  if (!injections.empty())
    script.before = "self int sonde_injected;\nself int sonde_delayed;\nself int64_t sonde_result;\n";
  for (size_t i = 0; i < injections.size(); i++) {
    CallSet calls = in_both(injections[i].calls, shown);
    if (calls.none())
      return Error("--trace shows none of these calls, and only calls that it shows are changed", EINVAL);
    for (size_t later = i + 1; later < injections.size(); later++) calls = only_in(calls, injections[later].calls);
    if (!calls.none()) add_injection(injections[i], calls, paths, std::to_string(i), script);
  }
  return script;
}

}  // namespace sonde
