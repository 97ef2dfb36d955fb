// SPDX-License-Identifier: GPL-3.0-or-later
// Output never holds up tracing
//
//   put() --> queue --> a thread of its own --> write(2)
//
// Whoever reads what we write may sleep. The consumer must not wait for that: rings would fill, and records be lost that have nothing to do with
// the reader. So what is to be written is handed to a thread, in order, messages to standard error with the rest. put() always takes what it gets;
// room() says how much more the queue should get, and the consumer drops and counts records that find none. Aggregations and messages are
// never dropped. A message waits a second for what was written before it, so a reader that sleeps does not silence it.
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

/// A file, pipe or terminal that is written to. It is closed when the last that is queued for it has been written.
struct Destination {
  int fd;
  UniqueFd owned;    ///< the same, where it is ours to close
  std::string name;  ///< for messages
};

/// Writes all of `text`. Returns 0, or the errno of the write that failed. `waits` is called each second that the reader of a pipe or terminal
/// takes nothing.
int write_all(
    int fd, std::string_view text, const std::function<void()>& waits = [] {});

/// Throws away what a file holds; a terminal or a pipe has nothing to throw away.
void truncate_file(int fd);

/// Context: one thread, but for what its own thread does.
class Sink {
 public:
  /// `room`: bytes that the queue should hold at most. `failed` is called once for each destination that a write to has failed, by the sink's
  /// thread; nothing more is written there.
  Sink(size_t room, std::function<void(const Destination&, int error)> failed);
  /// Writes what is queued first.
  ~Sink();
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  void put(std::shared_ptr<const Destination> to, std::string text);
  /// The same, of a message: it may overtake what has waited for a second.
  void put_message(std::shared_ptr<const Destination> to, std::string text);
  /// ftruncate(2), in its turn.
  void truncate(std::shared_ptr<const Destination> to);
  /// Bytes that the queue should still get; 0: it is full.
  size_t room() const;
  /// Waits until all that was queued has been written, or cannot be. `gives_up` is asked ten times a second: true ends the wait.
  /// Returns whether all was.
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
  size_t queued_ = 0;     ///< bytes, those under way included
  bool working_ = false;  ///< an item is under way
  bool ends_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace sonde
