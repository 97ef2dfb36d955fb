// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The programs at instructions of programs (uprobe.h): one for entries, one for returns, one for offsets
//
//   cookie --> the tap's row --> a process that is wanted? --> does it leave the function? --> arguments --> columns
//
// The cookie of a place has the number of its row, and the process that the tap is for. A jump back to a function's own
// first instruction is no entry: a program at the jump notes where it leads, and the next arrival there is left out.
#pragma once

#include <vector>

#include "kmod/shared/event.h"
#include "kmod/shared/leave.h"
#include "runtime/bpf/fire_target.h"

namespace sonde::bpf {

inline constexpr uint32_t kMostUserRows = 1u << 22;

/// Of a tap: row, then process (0: any), then whether jumps back are noted.
inline uint64_t make_cookie(uint32_t row, uint32_t pid, bool reenters) {
  return row | uint64_t{pid} << 32 | uint64_t{reenters} << 63;
}

/// What the programs know of a tap beside its TableRow.
struct UserPlace {
  uint32_t probe;
  uint32_t reserved;
  int64_t from_entry;  ///< bytes from the function's entry to the instruction
  sonde_leave leave;
  uint32_t padding;
};
static_assert(sizeof(UserPlace) % 8 == 0);

/// What note_jumps() remembers, by thread and probe.
struct Reentered {
  uint64_t entry, stack;
};

struct UserProgram {
  sonde_tap_kind kind;
  std::vector<FirePart> columns;
  int table;          ///< an array map of rows: TableRow with an epid for each column, and, if one reads args[] by its
                      ///< types, the number of the list (ArgumentPlaces)
  int places;         ///< an array map of UserPlace, with the same rows
  int reentered;      ///< a hash map; -1: no function jumps to its own first instruction
  int origins;        ///< a hash map: process --> the target that it descends from; -1: every process is traced
  uint32_t left_out;  ///< the process that fires nothing: sonde itself
  bool judges;        ///< some place may not leave its function
};

/// Errors: as build_hook().
Result<std::vector<bpf_insn>> build_user_program(const UserProgram& wanted, World world);

/// The program at jumps to a function's own first instruction.
std::vector<bpf_insn> build_jump_program(int places, int reentered);

}  // namespace sonde::bpf
