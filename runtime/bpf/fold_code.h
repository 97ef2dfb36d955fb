// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Folding (kmod/shared/fold.h), as code: a record becomes a step of an element of the ring's table
//
//   slots, texts --> hash --> index --> element --> firings + 1, a step of each function
//                               \_ none: a new one, if there is room
//                                     \_ else, or if two keys have one hash, or a slot has a fault: a record
//
// Who holds a ring holds its table, so a step needs no atomic operation, and a program that interrupts another has the
// table of another ring. fold_tables.h has the layout, and the reader.
#pragma once

#include "runtime/bpf/fire_target.h"

namespace sonde::bpf {

/// The record's longest size if it can be folded.
inline constexpr uint32_t kFoldedRecordMost = 4095;

/// Whether such records can be folded here.
bool can_fold(const sonde_fold& fold, const sonde_dif_program& fire);
/// Whether the only texts of a program are names of programs, which then have 16 bytes each.
bool has_fixed_size(const sonde_dif_program& fire);
/// Folds the record at R7, which is in the scratch, and goes to the column's end; falls through if it cannot.
void fold_record(sonde_lowering* l);

}  // namespace sonde::bpf
