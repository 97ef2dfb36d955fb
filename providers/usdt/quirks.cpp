// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/usdt/quirks.h"

#include "providers/registry.h"
#include "runtime/framework/provider.h"

namespace sonde {
namespace {

/// "python" of "python42", "python$target" and "python*".
std::string_view name_alone(std::string_view provider) {
  return provider.substr(0, provider.substr(0, provider.find('$')).find_last_not_of("0123456789*") + 1);
}

}  // namespace

std::string_view environment_for(std::string_view provider) {
  for (const usdt::Start& row : usdt::kStarts)
    if (row.provider == name_alone(provider) && !row.environment.empty()) return row.environment;
  return {};
}

std::string_view why_silent(std::string_view provider, std::string_view probe) {
  for (const usdt::Start& row : usdt::kStarts)
    if (row.provider == name_alone(provider) &&
        sonde_glob_match(std::string(row.probes).c_str(), std::string(probe).c_str()) != 0)
      return row.otherwise;
  return {};
}

}  // namespace sonde
