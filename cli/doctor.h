// SPDX-License-Identifier: GPL-3.0-or-later
// sonde doctor: what works on this machine, what does not, and what to type
//
//   Machine   facts: files below a root folder, and what a few system calls answered
//      |
//   examine() --> Finding, one a line --> doctor_text(), doctor_json(), doctor_status()
//
// Only this_machine() asks the kernel, so the tests examine machines that do not exist.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/source/readiness.h"

namespace sonde {

struct Machine {
  std::string root;           ///< the folder that /proc, /sys, /dev, /lib and /usr are in
  uint32_t uid = 0;           ///< effective
  uint64_t capabilities = 0;  ///< effective, by bit
  SourceTrial sources;
  int clock_error = 0;    ///< errno of perf_event_open() for a clock of its own processor time; 0: it works
  bool terminal = false;  ///< output goes to one
  int columns = 0;
  std::string term;        ///< $TERM
  bool no_colour = false;  ///< $NO_COLOR is set
};

Machine this_machine();

struct Finding {
  enum class State : uint8_t {
    Works,
    Lacks,  ///< something that Sonde can do will not work
    Note,
  };
  std::string group, name;
  State state;
  std::string text;
  std::string command{};  ///< that mends it; empty: there is none
};

/// `program`: the path of a program whose symbols and debug information are looked at, too; empty: none.
std::vector<Finding> examine(const Machine& machine, const std::string& program);

std::string doctor_text(const std::vector<Finding>& findings);
/// One JSON object: {"ready":true,"findings":[{"group":..., "name":..., "state":"works", "text":..., "command":...}]}.
std::string doctor_json(const std::vector<Finding>& findings);
/// 0: some event source works, so programs can be traced. 1: none does.
int doctor_status(const std::vector<Finding>& findings);

}  // namespace sonde
