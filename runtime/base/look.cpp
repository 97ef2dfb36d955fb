// SPDX-License-Identifier: MIT
#include "runtime/base/look.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <utility>

namespace sonde {
namespace {

/// The eight colours of the terminal's own palette, which its user has chosen to be legible.
constexpr auto kStyles = std::to_array<std::pair<Style, std::string_view>>({
    {Style::Error, "\033[1;31m"},
    {Style::Warning, "\033[1;35m"},
    {Style::Place, "\033[1m"},
    {Style::Caret, "\033[1;32m"},
    {Style::Hint, "\033[36m"},
    {Style::Call, "\033[1m"},
    {Style::Failed, "\033[31m"},
    {Style::Thread, "\033[36m"},
    {Style::Guide, "\033[2m"},
    {Style::Progress, "\033[2m"},
});

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Look Look::of(int fd) {
  const std::string_view terminal = variable("TERM");
  const bool redraws = !terminal.empty() && terminal != "dumb" && ::isatty(fd) == 1;
  return {redraws && variable("NO_COLOR").empty(), redraws};
}

std::string_view Look::begin(Style style) const {
  if (rich_)
    for (const auto& [known, sequence] : kStyles)
      if (known == style) return sequence;
  return {};
}

std::string_view Look::end() const { return rich_ ? "\033[0m" : ""; }

std::string Look::paint(Style style, std::string_view text) const {
  return std::string(begin(style)).append(text).append(end());
}

size_t columns_of(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : 80;
}

}  // namespace sonde
