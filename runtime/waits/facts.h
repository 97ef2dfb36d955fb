// SPDX-License-Identifier: GPL-3.0-or-later
// What /proc says of threads that may wait
//
// Nothing is stopped. A thread that sleeps in a call shows the call's number and arguments in /proc/TID/syscall; its
// count of context switches tells whether it has run since. So facts that were read between two equal looks at a thread
// hold while it slept, all the time (unchanged()).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace sonde {

struct ThreadFacts {
  uint32_t tid = 0, pid = 0;
  uint32_t number = 0;  ///< that it has in its own pid namespace
  std::string name;
  char state = 0;                ///< as in ps: R, S, D, T, t, Z
  std::string call_line;         ///< of /proc/TID/syscall; empty: it cannot be read
  std::optional<uint32_t> call;  ///< none: it does not sleep in one
  std::vector<uint64_t> arguments;
  uint64_t stack_pointer = 0;
  std::string sleeps_in;                  ///< the function of the kernel; empty: not known
  std::vector<std::string> kernel_stack;  ///< for root
  uint64_t switches = 0;

  bool has_ended() const { return state == 'Z' || state == 'X'; }
};

struct ProcessFacts {
  uint32_t pid = 0, parent = 0, tracer = 0;
  uint32_t number = 0;  ///< that it has in its own pid namespace
  uint64_t caught = 0;  ///< signals with a handler, by bit
  std::string name;     ///< its command line, without the folder of the program
};

/// None: it has ended.
std::optional<ThreadFacts> read_thread(uint32_t pid, uint32_t tid);
/// Whether the thread has slept on since `before` was read.
bool unchanged(const ThreadFacts& before);
/// None: there is no such process.
std::optional<ProcessFacts> read_process(uint32_t pid);
std::vector<uint32_t> numbers_in(const std::string& folder);

/// A descriptor of a process.
struct HeldFile {
  uint32_t pid = 0;
  int fd = -1;
  bool reads = false, writes = false;
};

/// All processes, each thing read when it is first asked for, and then kept.
class Facts {
 public:
  const std::map<uint32_t, ProcessFacts>& processes();
  const ProcessFacts& process(uint32_t pid);
  /// Those that have not ended, by number.
  const std::map<uint32_t, ThreadFacts>& threads_of(uint32_t pid);
  std::vector<uint32_t> living_threads_of(uint32_t pid);
  /// The thread; null: it has ended.
  const ThreadFacts* thread(uint32_t pid, uint32_t tid);
  /// The thread that processes of `pid`'s pid namespace know by this number; null: there is none.
  const ThreadFacts* find_thread(uint32_t pid, uint32_t number);
  /// The same of a thread that was read already, by the number that we know it by.
  const ThreadFacts* known_thread(uint32_t tid) const;
  /// Who has a file open: "pipe:[123]", "/tmp/fifo".
  const std::vector<HeldFile>& holders_of(const std::string& file);
  /// Processes whose descriptors we may not see.
  const std::set<uint32_t>& closed_processes();
  /// Whether one of these, or who started it, is another that we may not see into.
  bool may_be_inherited(const std::vector<HeldFile>& holders);

  /// The file that a descriptor leads to, as the link says; empty: it is not open.
  static std::string file_of(uint32_t pid, uint64_t fd);
  /// The text of /proc/PID/fdinfo/FD.
  static std::string about_descriptor(uint32_t pid, uint64_t fd);
  /// False unless all bytes could be read.
  static bool read_memory(uint32_t pid, uint64_t address, void* to, size_t size);

  /// "thread 12 (worker)" to a thread of the same process, "thread 12 (worker) of process 10 (srv -d)",
  /// "process 10 (srv -d)" where it has only one.
  std::string name_of(uint32_t pid, uint32_t tid, uint32_t to_pid);
  std::string name_of_process(uint32_t pid);

 private:
  void read_descriptors();
  void read_descriptors(uint32_t pid);

  std::map<uint32_t, ProcessFacts> processes_;
  std::map<uint32_t, std::map<uint32_t, ThreadFacts>> threads_;
  std::map<std::string, std::vector<HeldFile>> holders_;
  std::set<uint32_t> closed_;
  bool has_processes_ = false, has_descriptors_ = false;
};

/// The whole of a small file; empty: it cannot be read.
std::string text_of_file(const std::string& path);
/// The number behind `key` at the beginning of a line, as "PPid:"; 0: there is none.
uint64_t number_behind(std::string_view text, std::string_view key, int base = 10);

}  // namespace sonde
