// SPDX-License-Identifier: GPL-3.0-or-later
// Output that never blocks tracing
//
//   put() --> queue --> a thread of its own --> write(2)
//
// The reader of our output may block: a pipe may be full, a terminal stopped. The consumer must not wait for it, or
// rings would fill and records would be lost that have nothing to do with that reader. So a thread writes everything,
// in order, messages to standard error included. put() always accepts; room() says how much more the queue should get,
// and the consumer drops and counts the trace records for which there is no room. Aggregations and messages are never
// dropped. A message waits at most a second for the output before it, so a blocked reader does not silence messages.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "runtime/base/unique_fd.h"

namespace sonde {

/// A file, pipe or terminal to write to. It is closed when the last text that is queued for it has been written.
struct Destination {
  int fd;
  UniqueFd owned;    ///< the same descriptor, if it is ours to close
  std::string name;  ///< for messages
};

/// Writes all of `text`. Returns 0, or the errno of the write that failed. While the reader of a pipe or terminal
/// accepts nothing, `waits` is called every second.
int write_all(
    int fd, std::string_view text, const std::function<void()>& waits = [] {});

/// Empties a file; does nothing for a terminal or a pipe.
void truncate_file(int fd);

/// Context: one thread calls it; its own thread writes.
class Sink {
 public:
  /// `room`: bytes that the queue should hold at most. The sink's thread calls `failed` once for each destination to
  /// which a write has failed; nothing more is written there.
  Sink(size_t room, std::function<void(const Destination&, int error)> failed);
  /// Writes what is queued first.
  ~Sink();
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  void put(std::shared_ptr<const Destination> to, std::string text);
  /// The same for a message: after a second it may overtake the output that waits before it.
  void put_message(std::shared_ptr<const Destination> to, std::string text);
  /// Empties the file (ftruncate(2)) after what is queued before has been written.
  void truncate(std::shared_ptr<const Destination> to);
  /// Bytes that the queue should still accept; 0: it is full.
  size_t room() const;
  /// Waits until everything that was queued has been written, or cannot be. `gives_up` is called ten times a second;
  /// true ends the wait. Returns whether everything was written.
  bool settle(const std::function<bool()>& gives_up = [] { return false; });

 private:
  struct Item {
    std::shared_ptr<const Destination> to;
    std::string text;
    enum class Kind : uint8_t { Text, Message, Truncation } kind;
  };
  void queue(Item item);
  void work();
  int carry_out(const Item& item);
  void write_messages();

  const size_t room_;
  const std::function<void(const Destination&, int error)> failed_;
  mutable std::mutex mutex_;
  std::condition_variable come_, settled_;
  std::deque<Item> queue_;
  size_t queued_ = 0;     ///< bytes, those being written included
  bool working_ = false;  ///< an item is being written
  bool ends_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace sonde
