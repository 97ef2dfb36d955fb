// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/prompt/flood.h"

#include <algorithm>
#include <cstdlib>

namespace sonde {
namespace {

constexpr size_t kWidest = 4096;       ///< bytes; a longer line counts as several
constexpr size_t kTooManyToRead = 10;  ///< lines a second

/// The first line of a text, with its newline if it has one.
std::string_view first_line(std::string_view text) {
  const size_t end = text.substr(0, kWidest).find('\n');
  return end == text.npos ? text.substr(0, kWidest) : text.substr(0, end + 1);
}

}  // namespace

std::string Flood::pass(std::string_view text, Nanoseconds now) {
  std::string shown;
  while (!text.empty()) {
    const std::string_view line = first_line(text);
    text.remove_prefix(line.size());
    if (!is_inside_) {
      is_shown_ = lets_line_pass(now);
      if (is_shown_)
        shown += notice();
      else
        held_++;
    }
    is_inside_ = line.back() != '\n' && line.size() < kWidest;
    if (is_shown_) shown += line;
  }
  return shown;
}

bool Flood::lets_line_pass(Nanoseconds now) {
  if (gate_ != Gate::Open || now < closed_until_) return false;
  forget_before(now - std::min(now, kMoment));
  if (rate_ != 0 && shown_.size() >= rate_) {
    closed_until_ = now + kMoment;
    return false;
  }
  if (shown_.size() < std::max<uint64_t>(rate_, kTooManyToRead)) shown_.push_back(now);
  return true;
}

void Flood::forget_before(Nanoseconds time) {
  while (!shown_.empty() && shown_.front() <= time) shown_.pop_front();
}

bool Flood::scrolls_away(Nanoseconds now) {
  forget_before(now - std::min(now, kMoment));
  return held_ > 0 || shown_.size() >= kTooManyToRead;
}

std::string Flood::notice() {
  if (held_ == 0) return {};
  std::string text(ellipsis());
  text += " " + with_commas(held_) + (held_ == 1 ? " more line" : " more lines") + "; :pause, :quiet, :rate N\n";
  held_ = 0;
  return text;
}

std::string with_commas(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string_view ellipsis() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == 0) continue;
    const std::string_view locale = value;
    return locale.find("UTF-8") != locale.npos || locale.find("utf8") != locale.npos ? "…" : "...";
  }
  return "...";
}

}  // namespace sonde
