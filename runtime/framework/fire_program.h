// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "kmod/shared/dif.h"

namespace sonde {

/// The fire part of a clause: a DIF program with its pool. Owns what sonde_dif_program points to.
struct FireProgram {
  std::vector<sonde_dif_insn> insns;
  std::vector<uint8_t> pool;
  std::vector<uint8_t> kinds;  ///< enum sonde_slot_kind, one a slot
  uint32_t record_max = 0;     ///< set by verification

  sonde_dif_program view() const {
    return {insns.data(), static_cast<uint32_t>(insns.size()), static_cast<uint32_t>(kinds.size()),
            pool.data(),  static_cast<uint32_t>(pool.size()),  record_max,
            kinds.data()};
  }
};

}  // namespace sonde
