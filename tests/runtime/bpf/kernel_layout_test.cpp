// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/bpf/kernel_layout.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace sonde::bpf {
namespace {

/// The address of the function, and that of the first line behind it with a higher one.
std::pair<uint64_t, uint64_t> ends_of(const std::string& name) {
  std::ifstream symbols("/proc/kallsyms");
  uint64_t begin = 0;
  for (std::string line; std::getline(symbols, line);) {
    const uint64_t address = std::stoull(line, nullptr, 16);
    if (begin != 0 && address > begin) return {begin, address};
    if (begin == 0 && line.ends_with(" " + name)) begin = address;
  }
  return {0, 0};
}

TEST(KernelLayout, KnowsTheFunctionsOfTracepoints) {
  auto layout = KernelLayout::read();
  if (!layout) GTEST_SKIP() << "this kernel has no BTF";
  int found = 0;
  for (const char* name :
       {"__traceiter_sys_enter", "__bpf_trace_sys_enter", "__traceiter_sched_switch", "__bpf_trace_sched_switch",
        "__traceiter_sched_wakeup", "__bpf_trace_sched_wakeup_template"}) {
    const auto [begin, end] = ends_of(name);
    const KernelLayout::Function one = layout->tracepoint_function(name);
    EXPECT_EQ(one.address, begin) << name;
    EXPECT_EQ(one.size, end - begin) << name;
    found += one.size != 0 ? 1 : 0;
  }
  EXPECT_EQ(layout->tracepoint_function("__traceiter_of_nothing").size, 0u);
  EXPECT_EQ(layout->tracepoint_function("__traceiter_sys_ente").size, 0u);
  if (ends_of("__traceiter_sys_enter").first == 0) GTEST_SKIP() << "only root sees addresses";
  EXPECT_GT(found, 3);
}

}  // namespace
}  // namespace sonde::bpf
