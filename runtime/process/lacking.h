// SPDX-License-Identifier: GPL-3.0-or-later
// What stacks of a process lack, and what the user can do about it
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "kmod/shared/stack_flags.h"

namespace sonde {

enum class Lack : uint8_t {
  Names,   ///< of code that was compiled at run time
  Frames,  ///< they end at such code
  Table,   ///< they end at a file without frame information
};

constexpr uint32_t bit_of(Lack lack) { return 1u << static_cast<uint8_t>(lack); }

/// One finding. `file`: the path of the file without a table.
struct LackingStack {
  Lack lack;
  std::string file = {};
};

/// The lines for the user. There may be very many processes, so there are a few lines, then one that there are more.
class LackingLines {
 public:
  /// `program`: its name; empty: unknown. Empty: nothing more is told.
  std::string next(pid_t pid, const std::string& program, const LackingStack& found);

 private:
  uint64_t told_ = 0;
};

/// The name of the executable, which is not that of a thread. Empty: the process has ended.
std::string program_of(pid_t pid);

/// Whether the process has no map of names in /tmp. False also when unknown: another mount namespace may have one, and
/// looking there could take for ever.
bool lacks_name_map(pid_t pid);

}  // namespace sonde
