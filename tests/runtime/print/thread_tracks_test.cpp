// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever is lost, calls on a track lie in each other, and its times do not go back.
#include "runtime/print/thread_tracks.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <string>

namespace sonde {
namespace {

class Tracks : public ::testing::Test {
 protected:
  const ProbeInfo& probe(const std::string& provider, const std::string& function, const std::string& name) {
    const std::string all = provider + ":" + function + ":" + name;
    if (const auto found = probes_.find(all); found != probes_.end()) return found->second;
    texts_.push_back(provider);
    const std::string& p = texts_.back();
    texts_.push_back(function);
    const std::string& f = texts_.back();
    texts_.push_back(name);
    const std::string& n = texts_.back();
    return probes_.emplace(all, ProbeInfo{ProbeId{++id_}, p, module_, f, n}).first->second;
  }
  /// What is written for a firing: "track:B name", "track:E name", "track:i name"; what it ends before, with the reason.
  std::string fire(const ProbeInfo& fired, uint64_t time, uint64_t firing, uint32_t tid = 1, uint32_t pid = 1) {
    written_.clear();
    ThreadTracks::Thread& thread = tracks_.thread(pid, tid);
    const ThreadTracks::Place at = tracks_.place(thread, tid, fired, time, firing);
    EXPECT_EQ(at.track->last, time);
    const bool ends = at.kind == ThreadTracks::Kind::End, begins = at.kind == ThreadTracks::Kind::Begin;
    add(*at.track, begins ? "B" : ends ? "E" : at.is_again ? "again" : "i", ends ? at.call.name : event_name(fired));
    tracks_.end_behind(fired, pid, tid, time);
    return written_;
  }
  std::string fire(const std::string& function, const std::string& name, uint64_t time, uint64_t firing = 0) {
    return fire(probe("pid7", function, name), time, firing == 0 ? ++firings_ : firing);
  }
  void add(const ThreadTrack& track, const std::string& kind, const std::string& name) {
    written_ += (written_.empty() ? "" : ", ") + std::to_string(track.number) + ":" + kind + " " + name;
  }

