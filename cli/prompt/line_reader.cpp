// SPDX-License-Identifier: GPL-3.0-or-later
// readline in an event loop
//
// readline has one state for the process, and its callbacks have no argument of ours. So only one TerminalReader can
// exist, current_. hide() removes the half-typed line from the screen and show() restores it; but not while the handler
// of a line runs (handling_), because readline draws the next prompt when the handler has returned.
//
// Tab: readline asks breaks() where the last word begins, which finds the candidates, too; then complete_word() for them. A
// second Tab lists them, each with its note.
#include "cli/prompt/line_reader.h"

#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <readline/history.h>
#include <readline/readline.h>

#include "cli/prompt/flood.h"

namespace sonde {

namespace {

std::string history_path() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  std::string folder = state != nullptr ? state : home != nullptr ? std::string(home) + "/.local/state" : "";
  if (folder.empty()) return "";
  if (state == nullptr) ::mkdir((std::string(home) + "/.local").c_str(), 0700);
  ::mkdir(folder.c_str(), 0700);
  folder += "/sonde";
  ::mkdir(folder.c_str(), 0700);
  return folder + "/history";
}

/// Characters of a text in UTF-8. (Those that take two columns are rare in a clause.)
size_t width(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

class TerminalReader : public LineReader {
 public:
  TerminalReader(LineHandler handler, Complete complete, EndHandler end)
      : handler_(std::move(handler)), complete_(std::move(complete)), end_(std::move(end)), history_(history_path()) {
    current_ = this;
    rl_catch_signals = 0;
    rl_readline_name = "sonde";
    rl_attempted_completion_function = &TerminalReader::complete_word;
    rl_completion_display_matches_hook = &TerminalReader::list_candidates;
    rl_completion_word_break_hook = &TerminalReader::breaks;
    rl_completer_quote_characters = "";
    rl_sort_completion_matches = 0;  // they are
    rl_completion_query_items = 0;   // the list is short: it never asks whether to show so many
    rl_startup_hook = &TerminalReader::put_text;
    if (!history_.empty()) ::read_history(history_.c_str());
    rl_callback_handler_install(prompt_.c_str(), &TerminalReader::take_line);
  }
  ~TerminalReader() override {
    rl_callback_handler_remove();
    if (!history_.empty()) ::write_history(history_.c_str());
    current_ = nullptr;
  }

  void read() override { rl_callback_read_char(); }
  void set_prompt(const std::string& prompt) override {
    prompt_ = prompt;
    rl_set_prompt(prompt_.c_str());
  }
  void hide() override {
    if (ended_ || handling_ || released_) return;
    rl_clear_visible_line();
    std::fflush(rl_outstream);
  }
  void show() override {
    if (ended_ || handling_ || released_) return;
    take_terminal();
    rl_on_new_line();
    rl_redisplay();
  }
  void discard() override {
    rl_replace_line("", 0);
    rl_crlf();
    rl_on_new_line();
    rl_redisplay();
  }
  /// Called while a line is handled: without a handler readline draws no next one.
  void release() override {
    rl_callback_handler_remove();
    released_ = true;
  }
  void redraw() override {
    if (ended_) return;
    if (std::exchange(released_, false))
      return rl_callback_handler_install(prompt_.c_str(), &TerminalReader::take_line);
    take_terminal();
    rl_on_new_line();
    rl_redisplay();
  }
  void put(const std::string& text) override { put_ = text; }
  size_t rows() const override { return rows_; }
  void remember(const std::string& entry) override {
    std::string line = entry;
    for (char& c : line) c = c == '\n' ? ' ' : c;
    ::add_history(line.c_str());
  }
  void close() override {
    ended_ = true;
    rl_callback_handler_remove();
  }
  bool ended() const override { return ended_; }
  bool interactive() const override { return true; }

 private:
  /// After Ctrl-Z and fg the terminal has the shell's settings. Whatever shows the line next, a target's output or
  /// SIGCONT, takes ours back first: the terminal itself would edit the keys that follow, and drop them.
  static void take_terminal() {
    termios settings;
    if (tcgetattr(fileno(rl_instream), &settings) == 0 && (settings.c_lflag & ICANON) == 0) return;
    rl_deprep_terminal();  // else readline would think that the terminal still has its own settings
    rl_prep_terminal(1);
  }

  static void take_line(char* line) { current_->take(line); }
  void take(char* line) {
    if (line == nullptr) {
      std::fputc('\n', rl_outstream);
      std::fflush(rl_outstream);
      if (end_()) close();
      return;
    }
    std::string text = line;
    std::free(line);
    int rows = 0, columns = 0;
    rl_get_screen_size(&rows, &columns);
    rows_ = 1 + (width(prompt_ + text) - 1) / static_cast<size_t>(std::max(columns, 1));
    handling_ = true;
    handler_(text);
    handling_ = false;
  }

  /// readline calls it when it has drawn an empty line.
  static int put_text() {
    const std::string text = std::exchange(current_->put_, "");
    if (!text.empty()) rl_insert_text(text.c_str());
    return 0;
  }

  static char* breaks() {
    current_->candidates_ = current_->complete_(std::string(rl_line_buffer, static_cast<size_t>(rl_point)));
    return const_cast<char*>(current_->candidates_.breaks);  // readline only reads them
  }

  /// readline's form of candidates: the longest text that all begin with, then each; null: it looks for files.
  static char** complete_word(const char* /*word*/, int /*start*/, int /*end*/) {
    const Candidates& found = current_->candidates_;
    rl_attempted_completion_over = found.files ? 0 : 1;
    rl_filename_completion_desired = 0;
    rl_completion_append_character = found.behind;
    rl_completion_suppress_append = found.behind == 0 ? 1 : 0;
    if (found.total == 0) return nullptr;
    // readline frees what it gets
    char** matches = static_cast<char**>(std::malloc((found.first.size() + 2) * sizeof(char*)));
    if (matches == nullptr) return nullptr;
    size_t count = 0;
    matches[count++] = ::strdup(found.word.c_str());
    if (found.total > 1)
      for (const Candidate& one : found.first) matches[count++] = ::strdup(one.text.c_str());
    matches[count] = nullptr;
    return matches;
  }

  /// One line each, cut at the edge of the screen; of very many only the beginning.
  static void list_candidates(char** matches, int count, int longest) {
    int rows = 0, columns = 0;
    rl_get_screen_size(&rows, &columns);
    const size_t width = static_cast<size_t>(std::max(columns, 20)) - 1, column = static_cast<size_t>(longest) + 2;
    std::string text = "\n";
    const Candidates& all = current_->candidates_;
    for (int i = 1; i <= count; i++) {
      std::string line = matches[i];
      const auto known = std::ranges::find(all.first, line, &Candidate::text);
      line.resize(std::max(line.size(), column), ' ');
      if (known != all.first.end()) line += known->note;
      text += line.substr(0, width) + "\n";
    }
    if (all.total > all.first.size()) text += "... and " + with_commas(all.total - all.first.size()) + " more\n";
    std::fputs(text.c_str(), rl_outstream);
    rl_on_new_line();
    rl_forced_update_display();
  }

  static inline TerminalReader* current_ = nullptr;
  LineHandler handler_;
  Complete complete_;
  EndHandler end_;
  std::string put_;        ///< what the next line begins with
  Candidates candidates_;  ///< of the last Tab
  std::string history_;
  std::string prompt_ = "sonde> ";
  size_t rows_ = 1;
  bool ended_ = false;
  bool released_ = false;  ///< somebody else has the terminal
  bool handling_ = false;  ///< between the end of a line and the next prompt: there is no line on the screen
};

class PipeReader : public LineReader {
 public:
  explicit PipeReader(LineHandler handler, std::string first = {})
      : handler_(std::move(handler)), text_(std::move(first)) {}

  void read() override {
    char block[4096];
    ssize_t n = ::read(STDIN_FILENO, block, sizeof block);
    if (n <= 0) {
      ended_ = true;
      if (!text_.empty()) handler_(std::exchange(text_, ""));
      return;
    }
    text_.append(block, static_cast<size_t>(n));
    pass_lines();
  }
  std::string unread() const override { return text_; }
  void set_prompt(const std::string&) override {}
  void hide() override {}
  void show() override {}
  void discard() override {}
  void release() override {}
  void redraw() override {}
  void put(const std::string&) override {}
  void remember(const std::string&) override {}
  size_t rows() const override { return 1; }
  void close() override { ended_ = true; }
  bool ended() const override { return ended_; }
  bool interactive() const override { return false; }

  void pass_lines() override {
    for (size_t end; !ended_ && (end = text_.find('\n')) != std::string::npos;) {
      std::string line = text_.substr(0, end);
      text_.erase(0, end + 1);
      handler_(line);
    }
  }

 private:
  LineHandler handler_;
  std::string text_;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<LineReader> make_line_reader(LineReader::LineHandler handler, LineReader::Complete complete,
                                             LineReader::EndHandler end, std::string first) {
  if (::isatty(STDIN_FILENO) == 1)
    return std::make_unique<TerminalReader>(std::move(handler), std::move(complete), std::move(end));
  return std::make_unique<PipeReader>(std::move(handler), std::move(first));
}

std::unique_ptr<LineReader> make_no_reader() {
  return std::make_unique<PipeReader>([](const std::string&) {});
}

}  // namespace sonde
