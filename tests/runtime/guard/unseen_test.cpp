// SPDX-License-Identifier: GPL-3.0-or-later
// Attaches and detaches repeatedly, to a program that knows the valid results of its calls (tests/programs/busy.c).
// SONDE_TEST_ATTACHMENTS=10000 makes it long.
#include "tests/runtime/guard/guard_fixture.h"

namespace sonde::test {
namespace {

int attachments() {
  const char* wanted = getenv("SONDE_TEST_ATTACHMENTS");
  return wanted != nullptr ? atoi(wanted) : 25;
}

/// busy.c, which runs until finish() and then reports what it has observed.
class Busy {
 public:
  Busy() {
    static const std::string built = [] {
      const std::string path = Programs::get().directory + "/busy";
      const std::string source = std::filesystem::path(SONDE_TESTS_FOLDER) / "programs/busy.c";
      EXPECT_EQ(system(("cc -O2 -pthread " + source + " -o " + path).c_str()), 0);
      return path;
    }();
    program = built;
    int in[2], out[2];
    EXPECT_EQ(pipe2(in, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(out, O_CLOEXEC), 0);
    pid = fork();
    if (pid == 0) {
      dup2(in[0], 0);
      dup2(out[1], 1);
      execl(program.c_str(), "busy", nullptr);
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    input_.reset(in[1]);
    output_ = fdopen(out[0], "r");
    char line[16];
    EXPECT_STREQ(fgets(line, sizeof line, output_), "ready\n");
  }
  ~Busy() { fclose(output_); }

  bool alive() const { return waitpid(pid, nullptr, WNOHANG) == 0; }
  void finish() {
    input_.reset();
    char line[256], name[32];
    int lines = 0;
    while (fgets(line, sizeof line, output_) != nullptr) {
      long numbers[5] = {};
      const int got = sscanf(line, "%31s calls=%ld eintr=%ld short=%ld wrong=%ld lost=%ld", name, &numbers[0],
                             &numbers[1], &numbers[2], &numbers[3], &numbers[4]);
      EXPECT_EQ(got, 6) << line;
      EXPECT_GT(numbers[0], 0) << line;
      EXPECT_EQ(numbers[3] + numbers[4], 0) << line;
      if (numbers[1] + numbers[2] > 0) printf("  %s", line);
      calls += numbers[0];
      (std::string_view(name) == "sigtimedwait" ? woken : interrupted) += numbers[1];
      cut += numbers[2];
      lines++;
    }
    EXPECT_EQ(lines, 16);
    int status = -1;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }

  pid_t pid;
  std::string program;
  long calls = 0, interrupted = 0, cut = 0;
  long woken = 0;  ///< EINTR of sigtimedwait(), which any stop causes: docs/guard.md

 private:
  UniqueFd input_;
  FILE* output_;
};

/// Repeats: attaches, keeps the taps armed for some ms, and detaches. Returns the number of records.
size_t attach_often(Busy& busy, const std::function<void(Consumer&)>& taps) {
  size_t records = 0;
  for (int round = 0; round < attachments() && busy.alive(); round++) {
    Consumer consumer(1 << 20);
    consumer.keep = 0;
    consumer.enable(1, Dif().argument(0));
    auto attached = consumer.source->targets()->attach(static_cast<uint32_t>(busy.pid));
    EXPECT_TRUE(attached) << attached.error().message();
    taps(consumer);
    EXPECT_TRUE(consumer.source->targets()->go());
    usleep(2000);
    consumer.drain(true);
    records += consumer.count(1);
  }
  EXPECT_TRUE(busy.alive());
  busy.finish();
  printf("  %d attachments, %ld calls, %ld EINTR, %ld short, %zu records\n", attachments(), busy.calls,
         busy.interrupted + busy.woken, busy.cut, records);
  return records;
}

TEST(Unseen, FunctionsOfABusyProgram) {
  Busy busy;
  const size_t records = attach_often(
      busy, [&](Consumer& consumer) { consumer.tap_function(1, SONDE_TAP_USER_ENTRY, busy.program, "step"); });
  EXPECT_GT(records, 0u);
  EXPECT_EQ(busy.interrupted, 0);
  EXPECT_LE(busy.woken * 100000, busy.calls);
  EXPECT_EQ(busy.cut, 0);
}

TEST(Unseen, CallsOfABusyProgram) {
  Busy busy;
  const size_t records = attach_often(busy, [](Consumer& consumer) {
    std::vector<Tap> taps;
    for (uint32_t call = 0; call < 450; call++) {
      taps.push_back({TapId{1000 + call}, SONDE_TAP_SYSCALL_ENTRY, ProbeId{1}, call, 0, "", 0, 0});
      taps.push_back({TapId{2000 + call}, SONDE_TAP_SYSCALL_RETURN, ProbeId{1}, call, 0, "", 0, 0});
    }
    auto armed = consumer.source->arm(taps);
    EXPECT_TRUE(armed) << armed.error().message();
  });
  EXPECT_GT(records, 0u);
  EXPECT_LE((busy.interrupted + busy.woken) * 100000, busy.calls);
}

}  // namespace
}  // namespace sonde::test
