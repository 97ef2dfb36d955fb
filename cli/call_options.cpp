// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/call_options.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace sonde {
namespace {

constexpr StraceQualifier kQualifiers[] = {{"a", nullptr},
                                           {"abbrev", nullptr},
                                           {"decode-fd", "decode-fds"},
                                           {"decode-fds", "decode-fds"},
                                           {"decode-pid", "decode-pids"},
                                           {"decode-pids", "decode-pids"},
                                           {"fault", "fault"},
                                           {"inject", "inject"},
                                           {"kvm", nullptr},
                                           {"q", nullptr},
                                           {"quiet", nullptr},
                                           {"r", nullptr},
                                           {"raw", nullptr},
                                           {"read", nullptr},
                                           {"reads", nullptr},
                                           {"s", "signal"},
                                           {"signal", "signal"},
                                           {"signals", "signal"},
                                           {"silence", nullptr},
                                           {"silent", nullptr},
                                           {"status", "status"},
                                           {"t", "trace"},
                                           {"trace", "trace"},
                                           {"v", nullptr},
                                           {"verbose", nullptr},
                                           {"w", nullptr},
                                           {"write", nullptr},
                                           {"writes", nullptr},
                                           {"x", nullptr}};

/// The digits of a fraction of seconds.
std::optional<uint32_t> digits_of(std::string_view precision) {
  constexpr std::pair<std::string_view, uint32_t> kPrecisions[] = {{"s", 0}, {"ms", 3}, {"us", 6}, {"ns", 9}};
  for (const auto& [name, digits] : kPrecisions)
    if (precision == name) return digits;
  return std::nullopt;
}

Result<void> set_digits(const std::string& value, int32_t& to) {
  const std::optional<uint32_t> digits = digits_of(value.empty() ? "us" : value);
  if (!digits) return Error("no precision '" + value + "': s, ms, us or ns", EINVAL);
  to = static_cast<int32_t>(*digits);
  return {};
}

}  // namespace

const StraceQualifier* find_qualifier(std::string_view word) {
  const size_t equals = word.find('=');
  if (equals == word.npos) return nullptr;
  const auto row = std::ranges::find(kQualifiers, word.substr(0, equals), &StraceQualifier::name);
  return row == std::end(kQualifiers) ? nullptr : &*row;
}

bool is_path(const std::string& text) {
  if (text.starts_with('/') || text.starts_with("./") || text.starts_with("../")) return true;
  return text.find('/') != text.npos && text.find('{') == text.npos && !text.ends_with('/');
}

Result<void> CallOptions::set(OfCalls::What what, const std::string& value, const std::string& typed) {
  typed_ = typed;
  CallList& calls = arguments_.calls;
  switch (what) {
    case OfCalls::What::Trace: {
      auto set = parse_call_set(value);
      if (!set) return std::move(set).error();
      calls.trace = std::move(*set);
      return {};
    }
    case OfCalls::What::Status: return set_status(value);
    case OfCalls::What::Signals: {
      calls.signals = value;
      auto known = parse_signals(value);
      return known ? Result<void>() : Result<void>(std::move(known).error());
    }
    case OfCalls::What::Path: calls.paths.push_back(value); return {};
    case OfCalls::What::Successful: return set_status("successful");
    case OfCalls::What::Failed: return set_status("failed");
    case OfCalls::What::Clock: return set_clock(value);
    case OfCalls::What::Relative: return set_digits(value, calls.relative_digits);
    case OfCalls::What::Durations: return set_digits(value, calls.duration_digits);
    case OfCalls::What::Stacks:
      calls.stacks = true;
      arguments_.settings.push_back({"samestack", "", typed_});
      return {};
    case OfCalls::What::Descriptors: return set_descriptors(value);
    case OfCalls::What::Names: return set_names(value);
    case OfCalls::What::Separately: separately_ = true; return {};
    case OfCalls::What::Inject: return add_injection(parse_injection(value));
    case OfCalls::What::Fault: return add_injection(parse_fault(value));
  }
  return {};
}

/// Who types it consents: no -w is needed.
Result<void> CallOptions::add_injection(Result<Injection> injection) {
  if (!injection) return std::move(injection).error();
  arguments_.calls.injects = true;
  arguments_.injections.push_back(std::move(*injection));
  arguments_.settings.push_back({"destructive", "", typed_});
  return {};
}

Result<void> CallOptions::set_status(const std::string& value) {
  auto chosen = parse_words(value, {"successful", "failed", "unfinished", "unavailable", "detached"}, "status");
  if (!chosen) return std::move(chosen).error();
  const auto has = [&](std::string_view one) { return std::ranges::find(*chosen, one) != chosen->end(); };
  CallList& calls = arguments_.calls;
  calls.successful = has("successful");
  calls.failed = has("failed");
  calls.unfinished = has("unfinished");
  return {};
}

/// Each further -t says more; a long form says it at once: "unix,ms".
Result<void> CallOptions::set_clock(const std::string& value) {
  CallList& calls = arguments_.calls;
  if (value.empty()) {
    if (++clocks_ > 3) return Error("at most three: -ttt", EINVAL);
    calls.clock = clocks_ == 3 ? CallList::Clock::Epoch : CallList::Clock::TimeOfDay;
    calls.clock_digits = clocks_ == 1 ? 0 : 6;
    return {};
  }
  if (calls.clock == CallList::Clock::None) calls.clock = CallList::Clock::TimeOfDay;
  for (std::string_view part : items_of(value)) {
    if (part.starts_with("format:") || part.starts_with("precision:")) part.remove_prefix(part.find(':') + 1);
    const std::optional<uint32_t> digits = digits_of(part);
    if (digits)
      calls.clock_digits = *digits;
    else if (part == "none" || part == "time" || part == "unix")
      calls.clock = part == "none"   ? CallList::Clock::None
                    : part == "time" ? CallList::Clock::TimeOfDay
                                     : CallList::Clock::Epoch;
    else
      return Error("no format '" + std::string(part) + "': time, unix or none, and s, ms, us or ns", EINVAL);
  }
  return {};
}

Result<void> CallOptions::set_descriptors(const std::string& value) {
  if (value.empty() && ++descriptors_ == 2)
    arguments_.remarks.push_back(
        "-yy shows what -y shows: what a socket is connected to is in the lines of its connect() and accept()");
  if (!value.empty() && value != "none" && value != "path")
    return Error("no '" + value + "': path shows what each descriptor is open on, none only their numbers", EINVAL);
  arguments_.settings.push_back({"argstr", value == "none" ? "plain" : "full", typed_});
  return {};
}

Result<void> CallOptions::set_names(const std::string& value) {
  if (!value.empty() && value != "none" && value != "comm")
    return Error("no '" + value +
                     "': comm shows the program's name behind each thread's number, none only the number; " +
                     "for numbers in another PID namespace take vpid in a script",
                 EINVAL);
  arguments_.calls.names = value != "none";
  return {};
}

bool CallOptions::separate_files() {
  if (!separately_) return true;
  if (arguments_.output.empty()) return false;
  arguments_.calls.separately = arguments_.output;
  // For the script's freopen(), to files that were asked for.
  arguments_.settings.push_back({"destructive", "", "--output-separately"});
  return true;
}

}  // namespace sonde
