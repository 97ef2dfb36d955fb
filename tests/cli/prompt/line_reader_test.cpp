// SPDX-License-Identifier: GPL-3.0-or-later
// Lines from a pipe; the scenarios of the prompt test lines from a terminal
#include "cli/prompt/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "runtime/base/unique_fd.h"

namespace sonde {
namespace {

TEST(LineReader, LinesComeWholeAndTheLastOneWithoutItsEnd) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd kept(::dup(STDIN_FILENO));
  ::dup2(ends[0], STDIN_FILENO);
  ::close(ends[0]);
  UniqueFd writer(ends[1]);
  const auto write = [&](std::string_view text) {
    ASSERT_EQ(::write(writer.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  };
  std::vector<std::string> lines;
  const auto reader = make_line_reader([&](const std::string& line) { lines.push_back(line); },
                                       [](const std::string&) { return Candidates(); });
  EXPECT_FALSE(reader->interactive());
  write("one\ntw");
  reader->read();
  EXPECT_THAT(lines, ::testing::ElementsAre("one"));
  write("o\n\nlast");
  reader->read();
  EXPECT_THAT(lines, ::testing::ElementsAre("one", "two", ""));
  EXPECT_FALSE(reader->ended());
  writer.reset();
  reader->read();
  EXPECT_TRUE(reader->ended());
  EXPECT_THAT(lines, ::testing::ElementsAre("one", "two", "", "last"));
  if (kept.get() >= 0) ::dup2(kept.get(), STDIN_FILENO);
}

}  // namespace
}  // namespace sonde
