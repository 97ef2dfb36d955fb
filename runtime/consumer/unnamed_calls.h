// SPDX-License-Identifier: GPL-3.0-or-later
// System calls whose number has no name
//
//   clause on syscall_0x (all of them) --record with the number--> probe syscall_0x258, made when its number is met
//
// A source has one tap for all such numbers, and its records say which it was. We refused to have the thread wait until
// a probe of its own is armed, as for a library that is opened: on kmod any program of the machine could make such
// calls, and would wait for us. A program may try all four billion numbers: the first 256 get a probe, the rest stay
// with syscall_0x, and a line says so.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "runtime/framework/framework.h"

namespace sonde {

class UnnamedCalls {
 public:
  static constexpr size_t kMost = 256;  ///< numbers that are shown by name

  /// Both must outlive this. `tell` gets a line for the user.
  UnnamedCalls(Framework& framework, std::function<void(const std::string&)> tell)
      : framework_(framework), tell_(std::move(tell)) {}

  /// The probe of the call with that number. `all`: the probe of all such calls, on the same side.
  const ProbeInfo* probe_of(const ProbeInfo& all, uint32_t number);

 private:
  const ProbeInfo* make(const ProbeInfo& all, uint32_t number);

  Framework& framework_;
  std::function<void(const std::string&)> tell_;
  std::set<uint32_t> numbers_;
  std::map<std::pair<const ProbeInfo*, uint32_t>, const ProbeInfo*> probes_;
  bool told_ = false;
};

}  // namespace sonde
