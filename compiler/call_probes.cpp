// SPDX-License-Identifier: GPL-3.0-or-later
// argstr and retstr depend on the number of the system call, so the split asks which calls a clause matches. At a
// return, the arguments may have been overwritten; a call whose row says so (CallShape::before) is captured at its
// entry, too.
#include "compiler/call_probes.h"

#include "runtime/process/syscall_table.h"
#include "runtime/syscall/shape.h"

namespace sonde {

std::vector<CallProbe> calls_of(ProbeCatalog& probes, const LoweredClause& clause) {
  std::vector<CallProbe> calls, others;
  for (const ProbeDescription& description : clause.descriptions) {
    for (ProbeId id : probes.match(description)) {
      const ProbeInfo& info = probes.info(id);
      if (info.provider != "syscall") {
        others = {{id, CallProbe::kNone}};
        continue;
      }
      const SyscallInfo* call = find_syscall(info.function);
      calls.push_back({id, call != nullptr ? call->number : kUnnamedCall, info.name == "return"});
    }
  }
  calls.insert(calls.end(), others.begin(), others.end());
  return calls;
}

std::vector<CallProbe> entries_of(ProbeCatalog& probes, const LoweredClause& clause) {
  std::vector<CallProbe> entries;
  for (const CallProbe& call : calls_of(probes, clause)) {
    const CallShape* shape = call.returns ? find_shape(call.call) : nullptr;
    if (shape == nullptr || !shape->before) continue;
    const ProbeInfo& info = probes.info(call.probe);
    for (ProbeId entry : probes.match({info.provider, info.module, info.function, "entry", {}}))
      entries.push_back({entry, call.call, false});
  }
  return entries;
}

}  // namespace sonde
