// SPDX-License-Identifier: GPL-3.0-or-later
// What the kernel tells of this process's own deeds.
#include "runtime/bpf/process_news.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "runtime/base/page.h"

namespace sonde::bpf {
namespace {

class News : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = ProcessNews::open();
    if (!opened) GTEST_SKIP() << "perf_event_open is not permitted";
    news.emplace(*std::move(opened));
    all();  // the machine's, from before
  }
  std::vector<ProcessEvent> all() {
    std::vector<ProcessEvent> events;
    while (auto event = news->take()) events.push_back(*event);
    return events;
  }
  /// A page of this program, with the right to execute.
  void map_code() const {
    void* at = mmap(nullptr, kPage, PROT_READ | PROT_EXEC, MAP_PRIVATE, program.get(), 0);
    ASSERT_NE(at, MAP_FAILED);
    munmap(at, kPage);
  }
  static size_t mappings_in(const std::vector<ProcessEvent>& events) {
    size_t count = 0;
    for (const ProcessEvent& event : events)
      if (const auto* one = std::get_if<NewMapping>(&event); one != nullptr && one->pid == own) count++;
    return count;
  }

  static inline const auto own = static_cast<uint32_t>(getpid());
  const UniqueFd program{open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
  std::optional<ProcessNews> news;
};

TEST_F(News, AChildIsAProcessAndAThreadIsNone) {
  std::thread([] {}).join();
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  int born = 0, ended = 0;
  for (const ProcessEvent& event : all()) {
    const auto* made = std::get_if<NewProcess>(&event);
    const auto* gone = std::get_if<ProcessEnd>(&event);
    if (made != nullptr && made->parent == own) {
      EXPECT_EQ(made->pid, static_cast<uint32_t>(child));
      born++;
    }
    if (gone != nullptr) {
      EXPECT_NE(gone->pid, own) << "the end of a thread";
      ended += gone->pid == static_cast<uint32_t>(child) ? 1 : 0;
    }
  }
  EXPECT_EQ(born, 1);
  EXPECT_EQ(ended, 1);
}

TEST_F(News, WhatHasNoRoomIsCounted) {
  constexpr size_t kMappings = 4000;  // eight times what a buffer has room for
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);  // all in one buffer
  for (size_t n = 0; n < kMappings; n++) map_code();
  size_t seen = mappings_in(all());
  map_code();  // the kernel tells with the next event how many it has lost
  seen += mappings_in(all());
  sched_setaffinity(0, sizeof before, &before);
  const uint64_t lost = news->take_lost();
  EXPECT_LT(seen, kMappings);
  EXPECT_GE(seen + lost, kMappings + 1);  // those of others may be lost, too
  EXPECT_EQ(news->take_lost(), 0u);
}

}  // namespace
}  // namespace sonde::bpf
