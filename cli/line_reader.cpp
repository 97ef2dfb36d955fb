// SPDX-License-Identifier: GPL-3.0-or-later
// readline in an event loop
//
// readline has one state for the process, and its callbacks have no argument of ours. So only one TerminalReader can
// exist, current_. hide() removes the half-typed line from the screen and show() restores it; but not while the handler
// of a line runs (handling_), because readline draws the next prompt when the handler has returned.
#include "cli/line_reader.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

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
  explicit TerminalReader(LineHandler handler) : handler_(std::move(handler)), history_(history_path()) {
    current_ = this;
    rl_catch_signals = 0;
    rl_readline_name = "sonde";
    rl_bind_key('\t', rl_insert);
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

  static inline TerminalReader* current_ = nullptr;
  LineHandler handler_;
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

std::unique_ptr<LineReader> make_line_reader(LineReader::LineHandler handler) {
  if (::isatty(STDIN_FILENO) == 1) return std::make_unique<TerminalReader>(std::move(handler));
  return std::make_unique<PipeReader>(std::move(handler));
}

}  // namespace sonde
