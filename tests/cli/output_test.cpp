// SPDX-License-Identifier: GPL-3.0-or-later
// Where output is written, and how the run ends if it cannot be written
#include "cli/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/cli/folder.h"

namespace sonde {
namespace {

/// Both ends of a pipe.
struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    reader = UniqueFd(ends[0]);
    writer = UniqueFd(ends[1]);
  }
  UniqueFd reader, writer;
};

TEST(FileOutput, AppendsAndReopens) {
  const Folder folder;
  const std::string first = folder.write("first", "before\n"), second = folder.write("second", "");
  FileOutput output;
  auto file = FileOutput::open_file(first);
  ASSERT_TRUE(file);
  output.redirect(std::move(*file), first);
  output.write("one\n");
  EXPECT_EQ(folder.read("first"), "before\n") << "it waits for flush()";
  ASSERT_TRUE(output.reopen(second));
  output.write("two\n");
  ASSERT_TRUE(output.reopen(""));
  output.write("three\n");
  output.flush();
  EXPECT_EQ(folder.read("first"), "before\none\nthree\n");
  EXPECT_EQ(folder.read("second"), "two\n");
  EXPECT_FALSE(output.reopen("nowhere/at/all"));
  output.truncate();
  EXPECT_EQ(folder.read("first"), "");
  EXPECT_FALSE(output.failed());
}

TEST(FileOutput, MuchIsWrittenAtOnce) {
  const Folder folder;
  FileOutput output;
  output.redirect(std::move(*FileOutput::open_file("out")), "out");
  output.write(std::string(1 << 16, 'x'));
  EXPECT_EQ(folder.read("out").size(), size_t{1} << 16);
}

TEST(FileOutput, AFullDiskIsToldOnce) {
  FileOutput output;
  output.redirect(std::move(*FileOutput::open_file("/dev/full")), "the disk");
  EXPECT_EQ(output.watched_fd(), -1);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; i++) {
    output.write("x");
    output.flush();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "sonde: failed to write to the disk: No space left on device\n");
  EXPECT_TRUE(output.failed());
  EXPECT_FALSE(output.reader_gone());
}

TEST(FileOutput, AReaderThatHasGoneIsNotTold) {
  ::signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  FileOutput output;
  const int writer = pipe.writer.get();
  output.redirect(std::move(pipe.writer), "a pipe");
  EXPECT_EQ(output.watched_fd(), writer);
  pipe.reader.reset();
  testing::internal::CaptureStderr();
  output.write("x");
  output.flush();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(output.failed());
  EXPECT_TRUE(output.reader_gone());
  EXPECT_EQ(output.watched_fd(), -1);
}

TEST(FileOutput, MessagesStandBehindWhatWasTraced) {
  Pipe pipe;
  ASSERT_GE(::fcntl(pipe.reader.get(), F_SETFL, O_NONBLOCK), 0);
  FileOutput output;
  output.redirect(std::move(pipe.writer), "a pipe");
  std::string order;
  output.set_frame([&] { order += "<"; }, [&] { order += ">"; });
  output.write("traced");
  testing::internal::CaptureStderr();
  output.message("said");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "sonde: said\n");
  char text[16] = {};
  EXPECT_EQ(::read(pipe.reader.get(), text, sizeof text), 6);
  EXPECT_STREQ(text, "traced");
  EXPECT_EQ(order, "<>") << "the terminal's line is taken away for the message alone";
}

TEST(FileOutput, BehindItsWriterNothingWaits) {
  Pipe pipe;
  FileOutput output;
  output.redirect(std::move(pipe.writer), "a pipe");
  EXPECT_EQ(output.room(), SIZE_MAX);
  const size_t much = 1 << 20;
  output.write_behind(much);
  output.write(std::string(much, 'x'));
  EXPECT_EQ(output.room(), 0u);
  std::string got(much, '\0');
  for (size_t done = 0; done < much;)
    done += static_cast<size_t>(::read(pipe.reader.get(), got.data() + done, much - done));
  EXPECT_EQ(got, std::string(much, 'x'));
  output.settle();
  EXPECT_EQ(output.room(), much);
}

}  // namespace
}  // namespace sonde
