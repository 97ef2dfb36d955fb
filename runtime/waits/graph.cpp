// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/waits/graph.h"

#include <algorithm>

namespace sonde {
namespace {

/// Whether each set has a thread that is not stuck.
bool goes_on(const Wait& wait, const std::set<uint32_t>& stuck) {
  if (wait.may_end || wait.needs.empty()) return true;
  return std::ranges::all_of(wait.needs, [&](const std::vector<uint32_t>& any) {
    return std::ranges::any_of(any, [&](uint32_t tid) { return !stuck.contains(tid); });
  });
}

std::set<uint32_t> who_is_stuck(const Waits& waits) {
  std::set<uint32_t> stuck;
  for (const auto& [tid, wait] : waits) stuck.insert(tid);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [tid, wait] : waits) changed = (goes_on(wait, stuck) && stuck.erase(tid) != 0) || changed;
  }
  return stuck;
}

/// The stuck threads that a stuck thread waits for, directly.
std::set<uint32_t> awaited_by(const Waits& waits, uint32_t tid, const std::set<uint32_t>& stuck) {
  std::set<uint32_t> found;
  for (const std::vector<uint32_t>& any : waits.at(tid).needs)
    for (uint32_t one : any)
      if (stuck.contains(one)) found.insert(one);
  return found;
}

/// The stuck threads that it waits for, directly or through others.
std::set<uint32_t> reached_from(const Waits& waits, uint32_t tid, const std::set<uint32_t>& stuck) {
  std::set<uint32_t> seen;
  std::vector<uint32_t> next{tid};
  while (!next.empty()) {
    const uint32_t one = next.back();
    next.pop_back();
    for (uint32_t awaited : awaited_by(waits, one, stuck))
      if (seen.insert(awaited).second) next.push_back(awaited);
  }
  return seen;
}

/// Each before one that it waits for, as far as that goes.
std::vector<uint32_t> in_order(const Waits& waits, std::set<uint32_t> members) {
  const std::set<uint32_t> all = members;
  std::vector<uint32_t> order;
  for (uint32_t tid = *members.begin(); !members.empty();) {
    members.erase(tid);
    order.push_back(tid);
    const std::set<uint32_t> awaited = awaited_by(waits, tid, all);
    const auto next = std::ranges::find_if(awaited, [&](uint32_t one) { return members.contains(one); });
    if (!members.empty()) tid = next == awaited.end() ? *members.begin() : *next;
  }
  return order;
}

}  // namespace

Judgement judge(const Waits& waits) {
  Judgement judgement{{}, who_is_stuck(waits)};
  std::map<uint32_t, std::set<uint32_t>> reached;
  for (uint32_t tid : judgement.stuck) reached[tid] = reached_from(waits, tid, judgement.stuck);
  std::set<uint32_t> told;
  for (const auto& [tid, others] : reached) {
    if (told.contains(tid) || !others.contains(tid)) continue;
    std::set<uint32_t> members;
    for (uint32_t other : others)
      if (reached[other].contains(tid)) members.insert(other);
    told.insert(members.begin(), members.end());
    judgement.deadlocks.push_back(in_order(waits, std::move(members)));
  }
  return judgement;
}

}  // namespace sonde
