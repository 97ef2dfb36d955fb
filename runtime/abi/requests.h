// SPDX-License-Identifier: GPL-3.0-or-later
// What a consumer asks of an event source, and what it is told: kmod/shared/abi.h's structures with texts and lists in them
#pragma once

#include <string>
#include <vector>

#include "kmod/shared/abi.h"
#include "runtime/base/ids.h"

namespace sonde {

/// A tap as providers state it: what fires, and for which probe.
struct Tap {
  TapId id;
  sonde_tap_kind kind{};
  ProbeId probe;
  uint32_t number = 0;    ///< system call number; of code compiled at run time, bytes of its function's text
  uint32_t pid = 0;       ///< only this process; 0: all targets
  std::string path;       ///< file of a user tap
  uint64_t offset = 0;    ///< in that file
  uint64_t function = 0;  ///< file offset of the function's entry
  sonde_leave leave{};    ///< of USER_RETURN, and of a USER_ENTRY's jumps back
  uint32_t sum = 0;       ///< of that text
};

/// Of a place in a file.
constexpr bool is_user_tap(sonde_tap_kind kind) {
  return kind == SONDE_TAP_USER_ENTRY || kind == SONDE_TAP_USER_RETURN || kind == SONDE_TAP_USER_OFFSET;
}

struct Ecb {
  Epid epid;
  ProbeId probe;
  ProgramId program;
  bool held = false;
};

/// An event out of band; fields as in sonde_event.
struct SourceEvent {
  sonde_event_kind kind{};
  uint32_t pid = 0;
  uint64_t value = 0;
  uint64_t address = 0;
  uint64_t offset = 0;
  std::string text;
};

struct SpawnRequest {
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  bool filter = false;  ///< only `calls` need ever stop
  std::vector<uint32_t> calls;
  bool shows_exec = false;  ///< the exec that starts it fires at go()
};

/// After a held record: what the thread does next.
struct Release {
  bool stop = false;  ///< stop(): as SIGSTOP would
  int signal = 0;     ///< raise(): 0 none
};

}  // namespace sonde
