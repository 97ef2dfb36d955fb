// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/syscall/present_call.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

namespace sonde {
namespace {

using ::testing::MatchesRegex;

ReadMemory reader_of(pid_t pid) {
  return [pid](uint64_t address, std::span<uint8_t> to) {
    const iovec here{to.data(), to.size()}, there{reinterpret_cast<void*>(address), to.size()};
    return ::process_vm_readv(pid, &here, 1, &there, 1, 0) == static_cast<ssize_t>(to.size());
  };
}

/// A child that sleeps in a call, and the result of present_call() for it.
class Sleeper {
 public:
  explicit Sleeper(const std::function<void()>& sleep) : pid_(::fork()) {
    if (pid_ != 0) return;
    sleep();
    ::_exit(0);
  }
  ~Sleeper() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::string now() const {
    return present_call(static_cast<uint32_t>(pid_), static_cast<uint32_t>(pid_), reader_of(pid_));
  }
  std::string call(std::string_view name) const {
    std::string text;
    for (int i = 0; i < 5000 && !text.starts_with(name); i++) {
      ::usleep(1000);
      text = now();
    }
    return text;
  }

 private:
  pid_t pid_;
};

TEST(PresentCall, DescriptorsAreNamed) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Sleeper sleeper([&] {
    char byte;
    (void)!::read(ends[0], &byte, 1);
  });
  EXPECT_THAT(sleeper.call("read"), MatchesRegex("read\\([0-9]+<pipe:\\[[0-9]+\\]>, 0x[0-9a-f]+, 1"));
  for (int end : ends) ::close(end);
}

TEST(PresentCall, PathsAndStructuresAreRead) {
  const std::string fifo = std::filesystem::temp_directory_path() / ("present" + std::to_string(::getpid()));
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const Sleeper opens([&] { ::open(fifo.c_str(), O_RDONLY); });
  EXPECT_EQ(opens.call("openat"), "openat(AT_FDCWD, \"" + fifo + "\", O_RDONLY");
  ::unlink(fifo.c_str());
  const Sleeper sleeps([] {
    const timespec while_long{1000, 7};
    ::clock_nanosleep(CLOCK_REALTIME, 0, &while_long, nullptr);
  });
  EXPECT_EQ(sleeps.call("clock_nanosleep"), "clock_nanosleep(CLOCK_REALTIME, 0, {tv_sec=1000, tv_nsec=7}, NULL");
}

TEST(PresentCall, NobodyIsInACall) {
  const Sleeper busy([] {
    for (volatile int i = 0;; i = i + 1) {
    }
  });
  ::usleep(20'000);
  EXPECT_EQ(present_call(1 << 30, 1 << 30, reader_of(1)), "");
  EXPECT_EQ(busy.now(), "");
}

TEST(ReadText, EndsWithItsNulOrItsMemory) {
  auto* pages = static_cast<char*>(::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ::munmap(pages + 4096, 4096);
  std::memset(pages, 'x', 4096);
  const auto at = [&](size_t offset) { return reinterpret_cast<uint64_t>(pages) + offset; };
  const ReadMemory read = reader_of(::getpid());
  const ForeignText to_the_end = read_text(read, at(4090), 100);
  EXPECT_EQ(to_the_end.text, "xxxxxx");
  EXPECT_TRUE(to_the_end.cut);
  pages[4093] = 0;
  const ForeignText whole = read_text(read, at(4090), 100);
  EXPECT_EQ(whole.text, "xxx");
  EXPECT_FALSE(whole.cut);
  EXPECT_EQ(read_text(read, at(0), 5).text, "xxxxx");
  EXPECT_TRUE(read_text(read, at(0), 5).cut);
  EXPECT_EQ(read_text(read, at(4096), 5).text, "");
  ::munmap(pages, 4096);
}

}  // namespace
}  // namespace sonde
