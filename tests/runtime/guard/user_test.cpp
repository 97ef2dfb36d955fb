// SPDX-License-Identifier: GPL-3.0-or-later
// User taps: breakpoints at entries, returns and offsets
#include <fcntl.h>
#include <gmock/gmock.h>

#include "runtime/process/jit_map.h"
#include "tests/runtime/guard/guard_fixture.h"
#include "tests/runtime/process/target_program.h"

namespace sonde::test {
namespace {

/// Runs a program with its output in a file.
std::vector<std::string> to_file(const std::string& file, const std::string& arguments) {
  return {"/bin/sh", "-c", "exec " + target() + " " + arguments + " >" + file};
}

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  return std::string((std::istreambuf_iterator<char>(stream)), {});
}

/// The byte of a file at `offset` in the memory of a process; -1: not mapped.
int byte_of(uint32_t pid, const std::string& path, uint64_t offset) {
  const std::string folder = "/proc/" + std::to_string(pid);
  std::istringstream maps(text_of(folder + "/maps"));
  for (std::string line; std::getline(maps, line);) {
    uint64_t begin = 0, end = 0, from = 0;
    if (!line.ends_with(path) || std::sscanf(line.c_str(), "%lx-%lx %*s %lx", &begin, &end, &from) != 3) continue;
    if (offset < from || offset >= from + (end - begin)) continue;
    const UniqueFd memory(open((folder + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
    uint8_t byte = 0;
    if (pread(memory.get(), &byte, 1, static_cast<off_t>(begin + (offset - from))) == 1) return byte;
  }
  return -1;
}

std::string output_file() { return Programs::get().directory + "/out"; }

/// A program with four functions that it has made at run time, 64 bytes apart.
class RunTimeCode : public ::testing::Test {
 protected:
  static constexpr uint64_t kCode = 0x100000000;
  static constexpr uint8_t kFunction[] = {0x55, 0x48, 0x89, 0xe5, 0x8d, 0x47, 0x01, 0x5d, 0xc3};

  RunTimeCode() : pid(program.start()) {
    memory.reset(open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDWR | O_CLOEXEC));
    EXPECT_TRUE(consumer.source->targets()->attach(pid));
    consumer.enable(1, Dif());
  }
  void arm(uint64_t address, std::span<const uint8_t> text) {
    consumer.tap({{},
                  SONDE_TAP_USER_ENTRY,
                  ProbeId{1},
                  static_cast<uint32_t>(text.size()),
                  pid,
                  SONDE_PATH_CODE,
                  address,
                  address,
                  {},
                  sum_of_text(text)});
  }
  int byte_at(uint64_t address) {
    uint8_t byte = 0;
    EXPECT_EQ(pread(memory.get(), &byte, 1, static_cast<off_t>(address)), 1);
    return byte;
  }
  std::string notices() {
    consumer.events();
    return consumer.notices();
  }

  TargetProgram program{"jit", R"(
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static const unsigned char kFunction[] = {0x55, 0x48, 0x89, 0xe5, 0x8d, 0x47, 0x01, 0x5d, 0xc3};
int main(void) {
  unsigned char* text = mmap((void*)0x100000000, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  for (int i = 0; i < 4; i++) memcpy(text + 64 * i, kFunction, sizeof kFunction);
  if (write(1, "x", 1) != 1) return 1;
  pause();
}
)"};
  uint32_t pid;
  UniqueFd memory;
  Consumer consumer;
};

TEST_F(RunTimeCode, IsComparedBeforeABreakpointIsWritten) {
  const std::vector<uint8_t> other(sizeof kFunction, 0x90);
  arm(kCode, kFunction);
  EXPECT_EQ(byte_at(kCode), 0xcc);
  EXPECT_EQ(notices(), "");
  arm(kCode + 64, other);
  EXPECT_EQ(byte_at(kCode + 64), 0x55);
  EXPECT_EQ(notices(), "process " + std::to_string(pid) + ": no probe at 0x100000040: its code has changed\n");
  arm(0x10000, kFunction);
  EXPECT_THAT(notices(), ::testing::HasSubstr("no probe at 0x10000: it is not in private memory with code"));
  arm(kCode, kFunction);  // a second probe there: the breakpoint is ours, not a change of the text
  EXPECT_TRUE(consumer.source->targets()->detach(pid));
  EXPECT_EQ(byte_at(kCode), 0x55);
}

/// V8 does this with code that is not needed any more: the breakpoint instructions are its own.
TEST_F(RunTimeCode, ThatWasWrittenAgainIsLeftAlone) {
  arm(kCode, kFunction);
  ASSERT_EQ(byte_at(kCode), 0xcc);
  const std::vector<uint8_t> filler(sizeof kFunction, 0xcc);
  ASSERT_EQ(pwrite(memory.get(), filler.data(), filler.size(), kCode), static_cast<ssize_t>(filler.size()));
  EXPECT_TRUE(consumer.source->targets()->detach(pid));
  EXPECT_EQ(byte_at(kCode), 0xcc);
}

/// The runtime patches an operand while our breakpoint is on the opcode.
TEST_F(RunTimeCode, WhoseOperandChangesIsStillLetGo) {
  arm(kCode, kFunction);
  const uint8_t patched = 0x02;
  ASSERT_EQ(pwrite(memory.get(), &patched, 1, kCode + 6), 1);
  EXPECT_TRUE(consumer.source->targets()->detach(pid));
  EXPECT_EQ(byte_at(kCode), 0x55);
}

TEST(User, EntryAndReturnInFourThreads) {
  Consumer consumer;
  consumer.enable(1, Dif().argument(0).argument(1));
  consumer.enable(2, Dif().argument(1));
  consumer.tap_function(1, SONDE_TAP_USER_ENTRY, target(), "work");
  consumer.tap_function(2, SONDE_TAP_USER_RETURN, target(), "work");
  consumer.spawn(to_file(output_file(), "work 4 2500"));
  consumer.run();
  EXPECT_EQ(text_of(output_file()), "0 wrong, 10000 calls\n");
  EXPECT_EQ(consumer.count(1), 10000u);
  EXPECT_EQ(consumer.count(2), 10000u);
  std::map<uint32_t, uint64_t> argument;
  for (const Record& record : consumer.records) {
    if (record.probe == 1) {
      argument[record.tid] = record.words[0];
      EXPECT_EQ(record.words[1], 7u);
    } else {
      EXPECT_EQ(static_cast<uint32_t>(record.words[0]), static_cast<uint32_t>(argument[record.tid] * 2 + 7));
    }
  }
}

TEST(User, ArgumentsOnTheStackRegistersAndStack) {
  Consumer consumer;
  Dif dif;
  for (int i = 0; i < 8; i++) dif.argument(i);
  dif.op(SONDE_DIF_REG, 1, 0, 0, 14).word();  // R_RDI
  dif.variable(SONDE_DIF_VAR_UCALLER).stack(8);
  consumer.enable(1, dif);
  consumer.tap_function(1, SONDE_TAP_USER_ENTRY, target(), "wide");
  consumer.spawn(to_file(output_file(), "wide"));
  consumer.run();
  ASSERT_EQ(consumer.records.size(), 1u);
  const Record& record = consumer.records[0];
  for (uint64_t i = 0; i < 8; i++) EXPECT_EQ(record.words[i], i + 1);
  EXPECT_EQ(record.words[8], 1u);
  const std::string& stack = record.texts[10];
  ASSERT_GE(stack.size(), 16u);
  uint64_t frames[2];
  std::memcpy(frames, stack.data(), sizeof frames);
  EXPECT_EQ(frames[1], record.words[9]);
  EXPECT_EQ(text_of(output_file()), "36\n");
}

TEST(User, RecursionReturnsInOrder) {
  Consumer consumer;
  consumer.enable(1, Dif().argument(0));
  consumer.enable(2, Dif().argument(1));
  consumer.tap_function(1, SONDE_TAP_USER_ENTRY, target(), "depth");
  consumer.tap_function(2, SONDE_TAP_USER_RETURN, target(), "depth");
  consumer.spawn(to_file(output_file(), "depth 200"));
  consumer.run();
  EXPECT_EQ(text_of(output_file()), "200\n");
  EXPECT_EQ(consumer.count(1), 201u);
  EXPECT_EQ(consumer.count(2), 201u);
  EXPECT_EQ(consumer.records.back().words[0], 200u);
}

TEST(User, LongjmpLeavesNoReturns) {
  Consumer consumer;
  consumer.enable(1, Dif().argument(0));
  consumer.enable(2, Dif().argument(1));
  consumer.tap_function(1, SONDE_TAP_USER_ENTRY, target(), "leaves");
  consumer.tap_function(2, SONDE_TAP_USER_RETURN, target(), "leaves");
  consumer.spawn(to_file(output_file(), "jumps"));
  consumer.run();
  EXPECT_EQ(text_of(output_file()), "100 1\n");
  EXPECT_EQ(consumer.count(1), 101u);
  EXPECT_EQ(consumer.count(2), 1u);
}

TEST(User, SignalStorm) {
  Consumer consumer;
  consumer.enable(1, Dif().argument(0));
  consumer.enable(2, Dif().argument(1));
  consumer.tap_function(1, SONDE_TAP_USER_ENTRY, target(), "work");
  consumer.tap_function(2, SONDE_TAP_USER_RETURN, target(), "work");
  consumer.spawn(to_file(output_file(), "storm 0 5000"));
  consumer.run();
  EXPECT_EQ(text_of(output_file()), "0 ticked\n");
  EXPECT_EQ(consumer.count(1), 5000u);
  EXPECT_EQ(consumer.count(2), 5000u);
}

/// A breakpoint on each instruction of a function: emulated or stepped, the result must be right.
TEST(User, EveryOffsetOfAFunction) {
  const uint64_t start = offset_of(target(), "work");
  std::ifstream file(target(), std::ios::binary);
  file.seekg(static_cast<std::streamoff>(start));
  Consumer consumer;
  consumer.enable(1, Dif().argument(0));
  // objdump gives the instructions of work(), which depend on the compiler.
  const std::string listing = Programs::get().directory + "/listing";
  ASSERT_EQ(system(("objdump -d --no-show-raw-insn --disassemble=work " + target() +
                    " | grep -E '^ +[0-9a-f]+:' | cut -d: -f1 >" + listing)
                       .c_str()),
            0);
  std::ifstream lines(listing);
  std::string line;
  std::vector<uint64_t> addresses;
  while (std::getline(lines, line)) addresses.push_back(std::stoull(line, nullptr, 16));
  ASSERT_GT(addresses.size(), 2u);
  for (uint64_t address : addresses) {
    const uint64_t offset = start + address - addresses[0];
    consumer.tap({{}, SONDE_TAP_USER_OFFSET, ProbeId{1}, 0, 0, target(), offset, start});
  }
  consumer.spawn(to_file(output_file(), "work 3 200"));
  consumer.run();
  EXPECT_EQ(text_of(output_file()), "0 wrong, 600 calls\n");
  EXPECT_EQ(consumer.count(1), 600 * addresses.size());
  EXPECT_EQ(consumer.notices(), "");
}

TEST(User, LibraryFunctionAfterRunToEntry) {
  Consumer consumer;
  const std::string libc = std::filesystem::canonical("/lib/x86_64-linux-gnu/libc.so.6");
  consumer.enable(1, Dif().argument(0));
  consumer.enable(2, Dif().argument(1));
  const uint32_t pid = consumer.spawn(to_file(output_file(), "getppid 1 5"));
  auto entered = consumer.source->targets()->run_to_entry(pid);
  ASSERT_TRUE(entered) << entered.error().message();
  consumer.tap_function(1, SONDE_TAP_USER_ENTRY, libc, "getppid");
  consumer.tap_function(2, SONDE_TAP_USER_RETURN, libc, "getppid");
  consumer.run();
  EXPECT_GE(consumer.count(1), 5u);
  EXPECT_EQ(consumer.count(1), consumer.count(2));
}

TEST(User, ManyProbesInOneLibrary) {
  const std::string libc = std::filesystem::canonical("/lib/x86_64-linux-gnu/libc.so.6");
  Consumer consumer;
  consumer.enable(1, Dif().argument(0));
  std::vector<Tap> taps;
  uint32_t id = 1000;
  for (const char* name : {"malloc", "free",   "calloc",   "printf",    "puts",    "write",   "read",   "open",
                           "openat", "close",  "mmap",     "munmap",    "exit",    "qsort",   "getenv", "sigaction",
                           "strtol", "fwrite", "vfprintf", "setlocale", "opendir", "readdir", "fopen",  "fclose",
                           "getcwd", "stat",   "fstat",    "lseek",     "realloc", "strdup",  "isatty", "ioctl"}) {
    for (auto kind : {SONDE_TAP_USER_ENTRY, SONDE_TAP_USER_RETURN}) {
      if (kind == SONDE_TAP_USER_RETURN && std::string_view(name) == "exit") continue;  // it never returns
      for (Tap& tap : taps_on(1, kind, libc, name)) {
        tap.id = TapId{id++};
        taps.push_back(std::move(tap));
      }
    }
  }
  auto armed = consumer.source->arm(taps);
  ASSERT_TRUE(armed) << armed.error().message();
  consumer.spawn({"/bin/sh", "-c", "ls -l /etc >" + output_file() + "1"});
  consumer.run();
  ASSERT_EQ(system(("ls -l /etc >" + output_file() + "2; cmp " + output_file() + "1 " + output_file() + "2").c_str()),
            0);
  EXPECT_GT(consumer.count(1), 100u);
  EXPECT_EQ(consumer.notices(), "");
}

TEST(User, HeldAtABreakpoint) {
  Consumer consumer;
  consumer.enable(1, Dif().argument(0), true);
  consumer.tap_function(1, SONDE_TAP_USER_ENTRY, target(), "work");
  consumer.on_record = [&](const sonde_record& record) {
    EXPECT_TRUE(consumer.source->threads()->release(record.tid, {}));
  };
  consumer.spawn(to_file(output_file(), "work 3 50"));
  consumer.run();
  EXPECT_EQ(text_of(output_file()), "0 wrong, 150 calls\n");
  EXPECT_EQ(consumer.count(1), 150u);
}

TEST(User, Dlopen) {
  Consumer consumer;
  consumer.enable(1, Dif().argument(0));
  consumer.enable(2, Dif().argument(1));
  consumer.tap_function(1, SONDE_TAP_USER_ENTRY, Programs::get().plugin, "plugin");
  consumer.tap_function(2, SONDE_TAP_USER_RETURN, Programs::get().plugin, "plugin");
  consumer.spawn(to_file(output_file(), "plugin " + Programs::get().plugin + " 50"));
  consumer.run();
  EXPECT_EQ(text_of(output_file()), "1275\n");
  EXPECT_EQ(consumer.count(1), 50u);
  EXPECT_EQ(consumer.count(2), 50u);
  bool mapped = false;
  for (const SourceEvent& event : consumer.seen) {
    const auto* file = std::get_if<FileMapped>(&event);
    mapped = mapped || (file != nullptr && file->mapping.path == Programs::get().plugin);
  }
  EXPECT_TRUE(mapped);
}

/// The next file whose mapping makes a followed thread wait.
FileMapped await_mapped(Consumer& consumer, const std::string& path) {
  const auto end = Clock::now() + std::chrono::milliseconds(kPatienceMs);
  while (Clock::now() < end) {
    auto event = consumer.source->next_event();
    if (!event) break;
    const auto* file = *event ? std::get_if<FileMapped>(&**event) : nullptr;
    if (file != nullptr && file->mapping.path == path) return *file;
    if (file != nullptr) (void)consumer.source->threads()->acknowledge(file->waiting).has_value();
    usleep(1000);
  }
  ADD_FAILURE() << path << " is not mapped";
  return {};
}

/// No code of a library runs before its taps are armed: this happens while the thread that opened it waits.
TEST(User, WhoIsFollowedWaitsWhenItOpensALibrary) {
  Consumer consumer;
  consumer.enable(1, Dif().argument(0));
  const uint32_t pid = consumer.spawn({target(), "plugin", Programs::get().plugin, "50"});
  ASSERT_TRUE(consumer.source->targets()->run_to_entry(pid));
  ASSERT_TRUE(consumer.source->threads()->follow(pid, false));
  ASSERT_TRUE(consumer.source->targets()->go());
  ASSERT_EQ(await_mapped(consumer, Programs::get().plugin).waiting, pid);
  consumer.tap_function(1, SONDE_TAP_USER_ENTRY, Programs::get().plugin, "plugin", pid);
  kill(static_cast<pid_t>(pid), SIGSTOP);  // so that it cannot end before the second acknowledgement
  ASSERT_TRUE(consumer.source->threads()->acknowledge(pid));
  EXPECT_EQ(consumer.source->threads()->acknowledge(pid).error().code(), EINVAL);
  kill(static_cast<pid_t>(pid), SIGCONT);
  consumer.run();
  EXPECT_EQ(consumer.count(1), 50u);
  EXPECT_EQ(consumer.status[pid], 0u);
}

/// An exec maps its program, static or not; SIGKILL or a detach ends the wait.
TEST(User, WhoIsFollowedWaitsAtAnExec) {
  for (const char* how : {"seen", "kill", "detach"}) {
    Consumer consumer;
    consumer.through_shell = true;
    const uint32_t pid = consumer.spawn({target(), "exit", "7"});
    ASSERT_TRUE(consumer.source->threads()->follow(pid, false));
    ASSERT_TRUE(consumer.source->targets()->go());
    EXPECT_EQ(await_mapped(consumer, target()).waiting, pid) << how;
    if (std::string(how) == "kill") kill(static_cast<pid_t>(pid), SIGKILL);
    if (std::string(how) == "detach") {
      ASSERT_TRUE(consumer.source->targets()->detach(pid));
      continue;
    }
    while (consumer.source->threads()->acknowledge(pid)) continue;
    while (!consumer.all_gone) {
      ASSERT_TRUE(consumer.events());
      for (const SourceEvent& event : std::exchange(consumer.seen, {})) {
        if (std::holds_alternative<FileMapped>(event)) (void)consumer.source->threads()->acknowledge(pid).has_value();
      }
      usleep(1000);
    }
    EXPECT_EQ(consumer.status[pid], std::string(how) == "kill" ? 9u : 7u << 8) << how;
  }
}

TEST(User, WhoIsNotTracedIsNotFollowed) {
  Consumer consumer;
  EXPECT_EQ(consumer.source->threads()->follow(1, false).error().code(), ESRCH);
  EXPECT_EQ(consumer.source->threads()->acknowledge(1).error().code(), ESRCH);
}

TEST(User, ForkedChildrenFireWhereTheTapCoversThem) {
  Consumer consumer;
  consumer.enable(1, Dif().argument(0));
  consumer.tap_function(1, SONDE_TAP_USER_ENTRY, target(), "work");
  consumer.spawn({target(), "forkwork", "0", "100"});
  consumer.run();
  EXPECT_EQ(consumer.count(1), 200u);

  Consumer one;
  one.enable(1, Dif().argument(0));
  const uint32_t pid = one.spawn({target(), "forkwork", "0", "100"});
  one.tap_function(1, SONDE_TAP_USER_ENTRY, target(), "work", pid);
  one.run();
  EXPECT_EQ(one.count(1), 100u);
  EXPECT_EQ(one.status[pid], 0u);
}

TEST(User, VforkAndExec) {
  Consumer consumer;
  consumer.enable(1, Dif().argument(0));
  const uint32_t pid = consumer.spawn({target(), "vforks", "0", "5"});
  consumer.tap_function(1, SONDE_TAP_USER_ENTRY, target(), "work");
  consumer.run();
  EXPECT_EQ(consumer.status[pid], 0u);
  EXPECT_EQ(consumer.count(1), 55u);
}

TEST(User, DisarmWhileItRuns) {
  Consumer consumer;
  consumer.enable(1, Dif().argument(0));
  const uint32_t pid = consumer.spawn({target(), "loop", "6000"});
  ASSERT_TRUE(consumer.source->targets()->run_to_entry(pid));
  ASSERT_TRUE(consumer.source->targets()->go());
  std::vector<Tap> taps = taps_on(1, SONDE_TAP_USER_ENTRY, target(), "work");
  for (Tap& tap : taps_on(1, SONDE_TAP_USER_RETURN, target(), "work")) taps.push_back(std::move(tap));
  std::vector<TapId> ids;
  for (Tap& tap : taps) ids.push_back(tap.id = TapId{100 + static_cast<uint32_t>(ids.size())});
  for (uint32_t round = 0; round < 40; round++) {
    ASSERT_TRUE(consumer.source->arm(taps));
    const size_t before = consumer.count(1);
    consumer.wait_for_records(consumer.records.size() + 20);
    EXPECT_GE(consumer.count(1), before + 20);
    for (const Tap& tap : taps) EXPECT_EQ(byte_of(pid, target(), tap.offset), 0xcc) << "no breakpoint";
    ASSERT_TRUE(consumer.source->disarm(ids));
    for (const Tap& tap : taps) EXPECT_NE(byte_of(pid, target(), tap.offset), 0xcc) << "a breakpoint stays";
    consumer.drain(true);
    const size_t count = consumer.count(1);
    usleep(2000);
    consumer.drain(true);
    EXPECT_EQ(consumer.count(1), count);
  }
  kill(static_cast<pid_t>(pid), SIGUSR2);
  consumer.run();
  EXPECT_EQ(consumer.status[pid], static_cast<uint64_t>(42 << 8));
}

TEST(User, AttachDetachWithBreakpoints) {
  const pid_t child = start_loop("6000");
  for (int round = 0; round < 10; round++) {
    Consumer consumer;
    consumer.enable(1, Dif().argument(0));
    auto attached = consumer.source->targets()->attach(static_cast<uint32_t>(child));
    ASSERT_TRUE(attached) << attached.error().message();
    consumer.tap_function(1, SONDE_TAP_USER_ENTRY, target(), "work");
    consumer.tap_function(1, SONDE_TAP_USER_RETURN, target(), "work");
    ASSERT_TRUE(consumer.source->targets()->go());
    for (int wait = 0; wait < 1000 && consumer.count(1) <= 20; wait++) {
      usleep(20000);
      consumer.drain(true);
    }
    if (round % 2) {
      ASSERT_TRUE(consumer.source->targets()->detach(static_cast<uint32_t>(child)));
    }
    consumer.drain(true);
    EXPECT_GT(consumer.count(1), 20u);
  }
  int status = 0;
  kill(child, SIGUSR2);
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

}  // namespace
}  // namespace sonde::test
