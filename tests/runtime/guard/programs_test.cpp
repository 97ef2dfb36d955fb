// SPDX-License-Identifier: GPL-3.0-or-later
// Real programs behave under the guard as without it
#include "tests/runtime/guard/guard_fixture.h"

namespace sonde::test {
namespace {

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  return std::string((std::istreambuf_iterator<char>(stream)), {});
}

struct Tracing {
  const char* name;
  bool filter;
  bool functions;
};

class Real : public testing::TestWithParam<Tracing> {
 protected:
  /// Runs a shell script untraced and traced; the outputs must be the same.
  void same(const std::string& script) {
    const std::string base = Programs::get().directory + "/real";
    const std::string plain = "cd " + Programs::get().directory + " && (" + script + ") >" + base +
                              ".plain 2>&1; echo status $? >>" + base + ".plain";
    const std::string traced = "cd " + Programs::get().directory + " && (" + script + ") >" + base +
                               ".traced 2>&1; echo status $? >>" + base + ".traced";
    ASSERT_EQ(system(plain.c_str()), 0);
    Consumer consumer;
    consumer.keep = 10;
    const std::vector<uint32_t> calls = {SYS_openat, SYS_read,  SYS_execve,      SYS_clone,
                                         SYS_wait4,  SYS_futex, SYS_rt_sigaction};
    for (uint32_t call : calls) {
      consumer.tap_call(1, call);
      consumer.tap_call(2, call, SONDE_TAP_SYSCALL_RETURN);
    }
    consumer.enable(1, Dif().text(SONDE_DIF_TEXT_EXECNAME));
    consumer.enable(2, Dif().argument(0));
    if (GetParam().functions) {
      const std::string libc = std::filesystem::canonical("/lib/x86_64-linux-gnu/libc.so.6");
      for (const char* name : {"fopen", "getenv", "qsort", "execve"}) {
        consumer.tap_function(1, SONDE_TAP_USER_ENTRY, libc, name);
        consumer.tap_function(2, SONDE_TAP_USER_RETURN, libc, name);
      }
    }
    consumer.spawn({"/bin/sh", "-c", traced}, calls, GetParam().filter);
    consumer.run();
    EXPECT_EQ(text_of(base + ".traced"), text_of(base + ".plain"));
    EXPECT_GT(consumer.count(1), 0u);
    EXPECT_EQ(consumer.source->statistics()->drops, 0u);
  }
};

INSTANTIATE_TEST_SUITE_P(Guard, Real,
                         testing::Values(Tracing{"plain", false, false}, Tracing{"filtered", true, false},
                                         Tracing{"functions", false, true}, Tracing{"filtered_functions", true, true}),
                         [](const auto& info) { return info.param.name; });

TEST_P(Real, Pipeline) {
  same("seq 1 20000 | grep 7 | sort -r | head -3; echo a | cat | tr a b; false | true; echo $?");
}

TEST_P(Real, Compiler) {
  same(
      "printf '#include <stdio.h>\\nint main(){puts(\"hello\");return 3;}' >hello.c && gcc -O2 hello.c -o hello && "
      "./hello");
}

TEST_P(Real, Make) {
  same(
      "mkdir -p m && cd m && printf 'all: a b c d\\na b c d:\\n\\t@echo $@ >$@; cat $@\\n' >Makefile && rm -f a b c d "
      "&& make -s -j2 | sort");
}

TEST_P(Real, PythonWithThreadsAndSubprocess) {
  same(
      "python3 -c 'import threading,subprocess,time\n"
      "r=[]\n"
      "def f(i): r.append(i*i)\n"
      "t=[threading.Thread(target=f,args=(i,)) for i in range(8)]\n"
      "[x.start() for x in t]; [x.join() for x in t]\n"
      "print(sorted(r), subprocess.run([\"echo\",\"hi\"],capture_output=True).stdout, time.sleep(0.01))'");
}

TEST_P(Real, SignalsAndJobs) {
  same(
      "{ sleep 5 & p=$!; kill -STOP $p; kill -CONT $p; kill $p; wait $p; echo $?; } 2>/dev/null; sh -c 'trap \"echo "
      "got; exit 4\" USR1; kill -USR1 $$; sleep 0.1'; echo $?; "
      "timeout 0.1 sleep 5; echo $?; sh -c 'kill -SEGV $$'; echo $?");
}

}  // namespace
}  // namespace sonde::test
