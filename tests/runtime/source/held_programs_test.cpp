// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that are started and held: where each may stop, and that it then runs as usual.
#include "runtime/source/held_programs.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>

#include "runtime/process/proc_maps.h"

namespace sonde {
namespace {

class HeldProgramsTest : public testing::Test {
 protected:
  HeldPrograms programs{SourceOptions{}};

  uint32_t start(const std::vector<std::string>& argv) {
    auto pid = programs.spawn({argv, {}, false, {}, false}, [](uint32_t) { return Result<void>(); });
    EXPECT_TRUE(pid) << (pid ? "" : pid.error().message());
    return pid ? *pid : 0;
  }

  static bool has_mapped(uint32_t pid, std::string_view name) {
    auto maps = read_proc_maps(pid);
    return maps && std::ranges::any_of(*maps, [&](const MapEntry& entry) { return base_name(entry.path) == name; });
  }

  /// The exit status of the program, after its release.
  int end_of(uint32_t pid) {
    programs.let_go(pid);
    int status = 0;
    EXPECT_EQ(waitpid(static_cast<pid_t>(pid), &status, 0), static_cast<pid_t>(pid));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
};

TEST_F(HeldProgramsTest, HasItsLibrariesBeforeTheirConstructorsRun) {
  const uint32_t pid = start({"/bin/sh", "-c", "exit 3"});
  EXPECT_FALSE(has_mapped(pid, "libc.so.6"));
  const auto done = programs.run_to_constructors(pid);
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_TRUE(has_mapped(pid, "libc.so.6"));
  ASSERT_TRUE(programs.run_to_entry(pid));
  EXPECT_EQ(end_of(pid), 3);
}

TEST_F(HeldProgramsTest, OneThatRunsAlreadyIsRefused) {
  const uint32_t pid = start({"/bin/sh", "-c", "exit 4"});
  EXPECT_EQ(end_of(pid), 4);
  EXPECT_EQ(programs.run_to_constructors(pid).error().code(), ESRCH);
  EXPECT_EQ(programs.run_to_entry(pid).error().code(), ESRCH);
}

}  // namespace
}  // namespace sonde
