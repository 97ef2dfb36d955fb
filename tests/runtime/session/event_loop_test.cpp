// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/session/event_loop.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <string>

#include "runtime/base/clock.h"

namespace sonde {
namespace {

struct Pipe {
  Pipe() { EXPECT_EQ(::pipe(ends), 0); }
  ~Pipe() {
    for (int end : ends)
      if (end >= 0) ::close(end);
  }
  void say() { EXPECT_EQ(::write(ends[1], "x", 1), 1); }
  void hear() {
    char c;
    EXPECT_EQ(::read(ends[0], &c, 1), 1);
  }
  int ends[2];
};

TEST(EventLoop, ActsOnWhatHasComeInTheOrderOfAdding) {
  Pipe one, two, quiet;
  EventLoop loop;
  std::string said;
  loop.watch([&] { return quiet.ends[0]; }, POLLIN, [&] { said += "quiet "; });
  loop.watch([&] { return two.ends[0]; }, POLLIN, [&] { two.hear(), said += "two "; });
  loop.watch([&] { return one.ends[0]; }, POLLIN, [&] { one.hear(), said += "one "; });
  one.say();
  two.say();
  loop.turn();
  EXPECT_EQ(said, "two one ");
  one.say();
  loop.turn();
  EXPECT_EQ(said, "two one one ");
}

TEST(EventLoop, DescriptorsAreAskedForAtEachTurn) {
  Pipe one, two;
  one.say();
  two.say();
  EventLoop loop;
  int watched = -1, turns = 0;
  loop.watch([&] { return watched; }, POLLIN, [&] { ++turns; });
  loop.at([] { return Nanoseconds{0}; });  // turns do not wait
  loop.turn();
  EXPECT_EQ(turns, 0);
  watched = one.ends[0];
  loop.turn();
  watched = two.ends[0];
  loop.turn();
  EXPECT_EQ(turns, 2);
}

TEST(EventLoop, TheEndOfAReaderIsSeenWithoutAWrite) {
  Pipe pipe;
  EventLoop loop;
  bool gone = false;
  loop.watch([&] { return pipe.ends[1]; }, 0, [&] { gone = true; });
  bool turned = false;
  loop.at([&] { return turned ? EventLoop::kNever : 0; }, [&] { turned = true; });
  loop.turn();
  EXPECT_FALSE(gone);
  ::close(pipe.ends[0]);
  pipe.ends[0] = -1;
  loop.turn();
  EXPECT_TRUE(gone);
}

TEST(EventLoop, ATimeIsWaitedForAndNotBefore) {
  EventLoop loop;
  const Nanoseconds due = monotonic_now() + 3'000'000;
  Nanoseconds when = 0;
  loop.at([&] { return when != 0 ? EventLoop::kNever : due; }, [&] { when = monotonic_now(); });
  while (when == 0) loop.turn();
  EXPECT_GE(when, due);
}

TEST(EventLoop, APeriodCountsFromTheLastTime) {
  EventLoop loop;
  Nanoseconds period = 2'000'000, last = monotonic_now();
  int times = 0;
  loop.every([&] { return period; },
             [&] {
               EXPECT_GE(monotonic_now(), last + period);
               last = monotonic_now() - 1000;  // the loop noted it just before
               ++times;
             });
  while (times < 3) loop.turn();
  period = EventLoop::kNever;
  bool due = false;
  loop.at([&] { return due ? EventLoop::kNever : 0; }, [&] { due = true; });
  loop.turn();
  EXPECT_EQ(times, 3);
}

}  // namespace
}  // namespace sonde
