// SPDX-License-Identifier: GPL-3.0-or-later
// readline in an event loop
//
// readline has one state for the process, and its callbacks have no argument of ours. So only one TerminalReader can
// exist, current_. hide() removes the half-typed line from the screen and show() restores it; but not while the handler
// of a line runs (handling_), because readline draws the next prompt when the handler has returned.
//
// Tab: readline splits words at kWordBreaks and asks complete_word() for the candidates of the last one. A second Tab lists
// them, each with its note.
#include "cli/line_reader.h"

#include <sys/stat.h>
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

class TerminalReader : public LineReader {
 public:
  TerminalReader(LineHandler handler, Complete complete)
      : handler_(std::move(handler)), complete_(std::move(complete)), history_(history_path()) {
    current_ = this;
    rl_catch_signals = 0;
    rl_readline_name = "sonde";
    rl_attempted_completion_function = &TerminalReader::complete_word;
    rl_completion_display_matches_hook = &TerminalReader::list_candidates;
    rl_completer_word_break_characters = kWordBreaks;
    rl_completer_quote_characters = "";
    rl_sort_completion_matches = 0;  // they are
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
    if (ended_ || handling_) return;
    rl_clear_visible_line();
    std::fflush(rl_outstream);
  }
  void show() override {
    if (ended_ || handling_) return;
    rl_on_new_line();
    rl_redisplay();
  }
  void discard() override {
    rl_replace_line("", 0);
    rl_crlf();
    rl_on_new_line();
    rl_redisplay();
  }
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
  static void take_line(char* line) { current_->take(line); }
  void take(char* line) {
    if (line == nullptr) {
      close();
      std::putchar('\n');
      return;
    }
    std::string text = line;
    std::free(line);
    handling_ = true;
    handler_(text);
    handling_ = false;
  }

  /// readline's form of candidates: the longest text that all begin with, then each; null: it looks for files.
  static char** complete_word(const char*, int start, int end) {
    Candidates& found = current_->candidates_;
    found = current_->complete_(std::string(rl_line_buffer, static_cast<size_t>(end)));
    rl_attempted_completion_over = found.files ? 0 : 1;
    rl_filename_completion_desired = 0;
    rl_completion_append_character = found.behind;
    rl_completion_suppress_append = found.behind == 0 ? 1 : 0;
    if (found.all.empty()) return nullptr;
    const size_t typed = static_cast<size_t>(end - start);
    const std::string &first = found.all.front().text, &last = found.all.back().text;  // sorted: these differ first
    const auto differ = std::ranges::mismatch(first, last).in1;
    const std::string common(first.begin(), differ);
    // readline frees what it gets
    char** matches = static_cast<char**>(std::malloc((found.all.size() + 2) * sizeof(char*)));
    if (matches == nullptr) return nullptr;
    size_t count = 0;
    matches[count++] =
        ::strdup(common.size() >= typed ? common.c_str() : std::string(rl_line_buffer + start, typed).c_str());
    if (found.all.size() > 1)
      for (const Candidate& one : found.all) matches[count++] = ::strdup(one.text.c_str());
    matches[count] = nullptr;
    return matches;
  }

  /// One line each, cut at the edge of the screen; of very many only the beginning.
  static void list_candidates(char** matches, int count, int longest) {
    constexpr int kMost = 40;
    int rows = 0, columns = 0;
    rl_get_screen_size(&rows, &columns);
    const size_t width = static_cast<size_t>(std::max(columns, 20)) - 1, column = static_cast<size_t>(longest) + 2;
    std::string text = "\n";
    const std::vector<Candidate>& all = current_->candidates_.all;
    for (int i = 1; i <= std::min(count, kMost); i++) {
      std::string line = matches[i];
      const auto known = std::ranges::find(all, line, &Candidate::text);
      line.resize(std::max(line.size(), column), ' ');
      if (known != all.end()) line += known->note;
      text += line.substr(0, width) + "\n";
    }
    if (count > kMost) text += "... and " + std::to_string(count - kMost) + " more\n";
    std::fputs(text.c_str(), rl_outstream);
    rl_on_new_line();
    rl_forced_update_display();
  }

  static inline TerminalReader* current_ = nullptr;
  LineHandler handler_;
  Complete complete_;
  Candidates candidates_;  ///< of the last Tab
  std::string history_;
  std::string prompt_ = "sonde> ";
  bool ended_ = false;
  bool handling_ = false;  ///< between the end of a line and the next prompt: there is no line on the screen
};

class PipeReader : public LineReader {
 public:
  explicit PipeReader(LineHandler handler) : handler_(std::move(handler)) {}

  void read() override {
    char block[4096];
    ssize_t n = ::read(STDIN_FILENO, block, sizeof block);
    if (n <= 0) {
      ended_ = true;
      if (!text_.empty()) handler_(std::exchange(text_, ""));
      return;
    }
    text_.append(block, static_cast<size_t>(n));
    for (size_t end; (end = text_.find('\n')) != std::string::npos;) {
      std::string line = text_.substr(0, end);
      text_.erase(0, end + 1);
      handler_(line);
    }
  }
  void set_prompt(const std::string&) override {}
  void hide() override {}
  void show() override {}
  void discard() override {}
  void remember(const std::string&) override {}
  void close() override { ended_ = true; }
  bool ended() const override { return ended_; }
  bool interactive() const override { return false; }

 private:
  LineHandler handler_;
  std::string text_;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<LineReader> make_line_reader(LineReader::LineHandler handler, LineReader::Complete complete) {
  if (::isatty(STDIN_FILENO) == 1) return std::make_unique<TerminalReader>(std::move(handler), std::move(complete));
  return std::make_unique<PipeReader>(std::move(handler));
}

}  // namespace sonde
