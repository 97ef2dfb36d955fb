// SPDX-License-Identifier: GPL-3.0-or-later
// The effect of the deaths of consumer and guard on the targets
#include <sys/mman.h>
#include <sys/prctl.h>

#include <random>

#include "tests/runtime/guard/guard_fixture.h"

namespace sonde::test {
namespace {

/// Waits until there are no other guards than before.
void expect_no_guard_left(const std::set<pid_t>& before) {
  std::set<pid_t> left;
  for (int i = 0; i < 500; i++) {
    left.clear();
    for (pid_t pid : guards()) {
      if (!before.contains(pid)) left.insert(pid);
    }
    if (left.empty()) return;
    usleep(10000);
  }
  ADD_FAILURE() << left.size() << " guards left";
}

void enable_everything(Consumer& consumer, bool held) {
  consumer.enable(1, Dif().text(SONDE_DIF_TEXT_EXECNAME), held);
  consumer.enable(2, Dif().argument(0));
  consumer.tap_call(1, SYS_getppid);
  consumer.tap_call(1, SYS_getppid, SONDE_TAP_SYSCALL_RETURN);
  consumer.tap_function(2, SONDE_TAP_USER_ENTRY, target(), "work");
  consumer.tap_function(2, SONDE_TAP_USER_RETURN, target(), "work");
}

int wait_status(pid_t pid, int patience_ms) {
  int status = -1;
  for (int i = 0; i < patience_ms / 5; i++) {
    if (waitpid(pid, &status, WNOHANG) == pid) return status;
    usleep(5000);
  }
  kill(pid, SIGKILL);
  waitpid(pid, &status, 0);
  return -1;
}

/// The file for a target's status when none of our processes is its parent any more.
std::string run_and_report(const std::string& file, const char* tenths) {
  return target() + " loop " + tenths + " >/dev/null; echo $? >" + file;
}

/// Ten seconds of waiting, because that is the limit; nothing runs meanwhile.
TEST(Death, AGuardThatCannotEndIsWaitedForTenSeconds) {
  const std::set<pid_t> before = guards();
  Consumer consumer;
  pid_t guard = 0;
  for (pid_t pid : guards())
    if (!before.contains(pid)) guard = pid;
  ASSERT_NE(guard, 0);
  kill(guard, SIGSTOP);
  const auto begin = Clock::now();
  const std::vector<Notice> notices = consumer.source->close();
  const auto took = Clock::now() - begin;
  EXPECT_GE(took, std::chrono::seconds(10));
  EXPECT_LT(took, std::chrono::seconds(30));
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_EQ(notices[0].text, "the guard (sonde-guard, pid " + std::to_string(guard) +
                                 ") has not ended yet; it is not waited for any longer");
  kill(guard, SIGCONT);
  EXPECT_EQ(waitpid(guard, nullptr, 0), guard) << "its socket is closed, so it ends when it can";
}

TEST(Death, ConsumerKilledWhileAttached) {
  const std::set<pid_t> before = guards();
  std::mt19937 random(1);
  for (int round = 0; round < 20; round++) {
    const pid_t child = start_loop("4");
    const pid_t consumer_pid = fork();
    if (consumer_pid == 0) {
      Consumer consumer;
      enable_everything(consumer, round % 4 == 3);
      if (consumer.source->targets()->attach(static_cast<uint32_t>(child))) consumer.run();
      _exit(0);
    }
    usleep(random() % 150000);
    kill(consumer_pid, SIGKILL);
    waitpid(consumer_pid, nullptr, 0);
    const int status = wait_status(child, 20000);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 42) << "round " << round << " status " << status;
  }
  expect_no_guard_left(before);
}

TEST(Death, ConsumerKilledThatSpawned) {
  Programs::get();
  const std::set<pid_t> before = guards();
  std::mt19937 random(2);
  for (int round = 0; round < 20; round++) {
    const std::string file = Programs::get().directory + "/status" + std::to_string(round);
    const pid_t consumer_pid = fork();
    if (consumer_pid == 0) {
      Consumer consumer;
      enable_everything(consumer, round % 4 == 3);
      consumer.spawn({"/bin/sh", "-c", run_and_report(file, "3")}, {SYS_getppid}, round % 2 == 0);
      consumer.run();
      _exit(0);
    }
    usleep(30000 + random() % 150000);  // so that the program has started
    kill(consumer_pid, SIGKILL);
    waitpid(consumer_pid, nullptr, 0);
    std::string text;
    bool started = false;
    for (int i = 0; i < 300 && text.empty(); i++) {
      usleep(10000);
      std::ifstream stream(file);
      started = started || stream.good();
      std::getline(stream, text);
      std::set<pid_t> now = guards();
      if (i > 20 && now == before && text.empty() && !std::filesystem::exists(file)) break;  // killed before it spawned
    }
    if (std::filesystem::exists(file)) {
      EXPECT_EQ(text, "42") << "round " << round;
    }
  }
  expect_no_guard_left(before);
}

TEST(Death, ConsumerThatClosesWaitsForTheProbesToBeOut) {
  const pid_t child = start_loop("6000");
  {
    Consumer consumer;
    enable_everything(consumer, false);
    ASSERT_TRUE(consumer.source->targets()->attach(static_cast<uint32_t>(child)));
    ASSERT_TRUE(consumer.source->targets()->go());
    consumer.wait_for_records(1);
  }
  std::ifstream status("/proc/" + std::to_string(child) + "/status");
  std::string line;
  while (std::getline(status, line) && !line.starts_with("TracerPid:")) {
  }
  EXPECT_EQ(line, "TracerPid:\t0");
  kill(child, SIGUSR2);
  const int result = wait_status(child, 20000);
  EXPECT_EQ(result, 42 << 8);
}

/// The guard kills itself at its n-th ptrace call. A program that it started with a filter dies with it; one without
/// a filter continues, unless it hits a breakpoint that was left. The consumer gets an error, and nothing is left
/// over.
TEST(Death, GuardDiesAtEachPtraceCall) {
  const std::set<pid_t> before = guards();
  int dead = 0;
  for (int n = 1; n <= 60; n++) {
    const bool filter = n % 2 == 0;
    const std::string file = Programs::get().directory + "/die" + std::to_string(n);
    setenv("SONDE_GUARD_DIE_AT", std::to_string(n).c_str(), 1);
    Consumer consumer;
    unsetenv("SONDE_GUARD_DIE_AT");
    consumer.enable(1, Dif().text(SONDE_DIF_TEXT_EXECNAME));
    consumer.tap_call(1, SYS_getppid);
    consumer.tap_call(1, SYS_getppid, SONDE_TAP_SYSCALL_RETURN);
    auto pid = consumer.source->targets()->spawn(
        {{"/bin/sh", "-c", target() + " getppid 2 20 >/dev/null; echo $? >" + file}, {}, filter, {SYS_getppid}});
    if (!pid) {
      EXPECT_EQ(pid.error().code(), EPIPE) << n << pid.error().message();
      dead++;
      continue;
    }
    auto gone = consumer.source->targets()->go();
    const auto end = Clock::now() + std::chrono::seconds(20);
    while (!consumer.all_gone && Clock::now() < end && consumer.events()) usleep(500);
    EXPECT_TRUE(consumer.all_gone || consumer.died) << n;
    dead += consumer.died;
    if (!consumer.died) continue;
    // With a filter: EXITKILL. Without: the program continues by itself.
    bool runs = true;
    for (int i = 0; i < 500 && runs; i++) {
      std::ifstream stat("/proc/" + std::to_string(*pid) + "/stat");
      std::string text;
      std::getline(stat, text);
      runs = !text.empty() && text.find(") Z") == std::string::npos;
      if (runs) usleep(10000);
    }
    EXPECT_FALSE(runs) << n;
    std::string text;
    std::ifstream(file) >> text;
    if (!filter) {
      EXPECT_EQ(text, "0") << n;
    }
  }
  EXPECT_GT(dead, 10);
  expect_no_guard_left(before);
}

TEST(Death, GuardKilledWithABreakpointLeft) {
  const std::set<pid_t> before = guards();
  const pid_t child = start_loop("6000");
  Consumer consumer;
  enable_everything(consumer, false);
  ASSERT_TRUE(consumer.source->targets()->attach(static_cast<uint32_t>(child)));
  ASSERT_TRUE(consumer.source->targets()->go());
  consumer.wait_for_records(1);
  for (pid_t pid : guards()) {
    if (!before.contains(pid)) kill(pid, SIGKILL);
  }
  const int status = wait_status(child, 20000);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP) << status;
  for (int i = 0; i < 1000 && consumer.events(); i++) usleep(5000);
  EXPECT_TRUE(consumer.died);
  auto error = consumer.source->targets()->go();
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().code(), EPIPE);
}

TEST(Death, SourceThatIsNotUsedLeavesNothing) {
  const std::set<pid_t> before = guards();
  for (int i = 0; i < 20; i++) {
    Consumer consumer;
  }
  expect_no_guard_left(before);
}

}  // namespace
}  // namespace sonde::test
