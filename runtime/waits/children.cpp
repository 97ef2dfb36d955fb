// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/waits/children.h"

#include <sys/wait.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/waits/holders.h"

namespace sonde {
namespace {

/// Living children; `number`: only the one with this number in its own pid namespace, or in ours; 0: all.
std::vector<uint32_t> children_of(Facts& facts, uint32_t pid, uint64_t number) {
  std::vector<uint32_t> found;
  for (const auto& [other, process] : facts.processes())
    if (process.parent == pid && (number == 0 || process.number == number || other == number) &&
        !facts.threads_of(other).empty())
      found.push_back(other);
  return found;
}

bool traces_others(Facts& facts, const ThreadFacts& thread) {
  return std::ranges::any_of(facts.processes(), [&](const auto& one) {
    const uint32_t tracer = one.second.tracer;
    return tracer != 0 && (tracer == thread.pid || facts.thread(thread.pid, tracer) != nullptr);
  });
}

Wait wait_for_children(Facts& facts, const ThreadFacts& thread, uint64_t number) {
  const std::vector<uint32_t> children = children_of(facts, thread.pid, number);
  if (traces_others(facts, thread)) return wait_outside("waits for what happens to the processes that it traces");
  if (children.empty()) return wait_outside("waits for a child, of which none is seen");
  Wait wait{.text = std::string("waits for the end of ") +
                    (children.size() == 1 ? "its child " : "any of its children ") +
                    names_of(facts, children, thread.pid),
            .needs = {{}}};
  for (uint32_t child : children)
    for (uint32_t tid : facts.living_threads_of(child)) wait.needs.front().push_back(tid);
  return wait;
}

}  // namespace

/// A process group is not looked up: any child may be in it.
Wait explain_wait4(Facts& facts, const ThreadFacts& thread) {
  const auto pid = static_cast<int32_t>(thread.arguments[0]);
  return wait_for_children(facts, thread, pid > 0 ? static_cast<uint64_t>(pid) : 0);
}

Wait explain_waitid(Facts& facts, const ThreadFacts& thread) {
  const auto type = static_cast<idtype_t>(thread.arguments[0]);
  const uint64_t id = static_cast<uint32_t>(thread.arguments[1]);
  if (type == P_PIDFD)
    return wait_for_children(facts, thread, number_behind(Facts::about_descriptor(thread.pid, id), "\nPid:"));
  return wait_for_children(facts, thread, type == P_PID ? id : 0);
}

Wait explain_vfork(Facts& facts, const ThreadFacts& thread) {
  const std::vector<uint32_t> children = children_of(facts, thread.pid, 0);
  return wait_outside("waits until its child runs another program or ends" +
                      (children.empty() ? "" : ": " + names_of(facts, children, thread.pid)));
}

}  // namespace sonde
