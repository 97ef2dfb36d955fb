// SPDX-License-Identifier: GPL-3.0-or-later
// What the kernel computes from a fire part is what the interpreter computes.
#include "runtime/bpf/fire_target.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "kmod/shared/copied_stack.h"
#include "runtime/process/cgroups.h"
#include "runtime/process/namespaces.h"
#include "tests/runtime/bpf/kernel_run.h"

namespace sonde::bpf {
namespace {

using test::insn;
using test::Program;

constexpr uint64_t kBase = OwnThread::kBase;
constexpr uint32_t kNumber = 39;
/// Linux 7 has no memory for them on a processor without cmpxchg16b, as emulated ones are. Other programs are compared.
constexpr char kNoVariables[] = "this kernel keeps no variables of threads";

uint64_t stat_field_of_self(int number) {
  std::ifstream file("/proc/self/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream rest(text.substr(text.rfind(')') + 2));
  std::string word;
  for (int n = 3; n <= number; n++) rest >> word;
  return static_cast<uint64_t>(std::stoll(word));
}

class InKernel : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    kernel = Kernel::create(why);
    if (!kernel) GTEST_SKIP() << "this kernel takes no programs: " << why;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
    sched_setaffinity(0, sizeof one, &one);
    pidfd = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
    const int fd = pidfd.get();
    keeps_variables = update_map(kernel->threads(), &fd, thread.thread_variables).has_value();
    auto& known = thread.variables;
    known[SONDE_DIF_VAR_PID] = static_cast<uint64_t>(getpid());
    known[SONDE_DIF_VAR_TID] = static_cast<uint64_t>(gettid());
    known[SONDE_DIF_VAR_PPID] = static_cast<uint64_t>(getppid());
    known[SONDE_DIF_VAR_UID] = getuid();
    known[SONDE_DIF_VAR_EUID] = geteuid();
    known[SONDE_DIF_VAR_GID] = getgid();
    known[SONDE_DIF_VAR_EGID] = getegid();
    known[SONDE_DIF_VAR_PGID] = static_cast<uint64_t>(getpgrp());
    known[SONDE_DIF_VAR_SID] = static_cast<uint64_t>(getsid(0));
    known[SONDE_DIF_VAR_NLWP] = stat_field_of_self(20);
    known[SONDE_DIF_VAR_STACK_START] = stat_field_of_self(28);
    known[SONDE_DIF_VAR_PRIORITY] = stat_field_of_self(18);
    known[SONDE_DIF_VAR_POLICY] = stat_field_of_self(41);
    known[SONDE_DIF_VAR_CPU] = static_cast<uint64_t>(sched_getcpu());
    known[SONDE_DIF_VAR_BOUND_CPU] = known[SONDE_DIF_VAR_CPU];
    known[SONDE_DIF_VAR_TTY] = stat_field_of_self(7);
    known[SONDE_DIF_VAR_PROBE] = kProbe;
    known[SONDE_DIF_VAR_VPID] = known[SONDE_DIF_VAR_PID];
    known[SONDE_DIF_VAR_PIDNS] = inode_of("/proc/self/ns/pid");
    std::ifstream cgroup("/proc/thread-self/cgroup");
    known[SONDE_DIF_VAR_CGROUPID] = cgroup_id_of(std::string(std::istreambuf_iterator<char>(cgroup), {}));
  }

  /// Runs it on both, at the entry of call kNumber, or at a return with this result. Returns what differs; empty:
  /// nothing.
  std::string compare(Program& program, Hook hook, uint64_t result = 0) {
    thread.publish();
    const int fd = pidfd.get();
    if (!keeps_variables && (sonde_dif_needs(&program.raw).ready & SONDE_NEED_THREAD) != 0) return kNoVariables;
    if (auto set = update_map(kernel->threads(), &fd, thread.thread_variables); keeps_variables && !set)
      return set.error().message();
    std::memset(thread.locals, 0, sizeof thread.locals);
    thread.strayed = false;
    const uint64_t third = 0x1234567800000000 + result;
    const Kernel::Run run = kernel->run(hook, {&program.raw}, kNumber, hook == Hook::Enter ? kNumber : result, third);
    if (!run.error.empty()) return run.error;
    if (run.drops != 0) return "dropped";
    note_call(hook, result, third);
    const test::Outcome wanted = test::run(program, thread, own_env());
    if (thread.strayed) return "strayed";
    uint64_t variables[SONDE_DIF_THREAD] = {};
    if (auto seen = look_up(kernel->threads(), &fd, variables); keeps_variables && !seen) return seen.error().message();
    for (unsigned n = 0; keeps_variables && n < SONDE_DIF_THREAD; n++)
      if (variables[n] != thread.thread_variables[n]) return "thread variable " + std::to_string(n);
    if (run.records.size() != (wanted.size != 0)) return std::to_string(run.records.size()) + " records";
    return wanted.size == 0
               ? ""
               : difference(program, *reinterpret_cast<const sonde_record*>(run.records[0].data()), wanted.record());
  }

  void note_call(Hook hook, uint64_t result, uint64_t third) {
    const bool failed = result >= static_cast<uint64_t>(-4095);
    std::memset(thread.args, 0, sizeof thread.args);
    if (hook == Hook::Enter) {
      const uint64_t args[] = {BPF_PROG_TEST_RUN, kernel->attributes_at, sizeof(bpf_attr), third, third + 1, third + 2};
      std::copy(std::begin(args), std::end(args), thread.args);
    } else {
      thread.args[0] = thread.args[1] = failed ? ~0ull : result;
    }
    thread.variables[SONDE_DIF_VAR_ERRNO] = hook == Hook::Exit && failed ? -result : 0;
    thread.variables[SONDE_DIF_VAR_SYSCALL] = hook == Hook::Enter ? kNumber : SYS_bpf;
  }

