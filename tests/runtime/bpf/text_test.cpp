// SPDX-License-Identifier: GPL-3.0-or-later
// Texts about the thread are what /proc says, and the programs of all events are ones that the kernel takes.
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/runtime/bpf/kernel_run.h"

namespace sonde::bpf {
namespace {

using test::insn;
using test::Program;

constexpr uint32_t kNumber = 39;
constexpr char kFault[] = "<fault>";

class Texts : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    kernel = Kernel::create(why);
    if (!kernel) GTEST_SKIP() << "this kernel takes no programs: " << why;
    before = std::filesystem::current_path();
    here = before / ("texts-" + std::to_string(getpid()));
    std::filesystem::create_directory(here);
  }
  void TearDown() override {
    if (here.empty()) return;
    std::filesystem::current_path(before);
    std::filesystem::remove_all(here);
  }

  /// The text, captured between two others, in this thread.
  std::string text(sonde_dif_text which, int operand = 0) {
    Program program;
    program.insns = {insn(SONDE_DIF_LI, 3, 0, 0, operand), insn(SONDE_DIF_CAPTEXT, 0, 3, 0, SONDE_DIF_TEXT_EXECNAME),
                     insn(SONDE_DIF_CAPTEXT, 1, 3, 0, which), insn(SONDE_DIF_CAPTEXT, 2, 3, 0, SONDE_DIF_TEXT_EXECNAME),
                     insn(SONDE_DIF_RECORD)};
    program.kinds = {SONDE_SLOT_TEXT, SONDE_SLOT_TEXT, SONDE_SLOT_TEXT};
    if (program.verify() != 0) return program.why;
    const Kernel::Run run = kernel->run(Hook::Enter, {&program.raw}, kNumber, kNumber, 0);
    if (!run.error.empty() || run.records.size() != 1) return "no record: " + run.error;
    const auto& record = *reinterpret_cast<const sonde_record*>(run.records[0].data());
    if (sonde_record_check(&record, record.size, program.kinds.data(), 3) != 0) return "ill-formed";
    const auto slot = [&](int n) {
      return std::string(reinterpret_cast<const char*>(&record) + SONDE_SPAN_OFFSET(record.slot[n]),
                         SONDE_SPAN_LENGTH(record.slot[n]));
    };
    if (slot(0) != slot(2)) return "its neighbours are broken";
    return (record.faults & 2) != 0 ? kFault : slot(1);
  }

  static std::string link(const char* path) {
    std::string found(5000, 0);
    const ssize_t length = readlink(path, found.data(), found.size());
    found.resize(length < 0 ? 0 : static_cast<size_t>(length));
    return found;
  }

  /// Goes to a directory of that name, below the one where we are.
  static void enter(const std::string& name) {
    mkdir(name.c_str(), 0700);
    ASSERT_EQ(chdir(name.c_str()), 0) << name;
  }

  std::unique_ptr<Kernel> kernel;
  std::filesystem::path before, here;
};

TEST_F(Texts, Arguments) {
  std::ifstream file("/proc/self/cmdline");
  std::string wanted((std::istreambuf_iterator<char>(file)), {});
  wanted.resize(std::min<size_t>(wanted.size(), 80));
  while (!wanted.empty() && wanted.back() == '\0') wanted.pop_back();
  for (char& c : wanted) c = c == '\0' ? ' ' : c;
  EXPECT_EQ(text(SONDE_DIF_TEXT_PSARGS), wanted);
}

/// Names of each length up to the longest, mounts, the root, and depths up to what is refused.
TEST_F(Texts, WorkingDirectory) {
  for (const char* place : {"/", "/proc", "/proc/self/fd", "/dev", "/sys/kernel", "/usr/share"}) {
    ASSERT_EQ(chdir(place), 0);
    EXPECT_EQ(text(SONDE_DIF_TEXT_CWD), link("/proc/self/cwd"));
  }
  for (const size_t length : {1, 7, 8, 9, 63, 64, 65, 254, 255}) {
    std::filesystem::current_path(here);
    enter(std::string(length, 'n'));
    EXPECT_EQ(text(SONDE_DIF_TEXT_CWD), link("/proc/self/cwd"));
  }
  std::filesystem::current_path(here);
  bool refused = false;
  for (int depth = 0; depth < 40; depth++) {
    enter("d" + std::to_string(depth));
    if (depth > 1 && depth < 20) continue;
    const std::string found = text(SONDE_DIF_TEXT_CWD);
    refused = refused || found == kFault;
    EXPECT_EQ(found, refused ? kFault : link("/proc/self/cwd"));
    EXPECT_FALSE(refused && depth < 21) << "refused at depth " << depth;
  }
  EXPECT_TRUE(refused) << "more steps than there are";
}