  std::deque<std::string> texts_;
  std::map<std::string, ProbeInfo> probes_;
  std::string module_;
  uint32_t id_ = 0;
  uint64_t firings_ = 0;
  std::string written_;
  ThreadTracks tracks_{[this](const ThreadTrack& track, const OpenCall& call, uint64_t time, std::string_view why) {
    EXPECT_GE(time, track.last);
    add(track, "E", call.name + " at " + std::to_string(time) + " (" + std::string(why) + ")");
  }};
};

TEST_F(Tracks, CallsLieInEachOther) {
  EXPECT_EQ(fire("f", "entry", 1), "0:B f");
  EXPECT_EQ(fire("g", "entry", 2), "0:B g");
  EXPECT_EQ(fire("g", "1a", 2), "0:i g+1a");
  EXPECT_EQ(fire("g", "return", 3), "0:E g");
  EXPECT_EQ(fire("f", "return", 3), "0:E f");
}

TEST_F(Tracks, AReturnEndsWhatDidNotReturn) {
  fire("f", "entry", 1);
  fire("g", "entry", 2);
  fire("h", "entry", 3);
  EXPECT_EQ(fire("f", "return", 9),
            "0:E h at 9 (its caller has returned), 0:E g at 9 (its caller has returned), 0:E f");
}

TEST_F(Tracks, AReturnWithoutAnEntryIsAnInstant) {
  fire("f", "entry", 1);
  EXPECT_EQ(fire("g", "return", 2), "0:i g");
  EXPECT_EQ(fire("f", "return", 3), "0:E f");
  EXPECT_EQ(fire("f", "return", 4), "0:i f");
}

TEST_F(Tracks, RecursionEndsTheInnermost) {
  fire("f", "entry", 1);
  fire("f", "entry", 2);
  EXPECT_EQ(fire("f", "return", 3), "0:E f");
  EXPECT_EQ(fire("f", "return", 4), "0:E f");
}

TEST_F(Tracks, ASystemCallEndsTheOneBefore) {
  fire("f", "entry", 1);
  fire(probe("syscall", "read", "entry"), 2, ++firings_);
  fire("handler", "entry", 3);
  EXPECT_EQ(fire(probe("syscall", "write", "entry"), 4, ++firings_),
            "0:E handler at 4 (the next call has begun), 0:E read at 4 (the next call has begun), 0:B write");
  EXPECT_EQ(fire(probe("syscall", "write", "return"), 5, ++firings_), "0:E write");
  EXPECT_EQ(fire("f", "return", 6), "0:E f");
}

TEST_F(Tracks, AThreadThatIsReplacedByAnExecHasEndedItsCall) {
  fire(probe("syscall", "pause", "entry"), 1, ++firings_);
  EXPECT_EQ(fire(probe("syscall", "execve", "return"), 4, ++firings_),
            "0:E pause at 4 (another call has returned), 0:i execve");
}

TEST_F(Tracks, OtherClausesOfAFiringAddToIt) {
  fire("f", "entry", 1, 10);
  EXPECT_EQ(fire("f", "entry", 1, 10), "0:again f");
  fire("f", "entry", 2, 11);
  EXPECT_EQ(fire("f", "return", 3, 12), "0:E f");
  EXPECT_EQ(fire("f", "return", 3, 12), "0:again f") << "it must not end the outer call";
}

TEST_F(Tracks, WhatComesLateHasATrackOfItsOwn) {
  fire("f", "entry", 10, 3);
  EXPECT_EQ(fire("g", "entry", 5, 1), "1:B g");
  EXPECT_EQ(fire("h", "entry", 7, 2), "1:B h");
  EXPECT_EQ(fire("k", "entry", 6, 4), "2:B k");
  EXPECT_EQ(fire("h", "return", 11, 5), "1:E h");
  EXPECT_EQ(fire("f", "return", 12, 6), "0:E f");
  EXPECT_EQ(fire("g", "return", 12, 6), "1:E g") << "the firing that ended f";
}

TEST_F(Tracks, AThreadsEndEndsItsCalls) {
  fire("f", "entry", 1);
  EXPECT_EQ(fire(probe("syscall", "exit", "entry"), 4, ++firings_), "0:i exit, 0:E f at 4 (its thread has ended)");
}

TEST_F(Tracks, AProcessesEndEndsThoseOfAllThreads) {
  fire(probe("syscall", "futex", "entry"), 1, ++firings_, 2, 1);
  fire(probe("syscall", "futex", "entry"), 2, ++firings_, 3, 3);
  EXPECT_EQ(fire(probe("proc", "", "exit"), 5, ++firings_), "0:i proc:exit, 0:E futex at 5 (its thread has ended)");
  written_.clear();
  tracks_.end_all(9, "over");
  EXPECT_EQ(written_, "0:E futex at 9 (over)") << "that of the other process";
}

TEST_F(Tracks, TheEndOfAThreadIsThatOfNoOther) {
  fire(probe("syscall", "futex", "entry"), 1, ++firings_, 2, 1);
  EXPECT_EQ(fire(probe("syscall", "exit", "entry"), 4, ++firings_, 1, 1), "0:i exit");
  EXPECT_EQ(fire(probe("proc", "", "lwp-exit"), 5, ++firings_, 3, 1), "0:i proc:lwp-exit");
  written_.clear();
  tracks_.end_all(9, "over");
  EXPECT_EQ(written_, "0:E futex at 9 (over)");
}

TEST_F(Tracks, NoCallEndsBeforeTheLastOfItsTrack) {
  fire("f", "entry", 10);
  fire("g", "entry", 20);
  written_.clear();
  tracks_.end_all(15, "over");
  EXPECT_EQ(written_, "0:E g at 20 (over), 0:E f at 20 (over)");
}

TEST_F(Tracks, AThreadsNumberMayComeAgain) {
  fire("f", "entry", 1);
  EXPECT_EQ(fire(probe("pid7", "f", "return"), 5, ++firings_, 1, 8), "0:E f at 1 (its thread has ended), 0:i f");
}

TEST_F(Tracks, LongerNames) {
  EXPECT_EQ(fire("evaluate", "function-entry", 1), "0:B function");
  EXPECT_EQ(fire("evaluate", "gc-entry", 2), "0:B gc");
  EXPECT_EQ(fire("leave", "function-return", 3), "0:E gc at 3 (its caller has returned), 0:E function");
  EXPECT_EQ(event_name(probe("signal", "", "deliver")), "signal:deliver");
  EXPECT_EQ(event_name(probe("sched", "", "off-cpu")), "sched:off-cpu");
}

}  // namespace
}  // namespace sonde
