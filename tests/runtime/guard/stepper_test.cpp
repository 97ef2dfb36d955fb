// SPDX-License-Identifier: GPL-3.0-or-later
// The table for a thread at a breakpoint (docs/guard.md), row by row
//
// The thread is a real one: this program is executed again, and stopped after its exec for good. The rows act on a copy
// of its registers, so each state can be tested by itself; its memory, signal mask and pending signals are those in the
// kernel.
#include "runtime/guard/stepper.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <deque>
#include <filesystem>
#include <fstream>

// Functions for breakpoints; they are never run.
extern "C" {
void site_of_nop();
void site_of_rol();
void site_of_rol_end();
void site_of_string();
void site_of_load();
void site_of_loop();
}
__asm__(
    ".text\n"
    "site_of_nop: nop\n"
    "site_of_rol: rol $3, %eax\n"
    "site_of_rol_end: ret\n"
    "site_of_string: rep movsb\n"
    "site_of_load: adc 0x100(%rip), %eax\n"
    "site_of_loop: loop site_of_loop\n");

namespace sonde::guard {
namespace {

constexpr uint64_t kTrapFlag = 1 << 8;

class StepperTest : public testing::Test {
 protected:
  void SetUp() override {
    alarm(60);
    auto task = host_.spawn({{"/proc/self/exe"}, {}, false, {}});
    ASSERT_TRUE(task);
    process_.pid = utrace_task_pid(*task);
    thread_.task = *task;
    thread_.tid = utrace_task_tid(*task);
    thread_.process = &process_;
    process_.space = std::make_shared<AddressSpace>(process_.pid);
    space().refresh(process_.pid);
    regs_ = *utrace_registers(*task);
    Dl_info own;
    dladdr(reinterpret_cast<void*>(site_of_nop), &own);
    const std::string path = std::filesystem::read_symlink("/proc/self/exe");
    const auto head = std::ranges::find(space().mappings(), path, &Mapping::path);
    ASSERT_NE(head, space().mappings().end());
    shift_ = head->start - reinterpret_cast<uint64_t>(own.dli_fbase);
  }
  void TearDown() override {
    kill(process_.pid, SIGKILL);
    while (host_.task_count() > 0) host_.wait({}, 10);
    alarm(0);
  }

  AddressSpace& space() { return *process_.space; }
  uint64_t address_of(void (*function)()) const { return reinterpret_cast<uint64_t>(function) + shift_; }

  /// The thread has hit the breakpoint at `function`.
  uint64_t stand_at(void (*function)()) { return stand_at(thread_, function); }
  uint64_t stand_at(Thread& thread, void (*function)()) {
    std::string why;
    const uint64_t site = address_of(function);
    EXPECT_NE(space().insert(site, why), nullptr) << why;
    regs_.rip = thread.at_site = site;
    return site;
  }
  /// Then it steps the instruction there, in a slot.
  uint64_t step_at(void (*function)()) {
    const uint64_t site = stand_at(function);
    EXPECT_EQ(stepper_.advance(thread_, regs_), Stepper::Past::Free);
    EXPECT_TRUE(thread_.step.active);
    EXPECT_EQ(thread_.step.site, site);
    EXPECT_NE(thread_.step.slot, 0u);
    EXPECT_EQ(regs_.rip, thread_.step.slot);
    return site;
  }

  uint8_t byte_at(uint64_t address) {
    uint8_t byte = 0;
    EXPECT_TRUE(space().read(address, &byte, 1));
    return byte;
  }
  uint64_t mask() {
    uint64_t blocked = 0;
    EXPECT_EQ(utrace_signal_mask(thread_.task, &blocked), 0);
    return blocked;
  }
  bool pending(int signal) {
    std::ifstream status("/proc/" + std::to_string(thread_.tid) + "/status");
    std::string line;
    while (std::getline(status, line)) {
      if (line.starts_with("SigPnd:")) return std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1;
    }
    return false;
  }