  std::string difference(const Program& program, const sonde_record& found, const sonde_record& wanted) {
    const auto slots = static_cast<uint32_t>(program.kinds.size());
    if (sonde_record_check(&found, found.size, program.kinds.data(), slots) != 0) return "the record is ill-formed";
    if (found.epid != kFirstEpid || found.probe != kProbe) return "the record's epid or probe";
    if (found.pid != static_cast<uint32_t>(getpid()) || found.tid != static_cast<uint32_t>(gettid()))
      return "whose it is";
    if (found.flags != wanted.flags || found.slots != wanted.slots) return "flags or slots";
    if (found.faults != wanted.faults) return "faults";
    if (found.size != wanted.size) return "size";
    for (unsigned n = 0; n < wanted.slots; n++) {
      const bool word = (wanted.faults >> n & 1) != 0 || program.kinds[n] == SONDE_SLOT_WORD;
      if (found.slot[n] != wanted.slot[n]) return "slot " + std::to_string(n);
      if (word || wanted.slot[n] == 0) continue;
      const uint32_t at = SONDE_SPAN_OFFSET(wanted.slot[n]), length = SONDE_SPAN_LENGTH(wanted.slot[n]);
      if (std::memcmp(reinterpret_cast<const char*>(&found) + at, reinterpret_cast<const char*>(&wanted) + at,
                      length) != 0)
        return "the bytes of slot " + std::to_string(n);
    }
    return "";
  }