TEST_F(Texts, TooLongAPathIsAFault) {
  std::filesystem::current_path(here);
  for (int depth = 0; depth < 17; depth++) enter(std::string(255, 'x'));
  EXPECT_EQ(text(SONDE_DIF_TEXT_CWD), kFault);
}

TEST_F(Texts, DeletedDirectory) {
  std::filesystem::current_path(here);
  enter("gone");
  ASSERT_EQ(rmdir("../gone"), 0);
  EXPECT_EQ(text(SONDE_DIF_TEXT_CWD), link("/proc/self/cwd"));
  EXPECT_NE(text(SONDE_DIF_TEXT_CWD).find("gone (deleted)"), std::string::npos);
}

/// What /proc/self/fdinfo says of a descriptor.
std::string fact(int fd, const std::string& name) {
  std::ifstream file("/proc/self/fdinfo/" + std::to_string(fd));
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":\t")) return line.substr(name.size() + 2);
  return "";
}

/// The mount of that number: where it is, and its type.
std::pair<std::string, std::string> mount_of(const std::string& number) {
  std::ifstream file("/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(number + " ")) continue;
    std::istringstream words(line);
    std::string word, point, type;
    for (int n = 0; n < 5; n++) words >> point;
    while (words >> word && word != "-") {
    }
    words >> type;
    return {point, type};
  }
  return {};
}

