// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/built_in.h"

#include <algorithm>
#include <utility>

namespace sonde {

const BuiltIn kCallsTool{
    "calls",
    "",
    "lists each system call with its arguments and its result, as strace does",
    "A line shows a call when it has returned, and each signal and the end of each process. The word calls may be left "
    "out where a program or a process is named: sonde ls, sonde -p 4711. The lines go to standard error; -o FILE keeps "
    "them apart from those of the program.",
    "the calls of ls that name files",
    "system calls",
    [](const CallList& calls, const Summary&) { return calls_script(calls); },
    nullptr,
    false,
};

const BuiltIn kSummaryTool{
    "summary",
    "--summary",
    "counts system calls, their errors and their time, as strace -c does",
    "It prints a table when the program ends. --summary says the same, and --summary=file counts by file, or by "
    "process or thread; beside a script it adds the table to what the script prints.",
    "how often ls makes each call that names a file",
    "system calls",
    [](const CallList& calls, const Summary& summary) { return summary_script(summary, calls); },
    table_of_calls,
    true,
};

const BuiltIn kOffCpuTool{
    "",
    "--off-cpu",
    "",
    "",
    "",
    "time in system calls, ns",
    [](const CallList& calls, const Summary&) { return off_cpu_script(calls); },
    nullptr,
    true,
};

const std::array<const BuiltIn*, 2> kBuiltInTools = {&kCallsTool, &kSummaryTool};

std::vector<Tool> all_tools() {
  std::vector<Tool> all;
  for (const BuiltIn* tool : kBuiltInTools) all.push_back({"", std::string(tool->name), std::string(tool->sentence)});
  for (Tool& tool : tools_in_folders())
    if (find_built_in(tool.name) == nullptr) all.push_back(std::move(tool));
  return all;
}

const BuiltIn* find_built_in(std::string_view name) {
  const auto found = std::ranges::find(kBuiltInTools, name, [](const BuiltIn* tool) { return tool->name; });
  return found == kBuiltInTools.end() ? nullptr : *found;
}

}  // namespace sonde
