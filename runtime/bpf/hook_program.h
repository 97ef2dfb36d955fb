// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The program of a hook: all fire parts of a tracepoint, in the order of their epids
//
//   section    is it the event? --> who --> the probe's row of the table --> column 0, 1, ... --> ring given back
//     |
//     v next
//
// One program a hook, because a second one on the same tracepoint costs as much as the first. It is made anew when its
// fire parts change. A section is a kind of event, and for all but system calls a single probe: what fires there is one
// firing. All system calls are one section, whose row is the number of the call.
#pragma once

#include <span>
#include <vector>

#include "runtime/bpf/fire_target.h"

namespace sonde::bpf {

inline constexpr uint32_t kCalls = 512;  ///< rows of a table that are those of system calls

struct Section {
  sonde_tap_kind kind;
  uint32_t row;  ///< in the table; of system calls: not used
  std::vector<FirePart> columns;
};

struct HookProgram {
  Hook hook;
  std::vector<Section> sections;  ///< in the order in which they fire
  int table;                      ///< an array map: kCalls rows of system calls, then others; TableRow each
  uint32_t left_out;              ///< the process that fires nothing: sonde itself; 0: none
  std::vector<TracepointArgument> arguments = {};  ///< of a named tracepoint
};

inline uint32_t row_bytes(size_t columns) {
  return static_cast<uint32_t>((sizeof(TableRow) + columns * sizeof(uint32_t) + 7) & ~size_t{7});
}

/// Some sections of a hook, or some columns of one (chain.h).
struct Part {
  uint32_t number = 0;
  uint32_t section = 0, sections = UINT32_MAX;  ///< the first, and how many
  uint32_t first = 0, end = UINT32_MAX;         ///< columns, of each section
  uint32_t held = 0;                            ///< at its beginning: no ring; n: the ring of level n - 1
  bool is_cut = false;                          ///< the next part has more columns of its section
  uint32_t then = 0;                            ///< the part that follows behind its last section; 0: none
  int chain = -1;                               ///< the map of the later parts
};

/// Where a part's program is in the map of later parts.
inline uint32_t chain_index(uint32_t part, uint32_t held) { return (part - 1) * (kLevels + 1) + held; }

/// Errors: EOPNOTSUPP, a fire part cannot run here; E2BIG, one is too long; ENOENT, the kernel lacks a structure.
Result<std::vector<bpf_insn>> build_hook(const HookProgram& wanted, const World& world, const Part& part = {});

/// A program that goes on with number `index` of a map of programs, if there is one. It stays attached, and what it
/// leads to is exchanged without a gap.
std::vector<bpf_insn> build_stub(int programs, uint32_t index, TracepointLink link = TracepointLink::Raw);

}  // namespace sonde::bpf
