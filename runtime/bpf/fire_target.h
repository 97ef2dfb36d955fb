// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Fire parts as programs that the kernel's verifier accepts: a target of kmod/shared/lower.h
//
//   Column    one fire part in the program of a hook: its place in the table's rows, and where it needs a ring
//
//     epid? --> predicate --> ring, room, time --> captures --> record, head
//       \_____________\___________________________________________\_________ end
//
// The predicate comes before the ring: what stands before the first instruction that needs one (a load, a capture, a
// local, the time) is computed without it. Whoever says no there takes no lock and does not look at the clock.
//
// Registers: R6 the ring, or 0 while none is held; R7 the record; R8 and R9 DIF's r0 and r1.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kmod/shared/fold.h"
#include "kmod/shared/lower.h"
#include "runtime/base/result.h"
#include "runtime/bpf/argument_code.h"
#include "runtime/bpf/frame.h"
#include "runtime/bpf/hooks.h"
#include "runtime/bpf/kernel_layout.h"
#include "runtime/bpf/rings.h"

namespace sonde::bpf {

/// What all columns of all hooks share.
struct World {
  KernelLayout* layout;
  const Rings* rings;
  int thread_map;                          ///< see create_thread_map()
  uint32_t locals;                         ///< those that a column of the section uses, one bit each
  int deaths_map = -1;                     ///< of processes that end: 16 bytes each, which forgets the oldest
  bool folds = false;                      ///< a column of the section folds, so who has a ring may have no time yet
  bool urgent = false;                     ///< a column of the section has urgent records
  int words_map = -1, last_read_map = -1;  ///< of run_times.h; -1: no fire part reads vtimestamp
  std::span<const TracepointArgument> arguments = {};  ///< of the tracepoint that the taps name
  int32_t places_offset = 0;                  ///< in a row: the number of the list of where its tap's arguments are
  TracepointLink link = TracepointLink::Raw;  ///< of the hook
};

/// A fire part, and how its records fold; null or without parts: they do not.
struct FirePart {
  FirePart(const sonde_dif_program* what, const sonde_fold* how = nullptr, bool at_once = false, uint64_t sent = 0)
      : program(what), fold(how), urgent(at_once), signals(sent) {}

  const sonde_dif_program* program;
  const sonde_fold* fold;
  bool urgent;                              ///< the reader is woken for each record, if it is not awake already
  uint64_t signals;                         ///< to the process, with each record without a fault; bit n: signal n + 1
  std::vector<ArgumentPlaces> places = {};  ///< all that differ among the taps where it runs
};

/// What is true of a section whose columns these are: `world` gets it.
void look_at(std::span<const FirePart> columns, World& world);

struct Column : sonde_lowering {
  /// `index`: among the epids of a row.
  Column(const World& shared, sonde_tap_kind of, uint32_t index, const FirePart& fire);
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;

  /// Appends the column to a hook's program. Errors: EOPNOTSUPP, something in it cannot be done here; E2BIG.
  Result<void> append_to(std::vector<bpf_insn>& all);

  World world;
  sonde_tap_kind kind;
  uint32_t index;
  const sonde_fold* fold;   ///< null: each firing is a record
  PlacedReads arguments;    ///< what it reads of arguments by their types
  uint32_t ring_from;       ///< the first DIF instruction that is run with a ring
  uint32_t copied_stacks;   ///< slots of user stacks, whose walk is left to the reader
  bool urgent;              ///< the reader is woken for each record
  uint64_t signals;         ///< as FirePart::signals
  bool in_scratch;          ///< its records are always put together in the scratch
  uint32_t record_max;      ///< bytes
  uint32_t at = 0;          ///< the DIF instruction that is translated
  uint32_t fault_end = 0;   ///< where a record of a pending fault is made
  uint32_t record_end = 0;  ///< where a record is finished
  bool may_fault = false;   ///< something leads to fault_end
  bool may_record = false;  ///< something leads to record_end
  std::string lacks;        ///< what cannot be done here; empty: nothing

 private:
  std::vector<bpf_insn> code_;
  std::vector<uint32_t> starts_;
};

inline Column& column_of(sonde_lowering* l) { return static_cast<Column&>(*l); }

/// The offset of a member; a member that this kernel does not have makes the program impossible.
int32_t member(sonde_lowering* l, std::string_view structure, std::string_view path);

/// Whether such a program can read this variable.
bool can_read(sonde_dif_variable variable);

}  // namespace sonde::bpf
