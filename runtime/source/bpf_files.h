// SPDX-License-Identifier: GPL-3.0-or-later
// Files that processes map while the bpf source traces: those that probes may be in
//
// Reads the news of mappings (process_news.h). A file is reported once: a uprobe is in it for whoever maps it. A process that is followed has each of its files
// reported, because its probes are its own. The probes come after the mapping, so the first calls may go unseen; nobody
// is made to wait.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "runtime/abi/requests.h"
#include "runtime/base/glob.h"
#include "runtime/bpf/process_news.h"
#include "runtime/process/proc_maps.h"

namespace sonde {

class BpfFiles {
 public:
  /// What is mapped now is no news.
  BpfFiles();
  /// Files whose path matches the wildcard are reported.
  void want(std::string_view wildcard) { wanted_.emplace_back(wildcard); }
  /// Those of the process are.
  void want_of(uint32_t pid) { processes_.insert(pid); }
  /// The file, if it is to be reported.
  std::optional<FileMapped> note(const bpf::NewMapping& mapping);

 private:
  using KernelNumber = std::tuple<uint32_t, uint32_t, uint64_t>;

  bool is_news(const bpf::NewMapping& mapping, FileId& file);

  std::vector<Glob> wanted_;
  std::set<uint32_t> processes_;
  std::set<KernelNumber> met_;  ///< by the numbers in the records, which cost nothing to compare
  std::set<FileId> known_;      ///< by those that /proc/PID/maps shows
  std::set<std::tuple<uint32_t, KernelNumber>> met_in_;  ///< of the processes
};

}  // namespace sonde
