// SPDX-License-Identifier: GPL-3.0-or-later
// A run on a source that only delivers the events of the test.
#include "runtime/session/tracing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include "providers/registry.h"
#include "tests/runtime/consumer/records.h"

namespace sonde {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Delivers its events one by one; an Error among them ends the source.
class TellingSource : public sonde::testing::QuietSource {
 public:
  int event_fd() const override { return ready_.get(); }
  Result<std::optional<SourceEvent>> next_event() override {
    if (events.empty()) return std::optional<SourceEvent>();
    Result<std::optional<SourceEvent>> next = std::move(events.front());
    events.pop_front();
    return next;
  }
  Result<void> acknowledge(uint32_t tid) override {
    seen_threads.push_back(tid);
    return {};
  }
  std::deque<Result<std::optional<SourceEvent>>> events;
  std::vector<uint32_t> seen_threads;

 private:
  UniqueFd ready_{::eventfd(1, EFD_CLOEXEC)};
};

class TracingTest : public ::testing::Test {
 protected:
  TracingTest() {
    auto source = std::make_unique<TellingSource>();
    source_ = source.get();
    opened_.source = std::move(source);
    framework_ = std::make_unique<Framework>(source_);
    register_providers();
    targets_ = std::make_unique<Targets>(source_, *framework_, options_, output_);
    tracing_ = std::make_unique<Tracing>(opened_, *framework_, program_, *targets_, options_, output_);
  }
  ~TracingTest() override {
    tracing_.reset();
    unregister_providers();
  }
  void say(SourceEvent event) { source_->events.emplace_back(std::optional<SourceEvent>(std::move(event))); }
  /// Turns until the source has delivered everything, and some turns more.
  void run() {
    int more = 3;
    tracing_->run([this, &more] { return source_->events.empty() && more-- == 0; });
  }

  Options options_;
  sonde::testing::TextOutput output_;
  OpenedSource opened_;
  TellingSource* source_;
  std::unique_ptr<Framework> framework_;
  BodyProgram program_;
  std::unique_ptr<Targets> targets_;
  std::unique_ptr<Tracing> tracing_;
};

TEST_F(TracingTest, ItsEndsAreSaid) {
  ASSERT_TRUE(tracing_->start({}, ""));
  std::vector<std::pair<uint32_t, int>> ended;
  targets_->on_end = [&](uint32_t pid, int status) { ended.emplace_back(pid, status); };
  say(TargetGone{7, 0x100});
  say(Notice{"the source says so"});
  run();
  EXPECT_THAT(ended, ElementsAre(std::pair(7u, 0x100)));
  EXPECT_THAT(output_.messages, ElementsAre("the source says so"));
  EXPECT_EQ(tracing_->exit_status(), 0);
}

TEST_F(TracingTest, AThreadThatHasMappedAFileGoesOnWhenTheFileWasLookedAt) {
  ASSERT_TRUE(tracing_->start({}, ""));
  FileMapped file;
  file.mapping.pid = 7;
  file.mapping.path = "/nowhere/libx.so";
  file.waiting = 9;
  say(file);
  file.waiting = 0;
  say(file);
  run();
  EXPECT_THAT(source_->seen_threads, ElementsAre(9u));
}

TEST_F(TracingTest, ASourceThatIsGoneEndsTheRunWithItsMessage) {
  ASSERT_TRUE(tracing_->start({}, ""));
  source_->events.emplace_back(Error("the guard has died", EPIPE));
  say(Notice{"never read"});
  tracing_->run([] { return false; });
  EXPECT_THAT(output_.messages, ElementsAre("the guard has died"));
  EXPECT_EQ(tracing_->exit_status(), 1);
  tracing_->finish();
}

TEST_F(TracingTest, ProcessesThatAreNotThereAreRefusedByNumber) {
  const auto refused = targets_->note_attached({0x7ffffffe});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("no process has the number 2147483646"));
  const uint32_t named[] = {0x7ffffffe};
  targets_->note_named(named);
  EXPECT_TRUE(targets_->noted().empty());
}

}  // namespace
}  // namespace sonde
