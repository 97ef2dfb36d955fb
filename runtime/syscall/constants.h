// SPDX-License-Identifier: GPL-3.0-or-later
// Names of constants: O_RDONLY|O_CLOEXEC, AF_INET, SIGINT. The sets are generated from the headers of the kernel (constants.txt).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/syscall/arch.h"

namespace sonde {

struct Constant {
  uint64_t value;
  const char* name;
};

struct Set {
  enum Id : uint8_t {
#define SONDE_CONSTANTS(name, ...)
#define SONDE_SET(name, flags, base, mask) name,
#include SONDE_ARCH_CONSTANTS
#undef SONDE_CONSTANTS
#undef SONDE_SET
    none
  };
};

/// The name of a single value, if the set has it.
std::optional<std::string_view> name_of(Set::Id set, uint64_t value);

/// "O_RDONLY|O_CLOEXEC", then unnamed bits in hex; "0" when nothing is set and 0 has no name.
std::string format_constant(Set::Id set, uint64_t value);

}  // namespace sonde