  static siginfo_t signal_of(int signal, int code, uint64_t address = 0) {
    siginfo_t info{};
    info.si_signo = signal;
    info.si_code = code;
    if (code > 0) info.si_addr = reinterpret_cast<void*>(address);
    return info;
  }
  static uint64_t address_in(const siginfo_t& info) { return reinterpret_cast<uint64_t>(info.si_addr); }
  /// A signal arrives while the instruction is stepped. Returns whether it is held back.
  bool arrives(siginfo_t& info, uint32_t verdict = UTRACE_SIGNAL_DELIVER) {
    return stepper_.signalled(thread_, regs_, info, verdict, 0x1234);
  }
  bool arrives(int signal, int code = SI_USER, uint32_t verdict = UTRACE_SIGNAL_DELIVER) {
    siginfo_t info = signal_of(signal, code, regs_.rip);
    return arrives(info, verdict);
  }
  /// The processor has made one step, to `pc`.
  Stepper::Trap traps_at(uint64_t pc, int code = TRAP_TRACE) {
    regs_.rip = pc;
    trap_ = signal_of(SIGTRAP, code, pc);
    return stepper_.trapped(thread_, regs_, trap_);
  }

  UtraceHost host_;
  Process process_;
  Thread thread_;
  Stepper stepper_;
  user_regs_struct regs_{};
  siginfo_t trap_{};
  uint64_t shift_ = 0;
};

TEST_F(StepperTest, AnEmulatedInstructionIsPassedAtOnce) {
  const uint64_t site = stand_at(site_of_nop);
  EXPECT_EQ(stepper_.advance(thread_, regs_), Stepper::Past::Free);
  EXPECT_EQ(regs_.rip, site + 1);
  EXPECT_FALSE(thread_.step.active);
  EXPECT_EQ(thread_.at_site, 0u);
  EXPECT_EQ(stepper_.emulated(), 1u);
}

TEST_F(StepperTest, EmulatedUnderTheTrapFlagTheProgramsTrapIsDue) {
  stand_at(site_of_nop);
  regs_.eflags |= kTrapFlag;
  EXPECT_EQ(stepper_.advance(thread_, regs_), Stepper::Past::OwnTrap);
}

TEST_F(StepperTest, WhereTheBreakpointWentMeanwhileNothingIsDone) {
  const uint64_t site = stand_at(site_of_rol);
  space().remove_unused({site});
  EXPECT_EQ(stepper_.advance(thread_, regs_), Stepper::Past::Free);
  EXPECT_EQ(regs_.rip, site);
  EXPECT_FALSE(thread_.step.active);
}

TEST_F(StepperTest, ACopyIsSteppedAndItsTrapIsOurs) {
  const uint64_t site = step_at(site_of_rol), length = address_of(site_of_rol_end) - site;
  for (uint64_t i = 0; i < length; i++) EXPECT_EQ(byte_at(thread_.step.slot + i), space().site(site)->bytes[i]);
  EXPECT_EQ(byte_at(thread_.step.slot + length), machine::kBreakpoint);
  EXPECT_EQ(byte_at(site), machine::kBreakpoint) << "it stays while the copy is stepped";
  const uint64_t before = mask();
  EXPECT_EQ(traps_at(thread_.step.slot + length), Stepper::Trap::Ours);
  EXPECT_EQ(regs_.rip, site + length);
  EXPECT_EQ(address_in(trap_), site + length);
  EXPECT_FALSE(thread_.step.active);
  EXPECT_EQ(mask(), before);
}

TEST_F(StepperTest, AStepWhoseNoteTheHypervisorLostIsOursToo) {
  const uint64_t site = step_at(site_of_rol), length = address_of(site_of_rol_end) - site;
  EXPECT_EQ(traps_at(thread_.step.slot + length, TRAP_BRKPT), Stepper::Trap::Ours);
  EXPECT_EQ(regs_.rip, site + length);
  EXPECT_FALSE(thread_.step.active);
  EXPECT_EQ(traps_at(site + length, TRAP_BRKPT), Stepper::Trap::NotOurs) << "no step is under way";
}

TEST_F(StepperTest, WhereTheProgramStepsItselfItGetsTheTrapOfAStepAlthoughTheNoteIsLost) {
  regs_.eflags |= kTrapFlag;
  const uint64_t site = step_at(site_of_rol), length = address_of(site_of_rol_end) - site;
  EXPECT_EQ(traps_at(thread_.step.slot + length, TRAP_BRKPT), Stepper::Trap::Both);
  EXPECT_EQ(trap_.si_code, TRAP_TRACE);
  EXPECT_EQ(address_in(trap_), site + length);
}

TEST_F(StepperTest, ARelativeOperandIsTheSameFromTheSlot) {
  const uint64_t site = step_at(site_of_load);
  int32_t here = 0, there = 0;
  ASSERT_TRUE(space().read(thread_.step.slot + 2, &there, sizeof there));
  std::memcpy(&here, space().site(site)->bytes.data() + 2, sizeof here);
  EXPECT_EQ(site + static_cast<uint64_t>(int64_t{here}), thread_.step.slot + static_cast<uint64_t>(int64_t{there}));
}

TEST_F(StepperTest, WithoutAFreeSlotTheThreadWaits) {
  std::deque<Thread> others;
  for (uint64_t slot = 1; slot != 0 && others.size() < 10'000;) {  // each takes another slot
    Thread& other = others.emplace_back();
    other.process = &process_;
    stand_at(other, site_of_string);
    space().site(other.at_site)->slot = 0;
    stepper_.advance(other, regs_);
    slot = other.step.slot;
  }
  const uint64_t site = stand_at(site_of_rol);
  EXPECT_EQ(stepper_.advance(thread_, regs_), Stepper::Past::Waits);
  EXPECT_FALSE(thread_.step.active);
  EXPECT_EQ(regs_.rip, site);
  EXPECT_EQ(byte_at(site), machine::kBreakpoint) << "nobody passes without a hit";
  // One of the others is killed, which frees its slot.
  stepper_.thread_gone(others.front());
  step_at(site_of_rol);
}

/// As begin() does it in a process without any slot, which this one is not.
TEST_F(StepperTest, AStepInPlaceLiftsTheBreakpointMeanwhile) {
  const uint64_t site = stand_at(site_of_rol), end = address_of(site_of_rol_end);
  ASSERT_TRUE(space().lift(*space().site(site)));
  thread_.step.active = true;
  thread_.step.site = site;
  EXPECT_EQ(byte_at(site), space().site(site)->bytes[0]) << "the program's own byte";
  EXPECT_EQ(traps_at(end), Stepper::Trap::Ours);
  EXPECT_EQ(regs_.rip, end);
  EXPECT_FALSE(thread_.step.active);
  EXPECT_EQ(byte_at(site), machine::kBreakpoint) << "back again";
}

TEST_F(StepperTest, TrapsOfOthersAreNotOurs) {
  EXPECT_EQ(traps_at(address_of(site_of_rol)), Stepper::Trap::NotOurs) << "nothing is stepped";
  step_at(site_of_rol);
  siginfo_t sent = signal_of(SIGTRAP, SI_USER);
  EXPECT_EQ(stepper_.trapped(thread_, regs_, sent), Stepper::Trap::NotOurs);
  EXPECT_TRUE(thread_.step.active);
}

TEST_F(StepperTest, AProgramThatSingleStepsGetsTheTrapToo) {
  stand_at(site_of_rol);
  regs_.eflags |= kTrapFlag;
  EXPECT_EQ(stepper_.advance(thread_, regs_), Stepper::Past::Free);
  EXPECT_EQ(traps_at(thread_.step.slot + 3), Stepper::Trap::Both);
  EXPECT_EQ(address_in(trap_), address_of(site_of_rol_end));
}

TEST_F(StepperTest, ACaughtSignalIsKeptUntilTheTrap) {
  const uint64_t before = mask();
  step_at(site_of_rol);
  siginfo_t info = signal_of(SIGUSR1, SI_QUEUE);
  info.si_value.sival_int = 77;
  EXPECT_TRUE(arrives(info));
  EXPECT_TRUE(thread_.step.active);
  EXPECT_FALSE(stepper_.take_kept(thread_)) << "not before the step is over";
  for (int signal : {SIGUSR1, SIGALRM, SIGTERM, SIGRTMIN}) EXPECT_TRUE(mask() >> (signal - 1) & 1) << signal;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) EXPECT_FALSE(mask() >> (signal - 1) & 1);
  EXPECT_EQ(traps_at(thread_.step.slot + 3), Stepper::Trap::Ours);
  EXPECT_EQ(regs_.rip, address_of(site_of_rol_end));
  EXPECT_EQ(mask(), before);
  const auto kept = stepper_.take_kept(thread_);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->info.si_signo, SIGUSR1);
  EXPECT_EQ(kept->info.si_value.sival_int, 77);
  EXPECT_EQ(kept->handler, 0x1234u);
  EXPECT_FALSE(stepper_.take_kept(thread_)) << "once";
}