/// All that is known of a descriptor is what /proc says of it, whatever kind it is.
TEST_F(Texts, Descriptors) {
  std::filesystem::current_path(here);
  std::vector<int> all = {open("/dev/zero", O_RDONLY),
                          open("/", O_RDONLY),
                          open("/proc/self/maps", O_RDONLY),
                          open("/dev/null", O_RDWR),
                          open("file", O_CREAT | O_RDWR | O_APPEND | O_CLOEXEC, 0600),
                          open("gone", O_CREAT | O_WRONLY | O_NONBLOCK, 0600)};
  ASSERT_EQ(unlink("gone"), 0);
  ASSERT_EQ(write(all[4], "0123456789", 10), 10);
  const int no_exec = dup(all[4]);
  all.push_back(no_exec);
  int two[2];
  ASSERT_EQ(pipe2(two, O_CLOEXEC), 0);
  all.insert(all.end(), two, two + 2);
  all.push_back(socket(AF_UNIX, SOCK_STREAM, 0));
  all.push_back(eventfd(0, 0));
  all.push_back(epoll_create1(0));
  all.push_back(memfd_create("a memory", 0));
  all.push_back(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
  all.push_back(open("/proc/self/ns/net", O_RDONLY));
  all.push_back(dup2(all[1], 400));
  for (const int fd : all) {
    ASSERT_GE(fd, 0);
    const std::string path = link(("/proc/self/fd/" + std::to_string(fd)).c_str());
    SCOPED_TRACE(path);
    EXPECT_EQ(text(SONDE_DIF_TEXT_FDPATH, fd), path);
    EXPECT_EQ(text(SONDE_DIF_TEXT_FDPOS, fd), fact(fd, "pos"));
    EXPECT_EQ(text(SONDE_DIF_TEXT_FDFLAGS, fd), std::to_string(std::stoll(fact(fd, "flags"), nullptr, 8)));
    const auto [point, type] = mount_of(fact(fd, "mnt_id"));
    EXPECT_EQ(text(SONDE_DIF_TEXT_FDMOUNT, fd), point);
    if (!type.empty()) EXPECT_EQ(text(SONDE_DIF_TEXT_FDFS, fd), type);
  }
  EXPECT_EQ(text(SONDE_DIF_TEXT_FDFS, two[0]), "pipefs");
  EXPECT_EQ(text(SONDE_DIF_TEXT_FDFS, all[9]), "sockfs");
  EXPECT_EQ(text(SONDE_DIF_TEXT_FDFS, all[10]), "anon_inodefs");
  for (const int fd : all)
    if (fd > 0) close(fd);
  for (const int fd : {-1, AT_FDCWD, no_exec, 399, 1 << 20}) {
    EXPECT_EQ(text(SONDE_DIF_TEXT_FDPATH, fd), "<none>");
    for (const auto which : {SONDE_DIF_TEXT_FDFS, SONDE_DIF_TEXT_FDMOUNT, SONDE_DIF_TEXT_FDPOS, SONDE_DIF_TEXT_FDFLAGS})
      EXPECT_EQ(text(which, fd), "");
  }
}

TEST_F(Texts, Program) { EXPECT_EQ(text(SONDE_DIF_TEXT_EXEPATH), link("/proc/self/exe")); }

TEST_F(Texts, RootDirectory) { EXPECT_EQ(text(SONDE_DIF_TEXT_ROOT), link("/proc/self/root")); }

/// Only an exec has a text.
TEST_F(Texts, NoTextOfAnEvent) { EXPECT_EQ(text(SONDE_DIF_TEXT_PROBE_TEXT), kFault); }

/// Each event, with all that a fire part can ask of it.
TEST_F(Texts, TheKernelTakesAllEvents) {
  Program program;
  for (unsigned n = 0; n < SONDE_DIF_ARGS; n++) {
    program.insns.push_back(insn(SONDE_DIF_ARG, n, 0, 0, static_cast<int>(n)));
    program.insns.push_back(insn(SONDE_DIF_CAPW, n, n));
    program.kinds.push_back(SONDE_SLOT_WORD);
  }
  for (const auto which : {SONDE_DIF_TEXT_EXECNAME, SONDE_DIF_TEXT_PSARGS, SONDE_DIF_TEXT_PROBE_TEXT}) {
    program.insns.push_back(insn(SONDE_DIF_CAPTEXT, static_cast<unsigned>(program.kinds.size()), 1, 0, which));
    program.kinds.push_back(SONDE_SLOT_TEXT);
  }
  program.insns.push_back(insn(SONDE_DIF_REG, 2, 0, 0, 16));
  program.insns.push_back(insn(SONDE_DIF_CAPW, static_cast<unsigned>(program.kinds.size()), 2));
  program.kinds.push_back(SONDE_SLOT_WORD);
  program.insns.push_back(insn(SONDE_DIF_RECORD));
  ASSERT_EQ(program.verify(), 0) << program.why;
  Program named;  // with the name of a signal's receiver
  named.insns = {insn(SONDE_DIF_ARG, 3, 0, 0, 3), insn(SONDE_DIF_CAPTEXT, 0, 3, 0, SONDE_DIF_TEXT_COMM),
                 insn(SONDE_DIF_RECORD)};
  named.kinds = {SONDE_SLOT_TEXT};
  ASSERT_EQ(named.verify(), 0) << named.why;
  for (uint32_t hook = 0; hook < kHookCount; hook++) {
    std::vector<Section> sections;
    for (const sonde_tap_kind kind : kHookRows[hook].kinds) {
      const bool receives = kind == SONDE_TAP_SIGNAL_SEND || kind == SONDE_TAP_SIGNAL_DISCARD;
      sections.push_back({kind,
                          kCalls + static_cast<uint32_t>(sections.size()),
                          {&program.raw, receives ? &named.raw : &program.raw}});
    }
    std::string error;
    for (const TracepointLink how : {TracepointLink::Raw, TracepointLink::Event}) {
      if (how == TracepointLink::Event && kHookRows[hook].event == nullptr) continue;
      kernel->link = how;
      auto loaded = kernel->load_sections(static_cast<Hook>(hook), sections, error);
      ASSERT_TRUE(loaded) << kHookRows[hook].tracepoint << ": " << error;
      auto link = attach_hook(static_cast<Hook>(hook), how, loaded->get());
      EXPECT_TRUE(link) << kHookRows[hook].tracepoint << ": it reads more than this tracepoint has, or "
                        << link.error().message();
    }
  }
}

}  // namespace
}  // namespace sonde::bpf
