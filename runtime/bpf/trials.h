// SPDX-License-Identifier: MIT OR GPL-2.0-only
// What is known of mechanisms, and their trials
//
//   known here, or in /run/sonde/trials? --no--> a trial (1 ms) --> answer; taken away beside, then written down
//
// /run/sonde is root's, 0700: for who is not root, and where the folder is not ours alone, the answers are kept in memory.
// The first line of the file has the boot, the kernel and the version of sonde for which the others hold.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/bpf/hook_trial.h"
#include "runtime/bpf/trial.h"

namespace sonde::bpf {

/// Context: one thread.
class Trials {
 public:
  /// `folder`: empty: nothing is written down.
  explicit Trials(std::string folder = "/run/sonde");
  /// Waits until what was tried is taken away, some 50 ms, and writes down what was found.
  ~Trials();
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;

  /// Whether uprobes on instructions of this form are right here. Errors: EOPNOTSUPP, they are not, and how: "it changes
  /// registers"; others: they cannot be tried.
  Result<void> uprobe(UprobeForm form, UprobeLink link);
  /// The same of a tracepoint of which there is a trial; others are taken to be right.
  Result<void> tracepoint(Hook hook, TracepointLink link = TracepointLink::Raw);
  /// Whether a thread keeps its CPU within a program that is at this tracepoint, of which there is a trial, by
  /// TracepointLink::Raw. Errors: EOPNOTSUPP, it may lose it; others: that cannot be tried.
  Result<void> keeping_cpu(Hook hook, KernelLayout& layout);
  /// And of the clock of a CPU.
  Result<void> clock();
  /// How many trials were made, not remembered.
  size_t made() const { return made_; }

 private:
  struct Running {
    std::string name;
    Trial trial;
    std::string wrong;  ///< what settle() said
    std::thread settling;
  };

  Result<void> answer(const std::string& name, const std::function<Result<void>()>& make);
  Result<void> try_uprobe(const std::string& name, UprobeForm form, UprobeLink link);
  void recall();
  void write_down() const;

  std::string folder_;
  std::map<std::string, std::string> known_;  ///< by mechanism: what is wrong with it; empty: nothing
  std::vector<std::unique_ptr<Running>> running_;
  size_t made_ = 0;
};

}  // namespace sonde::bpf
