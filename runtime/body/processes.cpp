// SPDX-License-Identifier: GPL-3.0-or-later
// progenyof(): whether a process descends from another
//
// The parent of the process that fired was captured with the event. Ancestors further up are read from /proc now, and
// remembered. An ancestor that has ended was either remembered while it lived, or its children have another parent by
// now.
#include "runtime/base/procfs.h"
#include "runtime/body/state.h"
#include "runtime/body/subroutines.h"

namespace sonde {
namespace {

constexpr int kMostGenerations = SONDE_DIF_ANCESTORS;

}  // namespace

uint32_t Ancestry::parent_of(uint32_t pid) {
  const uint32_t parent = sonde::parent_of(pid);
  if (parent != 0) return parents_[pid] = parent;
  auto known = parents_.find(pid);
  return known == parents_.end() ? 0 : known->second;
}

extern "C" {

// argv: the ancestor to look for, and the parent at the time of the firing.
uint64_t sonde_fn_progenyof(BodyContext* context, uint32_t, const uint64_t* argv) {
  const auto wanted = static_cast<uint32_t>(argv[0]);
  const uint32_t own = context->record->pid;
  if (wanted == 0) return 0;  // all descend from the idle thread
  if (own == wanted) return 1;
  Ancestry& ancestry = context->state->ancestry;
  auto parent = static_cast<uint32_t>(argv[1]);
  ancestry.note(own, parent);
  for (int i = 0; i < kMostGenerations && parent != 0; ++i) {
    if (parent == wanted) return 1;
    parent = ancestry.parent_of(parent);
  }
  return 0;
}

}  // extern "C"

}  // namespace sonde
