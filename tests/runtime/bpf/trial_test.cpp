// SPDX-License-Identifier: GPL-3.0-or-later
// A mechanism that lies is found. The liars here do not use the kernel: they write a jump over the instruction, to code that
// counts the hit, keeps the registers, and comes back; each liar but the honest one does one thing wrong.
#include "runtime/bpf/trial.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <thread>

#include "runtime/bpf/trials.h"

namespace sonde::bpf {
namespace {

constexpr size_t kRaw = 32;  ///< hits of a site that are counted at most

struct Lie {
  const char* name;
  const char* found;                 ///< what the trial says; "": nothing
  std::vector<uint8_t> behind = {};  ///< code that runs when all registers are as they were
  std::function<uint64_t(uint64_t)> count = [](uint64_t hits) { return hits; };
  uint64_t address_off = 0;
  bool swaps_cookies = false, never_arms = false, never_restores = false, restores_late = false;
};

class Liar final : public TrialMechanism {
 public:
  explicit Liar(const Lie& lie) : lie_(lie) {
    void* memory = mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory_ = static_cast<Memory*>(memory);
  }
  ~Liar() override {
    if (later_.joinable()) later_.join();
    munmap(memory_, sizeof(Memory));
  }

  Result<void> arm(const TrialPages& pages) override {
    pages_ = &pages;
    for (uint64_t hits = 0; hits < kRaw; hits++) memory_->counts[hits] = lie_.count(hits);
    for (uint32_t n = 0; n < kTrialVariants && !lie_.never_arms; n++) {
      const std::vector<uint8_t> code = detour(pages, n);
      write(pages.function(n) + kDetour, code);
      kept_[n].assign(pages.at(0) + pages.site(n), pages.at(0) + pages.site(n) + kJumpBytes);
      write(pages.site(n), jump(pages.site(n), pages.function(n) + kDetour));
    }
    return {};
  }
  const volatile TrialHit* hits() const override { return memory_->hits; }
  void disarm() override {
    if (lie_.never_restores) return;
    if (!lie_.restores_late) return restore();
    later_ = std::thread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      restore();
    });
  }

 private:
  static constexpr size_t kJumpBytes = 5, kDetour = 600;
  struct Memory {
    TrialHit hits[kTrialVariants];
    uint64_t raw[kTrialVariants], accumulator, stack;
    uint64_t counts[kRaw];
  };

  void restore() {
    for (uint32_t n = 0; n < kTrialVariants && !kept_[n].empty(); n++) write(pages_->site(n), kept_[n]);
  }
  void write(size_t at, const std::vector<uint8_t>& bytes) {
    ASSERT_EQ(pwrite(pages_->fd(), bytes.data(), bytes.size(), static_cast<off_t>(at)),
              static_cast<ssize_t>(bytes.size()));
  }
  static std::vector<uint8_t> jump(size_t from, size_t to) {
    std::vector<uint8_t> code = {0xe9, 0, 0, 0, 0};
    const auto distance = static_cast<int32_t>(static_cast<int64_t>(to) - static_cast<int64_t>(from + kJumpBytes));
    std::memcpy(&code[1], &distance, sizeof distance);
    return code;
  }