  std::unique_ptr<Kernel> kernel;
  UniqueFd pidfd;
  bool keeps_variables = false;  ///< the kernel does, of threads
  OwnThread thread;
};

constexpr uint64_t kValues[] = {0,
                                1,
                                2,
                                7,
                                8,
                                63,
                                64,
                                0x80,
                                0x8000,
                                0x7fffffff,
                                0x80000000,
                                1ull << 32,
                                (1ull << 63) - 1,
                                1ull << 63,
                                ~0ull,
                                static_cast<uint64_t>(-7)};

uint32_t add_number(Program& program, uint64_t value) {
  const auto at = static_cast<uint32_t>(program.pool.size());
  program.pool.resize(at + 8);
  std::memcpy(program.pool.data() + at, &value, 8);
  return at;
}

/// Every operation on registers, on each pair of values, two dozen to a program.
TEST_F(InKernel, ComputesAsTheInterpreter) {
  const sonde_dif_op two[] = {SONDE_DIF_ADD,  SONDE_DIF_SUB,  SONDE_DIF_MUL,  SONDE_DIF_DIVS, SONDE_DIF_DIVU,
                              SONDE_DIF_MODS, SONDE_DIF_MODU, SONDE_DIF_AND,  SONDE_DIF_OR,   SONDE_DIF_XOR,
                              SONDE_DIF_SHL,  SONDE_DIF_SHRS, SONDE_DIF_SHRU, SONDE_DIF_EQ,   SONDE_DIF_NE,
                              SONDE_DIF_LTS,  SONDE_DIF_LES,  SONDE_DIF_LTU,  SONDE_DIF_LEU};
  for (const uint64_t a : kValues) {
    for (const uint64_t b : kValues) {
      Program program;
      program.insns = {insn(SONDE_DIF_LC, 0, 0, 0, static_cast<int>(add_number(program, a))),
                       insn(SONDE_DIF_LC, 5, 0, 0, static_cast<int>(add_number(program, b)))};
      const auto keep = [&](sonde_dif_insn one) {
        program.insns.push_back(one);
        program.insns.push_back(insn(SONDE_DIF_CAPW, static_cast<unsigned>(program.kinds.size()), one.d));
        program.kinds.push_back(SONDE_SLOT_WORD);
      };
      for (const sonde_dif_op op : two) keep(insn(op, 1, 0, 5));
      for (const sonde_dif_op op : {SONDE_DIF_NEG, SONDE_DIF_NOT, SONDE_DIF_MOV}) keep(insn(op, 7, 5));
      for (const int bits : {8, 16, 32})
        keep(insn(SONDE_DIF_SX, 1, 5, 0, bits)), keep(insn(SONDE_DIF_ZX, 6, 5, 0, bits));
      keep(insn(SONDE_DIF_SUB, 5, 0, 5));  // d is b
      program.insns.push_back(insn(SONDE_DIF_RECORD));
      ASSERT_EQ(program.verify(), 0) << program.why;
      ASSERT_EQ(compare(program, Hook::Enter), "") << a << " and " << b;
    }
  }
}

/// Whether the interpreter of the tests cannot know the variable's value.
bool kernel_knows_more(sonde_dif_variable variable) {
  return variable == SONDE_DIF_VAR_TIMESTAMP || variable == SONDE_DIF_VAR_VTIMESTAMP ||
         variable == SONDE_DIF_VAR_CURTHREAD || variable == SONDE_DIF_VAR_CALLER ||
         variable == SONDE_DIF_VAR_STACKDEPTH;
}

TEST_F(InKernel, KnowsTheThread) {
  for (uint32_t which = 0; which < SONDE_DIF_VAR_COUNT; which++) {
    const auto variable = static_cast<sonde_dif_variable>(which);
    Program program;
    program.insns = {insn(SONDE_DIF_VAR, 3, 0, 0, static_cast<int>(which)), insn(SONDE_DIF_CAPW, 0, 3),
                     insn(SONDE_DIF_RECORD)};
    program.kinds = {SONDE_SLOT_WORD};
    ASSERT_EQ(program.verify(), 0) << program.why;
    for (const Hook hook : {Hook::Enter, Hook::Exit}) {
      const std::string said = compare(program, hook, static_cast<uint64_t>(-ENOENT));
      if (!can_read(variable)) {
        EXPECT_NE(said.find(sonde_dif_variable_name(which)), std::string::npos) << said;
      } else if (!kernel_knows_more(variable)) {
        EXPECT_EQ(said, "") << sonde_dif_variable_name(which);
      }
    }
  }
}

TEST_F(InKernel, TheTimeIsThatOfTheRecord) {
  Program program;
  program.insns = {insn(SONDE_DIF_VAR, 3, 0, 0, SONDE_DIF_VAR_TIMESTAMP), insn(SONDE_DIF_CAPW, 0, 3),
                   insn(SONDE_DIF_RECORD)};
  program.kinds = {SONDE_SLOT_WORD};
  ASSERT_EQ(program.verify(), 0);
  const Kernel::Run run = kernel->run(Hook::Enter, {&program.raw}, kNumber, kNumber, 0);
  ASSERT_EQ(run.error, "");
  ASSERT_EQ(run.records.size(), 1u);
  const auto& record = *reinterpret_cast<const sonde_record*>(run.records[0].data());
  EXPECT_EQ(record.slot[0], record.timestamp);
  EXPECT_GT(record.timestamp, 0u);
}

uint64_t time_used() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

/// What the thread uses counts, its sleep does not. What interrupts took since it got its CPU may count, too.
TEST_F(InKernel, TheProcessorTimeOfTheThread) {
  constexpr uint64_t kMilli = 1'000'000, kSleep = 300 * kMilli, kWork = 100 * kMilli;
  Program program;
  program.insns = {insn(SONDE_DIF_VAR, 3, 0, 0, SONDE_DIF_VAR_VTIMESTAMP), insn(SONDE_DIF_CAPW, 0, 3),
                   insn(SONDE_DIF_RECORD)};
  program.kinds = {SONDE_SLOT_WORD};
  ASSERT_EQ(program.verify(), 0);
  std::string error;
  const auto read = [&] {
    const Kernel::Run run = kernel->run(Hook::Enter, {&program.raw}, kNumber, kNumber, 0);
    error = run.error;
    return run.records.size() == 1 ? reinterpret_cast<const sonde_record*>(run.records[0].data())->slot[0] : 0;
  };
  read();
  ASSERT_EQ(error, "");
  usleep(1000);
  const uint64_t used = time_used(), first = read(), loaded = time_used();  // to load a program takes time, too
  while (time_used() - loaded < kWork) {
  }
  usleep(kSleep / 1000);
  const uint64_t rest = time_used() - used, second = read();
  EXPECT_GE(first + 20 * kMilli, used);
  EXPECT_LE(first, loaded + 20 * kMilli);
  EXPECT_GE(second - first + kMilli, kWork);
  EXPECT_LT(second - first, rest + kSleep / 2);
  uint64_t last = second;
  for (int turn = 0; turn < 50; turn++) {
    const uint64_t now = read();
    EXPECT_GE(now, last);
    last = now;
  }
}

/// The kernel may take back what a thread has read already, as the time of an interrupt: then what was read last holds.
TEST_F(InKernel, TheProcessorTimeNeverFalls) {
  Program program;
  program.insns = {insn(SONDE_DIF_VAR, 3, 0, 0, SONDE_DIF_VAR_VTIMESTAMP), insn(SONDE_DIF_CAPW, 0, 3),
                   insn(SONDE_DIF_RECORD)};
  program.kinds = {SONDE_SLOT_WORD};
  ASSERT_EQ(program.verify(), 0);
  const auto self = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
  ASSERT_GE(self, 0);
  const uint64_t ahead = time_used() + 3'600'000'000'000;
  const auto noted = update_map(kernel->last_read(), &self, &ahead);
  close(self);
  ASSERT_TRUE(noted) << noted.error().message();
  for (int turn = 0; turn < 2; turn++) {
    const Kernel::Run run = kernel->run(Hook::Enter, {&program.raw}, kNumber, kNumber, 0);
    ASSERT_EQ(run.error, "");
    ASSERT_EQ(run.records.size(), 1u);
    EXPECT_EQ(reinterpret_cast<const sonde_record*>(run.records[0].data())->slot[0], ahead);
  }
}

/// The reader is woken for each urgent record that it has not been woken for, and for no other.
TEST_F(InKernel, UrgentRecordsWake) {
  Program program;
  program.insns = {insn(SONDE_DIF_RECORD)};
  ASSERT_EQ(program.verify(), 0);
  const auto* page =
      static_cast<uint64_t*>(mmap(nullptr, 4096, PROT_READ, MAP_SHARED, kernel->rings().wake_map(), 4096));
  ASSERT_NE(page, MAP_FAILED);
  const auto woken_by = [&](bool urgent) {
    const uint64_t before = std::atomic_ref(*const_cast<uint64_t*>(page)).load();
    const Kernel::Run run = kernel->run(Hook::Enter, {{&program.raw, nullptr, urgent}}, kNumber, kNumber, 0);
    EXPECT_EQ(run.error, "");
    EXPECT_EQ(run.records.size(), 1u);
    return std::atomic_ref(*const_cast<uint64_t*>(page)).load() != before;
  };
  for (const bool urgent : {false, true, false, true, true}) EXPECT_EQ(woken_by(urgent), urgent);
  munmap(const_cast<uint64_t*>(page), 4096);
}

volatile sig_atomic_t g_first_signals = 0, g_second_signals = 0;

/// A record sends the process the signals of its fire part, each once; a record with a fault, or none, sends nothing.
TEST_F(InKernel, RecordsSendSignals) {
  Program program;
  program.insns = {insn(SONDE_DIF_ARG, 0, 0, 0, 3), insn(SONDE_DIF_JZ, 0, 0, 0, 2), insn(SONDE_DIF_CAPSTR, 0, 0, 0, 8),
                   insn(SONDE_DIF_RECORD), insn(SONDE_DIF_FAIL)};
  program.kinds = {SONDE_SLOT_TEXT};
  ASSERT_EQ(program.verify(), 0);
  const auto handler_first = std::signal(SIGUSR1, [](int) { g_first_signals = g_first_signals + 1; });
  const auto handler_second = std::signal(SIGRTMAX, [](int) { g_second_signals = g_second_signals + 1; });
  const struct {
    const char* name;
    uint64_t signals, address;
    int first, second;
  } rows[] = {
      {"none", 0, kBase, 0, 0},
      {"one", uint64_t{1} << (SIGUSR1 - 1), kBase, 1, 0},
      {"two", uint64_t{1} << (SIGUSR1 - 1) | uint64_t{1} << (SIGRTMAX - 1), kBase, 1, 1},
      {"no record", uint64_t{1} << (SIGUSR1 - 1), 0, 0, 0},
      {"a fault", uint64_t{1} << (SIGUSR1 - 1), 8, 0, 0},
  };
  for (const auto& row : rows) {
    g_first_signals = 0;
    g_second_signals = 0;
    thread.memory[0] = '\0';
    thread.publish();
    const FirePart fire(&program.raw, nullptr, false, row.signals);
    const Kernel::Run run = kernel->run(Hook::Enter, {fire}, kNumber, kNumber, row.address);
    EXPECT_EQ(run.error, "") << row.name;
    EXPECT_EQ(run.records.size(), row.address != 0 ? 1u : 0u) << row.name;
    EXPECT_EQ(g_first_signals, row.first) << row.name;
    EXPECT_EQ(g_second_signals, row.second) << row.name;
  }
  std::signal(SIGUSR1, handler_first);
  std::signal(SIGRTMAX, handler_second);
}

TEST_F(InKernel, ArgumentsAndResults) {
  Program program;
  for (unsigned n = 0; n < SONDE_DIF_ARGS; n++) {
    program.insns.push_back(insn(SONDE_DIF_ARG, n, 0, 0, static_cast<int>(n)));
    program.insns.push_back(insn(SONDE_DIF_CAPW, n, n));
    program.kinds.push_back(SONDE_SLOT_WORD);
  }
  program.insns.push_back(insn(SONDE_DIF_RECORD));
  ASSERT_EQ(program.verify(), 0);
  EXPECT_EQ(compare(program, Hook::Enter), "");
  const uint64_t results[] = {0, 5, ~0ull, static_cast<uint64_t>(-4095), static_cast<uint64_t>(-4096), 1ull << 63};
  for (const uint64_t result : results) EXPECT_EQ(compare(program, Hook::Exit, result), "") << result;
}

TEST_F(InKernel, Registers) {
  for (int number = 0; number < static_cast<int>(SONDE_DIF_UREGS); number++) {
    Program program;
    program.insns = {insn(SONDE_DIF_REG, 2, 0, 0, number), insn(SONDE_DIF_CAPW, 0, 2), insn(SONDE_DIF_RECORD)};
    program.kinds = {SONDE_SLOT_WORD};
    ASSERT_EQ(program.verify(), 0);
    const Kernel::Run run = kernel->run(Hook::Enter, {&program.raw}, kNumber, kNumber, 77);
    ASSERT_EQ(run.error, "") << number;
    ASSERT_EQ(run.records.size(), 1u);
    const uint64_t value = reinterpret_cast<const sonde_record*>(run.records[0].data())->slot[0];
    constexpr int kRdi = 14, kRsi = 13, kR10 = 7;
    if (number == kRdi) {
      EXPECT_EQ(value, uint64_t{BPF_PROG_TEST_RUN});
    } else if (number == kRsi) {
      EXPECT_EQ(value, kernel->attributes_at);
    } else if (number == kR10) {
      EXPECT_EQ(value, 77u);
    }
  }
}

/// In a thread that is not the process's first, so that pid and tid differ.
TEST_F(InKernel, ProcessAndThreadAreTwo) {
  Program program;
  program.insns = {insn(SONDE_DIF_VAR, 3, 0, 0, SONDE_DIF_VAR_PID), insn(SONDE_DIF_VAR, 4, 0, 0, SONDE_DIF_VAR_TID),
                   insn(SONDE_DIF_CAPW, 0, 3), insn(SONDE_DIF_CAPW, 1, 4), insn(SONDE_DIF_RECORD)};
  program.kinds = {SONDE_SLOT_WORD, SONDE_SLOT_WORD};
  ASSERT_EQ(program.verify(), 0);
  pid_t tid = 0;
  Kernel::Run run;
  std::thread([&] {
    tid = gettid();
    run = kernel->run(Hook::Enter, {&program.raw}, kNumber, kNumber, 0);
  }).join();
  ASSERT_EQ(run.error, "");
  ASSERT_EQ(run.records.size(), 1u);
  const auto& record = *reinterpret_cast<const sonde_record*>(run.records[0].data());
  EXPECT_EQ(record.pid, static_cast<uint32_t>(getpid()));
  EXPECT_EQ(record.tid, static_cast<uint32_t>(tid));
  EXPECT_EQ(record.slot[0], record.pid);
  EXPECT_EQ(record.slot[1], record.tid);
}

/// Itself, each of its ancestors, and others.
TEST_F(InKernel, Progeny) {
  std::vector<uint32_t> asked = {0, static_cast<uint32_t>(getpid()), 0xffffffff, 2, static_cast<uint32_t>(gettid())};
  for (uint32_t pid = static_cast<uint32_t>(getppid()); pid != 0; pid = parent_of(pid)) asked.push_back(pid);
  for (const uint32_t pid : asked) {
    Program program;
    program.insns = {insn(SONDE_DIF_LI, 3, 0, 0, static_cast<int32_t>(pid)), insn(SONDE_DIF_PROGENY, 2, 3),
                     insn(SONDE_DIF_CAPW, 0, 2), insn(SONDE_DIF_RECORD)};
    program.kinds = {SONDE_SLOT_WORD};
    ASSERT_EQ(program.verify(), 0);
    EXPECT_EQ(compare(program, Hook::Enter), "") << pid;
  }
}

/// Names of each length, and predicates on them.
TEST_F(InKernel, Names) {
  for (const char* name : {"", "a", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghijklmno", "\x80\x01\x7f",
                           "\xff\xff\xff\xff\xff\xff\xff\x01"}) {
    thread.execname = name;
    for (const char* other : {"a", "abcdefgh", "abcdefghijklmno", "abcdefghijklmnop", name}) {
      Program program;
      program.pool.assign(other, other + std::strlen(other) + 1);
      program.insns = {insn(SONDE_DIF_NAMEQ, 0, 0, 0, 0), insn(SONDE_DIF_LI, 1), insn(SONDE_DIF_CAPW, 0, 0),
                       insn(SONDE_DIF_CAPTEXT, 1, 1, 0, SONDE_DIF_TEXT_EXECNAME), insn(SONDE_DIF_RECORD)};
      program.kinds = {SONDE_SLOT_WORD, SONDE_SLOT_TEXT};
      ASSERT_EQ(program.verify(), 0);
      EXPECT_EQ(compare(program, Hook::Enter), "") << name << " and " << other;
    }
  }
}

/// A predicate that fails takes no ring: the ring's last time stays.
TEST_F(InKernel, ThePredicateComesBeforeTheRing) {
  Program program;
  program.insns = {insn(SONDE_DIF_ARG, 0, 0, 0, 3), insn(SONDE_DIF_JZ, 0, 0, 0, 2), insn(SONDE_DIF_CAPW, 0, 0),
                   insn(SONDE_DIF_RECORD), insn(SONDE_DIF_FAIL)};
  program.kinds = {SONDE_SLOT_WORD};
  ASSERT_EQ(program.verify(), 0);
  const auto sequences = [&] {
    uint64_t sum = 0;
    for (const MappedRing& ring : kernel->rings().mapped())
      sum += *reinterpret_cast<const uint32_t*>(reinterpret_cast<const char*>(ring.get()) + kSequence);
    return sum;
  };
  const uint64_t before = sequences();
  Kernel::Run run = kernel->run(Hook::Enter, {&program.raw}, kNumber, kNumber, 0);
  ASSERT_EQ(run.error, "");
  EXPECT_TRUE(run.records.empty());
  EXPECT_EQ(sequences(), before);
  run = kernel->run(Hook::Enter, {&program.raw}, kNumber, kNumber, 1);
  EXPECT_EQ(run.records.size(), 1u);
  EXPECT_EQ(sequences(), before + 1);
  run = kernel->run(Hook::Enter, {&program.raw}, kNumber, kNumber + 1, 1);
  EXPECT_TRUE(run.records.empty()) << "a call that nobody asked for";
}

/// Several clauses: one firing, with one time and one number, and locals that they share.
TEST_F(InKernel, ColumnsAreOneFiring) {
  Program first, second, never;
  first.insns = {insn(SONDE_DIF_LI, 0, 0, 0, 55), insn(SONDE_DIF_STL, 0, 0, 0, 3), insn(SONDE_DIF_RECORD)};
  second.insns = {insn(SONDE_DIF_LDL, 4, 0, 0, 3), insn(SONDE_DIF_CAPW, 0, 4), insn(SONDE_DIF_RECORD)};
  second.kinds = {SONDE_SLOT_WORD};
  never.insns = {insn(SONDE_DIF_FAIL)};
  for (Program* one : {&first, &second, &never}) ASSERT_EQ(one->verify(), 0) << one->why;
  const Kernel::Run run = kernel->run(Hook::Exit, {&never.raw, &first.raw, &never.raw, &second.raw}, kNumber, 0, 0);
  ASSERT_EQ(run.error, "");
  ASSERT_EQ(run.records.size(), 2u);
  const auto& one = *reinterpret_cast<const sonde_record*>(run.records[0].data());
  const auto& two = *reinterpret_cast<const sonde_record*>(run.records[1].data());
  EXPECT_EQ(one.epid, kFirstEpid + 1);
  EXPECT_EQ(two.epid, kFirstEpid + 3);
  EXPECT_EQ(one.timestamp, two.timestamp);
  EXPECT_EQ(one.sequence, two.sequence);
  EXPECT_EQ(two.slot[0], 55u);
}

TEST_F(InKernel, UserStack) {
  Program program;
  program.insns = {insn(SONDE_DIF_CAPSTACK, 0, 0, 0, 20), insn(SONDE_DIF_RECORD)};
  program.kinds = {SONDE_SLOT_STACK};
  ASSERT_EQ(program.verify(), 0);
  const Kernel::Run run = kernel->run(Hook::Enter, {&program.raw}, kNumber, kNumber, 0);
  ASSERT_EQ(run.error, "");
  ASSERT_EQ(run.records.size(), 1u);
  const auto& record = *reinterpret_cast<const sonde_record*>(run.records[0].data());
  EXPECT_EQ(record.faults, 0u);
  EXPECT_EQ(record.flags, SONDE_RECORD_STACKS_COPIED);
  const uint32_t offset = SONDE_SPAN_OFFSET(record.slot[0]), length = SONDE_SPAN_LENGTH(record.slot[0]);
  ASSERT_GT(length, sizeof(sonde_copied_stack) + 64);
  ASSERT_LE(offset + length, record.size);
  const auto* bytes = reinterpret_cast<const char*>(&record) + offset;
  const auto& copied = *reinterpret_cast<const sonde_copied_stack*>(bytes);
  EXPECT_EQ(copied.frames, 20u);
  EXPECT_NE(copied.registers.rip, 0u);
  const uint64_t end = (copied.registers.rsp & ~7ull) + length - sizeof copied;
  EXPECT_EQ(std::memcmp(bytes + length - 64, reinterpret_cast<const void*>(end - 64), 64), 0);
}

TEST_F(InKernel, KernelStack) {
  Program program;
  program.insns = {insn(SONDE_DIF_CAPKSTACK, 0, 0, 0, SONDE_DIF_MAX_FRAMES),
                   insn(SONDE_DIF_VAR, 2, 0, 0, SONDE_DIF_VAR_STACKDEPTH),
                   insn(SONDE_DIF_CAPW, 1, 2),
                   insn(SONDE_DIF_VAR, 2, 0, 0, SONDE_DIF_VAR_CALLER),
                   insn(SONDE_DIF_CAPW, 2, 2),
                   insn(SONDE_DIF_RECORD)};
  program.kinds = {SONDE_SLOT_KERNEL_STACK, SONDE_SLOT_WORD, SONDE_SLOT_WORD};
  ASSERT_EQ(program.verify(), 0) << program.why;
  const Kernel::Run run = kernel->run(Hook::Enter, {&program.raw}, kNumber, kNumber, 0);
  ASSERT_EQ(run.error, "");
  ASSERT_EQ(run.records.size(), 1u);
  const auto& record = *reinterpret_cast<const sonde_record*>(run.records[0].data());
  const uint32_t frames = SONDE_SPAN_LENGTH(record.slot[0]) / 8;
  ASSERT_GE(frames, 2u);
  const auto* stack =
      reinterpret_cast<const uint64_t*>(reinterpret_cast<const char*>(&record) + SONDE_SPAN_OFFSET(record.slot[0]));
  for (uint32_t n = 0; n < frames; n++) EXPECT_LT(static_cast<int64_t>(stack[n]), 0) << n;
  EXPECT_EQ(record.slot[1], frames);
  EXPECT_EQ(record.slot[2], stack[1]);
}

/// A ring that is held is not taken: the next one is, and the drop of who finds none is counted.
/// Kernels differ in what their helper returns of an empty text.
TEST_F(InKernel, AnEmptyTextIsNoFault) {
  for (const sonde_dif_op op : {SONDE_DIF_CAPSTR, SONDE_DIF_CAPSTRN}) {
    Program program;
    program.insns = {insn(SONDE_DIF_ARG, 0, 0, 0, 3), insn(SONDE_DIF_LI, 1, 0, 0, 5),
                     insn(op, 0, 0, op == SONDE_DIF_CAPSTRN ? 1 : 0, 8), insn(SONDE_DIF_RECORD)};
    program.kinds = {SONDE_SLOT_TEXT};
    ASSERT_EQ(program.verify(), 0) << program.why;
    for (const char* text : {"", "x"}) {
      thread.memory[0] = text[0];
      thread.memory[1] = '\0';
      thread.publish();
      const Kernel::Run run = kernel->run(Hook::Enter, {&program.raw}, kNumber, kNumber, kBase);
      ASSERT_EQ(run.error, "");
      ASSERT_EQ(run.records.size(), 1u);
      const auto& record = *reinterpret_cast<const sonde_record*>(run.records[0].data());
      EXPECT_EQ(record.faults, 0u) << '"' << text << '"';
      EXPECT_EQ(SONDE_SPAN_LENGTH(record.slot[0]), std::strlen(text));
      EXPECT_STREQ(reinterpret_cast<const char*>(&record) + SONDE_SPAN_OFFSET(record.slot[0]), text);
    }
  }
}

TEST_F(InKernel, ThreeLevels) {
  Program program;
  program.insns = {insn(SONDE_DIF_RECORD)};
  ASSERT_EQ(program.verify(), 0);
  const auto cpu = static_cast<uint32_t>(sched_getcpu());
  std::vector<sonde_ring*> own;
  for (const MappedRing& ring : kernel->rings().mapped())
    if (ring->writer == cpu) own.push_back(ring.get());
  ASSERT_EQ(own.size(), kLevels);
  for (uint32_t level = 0; level < kLevels; level++) {
    const uint64_t head = own[level]->head;
    Kernel::Run run = kernel->run(Hook::Enter, {&program.raw}, kNumber, kNumber, 0);
    EXPECT_EQ(run.records.size(), 1u);
    EXPECT_GT(own[level]->head, head) << level;
    EXPECT_EQ(own[level]->low_water, SONDE_IDLE) << level;
    own[level]->low_water = 1;  // somebody holds it
  }
  const Kernel::Run run = kernel->run(Hook::Enter, {&program.raw}, kNumber, kNumber, 0);
  EXPECT_TRUE(run.records.empty());
  EXPECT_EQ(run.drops, 1u);
  for (sonde_ring* ring : own) EXPECT_EQ(ring->low_water, 1u) << "who does not hold it gives it back";
}

/// Records of all sizes in the smallest ring, read now and then: what is recorded and what is dropped is all.
TEST_F(InKernel, ASmallRingKeepsItsLedger) {
  std::string why;
  kernel = Kernel::create(why, 4096);
  ASSERT_TRUE(kernel) << why;
  Program program;
  program.insns = {insn(SONDE_DIF_ARG, 0, 0, 0, 4), insn(SONDE_DIF_ARG, 1, 0, 0, 5),
                   insn(SONDE_DIF_CAPMEM, 0, 0, 1, 3000), insn(SONDE_DIF_RECORD)};
  program.insns[0] = insn(SONDE_DIF_LC, 0, 0, 0, static_cast<int>(add_number(program, kBase)));
  program.kinds = {SONDE_SLOT_BYTES};
  ASSERT_EQ(program.verify(), 0) << program.why;
  std::string error;
  auto loaded = kernel->load(Hook::Enter, {&program.raw}, kNumber, error);
  ASSERT_TRUE(loaded) << error;
  std::mt19937 random(5);
  uint64_t events = 0, records = 0, drops = 0, sequence = 0;
  for (int turn = 0; turn < 300; turn++) {
    for (uint32_t n = random() % 8; n > 0; n--, events++) {
      const uint64_t arguments[] = {0, kNumber};
      bpf_attr attributes{};
      attributes.test.prog_fd = static_cast<uint32_t>(loaded->get());
      attributes.test.ctx_in = reinterpret_cast<uintptr_t>(arguments);
      attributes.test.ctx_size_in = sizeof arguments;
      const uint64_t bytes = random() % 4 == 0 ? random() % 3001 : random() % 200;
      ASSERT_EQ(syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attributes, sizeof attributes, 0, 0, bytes), 0);
    }
    Kernel::Run run;
    kernel->drain(run);
    ASSERT_EQ(run.error, "");
    for (const auto& one : run.records) {
      const auto& record = *reinterpret_cast<const sonde_record*>(one.data());
      ASSERT_EQ(sonde_record_check(&record, record.size, program.kinds.data(), 1), 0);
      ASSERT_GT(record.sequence, sequence) << "out of order";
      sequence = record.sequence;
    }
    records += run.records.size();
    drops += run.drops;
  }
  EXPECT_EQ(events, records + drops);
  EXPECT_GT(drops, 0u);
  EXPECT_GT(records, events / 2);
}

