// SPDX-License-Identifier: MIT
#include "runtime/base/progress.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string_view>
#include <utility>

#include "runtime/base/look.h"
#include "runtime/base/thread.h"

namespace sonde {
namespace {

std::atomic<int> g_terminal = -1;
std::atomic<ProgressLine*> g_current = nullptr;

void write_to_terminal(std::string_view text) {
  [[maybe_unused]] const ssize_t written = ::write(g_terminal, text.data(), text.size());
}

}  // namespace

void show_progress_on(int fd) { g_terminal = fd; }

void hide_progress() {
  if (ProgressLine* const current = g_current) current->hide();
}

ProgressLine::ProgressLine(std::string what) : what_(std::move(what)) {
  ProgressLine* none = nullptr;
  if (g_terminal < 0 || !g_current.compare_exchange_strong(none, this)) return;
  try {
    thread_ = start_thread([this] { draw(); });
  } catch (const NoThread&) {
    g_current = nullptr;  // the work goes on without
  }
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard guard(lock_);
    ended_ = true;
  }
  ends_.notify_one();
  thread_.join();
  hide();
  g_current = nullptr;
}

void ProgressLine::now(std::string what) {
  ProgressLine* const current = g_current;
  if (current == nullptr) return;
  const std::lock_guard guard(current->lock_);
  current->what_ = std::move(what);
}

void ProgressLine::draw() {
  const Look look = Look::of(g_terminal);
  std::unique_lock guard(lock_);
  for (int seconds = 1; !ends_.wait_for(guard, std::chrono::seconds(1), [this] { return ended_; }); seconds++) {
    std::string line = "sonde: " + what_ + " ... " + std::to_string(seconds) + " s";
    line.resize(std::min(line.size(), columns_of(g_terminal) - 1));
    write_to_terminal("\r\033[K" + look.paint(Style::Progress, line));
    drawn_ = true;
  }
}

void ProgressLine::hide() {
  const std::lock_guard guard(lock_);
  if (std::exchange(drawn_, false)) write_to_terminal("\r\033[K");
}

}  // namespace sonde
