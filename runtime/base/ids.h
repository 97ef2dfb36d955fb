// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace sonde {

/// A number that cannot be mistaken for another kind of number.
template <typename Tag>
struct Id {
  uint32_t value = 0;
  auto operator<=>(const Id&) const = default;
};

using ProbeId = Id<struct ProbeTag>;      ///< 1 is BEGIN, 2 END, 3 ERROR; 0 is no probe
using Epid = Id<struct EpidTag>;          ///< an ECB; 0 is none; order of enabling
using TapId = Id<struct TapTag>;          ///< chosen by the caller that arms it
using ProgramId = Id<struct ProgramTag>;  ///< a DIF program loaded into a source

using Nanoseconds = uint64_t;

}  // namespace sonde

template <typename Tag>
struct std::hash<sonde::Id<Tag>> {
  size_t operator()(sonde::Id<Tag> id) const { return id.value; }
};