// ---- random programs -------------------------------------------------------------------------------------------

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  Program make() {
    program_ = {};
    while (true) {
      program_.insns.clear();
      program_.kinds.clear();
      program_.pool.clear();
      for (unsigned reg = 0; reg < SONDE_DIF_REGISTERS; reg++) number(reg);
      for (uint32_t left = 5 + below(50); left > 0; left--) one(left);
      program_.insns.push_back(insn(below(6) == 0 ? SONDE_DIF_FAIL : SONDE_DIF_RECORD));
      for (size_t at = 0; at < program_.insns.size(); at++) {  // branches that lead too far
        sonde_dif_insn& in = program_.insns[at];
        if (sonde_lower_is_branch(in.op)) in.i = std::min(in.i, static_cast<int32_t>(program_.insns.size() - at - 2));
      }
      if (program_.verify() == 0) return std::move(program_);
    }
  }

 private:
  uint32_t below(uint32_t n) { return random_() % n; }
  unsigned reg() { return below(SONDE_DIF_REGISTERS); }

  uint64_t value() {
    switch (below(7)) {
      case 0: return kBase + below(OwnThread::kBytes);
      case 1: return kBase + OwnThread::kBytes - 1 - below(20);
      case 2: return kBase + OwnThread::kBytes + below(9);
      case 3: return below(300);
      case 4: return 0xffff800000000000 + below(1u << 30);
      case 5: return kValues[below(std::size(kValues))];
      default: return uint64_t{random_()} << 32 | random_();
    }
  }

  void number(unsigned to) {
    if (below(3) == 0)
      program_.insns.push_back(insn(SONDE_DIF_LI, to, 0, 0, static_cast<int>(random_())));
    else
      program_.insns.push_back(insn(SONDE_DIF_LC, to, 0, 0, static_cast<int>(add_number(program_, value()))));
  }

  void capture() {
    if (program_.kinds.size() >= 20) return;
    const auto slot = static_cast<unsigned>(program_.kinds.size());
    const auto add = [&](sonde_dif_op op, unsigned b, int i, sonde_slot_kind kind) {
      program_.insns.push_back(insn(op, slot, reg(), b, i));
      program_.kinds.push_back(kind);
    };
    switch (below(6)) {
      case 0: return add(SONDE_DIF_CAPSTR, 0, static_cast<int>(1 + below(below(2) == 0 ? 20 : 400)), SONDE_SLOT_TEXT);
      case 1: return add(SONDE_DIF_CAPSTRN, reg(), static_cast<int>(1 + below(300)), SONDE_SLOT_TEXT);
      case 2: return add(SONDE_DIF_CAPMEM, reg(), static_cast<int>(1 + below(300)), SONDE_SLOT_BYTES);
      case 3: return add(SONDE_DIF_CAPTEXT, 0, SONDE_DIF_TEXT_EXECNAME, SONDE_SLOT_TEXT);
      default: return add(SONDE_DIF_CAPW, 0, 0, SONDE_SLOT_WORD);
    }
  }

  void variable() {
    sonde_dif_variable which;
    do which = static_cast<sonde_dif_variable>(below(SONDE_DIF_VAR_COUNT));
    while (!can_read(which) || kernel_knows_more(which));
    program_.insns.push_back(insn(SONDE_DIF_VAR, reg(), 0, 0, which));
  }

  void one(uint32_t left) {
    auto& insns = program_.insns;
    const uint32_t kind = below(20);
    if (kind < 6) {
      const auto op = static_cast<sonde_dif_op>(SONDE_DIF_ADD + below(SONDE_DIF_SHRU - SONDE_DIF_ADD + 1));
      insns.push_back(insn(op, reg(), reg(), reg()));
    } else if (kind == 6) {
      insns.push_back(insn(static_cast<sonde_dif_op>(SONDE_DIF_EQ + below(6)), reg(), reg(), reg()));
    } else if (kind == 7) {
      insns.push_back(insn(below(2) == 0 ? SONDE_DIF_NEG : SONDE_DIF_NOT, reg(), reg()));
    } else if (kind == 8) {
      insns.push_back(insn(below(2) == 0 ? SONDE_DIF_SX : SONDE_DIF_ZX, reg(), reg(), 0, 8 << below(3)));
    } else if (kind == 9) {
      number(reg());
    } else if (kind == 10) {
      variable();
    } else if (kind == 11) {
      insns.push_back(insn(SONDE_DIF_ARG, reg(), 0, 0, static_cast<int>(below(SONDE_DIF_ARGS))));
    } else if (kind == 12) {
      insns.push_back(below(2) == 0 ? insn(SONDE_DIF_LDU, reg(), reg(), 0, 1 << below(4))
                                    : insn(SONDE_DIF_LDS, reg(), reg(), 0, 1 << below(3)));
    } else if (kind == 13) {
      const int which = static_cast<int>(below(4) == 0 ? below(SONDE_DIF_LOCALS) : below(3));
      insns.push_back(below(2) == 0 ? insn(SONDE_DIF_LDL, reg(), 0, 0, which)
                                    : insn(SONDE_DIF_STL, 0, reg(), 0, which));
    } else if (kind == 14) {
      const int which = static_cast<int>(below(4) == 0 ? below(SONDE_DIF_THREAD) : below(3));
      insns.push_back(below(2) == 0 ? insn(SONDE_DIF_LDT, reg(), 0, 0, which)
                                    : insn(SONDE_DIF_STT, 0, reg(), 0, which));
    } else if (kind == 15) {
      insns.push_back(insn(below(5) == 0   ? SONDE_DIF_JMP
                           : below(2) == 0 ? SONDE_DIF_JZ
                                           : SONDE_DIF_JNZ,
                           0, 0, 0, static_cast<int>(below(std::min(left, 12u)))));
      if (insns.back().op != SONDE_DIF_JMP) insns.back().a = static_cast<uint8_t>(reg());
    } else if (kind == 16 && below(6) == 0) {
      insns.push_back(insn(below(2) == 0 ? SONDE_DIF_FAIL : SONDE_DIF_RECORD));
    } else if (kind == 17 && below(3) == 0) {
      insns.push_back(insn(SONDE_DIF_PROGENY, reg(), reg()));
    } else if (kind == 17 && below(2) == 0) {
      program_.pool.resize((program_.pool.size() + 7) / 8 * 8);
      const auto at = static_cast<int>(program_.pool.size());
      for (const char c : std::string(below(2) == 0 ? "own name" : "own nam") + '\0')
        program_.pool.push_back(static_cast<uint8_t>(c));
      program_.pool.resize((program_.pool.size() + 7) / 8 * 8);
      insns.push_back(insn(SONDE_DIF_NAMEQ, reg(), 0, 0, at));
    } else {
      capture();
    }
  }

  std::mt19937 random_;
  Program program_;
};

