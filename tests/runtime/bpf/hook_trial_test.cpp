// SPDX-License-Identifier: GPL-3.0-or-later
// A tracepoint or a clock that lies is found. The liars here do not use the kernel: they know what has been made, and say it
// with one thing wrong.
#include "runtime/bpf/hook_trial.h"

#include <gtest/gtest.h>
#include <sys/utsname.h>
#include <time.h>

#include <cstdlib>
#include <functional>
#include <string_view>
#include <utility>

#include "runtime/bpf/trials.h"

namespace sonde::bpf {
namespace {

struct Lie {
  const char* name;
  const char* found;  ///< what the trial says; "": nothing
  std::function<void(HookHit&)> tell = [](HookHit&) {};
};

class TracepointLiar final : public HookMechanism {
 public:
  explicit TracepointLiar(const Lie& lie) : lie_(lie) {}
  Result<void> arm(const KnownEvent& known) override {
    known_ = &known;
    return {};
  }
  HookHit hit() override {
    HookHit hit{known_->made, {}};
    std::copy(known_->words.begin(), known_->words.end(), hit.words);
    lie_.tell(hit);
    return hit;
  }
  void disarm() override { disarmed = true; }

  bool disarmed = false;

 private:
  const Lie& lie_;
  const KnownEvent* known_ = nullptr;
};

void try_lies(Hook hook, std::initializer_list<Lie> lies) {
  for (const Lie& lie : lies) {
    TracepointLiar liar(lie);
    const auto right = try_hook(hook, liar);
    EXPECT_EQ(right ? "" : right.error().message(), lie.found) << lie.name;
    EXPECT_TRUE(liar.disarmed) << lie.name;
  }
}

/// Runs for one of so many events, and says so or not.
class TracepointMisser final : public HookMechanism {
 public:
  TracepointMisser(uint64_t each, bool says_so) : each_(each), says_so_(says_so) {}
  Result<void> arm(const KnownEvent& known) override {
    known_ = &known;
    return {};
  }
  /// Is asked once for each event that is made.
  HookHit hit() override {
    if (known_->made > 0 && ++asked_ % each_ != 0) {
      missed_ = true;
    } else if (known_->made > 0) {
      last_.count++;
      std::copy(known_->words.begin(), known_->words.end(), last_.words);
    }
    return last_;
  }
  bool missed() override { return std::exchange(missed_, false) && says_so_; }
  void disarm() override {}

 private:
  uint64_t each_, asked_ = 0;
  bool says_so_, missed_ = false;
  HookHit last_{};
  const KnownEvent* known_ = nullptr;
};

const Lie kHonest{"honest", ""};
const Lie kNever{"accepted and never armed", "it never fires", [](HookHit& hit) { hit.count = 0; }};
const Lie kLost{"lost hit", "it loses hits, or counts them late", [](HookHit& hit) { hit.count -= hit.count == 5; }};
const Lie kTwice{"hit twice", "it counts hits twice", [](HookHit& hit) { hit.count += hit.count == 4; }};

TEST(HookTrial, FindsEachLieOfEntries) {
  try_lies(Hook::Enter, {kHonest,
                         kNever,
                         kLost,
                         kTwice,
                         {"wrong call", "it reports another call", [](HookHit& hit) { hit.words[0]++; }},
                         {"wrong argument", "it reports another argument", [](HookHit& hit) { hit.words[1] ^= 1; }},
                         {"one wrong bit of the last", "it reports another argument", [](HookHit& hit) {
                            if (hit.count == 14) hit.words[6] ^= uint64_t{1} << 63;
                          }}});
}

TEST(HookTrial, FindsEachLieOfReturns) {
  try_lies(Hook::Exit, {kHonest,
                        kNever,
                        kLost,
                        kTwice,
                        {"wrong call", "it reports another call", [](HookHit& hit) { hit.words[0] = 0; }},
                        {"wrong error", "it reports another result", [](HookHit& hit) {
                           if (static_cast<int64_t>(hit.words[1]) < 0) hit.words[1] = UINT64_MAX;
                         }}});
}

/// What the kernel says it has left out is no lie: the event is made again.
TEST(HookTrial, MakesLeftOutEventsAgain) {
  for (const Hook hook : {Hook::Enter, Hook::Exit}) {
    TracepointMisser every_third(3, true), all(1u << 20, true), silent(3, false);
    const auto right = try_hook(hook, every_third);
    EXPECT_TRUE(right) << right.error().message();
    const auto unknown = try_hook(hook, all);
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code(), EBUSY) << "nothing is known of it";
    const auto wrong = try_hook(hook, silent);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code(), EOPNOTSUPP);
  }
}

