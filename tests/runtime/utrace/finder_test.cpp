// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/utrace/finder.h"

#include <limits.h>
#include <sys/mman.h>

#include "tests/runtime/utrace/support.h"

namespace sonde {
namespace {

class Finder : public Utrace {
 protected:
  struct Seen {
    int found = 0, gone = 0, processes_found = 0, processes_gone = 0;
  };
  static void count_into(FinderTarget& target, Seen& seen) {
    target.callback = [&seen](FinderTarget&, utrace_task*, bool found, bool process) {
      ++(found ? seen.found : seen.gone);
      if (process) ++(found ? seen.processes_found : seen.processes_gone);
      return 0;
    };
  }
  static std::string self() {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return {path, static_cast<size_t>(length)};
  }
};

TEST_F(Finder, ExistingTasksByPid) {
  Stranger target("busy_threads", {"3"});
  ASSERT_TRUE(target.ready());
  Seen seen, other_seen;
  FinderTarget by_pid{.by = FinderTarget::By::Pid, .pid = target.pid()}, other{.by = FinderTarget::By::Pid, .pid = 1};
  count_into(by_pid, seen);
  count_into(other, other_seen);
  UtraceHost host;
  TaskFinder finder(host);
  finder.add(&by_pid);
  finder.add(&other);
  ASSERT_TRUE(host.seize(target.pid()));
  finder.start();
  EXPECT_EQ(seen.found, 4);
  EXPECT_EQ(seen.processes_found, 1);
  EXPECT_EQ(other_seen.found, 0);
  kill(target.pid(), SIGUSR1);
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(seen.gone, 4);
  EXPECT_EQ(seen.processes_gone, 1);
}

TEST_F(Finder, NewTasksByPathAndWildcard) {
  Seen path_seen, wild_seen, miss_seen, all_seen;
  FinderTarget path{.by = FinderTarget::By::Path, .path = self()};
  FinderTarget wild{.by = FinderTarget::By::Wildcard, .path = self().substr(0, self().rfind('/')) + "/*"};
  FinderTarget miss{.by = FinderTarget::By::Wildcard, .path = "/*"};
  FinderTarget all{.by = FinderTarget::By::All};
  count_into(path, path_seen);
  count_into(wild, wild_seen);
  count_into(miss, miss_seen);
  count_into(all, all_seen);
  UtraceHost host;
  TaskFinder finder(host);
  for (FinderTarget* target : {&path, &wild, &miss, &all}) finder.add(target);
  finder.start();
  auto task = host.spawn(program("fork_children", {"4"}));
  ASSERT_TRUE(task);
  host.release_spawned(utrace_task_pid(*task));
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(path_seen.found, 5);
  EXPECT_EQ(path_seen.gone, 5);
  EXPECT_EQ(wild_seen.found, 5);
  EXPECT_EQ(all_seen.processes_gone, 5);
  EXPECT_EQ(miss_seen.found, 0);
}

TEST_F(Finder, ExecLooksAnew) {
  Seen sh, own;
  FinderTarget by_own{.by = FinderTarget::By::Path, .path = self()},
      by_sh{.by = FinderTarget::By::Wildcard, .path = "/*bin/*sh"};
  FinderTarget by_usr{.by = FinderTarget::By::Wildcard, .path = "/usr/bin/*sh"};
  count_into(by_own, own);
  count_into(by_sh, sh);
  count_into(by_usr, sh);
  UtraceHost host;
  TaskFinder finder(host);
  finder.add(&by_own);
  finder.add(&by_sh);
  finder.add(&by_usr);
  finder.start();
  utrace_spawn what = program("nothing");
  what.argv = {"/bin/sh", "-c", "exec /proc/self/exe -c 'exec " + self() + "'"};
  auto task = host.spawn(what);
  ASSERT_TRUE(task) << task.error().message();
  EXPECT_EQ(sh.found, 1);
  host.release_spawned(utrace_task_pid(*task));
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_EQ(sh.found, 2);
  EXPECT_EQ(sh.gone, 2);
  EXPECT_EQ(own.found, 1);
  EXPECT_EQ(own.gone, 1);
}

TEST_F(Finder, MmapMunmapMprotect) {
  for (bool filter : {false, true}) {
    SCOPED_TRACE(filter);
    uint64_t mapped_at = 0;
    int maps_of_self = 0, unmaps = 0, protects = 0, moved = 0;
    FinderTarget target;
    std::string own = self();
    target.mmap_callback = [&](FinderTarget&, utrace_task*, const std::string& path, uint64_t address, uint64_t length,
                               uint64_t, int protection) {
      if (path == own && length == 8192 && protection == PROT_READ) {
        ++maps_of_self;
        mapped_at = address;
      }
      moved += path.empty() && length == 16384;
    };
    target.munmap_callback = [&](FinderTarget&, utrace_task*, uint64_t address, uint64_t length) {
      unmaps += length == 8192 && address == mapped_at;
    };
    target.mprotect_callback = [&](FinderTarget&, utrace_task*, uint64_t, uint64_t length, int protection) {
      protects += length == 4096 && protection == PROT_READ;
    };
    UtraceHost host;
    TaskFinder finder(host);
    finder.add(&target);
    finder.start();
    auto task = host.spawn(
        filter ? filtered_program("map_things", {SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_pkey_mprotect})
               : program("map_things"));
    ASSERT_TRUE(task);
    host.release_spawned(utrace_task_pid(*task));
    ASSERT_TRUE(turn_to_end(host));
    EXPECT_EQ(maps_of_self, 1);
    EXPECT_EQ(moved, 1);
    EXPECT_EQ(unmaps, 1);
    EXPECT_GE(protects, 1);
  }
}

TEST_F(Finder, NoCallbacksOfMappingsMeansNoStopsForThem) {
  Seen seen;
  FinderTarget target;
  count_into(target, seen);
  UtraceHost host;
  TaskFinder finder(host);
  finder.add(&target);
  finder.start();
  auto task = host.spawn(program("map_things"));
  ASSERT_TRUE(task);
  host.release_spawned(utrace_task_pid(*task));
  ASSERT_TRUE(turn_to_end(host));
  EXPECT_LE(host.stops(), 3u);
  EXPECT_EQ(seen.gone, 1);
}

}  // namespace
}  // namespace sonde
