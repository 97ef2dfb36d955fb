// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/session/sink.h"

#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <set>
#include <utility>

#include "runtime/base/thread.h"

namespace sonde {

namespace {

constexpr int kPatienceMs = 1000;

/// A write to a pipe, socket or terminal may block. After a POLLOUT it accepts PIPE_BUF bytes without blocking.
bool may_wait(int fd) {
  struct stat about {};
  return ::fstat(fd, &about) != 0 || !S_ISREG(about.st_mode);
}

/// The bytes of `text` that one write to a pipe gets: as many whole lines as PIPE_BUF has room for. A pipe accepts up to
/// PIPE_BUF bytes at once, so lines of several writers do not mix, except those that are longer.
size_t piece_of(std::string_view text) {
  if (text.size() <= PIPE_BUF) return text.size();
  const size_t end = text.rfind('\n', PIPE_BUF - 1);
  return end == text.npos ? PIPE_BUF : end + 1;
}

/// Cuts what was just written to a file back to its last whole line. When the disk is full, the end of a line is missing,
/// and whoever reads the file, or appends to it once there is room again, would have half a line in it. Does nothing if
/// somebody else has written behind it.
void cut_half_line(int fd, std::string_view written) {
  const auto half = static_cast<off_t>(written.size() - (written.rfind('\n') + 1));
  const off_t end = ::lseek(fd, 0, SEEK_CUR);
  struct stat about {};
  if (half == 0 || end < half || ::fstat(fd, &about) != 0 || about.st_size != end) return;
  if (::ftruncate(fd, end - half) == 0) ::lseek(fd, end - half, SEEK_SET);
}

}  // namespace

int write_all(int fd, std::string_view text, const std::function<void()>& waits) {
  const bool patient = may_wait(fd);
  const std::string_view all = text;
  while (!text.empty()) {
    pollfd ready{fd, POLLOUT, 0};
    if (patient && ::poll(&ready, 1, kPatienceMs) == 0) {
      waits();
      continue;
    }
    const ssize_t n = ::write(fd, text.data(), patient ? piece_of(text) : text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<size_t>(n));
    } else if (errno != EINTR && errno != EAGAIN) {
      const int error = errno;
      if (!patient) cut_half_line(fd, all.substr(0, all.size() - text.size()));
      return error;
    }
  }
  return 0;
}

void truncate_file(int fd) {
  if (::ftruncate(fd, 0) == 0) ::lseek(fd, 0, SEEK_SET);
}

Sink::Sink(size_t room, std::function<void(const Destination&, int error)> failed)
    : room_(room), failed_(std::move(failed)), thread_(start_thread([this] { work(); })) {}

Sink::~Sink() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  come_.notify_one();
  thread_.join();
}

void Sink::put(std::shared_ptr<const Destination> to, std::string text) {
  queue({std::move(to), std::move(text), Item::Kind::Text});
}

void Sink::put_message(std::shared_ptr<const Destination> to, std::string text) {
  queue({std::move(to), std::move(text), Item::Kind::Message});
}

void Sink::truncate(std::shared_ptr<const Destination> to) { queue({std::move(to), {}, Item::Kind::Truncation}); }

void Sink::queue(Item item) {
  {
    const std::lock_guard lock(mutex_);
    queued_ += item.text.size();
    queue_.push_back(std::move(item));
  }
  come_.notify_one();
}

size_t Sink::room() const {
  const std::lock_guard lock(mutex_);
  return room_ - std::min(room_, queued_);
}

bool Sink::settle(const std::function<bool()>& gives_up) {
  std::unique_lock lock(mutex_);
  const auto done = [this] { return queue_.empty() && !working_; };
  while (!settled_.wait_for(lock, std::chrono::milliseconds(100), done))
    if (gives_up()) return false;
  return true;
}

void Sink::work() {
  std::set<const Destination*> wrong;
  std::unique_lock lock(mutex_);
  for (;;) {
    come_.wait(lock, [this] { return !queue_.empty() || ends_; });
    if (queue_.empty()) return;
    const Item item = std::move(queue_.front());
    queue_.pop_front();
    working_ = true;
    lock.unlock();
    const int error = wrong.contains(item.to.get()) ? 0 : carry_out(item);
    if (error != 0) {
      wrong.insert(item.to.get());
      failed_(*item.to, error);
    }
    lock.lock();
    working_ = false;
    queued_ -= item.text.size();
    if (queue_.empty()) settled_.notify_all();
  }
}

int Sink::carry_out(const Item& item) {
  if (item.kind != Item::Kind::Truncation) return write_all(item.to->fd, item.text, [this] { write_messages(); });
  truncate_file(item.to->fd);
  return 0;
}

/// Writes the messages that are queued behind a write that blocks.
void Sink::write_messages() {
  std::deque<Item> messages;
  {
    const std::lock_guard lock(mutex_);
    const auto is_message = [](const Item& item) { return item.kind == Item::Kind::Message; };
    std::ranges::copy_if(queue_, std::back_inserter(messages), is_message);
    std::erase_if(queue_, is_message);
    for (const Item& item : messages) queued_ -= item.text.size();
  }
  for (const Item& item : messages) (void)write_all(item.to->fd, item.text);
}

}  // namespace sonde