TEST_F(StepperTest, WhatRunsNoHandlerIsLetThrough) {
  step_at(site_of_rol);
  EXPECT_FALSE(arrives(SIGCHLD, SI_USER, UTRACE_SIGNAL_IGN));
  EXPECT_FALSE(arrives(SIGSTOP, SI_USER, UTRACE_SIGNAL_STOP));
  EXPECT_TRUE(thread_.step.active);
  EXPECT_EQ(regs_.rip, thread_.step.slot);
}

TEST_F(StepperTest, AFaultIsSeenAtTheProgramsInstruction) {
  const uint64_t site = step_at(site_of_load);
  siginfo_t info = signal_of(SIGSEGV, SEGV_MAPERR, thread_.step.slot);
  EXPECT_FALSE(arrives(info));
  EXPECT_FALSE(thread_.step.active);
  EXPECT_EQ(regs_.rip, site);
  EXPECT_EQ(address_in(info), site);
  // The handler returns: no new hit in that state, and only once.
  EXPECT_TRUE(take_reported(thread_, regs_));
  EXPECT_FALSE(take_reported(thread_, regs_));
}

TEST_F(StepperTest, AnAddressOutsideOfTheSlotIsLeftAsItIs) {
  step_at(site_of_load);
  siginfo_t info = signal_of(SIGSEGV, SEGV_MAPERR, 0x10);
  EXPECT_FALSE(arrives(info));
  EXPECT_EQ(address_in(info), 0x10u);
}