  /// As the kernel does: the registers go to a stack of its own, which is the struct pt_regs of the hit.
  std::vector<uint8_t> detour(const TrialPages& pages, uint32_t n) {
    const uint32_t cookie = lie_.swaps_cookies ? (n + 1) % kTrialVariants : n;
    TrialHit& hit = memory_->hits[cookie];
    std::vector<uint8_t> code;
    const auto add = [&code](std::initializer_list<uint8_t> bytes) { code.insert(code.end(), bytes); };
    const auto add_address = [&code](const void* to) {
      const auto address = reinterpret_cast<uintptr_t>(to);
      const auto* bytes = reinterpret_cast<const uint8_t*>(&address);
      code.insert(code.end(), bytes, bytes + sizeof address);
    };
    const auto absolute = [&](std::initializer_list<uint8_t> op, const void* to) { add(op), add_address(to); };
    absolute({0x48, 0xa3}, &memory_->accumulator);  // mov %rax, accumulator
    add({0x48, 0x89, 0xe0});                        // mov %rsp, %rax
    absolute({0x48, 0xa3}, &memory_->stack);
    absolute({0x48, 0xbc}, &hit + 1);  // mov $..., %rsp
    add({0x50, 0x50, 0x9c, 0x50});     // ss (anything), rsp, flags, cs (anything)
    add({0x48, 0x8d, 0x05});           // lea site(%rip), %rax
    const auto distance = static_cast<int32_t>(static_cast<int64_t>(pages.site(n) + lie_.address_off) -
                                               static_cast<int64_t>(pages.function(n) + kDetour + code.size() + 4));
    const auto* bytes = reinterpret_cast<const uint8_t*>(&distance);
    code.insert(code.end(), bytes, bytes + sizeof distance);
    add({0x50, 0x50});                              // rip, orig_rax (anything)
    absolute({0x48, 0xa1}, &memory_->accumulator);  // rax again
    add({0x57, 0x56, 0x52, 0x51, 0x50, 0x41, 0x50, 0x41, 0x51, 0x41, 0x52, 0x41, 0x53, 0x53, 0x55});
    add({0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57});  // di si dx cx ax r8 r9 r10 r11 bx bp r12 r13 r14 r15
    absolute({0x48, 0xb8}, &memory_->raw[n]);
    add({0x48, 0x8b, 0x08, 0x48, 0xff, 0xc1, 0x48, 0x89, 0x08});  // rcx = ++raw
    absolute({0x48, 0xba}, memory_->counts);
    add({0x48, 0x8b, 0x0c, 0xca});  // rcx = counts[rcx]
    absolute({0x48, 0xb8}, &hit.count);
    add({0x48, 0x89, 0x08});
    add({0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0x41, 0x5b, 0x41, 0x5a});
    add({0x41, 0x59, 0x41, 0x58, 0x58, 0x59, 0x5a, 0x5e, 0x5f});
    add({0x48, 0x8d, 0x64, 0x24, 0x18, 0x9d});  // over orig_rax, rip, cs; flags
    absolute({0x48, 0xa1}, &memory_->stack);
    add({0x48, 0x89, 0xc4});  // mov %rax, %rsp
    absolute({0x48, 0xa1}, &memory_->accumulator);
    code.insert(code.end(), lie_.behind.begin(), lie_.behind.end());
    const std::vector<uint8_t> back = jump(pages.function(n) + kDetour + code.size(), pages.behind(n));
    code.insert(code.end(), back.begin(), back.end());
    EXPECT_LT(code.size(), 1024 - kDetour);
    return code;
  }

  const Lie& lie_;
  const TrialPages* pages_ = nullptr;
  Memory* memory_ = nullptr;
  std::array<std::vector<uint8_t>, kTrialVariants> kept_;
  std::thread later_;
};

const Lie kLies[] = {
    {"honest", ""},
    {"wrong register", "it changes registers", {0x4d, 0x8d, 0x6d, 0x01}},                         // lea 1(%r13), %r13
    {"wrong flag", "it changes flags", {0xf5}},                                                   // cmc
    {"red zone", "it writes over the red zone", {0x48, 0xc7, 0x44, 0x24, 0xf8, 0, 0, 0, 0}},      // -8(%rsp)
    {"far red zone", "it writes over the red zone", {0x48, 0xc7, 0x44, 0x24, 0x80, 1, 0, 0, 0}},  // -128(%rsp)
    {"vector", "it changes vector registers", {0x66, 0x45, 0x0f, 0xef, 0xc9}},                    // pxor %xmm9, %xmm9
    {"lost hit", "it loses hits, or counts them late", {}, [](uint64_t hits) { return hits < 9 ? hits : hits - 1; }},
    {"late hit", "it loses hits, or counts them late", {}, [](uint64_t hits) { return hits == 4 ? hits - 1 : hits; }},
    {"hit twice", "it counts hits twice", {}, [](uint64_t hits) { return hits == 6 ? hits + 1 : hits; }},
    {"always twice", "it counts hits twice", {}, [](uint64_t hits) { return 2 * hits; }},
    {"wrong address", "it reports another address", {}, [](uint64_t hits) { return hits; }, 1},
    {"cookie mixed up", "it mixes cookies up", {}, [](uint64_t hits) { return hits; }, 0, true},
    {"accepted and never armed",
     "it accepts probes that never fire",
     {},
     [](uint64_t hits) { return hits; },
     0,
     false,
     true},
    {"site not restored",
     "it does not restore the code when it is taken away",
     {},
     [](uint64_t hits) { return hits; },
     0,
     false,
     false,
     true},
    {"kills", "it kills a program by signal 4", {0x0f, 0x0b}},
    {"hangs", "it makes a program hang", {0xeb, 0xfe}},
};

