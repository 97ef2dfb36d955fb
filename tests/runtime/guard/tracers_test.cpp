// SPDX-License-Identifier: GPL-3.0-or-later
// Two tracers in one process, each in a thread of its own
#include <barrier>
#include <thread>

#include "runtime/guard/tracer.h"
#include "tests/runtime/guard/guard_fixture.h"

namespace sonde::test {
namespace {

using namespace guard;

/// Traces a program that makes `calls` calls, after both tracers are ready. Returns the number of firings.
uint64_t firings_of(int calls, std::barrier<>& both) {
  UtraceHost host;
  TapTable taps;
  EcbTable ecbs;
  guard::Recorder recorder(ecbs);
  Tracer tracer(host, taps, recorder,
                {[](pid_t, long) {}, [](pid_t) {}, [](pid_t, const Mapping&, pid_t) {},
                 [](pid_t, const Mapping&, sonde_mapping_when, Nanoseconds, int) {},
                 [](const std::string& text) { ADD_FAILURE() << text; },
                 [](const std::string& text) { ADD_FAILURE() << text; }, [] {}});
  OwnedProgram empty;
  empty.insns = {{SONDE_DIF_RECORD, 0, 0, 0, 0}};
  empty.view = {.insns = empty.insns.data(), .length = 1};
  EXPECT_TRUE(recorder.create(1 << 20));
  EXPECT_TRUE(ecbs.load(1, std::move(empty)));
  EXPECT_TRUE(ecbs.add({{.epid = 1, .probe = 1, .program = 1, .flags = 0}}));
  EXPECT_TRUE(taps.add({.id = TapId{1}, .kind = SONDE_TAP_SYSCALL_ENTRY, .probe = ProbeId{1}, .number = SYS_getppid}));
  tracer.taps_changed();
  utrace_spawn what{.argv = {Programs::get().target, "getppid", "1", std::to_string(calls)}};
  EXPECT_TRUE(tracer.spawn(what));
  both.arrive_and_wait();
  tracer.go();
  while (host.task_count() > 0) host.wait({}, -1);
  both.arrive_and_wait();
  return recorder.firings();
}

TEST(Tracers, EachFiresForItsOwn) {
  Programs::get();
  sigset_t child, before;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &child, &before);
  std::barrier both(2);
  uint64_t one = 0, other = 0;
  alarm(120);
  std::thread first([&] { one = firings_of(300, both); }), second([&] { other = firings_of(500, both); });
  first.join();
  second.join();
  alarm(0);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(one, 300u);
  EXPECT_EQ(other, 500u);
}

}  // namespace
}  // namespace sonde::test
