// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/waits/holders.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "runtime/base/signal_bit.h"

namespace sonde {
namespace {

constexpr size_t kMostNames = 3;

/// Handlers of these run for what the thread itself does; the C library has two for itself.
constexpr uint64_t kOwnSignals = signal_bit(SIGSEGV) | signal_bit(SIGBUS) | signal_bit(SIGFPE) | signal_bit(SIGILL) |
                                 signal_bit(SIGTRAP) | signal_bit(SIGABRT) | signal_bit(SIGSYS) | signal_bit(32) |
                                 signal_bit(33);

std::vector<uint32_t> processes_of(const std::vector<HeldFile>& holders) {
  std::set<uint32_t> pids;
  for (const HeldFile& one : holders) pids.insert(one.pid);
  return {pids.begin(), pids.end()};
}

}  // namespace

Wait wait_outside(std::string text) { return {.text = std::move(text), .needs = {}, .may_end = true}; }

std::string names_of(Facts& facts, const std::vector<uint32_t>& pids, uint32_t self) {
  std::string text;
  for (size_t i = 0; i < pids.size() && i < kMostNames; i++)
    text += (i == 0                 ? ""
             : i + 1 == pids.size() ? " and "
                                    : ", ") +
            (pids[i] == self ? "itself" : facts.name_of_process(pids[i]));
  return text + (pids.size() > kMostNames ? " and " + std::to_string(pids.size() - kMostNames) + " more" : "");
}

Wait wait_for_holders(Facts& facts, const ThreadFacts& thread, const std::vector<HeldFile>& holders,
                      const std::string& text) {
  const std::vector<uint32_t> pids = processes_of(holders);
  Wait wait{.text = text + names_of(facts, pids, thread.pid), .needs = {{}}};
  for (uint32_t pid : pids)
    for (uint32_t tid : facts.living_threads_of(pid)) wait.needs.front().push_back(tid);
  if (wait.needs.front().empty()) return wait_outside(text + "nobody who can be seen");
  if (facts.may_be_inherited(holders)) {
    wait.may_end = true;
    wait.text += ", perhaps also by a process that cannot be looked into";
  }
  return wait;
}

Wait unless_handler_writes(Facts& facts, const ThreadFacts& thread, const std::vector<HeldFile>& holders, Wait wait) {
  const bool holds = std::ranges::find(holders, thread.pid, &HeldFile::pid) != holders.end();
  if (wait.may_end || !holds || (facts.process(thread.pid).caught & ~kOwnSignals) == 0) return wait;
  wait.may_end = true;
  wait.text += "; a signal handler of its own may end the wait";
  return wait;
}

bool has_handlers(Facts& facts, const ThreadFacts& thread) {
  return (facts.process(thread.pid).caught & ~kOwnSignals & ~signal_bit(SIGINT)) != 0;
}

}  // namespace sonde