TEST(Trial, FindsEachLie) {
  for (const Lie& lie : kLies) {
    Trial trial;
    auto right = trial.run(UprobeForm::LongNop, std::make_unique<Liar>(lie));
    std::string found = right ? "" : right.error().message();
    auto gone = trial.settle();
    if (found.empty() && !gone) found = gone.error().message();
    EXPECT_EQ(found, lie.found) << lie.name;
  }
}

/// A child that has yet to execute its program holds the probes for a moment.
TEST(Trial, WaitsForCodeThatIsRestoredLate) {
  Lie late{"restored late", ""};
  late.restores_late = true;
  Trial trial;
  EXPECT_TRUE(trial.run(UprobeForm::LongNop, std::make_unique<Liar>(late)));
  auto gone = trial.settle();
  EXPECT_TRUE(gone) << gone.error().message();
}

/// A lie that changes one register, for each register.
TEST(Trial, FindsEachRegister) {
  for (uint8_t number = 0; number < 16; number++) {
    if (number == 4) continue;  // the stack pointer
    const auto high = static_cast<uint8_t>(number >> 3), low = static_cast<uint8_t>(number & 7);
    // lea 1(reg), reg
    Lie lie{"register",
            "it changes registers",
            {static_cast<uint8_t>(0x48 | high << 2 | high), 0x8d, static_cast<uint8_t>(0x40 | low << 3 | low), 1}};
    if (low == 4) lie.behind = {0x4d, 0x8d, 0x64, 0x24, 1};  // r12 has a byte more
    Trial trial;
    auto right = trial.run(UprobeForm::LongNop, std::make_unique<Liar>(lie));
    EXPECT_EQ(right ? "" : right.error().message(), lie.found) << int{number};
    EXPECT_TRUE(trial.settle());
  }
}

bool may_load(std::string& why) {
  Trials trials("");
  auto right = trials.uprobe(UprobeForm::Push, UprobeLink::Many);
  if (right || right.error().code() == EOPNOTSUPP) return true;
  why = right.error().message();
  return false;
}

/// Links came with Linux 6.6.
UprobeLink best_link() { return has_uprobe_links() ? UprobeLink::Many : UprobeLink::One; }

/// Of each form the kernel is right, or the form is refused. On the kernels that we know a push is right.
TEST(Trial, TriesTheKernel) {
  std::string why;
  if (!may_load(why)) GTEST_SKIP() << "this kernel takes no programs: " << why;
  Trials trials("");
  EXPECT_TRUE(trials.uprobe(UprobeForm::Push, best_link()));
  EXPECT_TRUE(trials.uprobe(UprobeForm::Return, best_link()));
  EXPECT_TRUE(trials.uprobe(UprobeForm::Stepped, best_link()));
  EXPECT_TRUE(trials.uprobe(UprobeForm::Nop, best_link()));
  EXPECT_TRUE(trials.uprobe(UprobeForm::Branch, best_link()));
  const auto barred = trials.uprobe(UprobeForm::Barred, best_link());
  EXPECT_FALSE(barred);
  EXPECT_EQ(trials.made(), 5u);
  EXPECT_TRUE(trials.uprobe(UprobeForm::Push, best_link()));
  EXPECT_EQ(trials.made(), 5u);
}

/// Tracepoints and the clock have their answers there, too.
TEST(Trial, TriesTracepointsAndTheClock) {
  std::string why;
  if (!may_load(why)) GTEST_SKIP() << "this kernel takes no programs: " << why;
  Trials trials("");
  for (int round = 0; round < 2; round++) {
    EXPECT_TRUE(trials.tracepoint(Hook::Enter));
    EXPECT_TRUE(trials.tracepoint(Hook::Exit));
    EXPECT_TRUE(trials.tracepoint(Hook::Exec)) << "which nothing tries";
    EXPECT_TRUE(trials.clock());
    EXPECT_EQ(trials.made(), 3u);
  }
}

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/sonde-trials-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() {
    unlink((path + "/trials").c_str());
    rmdir(path.c_str());
  }
  std::string path;
};

