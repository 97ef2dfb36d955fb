// SPDX-License-Identifier: GPL-3.0-or-later
// Times as text, for the list of calls.
#include <time.h>

#include <algorithm>
#include <cstdlib>

#include "runtime/base/units.h"
#include "runtime/body/state.h"
#include "runtime/body/subroutines.h"
#include "runtime/format/append.h"

namespace sonde {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr uint64_t kMostDigits = 9, kMostWidth = 20;

/// ".123" for 123 ms and three digits; empty for none. What is beyond is cut.
std::string fraction_text(int64_t nanoseconds, uint64_t digits) {
  if (digits == 0) return "";
  std::string text;
  append_format(text, ".%09lld", static_cast<long long>(nanoseconds));
  return text.substr(0, 1 + std::min(digits, kMostDigits));
}

}  // namespace

extern "C" {

/// Of nanoseconds since 1970, in the local time zone.
uint64_t sonde_fn___clock(BodyContext* context, uint32_t, const uint64_t* argv) {
  const auto nanoseconds = static_cast<int64_t>(argv[0]);
  const time_t seconds = nanoseconds / kSecond;
  tm local{};
  ::localtime_r(&seconds, &local);
  std::string text;
  append_format(text, "%02d:%02d:%02d", local.tm_hour, local.tm_min, local.tm_sec);
  return make_string(context, text + fraction_text(nanoseconds % kSecond, argv[1]));
}

uint64_t sonde_fn___duration(BodyContext* context, uint32_t, const uint64_t* argv) {
  std::string text = duration_text(static_cast<int64_t>(argv[0]));
  const uint64_t width = std::min(argv[1], kMostWidth);
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return make_string(context, text);
}

/// Times of two threads may be in the other order than their lines: the difference is negative.
uint64_t sonde_fn___seconds(BodyContext* context, uint32_t, const uint64_t* argv) {
  const auto value = static_cast<int64_t>(argv[0]);
  const uint64_t size = value < 0 ? 0 - argv[0] : argv[0];
  std::string whole = (value < 0 ? "-" : "") + std::to_string(size / kSecond);
  const uint64_t width = std::min(argv[2], kMostWidth);
  if (whole.size() < width) whole.insert(0, width - whole.size(), ' ');
  return make_string(context, whole + fraction_text(static_cast<int64_t>(size % kSecond), argv[1]));
}

}  // extern "C"

}  // namespace sonde
