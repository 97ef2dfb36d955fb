// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The processor time of threads (vtimestamp)
//
//   sched_switch --> a word of this CPU: what the next thread has used so far, less the time of now
//   a firing     --> the word, plus the time of now; never less than the thread has read before
//
// The kernel adds to task_struct::se.sum_exec_runtime when it looks, at the latest when the thread leaves its CPU: at a
// firing it may be a tick old. So we note it where a thread gets a CPU. What interrupts, and a hypervisor, take from the
// thread counts as its time until it leaves the CPU, and then no longer: hence what it has read is kept.
#pragma once

#include "kmod/shared/lower.h"
#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"
#include "runtime/bpf/kernel_layout.h"

namespace sonde::bpf {

class RunTimes {
 public:
  /// From now on the words are kept. Errors: those of the kernel; ENOENT, it lacks a structure.
  static Result<RunTimes> begin(KernelLayout& layout);

  int words() const { return words_.get(); }     ///< a word for each CPU; 0: its thread has had it since before begin()
  int last_read() const { return last_.get(); }  ///< a word for each thread

 private:
  UniqueFd words_, last_, program_, link_;
};

/// R1 = the processor time of the running thread, in nanoseconds. May use all scratch.
void load_run_time(sonde_lowering* l);

}  // namespace sonde::bpf
