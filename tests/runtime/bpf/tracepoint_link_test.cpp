// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/bpf/tracepoint_link.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "runtime/bpf/bpf_call.h"
#include "runtime/bpf/hook_program.h"
#include "runtime/process/kernel_files.h"

namespace sonde::bpf {
namespace {

/// Counts the calls of this thread, as perf does.
UniqueFd count_calls() {
  auto number = read_tracefs("events/raw_syscalls/sys_enter/id");
  if (!number) return UniqueFd();
  perf_event_attr event{};
  event.type = PERF_TYPE_TRACEPOINT;
  event.size = sizeof event;
  event.config = static_cast<uint64_t>(std::atoi(std::string(number->view()).c_str()));
  return UniqueFd(static_cast<int>(syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

uint64_t count_of(const UniqueFd& counter) {
  uint64_t count = 0;
  EXPECT_EQ(read(counter.get(), &count, sizeof count), static_cast<ssize_t>(sizeof count));
  return count;
}

/// Who counts or records calls by perf has them all, while a program of ours is there.
TEST(TracepointLinks, LeaveTheEventToOthers) {
  const UniqueFd counter = count_calls();
  auto programs = create_map("programs", {BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 1, 0});
  if (!programs || !counter) GTEST_SKIP() << "this kernel takes no programs, or no events of tracepoints";
  auto stub = load_program("stub", build_stub(programs->get(), 0, TracepointLink::Event), BPF_PROG_TYPE_TRACEPOINT);
  ASSERT_TRUE(stub) << stub.error().message();
  auto link = attach_hook(Hook::Enter, TracepointLink::Event, stub->get());
  ASSERT_TRUE(link) << link.error().message();
  const uint64_t before = count_of(counter);
  for (int n = 0; n < 100; n++) syscall(SYS_getppid);
  EXPECT_GE(count_of(counter), before + 100);
}

TEST(TracepointLinks, AreRefusedWhereThereIsNoEvent) {
  const auto link = attach_hook(Hook::NewTask, TracepointLink::Event, -1);
  ASSERT_FALSE(link);
  EXPECT_EQ(link.error().code(), EOPNOTSUPP);
}

}  // namespace
}  // namespace sonde::bpf
