// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace sonde {

/// Where a compiler has put a function's code into its callers.
struct Inlined {
  std::string file;  ///< of the first such place, as the debug information has it
  int line = 0;
  size_t places = 0;
};

/// Looks in the debug information of `path` for calls that were inlined, of a function of that name or symbol. None:
/// there are none, or there is no debug information. It reads all of that: for messages only.
std::optional<Inlined> find_inlined(const std::string& path, const std::function<bool(const std::string& name)>& is);

}  // namespace sonde
