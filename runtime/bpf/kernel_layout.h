// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Where the running kernel has the members of its structures, by its own description (BTF), and its functions
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/process/tracepoints.h"

namespace sonde::bpf {

class KernelLayout {
 public:
  /// Errors: ENOENT, the kernel has no BTF.
  static Result<KernelLayout> read();

  /// The offset, in bytes, of a member: "task_struct", "thread_info.status". Members of anonymous structs and unions
  /// belong to the outer one. A section of variables counts as a structure: ".data..percpu", "runqueues". Errors: ENOENT, this kernel has no such member.
  Result<int32_t> offset(std::string_view structure, std::string_view path);

  /// What a program finds in its context. Errors: ENOENT, this kernel has no such tracepoint.
  Result<std::vector<TracepointArgument>> tracepoint(const std::string& name);

  /// Where a CPU's count of the reasons not to preempt it (u32) lies behind its run queue. Many kernels tell programs no
  /// address of a variable; but a thread's run queue is one of the CPU's variables, too, and they all lie as the kernel
  /// describes them. Errors: ENOENT.
  Result<int32_t> preempt_count();

  struct Function {
    uint64_t address = 0, size = 0;  ///< 0: unknown
  };
  /// What a tracepoint calls, and what calls it: "__traceiter_NAME", "__bpf_trace_CLASS". By /proc/kallsyms, which is
  /// read once; who may not see addresses knows none.
  Function tracepoint_function(const std::string& name);

 private:
  explicit KernelLayout(std::unique_ptr<CTypes> types) : types_(std::move(types)) {}

  std::unique_ptr<CTypes> types_;
  std::map<std::string, int32_t> known_;
  std::optional<std::map<std::string, Function>> functions_;            ///< of tracepoints; none: not read yet
  std::map<std::string, std::vector<TracepointArgument>> tracepoints_;  ///< those that were asked for
  std::map<std::string, CType, std::less<>> structures_;                ///< those that were asked for
};

}  // namespace sonde::bpf
