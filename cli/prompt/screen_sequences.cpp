// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/prompt/screen_sequences.h"

#include <charconv>

namespace sonde {
namespace {

constexpr char kEscape = '\033';
constexpr size_t kLongestSequence = 256;  ///< of a sequence; what is longer is none
constexpr int kWraps = 7, kCursor = 25;
constexpr int kOtherScreens[] = {47, 1047, 1049};

/// Whether a terminal has the mode before any program sets it.
bool is_set_first(int mode) { return mode == kWraps || mode == kCursor; }

/// A control sequence, "ESC [ ... letter".
bool is_control(std::string_view sequence) { return sequence.size() >= 3 && sequence[1] == '['; }

bool is_whole(std::string_view sequence) {
  if (sequence.size() < 2) return false;
  const char kind = sequence[1], last = sequence.back();
  if (kind == ']') return last == '\a' || (sequence.size() > 2 && sequence.ends_with("\033\\"));
  if (kind == '[') return sequence.size() > 2 && last >= '@' && last <= '~';
  return last >= '0' && last <= '~';  // others are two characters, or have further ones below '0' between
}

/// Whether it would change the screen around the line.
bool reaches_beyond_line(std::string_view sequence) {
  constexpr std::string_view kOfControl = "HfdJrsuLMSThlnc", kOfOthers = "=>78cDEM";
  return (is_control(sequence) ? kOfControl : kOfOthers).find(sequence.back()) != std::string_view::npos &&
         sequence[1] != ']';
}

std::string mode_sequence(int mode, bool on) { return "\033[?" + std::to_string(mode) + (on ? "h" : "l"); }

}  // namespace

std::string ScreenSequences::lines_of(std::string_view text) {
  std::string lines;
  for (const char c : text) {
    if (sequence_.empty() && c != kEscape) {
      if (!draws()) lines += c;
      continue;
    }
    sequence_ += c;
    if (is_whole(sequence_) || sequence_.size() > kLongestSequence) take(lines);
  }
  return lines;
}

void ScreenSequences::take(std::string& lines) {
  const bool is_mode = sets_mode();
  const bool places = is_control(sequence_) && (sequence_.back() == 'H' || sequence_.back() == 'f');
  if (places && modes_.contains(kCursor)) placed_ = true;
  if (!modes_.contains(kCursor)) placed_ = false;
  if (!is_mode && !draws() && !reaches_beyond_line(sequence_)) lines += sequence_;
  sequence_.clear();
}

/// Whether the sequence sets DEC private modes; remembers them.
bool ScreenSequences::sets_mode() {
  if (!sequence_.starts_with("\033[?") || (sequence_.back() != 'h' && sequence_.back() != 'l')) return false;
  const bool on = sequence_.back() == 'h';
  const char* const end = sequence_.data() + sequence_.size() - 1;
  for (const char* at = sequence_.data() + 3; at < end;) {
    int mode = 0;
    const auto [behind, error] = std::from_chars(at, end, mode);
    if (error == std::errc() && on == is_set_first(mode)) modes_.erase(mode);
    if (error == std::errc() && on != is_set_first(mode)) modes_[mode] = on;
    at = behind + 1;
  }
  return true;
}

bool ScreenSequences::draws() const {
  for (const int screen : kOtherScreens)
    if (modes_.contains(screen)) return true;
  return placed_;
}

std::string ScreenSequences::redo() const {
  std::string text;
  for (const auto& [mode, on] : modes_) text += mode_sequence(mode, on);
  return text;
}

std::string ScreenSequences::undo() const {
  std::string text = draws() ? "\033[r\033[m\033>" : "";  // whole screen, no colours, keypad
  for (const auto& [mode, on] : modes_) text += mode_sequence(mode, !on);
  return text;
}

}  // namespace sonde
