// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "kmod/shared/dif.h"

namespace sonde {

/// The slots of a clause that has argstr or retstr: six words of the call's arguments, then the pools that captures of the
/// call's memory take theirs from, in order (runtime/syscall/capture.h).
struct CallSlots {
  uint32_t words = 0, texts = 0, bytes = 0;  ///< the first of each kind
  uint32_t text_count = 0, byte_count = 0;
  bool arguments = false, result = false;  ///< which of the two it has
  bool decoded = false;                    ///< as numbers only, where not
  bool descriptors = false;                ///< what they are open on was captured
};

/// The fire part of a clause: a DIF program with its pool. Owns what sonde_dif_program points to.
struct FireProgram {
  std::vector<sonde_dif_insn> insns;
  std::vector<uint8_t> pool;
  std::vector<uint8_t> kinds;  ///< enum sonde_slot_kind, one a slot
  uint32_t record_max = 0;     ///< set by verification
  CallSlots call;

  sonde_dif_program view() const {
    return {insns.data(), static_cast<uint32_t>(insns.size()), static_cast<uint32_t>(kinds.size()),
            pool.data(),  static_cast<uint32_t>(pool.size()),  record_max,
            kinds.data()};
  }
};

}  // namespace sonde
