// SPDX-License-Identifier: GPL-3.0-or-later
// A small C program for tests: built once, run on request, ended by its pid.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace sonde {

class TargetProgram {
 public:
  /// Compiles `source` with `options` to the program `name`.
  TargetProgram(const std::string& name, const std::string& source, const std::string& options = "") {
    char made[] = "/tmp/sonde-test-XXXXXX";
    directory_ = mkdtemp(made);
    path_ = directory_ + "/" + name;
    std::ofstream(path_ + ".c") << source;
    const std::string command = "cc -O1 -g0 " + options + " -o " + path_ + " " + path_ + ".c";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
  ~TargetProgram() {
    stop();
    std::filesystem::remove_all(directory_);
  }
  TargetProgram(const TargetProgram&) = delete;
  TargetProgram& operator=(const TargetProgram&) = delete;

  /// Starts it; returns after it has exec'ed and its libraries are mapped, which its output says; waits at most 5 s.
  uint32_t start() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], 1);
      alarm(60);  // it must not outlive the test for long
      execl(path_.c_str(), path_.c_str(), nullptr);
      _exit(127);
    }
    close(ends[1]);
    char byte = 0;
    EXPECT_EQ(read(ends[0], &byte, 1), 1) << "the program did not start";
    close(ends[0]);
    return static_cast<uint32_t>(pid_);
  }
  void stop() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  const std::string& path() const { return path_; }

 private:
  std::string directory_, path_;
  pid_t pid_ = 0;
};

inline constexpr char kTargetSource[] = R"(
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int __attribute__((noinline)) helper(int x) { return x * 3 + getpid(); }
int __attribute__((noinline)) work(int x) { return helper(x) + helper(x + 1); }
int other_name(int) __attribute__((alias("work")));
int (*volatile keep)(int) = work;
int main(void) {
  keep(1);
  if (write(1, "x", 1) != 1) return 1;
  pause();
  return 0;
}
)";

}  // namespace sonde
