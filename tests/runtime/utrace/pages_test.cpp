// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/utrace/pages.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <utility>
#include <vector>

namespace sonde {
namespace {

constexpr size_t kPage = 4096;

class PagesTest : public ::testing::Test {
 protected:
  PagesTest() {
    void* memory = mmap(nullptr, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bytes = static_cast<volatile char*>(memory);
    start = reinterpret_cast<uint64_t>(memory);
    known = !Pages(getpid()).here(start, 1);  // where the kernel does not tell, everything is here
  }
  ~PagesTest() override { munmap(reinterpret_cast<void*>(start), 4 * kPage); }

  volatile char* bytes;
  uint64_t start = 0;
  bool known = false;
  Pages pages{getpid()};
};

TEST_F(PagesTest, TellsWhatIsThere) {
  if (!known) GTEST_SKIP() << "no /proc/PID/pagemap";
  bytes[kPage] = 1;
  EXPECT_FALSE(pages.here(start, 1));
  EXPECT_TRUE(pages.here(start + kPage, kPage));
  EXPECT_FALSE(pages.here(start + kPage - 1, 2)) << "the first byte is in a page that is not there";
  EXPECT_FALSE(pages.here(start + kPage, kPage + 1)) << "the last byte is";
  EXPECT_TRUE(pages.here(start, 0));
  EXPECT_TRUE(pages.here(8, 8)) << "nothing can be mapped there: a read fails at once";
  EXPECT_TRUE(pages.here(~uint64_t{0} - 8, 8));
  madvise(reinterpret_cast<void*>(start + kPage), kPage, MADV_DONTNEED);
  EXPECT_FALSE(pages.here(start + kPage, 1));
}

TEST_F(PagesTest, AHelperBringsThemIn) {
  if (!known) GTEST_SKIP() << "no /proc/PID/pagemap";
  EXPECT_TRUE(pages.bring_in(start, 3 * kPage));
  EXPECT_TRUE(pages.here(start, 3 * kPage));
  EXPECT_FALSE(pages.here(start + 3 * kPage, 1));
  EXPECT_TRUE(pages.may_wait());
}

TEST_F(PagesTest, MemoryThatDoesNotExistIsNoWait) {
  if (!known) GTEST_SKIP() << "no /proc/PID/pagemap";
  const uint64_t gone = start + 3 * kPage;
  munmap(reinterpret_cast<void*>(gone), kPage);
  EXPECT_FALSE(pages.bring_in(gone, 8));
  EXPECT_TRUE(pages.may_wait()) << "the helper has answered";
}

TEST_F(PagesTest, AfterAWaitInVainNobodyWaits) {
  if (!known) GTEST_SKIP() << "no /proc/PID/pagemap";
  pages.note_in_vain();
  EXPECT_FALSE(pages.may_wait());
  EXPECT_FALSE(pages.bring_in(start, 1)) << "not even for a page that a helper could bring in";
  bytes[0] = 1;
  EXPECT_TRUE(pages.bring_in(start, 1)) << "but what is there can be read";
}

/// A helper that waits is killed with its request, and its place is free again.
TEST(Fetches, AreSixteenAtOnce) {
  const UniqueFd memory(open("/proc/self/mem", O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(memory);
  for (int round = 0; round < 3; round++) {
    std::vector<Fetch> all;
    while (auto one = Fetch::begin(getpid(), memory, reinterpret_cast<uint64_t>(&memory), 1)) {
      all.push_back(std::move(*one));
      ASSERT_LE(all.size(), 16u);
    }
    EXPECT_EQ(all.size(), 16u) << "round " << round;
  }
}

}  // namespace
}  // namespace sonde
