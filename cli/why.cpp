// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/why.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <utility>

#include "cli/session.h"
#include "runtime/source/capabilities.h"
#include "runtime/waits/waits.h"

namespace sonde {
namespace {

constexpr int kDeadlock = 3;
constexpr size_t kMostFrames = 16, kMostKernelFrames = 4;

/// What a futex without a known owner is, by a function on the stack of who waits for it.
struct WaitingFunction {
  std::string_view function, sentence;
};
constexpr auto kWaitingFunctions = std::to_array<WaitingFunction>({
    {"`PyThread_acquire_lock", "locks of Python record no owner"},
    {"`runtime.futex", "Go's runtime parks its threads so, and records no owner"},
    {"libjvm.so`", "Java's runtime parks its threads so, and records no owner"},
    {"`std::sys::", "locks of Rust record no owner"},
    {"`pthread_cond_", "a condition variable has no owner"},
    {"`__new_sem_wait", "a semaphore has no owner"},
    {"`sem_", "a semaphore has no owner"},
    {"`pthread_barrier_wait", "a barrier has no owner"},
    {"`pthread_rwlock_", "readers hold it, and it only counts them"},
    {"`pthread_mutex_", "this mutex records no owner"},
    {"`__lll_lock_wait", "this lock records no owner"},
});

std::string_view what_futex_is(std::string_view stack) {
  const auto row = std::ranges::find_if(
      kWaitingFunctions, [&](const WaitingFunction& one) { return stack.find(one.function) != stack.npos; });
  return row == kWaitingFunctions.end() ? std::string_view() : row->sentence;
}

/// The first lines of a stack.
std::string top_of(const std::string& stack) {
  size_t end = 0, lines = 0;
  for (; lines < kMostFrames && end != std::string::npos && end < stack.size(); lines++) {
    end = stack.find('\n', end);
    if (end != std::string::npos) end++;
  }
  if (end == std::string::npos || end >= stack.size()) return stack;
  const auto more = std::count(stack.begin() + static_cast<std::ptrdiff_t>(end), stack.end(), '\n');
  const std::string indent = stack.substr(0, stack.find_first_not_of(' '));
  return stack.substr(0, end) + indent + "(and " + std::to_string(more) + " more)\n";
}

/// The guard attaches to processes when their first stack is asked for.
class Stacks {
 public:
  Stacks(Options& options, FileOutput& output) : indent_(options.number("stackindent"), ' ') {
    if (auto done = options.set("source", std::string(kPtraceRow.name), false, false); !done)
      why_not_ = done.error().message();
    auto session = Session::create(options, output, true, false);
    if (!session) {
      why_not_ = session.error().message();
      return;
    }
    session_ = std::move(*session);
    if (auto done = session_->start({}); !done) why_not_ = done.error().message();
  }

  std::string of(const ThreadFacts& thread) {
    const auto [attached, is_new] = attached_.try_emplace(thread.pid);
    if (is_new) attached_[thread.pid] = attach(thread.pid);
    return attached->second.empty() ? top_of(session_->stack_of_sleeper(thread.pid, thread.tid, counter_of(thread)))
                                    : indent_ + "(no stack: " + attached->second + ")\n";
  }

 private:
  /// Where its program sleeps: the last word of what /proc says of the call.
  static uint64_t counter_of(const ThreadFacts& thread) {
    return std::strtoull(thread.call_line.substr(thread.call_line.rfind(' ') + 1).c_str(), nullptr, 16);
  }

  std::string attach(uint32_t pid) {
    if (!why_not_.empty()) return why_not_;
    auto done = session_->tracing().attach_target(pid);
    return done ? "" : done.error().message();
  }

  std::string indent_, why_not_;
  std::unique_ptr<Session> session_;
  std::map<uint32_t, std::string> attached_;  ///< why there is none of a process; empty: there is
};

class Report {
 public:
  Report(WaitPicture& picture, Stacks& stacks) : picture_(picture), stacks_(stacks), judged_(judge(picture.waits)) {}

  std::string text() {
    std::string text;
    for (const std::vector<uint32_t>& members : judged_.deadlocks)
      text +=
          section(members.size() == 1 ? "deadlock: a thread waits for itself"
                                      : "deadlock: " + std::to_string(members.size()) + " threads wait for each other",
                  members);
    text += section("no end in sight: these wait for a deadlock, or for what nobody can give", stuck());
    text += section(text.empty() ? no_deadlock() : "the others", others());
    return text;
  }

