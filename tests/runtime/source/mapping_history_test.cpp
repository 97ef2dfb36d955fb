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

}  // namespace
}  // namespace sonde
