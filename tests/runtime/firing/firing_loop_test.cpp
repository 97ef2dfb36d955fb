// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/firing/firing_loop.h"

#include <gmock/gmock.h>

#include <vector>

#include "tests/kmod/shared/dif_support.h"

namespace sonde {
namespace {

using test::insn;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Records its argument 0 unless that is 0.
struct Clause {
  Clause() {
    program.insns = {insn(SONDE_DIF_ARG, 0), insn(SONDE_DIF_JZ, 0, 0, 0, 2), insn(SONDE_DIF_CAPW, 0, 0),
                     insn(SONDE_DIF_RECORD), insn(SONDE_DIF_FAIL)};
    program.kinds = {SONDE_SLOT_WORD};
    EXPECT_EQ(program.verify(), 0) << program.why;
  }
  test::Program program;
};

struct Ecb {
  uint32_t epid;
  bool held;
  const Clause* clause;

  const sonde_dif_program& view() const { return clause->program.raw; }
};

class FiringLoopTest : public ::testing::Test {
 protected:
  FiringLoopTest() { thread.args[0] = 42; }

  FiringLoop::Outcome run(const std::vector<Ecb>& ecbs, bool can_wait = true) {
    const auto prepare = [this](const Ecb& ecb) {
      prepared.push_back(ecb.epid);
      return 100 + ecb.epid;
    };
    return loop.run(firing, ecbs, {10, 11, can_wait}, seen, prepare, [this] { return prepared.back() == lacking; });
  }
  std::vector<sonde_record> records() {
    std::vector<sonde_record> all;
    RingReader reader(file.ring);
    reader.refresh();
    reader.drain(0, true, [&](const sonde_record& record) { all.push_back(record); });
    return all;
  }
  static std::vector<uint32_t> epids(const std::vector<sonde_record>& records) {
    std::vector<uint32_t> all;
    for (const sonde_record& record : records) all.push_back(record.epid);
    return all;
  }

