// SPDX-License-Identifier: GPL-3.0-or-later
// progenyof(): whether a process descends from another
//
// The parent of the process that fired was captured with the event. Ancestors further up are read from /proc now, and
// remembered. An ancestor that has ended was either remembered while it lived, or its children have another parent by
// now.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "runtime/base/unique_fd.h"
#include "runtime/body/state.h"
#include "runtime/body/subroutines.h"

namespace sonde {
namespace {

constexpr int kMostGenerations = 1024;

/// 0: unknown.
uint32_t parent_now(uint32_t pid) {
  UniqueFd file(open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return 0;
  char text[512];
  const ssize_t length = read(file.get(), text, sizeof text - 1);
  if (length <= 0) return 0;
  text[length] = '\0';
  // The name in parentheses may contain any character: "S ppid" follows the last parenthesis.
  const char* after_name = std::strrchr(text, ')');
  uint32_t parent = 0;
  return after_name != nullptr && std::sscanf(after_name + 1, " %*c %u", &parent) == 1 ? parent : 0;
}

}  // namespace

uint32_t Ancestry::parent_of(uint32_t pid) {
  const uint32_t parent = parent_now(pid);
  if (parent != 0) return parents_[pid] = parent;
  auto known = parents_.find(pid);
  return known == parents_.end() ? 0 : known->second;
}

extern "C" {

// argv: the ancestor to look for, and the parent at the time of the firing.
uint64_t sonde_fn_progenyof(BodyContext* context, uint32_t, const uint64_t* argv) {
  const auto wanted = static_cast<uint32_t>(argv[0]);
  const uint32_t own = context->record->pid;
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
