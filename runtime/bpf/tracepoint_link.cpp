// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/tracepoint_link.h"

#include <linux/perf_event.h>

#include <cerrno>
#include <charconv>
#include <string>

#include "runtime/bpf/bpf_call.h"
#include "runtime/bpf/uprobe.h"
#include "runtime/process/kernel_files.h"

namespace sonde::bpf {

Result<UniqueFd> attach_hook(Hook hook, TracepointLink link, int program) {
  const HookRow& row = kHookRows[static_cast<size_t>(hook)];
  if (link == TracepointLink::Raw) return attach_raw_tracepoint(row.tracepoint, program);
  const std::string what = std::string("the event of the tracepoint ") + row.tracepoint;
  if (row.event == nullptr) return Error("nobody asks for " + what, EOPNOTSUPP);
  auto file = read_tracefs(std::string(row.event) + "/id");
  if (!file) return std::move(file).error().context(what);
  const std::string_view text = file->view();
  perf_event_attr event{};
  if (std::from_chars(text.data(), text.data() + text.size(), event.config).ec != std::errc())
    return Error("tracefs has no number of " + what, EINVAL);
  event.type = PERF_TYPE_TRACEPOINT;
  event.size = sizeof event;
  event.disabled = 1;  // it counts nothing; the program runs all the same, on all CPUs
  return attach_by_event(program, event, 0, what);
}

}  // namespace sonde::bpf