TEST(Trials, RemembersWhatItFound) {
  std::string why;
  if (!may_load(why)) GTEST_SKIP() << "this kernel takes no programs: " << why;
  if (geteuid() != 0) GTEST_SKIP() << "only root's folder is trusted";
  const Folder folder;
  const std::string push =
      best_link() == UprobeLink::Many ? "a uprobe on a push" : "a uprobe on a push, by a perf event";
  {
    Trials first(folder.path);
    EXPECT_TRUE(first.uprobe(UprobeForm::Push, best_link()));
    EXPECT_EQ(first.made(), 1u);
  }
  {
    Trials second(folder.path);
    EXPECT_TRUE(second.uprobe(UprobeForm::Push, best_link()));
    EXPECT_EQ(second.made(), 0u);
  }
  std::ifstream file(folder.path + "/trials");
  std::string head, line;
  std::getline(file, head);
  std::getline(file, line);
  EXPECT_EQ(line, "right " + push);
  {
    std::ofstream other(folder.path + "/trials");
    other << head << "\nwrong " << push << ": it changes flags\n";
  }
  {
    Trials third(folder.path);
    const auto right = third.uprobe(UprobeForm::Push, best_link());
    ASSERT_FALSE(right);
    EXPECT_EQ(right.error().message(), "it changes flags");
  }
  {
    std::ofstream other(folder.path + "/trials");
    other << "boot of another day\nwrong " << push << ": it changes flags\n";
  }
  {
    Trials fourth(folder.path);
    EXPECT_TRUE(fourth.uprobe(UprobeForm::Push, best_link()));
    EXPECT_EQ(fourth.made(), 1u);
  }
  chmod(folder.path.c_str(), 0777);
  Trials fifth(folder.path);
  EXPECT_TRUE(fifth.uprobe(UprobeForm::Push, best_link()));
  EXPECT_EQ(fifth.made(), 1u);
}

TEST(UprobeForm, IsThatOfTheInstruction) {
  const struct {
    std::vector<uint8_t> text;
    UprobeForm form;
  } rows[] = {
      {{0x55}, UprobeForm::Push},
      {{0x41, 0x57}, UprobeForm::Push},
      {{0xc3}, UprobeForm::Return},
      {{0xf3, 0xc3}, UprobeForm::Return},
      {{0xc2, 8, 0}, UprobeForm::Return},
      {{0x90}, UprobeForm::Nop},
      {{0xe9, 0, 0, 0, 0}, UprobeForm::Branch},
      {{0x74, 2}, UprobeForm::Branch},
      {{0x0f, 0x85, 0, 0, 0, 0}, UprobeForm::Branch},
      {{0xff, 0xe0}, UprobeForm::Stepped},
      {{0x0f, 0x1f, 0x44, 0, 0}, UprobeForm::LongNop},
      {{0x66, 0x0f, 0x1f, 0x40, 0}, UprobeForm::LongNop},
      {{0x66, 0x66, 0x66, 0x66, 0x90}, UprobeForm::LongNop},
      {{0x0f, 0x1f, 0x40, 0}, UprobeForm::Stepped},
      {{0x0f, 0x1f, 0x80, 0, 0, 0, 0}, UprobeForm::Stepped},
      {{0xf3, 0x0f, 0x1e, 0xfa}, UprobeForm::Stepped},
      {{0x48, 0x83, 0xec, 8}, UprobeForm::Stepped},
      {{0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0}, UprobeForm::Barred},
      {{0x3e, 0xff, 0xe0}, UprobeForm::Barred},
      {{0xf0, 0x48, 0x0f, 0xc1}, UprobeForm::Barred},
  };
  for (const auto& row : rows)
    EXPECT_EQ(name_of(uprobe_form(row.text)), std::string(name_of(row.form))) << int{row.text[0]};
}

}  // namespace
}  // namespace sonde::bpf