TEST_F(StepperTest, AHitInAnotherStateIsANewOne) {
  step_at(site_of_load);
  EXPECT_FALSE(arrives(SIGSEGV, SEGV_MAPERR));
  user_regs_struct other = regs_;
  other.rdi++;
  EXPECT_FALSE(take_reported(thread_, other));
  other = regs_;
  other.eflags ^= kTrapFlag;
  EXPECT_TRUE(take_reported(thread_, other)) << "the trap flag is ours as well as the program's";
}

TEST_F(StepperTest, WhatWasReportedLaterThanTheOneThatComesBackIsForgotten) {
  std::vector<user_regs_struct> states;
  for (uint64_t depth = 0; depth < 1030; depth++) {  // handlers within handlers
    regs_.rsp -= 256;
    step_at(site_of_load);
    EXPECT_FALSE(arrives(SIGSEGV, SEGV_MAPERR));
    states.push_back(regs_);
  }
  EXPECT_FALSE(take_reported(thread_, states[3])) << "1024 are remembered";
  EXPECT_TRUE(take_reported(thread_, states[10]));
  EXPECT_FALSE(take_reported(thread_, states[12]));
  EXPECT_TRUE(take_reported(thread_, states[9]));
}

TEST_F(StepperTest, AStringInstructionGoesOnRoundByRound) {
  step_at(site_of_string);
  for (int round = 0; round < 3; round++) {
    EXPECT_EQ(traps_at(thread_.step.slot), Stepper::Trap::Ours);
    EXPECT_TRUE(thread_.step.active);
  }
  EXPECT_EQ(traps_at(thread_.step.slot + 2), Stepper::Trap::Ours);
  EXPECT_EQ(regs_.rip, address_of(site_of_load));
  EXPECT_FALSE(thread_.step.active);
}

