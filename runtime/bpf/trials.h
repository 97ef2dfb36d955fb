// SPDX-License-Identifier: MIT OR GPL-2.0-only
// What is known of mechanisms, and their trials
//
//   known here, or in /run/sonde/trials? --no--> Trial (1 ms) --> answer; taken away beside, then written down
//
// /run/sonde is root's, 0700: for who is not root, and where the folder is not ours alone, the answers are kept in memory.
// The first line of the file has the boot, the kernel and the version of sonde for which the others hold.
#pragma once

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/result.h"
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
  /// How many trials were made, not remembered.
  size_t made() const { return running_.size(); }

 private:
  struct Running {
    std::string name;
    Trial trial;
    std::string wrong;  ///< what settle() said
    std::thread settling;
  };

  void recall();
  void write_down() const;

  std::string folder_;
  std::map<std::string, std::string> known_;  ///< by mechanism: what is wrong with it; empty: nothing
  std::vector<std::unique_ptr<Running>> running_;
};

}  // namespace sonde::bpf
