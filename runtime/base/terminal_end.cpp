// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/terminal_end.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace sonde {
namespace {

/// Neither echo nor translation: what is written comes out at the master.
int make_transparent(int master) {
  termios settings{};
  if (::tcgetattr(master, &settings) != 0) return -1;
  settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  settings.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL);
  return ::tcsetattr(master, TCSANOW, &settings);
}

}  // namespace

Result<NewTerminal> open_terminal(bool controls, int like) {
  constexpr char kFailed[] = "failed to open a terminal for the target";
  UniqueFd master(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  unsigned number = 0;
  const bool opened = master.get() >= 0 && ::grantpt(master.get()) == 0 && ::unlockpt(master.get()) == 0 &&
                      ::ioctl(master.get(), TIOCGPTN, &number) == 0;
  if (!opened || (!controls && make_transparent(master.get()) != 0)) return Error::from_errno(kFailed);
  copy_size(master.get(), like);
  return NewTerminal{std::move(master), {number, controls, controls}};
}

void copy_size(int master, int like) {
  winsize size{};
  if (::ioctl(like, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) size = {24, 80, 0, 0};
  ::ioctl(master, TIOCSWINSZ, &size);
}

void ask_to_redraw(int master, int like) {
  winsize other{};
  if (::ioctl(master, TIOCGWINSZ, &other) == 0) {
    other.ws_row++;
    ::ioctl(master, TIOCSWINSZ, &other);
  }
  copy_size(master, like);
}

int take_terminal(const TerminalEnd& end) {
  char path[32];
  std::snprintf(path, sizeof path, "/dev/pts/%u", end.number);
  if (end.controls && ::setsid() < 0) return errno;
  const int fd = ::open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return errno;
  if (end.controls && (::ioctl(fd, TIOCSCTTY, 0) != 0 || ::dup2(fd, STDIN_FILENO) < 0)) return errno;
  if (::dup2(fd, STDOUT_FILENO) < 0) return errno;
  return end.errors && ::dup2(fd, STDERR_FILENO) < 0 ? errno : 0;
}

}  // namespace sonde