  int status() const { return judged_.deadlocks.empty() ? 0 : kDeadlock; }

 private:
  std::string no_deadlock() const {
    const bool all_known =
        std::ranges::none_of(picture_.waits, [](const auto& one) { return one.second.unknown_owner; });
    return all_known ? "no deadlock" : "no deadlock, as far as it is known who waits for whom";
  }

  bool is_told(uint32_t tid) const {
    return std::ranges::any_of(judged_.deadlocks, [&](const std::vector<uint32_t>& members) {
      return std::ranges::find(members, tid) != members.end();
    });
  }

  std::vector<uint32_t> stuck() const {
    std::vector<uint32_t> found;
    for (const LookedAt& one : picture_.threads)
      if (judged_.stuck.contains(one.tid) && !is_told(one.tid)) found.push_back(one.tid);
    return found;
  }

  std::vector<uint32_t> others() const {
    std::vector<uint32_t> found;
    for (const LookedAt& one : picture_.threads)
      if (!judged_.stuck.contains(one.tid)) found.push_back(one.tid);
    return found;
  }

  std::string section(const std::string& title, const std::vector<uint32_t>& threads) {
    std::string text = threads.empty() ? "" : title + "\n";
    for (uint32_t tid : threads) text += entry(*picture_.facts.known_thread(tid));
    return text;
  }

  std::string entry(const ThreadFacts& thread) {
    std::string line = "  " + picture_.facts.name_of(thread.pid, thread.tid, 0) + " ";
    const auto wait = picture_.waits.find(thread.tid);
    if (wait == picture_.waits.end())
      return line + (picture_.moved.contains(thread.tid) ? "goes on: it has run while it was looked at\n"
                                                         : "runs: it waits for nobody\n");
    const std::string stack = kernel_stack(thread) + stacks_.of(thread);
    return line + sentence(wait->second, stack) + "\n" + stack;
  }

  static std::string sentence(const Wait& wait, const std::string& stack) {
    const std::string nature =
        wait.unknown_owner && wait.nature.empty() ? std::string(what_futex_is(stack)) : wait.nature;
    return wait.text + (nature.empty() ? "" : ": " + nature) + (wait.timed ? "; the wait has a time-out" : "");
  }

  /// Where the call sleeps: the frames below that are the way of every call.
  static std::string kernel_stack(const ThreadFacts& thread) {
    std::string text;
    for (size_t i = 0; i < std::min(thread.kernel_stack.size(), kMostKernelFrames); i++)
      text += (i == 0 ? "              kernel: " : ", ") + thread.kernel_stack[i];
    return text + (text.empty() ? "" : "\n");
  }

  WaitPicture& picture_;
  Stacks& stacks_;
  Judgement judged_;
};

bool is_deadlocked(const WaitPicture& picture) { return !judge(picture.waits).deadlocks.empty(); }

bool somebody_runs(const WaitPicture& picture) {
  return std::ranges::any_of(picture.threads, [&](const LookedAt& one) { return !picture.waits.contains(one.tid); });
}

/// A thread that was stopped for its stack a moment ago, by us or another, is on its way back into its wait: where
/// somebody runs and nobody is stuck, a second and a third look tell.
Result<WaitPicture> look_until_settled(std::span<const uint32_t> pids) {
  constexpr int kLooks = 3;
  constexpr timespec kPause{0, 10'000'000};
  auto picture = look_at_waits(pids);
  for (int looks = 1; looks < kLooks && picture && !is_deadlocked(*picture) && somebody_runs(*picture); looks++) {
    nanosleep(&kPause, nullptr);
    picture = look_at_waits(pids);
  }
  return picture;
}

}  // namespace

Result<int> show_waits(const Arguments& arguments, Options& options, FileOutput& output) {
  auto picture = look_until_settled(arguments.pids);
  if (!picture) return std::move(picture).error();
  if (!arguments.output.empty()) {
    auto file = FileOutput::open_file(arguments.output);
    if (!file) return std::move(file).error();
    output.redirect(std::move(*file), arguments.output);
  }
  Stacks stacks(options, output);
  Report report(*picture, stacks);
  output.write(report.text());
  return report.status();
}

}  // namespace sonde
