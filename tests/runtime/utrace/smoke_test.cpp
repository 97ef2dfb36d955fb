// SPDX-License-Identifier: GPL-3.0-or-later
// Whole programs, traced from start to end: counts are exact, stops are as few as documented
#include <filesystem>
#include <fstream>

#include "tests/runtime/utrace/support.h"

namespace sonde {
namespace {

class UtraceWhole : public Utrace {};

constexpr uint32_t kGetppid = SYS_getppid;

TEST_F(UtraceWhole, SpawnRunsToItsEnd) {
  UtraceHost host;
  Recorder record;
  auto task = host.spawn(program("nothing"));
  ASSERT_TRUE(task) << task.error().message();
  record.attach(*task, UTRACE_EVENT_EXIT | UTRACE_EVENT_DEATH | UTRACE_EVENT_REAP);
  turn_for(host, 50ms);
  EXPECT_EQ(record.count("exit"), 0) << "held until it is released";
  host.release_spawned(utrace_task_pid(*task));
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.order(), "exit death reap");
  EXPECT_EQ(record.lines[0].value, 7 << 8);
}

TEST_F(UtraceWhole, SpawnTellsWhatExecveSaid) {
  UtraceHost host;
  utrace_spawn what;
  what.argv = {"/nonexistent/program"};
  auto task = host.spawn(what);
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().code(), ENOENT);
  what.argv = {"/etc/passwd"};
  what.filter = true;
  what.calls = {SYS_write, SYS_execve};
  auto other = host.spawn(what);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code(), EACCES);
  EXPECT_EQ(host.task_count(), 0u);
}

/// As a shell does: takes the first executable file of that name; a file without #! is a script for sh.
TEST_F(UtraceWhole, SpawnLooksInThePath) {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / ("path" + std::to_string(getpid()));
  for (const char* folder : {"empty", "folder/named", "unfit", "fit", "later"}) fs::create_directories(root / folder);
  for (const char* folder : {"unfit", "fit", "later"})
    std::ofstream(root / folder / "named") << "exit " << (folder == std::string("fit") ? 41 : 42) << "\n";
  for (const char* folder : {"fit", "later"}) fs::permissions(root / folder / "named", fs::perms::owner_all);
  const std::string before = getenv("PATH");
  std::string folders;
  for (const char* folder : {"nowhere", "empty", "folder", "unfit", "fit", "later"})
    folders += (folders.empty() ? "" : ":") + (root / folder).string();
  setenv("PATH", folders.c_str(), 1);
  UtraceHost host;
  utrace_spawn what;
  what.argv = {"named"};
  what.filter = true;
  what.calls = {SYS_execve};
  auto task = host.spawn(what);
  what.argv = {"nobody"};
  const auto none = host.spawn(what);
  setenv("PATH", before.c_str(), 1);
  ASSERT_TRUE(task) << task.error().message();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), ENOENT);
  Recorder record;
  record.attach(*task, UTRACE_EVENT_EXIT);
  host.release_spawned(utrace_task_pid(*task));
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.lines.at(0).value, 41 << 8);
  fs::remove_all(root);
}

struct Counted {
  int entries = 0, exits = 0;
  uint64_t stops = 0;
};

Counted count_getppid(bool filter, bool exits) {
  UtraceHost host;
  Recorder record;
  record.keep_lines = false;
  utrace_syscall_set set, none;
  set.add(kGetppid);
  host.on_new_task = [&](utrace_task* task, utrace_task*, uint64_t) {
    utrace_engine* engine =
        record.attach(task, UTRACE_EVENT_SYSCALL_ENTRY | (exits ? uint32_t{UTRACE_EVENT_SYSCALL_EXIT} : 0));
    utrace_narrow_syscalls(engine, &set, exits ? &set : &none);
  };
  auto what = filter ? filtered_program("getppid", {kGetppid}, {"4", "25000"}) : program("getppid", {"4", "25000"});
  auto task = host.spawn(what);
  EXPECT_TRUE(task);
  uint64_t before = host.stops();
  host.release_spawned(utrace_task_pid(*task));
  EXPECT_TRUE(turn_to_end(host, 50s));
  return {record.count("entry"), record.count("return"), host.stops() - before};
}

TEST_F(UtraceWhole, FilteredEntryOnlyIsOneStopACall) {
  Counted got = count_getppid(true, false);
  EXPECT_EQ(got.entries, 100'000);
  EXPECT_EQ(got.exits, 0);
  EXPECT_LE(got.stops, 100'040u);
  EXPECT_GE(got.stops, 100'000u);
}

TEST_F(UtraceWhole, FilteredEntryAndExitIsTwoStopsACall) {
  Counted got = count_getppid(true, true);
  EXPECT_EQ(got.entries, 100'000);
  EXPECT_EQ(got.exits, 100'000);
  EXPECT_LE(got.stops, 200'040u);
}

TEST_F(UtraceWhole, UnfilteredCountsAreExact) {
  Counted got = count_getppid(false, true);
  EXPECT_EQ(got.entries, 100'000);
  EXPECT_EQ(got.exits, 100'000);
}

TEST_F(UtraceWhole, WithoutSystemCallEventsThereAreNoStopsForThem) {
  UtraceHost host;
  Recorder record;
  auto task = host.spawn(program("getppid", {"4", "25000"}));
  ASSERT_TRUE(task);
  record.attach(*task, UTRACE_EVENT_DEATH);
  host.release_spawned(utrace_task_pid(*task));
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_LE(host.stops(), 40u);
}

TEST_F(UtraceWhole, ForksVforksAndThreadsAreFollowed) {
  UtraceHost host;
  Recorder record;
  host.on_new_task = [&](utrace_task* task, utrace_task*, uint64_t) {
    utrace_engine* engine =
        record.attach(task, UTRACE_EVENT_SYSCALL_ENTRY | UTRACE_EVENT_EXIT | UTRACE_EVENT_DEATH | UTRACE_EVENT_CLONE);
    utrace_syscall_set set;
    set.add(kGetppid);
    utrace_narrow_syscalls(engine, &set, nullptr);
  };
  auto task = host.spawn(filtered_program("fork_children", {kGetppid}, {"8"}));
  ASSERT_TRUE(task);
  pid_t pid = utrace_task_pid(*task);
  host.release_spawned(pid);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(record.count("entry"), 8);
  EXPECT_EQ(record.count("clone"), 8);
  EXPECT_EQ(record.count("exit"), 9);
  EXPECT_EQ(record.count("death"), 9);
  EXPECT_EQ(record.count_of("exit", 0), 2) << "child 0 and the parent, which found every status right";
}

}  // namespace
}  // namespace sonde