/// The count of reasons not to preempt the CPU, as it is in a program: with others in its upper bytes.
class Preempted final : public HookMechanism {
 public:
  Preempted(uint64_t count, uint64_t first_seen) : count_(count), first_seen_(first_seen) {}
  Result<void> arm(const KnownEvent& known) override {
    known_ = &known;
    return {};
  }
  HookHit hit() override { return {known_->made >= first_seen_ ? 1u : 0u, {count_}}; }
  void disarm() override {}

 private:
  uint64_t count_, first_seen_;
  const KnownEvent* known_ = nullptr;
};

TEST(HookTrial, FindsWhoMayLoseItsCpu) {
  const auto said = [](uint64_t count, uint64_t first_seen) {
    Preempted mechanism(count, first_seen);
    const auto keeps = try_keeping_cpu(Hook::Enter, mechanism);
    return keeps ? 0 : keeps.error().code();
  };
  EXPECT_EQ(said(1, 1), 0);
  EXPECT_EQ(said(0x80000002, 20), 0) << "the kernel has left out the first ones";
  EXPECT_EQ(said(0, 1), EOPNOTSUPP);
  EXPECT_EQ(said(0x80000000, 1), EOPNOTSUPP) << "no thread need be preempted now";
  EXPECT_EQ(said(0, 1u << 20), EBUSY) << "nothing is known of it";
}

/// On a kernel of which we know it.
TEST(HookTrial, KnowsWhetherTheKernelKeepsTheCpu) {
  auto layout = KernelLayout::read();
  if (!layout) GTEST_SKIP() << "this kernel takes no programs: " << layout.error().message();
  utsname kernel{};
  ASSERT_EQ(uname(&kernel), 0);
  Trials trials("");
  for (const Hook hook : {Hook::Enter, Hook::Exit}) {
    const auto keeps = trials.keeping_cpu(hook, *layout);
    if (!keeps && keeps.error().code() != EOPNOTSUPP)
      GTEST_SKIP() << "this kernel takes no programs: " << keeps.error().message();
    const bool preempts = std::string_view(kernel.version).find("PREEMPT") != std::string_view::npos;
    EXPECT_EQ(bool(keeps), !preempts || std::strtol(kernel.release, nullptr, 10) < 7) << kernel.release;
  }
  EXPECT_EQ(trials.made(), 2u);
}

uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

/// Fires each time that is due, in the middle of the loop.
class ClockLiar final : public HookMechanism {
 public:
  explicit ClockLiar(const Lie& lie) : lie_(lie) {}
  Result<void> arm(const KnownEvent& known) override {
    known_ = &known;
    begun_ = now();
    while (now() - begun_ < 1'000'000) {  // as if another thread had run before arm() returns
    }
    return {};
  }
  HookHit hit() override {
    HookHit hit{(now() - begun_) / 100'000, {}};
    hit.words[0] = (known_->words[0] + known_->words[1]) / 2;
    hit.words[1] = known_->words[2] - 64;
    lie_.tell(hit);
    return hit;
  }
  void disarm() override {}

 private:
  const Lie& lie_;
  const KnownEvent* known_ = nullptr;
  uint64_t begun_ = 0;
};

TEST(HookTrial, FindsEachLieOfClocks) {
  const Lie lies[] = {
      kHonest,
      kNever,
      {"always twice", "it counts hits twice", [](HookHit& hit) { hit.count = 2 * hit.count + 4; }},
      {"wrong address", "it reports another address", [](HookHit& hit) { hit.words[0] += 4096; }},
      {"wrong stack", "it reports another stack pointer", [](HookHit& hit) { hit.words[1] += 65536; }},
  };
  for (const Lie& lie : lies) {
    ClockLiar liar(lie);
    const auto right = try_clock(liar);
    EXPECT_EQ(right ? "" : right.error().message(), lie.found) << lie.name;
  }
}

/// On the kernels that we know all of them are right.
TEST(HookTrial, TriesTheKernel) {
  for (const Hook hook : {Hook::Enter, Hook::Exit}) {
    ASSERT_TRUE(can_try(hook));
    for (const TracepointLink link : {TracepointLink::Raw, TracepointLink::Event}) {
      const auto right = try_hook(hook, *tracepoint_mechanism(hook, link));
      if (!right && right.error().code() != EOPNOTSUPP)
        GTEST_SKIP() << "this kernel takes no programs: " << right.error().message();
      EXPECT_TRUE(right) << right.error().message();
    }
  }
  const auto right = try_clock(*clock_mechanism());
  EXPECT_TRUE(right) << right.error().message();
  EXPECT_FALSE(can_try(Hook::Exec));
}

}  // namespace
}  // namespace sonde::bpf
