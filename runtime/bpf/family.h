// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Which processes descend from a target, kept up to date by programs in the kernel
//
//   sched_process_fork --> the child of a member is one --> map: process --> its origin
//   sched_process_exec --> a descendant that replaces its program has no origin any more (0), and stays a member
//   sched_process_exit --> with its last thread a process is none
//
// The origin is the target whose program a process runs: its probes are the target's. So a child is a member before its
// first instruction, and no call of it is missed.
#pragma once

#include <cstdint>

#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"
#include "runtime/bpf/kernel_layout.h"

namespace sonde::bpf {

inline constexpr uint32_t kMostMembers = 65536;  ///< processes at the same time; more are not traced

class Family {
 public:
  /// Attaches the programs. Errors: ENOENT this kernel lacks a structure; those of bpf(2).
  static Result<Family> begin(KernelLayout& layout);

  /// A hash map: u64 process --> u32 origin.
  int map() const { return map_.get(); }
  Result<void> add(uint32_t pid);
  void remove(uint32_t pid);
  bool empty() const;

 private:
  UniqueFd map_;
  UniqueFd programs_[3], links_[3];
};

}  // namespace sonde::bpf