  Clause clause;
  test::FakeThread thread;
  const sonde_dif_firing seen{&test::fake_env(), &thread, thread.args, thread.locals, thread.thread_variables, "cat"};
  RingFile file = *create_ring_memfd(kRingBytesMin);
  FiringLoop loop{file.ring};
  FiringState firing{.probe = 7};
  std::vector<uint32_t> prepared;
  uint32_t lacking = 0;  ///< the epid of the program that cannot read all that it needs yet
};

TEST_F(FiringLoopTest, EcbsShareTimeAndSequence) {
  EXPECT_EQ(run({{3, false, &clause}, {5, false, &clause}}), FiringLoop::Outcome::Done);
  const auto seen_records = records();
  ASSERT_EQ(epids(seen_records), (std::vector<uint32_t>{3, 5}));
  for (const sonde_record& record : seen_records) {
    EXPECT_EQ(record.probe, 7u);
    EXPECT_EQ(record.pid, 10u);
    EXPECT_EQ(record.tid, 11u);
    EXPECT_EQ(record.cpu, 100 + record.epid);
    EXPECT_EQ(record.sequence, 1u);
    EXPECT_EQ(record.timestamp, firing.timestamp);
    EXPECT_EQ(record.flags & SONDE_RECORD_HELD, 0u);
  }
  EXPECT_GT(firing.timestamp, 0u);
  EXPECT_EQ(loop.programs_run(), 2u);
}

TEST_F(FiringLoopTest, EachFiringHasASequenceNumberAndATimeOfItsOwn) {
  run({{1, false, &clause}});
  const Nanoseconds first = firing.timestamp;
  firing = {.probe = 7};
  run({{1, false, &clause}});
  firing = {.probe = 7, .timestamp = 1234};
  run({{1, false, &clause}});
  const auto all = records();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_THAT((std::vector{all[0].sequence, all[1].sequence, all[2].sequence}), ElementsAre(1, 2, 3));
  EXPECT_GE(all[1].timestamp, first);
  EXPECT_EQ(all[2].timestamp, 1234u);
}

TEST_F(FiringLoopTest, StopsBehindAHeldEcbAndGoesOn) {
  const std::vector<Ecb> ecbs = {{1, false, &clause}, {2, true, &clause}, {4, true, &clause}, {6, false, &clause}};
  EXPECT_EQ(run(ecbs), FiringLoop::Outcome::Held);
  EXPECT_THAT(prepared, ElementsAre(1, 2));
  EXPECT_EQ(run(ecbs), FiringLoop::Outcome::Held);
  EXPECT_EQ(run(ecbs), FiringLoop::Outcome::Done);
  EXPECT_THAT(prepared, ElementsAre(1, 2, 4, 6));
  const auto all = records();
  ASSERT_THAT(epids(all), ElementsAre(1, 2, 4, 6));
  for (const sonde_record& record : all) {
    EXPECT_EQ(record.sequence, 1u);
    EXPECT_EQ(record.timestamp, firing.timestamp);
    EXPECT_EQ((record.flags & SONDE_RECORD_HELD) != 0, record.epid == 2 || record.epid == 4);
  }
}

/// It records nothing and does not count; the next run begins with it.
TEST_F(FiringLoopTest, AProgramThatLacksMemoryRunsAgain) {
  const std::vector<Ecb> ecbs = {{1, false, &clause}, {2, true, &clause}, {4, false, &clause}};
  lacking = 2;
  EXPECT_EQ(run(ecbs), FiringLoop::Outcome::Lacks);
  EXPECT_EQ(run(ecbs), FiringLoop::Outcome::Lacks);
  EXPECT_EQ(loop.programs_run(), 1u);
  lacking = 0;
  EXPECT_EQ(run(ecbs), FiringLoop::Outcome::Held);
  EXPECT_EQ(run(ecbs), FiringLoop::Outcome::Done);
  EXPECT_THAT(prepared, ElementsAre(1, 2, 2, 2, 4));
  EXPECT_THAT(epids(records()), ElementsAre(1, 2, 4));
}

TEST_F(FiringLoopTest, GoesOnByEpidWhereTheListHasChanged) {
  EXPECT_EQ(run({{2, true, &clause}, {4, false, &clause}}), FiringLoop::Outcome::Held);
  EXPECT_EQ(run({{1, false, &clause}, {3, false, &clause}, {5, false, &clause}}), FiringLoop::Outcome::Done);
  EXPECT_THAT(epids(records()), ElementsAre(2, 3, 5));
}

TEST_F(FiringLoopTest, AFilterThatSaysNoHoldsNobody) {
  thread.args[0] = 0;
  EXPECT_EQ(run({{1, true, &clause}, {2, false, &clause}}), FiringLoop::Outcome::Done);
  EXPECT_THAT(prepared, ElementsAre(1, 2));
  EXPECT_THAT(records(), IsEmpty());
  EXPECT_EQ(loop.programs_run(), 2u);
  EXPECT_EQ(loop.writer().drops(), 0u);
}

TEST_F(FiringLoopTest, AThreadThatCannotWaitIsNotHeld) {
  EXPECT_EQ(run({{1, true, &clause}, {2, false, &clause}}, false), FiringLoop::Outcome::Done);
  const auto all = records();
  ASSERT_THAT(epids(all), ElementsAre(1, 2));
  EXPECT_EQ(all[0].flags & SONDE_RECORD_HELD, 0u);
}

TEST_F(FiringLoopTest, ADropHoldsNobodyAndIsCounted) {
  uint64_t fired = 0;
  for (; loop.writer().drops() == 0; fired++) {
    firing = {.probe = 7};
    run({{1, false, &clause}});
  }
  firing = {.probe = 7};
  EXPECT_EQ(run({{1, true, &clause}}), FiringLoop::Outcome::Done);
  EXPECT_EQ(loop.writer().drops(), 2u);
  EXPECT_EQ(records().size(), fired - 1);
}

}  // namespace
}  // namespace sonde
