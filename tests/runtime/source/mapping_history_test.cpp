// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/source/mapping_history.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdio>

namespace sonde {
namespace {

using ::testing::IsEmpty;

/// Of this process: where the C library's code is mapped.
guard::Mapping libc_code() {
  const auto address = reinterpret_cast<uint64_t>(dlsym(RTLD_DEFAULT, "puts"));
  for (guard::Mapping& one : guard::read_mappings(getpid()))
    if (one.executable && one.start <= address && address < one.end) return one;
  return {};
}

/// The same as the kernel reports it.
bpf::NewMapping news_of(const guard::Mapping& mapping, uint32_t pid, Nanoseconds time) {
  struct stat found {};
  EXPECT_EQ(stat(mapping.path.c_str(), &found), 0) << mapping.path;
  return {pid,
          time,
          mapping.start,
          mapping.end - mapping.start,
          mapping.offset,
          major(found.st_dev),
          minor(found.st_dev),
          found.st_ino,
          mapping.path};
}

/// The one that has the address of `code`; its path is empty: there is none.
guard::Mapping at_code(MappingHistory& history, const guard::Mapping& code, uint32_t pid, Nanoseconds time) {
  for (guard::Mapping& one : history.objects_at(pid, time))
    if (one.executable && one.start <= code.start && code.start < one.end) return one;
  return {};
}

TEST(MappingHistory, AProgramHasWhatItMappedUntilItEnds) {
  const guard::Mapping code = libc_code();
  MappingHistory history;
  history.note(bpf::NewProgram{7, 100});
  history.note(news_of(code, 7, 110));
  EXPECT_FALSE(history.at(7, 120).is_past);
  history.note(bpf::ProcessEnd{7, 200});
  EXPECT_TRUE(history.at(7, 120).is_past);
  const guard::Mapping found = at_code(history, code, 7, 120);
  EXPECT_EQ(found.path, code.path);
  EXPECT_EQ(found.start, code.start);
  EXPECT_EQ(found.offset, code.offset);
  EXPECT_EQ(found.inode, code.inode) << "as /proc shows it";
  EXPECT_THAT(history.objects_at(7, 105), IsEmpty()) << "not mapped yet";
}

TEST(MappingHistory, ItsObjectsHaveTheirHeaders) {
  const guard::Mapping code = libc_code();
  MappingHistory history;
  history.note(bpf::NewProgram{7, 100});
  history.note(news_of(code, 7, 110));
  const std::vector<guard::Mapping> objects = history.objects_at(7, 120);
  ASSERT_GE(objects.size(), 2u) << "code and what is only read";
  EXPECT_EQ(objects.front().offset, 0u);
  for (const guard::Mapping& real : guard::read_mappings(getpid()))
    if (real.path == code.path && real.offset == 0) EXPECT_EQ(objects.front().start, real.start);
}

TEST(MappingHistory, EachProgramOfAProcessHasItsOwn) {
  const guard::Mapping code = libc_code();
  MappingHistory history;
  history.note(bpf::NewProgram{7, 100});
  history.note(news_of(code, 7, 110));
  history.note(bpf::NewProgram{7, 200});
  EXPECT_NE(history.at(7, 150).number, history.at(7, 250).number);
  EXPECT_TRUE(history.at(7, 150).is_past);
  EXPECT_FALSE(history.at(7, 250).is_past);
  EXPECT_EQ(at_code(history, code, 7, 150).path, code.path);
  EXPECT_THAT(history.objects_at(7, 250), IsEmpty());
}

TEST(MappingHistory, AChildHasItsParents) {
  const guard::Mapping code = libc_code();
  MappingHistory history;
  history.note(bpf::NewProgram{7, 100});
  history.note(news_of(code, 7, 110));
  history.note(bpf::NewProcess{8, 7, 120});
  history.note(bpf::NewProgram{7, 130});
  history.note(bpf::ProcessEnd{8, 140});
  EXPECT_EQ(at_code(history, code, 8, 125).path, code.path);
  const auto self = static_cast<uint32_t>(getpid());
  history.note(bpf::NewProcess{9, self, 150});
  EXPECT_EQ(at_code(history, code, 9, 160).path, code.path) << "of a parent that began before";
}

TEST(MappingHistory, OfAProgramThatBeganBeforeOnlyItsEndIsKnown) {
  MappingHistory history;
  EXPECT_FALSE(history.at(7, 100).is_past);
  history.note(news_of(libc_code(), 7, 110));
  EXPECT_FALSE(history.at(7, 120).is_past);
  history.note(bpf::NewProgram{7, 200});
  EXPECT_TRUE(history.at(7, 120).is_past);
  EXPECT_EQ(history.at(7, 120).number, 0u);
  EXPECT_THAT(history.objects_at(7, 120), IsEmpty());
}

TEST(MappingHistory, AnotherFileOfThatPathIsLeftOut) {
  MappingHistory history;
  bpf::NewMapping other = news_of(libc_code(), 7, 110);
  other.inode++;
  history.note(bpf::NewProgram{7, 100});
  history.note(other);
  EXPECT_THAT(history.objects_at(7, 120), IsEmpty());
}

TEST(MappingHistory, ForgetsTheOldestOfVeryMany) {
  MappingHistory history;
  for (uint32_t pid = 1; pid <= 5000; pid++) {
    history.note(bpf::NewProgram{pid, pid});
    history.note(bpf::ProcessEnd{pid, pid + 1});
  }
  EXPECT_EQ(history.at(1, 1).number, 0u);
  EXPECT_NE(history.at(5000, 5000).number, 0u);
}

TEST(MappingHistory, ForgetsWhatHadEndedBeforeTheLastRecord) {
  constexpr uint32_t kGone = 0x500000;  // beyond any number that a process may have
  MappingHistory history;
  history.note(bpf::NewProgram{kGone, 100});
  history.note(bpf::ProcessEnd{kGone, 200});
  const uint64_t number = history.at(kGone, 150).number;
  history.forget_before(1'000'000'000);
  EXPECT_TRUE(history.knows(kGone, number)) << "an ending process may still have a record";
  history.forget_before(1'000'000'201);
  EXPECT_FALSE(history.knows(kGone, number));
  EXPECT_EQ(history.kept().programs, 0u);
}

TEST(MappingHistory, KeepsAProcessWhoseFirstThreadHasEnded) {
  const auto self = static_cast<uint32_t>(getpid());
  MappingHistory history;
  history.note(bpf::NewProgram{self, 100});
  history.note(bpf::ProcessEnd{self, 200});  // as the end of its first thread is told
  const uint64_t number = history.at(self, 150).number;
  history.forget_before(5'000'000'000);
  EXPECT_TRUE(history.knows(self, number));
  history.note(bpf::NewProgram{self, 300});
  history.forget_before(5'000'000'000);
  EXPECT_FALSE(history.knows(self, number)) << "it runs another program";
}

TEST(MappingHistory, WhereNewsWereLostProcessesThatAreNotThereHaveEnded) {
  constexpr uint32_t kGone = 0x500000;
  MappingHistory history;
  history.note(bpf::NewProgram{kGone, 100});
  history.note(bpf::NewProgram{static_cast<uint32_t>(getpid()), 100});
  history.note_lost(200);
  EXPECT_TRUE(history.at(kGone, 150).is_past);
  EXPECT_FALSE(history.at(static_cast<uint32_t>(getpid()), 150).is_past);
}

/// A program that opens and closes its libraries for days.
TEST(MappingHistory, OfMappingsThatOthersCoverTheLastAreKept) {
  const guard::Mapping code = libc_code();
  MappingHistory history;
  history.note(bpf::NewProgram{7, 100});
  history.note(news_of(code, 7, 110));
  for (Nanoseconds time = 200; time < 10'200; time++) {
    bpf::NewMapping library = news_of(code, 7, time);
    library.address = 0x10000000 + time % 3 * 0x1000;
    library.bytes = 0x2000;
    history.note(library);
    if (time > 500) ASSERT_GE(history.kept().mappings, 256u) << "records of a little earlier may come";
    ASSERT_LT(history.kept().mappings, 600u);
  }
  history.note(bpf::ProcessEnd{7, 20'000});
  EXPECT_EQ(at_code(history, code, 7, 15'000).start, code.start) << "which nothing covers";
  EXPECT_EQ(history.at(7, 10'199).mappings, history.at(7, 10'099).mappings + 100) << "the last are all there";
}

TEST(MappingHistory, ChildrenShareTheirParentsMappings) {
  const guard::Mapping code = libc_code();
  MappingHistory history;
  history.note(bpf::NewProgram{7, 100});
  history.note(news_of(code, 7, 110));
  history.note(bpf::NewProcess{8, 7, 120});
  bpf::NewMapping own = news_of(code, 8, 130);
  own.address += 0x100000000;
  history.note(own);
  history.note(bpf::ProcessEnd{8, 140});
  history.note(bpf::ProcessEnd{7, 140});
  EXPECT_EQ(history.at(8, 135).mappings, 2u);
  EXPECT_EQ(history.at(7, 135).mappings, 1u) << "the child's own are not its parent's";
}

}  // namespace
}  // namespace sonde
