// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/prompt/target_output.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/session/sink.h"

namespace sonde {
namespace {

constexpr char kGiveBack = 0x1d;                 ///< Ctrl-]
constexpr Nanoseconds kMoment = 200'000'000;     ///< until an open line is shown where the cursor cannot move
constexpr size_t kLongestLine = 1 << 16;         ///< bytes of a line that are kept until its end
constexpr size_t kMostAtEnd = size_t{16} << 20;  ///< that descendants of a program may write while its end is reported

}  // namespace

TargetOutput::TargetOutput(Relay& relay, FileOutput& output, Screen& screen, LineReader& reader, EventLoop& loop)
    : relay_(relay), output_(output), screen_(screen), reader_(reader) {
  relay.set_handlers(
      [this](Relay::Terminal& terminal, std::string_view text) { take(terminal, text); },
      [this](Relay::Terminal& terminal) { end(terminal); },
      [this](const Relay::Terminal& terminal, int error) {
        output_.message(terminal.name +
                        " hangs up when sonde ends: sonde-relay cannot keep its terminal: " + std::strerror(error));
      });
  loop.watch([this] { return relay_.fd(); }, POLLIN,
             [this] {
               relay_.read();
               show_open_lines();
             });
  loop.at([this] { return due_; },
          [this] {
            due_ = EventLoop::kNever;
            for (Relay::Terminal& one : relay_.all()) show_lines(one, one.text.size());
          });
  relay.serve_all();
}

TargetOutput::~TargetOutput() {
  leave_front();
  relay_.set_handlers([](Relay::Terminal&, std::string_view) {}, [](Relay::Terminal&) {},
                      [](const Relay::Terminal&, int) {});
}

void TargetOutput::settle() {
  relay_.read_all(kMostAtEnd);
  show_open_lines();
}

// ---- lines -----------------------------------------------------------------------------------------------------

void TargetOutput::take(Relay::Terminal& terminal, std::string_view text) {
  if (!reader_.interactive()) {
    terminal.text += text;
    return show_lines(terminal, terminal.text.size());
  }
  ScreenSequences& sequences = sequences_[&terminal];
  const bool drew = sequences.draws();
  const std::string lines = sequences.lines_of(text);
  if (front_ == &terminal) return output_.draw(text);
  terminal.text += lines;
  const size_t newline = terminal.text.rfind('\n');
  show_lines(terminal, terminal.text.size() > kLongestLine ? terminal.text.size() : newline + 1);
  if (sequences.draws() && !drew)
    output_.message(terminal.name + " draws on the whole screen, which is not shown" +
                    (terminal.end.controls ? "; :fg " + terminal.name + " shows it" : ""));
}

void TargetOutput::end(Relay::Terminal& terminal) {
  if (front_ == &terminal) leave_front();
  sequences_.erase(&terminal);
  show_lines(terminal, terminal.text.size());
}

/// The first `length` bytes of what waits.
void TargetOutput::show_lines(Relay::Terminal& terminal, size_t length) {
  if (length == 0) return;
  std::string shown = terminal.text.substr(0, length);
  terminal.text.erase(0, length);
  if (reader_.interactive() && relay_.all().size() > 1) {
    const std::string mark = "[" + terminal.name + "] ";
    for (size_t at = 0; at < shown.size(); at = std::min(shown.find('\n', at), shown.size() - 1) + 1) {
      shown.insert(at, mark);
      at += mark.size();
    }
  }
  if (reader_.interactive()) screen_.set_open_lines("");
  output_.relay(std::move(shown));
}

void TargetOutput::show_open_lines() {
  if (!reader_.interactive() || front_ != nullptr) return;
  std::string open;
  for (const Relay::Terminal& one : relay_.all())
    if (!one.text.empty()) open += (relay_.all().size() > 1 ? "[" + one.name + "] " : "") + one.text + "\n";
  if (!screen_.set_open_lines(open)) due_ = open.empty() ? EventLoop::kNever : monotonic_now() + kMoment;
}

// ---- its keyboard ----------------------------------------------------------------------------------------------

Result<Relay::Terminal*> TargetOutput::controlling(std::string_view name) {
  if (Relay::Terminal* const found = relay_.find_controlling(name)) return found;
  return Error((name.empty() ? "no target" : "no target of the name " + std::string(name)) +
                   " has a terminal of its own; :target -t COMMAND starts one that has",
               ENOENT);
}

Result<void> TargetOutput::type(std::string_view name, std::string_view text) {
  auto terminal = controlling(name);
  if (!terminal) return std::move(terminal).error();
  const ssize_t written = ::write((*terminal)->master.get(), text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return {};
  const int error = written < 0 ? errno : EAGAIN;
  if (error != EAGAIN) return Error::from_errno("failed to type into the terminal of " + (*terminal)->name, error);
  return Error((*terminal)->name + " does not read: its terminal has room for no more", EAGAIN);
}

Result<void> TargetOutput::bring_to_front(std::string_view name) {
  auto terminal = controlling(name);
  if (!terminal) return std::move(terminal).error();
  if (!reader_.interactive())
    return Error(":fg needs a terminal; :input " + (*terminal)->name + ": TEXT types a line", ENOTTY);
  output_.message((*terminal)->name + " has screen and keyboard; Ctrl-] gives them back");
  screen_.set_open_lines("");
  gate_ = screen_.flood().gate();
  screen_.set_gate(Flood::Gate::Paused);
  front_ = *terminal;
  reader_.release();
  output_.draw(sequences_[front_].redo());
  ::tcgetattr(STDIN_FILENO, &ours_);
  take_keyboard();
  output_.draw(std::exchange(front_->text, ""));
  return {};
}

void TargetOutput::take_keyboard() {
  termios raw = ours_;
  ::cfmakeraw(&raw);
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  ask_to_redraw(front_->master.get(), STDOUT_FILENO);
}

void TargetOutput::read_keyboard() {
  std::array<char, 4096> block;
  const ssize_t got = ::read(STDIN_FILENO, block.data(), block.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  const std::string_view typed(block.data(), static_cast<size_t>(std::max<ssize_t>(got, 0)));
  const size_t until = std::min(typed.find(kGiveBack), typed.size());
  const std::string_view passed = typed.substr(0, until);
  if (!passed.empty() && ::write(front_->master.get(), passed.data(), passed.size()) < 0 && errno == EAGAIN)
    output_.draw("\a");
  if (got <= 0 || until < typed.size()) leave_front();
}

void TargetOutput::leave_front() {
  if (front_ == nullptr) return;
  output_.draw(sequences_[front_].undo());
  front_ = nullptr;
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &ours_);
  output_.draw("\n");
  reader_.redraw();
  screen_.set_gate(gate_);
}

}  // namespace sonde
