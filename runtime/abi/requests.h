// SPDX-License-Identifier: GPL-3.0-or-later
// What a consumer asks of an event source, and the events it gets: structures of kmod/shared/abi.h, with texts and
// lists
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kmod/shared/abi.h"
#include "runtime/base/ids.h"
#include "runtime/base/run_as.h"
#include "runtime/base/terminal_end.h"
#include "runtime/base/unique_fd.h"

namespace sonde {

/// A tap as a provider describes it: what fires, and for which probe.
struct Tap {
  TapId id;
  sonde_tap_kind kind{};
  ProbeId probe;
  uint32_t number = 0;    ///< system call number; for code compiled at run time, bytes of its function's text
  uint32_t pid = 0;       ///< only this process, or those with this origin; 0: all targets
  std::string path;       ///< file of a user tap; symbol of one in the kernel
  uint64_t offset = 0;    ///< in that file
  uint64_t function = 0;  ///< file offset of the function's entry
  sonde_leave leave{};    ///< for USER_RETURN, and for the jumps back of a USER_ENTRY
  uint32_t sum = 0;       ///< CRC-32 of that text
  std::vector<sonde_location> locations;  ///< where the arguments are
  std::vector<uint64_t> counters;         ///< file offsets of counters that are raised while it is armed
  bool forks = false;                     ///< SONDE_TAP_FORKS
  uint64_t inode = 0;                     ///< of a file that cannot be looked up without waiting for its server, else 0
  uint32_t major = 0, minor = 0;          ///< its device
  bool nop = false;                       ///< SONDE_TAP_NOP
};

/// A tap at a place in a file.
constexpr bool is_user_tap(sonde_tap_kind kind) {
  return kind == SONDE_TAP_USER_ENTRY || kind == SONDE_TAP_USER_RETURN || kind == SONDE_TAP_USER_OFFSET;
}

struct Ecb {
  Epid epid;
  ProbeId probe;
  ProgramId program;
  bool held = false;
};

// Events out of band, one struct for each sonde_event_kind.

/// A target has ended.
struct TargetGone {
  uint32_t pid = 0;
  int wait_status = 0;
};
/// Nothing is traced any more.
struct AllGone {};
/// An executable mapping of a file, as /proc/PID/maps shows it.
struct FileMapping {
  uint32_t pid = 0;
  Nanoseconds time = 0;  ///< CLOCK_MONOTONIC: when it was there
  uint64_t address = 0, bytes = 0, offset = 0;
  uint32_t major = 0, minor = 0;  ///< of the device
  uint64_t inode = 0;
  std::string path;
  std::shared_ptr<UniqueFd> file;  ///< null: the source did not send it
};
/// A target has mapped an executable file.
struct FileMapped {
  FileMapping mapping;
  uint32_t waiting = 0;  ///< the thread that waits for ThreadControl::acknowledge(); 0: none
  uint32_t origin = 0;   ///< the target whose program the process runs: itself, or the one it was forked from; 0: none
};
/// A process had this mapping.
struct MappingSeen {
  FileMapping mapping;
  bool ends = false;  ///< the process is ending, or replacing its program
};
/// A process has replaced its program by an exec.
struct ProgramChanged {
  uint32_t pid = 0;
  Nanoseconds time = 0;  ///< CLOCK_MONOTONIC
};
/// There is enough to drain, or a thread is held.
struct DataWaits {};
/// A message for the user.
struct Notice {
  std::string text;
  bool harm = false;  ///< a target has come to harm through tracing, or may: the run has failed
};
/// The number of rings has grown to this.
struct RingsAdded {
  uint64_t rings = 0;
};
/// The last event: the other end stays for the processes that need it; a text for the user.
struct SourceStays {
  std::string text;
};

using SourceEvent = std::variant<TargetGone, AllGone, FileMapped, MappingSeen, ProgramChanged, DataWaits, Notice,
                                 RingsAdded, SourceStays>;

struct SpawnRequest {
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  bool filter = false;  ///< only `calls` must stop
  std::vector<uint32_t> calls;
  bool shows_exec = false;  ///< the exec that starts the program fires its probes at go()
  std::optional<RunAs> user = {};
  std::optional<TerminalEnd> terminal = {};
};

/// What a thread does after its held record.
struct Release {
  bool stop = false;                   ///< stop(): as SIGSTOP would
  int signal = 0;                      ///< raise(): 0 none
  bool to_thread = false;              ///< the signal is not the process's
  std::optional<int64_t> result = {};  ///< inject(): its system call is not made, and returns that
};

}  // namespace sonde
