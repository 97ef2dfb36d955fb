// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the tests of the utrace core
//
// A traced program is a function in programs_test.cpp. It runs in a new process of the same test binary, with
// SONDE_TEST_PROGRAM=name: see run_program(). A Recorder is an engine that records its events.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/utrace/utrace.h"

namespace sonde {

using namespace std::chrono_literals;

/// Every test ends within a minute, whatever the traced program does; the program is killed, too.
class Utrace : public testing::Test {
 protected:
  void SetUp() override { alarm(60); }
  void TearDown() override { alarm(0); }
};

/// Turns the loop until `done`, or for at most five seconds. Returns the value of `done`.
inline bool turn_until(UtraceHost& host, const std::function<bool()>& done, std::chrono::milliseconds patience = 10s) {
  auto limit = std::chrono::steady_clock::now() + patience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    host.wait({}, 10);
  }
  return true;
}
inline void turn_for(UtraceHost& host, std::chrono::milliseconds time) {
  turn_until(
      host, [] { return false; }, time);
}
inline bool turn_to_end(UtraceHost& host, std::chrono::milliseconds patience = 20s) {
  return turn_until(
      host, [&] { return host.task_count() == 0; }, patience);
}

/// How to start a program of programs_test.cpp.
inline utrace_spawn program(const std::string& name, const std::vector<std::string>& arguments = {}) {
  utrace_spawn what;
  what.argv = {"/proc/self/exe"};
  what.argv.insert(what.argv.end(), arguments.begin(), arguments.end());
  for (char** each = environ; *each; ++each) what.environment.push_back(*each);
  what.environment.push_back("SONDE_TEST_PROGRAM=" + name);
  return what;
}
inline utrace_spawn filtered_program(const std::string& name, const std::vector<uint32_t>& calls,
                                     const std::vector<std::string>& arguments = {}) {
  utrace_spawn what = program(name, arguments);
  what.filter = true;
  what.calls = calls;
  return what;
}

/// A program that is not traced yet, forked through a middle process: its parent is not this one. finish() returns
/// its exit status as that parent got it; states() all changes of state that the parent got.
class Stranger {
 public:
  explicit Stranger(const std::string& name, std::vector<std::string> arguments = {}) {
    int to_us[2], says[2];
    if (pipe(to_us) != 0 || pipe(says) != 0) abort();
    middle_ = fork();
    if (middle_ == 0) {
      close(to_us[0]);
      close(says[0]);
      run_parent(name, arguments, to_us[1], says[1]);
    }
    close(to_us[1]);
    close(says[1]);
    from_parent_.reset(to_us[0]);
    says_.reset(says[0]);
    if (read(from_parent_.get(), &pid_, sizeof pid_) != sizeof pid_) abort();
  }
  ~Stranger() {
    if (!finished_) kill(pid_, SIGKILL);
    waitpid(middle_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }
  /// Waits until the program has written a byte to descriptor 3.
  bool ready() {
    char byte;
    return read(says_.get(), &byte, 1) == 1;
  }
  /// The next status that the parent got from waitpid(), or -1 if none comes in time. Turns the host meanwhile.
  int next_status(UtraceHost* host, std::chrono::milliseconds patience = 10s) {
    auto limit = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < limit) {
      pollfd polled{from_parent_.get(), POLLIN, 0};
      if (poll(&polled, 1, host ? 0 : 10) > 0) {
        int status = -1;
        if (read(from_parent_.get(), &status, sizeof status) != sizeof status) return -1;
        if (WIFEXITED(status) || WIFSIGNALED(status)) finished_ = !WIFCONTINUED(status);
        return status;
      }
      if (host) host->wait({}, 5);
    }
    return -1;
  }

 private:
  [[noreturn]] static void run_parent(const std::string& name, const std::vector<std::string>& arguments, int out,
                                      int says) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    pid_t child = fork();
    if (child == 0) {
      dup2(says, 3);
      setpgid(0, 0);
      utrace_spawn what = program(name, arguments);
      std::vector<char*> argv, environment;
      for (auto& text : what.argv) argv.push_back(text.data());
      for (auto& text : what.environment) environment.push_back(text.data());
      argv.push_back(nullptr);
      environment.push_back(nullptr);
      execve(argv[0], argv.data(), environment.data());
      _exit(126);
    }
    close(says);
    if (write(out, &child, sizeof child) < 0) _exit(1);
    for (;;) {
      int status = 0;
      if (waitpid(child, &status, WUNTRACED | WCONTINUED) < 0) _exit(0);
      if (write(out, &status, sizeof status) < 0) _exit(1);
      if (!WIFCONTINUED(status) && (WIFEXITED(status) || WIFSIGNALED(status))) _exit(0);
    }
  }

  pid_t middle_ = 0, pid_ = 0;
  bool finished_ = false;
  UniqueFd from_parent_, says_;
};

/// An engine that counts events and returns the configured answers.
struct Recorder {
  struct Line {
    std::string what;
    pid_t tid;
    long value;
  };
  std::vector<Line> lines;
  std::map<std::string, int> counts;
  std::map<std::string, uint32_t> answers;  ///< by name of the callback; default: UTRACE_RESUME
  std::map<pid_t, utrace_engine*> engines;
  bool keep_lines = true;
  bool follow = false;  ///< attach to children in report_clone
  uint32_t events = 0;
  std::vector<uint32_t> only;  ///< report only these system calls; empty: all
  int released = 0;
  std::function<uint32_t(utrace_engine*, utrace_task*, user_regs_struct*, uint32_t action)> entry, exit;
  std::function<uint32_t(utrace_engine*, utrace_task*, siginfo_t*, uint32_t action, struct sigaction* after)> signal;
  std::function<uint32_t(utrace_engine*, utrace_task*, uint32_t event)> quiesce;
  std::function<uint32_t(utrace_engine*, utrace_task* parent, uint64_t flags, utrace_task* child)> clone;
  std::function<uint32_t(utrace_engine*, utrace_task*)> death, on_exit;
  uint32_t signal_passes = true;  ///< the action of a signal is not changed

  static const utrace_engine_ops* ops();
  /// Attaches a new engine of this recorder, and requests the events `wanted`.
  utrace_engine* attach(utrace_task* task, uint32_t wanted);
  uint32_t note(const std::string& what, utrace_task* task, long value);
  int count(const std::string& what) const {
    auto place = counts.find(what);
    return place == counts.end() ? 0 : place->second;
  }
  int count_of(const std::string& what, long value) const {
    int result = 0;
    for (auto& line : lines) result += line.what == what && line.value == value;
    return result;
  }
  std::string order() const {
    std::string result;
    for (auto& line : lines) result += (result.empty() ? "" : " ") + line.what;
    return result;
  }
  /// Drops the references to its engines.
  void put_all() {
    for (auto& [tid, engine] : engines) utrace_engine_put(engine);
    engines.clear();
  }
  ~Recorder() { put_all(); }
};

}  // namespace sonde
