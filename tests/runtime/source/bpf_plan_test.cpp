// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/source/bpf_plan.h"

#include <gtest/gtest.h>

#include "runtime/bpf/hook_program.h"

namespace sonde {
namespace {

using Words = std::vector<uint32_t>;

std::map<uint32_t, Tap> taps(std::initializer_list<Tap> list) {
  std::map<uint32_t, Tap> all;
  for (const Tap& tap : list) all[tap.id.value] = tap;
  return all;
}

std::map<uint32_t, Ecb> ecbs(std::initializer_list<Ecb> list) {
  std::map<uint32_t, Ecb> all;
  for (const Ecb& ecb : list) all[ecb.epid.value] = ecb;
  return all;
}

/// All calls are one section: probes with the same fire part share its column.
TEST(BpfPlan, CallsShareColumns) {
  const auto plan =
      plan_hook(bpf::Hook::Enter,
                taps({{.id = TapId{1}, .kind = SONDE_TAP_SYSCALL_ENTRY, .probe = ProbeId{11}, .number = 3},
                      {.id = TapId{2}, .kind = SONDE_TAP_SYSCALL_ENTRY, .probe = ProbeId{12}, .number = 4},
                      {.id = TapId{3}, .kind = SONDE_TAP_SYSCALL_RETURN, .probe = ProbeId{13}, .number = 4}}),
                ecbs({{Epid{1}, ProbeId{11}, ProgramId{7}},
                      {Epid{2}, ProbeId{12}, ProgramId{7}},
                      {Epid{3}, ProbeId{12}, ProgramId{8}},
                      {Epid{4}, ProbeId{13}, ProgramId{9}}}));
  ASSERT_EQ(plan.size(), 1u);
  EXPECT_EQ(plan[0].programs, (Words{7, 8}));
  EXPECT_EQ(plan[0].rows.at(3), (Words{11, 1}));
  EXPECT_EQ(plan[0].rows.at(4), (Words{12, 2, 3}));
}

/// ECBs of a probe run in the order of their epids, though another one has the same fire parts in another order.
TEST(BpfPlan, TheOrderIsThatOfTheEpids) {
  const auto plan =
      plan_hook(bpf::Hook::Enter,
                taps({{.id = TapId{1}, .kind = SONDE_TAP_SYSCALL_ENTRY, .probe = ProbeId{11}, .number = 3},
                      {.id = TapId{2}, .kind = SONDE_TAP_SYSCALL_ENTRY, .probe = ProbeId{12}, .number = 4}}),
                ecbs({{Epid{1}, ProbeId{11}, ProgramId{7}},
                      {Epid{2}, ProbeId{11}, ProgramId{8}},
                      {Epid{3}, ProbeId{12}, ProgramId{8}},
                      {Epid{4}, ProbeId{12}, ProgramId{7}}}));
  ASSERT_EQ(plan.size(), 1u);
  EXPECT_EQ(plan[0].programs, (Words{7, 8, 7}));
  EXPECT_EQ(plan[0].rows.at(3), (Words{11, 1, 2}));
  EXPECT_EQ(plan[0].rows.at(4), (Words{12, 0, 3, 4}));
}

/// Each probe of another event is a section: a firing of its own, with locals of its own. A probe without ECBs is none.
TEST(BpfPlan, EventsAreSections) {
  const auto plan = plan_hook(bpf::Hook::Generate,
                              taps({{.id = TapId{1}, .kind = SONDE_TAP_SIGNAL_DISCARD, .probe = ProbeId{11}},
                                    {.id = TapId{2}, .kind = SONDE_TAP_SIGNAL_SEND, .probe = ProbeId{12}},
                                    {.id = TapId{3}, .kind = SONDE_TAP_SIGNAL_SEND, .probe = ProbeId{13}},
                                    {.id = TapId{4}, .kind = SONDE_TAP_SIGNAL_SEND, .probe = ProbeId{14}}}),
                              ecbs({{Epid{1}, ProbeId{11}, ProgramId{7}},
                                    {Epid{2}, ProbeId{12}, ProgramId{7}},
                                    {Epid{3}, ProbeId{14}, ProgramId{8}}}));
  ASSERT_EQ(plan.size(), 3u);
  EXPECT_EQ(plan[0].kind, SONDE_TAP_SIGNAL_SEND) << "before the discard";
  EXPECT_EQ(plan[0].rows.at(plan[0].row), (Words{12, 2}));
  EXPECT_EQ(plan[1].rows.at(plan[1].row), (Words{14, 3}));
  EXPECT_EQ(plan[2].rows.at(plan[2].row), (Words{11, 1}));
  for (const PlannedSection& one : plan) EXPECT_GE(one.row, bpf::kCalls) << "not a system call's";
  EXPECT_NE(plan[0].row, plan[1].row);
  EXPECT_NE(plan[1].row, plan[2].row);
  EXPECT_TRUE(plan_hook(bpf::Hook::TaskExit, {}, {}).empty());
}

/// Taps that name a tracepoint are a plan for each name, and a section each.
TEST(BpfPlan, NamedTracepointsHavePlansOfTheirOwn) {
  const Tap switches{.id = TapId{1}, .kind = SONDE_TAP_TRACEPOINT, .probe = ProbeId{11}, .path = "sched_switch"};
  const Tap sleeps{.id = TapId{2}, .kind = SONDE_TAP_TRACEPOINT, .probe = ProbeId{12}, .path = "sched_switch"};
  const Tap wakes{.id = TapId{3}, .kind = SONDE_TAP_TRACEPOINT, .probe = ProbeId{13}, .path = "sched_waking"};
  const Tap unused{.id = TapId{4}, .kind = SONDE_TAP_TRACEPOINT, .probe = ProbeId{14}, .path = "sched_exit_tp"};
  const Tap call{.id = TapId{5}, .kind = SONDE_TAP_SYSCALL_ENTRY, .probe = ProbeId{15}, .number = 3};
  const auto plans =
      plan_named(taps({switches, sleeps, wakes, unused, call}), ecbs({{Epid{1}, ProbeId{11}, ProgramId{7}},
                                                                      {Epid{2}, ProbeId{12}, ProgramId{8}},
                                                                      {Epid{3}, ProbeId{13}, ProgramId{7}},
                                                                      {Epid{4}, ProbeId{15}, ProgramId{7}}}));
  ASSERT_EQ(plans.size(), 2u);
  const auto& both = plans.at("sched_switch");
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].rows.at(both[0].row), (Words{11, 1}));
  EXPECT_EQ(both[1].rows.at(both[1].row), (Words{12, 2}));
  EXPECT_NE(both[0].row, both[1].row);
  EXPECT_GE(both[0].row, bpf::kCalls);
  EXPECT_EQ(plans.at("sched_waking").size(), 1u);
}

}  // namespace
}  // namespace sonde
