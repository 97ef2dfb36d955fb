// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "kmod/shared/dif.h"
#include "kmod/shared/fold.h"

namespace sonde {

/// The slots of a clause that uses argstr or retstr: six words of the call's arguments, then the pools from which
/// captures of the call's memory allocate, in order (runtime/syscall/capture.h).
struct CallSlots {
  uint32_t words = 0, texts = 0, bytes = 0;  ///< index of the first slot of each pool
  uint32_t text_count = 0, byte_count = 0;
  bool arguments = false, result = false;  ///< which of argstr and retstr it uses
  bool decoded = false;                    ///< false: the arguments are shown as numbers only
  bool descriptors = false;                ///< the targets of its file descriptors were captured
};

/// The fire part of a clause: a DIF program with its pool. Owns what sonde_dif_program points to.
struct FireProgram {
  std::vector<sonde_dif_insn> insns;
  std::vector<uint8_t> pool;
  std::vector<uint8_t> kinds;  ///< enum sonde_slot_kind, one a slot
  uint32_t record_max = 0;     ///< set by verification
  CallSlots call;
  sonde_fold fold{};  ///< how a source may fold its records
  /// What is sent to the process with each record that has no fault, bit n: signal n + 1. 0: nothing, or only a thread
  /// that waits can be sent what the body decides on.
  uint64_t signals = 0;
  bool urgent =
      false;  ///< the consumer should have its records at once: the body may end the run, or looks at aggregations

  sonde_dif_program view() const {
    return {insns.data(), static_cast<uint32_t>(insns.size()), static_cast<uint32_t>(kinds.size()),
            pool.data(),  static_cast<uint32_t>(pool.size()),  record_max,
            kinds.data()};
  }
};

}  // namespace sonde
