// SPDX-License-Identifier: GPL-3.0-or-later
// Output that nobody may be reading
//
//   write --> pending_ --> flush, at 64 KiB or by the caller --> freopen()'s file, else -o's, else stdout
//
// A message goes to stderr at once, so message() flushes first: what was traced before it stands before it. Messages, and
// what goes to stdout, are written inside the frame, which takes the prompt's half-typed line away and puts it back.
//
// A write that fails ends the run. EPIPE, and POLLERR on watched_fd(), mean that the reader has gone: no message is
// due. Any other error is reported once. We refused to go on without output, as strace does: a trace that nobody can
// keep only slows the target.
#include "cli/output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace sonde {

namespace {

constexpr size_t kFlushAt = 1 << 16;
std::string g_program_name = "sonde";

}  // namespace

void set_program_name(std::string_view argv0) {
  size_t slash = argv0.rfind('/');
  std::string_view base = slash == std::string_view::npos ? argv0 : argv0.substr(slash + 1);
  if (base == "dtrace") g_program_name = "dtrace";
}

const std::string& program_name() { return g_program_name; }

Result<UniqueFd> FileOutput::open_file(const std::string& path) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return Error::from_errno("failed to open " + path);
  return UniqueFd(fd);
}

void FileOutput::redirect(UniqueFd file, std::string name) {
  first_ = std::move(file);
  first_name_ = std::move(name);
}

int FileOutput::watched_fd() const {
  struct stat about {};
  if (failed() || ::fstat(target(), &about) != 0) return -1;
  return S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode) ? target() : -1;
}

void FileOutput::write(std::string_view text) {
  pending_ += text;
  if (pending_.size() >= kFlushAt) flush();
}

void FileOutput::set_frame(std::function<void()> before, std::function<void()> after) {
  before_ = std::move(before);
  after_ = [this, after = std::move(after)] {
    if (line_open_) [[maybe_unused]]
      ssize_t n = ::write(STDOUT_FILENO, "\n", 1);
    line_open_ = false;
    after();
  };
}

void FileOutput::message(std::string_view text) {
  flush();
  before_();
  std::fprintf(stderr, "%s: %.*s\n", g_program_name.c_str(), static_cast<int>(text.size()), text.data());
  after_();
}

void FileOutput::flush() {
  if (pending_.empty()) return;
  if (target() != STDOUT_FILENO) return write_pending();
  before_();
  line_open_ = pending_.back() != '\n';
  write_pending();
  after_();
}

Result<void> FileOutput::reopen(const std::string& path) {
  flush();
  if (path.empty()) {
    file_ = UniqueFd();
    return {};
  }
  auto file = open_file(path);
  if (!file) return std::move(file).error();
  file_ = std::move(*file);
  file_name_ = path;
  return {};
}

/// A terminal or a pipe has nothing to throw away.
void FileOutput::truncate() {
  flush();
  if (::ftruncate(target(), 0) == 0) ::lseek(target(), 0, SEEK_SET);
}

void FileOutput::write_pending() {
  const int fd = target();
  size_t done = 0;
  while (done < pending_.size() && !failed()) {
    ssize_t n = ::write(fd, pending_.data() + done, pending_.size() - done);
    if (n >= 0) {
      done += static_cast<size_t>(n);
    } else if (errno == EAGAIN) {
      pollfd ready{fd, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      note_failure(errno);
    }
  }
  pending_.clear();
}

void FileOutput::note_failure(int error) {
  if (error == EPIPE) return note_reader_gone();
  refused_ = true;
  const std::string& name = file_ ? file_name_ : first_name_;
  std::fprintf(stderr, "%s: failed to write to %s: %s\n", g_program_name.c_str(), name.c_str(), std::strerror(error));
}

}  // namespace sonde
