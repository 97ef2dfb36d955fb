// SPDX-License-Identifier: GPL-3.0-or-later
// Which sections the program of a hook has, and which rows its table, for the taps and ECBs of a session
//
// The bpf source makes both anew when taps or ECBs change. ECBs of a probe run in the order of their epids, so a column
// is a fire part and a place in that order; the probes of system calls share columns.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/abi/protocol.h"
#include "runtime/abi/requests.h"
#include "runtime/bpf/fire_target.h"

namespace sonde {

/// A fire part as the session was given it.
struct LoadedPart {
  OwnedProgram program;
  sonde_fold fold{};
  bool urgent = false;
  uint64_t signals = 0;

  bpf::FirePart part() const { return {&program.view, &fold, urgent, signals}; }
};

struct PlannedSection {
  sonde_tap_kind kind;
  uint32_t row = 0;                                ///< of its probe; of system calls: not used
  std::vector<uint32_t> programs;                  ///< their ids, one a column
  std::map<uint32_t, std::vector<uint32_t>> rows;  ///< number --> words of struct bpf::TableRow
};

/// The sections in the order in which they fire; none if nothing is to fire there. `taps` by id, `ecbs` by epid.
std::vector<PlannedSection> plan_hook(bpf::Hook hook, const std::map<uint32_t, Tap>& taps,
                                      const std::map<uint32_t, Ecb>& ecbs);
/// The sections of each tracepoint that a tap names, by its name; only of those where something is to fire.
std::map<std::string, std::vector<PlannedSection>> plan_named(const std::map<uint32_t, Tap>& taps,
                                                              const std::map<uint32_t, Ecb>& ecbs);
/// The section of a tap that has a program of its own; none if nothing is to fire there.
std::vector<PlannedSection> plan_tap(const Tap& tap, const std::map<uint32_t, Ecb>& ecbs);

}  // namespace sonde
