// SPDX-License-Identifier: GPL-3.0-or-later
// A child that runs before its parent has reported it
//
// If a parent gets no processor between the creation of its child and its own PTRACE_EVENT_FORK, its event comes after
// the child's. Here this is forced: this program has its own waitpid(), also in the guard, which is a fork of it. It
// holds the parent's event back until the child ends.
#include <sys/ptrace.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "tests/runtime/guard/guard_fixture.h"

namespace {

struct LateParent {
  bool wanted = false;       ///< hold back the event of the next fork
  bool kills_child = false;  ///< kill the child before its first step
  pid_t parent = 0;          ///< the process whose event is held back
  int status = 0;
  bool child_ended = false;
};
LateParent late;

}  // namespace

extern "C" pid_t waitpid(pid_t pid, int* status, int options) {
  if (late.parent != 0 && late.child_ended) {
    if (status != nullptr) *status = late.status;
    return std::exchange(late.parent, 0);
  }
  int seen = 0;
  const auto got = static_cast<pid_t>(syscall(SYS_wait4, pid, &seen, options, nullptr));
  if (got > 0 && late.wanted && seen >> 8 == (SIGTRAP | PTRACE_EVENT_FORK << 8)) {
    unsigned long child = 0;
    ptrace(PTRACE_GETEVENTMSG, got, nullptr, &child);
    if (late.kills_child) kill(static_cast<pid_t>(child), SIGKILL);
    late = {false, false, got, seen, false};
    return waitpid(pid, status, options);
  }
  if (got > 0 && late.parent != 0 && (WIFEXITED(seen) || WIFSIGNALED(seen))) late.child_ended = true;
  if (status != nullptr) *status = seen;
  return got;
}

namespace sonde::test {
namespace {

/// Runs a program that forks; its child and it make 100 calls of work() each.
struct Forking {
  explicit Forking(bool kills_child) {
    late.wanted = true;
    late.kills_child = kills_child;
    consumer.emplace();
    late = {};  // the guard has a copy
    consumer->enable(1, Dif().argument(0));
    consumer->tap_function(1, SONDE_TAP_USER_ENTRY, Programs::get().target, "work");
    for (sonde_tap_kind kind : {SONDE_TAP_CREATE, SONDE_TAP_EXIT}) {
      consumer->enable(2 + kind, Dif().argument(0));
      consumer->tap_kind(2 + kind, kind);
    }
    pid = consumer->spawn({Programs::get().target, "forkwork", "0", "100"});
    consumer->run();
  }
  size_t calls_of_the_child() const {
    return static_cast<size_t>(std::ranges::count_if(
        consumer->records, [this](const Record& record) { return record.probe == 1 && record.pid != pid; }));
  }

  std::optional<Consumer> consumer;
  uint32_t pid = 0;
};

/// It is still the child of its parent: its memory is a copy that includes the breakpoints. When the parent's event
/// comes after the child has ended, it does not create a second process.
TEST(LateParent, AChildIsTracedAsTheCopyThatItIs) {
  const Forking forking(false);
  EXPECT_EQ(forking.consumer->status.at(forking.pid), 0u) << "how the child ended, as its parent was told";
  ASSERT_FALSE(forking.consumer->records.empty());
  EXPECT_NE(forking.consumer->records.front().pid, forking.pid) << "the parent was not late";
  EXPECT_EQ(forking.calls_of_the_child(), 100u);
  EXPECT_EQ(forking.consumer->count(1), 200u);
  EXPECT_EQ(forking.consumer->count(2 + SONDE_TAP_CREATE), 1u);
  EXPECT_EQ(forking.consumer->count(2 + SONDE_TAP_EXIT), 2u);
}

TEST(LateParent, AChildThatIsKilledBeforeItsParentTellsEnds) {
  const Forking forking(true);
  EXPECT_EQ(forking.consumer->status.at(forking.pid), static_cast<uint64_t>(SIGKILL) << 8)
      << "the child's, which the program returns";
  EXPECT_EQ(forking.consumer->count(1), 100u);
  EXPECT_EQ(forking.consumer->count(2 + SONDE_TAP_CREATE), 1u);
  EXPECT_EQ(forking.consumer->count(2 + SONDE_TAP_EXIT), 2u);
}

}  // namespace
}  // namespace sonde::test
