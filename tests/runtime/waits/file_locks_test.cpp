// SPDX-License-Identifier: GPL-3.0-or-later
// Locks of files: the lines of fdinfo, and which stand in whose way
#include "runtime/waits/file_locks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sonde {
namespace {

using LockKind = FileLock::Kind;

FileLock parsed(const char* line) { return parse_file_lock(line).value_or(FileLock{}); }

TEST(FileLocks, AreReadFromFdinfo) {
  const FileLock range = parsed("POSIX  ADVISORY  WRITE 4711 08:01:262147 100 149");
  EXPECT_EQ(range.kind, LockKind::Process);
  EXPECT_TRUE(range.writes);
  EXPECT_EQ(range.pid, 4711u);
  EXPECT_EQ(range.inode, 262147u);
  EXPECT_EQ(range.first, 100u);
  EXPECT_EQ(range.last, 149u);
  const FileLock whole = parsed("FLOCK  ADVISORY  READ 7 00:1f:12 0 EOF");
  EXPECT_EQ(whole.kind, LockKind::Flock);
  EXPECT_FALSE(whole.writes);
  EXPECT_EQ(whole.last, ~uint64_t{0});
  EXPECT_EQ(parsed("OFDLCK ADVISORY  WRITE -1 00:1f:12 0 EOF").pid, 0u);
}

TEST(FileLocks, OtherLinesAreNone) {
  for (const char* line : {"LEASE  ACTIVE    READ 7 00:1f:12 0 EOF", "-> FLOCK  ADVISORY  WRITE 7 00:1f:12 0 EOF", ""})
    EXPECT_FALSE(parse_file_lock(line).has_value()) << line;
}

TEST(FileLocks, StandInTheWayOfWhatOverlaps) {
  const FileLock held{.kind = LockKind::Process, .writes = true, .pid = 1, .inode = 5, .first = 10, .last = 19};
  FileLock wanted{.kind = LockKind::OpenFile, .writes = false, .pid = 2, .inode = 5, .first = 19, .last = 30};
  EXPECT_TRUE(stands_in_way(held, wanted)) << "one byte is enough";
  wanted.first = 20;
  EXPECT_FALSE(stands_in_way(held, wanted)) << "beside it";
  wanted.first = 0;
  EXPECT_TRUE(stands_in_way(held, wanted));
  wanted.last = 9;
  EXPECT_FALSE(stands_in_way(held, wanted));
  wanted.last = 10;
  wanted.inode = 6;
  EXPECT_FALSE(stands_in_way(held, wanted)) << "another file";
}

TEST(FileLocks, ReadersAreNotInEachOthersWay) {
  const FileLock held{.kind = LockKind::Flock, .writes = false, .pid = 1, .inode = 5};
  FileLock wanted{.kind = LockKind::Flock, .writes = false, .pid = 2, .inode = 5};
  EXPECT_FALSE(stands_in_way(held, wanted));
  wanted.writes = true;
  EXPECT_TRUE(stands_in_way(held, wanted));
  wanted.kind = LockKind::Process;
  EXPECT_FALSE(stands_in_way(held, wanted)) << "flock() and fcntl() do not know of each other";
}

}  // namespace
}  // namespace sonde
