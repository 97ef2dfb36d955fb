// SPDX-License-Identifier: GPL-3.0-or-later
// Output whose reader may block or go away
//
//   write --> pending_ --> flush, at 64 KiB or by the caller --> sink --> freopen()'s file, else -o's, else stdout
//
// message() flushes first, so that traced output before it comes before it. Without a sink (at a prompt, and before
// anything is traced) everything is written at once; then messages, and output to stdout, are written inside the frame,
// which removes the prompt's half-typed line and restores it.
//
// A write that fails ends the run. EPIPE, and POLLERR on watched_fd(), mean that the reader has gone: there is no
// message. Any other error is reported once. We refused to go on without output, as strace does: a trace that nobody
// can keep only slows the target.
#include "cli/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "cli/diagnostics.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/progress.h"

namespace sonde {

namespace {

constexpr size_t kFlushAt = 1 << 16;
std::string g_program_name = "sonde";
bool g_messages_as_json = false;

/// A message has names of others' programs and files: a terminal must not take them for commands.
std::string without_controls(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const bool control = (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') || c == 0x7f;
    shown += control ? "?" : std::string_view(&c, 1);
  }
  return shown;
}

std::shared_ptr<const Destination> destination(int fd, std::string name) {
  return std::make_shared<const Destination>(Destination{fd, {}, std::move(name)});
}

std::shared_ptr<const Destination> destination(UniqueFd file, std::string name) {
  const int fd = file.get();
  return std::make_shared<const Destination>(Destination{fd, std::move(file), std::move(name)});
}

}  // namespace

void set_program_name(std::string_view argv0) {
  size_t slash = argv0.rfind('/');
  std::string_view base = slash == std::string_view::npos ? argv0 : argv0.substr(slash + 1);
  if (base == "dtrace") g_program_name = "dtrace";
}

void show_messages_as_json() { g_messages_as_json = true; }

std::string fatal_text(std::string_view message, const Look& look) {
  while (message.ends_with('\n')) message.remove_suffix(1);
  if (g_messages_as_json) return message_as_json(message, "error");
  std::string text;
  for (size_t begin = 0; begin <= message.size();) {
    const size_t end = std::min(message.find('\n', begin), message.size());
    const std::string_view line = message.substr(begin, end - begin);
    const bool goes_on = line.empty() || line[0] == ' ' || line[0] == '\t';
    if (!goes_on) text += look.paint(Style::Error, g_program_name + ":") + " ";
    text.append(line).append("\n");
    begin = end + 1;
  }
  return text;
}

const std::string& program_name() { return g_program_name; }

FileOutput::FileOutput()
    : stdout_(destination(STDOUT_FILENO, "standard output")),
      first_(stdout_),
      messages_(destination(STDERR_FILENO, "standard error")),
      target_(first_) {}

Result<UniqueFd> FileOutput::open_file(const std::string& path) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return Error::from_errno("failed to open " + path);
  return UniqueFd(fd);
}

void FileOutput::redirect(UniqueFd file, std::string name) {
  first_ = destination(std::move(file), std::move(name));
  target_ = first_;
}

void FileOutput::write_behind(size_t room) {
  flush();
  sink_.emplace(room, [this](const Destination& to, int error) { note_failure(to, error); });
}

int FileOutput::watched_fd() const {
  struct stat about {};
  if (failed() || ::fstat(target_->fd, &about) != 0) return -1;
  return S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode) ? target_->fd : -1;
}

void FileOutput::set_frame(std::function<void()> before, std::function<void()> after) {
  before_ = std::move(before);
  after_ = [this, after = std::move(after)] {
    if (line_open_) draw("\n");
    line_open_ = false;
    after();
  };
}

void FileOutput::write(std::string_view text) {
  pending_ += text;
  if (pending_.size() >= kFlushAt) flush();
}

void FileOutput::message(std::string_view text) {
  report(g_messages_as_json ? message_as_json(text, "note") : g_program_name + ": " + without_controls(text) + "\n");
}

void FileOutput::report(std::string_view lines) {
  flush();
  if (sink_) return sink_->put_message(messages_, std::string(lines));
  before_();
  hide_progress();
  write_now(*messages_, lines);
  after_();
}

void FileOutput::answer(std::string_view text) {
  flush();
  write_in_frame(*stdout_, text);
}

void FileOutput::relay(std::string text) {
  flush();
  write_in_frame(*stdout_, filter_(std::move(text)));
}

std::string FileOutput::capture(const std::function<void()>& writes) {
  flush();
  captures_ = true;
  writes();
  captures_ = false;
  return std::exchange(pending_, {});
}

void FileOutput::flush() {
  if (pending_.empty() || captures_) return;
  std::string text = std::exchange(pending_, {});
  if (failed()) return;
  if (sink_) return sink_->put(target_, std::move(text));
  if (target_->fd != STDOUT_FILENO) return write_now(*target_, text);
  write_in_frame(*target_, filter_(std::move(text)));
}

void FileOutput::write_in_frame(const Destination& to, std::string_view text) {
  if (text.empty()) return;
  before_();
  hide_progress();
  line_open_ = text.back() != '\n';
  write_now(to, text);
  after_();
}

void FileOutput::settle() {
  flush();
  if (sink_) sink_->settle([] { return interrupted(); });
}

void FileOutput::finish() {
  flush();
  const bool ends_by_signal = interrupted();
  if (sink_ && !sink_->settle([ends_by_signal] { return !ends_by_signal && interrupted(); }))
    ::_exit(128 + interrupting_signal());
}

size_t FileOutput::room() const { return sink_ ? sink_->room() : SIZE_MAX; }

Result<void> FileOutput::reopen(const std::string& path) {
  flush();
  if (path.empty()) {
    target_ = first_;
    return {};
  }
  auto file = open_file(path);
  if (!file) return std::move(file).error();
  target_ = destination(std::move(*file), path);
  return {};
}

Result<void> FileOutput::reopen_first() {
  flush();
  auto file = open_file(first_->name);
  if (!file) return std::move(file).error();
  To anew = destination(std::move(*file), first_->name);
  if (target_ == first_) target_ = anew;
  first_ = std::move(anew);
  return {};
}

void FileOutput::truncate() {
  flush();
  if (sink_) return sink_->truncate(target_);
  truncate_file(target_->fd);
}

void FileOutput::write_now(const Destination& to, std::string_view text) {
  if (const int error = write_all(to.fd, text); error != 0) note_failure(to, error);
}

/// Called by the sink's thread, if there is one.
void FileOutput::note_failure(const Destination& to, int error) {
  if (&to == messages_.get()) return;  // there is nowhere to report it
  if (error == EPIPE) return note_reader_gone();
  refused_ = true;
  std::fprintf(stderr, "%s: failed to write to %s: %s\n", g_program_name.c_str(), to.name.c_str(),
               std::strerror(error));
}

}  // namespace sonde
