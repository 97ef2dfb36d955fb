// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/session/sink.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <vector>

namespace sonde {
namespace {

std::shared_ptr<const Destination> to_descriptor(int fd, const std::string& name) {
  return std::make_shared<const Destination>(Destination{fd, UniqueFd(fd), name});
}

/// A pipe whose reader reads nothing until the test asks for it.
struct SleepyReader {
  SleepyReader() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    reader = UniqueFd(ends[0]);
    writer = to_descriptor(ends[1], "a pipe");
  }
  /// Reads the next `bytes` completely.
  std::string read(size_t bytes) {
    std::string text(bytes, '\0');
    for (size_t done = 0; done < bytes;) {
      const ssize_t n = ::read(reader.get(), text.data() + done, bytes - done);
      if (n <= 0) return text.substr(0, done);
      done += static_cast<size_t>(n);
    }
    return text;
  }
  UniqueFd reader;
  std::shared_ptr<const Destination> writer;
};

void no_failure(const Destination& to, int error) { ADD_FAILURE() << to.name << ": " << error; }

TEST(Sink, WritesInOrderAndClosesWhatItHasWritten) {
  SleepyReader one;
  const int fd = one.writer->fd;
  Sink sink(100, no_failure);
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    const std::string line = std::to_string(i) + "\n";
    expected += line;
    sink.put(one.writer, line);
  }
  EXPECT_TRUE(sink.settle());
  EXPECT_EQ(one.read(expected.size()), expected);
  one.writer.reset();
  sink.put(to_descriptor(::open("/dev/null", O_WRONLY | O_CLOEXEC), "nothing"), "x");
  EXPECT_TRUE(sink.settle());
  EXPECT_EQ(::fcntl(fd, F_GETFD), -1) << "the last that was queued has been written";
}

/// A pipe that keeps the writes apart from each other (O_DIRECT).
TEST(Sink, WritesWholeLinesToAPipe) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC | O_DIRECT), 0);
  const UniqueFd reader(ends[0]);
  const std::string line = std::string(999, 'x') + "\n", longest = std::string(3 * PIPE_BUF, 'y');
  std::string text;
  for (int i = 0; i < 10; ++i) text += line;
  {
    Sink sink(100, no_failure);
    sink.put(to_descriptor(ends[1], "a pipe"), text + longest);
  }
  std::vector<std::string> writes;
  std::string piece(PIPE_BUF, '\0');
  for (ssize_t n; (n = ::read(reader.get(), piece.data(), piece.size())) > 0;)
    writes.push_back(piece.substr(0, static_cast<size_t>(n)));
  const std::string four = line + line + line + line;
  const std::string rest(PIPE_BUF, 'y');
  EXPECT_EQ(writes, (std::vector<std::string>{four, four, line + line, rest, rest, rest}));
}

TEST(Sink, AReaderThatSleepsIsNotWaitedFor) {
  SleepyReader reader;
  const std::string much(1 << 20, 'x');  // more than a pipe holds
  Sink sink(much.size() + 10, no_failure);
  EXPECT_EQ(sink.room(), much.size() + 10);
  sink.put(reader.writer, much);
  EXPECT_EQ(sink.room(), 10u);
  sink.put(reader.writer, much);
  EXPECT_EQ(sink.room(), 0u) << "what is put is taken all the same";
  int asked = 0;
  EXPECT_FALSE(sink.settle([&asked] { return ++asked == 2; }));
  EXPECT_EQ(reader.read(2 * much.size()), much + much);
  EXPECT_TRUE(sink.settle());
  EXPECT_EQ(sink.room(), much.size() + 10);
}

TEST(Sink, AMessageOvertakesWhatWaits) {
  SleepyReader reader, messages;
  Sink sink(100, no_failure);
  const std::string much(1 << 20, 'x');
  sink.put(reader.writer, much);
  sink.put(reader.writer, "behind");
  sink.put_message(messages.writer, "said\n");
  EXPECT_EQ(messages.read(5), "said\n");
  EXPECT_EQ(reader.read(much.size() + 6), much + "behind");
}

TEST(Sink, AFailureIsToldOnceForEachDestination) {
  ::signal(SIGPIPE, SIG_IGN);
  std::atomic<int> failures = 0;
  std::string named;
  auto full = to_descriptor(::open("/dev/full", O_WRONLY | O_CLOEXEC), "the disk");
  SleepyReader gone, well;
  gone.reader.reset();
  {
    Sink sink(100, [&](const Destination& to, int error) {
      named += to.name + " " + std::to_string(error) + "\n";
      ++failures;
    });
    for (int i = 0; i < 3; ++i)
      for (const auto& to : {full, gone.writer, well.writer}) sink.put(to, "x");
  }
  EXPECT_EQ(failures, 2);
  EXPECT_EQ(named, "the disk " + std::to_string(ENOSPC) + "\na pipe " + std::to_string(EPIPE) + "\n");
  EXPECT_EQ(well.read(3), "xxx");
}

TEST(Sink, TruncatesInItsTurn) {
  char path[] = "/tmp/sonde-sink-XXXXXX";
  auto file = to_descriptor(::mkstemp(path), path);
  {
    Sink sink(100, no_failure);
    sink.put(file, "thrown away");
    sink.truncate(file);
    sink.put(file, "kept");
  }
  char text[16] = {};
  EXPECT_EQ(::pread(file->fd, text, sizeof text, 0), 4);
  EXPECT_STREQ(text, "kept");
  ::unlink(path);
}

}  // namespace
}  // namespace sonde
