// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/consumer/unnamed_calls.h"

#include "runtime/base/find.h"
#include "runtime/process/syscall_table.h"

namespace sonde {

const ProbeInfo* UnnamedCalls::probe_of(const ProbeInfo& all, uint32_t number) {
  if (all.function != unnamed_call({})) return &all;  // a clause on this very number
  if (auto* const* known = find_in(probes_, std::pair(&all, number))) return *known;
  if (!numbers_.contains(number) && numbers_.size() == kMost) {
    if (!std::exchange(told_, true))
      tell_("more than " + std::to_string(kMost) +
            " numbers of system calls without a name were met: calls of the others are shown as " + all.function);
    return &all;
  }
  numbers_.insert(number);
  return probes_[{&all, number}] = make(all, number);
}

/// The provider makes the probe because a description names it.
const ProbeInfo* UnnamedCalls::make(const ProbeInfo& all, uint32_t number) {
  const auto found = framework_.match({all.provider, all.module, unnamed_call(number), all.name, {}});
  return found.empty() ? &all : &framework_.info(found.front());
}

}  // namespace sonde
