// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/prompt/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/look.h"

namespace sonde {

Screen::Screen(FileOutput& output, EventLoop& loop, LineReader& reader) : output_(output), reader_(reader) {
  if (reader.interactive() && ::isatty(STDOUT_FILENO) == 1) flood_.set_rate(Flood::kUsualRate);
  moves_cursor_ = Look::of(STDOUT_FILENO).redraws();
  output_.set_frame(
      [this] {
        reader_.hide();
        remove_block();
      },
      [this] {
        draw_block();
        reader_.show();
      });
  output_.set_filter([this](const std::string& text) { return pass(text); });
  loop.at([this] { return flood_.due(); }, [this] { output_.answer(flood_.notice()); });
}

Screen::~Screen() {
  set_gate(Flood::Gate::Open);
  output_.set_frame([] {}, [] {});
  output_.set_filter([](std::string text) { return text; });
}

std::string Screen::pass(const std::string& text) {
  log(text);
  return flood_.pass(text, monotonic_now());
}

void Screen::answer(std::string_view text) {
  log(text);
  output_.answer(text);
  if (flood_.gate() != Flood::Gate::Open || flood_.rate() == 0 || !flood_.scrolls_away(monotonic_now())) return;
  output_.answer("(output waits while you read this; Enter lets it go on)\n");
  flood_.set_gate(Flood::Gate::Reading);
}

void Screen::note_line() {
  if (drawn_ > 0) {  // the line that was typed stays, below what was above the block
    const std::string rows = std::to_string(reader_.rows());
    output_.draw("\r\033[" + std::to_string(drawn_ + reader_.rows()) + "A\033[" + std::to_string(drawn_) + "M\033[" +
                 rows + "B");
    drawn_ = 0;
  }
  if (flood_.gate() == Flood::Gate::Reading) set_gate(Flood::Gate::Open);
}

void Screen::set_gate(Flood::Gate gate) {
  output_.flush();
  flood_.set_gate(gate);
  if (gate == Flood::Gate::Open) output_.answer(flood_.notice());
}

// ---- the log ---------------------------------------------------------------------------------------------------

Result<void> Screen::log_to(const std::string& path) {
  output_.flush();
  log_.reset();
  if (path.empty()) return {};
  auto file = FileOutput::open_file(path);
  if (!file) return std::move(file).error();
  log_ = std::move(*file);
  log_path_ = path;
  return {};
}

void Screen::log(std::string_view text) {
  if (log_.get() < 0) return;
  const int error = write_all(log_.get(), text);
  if (error == 0) return;
  log_.reset();
  output_.message("failed to write to " + log_path_ + ": " + std::strerror(error) + "; the log ends here");
}

// ---- the block -------------------------------------------------------------------------------------------------

namespace {

/// The first lines of a text that fit the terminal, each cut at its edge; a line of the prompt's and one of output
/// stay free.
std::string that_fits(const std::string& text, size_t rows, size_t columns) {
  std::istringstream all(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(all, line);) lines.push_back(line.substr(0, columns - 1));
  const size_t most = rows > 4 ? rows - 3 : 1;
  if (lines.size() > most) {
    const size_t left_out = lines.size() - most + 1;
    lines.resize(most - 1);
    lines.push_back(std::string(ellipsis()) + " " + with_commas(left_out) + " more lines");
  }
  std::string fitting;
  for (const std::string& line : lines) fitting += line + "\n";
  return fitting;
}

/// Lines as they look when they stand still: what a progress bar wrote last, without the bytes that move the cursor or
/// change colours.
std::string printable(const std::string& text) {
  std::istringstream all(text);
  std::string shown;
  for (std::string line; std::getline(all, line);) {
    while (line.ends_with('\r')) line.pop_back();
    if (const size_t last = line.rfind('\r'); last != line.npos) line.erase(0, last + 1);
    for (size_t at = 0; at < line.size(); at++) {
      if (line[at] == '\033' && at + 1 < line.size() && line[at + 1] == '[')
        at = line.find_first_of("@ABCDEFGHIJKLMPSTXZ`abcdefghijklmnopqrstuxyz~", at + 2);
      else if (static_cast<unsigned char>(line[at]) >= ' ')
        shown += line[at];
      if (at == line.npos) break;
    }
    shown += '\n';
  }
  return shown;
}

}  // namespace

void Screen::set_block(std::string text) {
  if (!moves_cursor_) {
    if (!text.empty()) output_.answer(text);
    return;
  }
  change_block(block_, std::move(text));
}

bool Screen::set_open_lines(const std::string& text) {
  const bool shown = flood_.gate() == Flood::Gate::Open || flood_.gate() == Flood::Gate::Reading;
  if (moves_cursor_ && (!text.empty() || !open_.empty())) change_block(open_, shown ? printable(text) : "");
  return moves_cursor_;
}

void Screen::change_block(std::string& part, std::string text) {
  output_.flush();
  reader_.hide();
  remove_block();
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) size = {24, 80, 0, 0};
  part = text.empty() ? "" : that_fits(text, size.ws_row, size.ws_col);
  draw_block();
  reader_.show();
}

void Screen::remove_block() {
  if (drawn_ == 0) return;
  output_.draw("\r\033[" + std::to_string(drawn_) + "A\033[J");
  drawn_ = 0;
}

void Screen::draw_block() {
  const std::string text = open_ + block_;
  if (text.empty()) return;
  output_.draw(text);
  drawn_ = static_cast<size_t>(std::ranges::count(text, '\n'));
}

}  // namespace sonde
