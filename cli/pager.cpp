// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/pager.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>

#include "runtime/base/look.h"
#include "runtime/base/unique_fd.h"
#include "runtime/session/sink.h"

namespace sonde {
namespace {

constexpr int kNotRun = 127;  ///< a shell's status where there is no such command, and ours

bool fits_the_screen(std::string_view text) {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return true;
  return std::ranges::count(text, '\n') < size.ws_row;
}

/// The keyboard's signals are the pager's while it runs, and a pager that quits early is no error.
class Quiet {
 public:
  Quiet() {
    for (size_t i = 0; i < std::size(kSignals); i++) before_[i] = ::signal(kSignals[i], SIG_IGN);
  }
  ~Quiet() {
    for (size_t i = 0; i < std::size(kSignals); i++) ::signal(kSignals[i], before_[i]);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

  /// In the child: as they were.
  void undo() const {
    for (size_t i = 0; i < std::size(kSignals); i++) ::signal(kSignals[i], before_[i]);
  }

 private:
  static constexpr int kSignals[] = {SIGINT, SIGQUIT, SIGPIPE};
  sighandler_t before_[std::size(kSignals)];
};

[[noreturn]] void become_pager(const char* command, int input) {
  ::dup2(input, STDIN_FILENO);
  ::setenv("LESS", "FRX", 0);  // as git does: a user's own settings stay
  if (command != nullptr)
    ::execl("/bin/sh", "sh", "-c", command, nullptr);
  else
    ::execlp("less", "less", "-FRX", nullptr);
  ::_exit(kNotRun);
}

}  // namespace

bool page(std::string_view text) {
  const char* command = std::getenv("PAGER");
  const bool unwanted = command != nullptr && (*command == 0 || std::string_view(command) == "cat");
  if (unwanted || !Look::of(STDOUT_FILENO).is_rich() || fits_the_screen(text)) return false;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  UniqueFd reads(ends[0]), writes(ends[1]);
  const Quiet quiet;
  const pid_t pager = ::fork();
  if (pager == 0) {
    quiet.undo();
    become_pager(command, reads.get());
  }
  if (pager < 0) return false;
  reads.reset();
  write_all(writes.get(), text);
  writes.reset();
  int status = 0;
  while (::waitpid(pager, &status, 0) < 0 && errno == EINTR) {
  }
  return !WIFEXITED(status) || WEXITSTATUS(status) != kNotRun;
}

}  // namespace sonde
