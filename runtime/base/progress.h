// SPDX-License-Identifier: MIT
// A line on the terminal for work that takes long, such as reading the symbols of a large program
//
//   show_progress_on(fd);                     once, by the command: without it nothing is ever shown
//   { ProgressLine progress("compiling"); ... }   after a second: "sonde: compiling ... 3 s"; gone when the scope ends
//
// A thread draws the line, so the work needs no calls in its loops. Whoever writes to the terminal meanwhile calls
// hide_progress() first.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace sonde {

/// From now on progress is shown there; it must be a terminal that can redraw.
void show_progress_on(int fd);
/// Removes the line, if one is drawn; it is drawn again at its next second.
void hide_progress();

/// Context: one at a time; an inner one changes nothing.
class ProgressLine {
 public:
  explicit ProgressLine(std::string what);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// The work has come to something else.
  static void now(std::string what);

 private:
  void draw();
  void hide();
  friend void hide_progress();

  std::mutex lock_;
  std::condition_variable ends_;
  std::string what_;
  bool ended_ = false;
  bool drawn_ = false;
  std::thread thread_;
};

}  // namespace sonde
