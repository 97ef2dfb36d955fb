// SPDX-License-Identifier: GPL-3.0-or-later
// System calls whose report needs more than a stop: those of 32-bit code, interrupted ones, refused ones, a child's
// return
#include <errno.h>

#include <algorithm>

#include "tests/runtime/utrace/support.h"

namespace sonde {
namespace {

struct Call {
  std::string side;
  pid_t tid;
  int64_t number, result;
  uint64_t first_argument;

  bool operator==(const Call&) const = default;
};

/// Runs `what` to its end and records the reports of the calls `numbers`.
class UtraceCalls : public Utrace {
 protected:
  std::vector<Call> run(const utrace_spawn& what, const std::vector<uint32_t>& numbers) {
    utrace_syscall_set set;
    for (uint32_t number : numbers) set.add(number);
    const auto note = [this](const char* side) {
      return [this, side](utrace_engine*, utrace_task* task, user_regs_struct*, uint32_t) {
        const utrace_call call = utrace_get_call(task);
        calls.push_back({side, utrace_task_tid(task), call.number, call.result, call.arguments[0]});
        late += call.returned_at != 0;
        return static_cast<uint32_t>(UTRACE_RESUME);
      };
    };
    record.entry = note("entry");
    record.exit = note("return");
    host.on_new_task = [&](utrace_task* task, utrace_task*, uint64_t) {
      utrace_narrow_syscalls(record.attach(task, UTRACE_EVENT_SYSCALL_ENTRY | UTRACE_EVENT_SYSCALL_EXIT), &set, &set);
    };
    auto task = host.spawn(what);
    EXPECT_TRUE(task);
    if (!task) return {};
    host.release_spawned(utrace_task_pid(*task));
    EXPECT_TRUE(turn_to_end(host));
    return calls;
  }
  long count(const std::string& side, int64_t number) const {
    return std::count_if(calls.begin(), calls.end(),
                         [&](const Call& call) { return call.side == side && call.number == number; });
  }
  std::vector<int64_t> results(int64_t number) const {
    std::vector<int64_t> all;
    for (const Call& call : calls)
      if (call.side == "return" && call.number == number) all.push_back(call.result);
    return all;
  }

  UtraceHost host;
  Recorder record;
  std::vector<Call> calls;
  int late = 0;
};

constexpr uint32_t kCompatGetppid = kUtraceCompatCalls + 64, kCompatClose = kUtraceCompatCalls + 6;

/// A kernel without IA-32 emulation (`ia32_emulation=0`) answers `int $0x80` with a SIGSEGV.
bool runs_32_bit_calls() {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    long result = 0;
    asm volatile("int $0x80" : "=a"(result) : "0"(64l) : "memory", "r8", "r9", "r10", "r11");
    _exit(result == getppid() ? 0 : 1);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && status == 0;
}

TEST_F(UtraceCalls, Of32BitCodeHaveNumbersOfTheirOwn) {
  if (!runs_32_bit_calls()) GTEST_SKIP() << "this kernel runs no 32-bit code: int $0x80 fails";
  const std::vector<uint32_t> numbers = {SYS_getppid, kCompatGetppid, kCompatClose};
  for (bool filter : {true, false}) {
    calls.clear();
    run(filter ? filtered_program("compat_calls", numbers) : program("compat_calls"), numbers);
    EXPECT_EQ(count("entry", SYS_getppid), 2);
    EXPECT_EQ(count("entry", kCompatGetppid), 5);
    EXPECT_EQ(results(kCompatGetppid), std::vector<int64_t>(5, getpid()));
    EXPECT_EQ(results(kCompatClose), std::vector<int64_t>{-EBADF});
    for (const Call& call : calls) {
      if (call.number == kCompatClose) {
        EXPECT_EQ(call.first_argument, 0xffffffffu) << "cut to 32 bits";
      }
    }
  }
}

TEST_F(UtraceCalls, InterruptedOnesSayWhatTheProgramGets) {
  run(filtered_program("interrupted_reads", {SYS_readv}), {SYS_readv});
  EXPECT_EQ(results(SYS_readv), (std::vector<int64_t>{-EINTR, -512, 1})) << "as the program got them";
  EXPECT_EQ(late, 2);
  EXPECT_EQ(count("entry", SYS_readv), 3);
}

TEST_F(UtraceCalls, AChildReturnsFromItsOwnFork) {
  run(program("fork_children", {"4"}), {SYS_clone, SYS_fork, SYS_vfork, SYS_clone3, SYS_getppid});
  std::vector<pid_t> children;
  for (const Call& call : calls)
    if (call.side == "return" && call.number != SYS_getppid && call.result > 0)
      children.push_back(static_cast<pid_t>(call.result));
  ASSERT_EQ(children.size(), 4u);
  for (pid_t child : children) {
    std::vector<Call> own;
    for (const Call& call : calls)
      if (call.tid == child) own.push_back(call);
    ASSERT_EQ(own.size(), 3u);
    EXPECT_EQ(own[0].side + std::to_string(own[0].result), "return0") << "before anything that it does";
    EXPECT_EQ(own[1].number, SYS_getppid);
  }
}

TEST_F(UtraceCalls, TheProgramsOwnFilterHidesNothing) {
  run(filtered_program("own_filter", {SYS_getppid}), {SYS_getppid});
  EXPECT_EQ(count("entry", SYS_getppid), 4);
  EXPECT_EQ(results(SYS_getppid).size(), 4u);
  EXPECT_EQ(results(SYS_getppid).back(), -55);
}

}  // namespace
}  // namespace sonde