TEST_F(StepperTest, ASignalBetweenItsRoundsPutsItBack) {
  const uint64_t site = step_at(site_of_string);
  traps_at(thread_.step.slot);
  EXPECT_FALSE(arrives(SIGUSR1)) << "delivered now: there may be a million rounds to go";
  EXPECT_EQ(regs_.rip, site);
  EXPECT_FALSE(thread_.step.active);
  EXPECT_TRUE(take_reported(thread_, regs_));
}

TEST_F(StepperTest, ASignalBeforeItsFirstRoundWaitsForThatOne) {
  const uint64_t site = step_at(site_of_string);
  EXPECT_TRUE(arrives(SIGUSR1));
  EXPECT_EQ(traps_at(thread_.step.slot), Stepper::Trap::Ours);
  EXPECT_FALSE(thread_.step.active);
  EXPECT_EQ(regs_.rip, site);
  EXPECT_TRUE(stepper_.take_kept(thread_));
}

TEST_F(StepperTest, ASecondSignalThatCannotBeBlockedComesFirst) {
  const uint64_t before = mask(), site = step_at(site_of_load);
  EXPECT_TRUE(arrives(SIGUSR1));
  EXPECT_FALSE(pending(SIGUSR1));
  EXPECT_FALSE(arrives(SIGSEGV, SEGV_MAPERR));
  EXPECT_EQ(regs_.rip, site);
  EXPECT_FALSE(thread_.step.active);
  EXPECT_FALSE(stepper_.take_kept(thread_));
  EXPECT_TRUE(pending(SIGUSR1)) << "it was sent again";
  EXPECT_EQ(mask(), before);
}

TEST_F(StepperTest, SigkillFreesTheSlot) {
  step_at(site_of_rol);
  stepper_.thread_gone(thread_);
  EXPECT_FALSE(thread_.step.active);
}

TEST_F(StepperTest, LetGoItIsWhereTheProgramHasIt) {
  const uint64_t site = step_at(site_of_rol);
  EXPECT_TRUE(arrives(SIGUSR2));
  stepper_.let_go(thread_, regs_);
  EXPECT_EQ(regs_.rip, site);
  EXPECT_TRUE(pending(SIGUSR2));
  stepper_.let_go(thread_, regs_);  // nothing is being stepped any more
  EXPECT_EQ(regs_.rip, site);
}

TEST_F(StepperTest, LetGoBehindTheInstructionItsTrapIsStillOurs) {
  step_at(site_of_rol);
  regs_.rip = thread_.step.slot + 3;  // the instruction has run, and its trap is pending
  stepper_.let_go(thread_, regs_);
  EXPECT_EQ(regs_.rip, address_of(site_of_rol_end));
  EXPECT_FALSE(take_reported(thread_, regs_));
  EXPECT_EQ(traps_at(regs_.rip), Stepper::Trap::Ours);
  EXPECT_EQ(traps_at(regs_.rip), Stepper::Trap::NotOurs) << "one";
}

TEST_F(StepperTest, SomeInstructionsHaveNoBreakpoint) {
  std::string why;
  EXPECT_EQ(space().insert(address_of(site_of_loop), why), nullptr);
  EXPECT_EQ(why, "its instruction cannot be stepped out of line");
}

}  // namespace
}  // namespace sonde::guard
