// SPDX-License-Identifier: GPL-3.0-or-later
// Tools that no file holds: sonde makes their scripts from the options of the list of calls
//
//   sonde PROGRAM, sonde calls ... --> kCallsTool   --script()--> D
//   sonde --summary, sonde summary --> kSummaryTool --script()--> D, at the end --report()--> a table
//   sonde --off-cpu                --> kOffCpuTool  --script()--> D
//
// To add one, add a row.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cli/calls.h"
#include "cli/summary.h"
#include "cli/tools/tools.h"
#include "runtime/consumer/consumer.h"

namespace sonde {

struct BuiltIn {
  std::string_view name;    ///< its word on the command line, as a tool's; empty: only its option names it
  std::string_view option;  ///< the option that means the same; empty: there is none
  std::string_view sentence;
  std::string_view paragraph;  ///< of --help and its manual page
  std::string_view example;    ///< what `sonde NAME --trace=%file ls` shows
  std::string_view title;      ///< of a picture of what it shows
  std::string (*script)(const CallList& calls, const Summary& summary);
  /// What the end prints in place of the script's aggregations, as text; null: these are printed.
  std::string (*report)(Consumer& consumer, const Summary& summary, bool units);
  bool sums;  ///< it prints at the end; else a line for each call

  /// "--summary", or "calls".
  std::string typed() const { return std::string(option.empty() ? name : option); }
};

extern const BuiltIn kCallsTool, kSummaryTool, kOffCpuTool;

/// Those that a word names, in the order of lists.
extern const std::array<const BuiltIn*, 2> kBuiltInTools;

/// These, without a path, and then the tools of the folders.
std::vector<Tool> all_tools();

/// Null: there is none of that name.
const BuiltIn* find_built_in(std::string_view name);

}  // namespace sonde