std::string listing(const Program& program) {
  std::string text;
  for (const sonde_dif_insn& in : program.insns)
    text += std::string(sonde_dif_op_name(in.op)) + " " + std::to_string(in.d) + " " + std::to_string(in.a) + " " +
            std::to_string(in.b) + " " + std::to_string(in.i) + "\n";
  return text;
}

/// SONDE_RANDOM_PROGRAMS: how many; the long form is 5,000.
TEST_F(InKernel, RandomPrograms) {
  const char* wanted = std::getenv("SONDE_RANDOM_PROGRAMS");
  const uint32_t count = wanted != nullptr ? static_cast<uint32_t>(std::atoi(wanted)) : 250;
  thread.execname = "own name";
  std::set<uint8_t> seen;
  size_t compared = 0, strayed = 0, left_out = 0;
  for (uint32_t seed = 1; seed <= count; seed++) {
    std::mt19937 random(seed);
    for (char& c : thread.memory) c = random() % 40 == 0 ? '\0' : static_cast<char>(random());
    for (uint64_t& one : thread.thread_variables) one = random() % 3 == 0 ? 0 : random();
    const Hook hook = seed % 2 == 0 ? Hook::Enter : Hook::Exit;
    Program program = Generator(seed).make();
    for (const sonde_dif_insn& in : program.insns) seen.insert(in.op);
    const std::string said =
        compare(program, hook, hook == Hook::Exit ? (seed % 3 == 0 ? static_cast<uint64_t>(-2) : seed) : 0);
    if (said == "strayed") {
      strayed++;
      continue;
    }
    if (said == kNoVariables) {
      left_out++;
      continue;
    }
    ASSERT_EQ(said, "") << "seed " << seed << "\n" << listing(program);
    compared++;
  }
  EXPECT_EQ(compared + strayed + left_out, count);
  EXPECT_GT(compared, 0u);
  EXPECT_LE(strayed, count / 20);
  if (count < 250) return;
  EXPECT_GE(seen.size(), 44u) << "opcodes";
}

}  // namespace
}  // namespace sonde::bpf
